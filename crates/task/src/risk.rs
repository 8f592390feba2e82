//! The risk of a task: by what the request leaves open, raised by what depends on the code.

use crate::frame::{Frame, FrameSlot};
use crate::intent::{Intent, words};
use std::fmt;
use std::str::FromStr;

words! {
    /// How much can go wrong.
    Risk {
        /// Little.
        Low = "low",
        /// Something.
        Medium = "medium",
        /// Much.
        High = "high",
    }
}

/// Direct callers from which a symbol counts as used in many places.
pub const MANY_CALLERS: u64 = 10;

/// What depends on the code that a task is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Impact {
    /// Direct callers of the named symbols.
    pub callers: u64,
    /// Whether one of them is visible outside its module.
    pub public: bool,
    /// Tests that reach them.
    pub tests: u64,
    /// Whether there are named symbols at all.
    pub known: bool,
}

/// The risk by intent and frame. For pure markup, no trigger is expected.
pub fn assess_risk(intent: Intent, frame: &Frame, markup: bool) -> Risk {
    let expected = |slot: FrameSlot| !markup || slot != FrameSlot::TriggerCondition;
    let missing = |slot: FrameSlot| expected(slot) && !frame.contains_key(&slot);
    if intent == Intent::Modify && (missing(FrameSlot::ObservedIssue) || missing(FrameSlot::TriggerCondition))
    {
        return Risk::High;
    }
    if FrameSlot::ALL.iter().all(|&slot| !missing(slot)) {
        return Risk::Low;
    }
    match intent {
        Intent::Implement | Intent::Modify => Risk::Medium,
        Intent::Investigate | Intent::Question => Risk::Low,
    }
}

/// The risk raised by impact: by one level if many places call the code, or if it is public and no test reaches it; by two if
/// all of it holds. Reading raises nothing.
pub fn raised(risk: Risk, intent: Intent, impact: Impact) -> Risk {
    if !intent.writes() || !impact.known {
        return risk;
    }
    let many = impact.callers >= MANY_CALLERS;
    let untested = impact.public && impact.tests == 0;
    let levels = usize::from(many) + usize::from(untested);
    let at = Risk::ALL.iter().position(|&one| one == risk).unwrap_or_default() + levels;
    Risk::ALL.get(at).copied().unwrap_or(Risk::High)
}
