//! `gc`: give back what nobody needs any more.

use crate::amount::bytes;
use crate::answer::Answer;
use crate::error::ToolError;
use crate::page::{Cell, Page, Tone};
use crate::session::Session;
use crate::tool::{Example, Operation};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Gc;

/// What to give back.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GcArgs {
    /// Only say what would be removed
    #[arg(long, short = 'n')]
    dry_run: bool,
}

/// What was given back.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GcOut {
    /// Whether nothing was really removed.
    dry_run: bool,
    /// What was removed.
    removed: Vec<Removed>,
    /// Bytes given back in all.
    freed: u64,
}

/// Something that was removed.
#[derive(Serialize, JsonSchema)]
struct Removed {
    /// What it was.
    what: String,
    /// Where it was.
    path: String,
    /// Bytes given back.
    bytes: u64,
}

impl Operation for Gc {
    const NAME: &'static str = "gc";
    const ABOUT: &'static str = "Remove indexes of folders that are gone and facts nobody uses";
    const DETAILS: &'static str = "\
Works on the whole store, not only on this repository. Nothing of a folder that still exists is lost: what is removed \
can be made again from files, and there are none left.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "gc --dry-run", about: "what could be removed" },
        Example { command: "gc", about: "remove it" },
    ];
    type Args = GcArgs;
    type Out = GcOut;

    fn run(session: &Session<'_>, args: GcArgs) -> Result<Answer<GcOut>, ToolError> {
        let _ = (session, args);
        todo!()
    }

    fn text(out: &GcOut, page: &mut Page<'_>) -> io::Result<()> {
        let rows: Vec<Vec<Cell>> = out
            .removed
            .iter()
            .map(|removed| {
                vec![
                    Cell::number(Tone::Plain, bytes(removed.bytes)),
                    Cell::new(Tone::Plain, &removed.what),
                    Cell::new(Tone::Path, &removed.path),
                ]
            })
            .collect();
        page.table(0, &rows)?;
        let verb = if out.dry_run { "would be given back" } else { "given back" };
        page.line(Tone::Head, &format!("{} {verb}", bytes(out.freed)))
    }
}
