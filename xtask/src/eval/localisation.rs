//! Localisation: from the full text of a report, and from its title alone, to the files and lines that the fix changed.
//!
//! Each question has a tree of its own, the parent of the fix. The indexes are kept beside the trees, so that a second run only
//! searches.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]
#![expect(clippy::print_stderr, reason = "a subcommand prints to the terminal")]

use super::Eval;
use super::confidence_interval::{mean, percentile};
use super::question_set::{self, Question, Spot};
use super::score::{Hit, PLACES, covers, places_within, score};
use super::searcher::{Product, Provider, SearchAnswer, Searcher};
use crate::report;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// The hits requested.
const LIMIT: usize = 20;
/// The token budget of a collection.
const BUDGET: usize = 4000;

/// How well one text finds one fix.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Localised {
    files_ndcg: f64,
    success_1: f64,
    success_5: f64,
    recall_20: f64,
    precision_5: f64,
    lines_ndcg: f64,
    /// If a hit also covers the places listed beside it.
    lines_recall_20: f64,
    time: Duration,
}

/// A question, asked with its full text and with its title.
#[derive(Serialize)]
struct Pair {
    repo: String,
    language: String,
    words: usize,
    kinds: Vec<&'static str>,
    full: Localised,
    title: Localised,
    /// The share of the changed passages that a collection for the full text contains.
    collected: f64,
}

/// Runs the set and prints the results.
pub(super) fn run(directory: &Path, eval: &Eval) -> Result<()> {
    let mut questions = question_set::questions(&directory.join("questions.jsonl"))?;
    questions.retain(|question| eval.split.as_ref().is_none_or(|split| question.split == *split));
    let is_wanted = |question: &Question| {
        eval.only.is_empty() || eval.only.iter().any(|name| question.repo.contains(name.as_str()))
    };
    questions.retain(is_wanted);
    if questions.is_empty() {
        bail!("no question matches");
    }
    let product = Product::find()?;
    let mut pairs = Vec::with_capacity(questions.len());
    for (at, question) in questions.iter().enumerate() {
        if at.is_multiple_of(50) {
            eprintln!("{at} of {}", questions.len());
        }
        let tree = directory.join("trees").join(&question.repo);
        let searcher = product
            .open(&tree, &directory.join("store"))
            .with_context(|| format!("preparing {}", question.repo))?;
        pairs.push(Pair::ask(&*searcher, question, eval)?);
    }
    if let Some(file) = &eval.run_file {
        let mut out = Vec::new();
        for pair in &pairs {
            serde_json::to_writer(&mut out, pair)?;
            writeln!(out)?;
        }
        std::fs::write(file, out).with_context(|| format!("writing {}", file.display()))?;
    }
    if eval.each {
        each(&pairs);
    }
    print(&pairs, eval.context);
    Ok(())
}

impl Pair {
    fn ask(searcher: &dyn Searcher, question: &Question, eval: &Eval) -> Result<Self> {
        // The first query of a process reads the index.
        searcher.search(&question.title, 1, &eval.without)?;
        let asked = |text: &str| -> Result<Localised> {
            Ok(Localised::new(&searcher.search(text, LIMIT, &eval.without)?, &question.relevant))
        };
        let (full, title) = (asked(&question.query)?, asked(&question.title)?);
        let collected = if eval.context {
            let hits = searcher.collect(&question.query, BUDGET)?;
            let found = |spot: &&Spot| hits.iter().any(|hit| covers(hit, spot));
            share(question.relevant.iter().filter(found).count(), question.relevant.len())
        } else {
            0.0
        };
        Ok(Self {
            repo: question.repo.clone(),
            language: question.language.clone(),
            words: question.query.split_whitespace().count(),
            kinds: kinds(&question.query),
            full,
            title,
            collected,
        })
    }
}

impl Localised {
    fn new(answer: &SearchAnswer, spots: &[Spot]) -> Self {
        let files: BTreeSet<&str> = spots.iter().map(|spot| spot.path.as_str()).collect();
        let whole = |path: &&str| Spot { start_line: None, end_line: None, ..spot_in(spots, path) };
        let file_spots: Vec<Spot> = files.iter().map(whole).collect();
        // Files are ranked by their best hit.
        let mut seen = BTreeSet::new();
        let by_file: Vec<Hit> =
            answer.hits.iter().filter(|hit| seen.insert(hit.path.clone())).cloned().collect();
        let ranks = places_within(&by_file, &file_spots, PLACES);
        let first = ranks.iter().flatten().min().copied();
        let within = |count: usize| first.is_some_and(|rank| rank <= count);
        let in_20 = places_within(&by_file, &file_spots, LIMIT).iter().flatten().count();
        let in_5 = by_file.iter().take(5).filter(|hit| files.contains(hit.path.as_str())).count();
        let reached = spots.iter().filter(|spot| answer.hits.iter().any(|hit| names(hit, spot))).count();
        Self {
            files_ndcg: score(&ranks).ndcg,
            success_1: f64::from(u8::from(within(1))),
            success_5: f64::from(u8::from(within(5))),
            recall_20: share(in_20, files.len()),
            precision_5: share(in_5, 5),
            lines_ndcg: score(&places_within(&answer.hits, spots, PLACES)).ndcg,
            lines_recall_20: share(reached, spots.len()),
            time: answer.time,
        }
    }
}

fn spot_in(spots: &[Spot], path: &str) -> Spot {
    spots.iter().find(|spot| spot.path == path).cloned().unwrap_or_else(|| spots[0].clone())
}

/// Whether a hit or a place beside it covers a passage.
fn names(hit: &Hit, spot: &Spot) -> bool {
    let beside = |&(start, end): &(u32, u32)| Hit {
        path: hit.path.clone(),
        start_line: Some(start),
        end_line: Some(end),
        also: Vec::new(),
    };
    covers(hit, spot) || hit.also.iter().map(beside).any(|place| covers(&place, spot))
}

#[expect(clippy::cast_precision_loss, reason = "places and spots are few")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

/// What a text contains beside prose.
fn kinds(text: &str) -> Vec<&'static str> {
    let lines = || text.lines();
    let is_indented = |line: &str| line.starts_with("    ") || line.starts_with('\t');
    let has_code = text.contains("```") || lines().filter(|line| is_indented(line)).count() >= 2;
    let is_path = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains('/') && word.rsplit('/').next().is_some_and(|name| name.contains('.'))
    };
    let mut kinds = Vec::new();
    if has_code {
        kinds.push("code block");
    }
    if text.contains('`') && !text.contains("```") {
        kinds.push("inline code");
    }
    if text.contains('"') {
        kinds.push("quotes");
    }
    if text.split_whitespace().any(is_path) {
        kinds.push("paths");
    }
    if kinds.is_empty() {
        kinds.push("prose only");
    }
    kinds
}

fn print(pairs: &[Pair], context: bool) {
    let mut groups: BTreeMap<(u8, String), Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        let length = match pair.words {
            0..=80 => "0 to 80 words",
            81..=140 => "81 to 140 words",
            141..=240 => "141 to 240 words",
            _ => "241 words and more",
        };
        let lengths = ["0 to 80 words", "81 to 140 words", "141 to 240 words", "241 words and more"];
        let rank = 1 + lengths.iter().position(|one| *one == length).unwrap_or(0) as u8;
        groups.entry((0, "all".to_owned())).or_default().push(pair);
        groups.entry((rank, length.to_owned())).or_default().push(pair);
        for kind in &pair.kinds {
            groups.entry((10, (*kind).to_owned())).or_default().push(pair);
        }
        groups.entry((20, pair.language.clone())).or_default().push(pair);
    }
    let rows: Vec<Vec<String>> = groups.iter().map(|((_, name), pairs)| row(name, pairs, context)).collect();
    let heading = [
        "",
        "texts",
        "files NDCG@10",
        "by title",
        "difference",
        "95 of 100",
        "success@1",
        "success@5",
        "recall@20",
        "precision@5",
        "lines NDCG@10",
        "by title",
        "lines recall@20",
        "context",
    ];
    report::table(&heading, &rows);
    let time = |of: fn(&Pair) -> Duration| {
        let times: Vec<Duration> = pairs.iter().map(of).collect();
        [50, 95]
            .map(|percent| format!("{:.1}", percentile(&times, percent).as_secs_f64() * 1000.0))
            .join(", ")
    };
    println!(
        "\nlatency in ms, p50 and p95: {} for the full text, {} for the title",
        time(|pair| pair.full.time),
        time(|pair| pair.title.time)
    );
}

fn row(name: &str, pairs: &[&Pair], context: bool) -> Vec<String> {
    let of = |value: fn(&Pair) -> f64| mean(&pairs.iter().map(|pair| value(pair)).collect::<Vec<_>>());
    let plain = |value: fn(&Pair) -> f64| format!("{:.3}", of(value).value);
    let change = of(|pair| pair.full.files_ndcg - pair.title.files_ndcg);
    vec![
        name.to_owned(),
        pairs.len().to_string(),
        plain(|pair| pair.full.files_ndcg),
        plain(|pair| pair.title.files_ndcg),
        format!("{:+.3}", change.value),
        format!("{:+.3} to {:+.3}", change.low, change.high),
        plain(|pair| pair.full.success_1),
        plain(|pair| pair.full.success_5),
        plain(|pair| pair.full.recall_20),
        plain(|pair| pair.full.precision_5),
        plain(|pair| pair.full.lines_ndcg),
        plain(|pair| pair.title.lines_ndcg),
        plain(|pair| pair.full.lines_recall_20),
        if context { plain(|pair| pair.collected) } else { "-".to_owned() },
    ]
}

/// Prints the questions whose full text loses most against the title, worst first.
fn each(pairs: &[Pair]) {
    let mut sorted: Vec<&Pair> = pairs.iter().collect();
    let change = |pair: &Pair| pair.full.files_ndcg - pair.title.files_ndcg;
    sorted.sort_by(|a, b| change(a).total_cmp(&change(b)));
    for pair in sorted {
        let Pair { repo, words, full, title, .. } = pair;
        println!(
            "{:+.3}  {:.3} {:.3}  {repo}  {words} words",
            change(pair),
            full.files_ndcg,
            title.files_ndcg
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::question_set::Grade;
    use super::*;

    fn hit(path: &str, lines: (u32, u32)) -> Hit {
        Hit { path: path.to_owned(), start_line: Some(lines.0), end_line: Some(lines.1), also: Vec::new() }
    }

    fn spot(path: &str, lines: (u32, u32)) -> Spot {
        Spot {
            path: path.to_owned(),
            start_line: Some(lines.0),
            end_line: Some(lines.1),
            grade: Grade::Primary,
        }
    }

    #[test]
    fn files_and_lines_are_scored_separately() {
        let hits = vec![hit("a", (1, 9)), hit("a", (50, 60)), hit("b", (1, 5))];
        let answer = SearchAnswer { hits, confident: true, ..SearchAnswer::default() };
        let found = Localised::new(&answer, &[spot("a", (55, 56)), spot("b", (90, 99))]);
        assert!((found.files_ndcg - 1.0).abs() < 1e-9, "both files, whatever the lines: {found:?}");
        assert!((found.precision_5 - 0.4).abs() < 1e-9, "two of five: {found:?}");
        assert!(
            found.lines_ndcg > 0.3 && found.lines_ndcg < 0.5,
            "one passage, at the second hit: {found:?}"
        );
        assert!((found.lines_recall_20 - 0.5).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn the_kinds_of_a_text_are_recognised() {
        assert_eq!(kinds("It crashes.\n```\nrun()\n```\nin src/net/server.go"), ["code block", "paths"]);
        assert_eq!(kinds("`run` prints \"no\""), ["inline code", "quotes"]);
        assert_eq!(kinds("it is slow"), ["prose only"]);
    }
}
