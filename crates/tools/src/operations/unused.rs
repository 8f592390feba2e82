//! `unused`: definitions without a verified use, with the reasons why they may still be live.

use crate::answer::{Answer, Cursor, PageWindow};
use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::error::{Exit, ToolError};
use crate::graph::contracts::Contracts;
use crate::graph::liveness_reasons::{LivenessReason, UnusedCandidate, liveness_reasons, textual_reasons};
use crate::graph::name_occurrences::NameOccurrences;
use crate::graph::node_line::NodeLine;
use crate::graph::verified_uses::VerifiedUses;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{EngineError, FullGraph, GraphView, MentionQuery, Snapshot};
use orient_model::{Modifier, Modules, Role, SymbolKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

pub(crate) struct Unused;

/// Default number of definitions.
const DEFAULT_LIMIT: u64 = 100;
/// Maximum number of likely unused definitions whose other spellings are searched for.
const MAX_MENTIONED: usize = 200;

/// The default kinds. Fields and enum members are left out: they are used implicitly, by layout, value or serialisation.
const DEFAULT_KINDS: &[SymbolKind] = &[
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
    SymbolKind::Component,
    SymbolKind::Template,
];

/// The visibilities, widest first.
const VISIBILITIES: &[&str] = &["public", "protected", "internal", "private"];

/// Arguments of `unused`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct UnusedArgs {
    /// Only in this file or directory, or in files that match this glob
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Only these kinds: function, method, class, struct, interface, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Only in files with these roles: source, test, doc, config, generated
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    role: Vec<String>,
    /// Only definitions visible like this: public, protected, internal or private
    #[arg(long, value_name = "VISIBILITY", value_delimiter = ',')]
    visibility: Vec<String>,
    /// Do not count uses in tests
    #[arg(long)]
    no_tests: bool,
    /// Only likely unused definitions: no reason to assume a use
    #[arg(long)]
    likely: bool,
    /// Also definitions that a framework, a runtime or a test may use, or whose name is used somewhere
    #[arg(long)]
    all: bool,
    /// The former name of `likely`
    #[arg(long, hide = true)]
    certain: bool,
    /// Maximum number of definitions; 0 means all [default: 100]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    after: Option<Cursor>,
}

/// Definitions without a verified use: the likely unused ones first, then those that only code outside can use; by path and line.
#[derive(Serialize)]
pub(crate) struct UnusedOut {
    /// Number of likely unused definitions.
    likely: u64,
    /// Number of definitions that nothing here uses, but that code outside of the repository can see.
    visible: u64,
    /// Number of definitions that may still be used for another reason; listed with `all`.
    doubtful: u64,
    /// Number of files searched for the names of the others.
    files_read: u64,
    /// The definitions that may be used for another reason, by the first reason, most first.
    by_reason: Vec<ReasonCount>,
    /// The definitions. Members of a listed one are not listed.
    unused: Vec<UnusedLine>,
}

/// Definitions that may be used for the same reason.
#[derive(Serialize)]
struct ReasonCount {
    /// The reason.
    reason: String,
    /// Their number.
    count: u64,
}

/// Counts the definitions by the first reason that is more than their visibility.
fn counted_by_reason<'f>(found: impl Iterator<Item = &'f [LivenessReason]>) -> Vec<ReasonCount> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for doubts in found {
        if let Some(first) = doubts.iter().find(|doubt| !doubt.is_weak()) {
            *counts.entry(first.heading()).or_default() += 1;
        }
    }
    let mut counts: Vec<ReasonCount> =
        counts.into_iter().map(|(reason, count)| ReasonCount { reason, count }).collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.reason.cmp(&b.reason)));
    counts
}

/// A definition without a verified use.
#[derive(Serialize)]
struct UnusedLine {
    /// The definition.
    #[serde(flatten)]
    node: NodeLine,
    /// Why it may still be used; empty if it is likely unused.
    may_be_used: Vec<String>,
}

/// Definitions without a use, each with the liveness reasons that need no source text. A declaration and its definition are
/// one symbol: a use of either is a use of both, and the declaration determines the visibility.
fn collect_reasons(
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
    // Qualified names must be compared only if a symbol of the name is declared separately from its definition.
    namesakes.retain(|_, all| all.iter().any(|&number| is_declaration(number)));
    for &number in namesakes.values().flatten() {
        let full = view.describe(whole.nodes[number as usize].id)?.qualified();
        declared.entry(full).or_default().push(number);
    }
    let contracts = Contracts::read(whole);
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
        let described = if whole.is_judged_by_result(number) {
            view.describe(whole.nodes[number as usize].id)?.definition
        } else {
            None
        };
        let returns = described.as_ref().and_then(|definition| definition.returns.as_deref());
        let candidate =
            UnusedCandidate { whole, usage, contracts: &contracts, number, visibility, undefined, returns };
        let mut reasons = liveness_reasons(&candidate);
        // The declaration may have reasons of its own: it shows overrides and the enclosing type.
        for &number in same.iter().filter(|&&other| other != number && is_declaration(other)) {
            let declaration = UnusedCandidate { number, undefined: false, ..candidate };
            for doubt in liveness_reasons(&declaration) {
                if !reasons.contains(&doubt) {
                    reasons.push(doubt);
                }
            }
        }
        found.push((number, reasons));
    }
    Ok(found)
}

/// Adds a doubt to the likely unused definitions that a template spells in another way, such as a getter as a property.
fn doubt_mentioned(
    snapshot: &Snapshot,
    view: &GraphView<'_>,
    whole: &FullGraph,
    found: &mut [(u32, Vec<LivenessReason>)],
) -> Result<(), EngineError> {
    let likely = found.iter_mut().filter(|(_, doubts)| doubts.is_empty());
    for (number, doubts) in likely.take(MAX_MENTIONED) {
        let node = &whole.nodes[*number as usize];
        let described = view.describe(node.id)?;
        let Some(definition) = described.definition else { continue };
        let container = definition.handle.names.iter().rev().nth(1).map(String::as_str);
        let callable = definition.kind.is_callable();
        let query = MentionQuery { name: &definition.name, container, callable, resolved: false, own: None };
        let places = snapshot.unaccounted_mentions(&query)?.places.len() as u64;
        doubts.extend((places > 0).then_some(LivenessReason::Occurs(places)));
    }
    Ok(())
}

impl TypedOperation for Unused {
    const NAME: &'static str = "unused";
    const ABOUT: &'static str = "List definitions without a verified use";
    const DETAILS: &'static str = "\
A definition is listed if it and its members have no verified use outside it and no text of any file names it, except comments: likely \
unused ones first, then public and exported ones, which code outside may use. Left out is what may be used for another reason: entry \
points, test code, attributes, overrides, names that a runtime or framework calls, values, unresolved uses of the name. Only languages \
whose uses are resolved are considered.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "unused", about: "in the whole repository" },
        Example { command: "unused src --kind function --likely", about: "likely unused functions" },
        Example {
            command: "unused --visibility private --role source",
            about: "private definitions outside tests",
        },
        Example { command: "unused --no-tests", about: "including definitions that only tests use" },
        Example { command: "unused --all", about: "also what frameworks, runtimes and tests may use" },
    ];
    const HEAVY: bool = true;
    const TERMINAL_ONLY: &'static [&'static str] = &["all"];
    type Args = UnusedArgs;
    type Out = UnusedOut;

    fn run(session: &Session<'_>, args: UnusedArgs) -> Result<Answer<UnusedOut>, ToolError> {
        let kinds = enum_values::kinds(&args.kind)?;
        let by_default = kinds.is_empty();
        let kinds = if by_default { DEFAULT_KINDS.to_vec() } else { kinds };
        let roles = enum_values::roles(&args.role)?;
        for word in &args.visibility {
            enum_values::one_of("visibility", word, VISIBILITIES)?;
        }
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
            let is_visible = args.visibility.is_empty()
                || args.visibility.iter().any(|word| word == node.visibility.as_str());
            // In a language without modules, such as that of style sheets, only files that are rendered can be said to be unused.
            let is_counted = !by_default
                || node.kind.is_some_and(SymbolKind::is_rendered)
                || whole.rules(number).is_none_or(|rules| rules.modules != Modules::None);
            let is_selected = is_counted
                && node.kind.is_some_and(|kind| kinds.contains(&kind))
                && is_visible
                && (roles.is_empty() || roles.contains(&file.role));
            let is_resolved = file.role != Role::Vendored
                && (whole.rules(number).is_some()
                    || file.language.as_deref().is_some_and(|language| usage.resolves_language(language)));
            let is_within = within.as_ref().is_none_or(|named| named.pattern.matches(&file.path));
            if listed[node.parent as usize] {
                listed[number as usize] = true;
            } else if is_selected && is_resolved && is_within && !usage.is_used(number) {
                listed[number as usize] = true;
                unused.push(number);
            }
        }
        let mut found = collect_reasons(&view, &whole, &usage, &unused)?;
        let is_only_visible = |doubts: &[LivenessReason]| doubts.iter().all(LivenessReason::is_weak);
        let searched: Vec<u32> =
            found.iter().filter(|(_, doubts)| is_only_visible(doubts)).map(|(number, _)| *number).collect();
        let occurrences = NameOccurrences::find(&snapshot, &whole, &searched)?;
        for (number, doubts) in found.iter_mut().filter(|(_, doubts)| is_only_visible(doubts)) {
            doubts.extend(textual_reasons(&occurrences, *number));
        }
        doubt_mentioned(&snapshot, &view, &whole, &mut found)?;
        let grade = |doubts: &[LivenessReason]| {
            if doubts.is_empty() { 0 } else { 1 + u8::from(!is_only_visible(doubts)) }
        };
        // What has the least evidence of a use comes first.
        let evidence = |doubts: &[LivenessReason]| doubts.iter().map(LivenessReason::evidence).max();
        found.sort_by_key(|(number, doubts)| (grade(doubts), evidence(doubts), *number));
        let of_grade = |wanted: u8| found.iter().filter(|(_, doubts)| grade(doubts) == wanted).count();
        let (likely, visible, doubtful) = (of_grade(0), of_grade(1), of_grade(2));
        let by_reason =
            counted_by_reason(found.iter().skip(likely + visible).map(|(_, doubts)| doubts.as_slice()));
        if args.likely || args.certain {
            found.truncate(likely);
        } else if !args.all {
            found.truncate(likely + visible);
        }
        let window = PageWindow::new(args.limit, DEFAULT_LIMIT, args.after);
        let mut unused = Vec::new();
        for (number, doubts) in found.iter().skip(window.offset).take(window.limit) {
            let node = NodeLine::of(&view.describe(whole.nodes[*number as usize].id)?);
            unused.push(UnusedLine { node, may_be_used: doubts.iter().map(LivenessReason::text).collect() });
        }
        let shown = unused.len();
        let files_read = occurrences.files;
        let [likely, visible, doubtful] = [likely, visible, doubtful].map(|number| number as u64);
        let reasons: Vec<String> =
            by_reason.iter().map(|one| format!("{} {}", count(one.count), one.reason)).collect();
        let mut answer =
            session.answer(&snapshot, UnusedOut { likely, visible, doubtful, files_read, by_reason, unused });
        if doubtful > 0 && !args.all {
            let reasons = reasons.join(", ");
            answer = answer.note(format!(
                "{} left out that may be used for another reason than visibility: {reasons} (`orient unused --all`)",
                count(doubtful)
            ));
        }
        if args.certain {
            answer = answer
                .note("`certain` is now `likely`: static analysis cannot prove that a definition is unused");
        }
        Ok(window.paginate(answer, shown, found.len()))
    }

    fn text(out: &UnusedOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let total = out.likely + out.visible + out.doubtful;
        writer.line(
            Style::Head,
            &format!(
                "{} without a verified use: {} likely unused, {} visible outside, {} may still be used",
                plural(total, "definition", "definitions"),
                count(out.likely),
                count(out.visible),
                count(out.doubtful)
            ),
        )?;
        if out.likely > 0 {
            let files = plural(out.files_read, "file", "files");
            writer.line(
                Style::Dim,
                &format!("likely unused: not visible outside, no reason to assume a use, and the name occurs nowhere else in the text of {files}"),
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
