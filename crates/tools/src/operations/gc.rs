//! `gc`: give back what nobody needs any more.

use crate::answer::Answer;
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::GcOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Gc;

/// What to give back.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GcArgs {
    /// Only say what would be removed
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Keep facts nobody uses for so many days: another branch may want them
    #[arg(long, value_name = "DAYS", default_value_t = GcOptions::default().keep_days)]
    keep_days: u32,
}

impl Default for GcArgs {
    fn default() -> Self {
        Self { dry_run: false, keep_days: GcOptions::default().keep_days }
    }
}

/// What was given back.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GcOut {
    /// Whether nothing was really removed.
    dry_run: bool,
    /// Folders that are gone, whose indexes were removed.
    trees: Vec<String>,
    /// Remembered facts that no index used.
    facts: u64,
    /// Vectors of other models for texts that stand nowhere any more.
    vectors: u64,
    /// Bytes given back; an estimate for a dry run.
    bytes: u64,
}

impl TypedOperation for Gc {
    const NAME: &'static str = "gc";
    const ABOUT: &'static str = "Remove indexes of folders that are gone and facts nobody uses";
    const DETAILS: &'static str = "\
Works on the whole store, not only on this repository. Nothing of a folder that still exists is lost: what is removed \
can be made again from files, and there are none left.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "gc --dry-run", about: "what could be removed" },
        Example { command: "gc", about: "remove it" },
    ];
    const ASKS: bool = false;
    type Args = GcArgs;
    type Out = GcOut;

    fn run(session: &Session<'_>, args: GcArgs) -> Result<Answer<GcOut>, ToolError> {
        let collected = session.collect(GcOptions { dry_run: args.dry_run, keep_days: args.keep_days })?;
        let out = GcOut {
            dry_run: args.dry_run,
            trees: collected.trees.iter().map(|tree| tree.display().to_string()).collect(),
            facts: collected.facts,
            vectors: collected.vectors,
            bytes: collected.bytes,
        };
        let mut answer = Answer::new(out);
        for busy in &collected.busy {
            answer = answer
                .partial(format!("{} was left alone: another process is writing there", busy.display()));
        }
        Ok(answer)
    }

    fn text(out: &GcOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for tree in &out.trees {
            writer.plain("the index of ")?;
            writer.put(Style::Path, tree)?;
            writer.line(Style::Plain, ", which is gone")?;
        }
        if out.facts > 0 {
            let facts = plural(out.facts, "file", "files");
            writer.line(
                Style::Plain,
                &format!("what was known of the content of {facts} that are nowhere any more"),
            )?;
        }
        if out.vectors > 0 {
            let texts = plural(out.vectors, "text", "texts");
            writer.line(
                Style::Plain,
                &format!("what other models made of {texts} that stand nowhere any more"),
            )?;
        }
        let verb = if out.dry_run { "would be given back" } else { "given back" };
        writer.line(Style::Head, &format!("{} {verb}", bytes(out.bytes)))
    }
}
