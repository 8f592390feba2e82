//! `symbol`: everything known about one symbol, on a card.

use crate::answer::Answer;
use crate::answer::completeness::{Question, UsesOf};
use crate::answer::symbol_line::SymbolLine;
use crate::arguments::symbol_lookup::{ResolvedSymbol, SymbolAnswer, resolve_symbol};
use crate::error::{Exit, ToolError};
use crate::graph::call_tree::called_nodes;
use crate::graph::symbol_roles::RoleLabels;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    Direction, EdgeRow, Edges, EngineError, GraphView, NodeId, ReachOptions, Snapshot, WithDispatch, reach,
};
use orient_model::{Confidence, EdgeKind};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

pub(crate) struct SymbolCard;

/// Number of calls between a symbol and a test that counts as reaching it.
const TEST_DEPTH: u32 = 8;
/// Maximum number of symbols visited to count tests.
const MAX_REACHED: usize = 20_000;
/// Maximum number of characters of documentation in the text form.
const MAX_DOC: usize = 300;

/// Maximum number of surface entries shown.
const MAX_ENTRIES: usize = 12;

/// Arguments of `symbol`.
#[derive(Args)]
pub(crate) struct SymbolArgs {
    /// A handle (`src/server.go#Server.Run`) or a name (`Run`, `Server.Run`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
}

/// Everything known about a symbol.
#[derive(Serialize)]
pub(crate) struct Card {
    /// The symbol: names, kind, place, signature, visibility, modifiers, types.
    symbol: SymbolLine,
    /// What it is defined in.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// Its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<String>,
    /// Number of lines.
    lines: u32,
    /// How complex a function is, where its language says what a decision is.
    #[serde(skip_serializing_if = "Option::is_none")]
    complexity: Option<ComplexityFields>,
    /// Number of members, for a type.
    members: u64,
    /// Number of symbols proven to call it.
    callers: u64,
    /// Number of symbols that it is proven to call.
    callees: u64,
    /// Number of proven uses of any kind.
    uses: u64,
    /// Number of direct implementations, subtypes or overriding members.
    implementers: u64,
    /// Number of tests that reach it, directly or through other symbols.
    tests: u64,
    /// What it does for the surface of the program: `handles endpoint GET /users`, `reads variable PORT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    surface: Vec<String>,
    /// Its declarations elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    declarations: Vec<SymbolLine>,
}

/// Measures of the control flow of a function.
#[derive(Serialize)]
struct ComplexityFields {
    /// `McCabe`'s cyclomatic complexity.
    cyclomatic: u32,
    /// Cognitive complexity.
    cognitive: u32,
    /// The deepest nesting of branches, loops and anonymous functions.
    nesting: u32,
}

impl TypedOperation for SymbolCard {
    const NAME: &'static str = "symbol";
    const ABOUT: &'static str = "Show one symbol: its place, its signature, how much uses it";
    const DETAILS: &'static str = "\
Signature, visibility, modifiers, container, bases, attributes, documentation, complexity, and how many callers, callees, uses, \
implementers and tests it has. `show` prints its source, `callers` and the other operations list what is counted here. An \
ambiguous name is answered with the handles of the candidates and exit code 3.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "symbol Server.Run", about: "by name" },
        Example { command: "symbol src/server.go#Server.Run --json", about: "by handle, as JSON" },
    ];
    const PROVISIONAL: bool = true;
    type Args = SymbolArgs;
    type Out = SymbolAnswer<Card>;

    fn run(session: &Session<'_>, args: SymbolArgs) -> Result<Answer<Self::Out>, ToolError> {
        let snapshot = session.snapshot()?;
        let subject = match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
            Ok(subject) => subject,
            Err(unclear) => return unclear.answer(session, &snapshot),
        };
        let view = snapshot.graph();
        let (note, definition) = (subject.note(), subject.definition.clone());
        let node = NodeId::from(subject.definition.id);
        let roles = RoleLabels::new(&snapshot)?.of(&subject.definition);
        let mut card = Card::new(&view, subject)?;
        card.symbol.roles = roles;
        card.surface = surface_of(&snapshot, node)?;
        let uses = [UsesOf { definition: &definition, found: card.uses, candidates: None, by_name: true }];
        let mut answer = session.answer_about(&snapshot, &Question::Uses(&uses), SymbolAnswer::one(card))?;
        answer.add_notes(note);
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, Card::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}

impl Card {
    fn new(view: &GraphView<'_>, subject: ResolvedSymbol) -> Result<Self, EngineError> {
        let called = called_nodes(view, &subject)?;
        let node = NodeId::from(subject.definition.id);
        let members = view.members(node)?;
        let is_type = subject.definition.kind.is_type();
        let calling = if is_type { members.clone() } else { vec![node] };
        let proven = |edge: &EdgeRow| edge.confidence < Confidence::Approximate;
        let is_call =
            |edge: &EdgeRow| matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs) && proven(edge);
        let (mut callers, mut implementers, mut uses) = (BTreeSet::new(), BTreeSet::new(), 0);
        for &node in &called {
            for edge in view.incoming(node)?.iter().filter(|edge| proven(edge)) {
                uses += u64::from(edge.kind != EdgeKind::Dispatches);
                if is_call(edge) {
                    callers.insert(edge.source);
                }
                if matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements | EdgeKind::Overrides) {
                    implementers.insert(edge.source);
                }
            }
        }
        let mut callees = BTreeSet::new();
        for &node in &calling {
            callees.extend(view.outgoing(node)?.iter().filter(|edge| is_call(edge)).map(|edge| edge.target));
        }
        let definition = subject.definition;
        let container = match definition.handle.names.as_slice() {
            [around @ .., _] if !around.is_empty() => Some(around.join(".")),
            _ => None,
        };
        Ok(Self {
            container,
            doc: definition.doc.clone(),
            lines: definition.span.last_line.saturating_sub(definition.span.first_line) + 1,
            complexity: definition.complexity.map(|known| ComplexityFields {
                cyclomatic: known.cyclomatic,
                cognitive: known.cognitive,
                nesting: known.nesting,
            }),
            members: if is_type { members.len().saturating_sub(1) as u64 } else { 0 },
            callers: callers.len() as u64,
            callees: callees.len() as u64,
            uses,
            implementers: implementers.len() as u64,
            tests: tests(view, &called)?,
            declarations: subject.declarations.into_iter().map(|one| SymbolLine::new(one, None)).collect(),
            symbol: SymbolLine::new(definition, None),
            surface: Vec::new(),
        })
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let symbol = &self.symbol;
        writer.put(Style::Kind, &symbol.kind)?;
        writer.plain(" ")?;
        writer.put(Style::Name, &symbol.qualified)?;
        writer.put(Style::Path, &format!("  {}:{}-{}", symbol.path, symbol.line, symbol.last_line))?;
        writer.end_line()?;
        if !symbol.signature.is_empty() {
            writer.line(Style::Plain, &format!("  {}", symbol.signature))?;
        }
        let mut flags = vec![symbol.visibility.to_owned()];
        if !symbol.roles.is_empty() {
            flags.push(format!("roles {}", symbol.roles.join(", ")));
        }
        flags.extend(symbol.modifiers.iter().map(|word| (*word).to_owned()));
        if !symbol.bases.is_empty() {
            flags.push(format!("bases {}", symbol.bases.join(", ")));
        }
        if !symbol.attributes.is_empty() {
            flags.push(format!("attributes {}", symbol.attributes.join(", ")));
        }
        writer.line(Style::Dim, &format!("  {}", flags.join("; ")))?;
        if let Some(doc) = &self.doc {
            let doc: String = doc.split_whitespace().collect::<Vec<_>>().join(" ");
            let shown: String = doc.chars().take(MAX_DOC).collect();
            let more = if shown.len() < doc.len() { "…" } else { "" };
            writer.line(Style::Plain, &format!("  {shown}{more}"))?;
        }
        let mut counts = vec![plural(self.lines.into(), "line", "lines")];
        if let Some(known) = &self.complexity {
            counts.push(format!("complexity {} (cognitive {})", known.cyclomatic, known.cognitive));
        }
        if self.members > 0 {
            counts.push(plural(self.members, "member", "members"));
        }
        counts.push(plural(self.callers, "caller", "callers"));
        counts.push(plural(self.callees, "callee", "callees"));
        counts.push(plural(self.uses, "use", "uses"));
        if self.implementers > 0 {
            counts.push(plural(self.implementers, "implementer", "implementers"));
        }
        counts.push(plural(self.tests, "test", "tests"));
        writer.line(Style::Plain, &format!("  {}", counts.join(", ")))?;
        for entry in self.surface.iter().take(MAX_ENTRIES) {
            writer.line(Style::Plain, &format!("  {entry}"))?;
        }
        for declaration in &self.declarations {
            writer.put(Style::Dim, "  also ")?;
            writer.line(Style::Path, &format!("{}:{}", declaration.path, declaration.line))?;
        }
        Ok(())
    }
}

/// What a symbol does for the surface of the program, sorted.
fn surface_of(snapshot: &Snapshot, node: NodeId) -> Result<Vec<String>, EngineError> {
    let mut found: Vec<String> = snapshot
        .surface()?
        .into_iter()
        .filter(|entry| entry.symbol.unwrap_or(entry.from) == node)
        .map(|entry| format!("{} {} {}", entry.role.as_str(), entry.kind.as_str(), entry.name))
        .collect();
    found.sort();
    found.dedup();
    Ok(found)
}

/// The number of test cases that reach the nodes.
fn tests(view: &GraphView<'_>, nodes: &[NodeId]) -> Result<u64, EngineError> {
    let follow = |edge: &EdgeRow| {
        let kinds = [
            EdgeKind::Calls,
            EdgeKind::Constructs,
            EdgeKind::Dispatches,
            EdgeKind::References,
            EdgeKind::Passes,
        ];
        edge.confidence < Confidence::Approximate && kinds.contains(&edge.kind)
    };
    let options = ReachOptions {
        direction: Direction::In,
        depth: TEST_DEPTH,
        per_level: usize::MAX,
        total: MAX_REACHED,
        follow: &follow,
        enter: &|_| Ok::<bool, EngineError>(true),
    };
    let reached = reach(&WithDispatch(view), nodes, &options)?;
    let mut found = BTreeSet::new();
    for step in reached.steps.iter().filter(|step| step.level > 0) {
        found.extend(view.test_around(step.node)?);
    }
    Ok(found.len() as u64)
}
