//! `status`: location, size and contents of the index, and what it lacks.

use crate::answer::Answer;
use crate::answer::index_summary::{GraphCounts, Summary};
use crate::answer::unread_files::AnswerScope;
use crate::arguments::path_argument;
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::operations::enrich::BackgroundState;
use crate::session::Session;
use crate::text::number_format::{bytes, count};
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use serde::Serialize;
use std::io;

pub(crate) struct Status;

/// Arguments of `status`.
#[derive(Args)]
pub(crate) struct StatusArgs {
    /// Only this directory or file, or files that match this glob
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Rebuild the index from the files first
    #[arg(long)]
    rebuild: bool,
    /// Without the counts of functions, calls and edges, which take a pass over the whole index
    #[arg(long)]
    brief: bool,
}

/// The state of the index.
#[derive(Serialize)]
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
    /// The contents of the graph; absent from a brief answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<GraphCounts>,
    /// Whether language servers are asked in the background.
    language_servers: BackgroundState,
}

impl TypedOperation for Status {
    const NAME: &'static str = "status";
    const ABOUT: &'static str = "Show the location and contents of the index, and skipped files";
    const DETAILS: &'static str = "\
Counts by language, of functions, types, calls and other edges, skipped files with reasons, files that were parsed only in part, and changed files that are not in the \
index yet.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "status", about: "refresh, then show" },
        Example { command: "status --no-refresh", about: "without refreshing the index" },
        Example { command: "status src", about: "a part of the tree" },
        Example {
            command: "status --brief",
            about: "without the counts of the graph, faster on large repositories",
        },
        Example { command: "status --json", about: "for a script" },
    ];
    const TERMINAL_ONLY: &'static [&'static str] = &["brief"];
    const ANY_REVISION: bool = false;
    const PAGED: bool = false;
    type Args = StatusArgs;
    type Out = StatusOut;

    fn run(session: &Session<'_>, args: StatusArgs) -> Result<Answer<StatusOut>, ToolError> {
        if args.rebuild {
            session.index(true)?;
        }
        let snapshot = session.snapshot()?;
        let path = args.path.as_deref().map(|typed| path_argument::resolve(session, &snapshot, typed));
        let path = path.transpose()?.map(|named| named.pattern);
        let status = snapshot.status()?;
        let out = StatusOut {
            root: session.root().display().to_string(),
            store: session.store()?,
            index_bytes: status.sizes.bytes,
            cache_bytes: status.cache_bytes,
            generation: status.generation,
            in_memory: session.in_memory(),
            graph: (!args.brief).then(|| GraphCounts::of(&snapshot, path.as_ref())).transpose()?,
            summary: Summary::within(&snapshot, path)?,
            language_servers: BackgroundState::of(session),
        };
        let mut answer = session.answer_within(&snapshot, AnswerScope::FilesRead, out);
        for cut in session.engine()?.truncated_ignore_rules(&snapshot)? {
            if !answer.metadata.notes.iter().any(|note| note.text.contains(&cut)) {
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
        let mut rows = vec![
            row("root", Style::Path, out.root.clone()),
            row("store", Style::Path, out.store.clone()),
            row("size", Style::Plain, size),
            row("generation", Style::Plain, out.generation.to_string()),
            row("files", Style::Plain, format!("{} ({})", count(summary.files), bytes(summary.bytes))),
            row("lines", Style::Plain, count(summary.lines)),
        ];
        let symbols = count(summary.symbols);
        if let Some(graph) = &out.graph {
            let kinds =
                format!("{symbols} ({} functions, {} types)", count(graph.functions), count(graph.types));
            rows.push(row("symbols", Style::Plain, kinds));
            let edges = format!(
                "{} ({} calls); {} uses of other packages, {} unresolved",
                count(graph.edges),
                count(graph.calls),
                count(graph.external),
                count(graph.unresolved)
            );
            rows.push(row("edges", Style::Plain, edges));
        } else {
            rows.push(row("symbols", Style::Plain, symbols));
        }
        rows.push(row("compilers", Style::Plain, out.language_servers.reason.clone()));
        writer.table(0, &rows)?;
        writer.end_line()?;
        summary.languages(writer)?;
        summary.gaps(writer)
    }
}
