//! What an engine keeps between questions never shows: after any edits it answers as one that reads everything anew.

mod support;

use orient_engine::{Engine, SearchQuery};
use proptest::prelude::*;
use std::fs;
use support::edits::{PATHS, apply, path, step, text, write};
use support::{open, refresh};

const QUESTIONS: [&str; 5] = ["f", "go", "where help is called", "S1", "class that extends another"];

/// What is found, and why.
fn answers(engine: &Engine) -> Vec<String> {
    let ask = |text: &&str| {
        let query = SearchQuery { text: (*text).to_owned(), limit: 20, ..SearchQuery::default() };
        format!("{:#?}", engine.snapshot().expect("a snapshot").search(&query).expect("an answer"))
    };
    QUESTIONS.iter().map(ask).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 100, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn an_engine_that_has_answered_answers_as_a_new_one(
        start in prop::collection::vec((0..PATHS, 0..20_usize), 0..20),
        steps in prop::collection::vec(step(), 1..10),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, store) = (folder.path().join("tree"), folder.path().join("store"));
        fs::create_dir(&root).expect("the tree");
        for (p, t) in start {
            write(&root, &path(p), text(&path(p), t));
        }
        let engine = open(&root, &store, 2);
        refresh(&engine);
        answers(&engine);
        for (number, step) in steps.iter().enumerate() {
            apply(&root, step);
            // Now and then somebody else catches up, and now and then nobody asks between two steps.
            if number % 5 == 4 {
                refresh(&open(&root, &store, 1));
            } else {
                refresh(&engine);
            }
            if number % 3 != 2 {
                let other = open(&root, &store, 2);
                // The first question is answered from what is read on the way; later ones from what is kept.
                answers(&other);
                prop_assert_eq!(answers(&engine), answers(&other));
            }
        }
    }
}
