//! Output options, and the ripgrep printers and searchers for them.

use crate::error::GrepError;
use crate::pattern::Pattern;
use grep_matcher::LineTerminator;
use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, Standard, StandardBuilder, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::{Encoding, SearcherBuilder};
use termcolor::WriteColor;

/// What is printed for a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Matching lines.
    #[default]
    Lines,
    /// JSON Lines messages.
    Json,
    /// The number of matching lines.
    Count,
    /// The number of matches.
    CountMatches,
    /// Its path, if it has a match.
    FilesWith,
    /// Its path, if it has no match.
    FilesWithout,
}

/// Context lines around matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// This many lines before and after.
    Around(usize, usize),
    /// All lines.
    Everything,
}

/// Output options.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Layout {
    /// What is printed for a file.
    pub mode: Mode,
    /// Whether to print paths as headings instead of before each line.
    pub heading: bool,
    /// Whether to print paths.
    pub paths: bool,
    /// Whether to print line numbers.
    pub line_numbers: bool,
    /// Whether to print column numbers.
    pub columns: bool,
    /// Whether to print byte offsets.
    pub byte_offsets: bool,
    /// Whether to print only the matching part of a line.
    pub only_matching: bool,
    /// Whether to print a line once per match.
    pub per_match: bool,
    /// The replacement of matches.
    pub replacement: Option<String>,
    /// Context lines.
    pub context: Context,
    /// The line between groups that are not adjacent; `None` prints no line.
    pub context_separator: Option<String>,
    /// The separator after the path and numbers of a matching line.
    pub match_separator: String,
    /// The same for context lines.
    pub field_separator: String,
    /// Whether to trim leading white space.
    pub trim: bool,
    /// Maximum length of a line; longer lines are omitted.
    pub max_columns: Option<u64>,
    /// Whether to print the beginning of omitted lines.
    pub max_columns_preview: bool,
    /// Maximum number of matching lines per file.
    pub max_count: Option<u64>,
    /// Whether to print counts of zero.
    pub include_zero: bool,
    /// Whether to terminate paths with NUL.
    pub null: bool,
    /// Whether to search binary files to the end.
    pub binary: bool,
    /// Whether to use colours.
    pub colours: bool,
    /// Whether to escape line breaks in paths as `\n` and `\r`.
    pub paths_on_one_line: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            mode: Mode::Lines,
            heading: false,
            paths: true,
            line_numbers: false,
            columns: false,
            byte_offsets: false,
            only_matching: false,
            per_match: false,
            replacement: None,
            context: Context::Around(0, 0),
            context_separator: Some("--".to_owned()),
            match_separator: ":".to_owned(),
            field_separator: "-".to_owned(),
            trim: false,
            max_columns: None,
            max_columns_preview: false,
            max_count: None,
            include_zero: false,
            null: false,
            binary: false,
            colours: false,
            paths_on_one_line: false,
        }
    }
}

/// One of ripgrep's printers.
pub(crate) enum Printer<W> {
    Lines(Box<Standard<W>>),
    Summary(Box<Summary<W>>),
    Json(Box<JSON<W>>),
}

impl<W: WriteColor> Printer<W> {
    pub(crate) fn get_mut(&mut self) -> &mut W {
        match self {
            Self::Lines(printer) => printer.get_mut(),
            Self::Summary(printer) => printer.get_mut(),
            Self::Json(printer) => printer.get_mut(),
        }
    }
}

/// The line terminator of a search.
fn terminator(pattern: &Pattern) -> LineTerminator {
    if pattern.crlf {
        LineTerminator::crlf()
    } else if pattern.null_data {
        LineTerminator::byte(b'\0')
    } else {
        LineTerminator::byte(b'\n')
    }
}

impl Layout {
    /// Whether a file without a match prints nothing, so that it need not be read.
    pub fn shows_only_matches(&self) -> bool {
        self.mode != Mode::FilesWithout && !self.include_zero && self.context != Context::Everything
    }

    /// The separator between the output of two files, with the line terminator of the search.
    pub(crate) fn file_separator(&self, pattern: &Pattern) -> Option<Vec<u8>> {
        let text = match self.context {
            _ if self.mode != Mode::Lines => None,
            _ if self.heading => Some(""),
            Context::Around(0, 0) | Context::Everything => None,
            Context::Around(..) => self.context_separator.as_deref(),
        };
        text.map(|text| [text.as_bytes(), terminator(pattern).as_bytes()].concat())
    }

    pub(crate) fn searcher(&self, pattern: &Pattern) -> Result<SearcherBuilder, GrepError> {
        let mut builder = SearcherBuilder::new();
        builder
            .max_matches(self.max_count)
            .line_terminator(terminator(pattern))
            .invert_match(pattern.invert)
            .line_number(self.line_numbers)
            .multi_line(pattern.multiline);
        match self.context {
            Context::Everything => builder.passthru(true),
            Context::Around(before, after) => builder.before_context(before).after_context(after),
        };
        match pattern.encoding.as_deref() {
            None | Some("auto") => {}
            Some("none") => {
                builder.bom_sniffing(false);
            }
            Some(label) => {
                let encoding = Encoding::new(label).map_err(|_| GrepError::Encoding(label.to_owned()))?;
                builder.encoding(Some(encoding));
            }
        }
        Ok(builder)
    }

    pub(crate) fn printer<W: WriteColor>(&self, out: W) -> Printer<W> {
        let kind = match self.mode {
            Mode::Lines => return Printer::Lines(Box::new(self.standard(out))),
            Mode::Json => {
                let replacement = self.replacement.clone().map(String::into_bytes);
                return Printer::Json(Box::new(JSONBuilder::new().replacement(replacement).build(out)));
            }
            Mode::Count => SummaryKind::Count,
            Mode::CountMatches => SummaryKind::CountMatches,
            Mode::FilesWith => SummaryKind::PathWithMatch,
            Mode::FilesWithout => SummaryKind::PathWithoutMatch,
        };
        let mut builder = SummaryBuilder::new();
        builder
            .color_specs(ColorSpecs::default_with_color())
            .exclude_zero(!self.include_zero)
            .kind(kind)
            .path(self.paths)
            .path_terminator(self.null.then_some(b'\0'))
            .separator_field(b":".to_vec());
        Printer::Summary(Box::new(builder.build(out)))
    }

    fn standard<W: WriteColor>(&self, out: W) -> Standard<W> {
        let mut builder = StandardBuilder::new();
        builder
            .byte_offset(self.byte_offsets)
            .color_specs(ColorSpecs::default_with_color())
            .column(self.columns)
            .heading(self.heading)
            .max_columns_preview(self.max_columns_preview)
            .max_columns(self.max_columns)
            .only_matching(self.only_matching)
            .path(self.paths)
            .path_terminator(self.null.then_some(b'\0'))
            .per_match_one_line(true)
            .per_match(self.per_match)
            .replacement(self.replacement.clone().map(String::into_bytes))
            .separator_context(self.context_separator.clone().map(String::into_bytes))
            .separator_field_context(self.field_separator.clone().into_bytes())
            .separator_field_match(self.match_separator.clone().into_bytes())
            .trim_ascii(self.trim);
        builder.build(out)
    }
}
