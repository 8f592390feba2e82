//! `trace`: shortest call paths from one symbol to another, or where the proof ends.

use crate::answer::completeness::{Question, UsesOf};
use crate::answer::{Answer, Cause, Doubt, Note};
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::{ResolvedSymbol, SymbolAnswer, resolve_symbol, unresolved_language};
use crate::error::{Code, Exit, ToolError};
use crate::graph::call_path::CallPath;
use crate::graph::call_tree::{called_nodes, is_calling};
use crate::graph::missing_path::{MissingPath, explain_missing_path};
use crate::graph::name_candidates::{NameCandidates, is_call};
use crate::graph::node_line::NodeLine;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::diagram::{Diagram, DiagramFormat, DiagramNode, EdgeLine};
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    Direction, EdgeRow, EngineError, GraphPath, GraphPaths, GraphView, NodeId, PathOptions, PathStarts,
    ProgramGraph, ReachOptions, reach, shortest_paths,
};
use orient_model::{Confidence, EdgeKind};
use serde::Serialize;
use std::io;

pub(crate) struct Trace;

/// The argument that means the entry points.
const ENTRIES: &str = "-";

/// Arguments of `trace`.
#[derive(Args)]
pub(crate) struct TraceArgs {
    /// The start: a handle or a name; `-` for the entry points of the program
    #[arg(value_name = "FROM", default_value = ENTRIES, hide_default_value = true)]
    from: String,
    /// The end; default: the deepest callees of FROM
    #[arg(value_name = "TO")]
    to: Option<String>,
    /// Symbols that the path must contain, in order
    #[arg(long, value_name = "SYMBOL", value_delimiter = ',')]
    via: Vec<String>,
    /// Maximum number of paths
    #[arg(long, value_name = "N", default_value_t = 3)]
    paths: usize,
    /// Maximum number of calls of a path
    #[arg(long, value_name = "N", default_value_t = 30)]
    depth: u32,
    /// Maximum number of symbols to search
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    visits: usize,
    /// Exclude paths through tests
    #[arg(long)]
    no_tests: bool,
    /// Minimum confidence: exact, probable or approximate
    #[arg(long, value_name = "LEVEL", default_value = "probable")]
    confidence: Option<String>,
    /// Print a diagram of the paths instead: mermaid or dot
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
}

/// Paths from one symbol to another.
#[derive(Serialize)]
pub(crate) struct TraceOut {
    /// The start; absent for the entry points.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<NodeLine>,
    /// The end; absent without TO.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<NodeLine>,
    /// The paths, shortest first; without TO, deepest first.
    paths: Vec<CallPath>,
    /// Without a path: how far it is proven, and the calls at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<MissingPath>,
    /// A diagram of the paths, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagram: Option<String>,
}

/// A search with its limits.
struct PathSearch<'a> {
    args: &'a TraceArgs,
    least: Confidence,
    /// Whether to follow requests whose address is known only in part.
    open_requests: bool,
}

impl TypedOperation for Trace {
    const NAME: &'static str = "trace";
    const ABOUT: &'static str = "Show call paths from one symbol to another";
    const DETAILS: &'static str = "\
The shortest paths along proven calls; a call of an interface may reach its implementations, and importing a module runs its top-level \
code (`runs`). `-` means the entry points: main functions, scripts, and functions that an attribute registers; never tests. If there is no path, the answer \
shows how far it is proven, and the external and unresolved calls there.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "trace main Store.save", about: "from one symbol to another" },
        Example { command: "trace - Store.save", about: "from the entry points" },
        Example {
            command: "trace main Store.save --via Cache.put --paths 5",
            about: "paths through a symbol",
        },
        Example { command: "trace Server.Run", about: "its deepest callees" },
        Example { command: "trace main Store.save --format mermaid", about: "a diagram of the paths" },
    ];
    const HEAVY: bool = true;
    const TERMINAL_ONLY: &'static [&'static str] = &["format"];
    type Args = TraceArgs;
    type Out = SymbolAnswer<TraceOut>;

    fn run(session: &Session<'_>, args: TraceArgs) -> Result<Answer<Self::Out>, ToolError> {
        let least = enum_values::confidence(args.confidence.as_deref())?;
        let format = args.format.as_deref().map(DiagramFormat::parse).transpose()?;
        let snapshot = session.snapshot()?;
        let from_entries = args.from == ENTRIES;
        if from_entries && args.to.is_none() {
            let error = ToolError::new(Code::BadArgument, "a start or an end is required");
            return Err(error.hint("`orient trace FROM TO`, or `orient trace - TO` from the entry points"));
        }
        let stops =
            std::iter::once(&args.from).filter(|_| !from_entries).chain(&args.via).chain(args.to.as_ref());
        let mut subjects = Vec::new();
        for typed in stops {
            match resolve_symbol(&snapshot, session.own_name(typed))? {
                Ok(subject) => subjects.push(subject),
                Err(unclear) => return unclear.answer(session, &snapshot),
            }
        }
        let mut unresolved: Vec<Doubt> =
            subjects.iter().filter_map(|subject| unresolved_language(&subject.definition)).collect();
        unresolved.dedup();
        let view = snapshot.graph();
        let mut search = PathSearch { args: &args, least, open_requests: false };
        let mut traced = match subjects.first() {
            Some(subject) if args.to.is_none() => search.ends(&view, subject)?,
            _ => search.paths(&view, &subjects, from_entries)?,
        };
        // A request whose base is computed usually reaches the endpoint with the rest of its path: better than no path, if it is said.
        if args.to.is_some() && traced.out.paths.is_empty() && least > Confidence::Exact {
            search.open_requests = true;
            let open = search.paths(&view, &subjects, from_entries)?;
            if open.out.paths.is_empty() { search.open_requests = false } else { traced = open }
        }
        let SearchResult { mut out, stopped, notes } = traced;
        out.diagram = format.filter(|_| !out.paths.is_empty()).map(|format| out.diagram().render(format));
        // Where there is no path, a use of the end that is not resolved may be on it.
        let end = subjects.last().filter(|_| args.to.is_some() && out.paths.is_empty());
        let candidates = end
            .map(|end| {
                let is_call = |_, kind| Ok(is_call(kind));
                NameCandidates::of(&view, &end.definition.name, is_call, 0)
            })
            .transpose()?;
        // That no entry point leads there says no more than that none is known.
        let without_callers = match &out.blocked {
            Some(missing) if from_entries => missing.without_callers().max(1),
            _ => 0,
        };
        let on_the_way = out.blocked.as_ref().map_or(0, MissingPath::unresolved_calls);
        let uses: Vec<UsesOf<'_>> = end
            .into_iter()
            .map(|end| {
                let (definition, candidates) = (&end.definition, candidates.as_ref());
                UsesOf { definition, found: 0, candidates, by_name: true }
            })
            .collect();
        let mut answer = session.answer_about(&snapshot, &Question::Uses(&uses), SymbolAnswer::one(out))?;
        answer.add_notes(notes);
        answer.add_doubts(unresolved.into_iter().filter(|_| end.is_none()));
        if on_the_way > 0 {
            let calls = plural(
                on_the_way,
                "call at the end of what is proven is",
                "calls at the end of what is proven are",
            );
            let text = format!("{calls} not resolved");
            answer = answer.partial(Doubt::new(Cause::UnresolvedUses, on_the_way, text));
        }
        if without_callers > 0 {
            let lead = plural(without_callers, "symbol leads", "symbols lead");
            let text = format!("{lead} to it that may be called from outside: no callers are known");
            answer = answer.partial(Doubt::new(Cause::CalledFromOutside, without_callers, text));
        }
        if search.open_requests {
            let text = "a request on the path has an address that is known only in part: it may reach another endpoint";
            answer = answer.partial(Doubt::new(Cause::UnknownAddress, 1, text));
        }
        if stopped {
            let note = Note::from("the search stopped at its limits: paths may be missing").see("depth");
            answer = answer.partial(Doubt::new(Cause::Unsearched, 1, note));
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

/// The result of a search.
struct SearchResult {
    out: TraceOut,
    /// Whether the search stopped at `depth` or `visits`.
    stopped: bool,
    notes: Vec<String>,
}

impl PathSearch<'_> {
    /// Whether an edge is part of a call, or runs code by loading it.
    fn runs(&self, edge: &EdgeRow) -> bool {
        let is_open_request = edge.kind == EdgeKind::Requests && self.open_requests;
        is_calling(edge, self.least)
            || is_open_request
            || edge.kind == EdgeKind::Runs && edge.confidence <= self.least
    }

    /// The same, or passes a function.
    fn passes(&self, edge: &EdgeRow) -> bool {
        self.runs(edge) || edge.kind == EdgeKind::Passes && edge.confidence <= self.least
    }

    /// Paths through all stops; the first stop may be any entry point.
    fn paths(
        &self,
        view: &GraphView<'_>,
        subjects: &[ResolvedSymbol],
        from_entries: bool,
    ) -> Result<SearchResult, EngineError> {
        let mut stops = Vec::new();
        for subject in subjects {
            stops.push(called_nodes(view, subject)?);
        }
        let (mut sections, mut stopped, mut missing) = (Vec::new(), false, None);
        let mut starts: Option<&[NodeId]> = None;
        for (index, stop) in stops.iter().enumerate() {
            if index > 0 || from_entries {
                let found = self.section(view, starts, stop)?;
                stopped |= found.truncated;
                if found.found.is_empty() {
                    let follow = |edge: &_| self.runs(edge);
                    missing = explain_missing_path(
                        view,
                        starts.unwrap_or_default(),
                        stop,
                        &found.reaching,
                        &follow,
                    )?;
                    sections.clear();
                    break;
                }
                sections.push(found.found);
            }
            starts = Some(stop);
        }
        let mut paths = Vec::new();
        for path in join_sections(&sections, self.args.paths) {
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
            blocked: missing,
            diagram: None,
        };
        Ok(SearchResult { out, stopped, notes: subjects.iter().filter_map(ResolvedSymbol::note).collect() })
    }

    /// The paths from one stop to the next.
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
            follow: &|edge| self.runs(edge),
            enter: &|node| Ok(!self.args.no_tests || !view.is_test(node)?),
        };
        let graph = ProgramGraph(view);
        if let Some(nodes) = from {
            return shortest_paths(&graph, &PathStarts::These(nodes), to, &options);
        }
        let starts_program = |node| view.starts_program(node);
        let starts = PathStarts::Any(&starts_program, options.paths);
        let found = shortest_paths(&graph, &starts, to, &options)?;
        if !found.found.is_empty() {
            return Ok(found);
        }
        // Who gets a function may call it.
        let with_passed = PathOptions { follow: &|edge| self.passes(edge), ..options };
        let found = shortest_paths(&graph, &starts, to, &with_passed)?;
        if !found.found.is_empty() {
            return Ok(found);
        }
        let is_entry = |node| Ok(view.entry(node)?.is_some());
        shortest_paths(&graph, &PathStarts::Any(&is_entry, options.paths), to, &options)
    }

    /// The deepest call paths from a symbol.
    fn ends(&self, view: &GraphView<'_>, subject: &ResolvedSymbol) -> Result<SearchResult, EngineError> {
        let start = NodeId::from(subject.definition.id);
        let options = ReachOptions {
            direction: Direction::Out,
            depth: self.args.depth,
            per_level: usize::MAX,
            total: self.args.visits,
            follow: &|edge| self.runs(edge),
            enter: &|node| Ok(!self.args.no_tests || !view.is_test(node)?),
        };
        let reached = reach(&ProgramGraph(view), &[start], &options)?;
        let mut has_children = vec![false; reached.steps.len()];
        for step in &reached.steps {
            step.parent.into_iter().for_each(|parent| has_children[parent] = true);
        }
        let mut ends: Vec<usize> = (0..reached.steps.len())
            .filter(|&at| {
                reached.steps[at].parent.is_some() && !reached.steps[at].repeated && !has_children[at]
            })
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
                "{} in total; the deepest are shown",
                plural(ends.len() as u64, "path", "paths")
            ));
        }
        let from = Some(NodeLine::of(&view.describe(start)?));
        let stopped = !reached.is_whole() || reached.unexplored > 0;
        Ok(SearchResult {
            out: TraceOut { from, to: None, paths, blocked: None, diagram: None },
            stopped,
            notes,
        })
    }
}

/// Joins the paths of consecutive sections, shortest total first.
fn join_sections(sections: &[Vec<GraphPath>], max: usize) -> Vec<GraphPath> {
    let mut paths: Vec<GraphPath> = sections.first().cloned().unwrap_or_default();
    for section in sections.iter().skip(1) {
        let mut longer = Vec::new();
        for path in &paths {
            let end = path.edges.last().map_or(path.start, |edge| edge.target);
            // A path may end at a constructor and continue from its type.
            let fits = section.iter().any(|next| next.start == end);
            for next in section.iter().filter(|next| !fits || next.start == end) {
                let edges = path.edges.iter().chain(&next.edges).copied().collect();
                longer.push(GraphPath { start: path.start, edges });
            }
        }
        longer.sort_by_key(|path| path.edges.len());
        longer.truncate(max);
        paths = longer;
    }
    paths
}

impl TraceOut {
    /// All paths as one graph.
    fn diagram(&self) -> Diagram {
        let mut diagram = Diagram::default();
        let ends: Vec<&str> =
            [&self.from, &self.to].into_iter().flatten().map(|end| end.handle.as_str()).collect();
        for path in &self.paths {
            for step in &path.steps {
                let node = &step.node;
                let is_focus = ends.contains(&node.handle.as_str());
                let (label, detail) = (node.called().to_owned(), node.anchor());
                diagram.node(&node.handle, DiagramNode { label, detail, is_focus });
            }
            for pair in path.steps.windows(2) {
                let [step, next] = pair else { continue };
                let Some(edge) = &step.edge else { continue };
                let label = if edge.kind == EdgeKind::Calls.as_str() { "" } else { edge.kind };
                let line = EdgeLine::of_confidence(edge.confidence);
                diagram.edge(&step.node.handle, &next.node.handle, label, line);
            }
        }
        diagram
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(diagram) = &self.diagram {
            return diagram.lines().try_for_each(|line| writer.line(Style::Plain, line));
        }
        let from = self.from.as_ref().map_or("the entry points", |node| node.called());
        match (&self.to, self.paths.is_empty()) {
            (Some(to), true) => {
                writer.line(Style::Warn, &format!("no proven path from {from} to {}", to.called()))?;
                return self.blocked.as_ref().map_or(Ok(()), |blocked| blocked.write(writer));
            }
            (None, true) => {
                return writer.line(Style::Warn, &format!("{from} calls nothing in this repository"));
            }
            (Some(to), false) => {
                let paths = plural(self.paths.len() as u64, "path", "paths");
                writer.line(Style::Head, &format!("{paths} from {from} to {}", to.called()))?;
            }
            (None, false) => writer.line(Style::Head, &format!("deepest callees of {from}"))?,
        }
        let dispatches = EdgeKind::Dispatches.as_str();
        for (index, path) in self.paths.iter().enumerate() {
            let hops = path.steps.iter().filter_map(|step| step.edge.as_ref());
            let calls = hops.filter(|edge| edge.kind != dispatches).count() as u64;
            let sure = if path.confidence == "exact" { "" } else { ", probable" };
            writer.line(Style::Dim, &format!("{}: {}{sure}", index + 1, plural(calls, "call", "calls")))?;
            path.write(writer, 1)?;
        }
        Ok(())
    }
}
