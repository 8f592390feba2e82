//! `export`: the index as one portable file.

use crate::answer::Answer;
use crate::error::{Code, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::FileQuery;
use serde::Serialize;
use std::io;

pub(crate) struct Export;

/// Arguments of `export`.
#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The file to write
    #[arg(value_name = "FILE")]
    file: String,
}

/// What was written.
#[derive(Serialize)]
pub(crate) struct ExportOut {
    /// The file.
    file: String,
    /// Its size in bytes.
    bytes: u64,
    /// Number of files in the index.
    files: u64,
    /// Number of distinct contents with facts.
    facts: u64,
    /// Number of commits of the history index.
    commits: u64,
    /// Size of the indexed files in bytes.
    source_bytes: u64,
}

impl TypedOperation for Export {
    const NAME: &'static str = "export";
    const ABOUT: &'static str = "Write the index to one portable file";
    const DETAILS: &'static str = "\
The file contains facts, index and history index of the directory as it is now, with relative paths, compressed and with a hash. \
`orient import` starts from it on another machine, in CI, in a container or in a new clone, where only files that differ are parsed. \
It must have been written by the same version of Orient. It contains what Orient knows about the source, not its text: names, signatures, literals, documentation, terms, \
and of the history commit messages and authors. Vectors of providers are left out. The history is included as far as `orient index --history` or a server indexed it.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "export index.orient", about: "write the file" },
        Example { command: "export index.orient --json --quiet", about: "for a script, without progress" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = ExportArgs;
    type Out = ExportOut;

    fn run(session: &Session<'_>, args: ExportArgs) -> Result<Answer<ExportOut>, ToolError> {
        let snapshot = session.snapshot()?;
        if session.in_memory() {
            return Err(ToolError::new(
                Code::Io,
                "the index is only in memory, because the store cannot be written",
            ));
        }
        let path = session.directories()[0].join(&args.file);
        let exported = session.engine()?.export(&path, session.cancel(), session.progress())?;
        let files =
            snapshot.files(&FileQuery { indexed: Some(true), ..FileQuery::default() }, 0, usize::MAX)?;
        let out = ExportOut {
            file: args.file,
            bytes: exported.bytes,
            files: exported.rows.files,
            facts: exported.rows.facts,
            commits: exported.rows.commits,
            source_bytes: files.rows.iter().map(|file| file.bytes).sum(),
        };
        Ok(session.answer(&snapshot, out))
    }

    fn text(out: &ExportOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &out.file)?;
        writer.put(Style::Head, &format!("  {}", bytes(out.bytes)))?;
        let share = (out.bytes * 100).checked_div(out.source_bytes).unwrap_or_default();
        writer.line(Style::Dim, &format!("  {share} % of {} of source", bytes(out.source_bytes)))?;
        let parts = [
            plural(out.files, "file", "files"),
            plural(out.facts, "content", "contents"),
            plural(out.commits, "commit", "commits"),
        ];
        writer.line(Style::Plain, &parts.join(", "))
    }
}
