//! A file that speaks of all parts of the question, even in different places, is likelier than one that has one good
//! place by accident.

use super::fusion::nearness;
use super::{Context, Rule};
use crate::order::Board;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let pool = context.pool;
    let best = pool.files.iter().map(|file| file.lexical.score).fold(0.0, f32::max);
    let mut near = vec![0.0_f32; pool.files.len()];
    if pool.semantic {
        let mut by_file: Vec<Vec<f32>> = vec![Vec::new(); pool.files.len()];
        for (candidate, value) in pool.candidates.iter().zip(nearness(context)) {
            by_file[candidate.file as usize].push(value);
        }
        for (near, mut values) in near.iter_mut().zip(by_file) {
            values.sort_unstable_by(|a, b| b.total_cmp(a));
            // The best counts fully, each further one half as much as the one before.
            *near = values.iter().zip([1.0, 0.5, 0.25, 0.125]).map(|(value, share)| value * share).sum();
        }
    }
    let most = near.iter().copied().fold(0.0, f32::max);
    for (at, candidate) in pool.candidates.iter().enumerate() {
        let file = candidate.file as usize;
        let words = if best > 0.0 { pool.files[file].lexical.score / best } else { 0.0 };
        let meaning = if most > 0.0 { near[file] / most } else { 0.0 };
        let weights = context.weights;
        let words = weights.coherence * words * if pool.semantic { 1.0 } else { weights.alone };
        board.add(at, Rule::Coherence, words + weights.harmony * meaning);
    }
}
