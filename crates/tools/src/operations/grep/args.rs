//! The arguments of `grep`: ripgrep's flags.

use clap::{ArgAction, Args};
use orient_engine::SearchScope;
use orient_grep::{Boundary, Case, Context, Layout, Mode, Pattern};
use std::path::PathBuf;

/// Arguments of `grep`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of ripgrep")]
pub(crate) struct GrepArgs {
    /// A regular expression; plain text with -F
    #[arg(value_name = "PATTERN", required_unless_present_any = ["regexp", "file"])]
    pub(super) pattern: Option<String>,
    /// Files and directories to search; default: the current directory
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// A further pattern; may be repeated, and may begin with `-`
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<String>,
    /// Read patterns from this file, one per line
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(super) file: Vec<PathBuf>,
    /// Treat patterns as plain text
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Case-insensitive
    #[arg(short = 'i', long, overrides_with_all = ["case_sensitive", "smart_case"])]
    ignore_case: bool,
    /// Case-sensitive; the default
    #[arg(short = 's', long, overrides_with_all = ["ignore_case", "smart_case"])]
    case_sensitive: bool,
    /// Case-insensitive unless a pattern contains an upper-case letter
    #[arg(short = 'S', long, overrides_with_all = ["ignore_case", "case_sensitive"])]
    smart_case: bool,
    /// Only match whole words
    #[arg(short = 'w', long, overrides_with = "line_regexp")]
    word_regexp: bool,
    /// Only match whole lines
    #[arg(short = 'x', long, overrides_with = "word_regexp")]
    line_regexp: bool,
    /// Print lines that do not match
    #[arg(short = 'v', long)]
    invert_match: bool,
    /// Allow matches across lines
    #[arg(short = 'U', long)]
    multiline: bool,
    /// With -U, let `.` match line breaks
    #[arg(long)]
    multiline_dotall: bool,
    /// Treat CRLF as a line break too
    #[arg(long)]
    crlf: bool,
    /// Treat NUL as the line break
    #[arg(long)]
    null_data: bool,
    /// ASCII-only character classes and case folding
    #[arg(long)]
    no_unicode: bool,
    /// Search binary files as if they were text
    #[arg(short = 'a', long)]
    text: bool,
    /// Search binary files completely
    #[arg(long)]
    binary: bool,
    /// The encoding of all files; default: UTF-8, or by byte order mark
    #[arg(short = 'E', long, value_name = "ENCODING")]
    encoding: Option<String>,

    /// Number of lines to print after each match
    #[arg(short = 'A', long, value_name = "NUM")]
    after_context: Option<usize>,
    /// Number of lines to print before each match
    #[arg(short = 'B', long, value_name = "NUM")]
    before_context: Option<usize>,
    /// Number of lines to print before and after each match
    #[arg(short = 'C', long, value_name = "NUM")]
    context: Option<usize>,
    /// Print all lines, including those that do not match
    #[arg(long)]
    passthru: bool,
    /// Print only the number of matching lines per file
    #[arg(short = 'c', long, overrides_with_all = ["count_matches", "files_with_matches", "files_without_match"])]
    count: bool,
    /// Print only the number of matches per file
    #[arg(long, overrides_with_all = ["count", "files_with_matches", "files_without_match"])]
    count_matches: bool,
    /// With a count, include files without a match
    #[arg(long)]
    include_zero: bool,
    /// Print only the paths of files with a match
    #[arg(short = 'l', long, overrides_with_all = ["count", "count_matches", "files_without_match"])]
    files_with_matches: bool,
    /// Print only the paths of files without a match
    #[arg(long, overrides_with_all = ["count", "count_matches", "files_with_matches"])]
    files_without_match: bool,
    /// Maximum number of lines of text; 0 means all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) limit: usize,
    /// Maximum number of matching lines per file
    #[arg(short = 'm', long, value_name = "NUM")]
    max_count: Option<u64>,
    /// Print only the matching parts of lines
    #[arg(short = 'o', long)]
    only_matching: bool,
    /// Replace matches by this text; $1 is the first group
    #[arg(short = 'r', long, value_name = "TEXT", allow_hyphen_values = true)]
    replace: Option<String>,

    /// Print line numbers; the default on a terminal
    #[arg(short = 'n', long, overrides_with = "no_line_number")]
    line_number: bool,
    /// Do not print line numbers
    #[arg(short = 'N', long, overrides_with = "line_number")]
    no_line_number: bool,
    /// Print column numbers
    #[arg(long)]
    column: bool,
    /// Print the byte offset of each line
    #[arg(short = 'b', long)]
    byte_offset: bool,
    /// Print paths above the matches; the default on a terminal
    #[arg(long, overrides_with = "no_heading")]
    heading: bool,
    /// Print the path before each line
    #[arg(long, overrides_with = "heading")]
    no_heading: bool,
    /// Print paths even for a single file
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    with_filename: bool,
    /// Do not print paths
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    no_filename: bool,
    /// Print one line per match, with path, line and column
    #[arg(long)]
    vimgrep: bool,
    /// Print headings, line numbers and colours, as on a terminal
    #[arg(short = 'p', long)]
    pretty: bool,
    /// Terminate paths with NUL
    #[arg(short = '0', long)]
    null: bool,
    /// Remove leading white space
    #[arg(long)]
    trim: bool,
    /// Do not print lines longer than this many bytes
    #[arg(short = 'M', long, value_name = "NUM")]
    max_columns: Option<u64>,
    /// Print the beginning of lines that are too long
    #[arg(long)]
    max_columns_preview: bool,
    /// The separator between groups of lines
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    context_separator: Option<String>,
    /// No separator between groups of lines
    #[arg(long)]
    no_context_separator: bool,
    /// The separator after path and numbers of a matching line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    field_match_separator: Option<String>,
    /// The separator after path and numbers of other lines
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    field_context_separator: Option<String>,

    /// Only files that match this glob; with a leading `!`, exclude them
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    glob: Vec<String>,
    /// Like --glob, case-insensitive
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
    iglob: Vec<String>,
    /// Only files of this type, by ripgrep's names: go, py, md
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Exclude files of this type
    #[arg(short = 'T', long, value_name = "TYPE")]
    type_not: Vec<String>,
    /// Define a type, as NAME:GLOB
    #[arg(long, value_name = "NAME:GLOB")]
    type_add: Vec<String>,
    /// Search hidden files
    #[arg(short = '.', long)]
    hidden: bool,
    /// Do not use ignore files
    #[arg(long)]
    no_ignore: bool,
    /// Do not use .gitignore
    #[arg(long)]
    no_ignore_vcs: bool,
    /// Do not use ignore files of parent directories
    #[arg(long)]
    no_ignore_parent: bool,
    /// Search more files: -u is --no-ignore, -uu adds --hidden, -uuu adds --binary
    #[arg(short = 'u', long, action = ArgAction::Count)]
    unrestricted: u8,
    /// Maximum depth of directories
    #[arg(short = 'd', long, value_name = "NUM", alias = "maxdepth")]
    max_depth: Option<usize>,
    /// Maximum file size: 100K, 2M, 1G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_filesize: Option<u64>,
    /// Accepted for compatibility: results are always sorted by path
    #[arg(long, value_name = "BY", value_parser = ["path", "none"], hide = true)]
    sort: Option<String>,
    /// Number of threads
    #[arg(short = 'j', long, value_name = "NUM")]
    pub(super) threads: Option<usize>,
}

fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err("for example 100K, 2M or 1G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "for example 100K, 2M or 1G".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "the size is too large".to_owned())
}

/// Options whose default depends on where the results are shown; `None` if not set.
#[derive(Clone, Copy)]
pub(super) struct DisplayOptions {
    pub(super) heading: Option<bool>,
    pub(super) line_numbers: Option<bool>,
    pub(super) colours: bool,
}

impl GrepArgs {
    /// The pattern.
    pub(super) fn pattern(&self, mut patterns: Vec<String>) -> Pattern {
        patterns.extend(self.regexp.iter().cloned());
        let case = match (self.ignore_case, self.smart_case) {
            (true, _) => Case::Insensitive,
            (false, true) => Case::Smart,
            (false, false) => Case::Sensitive,
        };
        let boundary = match (self.word_regexp, self.line_regexp) {
            (true, _) => Some(Boundary::Word),
            (false, true) => Some(Boundary::Line),
            (false, false) => None,
        };
        Pattern {
            patterns,
            literal: self.fixed_strings,
            case,
            boundary,
            invert: self.invert_match,
            multiline: self.multiline,
            dot_all: self.multiline_dotall,
            crlf: self.crlf,
            null_data: self.null_data,
            ascii: self.no_unicode,
            text: self.text,
            encoding: self.encoding.clone(),
        }
    }

    /// Whether the pattern is given by a flag, so that all positional arguments are paths.
    pub(super) fn has_pattern_flag(&self) -> bool {
        !self.regexp.is_empty() || !self.file.is_empty()
    }

    /// The layout, and the options that depend on the output; `one_file` is whether a single file is searched.
    pub(super) fn layout(&self, one_file: bool) -> (Layout, DisplayOptions) {
        let default = Layout::default();
        let context = if self.passthru {
            Context::Everything
        } else {
            let around = self.context.unwrap_or(0);
            Context::Around(self.before_context.unwrap_or(around), self.after_context.unwrap_or(around))
        };
        let context_separator = match &self.context_separator {
            _ if self.no_context_separator => None,
            Some(separator) => Some(unescaped(separator)),
            None => default.context_separator,
        };
        let separator = |value: &Option<String>, default| value.as_deref().map_or(default, unescaped);
        let layout = Layout {
            mode: self.mode(),
            paths: self.with_filename || !self.no_filename && (self.vimgrep || !one_file),
            columns: self.column || self.vimgrep,
            byte_offsets: self.byte_offset,
            only_matching: self.only_matching,
            per_match: self.vimgrep,
            replacement: self.replace.clone(),
            context,
            context_separator,
            match_separator: separator(&self.field_match_separator, default.match_separator),
            field_separator: separator(&self.field_context_separator, default.field_separator),
            trim: self.trim,
            max_columns: self.max_columns.filter(|max| *max > 0),
            max_columns_preview: self.max_columns_preview,
            max_count: self.max_count,
            include_zero: self.include_zero,
            null: self.null,
            binary: self.binary || self.unrestricted >= 3,
            ..Layout::default()
        };
        let heading = match (self.heading || self.pretty, self.no_heading) {
            _ if self.vimgrep => Some(false),
            (true, false) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let line_numbers = match (self.line_number, self.no_line_number) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ if self.pretty || self.column || self.vimgrep => Some(true),
            _ => None,
        };
        (layout, DisplayOptions { heading, line_numbers, colours: self.pretty })
    }

    fn mode(&self) -> Mode {
        if self.files_with_matches {
            Mode::FilesWith
        } else if self.files_without_match {
            Mode::FilesWithout
        } else if self.count && !self.only_matching || self.count_matches && self.invert_match {
            Mode::Count
        } else if self.count || self.count_matches {
            Mode::CountMatches
        } else {
            Mode::Lines
        }
    }

    /// The files to search.
    pub(super) fn scope(&self, base: PathBuf, paths: Vec<PathBuf>) -> SearchScope {
        SearchScope {
            base,
            paths,
            hidden: self.hidden || self.unrestricted >= 2,
            no_ignore: self.no_ignore || self.unrestricted >= 1,
            no_ignore_vcs: self.no_ignore_vcs,
            no_ignore_parent: self.no_ignore_parent,
            globs: self.glob.clone(),
            iglobs: self.iglob.clone(),
            types: self.types.clone(),
            types_not: self.type_not.clone(),
            types_add: self.type_add.clone(),
            max_depth: self.max_depth,
            max_file_size: self.max_filesize,
            ..SearchScope::default()
        }
    }
}

/// A separator with `\t`, `\n` and `\xNN` decoded.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let hex = behind.strip_prefix('x').and_then(|hex| u8::from_str_radix(hex.get(..2)?, 16).ok());
        let (c, length) = match (behind.chars().next(), hex) {
            (_, Some(byte)) if byte.is_ascii() => (char::from(byte), 3),
            (Some('t'), _) => ('\t', 1),
            (Some('n'), _) => ('\n', 1),
            (Some('r'), _) => ('\r', 1),
            (Some('0'), _) => ('\0', 1),
            (Some('\\'), _) => ('\\', 1),
            _ => ('\\', 0),
        };
        plain.push(c);
        rest = &behind[length..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_separators_are_parsed_like_in_ripgrep() {
        assert_eq!((size("12"), size("3K"), size("1G")), (Ok(12), Ok(3 << 10), Ok(1 << 30)));
        assert!(size("1T").is_err() && size("").is_err() && size("99999999999999G").is_err());
        assert_eq!(unescaped(r"a\tb\x41\\\q"), "a\tbA\\\\q");
    }
}
