//! The order: rules add and multiply, then the best is taken again and again, and what is near it loses.

use crate::also::Shelves;
use crate::analyse::Analysis;
use crate::candidate::Pool;
use crate::explain::{Part, Ranked};
use crate::rules::{self, Rule};
use crate::weights::{Switches, Weights};
use std::collections::HashMap;

/// How many are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// Hits.
    pub hits: usize,
    /// Other places of the file of each hit.
    pub also: usize,
}

/// Orders the candidates of a pool, and gives the first of them. A place that is named beside a hit is no hit of its own.
pub fn rank(asked: &Analysis, pool: &Pool, weights: &Weights, switches: Switches, most: Most) -> Vec<Ranked> {
    let mut board = Board::new(pool);
    let context = rules::Context { asked, pool, weights, switches };
    for rule in Rule::ALL.iter().filter(|rule| switches.has(**rule)) {
        rules::apply(*rule, &context, &mut board);
    }
    board.place_within_files();
    board.pick(&context, most)
}

/// The rules that only concern the places of one file among each other.
const WITHIN: [Rule; 3] = [Rule::Inside, Rule::Deeds, Rule::Size];

/// What each of them makes of a place.
type Places = [f32; WITHIN.len()];

/// The scores while rules are applied.
pub(crate) struct Board {
    hits: Vec<Ranked>,
    /// For each candidate how good it is beside the best of its file.
    within: Vec<f32>,
    places: Vec<Places>,
}

/// What the best places of a file have.
#[derive(Clone, Copy)]
struct Top {
    /// The highest score.
    score: f32,
    /// The highest that is left of a score after what is held back for what it is.
    left: f32,
    /// The place that comes first: its score, what is left of one there, what the rules about places say.
    first: (f32, f32),
    places: Places,
}

impl Default for Top {
    fn default() -> Self {
        Self { score: 0.0, left: 0.0, first: (0.0, 1.0), places: [1.0; WITHIN.len()] }
    }
}

impl Top {
    fn see(&mut self, score: f32, held_back: f32, places: &Places) {
        self.score = self.score.max(score);
        self.left = self.left.max(score * held_back);
        let worth = |(score, held_back): (f32, f32), places: &Places| {
            score * held_back * places.iter().product::<f32>()
        };
        if worth((score, held_back), places) > worth(self.first, &self.places) {
            self.first = (score, held_back);
            self.places = *places;
        }
    }

    /// How good a score is. A file owes its score to its best; where that is held back, so is the file.
    fn beside(&self, score: f32) -> f32 {
        let (first, held_back) = self.first;
        if first > 0.0 { score / first * (self.left / self.score / held_back) } else { 1.0 }
    }
}

impl Board {
    fn new(pool: &Pool) -> Self {
        let count = pool.candidates.len();
        let hit = |candidate| Ranked {
            candidate,
            score: 0.0,
            parts: Vec::with_capacity(Rule::ALL.len()),
            also: Vec::new(),
        };
        Self {
            hits: (0..count).map(hit).collect(),
            within: vec![1.0; count],
            places: vec![[1.0; WITHIN.len()]; count],
        }
    }

    /// The score of a candidate so far.
    pub(crate) fn score(&self, candidate: usize) -> f32 {
        self.hits[candidate].score
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

    /// Multiplies what a candidate counts among the places of its file. Its file counts what it did.
    pub(crate) fn within(&mut self, candidate: usize, rule: Rule, value: f32) {
        if let Some(at) = WITHIN.iter().position(|one| *one == rule) {
            self.places[candidate][at] *= value;
        }
    }

    /// Gives every candidate the most any of its file has by each rule so far, and notes how good it is itself.
    pub(crate) fn best_of_files(&mut self, context: &rules::Context<'_>) {
        let pool = context.pool;
        let mut tops = vec![Top::default(); pool.files.len()];
        let mut most: Vec<Vec<Part>> = vec![Vec::new(); pool.files.len()];
        for ((hit, places), candidate) in self.hits.iter().zip(&self.places).zip(&pool.candidates) {
            let file = candidate.file as usize;
            tops[file].see(hit.score, rules::held_back(context, candidate), places);
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
        for (at, candidate) in pool.candidates.iter().enumerate() {
            let file = candidate.file as usize;
            let hit = &mut self.hits[at];
            self.within[at] = tops[file].beside(hit.score);
            for (place, top) in self.places[at].iter_mut().zip(tops[file].places) {
                *place /= top;
            }
            hit.parts.clone_from(&most[file]);
            hit.score = hit.parts.iter().map(|part| part.value).sum();
        }
    }

    /// Lowers what is not the best of its file.
    fn place_within_files(&mut self) {
        for at in 0..self.hits.len() {
            self.multiply(at, Rule::Best, self.within[at]);
            for (rule, value) in WITHIN.into_iter().zip(self.places[at]) {
                self.multiply(at, rule, value);
            }
        }
    }

    /// Takes the best again and again. What comes later from the same file loses a part of its score each time.
    fn pick(mut self, context: &rules::Context<'_>, most: Most) -> Vec<Ranked> {
        let rules::Context { pool, weights, switches, .. } = *context;
        sort(&mut self.hits, pool);
        let exact = |hit: &Ranked| pool.candidates[hit.candidate].exact;
        let decay = if switches.has(Rule::Decay) { weights.decay } else { 1.0 };
        let also = if switches.has(Rule::Also) { most.also } else { 0 };
        let shelves = Shelves::new(pool, &self.hits);
        let mut taken = Vec::with_capacity(most.hits.min(self.hits.len()));
        let mut files = HashMap::new();
        let mut rest: Vec<Option<Ranked>> = self.hits.into_iter().map(Some).collect();
        let mut start = 0;
        while taken.len() < most.hits {
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
                let before: i32 = files.get(&candidate.file).copied().unwrap_or(0);
                let score = hit.score * decay.powi(before);
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
            let before = files.entry(candidate.file).or_insert(0);
            if *before == 0 {
                hit.also = shelves.beside(hit.candidate, also, weights.also);
                *before = i32::try_from(hit.also.len()).unwrap_or(i32::from(i16::MAX));
                let named =
                    |one: &Option<Ranked>| one.as_ref().is_some_and(|one| hit.also.contains(&one.candidate));
                rest.iter_mut().filter(|one| named(one)).for_each(|one| *one = None);
            }
            *before += 1;
            taken.push(hit);
        }
        taken
    }
}

/// What the question names comes first, then the highest score; of equals the first by path and line.
fn sort(hits: &mut [Ranked], pool: &Pool) {
    let key = |hit: &Ranked| {
        let candidate = &pool.candidates[hit.candidate];
        (pool.files[candidate.file as usize].path.as_str(), candidate.first_line, candidate.unit)
    };
    let exact = |hit: &Ranked| pool.candidates[hit.candidate].exact;
    hits.sort_by(|a, b| {
        exact(b).total_cmp(&exact(a)).then(b.score.total_cmp(&a.score)).then_with(|| key(a).cmp(&key(b)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::candidate::{Candidate, FileInfo};
    use crate::lexical::{Evidence, FileEvidence};
    use orient_model::{ChunkKind, Role, SymbolKind};
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
            owner: None,
            exact: 0.0,
            test: false,
            first_line: unit + 1,
            last_line: unit + 1,
        }
    }

    fn pool(candidates: Vec<Candidate>) -> Pool {
        let files = (0..=candidates.iter().map(|one| one.file).max().unwrap_or(0)).map(|number| FileInfo {
            path: format!("src/f{number}.x"),
            role: Role::Source,
            lexical: FileEvidence::default(),
        });
        Pool { files: files.collect(), candidates, total: 1.0, missing: 0.0, semantic: true }
    }

    fn units(pool: &Pool, ranked: &[Ranked]) -> Vec<u32> {
        ranked.iter().map(|hit| pool.candidates[hit.candidate].unit).collect()
    }

    fn all(pool: &Pool) -> Vec<Ranked> {
        ranked(pool, Switches::ALL, 0)
    }

    fn ranked(pool: &Pool, switches: Switches, also: usize) -> Vec<Ranked> {
        let most = Most { hits: usize::MAX, also };
        rank(&analyse("some question"), pool, &Weights::default(), switches, most)
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
        let most = Most { hits: usize::MAX, also: 0 };
        let asked = rank(&asked, &pool, &Weights::default(), Switches::ALL, most);
        assert_eq!(units(&pool, &asked), [0, 1]);
    }

    #[test]
    fn what_does_something_comes_before_what_declares() {
        let mut pool =
            pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 0, 8.0, 0.8), candidate(2, 1, 0.1, 0.0)]);
        assert_eq!(units(&pool, &all(&pool))[0], 0);
        pool.candidates[1].symbol = Some(SymbolKind::Method);
        assert_eq!(units(&pool, &all(&pool))[0], 1);
        assert_eq!(units(&pool, &ranked(&pool, Switches::ALL.without(Rule::Deeds), 0))[0], 0);
    }

    #[test]
    fn of_two_that_say_the_same_the_larger_comes_first() {
        let mut pool = pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 0, 9.0, 0.9)]);
        pool.candidates[1].last_line += 20;
        assert_eq!(units(&pool, &all(&pool)), [1, 0]);
    }

    #[test]
    fn good_places_of_a_file_are_named_beside_its_best() {
        let mut pool = pool(vec![
            candidate(0, 0, 9.0, 0.9),
            candidate(1, 0, 8.0, 0.8),
            candidate(2, 0, 8.0, 0.8),
            candidate(3, 0, 0.1, 0.0),
            candidate(4, 1, 6.0, 0.7),
        ]);
        let also = |pool: &Pool| ranked(pool, Switches::ALL, 3)[0].also.clone();
        assert_eq!(also(&pool), [1, 2], "the fourth says too little");
        assert_eq!(units(&pool, &ranked(&pool, Switches::ALL, 3)), [0, 4, 3]);
        assert_eq!(ranked(&pool, Switches::ALL, 1)[0].also, [1]);
        assert!(ranked(&pool, Switches::ALL.without(Rule::Also), 3)[0].also.is_empty());
        (pool.candidates[1].owner, pool.candidates[2].owner) = (Some(7), Some(7));
        assert_eq!(also(&pool), [1], "parts of one symbol are one place");
        pool.candidates[0].owner = Some(7);
        assert_eq!(also(&pool), [0; 0], "the hit is a part of it, too");
        pool.candidates[2].exact = 0.5;
        assert_eq!(units(&pool, &ranked(&pool, Switches::ALL, 3))[0], 2, "what is named is a hit");
    }

    proptest! {
        /// Which place of a file is best says nothing about the file.
        #[test]
        fn files_keep_their_score_whatever_their_places(
            given in prop::collection::vec((0_u32..4, 0.1_f32..9.0, 0.0_f32..1.0, any::<(bool, bool)>(), 0_u32..50), 1..30),
        ) {
            let given = given.iter().zip(0..).map(|(&(file, score, near, (test, does), lines), unit)| Candidate {
                test,
                symbol: does.then_some(SymbolKind::Function),
                last_line: unit + 1 + lines,
                ..candidate(unit, file, score, near)
            });
            let pool = pool(given.collect());
            let best = |switches: Switches, file: u32| {
                let hits = ranked(&pool, switches, 0).into_iter();
                hits.filter(|hit| pool.candidates[hit.candidate].file == file).map(|hit| hit.score).fold(0.0, f32::max)
            };
            let off = WITHIN.into_iter().fold(Switches::ALL, Switches::without);
            for file in 0..4 {
                let (on, off) = (best(Switches::ALL, file), best(off, file));
                prop_assert!((on - off).abs() < 1e-3 * off.max(1.0), "{} {}", on, off);
            }
        }

        /// A place is a hit or stands beside one of its file, never both.
        #[test]
        fn no_place_comes_twice(
            given in prop::collection::vec((0_u32..4, 0.0_f32..9.0, 0.0_f32..1.0, 0_i64..6), 1..30),
            also in 0_usize..5,
        ) {
            let given = given.iter().zip(0..).map(|(&(file, score, near, owner), unit)| Candidate {
                owner: Some(owner),
                ..candidate(unit, file, score, near)
            });
            let pool = pool(given.collect());
            let hits = ranked(&pool, Switches::ALL, also);
            let mut seen: Vec<usize> =
                hits.iter().flat_map(|hit| std::iter::once(hit.candidate).chain(hit.also.iter().copied())).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..pool.candidates.len()).collect::<Vec<_>>());
            for hit in &hits {
                let file = |at: usize| pool.candidates[at].file;
                prop_assert!(hit.also.len() <= also && hit.also.iter().all(|&at| file(at) == file(hit.candidate)));
            }
        }

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
