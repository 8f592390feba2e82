//! What to look for.

use crate::error::GrepError;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use orient_text::{Dialect, Query};

/// What case means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Upper and lower case differ.
    #[default]
    Sensitive,
    /// They are the same.
    Insensitive,
    /// They are the same unless the pattern has upper case.
    Smart,
}

/// Where a match must begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// At the edges of words.
    Word,
    /// At the edges of lines.
    Line,
}

/// What to look for: any of several patterns.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Pattern {
    /// The patterns.
    pub patterns: Vec<String>,
    /// Whether they are plain text.
    pub literal: bool,
    /// What case means.
    pub case: Case,
    /// Where a match must begin and end.
    pub boundary: Option<Boundary>,
    /// Whether lines are wanted that do not match.
    pub invert: bool,
    /// Whether a match may reach over several lines.
    pub multiline: bool,
    /// Whether a dot then matches the end of a line.
    pub dot_all: bool,
    /// Whether lines end with CRLF too.
    pub crlf: bool,
    /// Whether lines end with NUL instead.
    pub null_data: bool,
    /// Whether classes and case are those of ASCII alone.
    pub ascii: bool,
    /// Whether files are searched that are not text.
    pub text: bool,
    /// The encoding of all files, `auto` or `none`; without it, what their first bytes say.
    pub encoding: Option<String>,
}

impl Pattern {
    /// What a file must have that matches. Asks for nothing where the bytes in the index are not those that are
    /// searched, and where it is the other lines that are wanted.
    pub fn required(&self) -> Query {
        if self.invert || self.encoding.as_deref().is_some_and(|encoding| encoding != "auto") {
            return Query::All;
        }
        let dialect = Dialect {
            literal: self.literal,
            ignore_case: self.case != Case::Sensitive,
            unicode: !self.ascii,
        };
        orient_text::required(self.patterns.iter().map(String::as_str), dialect)
    }

    /// The matcher, set up as ripgrep sets up its own.
    pub(crate) fn matcher(&self) -> Result<RegexMatcher, GrepError> {
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
        builder.build_many(&self.patterns).map_err(|error| GrepError::pattern(&error))
    }
}
