//! `files`: the indexed and the skipped files, as a list or a directory tree.

mod directory_tree;

use crate::answer::index_summary;
use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Cursor, PageWindow};
use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::error::{Exit, ToolError};
use crate::operation::{AcrossRoots, Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, plural};
use crate::text::writer::{Cell, Style, TextWriter};
use crate::workspace::{Appended, Labelled, joined};
use clap::Args;
use directory_tree::{TreeLine, directory_tree};
use orient_engine::{FileQuery, FileRow, RefreshDepth, Snapshot};
use serde::Serialize;
use std::io;

pub(crate) struct Files;

/// Arguments of `files`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct FilesArgs {
    /// Only matching paths: `*.go` in any directory, `src/**` from the root, a directory, or part of a path in any case
    #[arg(value_name = "PATH")]
    glob: Option<String>,
    /// Only files of these languages
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    lang: Vec<String>,
    /// Only files with these roles: source, test, generated, vendored, doc, config
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    role: Vec<String>,
    /// Only skipped files, with the reason
    #[arg(long)]
    skipped: bool,
    /// Only files that were parsed only in part, with the first issue
    #[arg(long)]
    issues: bool,
    /// Also show language, role, lines, symbols and size
    #[arg(long, short)]
    long: bool,
    /// Show the directory tree with files, lines and size of each directory
    #[arg(long)]
    tree: bool,
    /// Show the directory tree to this depth [default with --tree: 2]
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Maximum number of files; 0 means all [default: 0]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    after: Option<Cursor>,
}

/// Files, sorted by path, or best match first if only part of a path was given.
#[derive(Serialize)]
pub(crate) struct FilesOut {
    /// The files; empty for a tree.
    files: Vec<FileLine>,
    /// The directory tree, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Vec<TreeLine>>,
    #[serde(skip)]
    long: bool,
}

/// A file.
#[derive(Serialize)]
struct FileLine {
    /// Its path from the root.
    path: String,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// Its role.
    role: &'static str,
    /// Its lines.
    lines: u32,
    /// Its symbols.
    symbols: u32,
    /// Its size in bytes.
    bytes: u64,
    /// Why it was skipped, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    /// Number of parse issues.
    issues: u32,
    /// The first issue, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_issue: Option<String>,
}

impl TypedOperation for Files {
    const NAME: &'static str = "files";
    const ABOUT: &'static str = "List the indexed files";
    const DETAILS: &'static str = "\
One path per line, sorted, suitable for pipes. A text that is no path and no glob finds the paths that contain it in any \
case or, if there are none, its letters in order; best match first. Ignored files are not listed; files that were found but \
not read are listed with --skipped.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "files", about: "all files" },
        Example { command: "files 'src/**/*_test.*' --long", about: "matching files, with details" },
        Example { command: "files order", about: "files with `order` in their path, in any case" },
        Example {
            command: "files src --tree --depth 2",
            about: "the directories of a directory, with their sizes",
        },
        Example { command: "files --skipped", about: "skipped files, with reasons" },
        Example { command: "files docs --role doc", about: "documentation in a directory" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    const ACROSS: Option<AcrossRoots<Self>> = Some(joined::<Self>);
    type Args = FilesArgs;
    type Out = FilesOut;

    fn run(session: &Session<'_>, args: FilesArgs) -> Result<Answer<FilesOut>, ToolError> {
        let snapshot = session.snapshot()?;
        let typed = args.glob.as_deref();
        let path = typed.map(|typed| path_argument::find(session, &snapshot, typed)).transpose()?.flatten();
        let not_indexed =
            path.as_ref().and_then(path_argument::PathArgument::not_indexed).filter(|_| !args.skipped);
        let by_name = typed.filter(|_| path.is_none());
        let query = FileQuery {
            path: path.map(|named| named.pattern),
            languages: enum_values::languages(&args.lang, &snapshot)?,
            roles: enum_values::roles(&args.role)?,
            indexed: Some(!args.skipped),
            with_issues: args.issues,
        };
        let window = PageWindow::new(args.limit, 0, args.after);
        let (mut rows, mut note) = (Vec::new(), None);
        let mut total = 0;
        if let Some(typed) = by_name {
            let found = snapshot.files_by_name(&query, typed)?;
            let Some((best, _)) = found.first() else {
                return Err(path_argument::unknown(session, &snapshot, typed)?);
            };
            let relation = if best.is_substring() { "contain it" } else { "have its letters in this order" };
            note = Some(format!("no path is `{typed}`; these {relation}"));
            rows.extend(found.into_iter().map(|(_, row)| row));
            total = rows.len();
        }
        if args.tree || args.depth.is_some() {
            if by_name.is_none() {
                rows = snapshot.files(&query, 0, usize::MAX)?.rows;
            }
            let files: Vec<FileLine> = rows.iter().map(FileLine::of).collect();
            let mut tree = directory_tree(&files, args.depth.unwrap_or(2));
            total = tree.len();
            tree = tree.into_iter().skip(window.offset).take(window.limit).collect();
            let shown = tree.len();
            let out = FilesOut { files: Vec::new(), tree: Some(tree), long: args.long };
            let mut answer = session.answer_within(&snapshot, query.path.as_ref().into(), out);
            answer.add_notes(not_indexed.into_iter().chain(note));
            return Ok(window.paginate(answer, shown, total));
        }
        if by_name.is_some() {
            rows = rows.into_iter().skip(window.offset).take(window.limit).collect();
        } else {
            let page = snapshot.files(&query, window.offset, window.limit)?;
            (rows, total) = (page.rows, page.total);
        }
        let mut files = Vec::with_capacity(rows.len());
        for row in rows {
            let mut line = FileLine::of(&row);
            if args.issues {
                line.first_issue = index_summary::first_issue(&snapshot, row)?;
            }
            files.push(line);
        }
        let shown = files.len();
        let scope = if args.skipped { AnswerScope::FilesRead } else { query.path.as_ref().into() };
        let mut answer =
            session.answer_within(&snapshot, scope, FilesOut { files, tree: None, long: args.long });
        answer.add_notes(not_indexed.into_iter().chain(note));
        Ok(window.paginate(answer, shown, total))
    }

    fn text(out: &FilesOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(tree) = &out.tree {
            let rows: Vec<Vec<Cell>> = tree.iter().map(TreeLine::row).collect();
            return writer.table(0, &rows);
        }
        if !out.long {
            for file in &out.files {
                writer.put(Style::Path, &file.path)?;
                if let Some(issue) = &file.first_issue {
                    writer.put(Style::Path, &format!(":{issue}"))?;
                }
                if let Some(reason) = &file.skipped {
                    writer.put(Style::Dim, &format!("  {reason}"))?;
                }
                writer.end_line()?;
            }
            return Ok(());
        }
        let rows: Vec<Vec<Cell>> = out.files.iter().map(FileLine::row).collect();
        writer.table(0, &rows)
    }

    fn exit(out: &FilesOut) -> Exit {
        let empty = out.files.is_empty() && out.tree.as_ref().is_none_or(Vec::is_empty);
        if empty { Exit::Nothing } else { Exit::Ok }
    }
}

impl Labelled for FilesOut {
    fn label(&mut self, root: &str) {
        for file in &mut self.files {
            file.path = format!("{root}/{}", file.path);
        }
        for line in self.tree.iter_mut().flatten() {
            line.label(root);
        }
    }

    fn append(&mut self, next: Self) -> Appended {
        self.files.extend(next.files);
        match (&mut self.tree, next.tree) {
            (Some(tree), Some(next)) => tree.extend(next),
            (tree @ None, next) => *tree = next,
            (Some(_), None) => {}
        }
        Appended::Both
    }
}

impl FileLine {
    fn of(row: &FileRow) -> Self {
        Self {
            path: row.path.display().into_owned(),
            language: row.language.clone(),
            role: row.role.as_str(),
            lines: row.lines,
            symbols: row.symbols,
            bytes: row.bytes,
            skipped: Snapshot::skip_reason(row).map(|reason| reason.to_string()),
            issues: row.issues,
            first_issue: None,
        }
    }

    fn row(&self) -> Vec<Cell> {
        let mut row = vec![Cell::new(Style::Path, &self.path)];
        match &self.skipped {
            Some(reason) => row.push(Cell::new(Style::Dim, reason)),
            None => row.extend([
                Cell::new(Style::Kind, self.language.clone().unwrap_or_else(|| "plain text".to_owned())),
                Cell::new(Style::Dim, self.role),
                Cell::number(Style::Plain, plural(self.lines.into(), "line", "lines")),
                Cell::number(Style::Plain, plural(self.symbols.into(), "symbol", "symbols")),
                Cell::number(Style::Plain, bytes(self.bytes)),
            ]),
        }
        row
    }
}
