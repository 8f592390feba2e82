//! `unused`: definitions nothing reaches, with what speaks against removing them.

use crate::amount::{count, plural};
use crate::answer::{Answer, Cursor, Window};
use crate::error::{Exit, ToolError};
use crate::graph::node::NodeLine;
use crate::graph::usage::{Usage, reasons, unexplained};
use crate::page::{Page, Tone};
use crate::paths;
use crate::session::Session;
use crate::tool::{Example, Operation};
use crate::words;
use clap::Args;
use orient_engine::Whole;
use orient_model::{Role, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct Unused;

/// A list meant for reading is not longer than this unless asked for.
const LIMIT: u64 = 100;

/// What is looked for unless something else is asked for. Fields and members of enumerations are used in ways that are
/// not written down: by layout, by value, by serialisation.
const KINDS: &[SymbolKind] = &[
    SymbolKind::Class,
    SymbolKind::Struct,
    SymbolKind::Union,
    SymbolKind::Interface,
    SymbolKind::Trait,
    SymbolKind::Enum,
    SymbolKind::TypeAlias,
    SymbolKind::Object,
    SymbolKind::Function,
    SymbolKind::Method,
    SymbolKind::Constant,
    SymbolKind::Variable,
    SymbolKind::Macro,
    SymbolKind::Delegate,
];

/// Which definitions.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct UnusedArgs {
    /// Only in this file or folder, or in files that match this glob
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Only these kinds: function, method, class, struct, interface, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Uses by tests do not count
    #[arg(long)]
    no_tests: bool,
    /// Only those that nothing speaks for
    #[arg(long)]
    certain: bool,
    /// At most so many; 0 means all
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Go on where an answer before ended
    #[arg(long, value_name = "PLACE")]
    after: Option<Cursor>,
}

/// Definitions nothing here uses: first those that nothing speaks for, then by path and line.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UnusedOut {
    /// How many nothing speaks for.
    certain: u64,
    /// How many may still be used.
    doubtful: u64,
    /// The definitions. What lies inside one is not listed again.
    unused: Vec<UnusedLine>,
}

/// A definition nothing here uses.
#[derive(Serialize, JsonSchema)]
struct UnusedLine {
    /// The definition.
    #[serde(flatten)]
    node: NodeLine,
    /// Why it may still be used; empty where nothing speaks for it.
    may_be_used: Vec<String>,
}

impl Operation for Unused {
    const NAME: &'static str = "unused";
    const ABOUT: &'static str = "List definitions nothing uses, and why they may be used still";
    const DETAILS: &'static str = "\
A definition is listed if no proven use of it, or of anything in it, stands outside it. What speaks for it is named: visible to \
others, an entry point, a test, an attribute, a member of a base, a name the language calls, uses of the name that could not \
be resolved, and, where there is nothing else, other places in the text of any file that have the name. Only files of languages whose uses are resolved are looked at.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "unused", about: "in the whole repository" },
        Example { command: "unused src --kind function --certain", about: "functions nothing speaks for" },
        Example { command: "unused --no-tests", about: "what only tests use counts as unused" },
    ];
    const HEAVY: bool = true;
    type Args = UnusedArgs;
    type Out = UnusedOut;

    fn run(session: &Session<'_>, args: UnusedArgs) -> Result<Answer<UnusedOut>, ToolError> {
        let kinds = words::kinds(&args.kind)?;
        let kinds = if kinds.is_empty() { KINDS.to_vec() } else { kinds };
        let snapshot = session.snapshot()?;
        let within = args.path.as_deref().map(|typed| paths::named(session, &snapshot, typed)).transpose()?;
        let whole = Whole::read(&snapshot)?;
        let usage = Usage::read(&snapshot, &whole, args.no_tests)?;
        let mut found: Vec<(u32, Vec<String>)> = Vec::new();
        let mut listed = vec![false; whole.nodes.len()];
        for number in 0..whole.nodes.len() as u32 {
            let node = &whole.nodes[number as usize];
            let file = whole.file(number);
            let inside = listed[node.parent as usize];
            let asked = node.kind.is_some_and(|kind| kinds.contains(&kind));
            let judged = file.role != Role::Vendored
                && file.language.as_deref().is_some_and(|language| usage.judges(language));
            let here = within.as_ref().is_none_or(|named| named.pattern.matches(&file.path));
            if inside {
                listed[number as usize] = true;
            } else if asked && judged && here && !usage.is_used(number) {
                listed[number as usize] = true;
                found.push((number, reasons(&whole, &usage, number)));
            }
        }
        let silent: Vec<u32> =
            found.iter().filter(|(_, reasons)| reasons.is_empty()).map(|(number, _)| *number).collect();
        let mentions = unexplained(&snapshot, &whole, &silent)?;
        for (number, reasons) in &mut found {
            if let Some(&places) = mentions.get(number) {
                let places = plural(places, "place", "places");
                reasons.push(format!("its name stands at {places} that nothing explains"));
            }
        }
        let certain = found.iter().filter(|(_, reasons)| reasons.is_empty()).count() as u64;
        let doubtful = found.len() as u64 - certain;
        found.sort_by_key(|(number, reasons)| (!reasons.is_empty(), *number));
        if args.certain {
            found.truncate(usize::try_from(certain).unwrap_or(usize::MAX));
        }
        let window = Window::new(args.limit, LIMIT, args.after);
        let view = snapshot.graph();
        let mut unused = Vec::new();
        for (number, may_be_used) in found.iter().skip(window.offset).take(window.limit) {
            let node = NodeLine::of(&view.describe(whole.nodes[*number as usize].id)?);
            unused.push(UnusedLine { node, may_be_used: may_be_used.clone() });
        }
        let shown = unused.len();
        let answer = session.answer(&snapshot, UnusedOut { certain, doubtful, unused });
        Ok(window.mark(answer, shown, found.len()))
    }

    fn text(out: &UnusedOut, page: &mut Page<'_>) -> io::Result<()> {
        let total = out.certain + out.doubtful;
        page.line(
            Tone::Head,
            &format!(
                "{} nothing here uses: {} that nothing speaks for, {} that may still be used",
                plural(total, "definition", "definitions"),
                count(out.certain),
                count(out.doubtful)
            ),
        )?;
        for line in &out.unused {
            line.node.write(page)?;
            if !line.may_be_used.is_empty() {
                page.put(Tone::Dim, &format!("  but: {}", line.may_be_used.join(", ")))?;
            }
            page.end()?;
        }
        Ok(())
    }

    fn exit(out: &UnusedOut) -> Exit {
        if out.unused.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}
