//! A commit in an answer: short id, date, author, subject.

use crate::history::calendar::date;
use crate::text::writer::{Style, TextWriter};
use orient_history::Commit;
use serde::Serialize;
use std::io;

/// A commit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CommitLine {
    /// The abbreviated id.
    pub(crate) commit: String,
    /// When it was written, in the author's time zone.
    pub(crate) date: String,
    /// Who wrote it, as `.mailmap` names them.
    pub(crate) author: String,
    /// The first line of the message.
    pub(crate) subject: String,
}

impl CommitLine {
    pub(crate) fn new(commit: &Commit) -> Self {
        Self {
            commit: commit.short_id(),
            date: date(commit.author.seconds, commit.author.offset),
            author: commit.author.name.clone(),
            subject: commit.subject().to_owned(),
        }
    }

    /// Writes the commit without ending the line.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Number, &self.commit)?;
        writer.put(Style::Dim, &format!(" {} {}  ", self.date, self.author))?;
        writer.put(Style::Plain, &self.subject)
    }
}
