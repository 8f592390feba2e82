//! Which place of a file. A question in words asks what code does, so of the places of one file
//!
//! - those that hold the words of the question come first: the meaning of all of them is much the same, since the names around
//!   them and their path are;
//! - those that do something come before those that declare: the head of a large type, the lines between definitions;
//! - those that do much come before those that do little: two lines that hand a value on explain nothing.
//!
//! None of it says anything about the file.

use super::{Context, Rule};
use crate::analyse::Form;
use crate::candidate::Candidate;
use crate::number::float;
use crate::order::Board;
use orient_model::{ChunkKind, SymbolKind};

/// More lines than this do not do more.
const MANY: usize = 40;

/// What the words say, once more.
pub(super) fn inside(context: &Context<'_>, board: &mut Board) {
    let best = context.pool.candidates.iter().map(|one| one.lexical.score).fold(0.0, f32::max);
    if context.asked.form != Form::Prose || best <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let more = context.weights.inside * candidate.lexical.score / best;
        let score = board.score(at);
        if score > 0.0 {
            board.within(at, Rule::Inside, 1.0 + more / score);
        }
    }
}

/// What only declares.
pub(super) fn deeds(context: &Context<'_>, board: &mut Board) {
    if context.asked.form != Form::Prose {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        if !does_something(candidate) {
            board.within(at, Rule::Deeds, context.weights.declared);
        }
    }
}

/// How much there is.
pub(super) fn size(context: &Context<'_>, board: &mut Board) {
    if context.asked.form != Form::Prose {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let lines = candidate.last_line.saturating_sub(candidate.first_line) as usize + 1;
        let share = float(lines.min(MANY)) / float(MANY);
        board.within(at, Rule::Size, share.powf(context.weights.size));
    }
}

fn does_something(candidate: &Candidate) -> bool {
    let Some(kind) = candidate.symbol else { return false };
    // A type that is small enough to be one place has its members with it.
    let with_members = candidate.kind == ChunkKind::Symbol
        && matches!(kind, SymbolKind::Class | SymbolKind::Trait | SymbolKind::Impl | SymbolKind::Object);
    kind.is_callable() || with_members
}
