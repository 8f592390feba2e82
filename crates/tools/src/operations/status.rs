//! `status`: where the index is, what it holds, what is missing.

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

/// Nothing to choose.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StatusArgs {}

/// The state of the index.
#[derive(Serialize, JsonSchema)]
pub(crate) struct StatusOut {
    /// The folder that is indexed.
    root: String,
    /// Where its index is.
    store: String,
    /// Bytes of the index.
    index_bytes: u64,
    /// Bytes of the facts all working trees of the repository share.
    cache_bytes: u64,
    /// Grows with every change of the index.
    generation: u64,
    /// Whether changes are kept in memory only, because the store cannot be written.
    in_memory: bool,
    /// What the index holds.
    summary: Summary,
}

impl TypedOperation for Status {
    const NAME: &'static str = "status";
    const ABOUT: &'static str = "Show where the index is, what it holds, and what could not be read";
    const DETAILS: &'static str = "\
Counts by language, files that were skipped and why, files the parser did not understand everywhere, and changed files \
the index has not caught up with.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "status", about: "catch up, then show" },
        Example { command: "status --no-refresh", about: "show the index as it is" },
        Example { command: "status --json", about: "the same for a script" },
    ];
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
        let mut answer = session.answer_about(&snapshot, AnswerScope::FilesRead, out);
        for cut in session.engine()?.truncated_ignore_rules(&snapshot)? {
            if !answer.notes.iter().any(|note| note.contains(&cut)) {
                answer.notes.push(cut);
            }
        }
        Ok(answer)
    }

    fn text(out: &StatusOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let row = |name: &str, tone: Style, value: String| {
            vec![Cell::new(Style::Head, name), Cell::new(tone, value)]
        };
        let summary = &out.summary;
        let mut size = format!("{}, and {} of shared facts", bytes(out.index_bytes), bytes(out.cache_bytes));
        if out.in_memory {
            size.push_str(" (changes are kept in memory: the store cannot be written)");
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
