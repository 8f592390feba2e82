//! One answer from the answers of several roots.

use crate::answer::{Answer, AnswerMetadata};
use crate::error::{Code, ToolError};
use crate::operation::{ParseArgs, ReplyResult, TypedOperation, run_with_repair};
use crate::session::Session;

/// Which rows of two answers a joined one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appended {
    /// All of them.
    Both,
    /// Only those of the first: those of the next match less well.
    First,
    /// Only those of the next.
    Next,
}

/// Data with paths, which several roots give together.
pub(crate) trait Labelled {
    /// Puts every path below the name of its root.
    fn label(&mut self, root: &str);
    /// Appends the data of the next root.
    fn append(&mut self, next: Self) -> Appended;
}

impl Labelled for () {
    fn label(&mut self, _root: &str) {}

    fn append(&mut self, (): Self) -> Appended {
        Appended::Both
    }
}

/// Asks every root and appends their answers in the order of the roots. A root that does not have what an argument names is left
/// out, unless none has it.
pub(crate) fn joined<O: TypedOperation>(
    session: &Session<'_>,
    args: &ParseArgs<'_, O>,
) -> Result<Answer<O::Out>, ToolError>
where
    O::Out: Labelled,
{
    let (mut all, mut missing): (Option<Answer<O::Out>>, Option<ToolError>) = (None, None);
    for root in session.roots() {
        match run_with_repair::<O>(root, args) {
            Ok(mut answer) => {
                answer.data.label(root.root_name());
                answer.metadata.name_root(root.root_name());
                all = Some(match all {
                    None => answer,
                    Some(before) => append_answer(before, answer),
                });
            }
            Err(error) if error.code() == Code::NotFound => {
                missing.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    match (all, missing) {
        (Some(answer), _) => Ok(answer),
        (None, Some(error)) => Err(error),
        (None, None) => Err(ToolError::new(Code::Internal, "there is no root")),
    }
}

/// Appends the answer of the next root.
pub(crate) fn append_answer<T: Labelled>(mut all: Answer<T>, next: Answer<T>) -> Answer<T> {
    let appended = all.data.append(next.data);
    append_metadata(&mut all.metadata, next.metadata, appended);
    all
}

fn append_metadata(all: &mut AnswerMetadata, next: AnswerMetadata, appended: Appended) {
    all.total = match appended {
        Appended::Both => all.total.zip(next.total).map(|(a, b)| a + b).or(all.total).or(next.total),
        Appended::First => all.total,
        Appended::Next => next.total,
    };
    all.complete &= next.complete;
    all.reasons.extend(next.reasons);
    all.causes.extend(next.causes);
    all.notes.extend(next.notes);
    // A cursor continues the list of one root.
    all.next = None;
    match (&mut all.freshness, next.freshness) {
        (Some(freshness), Some(other)) => {
            freshness.generation = freshness.generation.max(other.generation);
            freshness.checked &= other.checked;
            freshness.pending += other.pending;
            freshness.pending_files.extend(other.pending_files);
        }
        (freshness @ None, other) => *freshness = other,
        (Some(_), None) => {}
    }
}

/// Asks the roots in turn until one has what the arguments name.
pub(crate) fn first_answer(session: &Session<'_>, run: &dyn Fn(&Session<'_>) -> ReplyResult) -> ReplyResult {
    let mut first = None;
    for root in session.roots() {
        match run(root) {
            Ok(reply) if !reply.metadata().unresolved_name => return Ok(reply),
            Err(error) if error.code() != Code::NotFound => return Err(error),
            unknown => {
                first.get_or_insert(unknown);
            }
        }
    }
    first.unwrap_or_else(|| Err(ToolError::new(Code::Internal, "there is no root")))
}
