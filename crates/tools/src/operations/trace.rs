//! `trace`: how one symbol reaches another, or where the proof of it ends.

use crate::answer::Answer;
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::{ResolvedSymbol, SymbolAnswer, resolve_symbol};
use crate::error::{Code, Exit, ToolError};
use crate::graph::call_path::CallPath;
use crate::graph::call_tree::{called_nodes, is_calling};
use crate::graph::missing_path::{MissingPath, blocked};
use crate::graph::node_line::NodeLine;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    Direction, EngineError, GraphPath, GraphPaths, GraphView, NodeId, PathOptions, PathStarts, ReachOptions,
    WithDispatch, reach, shortest_paths,
};
use orient_model::{Confidence, EdgeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Trace;

/// What stands for the entry points on the command line.
const ENTRIES: &str = "-";

/// From where to where.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceArgs {
    /// Where to start: a handle or a name; `-` for the entry points of the program
    #[arg(value_name = "FROM", default_value = ENTRIES, hide_default_value = true)]
    #[serde(default = "entries")]
    from: String,
    /// Where to arrive; without it, where the calls of FROM end
    #[arg(value_name = "TO")]
    #[serde(default)]
    to: Option<String>,
    /// Symbols the way must pass, in order
    #[arg(long, value_name = "SYMBOL", value_delimiter = ',')]
    #[serde(default)]
    via: Vec<String>,
    /// How many ways
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[serde(default = "three")]
    paths: usize,
    /// No way with more calls than this
    #[arg(long, value_name = "N", default_value_t = 30)]
    #[serde(default = "thirty")]
    depth: u32,
    /// Give up after so many symbols
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[serde(default = "visits")]
    visits: usize,
    /// Do not pass through tests
    #[arg(long)]
    #[serde(default)]
    no_tests: bool,
    /// Only edges at least this sure: exact, probable or approximate
    #[arg(long, value_name = "HOW", default_value = "probable")]
    #[serde(default)]
    confidence: Option<String>,
}

fn entries() -> String {
    ENTRIES.to_owned()
}

fn three() -> usize {
    3
}

fn thirty() -> u32 {
    30
}

fn visits() -> usize {
    100_000
}

/// Ways from one symbol to another.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TraceOut {
    /// Where they start; absent for the entry points.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<NodeLine>,
    /// Where they arrive; absent where the question was where the calls end.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<NodeLine>,
    /// The ways, shortest first; where the question was where the calls end, deepest first.
    paths: Vec<CallPath>,
    /// Without a way: how far the proof goes, and what stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<MissingPath>,
}

/// What a search is held to.
struct Held<'a> {
    args: &'a TraceArgs,
    least: Confidence,
}

impl TypedOperation for Trace {
    const NAME: &'static str = "trace";
    const ABOUT: &'static str = "Show how one symbol reaches another, call by call";
    const DETAILS: &'static str = "\
The shortest_paths ways along proven calls; a call of an interface may reach its implementations. From `-`, the entry points: main \
functions, functions that an attribute hands to a framework, scripts; never tests. Where there is no way, the answer is how \
far the proof goes and which calls there lead outside or could not be resolved.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "trace main Store.save", about: "from one to the other" },
        Example { command: "trace - Store.save", about: "from the entry points" },
        Example { command: "trace main Store.save --via Cache.put --paths 5", about: "ways past a point" },
        Example { command: "trace Server.Run", about: "where its calls end" },
    ];
    const HEAVY: bool = true;
    type Args = TraceArgs;
    type Out = SymbolAnswer<TraceOut>;

    fn run(session: &Session<'_>, args: TraceArgs) -> Result<Answer<Self::Out>, ToolError> {
        let least = enum_values::confidence(args.confidence.as_deref())?;
        let snapshot = session.snapshot()?;
        let from_entries = args.from == ENTRIES;
        if from_entries && args.to.is_none() {
            let error = ToolError::new(Code::BadArgument, "there is nothing to trace");
            return Err(error.hint("`orient trace FROM TO`, or `orient trace - TO` from the entry points"));
        }
        let stops =
            std::iter::once(&args.from).filter(|_| !from_entries).chain(&args.via).chain(args.to.as_ref());
        let mut subjects = Vec::new();
        for typed in stops {
            match resolve_symbol(&snapshot, typed)? {
                Ok(subject) => subjects.push(subject),
                Err(unclear) => return unclear.answer(session, &snapshot),
            }
        }
        let view = snapshot.graph();
        let held = Held { args: &args, least };
        let traced = match subjects.first() {
            Some(subject) if args.to.is_none() => held.ends(&view, subject)?,
            _ => held.ways(&view, &subjects, from_entries)?,
        };
        let Traced { out, gave_up, notes } = traced;
        let mut answer = session.answer(&snapshot, SymbolAnswer::one(out));
        answer.notes.extend(notes);
        if gave_up {
            answer = answer.partial("the search gave up before it had seen all: --depth and --visits");
        }
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, TraceOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        match out {
            SymbolAnswer::One(one) if one.paths.is_empty() => Exit::Nothing,
            out => out.exit(),
        }
    }
}

/// What a search came to.
struct Traced {
    out: TraceOut,
    gave_up: bool,
    notes: Vec<String>,
}

impl Held<'_> {
    /// Ways from stop to stop; the first stop may be any entry point.
    fn ways(
        &self,
        view: &GraphView<'_>,
        subjects: &[ResolvedSymbol],
        from_entries: bool,
    ) -> Result<Traced, EngineError> {
        let mut stops = Vec::new();
        for subject in subjects {
            stops.push(called_nodes(view, subject)?);
        }
        let (mut sections, mut gave_up, mut block) = (Vec::new(), false, None);
        let mut starts: Option<&[NodeId]> = None;
        for (index, stop) in stops.iter().enumerate() {
            if index > 0 || from_entries {
                let found = self.section(view, starts, stop)?;
                gave_up |= found.gave_up;
                if found.found.is_empty() {
                    let follow = |edge: &_| is_calling(edge, self.least);
                    block = blocked(view, starts.unwrap_or_default(), stop, &found.behind, &follow)?;
                    sections.clear();
                    break;
                }
                sections.push(found.found);
            }
            starts = Some(stop);
        }
        let mut paths = Vec::new();
        for path in joined(&sections, self.args.paths) {
            paths.push(CallPath::of(view, &path)?);
        }
        let named = |subject: Option<&ResolvedSymbol>| -> Result<Option<NodeLine>, EngineError> {
            let node = subject.map(|one| view.describe(one.definition.id.into())).transpose()?;
            Ok(node.map(|node| NodeLine::of(&node)))
        };
        let out = TraceOut {
            from: named(subjects.first().filter(|_| !from_entries))?,
            to: named(subjects.last())?,
            paths,
            blocked: block,
        };
        Ok(Traced { out, gave_up, notes: subjects.iter().filter_map(ResolvedSymbol::note).collect() })
    }

    /// The ways from one stop to the next.
    fn section(
        &self,
        view: &GraphView<'_>,
        from: Option<&[NodeId]>,
        to: &[NodeId],
    ) -> Result<GraphPaths, EngineError> {
        let options = PathOptions {
            paths: self.args.paths.max(1),
            depth: self.args.depth,
            visits: self.args.visits,
            follow: &|edge| is_calling(edge, self.least),
            enter: &|node| Ok(!self.args.no_tests || !view.is_test(node)?),
        };
        let is_entry = |node| Ok(view.entry(node)?.is_some());
        let starts = match from {
            Some(nodes) => PathStarts::These(nodes),
            None => PathStarts::Any(&is_entry, self.args.paths.max(1)),
        };
        shortest_paths(&WithDispatch(view), &starts, to, &options)
    }

    /// Where the calls of a symbol end: the deepest of its ways down.
    fn ends(&self, view: &GraphView<'_>, subject: &ResolvedSymbol) -> Result<Traced, EngineError> {
        let start = NodeId::from(subject.definition.id);
        let options = ReachOptions {
            direction: Direction::Out,
            depth: self.args.depth,
            per_level: usize::MAX,
            total: self.args.visits,
            follow: &|edge| is_calling(edge, self.least),
            enter: &|node| Ok(!self.args.no_tests || !view.is_test(node)?),
        };
        let reached = reach(&WithDispatch(view), &[start], &options)?;
        let mut leads_on = vec![false; reached.steps.len()];
        for step in &reached.steps {
            step.parent.into_iter().for_each(|parent| leads_on[parent] = true);
        }
        let mut ends: Vec<usize> = (0..reached.steps.len())
            .filter(|&at| reached.steps[at].parent.is_some() && !reached.steps[at].again && !leads_on[at])
            .collect();
        ends.sort_by_key(|&at| (std::cmp::Reverse(reached.steps[at].level), at));
        let mut paths = Vec::new();
        for &end in ends.iter().take(self.args.paths) {
            let chain = reached.chain(end);
            let edges = chain.iter().skip(1).filter_map(|&at| {
                let step = &reached.steps[at];
                step.edges.first().map(|edge| (edge, step.node))
            });
            paths.push(CallPath::along(view, start, edges)?);
        }
        let mut notes: Vec<String> = subject.note().into_iter().collect();
        if ends.len() > paths.len() {
            notes.push(format!(
                "{} end there; the deepest are shown",
                plural(ends.len() as u64, "way", "ways")
            ));
        }
        let from = Some(NodeLine::of(&view.describe(start)?));
        let gave_up = !reached.is_whole() || reached.unexplored > 0;
        Ok(Traced { out: TraceOut { from, to: None, paths, blocked: None }, gave_up, notes })
    }
}

/// The ways through all sections: each way of one with each of the next, the shortest in all first.
fn joined(sections: &[Vec<GraphPath>], most: usize) -> Vec<GraphPath> {
    let mut ways: Vec<GraphPath> = sections.first().cloned().unwrap_or_default();
    for section in sections.iter().skip(1) {
        let mut longer = Vec::new();
        for way in &ways {
            let end = way.edges.last().map_or(way.start, |edge| edge.target);
            // A type may be come to by its constructor and left by itself.
            let fits = section.iter().any(|next| next.start == end);
            for next in section.iter().filter(|next| !fits || next.start == end) {
                let edges = way.edges.iter().chain(&next.edges).copied().collect();
                longer.push(GraphPath { start: way.start, edges });
            }
        }
        longer.sort_by_key(|way| way.edges.len());
        longer.truncate(most);
        ways = longer;
    }
    ways
}

impl TraceOut {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let from = self.from.as_ref().map_or("the entry points", |node| node.called());
        match (&self.to, self.paths.is_empty()) {
            (Some(to), true) => {
                writer.line(Style::Warn, &format!("no proven way from {from} to {}", to.called()))?;
                return self.blocked.as_ref().map_or(Ok(()), |blocked| blocked.write(writer));
            }
            (None, true) => return writer.line(Style::Warn, &format!("{from} calls nothing that is here")),
            (Some(to), false) => {
                let ways = plural(self.paths.len() as u64, "way", "ways");
                writer.line(Style::Head, &format!("{ways} from {from} to {}", to.called()))?;
            }
            (None, false) => writer.line(Style::Head, &format!("where the calls of {from} end"))?,
        }
        let dispatches = EdgeKind::Dispatches.as_str();
        for (index, path) in self.paths.iter().enumerate() {
            let hops = path.steps.iter().filter_map(|step| step.leads.as_ref());
            let calls = hops.filter(|leads| leads.kind != dispatches).count() as u64;
            let sure = if path.confidence == "exact" { "" } else { ", probable" };
            writer.line(Style::Dim, &format!("{}: {}{sure}", index + 1, plural(calls, "call", "calls")))?;
            path.write(writer, 1)?;
        }
        Ok(())
    }
}
