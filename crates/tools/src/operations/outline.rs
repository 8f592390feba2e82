//! `outline`: the definitions of a file or directory.

use crate::answer::symbol_line::shortened;
use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Cursor, PageWindow};
use crate::arguments::path_argument::{self, PathArgument};
use crate::arguments::symbol_lookup::{ResolvedSymbol, UnresolvedName, resolve_symbol};
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{Definition, RefreshDepth, Snapshot};
use serde::Serialize;
use std::io;

pub(crate) struct Outline;

/// Default number of files of a directory.
const DEFAULT_FILES: u64 = 50;
/// Maximum number of symbols shown for each file of a directory; the rest are counted.
const MAX_SYMBOLS: usize = 40;
/// Maximum number of handles named for an ambiguous name.
const MAX_HANDLES: usize = 5;

/// Arguments of `outline`.
#[derive(Args)]
pub(crate) struct OutlineArgs {
    /// A file, a directory or a symbol; default: the whole tree
    #[arg(value_name = "PATH|SYMBOL", default_value = ".", hide_default_value = true)]
    path: String,
    /// Maximum nesting depth; 0 means all. Default: all levels of a file or symbol, the top level of a directory
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Maximum number of files of a directory; 0 means all [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    after: Option<Cursor>,
}

/// The definitions of a file or directory.
#[derive(Serialize)]
pub(crate) struct OutlineOut {
    /// The file or directory.
    path: String,
    /// Its files, sorted by path.
    files: Vec<FileOutline>,
}

/// The definitions of a file.
#[derive(Serialize)]
struct FileOutline {
    /// Its path.
    path: String,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// Its lines.
    lines: u32,
    /// Its symbols, in source order.
    symbols: Vec<OutlineLine>,
    /// Number of symbols that are not shown.
    hidden: u64,
}

/// A symbol of an outline.
#[derive(Serialize)]
struct OutlineLine {
    /// Its nesting depth, from 0.
    depth: u32,
    /// Its handle.
    handle: String,
    /// Its name.
    name: String,
    /// Its kind.
    kind: &'static str,
    /// Its first line.
    line: u32,
    /// Its last line.
    last_line: u32,
    /// Its signature as written.
    signature: String,
}

impl TypedOperation for Outline {
    const NAME: &'static str = "outline";
    const ABOUT: &'static str = "Show the definitions of a file, a directory or a symbol";
    const DETAILS: &'static str = "\
Definitions with their line and signature, nested as in the source. For a directory, the top-level definitions of each file; for a \
symbol, its members.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "outline src/server.go", about: "all definitions of a file" },
        Example { command: "outline src", about: "the top level of each file in a directory" },
        Example { command: "outline src --depth 2", about: "with the members of types" },
        Example { command: "outline Server", about: "the members of a type" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    type Args = OutlineArgs;
    type Out = OutlineOut;

    fn run(session: &Session<'_>, args: OutlineArgs) -> Result<Answer<OutlineOut>, ToolError> {
        let snapshot = session.snapshot()?;
        let window = PageWindow::new(args.limit, DEFAULT_FILES, args.after);
        match path_argument::resolve(session, &snapshot, &args.path) {
            Ok(named) => of_path(session, &snapshot, &named, args.depth, window),
            Err(error) => match resolve_symbol(&snapshot, session.own_name(&args.path))? {
                Ok(subject) => of_symbol(session, &snapshot, &subject, args.depth),
                Err(UnresolvedName::Several { candidates, total, .. }) => {
                    let handles: Vec<String> =
                        candidates.iter().take(MAX_HANDLES).map(|one| one.handle.to_string()).collect();
                    let message = format!("`{}` is ambiguous: it names {total} symbols", args.path);
                    Err(ToolError::new(Code::NotFound, message)
                        .hint(format!("for example {}", handles.join(", "))))
                }
                Err(UnresolvedName::None { .. }) => Err(error),
            },
        }
    }

    fn text(out: &OutlineOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)
    }

    fn exit(out: &OutlineOut) -> Exit {
        if out.files.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}

/// The outline of a file or directory.
pub(crate) fn of_path(
    session: &Session<'_>,
    snapshot: &Snapshot,
    named: &PathArgument,
    depth: Option<u32>,
    window: PageWindow,
) -> Result<Answer<OutlineOut>, ToolError> {
    let whole = named.file.is_some();
    if let Some(message) = named.not_indexed() {
        return Err(ToolError::new(Code::NotFound, message));
    }
    let depth = match depth {
        Some(0) => u32::MAX,
        Some(depth) => depth,
        None if whole => u32::MAX,
        None => 1,
    };
    let max = if whole || window.limit == usize::MAX { usize::MAX } else { MAX_SYMBOLS };
    let found = snapshot.outlines(&named.pattern, window.offset, window.limit)?;
    let files: Vec<FileOutline> = found.rows.iter().map(|held| FileOutline::of(held, depth, max)).collect();
    let shown = files.len();
    let path = if named.text.is_empty() { ".".to_owned() } else { named.text.clone() };
    let scope = if whole { AnswerScope::FilesRead } else { AnswerScope::Within(&named.pattern) };
    let answer = session.answer_within(snapshot, scope, OutlineOut { path, files });
    Ok(window.paginate(answer, shown, found.total))
}

/// The members of a symbol, and those of its separate parts.
fn of_symbol(
    session: &Session<'_>,
    snapshot: &Snapshot,
    subject: &ResolvedSymbol,
    depth: Option<u32>,
) -> Result<Answer<OutlineOut>, ToolError> {
    let depth = depth.filter(|&depth| depth > 0).map_or(u32::MAX, |depth| depth + 1);
    let mut files = Vec::new();
    for part in std::iter::once(&subject.definition).chain(&subject.declarations) {
        let Some(file) = snapshot.file(&part.path)? else { continue };
        let held = snapshot.outline(file)?;
        let (first, last) = (part.span.first_line, part.span.last_line);
        let inside = held.definitions().filter(|one| {
            let is_inside = first <= one.span.first_line && one.span.last_line <= last;
            one.id == part.id
                || (is_inside && one.depth > part.depth && one.depth < depth.saturating_add(part.depth))
        });
        let symbols: Vec<OutlineLine> = inside
            .map(OutlineLine::from)
            .map(|line| OutlineLine { depth: line.depth - part.depth, ..line })
            .collect();
        files.push(FileOutline {
            path: held.file.path.display().into_owned(),
            language: held.file.language.clone(),
            lines: held.file.lines,
            hidden: 0,
            symbols,
        });
    }
    let path = subject.definition.handle.to_string();
    let mut answer = session.answer_within(snapshot, AnswerScope::FilesRead, OutlineOut { path, files });
    answer.add_notes(subject.note());
    Ok(answer)
}

impl From<Definition> for OutlineLine {
    fn from(definition: Definition) -> Self {
        Self {
            kind: definition.shown_kind().as_str(),
            depth: definition.depth,
            handle: definition.handle.to_string(),
            name: definition.name,
            line: definition.span.first_line,
            last_line: definition.span.last_line,
            signature: definition.signature,
        }
    }
}

impl OutlineLine {
    /// Writes the signature with the name highlighted; only the name if there is no signature.
    fn write(&self, width: usize, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Number, &format!("{:>width$}", self.line))?;
        writer.plain(&format!("  {}", "  ".repeat(self.depth as usize)))?;
        // Most signatures contain the kind: `class Base`.
        if !self.signature.split(|c: char| !c.is_alphanumeric()).any(|word| word == self.kind) {
            writer.put(Style::Kind, self.kind)?;
            writer.plain(" ")?;
        }
        let header = shortened(&self.signature);
        if let Some((before, behind)) =
            header.split_once(self.name.as_str()).filter(|_| !self.name.is_empty())
        {
            writer.plain(before)?;
            writer.put(Style::Name, &self.name)?;
            writer.plain(behind)?;
        } else {
            writer.put(Style::Name, &self.name)?;
            writer.put(Style::Dim, &format!("  {header}"))?;
        }
        writer.end_line()
    }
}

impl OutlineOut {
    /// Writes the outline of each file.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for (index, file) in self.files.iter().enumerate() {
            if index > 0 {
                writer.end_line()?;
            }
            file.write(writer)?;
        }
        Ok(())
    }
}

impl FileOutline {
    /// The first `max` symbols of a file up to a nesting depth.
    fn of(held: &orient_engine::FileOutline, depth: u32, max: usize) -> Self {
        let symbols: Vec<OutlineLine> = held
            .definitions()
            .filter(|definition| definition.depth < depth)
            .take(max)
            .map(OutlineLine::from)
            .collect();
        Self {
            path: held.file.path.display().into_owned(),
            language: held.file.language.clone(),
            lines: held.file.lines,
            hidden: (held.ids.len() - symbols.len()) as u64,
            symbols,
        }
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &self.path)?;
        let language = self.language.as_deref().unwrap_or("plain text");
        writer.put(Style::Dim, &format!("  {language}, {}", plural(self.lines.into(), "line", "lines")))?;
        writer.end_line()?;
        let last = self.symbols.iter().map(|symbol| symbol.line).max().unwrap_or(0);
        let width = last.to_string().len() + 2;
        for symbol in &self.symbols {
            symbol.write(width, writer)?;
        }
        if self.hidden > 0 {
            writer.line(Style::Dim, &format!("{:width$}  and {} more", "", count(self.hidden)))?;
        }
        Ok(())
    }
}
