//! A file that matches all parts of the query, even in different chunks, ranks above a file with one good chunk.

use super::channel_fusion::nearness;
use super::{Context, Rule};
use crate::ranking::ScoreBoard;

pub(super) fn apply(context: &Context<'_>, scores: &mut ScoreBoard) {
    let pool = context.pool;
    let best = pool
        .files
        .iter()
        .zip(&context.role_factors)
        .map(|(file, factor)| file.lexical.score * factor)
        .fold(0.0, f32::max);
    let mut similarity = vec![0.0_f32; pool.files.len()];
    if pool.semantic {
        let mut by_file: Vec<Vec<f32>> = vec![Vec::new(); pool.files.len()];
        for (candidate, value) in pool.candidates.iter().zip(nearness(context)) {
            by_file[candidate.file as usize].push(value);
        }
        for (similarity, mut values) in similarity.iter_mut().zip(by_file) {
            values.sort_unstable_by(|a, b| b.total_cmp(a));
            // Geometric weights: the best counts fully, each further one half as much.
            *similarity =
                values.iter().zip([1.0, 0.5, 0.25, 0.125]).map(|(value, share)| value * share).sum();
        }
    }
    let max_similarity = similarity.iter().copied().fold(0.0, f32::max);
    for (at, candidate) in pool.candidates.iter().enumerate() {
        let file = candidate.file as usize;
        let words = if best > 0.0 { pool.files[file].lexical.score / best } else { 0.0 };
        let meaning = if max_similarity > 0.0 { similarity[file] / max_similarity } else { 0.0 };
        let weights = context.weights;
        let words = weights.coherence * words * if pool.semantic { 1.0 } else { weights.alone };
        scores.add(at, Rule::Coherence, words + weights.harmony * meaning);
    }
}
