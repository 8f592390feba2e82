//! Search patterns: the options of a pattern and its matcher.

use crate::error::GrepError;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use orient_text::{PatternSyntax, TrigramQuery};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Number of matchers that are kept: those of the questions that are answered at the same time.
const MAX_MATCHERS: usize = 8;

/// Case sensitivity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Case-sensitive.
    #[default]
    Sensitive,
    /// Case-insensitive.
    Insensitive,
    /// Case-insensitive unless the pattern contains upper case.
    Smart,
}

/// Required boundaries of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Word boundaries.
    Word,
    /// Line boundaries.
    Line,
}

/// A search for any of several patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Pattern {
    /// The patterns.
    pub patterns: Vec<String>,
    /// Whether they are literals.
    pub literal: bool,
    /// Case sensitivity.
    pub case: Case,
    /// Required boundaries of a match.
    pub boundary: Option<Boundary>,
    /// Whether to find lines that do not match.
    pub invert: bool,
    /// Whether a match may span several lines.
    pub multiline: bool,
    /// Whether a dot then matches line terminators.
    pub dot_all: bool,
    /// Whether CRLF is a line terminator too.
    pub crlf: bool,
    /// Whether NUL is the line terminator.
    pub null_data: bool,
    /// Whether character classes and case folding are ASCII-only.
    pub ascii: bool,
    /// Whether to search binary files as text.
    pub text: bool,
    /// The encoding of all files, `auto` or `none`; by default it is detected by the byte order mark.
    pub encoding: Option<String>,
}

impl Pattern {
    /// The trigrams that a matching file must contain. None are required if the search is inverted or re-encodes files.
    pub fn required(&self) -> TrigramQuery {
        if self.invert || self.encoding.as_deref().is_some_and(|encoding| encoding != "auto") {
            return TrigramQuery::All;
        }
        let dialect = PatternSyntax {
            literal: self.literal,
            ignore_case: self.case != Case::Sensitive,
            unicode: !self.ascii,
        };
        orient_text::required_trigrams(self.patterns.iter().map(String::as_str), dialect)
    }

    /// The matcher, configured as in ripgrep. The latest are kept: all roots of a question search for the same pattern, and compiling it may take as
    /// long as searching one of them.
    pub(crate) fn matcher(&self) -> Result<RegexMatcher, GrepError> {
        static LATEST: Mutex<VecDeque<(Pattern, RegexMatcher)>> = Mutex::new(VecDeque::new());
        let latest = || LATEST.lock().unwrap_or_else(PoisonError::into_inner);
        let known = latest().iter().find(|(pattern, _)| pattern == self).map(|(_, matcher)| matcher.clone());
        if let Some(matcher) = known {
            return Ok(matcher);
        }
        let matcher = self.compile()?;
        let mut latest = latest();
        latest.truncate(MAX_MATCHERS - 1);
        latest.push_front((self.clone(), matcher.clone()));
        Ok(matcher)
    }

    fn compile(&self) -> Result<RegexMatcher, GrepError> {
        let mut builder = RegexMatcherBuilder::new();
        builder.multi_line(true).unicode(!self.ascii).octal(false).fixed_strings(self.literal);
        builder.case_insensitive(self.case == Case::Insensitive).case_smart(self.case == Case::Smart);
        builder.word(self.boundary == Some(Boundary::Word)).whole_line(self.boundary == Some(Boundary::Line));
        if self.multiline {
            builder.dot_matches_new_line(self.dot_all);
            if self.crlf {
                builder.crlf(true).line_terminator(None);
            }
        } else {
            builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
            if self.crlf {
                builder.crlf(true);
            }
            if self.null_data {
                builder.line_terminator(Some(b'\0'));
            }
        }
        if !self.text && !self.null_data {
            builder.ban_byte(Some(b'\0'));
        }
        builder.build_many(&self.patterns).map_err(|error| GrepError::pattern(&error, &self.patterns))
    }
}
