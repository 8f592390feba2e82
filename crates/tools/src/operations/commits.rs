//! `commits`: search for commits by words and by meaning.

use crate::answer::Answer;
use crate::arguments::program_arguments::Word;
use crate::error::{Code, Exit, ToolError};
use crate::history::commit_filter::CommitFilter;
use crate::history::commit_line::CommitLine;
use crate::history::patch::unified;
use crate::history::{coverage_note, extended_index, history_error, left_out_commits, open, shallow_note};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::{Style, TextWriter};
use clap::{Args, ValueEnum};
use orient_engine::RefreshDepth;
use orient_model::RepoPath;
use orient_timeline::{CommitHit, CommitQuery, TextKind, search_commits};
use serde::Serialize;
use std::fmt::Write as _;
use std::io;

pub(crate) struct Commits;

const DEFAULT_LIMIT: usize = 5;
/// Maximum number of lines of a hunk.
const MAX_HUNK_LINES: usize = 14;
/// Maximum length of a line of a hunk, in bytes.
const MAX_LINE: usize = 200;

/// Arguments of `commits`.
#[derive(Args)]
pub(crate) struct CommitsArgs {
    /// A question, or words of the message or of the changed lines
    #[arg(value_name = "QUESTION", required = true)]
    question: Vec<Word>,
    /// Only commits from this date or age on: 2026-03-31, 2026-03, 30d, 6w, 3m, 1y
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only commits up to this date or age
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Only commits whose author's name or address contains this
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,
    /// Which words count: those of the message, of the diff, or both
    #[arg(long, value_enum, default_value_t)]
    kind: Kind,
    /// Only commits that changed a file of this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// Only commits that changed a file below this path
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Maximum number of commits
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// Which words count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Those of messages and of changed lines
    #[default]
    Any,
    /// Those of messages
    Message,
    /// Those of changed lines, paths and symbols
    Diff,
}

/// The commits that answer.
#[derive(Serialize)]
pub(crate) struct CommitsOut {
    /// The question.
    question: String,
    /// The commits, best first.
    commits: Vec<FoundCommit>,
}

/// A commit that answers.
#[derive(Serialize)]
struct FoundCommit {
    /// The commit.
    #[serde(flatten)]
    commit: CommitLine,
    /// How well it answers; comparable within one answer.
    score: f32,
    /// The file whose changed lines answer best.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// These lines as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    hunk: Option<String>,
}

impl TypedOperation for Commits {
    const NAME: &'static str = "commits";
    const ABOUT: &'static str = "Find commits by words and by meaning, in messages and diffs";
    const DETAILS: &'static str = "\
Ranks commits by the words of their message and of the lines, paths and symbols that they changed, and by the similarity of their meaning to \
the question, computed with the built-in embedding model. Each hit shows the hunk with most of the words. Diffs are searched as far as the history is \
indexed (`orient index --history`, or a server while it is idle); other commits are searched by their message.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "commits \"why are retries limited\"", about: "a question" },
        Example {
            command: "commits timeout --kind message --since 1y",
            about: "by the message, in the last year",
        },
        Example {
            command: "commits \"lock order\" --path src/server --author ann",
            about: "below a path, by an author",
        },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    const ANY_REVISION: bool = false;
    type Args = CommitsArgs;
    type Out = CommitsOut;

    fn run(session: &Session<'_>, args: CommitsArgs) -> Result<Answer<CommitsOut>, ToolError> {
        let filter =
            CommitFilter::new(args.since.as_deref(), args.until.as_deref(), args.author.as_deref(), None)?;
        let question = args.question.join(" ");
        if question.trim().is_empty() {
            return Err(ToolError::new(Code::BadArgument, "the question is empty"));
        }
        let snapshot = session.snapshot()?;
        let mut history = open(session)?;
        let start = history.revision("HEAD").map_err(|error| history_error(&error))?;
        let mut index = extended_index(session, &mut history, &start)?;
        let below = args.path.as_deref();
        let below = below.map(|path| RepoPath::from(path.trim_start_matches("./").trim_end_matches('/')));
        let query = CommitQuery {
            text: &question,
            kind: match args.kind {
                Kind::Any => TextKind::Any,
                Kind::Message => TextKind::Message,
                Kind::Diff => TextKind::Diff,
            },
            below: below.as_ref(),
            language: args.lang.as_deref(),
            limit: args.limit.unwrap_or(DEFAULT_LIMIT).max(1),
        };
        let hits = search_commits(&mut index, &mut history, start, &query, &|commit| filter.passes(commit))
            .map_err(|error| history_error(&error))?;
        let commits = hits.iter().map(FoundCommit::new).collect();
        let mut answer = session.answer(&snapshot, CommitsOut { question, commits });
        answer.add_notes(coverage_note(&index));
        answer.add_notes(shallow_note(&history).map(str::to_owned));
        answer.add_doubts(left_out_commits(&index.left_out()));
        Ok(answer)
    }

    fn text(out: &CommitsOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if out.commits.is_empty() {
            return writer.own_line(Style::Warn, "no commit found for `{}`", &[&out.question]);
        }
        for found in &out.commits {
            found.commit.write(writer)?;
            writer.end_line()?;
            if let Some(path) = &found.path {
                writer.line(Style::Path, &format!("    {path}"))?;
            }
            for line in found.hunk.iter().flat_map(|hunk| hunk.lines()) {
                writer.line(Style::Plain, &format!("    {line}"))?;
            }
        }
        Ok(())
    }

    fn exit(out: &CommitsOut) -> Exit {
        if out.commits.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}

impl FoundCommit {
    fn new(hit: &CommitHit) -> Self {
        let hunk = hit.hunk.as_ref().map(|found| {
            let (before, after) = &found.contents;
            shortened(&unified(before, after, std::slice::from_ref(&found.hunk)))
        });
        Self {
            commit: CommitLine::new(&hit.commit),
            score: hit.score,
            path: hit.hunk.as_ref().map(|found| found.path.display().into_owned()),
            hunk,
        }
    }
}

/// The first lines of a hunk.
fn shortened(hunk: &str) -> String {
    let mut text = String::new();
    let count = hunk.lines().count();
    for line in hunk.lines().take(MAX_HUNK_LINES) {
        text.push_str(&line[..line.floor_char_boundary(MAX_LINE)]);
        text.push('\n');
    }
    if count > MAX_HUNK_LINES {
        let _ = writeln!(text, "… {} more lines", count - MAX_HUNK_LINES);
    }
    text
}
