//! The family of a symbol: what it is a kind of, and what is a kind of it. For types and for members.

use super::node_line::{NodeLine, UseLine};
use crate::text::writer::{Style, TextWriter};
use orient_engine::{
    Direction, EdgeRow, Edges, EngineError, GraphView, NodeId, ReachOptions, WithDispatch, reach,
};
use orient_model::EdgeKind;
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// A relative of a symbol.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HierarchyLine {
    /// How many steps away.
    pub(crate) level: u32,
    /// The index of the line it stands below; none at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) below: Option<usize>,
    /// The node; a name alone for a base outside the repository.
    #[serde(flatten)]
    pub(crate) node: NodeLine,
    /// How it is related and how that was proven; none for a base outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) relation: Option<UseLine>,
    /// Listed before: what lies behind it is shown there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) again: bool,
}

/// Relatives, and how many the bounds left out.
pub(crate) struct HierarchyWalk {
    pub(crate) lines: Vec<HierarchyLine>,
    pub(crate) cut: usize,
    pub(crate) unexplored: usize,
}

/// The relatives of symbols in one direction: `Out` is up, to bases; `In` is down, to heirs.
pub(crate) fn walk_hierarchy(
    view: &GraphView<'_>,
    starts: &[NodeId],
    direction: Direction,
    depth: u32,
    most: usize,
) -> Result<HierarchyWalk, EngineError> {
    // Down, dispatch leads to implementations that are found by their members alone; it goes along the edges.
    let related = |edge: &EdgeRow| {
        matches!(
            edge.kind,
            EdgeKind::Inherits | EdgeKind::Implements | EdgeKind::Overrides | EdgeKind::Extends
        )
    };
    let options = ReachOptions {
        direction,
        depth,
        per_level: most,
        total: most.saturating_add(starts.len()),
        follow: &related,
        enter: &|_| Ok(true),
    };
    let reached = reach(view, starts, &options)?;
    let mut lines: Vec<HierarchyLine> = Vec::new();
    let mut places = vec![None; reached.steps.len()];
    for (index, step) in reached.steps.iter().enumerate() {
        let Some(parent) = step.parent else { continue };
        places[index] = Some(lines.len());
        lines.push(HierarchyLine {
            level: step.level,
            below: places[parent],
            node: NodeLine::of(&view.describe(step.node)?),
            relation: step.edges.first().map(UseLine::of),
            again: step.again,
        });
    }
    if direction == Direction::In {
        add_dispatched(view, starts, &mut lines)?;
    } else {
        for (index, step) in reached.steps.iter().enumerate().filter(|(_, step)| !step.again) {
            add_outside(view, step.node, step.level, places[index], &mut lines)?;
        }
    }
    let cut = reached.levels.iter().map(|level| level.cut).sum();
    Ok(HierarchyWalk { lines, cut, unexplored: reached.unexplored })
}

/// Adds members that a call may reach and that do not say what they stand in for.
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
    for step in reached.steps.iter().filter(|step| step.parent.is_some() && !step.again) {
        let node = NodeLine::of(&view.describe(step.node)?);
        if lines.iter().any(|line| line.node.handle == node.handle) {
            continue;
        }
        let relation = step.edges.first().map(UseLine::of);
        lines.push(HierarchyLine { level: 1, below: None, node, relation, again: false });
    }
    Ok(())
}

/// Adds the bases a header names that are not among those found: outside the repository, or not resolved.
fn add_outside(
    view: &GraphView<'_>,
    node: NodeId,
    level: u32,
    below: Option<usize>,
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
            kind: "not here:",
            path: described.file.path.display().into_owned(),
            line: definition.header.first_line,
            test: false,
        };
        lines.push(HierarchyLine { level: level + 1, below, node, relation: None, again: false });
    }
    Ok(())
}

/// The own name of a type as written: `Map` of `std::Map<K, V>`.
fn bare(written: &str) -> &str {
    let plain = written.split(['<', '(', '[', '{']).next().unwrap_or_default().trim();
    plain.rsplit(['.', ':', '\\', ' ', '*', '&']).next().unwrap_or_default()
}

/// Writes relatives as a tree.
pub(crate) fn write(lines: &[HierarchyLine], writer: &mut TextWriter<'_>, indent: usize) -> io::Result<()> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); lines.len() + 1];
    for (index, line) in lines.iter().enumerate() {
        children[line.below.unwrap_or(lines.len())].push(index);
    }
    write_below(lines, &children, lines.len(), writer, indent)
}

fn write_below(
    lines: &[HierarchyLine],
    children: &[Vec<usize>],
    below: usize,
    writer: &mut TextWriter<'_>,
    indent: usize,
) -> io::Result<()> {
    for &index in &children[below] {
        let line = &lines[index];
        writer.plain(&"  ".repeat(indent))?;
        line.node.write(writer)?;
        if let Some(relation) = &line.relation {
            writer.put(Style::Dim, &format!("  {}", relation.kind))?;
            if relation.confidence != "exact" {
                writer.put(Style::Dim, &format!(" {}: {}", relation.confidence, relation.rule))?;
            }
        }
        writer.line(Style::Dim, if line.again { "  (above)" } else { "" })?;
        write_below(lines, children, index, writer, indent + 1)?;
    }
    Ok(())
}
