//! The answer of `callers` and `callees`: the steps of a search as lines, what is passed as a value, and what is not linked.

use super::call_tree::{CallsArgs, is_calling};
use super::name_candidates::{NameCandidates, is_call};
use super::node_line::{NodeLine, UseLine};
use super::symbol_roles::{RoleLabels, RoleSelection};
use crate::answer::limit_or_all;
use crate::arguments::enum_values;
use crate::error::ToolError;
use crate::text::number_format::plural;
use crate::workspace::OtherRootUse;
use orient_engine::{
    Direction, EdgeRow, Edges, EngineError, GraphView, NodeId, Reach, ReachOptions, Snapshot,
};
use orient_model::{Confidence, EdgeKind};
use serde::Serialize;
use std::collections::BTreeMap;

/// The callers or callees of a symbol.
#[derive(Serialize)]
pub(crate) struct CallsOut {
    /// The symbol.
    pub(super) symbol: NodeLine,
    /// Number of direct callers or callees, each proven.
    pub(super) verified: u64,
    /// Number of further callers that call a base member it overrides, or of further callees that such calls may reach.
    /// Probable.
    pub(super) through_dispatch: u64,
    /// The callers or callees, level by level.
    pub(super) calls: Vec<CallLine>,
    /// For callers: symbols that name it as a value, so that others may call it. For callees: functions that it names as values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) passed: Vec<PassedLine>,
    /// For callers: unresolved calls of the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name_only: Option<NameCandidates>,
    /// For callees: calls of symbols outside the repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) external: Vec<ExternalCall>,
    /// For callees: calls that could not be resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unresolved: Vec<UnresolvedCall>,
    #[serde(skip)]
    pub(super) layout: Layout,
}

#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) direction: Direction,
    pub(super) flat: bool,
}

/// A caller or a callee.
#[derive(Serialize)]
pub(super) struct CallLine {
    /// Number of calls away. The target of a dispatched call has the level of the call.
    pub(super) level: u32,
    /// The index of its parent in this list; absent at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<usize>,
    /// The node.
    #[serde(flatten)]
    pub(super) node: NodeLine,
    /// Its roles: `handler`, `model`, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) roles: Vec<String>,
    /// The calls: in this symbol for callers, in its parent for callees.
    pub(super) uses: Vec<UseLine>,
    /// Reached by dispatch: a base member (callers), or a possible target of the call (callees). Probable.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) dispatch: bool,
    /// Listed before, with its own callers or callees.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) repeated: bool,
}

/// A symbol that passes, returns or stores a function, or such a function.
#[derive(Serialize)]
pub(super) struct PassedLine {
    /// The node.
    #[serde(flatten)]
    pub(super) node: NodeLine,
    /// Where the function is named.
    pub(super) uses: Vec<UseLine>,
}

/// A call of a symbol outside the repository.
#[derive(Serialize)]
pub(super) struct ExternalCall {
    /// The package or module; empty for built-ins of the language.
    pub(super) package: String,
    /// The called symbol.
    pub(super) name: String,
    /// The lines.
    pub(super) lines: Vec<u32>,
}

/// A call that could not be resolved.
#[derive(Serialize)]
pub(super) struct UnresolvedCall {
    /// The called name.
    pub(super) name: String,
    /// Its line.
    pub(super) line: u32,
    /// Why it could not be resolved.
    pub(super) reason: &'static str,
}

/// Number of nodes adjacent to the starts, without those reached by dispatch.
pub(super) fn direct(
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
pub(super) fn dispatched(reached: &Reach, direction: Direction) -> u64 {
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
pub(super) fn other_uses_note(
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
pub(super) fn passed(
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
pub(super) fn call_lines(
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

impl CallsOut {
    /// Adds the external and the unresolved calls.
    pub(super) fn add_unlinked_calls(
        &mut self,
        view: &GraphView<'_>,
        starts: &[NodeId],
    ) -> Result<(), EngineError> {
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

    /// Whether nothing calls it, or it calls nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.verified == 0 && self.calls.is_empty()
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
}
