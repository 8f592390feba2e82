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
    board.place_within_files();
    board.pick(&context, switches, limit)
}

/// The scores while rules are applied.
pub(crate) struct Board {
    hits: Vec<Ranked>,
    /// For each candidate how good it is beside the best of its file.
    within: Vec<f32>,
}

impl Board {
    fn new(pool: &Pool) -> Self {
        let hits =
            (0..pool.candidates.len()).map(|candidate| Ranked { candidate, score: 0.0, parts: Vec::new() });
        Self { hits: hits.collect(), within: vec![1.0; pool.candidates.len()] }
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
        if (value - 1.0).abs() > f32::EPSILON {
            let hit = &mut self.hits[candidate];
            hit.score *= value;
            hit.parts.push(Part { rule, value, factor: true });
        }
    }

    /// Gives every candidate the most any of its file has by each rule so far, and notes how good it is itself.
    pub(crate) fn best_of_files(&mut self, pool: &Pool) {
        let mut tops = vec![0.0_f32; pool.files.len()];
        let mut most: Vec<Vec<Part>> = vec![Vec::new(); pool.files.len()];
        for (hit, candidate) in self.hits.iter().zip(&pool.candidates) {
            let file = candidate.file as usize;
            tops[file] = tops[file].max(hit.score);
            for part in &hit.parts {
                match most[file].iter_mut().find(|known| known.rule == part.rule) {
                    Some(known) => known.value = known.value.max(part.value),
                    None => most[file].push(*part),
                }
            }
        }
        for parts in &mut most {
            parts.sort_unstable_by_key(|part| part.rule);
        }
        for ((hit, within), candidate) in self.hits.iter_mut().zip(&mut self.within).zip(&pool.candidates) {
            let file = candidate.file as usize;
            *within = if tops[file] > 0.0 { hit.score / tops[file] } else { 1.0 };
            hit.parts.clone_from(&most[file]);
            hit.score = hit.parts.iter().map(|part| part.value).sum();
        }
    }

    /// Lowers what is not the best of its file.
    fn place_within_files(&mut self) {
        for at in 0..self.hits.len() {
            self.multiply(at, Rule::Best, self.within[at]);
        }
    }

    /// Takes the best again and again. What comes later from the same file, or for a question about several places from
    /// the same folder, loses a part of its score each time.
    fn pick(mut self, context: &rules::Context<'_>, switches: Switches, limit: usize) -> Vec<Ranked> {
        let rules::Context { asked, pool, weights } = *context;
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
                let score = hit.score * decay.powi(before.cast_signed()) * spread.powi(beside.cast_signed());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::candidate::{Candidate, FileInfo};
    use crate::lexical::{Evidence, FileEvidence};
    use orient_model::{ChunkKind, Role};
    use proptest::prelude::*;

    fn candidate(unit: u32, file: u32, score: f32, semantic: f32) -> Candidate {
        Candidate {
            unit,
            file,
            lexical: Evidence { score, ..Evidence::default() },
            semantic,
            kind: ChunkKind::Symbol,
            symbol: None,
            name: String::new(),
            exact: 0.0,
            test: false,
            uses: 0,
            linked: 0.0,
            first_line: unit + 1,
        }
    }

    fn pool(candidates: Vec<Candidate>) -> Pool {
        let files = (0..=candidates.iter().map(|one| one.file).max().unwrap_or(0)).map(|number| FileInfo {
            path: format!("src/f{number}.x"),
            role: Role::Source,
            units: 4,
            lexical: FileEvidence::default(),
        });
        Pool { files: files.collect(), candidates, total: 1.0, semantic: true }
    }

    fn units(pool: &Pool, ranked: &[Ranked]) -> Vec<u32> {
        ranked.iter().map(|hit| pool.candidates[hit.candidate].unit).collect()
    }

    fn all(pool: &Pool) -> Vec<Ranked> {
        rank(&analyse("some question"), pool, &Weights::default(), Switches::ALL, usize::MAX)
    }

    #[test]
    fn what_the_question_names_comes_first() {
        let mut pool = pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 1, 0.1, 0.0)]);
        assert_eq!(units(&pool, &all(&pool)), [0, 1]);
        pool.candidates[1].exact = 0.5;
        assert_eq!(units(&pool, &all(&pool)), [1, 0]);
    }

    #[test]
    fn other_files_come_before_more_of_the_same() {
        let pool =
            pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 0, 8.0, 0.8), candidate(2, 1, 6.0, 0.7)]);
        assert_eq!(units(&pool, &all(&pool)), [0, 2, 1]);
    }

    #[test]
    fn tests_come_after_what_they_test() {
        let mut pool = pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 1, 8.0, 0.89)]);
        pool.files[0].role = Role::Test;
        assert_eq!(units(&pool, &all(&pool)), [1, 0]);
        let asked = analyse("tests of some question");
        let asked = rank(&asked, &pool, &Weights::default(), Switches::ALL, usize::MAX);
        assert_eq!(units(&pool, &asked), [0, 1]);
    }

    proptest! {
        /// Every candidate is in the order once, and the parts of a score give the score.
        #[test]
        fn scores_are_what_their_parts_say(
            given in prop::collection::vec((0_u32..6, 0.0_f32..9.0, -0.2_f32..1.0), 1..40),
        ) {
            let given = given.iter().zip(0..).map(|(&(file, score, near), unit)| candidate(unit, file, score, near));
            let pool = pool(given.collect());
            let ranked = all(&pool);
            let mut seen = units(&pool, &ranked);
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..pool.candidates.len() as u32).collect::<Vec<_>>());
            for hit in &ranked {
                let added: f32 = hit.parts.iter().filter(|part| !part.factor).map(|part| part.value).sum();
                let times: f32 = hit.parts.iter().filter(|part| part.factor).map(|part| part.value).product();
                prop_assert!((added * times - hit.score).abs() < 1e-3, "{:?}", hit);
            }
        }
    }
}
