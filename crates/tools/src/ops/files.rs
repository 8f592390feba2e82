//! `files`: the files of the index.

use crate::amount::{bytes, count};
use crate::answer::{Answer, Cursor};
use crate::error::{Exit, ToolError};
use crate::page::{Cell, Page, Tone};
use crate::session::Session;
use crate::tool::{Example, Operation};
use crate::words;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Files;

/// Which files.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct FilesArgs {
    /// Only paths that match: `*.go` in any folder, `src/**` from the root, or the name of a folder
    #[arg(value_name = "GLOB")]
    glob: Option<String>,
    /// Only files of these languages
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    lang: Vec<String>,
    /// Only files with these roles: source, test, generated, vendored, doc, config
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    role: Vec<String>,
    /// Only files that were skipped, with the reason
    #[arg(long)]
    skipped: bool,
    /// Also show language, role, lines, symbols and size
    #[arg(long, short)]
    long: bool,
    /// At most so many; 0 means all, which is the default
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Go on where an answer before ended
    #[arg(long, value_name = "PLACE")]
    after: Option<Cursor>,
}

/// Files, sorted by path.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FilesOut {
    /// The files.
    files: Vec<FileLine>,
    #[serde(skip)]
    long: bool,
}

/// A file.
#[derive(Serialize, JsonSchema)]
struct FileLine {
    /// Its path from the root.
    path: String,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// What it is for.
    role: &'static str,
    /// Its lines.
    lines: u32,
    /// Its symbols.
    symbols: u32,
    /// Its size in bytes.
    bytes: u64,
    /// Why it was not read, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
}

impl Operation for Files {
    const NAME: &'static str = "files";
    const ABOUT: &'static str = "List the files of the index";
    const DETAILS: &'static str = "\
One path on a line, sorted, so that it can be piped on. Files that ignore rules leave out are not listed; files that \
were met but not read are listed with --skipped.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "files", about: "all files" },
        Example { command: "files 'src/**/*_test.*' --long", about: "those that match, with what is known" },
        Example { command: "files --skipped", about: "what was not read, and why" },
        Example { command: "files docs --role doc", about: "prose below a folder" },
    ];
    type Args = FilesArgs;
    type Out = FilesOut;

    fn run(session: &Session<'_>, args: FilesArgs) -> Result<Answer<FilesOut>, ToolError> {
        let _ = (session, args, words::roles(&[]));
        todo!()
    }

    fn text(out: &FilesOut, page: &mut Page<'_>) -> io::Result<()> {
        if !out.long {
            for file in &out.files {
                page.put(Tone::Path, &file.path)?;
                if let Some(reason) = &file.skipped {
                    page.put(Tone::Dim, &format!("  {reason}"))?;
                }
                page.end()?;
            }
            return Ok(());
        }
        let rows: Vec<Vec<Cell>> = out.files.iter().map(FileLine::row).collect();
        page.table(0, &rows)
    }

    fn exit(out: &FilesOut) -> Exit {
        if out.files.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}

impl FileLine {
    fn row(&self) -> Vec<Cell> {
        let mut row = vec![Cell::new(Tone::Path, &self.path)];
        match &self.skipped {
            Some(reason) => row.push(Cell::new(Tone::Dim, reason)),
            None => row.extend([
                Cell::new(Tone::Kind, self.language.clone().unwrap_or_else(|| "text".to_owned())),
                Cell::new(Tone::Dim, self.role),
                Cell::number(Tone::Plain, format!("{} lines", count(self.lines.into()))),
                Cell::number(Tone::Plain, format!("{} symbols", count(self.symbols.into()))),
                Cell::number(Tone::Plain, bytes(self.bytes)),
            ]),
        }
        row
    }
}
