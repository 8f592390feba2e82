//! A file most of which answers is about the question; one with a single good place merely touches it.

use super::{Context, Rule};
use crate::number::float;
use crate::order::Board;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let mut found = vec![0_usize; context.pool.files.len()];
    for candidate in &context.pool.candidates {
        found[candidate.file as usize] += 1;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let units = context.pool.files[candidate.file as usize].units.max(1);
        let share = (float(found[candidate.file as usize]) / float(units as usize)).min(1.0);
        board.add(at, Rule::Density, context.weights.density * share);
    }
}
