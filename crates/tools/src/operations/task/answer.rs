//! The answer of `task`: state, what is missing and the call that supplies it.

use crate::task::dependents::UseOf;
use crate::text::writer::{Style, TextWriter};
use orient_task::{Advice, Gap, Problem, Status, Task, Verdict};
use serde::Serialize;
use std::io;

/// A command that supplies something, for a person; programs get the call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Needed {
    /// What is missing or wrong.
    pub(crate) what: String,
    /// The command that supplies it, without `orient`.
    pub(crate) call: String,
}

impl Needed {
    pub(crate) fn new(what: impl Into<String>, call: impl Into<String>) -> Self {
        Self { what: what.into(), call: call.into() }
    }

    /// What is missing for a gap.
    fn of_gap(gap: Gap, task: &Task) -> Self {
        let more = |have: usize, need: usize, one: &str, many: &str| {
            let missing = need - have;
            format!("{missing} more {} ({have} of {need})", if missing == 1 { one } else { many })
        };
        let query: String = task.request.chars().take(60).filter(|c| !matches!(c, '"' | '`')).collect();
        let target = task.understanding.symbols.first().or(task.symbols.first().map(|one| &one.handle));
        let target = target.or(task.files_planned.first()).cloned().unwrap_or_else(|| "SYMBOL".to_owned());
        match gap {
            Gap::Symbols { have, need } => {
                Self::new(more(have, need, "symbol", "symbols"), format!("search \"{query}\""))
            }
            Gap::EntryPoints { have, need } => {
                Self::new(more(have, need, "entry point", "entry points"), format!("callers {target}"))
            }
            Gap::Files { have, need } => {
                Self::new(more(have, need, "file", "files"), format!("context \"{query}\""))
            }
            Gap::Patterns { have, need } => {
                Self::new(more(have, need, "pattern", "patterns"), format!("similar {target}"))
            }
            Gap::Definitions => Self::new("no definition was read", format!("show {target}")),
            Gap::References => Self::new("no uses were read", format!("impact {target}")),
            Gap::TextSearch => Self::new("no text search was made", format!("grep \"{query}\"")),
        }
    }

    /// What is wrong, and what corrects it.
    pub(crate) fn of_problem(problem: &Problem, task: &Task) -> Self {
        match problem {
            Problem::Ended(outcome) => Self::new(
                format!("the task has ended: {outcome}"),
                format!("task start --intent {} \"REQUEST\"", task.intent),
            ),
            Problem::WrongPhase(phase) => {
                Self::new(format!("the task is in the phase {phase}"), "task status".to_owned())
            }
            Problem::Slot(slot, error) => {
                Self::new(format!("{slot}: {error}"), format!("task frame --slots \"{slot}: VALUE | QUOTE\""))
            }
            Problem::SymbolNotServed(handle) => {
                Self::new(format!("{handle} was not shown in this task"), format!("show {handle}"))
            }
            Problem::FileNotServed(path) => {
                Self::new(format!("{path} was not read in this task"), format!("show {path}"))
            }
            Problem::PatternNotServed(place) => {
                Self::new(format!("the source of {place} was not read in this task"), format!("show {place}"))
            }
            Problem::EvidenceNotServed(place) => Self::new(
                format!("the evidence {place} was not shown in this task, or names no line"),
                format!("show {place}"),
            ),
            Problem::Stale(place) => {
                Self::new(format!("{place} has changed since it was shown"), format!("show {place}"))
            }
            Problem::Irrelevant(handle) => {
                let target: String =
                    task.request.chars().take(60).filter(|c| !matches!(c, '"' | '`')).collect();
                Self::new(
                    format!("{handle} has nothing to do with the target"),
                    format!("search \"{target}\""),
                )
            }
            Problem::Inconsistent(why) => Self::new(why.to_string(), "task submit".to_owned()),
            Problem::ReasonNotAllowed(reason, gaps) => {
                let missing: Vec<&str> = gaps.iter().map(|gap| gap.as_str()).collect();
                let what = format!("{reason} does not explain what is missing: {}", missing.join(", "));
                let call = gaps.first().map(|&gap| Self::of_gap(gap, task).call).unwrap_or_default();
                Self::new(what, call)
            }
            Problem::NoSearch => {
                let query: String =
                    task.request.chars().take(60).filter(|c| !matches!(c, '"' | '`')).collect();
                Self::new("no search by meaning was made", format!("search \"{query}\""))
            }
            Problem::NoHypothesis => Self::new(
                "there is no hypothesis",
                "task submit --reason REASON --hypotheses TEXT".to_owned(),
            ),
            Problem::UnknownHypothesis(number) => {
                Self::new(format!("there is no open hypothesis {number}"), "task status".to_owned())
            }
            Problem::NoVerdict(number) => Self::new(
                format!("hypothesis {number} is neither confirmed nor refuted"),
                format!("task submit --verdicts \"{number} confirmed PATH:LINE\""),
            ),
        }
    }
}

/// A hypothesis.
#[derive(Clone, Debug, Serialize)]
struct HypothesisLine {
    number: usize,
    verdict: &'static str,
    text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    evidence: String,
}

/// A slot of the frame.
#[derive(Clone, Debug, Serialize)]
struct SlotLine {
    slot: &'static str,
    value: String,
    quote: String,
    certainty: &'static str,
}

/// The state of a task.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TaskState {
    /// Its number.
    id: u64,
    /// Its client.
    client: String,
    /// What the user wants.
    intent: &'static str,
    /// In the user's words.
    request: String,
    /// exploration, semantic, verification or ready.
    phase: &'static str,
    /// low, medium or high.
    risk: &'static str,
    /// open, or how it ended.
    status: &'static str,
    /// What the request says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frame: Vec<SlotLine>,
    /// Slots that are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_slots: Vec<&'static str>,
    /// What was inferred.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hypotheses: Vec<HypothesisLine>,
    /// What was understood.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entry_points: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    patterns: Vec<String>,
    /// Consecutive failures.
    failures: u32,
    /// The decision log; only exported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<String>,
}

impl TaskState {
    pub(crate) fn new(id: u64, client: &str, task: &Task) -> Self {
        let number = |(at, one): (usize, &orient_task::Hypothesis)| HypothesisLine {
            number: at + 1,
            verdict: one.verdict.as_str(),
            text: one.text.clone(),
            evidence: one.evidence.clone(),
        };
        Self {
            id,
            client: client.to_owned(),
            intent: task.intent.as_str(),
            request: task.request.clone(),
            phase: task.phase.as_str(),
            risk: task.risk.as_str(),
            status: match task.status {
                Status::Open => "open",
                Status::Ended(outcome) => outcome.as_str(),
            },
            frame: task
                .frame
                .iter()
                .map(|(slot, value)| SlotLine {
                    slot: slot.as_str(),
                    value: value.value.clone(),
                    quote: value.quote.clone(),
                    certainty: value.certainty.as_str(),
                })
                .collect(),
            missing_slots: task.missing_slots().into_iter().map(orient_task::FrameSlot::as_str).collect(),
            hypotheses: task.hypotheses.iter().enumerate().map(number).collect(),
            symbols: task.understanding.symbols.clone(),
            entry_points: task.understanding.entry_points.clone(),
            files: task.understanding.files.clone(),
            patterns: task.understanding.patterns.clone(),
            failures: task.failures,
            decisions: Vec::new(),
        }
    }

    pub(crate) fn with_decisions(mut self, task: &Task) -> Self {
        self.decisions = task.decisions.iter().map(|one| format!("{}: {}", one.event, one.text)).collect();
        self
    }
}

/// The answer of `task`.
#[derive(Default, Serialize)]
pub(crate) struct TaskOut {
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<TaskState>,
    /// Whether the action was accepted.
    pub(crate) accepted: bool,
    /// What was decided, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) decision: String,
    /// What is wrong or missing, each with the command that supplies it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) needed: Vec<Needed>,
    /// The steps of a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<super::plan::PlanOut>,
    /// Uses in other files that a change must not break.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) must: Vec<UseOf>,
    /// Further ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) should: Vec<UseOf>,
    /// Tests that reach the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tests: Vec<UseOf>,
    /// The command that runs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) test_command: Option<String>,
    /// What the review of the diff found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) findings: Vec<FindingLine>,
    /// Tasks of this tree, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tasks: Vec<TaskState>,
    /// The calls that a task was served; only exported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) served: Vec<String>,
}

/// Something that the review found.
#[derive(Serialize)]
pub(crate) struct FindingLine {
    /// What.
    pub(crate) kind: &'static str,
    /// Whether it must be dealt with.
    pub(crate) required: bool,
    /// Where.
    pub(crate) path: String,
    /// The line; 0 for a whole file.
    pub(crate) line: u32,
    /// The symbol or the code.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) text: String,
}

/// What is missing in the current phase.
pub(crate) fn needed(task: &Task, gaps: &[Gap]) -> Vec<Needed> {
    use orient_task::Phase;
    if task.status != Status::Open {
        return Vec::new();
    }
    let mut needed: Vec<Needed> = Vec::new();
    match task.advice() {
        Advice::Escalate => needed.push(Needed::new(
            format!("{} attempts failed: stop, and ask the user how to go on", task.failures),
            "task finish --outcome abandoned CAUSE",
        )),
        Advice::ChangeApproach => needed.push(Needed::new(
            format!("{} attempts failed: explore again and try something else", task.failures),
            "task revert --forget",
        )),
        Advice::Continue => {}
    }
    match task.phase {
        Phase::Exploration | Phase::Semantic => {
            needed.extend(gaps.iter().map(|&gap| Needed::of_gap(gap, task)));
            needed.push(Needed::new(
                "then submit what you have understood",
                "task submit --symbols HANDLE --entry-points HANDLE --files PATH --patterns HANDLE",
            ));
            if task.phase == Phase::Semantic {
                needed.push(Needed::new(
                    "or say why reading is not enough",
                    "task submit --reason REASON --hypotheses TEXT",
                ));
            }
        }
        Phase::Verification => {
            let open = task.hypotheses.iter().enumerate().filter(|(_, one)| one.verdict == Verdict::Open);
            needed.extend(open.map(|(at, one)| {
                let call = format!("task submit --verdicts \"{} confirmed PATH:LINE\"", at + 1);
                Needed::new(format!("verify hypothesis {}: {}", at + 1, one.text), call)
            }));
        }
        Phase::Ready => {}
    }
    needed
}

impl TaskOut {
    pub(super) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(task) = &self.task {
            let id = task.id.to_string();
            let line = "task {} ({}): phase {}, risk {}, {}";
            writer.own_line(Style::Head, line, &[&id, task.intent, task.phase, task.risk, task.status])?;
        }
        if !self.decision.is_empty() {
            let line = if self.accepted { "decision: {}" } else { "refused: {}" };
            writer.own_line(
                if self.accepted { Style::Plain } else { Style::Warn },
                line,
                &[&self.decision],
            )?;
        }
        for one in &self.needed {
            if one.call.is_empty() {
                writer.own_line(Style::Plain, "- {}", &[&one.what])?;
            } else {
                writer.own_line(Style::Plain, "- {}: `orient {}`", &[&one.what, &one.call])?;
            }
        }
        if let Some(plan) = &self.plan {
            plan.write(writer)?;
        }
        write_uses(writer, "must verify", &self.must)?;
        write_uses(writer, "should verify", &self.should)?;
        write_uses(writer, "tests", &self.tests)?;
        if let Some(command) = &self.test_command {
            writer.own_line(Style::Plain, "run the tests: {}", &[command])?;
        }
        for finding in &self.findings {
            writer.put(if finding.required { Style::Warn } else { Style::Dim }, finding.kind)?;
            writer.plain("  ")?;
            let place = if finding.line == 0 {
                finding.path.clone()
            } else {
                format!("{}:{}", finding.path, finding.line)
            };
            writer.put(Style::Path, &place)?;
            writer.line(Style::Plain, &format!("  {}", finding.text))?;
        }
        if let (Some(task), true) = (&self.task, self.plan.is_none()) {
            task.write_details(writer)?;
        }
        for task in &self.tasks {
            writer.put(Style::Number, &task.id.to_string())?;
            writer.put(
                Style::Dim,
                &format!("  {} {} {} {}  ", task.client, task.intent, task.phase, task.status),
            )?;
            writer.line(Style::Plain, &task.request)?;
        }
        for call in &self.served {
            writer.line(Style::Dim, call)?;
        }
        Ok(())
    }
}

fn write_uses(writer: &mut TextWriter<'_>, title: &str, uses: &[UseOf]) -> io::Result<()> {
    if uses.is_empty() {
        return Ok(());
    }
    writer.line(Style::Head, title)?;
    for one in uses {
        writer.plain("  ")?;
        writer.put(Style::Path, &one.anchor())?;
        let name = one.symbol.split_once('#').map_or("", |(_, name)| name);
        writer.line(Style::Plain, &format!("  {name}"))?;
    }
    Ok(())
}

impl TaskState {
    fn write_details(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.status == "open" && !self.missing_slots.is_empty() {
            writer.own_line(Style::Dim, "unknown slots: {}", &[&self.missing_slots.join(", ")])?;
        }
        for one in self.hypotheses.iter().filter(|one| one.verdict != "open") {
            writer.line(
                Style::Dim,
                &format!("{}. {} {} ({})", one.number, one.text, one.verdict, one.evidence),
            )?;
        }
        for decision in &self.decisions {
            writer.line(Style::Dim, decision)?;
        }
        Ok(())
    }
}
