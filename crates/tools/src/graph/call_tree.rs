//! Callers and callees: a breadth-first search along calls in either direction.

use super::call_lines::{CallsOut, Layout, call_lines, direct, dispatched, other_uses_note, passed};
use super::name_candidates::{NameCandidates, is_call};
use super::node_line::{NodeLine, compiler_note};
use super::symbol_roles::RoleSelection;
use crate::answer::completeness::{Question, UsesOf};
use crate::answer::{Answer, Cause, Doubt, Note, limit_or_all};
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::{ResolvedSymbol, SymbolAnswer, resolve_symbol, unresolved_language};
use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::{count, plural};
use clap::Args;
use orient_engine::{
    Direction, EdgeRow, EngineError, GraphView, NodeId, Reach, ReachOptions, WithDispatch, reach,
};
use orient_model::{Confidence, EdgeKind, SymbolKind};

/// Maximum depth of the search.
const MAX_DEPTH: u32 = 100;
/// Maximum number of symbols that are searched for a role.
const MAX_SEARCHED: usize = 20_000;

/// Arguments of `callers` and `callees`.
#[derive(Args)]
pub(crate) struct CallsArgs {
    /// A handle (`src/server.go#Server.Run`) or a name (`Run`, `Server.Run`)
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// Number of levels
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    depth: u32,
    /// Maximum number of symbols on each level; 0 means all
    #[arg(long, value_name = "N", default_value_t = 50)]
    per_level: usize,
    /// Maximum number of symbols in total; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(super) limit: usize,
    /// Print a list instead of a tree
    #[arg(long)]
    flat: bool,
    /// Exclude tests
    #[arg(long)]
    pub(super) no_tests: bool,
    /// Minimum confidence: exact, probable or approximate
    #[arg(long, value_name = "LEVEL", default_value = "probable")]
    pub(super) confidence: Option<String>,
    /// Follow only edges of these kinds: calls, constructs, dispatches, registers, requests, passes
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(super) via: Vec<String>,
    /// Only these roles, at any level: handler, service, …
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    role: Vec<String>,
    /// Maximum number of unverified calls to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    candidates: usize,
}

/// Whether an edge is part of a call.
pub(crate) fn is_calling(edge: &EdgeRow, least: Confidence) -> bool {
    use EdgeKind::{Calls, Constructs, Dispatches, Registers, Requests};
    matches!(edge.kind, Calls | Constructs | Dispatches | Registers | Requests) && edge.confidence <= least
}

/// The nodes that a call of the symbol may target: the symbol, its declarations, and the constructors of a type.
pub(crate) fn called_nodes(
    view: &GraphView<'_>,
    subject: &ResolvedSymbol,
) -> Result<Vec<NodeId>, EngineError> {
    let mut nodes = Vec::new();
    for definition in std::iter::once(&subject.definition).chain(&subject.declarations) {
        nodes.push(NodeId::from(definition.id));
        if definition.kind.is_type() {
            for node in view.members(definition.id.into())?.into_iter().skip(1) {
                let kind = view.describe(node)?.definition.map(|one| (one.kind, one.depth));
                if kind == Some((SymbolKind::Constructor, definition.depth + 1)) {
                    nodes.push(node);
                }
            }
        }
    }
    Ok(nodes)
}

/// The nodes whose calls belong to the symbol: for a type, all its members.
fn calling_nodes(view: &GraphView<'_>, subject: &ResolvedSymbol) -> Result<Vec<NodeId>, EngineError> {
    let node = NodeId::from(subject.definition.id);
    if subject.definition.kind.is_type() { view.members(node) } else { Ok(vec![node]) }
}

/// Finds the callers or callees of a symbol.
pub(crate) fn run(
    session: &Session<'_>,
    args: &CallsArgs,
    direction: Direction,
) -> Result<Answer<SymbolAnswer<CallsOut>>, ToolError> {
    let least = enum_values::confidence(args.confidence.as_deref())?;
    let via = enum_values::edge_kinds(&args.via)?;
    let snapshot = session.snapshot()?;
    let subject = match resolve_symbol(&snapshot, session.own_name(&args.symbol))? {
        Ok(subject) => subject,
        Err(unclear) => return unclear.answer(session, &snapshot),
    };
    let view = snapshot.graph();
    let starts = match direction {
        Direction::In => called_nodes(&view, &subject)?,
        Direction::Out => calling_nodes(&view, &subject)?,
    };
    let selected = match args.role.as_slice() {
        [] => None,
        words => Some(RoleSelection::new(session, &snapshot, words)?),
    };
    // A role may be anywhere in the levels: the limit then applies to what is listed.
    let unlimited = selected.is_some();
    let options = ReachOptions {
        direction,
        depth: args.depth.clamp(1, MAX_DEPTH),
        per_level: if unlimited { MAX_SEARCHED } else { limit_or_all(args.per_level) },
        total: if unlimited { MAX_SEARCHED } else { limit_or_all(args.limit) }.saturating_add(starts.len()),
        follow: &|edge| match via.as_slice() {
            [] => is_calling(edge, least),
            kinds => kinds.contains(&edge.kind) && edge.confidence <= least,
        },
        enter: &|node| Ok(!args.no_tests || !view.is_test(node)?),
    };
    let reached = reach(&WithDispatch(&view), &starts, &options)?;
    let mut out = CallsOut {
        symbol: NodeLine::of(&view.describe(subject.definition.id.into())?),
        verified: direct(&view, &starts, direction, &options)?,
        through_dispatch: dispatched(&reached, direction),
        calls: call_lines(&snapshot, &reached, selected.as_ref())?,
        passed: if via.is_empty() && !unlimited {
            passed(&view, &starts, &options, least)?
        } else {
            Vec::new()
        },
        name_only: None,
        external: Vec::new(),
        unresolved: Vec::new(),
        layout: Layout { direction, flat: args.flat || unlimited },
    };
    let beyond = out.calls.len().saturating_sub(limit_or_all(args.limit));
    if unlimited {
        out.calls.truncate(limit_or_all(args.limit));
    }
    let mut notes: Vec<String> = subject.note().into_iter().collect();
    if direction == Direction::In {
        let name = &subject.definition.name;
        out.name_only = Some(NameCandidates::of(
            &view,
            name,
            |source, kind| Ok(is_call(kind) && !(args.no_tests && view.is_test(source)?)),
            args.candidates,
        )?);
        if via.is_empty() {
            notes.extend(other_uses_note(&view, &starts, &out)?);
        }
    } else {
        out.add_unlinked_calls(&view, &starts)?;
    }
    notes.extend(compiler_note(&snapshot, out.calls.iter().flat_map(|call| &call.uses)));
    let mut answer = match direction {
        Direction::In => {
            let candidates = out.name_only.clone();
            let found = out.verified + out.through_dispatch + out.passed.len() as u64;
            let (definition, candidates) = (&subject.definition, candidates.as_ref());
            let uses = [UsesOf { definition, found, candidates, by_name: true }];
            session.answer_about(&snapshot, &Question::Uses(&uses), SymbolAnswer::one(out))?
        }
        Direction::Out => {
            let doubts = doubts_about_callees(&view, &subject, &out)?;
            let mut answer = session.answer(&snapshot, SymbolAnswer::one(out));
            answer.add_doubts(doubts);
            answer
        }
    };
    answer.add_notes(notes);
    if unlimited && beyond > 0 {
        answer = answer.partial(Doubt::limit(
            beyond as u64,
            Note::from(format!("{} more with this role", count(beyond as u64))).see("limit"),
        ));
    }
    Ok(mark_omissions(answer, &reached, args))
}

/// What is not known about the calls in a symbol: those that could not be resolved, and what the parser did not understand in it.
fn doubts_about_callees(
    view: &GraphView<'_>,
    subject: &ResolvedSymbol,
    out: &CallsOut,
) -> Result<Vec<Doubt>, EngineError> {
    let mut doubts: Vec<Doubt> = unresolved_language(&subject.definition).into_iter().collect();
    let unresolved = out.unresolved.len() as u64;
    if unresolved > 0 {
        let calls = plural(unresolved, "call in it is", "calls in it are");
        doubts.push(Doubt::new(Cause::UnresolvedUses, unresolved, format!("{calls} not resolved")));
    }
    let issues = view.issues_within(subject.definition.id.into())?;
    if issues > 0 {
        let places = plural(issues, "place in it was", "places in it were");
        doubts.push(Doubt::new(
            Cause::PartlyParsed,
            issues,
            format!("{places} not understood by the parser"),
        ));
    }
    Ok(doubts)
}

/// Adds what the limits left out.
fn mark_omissions<T>(answer: Answer<T>, reached: &Reach, args: &CallsArgs) -> Answer<T> {
    let cut: usize = reached.levels.iter().map(|level| level.truncated).sum();
    let barred: usize = reached.levels.iter().map(|level| level.excluded).sum();
    let mut answer = answer;
    if cut > 0 {
        let shown = reached.levels.iter().skip(1).map(|level| level.shown).sum::<usize>() as u64;
        // If the total is below the limit, the levels were cut.
        let cause = if args.limit > 0 && shown >= args.limit as u64 { "limit" } else { "per_level" };
        let text = format!("{} shown, {} more omitted", count(shown), count(cut as u64));
        answer = answer.partial(Doubt::limit(cut as u64, Note::from(text).see(cause)));
    }
    if barred > 0 {
        let text = format!("{} excluded", plural(barred as u64, "test", "tests"));
        answer = answer.note(Note::from(text).see("no_tests"));
    }
    answer
}

impl CallsArgs {
    /// The symbol as it was typed.
    pub(crate) fn symbol(&self) -> &str {
        &self.symbol
    }
}
