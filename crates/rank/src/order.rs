//! The order: rules add and multiply, then the best is taken again and again, and what is near it loses.

use crate::analyse::{Analysis, Scope};
use crate::candidate::Pool;
use crate::explain::{Part, Ranked};
use crate::rules::{self, Rule};
use crate::weights::{Switches, Weights};
use std::collections::HashMap;

/// Orders the candidates of a pool; gives the first `limit` of them.
pub fn rank(
    asked: &Analysis,
    pool: &Pool,
    weights: &Weights,
    switches: Switches,
    limit: usize,
) -> Vec<Ranked> {
    let mut board = Board::new(pool);
    let context = rules::Context { asked, pool, weights };
    for rule in Rule::ALL.iter().filter(|rule| switches.has(**rule)) {
        rules::apply(*rule, &context, &mut board);
    }
    board.pick(asked, pool, weights, switches, limit)
}

/// The scores while rules are applied.
pub(crate) struct Board {
    hits: Vec<Ranked>,
}

impl Board {
    fn new(pool: &Pool) -> Self {
        let hits =
            (0..pool.candidates.len()).map(|candidate| Ranked { candidate, score: 0.0, parts: Vec::new() });
        Self { hits: hits.collect() }
    }

    /// Adds to the score of a candidate.
    pub(crate) fn add(&mut self, candidate: usize, rule: Rule, value: f32) {
        if value != 0.0 {
            let hit = &mut self.hits[candidate];
            hit.score += value;
            hit.parts.push(Part { rule, value, factor: false });
        }
    }

    /// Multiplies the score of a candidate.
    pub(crate) fn multiply(&mut self, candidate: usize, rule: Rule, value: f32) {
        if value < 1.0 || value > 1.0 {
            let hit = &mut self.hits[candidate];
            hit.score *= value;
            hit.parts.push(Part { rule, value, factor: true });
        }
    }

    /// Takes the best again and again. What comes later from the same file, or for a question about several places from
    /// the same folder, loses a part of its score each time.
    fn pick(
        mut self,
        asked: &Analysis,
        pool: &Pool,
        weights: &Weights,
        switches: Switches,
        limit: usize,
    ) -> Vec<Ranked> {
        let key = |hit: &Ranked| {
            let candidate = &pool.candidates[hit.candidate];
            (pool.files[candidate.file as usize].path.as_str(), candidate.first_line, candidate.unit)
        };
        let exact = |hit: &Ranked| pool.candidates[hit.candidate].exact;
        self.hits.sort_by(|a, b| {
            exact(b).total_cmp(&exact(a)).then(b.score.total_cmp(&a.score)).then_with(|| key(a).cmp(&key(b)))
        });
        let decay = if switches.has(Rule::Decay) { weights.decay } else { 1.0 };
        let spread =
            if switches.has(Rule::Spread) && asked.scope != Scope::Targeted { weights.spread } else { 1.0 };
        let mut taken = Vec::with_capacity(limit.min(self.hits.len()));
        let (mut files, mut folders) = (HashMap::new(), HashMap::new());
        let mut rest: Vec<Option<Ranked>> = self.hits.into_iter().map(Some).collect();
        let mut start = 0;
        while taken.len() < limit {
            let mut best: Option<(f32, f32, usize)> = None;
            while rest.get(start).is_some_and(Option::is_none) {
                start += 1;
            }
            for (at, hit) in rest.iter().enumerate().skip(start) {
                let Some(hit) = hit else { continue };
                let own = exact(hit);
                if let Some((tier, score, _)) = best
                    && (own < tier || (own <= tier && hit.score <= score))
                {
                    // They come in order, and what was taken only lowers scores.
                    break;
                }
                let candidate = &pool.candidates[hit.candidate];
                let before: u32 = files.get(&candidate.file).copied().unwrap_or(0);
                let beside: u32 =
                    folders.get(folder(&pool.files[candidate.file as usize].path)).copied().unwrap_or(0);
                let score = hit.score * decay.powi(before as i32) * spread.powi(beside as i32);
                if best.is_none_or(|(tier, top, _)| own > tier || score > top) {
                    best = Some((own, score, at));
                }
            }
            let Some((_, score, at)) = best else { break };
            let Some(mut hit) = rest[at].take() else { break };
            let candidate = &pool.candidates[hit.candidate];
            if score < hit.score {
                hit.parts.push(Part { rule: Rule::Decay, value: score / hit.score, factor: true });
                hit.score = score;
            }
            let before = files.entry(candidate.file).or_insert(0_u32);
            if *before == 0 {
                *folders.entry(folder(&pool.files[candidate.file as usize].path)).or_insert(0_u32) += 1;
            }
            *before += 1;
            taken.push(hit);
        }
        taken
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
