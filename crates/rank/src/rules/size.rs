//! A file with much in it is likelier to be what a broad question is about.

use super::{Context, Rule};
use crate::order::Board;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let log = |units: u32| (1.0 + units as f32).ln();
    let most = context.pool.files.iter().map(|file| log(file.units)).fold(0.0, f32::max);
    if most <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let units = context.pool.files[candidate.file as usize].units;
        board.add(at, Rule::Size, context.weights.size * log(units) / most);
    }
}
