//! `show`: the source of a symbol, or of lines of a file.

use crate::amount::{count, plural};
use crate::answer::Answer;
use crate::error::{Code, Exit, ToolError};
use crate::page::{Page, Tone};
use crate::paths;
use crate::session::Session;
use crate::symbol::{SymbolLine, suggestions};
use crate::tool::{Example, Operation};
use clap::Args;
use orient_engine::{Definition, DefinitionQuery, FileRow, Lookup, Snapshot};
use orient_model::{Modifier, Span, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::str::FromStr;

pub(crate) struct Show;

/// How many lines are shown unless others are asked for.
const LINES: u32 = 500;

/// What to show.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowArgs {
    /// A handle (`src/server.go#Server.Run`), a name (`Run`, `Server.Run`), or a file together with --lines
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Only these lines of the file: `10-40`, `10`, `10-`
    #[arg(long, value_name = "FROM-TO")]
    #[serde(default)]
    lines: Option<LineRange>,
}

/// Lines of a file, counted from 1.
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
        let wrong = || format!("{text:?} are no lines; write for example 10-40, 10 or 10-");
        let number = |part: &str| part.trim().parse::<u32>().ok().filter(|&line| line > 0).ok_or_else(wrong);
        let (first, last) = match text.split_once(['-', ':', ',']) {
            None => (number(text)?, number(text)?),
            Some((first, "")) => (number(first)?, u32::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
        };
        if first > last {
            return Err(format!("{text:?} ends before it begins; write {last}-{first}"));
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

/// What a name stands for.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "found", rename_all = "snake_case")]
pub(crate) enum ShowOut {
    /// One thing: here it is.
    One(Box<Shown>),
    /// Several: name one of them by its handle.
    Several {
        /// What was asked for.
        name: String,
        /// Those it may stand for, by path and line.
        candidates: Vec<SymbolLine>,
    },
    /// Nothing.
    None {
        /// What was asked for.
        name: String,
        /// Symbols with a name much like it. Suggestions, not answers.
        did_you_mean: Vec<SymbolLine>,
    },
}

/// Source text.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// The symbol, unless lines of a file were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<SymbolLine>,
    /// Its documentation, comment marks removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    /// The file.
    path: String,
    /// The first line shown.
    first_line: u32,
    /// The last line shown.
    last_line: u32,
    /// The lines, as they are in the file now. What is not UTF-8 is replaced.
    source: String,
}

impl Operation for Show {
    const NAME: &'static str = "show";
    const ABOUT: &'static str = "Show the source of a symbol, with line numbers";
    const DETAILS: &'static str = "\
The source is read from the file as it is now. A name that stands for several symbols is answered with their handles \
and exit code 3; nothing is ever chosen for you. Declarations and blocks that add to a type do not count as other \
symbols: the one definition is shown and they are named beside it.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "show Server.Run", about: "by name" },
        Example { command: "show src/server.go#Server.Run", about: "by handle" },
        Example { command: "show src/server.go --lines 10-40", about: "lines of a file" },
    ];
    type Args = ShowArgs;
    type Out = ShowOut;

    fn run(session: &Session<'_>, args: ShowArgs) -> Result<Answer<ShowOut>, ToolError> {
        let snapshot = session.snapshot()?;
        let file = paths::file(session, &snapshot, &args.symbol)?;
        if let Some(file) = file.as_ref().filter(|_| args.lines.is_some()) {
            return source(session, &snapshot, file, None, args.lines);
        }
        match snapshot.symbol(&args.symbol)? {
            Lookup::One(definition) => {
                let row = snapshot.file(&definition.path)?;
                let file = row.ok_or_else(|| ToolError::new(Code::Internal, "a symbol without its file"))?;
                source(session, &snapshot, &file, Some(*definition), args.lines)
            }
            Lookup::Many { mut candidates, total } if let Some(at) = only_definition(&candidates, total) => {
                let definition = candidates.remove(at);
                let also: Vec<String> = candidates.iter().map(|one| one.handle.to_string()).collect();
                let row = snapshot.file(&definition.path)?;
                let file = row.ok_or_else(|| ToolError::new(Code::Internal, "a symbol without its file"))?;
                let answer = source(session, &snapshot, &file, Some(definition), args.lines)?;
                Ok(answer.note(format!("declared or added to elsewhere too: {}", also.join(", "))))
            }
            Lookup::Many { candidates, total } => {
                let shown = candidates.len();
                let candidates =
                    candidates.into_iter().map(|one| SymbolLine::new(one, Some("exact"))).collect();
                let mut answer =
                    session.answer(&snapshot, ShowOut::Several { name: args.symbol, candidates });
                answer.total = Some(total as u64);
                if shown < total {
                    answer = answer.partial(format!("{shown} of {} listed", count(total as u64)));
                }
                Ok(answer)
            }
            Lookup::Nothing { .. } if let Some(file) = &file => source(session, &snapshot, file, None, None),
            Lookup::Nothing { similar } => {
                let did_you_mean = suggestions(&snapshot, &DefinitionQuery::default(), similar)?;
                Ok(session.answer(&snapshot, ShowOut::None { name: args.symbol, did_you_mean }))
            }
        }
    }

    fn text(out: &ShowOut, page: &mut Page<'_>) -> io::Result<()> {
        match out {
            ShowOut::One(source) => source.write(page),
            ShowOut::Several { name, candidates } => {
                page.line(
                    Tone::Warn,
                    &format!("`{name}` stands for several symbols; name one by its handle:"),
                )?;
                candidates.iter().try_for_each(|symbol| symbol.write_handle(page))
            }
            ShowOut::None { name, did_you_mean } if did_you_mean.is_empty() => {
                page.line(Tone::Warn, &format!("nothing is called `{name}`, nor anything like it"))
            }
            ShowOut::None { name, did_you_mean } => {
                page.line(Tone::Warn, &format!("nothing is called `{name}`; did you mean:"))?;
                did_you_mean.iter().try_for_each(|symbol| symbol.write_handle(page))
            }
        }
    }

    fn exit(out: &ShowOut) -> Exit {
        match out {
            ShowOut::One(_) => Exit::Ok,
            ShowOut::Several { .. } => Exit::Ambiguous,
            ShowOut::None { .. } => Exit::Nothing,
        }
    }
}

/// The one candidate that defines something, where all others only declare it or add to it.
fn only_definition(candidates: &[Definition], total: usize) -> Option<usize> {
    let defines = |one: &Definition| {
        one.kind != SymbolKind::Impl
            && !one.modifiers.contains(Modifier::Declaration)
            && !one.modifiers.contains(Modifier::Partial)
    };
    let mut defining = candidates.iter().enumerate().filter(|(_, one)| defines(one));
    let (at, _) = defining.next()?;
    (defining.next().is_none() && candidates.len() == total).then_some(at)
}

/// The lines of a symbol, or those that were asked for, from the file as it is now.
fn source(
    session: &Session<'_>,
    snapshot: &Snapshot,
    file: &FileRow,
    definition: Option<Definition>,
    lines: Option<LineRange>,
) -> Result<Answer<ShowOut>, ToolError> {
    let whole = LineRange { first: 1, last: file.lines.max(1) };
    let of_symbol = |definition: &Definition| LineRange {
        first: definition.span.first_line,
        last: definition.span.last_line,
    };
    let all = definition.as_ref().map_or(whole, of_symbol);
    let wanted =
        lines.unwrap_or(LineRange { last: all.last.min(all.first.saturating_add(LINES - 1)), ..all });
    let span = Span { first_line: wanted.first, last_line: wanted.last.min(whole.last), ..Span::default() };
    if lines.is_some() && wanted.first > whole.last {
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
    let mut answer = session.answer(snapshot, ShowOut::One(Box::new(shown)));
    if lines.is_none() && wanted.last < all.last {
        let (length, next) = (all.last - all.first + 1, wanted.last + 1);
        let shown = format!("{} of {} lines", count(LINES.into()), count(length.into()));
        answer = answer.partial(format!("{shown}; the rest with --lines {next}-{}", all.last));
    }
    if found.differs {
        answer = answer
            .note("the file has changed since it was indexed: these may not be the lines that were meant");
    }
    Ok(answer)
}

impl Shown {
    fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.put(Tone::Path, &format!("{}:{}-{}", self.path, self.first_line, self.last_line))?;
        if let Some(symbol) = &self.symbol {
            page.plain("  ")?;
            page.put(Tone::Kind, &symbol.kind)?;
            page.plain(" ")?;
            page.put(Tone::Name, &symbol.qualified)?;
        }
        page.end()?;
        let width = self.last_line.to_string().len();
        for (line, number) in self.source.lines().zip(self.first_line..) {
            page.put(Tone::Number, &format!("{number:>width$}"))?;
            if !line.is_empty() {
                page.plain("  ")?;
                page.plain(line)?;
            }
            page.end()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_several_forms() {
        let range = |first, last| Ok(LineRange { first, last });
        assert_eq!("10-40".parse(), range(10, 40));
        assert_eq!("10:40".parse(), range(10, 40));
        assert_eq!("7".parse(), range(7, 7));
        assert_eq!("7-".parse(), range(7, u32::MAX));
        assert_eq!(
            "40-10".parse::<LineRange>(),
            Err("\"40-10\" ends before it begins; write 10-40".to_owned())
        );
        for wrong in ["", "0", "a-b", "-5"] {
            assert!(wrong.parse::<LineRange>().is_err(), "{wrong}");
        }
    }
}
