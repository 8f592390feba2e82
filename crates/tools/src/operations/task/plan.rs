//! `plan`, and the plan of a task: which calls are worth making, on what, and why.

use crate::answer::Answer;
use crate::arguments::program_arguments::Word;
use crate::error::{Code, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::task::plan_subjects::{self, PlanSubjects};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::Snapshot;
use orient_task::{FrameSlot, Intent, Record, Risk, Task, needs_bootstrap, plan_steps};
use serde::Serialize;
use std::io;

/// Maximum number of steps that are shown.
const MAX_STEPS: usize = 12;

/// A plan.
#[derive(Serialize)]
pub(crate) struct PlanOut {
    /// What the user wants.
    pub(crate) intent: &'static str,
    /// low, medium or high.
    pub(crate) risk: &'static str,
    /// Why the repository must be explored from the top first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) needs_bootstrap: Option<&'static str>,
    /// Slots that are unknown.
    pub(crate) missing_slots: Vec<&'static str>,
    /// The steps, in order.
    pub(crate) steps: Vec<StepLine>,
    /// Files that the steps are about.
    pub(crate) files: Vec<String>,
    /// Tests that reach the code, nearest first.
    pub(crate) tests: Vec<String>,
}

/// A step.
#[derive(Serialize)]
pub(crate) struct StepLine {
    /// The kind of call.
    pub(crate) tool: &'static str,
    /// The command, without `orient`.
    pub(crate) call: String,
    /// Why it is worth making.
    pub(crate) why: String,
    /// What it should establish.
    pub(crate) establishes: &'static str,
}

impl PlanOut {
    /// Plans a task.
    pub(crate) fn of(
        session: &Session<'_>,
        snapshot: &Snapshot,
        task: &Task,
        record: &Record,
    ) -> Result<Self, ToolError> {
        let PlanSubjects { subjects, confident, phrase } =
            plan_subjects::find(session, snapshot, &task.request, &task.frame, record)?;
        let bootstrap = needs_bootstrap(&task.frame, task.intent, confident, record.files.len());
        let steps = plan_steps(&task.frame, task.intent, &subjects, phrase.as_deref(), bootstrap.is_some());
        let (mut files, mut tests): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for subject in &subjects {
            if !files.contains(&subject.path) {
                files.push(subject.path.clone());
            }
            for test in subject.tests.iter().take(4) {
                if !tests.contains(test) {
                    tests.push(test.clone());
                }
            }
        }
        let step = |step: orient_task::Step| StepLine {
            tool: step.tool.as_str(),
            call: step.call.trim_start_matches("orient ").to_owned(),
            why: step.why,
            establishes: step.establishes,
        };
        Ok(Self {
            intent: task.intent.as_str(),
            risk: task.risk.as_str(),
            needs_bootstrap: bootstrap,
            missing_slots: task.missing_slots().into_iter().map(FrameSlot::as_str).collect(),
            steps: steps.into_iter().take(MAX_STEPS).map(step).collect(),
            files,
            tests,
        })
    }

    pub(super) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let slots = self.missing_slots.join(", ");
        if let Some(why) = self.needs_bootstrap {
            writer.own_line(Style::Warn, "explore the repository first: {}", &[why])?;
        }
        if !slots.is_empty() {
            writer.own_line(Style::Dim, "risk {}; unknown: {}", &[self.risk, &slots])?;
        }
        for (at, step) in self.steps.iter().enumerate() {
            let number = (at + 1).to_string();
            let line = "step {}: `orient {}`: {}";
            writer.own_line(Style::Plain, line, &[&number, &step.call, step.establishes])?;
        }
        if !self.files.is_empty() {
            writer.line(Style::Head, "files")?;
            for file in &self.files {
                writer.plain("  ")?;
                writer.line(Style::Path, file)?;
            }
        }
        if !self.tests.is_empty() {
            writer.line(Style::Head, "tests that reach it")?;
            for test in self.tests.iter().take(8) {
                writer.plain("  ")?;
                writer.line(Style::Path, test)?;
            }
        }
        Ok(())
    }
}

pub(crate) struct Plan;

/// Arguments of `plan`.
#[derive(Args)]
pub(crate) struct PlanArgs {
    /// The request, in the words of the user
    #[arg(value_name = "REQUEST", required = true)]
    request: Vec<Word>,
    /// implement, modify, investigate or question
    #[arg(long, value_name = "INTENT", default_value = "modify")]
    intent: Option<String>,
}

impl TypedOperation for Plan {
    const NAME: &'static str = "plan";
    const ABOUT: &'static str = "List the steps worth taking before a change, as commands";
    const DETAILS: &'static str = "\
The steps worth taking before a change, each a command on a symbol, file or test of this repository, with what it should \
establish. `orient context` prints the code at once; `orient task` guides through the steps and checks what was read.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "plan \"uploads of empty files crash\"", about: "before fixing a bug" },
        Example {
            command: "plan --intent implement \"add a timeout to uploads\"",
            about: "before adding something",
        },
    ];
    const HEAVY: bool = true;
    const ANY_REVISION: bool = false;
    type Args = PlanArgs;
    type Out = PlanOut;

    fn run(session: &Session<'_>, args: PlanArgs) -> Result<Answer<PlanOut>, ToolError> {
        let request = args.request.join(" ").trim().to_owned();
        if request.is_empty() {
            return Err(ToolError::new(Code::BadArgument, "the request is missing")
                .hint("for example `orient plan \"uploads of empty files crash\"`"));
        }
        let intent = args.intent.as_deref().unwrap_or("modify");
        let intent: Intent =
            intent.parse().map_err(|error: String| ToolError::new(Code::BadArgument, error))?;
        let snapshot = session.snapshot()?;
        let mut task = Task::start(intent, &request);
        task.risk = if intent == Intent::Modify { Risk::High } else { task.risk };
        let out = PlanOut::of(session, &snapshot, &task, &Record::default())?;
        Ok(session.answer(&snapshot, out))
    }

    fn text(out: &PlanOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)
    }
}
