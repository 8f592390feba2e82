//! `references`: all uses of a symbol, by kind.

use crate::answer::completeness::{Question, UsesOf};
use crate::answer::{Answer, Cursor, PageWindow};
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::{SymbolAnswer, resolve_symbol};
use crate::error::{Exit, ToolError};
use crate::graph::call_tree::called_nodes;
use crate::graph::name_candidates::NameCandidates;
use crate::graph::node_line::{NodeLine, UseLine, compiler_note};
use crate::operation::{AcrossRoots, Example, ParseArgs, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use crate::workspace::{OtherRootUse, RootFilter, about_symbol};
use clap::Args;
use orient_engine::{EdgeRow, Edges, GraphView, NodeId};
use orient_model::{Confidence, EdgeKind, RepoPath};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

pub(crate) struct References;

/// Default number of uses.
const DEFAULT_LIMIT: u64 = 100;

/// Arguments of `references`.
#[derive(Args)]
pub(crate) struct ReferencesArgs {
    /// A handle (`src/server.go#Server.Run`) or a name (`Run`, `Server.Run`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Only these edge kinds: calls, constructs, references, `type_of`, inherits, implements, overrides, imports, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Exclude tests
    #[arg(long)]
    no_tests: bool,
    /// Maximum number of uses; 0 means all [default: 100]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    after: Option<Cursor>,
    /// Maximum number of unverified uses of the same name to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    candidates: usize,
}

/// All uses of a symbol.
#[derive(Serialize)]
pub(crate) struct ReferencesOut {
    /// The symbol.
    symbol: NodeLine,
    /// Number of proven uses.
    verified: u64,
    /// Number of uses of each kind, largest first.
    kinds: Vec<KindCount>,
    /// The uses by kind, those in tests last, then by path and line.
    uses: Vec<ReferenceLine>,
    /// Unresolved uses of the same name.
    name_only: NameCandidates,
}

/// Number of uses of a kind.
#[derive(Serialize)]
struct KindCount {
    /// The kind.
    kind: &'static str,
    /// The number.
    count: u64,
}

/// A use.
#[derive(Serialize)]
struct ReferenceLine {
    /// The line, kind and evidence.
    #[serde(flatten)]
    used: UseLine,
    /// The file.
    path: String,
    /// The innermost enclosing symbol.
    within: NodeLine,
}

impl TypedOperation for References {
    const NAME: &'static str = "references";
    const ABOUT: &'static str = "List all uses of a symbol by kind";
    const DETAILS: &'static str = "\
Calls, constructions, reads and writes, uses as a type, inheritance, imports: each proven, with its location and the enclosing \
symbol. Unresolved uses of the same name are counted and listed separately. Uses of a constructor count as uses of its type. \
Uses in tests come last within their kind.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "references Server", about: "all uses" },
        Example { command: "references Server --kind constructs,type_of", about: "some kinds only" },
        Example { command: "references Server.Run --no-tests --limit 0", about: "all uses outside tests" },
    ];
    const PROVISIONAL: bool = true;
    const ACROSS: Option<AcrossRoots<Self>> = Some(across);
    const ROOT_FILTER: fn(&ReferencesArgs) -> RootFilter = |args| RootFilter::defines_or_uses(&args.symbol);
    const IS_NEGATIVE: fn(&Self::Out) -> bool = |out| out.is_negative(|out| out.verified == 0);
    type Args = ReferencesArgs;
    type Out = SymbolAnswer<ReferencesOut>;

    fn run(session: &Session<'_>, args: ReferencesArgs) -> Result<Answer<Self::Out>, ToolError> {
        let kinds = enum_values::edge_kinds(&args.kind)?;
        let snapshot = session.snapshot()?;
        let subject = match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
            Ok(subject) => subject,
            Err(unclear) => return unclear.answer(session, &snapshot),
        };
        let view = snapshot.graph();
        let nodes = called_nodes(&view, &subject)?;
        let mut edges = Vec::new();
        for edge in uses(&view, &nodes)? {
            let is_selected = kinds.is_empty() || kinds.contains(&edge.1.kind);
            if is_selected && !(args.no_tests && view.is_test(edge.1.source)?) {
                edges.push(edge);
            }
        }
        let window = PageWindow::new(args.limit, DEFAULT_LIMIT, args.after);
        let mut shown = Vec::new();
        for (path, edge) in edges.iter().skip(window.offset).take(window.limit) {
            shown.push(ReferenceLine {
                used: UseLine::of(edge),
                path: path.display().into_owned(),
                within: NodeLine::of(&view.describe(edge.source)?),
            });
        }
        let listed = shown.len();
        let out = ReferencesOut {
            symbol: NodeLine::of(&view.describe(subject.definition.id.into())?),
            verified: edges.len() as u64,
            kinds: counted(edges.iter().map(|(_, edge)| edge.kind)),
            uses: shown,
            name_only: NameCandidates::of(
                &view,
                &subject.definition.name,
                |source, _| Ok(!args.no_tests || !view.is_test(source)?),
                args.candidates,
            )?,
        };
        let (candidates, said) =
            (out.name_only.clone(), compiler_note(&snapshot, out.uses.iter().map(|one| &one.used)));
        let (definition, found) = (&subject.definition, out.verified);
        let uses = [UsesOf { definition, found, candidates: Some(&candidates), by_name: true }];
        let mut answer = session.answer_about(&snapshot, &Question::Uses(&uses), SymbolAnswer::one(out))?;
        answer.add_notes(subject.note());
        answer.add_notes(said);
        Ok(window.paginate(answer, listed, edges.len()))
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, ReferencesOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}

/// The uses in the root of the symbol and in other roots, by kind.
fn across(
    session: &Session<'_>,
    args: &ParseArgs<'_, References>,
) -> Result<Answer<SymbolAnswer<ReferencesOut>>, ToolError> {
    let asked = args()?;
    about_symbol::<References, ReferencesOut>(
        session,
        args,
        &asked.symbol,
        ReferencesOut::label,
        |out, uses| out.add_uses(uses, &asked),
    )
}

/// The proven uses of nodes by kind, those in tests last, then by path and line.
fn uses(view: &GraphView<'_>, nodes: &[NodeId]) -> Result<Vec<(RepoPath, EdgeRow)>, ToolError> {
    let mut found = Vec::new();
    for &node in nodes {
        for edge in view.incoming(node)? {
            if edge.confidence < Confidence::Approximate && edge.kind != EdgeKind::Dispatches {
                found.push((view.order(edge.source)?, edge));
            }
        }
    }
    // A construction calls the constructor: one use, not two.
    let made: BTreeSet<(NodeId, u32)> = found
        .iter()
        .filter(|(_, edge)| edge.kind == EdgeKind::Constructs)
        .map(|(_, edge)| (edge.source, edge.line))
        .collect();
    found.retain(|(_, edge)| edge.kind != EdgeKind::Calls || !made.contains(&(edge.source, edge.line)));
    found.sort_by(|(a, x), (b, y)| {
        (x.kind, a.test, &a.path, x.line, a.at).cmp(&(y.kind, b.test, &b.path, y.line, b.at))
    });
    Ok(found.into_iter().map(|(place, edge)| (place.path, edge)).collect())
}

fn counted(kinds: impl Iterator<Item = EdgeKind>) -> Vec<KindCount> {
    let mut counts = vec![0_u64; EdgeKind::ALL.len()];
    kinds.for_each(|kind| counts[kind as usize] += 1);
    let mut shown: Vec<KindCount> = EdgeKind::ALL
        .iter()
        .map(|&kind| KindCount { kind: kind.as_str(), count: counts[kind as usize] })
        .filter(|kind| kind.count > 0)
        .collect();
    shown.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    shown
}

impl ReferencesOut {
    fn label(&mut self, root: &str) {
        self.symbol.label(root);
        for one in &mut self.uses {
            one.path = format!("{root}/{}", one.path);
            one.within.label(root);
        }
        self.name_only.label(root);
    }

    /// Adds uses from other roots after those of the same kind.
    fn add_uses(&mut self, uses: Vec<OtherRootUse>, args: &ReferencesArgs) -> Result<(), ToolError> {
        let kinds = enum_values::edge_kinds(&args.kind)?;
        for OtherRootUse { edge, used, within } in uses {
            let is_selected = kinds.is_empty() || kinds.contains(&edge.kind);
            if !is_selected || edge.confidence >= Confidence::Approximate || args.no_tests && within.test {
                continue;
            }
            self.verified += 1;
            match self.kinds.iter_mut().find(|known| known.kind == used.kind) {
                Some(known) => known.count += 1,
                None => self.kinds.push(KindCount { kind: used.kind, count: 1 }),
            }
            let at = self.uses.iter().rposition(|one| one.used.kind == used.kind);
            let at = at.map_or(self.uses.len(), |last| last + 1);
            self.uses.insert(at, ReferenceLine { used, path: within.path.clone(), within });
        }
        self.kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
        Ok(())
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let uses = plural(self.verified, "verified use of", "verified uses of");
        writer.put(Style::Head, &format!("{uses} "))?;
        writer.put(Style::Name, self.symbol.called())?;
        writer.put(Style::Dim, &format!(" ({})", self.symbol.anchor()))?;
        let kinds: Vec<String> =
            self.kinds.iter().map(|kind| format!("{} {}", count(kind.count), kind.kind)).collect();
        if kinds.len() > 1 {
            writer.plain(&format!(": {}", kinds.join(", ")))?;
        }
        writer.plain(&format!(", {}", self.name_only.counted()))?;
        writer.end_line()?;
        let (mut last, mut path) = ("", "");
        for one in &self.uses {
            if one.used.kind != last {
                writer.line(Style::Head, one.used.kind)?;
                (last, path) = (one.used.kind, "");
            }
            // An agent pays for every path; a person or a script needs it on every line.
            let is_grouped = writer.mode().quoted;
            if is_grouped && one.path != path {
                writer.plain("  ")?;
                writer.put(Style::Path, &one.path)?;
                writer.end_line()?;
                path = &one.path;
            }
            writer.plain("  ")?;
            if is_grouped {
                writer.plain("  ")?;
                writer.put(Style::Number, &one.used.line.to_string())?;
            } else {
                writer.put(Style::Path, &format!("{}:{}", one.path, one.used.line))?;
            }
            writer.plain("  ")?;
            one.within.write_name(writer)?;
            if one.used.confidence != Confidence::Exact.as_str() {
                writer.put(Style::Dim, &format!("  {}: {}", one.used.confidence, one.used.rule))?;
            }
            writer.end_line()?;
        }
        self.name_only.write(writer)
    }
}
