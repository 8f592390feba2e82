//! The arguments of `grep`: ripgrep's own flags, by their own names.

use clap::{ArgAction, Args};
use orient_engine::SearchScope;
use orient_grep::{Boundary, Case, Context, Layout, Mode, Pattern};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

/// What to search for, where, and how to show it.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of ripgrep")]
pub(crate) struct GrepArgs {
    /// What to search for: a regular expression, unless -F says that it is plain text
    #[arg(value_name = "PATTERN", required_unless_present_any = ["regexp", "file"])]
    pub(super) pattern: Option<String>,
    /// The files and folders to search; the folder you are in by default
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Search for this too; may be given several times, and starts with a dash if it likes
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    regexp: Vec<String>,
    /// Search for the lines of this file
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(super) file: Vec<PathBuf>,
    /// Take patterns as plain text
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Ignore case
    #[arg(short = 'i', long, overrides_with_all = ["case_sensitive", "smart_case"])]
    ignore_case: bool,
    /// Mind case; the default
    #[arg(short = 's', long, overrides_with_all = ["ignore_case", "smart_case"])]
    case_sensitive: bool,
    /// Ignore case unless a pattern has upper case
    #[arg(short = 'S', long, overrides_with_all = ["ignore_case", "case_sensitive"])]
    smart_case: bool,
    /// Only matches of whole words
    #[arg(short = 'w', long, overrides_with = "line_regexp")]
    word_regexp: bool,
    /// Only matches of whole lines
    #[arg(short = 'x', long, overrides_with = "word_regexp")]
    line_regexp: bool,
    /// The lines that do not match
    #[arg(short = 'v', long)]
    invert_match: bool,
    /// Let a match reach over several lines
    #[arg(short = 'U', long)]
    multiline: bool,
    /// With -U, let a dot match the end of a line
    #[arg(long)]
    multiline_dotall: bool,
    /// Take CRLF for the end of a line too
    #[arg(long)]
    crlf: bool,
    /// Take NUL for the end of a line
    #[arg(long)]
    null_data: bool,
    /// Classes and case of ASCII alone
    #[arg(long)]
    no_unicode: bool,
    /// Search binary files as if they were text
    #[arg(short = 'a', long)]
    text: bool,
    /// Search binary files to the end
    #[arg(long)]
    binary: bool,
    /// The encoding of all files, instead of UTF-8 and what byte order marks say
    #[arg(short = 'E', long, value_name = "ENCODING")]
    encoding: Option<String>,

    /// Show so many lines after each match
    #[arg(short = 'A', long, value_name = "NUM")]
    after_context: Option<usize>,
    /// Show so many lines before each match
    #[arg(short = 'B', long, value_name = "NUM")]
    before_context: Option<usize>,
    /// Show so many lines before and after each match
    #[arg(short = 'C', long, value_name = "NUM")]
    context: Option<usize>,
    /// Show all lines, those that do not match too
    #[arg(long)]
    passthru: bool,
    /// Only how many lines match, for each file that has some
    #[arg(short = 'c', long, overrides_with_all = ["count_matches", "files_with_matches", "files_without_match"])]
    count: bool,
    /// Only how many matches there are, for each file that has some
    #[arg(long, overrides_with_all = ["count", "files_with_matches", "files_without_match"])]
    count_matches: bool,
    /// With a count, files without a match too
    #[arg(long)]
    include_zero: bool,
    /// Only the paths of files with a match
    #[arg(short = 'l', long, overrides_with_all = ["count", "count_matches", "files_without_match"])]
    files_with_matches: bool,
    /// Only the paths of files without a match
    #[arg(long, overrides_with_all = ["count", "count_matches", "files_with_matches"])]
    files_without_match: bool,
    /// At most so many lines that match of each file
    #[arg(short = 'm', long, value_name = "NUM")]
    max_count: Option<u64>,
    /// Only the part of a line that matches
    #[arg(short = 'o', long)]
    only_matching: bool,
    /// Show this in place of what matches; $1 stands for the first group
    #[arg(short = 'r', long, value_name = "TEXT", allow_hyphen_values = true)]
    replace: Option<String>,

    /// Number lines; the default on a terminal
    #[arg(short = 'n', long, overrides_with = "no_line_number")]
    line_number: bool,
    /// Do not number lines
    #[arg(short = 'N', long, overrides_with = "line_number")]
    no_line_number: bool,
    /// Number columns
    #[arg(long)]
    column: bool,
    /// Show where a line starts in the file, in bytes
    #[arg(short = 'b', long)]
    byte_offset: bool,
    /// Put paths above what was found; the default on a terminal
    #[arg(long, overrides_with = "no_heading")]
    heading: bool,
    /// Put paths before each line
    #[arg(long, overrides_with = "heading")]
    no_heading: bool,
    /// Show paths even for one file
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    with_filename: bool,
    /// Show no paths
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    no_filename: bool,
    /// One line for each match, with path, line and column
    #[arg(long)]
    vimgrep: bool,
    /// As on a terminal: headings, numbers and colours
    #[arg(short = 'p', long)]
    pretty: bool,
    /// End paths with NUL
    #[arg(short = '0', long)]
    null: bool,
    /// Leave out space at the start of lines
    #[arg(long)]
    trim: bool,
    /// Do not show lines longer than this many bytes
    #[arg(short = 'M', long, value_name = "NUM")]
    max_columns: Option<u64>,
    /// Show the beginning of lines that are too long
    #[arg(long)]
    max_columns_preview: bool,
    /// What stands between lines that do not follow each other
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    context_separator: Option<String>,
    /// Nothing between lines that do not follow each other
    #[arg(long)]
    no_context_separator: bool,
    /// What stands behind path and numbers of a line that matches
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    field_match_separator: Option<String>,
    /// What stands behind path and numbers of other lines
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    field_context_separator: Option<String>,

    /// Only files that match this glob; after a `!`, no such files
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    glob: Vec<String>,
    /// The same, ignoring case
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
    iglob: Vec<String>,
    /// Only files of this type, by ripgrep's names: go, py, md
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    #[serde(rename = "type")]
    types: Vec<String>,
    /// No files of this type
    #[arg(short = 'T', long, value_name = "TYPE")]
    type_not: Vec<String>,
    /// One more type, as NAME:GLOB
    #[arg(long, value_name = "NAME:GLOB")]
    type_add: Vec<String>,
    /// Hidden files too
    #[arg(short = '.', long)]
    hidden: bool,
    /// Files that ignore files leave out, too
    #[arg(long)]
    no_ignore: bool,
    /// Files that .gitignore leaves out, too
    #[arg(long)]
    no_ignore_vcs: bool,
    /// Ignore files of folders above do not count
    #[arg(long)]
    no_ignore_parent: bool,
    /// Search more: once --no-ignore, twice --hidden too, three times --binary too
    #[arg(short = 'u', long, action = ArgAction::Count)]
    unrestricted: u8,
    /// Go at most so many folders deep
    #[arg(short = 'd', long, value_name = "NUM", alias = "maxdepth")]
    max_depth: Option<usize>,
    /// No files larger than this: 100K, 2M, 1G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    #[serde(default)]
    max_filesize: Option<u64>,
    /// Results are always sorted by path; for those who are used to say so
    #[arg(long, value_name = "BY", value_parser = ["path", "none"], hide = true)]
    sort: Option<String>,
    /// How many threads to search with
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
        _ => return Err("write for example 100K, 2M or 1G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "write for example 100K, 2M or 1G".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than there can be".to_owned())
}

/// What depends on where results are shown, where it was not said.
#[derive(Clone, Copy)]
pub(super) struct UnsetDefaults {
    pub(super) heading: Option<bool>,
    pub(super) line_numbers: Option<bool>,
    pub(super) colours: bool,
}

impl GrepArgs {
    /// What to look for.
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

    /// Whether all that stands without a flag is a path.
    pub(super) fn has_pattern_flag(&self) -> bool {
        !self.regexp.is_empty() || !self.file.is_empty()
    }

    /// How to show it, as far as that was said; `one_file` is whether a single file was named.
    pub(super) fn layout(&self, one_file: bool) -> (Layout, UnsetDefaults) {
        let usual = Layout::default();
        let context = if self.passthru {
            Context::Everything
        } else {
            let around = self.context.unwrap_or(0);
            Context::Around(self.before_context.unwrap_or(around), self.after_context.unwrap_or(around))
        };
        let context_separator = match &self.context_separator {
            _ if self.no_context_separator => None,
            Some(separator) => Some(unescaped(separator)),
            None => usual.context_separator,
        };
        let separator = |said: &Option<String>, usual| said.as_deref().map_or(usual, unescaped);
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
            match_separator: separator(&self.field_match_separator, usual.match_separator),
            field_separator: separator(&self.field_context_separator, usual.field_separator),
            trim: self.trim,
            max_columns: self.max_columns.filter(|most| *most > 0),
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
        (layout, UnsetDefaults { heading, line_numbers, colours: self.pretty })
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

    /// Where to search.
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

/// A separator with `\t`, `\n` and `\xNN` taken for what they stand for.
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
    fn sizes_and_separators_are_read_as_ripgrep_reads_them() {
        assert_eq!((size("12"), size("3K"), size("1G")), (Ok(12), Ok(3 << 10), Ok(1 << 30)));
        assert!(size("1T").is_err() && size("").is_err() && size("99999999999999G").is_err());
        assert_eq!(unescaped(r"a\tb\x41\\\q"), "a\tbA\\\\q");
    }
}
