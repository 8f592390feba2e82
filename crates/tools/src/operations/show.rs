//! `show`: the source of a symbol or of a file.

use crate::answer::symbol_line::SymbolLine;
use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Note};
use crate::arguments::path_argument;
use crate::arguments::symbol_lookup::{SymbolAnswer, UnresolvedName, resolve_symbol};
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Excerpt, Style, TextWriter};
use clap::Args;
use orient_engine::{Definition, FileRow, RefreshDepth, Snapshot};
use orient_model::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::str::FromStr;

pub(crate) struct Show;

/// Maximum number of lines without `--lines`.
const MAX_LINES: u32 = 500;

/// Arguments of `show`.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowArgs {
    /// A handle (`src/server.go#Server.Run`), a name (`Run`, `Server.Run`), a location (`src/server.go:25`), or a file
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Only these lines of the file: `10-40`, `10`, `10-`
    #[arg(long, value_name = "FROM-TO")]
    #[serde(default)]
    lines: Option<LineRange>,
}

/// A range of lines, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(crate) struct LineRange {
    first: u32,
    last: u32,
}

impl FromStr for LineRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("{text:?} is not a line range; for example 10-40, 10 or 10-");
        let number =
            |part: &str| part.trim().parse::<u32>().ok().filter(|&line| line > 0).ok_or_else(invalid);
        let (first, last) = match text.split_once(['-', ':', ',']) {
            None => (number(text)?, number(text)?),
            Some((first, "")) => (number(first)?, u32::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
        };
        if first > last {
            return Err(format!("{text:?} ends before it starts; use {last}-{first}"));
        }
        Ok(Self { first, last })
    }
}

impl TryFrom<String> for LineRange {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// Source text.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// The symbol; absent for lines of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<SymbolLine>,
    /// Its documentation, without comment markers.
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    /// The file.
    path: String,
    /// The first line shown.
    first_line: u32,
    /// The last line shown.
    last_line: u32,
    /// The current lines of the file. Invalid UTF-8 is replaced.
    source: String,
}

impl TypedOperation for Show {
    const NAME: &'static str = "show";
    const ABOUT: &'static str = "Show the source of a symbol, with line numbers";
    const DETAILS: &'static str = "\
The source is read from the current file. An ambiguous name is answered with the handles of the candidates and exit code 3. \
Separate declarations and blocks that extend a type do not make a name ambiguous: the definition is shown, and a note lists \
them.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "show Server.Run", about: "by name" },
        Example { command: "show src/server.go#Server.Run", about: "by handle" },
        Example { command: "show src/server.go --lines 10-40", about: "lines of a file" },
        Example { command: "show src/server.go:25", about: "the symbol around a line" },
    ];
    const DEPTH: RefreshDepth = RefreshDepth::Facts;
    type Args = ShowArgs;
    type Out = SymbolAnswer<Shown>;

    fn run(session: &Session<'_>, args: ShowArgs) -> Result<Answer<SymbolAnswer<Shown>>, ToolError> {
        let snapshot = session.snapshot()?;
        let file = path_argument::file(session, &snapshot, &args.symbol)?;
        let unknown = file.is_none() && args.lines.is_none();
        if unknown && let Some((file, lines)) = location(session, &snapshot, &args.symbol)? {
            return source_at(session, &snapshot, &file, lines);
        }
        if let Some(file) = file.as_ref().filter(|_| args.lines.is_some()) {
            return source(session, &snapshot, file, None, args.lines);
        }
        match resolve_symbol(&snapshot, &args.symbol)? {
            Ok(subject) => {
                let note = subject.note();
                let row = snapshot.file(&subject.definition.path)?;
                let file = row.ok_or_else(|| ToolError::new(Code::Internal, "a symbol without its file"))?;
                let mut answer = source(session, &snapshot, &file, Some(subject.definition), args.lines)?;
                answer.add_notes(note);
                Ok(answer)
            }
            Err(UnresolvedName::None { .. }) if let Some(file) = &file => {
                source(session, &snapshot, file, None, None)
            }
            Err(unclear) => match path_argument::in_skipped_directory(session, &snapshot, &args.symbol)? {
                Some(error) => Err(error),
                None => unclear.answer(session, &snapshot),
            },
        }
    }

    fn text(out: &SymbolAnswer<Shown>, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, Shown::write)
    }

    fn exit(out: &SymbolAnswer<Shown>) -> Exit {
        out.exit()
    }
}

/// Parses a location, `path:12` or `path:10-40`; `None` if there is no such file.
fn location(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Option<(FileRow, LineRange)>, ToolError> {
    let Some((path, lines)) = typed.rsplit_once(':') else { return Ok(None) };
    let Ok(lines) = lines.parse::<LineRange>() else { return Ok(None) };
    Ok(path_argument::file(session, snapshot, path)?.map(|file| (file, lines)))
}

/// The source at a location; for one line, the innermost symbol around it, or some lines on both sides.
fn source_at(
    session: &Session<'_>,
    snapshot: &Snapshot,
    file: &FileRow,
    lines: LineRange,
) -> Result<Answer<SymbolAnswer<Shown>>, ToolError> {
    const CONTEXT_LINES: u32 = 20;
    if lines.first != lines.last {
        return source(session, snapshot, file, None, Some(lines));
    }
    let line = lines.first;
    let holds = |one: &Definition| one.span.first_line <= line && line <= one.span.last_line;
    let inner =
        snapshot.outline(file.clone())?.definitions().filter(holds).min_by_key(|one| {
            (one.span.last_line - one.span.first_line, std::cmp::Reverse(one.span.first_line))
        });
    if let Some(definition) = inner.filter(|one| one.span.last_line > one.span.first_line) {
        return source(session, snapshot, file, Some(definition), None);
    }
    let lines = LineRange {
        first: line.saturating_sub(CONTEXT_LINES).max(1),
        last: line.saturating_add(CONTEXT_LINES),
    };
    source(session, snapshot, file, None, Some(lines))
}

/// The current lines of a symbol, or of the requested range.
fn source(
    session: &Session<'_>,
    snapshot: &Snapshot,
    file: &FileRow,
    definition: Option<Definition>,
    lines: Option<LineRange>,
) -> Result<Answer<SymbolAnswer<Shown>>, ToolError> {
    let whole = LineRange { first: 1, last: file.lines.max(1) };
    let of_symbol = |definition: &Definition| LineRange {
        first: definition.span.first_line,
        last: definition.span.last_line,
    };
    let all = definition.as_ref().map_or(whole, of_symbol);
    let selected =
        lines.unwrap_or(LineRange { last: all.last.min(all.first.saturating_add(MAX_LINES - 1)), ..all });
    let span =
        Span { first_line: selected.first, last_line: selected.last.min(whole.last), ..Span::default() };
    if lines.is_some() && selected.first > whole.last {
        let message =
            format!("{} has only {}", file.path.display(), plural(whole.last.into(), "line", "lines"));
        return Err(ToolError::new(Code::NotFound, message));
    }
    let found = snapshot.source(file, span, 0)?;
    let shown = Shown {
        doc: definition.as_ref().and_then(|definition| definition.doc.clone()),
        symbol: definition.map(|definition| SymbolLine::new(definition, None)),
        path: file.path.display().into_owned(),
        first_line: found.first_line,
        last_line: (found.first_line + found.lines.len() as u32).saturating_sub(1).max(found.first_line),
        source: found.lines.join("\n"),
    };
    let mut answer = session.answer_within(snapshot, AnswerScope::FilesRead, SymbolAnswer::one(shown));
    if lines.is_none() && selected.last < all.last {
        let (length, next) = (all.last - all.first + 1, selected.last + 1);
        let shown = format!("{} of {} lines", count(MAX_LINES.into()), count(length.into()));
        answer = answer.partial(Note::from(format!("{shown}; {next}-{} omitted", all.last)).see("lines"));
    }
    if found.differs {
        answer = answer.note("the file has changed since it was indexed: the line numbers may be outdated");
    }
    Ok(answer)
}

impl Shown {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &format!("{}:{}-{}", self.path, self.first_line, self.last_line))?;
        if let Some(symbol) = &self.symbol {
            writer.plain("  ")?;
            writer.put(Style::Kind, &symbol.kind)?;
            writer.plain(" ")?;
            writer.put(Style::Name, &symbol.qualified)?;
        }
        writer.end_line()?;
        writer.excerpt(&Excerpt { path: &self.path, first_line: self.first_line, text: &self.source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ranges_have_several_forms() {
        let range = |first, last| Ok(LineRange { first, last });
        assert_eq!("10-40".parse(), range(10, 40));
        assert_eq!("10:40".parse(), range(10, 40));
        assert_eq!("7".parse(), range(7, 7));
        assert_eq!("7-".parse(), range(7, u32::MAX));
        assert_eq!(
            "40-10".parse::<LineRange>(),
            Err("\"40-10\" ends before it starts; use 10-40".to_owned())
        );
        for wrong in ["", "0", "a-b", "-5"] {
            assert!(wrong.parse::<LineRange>().is_err(), "{wrong}");
        }
    }
}
