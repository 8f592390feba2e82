//! Callers and callees: one walk along calls, in either direction, as a tree or a list.

use super::name_candidates::{NameCandidates, calls, is_call};
use super::node_line::{NodeLine, UseLine, lines, remark};
use crate::answer::Answer;
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::{ResolvedSymbol, SymbolAnswer, resolve_symbol};
use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    Direction, EdgeRow, Edges, EngineError, GraphView, NodeId, Reach, ReachOptions, WithDispatch, reach,
};
use orient_model::{Confidence, EdgeKind, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;

/// No walk goes deeper: nobody reads a tree of that depth.
const DEEPEST: u32 = 100;

/// How far to walk and what to leave out.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallsArgs {
    /// A handle (`src/server.go#Server.Run`) or a name (`Run`, `Server.Run`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// How many levels
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    #[serde(default = "one")]
    depth: u32,
    /// At most so many on each level; 0 means all
    #[arg(long, value_name = "N", default_value_t = 50)]
    #[serde(default = "per_level")]
    per_level: usize,
    /// At most so many in all; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[serde(default = "limit")]
    limit: usize,
    /// A list, level by level, in place of a tree
    #[arg(long)]
    #[serde(default)]
    flat: bool,
    /// Leave out tests
    #[arg(long)]
    #[serde(default)]
    no_tests: bool,
    /// Only edges at least this sure: exact, probable or approximate
    #[arg(long, value_name = "HOW", default_value = "probable")]
    #[serde(default)]
    confidence: Option<String>,
    /// How many uses are listed that only have the name
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[serde(default = "candidates")]
    candidates: usize,
}

fn one() -> u32 {
    1
}

fn per_level() -> usize {
    50
}

fn limit() -> usize {
    200
}

fn candidates() -> usize {
    10
}

/// Who calls a symbol, or what it calls.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CallsOut {
    /// The symbol.
    symbol: NodeLine,
    /// How many symbols call it, or are called by it, directly; each proven.
    verified: u64,
    /// How many more call a member of a base that it stands in for, so that the call may reach it; for callees, how many
    /// more such calls may reach. Probable.
    through_dispatch: u64,
    /// Those, and what lies behind them.
    calls: Vec<CallLine>,
    /// Callers: calls of the same name that could not be resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_only: Option<NameCandidates>,
    /// Callees: calls in it that lead out of the repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outside: Vec<OutsideLine>,
    /// Callees: calls in it that could not be resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved: Vec<UnresolvedLine>,
    #[serde(skip)]
    form: Form,
}

#[derive(Clone, Copy)]
struct Form {
    direction: Direction,
    flat: bool,
}

/// A caller or a callee.
#[derive(Serialize, JsonSchema)]
struct CallLine {
    /// How many calls away it is. What a call of an interface may reach is as near as the call.
    level: u32,
    /// Its place in this list's tree: the index of the line it stands below; none at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    below: Option<usize>,
    /// The node.
    #[serde(flatten)]
    node: NodeLine,
    /// The places that show it: in this symbol for callers, in the one it stands below for callees.
    uses: Vec<UseLine>,
    /// Reached by dispatch: a member of a base (callers), or what may stand in for it (callees). Probable.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dispatch: bool,
    /// Listed before: what lies behind it is shown there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    again: bool,
}

/// A call that leads out of the repository.
#[derive(Serialize, JsonSchema)]
struct OutsideLine {
    /// The package or module; empty for what the language itself provides.
    package: String,
    /// What is called.
    name: String,
    /// The lines.
    lines: Vec<u32>,
}

/// A call that could not be resolved.
#[derive(Serialize, JsonSchema)]
struct UnresolvedLine {
    /// The name that is called.
    name: String,
    /// Its line.
    line: u32,
    /// Why.
    reason: &'static str,
}

/// Whether an edge is part of a call.
pub(crate) fn is_calling(edge: &EdgeRow, least: Confidence) -> bool {
    matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs | EdgeKind::Dispatches)
        && edge.confidence <= least
}

/// The nodes that stand for a symbol when it is called: itself, its declarations, and of a type what makes it.
pub(crate) fn called_nodes(
    view: &GraphView<'_>,
    subject: &ResolvedSymbol,
) -> Result<Vec<NodeId>, EngineError> {
    let mut nodes = Vec::new();
    for definition in std::iter::once(&subject.definition).chain(&subject.declarations) {
        nodes.push(NodeId::from(definition.id));
        if definition.kind.is_type() {
            for node in view.members(definition.id.into())?.into_iter().skip(1) {
                let kind = view.describe(node)?.definition.map(|one| (one.kind, one.depth));
                if kind == Some((SymbolKind::Constructor, definition.depth + 1)) {
                    nodes.push(node);
                }
            }
        }
    }
    Ok(nodes)
}

/// The nodes whose calls are those of a symbol: of a type, all that is in it.
fn calling_nodes(view: &GraphView<'_>, subject: &ResolvedSymbol) -> Result<Vec<NodeId>, EngineError> {
    let node = NodeId::from(subject.definition.id);
    if subject.definition.kind.is_type() { view.members(node) } else { Ok(vec![node]) }
}

/// Answers who calls a symbol, or what it calls.
pub(crate) fn run(
    session: &Session<'_>,
    args: &CallsArgs,
    direction: Direction,
) -> Result<Answer<SymbolAnswer<CallsOut>>, ToolError> {
    let least = enum_values::confidence(args.confidence.as_deref())?;
    let snapshot = session.snapshot()?;
    let subject = match resolve_symbol(&snapshot, &args.symbol)? {
        Ok(subject) => subject,
        Err(unclear) => return unclear.answer(session, &snapshot),
    };
    let view = snapshot.graph();
    let starts = match direction {
        Direction::In => called_nodes(&view, &subject)?,
        Direction::Out => calling_nodes(&view, &subject)?,
    };
    let bound = |number: usize| if number == 0 { usize::MAX } else { number };
    let options = ReachOptions {
        direction,
        depth: args.depth.clamp(1, DEEPEST),
        per_level: bound(args.per_level),
        total: bound(args.limit).saturating_add(starts.len()),
        follow: &|edge| is_calling(edge, least),
        enter: &|node| Ok(!args.no_tests || !view.is_test(node)?),
    };
    let reached = reach(&WithDispatch(&view), &starts, &options)?;
    let mut out = CallsOut {
        symbol: NodeLine::of(&view.describe(subject.definition.id.into())?),
        verified: direct(&view, &starts, direction, &options)?,
        through_dispatch: dispatched(&reached, direction),
        calls: told(&view, &reached)?,
        name_only: None,
        outside: Vec::new(),
        unresolved: Vec::new(),
        form: Form { direction, flat: args.flat },
    };
    let mut notes: Vec<String> = subject.note().into_iter().collect();
    if direction == Direction::In {
        let name = &subject.definition.name;
        out.name_only = Some(NameCandidates::of(
            &view,
            name,
            |miss| Ok(calls(miss) && !(args.no_tests && view.is_test(miss.source)?)),
            args.candidates,
        )?);
        notes.extend(mentioned(&view, &starts, &out)?);
    } else {
        out.look_outside(&view, &starts)?;
    }
    let mut answer = session.answer(&snapshot, SymbolAnswer::one(out));
    answer.notes.extend(notes);
    if let SymbolAnswer::One(out) = &answer.data
        && let Some(candidates) = out.name_only.clone()
    {
        answer = candidates.mark(answer);
    }
    Ok(bounded(answer, &reached))
}

/// Says what the bounds left out.
fn bounded<T>(answer: Answer<T>, reached: &Reach) -> Answer<T> {
    let cut: usize = reached.levels.iter().map(|level| level.cut).sum();
    let barred: usize = reached.levels.iter().map(|level| level.barred).sum();
    let mut answer = answer;
    if cut > 0 {
        let shown = reached.levels.iter().skip(1).map(|level| level.shown).sum::<usize>() as u64;
        answer = answer.partial(format!(
            "{} shown, {} more left out: --per-level and --limit show more",
            count(shown),
            count(cut as u64)
        ));
    }
    if barred > 0 {
        answer = answer.note(format!("{} left out (--no-tests)", plural(barred as u64, "test", "tests")));
    }
    answer
}

/// How many nodes are next to the starts, without those that dispatch leads to.
fn direct(
    view: &GraphView<'_>,
    starts: &[NodeId],
    direction: Direction,
    options: &ReachOptions<'_, EngineError>,
) -> Result<u64, EngineError> {
    let mut nodes = Vec::new();
    for &start in starts {
        let edges = match direction {
            Direction::In => view.incoming(start)?,
            Direction::Out => view.outgoing(start)?,
        };
        for edge in edges.iter().filter(|edge| (options.follow)(edge)) {
            if edge.kind != EdgeKind::Dispatches && (options.enter)(direction.end(edge))? {
                nodes.push(direction.end(edge));
            }
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes.len() as u64)
}

/// How many nodes of the first level dispatch leads to: for callers, what calls a base; for callees, what may be reached.
fn dispatched(reached: &Reach, direction: Direction) -> u64 {
    let by_dispatch = |at: usize| {
        let edges = &reached.steps[at].edges;
        !edges.is_empty() && edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches)
    };
    let counts = |at: usize| match direction {
        Direction::In => !by_dispatch(at) && reached.steps[at].parent.is_some_and(by_dispatch),
        Direction::Out => by_dispatch(at),
    };
    let first = |at: &usize| reached.steps[*at].level == 1 && !reached.steps[*at].again;
    (0..reached.steps.len()).filter(first).filter(|&at| counts(at)).count() as u64
}

/// Uses that are no calls, where there is no call: nobody should take "no callers" for "not used".
fn mentioned(view: &GraphView<'_>, starts: &[NodeId], out: &CallsOut) -> Result<Option<String>, EngineError> {
    if !out.calls.is_empty() {
        return Ok(None);
    }
    let mut uses = 0;
    for &start in starts {
        uses += view.incoming(start)?.iter().filter(|edge| edge.kind != EdgeKind::Imports).count() as u64;
    }
    Ok((uses > 0).then(|| {
        let uses = plural(uses, "use that is no call", "uses that are no calls");
        format!("nothing calls it, but there are {uses}: `orient references {}`", out.symbol.handle)
    }))
}

/// The steps of a walk in words; those that nothing lies behind and that are no calls themselves are left out.
fn told(view: &GraphView<'_>, reached: &Reach) -> Result<Vec<CallLine>, EngineError> {
    let mut places: Vec<Option<usize>> = vec![None; reached.steps.len()];
    let mut leads_on = vec![false; reached.steps.len()];
    for step in &reached.steps {
        if let Some(parent) = step.parent {
            leads_on[parent] = true;
        }
    }
    let mut told = Vec::new();
    for (index, step) in reached.steps.iter().enumerate() {
        let Some(parent) = step.parent else { continue };
        let dispatch = step.edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches);
        if dispatch && step.level == 0 && !leads_on[index] {
            continue;
        }
        places[index] = Some(told.len());
        told.push(CallLine {
            level: step.level,
            below: places[parent],
            node: NodeLine::of(&view.describe(step.node)?),
            uses: step.edges.iter().map(UseLine::of).collect(),
            dispatch,
            again: step.again,
        });
    }
    Ok(told)
}

impl CallsOut {
    fn look_outside(&mut self, view: &GraphView<'_>, starts: &[NodeId]) -> Result<(), EngineError> {
        let Some(&first) = starts.first() else { return Ok(()) };
        let graph = view.file_graph(view.file_of(first)?.id)?;
        let mut outside: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
        for row in graph.outside.iter().filter(|row| starts.contains(&row.source) && is_call(row.kind)) {
            outside.entry((&row.package, &row.name)).or_default().push(row.line);
        }
        for ((package, name), mut lines) in outside {
            lines.sort_unstable();
            lines.dedup();
            self.outside.push(OutsideLine { package: package.to_owned(), name: name.to_owned(), lines });
        }
        let mut misses: Vec<_> =
            graph.misses.iter().filter(|miss| starts.contains(&miss.source) && calls(miss)).collect();
        misses.sort_by_key(|miss| (miss.line, &miss.name));
        self.unresolved.extend(misses.into_iter().map(|miss| UnresolvedLine {
            name: miss.name.clone(),
            line: miss.line,
            reason: miss.reason.as_str(),
        }));
        Ok(())
    }

    /// Writes the answer.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let (one, many) = match self.form.direction {
            Direction::In => ("verified caller of", "verified callers of"),
            Direction::Out => ("verified callee of", "verified callees of"),
        };
        writer.put(Style::Head, &format!("{} ", plural(self.verified, one, many)))?;
        writer.put(Style::Name, self.symbol.called())?;
        writer.put(Style::Dim, &format!(" ({})", self.symbol.anchor()))?;
        if self.through_dispatch > 0 {
            writer.plain(&format!(", {} more by dispatch", count(self.through_dispatch)))?;
        }
        if let Some(candidates) = &self.name_only {
            writer.plain(&format!(", {}", candidates.counted()))?;
        }
        if self.form.direction == Direction::Out {
            let (outside, unresolved) = (self.outside.len() as u64, self.unresolved.len() as u64);
            writer.plain(&format!(", {} outside, {} not resolved", count(outside), count(unresolved)))?;
        }
        writer.end_line()?;
        if self.form.flat {
            for line in self.calls.iter().filter(|line| !line.again) {
                line.write(writer, self, 0)?;
            }
        } else {
            let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.calls.len() + 1];
            for (index, line) in self.calls.iter().enumerate() {
                children[line.below.unwrap_or(self.calls.len())].push(index);
            }
            self.write_below(writer, &children, self.calls.len(), 0)?;
        }
        self.write_outside(writer)?;
        self.name_only.as_ref().map_or(Ok(()), |candidates| candidates.write(writer))
    }

    fn write_below(
        &self,
        writer: &mut TextWriter<'_>,
        children: &[Vec<usize>],
        below: usize,
        indent: usize,
    ) -> io::Result<()> {
        for &index in &children[below] {
            self.calls[index].write(writer, self, indent)?;
            self.write_below(writer, children, index, indent + 1)?;
        }
        Ok(())
    }

    fn write_outside(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if !self.outside.is_empty() {
            let show = |one: &OutsideLine| {
                if one.package.is_empty() {
                    one.name.clone()
                } else {
                    format!("{} of {}", one.name, one.package)
                }
            };
            writer.put(Style::Head, "outside: ")?;
            writer.line(Style::Plain, &self.outside.iter().map(show).collect::<Vec<_>>().join(", "))?;
        }
        if !self.unresolved.is_empty() {
            writer.line(Style::Head, "not resolved:")?;
        }
        for one in &self.unresolved {
            writer.put(Style::Path, &format!("  {}:{}", self.symbol.path, one.line))?;
            writer.plain("  ")?;
            writer.put(Style::Name, &one.name)?;
            writer.line(Style::Dim, &format!("  {}", one.reason))?;
        }
        Ok(())
    }
}

impl CallLine {
    fn write(&self, writer: &mut TextWriter<'_>, all: &CallsOut, indent: usize) -> io::Result<()> {
        writer.plain(&"  ".repeat(indent))?;
        let callers = all.form.direction == Direction::In;
        if self.dispatch && callers {
            writer.put(Style::Warn, "via ")?;
            writer.put(Style::Name, &self.node.name)?;
            return writer.line(Style::Dim, &format!("  {}  probable", self.node.anchor()));
        }
        if callers {
            writer.put(Style::Path, &format!("{}:{}", self.node.path, lines(&self.uses)))?;
            writer.plain("  ")?;
            self.node.write_name(writer)?;
        } else {
            if self.dispatch {
                writer.put(Style::Warn, "may be ")?;
            }
            self.node.write(writer)?;
            if !self.dispatch {
                writer.put(Style::Dim, &format!("  at {}", lines(&self.uses)))?;
            }
        }
        if let Some(remark) = remark(&self.uses).filter(|_| !self.dispatch) {
            writer.put(Style::Dim, &format!("  {remark}"))?;
        }
        if all.form.flat && self.level > 1 {
            writer.put(Style::Dim, &format!("  level {}", self.level))?;
        }
        if self.again {
            writer.put(Style::Dim, "  (above)")?;
        }
        writer.end_line()
    }
}
