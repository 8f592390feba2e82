//! `log`: the commits that changed a symbol, a file, lines, or anything.

use crate::answer::Answer;
use crate::arguments::symbol_lookup::SymbolAnswer;
use crate::error::{Exit, ToolError};
use crate::history::commit_filter::CommitFilter;
use crate::history::commit_line::CommitLine;
use crate::history::patch::unified;
use crate::history::target::{HistoryTarget, resolve};
use crate::history::{history_error, left_out_commits, open, open_index, shallow_note};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    ChangeParts, Definition, FileVersion, Lookup, RefreshDepth, Snapshot, SymbolVersion, is_same_kind,
};
use orient_history::{ChangeKind, History, HistoryError, Hunk, Oid, PathChange, hunks, is_binary, short_id};
use orient_model::{Handle, RepoPath, SymbolKind};
use orient_timeline::{HistoryIndex, SymbolLog, SymbolLogEntry, path_log};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;

pub(crate) struct Log;

const DEFAULT_LIMIT: usize = 30;
/// Maximum size of a patch, in bytes.
const MAX_PATCH: usize = 20_000;

/// Arguments of `log`.
#[derive(Args)]
pub(crate) struct LogArgs {
    /// A symbol, a file (also a deleted one) or lines of a file; without it, all commits
    #[arg(value_name = "SYMBOL|PATH|PATH:LINES")]
    target: Option<String>,
    /// Only commits from this date or age on: 2026-03-31, 2026-03, 30d, 6w, 3m, 1y
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only commits up to this date or age
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Only commits whose author's name or address contains this
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,
    /// Only commits whose message contains this
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Only commits that changed a file below this path
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Only the first commit, which introduced it
    #[arg(long)]
    first: bool,
    /// With the changed lines
    #[arg(long, short)]
    patch: bool,
    /// Start from this revision instead of the current commit
    #[arg(long, value_name = "REVISION")]
    from: Option<String>,
    /// Maximum number of commits
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// The history of something.
#[derive(Serialize)]
pub(crate) struct LogOut {
    /// What the history is of: a handle, a path, `path:first-last`, or nothing for all commits.
    of: String,
    /// The commits, newest first.
    commits: Vec<LogEntry>,
    /// Whether there are older commits.
    more: bool,
}

/// A commit that changed it.
#[derive(Serialize)]
struct LogEntry {
    /// The commit.
    #[serde(flatten)]
    commit: CommitLine,
    /// What it did: added, modified, deleted, renamed, copied, mode (of the file, nothing else); of a symbol also moved, signature, body, documentation, layout, or that only its file was renamed.
    change: Vec<String>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The previous path or name of what was renamed, copied or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    /// The changed lines as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
}

impl TypedOperation for Log {
    const NAME: &'static str = "log";
    const ABOUT: &'static str = "Show the commits that changed a symbol, file or lines";
    const DETAILS: &'static str = "\
A symbol is followed by its name, through renames of its file, renames of the symbol itself (a similar body in the same commit) and moves \
to another file; each commit says whether signature, body or documentation changed, or that only the file was renamed. A file is followed through renames and copies, on \
each branch by the name it has there. Merges are omitted: what they bring is in their parents. Git is not run: its objects are read.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "log Server.Run", about: "every change of a function" },
        Example { command: "log src/server.go --since 1y --author ann", about: "a file, filtered" },
        Example { command: "log src/server.go:40-60 --patch", about: "lines, with their changes" },
        Example { command: "log Server.Run --first", about: "the commit that introduced it" },
        Example { command: "log --message timeout --path src", about: "commits by message and path" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const HEAVY: bool = true;
    const ANY_REVISION: bool = false;
    type Args = LogArgs;
    type Out = SymbolAnswer<LogOut>;

    fn run(session: &Session<'_>, args: LogArgs) -> Result<Answer<Self::Out>, ToolError> {
        let filter = CommitFilter::new(
            args.since.as_deref(),
            args.until.as_deref(),
            args.author.as_deref(),
            args.message.as_deref(),
        )?;
        let snapshot = session.snapshot()?;
        let mut history = open(session)?;
        let mut index = open_index(session)?;
        let start = history.revision(args.from.as_deref().unwrap_or("HEAD"));
        let start = start.map_err(|error| history_error(&error))?;
        let mut notes = Vec::new();
        let limit = if args.first { usize::MAX } else { args.limit.unwrap_or(DEFAULT_LIMIT).max(1) };
        let below = args
            .path
            .as_deref()
            .map(|path| RepoPath::from(path.trim_start_matches("./").trim_end_matches('/')));
        let mut collector =
            Collector { filter, below, limit, patch: args.patch, entries: Vec::new(), more: false };
        let of = match args.target.as_deref() {
            None => {
                collector.all(&mut history, start).map_err(|error| history_error(&error))?;
                String::new()
            }
            Some(typed) => match resolve(session, &snapshot, &mut index, &mut history, start, typed)? {
                Err(unresolved) => return unresolved.answer(session, &snapshot),
                Ok(target) => {
                    if let HistoryTarget::Symbol(symbol) = &target {
                        notes.extend(symbol.note());
                        notes.extend(namesake_note(&snapshot, &symbol.definition)?);
                    }
                    collector
                        .target(&mut index, &mut history, start, &target, &mut notes)
                        .map_err(|error| history_error(&error))?
                }
            },
        };
        let Collector { mut entries, more, .. } = collector;
        if args.first {
            entries.drain(..entries.len().saturating_sub(1));
        }
        notes.extend(shallow_note(&history).map(str::to_owned));
        let mut answer = session.answer(&snapshot, SymbolAnswer::one(LogOut { of, commits: entries, more }));
        answer.add_notes(notes);
        answer.add_doubts(left_out_commits(history.left_out()));
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, LogOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        match out {
            SymbolAnswer::One(log) if log.commits.is_empty() => Exit::Nothing,
            other => other.exit(),
        }
    }
}

/// The note that the file has a symbol of the same qualified name and another kind: a field and a method, say. A handle without a
/// number means the first of them.
fn namesake_note(snapshot: &Snapshot, definition: &Definition) -> Result<Option<String>, ToolError> {
    let name = Handle::join(definition.handle.names.iter().map(String::as_str));
    let Lookup::Many { candidates, .. } = snapshot.symbol(&name)? else { return Ok(None) };
    let namesake = candidates.into_iter().find(|one| {
        one.path == definition.path
            && one.handle.names == definition.handle.names
            && !is_same_kind(one.kind, definition.kind)
    });
    Ok(namesake.map(|one| {
        let (kind, other) = (definition.kind.as_str(), one.kind.as_str());
        format!("this is the {kind}; the {other} of the same name is {}", one.handle)
    }))
}

/// The note about commits that changed the file of a symbol, and maybe the symbol.
fn incomparable_note(commits: &[Oid]) -> Option<String> {
    let first = commits.first()?;
    let number = plural(commits.len() as u64, "commit", "commits");
    let id = short_id(first);
    Some(format!(
        "{number} may be missing: the repository lacks the text of the file ({id} is the newest); `git fetch --refetch` or `git fsck`"
    ))
}

/// Collects the commits of an answer.
struct Collector {
    filter: CommitFilter,
    below: Option<RepoPath>,
    limit: usize,
    patch: bool,
    entries: Vec<LogEntry>,
    more: bool,
}

impl Collector {
    fn all(&mut self, history: &mut History, start: Oid) -> Result<(), HistoryError> {
        history.walk(&[start], &BTreeSet::new(), &mut |history, id, ()| {
            let commit = history.commit(&id)?;
            if !self.filter.passes(&commit) {
                return Ok(ControlFlow::Continue(()));
            }
            let mut change = Vec::new();
            if let Some(below) = &self.below {
                if commit.is_merge() {
                    return Ok(ControlFlow::Continue(()));
                }
                let mut changed = history.changes_of(&id)?;
                changed.retain(|change| change.path.is_below(below));
                if changed.is_empty() {
                    return Ok(ControlFlow::Continue(()));
                }
                change = changed
                    .iter()
                    .map(|one| format!("{} {}", one.kind.as_str(), one.path.display()))
                    .collect();
            }
            Ok(self.push(LogEntry {
                commit: CommitLine::new(&commit),
                change,
                path: None,
                was: None,
                patch: None,
            }))
        })
    }

    /// Collects the history of a target and returns how it is called.
    fn target(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
        start: Oid,
        target: &HistoryTarget,
        notes: &mut Vec<String>,
    ) -> Result<String, HistoryError> {
        match target {
            HistoryTarget::File(path) => {
                path_log(index, history, start, path, &mut |history, id, change| {
                    self.path_change(history, id, &change, false)
                })?;
                Ok(path.display().into_owned())
            }
            HistoryTarget::Lines(path, first, last) => {
                let (lines, edited) = history.committed_lines(start, path, *first..*last + 1)?;
                if edited {
                    notes.push("these lines have changes that are not committed".to_owned());
                }
                if !lines.is_empty() {
                    history.line_log(start, path, lines, &mut |history, id, change| {
                        self.path_change(history, id, &change, true)
                    })?;
                }
                Ok(format!("{}:{first}-{last}", path.display()))
            }
            HistoryTarget::Symbol(symbol) => {
                let definition = &symbol.definition;
                let mut log = SymbolLog::new(
                    Handle::join(definition.handle.names.iter().map(String::as_str)),
                    definition.kind,
                );
                log.run(index, history, start, &definition.path, &mut |history, entry| {
                    self.symbol_change(history, &entry, definition.kind)
                })?;
                if let Some(earlier) = log.earlier() {
                    let id = short_id(&earlier);
                    notes.push(format!(
                        "there was an earlier definition of this name: `--from {id}` shows it"
                    ));
                }
                notes.extend(incomparable_note(log.incomparable()));
                Ok(definition.handle.to_string())
            }
        }
    }

    fn path_change(
        &mut self,
        history: &mut History,
        id: Oid,
        change: &PathChange,
        only_lines: bool,
    ) -> Result<ControlFlow<()>, HistoryError> {
        let commit = history.commit(&id)?;
        if !self.filter.passes(&commit)
            || self.below.as_ref().is_some_and(|below| !change.path.is_below(below))
        {
            return Ok(ControlFlow::Continue(()));
        }
        let patch = if self.patch {
            let (before, after) = (history.content(change.old)?, history.content(change.new)?);
            let hunks = if only_lines { change.hunks.clone() } else { hunks(&before, &after) };
            Some(patch_text(&before, &after, &hunks))
        } else {
            None
        };
        Ok(self.push(LogEntry {
            commit: CommitLine::new(&commit),
            change: vec![change.kind.as_str().to_owned()],
            path: Some(change.path.display().into_owned()),
            was: change.old_path.as_ref().map(|path| path.display().into_owned()),
            patch,
        }))
    }

    fn symbol_change(
        &mut self,
        history: &mut History,
        entry: &SymbolLogEntry,
        kind: SymbolKind,
    ) -> Result<ControlFlow<()>, HistoryError> {
        let commit = history.commit(&entry.commit)?;
        let path = history.shown(&entry.path);
        if !self.filter.passes(&commit) || self.below.as_ref().is_some_and(|below| !path.is_below(below)) {
            return Ok(ControlFlow::Continue(()));
        }
        let has_patch = self.patch && !entry.is_moved && !entry.is_file_rename();
        let patch = match has_patch.then(|| symbol_patch(history, entry, kind)) {
            // The index knows what changed; the text is not there.
            Some(Err(error)) if error.is_missing_object() => None,
            patch => patch.transpose()?,
        };
        let old_path = entry.old_path.as_ref().map(|path| history.shown(path));
        let mut change: Vec<String> = entry.parts.words().into_iter().map(str::to_owned).collect();
        if old_path.is_some() && entry.parts.contains(ChangeParts::ADDED) {
            change.push("copied".to_owned());
        }
        if entry.is_file_rename() {
            change.push("file renamed".to_owned());
        }
        Ok(self.push(LogEntry {
            commit: CommitLine::new(&commit),
            change,
            path: Some(path.display().into_owned()),
            was: match (old_path, &entry.old_name) {
                (Some(path), Some(name)) => Some(format!("{}#{name}", path.display())),
                (Some(path), None) => Some(path.display().into_owned()),
                (None, name) => name.clone(),
            },
            patch,
        }))
    }

    fn push(&mut self, entry: LogEntry) -> ControlFlow<()> {
        if self.entries.len() >= self.limit {
            self.more = true;
            return ControlFlow::Break(());
        }
        self.entries.push(entry);
        ControlFlow::Continue(())
    }
}

/// The hunks of a commit inside a symbol.
fn symbol_patch(
    history: &mut History,
    entry: &SymbolLogEntry,
    kind: SymbolKind,
) -> Result<String, HistoryError> {
    let change =
        history.path_change(&entry.commit, &entry.path, entry.old_path.as_deref(), ChangeKind::Modified)?;
    let (before, after) = (history.content(change.old)?, history.content(change.new)?);
    let old_path = change.old_path.as_ref().unwrap_or(&change.path);
    let (old, new) = (FileVersion::extract(old_path, &before), FileVersion::extract(&change.path, &after));
    let old = old.find(entry.old_name.as_ref().unwrap_or(&entry.name), kind);
    let new = new.find(&entry.name, kind);
    let inside = |hunk: &Hunk| {
        let touches = |symbol: &SymbolVersion, range: &std::ops::Range<u32>| {
            range.start < symbol.last_line && symbol.first_line <= range.end.max(range.start + 1)
        };
        new.is_some_and(|symbol| touches(symbol, &hunk.after))
            || old.is_some_and(|symbol| touches(symbol, &hunk.before))
    };
    let hunks: Vec<Hunk> = hunks(&before, &after).into_iter().filter(inside).collect();
    Ok(patch_text(&before, &after, &hunks))
}

fn patch_text(before: &[u8], after: &[u8], hunks: &[Hunk]) -> String {
    if is_binary(before) || is_binary(after) {
        return "binary content\n".to_owned();
    }
    let mut text = unified(before, after, hunks);
    if text.len() > MAX_PATCH {
        text.truncate(text.floor_char_boundary(MAX_PATCH));
        text.push_str("\n… shortened\n");
    }
    text
}

impl LogOut {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.commits.is_empty() {
            return writer.own_line(Style::Warn, "no commit found for `{}`", &[&self.of]);
        }
        let mut last_path = None;
        for entry in &self.commits {
            entry.commit.write(writer)?;
            if !entry.change.is_empty() {
                writer.put(Style::Kind, &format!("  [{}]", entry.change.join(", ")))?;
            }
            if let Some(was) = &entry.was {
                writer.put(Style::Dim, &format!(" was {was}"))?;
            }
            if entry.path != last_path {
                if let Some(path) = entry.path.as_ref().filter(|_| last_path.is_some()) {
                    writer.put(Style::Path, &format!(" in {path}"))?;
                }
                last_path.clone_from(&entry.path);
            }
            writer.end_line()?;
            for line in entry.patch.iter().flat_map(|patch| patch.lines()) {
                writer.line(Style::Plain, &format!("    {line}"))?;
            }
        }
        if self.more {
            writer.own_line(Style::Dim, "older commits were left out; raise `limit`", &[])?;
        }
        Ok(())
    }
}
