//! Callers and callees of strong hits belong to the answer.

use super::{Context, Rule};
use crate::order::Board;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        board.add(at, Rule::Neighbours, context.weights.neighbours * candidate.linked);
    }
}
