//! What every operation answers with: the data, how much of the whole it is, and how fresh.

pub(crate) mod escaped_json;
pub(crate) mod index_summary;
pub(crate) mod symbol_line;
pub(crate) mod unread_files;

use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::str::FromStr;

/// How many files that could not be caught up are named; the rest are counted.
const PENDING_NAMED: usize = 20;

/// An answer. `complete` is a promise: whatever was left out is in `reasons`, with totals.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answer<T> {
    /// What was asked for.
    pub(crate) data: T,
    /// Whether nothing was left out.
    pub(crate) complete: bool,
    /// Why something is missing; empty for a complete answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasons: Vec<String>,
    /// For a list: how many there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total: Option<u64>,
    /// For a list that goes on: what to give as `after` to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
    /// How fresh it is; absent where no index was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) freshness: Option<Freshness>,
    /// What else is good to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// Which state of the files an answer describes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Freshness {
    /// Grows with every change of the index.
    pub(crate) generation: u64,
    /// Whether the files were looked at; without that nobody knows what is pending.
    pub(crate) checked: bool,
    /// How many changed files the index has not caught up with.
    pub(crate) pending: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pending_files: Vec<String>,
}

impl Freshness {
    /// The state of a generation with these files not caught up.
    pub(crate) fn new(generation: u64, pending: impl ExactSizeIterator<Item = String>) -> Self {
        Self {
            generation,
            checked: true,
            pending: pending.len() as u64,
            pending_files: pending.take(PENDING_NAMED).collect(),
        }
    }
}

impl<T> Answer<T> {
    /// A complete answer that does not come from an index.
    pub(crate) fn new(data: T) -> Self {
        Self {
            data,
            complete: true,
            reasons: Vec::new(),
            total: None,
            next: None,
            freshness: None,
            notes: Vec::new(),
        }
    }

    /// A complete answer from an index; files not caught up make it partial.
    pub(crate) fn from_index(data: T, freshness: Freshness) -> Self {
        let mut answer = Self::new(data);
        if freshness.pending > 0 {
            let files = plural(freshness.pending, "changed file is", "changed files are");
            answer = answer.partial(format!("{files} not in the index yet"));
        }
        answer.freshness = Some(freshness);
        answer
    }

    /// The same, with something left out.
    #[must_use]
    pub(crate) fn partial(mut self, reason: impl Into<String>) -> Self {
        self.complete = false;
        self.reasons.push(reason.into());
        self
    }

    /// The same, with a remark.
    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same as a part of a list: from `start`, `shown` of `total`. What comes behind can be had with the cursor.
    #[must_use]
    pub(crate) fn listed(mut self, start: u64, shown: u64, total: u64) -> Self {
        self.total = Some(total);
        if start + shown < total {
            let generation = self.freshness.as_ref().map_or(0, |freshness| freshness.generation);
            self.next = Some(Cursor { offset: start + shown, generation }.to_string());
        }
        if shown < total {
            self = self.partial(format!("{} of {} shown", count(shown), count(total)));
        }
        self
    }

    /// Writes what surrounds the data: what is missing, what is pending, what else is good to know.
    pub(crate) fn remarks(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for reason in &self.reasons {
            writer.put(Style::Warn, "partial: ")?;
            writer.line(Style::Plain, reason)?;
        }
        if let Some(next) = &self.next {
            writer.put(Style::Dim, "more: ")?;
            writer.line(Style::Plain, &format!("--after {next}, or all with --limit 0"))?;
        }
        if let Some(freshness) = self.freshness.as_ref().filter(|freshness| freshness.pending > 0) {
            for path in freshness.pending_files.iter().take(5) {
                writer.put(Style::Warn, "pending: ")?;
                writer.line(Style::Path, path)?;
            }
        }
        for note in &self.notes {
            writer.put(Style::Dim, "note: ")?;
            writer.line(Style::Plain, note)?;
        }
        Ok(())
    }
}

/// Where a list goes on: the place of the next row, and the generation that place was counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) struct Cursor {
    /// How many rows come before it.
    pub(crate) offset: u64,
    /// The generation of the list.
    pub(crate) generation: u64,
}

/// The part of a list that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageWindow {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
    generation: Option<u64>,
}

impl PageWindow {
    /// From what was asked: zero means no limit.
    pub(crate) fn new(limit: Option<u64>, usual: u64, after: Option<Cursor>) -> Self {
        let limit = match limit.unwrap_or(usual) {
            0 => usize::MAX,
            limit => usize::try_from(limit).unwrap_or(usize::MAX),
        };
        let offset = after.map_or(0, |cursor| usize::try_from(cursor.offset).unwrap_or(usize::MAX));
        Self { offset, limit, generation: after.map(|cursor| cursor.generation) }
    }

    /// Says in the answer which part it is, and when the list is no longer the one the cursor was counted in.
    pub(crate) fn paginate<T>(self, answer: Answer<T>, shown: usize, total: usize) -> Answer<T> {
        let now = answer.freshness.as_ref().map(|freshness| freshness.generation);
        let moved = self.generation.is_some_and(|then| Some(then) != now);
        let answer = answer.listed(self.offset as u64, shown as u64, total as u64);
        if moved {
            return answer
                .note("the index has changed since the first part: rows may be missing or repeated");
        }
        answer
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.offset, self.generation)
    }
}

impl TryFrom<String> for Cursor {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once('@')
            .and_then(|(offset, generation)| {
                Some(Self { offset: offset.parse().ok()?, generation: generation.parse().ok()? })
            })
            .ok_or_else(|| {
                format!("{text:?} is not a place in a list; give what the answer before named, such as 50@7")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remarks(answer: &Answer<()>) -> String {
        let mut text = String::new();
        answer.remarks(&mut TextWriter::new(&mut text)).expect("a string takes everything");
        text
    }

    #[test]
    fn a_part_of_a_list_says_how_to_get_the_rest() {
        let fresh = Freshness { generation: 7, ..Freshness::default() };
        let answer = Answer::from_index((), fresh.clone()).listed(0, 50, 1234);
        assert!(!answer.complete);
        assert_eq!(answer.next.as_deref(), Some("50@7"));
        assert_eq!(
            remarks(&answer),
            "partial: 50 of 1,234 shown\nmore: --after 50@7, or all with --limit 0\n"
        );

        let last = Answer::from_index((), fresh.clone()).listed(1200, 34, 1234);
        assert_eq!((last.complete, last.next), (false, None), "the last part is still a part");
        let whole = Answer::from_index((), fresh).listed(0, 3, 3);
        assert_eq!((whole.complete, whole.next), (true, None));
    }

    #[test]
    fn files_not_caught_up_are_named() {
        let fresh = Freshness::new(7, vec!["src/a.go".to_owned()].into_iter());
        let answer = Answer::from_index((), fresh);
        assert_eq!(remarks(&answer), "partial: 1 changed file is not in the index yet\npending: src/a.go\n");
    }

    #[test]
    fn cursors_read_back() {
        let cursor = Cursor { offset: 50, generation: 7 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        assert!("50".parse::<Cursor>().is_err());
    }
}
