//! `gc`: garbage collection of the store.

use crate::answer::{Answer, Cause, Doubt};
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::GcOptions;
use serde::Serialize;
use std::io;

pub(crate) struct Gc;

/// Arguments of `gc`.
#[derive(Args)]
pub(crate) struct GcArgs {
    /// Only print what would be removed
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Keep unused facts for this many days: other branches may need them
    #[arg(long, value_name = "DAYS", default_value_t = GcOptions::default().keep_days)]
    keep_days: u32,
}

impl Default for GcArgs {
    fn default() -> Self {
        Self { dry_run: false, keep_days: GcOptions::default().keep_days }
    }
}

/// What was removed.
#[derive(Serialize)]
pub(crate) struct GcOut {
    /// Whether nothing was actually removed.
    dry_run: bool,
    /// Deleted directories whose indexes were removed.
    trees: Vec<String>,
    /// Number of indexes of commits that were removed because they exceed `store.commits`.
    commits: u64,
    /// Number of cached facts that no index uses.
    facts: u64,
    /// Number of cached provider vectors that no index uses.
    vectors: u64,
    /// Bytes freed; an estimate for a dry run.
    bytes: u64,
}

impl TypedOperation for Gc {
    const NAME: &'static str = "gc";
    const ABOUT: &'static str = "Remove indexes of deleted directories and unused cached data";
    const DETAILS: &'static str = "\
Works on the whole store, not only on this repository. Indexes of existing directories are kept; of those of commits \
(`--at`), the most recently used within the limit that `store.commits` sets.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "gc --dry-run", about: "print what would be removed" },
        Example { command: "gc", about: "remove it" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = GcArgs;
    type Out = GcOut;

    fn run(session: &Session<'_>, args: GcArgs) -> Result<Answer<GcOut>, ToolError> {
        let collected =
            session.collect_garbage(GcOptions { dry_run: args.dry_run, keep_days: args.keep_days })?;
        let out = GcOut {
            dry_run: args.dry_run,
            trees: collected.trees.iter().map(|tree| tree.display().to_string()).collect(),
            commits: collected.commits,
            facts: collected.facts,
            vectors: collected.vectors,
            bytes: collected.bytes,
        };
        let mut answer = Answer::new(out);
        for busy in &collected.busy {
            let text = format!("{} was skipped: another process is writing it", busy.display());
            answer = answer.partial(Doubt::new(Cause::Busy, 1, text));
        }
        Ok(answer)
    }

    fn text(out: &GcOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for tree in &out.trees {
            writer.plain("the index of ")?;
            writer.put(Style::Path, tree)?;
            writer.line(Style::Plain, ", which no longer exists")?;
        }
        if out.commits > 0 {
            let commits = plural(out.commits, "index of a commit", "indexes of commits");
            writer.line(Style::Plain, &format!("{commits}, which exceed `store.commits`"))?;
        }
        if out.facts > 0 {
            let facts = plural(out.facts, "file", "files");
            writer.line(Style::Plain, &format!("cached facts of {facts} that no index uses"))?;
        }
        if out.vectors > 0 {
            let texts = plural(out.vectors, "text", "texts");
            writer.line(Style::Plain, &format!("cached provider vectors of {texts} that no index uses"))?;
        }
        let verb = if out.dry_run { "would be freed" } else { "freed" };
        writer.line(Style::Head, &format!("{} {verb}", bytes(out.bytes)))
    }
}
