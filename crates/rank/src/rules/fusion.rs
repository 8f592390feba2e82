//! What the channels say, each brought to the same scale: the best has one, what is as far off as the rest has nought.

use super::{Context, Rule};
use crate::order::Board;

/// The semantic scale ends where this many are better.
const REST: usize = 100;

/// What the words say.
pub(super) fn words(context: &Context<'_>, board: &mut Board) {
    let best = context.pool.candidates.iter().map(|one| one.lexical.score).fold(0.0, f32::max);
    if best <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        board.add(at, Rule::Lexical, context.weights.lexical * candidate.lexical.score / best);
    }
}

/// What the vectors say.
pub(super) fn vectors(context: &Context<'_>, board: &mut Board) {
    if !context.pool.semantic {
        return;
    }
    let nearest = context.pool.candidates.iter().map(|one| one.semantic).fold(0.01, f32::max);
    for ((at, near), candidate) in nearness(context).into_iter().enumerate().zip(&context.pool.candidates) {
        let whole = (candidate.semantic / nearest).max(0.0);
        board.add(at, Rule::Semantic, context.weights.semantic * near + context.weights.nearness * whole);
    }
}

/// For each candidate how near it is, from nought to one.
pub(super) fn nearness(context: &Context<'_>) -> Vec<f32> {
    let mut all: Vec<f32> = context.pool.candidates.iter().map(|one| one.semantic).collect();
    all.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(&best) = all.first() else { return Vec::new() };
    let rest = all.get(REST).or(all.last()).copied().unwrap_or(0.0).max(0.0);
    let width = (best - rest).max(0.05);
    context.pool.candidates.iter().map(|one| ((one.semantic - rest) / width).clamp(0.0, 1.0)).collect()
}
