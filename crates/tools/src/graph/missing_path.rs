//! Why no path was found: the longest proven part, and the unresolved or external calls at its end.

use super::call_path::CallPath;
use super::name_candidates::is_call;
use super::node_line::NodeLine;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{
    Direction, EdgeRow, EngineError, GraphView, NodeId, ProgramGraph, Reach, ReachOptions, UnresolvedRow,
    reach,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// Maximum number of symbols searched.
const MAX_SEARCHED: usize = 5_000;
/// Maximum number of calls listed.
const MAX_LISTED: usize = 8;

/// How far a path is proven, and the calls at its end.
#[derive(Serialize)]
pub(crate) struct MissingPath {
    /// The proven part; absent if there is none, or if the start is any entry point.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<CallPath>,
    /// Unresolved calls at its end.
    unresolved: Vec<UnprovenCall>,
    /// External calls at its end, by name.
    external: Vec<String>,
    /// Without a start: symbols that reach the end and have no callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    topmost: Vec<NodeLine>,
}

impl MissingPath {
    /// Number of symbols without known callers that lead to the end.
    pub(crate) fn without_callers(&self) -> u64 {
        self.topmost.len() as u64
    }
}

/// A call that could not be resolved.
#[derive(Serialize)]
struct UnprovenCall {
    /// Its file.
    path: String,
    /// Its line.
    line: u32,
    /// The called name.
    name: String,
    /// Why it was not resolved.
    reason: &'static str,
    /// A symbol of this name that reaches the end: the path would continue there.
    #[serde(skip_serializing_if = "Option::is_none")]
    may_be: Option<NodeLine>,
}

/// Explains why there is no path from `starts` to `ends`. `behind` are the nodes known to reach the ends, nearest first.
pub(crate) fn explain_missing_path(
    view: &GraphView<'_>,
    starts: &[NodeId],
    ends: &[NodeId],
    behind: &[NodeId],
    follow: &dyn Fn(&EdgeRow) -> bool,
) -> Result<Option<MissingPath>, EngineError> {
    if starts.is_empty() {
        return topmost(view, ends, behind, follow).map(Some);
    }
    let options = ReachOptions {
        direction: Direction::Out,
        depth: 100,
        per_level: usize::MAX,
        total: MAX_SEARCHED,
        follow,
        enter: &|_| Ok(true),
    };
    let reached = reach(&ProgramGraph(view), starts, &options)?;
    let bridge = bridge(view, &reached, behind)?;
    let deepest = (0..reached.steps.len())
        .filter(|&at| !reached.steps[at].repeated)
        .max_by_key(|&at| (reached.steps[at].level, std::cmp::Reverse(at)));
    let Some(end) = bridge.as_ref().map(|bridge| bridge.step).or(deepest) else { return Ok(None) };
    let chain = reached.chain(end);
    let edges = chain.iter().skip(1).filter_map(|&at| {
        let step = &reached.steps[at];
        step.edges.first().map(|edge| (edge, step.node))
    });
    let partial = Some(CallPath::along(view, reached.steps[chain[0]].node, edges)?);
    let at_end = calls_at(view, reached.steps[end].node, bridge)?;
    Ok(Some(MissingPath { partial, topmost: Vec::new(), ..at_end }))
}

/// An unresolved call in the proven part, whose name is that of a symbol that reaches the end.
struct Bridge {
    step: usize,
    miss: UnresolvedRow,
    to: NodeId,
}

/// The unresolved call that would give the shortest path.
fn bridge(view: &GraphView<'_>, reached: &Reach, behind: &[NodeId]) -> Result<Option<Bridge>, EngineError> {
    let mut named: BTreeMap<String, (usize, NodeId)> = BTreeMap::new();
    for (distance, &node) in behind.iter().take(MAX_SEARCHED).enumerate() {
        named.entry(view.name(node)?).or_insert((distance, node));
    }
    named.remove("");
    let mut best: Option<(u32, usize, Bridge)> = None;
    for (at, step) in reached.steps.iter().enumerate().filter(|(_, step)| !step.repeated) {
        let graph = view.file_graph(view.file_of(step.node)?.id)?;
        let here = graph.unresolved.iter().filter(|miss| miss.source == step.node && is_call(miss.kind));
        for miss in here {
            let Some(&(distance, to)) = named.get(&miss.name) else { continue };
            if best.as_ref().is_none_or(|known| (distance, step.level) < (known.1, known.0)) {
                best = Some((step.level, distance, Bridge { step: at, miss: miss.clone(), to }));
            }
        }
    }
    Ok(best.map(|(_, _, bridge)| bridge))
}

/// The unresolved and external calls of a symbol.
fn calls_at(view: &GraphView<'_>, node: NodeId, bridge: Option<Bridge>) -> Result<MissingPath, EngineError> {
    let file = view.file_of(node)?;
    let graph = view.file_graph(file.id)?;
    let mut misses: Vec<(UnresolvedRow, Option<NodeId>)> = if let Some(bridge) = bridge {
        vec![(bridge.miss, Some(bridge.to))]
    } else {
        let here = graph.unresolved.iter().filter(|miss| miss.source == node && is_call(miss.kind));
        here.map(|miss| (miss.clone(), None)).collect()
    };
    misses.sort_by_key(|(miss, _)| miss.line);
    let mut unresolved = Vec::new();
    for (miss, to) in misses.into_iter().take(MAX_LISTED) {
        let may_be = to.map(|node| view.describe(node)).transpose()?.map(|node| NodeLine::of(&node));
        let path = file.path.display().into_owned();
        unresolved.push(UnprovenCall {
            path,
            line: miss.line,
            name: miss.name,
            reason: miss.reason.as_str(),
            may_be,
        });
    }
    let show = |package: &str, name: &str| {
        if package.is_empty() { name.to_owned() } else { format!("{name} of {package}") }
    };
    let mut external: Vec<String> = graph
        .external
        .iter()
        .filter(|row| row.source == node && is_call(row.kind))
        .map(|row| show(&row.package, &row.name))
        .collect();
    external.sort_unstable();
    external.dedup();
    external.truncate(MAX_LISTED);
    Ok(MissingPath { partial: None, unresolved, external, topmost: Vec::new() })
}

/// For paths from any entry point: the symbols furthest from the end that reach it and have no callers.
fn topmost(
    view: &GraphView<'_>,
    ends: &[NodeId],
    behind: &[NodeId],
    follow: &dyn Fn(&EdgeRow) -> bool,
) -> Result<MissingPath, EngineError> {
    let mut topmost = Vec::new();
    for &node in behind.iter().rev().take(MAX_SEARCHED) {
        let called = orient_engine::Edges::incoming(&ProgramGraph(view), node)?;
        if !called.iter().any(|edge| follow(edge) && edge.source != node) && !ends.contains(&node) {
            topmost.push(NodeLine::of(&view.describe(node)?));
        }
        if topmost.len() == MAX_LISTED {
            break;
        }
    }
    Ok(MissingPath { partial: None, unresolved: Vec::new(), external: Vec::new(), topmost })
}

impl MissingPath {
    /// Number of unresolved calls at the end of the proven part.
    pub(crate) fn unresolved_calls(&self) -> u64 {
        self.unresolved.len() as u64
    }

    /// Writes the proven part and the calls at its end.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(partial) = self.partial.as_ref().filter(|partial| partial.length > 0) {
            writer.line(Style::Head, "proven up to:")?;
            partial.write(writer, 1)?;
        }
        if !self.unresolved.is_empty() {
            writer.line(Style::Head, "unresolved there:")?;
        }
        for call in &self.unresolved {
            writer.put(Style::Path, &format!("  {}:{}", call.path, call.line))?;
            writer.plain("  ")?;
            writer.put(Style::Name, &call.name)?;
            writer.put(Style::Dim, &format!("  {}", call.reason))?;
            if let Some(node) = &call.may_be {
                writer.plain("; if it means ")?;
                node.write(writer)?;
                writer.plain(" the path continues")?;
            }
            writer.end_line()?;
        }
        if !self.external.is_empty() {
            writer.put(Style::Head, "external calls there: ")?;
            writer.line(Style::Plain, &self.external.join(", "))?;
        }
        if let Some(partial) = &self.partial
            && self.unresolved.is_empty()
            && self.external.is_empty()
            && let Some(last) = partial.steps.last()
        {
            writer.line(Style::Plain, &format!("{} calls nothing else", last.node.called()))?;
        }
        if !self.topmost.is_empty() {
            writer.line(Style::Head, "reached from these symbols, which have no callers:")?;
        }
        for node in &self.topmost {
            writer.plain("  ")?;
            node.write(writer)?;
            writer.line(Style::Dim, if node.test { "  test" } else { "" })?;
        }
        Ok(())
    }
}
