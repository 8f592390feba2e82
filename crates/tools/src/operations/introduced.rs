//! `introduced`: the commits in which a text, pattern or symbol appeared and disappeared.

use crate::answer::Answer;
use crate::error::{Code, Exit, ToolError};
use crate::history::commit_filter::CommitFilter;
use crate::history::commit_line::CommitLine;
use crate::history::{history_error, left_out_commits, open, shallow_note};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::RefreshDepth;
use orient_history::Oid;
use regex::bytes::{Regex, RegexBuilder};
use serde::Serialize;
use std::io;
use std::ops::ControlFlow;

pub(crate) struct Introduced;

const DEFAULT_LIMIT: usize = 50;
/// Maximum number of files listed for a commit.
const MAX_FILES: usize = 20;
/// Maximum memory of a compiled pattern.
const MAX_PATTERN: usize = 10 << 20;

/// Arguments of `introduced`.
#[derive(Args)]
pub(crate) struct IntroducedArgs {
    /// A text, exactly as written in the code, or a regular expression between slashes: `/retry_\w+/`
    #[arg(value_name = "TEXT|/REGEX/")]
    text: String,
    /// Only files below this path
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Only commits from this date or age on
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only commits whose author's name or address contains this
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,
    /// Maximum number of commits, newest first; the first commit is always among them
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// Where a text came from and went.
#[derive(Serialize)]
pub(crate) struct IntroducedOut {
    /// The text or pattern.
    text: String,
    /// The commit in which it first appeared.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<OccurrenceCommit>,
    /// The branches and tags that contain that commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    contained_in: Option<ContainedIn>,
    /// Every commit that added or removed an occurrence, newest first.
    commits: Vec<OccurrenceCommit>,
    /// Total number of these commits.
    total: u64,
    /// Whether the current commit contains it.
    present: bool,
}

/// The branches and tags that contain a commit.
#[derive(Serialize)]
struct ContainedIn {
    /// Local branches, by name.
    branches: Vec<String>,
    /// Tags, the earliest first.
    tags: Vec<String>,
}

/// A commit that changed the number of occurrences.
#[derive(Clone, Serialize)]
struct OccurrenceCommit {
    /// The commit.
    #[serde(flatten)]
    commit: CommitLine,
    /// The files.
    files: Vec<OccurrenceFile>,
}

/// A file and its occurrences.
#[derive(Clone, Serialize)]
struct OccurrenceFile {
    /// The path.
    path: String,
    /// The previous path of a renamed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    /// Number of occurrences before the commit.
    before: u32,
    /// Number of occurrences after it.
    after: u32,
}

impl TypedOperation for Introduced {
    const NAME: &'static str = "introduced";
    const ABOUT: &'static str = "Find the commits that added or removed a text, and the first of them";
    const DETAILS: &'static str = "\
Counts the text in every file before and after every commit, as `git log -S` does: a commit is listed if the number of occurrences in a \
file changes; a file that was only renamed is not. Merges are omitted: what they bring is in their parents.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "introduced MAX_RETRIES", about: "a name" },
        Example {
            command: "introduced MAX_RETRIES --path src --since 1y",
            about: "below a path, in the last year",
        },
        Example { command: "introduced '/retry_\\w+/'", about: "a regular expression" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    const ANY_REVISION: bool = false;
    type Args = IntroducedArgs;
    type Out = IntroducedOut;

    fn run(session: &Session<'_>, args: IntroducedArgs) -> Result<Answer<IntroducedOut>, ToolError> {
        let pattern = pattern(&args.text)?;
        let filter = CommitFilter::new(args.since.as_deref(), None, args.author.as_deref(), None)?;
        let below =
            args.path.as_deref().map(|path| path.trim_start_matches("./").trim_end_matches('/').to_owned());
        let snapshot = session.snapshot()?;
        let mut history = open(session)?;
        let start = history.revision("HEAD").map_err(|error| history_error(&error))?;
        let mut found: Vec<(Oid, Vec<OccurrenceFile>)> = Vec::new();
        // Added minus removed occurrences of all commits: what is there now.
        let mut sum = 0_i64;
        let searched = history.occurrences(start, pattern, &mut |_, id, changes| {
            let files: Vec<OccurrenceFile> = changes
                .into_iter()
                .map(|change| OccurrenceFile {
                    path: change.path.display().into_owned(),
                    was: change.old_path.map(|path| path.display().into_owned()),
                    before: change.before,
                    after: change.after,
                })
                .filter(|file| below.as_ref().is_none_or(|below| is_below(&file.path, below)))
                .collect();
            sum += files.iter().map(|file| i64::from(file.after) - i64::from(file.before)).sum::<i64>();
            if !files.is_empty() {
                found.push((id, files));
            }
            Ok(ControlFlow::Continue(()))
        });
        searched.map_err(|error| history_error(&error))?;
        let (mut commits, mut first) = (Vec::new(), None);
        for (id, mut files) in found {
            let commit = history.commit(&id).map_err(|error| history_error(&error))?;
            if filter.passes(&commit) {
                let adds = files.iter().any(|file| file.after > file.before);
                files.truncate(MAX_FILES);
                let commit = OccurrenceCommit { commit: CommitLine::new(&commit), files };
                if adds {
                    first = Some((id, commit.clone()));
                }
                commits.push(commit);
            }
        }
        let total = commits.len() as u64;
        let contained_in = first.as_ref().map(|(id, _)| history.containing_refs(id));
        let contained_in = contained_in.transpose().map_err(|error| history_error(&error))?.flatten();
        let contained_in = contained_in.map(|refs| ContainedIn { branches: refs.branches, tags: refs.tags });
        let first = first.map(|(_, commit)| commit);
        commits.truncate(args.limit.unwrap_or(DEFAULT_LIMIT).max(1));
        let out = IntroducedOut { text: args.text, first, contained_in, commits, total, present: sum > 0 };
        let mut answer = session.answer(&snapshot, out);
        answer.add_notes(shallow_note(&history));
        answer.add_doubts(left_out_commits(history.left_out()));
        Ok(answer)
    }

    fn text(out: &IntroducedOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let Some(first) = &out.first else {
            return writer.own_line(Style::Warn, "no commit adds `{}`", &[&out.text]);
        };
        writer.own_line(Style::Head, "introduced by", &[])?;
        first.write(writer)?;
        if let Some(refs) = &out.contained_in {
            refs.write(writer)?;
        }
        writer.own_line(Style::Head, "every commit that added or removed it, newest first", &[])?;
        for commit in &out.commits {
            commit.write(writer)?;
        }
        if (out.commits.len() as u64) < out.total {
            writer.own_line(
                Style::Dim,
                "{} more; raise `limit`",
                &[&(out.total - out.commits.len() as u64).to_string()],
            )?;
        }
        if !out.present {
            writer.own_line(Style::Dim, "the current commit does not contain it", &[])?;
        }
        Ok(())
    }

    fn exit(out: &IntroducedOut) -> Exit {
        if out.total == 0 { Exit::Nothing } else { Exit::Ok }
    }
}

impl ContainedIn {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        const MAX_BRANCHES: usize = 5;
        let mut parts = Vec::new();
        if let Some(tag) = self.tags.first() {
            parts.push(match self.tags.len() {
                1 => format!("tag {tag}"),
                all => format!("{all} tags since {tag}"),
            });
        }
        if !self.branches.is_empty() {
            let shown = self.branches.iter().take(MAX_BRANCHES).cloned().collect::<Vec<_>>().join(", ");
            let more = self.branches.len().saturating_sub(MAX_BRANCHES);
            parts.push(if more > 0 {
                format!("branches {shown} and {more} more")
            } else {
                format!("branches {shown}")
            });
        }
        if parts.is_empty() {
            return Ok(());
        }
        // The names come from the repository.
        writer.put(Style::Dim, &format!("    in {}", parts.join("; ")))?;
        writer.end_line()
    }
}

impl OccurrenceCommit {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        self.commit.write(writer)?;
        writer.end_line()?;
        for file in &self.files {
            writer
                .put(Style::Number, &format!("    {:+}  ", i64::from(file.after) - i64::from(file.before)))?;
            writer.put(Style::Path, &file.path)?;
            if let Some(was) = &file.was {
                writer.put(Style::Dim, &format!(" was {was}"))?;
            }
            writer.end_line()?;
        }
        Ok(())
    }
}

fn is_below(path: &str, below: &str) -> bool {
    path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || below.is_empty())
}

/// A text as it is, or a regular expression between slashes.
fn pattern(typed: &str) -> Result<Regex, ToolError> {
    if typed.is_empty() {
        return Err(ToolError::new(Code::BadArgument, "the text is empty"));
    }
    let regex =
        typed.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|inner| !inner.is_empty());
    let source = regex.map_or_else(|| regex::escape(typed), str::to_owned);
    RegexBuilder::new(&source).multi_line(true).size_limit(MAX_PATTERN).build().map_err(|error| {
        ToolError::new(Code::BadArgument, format!("`{typed}` is not a regular expression: {error}"))
            .hint("without slashes, the text is searched for as it is")
    })
}
