//! Where a file lies says what it belongs to.

use super::{Context, Rule};
use crate::order::Board;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    if context.pool.total <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let said = context.pool.files[candidate.file as usize].lexical.path / context.pool.total;
        board.add(at, Rule::Folder, context.weights.folder * said.min(1.0));
    }
}
