//! Arguments of `task`.

use crate::arguments::enum_values;
use crate::arguments::program_arguments::Word;
use crate::error::{Code, ToolError};
use clap::Args;
use orient_task::{Certainty, FrameSlot, Intent, SlotValue, Verdict};

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Start,
    Frame,
    Plan,
    Submit,
    Check,
    Add,
    Revert,
    Status,
    Finish,
    Resume,
    List,
    Export,
    Agreements,
    Forget,
}

/// The actions and their words, in the order of use.
const ACTIONS: &[(&str, Action)] = &[
    ("start", Action::Start),
    ("frame", Action::Frame),
    ("plan", Action::Plan),
    ("submit", Action::Submit),
    ("check", Action::Check),
    ("add", Action::Add),
    ("revert", Action::Revert),
    ("status", Action::Status),
    ("finish", Action::Finish),
    ("resume", Action::Resume),
    ("list", Action::List),
    ("export", Action::Export),
    ("agreements", Action::Agreements),
    ("forget", Action::Forget),
];

/// Arguments of `task`.
#[derive(Args, Debug)]
pub(crate) struct TaskArgs {
    /// start, frame, plan, submit, check, add, revert, status, finish, resume, list, export, agreements or forget
    #[arg(value_name = "ACTION")]
    pub(crate) action: String,
    /// The request for `start`, paths for `check` and `add`, a number for `resume` and `export`, the cause for `finish`, words for `forget`
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<Word>,
    /// implement, modify, investigate or question
    #[arg(long, value_name = "INTENT")]
    pub(crate) intent: Option<String>,
    /// What the request says: `SLOT: VALUE | QUOTE`, or `SLOT?: …` if it is inferred
    #[arg(long, alias = "slot", value_name = "SLOT: VALUE | QUOTE")]
    pub(crate) slots: Vec<String>,
    /// Symbols that matter: handles that were shown
    #[arg(long, alias = "symbol", value_name = "HANDLE")]
    pub(crate) symbols: Vec<String>,
    /// Symbols through which execution enters
    #[arg(long, alias = "entry-point", value_name = "HANDLE")]
    pub(crate) entry_points: Vec<String>,
    /// Files that were read
    #[arg(long, alias = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// Existing code that shows how it is done here
    #[arg(long, alias = "pattern", value_name = "HANDLE|PATH:LINE")]
    pub(crate) patterns: Vec<String>,
    /// Why reading was not enough
    #[arg(long, value_name = "REASON")]
    pub(crate) reason: Option<String>,
    /// Suppositions to verify
    #[arg(long, alias = "hypothesis", value_name = "TEXT")]
    pub(crate) hypotheses: Vec<String>,
    /// Results: `1 confirmed PATH:LINE`, `2 refuted HANDLE`
    #[arg(long, alias = "verdict", value_name = "N VERDICT EVIDENCE")]
    pub(crate) verdicts: Vec<String>,
    /// For `revert`: forget what was understood
    #[arg(long)]
    pub(crate) forget: bool,
    /// success, partial, failure or abandoned; `retry` if tests fail and you go on
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) outcome: Option<String>,
}

impl TaskArgs {
    /// The action.
    pub(crate) fn action(&self) -> Result<Action, ToolError> {
        let words: Vec<&'static str> = ACTIONS.iter().map(|(word, _)| *word).collect();
        enum_values::one_of("action", &self.action, &words)?;
        let found = ACTIONS.iter().find(|(word, _)| *word == self.action).map(|(_, action)| *action);
        found.ok_or_else(|| ToolError::new(Code::BadArgument, "the action is missing"))
    }

    /// The text as one.
    pub(crate) fn joined(&self) -> String {
        self.text.join(" ").trim().to_owned()
    }

    /// The intent; a change without one.
    pub(crate) fn intent(&self) -> Result<Intent, ToolError> {
        let Some(word) = &self.intent else {
            return Err(ToolError::new(Code::BadArgument, "the intent is missing").hint(
                "implement, modify, investigate or question: `orient task start --intent modify \"REQUEST\"`",
            ));
        };
        word.parse().map_err(|error: String| {
            ToolError::new(Code::BadArgument, format!("the intent {error}"))
                .hint("a fix is `modify`: `orient task start --intent modify \"REQUEST\"`")
        })
    }

    /// The slots: `observed_issue: it crashes | crashes on empty files`.
    pub(crate) fn slots(&self) -> Result<Vec<(FrameSlot, SlotValue)>, ToolError> {
        self.slots.iter().map(|text| slot(text)).collect()
    }

    /// The verdicts: number, result, evidence.
    pub(crate) fn verdicts(&self) -> Result<Vec<(usize, Verdict, String)>, ToolError> {
        self.verdicts.iter().map(|text| verdict(text)).collect()
    }
}

fn slot(text: &str) -> Result<(FrameSlot, SlotValue), ToolError> {
    let wrong = || {
        ToolError::new(Code::BadArgument, format!("`{text}` is not of the form `SLOT: VALUE | QUOTE`"))
            .hint("for example `observed_issue: it crashes | crashes on empty files`")
    };
    let (name, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (value, quote) = rest.rsplit_once('|').ok_or_else(wrong)?;
    let inferred = name.trim().ends_with('?');
    let slot = name.trim().trim_end_matches('?').trim();
    let slot: FrameSlot = slot.parse().map_err(|error: String| ToolError::new(Code::BadArgument, error))?;
    let certainty = if inferred { Certainty::Hypothesis } else { Certainty::Fact };
    let quote = quote.trim().trim_matches('"').to_owned();
    Ok((slot, SlotValue { value: value.trim().to_owned(), quote, certainty }))
}

fn verdict(text: &str) -> Result<(usize, Verdict, String), ToolError> {
    let wrong = || {
        ToolError::new(Code::BadArgument, format!("`{text}` is not of the form `N VERDICT EVIDENCE`"))
            .hint("for example `1 confirmed src/server.go:40`")
    };
    let mut words = text.split_whitespace();
    let number = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
    let verdict = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
    Ok((number, verdict, words.collect::<Vec<_>>().join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_verdicts_are_one_line_each() {
        let (name, value) =
            slot("observed_issue?: it crashes | \"crashes: on empty | files\"").expect("a slot");
        assert_eq!((name, value.certainty), (FrameSlot::ObservedIssue, Certainty::Hypothesis));
        assert_eq!(value.quote, "files");
        assert_eq!(slot("target_feature: the upload | upload").expect("a slot").1.value, "the upload");
        assert!(slot("nothing").is_err() && slot("odd: a | b").is_err());
        assert_eq!(verdict("2 refuted a.go#Run").expect("one"), (2, Verdict::Refuted, "a.go#Run".to_owned()));
        assert!(verdict("x confirmed a:1").is_err());
    }
}
