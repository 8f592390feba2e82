//! `symbols`: find definitions by name and by what they are.

use crate::amount::{count, plural};
use crate::answer::{Answer, Cursor};
use crate::error::{Code, Exit, ToolError};
use crate::page::{Page, Tone};
use crate::session::Session;
use crate::symbol::SymbolLine;
use crate::tool::{Example, Operation};
use crate::words;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Symbols;

/// A list meant for reading is not longer than this unless asked for.
const LIMIT: u64 = 50;

/// Which symbols.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SymbolsArgs {
    /// The name, its beginning or a word of it; `Server.run` for one inside another. May be left out with a filter
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Only these kinds: function, method, class, struct, interface, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Only in files of these languages
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    lang: Vec<String>,
    /// Only in this file or folder, or in files that match this glob
    #[arg(long = "in", value_name = "PATH")]
    #[serde(rename = "in")]
    within: Option<String>,
    /// Only with this attribute, annotation or decorator
    #[arg(long, value_name = "NAME")]
    attr: Option<String>,
    /// Only types that inherit from or implement this one
    #[arg(long, value_name = "NAME")]
    base: Option<String>,
    /// How the name must fit: exact, prefix, word or fuzzy; without it the best that gives something
    #[arg(long = "match", value_name = "HOW")]
    #[serde(rename = "match")]
    how: Option<String>,
    /// At most so many; 0 means all
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Go on where an answer before ended
    #[arg(long, value_name = "PLACE")]
    after: Option<Cursor>,
}

/// Symbols, best first, then by path and line.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SymbolsOut {
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The symbols found. Never a fuzzy one unless fuzzy ones were asked for.
    symbols: Vec<SymbolLine>,
    /// If none is called so: those with a name much like it. Suggestions, not answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    did_you_mean: Vec<SymbolLine>,
}

impl Operation for Symbols {
    const NAME: &'static str = "symbols";
    const ABOUT: &'static str = "Find definitions by name and by what they are";
    const DETAILS: &'static str = "\
Names that are the same come first, then those that begin with it, then those that have it as a word. If there is \
none, names much like it are suggested, marked as such, and the exit code is 1.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "symbols Server", about: "what is called Server" },
        Example { command: "symbols Server.run --kind method", about: "one inside another, of a kind" },
        Example { command: "symbols --kind class --base Handler --in src", about: "by what it is, without a name" },
        Example { command: "symbols --attr deprecated --limit 0", about: "all with an attribute" },
    ];
    type Args = SymbolsArgs;
    type Out = SymbolsOut;

    fn run(session: &Session<'_>, args: SymbolsArgs) -> Result<Answer<SymbolsOut>, ToolError> {
        todo!()
    }

    fn text(out: &SymbolsOut, page: &mut Page<'_>) -> io::Result<()> {
        let mut label = Some("exact");
        for symbol in &out.symbols {
            if symbol.matched != label {
                label = symbol.matched;
                page.line(Tone::Head, heading(label.unwrap_or_default()))?;
            }
            symbol.write(page)?;
        }
        if !out.symbols.is_empty() {
            return Ok(());
        }
        let name = out.name.as_deref().unwrap_or_default();
        if out.did_you_mean.is_empty() {
            return page.line(Tone::Warn, &format!("nothing is called `{name}`, nor anything like it"));
        }
        page.line(Tone::Warn, &format!("nothing is called `{name}`; did you mean:"))?;
        out.did_you_mean.iter().try_for_each(|symbol| symbol.write(page))
    }

    fn exit(out: &SymbolsOut) -> Exit {
        if out.symbols.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}

/// What the symbols behind it have in common.
fn heading(matched: &str) -> &'static str {
    match matched {
        "prefix" => "begins with it:",
        "word" => "has it as a word:",
        "fuzzy" => "much like it:",
        _ => "",
    }
}
