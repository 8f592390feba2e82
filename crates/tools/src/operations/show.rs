//! `show`: the source of a symbol or of a file.

use crate::answer::symbol_line::SymbolLine;
use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Doubt, Note, PageWindow};
use crate::arguments::location::{LineRange, parse_location};
use crate::arguments::name_forms::innermost;
use crate::arguments::path_argument::{self, PathArgument};
use crate::arguments::symbol_lookup::{SymbolAnswer, UnresolvedName, resolve_symbol};
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::operations::outline::{self, OutlineOut};
use crate::operations::source_lines::SourceLines;
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Excerpt, Style, TextWriter};
use clap::Args;
use orient_engine::{Definition, FileRow, RefreshDepth, Snapshot};
use orient_model::Span;
use serde::Serialize;
use std::io;

pub(crate) struct Show;

/// Maximum number of lines without `--lines`.
const MAX_LINES: u32 = 500;
/// From this number of lines on, a note mentions the collapsed view.
const LONG: u32 = 150;
/// Bodies of this many lines or more are omitted from the collapsed view.
const MIN_OMITTED: u32 = 3;
/// Number of lines at the beginning and at the end of a long definition without members.
const ENDS: (u32, u32) = (25, 6);

/// Arguments of `show`.
#[derive(Args)]
pub(crate) struct ShowArgs {
    /// A handle (`src/server.go#Server.Run`), a name (`Run`, `Server.Run`), a location (`src/server.go:25`), a file or a directory
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Only these lines of the file: `10-40`, `10`, `10-`
    #[arg(long, value_name = "FROM-TO")]
    lines: Option<LineRange>,
    /// Omit the bodies of members; without members, the middle of a long definition
    #[arg(long)]
    collapsed: bool,
}

/// Source text.
#[derive(Serialize)]
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
    /// The lines that are left if bodies are omitted; `source` is empty then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collapsed: Vec<SourceLines>,
    /// The outline, for a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    outline: Option<OutlineOut>,
}

impl TypedOperation for Show {
    const NAME: &'static str = "show";
    const ABOUT: &'static str = "Show the source of a symbol, with line numbers";
    const DETAILS: &'static str = "\
The source is read from the current file. An ambiguous name is answered with the handles of the candidates and exit code 3. \
Separate declarations and blocks that extend a type do not make a name ambiguous: the definition is shown, and a note lists \
them. A directory is answered with its outline.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "show Server.Run", about: "by name" },
        Example { command: "show src/server.go#Server.Run", about: "by handle" },
        Example { command: "show src/server.go --lines 10-40", about: "lines of a file" },
        Example { command: "show src/server.go:25", about: "the symbol around a line" },
        Example { command: "show Server --collapsed", about: "a type without the bodies of its members" },
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
        match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
            Ok(subject) => {
                let note = subject.note();
                let row = snapshot.file(&subject.definition.path)?;
                let file = row.ok_or_else(|| ToolError::new(Code::Internal, "a symbol without its file"))?;
                let span = subject.definition.span;
                let is_inside =
                    |lines: LineRange| span.first_line <= lines.first && lines.first <= span.last_line;
                let mut answer = if args.collapsed {
                    collapsed(session, &snapshot, &file, Some(subject.definition))?
                } else if args.lines.is_some_and(|lines| !is_inside(lines)) {
                    let answer = source(session, &snapshot, &file, None, args.lines)?;
                    let (first, last) = (span.first_line, span.last_line);
                    answer.note(format!("lines of the file: the symbol is at {first}-{last}"))
                } else {
                    source(session, &snapshot, &file, Some(subject.definition), args.lines)?
                };
                answer.add_notes(note);
                Ok(answer)
            }
            Err(UnresolvedName::None { .. }) if let Some(file) = &file => {
                if args.collapsed {
                    return collapsed(session, &snapshot, file, None);
                }
                source(session, &snapshot, file, None, None)
            }
            Err(UnresolvedName::None { .. })
                if let Ok(named) = path_argument::resolve(session, &snapshot, &args.symbol) =>
            {
                directory(session, &snapshot, &named)
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

/// The file and the lines of a place such as `path:12`, `path:12:5` or `path#L10-L40`; `None` if there is no such file.
fn location(
    session: &Session<'_>,
    snapshot: &Snapshot,
    typed: &str,
) -> Result<Option<(FileRow, LineRange)>, ToolError> {
    let Some((path, lines)) = parse_location(typed) else { return Ok(None) };
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
    if let Some(definition) = innermost(snapshot, file, line)? {
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
        collapsed: Vec::new(),
        outline: None,
    };
    let mut answer = session.answer_within(snapshot, AnswerScope::FilesRead, SymbolAnswer::one(shown));
    if lines.is_none() && selected.last < all.last {
        let (length, next) = (all.last - all.first + 1, selected.last + 1);
        let shown = format!("{} of {} lines", count(MAX_LINES.into()), count(length.into()));
        answer = answer.partial(Doubt::limit(
            u64::from(all.last - next) + 1,
            Note::from(format!("{shown}; {next}-{} omitted", all.last)).see("lines"),
        ));
    }
    if lines.is_none() && span.last_line - span.first_line >= LONG {
        answer =
            answer.note(Note::from("long: without the bodies of its members it is short").see("collapsed"));
    }
    if found.differs {
        answer = answer.note("the file has changed since it was indexed: the line numbers may be outdated");
    }
    Ok(answer)
}

/// The outline of a directory, or of the files that match a glob.
fn directory(
    session: &Session<'_>,
    snapshot: &Snapshot,
    named: &PathArgument,
) -> Result<Answer<SymbolAnswer<Shown>>, ToolError> {
    let window = PageWindow::new(Some(0), 0, None);
    let outline = outline::of_path(session, snapshot, named, None, window)?;
    let scope = AnswerScope::Within(&named.pattern);
    let shown = Shown {
        symbol: None,
        doc: None,
        path: named.text.clone(),
        first_line: 0,
        last_line: 0,
        source: String::new(),
        collapsed: Vec::new(),
        outline: Some(outline.data),
    };
    Ok(session.answer_within(snapshot, scope, SymbolAnswer::one(shown)))
}

/// A definition or file without the bodies of its members; without members, without its middle if it is long.
fn collapsed(
    session: &Session<'_>,
    snapshot: &Snapshot,
    file: &FileRow,
    definition: Option<Definition>,
) -> Result<Answer<SymbolAnswer<Shown>>, ToolError> {
    let all =
        definition.as_ref().map_or((1, file.lines.max(1)), |one| (one.span.first_line, one.span.last_line));
    let own = definition.as_ref().map(|one| one.id);
    let held = snapshot.outline(file.clone())?;
    let members = held
        .definitions()
        .filter(|one| Some(one.id) != own && all.0 <= one.span.first_line && one.span.last_line <= all.1);
    let bodies = members.filter(|one| !one.kind.is_type()).filter_map(|one| one.body);
    // The lines between the brackets; the line of the last bracket stays.
    let inside = bodies.map(|body| (body.first_line + 1, body.last_line.saturating_sub(1)));
    let mut omitted: Vec<(u32, u32)> =
        inside.filter(|(first, last)| first + MIN_OMITTED <= last + 1).collect();
    if omitted.is_empty() && all.1 - all.0 > ENDS.0 + ENDS.1 {
        omitted.push((all.0 + ENDS.0, all.1 - ENDS.1));
    }
    let span = Span { first_line: all.0, last_line: all.1, ..Span::default() };
    let lines = snapshot.source(file, span, 0)?.lines;
    let parts = kept_parts(all, &omitted).into_iter().map(|(first, last)| {
        let from = ((first - all.0) as usize).min(lines.len());
        let to = ((last - all.0 + 1) as usize).min(lines.len());
        SourceLines::new(first, &lines[from..to])
    });
    let shown = Shown {
        doc: None,
        symbol: definition.map(|definition| SymbolLine::new(definition, None)),
        path: file.path.display().into_owned(),
        first_line: all.0,
        last_line: all.1,
        source: String::new(),
        collapsed: parts.collect(),
        outline: None,
    };
    Ok(session.answer_within(snapshot, AnswerScope::FilesRead, SymbolAnswer::one(shown)))
}

/// The ranges of lines that are left of a range without others. For 1-10 without 3-4 and 4-7: 1-2 and 8-10.
fn kept_parts(all: (u32, u32), omitted: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut omitted = omitted.to_vec();
    omitted.sort_unstable();
    let (mut parts, mut next) = (Vec::new(), all.0);
    for (first, last) in omitted {
        if first > next {
            parts.push((next, first - 1));
        }
        next = next.max(last + 1);
    }
    if next <= all.1 {
        parts.push((next, all.1));
    }
    parts
}

impl Shown {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(outline) = &self.outline {
            return outline.write(writer);
        }
        writer.put(Style::Path, &format!("{}:{}-{}", self.path, self.first_line, self.last_line))?;
        if let Some(symbol) = &self.symbol {
            writer.plain("  ")?;
            writer.put(Style::Kind, &symbol.kind)?;
            writer.plain(" ")?;
            writer.put(Style::Name, &symbol.qualified)?;
        }
        writer.end_line()?;
        if self.collapsed.is_empty() {
            return writer.excerpt(&Excerpt {
                path: &self.path,
                first_line: self.first_line,
                text: &self.source,
            });
        }
        for (at, part) in self.collapsed.iter().enumerate() {
            if at > 0 {
                writer.line(Style::Dim, "  …")?;
            }
            writer.excerpt(&Excerpt { path: &self.path, first_line: part.line, text: &part.text })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_and_what_is_omitted_is_everything() {
        assert_eq!(kept_parts((1, 10), &[(4, 7), (3, 4)]), [(1, 2), (8, 10)]);
        assert_eq!(kept_parts((1, 10), &[]), [(1, 10)]);
        assert_eq!(kept_parts((1, 10), &[(1, 10)]), []);
    }
}
