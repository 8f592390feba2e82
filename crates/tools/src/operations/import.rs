//! `import`: starts the index from a portable file.

use crate::answer::Answer;
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, duration, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{EngineError, PortableError};
use serde::Serialize;
use std::io;
use std::time::{Duration, Instant};

pub(crate) struct Import;

/// Arguments of `import`.
#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The file that `orient export` wrote
    #[arg(value_name = "FILE")]
    file: String,
}

/// What was imported, and what differed.
#[derive(Serialize)]
pub(crate) struct ImportOut {
    /// The file.
    file: String,
    /// The version of Orient that wrote it.
    written_by: String,
    /// Number of files that its index has; 0 if an existing index was kept.
    files: u64,
    /// Number of contents whose facts were not known.
    facts: u64,
    /// Number of commits added to the history index.
    commits: u64,
    /// Number of files that the directory has and the file has not.
    added: u64,
    /// Number of files with other content.
    changed: u64,
    /// Number of files that the directory does not have.
    removed: u64,
    /// Number of files that were parsed.
    parsed: u64,
    /// Duration in milliseconds.
    elapsed_ms: u64,
}

impl TypedOperation for Import {
    const NAME: &'static str = "import";
    const ABOUT: &'static str = "Start the index from a file that `orient export` wrote";
    const DETAILS: &'static str = "\
Every file of the directory is read once and compared by its hash; only those that differ are parsed, and the result is the index that \
a first run would have built. If there is an index already, it stays, and only facts and history are added to the cache. A damaged file, or one of another version, is \
refused as a whole. Import only files that you trust as much as the code: what they say about it is not verified. ORIENT_SEED_INDEX (seed.index) does the same whenever a directory has no index.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "import index.orient", about: "start from the file" },
        Example { command: "import index.orient --json --quiet", about: "for a script, without progress" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = ImportArgs;
    type Out = ImportOut;

    fn run(session: &Session<'_>, args: ImportArgs) -> Result<Answer<ImportOut>, ToolError> {
        let begun = Instant::now();
        let path = session.directories()[0].join(&args.file);
        let imported =
            session.engine()?.import(&path, session.cancel(), session.progress()).map_err(failed)?;
        let refreshed = session.index(false)?;
        let snapshot = session.snapshot()?;
        let out = ImportOut {
            file: args.file,
            written_by: imported.program,
            files: imported.rows.files,
            facts: imported.rows.facts,
            commits: imported.rows.commits,
            added: refreshed.added as u64,
            changed: refreshed.changed as u64,
            removed: refreshed.removed as u64,
            parsed: refreshed.parsed as u64,
            elapsed_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let mut answer = session.answer(&snapshot, out);
        if imported.kept_index {
            answer = answer.note("there was an index already, which was kept; facts and history were added");
        }
        Ok(answer)
    }

    fn text(out: &ImportOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &out.file)?;
        let parts = [
            plural(out.files, "file", "files"),
            plural(out.facts, "content", "contents"),
            plural(out.commits, "commit", "commits"),
        ];
        writer.put(Style::Head, &format!("  {}", parts.join(", ")))?;
        writer.line(Style::Dim, &format!("  in {}", duration(Duration::from_millis(out.elapsed_ms))))?;
        let differing = [(out.added, "added"), (out.changed, "changed"), (out.removed, "removed")];
        let differing: Vec<String> = differing
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(n, word)| format!("{} {word}", count(*n)))
            .collect();
        let differing =
            if differing.is_empty() { "no file differs".to_owned() } else { differing.join(", ") };
        writer.line(Style::Plain, &format!("{differing}; {} parsed", count(out.parsed)))
    }
}

fn failed(error: EngineError) -> ToolError {
    let hint = match &error {
        EngineError::Portable { source: PortableError::Version { .. }, .. } => {
            "export it again with this version of Orient and the same index.* settings"
        }
        EngineError::Portable { source: PortableError::Damaged(_), .. } => "copy or export it again",
        EngineError::Portable { source: PortableError::Foreign, .. } => "`orient export FILE` writes one",
        _ => "",
    };
    let error = ToolError::from(error);
    if hint.is_empty() { error } else { error.hint(hint) }
}
