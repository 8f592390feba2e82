//! The frame: what the request says about the feature, the trigger, the issue and the wish, each with a quotation.

use crate::intent::words;
use crate::relevance::shared_words;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

words! {
    /// A slot of the frame.
    FrameSlot {
        /// What the request is about.
        TargetFeature = "target_feature",
        /// When it happens.
        TriggerCondition = "trigger_condition",
        /// What is wrong.
        ObservedIssue = "observed_issue",
        /// What should happen instead.
        DesiredAction = "desired_action",
    }
}

words! {
    /// Whether the content of a slot was read or inferred.
    Certainty {
        /// The request or the code says so.
        Fact = "fact",
        /// It was inferred, and must be confirmed or refuted.
        Hypothesis = "hypothesis",
    }
}

/// The content of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotValue {
    /// In the words of the agent.
    pub value: String,
    /// In the words of the user.
    pub quote: String,
    /// Read or inferred.
    pub certainty: Certainty,
}

/// The slots that are known.
pub type Frame = BTreeMap<FrameSlot, SlotValue>;

/// Why a slot is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotError {
    /// The value or the quotation is empty.
    Empty,
    /// The request does not contain the quotation.
    NotQuoted,
    /// The value and the quotation have nothing in common.
    Unrelated,
}

impl fmt::Display for SlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "needs a value and a quotation from the request",
            Self::NotQuoted => "the quotation does not occur in the request",
            Self::Unrelated => "the value says something else than its quotation",
        })
    }
}

/// The similarity of value and quotation from which they may say the same without a word in common.
const SAME_MEANING: f32 = 0.35;

/// Checks a slot: the quotation occurs in the request, ignoring white space and case, as whole words; and the value is about
/// the same: it shares a word with the quotation, or the model finds them similar.
pub fn check_slot(value: &str, quote: &str, request: &str, similarity: f32) -> Result<(), SlotError> {
    if value.trim().is_empty() || quote.trim().is_empty() {
        return Err(SlotError::Empty);
    }
    if !occurs(quote, request) {
        return Err(SlotError::NotQuoted);
    }
    if shared_words(value, quote) == 0.0 && similarity < SAME_MEANING {
        return Err(SlotError::Unrelated);
    }
    Ok(())
}

/// Whether a quotation occurs as whole words, ignoring white space and case.
fn occurs(quote: &str, request: &str) -> bool {
    let (quote, request) = (Squeezed::new(quote), Squeezed::new(request));
    let length = quote.chars.len();
    if length == 0 || !quote.chars.iter().any(|c| c.is_alphanumeric()) {
        return false;
    }
    (0..request.chars.len().saturating_sub(length - 1)).any(|at| {
        request.chars[at..at + length] == quote.chars[..]
            && request.starts_word(at)
            && request.starts_word(at + length)
    })
}

/// A text without white space, and where its words begin.
struct Squeezed {
    chars: Vec<char>,
    after_space: Vec<bool>,
}

impl Squeezed {
    fn new(text: &str) -> Self {
        let (mut chars, mut after_space, mut space) = (Vec::new(), Vec::new(), true);
        for c in text.chars() {
            if c.is_whitespace() {
                space = true;
                continue;
            }
            for lower in c.to_lowercase() {
                chars.push(lower);
                after_space.push(std::mem::take(&mut space));
            }
        }
        Self { chars, after_space }
    }

    /// Whether no word of ASCII letters continues across this position. Other scripts do not separate their words.
    fn starts_word(&self, at: usize) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (Some(before), Some(&after)) = (at.checked_sub(1), self.chars.get(at)) else { return true };
        self.after_space[at] || !is_word(self.chars[before]) || !is_word(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_whole_words_of_the_request() {
        let request = "The upload  fails\nwhen the file is Empty.";
        assert!(occurs("upload fails when", request));
        assert!(occurs("EMPTY", request));
        assert!(!occurs("load fails", request), "a part of a word");
        assert!(!occurs("e", request));
        assert!(!occurs("...", request));
        assert!(!occurs("upload succeeds", request));
        assert!(occurs("トークン", "認証トークンを検証する"));
    }

    #[test]
    fn a_value_is_about_its_quotation() {
        let request = "uploads of empty files crash";
        assert_eq!(check_slot("the upload of a file", "uploads of empty files", request, 0.0), Ok(()));
        assert_eq!(check_slot("colour of the menu", "crash", request, 0.1), Err(SlotError::Unrelated));
        assert_eq!(check_slot("it aborts", "crash", request, 0.5), Ok(()), "by meaning");
        assert_eq!(check_slot("", "crash", request, 1.0), Err(SlotError::Empty));
    }
}
