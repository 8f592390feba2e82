//! `unused`: definitions nothing reaches, with what speaks against removing them.

use crate::answer::{Answer, Cursor, PageWindow};
use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::error::{Exit, ToolError};
use crate::graph::liveness_reasons::{LivenessReason, UnusedCandidate, liveness_reasons, textual_reasons};
use crate::graph::name_occurrences::NameOccurrences;
use crate::graph::node_line::NodeLine;
use crate::graph::verified_uses::VerifiedUses;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{EngineError, FullGraph, GraphView};
use orient_model::{Modifier, Role, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Only those without any reason for doubt
    #[arg(long)]
    likely: bool,
    /// The former name of `likely`
    #[arg(long, hide = true)]
    certain: bool,
    /// At most so many; 0 means all
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Go on where an answer before ended
    #[arg(long, value_name = "PLACE")]
    after: Option<Cursor>,
}

/// Definitions without a verified use: first those without a reason for doubt, then by path and line.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UnusedOut {
    /// How many there are without a reason for doubt.
    likely: u64,
    /// How many may still be used.
    doubtful: u64,
    /// In the text of how many files the names of the likely ones were looked for.
    files_read: u64,
    /// The definitions. What lies inside one is not listed again.
    unused: Vec<UnusedLine>,
}

/// A definition nothing here uses.
#[derive(Serialize, JsonSchema)]
struct UnusedLine {
    /// The definition.
    #[serde(flatten)]
    node: NodeLine,
    /// Why it may still be used; empty where there is no reason for doubt.
    may_be_used: Vec<String>,
}

/// Definitions without a use, each with the doubts that need no text. A declaration and its definition are one: what
/// uses either uses both, and the declaration says who may see it.
fn judge(
    view: &GraphView<'_>,
    whole: &FullGraph,
    usage: &VerifiedUses,
    unused: &[u32],
) -> Result<Vec<(u32, Vec<LivenessReason>)>, EngineError> {
    let is_declaration = |number: u32| whole.nodes[number as usize].modifiers.contains(Modifier::Declaration);
    let names: BTreeSet<&str> = unused.iter().map(|&number| whole.name(number)).collect();
    let mut declared: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut namesakes: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for number in 0..whole.nodes.len() as u32 {
        if whole.nodes[number as usize].kind.is_some() && names.contains(whole.name(number)) {
            namesakes.entry(whole.name(number)).or_default().push(number);
        }
    }
    // Only where something of the name is declared apart from its definition, full names must be compared.
    namesakes.retain(|_, all| all.iter().any(|&number| is_declaration(number)));
    for &number in namesakes.values().flatten() {
        let full = view.describe(whole.nodes[number as usize].id)?.qualified();
        declared.entry(full).or_default().push(number);
    }
    let mut found = Vec::new();
    for &number in unused {
        let full = if namesakes.contains_key(whole.name(number)) {
            view.describe(whole.nodes[number as usize].id)?.qualified()
        } else {
            String::new()
        };
        let same = declared.get(&full).map_or(&[][..], Vec::as_slice);
        let defined = same.iter().any(|&other| !is_declaration(other));
        if same.iter().any(|&other| usage.is_used(other)) || (is_declaration(number) && defined) {
            continue;
        }
        let visibility = |&number: &u32| whole.nodes[number as usize].visibility;
        let stated = same.iter().filter(|&&other| is_declaration(other)).map(visibility).max();
        let visibility = stated.unwrap_or_else(|| visibility(&number));
        let undefined = is_declaration(number);
        let mut reasons = liveness_reasons(&UnusedCandidate { whole, usage, number, visibility, undefined });
        // Only the declaration may say that it overrides a member, and which type it belongs to.
        for &number in same.iter().filter(|&&other| other != number && is_declaration(other)) {
            for doubt in
                liveness_reasons(&UnusedCandidate { whole, usage, number, visibility, undefined: false })
            {
                if !reasons.contains(&doubt) {
                    reasons.push(doubt);
                }
            }
        }
        found.push((number, reasons));
    }
    Ok(found)
}

impl TypedOperation for Unused {
    const NAME: &'static str = "unused";
    const ABOUT: &'static str = "List definitions nothing uses, and why they may be used still";
    const DETAILS: &'static str = "\
A definition is listed if no verified use of it, or of anything in it, stands outside it. Each comes with the reasons why it \
may be used still: others can see it, an entry point, test code, an attribute, a member of a base, a name that a runtime or \
framework calls, a value where it is defined, code in its initialiser, unresolved uses of its name, names built at run time. \
One is likely unused only if there is no such reason and its name occurs nowhere else in the text of any file, comments aside. Only files of languages whose uses are resolved are looked at.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "unused", about: "in the whole repository" },
        Example {
            command: "unused src --kind function --likely",
            about: "functions without any reason for doubt",
        },
        Example { command: "unused --no-tests", about: "what only tests use counts as unused" },
    ];
    const HEAVY: bool = true;
    type Args = UnusedArgs;
    type Out = UnusedOut;

    fn run(session: &Session<'_>, args: UnusedArgs) -> Result<Answer<UnusedOut>, ToolError> {
        let kinds = enum_values::kinds(&args.kind)?;
        let kinds = if kinds.is_empty() { KINDS.to_vec() } else { kinds };
        let snapshot = session.snapshot()?;
        let within = args
            .path
            .as_deref()
            .map(|typed| path_argument::resolve(session, &snapshot, typed))
            .transpose()?;
        let whole = FullGraph::read(&snapshot)?;
        let usage = VerifiedUses::read(&snapshot, &whole, args.no_tests)?;
        let view = snapshot.graph();
        let mut listed = vec![false; whole.nodes.len()];
        let mut unused = Vec::new();
        for number in 0..whole.nodes.len() as u32 {
            let node = &whole.nodes[number as usize];
            let file = whole.file(number);
            let asked = node.kind.is_some_and(|kind| kinds.contains(&kind));
            let judged = file.role != Role::Vendored
                && (whole.rules(number).is_some()
                    || file.language.as_deref().is_some_and(|language| usage.judges(language)));
            let here = within.as_ref().is_none_or(|named| named.pattern.matches(&file.path));
            if listed[node.parent as usize] {
                listed[number as usize] = true;
            } else if asked && judged && here && !usage.is_used(number) {
                listed[number as usize] = true;
                unused.push(number);
            }
        }
        let mut found = judge(&view, &whole, &usage, &unused)?;
        let silent: Vec<u32> =
            found.iter().filter(|(_, doubts)| doubts.is_empty()).map(|(number, _)| *number).collect();
        let occurrences = NameOccurrences::find(&snapshot, &whole, &silent)?;
        for (number, doubts) in found.iter_mut().filter(|(_, doubts)| doubts.is_empty()) {
            *doubts = textual_reasons(&occurrences, *number);
        }
        let likely = found.iter().filter(|(_, doubts)| doubts.is_empty()).count() as u64;
        let doubtful = found.len() as u64 - likely;
        found.sort_by_key(|(number, doubts)| (!doubts.is_empty(), *number));
        if args.likely || args.certain {
            found.truncate(usize::try_from(likely).unwrap_or(usize::MAX));
        }
        let window = PageWindow::new(args.limit, LIMIT, args.after);
        let mut unused = Vec::new();
        for (number, doubts) in found.iter().skip(window.offset).take(window.limit) {
            let node = NodeLine::of(&view.describe(whole.nodes[*number as usize].id)?);
            unused.push(UnusedLine { node, may_be_used: doubts.iter().map(LivenessReason::text).collect() });
        }
        let shown = unused.len();
        let files_read = occurrences.files;
        let mut answer = session.answer(&snapshot, UnusedOut { likely, doubtful, files_read, unused });
        if args.certain {
            answer = answer.note("`certain` is called `likely`: without running the program, nothing proves that a name is unused");
        }
        Ok(window.paginate(answer, shown, found.len()))
    }

    fn text(out: &UnusedOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let total = out.likely + out.doubtful;
        writer.line(
            Style::Head,
            &format!(
                "{} without a verified use: {} likely unused, {} that may still be used",
                plural(total, "definition", "definitions"),
                count(out.likely),
                count(out.doubtful)
            ),
        )?;
        if out.likely > 0 {
            let files = plural(out.files_read, "file", "files");
            writer.line(
                Style::Dim,
                &format!("likely unused: nothing outside can see it, no rule gives a reason for doubt, and its name occurs nowhere else in the text of {files}"),
            )?;
        }
        for line in &out.unused {
            line.node.write(writer)?;
            if !line.may_be_used.is_empty() {
                writer.put(Style::Dim, &format!("  but: {}", line.may_be_used.join(", ")))?;
            }
            writer.end_line()?;
        }
        Ok(())
    }

    fn exit(out: &UnusedOut) -> Exit {
        if out.unused.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}
