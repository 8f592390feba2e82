//! Filters of commits: date, author, message.

use crate::error::ToolError;
use crate::history::calendar::{moment, now};
use orient_history::Commit;

/// Which commits an answer contains.
#[derive(Default)]
pub(crate) struct CommitFilter {
    since: Option<i64>,
    until: Option<i64>,
    author: Option<String>,
    message: Option<String>,
}

impl CommitFilter {
    pub(crate) fn new(
        since: Option<&str>,
        until: Option<&str>,
        author: Option<&str>,
        message: Option<&str>,
    ) -> Result<Self, ToolError> {
        let now = now();
        Ok(Self {
            since: since.map(|typed| moment(typed, now, false)).transpose()?,
            until: until.map(|typed| moment(typed, now, true)).transpose()?,
            author: author.map(str::to_lowercase),
            message: message.map(str::to_lowercase),
        })
    }

    /// Whether a commit passes. Dates are those of committing, as in git.
    pub(crate) fn passes(&self, commit: &Commit) -> bool {
        let time = commit.committer.seconds;
        let contains = |part: &Option<String>, text: &str| {
            part.as_ref().is_none_or(|part| text.to_lowercase().contains(part))
        };
        self.since.is_none_or(|since| time >= since)
            && self.until.is_none_or(|until| time <= until)
            && (contains(&self.author, &commit.author.name) || contains(&self.author, &commit.author.email))
            && contains(&self.message, &commit.message)
    }
}
