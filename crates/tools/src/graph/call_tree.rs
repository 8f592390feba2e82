//! Callers and callees: a breadth-first search along calls in either direction, as a tree or a list.

use super::name_candidates::{NameCandidates, is_call};
use super::node_line::{NodeLine, UseLine, compiler_note, lines, qualifier};
use super::symbol_roles::{RoleLabels, RoleSelection, bracketed};
use crate::answer::{Answer, Note, limit_or_all};
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::{ResolvedSymbol, SymbolAnswer, resolve_symbol};
use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use crate::workspace::OtherRootUse;
use clap::Args;
use orient_engine::{
    Direction, EdgeRow, Edges, EngineError, GraphView, NodeId, Reach, ReachOptions, Snapshot, WithDispatch,
    reach,
};
use orient_model::{Confidence, EdgeKind, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;

/// Maximum depth of the search.
const MAX_DEPTH: u32 = 100;
/// Maximum number of symbols that are searched for a role.
const MAX_SEARCHED: usize = 20_000;

/// Arguments of `callers` and `callees`.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallsArgs {
    /// A handle (`src/server.go#Server.Run`) or a name (`Run`, `Server.Run`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Number of levels
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    #[serde(default = "one")]
    depth: u32,
    /// Maximum number of symbols on each level; 0 means all
    #[arg(long, value_name = "N", default_value_t = 50)]
    #[serde(default = "per_level")]
    per_level: usize,
    /// Maximum number of symbols in total; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[serde(default = "limit")]
    limit: usize,
    /// Print a list instead of a tree
    #[arg(long)]
    #[serde(default)]
    flat: bool,
    /// Exclude tests
    #[arg(long)]
    #[serde(default)]
    no_tests: bool,
    /// Minimum confidence: exact, probable or approximate
    #[arg(long, value_name = "LEVEL", default_value = "probable")]
    #[serde(default)]
    confidence: Option<String>,
    /// Follow only edges of these kinds: calls, constructs, dispatches, registers, passes
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    #[serde(default)]
    via: Vec<String>,
    /// Only these roles, at any level: handler, service, …
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    #[serde(default)]
    role: Vec<String>,
    /// Maximum number of unverified calls to list
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

/// The callers or callees of a symbol.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CallsOut {
    /// The symbol.
    symbol: NodeLine,
    /// Number of direct callers or callees, each proven.
    verified: u64,
    /// Number of further callers that call a base member it overrides, or of further callees that such calls may reach.
    /// Probable.
    through_dispatch: u64,
    /// The callers or callees, level by level.
    calls: Vec<CallLine>,
    /// For callers: symbols that name it as a value, so that others may call it. For callees: functions that it names as values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed: Vec<PassedLine>,
    /// For callers: unresolved calls of the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_only: Option<NameCandidates>,
    /// For callees: calls of symbols outside the repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external: Vec<ExternalCall>,
    /// For callees: calls that could not be resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved: Vec<UnresolvedCall>,
    #[serde(skip)]
    layout: Layout,
}

#[derive(Clone, Copy)]
struct Layout {
    direction: Direction,
    flat: bool,
}

/// A caller or a callee.
#[derive(Serialize, JsonSchema)]
struct CallLine {
    /// Number of calls away. The target of a dispatched call has the level of the call.
    level: u32,
    /// The index of its parent in this list; absent at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// The node.
    #[serde(flatten)]
    node: NodeLine,
    /// Its roles: `handler`, `model`, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roles: Vec<String>,
    /// The calls: in this symbol for callers, in its parent for callees.
    uses: Vec<UseLine>,
    /// Reached by dispatch: a base member (callers), or a possible target of the call (callees). Probable.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dispatch: bool,
    /// Listed before, with its own callers or callees.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
}

/// A symbol that passes, returns or stores a function, or such a function.
#[derive(Serialize, JsonSchema)]
struct PassedLine {
    /// The node.
    #[serde(flatten)]
    node: NodeLine,
    /// Where the function is named.
    uses: Vec<UseLine>,
}

/// A call of a symbol outside the repository.
#[derive(Serialize, JsonSchema)]
struct ExternalCall {
    /// The package or module; empty for built-ins of the language.
    package: String,
    /// The called symbol.
    name: String,
    /// The lines.
    lines: Vec<u32>,
}

/// A call that could not be resolved.
#[derive(Serialize, JsonSchema)]
struct UnresolvedCall {
    /// The called name.
    name: String,
    /// Its line.
    line: u32,
    /// Why it could not be resolved.
    reason: &'static str,
}

/// Whether an edge is part of a call.
pub(crate) fn is_calling(edge: &EdgeRow, least: Confidence) -> bool {
    matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs | EdgeKind::Dispatches | EdgeKind::Registers)
        && edge.confidence <= least
}

/// The nodes that a call of the symbol may target: the symbol, its declarations, and the constructors of a type.
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

/// The nodes whose calls belong to the symbol: for a type, all its members.
fn calling_nodes(view: &GraphView<'_>, subject: &ResolvedSymbol) -> Result<Vec<NodeId>, EngineError> {
    let node = NodeId::from(subject.definition.id);
    if subject.definition.kind.is_type() { view.members(node) } else { Ok(vec![node]) }
}

/// Finds the callers or callees of a symbol.
pub(crate) fn run(
    session: &Session<'_>,
    args: &CallsArgs,
    direction: Direction,
) -> Result<Answer<SymbolAnswer<CallsOut>>, ToolError> {
    let least = enum_values::confidence(args.confidence.as_deref())?;
    let via = enum_values::edge_kinds(&args.via)?;
    let snapshot = session.snapshot()?;
    let subject = match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
        Ok(subject) => subject,
        Err(unclear) => return unclear.answer(session, &snapshot),
    };
    let view = snapshot.graph();
    let starts = match direction {
        Direction::In => called_nodes(&view, &subject)?,
        Direction::Out => calling_nodes(&view, &subject)?,
    };
    let selected = match args.role.as_slice() {
        [] => None,
        words => Some(RoleSelection::new(session, &snapshot, words)?),
    };
    // A role may be anywhere in the levels: the limit then applies to what is listed.
    let unlimited = selected.is_some();
    let options = ReachOptions {
        direction,
        depth: args.depth.clamp(1, MAX_DEPTH),
        per_level: if unlimited { MAX_SEARCHED } else { limit_or_all(args.per_level) },
        total: if unlimited { MAX_SEARCHED } else { limit_or_all(args.limit) }.saturating_add(starts.len()),
        follow: &|edge| match via.as_slice() {
            [] => is_calling(edge, least),
            kinds => kinds.contains(&edge.kind) && edge.confidence <= least,
        },
        enter: &|node| Ok(!args.no_tests || !view.is_test(node)?),
    };
    let reached = reach(&WithDispatch(&view), &starts, &options)?;
    let mut out = CallsOut {
        symbol: NodeLine::of(&view.describe(subject.definition.id.into())?),
        verified: direct(&view, &starts, direction, &options)?,
        through_dispatch: dispatched(&reached, direction),
        calls: call_lines(&snapshot, &reached, selected.as_ref())?,
        passed: if via.is_empty() && !unlimited {
            passed(&view, &starts, &options, least)?
        } else {
            Vec::new()
        },
        name_only: None,
        external: Vec::new(),
        unresolved: Vec::new(),
        layout: Layout { direction, flat: args.flat || unlimited },
    };
    let beyond = out.calls.len().saturating_sub(limit_or_all(args.limit));
    if unlimited {
        out.calls.truncate(limit_or_all(args.limit));
    }
    let mut notes: Vec<String> = subject.note().into_iter().collect();
    if direction == Direction::In {
        let name = &subject.definition.name;
        out.name_only = Some(NameCandidates::of(
            &view,
            name,
            |source, kind| Ok(is_call(kind) && !(args.no_tests && view.is_test(source)?)),
            args.candidates,
        )?);
        if via.is_empty() {
            notes.extend(other_uses_note(&view, &starts, &out)?);
        }
    } else {
        out.add_unlinked_calls(&view, &starts)?;
    }
    notes.extend(compiler_note(&snapshot, out.calls.iter().flat_map(|call| &call.uses)));
    let mut answer = session.answer(&snapshot, SymbolAnswer::one(out));
    answer.add_notes(notes);
    if let SymbolAnswer::One(out) = &answer.data
        && let Some(candidates) = out.name_only.clone()
    {
        answer = candidates.mark_partial(answer);
    }
    if unlimited && beyond > 0 {
        answer =
            answer.partial(Note::from(format!("{} more with this role", count(beyond as u64))).see("limit"));
    }
    Ok(mark_omissions(answer, &reached, args))
}

/// Adds what the limits left out.
fn mark_omissions<T>(answer: Answer<T>, reached: &Reach, args: &CallsArgs) -> Answer<T> {
    let cut: usize = reached.levels.iter().map(|level| level.truncated).sum();
    let barred: usize = reached.levels.iter().map(|level| level.excluded).sum();
    let mut answer = answer;
    if cut > 0 {
        let shown = reached.levels.iter().skip(1).map(|level| level.shown).sum::<usize>() as u64;
        // If the total is below the limit, the levels were cut.
        let cause = if args.limit > 0 && shown >= args.limit as u64 { "limit" } else { "per_level" };
        let text = format!("{} shown, {} more omitted", count(shown), count(cut as u64));
        answer = answer.partial(Note::from(text).see(cause));
    }
    if barred > 0 {
        let text = format!("{} excluded", plural(barred as u64, "test", "tests"));
        answer = answer.note(Note::from(text).see("no_tests"));
    }
    answer
}

/// Number of nodes adjacent to the starts, without those reached by dispatch.
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

/// Number of nodes on the first level that are reached by dispatch: callers of a base member, or possible targets.
fn dispatched(reached: &Reach, direction: Direction) -> u64 {
    let by_dispatch = |at: usize| {
        let edges = &reached.steps[at].edges;
        !edges.is_empty() && edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches)
    };
    let counts = |at: usize| match direction {
        Direction::In => !by_dispatch(at) && reached.steps[at].parent.is_some_and(by_dispatch),
        Direction::Out => by_dispatch(at),
    };
    let first = |at: &usize| reached.steps[*at].level == 1 && !reached.steps[*at].repeated;
    (0..reached.steps.len()).filter(first).filter(|&at| counts(at)).count() as u64
}

/// The note about uses other than calls, if there are no calls: "no callers" does not mean "unused".
fn other_uses_note(
    view: &GraphView<'_>,
    starts: &[NodeId],
    out: &CallsOut,
) -> Result<Option<String>, EngineError> {
    if !out.calls.is_empty() {
        return Ok(None);
    }
    let mut uses = 0;
    for &start in starts {
        let is_other = |edge: &&EdgeRow| !matches!(edge.kind, EdgeKind::Imports | EdgeKind::Passes);
        uses += view.incoming(start)?.iter().filter(is_other).count() as u64;
    }
    Ok((uses > 0).then(|| {
        let uses = plural(uses, "use other than a call", "uses other than calls");
        format!("nothing calls it, but it has {uses}: `orient references {}`", out.symbol.handle)
    }))
}

/// The symbols that name a function as a value, or the functions that the symbols name, by path and position.
fn passed(
    view: &GraphView<'_>,
    starts: &[NodeId],
    options: &ReachOptions<'_, EngineError>,
    least: Confidence,
) -> Result<Vec<PassedLine>, EngineError> {
    let mut found: BTreeMap<NodeId, Vec<EdgeRow>> = BTreeMap::new();
    for &start in starts {
        let edges = match options.direction {
            Direction::In => view.incoming(start)?,
            Direction::Out => view.outgoing(start)?,
        };
        // A registration with a framework says more, and is among the calls.
        let is_registered = |passed: &EdgeRow| {
            edges.iter().any(|edge| {
                edge.kind == EdgeKind::Registers
                    && (edge.source, edge.target, edge.line) == (passed.source, passed.target, passed.line)
            })
        };
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Passes && edge.confidence <= least) {
            let node = options.direction.end(edge);
            if !is_registered(edge) && (options.enter)(node)? {
                found.entry(node).or_default().push(*edge);
            }
        }
    }
    let mut lines = Vec::new();
    for (node, mut edges) in found {
        edges.sort_unstable_by_key(|edge| (edge.confidence, edge.line));
        let line = NodeLine::of(&view.describe(node)?);
        lines.push((
            view.order(node)?,
            PassedLine { node: line, uses: edges.iter().map(UseLine::of).collect() },
        ));
    }
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    lines.truncate(options.total);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// The steps of the search as lines, without dispatch steps that lead nowhere. A direct caller of several starts, as of a class and
/// of its constructor, is one line. A selection by roles keeps no tree.
fn call_lines(
    snapshot: &Snapshot,
    reached: &Reach,
    selected: Option<&RoleSelection>,
) -> Result<Vec<CallLine>, EngineError> {
    let (view, labels) = (snapshot.graph(), RoleLabels::new(snapshot)?);
    let mut line_of: Vec<Option<usize>> = vec![None; reached.steps.len()];
    let mut has_children = vec![false; reached.steps.len()];
    for step in &reached.steps {
        if let Some(parent) = step.parent {
            has_children[parent] = true;
        }
    }
    let mut lines = Vec::new();
    let mut direct: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (index, step) in reached.steps.iter().enumerate() {
        let Some(parent) = step.parent else { continue };
        let dispatch = step.edges.iter().all(|edge| edge.kind == EdgeKind::Dispatches);
        if dispatch && step.level == 0 && !has_children[index] {
            continue;
        }
        if let Some(selected) = selected
            && (step.repeated || dispatch || !selected.allows(snapshot, step.node)?)
        {
            continue;
        }
        if step.repeated
            && reached.steps[parent].parent.is_none()
            && let Some(&line) = direct.get(&step.node)
        {
            let known: &mut CallLine = &mut lines[line];
            let uses = step.edges.iter().map(UseLine::of);
            known.uses.extend(
                uses.filter(|found| known.uses.iter().all(|one| one.line != found.line)).collect::<Vec<_>>(),
            );
            continue;
        }
        if step.level == 1 {
            direct.entry(step.node).or_insert(lines.len());
        }
        line_of[index] = Some(lines.len());
        lines.push(CallLine {
            level: step.level,
            parent: if selected.is_some() { None } else { line_of[parent] },
            node: NodeLine::of(&view.describe(step.node)?),
            roles: labels.of_node(step.node)?,
            uses: step.edges.iter().map(UseLine::of).collect(),
            dispatch,
            repeated: step.repeated,
        });
    }
    Ok(lines)
}

impl CallsArgs {
    /// The symbol as it was typed.
    pub(crate) fn symbol(&self) -> &str {
        &self.symbol
    }
}

impl CallsOut {
    /// Adds the external and the unresolved calls.
    fn add_unlinked_calls(&mut self, view: &GraphView<'_>, starts: &[NodeId]) -> Result<(), EngineError> {
        let Some(&first) = starts.first() else { return Ok(()) };
        let graph = view.file_graph(view.file_of(first)?.id)?;
        let mut external: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
        for row in graph.external.iter().filter(|row| starts.contains(&row.source) && is_call(row.kind)) {
            external.entry((&row.package, &row.name)).or_default().push(row.line);
        }
        for ((package, name), mut lines) in external {
            lines.sort_unstable();
            lines.dedup();
            self.external.push(ExternalCall { package: package.to_owned(), name: name.to_owned(), lines });
        }
        let mut misses: Vec<_> = graph
            .unresolved
            .iter()
            .filter(|miss| starts.contains(&miss.source) && is_call(miss.kind))
            .collect();
        misses.sort_by_key(|miss| (miss.line, &miss.name));
        self.unresolved.extend(misses.into_iter().map(|miss| UnresolvedCall {
            name: miss.name.clone(),
            line: miss.line,
            reason: miss.reason.as_str(),
        }));
        Ok(())
    }

    /// Puts the paths below the name of their root.
    pub(crate) fn label(&mut self, root: &str) {
        self.symbol.label(root);
        self.calls.iter_mut().map(|line| &mut line.node).for_each(|node| node.label(root));
        self.passed.iter_mut().map(|line| &mut line.node).for_each(|node| node.label(root));
        if let Some(candidates) = &mut self.name_only {
            candidates.label(root);
        }
    }

    /// Adds callers from other roots: each calls the symbol itself.
    pub(crate) fn add_callers(&mut self, uses: Vec<OtherRootUse>, args: &CallsArgs) -> Result<(), ToolError> {
        let least = enum_values::confidence(args.confidence.as_deref())?;
        let via = enum_values::edge_kinds(&args.via)?;
        let follows = |edge: &EdgeRow| match via.as_slice() {
            [] => is_calling(edge, least),
            kinds => kinds.contains(&edge.kind) && edge.confidence <= least,
        };
        let mut found: Vec<CallLine> = Vec::new();
        for OtherRootUse { edge, used, within } in uses {
            if !follows(&edge) || args.no_tests && within.test {
                continue;
            }
            match found.iter_mut().find(|line| line.node == within) {
                Some(line) => line.uses.push(used),
                None => found.push(CallLine {
                    level: 1,
                    parent: None,
                    node: within,
                    roles: Vec::new(),
                    uses: vec![used],
                    dispatch: false,
                    repeated: false,
                }),
            }
        }
        self.verified += found.len() as u64;
        self.calls.extend(found.into_iter().take(limit_or_all(args.limit)));
        Ok(())
    }

    /// Writes the answer.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let (one, many) = match self.layout.direction {
            Direction::In => ("verified caller of", "verified callers of"),
            Direction::Out => ("verified callee of", "verified callees of"),
        };
        writer.put(Style::Head, &format!("{} ", plural(self.verified, one, many)))?;
        writer.put(Style::Name, self.symbol.called())?;
        writer.put(Style::Dim, &format!(" ({})", self.symbol.anchor()))?;
        if self.through_dispatch > 0 {
            writer.plain(&format!(", {} more by dispatch", count(self.through_dispatch)))?;
        }
        if !self.passed.is_empty() {
            let (one, many) = match self.layout.direction {
                Direction::In => ("symbol passes it on", "symbols pass it on"),
                Direction::Out => ("function passed on", "functions passed on"),
            };
            writer.plain(&format!(", {}", plural(self.passed.len() as u64, one, many)))?;
        }
        if let Some(candidates) = &self.name_only {
            writer.plain(&format!(", {}", candidates.counted()))?;
        }
        if self.layout.direction == Direction::Out {
            let (external, unresolved) = (self.external.len() as u64, self.unresolved.len() as u64);
            writer.plain(&format!(", {} external, {} unresolved", count(external), count(unresolved)))?;
        }
        writer.end_line()?;
        if self.layout.flat {
            for line in self.calls.iter().filter(|line| !line.repeated) {
                line.write(writer, self, 0)?;
            }
        } else {
            let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.calls.len() + 1];
            for (index, line) in self.calls.iter().enumerate() {
                children[line.parent.unwrap_or(self.calls.len())].push(index);
            }
            self.write_children(writer, &children, self.calls.len(), 0)?;
        }
        self.write_passed(writer)?;
        self.write_unlinked(writer)?;
        self.name_only.as_ref().map_or(Ok(()), |candidates| candidates.write(writer))
    }

    fn write_children(
        &self,
        writer: &mut TextWriter<'_>,
        children: &[Vec<usize>],
        parent: usize,
        indent: usize,
    ) -> io::Result<()> {
        for &index in &children[parent] {
            self.calls[index].write(writer, self, indent)?;
            self.write_children(writer, children, index, indent + 1)?;
        }
        Ok(())
    }

    fn write_passed(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let callers = self.layout.direction == Direction::In;
        if !self.passed.is_empty() {
            writer.line(Style::Head, if callers { "passed as a value in:" } else { "passes as values:" })?;
        }
        for line in &self.passed {
            writer.plain("  ")?;
            if callers {
                writer.put(Style::Path, &format!("{}:{}", line.node.path, lines(&line.uses)))?;
                writer.plain("  ")?;
                line.node.write_name(writer)?;
            } else {
                line.node.write(writer)?;
                writer.put(Style::Dim, &format!("  at {}", lines(&line.uses)))?;
            }
            let proof = line.uses.first().filter(|best| best.confidence != Confidence::Exact.as_str());
            if let Some(best) = proof {
                writer.put(Style::Dim, &format!("  {}: {}", best.confidence, best.rule))?;
            }
            writer.end_line()?;
        }
        Ok(())
    }

    fn write_unlinked(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if !self.external.is_empty() {
            let show = |one: &ExternalCall| {
                if one.package.is_empty() {
                    one.name.clone()
                } else {
                    format!("{} of {}", one.name, one.package)
                }
            };
            writer.put(Style::Head, "external: ")?;
            writer.line(Style::Plain, &self.external.iter().map(show).collect::<Vec<_>>().join(", "))?;
        }
        if !self.unresolved.is_empty() {
            writer.line(Style::Head, "unresolved:")?;
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
        let callers = all.layout.direction == Direction::In;
        if self.dispatch && callers {
            writer.put(Style::Warn, "via ")?;
            writer.put(Style::Name, &self.node.name)?;
            return writer.line(Style::Dim, &format!("  {}  probable", self.node.anchor()));
        }
        if callers {
            writer.put(Style::Path, &format!("{}:{}", self.node.path, lines(&self.uses)))?;
            writer.plain("  ")?;
            self.node.write_name(writer)?;
            writer.put(Style::Dim, &bracketed(&self.roles))?;
        } else {
            if self.dispatch {
                writer.put(Style::Warn, "may be ")?;
            }
            self.node.write(writer)?;
            writer.put(Style::Dim, &bracketed(&self.roles))?;
            if !self.dispatch {
                writer.put(Style::Dim, &format!("  at {}", lines(&self.uses)))?;
            }
        }
        if let Some(text) = qualifier(&self.uses).filter(|_| !self.dispatch) {
            writer.put(Style::Dim, &format!("  {text}"))?;
        }
        if all.layout.flat && self.level > 1 {
            writer.put(Style::Dim, &format!("  level {}", self.level))?;
        }
        if self.repeated {
            writer.put(Style::Dim, "  (above)")?;
        }
        writer.end_line()
    }
}
