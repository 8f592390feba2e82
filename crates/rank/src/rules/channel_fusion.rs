//! Fusion of the channels: the scores of BM25 and of vectors, each scaled to 0..1.

use super::{Context, Rule};
use crate::ranking::ScoreBoard;

/// The rank whose similarity becomes 0.
const ZERO_RANK: usize = 100;

/// Adds the BM25 scores.
pub(super) fn words(context: &Context<'_>, scores: &mut ScoreBoard) {
    let best = context.best(|one| one.lexical.score);
    if best <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        scores.add(at, Rule::Lexical, context.weights.lexical * candidate.lexical.score / best);
    }
}

/// Adds the similarity of vectors.
pub(super) fn vectors(context: &Context<'_>, scores: &mut ScoreBoard) {
    if !context.pool.semantic {
        return;
    }
    let nearest = context.pool.candidates.iter().map(|one| one.semantic).fold(0.01, f32::max);
    for ((at, near), candidate) in nearness(context).into_iter().enumerate().zip(&context.pool.candidates) {
        let whole = (candidate.semantic / nearest).max(0.0);
        scores.add(at, Rule::Semantic, context.weights.semantic * near + context.weights.nearness * whole);
    }
}

/// The similarity of each candidate, scaled from 0 to 1.
pub(super) fn nearness(context: &Context<'_>) -> Vec<f32> {
    let mut all: Vec<f32> = context.pool.candidates.iter().map(|one| one.semantic).collect();
    all.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(&best) = all.first() else { return Vec::new() };
    let rest = all.get(ZERO_RANK).or(all.last()).copied().unwrap_or(0.0).max(0.0);
    let width = (best - rest).max(0.05);
    context.pool.candidates.iter().map(|one| ((one.semantic - rest) / width).clamp(0.0, 1.0)).collect()
}
