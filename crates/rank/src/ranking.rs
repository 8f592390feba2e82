//! Ranking: rules add to and multiply scores, then hits are selected greedily with decay for further chunks of a file.
//!
//! A question is often about several places of one file. So the good chunks beside the best one of a file become hits of their own
//! before files that score much lower, and are listed beside it otherwise.

use crate::candidate::Pool;
use crate::explanation::{RankedChunk, ScorePart};
use crate::likelihood::{self, HitEvidence};
use crate::query_analysis::Analysis;
use crate::question_scope::Scope;
use crate::repository_parts;
use crate::rules::{self, Rule};
use crate::same_file_chunks::FileChunks;
use crate::weights::{EnabledRules, Weights};
use std::collections::HashMap;

/// How many results are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultLimits {
    /// Maximum number of hits.
    pub hits: usize,
    /// Maximum number of other chunks listed per hit.
    pub also: usize,
}

/// Ranks the candidates and returns the best. A chunk that is listed beside a hit is not a hit itself: it did not score enough.
pub fn rank(
    query: &Analysis,
    pool: &Pool,
    weights: &Weights,
    enabled: EnabledRules,
    limits: ResultLimits,
) -> Vec<RankedChunk> {
    let mut scores = ScoreBoard::new(pool);
    let context = rules::Context::new(query, pool, weights, enabled);
    for rule in Rule::ALL.iter().filter(|rule| enabled.contains(**rule)) {
        rules::apply(*rule, &context, &mut scores);
    }
    scores.rank_within_files();
    let mut selected = scores.select(&context, limits);
    likelihood::estimate(pool, &mut selected);
    selected
}

/// Whether there are candidates that are neither hits nor listed beside one.
pub fn has_more(ranked: &[RankedChunk], pool: &Pool) -> bool {
    ranked.iter().map(|hit| 1 + hit.also.len()).sum::<usize>() < pool.candidates.len()
}

/// The rules that only rank the chunks of one file among each other.
const WITHIN_FILE: [Rule; 3] = [Rule::WordsInFile, Rule::Implementation, Rule::Size];

/// The factors of these rules for a chunk.
type WithinFactors = [f32; WITHIN_FILE.len()];

/// The scores while rules are applied.
pub(crate) struct ScoreBoard {
    hits: Vec<RankedChunk>,
    /// The score of each candidate relative to the best of its file.
    within: Vec<f32>,
    factors: Vec<WithinFactors>,
}

/// The best scores of a file.
#[derive(Clone, Copy)]
struct FileBest {
    /// The highest score.
    score: f32,
    /// The highest score after the role penalty.
    penalised: f32,
    /// The chunk that ranks first: its score and its role penalty.
    first: (f32, f32),
    factors: WithinFactors,
}

impl Default for FileBest {
    fn default() -> Self {
        Self { score: 0.0, penalised: 0.0, first: (0.0, 1.0), factors: [1.0; WITHIN_FILE.len()] }
    }
}

impl FileBest {
    fn update(&mut self, score: f32, penalty: f32, factors: &WithinFactors) {
        self.score = self.score.max(score);
        self.penalised = self.penalised.max(score * penalty);
        let value = |(score, penalty): (f32, f32), factors: &WithinFactors| {
            score * penalty * factors.iter().product::<f32>()
        };
        if value((score, penalty), factors) > value(self.first, &self.factors) {
            self.first = (score, penalty);
            self.factors = *factors;
        }
    }

    /// A score relative to the first chunk. If the best chunk of a file is penalised, so is the file.
    fn relative(&self, score: f32) -> f32 {
        let (first, penalty) = self.first;
        if first > 0.0 { score / first * (self.penalised / self.score / penalty) } else { 1.0 }
    }
}

impl ScoreBoard {
    fn new(pool: &Pool) -> Self {
        let count = pool.candidates.len();
        let hit = |candidate| RankedChunk {
            candidate,
            score: 0.0,
            parts: Vec::with_capacity(Rule::ALL.len()),
            also: Vec::new(),
            evidence: HitEvidence::default(),
            part: None,
        };
        Self {
            hits: (0..count).map(hit).collect(),
            within: vec![1.0; count],
            factors: vec![[1.0; WITHIN_FILE.len()]; count],
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
            hit.parts.push(ScorePart { rule, value, factor: false });
        }
    }

    /// Multiplies the score of a candidate.
    pub(crate) fn multiply(&mut self, candidate: usize, rule: Rule, value: f32) {
        if (value - 1.0).abs() > f32::EPSILON {
            let hit = &mut self.hits[candidate];
            hit.score *= value;
            hit.parts.push(ScorePart { rule, value, factor: true });
        }
    }

    /// Multiplies the score of a candidate among the chunks of its file. The score of the file does not change.
    pub(crate) fn within(&mut self, candidate: usize, rule: Rule, value: f32) {
        if let Some(at) = WITHIN_FILE.iter().position(|one| *one == rule) {
            self.factors[candidate][at] *= value;
        }
    }

    /// Gives every candidate the maximum of each rule over its file, and records its own relative score.
    pub(crate) fn best_of_files(&mut self, context: &rules::Context<'_>) {
        let pool = context.pool;
        let mut best = vec![FileBest::default(); pool.files.len()];
        let mut maximum: Vec<Vec<ScorePart>> = vec![Vec::new(); pool.files.len()];
        for ((hit, factors), candidate) in self.hits.iter().zip(&self.factors).zip(&pool.candidates) {
            let file = candidate.file as usize;
            best[file].update(hit.score, rules::role_penalty(context, candidate), factors);
            for part in &hit.parts {
                match maximum[file].iter_mut().find(|known| known.rule == part.rule) {
                    Some(known) => known.value = known.value.max(part.value),
                    None => maximum[file].push(*part),
                }
            }
        }
        for parts in &mut maximum {
            parts.sort_unstable_by_key(|part| part.rule);
        }
        for (at, candidate) in pool.candidates.iter().enumerate() {
            let file = candidate.file as usize;
            let hit = &mut self.hits[at];
            self.within[at] = best[file].relative(hit.score);
            for (factor, of_best) in self.factors[at].iter_mut().zip(best[file].factors) {
                *factor /= of_best;
            }
            hit.parts.clone_from(&maximum[file]);
            hit.score = hit.parts.iter().map(|part| part.value).sum();
        }
    }

    /// Lowers the chunks that are not the best of their file.
    fn rank_within_files(&mut self) {
        for at in 0..self.hits.len() {
            self.multiply(at, Rule::Best, self.within[at]);
            for (rule, value) in WITHIN_FILE.into_iter().zip(self.factors[at]) {
                self.multiply(at, rule, value);
            }
        }
    }

    /// Selects the best candidate repeatedly. Each selection lowers the scores of further chunks of the same file.
    fn select(mut self, context: &rules::Context<'_>, limits: ResultLimits) -> Vec<RankedChunk> {
        let &rules::Context { pool, weights, enabled, .. } = context;
        sort(&mut self.hits, pool);
        let exact = |hit: &RankedChunk| pool.candidates[hit.candidate].exact;
        let decay = if enabled.contains(Rule::Decay) { weights.decay } else { 1.0 };
        let also = if enabled.contains(Rule::Also) { limits.also } else { 0 };
        let file_chunks = FileChunks::new(pool, &self.hits);
        let mut selected = Vec::with_capacity(limits.hits.min(self.hits.len()));
        let mut files = HashMap::new();
        let mut parts = PartLimits::new(context);
        // The chunks beside the first hit of a file, and the maximum score of each as a hit of its own.
        let mut beside: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut ceilings: HashMap<usize, f32> = HashMap::new();
        let mut rest: Vec<Option<RankedChunk>> = self.hits.into_iter().map(Some).collect();
        let mut start = 0;
        while selected.len() < limits.hits {
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
                    // The candidates are sorted, and selections only lower scores.
                    break;
                }
                let candidate = &pool.candidates[hit.candidate];
                let before: i32 = files.get(&candidate.file).copied().unwrap_or(0);
                let score = match ceilings.get(&hit.candidate) {
                    Some(ceiling) => hit.score.min(*ceiling),
                    None => hit.score * decay.powi(before),
                };
                let score = score * parts.factor(candidate.file);
                if best.is_none_or(|(tier, top, _)| own > tier || score > top) {
                    best = Some((own, score, at));
                }
            }
            let Some((_, score, at)) = best else { break };
            let Some(mut hit) = rest[at].take() else { break };
            let candidate = &pool.candidates[hit.candidate];
            let of_part = parts.factor(candidate.file);
            if score < hit.score * of_part {
                let value = score / hit.score / of_part;
                hit.parts.push(ScorePart { rule: Rule::Decay, value, factor: true });
            }
            if of_part < 1.0 {
                hit.parts.push(ScorePart { rule: Rule::Part, value: of_part, factor: true });
            }
            hit.score = score.min(hit.score);
            hit.part = parts.take(candidate.file);
            let before = files.entry(candidate.file).or_insert(0);
            if *before == 0 {
                let others = file_chunks.beside(hit.candidate, also, weights.also);
                *before = i32::try_from(others.len()).unwrap_or(i32::from(i16::MAX));
                let mut ceiling = hit.score * weights.further;
                for &other in &others {
                    ceilings.insert(other, ceiling);
                    ceiling *= weights.each_further;
                }
                beside.insert(hit.candidate, others);
            }
            *before += 1;
            ceilings.remove(&hit.candidate);
            selected.push(hit);
        }
        for hit in &mut selected {
            let others = beside.remove(&hit.candidate).unwrap_or_default();
            hit.also = others.into_iter().filter(|other| ceilings.contains_key(other)).collect();
        }
        selected
    }
}

/// How often each part of the repository was selected. Without parts, every chunk may be.
struct PartLimits<'p> {
    /// The part of each file; empty if the question is not about every part.
    parts: Vec<&'p str>,
    taken: HashMap<&'p str, i32>,
    further: f32,
}

impl<'p> PartLimits<'p> {
    fn new(context: &rules::Context<'p>) -> Self {
        let every = context.query.scope == Scope::EveryPart && context.enabled.contains(Rule::Part);
        let paths: Vec<&str> = context.pool.files.iter().map(|file| file.path.as_str()).collect();
        let parts = if every { repository_parts::parts(&paths, &context.pool.packages) } else { Vec::new() };
        Self { parts, taken: HashMap::new(), further: context.weights.part }
    }

    /// The factor of a further chunk of a file.
    fn factor(&self, file: u32) -> f32 {
        let part = self.parts.get(file as usize);
        let taken = part.and_then(|part| self.taken.get(part)).copied().unwrap_or(0);
        self.further.powi(taken)
    }

    /// Notes a selected chunk of a file; returns its part.
    fn take(&mut self, file: u32) -> Option<String> {
        let part = *self.parts.get(file as usize)?;
        *self.taken.entry(part).or_insert(0) += 1;
        Some(part.to_owned())
    }
}

/// Sorts by exact match, then score; ties by path and line.
fn sort(hits: &mut [RankedChunk], pool: &Pool) {
    let key = |hit: &RankedChunk| {
        let candidate = &pool.candidates[hit.candidate];
        (pool.files[candidate.file as usize].path.as_str(), candidate.first_line, candidate.chunk)
    };
    let exact = |hit: &RankedChunk| pool.candidates[hit.candidate].exact;
    hits.sort_by(|a, b| {
        exact(b).total_cmp(&exact(a)).then(b.score.total_cmp(&a.score)).then_with(|| key(a).cmp(&key(b)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::{FileEvidence, TermEvidence};
    use crate::candidate::{Candidate, FileInfo};
    use crate::query_analysis::analyse;
    use orient_model::{ChunkKind, Role, SymbolKind};
    use proptest::prelude::*;

    fn candidate(chunk: u32, file: u32, score: f32, semantic: f32) -> Candidate {
        Candidate {
            chunk,
            file,
            lexical: TermEvidence { score, ..TermEvidence::default() },
            semantic,
            kind: ChunkKind::Symbol,
            symbol: None,
            name: String::new(),
            owner: None,
            exact: 0.0,
            mentioned: 0.0,
            named: 0.0,
            quoted: 0.0,
            test: false,
            first_line: chunk + 1,
            last_line: chunk + 1,
        }
    }

    fn pool(candidates: Vec<Candidate>) -> Pool {
        let files = (0..=candidates.iter().map(|one| one.file).max().unwrap_or(0)).map(|number| FileInfo {
            path: format!("src/f{number}.x"),
            role: Role::Source,
            lexical: FileEvidence::default(),
            mentioned: 0.0,
            project: false,
        });
        let packages = Vec::new();
        Pool { files: files.collect(), candidates, total: 1.0, missing: 0.0, semantic: true, packages }
    }

    fn chunks(pool: &Pool, ranked: &[RankedChunk]) -> Vec<u32> {
        ranked.iter().map(|hit| pool.candidates[hit.candidate].chunk).collect()
    }

    fn all(pool: &Pool) -> Vec<RankedChunk> {
        ranked(pool, EnabledRules::ALL, 0)
    }

    fn ranked(pool: &Pool, enabled: EnabledRules, also: usize) -> Vec<RankedChunk> {
        let limits = ResultLimits { hits: usize::MAX, also };
        rank(&analyse("some question"), pool, &Weights::default(), enabled, limits)
    }

    #[test]
    fn exact_matches_come_first() {
        let mut pool = pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 1, 0.1, 0.0)]);
        assert_eq!(chunks(&pool, &all(&pool)), [0, 1]);
        pool.candidates[1].exact = 0.5;
        assert_eq!(chunks(&pool, &all(&pool)), [1, 0]);
    }

    #[test]
    fn other_files_come_before_further_chunks_of_a_file() {
        let pool =
            pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 0, 8.0, 0.8), candidate(2, 1, 6.0, 0.7)]);
        assert_eq!(chunks(&pool, &all(&pool)), [0, 2, 1]);
    }

    #[test]
    fn tests_come_after_what_they_test() {
        let mut pool = pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 1, 8.0, 0.89)]);
        pool.files[0].role = Role::Test;
        assert_eq!(chunks(&pool, &all(&pool)), [1, 0]);
        let query = analyse("tests of some question");
        let limits = ResultLimits { hits: usize::MAX, also: 0 };
        let query = rank(&query, &pool, &Weights::default(), EnabledRules::ALL, limits);
        assert_eq!(chunks(&pool, &query), [0, 1]);
    }

    #[test]
    fn a_question_about_every_part_has_a_hit_of_each_part_first() {
        let mut pool =
            pool((0..4).map(|at| candidate(at, at, [9.0, 8.0, 5.0, 4.0][at as usize], 0.5)).collect());
        let paths = ["a/x.c", "a/y.c", "b/z.c", "c/Makefile"];
        for (file, path) in pool.files.iter_mut().zip(paths) {
            file.path = path.to_owned();
        }
        pool.packages = ["a", "b", "c"].map(str::to_owned).to_vec();
        pool.files[3].project = true;
        let ranked = |question: &str| {
            let limits = ResultLimits { hits: usize::MAX, also: 0 };
            rank(&analyse(question), &pool, &Weights::default(), EnabledRules::ALL, limits)
        };
        assert_eq!(chunks(&pool, &ranked("some question")), [0, 1, 2, 3]);
        let broad = ranked("all places where some question is asked");
        assert_eq!(chunks(&pool, &broad), [0, 2, 1, 3], "the build file comes last");
        let parts: Vec<&str> = broad.iter().filter_map(|hit| hit.part.as_deref()).collect();
        assert_eq!(parts, ["a", "b", "a", "c"]);
    }

    #[test]
    fn callables_come_before_declarations() {
        let mut pool =
            pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 0, 8.0, 0.8), candidate(2, 1, 0.1, 0.0)]);
        assert_eq!(chunks(&pool, &all(&pool))[0], 0);
        pool.candidates[1].symbol = Some(SymbolKind::Method);
        assert_eq!(chunks(&pool, &all(&pool))[0], 1);
        assert_eq!(chunks(&pool, &ranked(&pool, EnabledRules::ALL.without(Rule::Implementation), 0))[0], 0);
    }

    #[test]
    fn of_two_equal_chunks_the_larger_comes_first() {
        let mut pool = pool(vec![candidate(0, 0, 9.0, 0.9), candidate(1, 0, 9.0, 0.9)]);
        pool.candidates[1].last_line += 20;
        assert_eq!(chunks(&pool, &all(&pool)), [1, 0]);
    }

    #[test]
    fn good_chunks_of_a_file_are_listed_beside_its_best() {
        let mut pool = pool(vec![
            candidate(0, 0, 9.0, 0.9),
            candidate(1, 0, 8.0, 0.8),
            candidate(2, 0, 8.0, 0.8),
            candidate(3, 0, 0.1, 0.0),
            candidate(4, 1, 6.0, 0.7),
        ]);
        let first = |pool: &Pool, enabled: EnabledRules, also: usize| {
            let limits = ResultLimits { hits: 1, also };
            rank(&analyse("some question"), pool, &Weights::default(), enabled, limits)[0].also.clone()
        };
        let also = |pool: &Pool| first(pool, EnabledRules::ALL, 3);
        assert_eq!(also(&pool), [1, 2], "the fourth scores too low");
        assert_eq!(first(&pool, EnabledRules::ALL, 1), [1]);
        assert!(first(&pool, EnabledRules::ALL.without(Rule::Also), 3).is_empty());
        (pool.candidates[1].owner, pool.candidates[2].owner) = (Some(7), Some(7));
        assert_eq!(also(&pool), [1], "only one chunk per symbol");
        pool.candidates[0].owner = Some(7);
        assert_eq!(also(&pool), [0; 0], "the hit belongs to it, too");
        pool.candidates[2].exact = 0.5;
        assert_eq!(chunks(&pool, &ranked(&pool, EnabledRules::ALL, 3))[0], 2, "an exact match is a hit");
    }

    #[test]
    fn good_chunks_of_a_file_are_hits_before_files_that_score_much_lower() {
        let order = |other: f32| {
            let pool = pool(vec![
                candidate(0, 0, 9.0, 0.9),
                candidate(1, 0, 8.0, 0.8),
                candidate(2, 1, other, other / 10.0),
            ]);
            chunks(&pool, &ranked(&pool, EnabledRules::ALL, 3))
        };
        assert_eq!(order(8.9), [0, 2, 1]);
        assert_eq!(order(0.5), [0, 1, 2]);
    }

    proptest! {
        /// The rules within a file do not change the score of the file.
        #[test]
        fn rules_within_a_file_keep_the_score_of_the_file(
            given in prop::collection::vec((0_u32..4, 0.1_f32..9.0, 0.0_f32..1.0, any::<(bool, bool)>(), 0_u32..50), 1..30),
        ) {
            let given = given.iter().zip(0..).map(|(&(file, score, near, (test, does), lines), chunk)| Candidate {
                test,
                symbol: does.then_some(SymbolKind::Function),
                last_line: chunk + 1 + lines,
                ..candidate(chunk, file, score, near)
            });
            let pool = pool(given.collect());
            let best = |enabled: EnabledRules, file: u32| {
                let hits = ranked(&pool, enabled, 0).into_iter();
                hits.filter(|hit| pool.candidates[hit.candidate].file == file).map(|hit| hit.score).fold(0.0, f32::max)
            };
            let off = WITHIN_FILE.into_iter().fold(EnabledRules::ALL, EnabledRules::without);
            for file in 0..4 {
                let (on, off) = (best(EnabledRules::ALL, file), best(off, file));
                prop_assert!((on - off).abs() < 1e-3 * off.max(1.0), "{} {}", on, off);
            }
        }

        /// A chunk is a hit or listed beside one of its file, never both.
        #[test]
        fn no_chunk_is_listed_twice(
            given in prop::collection::vec((0_u32..4, 0.0_f32..9.0, 0.0_f32..1.0, 0_i64..6), 1..30),
            also in 0_usize..5,
            most in 1_usize..8,
        ) {
            let given = given.iter().zip(0..).map(|(&(file, score, near, owner), chunk)| Candidate {
                owner: Some(owner),
                ..candidate(chunk, file, score, near)
            });
            let pool = pool(given.collect());
            let everything = ranked(&pool, EnabledRules::ALL, also);
            let limits = ResultLimits { hits: most, also };
            let hits = rank(&analyse("some question"), &pool, &Weights::default(), EnabledRules::ALL, limits);
            let listed = |hits: &[RankedChunk]| -> Vec<usize> {
                let both = |hit: &RankedChunk| [&[hit.candidate][..], &hit.also].concat();
                let mut listed: Vec<usize> = hits.iter().flat_map(both).collect();
                listed.sort_unstable();
                listed
            };
            prop_assert_eq!(listed(&everything), (0..pool.candidates.len()).collect::<Vec<_>>());
            let mut some = listed(&hits);
            some.dedup();
            prop_assert_eq!(some, listed(&hits));
            let order = |hits: &[RankedChunk]| hits.iter().map(|hit| hit.candidate).collect::<Vec<_>>();
            prop_assert!(order(&everything).starts_with(&order(&hits)), "a smaller limit gives the same first hits");
            for hit in &hits {
                let file = |at: usize| pool.candidates[at].file;
                prop_assert!(hit.also.len() <= also && hit.also.iter().all(|&at| file(at) == file(hit.candidate)));
            }
        }

        /// Every candidate is ranked once, and the parts of a score give the score.
        #[test]
        fn scores_equal_their_parts(
            given in prop::collection::vec((0_u32..6, 0.0_f32..9.0, -0.2_f32..1.0), 1..40),
        ) {
            let given = given.iter().zip(0..).map(|(&(file, score, near), chunk)| candidate(chunk, file, score, near));
            let pool = pool(given.collect());
            let ranked = all(&pool);
            let mut seen = chunks(&pool, &ranked);
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
