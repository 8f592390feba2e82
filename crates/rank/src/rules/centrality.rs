//! What much of the repository uses is likelier to be what a question is about.

use super::{Context, Rule};
use crate::order::Board;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let log = |uses: u32| (1.0 + uses as f32).ln();
    let most = context.pool.candidates.iter().map(|one| log(one.uses)).fold(0.0, f32::max);
    if most <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        board.add(at, Rule::Centrality, context.weights.centrality * log(candidate.uses) / most);
    }
}
