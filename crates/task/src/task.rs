//! The state machine of a task.

use crate::consistency::{Inconsistency, check_consistency};
use crate::exploration::{Counts, Gap, Requirements, gaps};
use crate::frame::{Certainty, Frame, FrameSlot, SlotError, SlotValue, check_slot};
use crate::intent::{Intent, Phase, words};
use crate::markup::is_markup_context;
use crate::record::{Location, Record, Served};
use crate::relevance::Tier;
use crate::risk::{Impact, Risk, assess_risk, raised};
use crate::semantic::{SemanticReason, reason_is_allowed};
use std::fmt;
use std::str::FromStr;

/// Consecutive failures after which another approach is required.
pub const CHANGE_APPROACH_AFTER: u32 = 3;
/// Consecutive failures after which the user decides.
pub const ESCALATE_AFTER: u32 = 5;
/// Maximum number of decisions that are kept.
const MAX_DECISIONS: usize = 100;

/// Kinds of calls, as the record names them.
const DEFINITIONS: &str = "definitions";
const REFERENCES: &str = "references";
const TEXT_SEARCH: &str = "text";
const MEANING_SEARCH: &str = "search";

words! {
    /// How a task ended.
    Outcome {
        /// The change is made and verified.
        Success = "success",
        /// Something is left.
        Partial = "partial",
        /// The change is not made, or wrong.
        Failure = "failure",
        /// The task was given up.
        Abandoned = "abandoned",
        /// The change was made and then reverted in git.
        Reverted = "reverted",
    }
}

words! {
    /// Whether a hypothesis holds.
    Verdict {
        /// Not checked yet.
        Open = "open",
        /// It holds.
        Confirmed = "confirmed",
        /// It does not.
        Refuted = "refuted",
    }
}

/// Something that was inferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// What is supposed.
    pub text: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The location that shows it; it was served.
    pub evidence: String,
}

/// A symbol that the agent named for the target, and how relevant it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSymbol {
    /// Its handle.
    pub handle: String,
    /// What was decided about it.
    pub tier: Tier,
}

/// An entry of the decision log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What happened: start, frame, plan, …
    pub event: String,
    /// What was decided, and why.
    pub text: String,
}

/// What an agent says it has understood. Every entry is checked against the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Understanding {
    /// Handles of the symbols that matter.
    pub symbols: Vec<String>,
    /// Handles of the symbols through which execution enters.
    pub entry_points: Vec<String>,
    /// Files that were read.
    pub files: Vec<String>,
    /// Handles or locations of existing code that shows how it is done.
    pub patterns: Vec<String>,
}

/// Where a task is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// In progress.
    Open,
    /// Ended.
    Ended(Outcome),
}

/// What the number of failures calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Go on.
    Continue,
    /// Explore again and try something else.
    ChangeApproach,
    /// Ask the user.
    Escalate,
}

/// Why an event was not accepted. The state is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The task has ended.
    Ended(Outcome),
    /// The event belongs to another phase.
    WrongPhase(Phase),
    /// A slot of the frame is refused.
    Slot(FrameSlot, SlotError),
    /// A symbol was never named in an answer of this task.
    SymbolNotServed(String),
    /// Source of a file was never served in this task.
    FileNotServed(String),
    /// The source of a pattern was never served in this task.
    PatternNotServed(String),
    /// The location of evidence was never served in this task.
    EvidenceNotServed(String),
    /// The file has changed since it was served: view it again.
    Stale(String),
    /// A symbol does not belong to the target.
    Irrelevant(String),
    /// The parts do not fit together.
    Inconsistent(Inconsistency),
    /// The reason does not explain what is missing.
    ReasonNotAllowed(SemanticReason, Vec<Gap>),
    /// No search by meaning was made.
    NoSearch,
    /// There is no hypothesis.
    NoHypothesis,
    /// There is no hypothesis of this number, or it is closed.
    UnknownHypothesis(usize),
    /// The verdict must be confirmed or refuted.
    NoVerdict(usize),
}

/// A guided task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What the user wants.
    pub intent: Intent,
    /// In the user's words.
    pub request: String,
    /// How far it has come.
    pub phase: Phase,
    /// What can go wrong.
    pub risk: Risk,
    /// What depends on the named symbols.
    pub impact: Impact,
    /// What the request says.
    pub frame: Frame,
    /// The symbols named for the target.
    pub symbols: Vec<FrameSymbol>,
    /// What was understood, verified.
    pub understanding: Understanding,
    /// What was inferred.
    pub hypotheses: Vec<Hypothesis>,
    /// Whether hypotheses were needed.
    pub semantic_used: bool,
    /// Consecutive failures.
    pub failures: u32,
    /// Whether it has ended.
    pub status: Status,
    /// Why it ended so.
    pub cause: String,
    /// Tools that plans named.
    pub tools_planned: Vec<String>,
    /// Files that plans named.
    pub files_planned: Vec<String>,
    /// What was decided.
    pub decisions: Vec<Decision>,
}

impl Task {
    /// Starts a task. A question needs no exploration.
    pub fn start(intent: Intent, request: &str) -> Self {
        let phase = if intent == Intent::Question { Phase::Ready } else { Phase::Exploration };
        let frame = Frame::new();
        let mut task = Self {
            intent,
            request: request.to_owned(),
            phase,
            risk: assess_risk(intent, &frame, false),
            impact: Impact::default(),
            frame,
            symbols: Vec::new(),
            understanding: Understanding::default(),
            hypotheses: Vec::new(),
            semantic_used: false,
            failures: 0,
            status: Status::Open,
            cause: String::new(),
            tools_planned: Vec::new(),
            files_planned: Vec::new(),
            decisions: Vec::new(),
        };
        task.log("start", format!("intent {intent}, phase {phase}, risk {}", task.risk));
        task
    }

    /// Adds an entry to the decision log; the oldest entries of a long one are dropped.
    pub fn log(&mut self, event: &str, text: String) {
        if self.decisions.len() >= MAX_DECISIONS {
            self.decisions.remove(1);
        }
        self.decisions.push(Decision { event: event.to_owned(), text });
    }

    /// The slots that are unknown.
    pub fn missing_slots(&self) -> Vec<FrameSlot> {
        FrameSlot::ALL.iter().copied().filter(|slot| !self.frame.contains_key(slot)).collect()
    }

    /// Fills slots of the frame and names symbols for its target, or refuses all of it. A slot that is a hypothesis becomes
    /// one of the task. `similarity` compares two texts; `tiers` are those of the symbols, which must have been served.
    pub fn set_frame(
        &mut self,
        slots: Vec<(FrameSlot, SlotValue)>,
        tiers: Vec<FrameSymbol>,
        impact: Impact,
        record: &Record,
        similarity: &dyn Fn(&str, &str) -> f32,
    ) -> Result<(), Vec<Problem>> {
        self.check_open()?;
        let mut problems = Vec::new();
        for (slot, value) in &slots {
            let near = similarity(&value.value, &value.quote);
            if let Err(error) = check_slot(&value.value, &value.quote, &self.request, near) {
                problems.push(Problem::Slot(*slot, error));
            }
        }
        for symbol in &tiers {
            problems.extend(served_symbol(record, &symbol.handle));
            if symbol.tier == Tier::Refused {
                problems.push(Problem::Irrelevant(symbol.handle.clone()));
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        for (slot, value) in slots {
            let inferred = value.certainty == Certainty::Hypothesis;
            let text = format!("{slot}: {}", value.value);
            if inferred && !self.hypotheses.iter().any(|known| known.text == text) {
                self.hypotheses.push(Hypothesis { text, verdict: Verdict::Open, evidence: String::new() });
            }
            self.frame.insert(slot, value);
        }
        for symbol in tiers {
            self.symbols.retain(|known| known.handle != symbol.handle);
            self.symbols.push(symbol);
        }
        if impact.known {
            self.impact = impact;
        }
        self.assess(record);
        // An open hypothesis must be closed before files are written, however far the task has come.
        if self.phase == Phase::Ready && self.intent != Intent::Question && self.has_open_hypothesis() {
            self.phase = Phase::Verification;
        }
        let known: Vec<&str> = self.frame.keys().map(|slot| slot.as_str()).collect();
        self.log("frame", format!("slots {}; risk {}", known.join(", "), self.risk));
        Ok(())
    }

    /// Assesses the risk again.
    fn assess(&mut self, record: &Record) {
        let markup = is_markup_context(record.files.keys().map(String::as_str));
        let mut risk = raised(assess_risk(self.intent, &self.frame, markup), self.intent, self.impact);
        if self.intent.writes() && self.symbols.iter().any(|symbol| symbol.tier == Tier::HighRisk) {
            risk = Risk::High;
        }
        self.risk = risk;
    }

    /// What the exploration still lacks, judged from the verified understanding and the record.
    pub fn gaps(&self, record: &Record) -> Vec<Gap> {
        self.gaps_of(&self.understanding, record)
    }

    fn gaps_of(&self, understood: &Understanding, record: &Record) -> Vec<Gap> {
        let markup = is_markup_context(understood.files.iter().map(String::as_str));
        let counts = Counts {
            symbols: understood.symbols.len(),
            entry_points: understood.entry_points.len(),
            files: understood.files.len(),
            patterns: understood.patterns.len(),
            definitions: record.asked(DEFINITIONS),
            references: record.asked(REFERENCES),
            text_search: record.asked(TEXT_SEARCH),
        };
        gaps(Requirements::of(self.intent, markup), counts)
    }

    /// Takes an understanding. It is refused as a whole if a part was never served, is stale or contradicts another. If it is
    /// complete, the task is ready, or hypotheses are left to verify; otherwise the task goes on with a search by meaning.
    /// In that phase, a fuller understanding is taken too.
    pub fn submit_understanding(
        &mut self,
        understood: Understanding,
        record: &Record,
        is_linked: &dyn Fn(&str, &[&str]) -> bool,
    ) -> Result<Vec<Gap>, Vec<Problem>> {
        self.check_open()?;
        if !matches!(self.phase, Phase::Exploration | Phase::Semantic) {
            return Err(vec![Problem::WrongPhase(self.phase)]);
        }
        let merged = self.merged(understood);
        let mut problems: Vec<Problem> = Vec::new();
        for symbol in merged.symbols.iter().chain(&merged.entry_points) {
            problems.extend(served_symbol(record, symbol));
        }
        for path in &merged.files {
            problems.extend(served_file(record, path));
        }
        for pattern in &merged.patterns {
            problems.extend(served_pattern(record, pattern));
        }
        let parts = (&merged.symbols, &merged.entry_points, &merged.files, &merged.patterns);
        let inconsistent = check_consistency(parts.0, parts.1, parts.2, parts.3, is_linked);
        problems.extend(inconsistent.into_iter().map(Problem::Inconsistent));
        if !problems.is_empty() {
            return Err(problems);
        }
        let missing = self.gaps_of(&merged, record);
        self.understanding = merged;
        self.assess(record);
        self.phase = if !missing.is_empty() {
            Phase::Semantic
        } else if self.has_open_hypothesis() {
            Phase::Verification
        } else {
            Phase::Ready
        };
        let names: Vec<&str> = missing.iter().map(|gap| gap.as_str()).collect();
        let lacks =
            if names.is_empty() { "complete".to_owned() } else { format!("lacks {}", names.join(", ")) };
        self.log("submit", format!("understanding {lacks}; phase {}", self.phase));
        Ok(missing)
    }

    /// What was submitted before and is kept, with what is submitted now. Duplicates within one submission stay, so that they
    /// are reported.
    fn merged(&self, new: Understanding) -> Understanding {
        let join = |old: &[String], new: Vec<String>| {
            let mut all: Vec<String> = old.iter().filter(|one| !new.contains(one)).cloned().collect();
            all.extend(new);
            all
        };
        let old = &self.understanding;
        Understanding {
            symbols: join(&old.symbols, new.symbols),
            entry_points: join(&old.entry_points, new.entry_points),
            files: join(&old.files, new.files),
            patterns: join(&old.patterns, new.patterns),
        }
    }

    /// Takes hypotheses from a search by meaning, with the reason why reading was not enough.
    pub fn submit_hypotheses(
        &mut self,
        reason: SemanticReason,
        hypotheses: Vec<String>,
        record: &Record,
    ) -> Result<(), Vec<Problem>> {
        self.check_open()?;
        if self.phase != Phase::Semantic {
            return Err(vec![Problem::WrongPhase(self.phase)]);
        }
        let missing = self.gaps(record);
        if !reason_is_allowed(reason, &missing) {
            return Err(vec![Problem::ReasonNotAllowed(reason, missing)]);
        }
        if !record.asked(MEANING_SEARCH) {
            return Err(vec![Problem::NoSearch]);
        }
        let texts: Vec<String> = hypotheses
            .into_iter()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        if texts.is_empty() {
            return Err(vec![Problem::NoHypothesis]);
        }
        self.log("submit", format!("{reason}: {} to verify", texts.len()));
        let open = |text| Hypothesis { text, verdict: Verdict::Open, evidence: String::new() };
        self.hypotheses.extend(texts.into_iter().map(open));
        self.semantic_used = true;
        self.phase = Phase::Verification;
        Ok(())
    }

    /// Takes verdicts on hypotheses, by number from 1, each with a location that was served. When none is open, the task is
    /// ready; if all were refuted, nothing supports the change, and the exploration starts again.
    pub fn submit_verdicts(
        &mut self,
        verdicts: Vec<(usize, Verdict, String)>,
        record: &Record,
    ) -> Result<(), Vec<Problem>> {
        self.check_open()?;
        if self.phase != Phase::Verification {
            return Err(vec![Problem::WrongPhase(self.phase)]);
        }
        let mut problems = Vec::new();
        for (number, verdict, evidence) in &verdicts {
            let known = number.checked_sub(1).and_then(|at| self.hypotheses.get(at));
            if known.is_none_or(|known| known.verdict != Verdict::Open) {
                problems.push(Problem::UnknownHypothesis(*number));
            }
            if *verdict == Verdict::Open {
                problems.push(Problem::NoVerdict(*number));
            }
            problems.extend(served_evidence(record, evidence));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        for (number, verdict, evidence) in verdicts {
            if let Some(hypothesis) = self.hypotheses.get_mut(number - 1) {
                (hypothesis.verdict, hypothesis.evidence) = (verdict, evidence);
            }
        }
        if !self.has_open_hypothesis() {
            let all_refuted = self.hypotheses.iter().all(|one| one.verdict == Verdict::Refuted);
            if all_refuted {
                self.failures += 1;
            }
            self.phase = if all_refuted { Phase::Exploration } else { Phase::Ready };
        }
        self.log("submit", format!("verdicts; phase {}", self.phase));
        Ok(())
    }

    /// Adds files to the understanding of a ready task; they must have been served.
    pub fn add_files(&mut self, files: Vec<String>, record: &Record) -> Result<(), Vec<Problem>> {
        self.check_open()?;
        if self.phase != Phase::Ready {
            return Err(vec![Problem::WrongPhase(self.phase)]);
        }
        let problems: Vec<Problem> = files.iter().filter_map(|path| served_file(record, path)).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        self.log("add", files.join(", "));
        let mut added = Understanding { files, ..Understanding::default() };
        added.files.dedup();
        self.understanding = self.merged(added);
        Ok(())
    }

    /// Returns to exploration; keeps what was understood, or forgets it with the hypotheses.
    pub fn revert(&mut self, keep: bool) -> Result<(), Vec<Problem>> {
        self.check_open()?;
        if !keep {
            self.understanding = Understanding::default();
            self.hypotheses.clear();
            self.symbols.clear();
        }
        self.phase = Phase::Exploration;
        self.log("revert", if keep { "results kept" } else { "results forgotten" }.to_owned());
        Ok(())
    }

    /// Counts a failed attempt: tests fail, or the review of the diff finds what must not be.
    pub fn fail(&mut self, cause: &str) -> Result<Advice, Vec<Problem>> {
        self.check_open()?;
        self.failures += 1;
        cause.clone_into(&mut self.cause);
        self.log("fail", format!("attempt {}: {cause}", self.failures));
        if self.advice() == Advice::ChangeApproach && self.failures == CHANGE_APPROACH_AFTER {
            self.phase = Phase::Exploration;
        }
        Ok(self.advice())
    }

    /// What the number of failures calls for.
    pub fn advice(&self) -> Advice {
        match self.failures {
            count if count >= ESCALATE_AFTER => Advice::Escalate,
            count if count >= CHANGE_APPROACH_AFTER => Advice::ChangeApproach,
            _ => Advice::Continue,
        }
    }

    /// Ends the task.
    pub fn end(&mut self, outcome: Outcome, cause: &str) -> Result<(), Vec<Problem>> {
        self.check_open()?;
        if outcome == Outcome::Success {
            self.failures = 0;
        }
        self.status = Status::Ended(outcome);
        cause.clone_into(&mut self.cause);
        self.log("end", format!("{outcome} in phase {}", self.phase));
        Ok(())
    }

    /// Records that the change of an ended task was reverted in git.
    pub fn mark_reverted(&mut self, commit: &str) {
        if matches!(self.status, Status::Ended(Outcome::Success | Outcome::Partial)) {
            self.status = Status::Ended(Outcome::Reverted);
            self.cause = format!("reverted by {commit}");
            self.log("end", self.cause.clone());
        }
    }

    fn has_open_hypothesis(&self) -> bool {
        self.hypotheses.iter().any(|one| one.verdict == Verdict::Open)
    }

    fn check_open(&self) -> Result<(), Vec<Problem>> {
        match self.status {
            Status::Open => Ok(()),
            Status::Ended(outcome) => Err(vec![Problem::Ended(outcome)]),
        }
    }
}

fn served_symbol(record: &Record, handle: &str) -> Option<Problem> {
    match record.symbol(handle) {
        Served::Fresh => None,
        Served::Stale => Some(Problem::Stale(handle.to_owned())),
        Served::Never => Some(Problem::SymbolNotServed(handle.to_owned())),
    }
}

fn served_file(record: &Record, path: &str) -> Option<Problem> {
    match record.file(path) {
        Served::Fresh => None,
        Served::Stale => Some(Problem::Stale(path.to_owned())),
        Served::Never => Some(Problem::FileNotServed(path.to_owned())),
    }
}

/// A pattern is a symbol whose source was served, or a served location.
fn served_pattern(record: &Record, pattern: &str) -> Option<Problem> {
    let served = if pattern.contains('#') {
        record.source_of(pattern)
    } else {
        record.location(&Location::parse(pattern))
    };
    match served {
        Served::Fresh => None,
        Served::Stale => Some(Problem::Stale(pattern.to_owned())),
        Served::Never => Some(Problem::PatternNotServed(pattern.to_owned())),
    }
}

/// Evidence is a served symbol or a served line; a whole file proves nothing.
fn served_evidence(record: &Record, evidence: &str) -> Option<Problem> {
    let at = Location::parse(evidence);
    let served = if evidence.contains('#') {
        record.symbol(evidence.trim())
    } else if at.line.is_some() {
        record.location(&at)
    } else {
        Served::Never
    };
    match served {
        Served::Fresh => None,
        Served::Stale => Some(Problem::Stale(evidence.to_owned())),
        Served::Never => Some(Problem::EvidenceNotServed(evidence.to_owned())),
    }
}
