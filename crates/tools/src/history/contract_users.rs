//! Who uses a symbol whose contract changed: its callers, and the tests that reach it.

use crate::error::ToolError;
use crate::graph::affected_symbols::{affected, tests};
use crate::graph::name_candidates::NameCandidates;
use crate::graph::node_line::NodeLine;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{Direction, EdgeRow, GraphView, Lookup, NodeId, ReachOptions, WithDispatch, reach};
use orient_model::{Confidence, EdgeKind, Handle};
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// Maximum number of callers, and of tests, that are listed.
const MAX_LISTED: usize = 5;
/// Maximum distance of a test.
const DEPTH: u32 = 4;

/// The users of a symbol in the current tree.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ContractUsers {
    /// Number of symbols that use it.
    pub(crate) callers_total: u64,
    /// The first of them: `path:line name`.
    pub(crate) callers: Vec<String>,
    /// Number of tests that reach it.
    pub(crate) tests_total: u64,
    /// The nearest of them.
    pub(crate) tests: Vec<String>,
    /// Number of uses of its name that are not resolved: after a removal, they may be broken.
    pub(crate) unresolved: u64,
}

impl ContractUsers {
    /// The users of the symbol with a path and a qualified name; of its name only, if the tree does not have it.
    pub(crate) fn of(view: &GraphView<'_>, path: &str, name: &str) -> Result<Self, ToolError> {
        let mut users = Self::default();
        let own_name = Handle::split(name).pop().unwrap_or_default();
        users.unresolved = NameCandidates::of(view, &own_name, |_, _| Ok(true), 0)?.total;
        let Lookup::One(definition) = view.snapshot().symbol(&format!("{path}#{name}"))? else {
            return Ok(users);
        };
        let start = NodeId::from(definition.id);
        let follow = |edge: &EdgeRow| {
            edge.confidence <= Confidence::Probable
                && (edge.kind != EdgeKind::Imports || edge.target == start)
        };
        let options = ReachOptions {
            direction: Direction::In,
            depth: DEPTH,
            per_level: usize::MAX,
            total: 20_000,
            follow: &follow,
            enter: &|_| Ok(true),
        };
        let reached = reach(&WithDispatch(view), &[start], &options)?;
        for (_, step) in affected(&reached).filter(|(_, step)| step.level == 1) {
            users.callers_total += 1;
            if users.callers.len() < MAX_LISTED {
                let node = NodeLine::of(&view.describe(step.node)?);
                users.callers.push(place(&node));
            }
        }
        let found = tests(view, &reached, MAX_LISTED)?;
        users.tests_total = found.total;
        let first =
            |path: &crate::graph::call_path::CallPath| path.steps.first().map(|step| place(&step.node));
        users.tests = found.paths.iter().filter_map(first).collect();
        Ok(users)
    }

    /// Writes one line for callers, tests and unresolved uses each, as far as there are any.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let lists =
            [("used by", self.callers_total, &self.callers), ("tests", self.tests_total, &self.tests)];
        for (word, total, shown) in lists.into_iter().filter(|(_, total, _)| *total > 0) {
            let more = total.saturating_sub(shown.len() as u64);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            writer.line(Style::Dim, &format!("    {word}: {}{more}", shown.join(", ")))?;
        }
        if self.unresolved > 0 {
            let uses = plural(self.unresolved, "unresolved use", "unresolved uses");
            writer.line(Style::Dim, &format!("    {uses} of the name"))?;
        }
        Ok(())
    }
}

/// `src/cart.py:12 Cart.add`, or `src/cart.py top level`.
fn place(node: &NodeLine) -> String {
    let name = if node.name.is_empty() { "top level" } else { node.called() };
    format!("{} {name}", node.anchor())
}
