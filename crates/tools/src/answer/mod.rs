//! The answer of an operation: data, completeness, freshness, notes, and a cursor for the rest.

mod cause;
pub(crate) mod completeness;
pub(crate) mod escaped_json;
pub(crate) mod index_summary;
mod note;
mod outside_uses;
mod pagination;
pub(crate) mod symbol_line;
pub(crate) mod unread_files;

use crate::session::revision::AnsweredRevision;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
pub(crate) use cause::{Cause, CauseCount, Doubt};
pub use note::Note;
pub(crate) use pagination::{Cursor, PageWindow, limit_or_all};
use serde::Serialize;
use std::io;

/// Maximum number of pending files that are named; the rest are counted.
const MAX_PENDING_NAMED: usize = 20;

/// An answer.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<T> {
    /// The requested data.
    pub(crate) data: T,
    /// Everything but the data: what it says of itself is the same code for all answers.
    #[serde(flatten)]
    pub(crate) metadata: AnswerMetadata,
}

/// Everything about an answer but its data. If anything is left out, `complete` is false and `reasons` says what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerMetadata {
    /// Whether nothing is left out.
    pub complete: bool,
    /// Why something is missing; empty for a complete answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Note>,
    /// The causes of these reasons, each with its number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) causes: Vec<CauseCount>,
    /// Total number of rows, for a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The value of `after` that continues the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The state of the index; absent if the answer does not come from an index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) freshness: Option<Freshness>,
    /// The revision that the answer describes; absent for the working tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<AnsweredRevision>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Whether a name in the request matches no symbol, or several: the data lists candidates.
    #[serde(skip)]
    pub unresolved_name: bool,
}

impl Default for AnswerMetadata {
    /// Of a complete answer that does not come from an index.
    fn default() -> Self {
        Self {
            complete: true,
            reasons: Vec::new(),
            causes: Vec::new(),
            total: None,
            next: None,
            freshness: None,
            at: None,
            notes: Vec::new(),
            unresolved_name: false,
        }
    }
}

/// The state of the files that an answer describes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Freshness {
    /// The generation of the index; every change increments it.
    pub(crate) generation: u64,
    /// Whether the files were compared with the index. If not, `pending` is unknown.
    pub(crate) checked: bool,
    /// Number of changed files that the index does not contain yet.
    pub(crate) pending: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pending_files: Vec<String>,
}

impl Freshness {
    /// The state of a generation in which these files are pending.
    pub(crate) fn new(generation: u64, pending: impl ExactSizeIterator<Item = String>) -> Self {
        Self {
            generation,
            checked: true,
            pending: pending.len() as u64,
            pending_files: pending.take(MAX_PENDING_NAMED).collect(),
        }
    }
}

impl<T> Answer<T> {
    /// A complete answer that does not come from an index.
    pub(crate) fn new(data: T) -> Self {
        Self { data, metadata: AnswerMetadata::default() }
    }

    /// The same answer with other data.
    pub(crate) fn with_data<U>(self, data: U) -> Answer<U> {
        Answer { data, metadata: self.metadata }
    }

    /// The same answer, marked as partial for a reason.
    #[must_use]
    pub(crate) fn partial(mut self, doubt: Doubt) -> Self {
        self.metadata.add_doubts(vec![doubt]);
        self
    }

    /// Adds reasons why the answer is not complete.
    pub(crate) fn add_doubts(&mut self, doubts: impl IntoIterator<Item = Doubt>) {
        self.metadata.add_doubts(doubts.into_iter().collect());
    }

    /// The same answer with a note.
    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<Note>) -> Self {
        self.metadata.notes.push(note.into());
        self
    }

    /// Adds notes.
    pub(crate) fn add_notes<N: Into<Note>>(&mut self, notes: impl IntoIterator<Item = N>) {
        self.metadata.notes.extend(notes.into_iter().map(Into::into));
    }
}

impl AnswerMetadata {
    /// Of an answer from an index: partial if files are pending, else complete.
    pub(crate) fn from_index(freshness: Freshness) -> Self {
        let mut metadata = Self::default();
        if freshness.pending > 0 {
            let files = plural(freshness.pending, "changed file is", "changed files are");
            let text = format!("{files} not in the index yet");
            metadata.add_doubts(vec![Doubt::new(Cause::Pending, freshness.pending, text)]);
        }
        metadata.freshness = Some(freshness);
        metadata
    }

    /// The generation of the index; absent if the answer does not come from an index.
    pub fn generation(&self) -> Option<u64> {
        self.freshness.as_ref().map(|freshness| freshness.generation)
    }

    /// Whether the files were compared with the index, or none was needed.
    pub fn is_checked(&self) -> bool {
        self.freshness.as_ref().is_none_or(|freshness| freshness.checked)
    }

    /// Number of changed files that the index does not contain yet.
    pub fn pending(&self) -> u64 {
        self.freshness.as_ref().map_or(0, |freshness| freshness.pending)
    }

    /// The first of them.
    pub fn pending_files(&self) -> &[String] {
        self.freshness.as_ref().map_or(&[], |freshness| &freshness.pending_files)
    }

    /// The strongest reason why the answer may lack something.
    pub(crate) fn strongest_doubt(&self) -> Option<&Note> {
        let (at, _) = self.causes.iter().enumerate().min_by_key(|(at, count)| (count.cause, *at))?;
        self.reasons.get(at)
    }

    /// Adds reasons why the answer is not complete.
    pub(crate) fn add_doubts(&mut self, doubts: Vec<Doubt>) {
        for Doubt { count, note } in doubts {
            self.complete = false;
            self.causes.push(count);
            self.reasons.push(note);
        }
    }

    /// Takes back all reasons why the answer may lack something.
    pub(crate) fn clear_doubts(&mut self) {
        (self.complete, self.reasons, self.causes) = (true, Vec::new(), Vec::new());
    }

    /// Names the root that it is about.
    pub(crate) fn name_root(&mut self, root: &str) {
        for note in self.reasons.iter_mut().chain(&mut self.notes) {
            note.text = format!("{root}: {}", note.text);
        }
        if let Some(freshness) = &mut self.freshness {
            for path in &mut freshness.pending_files {
                *path = format!("{root}/{path}");
            }
        }
    }

    /// Writes the reasons, the cursor, the pending files and the notes.
    pub(crate) fn write_notes(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for reason in &self.reasons {
            writer.put(Style::Warn, "partial: ")?;
            writer.line(Style::Plain, &reason.with_flag())?;
        }
        if let Some(next) = &self.next {
            writer.put(Style::Dim, "more: ")?;
            writer.line(Style::Plain, &format!("--after {next}, or all with --limit 0"))?;
        }
        for path in self.pending_files().iter().take(5) {
            writer.put(Style::Warn, "pending: ")?;
            writer.line(Style::Path, path)?;
        }
        if let Some(at) = &self.at {
            at.write(writer)?;
        }
        for note in &self.notes {
            writer.put(Style::Dim, "note: ")?;
            writer.line(Style::Plain, &note.with_flag())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(metadata: &AnswerMetadata) -> String {
        let mut text = String::new();
        metadata.write_notes(&mut TextWriter::new(&mut text)).expect("a string takes everything");
        text
    }

    fn page(start: u64, shown: u64, total: u64) -> AnswerMetadata {
        let freshness = Freshness { generation: 7, ..Freshness::default() };
        let mut metadata = AnswerMetadata::from_index(freshness);
        metadata.set_rows(start, shown, total);
        metadata
    }

    #[test]
    fn a_page_of_a_list_says_how_to_get_the_rest() {
        let first = page(0, 50, 1234);
        assert!(!first.complete);
        assert_eq!(first.next.as_deref(), Some("50@7"));
        assert_eq!(notes(&first), "partial: 50 of 1,234 shown\nmore: --after 50@7, or all with --limit 0\n");

        let last = page(1200, 34, 1234);
        assert_eq!((last.complete, last.next), (false, None), "the last page is still partial");
        let whole = page(0, 3, 3);
        assert_eq!((whole.complete, whole.next), (true, None));
    }

    #[test]
    fn pending_files_are_named() {
        let metadata = AnswerMetadata::from_index(Freshness::new(7, vec!["src/a.go".to_owned()].into_iter()));
        assert_eq!(notes(&metadata), "partial: 1 changed file is not in the index yet\npending: src/a.go\n");
    }
}
