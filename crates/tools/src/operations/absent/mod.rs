//! `absent`: checks that no file in scope contains a pattern, and proves that every file was searched.

mod text_matches;

use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Doubt};
use crate::arguments::enum_values;
use crate::arguments::file_scope::{FileScope, candidates};
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::operations::find;
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{FileRow, RefreshDepth, SkipReason, Snapshot};
use orient_model::RepoPath;
use orient_structural::QuerySpec;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

pub(crate) struct Absent;

/// Default number of violations shown.
const DEFAULT_LIMIT: u64 = 100;
/// Maximum number of skipped files that the text form names.
const MAX_NAMED: usize = 10;

/// Arguments of `absent`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct AbsentArgs {
    /// What must not occur: regular expressions; plain text with -F, code with --structural
    #[arg(value_name = "PATTERN", required = true)]
    patterns: Vec<String>,
    /// Treat patterns as plain text
    #[arg(short = 'F', long, conflicts_with = "structural")]
    fixed_strings: bool,
    /// Treat patterns as code with metavariables, as in `find`
    #[arg(long)]
    structural: bool,
    /// Case-insensitive
    #[arg(short, long)]
    ignore_case: bool,
    /// Only match whole words
    #[arg(short, long)]
    word_regexp: bool,
    /// Only files of these languages; the language of the patterns with --structural
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    lang: Vec<String>,
    /// Only these files, directories or globs; default: the whole tree
    #[arg(long = "in", value_name = "PATH", value_delimiter = ',')]
    within: Vec<String>,
    /// Files, directories or globs where the patterns may occur
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    exclude: Vec<String>,
    /// Only files with these roles: source, test, generated, vendored, doc, config
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    role: Vec<String>,
    /// How serious a violation is: error (default) or warning, which exits with code 0
    #[arg(long, value_name = "SEVERITY")]
    severity: Option<String>,
    /// Why the patterns must not occur, printed with violations
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Maximum number of violations shown; 0 means all; default: 100
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// The result of a check.
#[derive(Serialize)]
pub(crate) struct AbsentOut {
    /// `pass`, `fail`, or `unproven` if a file in scope could not be searched and no other violates.
    verdict: &'static str,
    /// `error` or `warning`.
    severity: &'static str,
    /// The patterns.
    patterns: Vec<String>,
    /// The reason given by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The violations by path and line.
    violations: Vec<Violation>,
    /// Number of violations.
    count: u64,
    /// Number of files with a violation.
    files: u64,
    /// Number of files in scope.
    in_scope: u64,
    /// How many of them were read.
    searched: u64,
    /// How many the index rules out: they do not contain what every match contains.
    ruled_out: u64,
    /// Files in scope that hold no text or could not be searched.
    skipped: Vec<SkippedFile>,
}

/// A match of a pattern.
#[derive(Serialize)]
pub(super) struct Violation {
    /// The file.
    path: String,
    /// The line.
    line: u64,
    /// The line's text.
    text: String,
    /// The pattern.
    pattern: String,
}

/// A file that was not searched.
#[derive(Serialize)]
struct SkippedFile {
    /// The file.
    path: String,
    /// The reason.
    reason: String,
    /// Whether it could contain a match, so that the check proves nothing about it.
    unproven: bool,
}

impl TypedOperation for Absent {
    const NAME: &'static str = "absent";
    const ABOUT: &'static str = "Check that patterns occur nowhere, with proof";
    const DETAILS: &'static str = "\
For CI and for agents: PASS or the violations, and how every file in scope was checked: read, or ruled out by the index \
because it lacks what every match contains. Files that hold no text are named; a file that could not be searched makes the \
result UNPROVEN. Ignored files are out of scope. Exits with code 0 for PASS and for warnings, 1 for violations, 5 if unproven.";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "absent 'console\\.log' --in src --exclude '**/*_test.*'",
            about: "a regular expression in a directory",
        },
        Example {
            command: "absent -F TODO FIXME --severity warning",
            about: "plain text, only as a warning",
        },
        Example {
            command: "absent '$X.unwrap()' --structural --lang rust --role source",
            about: "a pattern of code",
        },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    type Args = AbsentArgs;
    type Out = AbsentOut;

    fn run(session: &Session<'_>, args: AbsentArgs) -> Result<Answer<AbsentOut>, ToolError> {
        let severity = args.severity.as_deref().unwrap_or("error");
        enum_values::one_of("severity", severity, &["error", "warning"])?;
        if args.patterns.iter().all(String::is_empty) {
            return Err(ToolError::new(Code::BadArgument, "a pattern is required"));
        }
        let snapshot = session.snapshot()?;
        let scope = FileScope::new(session, &snapshot, &args.within, &args.exclude, &args.role)?;
        let mut check = if args.structural {
            structural(session, &snapshot, &scope, &args)?
        } else {
            text(session, &snapshot, &scope, &args)?
        };
        for path in session.pending() {
            if scope.contains(&path) && snapshot.file(&path)?.is_none() {
                check.skipped.push(skipped(&path, "changed after the index was refreshed", true));
            }
        }
        check.violations.sort_by(|a, b| (&a.path, a.line, &a.pattern).cmp(&(&b.path, b.line, &b.pattern)));
        let files: BTreeSet<&str> = check.violations.iter().map(|one| one.path.as_str()).collect();
        let (files, total) = (files.len() as u64, check.violations.len());
        let limit = match args.limit.unwrap_or(DEFAULT_LIMIT) {
            0 => usize::MAX,
            limit => usize::try_from(limit).unwrap_or(usize::MAX),
        };
        check.violations.truncate(limit);
        let is_unproven = check.skipped.iter().any(|file| file.unproven);
        let out = AbsentOut {
            verdict: match (total, is_unproven) {
                (0, false) => "pass",
                (0, true) => "unproven",
                _ => "fail",
            },
            severity: if severity == "warning" { "warning" } else { "error" },
            patterns: args.patterns,
            message: args.message,
            count: total as u64,
            files,
            in_scope: check.in_scope as u64,
            searched: check.searched as u64,
            ruled_out: (check.in_scope - check.searched) as u64,
            skipped: check.skipped,
            violations: check.violations,
        };
        let shown = out.violations.len() as u64;
        let mut answer = session.answer_within(&snapshot, AnswerScope::FilesRead, out);
        answer.add_notes(scope.notes);
        if shown < total as u64 {
            let text = format!("{} of {} violations shown", count(shown), count(total as u64));
            answer = answer.partial(Doubt::limit(total as u64 - shown, text));
        }
        Ok(answer)
    }

    fn text(out: &AbsentOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let patterns: Vec<String> = out.patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
        let (word, tone) = match (out.verdict, out.severity) {
            ("pass", _) => ("PASS", Style::Head),
            ("unproven", _) => ("UNPROVEN", Style::Warn),
            (_, "warning") => ("WARN", Style::Warn),
            _ => ("FAIL", Style::Warn),
        };
        writer.put(tone, word)?;
        let found = if out.count == 0 {
            "no match".to_owned()
        } else {
            let places = plural(out.count, "violation", "violations");
            format!("{places} in {}", plural(out.files, "file", "files"))
        };
        writer.line(Style::Plain, &format!("  {found} of {}", patterns.join(", ")))?;
        if let Some(message) = out.message.as_ref().filter(|_| out.count > 0) {
            writer.line(Style::Plain, &format!("  {message}"))?;
        }
        let mut last = "";
        for violation in &out.violations {
            if violation.path != last {
                writer.line(Style::Path, &violation.path)?;
                last = &violation.path;
            }
            writer.put(Style::Number, &format!("  {}", violation.line))?;
            writer.line(Style::Plain, &format!("  {}", violation.text))?;
        }
        let scope = plural(out.in_scope, "file", "files");
        let (searched, ruled_out) = (count(out.searched), count(out.ruled_out));
        let proof = format!("{scope} in scope: {searched} read, {ruled_out} ruled out by the index");
        writer.line(Style::Dim, &proof)?;
        for file in out.skipped.iter().take(MAX_NAMED) {
            writer.put(Style::Dim, "not searched: ")?;
            writer.put(Style::Path, &file.path)?;
            writer.line(Style::Dim, &format!("  {}", file.reason))?;
        }
        if out.skipped.len() > MAX_NAMED {
            let more = count((out.skipped.len() - MAX_NAMED) as u64);
            writer.line(Style::Dim, &format!("not searched: {more} more; --json names all"))?;
        }
        Ok(())
    }

    fn exit(out: &AbsentOut) -> Exit {
        match (out.verdict, out.severity) {
            ("pass", _) | ("fail", "warning") => Exit::Ok,
            ("unproven", _) => Exit::Failed,
            _ => Exit::Nothing,
        }
    }
}

/// The outcome of a check.
#[derive(Default)]
struct Check {
    violations: Vec<Violation>,
    in_scope: usize,
    searched: usize,
    skipped: Vec<SkippedFile>,
}

fn skipped(path: &RepoPath, reason: &str, unproven: bool) -> SkippedFile {
    SkippedFile { path: path.display().into_owned(), reason: reason.to_owned(), unproven }
}

/// Checks patterns of code.
fn structural(
    session: &Session<'_>,
    snapshot: &Snapshot,
    scope: &FileScope,
    args: &AbsentArgs,
) -> Result<Check, ToolError> {
    let mut check = Check::default();
    for pattern in &args.patterns {
        let spec = QuerySpec { pattern: pattern.clone(), ..QuerySpec::default() };
        let queries = find::compile(snapshot, scope, &args.lang, &spec)?;
        if let Some(query) = queries.iter().find(|query| query.has_syntax_error()) {
            let message = format!("`{pattern}` is not complete code of {}", query.language());
            let hint = "write a complete expression, statement or definition";
            return Err(ToolError::new(Code::BadArgument, message).hint(hint));
        }
        let found = find::search(session, snapshot, scope, &queries)?;
        check.in_scope = check.in_scope.max(found.in_scope);
        check.searched = check.searched.max(found.searched);
        for (path, reason) in found.not_searched {
            check.skipped.push(skipped(&path, &reason, true));
        }
        check.violations.extend(found.matches.into_iter().map(|one| Violation {
            path: one.path,
            line: one.line.into(),
            text: one.lines.lines().next().unwrap_or_default().to_owned(),
            pattern: pattern.clone(),
        }));
    }
    // Only text in the language counts, and a file too large to parse may be one.
    for (path, reason) in scope.skipped(snapshot)? {
        let could_match = matches!(reason, SkipReason::Unreadable(_) | SkipReason::TooLarge { .. });
        check.skipped.push(skipped(&path, &reason.to_string(), could_match));
    }
    check.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    check.skipped.dedup_by(|a, b| a.path == b.path);
    Ok(check)
}

/// Checks text and regular expressions. Files that are too large for the index are read too.
fn text(
    session: &Session<'_>,
    snapshot: &Snapshot,
    scope: &FileScope,
    args: &AbsentArgs,
) -> Result<Check, ToolError> {
    let languages = enum_values::languages(&args.lang, snapshot)?;
    let indexed = scope.indexed(snapshot, &languages)?;
    let mut check = Check { in_scope: indexed.len(), ..Check::default() };
    let mut large: Vec<RepoPath> = Vec::new();
    for (path, reason) in scope.skipped(snapshot)? {
        match reason {
            SkipReason::TooLarge { .. } if languages.is_empty() => large.push(path),
            SkipReason::Unreadable(_) | SkipReason::Pending | SkipReason::TooLarge { .. } => {
                check.skipped.push(skipped(&path, &reason.to_string(), true));
            }
            SkipReason::Binary
            | SkipReason::Link
            | SkipReason::Special
            | SkipReason::Vanished
            | SkipReason::NestedRepository => {
                check.skipped.push(skipped(&path, &reason.to_string(), false));
            }
        }
    }
    check.in_scope += large.len();
    for pattern in &args.patterns {
        let text_pattern = text_matches::TextPattern {
            text: pattern,
            literal: args.fixed_strings,
            ignore_case: args.ignore_case,
            word: args.word_regexp,
        };
        let required = text_pattern.required();
        let files: Vec<FileRow> = candidates(session, snapshot, indexed.clone(), &required)?;
        let paths: Vec<RepoPath> =
            files.iter().map(|file| file.path.clone()).chain(large.iter().cloned()).collect();
        check.searched = check.searched.max(paths.len());
        let found = text_pattern.search(session, &paths)?;
        for error in found.errors {
            check.skipped.push(SkippedFile { path: error, reason: "unreadable".to_owned(), unproven: true });
        }
        check.violations.extend(found.violations);
    }
    check.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    check.skipped.dedup_by(|a, b| a.path == b.path);
    Ok(check)
}
