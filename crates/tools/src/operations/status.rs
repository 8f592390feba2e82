//! `status`: location, size and contents of the index, and what it lacks.

use crate::answer::Answer;
use crate::answer::index_summary::Summary;
use crate::answer::unread_files::AnswerScope;
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, count};
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Status;

/// No arguments.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StatusArgs {}

/// The state of the index.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StatusOut {
    /// The directory that is indexed.
    root: String,
    /// The directory of its index.
    store: String,
    /// Size of the index in bytes.
    index_bytes: u64,
    /// Size of the cache that all worktrees of the repository share, in bytes.
    cache_bytes: u64,
    /// The generation of the index; every change increments it.
    generation: u64,
    /// Whether changes are kept only in memory, because the store is not writable.
    in_memory: bool,
    /// The contents of the index.
    summary: Summary,
}

impl TypedOperation for Status {
    const NAME: &'static str = "status";
    const ABOUT: &'static str = "Show the location and contents of the index, and skipped files";
    const DETAILS: &'static str = "\
Counts by language, skipped files with reasons, files that were parsed only in part, and changed files that are not in the \
index yet.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "status", about: "refresh, then show" },
        Example { command: "status --no-refresh", about: "without refreshing the index" },
        Example { command: "status --json", about: "for a script" },
    ];
    const ANY_REVISION: bool = false;
    type Args = StatusArgs;
    type Out = StatusOut;

    fn run(session: &Session<'_>, _args: StatusArgs) -> Result<Answer<StatusOut>, ToolError> {
        let snapshot = session.snapshot()?;
        let status = snapshot.status()?;
        let out = StatusOut {
            root: session.root().display().to_string(),
            store: session.store()?,
            index_bytes: status.sizes.bytes,
            cache_bytes: status.cache_bytes,
            generation: status.generation,
            in_memory: session.in_memory(),
            summary: Summary::of(&snapshot)?,
        };
        let mut answer = session.answer_within(&snapshot, AnswerScope::FilesRead, out);
        for cut in session.engine()?.truncated_ignore_rules(&snapshot)? {
            if !answer.notes.iter().any(|note| note.text.contains(&cut)) {
                answer.add_notes([cut]);
            }
        }
        Ok(answer)
    }

    fn text(out: &StatusOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let row = |name: &str, tone: Style, value: String| {
            vec![Cell::new(Style::Head, name), Cell::new(tone, value)]
        };
        let summary = &out.summary;
        let mut size = format!("{}, and {} of shared cache", bytes(out.index_bytes), bytes(out.cache_bytes));
        if out.in_memory {
            size.push_str(" (changes are kept in memory: the store is not writable)");
        }
        writer.table(
            0,
            &[
                row("root", Style::Path, out.root.clone()),
                row("store", Style::Path, out.store.clone()),
                row("size", Style::Plain, size),
                row("generation", Style::Plain, out.generation.to_string()),
                row("files", Style::Plain, format!("{} ({})", count(summary.files), bytes(summary.bytes))),
                row("lines", Style::Plain, count(summary.lines)),
                row("symbols", Style::Plain, count(summary.symbols)),
            ],
        )?;
        writer.end_line()?;
        summary.languages(writer)?;
        summary.gaps(writer)
    }
}
