//! What preceded failures, over all tasks that have ended.

use crate::intent::{Intent, Phase};
use crate::risk::Risk;
use crate::task::Outcome;
use std::collections::BTreeMap;

/// A task that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedTask {
    /// Its intent.
    pub intent: Intent,
    /// Its risk.
    pub risk: Risk,
    /// The phase it ended in.
    pub phase: Phase,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub cause: String,
    /// Tools that its plan named; empty without a plan.
    pub tools: Vec<String>,
    /// Files that it wrote.
    pub files: Vec<String>,
    /// Agreements that it used.
    pub agreements: Vec<String>,
}

impl FinishedTask {
    fn failed(&self) -> bool {
        self.outcome != Outcome::Success
    }
}

/// Tasks and failures of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Tasks.
    pub tasks: u64,
    /// Those that did not succeed.
    pub failures: u64,
}

/// What preceded failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Insights {
    /// All tasks.
    pub total: Rate,
    /// Those with a plan.
    pub planned: u64,
    /// By outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// By tool of the plan.
    pub by_tool: BTreeMap<String, Rate>,
    /// By intent.
    pub by_intent: BTreeMap<&'static str, Rate>,
    /// By risk.
    pub by_risk: BTreeMap<&'static str, Rate>,
    /// Failures by the phase they happened in.
    pub failure_points: BTreeMap<&'static str, u64>,
    /// Failures by cause.
    pub causes: BTreeMap<String, u64>,
    /// Files written by tasks that failed, and by how many of how many tasks.
    pub trapping_files: BTreeMap<String, Rate>,
    /// Agreements that tasks used.
    pub agreements: BTreeMap<String, Rate>,
}

/// Computes the insights.
pub fn insights(tasks: &[FinishedTask]) -> Insights {
    let mut found = Insights::default();
    for task in tasks {
        let failed = u64::from(task.failed());
        let count = |rate: &mut Rate| {
            rate.tasks += 1;
            rate.failures += failed;
        };
        count(&mut found.total);
        found.planned += u64::from(!task.tools.is_empty());
        *found.outcomes.entry(task.outcome.as_str()).or_default() += 1;
        count(found.by_intent.entry(task.intent.as_str()).or_default());
        count(found.by_risk.entry(task.risk.as_str()).or_default());
        for tool in &task.tools {
            count(found.by_tool.entry(tool.clone()).or_default());
        }
        for file in &task.files {
            count(found.trapping_files.entry(file.clone()).or_default());
        }
        for agreement in &task.agreements {
            count(found.agreements.entry(agreement.clone()).or_default());
        }
        if failed > 0 {
            *found.failure_points.entry(task.phase.as_str()).or_default() += 1;
            if !task.cause.is_empty() {
                *found.causes.entry(task.cause.clone()).or_default() += 1;
            }
        }
    }
    found.trapping_files.retain(|_, rate| rate.failures > 0);
    found
}
