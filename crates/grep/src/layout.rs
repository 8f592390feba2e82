//! How what is found is shown.

use crate::error::GrepError;
use crate::pattern::Pattern;
use grep_matcher::LineTerminator;
use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, Standard, StandardBuilder, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::{Encoding, SearcherBuilder};
use termcolor::WriteColor;

/// What is shown of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Lines that match.
    #[default]
    Lines,
    /// Messages in JSON, one on each line.
    Json,
    /// How many lines match.
    Count,
    /// How many matches there are.
    CountMatches,
    /// Its path, if it has a match.
    FilesWith,
    /// Its path, if it has none.
    FilesWithout,
}

/// Which lines are shown around those that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// So many before and after.
    Around(usize, usize),
    /// All there are.
    Everything,
}

/// How what is found is shown.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Layout {
    /// What is shown of a file.
    pub mode: Mode,
    /// Whether paths stand above what was found rather than before each line.
    pub heading: bool,
    /// Whether paths are shown at all.
    pub paths: bool,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// Whether columns are numbered.
    pub columns: bool,
    /// Whether the place in the file is shown, in bytes.
    pub byte_offsets: bool,
    /// Whether only what matches is shown of a line.
    pub only_matching: bool,
    /// Whether a line is shown once for each match.
    pub per_match: bool,
    /// What is shown in place of a match.
    pub replacement: Option<String>,
    /// Which other lines are shown.
    pub context: Context,
    /// What stands between lines that do not follow each other; nothing, not even a line, if none.
    pub context_separator: Option<String>,
    /// What stands behind the path and numbers of a line that matches.
    pub match_separator: String,
    /// What stands behind those of other lines.
    pub field_separator: String,
    /// Whether space at the start of lines is left out.
    pub trim: bool,
    /// Longer lines are not shown.
    pub max_columns: Option<u64>,
    /// Whether their beginning is.
    pub max_columns_preview: bool,
    /// How many lines that match are shown of a file.
    pub max_count: Option<u64>,
    /// Whether files without a match are counted too.
    pub include_zero: bool,
    /// Whether paths end with NUL.
    pub null: bool,
    /// Whether files are searched to the end that are not text.
    pub binary: bool,
    /// Whether colours are used.
    pub colours: bool,
    /// Whether line breaks in paths are written as `\n` and `\r`: for readers, not for programs.
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

/// What ends a line.
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
    /// Whether a file in which nothing matches shows nothing at all, so that it need not be looked at.
    pub fn shows_only_matches(&self) -> bool {
        self.mode != Mode::FilesWithout && !self.include_zero && self.context != Context::Everything
    }

    /// What stands between the lines of two files: a line that ends as lines of this search do.
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
