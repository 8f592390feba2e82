//! Of several things of one name, the one that much of the repository uses is likelier to be meant. For questions in words it
//! was measured to help nothing.

use super::{Context, Rule};
use crate::analyse::Form;
use crate::number::float;
use crate::order::Board;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    if context.asked.form != Form::Name {
        return;
    }
    let log = |uses: u32| (1.0 + float(uses as usize)).ln();
    let most = context.pool.candidates.iter().map(|one| log(one.uses)).fold(0.0, f32::max);
    if most <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        board.add(at, Rule::Centrality, context.weights.centrality * log(candidate.uses) / most);
    }
}
