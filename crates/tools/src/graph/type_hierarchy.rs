//! Supertypes and subtypes of a type, and the members that a member overrides or that override it.

use super::node_line::{NodeLine, UseLine};
use crate::text::writer::{Style, TextWriter};
use orient_engine::{
    Direction, EdgeRow, Edges, EngineError, GraphView, NodeId, ReachOptions, WithDispatch, reach,
};
use orient_model::EdgeKind;
use serde::Serialize;
use std::io;

/// A supertype, a subtype or an overridden or overriding member.
#[derive(Serialize)]
pub(crate) struct HierarchyLine {
    /// Number of steps away.
    pub(crate) level: u32,
    /// The index of its parent in this list; absent at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<usize>,
    /// The node; only a name for a base outside the repository.
    #[serde(flatten)]
    pub(crate) node: NodeLine,
    /// The relation and its evidence; absent for an external base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) relation: Option<UseLine>,
    /// Listed before, with its own relatives.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) repeated: bool,
}

/// The result of a search, and what the limits left out.
pub(crate) struct HierarchyWalk {
    pub(crate) lines: Vec<HierarchyLine>,
    pub(crate) cut: usize,
    pub(crate) unexplored: usize,
}

/// Searches the hierarchy in one direction: `Out` is up, to supertypes; `In` is down, to subtypes.
pub(crate) fn walk_hierarchy(
    view: &GraphView<'_>,
    starts: &[NodeId],
    direction: Direction,
    depth: u32,
    max: usize,
) -> Result<HierarchyWalk, EngineError> {
    // Implementations found only by their members are added from dispatch edges below.
    let related = |edge: &EdgeRow| {
        matches!(
            edge.kind,
            EdgeKind::Inherits | EdgeKind::Implements | EdgeKind::Overrides | EdgeKind::Extends
        )
    };
    let options = ReachOptions {
        direction,
        depth,
        per_level: max,
        total: max.saturating_add(starts.len()),
        follow: &related,
        enter: &|_| Ok(true),
    };
    let reached = reach(view, starts, &options)?;
    let mut lines: Vec<HierarchyLine> = Vec::new();
    let mut line_of = vec![None; reached.steps.len()];
    for (index, step) in reached.steps.iter().enumerate() {
        let Some(parent) = step.parent else { continue };
        line_of[index] = Some(lines.len());
        lines.push(HierarchyLine {
            level: step.level,
            parent: line_of[parent],
            node: NodeLine::of(&view.describe(step.node)?),
            relation: step.edges.first().map(UseLine::of),
            repeated: step.repeated,
        });
    }
    if direction == Direction::In {
        add_dispatched(view, starts, &mut lines)?;
    } else {
        for (index, step) in reached.steps.iter().enumerate().filter(|(_, step)| !step.repeated) {
            add_external(view, step.node, step.level, line_of[index], &mut lines)?;
        }
    }
    let cut = reached.levels.iter().map(|level| level.truncated).sum();
    Ok(HierarchyWalk { lines, cut, unexplored: reached.unexplored })
}

/// Adds members that a dispatched call may reach without an explicit override.
fn add_dispatched(
    view: &GraphView<'_>,
    starts: &[NodeId],
    lines: &mut Vec<HierarchyLine>,
) -> Result<(), EngineError> {
    let options = ReachOptions {
        direction: Direction::Out,
        depth: 1,
        per_level: usize::MAX,
        total: usize::MAX,
        follow: &|edge| edge.kind == EdgeKind::Dispatches,
        enter: &|_| Ok(true),
    };
    let reached = reach(&WithDispatch(view), starts, &options)?;
    for step in reached.steps.iter().filter(|step| step.parent.is_some() && !step.repeated) {
        let node = NodeLine::of(&view.describe(step.node)?);
        if lines.iter().any(|line| line.node.handle == node.handle) {
            continue;
        }
        let relation = step.edges.first().map(UseLine::of);
        lines.push(HierarchyLine { level: 1, parent: None, node, relation, repeated: false });
    }
    Ok(())
}

/// Adds the bases of a declaration that were not found: external or unresolved ones.
fn add_external(
    view: &GraphView<'_>,
    node: NodeId,
    level: u32,
    parent: Option<usize>,
    lines: &mut Vec<HierarchyLine>,
) -> Result<(), EngineError> {
    let described = view.describe(node)?;
    let Some(definition) = &described.definition else { return Ok(()) };
    let mut known = Vec::new();
    for edge in view.outgoing(node)? {
        if matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements) {
            known.push(view.name(edge.target)?);
        }
    }
    for (_, base) in &definition.bases {
        if known.iter().any(|name| name == bare(base)) {
            continue;
        }
        let node = NodeLine {
            handle: String::new(),
            name: base.clone(),
            kind: "external",
            path: described.file.path.display().into_owned(),
            line: definition.header.first_line,
            test: false,
        };
        lines.push(HierarchyLine { level: level + 1, parent, node, relation: None, repeated: false });
    }
    Ok(())
}

/// The bare name of a type as written: `Map` of `std::Map<K, V>`.
fn bare(written: &str) -> &str {
    let plain = written.split(['<', '(', '[', '{']).next().unwrap_or_default().trim();
    plain.rsplit(['.', ':', '\\', ' ', '*', '&']).next().unwrap_or_default()
}

/// Writes the lines as a tree.
pub(crate) fn write(lines: &[HierarchyLine], writer: &mut TextWriter<'_>, indent: usize) -> io::Result<()> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); lines.len() + 1];
    for (index, line) in lines.iter().enumerate() {
        children[line.parent.unwrap_or(lines.len())].push(index);
    }
    write_children(lines, &children, lines.len(), writer, indent)
}

fn write_children(
    lines: &[HierarchyLine],
    children: &[Vec<usize>],
    parent: usize,
    writer: &mut TextWriter<'_>,
    indent: usize,
) -> io::Result<()> {
    for &index in &children[parent] {
        let line = &lines[index];
        writer.plain(&"  ".repeat(indent))?;
        line.node.write(writer)?;
        if let Some(relation) = &line.relation {
            writer.put(Style::Dim, &format!("  {}", relation.kind))?;
            if relation.confidence != "exact" {
                writer.put(Style::Dim, &format!(" {}: {}", relation.confidence, relation.rule))?;
            }
        }
        writer.line(Style::Dim, if line.repeated { "  (above)" } else { "" })?;
        write_children(lines, children, index, writer, indent + 1)?;
    }
    Ok(())
}
