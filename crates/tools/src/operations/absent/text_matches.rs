//! Matching lines of a text or regular expression in a list of files, with ripgrep's matcher.

use super::Violation;
use crate::error::ToolError;
use crate::session::Session;
use orient_engine::{EngineError, SearchFile, TrigramQuery, to_native};
use orient_grep::{Boundary, Case, Layout, Mode, Pattern, Search, in_batches};
use orient_model::RepoPath;
use serde_json::Value;

/// A text or regular expression.
pub(super) struct TextPattern<'p> {
    pub(super) text: &'p str,
    pub(super) literal: bool,
    pub(super) ignore_case: bool,
    pub(super) word: bool,
}

/// The matching lines, and messages about files that could not be read.
pub(super) struct TextMatches {
    pub(super) violations: Vec<Violation>,
    pub(super) errors: Vec<String>,
}

impl TextPattern<'_> {
    fn pattern(&self) -> Pattern {
        Pattern {
            patterns: vec![self.text.to_owned()],
            literal: self.literal,
            case: if self.ignore_case { Case::Insensitive } else { Case::Sensitive },
            boundary: self.word.then_some(Boundary::Word),
            ..Pattern::default()
        }
    }

    /// The trigrams that every matching file contains.
    pub(super) fn required(&self) -> TrigramQuery {
        self.pattern().required()
    }

    /// Searches the current text of the files.
    pub(super) fn search(&self, session: &Session<'_>, paths: &[RepoPath]) -> Result<TextMatches, ToolError> {
        let layout = Layout { mode: Mode::Json, line_numbers: true, ..Layout::default() };
        let search = Search::new(self.pattern(), layout)?;
        let tree = session.reader()?;
        let mut found = TextMatches { violations: Vec::new(), errors: Vec::new() };
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            match to_native(path) {
                // A file named explicitly is searched to its end even if it has a NUL byte.
                Some(shown) => files.push(SearchFile { path: path.clone(), shown, explicit: true }),
                None => found.errors.push(path.display().into_owned()),
            }
        }
        let mut output = Vec::new();
        let threads = session.threads()?;
        let totals = search
            .run(&*tree, in_batches(&files, threads), threads, &mut |bytes| {
                output.extend_from_slice(bytes);
                Ok(())
            })
            .map_err(EngineError::from)?;
        found.errors.extend(totals.errors);
        let messages = output.split(|byte| *byte == b'\n');
        found.violations.extend(messages.filter_map(|message| self.violation(message)));
        Ok(found)
    }

    /// The violation of a message of ripgrep's JSON output, if it is a match.
    fn violation(&self, message: &[u8]) -> Option<Violation> {
        let message: Value = serde_json::from_slice(message).ok()?;
        if message["type"] != "match" {
            return None;
        }
        let data = &message["data"];
        Some(Violation {
            path: data["path"]["text"].as_str().unwrap_or("a path that is not UTF-8").to_owned(),
            line: data["line_number"].as_u64().unwrap_or_default(),
            text: data["lines"]["text"].as_str().unwrap_or("a line that is not UTF-8").trim_end().to_owned(),
            pattern: self.text.to_owned(),
        })
    }
}
