//! `index`: bring the index up to date, or make it anew.

use crate::answer::Answer;
use crate::answer::index_summary::Summary;
use crate::answer::unread_files::AnswerScope;
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, count, duration, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;

pub(crate) struct Index;

/// How to index.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct IndexArgs {
    /// Make the index anew from the files instead of catching up
    #[arg(long)]
    rebuild: bool,
}

/// What was done, and what the index holds now.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IndexOut {
    /// The folder that was indexed.
    root: String,
    /// Where its index is.
    store: String,
    /// New files.
    added: u64,
    /// Files with new content.
    changed: u64,
    /// Files that are gone.
    removed: u64,
    /// Files with a new path and the same content.
    renamed: u64,
    /// Files whose times changed but whose content did not.
    touched: u64,
    /// Files that were parsed.
    parsed: u64,
    /// Files whose content had been parsed before, in another place or at another time.
    from_cache: u64,
    /// How long it took, in milliseconds.
    elapsed_ms: u64,
    /// How much of that was waiting for another process, in milliseconds.
    waited_ms: u64,
    /// What the index holds.
    summary: Summary,
}

impl TypedOperation for Index {
    const NAME: &'static str = "index";
    const ABOUT: &'static str = "Bring the index up to date with the files";
    const DETAILS: &'static str = "\
Every other command does this before it answers, so there is no need to run it first; it is for doing the long first \
run at a time of your choosing, and for seeing what is skipped and why. Only what changed is read, and only content \
that was never seen is parsed.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "index", about: "catch up with the files" },
        Example { command: "index --rebuild", about: "make the index anew" },
        Example { command: "index --json --quiet", about: "the outcome for a script, no progress" },
    ];
    const ASKS: bool = false;
    type Args = IndexArgs;
    type Out = IndexOut;

    fn run(session: &Session<'_>, args: IndexArgs) -> Result<Answer<IndexOut>, ToolError> {
        let refreshed = session.index(args.rebuild)?;
        let snapshot = session.snapshot()?;
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let out = IndexOut {
            root: session.root().display().to_string(),
            store: session.store()?,
            added: refreshed.added as u64,
            changed: refreshed.changed as u64,
            removed: refreshed.removed as u64,
            renamed: refreshed.renamed as u64,
            touched: refreshed.touched as u64,
            parsed: refreshed.parsed as u64,
            from_cache: refreshed.from_cache as u64,
            elapsed_ms: millis(refreshed.elapsed),
            waited_ms: millis(refreshed.waited),
            summary: Summary::of(&snapshot)?,
        };
        Ok(session.answer_about(&snapshot, AnswerScope::FilesRead, out))
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
        summary.languages(writer)?;
        summary.gaps(writer)
    }
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
            (self.from_cache, "known from before"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{} {word}", count(*number)))
            .collect();
        if said.is_empty() { "nothing has changed".to_owned() } else { said.join(", ") }
    }
}
