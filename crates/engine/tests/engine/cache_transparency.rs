//! Caches are transparent: after any edits, an engine that has answered before answers like a new one.

use crate::support::edits::{PATHS, apply, path, step, text, write};
use crate::support::{open, refresh};
use orient_engine::{Engine, FileQuery, SearchQuery, Similarity};
use orient_model::Role;
use proptest::prelude::*;
use std::fs;

/// Some are misspelled.
const QUESTIONS: [&str; 7] =
    ["f", "go", "where help is called", "S1", "class that extends another", "delcared1", "hepl"];

/// Queries that cover all options.
fn queries() -> Vec<SearchQuery> {
    let ask =
        |text: &str| SearchQuery { text: text.to_owned(), limit: 20, also: 2, ..SearchQuery::default() };
    let mut all: Vec<SearchQuery> = QUESTIONS.iter().map(|text| ask(text)).collect();
    all.push(SearchQuery { languages: vec!["rust".to_owned(), "go".to_owned()], ..ask("go") });
    all.push(SearchQuery { roles: vec![Role::Test, Role::Vendored], ..ask("help is called") });
    all.push(SearchQuery { symbols_only: true, ..ask("f") });
    all.push(SearchQuery { without_vectors: true, ..ask("where help is called") });
    all
}

/// The hits, with their explanations.
fn answers(engine: &Engine) -> Vec<String> {
    let snapshot = || engine.snapshot().expect("a snapshot");
    let ask = |query: &SearchQuery| format!("{:#?}", snapshot().search(query).expect("an answer"));
    let mut answers: Vec<String> = queries().iter().map(ask).collect();
    let files = snapshot().files(&FileQuery::default(), 0, 3).expect("files").rows;
    for file in files {
        answers.push(format!(
            "{:#?}",
            snapshot().similar(&file, 1, Similarity::Meaning, 10).expect("an answer")
        ));
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 100, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn a_used_engine_answers_like_a_new_one(
        start in prop::collection::vec((0..PATHS, 0..20_usize), 0..20),
        steps in prop::collection::vec(prop::collection::vec(step(), 1..4), 1..10),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let (root, store) = (directory.path().join("tree"), directory.path().join("store"));
        fs::create_dir(&root).expect("the tree");
        for (p, t) in start {
            write(&root, &path(p), text(&path(p), t));
        }
        let engine = open(&root, &store, 2);
        refresh(&engine);
        answers(&engine);
        for (number, steps) in steps.iter().enumerate() {
            for step in steps {
                apply(&root, step);
            }
            // Sometimes another engine refreshes, and sometimes there is no query between two steps.
            if number % 5 == 4 {
                refresh(&open(&root, &store, 1));
            } else {
                refresh(&engine);
            }
            if number % 3 != 2 {
                let other = open(&root, &store, 2);
                // The first query reads vectors on the way; later ones use the cache.
                answers(&other);
                prop_assert_eq!(answers(&engine), answers(&other));
            }
        }
    }
}
