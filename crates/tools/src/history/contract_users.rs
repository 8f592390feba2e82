//! Who uses a symbol whose contract changed, as answers show it: the uses that are not changed with it, those that may be among
//! them, and the tests that reach it.

use crate::error::ToolError;
use crate::graph::affected_symbols::tests;
use crate::graph::node_line::NodeLine;
use crate::history::broken_uses::{BrokenUse, UsersOfChange};
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{Direction, EdgeRow, EngineError, GraphView, NodeId, ReachOptions, WithDispatch, reach};
use orient_model::{Confidence, EdgeKind};
use serde::Serialize;
use std::io;

/// Number of tests, candidates and other lines that are listed unless all are asked for.
pub(crate) const FEW: usize = 5;
/// Maximum distance of a test.
const DEPTH: u32 = 4;

/// The users of a changed symbol.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ContractUsers {
    /// Number of uses that are not changed with it: those of the tree before, and new ones that lead nowhere.
    pub(crate) uses_total: u64,
    /// The first of them, by path and line.
    pub(crate) uses: Vec<UseLeftBehind>,
    /// Number of uses that are changed with it.
    pub(crate) changed_with_it: u64,
    /// Number of unresolved uses of its old name: each may mean it.
    pub(crate) candidates_total: u64,
    /// The first of them.
    pub(crate) candidates: Vec<UseLeftBehind>,
    /// Number of uses of its old name that apparently mean something outside of the repository.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) external: u64,
    /// Number of further lines with its old name: in strings, comments, templates and code that is not resolved.
    pub(crate) mentions_total: u64,
    /// The first of them: `path:line`.
    pub(crate) mentions: Vec<String>,
    /// Number of tests that reach it in the tree before.
    pub(crate) tests_total: u64,
    /// The nearest of them.
    pub(crate) tests: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A use that is not changed with what it uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UseLeftBehind {
    /// Its file.
    pub(crate) path: String,
    /// Its line, in the tree after the change.
    pub(crate) line: u32,
    /// The symbol that contains it; empty at the top level.
    pub(crate) within: String,
    /// The kind of use.
    pub(crate) kind: &'static str,
    /// How sure it is that the use meant the symbol: `exact`, `probable`, or `approximate` if only the name fits.
    pub(crate) confidence: &'static str,
    /// What the tree after the change says, if it does not resolve the use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    /// The handle of what it means after the change, if that is another symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<String>,
    /// Whether it is test code.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) test: bool,
}

impl UseLeftBehind {
    /// A use of the new tree as answers show it.
    pub(crate) fn of(new: &GraphView<'_>, one: &BrokenUse) -> Result<Self, EngineError> {
        let within = new.describe(one.within)?;
        let now = one.now.map(|node| new.describe(node)).transpose()?;
        Ok(Self {
            path: one.path.display().into_owned(),
            line: one.line,
            within: within.qualified(),
            kind: one.kind,
            confidence: one.confidence.as_str(),
            reason: one.reason.map(orient_model::Reason::as_str),
            now: now.map(|node| NodeLine::of(&node).handle),
            test: within.is_test(),
        })
    }

    /// Writes it on one line.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>, indent: &str) -> io::Result<()> {
        writer.plain(indent)?;
        writer.put(Style::Path, &format!("{}:{}", self.path, self.line))?;
        let within = if self.within.is_empty() { "top level" } else { &self.within };
        writer.put(Style::Name, &format!("  {within}"))?;
        writer.put(Style::Dim, &format!("  {}", self.kind))?;
        if self.confidence != Confidence::Exact.as_str() {
            writer.put(Style::Dim, &format!(" ({})", self.confidence))?;
        }
        match (&self.now, self.reason) {
            (Some(now), _) => writer.put(Style::Dim, &format!("  now {now}"))?,
            (None, Some(reason)) => writer.put(Style::Dim, &format!("  {reason}"))?,
            (None, None) => {}
        }
        writer.end_line()
    }
}

impl ContractUsers {
    /// The users as answers show them, at most `max` uses and `max_possible` candidates and other lines.
    pub(crate) fn of(
        new: &GraphView<'_>,
        found: &UsersOfChange,
        (max, max_possible): (usize, usize),
    ) -> Result<Self, ToolError> {
        let shown = |all: &[BrokenUse], max: usize| -> Result<Vec<_>, EngineError> {
            all.iter().take(max).map(|one| UseLeftBehind::of(new, one)).collect()
        };
        Ok(Self {
            uses_total: found.uses.len() as u64,
            uses: shown(&found.uses, max)?,
            changed_with_it: found.changed_with_it,
            candidates_total: found.candidates.len() as u64,
            candidates: shown(&found.candidates, max_possible)?,
            external: found.external,
            mentions_total: found.mentions.len() as u64,
            mentions: found.mentions.iter().take(max_possible).cloned().collect(),
            tests_total: 0,
            tests: Vec::new(),
        })
    }

    /// Adds the tests that reach the symbol in the old tree.
    pub(crate) fn add_tests(&mut self, old: &GraphView<'_>, node: NodeId) -> Result<(), ToolError> {
        let follow = |edge: &EdgeRow| {
            edge.confidence <= Confidence::Probable && (edge.kind != EdgeKind::Imports || edge.target == node)
        };
        let options = ReachOptions {
            direction: Direction::In,
            depth: DEPTH,
            per_level: usize::MAX,
            total: 20_000,
            follow: &follow,
            enter: &|_| Ok(true),
        };
        let reached = reach(&WithDispatch(old), &[node], &options)?;
        let found = tests(old, &reached, FEW)?;
        self.tests_total = found.total;
        let first =
            |path: &crate::graph::call_path::CallPath| path.steps.first().map(|step| place(&step.node));
        self.tests = found.paths.iter().filter_map(first).collect();
        Ok(())
    }

    /// Writes the uses, one per line, and what else there is in a line each.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for one in &self.uses {
            one.write(writer, "    ")?;
        }
        let more = self.uses_total.saturating_sub(self.uses.len() as u64);
        if more > 0 {
            writer.line(Style::Dim, &format!("    and {}", plural(more, "more use", "more uses")))?;
        }
        if self.tests_total > 0 {
            let more = self.tests_total.saturating_sub(self.tests.len() as u64);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            writer.line(Style::Dim, &format!("    tests: {}{more}", self.tests.join(", ")))?;
        }
        self.write_possible(writer)
    }

    /// Writes what may be a use.
    pub(crate) fn write_possible(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.candidates_total > 0 {
            let uses = plural(self.candidates_total, "unresolved use", "unresolved uses");
            let places: Vec<String> =
                self.candidates.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
            writer.line(
                Style::Dim,
                &format!("    {uses} of the name may mean it: {}", list(&places, self.candidates_total)),
            )?;
        }
        if self.external > 0 {
            let uses =
                plural(self.external, "use of the name apparently means", "uses of the name apparently mean");
            writer.line(Style::Dim, &format!("    {uses} something outside of the repository"))?;
        }
        if self.mentions_total > 0 {
            let lines = plural(self.mentions_total, "other line has", "other lines have");
            let places = list(&self.mentions, self.mentions_total);
            writer.line(Style::Dim, &format!("    {lines} the name: {places}"))?;
        }
        Ok(())
    }
}

/// The shown places, and that there are more.
fn list(shown: &[String], total: u64) -> String {
    let more = if (shown.len() as u64) < total { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// `src/cart.py:12 Cart.add`, or `src/cart.py top level`.
fn place(node: &NodeLine) -> String {
    let name = if node.name.is_empty() { "top level" } else { node.called() };
    format!("{} {name}", node.anchor())
}
