//! The stored form of a task: one `key value` line per field, in order, with control characters escaped.
//!
//! Readable in a database browser, and tolerant: a line with an unknown key is skipped, so that a newer version's state can be
//! read by an older one.

use crate::frame::{Certainty, FrameSlot, SlotValue};
use crate::intent::Intent;
use crate::relevance::Tier;
use crate::risk::Impact;
use crate::task::{Decision, FrameSymbol, Hypothesis, Status, Task};
use std::fmt::{self, Display, Write};
use std::str::FromStr;

/// Why a stored state cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError(String);

impl Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stored task cannot be read: {}", self.0)
    }
}

impl std::error::Error for StateError {}

/// Separates the parts of a value. It is escaped in texts.
const SEPARATOR: char = '\t';

impl Task {
    /// Its stored form.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut put = |key: &str, parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| escape(part)).collect();
            let _ = writeln!(text, "{key}{SEPARATOR}{}", parts.join("\t"));
        };
        put("intent", &[self.intent.as_str()]);
        put("request", &[&self.request]);
        put("phase", &[self.phase.as_str()]);
        put("risk", &[self.risk.as_str()]);
        let Impact { callers, public, tests, known } = self.impact;
        put("impact", &[&callers.to_string(), &public.to_string(), &tests.to_string(), &known.to_string()]);
        for (slot, value) in &self.frame {
            put("slot", &[slot.as_str(), value.certainty.as_str(), &value.value, &value.quote]);
        }
        for symbol in &self.symbols {
            put("symbol", &[&symbol.handle, symbol.tier.as_str()]);
        }
        let understood = &self.understanding;
        for (key, list) in [
            ("understood_symbol", &understood.symbols),
            ("understood_entry", &understood.entry_points),
            ("understood_file", &understood.files),
            ("understood_pattern", &understood.patterns),
            ("tool", &self.tools_planned),
            ("planned_file", &self.files_planned),
        ] {
            for one in list {
                put(key, &[one]);
            }
        }
        for one in &self.hypotheses {
            put("hypothesis", &[one.verdict.as_str(), &one.text, &one.evidence]);
        }
        put("semantic_used", &[&self.semantic_used.to_string()]);
        put("failures", &[&self.failures.to_string()]);
        if let Status::Ended(outcome) = self.status {
            put("ended", &[outcome.as_str()]);
        }
        put("cause", &[&self.cause]);
        for decision in &self.decisions {
            put("decision", &[&decision.event, &decision.text]);
        }
        text
    }

    /// Reads a stored form.
    pub fn from_text(text: &str) -> Result<Self, StateError> {
        let mut task = Self::start(Intent::Question, "");
        task.decisions.clear();
        let mut has_intent = false;
        for line in text.lines() {
            let mut parts = line.split(SEPARATOR);
            let key = parts.next().unwrap_or_default();
            let parts: Vec<String> = parts.map(unescape).collect();
            has_intent |= key == "intent";
            task.read(key, &parts)?;
        }
        if has_intent { Ok(task) } else { Err(StateError("it has no intent".to_owned())) }
    }

    fn read(&mut self, key: &str, parts: &[String]) -> Result<(), StateError> {
        let part = |at: usize| parts.get(at).map(String::as_str).unwrap_or_default();
        let text = || part(0).to_owned();
        match key {
            "intent" => self.intent = parsed(part(0))?,
            "request" => self.request = text(),
            "phase" => self.phase = parsed(part(0))?,
            "risk" => self.risk = parsed(part(0))?,
            "impact" => {
                self.impact = Impact {
                    callers: parsed(part(0))?,
                    public: parsed(part(1))?,
                    tests: parsed(part(2))?,
                    known: parsed(part(3))?,
                };
            }
            "slot" => {
                let certainty: Certainty = parsed(part(1))?;
                let value = SlotValue { value: part(2).to_owned(), quote: part(3).to_owned(), certainty };
                self.frame.insert(parsed::<FrameSlot>(part(0))?, value);
            }
            "symbol" => {
                let tiers = [Tier::Approved, Tier::HighRisk, Tier::Refused];
                let tier = tiers.into_iter().find(|tier| tier.as_str() == part(1));
                let tier = tier.ok_or_else(|| StateError(format!("`{}` is no tier", part(1))))?;
                self.symbols.push(FrameSymbol { handle: text(), tier });
            }
            "understood_symbol" => self.understanding.symbols.push(text()),
            "understood_entry" => self.understanding.entry_points.push(text()),
            "understood_file" => self.understanding.files.push(text()),
            "understood_pattern" => self.understanding.patterns.push(text()),
            "tool" => self.tools_planned.push(text()),
            "planned_file" => self.files_planned.push(text()),
            "hypothesis" => self.hypotheses.push(Hypothesis {
                verdict: parsed(part(0))?,
                text: part(1).to_owned(),
                evidence: part(2).to_owned(),
            }),
            "semantic_used" => self.semantic_used = parsed(part(0))?,
            "failures" => self.failures = parsed(part(0))?,
            "ended" => self.status = Status::Ended(parsed(part(0))?),
            "cause" => self.cause = text(),
            "decision" => self.decisions.push(Decision { event: text(), text: part(1).to_owned() }),
            _ => {}
        }
        Ok(())
    }
}

fn parsed<T: FromStr>(text: &str) -> Result<T, StateError>
where
    T::Err: Display,
{
    text.parse().map_err(|error: T::Err| StateError(error.to_string()))
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            c => escaped.push(c),
        }
    }
    escaped
}

fn unescape(text: &str) -> String {
    let (mut plain, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('r') => plain.push('\r'),
                Some('t') => plain.push('\t'),
                Some(other) => plain.push(other),
                None => {}
            },
            (c, false) => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Outcome, Verdict};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_stored_is_read_back(request in any::<String>(), value in any::<String>(), failures in 0_u32..9) {
            let mut task = Task::start(Intent::Modify, &request);
            let slot = SlotValue { value: value.clone(), quote: request.clone(), certainty: Certainty::Fact };
            task.frame.insert(FrameSlot::ObservedIssue, slot);
            task.symbols.push(FrameSymbol { handle: value.clone(), tier: Tier::HighRisk });
            task.understanding.files.push(value.clone());
            task.hypotheses.push(Hypothesis { text: value, verdict: Verdict::Refuted, evidence: request });
            task.failures = failures;
            task.status = Status::Ended(Outcome::Partial);
            // `lines` also splits at the control characters that end a line in other formats: none is left.
            prop_assert_eq!(Task::from_text(&task.to_text()), Ok(task));
        }
    }

    #[test]
    fn damage_is_an_error_and_an_unknown_key_is_not() {
        let text = Task::start(Intent::Modify, "x").to_text();
        assert!(Task::from_text(&(text.clone() + "future\tvalue\n")).is_ok());
        assert!(Task::from_text(&text.replace("modify", "destroy")).is_err());
        assert!(Task::from_text("").is_err());
    }
}
