//! `references`: every use of a symbol, by what is done with it.

use crate::answer::{Answer, Cursor, PageWindow};
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::{SymbolAnswer, resolve_symbol};
use crate::error::{Exit, ToolError};
use crate::graph::call_tree::called_nodes;
use crate::graph::name_candidates::NameCandidates;
use crate::graph::node_line::{NodeLine, UseLine};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{EdgeRow, Edges, GraphView, NodeId};
use orient_model::{Confidence, EdgeKind, RepoPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;

pub(crate) struct References;

/// A list meant for reading is not longer than this unless asked for.
const LIMIT: u64 = 100;

/// Which uses.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReferencesArgs {
    /// A handle (`src/server.go#Server.Run`) or a name (`Run`, `Server.Run`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Only these kinds of use: calls, constructs, references, `type_of`, inherits, implements, overrides, imports, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    #[serde(default)]
    kind: Vec<String>,
    /// Leave out tests
    #[arg(long)]
    #[serde(default)]
    no_tests: bool,
    /// At most so many; 0 means all
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit: Option<u64>,
    /// Go on where an answer before ended
    #[arg(long, value_name = "PLACE")]
    #[serde(default)]
    after: Option<Cursor>,
    /// How many uses are listed that only have the name
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[serde(default = "ten")]
    candidates: usize,
}

fn ten() -> usize {
    10
}

/// Every use of a symbol.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReferencesOut {
    /// The symbol.
    symbol: NodeLine,
    /// How many uses are proven.
    verified: u64,
    /// How many of each kind, the most first.
    kinds: Vec<KindCount>,
    /// The uses: by kind, those in tests behind the rest, then by path and line.
    uses: Vec<ReferenceLine>,
    /// Uses of the same name that could not be resolved.
    name_only: NameCandidates,
}

/// How many uses of a kind there are.
#[derive(Serialize, JsonSchema)]
struct KindCount {
    /// The kind.
    kind: &'static str,
    /// How many.
    count: u64,
}

/// A use.
#[derive(Serialize, JsonSchema)]
struct ReferenceLine {
    /// Where, what and how it was proven.
    #[serde(flatten)]
    used: UseLine,
    /// The file it stands in.
    path: String,
    /// The innermost symbol around it.
    within: NodeLine,
}

impl TypedOperation for References {
    const NAME: &'static str = "references";
    const ABOUT: &'static str = "List every use of a symbol, by kind, then what only has its name";
    const DETAILS: &'static str = "\
Calls, constructions, reads and writes, uses as a type, inheritance, imports: each proven, with its place and the symbol \
it stands in. Uses that have the name and could not be resolved are counted and listed apart. A type is used where its \
constructor is. Uses in tests come behind the rest of their kind.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "references Server", about: "every use" },
        Example { command: "references Server --kind constructs,type_of", about: "of some kinds" },
        Example { command: "references Server.Run --no-tests --limit 0", about: "all outside tests" },
    ];
    type Args = ReferencesArgs;
    type Out = SymbolAnswer<ReferencesOut>;

    fn run(session: &Session<'_>, args: ReferencesArgs) -> Result<Answer<Self::Out>, ToolError> {
        let kinds = enum_values::edge_kinds(&args.kind)?;
        let snapshot = session.snapshot()?;
        let subject = match resolve_symbol(&snapshot, &args.symbol)? {
            Ok(subject) => subject,
            Err(unclear) => return unclear.answer(session, &snapshot),
        };
        let view = snapshot.graph();
        let nodes = called_nodes(&view, &subject)?;
        let mut edges = Vec::new();
        for edge in uses(&view, &nodes)? {
            let wanted = kinds.is_empty() || kinds.contains(&edge.1.kind);
            if wanted && !(args.no_tests && view.is_test(edge.1.source)?) {
                edges.push(edge);
            }
        }
        let window = PageWindow::new(args.limit, LIMIT, args.after);
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
                |miss| Ok(!args.no_tests || !view.is_test(miss.source)?),
                args.candidates,
            )?,
        };
        let candidates = out.name_only.clone();
        let mut answer = candidates.mark(session.answer(&snapshot, SymbolAnswer::one(out)));
        answer.notes.extend(subject.note());
        Ok(window.paginate(answer, listed, edges.len()))
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, ReferencesOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}

/// The proven uses of nodes, by kind, those in tests behind the rest, by path and line.
fn uses(view: &GraphView<'_>, nodes: &[NodeId]) -> Result<Vec<(RepoPath, EdgeRow)>, ToolError> {
    let mut found = Vec::new();
    for &node in nodes {
        for edge in view.incoming(node)? {
            if edge.confidence < Confidence::Approximate && edge.kind != EdgeKind::Dispatches {
                found.push((view.order(edge.source)?, edge));
            }
        }
    }
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
        let mut last = "";
        for one in &self.uses {
            if one.used.kind != last {
                writer.line(Style::Head, one.used.kind)?;
                last = one.used.kind;
            }
            writer.plain("  ")?;
            writer.put(Style::Path, &format!("{}:{}", one.path, one.used.line))?;
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
