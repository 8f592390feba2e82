//! Runs every question of a set and scores the answers.

use super::question_set::{NEGATIVE, Question, Set};
use super::reading_cost;
use super::score::{Hit, PLACES, Score, places, places_named, score};
use super::searcher::{Provider, SearchAnswer, Searcher};
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// The token budget of a reader with little room. Also the minimum cost of an answer without a relevant hit, because
/// the reader has to look elsewhere: an empty answer must not count as a short one.
const ROOM: usize = 500;

/// A question and its scores.
#[derive(Clone, Debug)]
pub(super) struct ScoredQuestion {
    pub(super) question: Question,
    pub(super) hits: Vec<Hit>,
    pub(super) confident: bool,
    pub(super) score: Score,
    /// The same if a hit also covers the places listed beside it.
    pub(super) named: Score,
    /// The share of the expected locations whose file has a hit, whatever its lines.
    pub(super) files: f64,
    /// Tokens up to the end of the first relevant hit, if there is one.
    pub(super) tokens: Option<usize>,
    /// All tokens, if there is none.
    pub(super) in_vain: usize,
    /// The share of the expected locations that are covered within the token budget.
    pub(super) recall_in_room: f64,
    /// The same if a hit also covers the places listed beside it.
    pub(super) named_in_room: f64,
    pub(super) time: Duration,
}

impl ScoredQuestion {
    pub(super) fn is_negative(&self) -> bool {
        self.question.category == NEGATIVE
    }

    #[expect(clippy::cast_precision_loss, reason = "spots are few")]
    fn new(question: &Question, found: SearchAnswer) -> Self {
        let places = places(&found.hits, &question.relevant);
        let read: Vec<usize> = found.read.iter().take(PLACES).copied().map(reading_cost::tokens).collect();
        let at = |place: usize| read.get(place - 1).copied().unwrap_or_default();
        let all = read.iter().max().copied().unwrap_or_default();
        let has_hit = |path: &str| found.hits.iter().take(PLACES).any(|hit| hit.path == path);
        let in_files = question.relevant.iter().filter(|spot| has_hit(&spot.path)).count();
        let named = places_named(&found.hits, &question.relevant);
        let in_room = |places: &[Option<usize>]| {
            let within = places.iter().flatten().filter(|&&place| at(place) <= ROOM).count();
            within as f64 / places.len().max(1) as f64
        };
        Self {
            question: question.clone(),
            score: score(&places),
            named: score(&named),
            files: in_files as f64 / places.len().max(1) as f64,
            tokens: places.iter().flatten().map(|&place| at(place)).min(),
            in_vain: all.max(ROOM),
            recall_in_room: in_room(&places),
            named_in_room: in_room(&named),
            hits: found.hits,
            confident: found.confident,
            time: found.time,
        }
    }
}

/// The results of a set, with one part of the search disabled or none.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) without: Option<String>,
    pub(super) asked: Vec<ScoredQuestion>,
}

/// Runs all questions. Each repository is prepared once; with `ablate`, runs again with each part disabled.
pub(super) fn measure(
    set: &Set,
    provider: &dyn Provider,
    without: &[String],
    ablate: bool,
    store: &Path,
    mut tell: impl FnMut(&str),
) -> Result<Vec<Run>> {
    let parts = if ablate { provider.parts() } else { Vec::new() };
    let mut runs: Vec<Run> = std::iter::once(None)
        .chain(parts.into_iter().map(Some))
        .map(|without| Run { without, asked: Vec::new() })
        .collect();
    for (repository, questions) in set.by_repository()? {
        tell(&repository.repo);
        let tree = set.directory.join(&repository.repo).join(&repository.root);
        let searcher = provider
            .open(&tree, &store.join(&repository.repo))
            .with_context(|| format!("preparing {}", repository.repo))?;
        for run in &mut runs {
            let without: Vec<String> = without.iter().cloned().chain(run.without.clone()).collect();
            for question in &questions {
                let found = ask(&*searcher, question, &repository.root, &without)?;
                run.asked.push(ScoredQuestion::new(question, found));
            }
        }
    }
    Ok(runs)
}

/// Runs one question. Paths are relative to the repository, even if only a part of it is indexed.
fn ask(searcher: &dyn Searcher, question: &Question, root: &str, without: &[String]) -> Result<SearchAnswer> {
    let mut found = searcher
        .search(&question.query, PLACES, without)
        .with_context(|| format!("running {}: {}", question.repo, question.query))?;
    for hit in &mut found.hits {
        let path = hit.path.replace('\\', "/");
        let path = path.strip_prefix("./").unwrap_or(&path);
        let root = root.trim_end_matches('/');
        hit.path = if root.is_empty() { path.to_owned() } else { format!("{root}/{path}") };
    }
    Ok(found)
}

/// Writes the hits as JSON lines for other scorers.
pub(super) fn write_run_file(run: &Run, file: &Path) -> Result<()> {
    #[derive(Serialize)]
    struct Row<'r> {
        repo: &'r str,
        query: &'r str,
        results: &'r [Hit],
    }
    let mut out = Vec::new();
    for asked in &run.asked {
        let row = Row { repo: &asked.question.repo, query: &asked.question.query, results: &asked.hits };
        serde_json::to_writer(&mut out, &row)?;
        writeln!(out)?;
    }
    std::fs::write(file, out).with_context(|| format!("writing {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::super::question_set::{Grade, Spot};
    use super::*;

    fn question(category: &str, paths: &[&str]) -> Question {
        let spot = |path: &&str| Spot {
            path: (*path).to_owned(),
            start_line: None,
            end_line: None,
            grade: Grade::Primary,
        };
        Question {
            repo: "r".to_owned(),
            language: "l".to_owned(),
            query: "q".to_owned(),
            category: category.to_owned(),
            relevant: paths.iter().map(spot).collect(),
            title: String::new(),
            split: String::new(),
        }
    }

    struct Fixed;

    impl Searcher for Fixed {
        fn search(&self, _: &str, _: usize, without: &[String]) -> Result<SearchAnswer> {
            let hit = |path: &str| Hit {
                path: path.to_owned(),
                start_line: Some(1),
                end_line: Some(2),
                also: Vec::new(),
            };
            let mut hits = vec![hit("./x.c"), hit("y.c")];
            if !without.is_empty() {
                hits.reverse();
            }
            Ok(SearchAnswer { hits, confident: true, read: vec![400, 4400], time: Duration::ZERO })
        }
    }

    impl Provider for Fixed {
        fn name(&self) -> &'static str {
            "fixed"
        }

        fn parts(&self) -> Vec<String> {
            vec!["order".to_owned()]
        }

        fn open(&self, _: &Path, _: &Path) -> Result<Box<dyn Searcher>> {
            Ok(Box::new(Self))
        }
    }

    #[test]
    fn tokens_are_those_up_to_the_first_that_helps() {
        let found = Fixed.search("q", 10, &[]).expect("always");
        let asked = ScoredQuestion::new(&question("exact", &["y.c"]), found.clone());
        assert_eq!((asked.tokens, asked.recall_in_room.to_bits()), (Some(1100), 0.0_f64.to_bits()));
        let asked = ScoredQuestion::new(&question("exact", &["./x.c", "y.c"]), found.clone());
        assert_eq!((asked.tokens, asked.recall_in_room.to_bits()), (Some(100), 0.5_f64.to_bits()));
        let asked = ScoredQuestion::new(&question("exact", &["z.c"]), found);
        assert_eq!((asked.tokens, asked.in_vain), (None, 1100), "all of it was read in vain");
        let asked = ScoredQuestion::new(&question("exact", &["z.c"]), SearchAnswer::default());
        assert_eq!((asked.tokens, asked.in_vain), (None, ROOM), "no answer is not a short answer");
    }

    #[test]
    fn a_part_left_out_is_a_run_of_its_own() {
        let repositories = serde_json::from_str(r#"[{ "repo": "r", "root": "src/" }]"#).expect("a list");
        let questions = vec![question("exact", &["src/x.c"])];
        let set = Set { questions, repositories, directory: "/nowhere".into() };
        let runs = measure(&set, &Fixed, &[], true, Path::new("/nowhere"), |_| ()).expect("two runs");
        let seen: Vec<(Option<&str>, bool)> =
            runs.iter().map(|run| (run.without.as_deref(), run.asked[0].score.success > 0.5)).collect();
        assert_eq!(seen, [(None, true), (Some("order"), false)]);
        assert_eq!(runs[0].asked[0].hits[0].path, "src/x.c");
    }
}
