//! `blame`: who wrote the lines of a symbol or file, in which commits, and when.

use crate::answer::Answer;
use crate::arguments::symbol_lookup::SymbolAnswer;
use crate::error::{Code, Exit, ToolError};
use crate::history::calendar::{age, date, now};
use crate::history::commit_line::CommitLine;
use crate::history::target::{HistoryTarget, resolve};
use crate::history::{history_error, left_out_commits, open, open_index, shallow_note};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::RefreshDepth;
use orient_history::{BlamedLines, Commit, History, HistoryError, Oid, lines};
use orient_model::RepoPath;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::ops::Range;

pub(crate) struct Blame;

/// Maximum number of commits in a summary.
const MAX_COMMITS: usize = 20;

/// Arguments of `blame`.
#[derive(Args)]
pub(crate) struct BlameArgs {
    /// A symbol, a file or lines of a file
    #[arg(value_name = "SYMBOL|PATH|PATH:LINES")]
    target: String,
    /// Line by line instead of a summary
    #[arg(long, short)]
    lines: bool,
}

/// Who wrote the lines.
#[derive(Serialize)]
pub(crate) struct BlameOut {
    /// The file and lines: `path:first-last`.
    of: String,
    /// Number of lines.
    lines: u32,
    /// Number of lines that are not committed yet.
    uncommitted: u32,
    /// The authors, by number of lines.
    authors: Vec<BlameAuthor>,
    /// The commits, by number of lines.
    commits: Vec<BlameCommit>,
    /// Total number of commits.
    commit_count: u64,
    /// The lines with their commits, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_line: Vec<BlameLine>,
}

/// An author of lines.
#[derive(Serialize)]
struct BlameAuthor {
    /// The name, as `.mailmap` gives it.
    author: String,
    /// Number of lines.
    lines: u32,
    /// Share of the committed lines, in percent.
    percent: u32,
    /// The author's last change of these lines.
    last: String,
}

/// A commit that lines come from.
#[derive(Serialize)]
struct BlameCommit {
    /// The commit.
    #[serde(flatten)]
    commit: CommitLine,
    /// Number of lines.
    lines: u32,
    /// How long ago.
    age: String,
}

/// A line and the commit it comes from.
#[derive(Serialize)]
struct BlameLine {
    /// The number of the line.
    line: u32,
    /// The abbreviated id of the commit; absent for a line that is not committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The date.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// The author.
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    /// The text of the line.
    text: String,
}

impl TypedOperation for Blame {
    const NAME: &'static str = "blame";
    const ABOUT: &'static str = "Show who wrote a symbol, file or lines, in which commits and when";
    const DETAILS: &'static str = "\
The working file is blamed; lines that are not committed are counted apart. Lines are followed through renames of the file, as `git blame` does, \
commits listed in `.git-blame-ignore-revs` are skipped, and names are those of `.mailmap`. Git is not run: its objects are read.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "blame Server.Run", about: "authors and commits of a function" },
        Example { command: "blame src/server.go", about: "of a file" },
        Example { command: "blame src/server.go:40-60 --lines", about: "line by line" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    const ANY_REVISION: bool = false;
    type Args = BlameArgs;
    type Out = SymbolAnswer<BlameOut>;

    fn run(session: &Session<'_>, args: BlameArgs) -> Result<Answer<Self::Out>, ToolError> {
        let snapshot = session.snapshot()?;
        let mut history = open(session)?;
        let start = history.revision("HEAD").map_err(|error| history_error(&error))?;
        let mut note = None;
        let (path, range) = match resolve(
            session,
            &snapshot,
            &mut open_index(session)?,
            &mut history,
            start,
            &args.target,
        )? {
            Err(unresolved) => return unresolved.answer(session, &snapshot),
            Ok(HistoryTarget::File(path)) => (path, None),
            Ok(HistoryTarget::Lines(path, first, last)) => (path, Some(first..last + 1)),
            Ok(HistoryTarget::Symbol(symbol)) => {
                note = symbol.note();
                let span = symbol.definition.span;
                (symbol.definition.path.clone(), Some(span.first_line..span.last_line + 1))
            }
        };
        let Some(out) =
            summary(&mut history, start, &path, range, args.lines).map_err(|error| history_error(&error))?
        else {
            let message = format!("`{}` has no committed lines", path.display());
            return Err(ToolError::new(Code::NotFound, message)
                .hint("`orient log PATH` shows the history of a deleted file"));
        };
        let mut answer = session.answer(&snapshot, SymbolAnswer::one(out));
        answer.add_notes(note);
        answer.add_notes(shallow_note(&history));
        answer.add_doubts(left_out_commits(history.left_out()));
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, BlameOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}

/// Blames the lines of a working file. `None` if neither the working tree nor the commit has it.
fn summary(
    history: &mut History,
    start: Oid,
    path: &RepoPath,
    range: Option<Range<u32>>,
    by_line: bool,
) -> Result<Option<BlameOut>, HistoryError> {
    let ignored = history.ignored_revisions(start)?;
    let Some(ranges) = history.blame(start, path, &ignored)? else { return Ok(None) };
    let Some((text, origins)) = history.committed_line_numbers(start, path)? else { return Ok(None) };
    let text = lines(&text);
    let count = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let range = range.unwrap_or(1..count + 1);
    let range = range.start.min(count + 1)..range.end.min(count + 1);
    let mut commits: BTreeMap<Oid, (Commit, u32)> = BTreeMap::new();
    let (mut uncommitted, mut rows) = (0, Vec::new());
    for line in range.clone() {
        let committed = origins.get(line as usize - 1).copied().flatten();
        let source = committed.and_then(|line| source_of(&ranges, line));
        let commit = match source {
            Some(id) => Some(match commits.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(vacant) => vacant.insert((history.commit(&id)?, 0)),
            }),
            None => None,
        };
        let commit = commit.map(|(commit, lines)| {
            *lines += 1;
            &*commit
        });
        uncommitted += u32::from(commit.is_none());
        if by_line {
            let bytes = text.get(line as usize - 1).copied().unwrap_or_default();
            rows.push(BlameLine {
                line,
                commit: commit.map(Commit::short_id),
                date: commit.map(|commit| date(commit.author.seconds, commit.author.offset)),
                author: commit.map(|commit| commit.author.name.clone()),
                text: String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']).to_owned(),
            });
        }
    }
    let lines = range.end - range.start;
    Ok(Some(BlameOut {
        of: format!("{}:{}-{}", path.display(), range.start, range.end.max(range.start + 1) - 1),
        lines,
        uncommitted,
        authors: authors(&commits, lines - uncommitted),
        commit_count: commits.len() as u64,
        commits: largest(&commits),
        by_line: rows,
    }))
}

fn source_of(ranges: &[BlamedLines], line: u32) -> Option<Oid> {
    let at = ranges.partition_point(|range| range.line + range.count <= line);
    ranges.get(at).filter(|range| range.line <= line).map(|range| range.commit)
}

fn authors(commits: &BTreeMap<Oid, (Commit, u32)>, committed: u32) -> Vec<BlameAuthor> {
    let mut found: BTreeMap<&str, (u32, &Commit)> = BTreeMap::new();
    for (commit, lines) in commits.values() {
        let author = found.entry(&commit.author.name).or_insert((0, commit));
        author.0 += lines;
        if commit.author.seconds > author.1.author.seconds {
            author.1 = commit;
        }
    }
    let mut authors: Vec<BlameAuthor> = found
        .into_iter()
        .map(|(name, (lines, last))| BlameAuthor {
            author: name.to_owned(),
            lines,
            percent: (lines * 100 + committed / 2) / committed.max(1),
            last: date(last.author.seconds, last.author.offset),
        })
        .collect();
    authors.sort_by(|a, b| (Reverse(a.lines), &a.author).cmp(&(Reverse(b.lines), &b.author)));
    authors
}

fn largest(commits: &BTreeMap<Oid, (Commit, u32)>) -> Vec<BlameCommit> {
    let mut sorted: Vec<&(Commit, u32)> = commits.values().collect();
    sorted.sort_by_key(|(commit, lines)| (Reverse(*lines), Reverse(commit.author.seconds), commit.id));
    let now = now();
    sorted
        .into_iter()
        .take(MAX_COMMITS)
        .map(|(commit, lines)| BlameCommit {
            commit: CommitLine::new(commit),
            lines: *lines,
            age: age(commit.author.seconds, now),
        })
        .collect()
}

impl BlameOut {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for row in &self.by_line {
            writer.put(Style::Number, &format!("{:>6}  ", row.line))?;
            let blank = "-".to_owned();
            let commit = row.commit.as_ref().unwrap_or(&blank);
            let (date, author) =
                (row.date.as_deref().unwrap_or(""), row.author.as_deref().unwrap_or("not committed"));
            writer.put(Style::Dim, &format!("{commit:<10} {date:<10} {author:<18.18}  "))?;
            writer.line(Style::Plain, &row.text)?;
        }
        writer.put(Style::Path, &self.of)?;
        writer.put(Style::Dim, &format!("  {}", plural(u64::from(self.lines), "line", "lines")))?;
        if self.uncommitted > 0 {
            writer.put(Style::Warn, &format!(", {} not committed", self.uncommitted))?;
        }
        writer.end_line()?;
        for author in &self.authors {
            writer.put(Style::Number, &format!("{:>4} %  ", author.percent))?;
            writer.put(Style::Name, &author.author)?;
            writer.line(
                Style::Dim,
                &format!("  {}, last {}", plural(u64::from(author.lines), "line", "lines"), author.last),
            )?;
        }
        if !self.by_line.is_empty() {
            return Ok(());
        }
        for commit in &self.commits {
            writer.put(Style::Number, &format!("{:>6}  ", commit.lines))?;
            commit.commit.write(writer)?;
            writer.line(Style::Dim, &format!("  {}", commit.age))?;
        }
        let left_out = self.commit_count.saturating_sub(self.commits.len() as u64);
        if left_out > 0 {
            writer.line(Style::Dim, &format!("        and {left_out} more commits"))?;
        }
        Ok(())
    }
}
