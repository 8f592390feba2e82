//! `insights`: what preceded the failures of guided tasks.

use crate::answer::Answer;
use crate::error::{Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::task::guard::read_task;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_task::{FinishedTask, Rate, Status, insights};
use serde::Serialize;
use std::io;

pub(crate) struct InsightsReport;

/// Arguments of `insights`.
#[derive(Args)]
pub(crate) struct InsightsArgs {
    /// Number of tasks to look at, newest first
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

impl Default for InsightsArgs {
    fn default() -> Self {
        Self { limit: 100 }
    }
}

/// What preceded failures.
#[derive(Serialize)]
pub(crate) struct InsightsOut {
    /// Tasks that have ended.
    tasks: u64,
    /// Those that did not succeed.
    failures: u64,
    /// Those with a plan.
    planned: u64,
    /// Groups of tasks with their failures, most failures first.
    groups: Vec<GroupLine>,
}

/// A group of tasks.
#[derive(Serialize)]
struct GroupLine {
    /// What the tasks have in common: tool, intent, risk, phase, cause, file or outcome.
    by: &'static str,
    /// Which.
    value: String,
    /// Tasks in it.
    tasks: u64,
    /// Those that did not succeed.
    failures: u64,
}

impl TypedOperation for InsightsReport {
    const NAME: &'static str = "insights";
    const ABOUT: &'static str = "Show what preceded the failures of guided tasks";
    const DETAILS: &'static str = "\
Of the tasks that have ended in this tree: how often they failed, by intent, risk, tools of the plan, the phase they ended \
in, cause, and the files they changed. Nothing leaves the machine; `orient task export` shows the data of a task.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "insights", about: "the last hundred tasks" },
        Example { command: "insights --limit 20 --json", about: "the last twenty, for a script" },
    ];
    const ANY_REVISION: bool = false;
    type Args = InsightsArgs;
    type Out = InsightsOut;

    fn run(session: &Session<'_>, args: InsightsArgs) -> Result<Answer<InsightsOut>, ToolError> {
        let mut ended = Vec::new();
        if let Some(store) = session.engine()?.tasks(false)? {
            for row in store.newest(args.limit)? {
                let task = read_task(&row)?;
                let Status::Ended(outcome) = task.status else { continue };
                let files = store.served(row.id)?.written.into_iter().map(|file| file.path).collect();
                ended.push(FinishedTask {
                    intent: task.intent,
                    risk: task.risk,
                    phase: task.phase,
                    outcome,
                    cause: task.cause,
                    tools: task.tools_planned,
                    files,
                    agreements: Vec::new(),
                });
            }
        }
        let found = insights(&ended);
        let mut groups = Vec::new();
        let mut add = |by, value: String, rate: Rate| {
            groups.push(GroupLine { by, value, tasks: rate.tasks, failures: rate.failures });
        };
        found.by_intent.into_iter().for_each(|(value, rate)| add("intent", value.to_owned(), rate));
        found.by_risk.into_iter().for_each(|(value, rate)| add("risk", value.to_owned(), rate));
        found.by_tool.into_iter().for_each(|(value, rate)| add("tool", value, rate));
        found.trapping_files.into_iter().for_each(|(value, rate)| add("file", value, rate));
        let only = |count| Rate { tasks: count, failures: count };
        found
            .failure_points
            .into_iter()
            .for_each(|(value, count)| add("phase", value.to_owned(), only(count)));
        found.causes.into_iter().for_each(|(value, count)| add("cause", value, only(count)));
        groups.sort_by(|a, b| b.failures.cmp(&a.failures).then(a.by.cmp(b.by)).then(a.value.cmp(&b.value)));
        let total = found.total;
        Ok(Answer::new(InsightsOut {
            tasks: total.tasks,
            failures: total.failures,
            planned: found.planned,
            groups,
        }))
    }

    fn text(out: &InsightsOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let (tasks, failures) = (out.tasks.to_string(), out.failures.to_string());
        writer.own_line(Style::Head, "ended tasks: {}, without success: {}", &[&tasks, &failures])?;
        for group in &out.groups {
            writer.put(Style::Kind, &format!("{:<7}", group.by))?;
            writer.put(Style::Number, &format!("{:>4} of {:<4}", group.failures, group.tasks))?;
            writer.line(Style::Plain, &group.value)?;
        }
        Ok(())
    }

    fn exit(out: &InsightsOut) -> Exit {
        if out.tasks == 0 { Exit::Nothing } else { Exit::Ok }
    }
}
