//! `index`: refresh or rebuild the index.

use crate::answer::Answer;
use crate::answer::index_summary::Summary;
use crate::answer::unread_files::AnswerScope;
use crate::error::ToolError;
use crate::history::{history_error, left_out_commits, limits, open, open_index};
use crate::operation::{Example, TypedOperation};
use crate::operations::scip::import_allowed;
use crate::session::Session;
use crate::text::number_format::{bytes, count, duration, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::Phase;
use orient_timeline::IndexStage;
use serde::Serialize;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub(crate) struct Index;

/// Arguments of `index`.
#[derive(Args)]
pub(crate) struct IndexArgs {
    /// Rebuild the index from the files instead of refreshing it
    #[arg(long)]
    rebuild: bool,
    /// Also index the history: commits, changed paths and changed symbols
    #[arg(long)]
    history: bool,
}

/// The changes made, and the contents of the index.
#[derive(Serialize)]
pub(crate) struct IndexOut {
    /// The directory that was indexed.
    root: String,
    /// The directory of its index.
    store: String,
    /// New files.
    added: u64,
    /// Files with new content.
    changed: u64,
    /// Removed files.
    removed: u64,
    /// Renamed files.
    renamed: u64,
    /// Files with a new time stamp and unchanged content.
    touched: u64,
    /// Parsed files.
    parsed: u64,
    /// Files whose facts came from the cache.
    from_cache: u64,
    /// Duration in milliseconds.
    elapsed_ms: u64,
    /// Time spent waiting for another process, in milliseconds.
    waited_ms: u64,
    /// The contents of the index.
    summary: Summary,
    /// The history index, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<HistoryOut>,
}

/// How much of the history is indexed.
#[derive(Serialize)]
struct HistoryOut {
    /// Commits.
    commits: u64,
    /// Commits with their changed paths.
    paths: u64,
    /// Commits with their changed symbols.
    symbols: u64,
    /// Whether older commits are beyond the limits of the settings.
    limited: bool,
    /// The commits whose changes are not all known, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
    /// Duration in milliseconds.
    elapsed_ms: u64,
}

impl TypedOperation for Index {
    const NAME: &'static str = "index";
    const ABOUT: &'static str = "Bring the index up to date with the files";
    const DETAILS: &'static str = "\
Every other command refreshes the index before it answers, so you need not run this first. Use it to choose the time of the \
long first run. `orient files --skipped` lists what is left out, and why. Only changed files are read, and only content that was never \
seen is parsed. `--history` also indexes the history of the repository, for `log`, `commits` and `hotspots` and for names that changed; \
an interrupted run continues, and later runs add only new commits. The settings history.commits and history.age limit it. After `orient scip allow`, a new index.scip is imported as well.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "index", about: "refresh the index" },
        Example { command: "index --rebuild", about: "rebuild the index" },
        Example { command: "index --history", about: "also index the history" },
        Example { command: "index --json --quiet", about: "for a script, without progress" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    const PAGED: bool = false;
    type Args = IndexArgs;
    type Out = IndexOut;

    fn run(session: &Session<'_>, args: IndexArgs) -> Result<Answer<IndexOut>, ToolError> {
        let refreshed = session.index(args.rebuild)?;
        let mut snapshot = session.snapshot()?;
        let imported = import_allowed(session, &snapshot)?;
        if imported.documents > 0 {
            // With the layer, everything is resolved again.
            session.index(false)?;
            snapshot = session.snapshot()?;
        }
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let out = IndexOut {
            root: session.root().display().to_string(),
            store: session.store()?,
            added: refreshed.added as u64,
            changed: refreshed.changed as u64,
            removed: refreshed.removed as u64,
            renamed: refreshed.renamed as u64,
            touched: refreshed.restamped as u64,
            parsed: refreshed.parsed as u64,
            from_cache: refreshed.from_cache as u64,
            elapsed_ms: millis(refreshed.elapsed),
            waited_ms: millis(refreshed.waited),
            summary: Summary::of(&snapshot)?,
            history: if args.history { Some(index_history(session)?) } else { None },
        };
        let mut answer = session.answer_within(&snapshot, AnswerScope::FilesRead, out);
        answer.add_notes(imported.notes());
        Ok(answer)
    }

    fn text(out: &IndexOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let summary = &out.summary;
        writer.put(Style::Head, &plural(summary.files, "file", "files"))?;
        writer.plain(&format!(
            ", {}, {}, {} in {}",
            plural(summary.lines, "line", "lines"),
            plural(summary.symbols, "symbol", "symbols"),
            bytes(summary.bytes),
            duration(Duration::from_millis(out.elapsed_ms))
        ))?;
        writer.end_line()?;
        writer.line(Style::Dim, &out.changes())?;
        if let Some(history) = &out.history {
            let limited =
                if history.limited { ", older ones are beyond the limits of the settings" } else { "" };
            let time = duration(Duration::from_millis(history.elapsed_ms));
            let commits = plural(history.symbols, "commit", "commits");
            writer.line(Style::Dim, &format!("history: {commits} in {time}{limited}"))?;
            if let Some(left_out) = &history.left_out {
                writer.line(Style::Warn, left_out)?;
            }
        }
        summary.languages(writer)?;
        summary.gaps(writer)
    }
}

fn index_history(session: &Session<'_>) -> Result<HistoryOut, ToolError> {
    let begun = Instant::now();
    let mut history = open(session)?;
    let (progress, mut last) = (session.progress(), None);
    let mut report = |stage: IndexStage, done: u64, all: u64| {
        let before = match last {
            Some((known, before)) if known == stage => before,
            _ => {
                progress.phase(Phase::History, all, 0);
                0
            }
        };
        progress.tick(done - before, 0);
        last = Some((stage, done));
        if session.cancel().is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let limits = limits(&session.loaded().settings);
    let indexed = orient_timeline::index_history(session.engine()?, &mut history, limits, &mut report);
    progress.done();
    let coverage = indexed.map_err(|error| history_error(&error))?;
    let left_out = left_out_commits(&open_index(session)?.left_out());
    Ok(HistoryOut {
        commits: coverage.commits,
        paths: coverage.paths,
        symbols: coverage.symbols,
        limited: coverage.is_cut,
        left_out: left_out.map(|doubt| doubt.note.text),
        elapsed_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

impl IndexOut {
    fn changes(&self) -> String {
        let parts = [
            (self.added, "added"),
            (self.changed, "changed"),
            (self.removed, "removed"),
            (self.renamed, "renamed"),
            (self.touched, "touched"),
            (self.parsed, "parsed"),
            (self.from_cache, "from the cache"),
        ];
        let changes: Vec<String> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{} {word}", count(*number)))
            .collect();
        if changes.is_empty() { "no changes".to_owned() } else { changes.join(", ") }
    }
}
