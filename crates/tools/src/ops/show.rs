//! `show`: the source of a symbol, or of lines of a file.

use crate::amount::{count, plural};
use crate::answer::Answer;
use crate::error::{Code, Exit, ToolError};
use crate::page::{Page, Tone};
use crate::session::Session;
use crate::symbol::SymbolLine;
use crate::tool::{Example, Operation};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::str::FromStr;

pub(crate) struct Show;

/// How many lines are shown unless others are asked for.
const LINES: u32 = 500;
/// How many of several candidates are listed.
const CANDIDATES: usize = 50;

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
    One(Box<Source>),
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
pub(crate) struct Source {
    /// The symbol, unless lines of a file were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<SymbolLine>,
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
and exit code 3; nothing is ever chosen for you.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "show Server.Run", about: "by name" },
        Example { command: "show src/server.go#Server.Run", about: "by handle" },
        Example { command: "show src/server.go --lines 10-40", about: "lines of a file" },
    ];
    type Args = ShowArgs;
    type Out = ShowOut;

    fn run(session: &Session<'_>, args: ShowArgs) -> Result<Answer<ShowOut>, ToolError> {
        todo!()
    }

    fn text(out: &ShowOut, page: &mut Page<'_>) -> io::Result<()> {
        match out {
            ShowOut::One(source) => source.write(page),
            ShowOut::Several { name, candidates } => {
                page.line(Tone::Warn, &format!("`{name}` stands for several symbols; name one by its handle:"))?;
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

impl Source {
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
        assert_eq!("40-10".parse::<LineRange>(), Err("\"40-10\" ends before it begins; write 10-40".to_owned()));
        for wrong in ["", "0", "a-b", "-5"] {
            assert!(wrong.parse::<LineRange>().is_err(), "{wrong}");
        }
    }
}
