//! A symbol of one root, and its uses in the others.

use crate::answer::{Answer, Cause, Doubt};
use crate::arguments::symbol_lookup::{SymbolAnswer, as_candidate, resolve_symbol};
use crate::error::{Code, ToolError};
use crate::graph::call_tree::called_nodes;
use crate::graph::node_line::{NodeLine, UseLine};
use crate::operation::{ParseArgs, TypedOperation, run_with_repair};
use crate::session::Session;
use crate::text::number_format::plural;
use orient_engine::{EdgeRow, RootSnapshot, Snapshot, cross_root_uses};

/// A use of a symbol in another root.
pub(crate) struct OtherRootUse {
    /// The edge; its source is a node of the other root.
    pub(crate) edge: EdgeRow,
    /// Where it is and what proves it.
    pub(crate) used: UseLine,
    /// The innermost enclosing symbol, labelled.
    pub(crate) within: NodeLine,
}

/// Answers a question about a symbol: for the only root that has it, with its uses in the others, or with the candidates of all roots.
/// `label` puts the paths of an answer below the name of its root, `add` adds uses to it.
pub(crate) fn about_symbol<O, T>(
    session: &Session<'_>,
    args: &ParseArgs<'_, O>,
    typed: &str,
    label: impl Fn(&mut T, &str),
    add: impl FnOnce(&mut T, Vec<OtherRootUse>) -> Result<(), ToolError>,
) -> Result<Answer<SymbolAnswer<T>>, ToolError>
where
    O: TypedOperation<Out = SymbolAnswer<T>>,
{
    let sessions = session.roots();
    let mut answers = Vec::new();
    for (number, root) in sessions.iter().enumerate() {
        let is_asked = number == 0 || !session.only_own_symbols;
        if is_asked && root.own_symbol(typed).is_some() {
            let mut answer = run_with_repair::<O>(root, args)?;
            answer.metadata.name_root(root.root_name());
            answer.data.label(root.root_name(), |one| label(one, root.root_name()));
            answers.push((number, answer));
        }
    }
    let clear = |answer: &Answer<SymbolAnswer<T>>| matches!(answer.data, SymbolAnswer::One(_));
    let homes: Vec<usize> = answers.iter().filter(|(_, one)| clear(one)).map(|(number, _)| *number).collect();
    if let [home] = homes[..] {
        let found = answers.into_iter().find(|(number, _)| *number == home);
        let Some((_, mut answer)) = found else { return Err(no_root()) };
        let (uses, unread) = other_root_uses(session, home, typed)?;
        if let SymbolAnswer::One(one) = &mut answer.data {
            add(one, uses)?;
        }
        if unread > 0 {
            let files = plural(unread as u64, "file", "files");
            let text = format!("{files} of other roots that may use it were not read");
            answer = answer.partial(Doubt::new(Cause::Unsearched, unread as u64, text));
        }
        return Ok(answer);
    }
    // The name means several symbols: one of each root that has it.
    let mut all: Option<Answer<SymbolAnswer<T>>> = None;
    for (number, mut answer) in answers {
        let root = sessions[number];
        if clear(&answer)
            && let Some(mut candidate) =
                as_candidate(&root.snapshot()?, root.own_symbol(typed).unwrap_or(typed))?
        {
            candidate.label(root.root_name(), |_| {});
            (answer.data, answer.metadata.unresolved_name) = (candidate, true);
        }
        match &mut all {
            None => all = Some(answer),
            Some(all) => all.data.add_candidates(answer.data),
        }
    }
    all.ok_or_else(no_root)
}

fn no_root() -> ToolError {
    ToolError::new(Code::Internal, "there is no root")
}

/// The uses of a symbol of the root `home` in all other roots, by root, file and line; and the number of files that were not read.
fn other_root_uses(
    session: &Session<'_>,
    home: usize,
    typed: &str,
) -> Result<(Vec<OtherRootUse>, usize), ToolError> {
    let sessions = session.roots();
    let snapshots: Vec<Snapshot> = sessions.iter().map(|root| root.snapshot()).collect::<Result<_, _>>()?;
    let Some(own) = sessions[home].own_symbol(typed) else { return Ok((Vec::new(), 0)) };
    let Ok(subject) = resolve_symbol(&snapshots[home], own)? else { return Ok((Vec::new(), 0)) };
    let nodes = called_nodes(&snapshots[home].graph(), &subject)?;
    let mut roots = Vec::new();
    for (root, snapshot) in sessions.iter().zip(&snapshots) {
        roots.push(RootSnapshot { engine: root.engine()?, snapshot });
    }
    let found = cross_root_uses(&roots, home, &nodes, &[subject.definition.name.as_str()])?;
    let mut uses = Vec::new();
    for one in found.uses {
        let mut within = NodeLine::of(&snapshots[one.root].graph().describe(one.edge.source)?);
        within.label(sessions[one.root].root_name());
        uses.push((one.root, OtherRootUse { used: UseLine::of(&one.edge), edge: one.edge, within }));
    }
    uses.sort_by(|(a, x), (b, y)| {
        (a, x.within.test, &x.within.path, x.used.line).cmp(&(b, y.within.test, &y.within.path, y.used.line))
    });
    Ok((uses.into_iter().map(|(_, one)| one).collect(), found.unread))
}
