//! Questions in other languages: the same questions in every language, each compared with English.

use super::confidence_interval::mean;
use super::measure::ScoredQuestion;
use super::question_set::{self, Question, Spot};
use super::score::{Hit, PLACES, places_within, score};
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The directory of the questions: a file for each language, with the same questions in the same order.
const DIRECTORY: &str = "evals/questions-translated";
/// The language that the others are compared with.
const ENGLISH: &str = "en";

/// The questions of all languages; `split` is the language.
pub(super) fn questions() -> Result<Vec<Question>> {
    let directory = workspace::root().join(DIRECTORY);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&directory).with_context(|| format!("reading {DIRECTORY}"))? {
        let path = entry?.path();
        let Some(language) = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else {
            continue;
        };
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            let questions = question_set::questions(&path)?;
            all.extend(
                questions.into_iter().map(|question| Question { split: language.clone(), ..question }),
            );
        }
    }
    all.sort_by(|a, b| a.split.cmp(&b.split));
    if !all.iter().any(|question| question.split == ENGLISH) {
        bail!("{DIRECTORY} has no questions in English");
    }
    Ok(all)
}

/// The results by language, as a Markdown table.
pub(super) fn table(asked: &[ScoredQuestion]) -> String {
    let mut languages: BTreeMap<&str, Vec<&ScoredQuestion>> = BTreeMap::new();
    for question in asked {
        languages.entry(&question.question.split).or_default().push(question);
    }
    let figures = |asked: &[&ScoredQuestion]| {
        let of = |value: &dyn Fn(&ScoredQuestion) -> f64| {
            mean(&asked.iter().map(|question| value(question)).collect::<Vec<_>>()).value
        };
        [
            of(&|question| question.score.ndcg),
            of(&files_ndcg),
            of(&|question| question.files),
            of(&|question| question.score.success),
            of(&|question| f64::from(u8::from(!question.confident))),
        ]
    };
    let english = languages.get(ENGLISH).map(|asked| figures(asked)).unwrap_or_default();
    let mut table = String::from(
        "| language | questions | lines NDCG@10 | of English | files NDCG@10 | of English | files@10 | success@1 | declined wrongly |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (language, asked) in &languages {
        let [lines, files, share, success, declined] = figures(asked);
        let _ = writeln!(
            table,
            "| {language} | {} | {lines:.3} | {:.0} % | {files:.3} | {:.0} % | {share:.3} | {success:.3} | {declined:.3} |",
            asked.len(),
            100.0 * lines / english[0],
            100.0 * files / english[1],
        );
    }
    table
}

/// NDCG by file: every file counts once, ranked by its best hit.
fn files_ndcg(asked: &ScoredQuestion) -> f64 {
    let mut expected = BTreeSet::new();
    let relevant = asked.question.relevant.iter().filter(|spot| expected.insert(spot.path.as_str()));
    let spots: Vec<Spot> =
        relevant.map(|spot| Spot { start_line: None, end_line: None, ..spot.clone() }).collect();
    let mut seen = BTreeSet::new();
    let by_file: Vec<Hit> = asked.hits.iter().filter(|hit| seen.insert(hit.path.as_str())).cloned().collect();
    score(&places_within(&by_file, &spots, PLACES)).ndcg
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_engine::analyse;

    #[test]
    fn no_english_question_is_translated() {
        let own = question_set::questions(&workspace::root().join(super::super::OWN_QUESTIONS))
            .expect("our own questions");
        for question in own {
            let analysis = analyse(&question.query);
            assert_eq!(analysis.translation, None, "{}", question.query);
            assert!(analysis.terms.iter().all(|term| !term.optional), "{}", question.query);
        }
    }

    #[test]
    fn translated_questions_are_recognised_and_have_the_answers_of_the_original() {
        let all = questions().expect("translated questions");
        let of =
            |language: &str| all.iter().filter(|question| question.split == language).collect::<Vec<_>>();
        let english = of(ENGLISH);
        for (language, name) in
            [("de", "German"), ("es", "Spanish"), ("ja", "Japanese"), ("ru", "Russian"), ("zh", "Chinese")]
        {
            let questions = of(language);
            assert_eq!(questions.len(), english.len());
            for (question, original) in questions.iter().zip(&english) {
                let paths = |question: &Question| {
                    question.relevant.iter().map(|spot| spot.path.clone()).collect::<Vec<_>>()
                };
                assert_eq!((&question.repo, paths(question)), (&original.repo, paths(original)));
                let translation = analyse(&question.query).translation;
                let found = translation.map_or(name, |translation| translation.language.as_str());
                assert_eq!(found, name, "{}", question.query);
            }
            // A few words without a function word or a letter of its own may be taken for English.
            let is_translated = |question: &&&Question| analyse(&question.query).translation.is_some();
            assert!(questions.iter().filter(is_translated).count() * 10 >= questions.len() * 9, "{name}");
        }
    }
}
