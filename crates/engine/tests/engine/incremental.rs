//! Incremental equals full: any sequence of edits, refreshed one by one, gives the same dump as a full build of the
//! result, on any number of threads.

use crate::support::edits::{PATHS, apply, assert_same, path, step, text, write};
use crate::support::{dump, facts_of, fresh, open, refresh, refresh_facts};
use orient_engine::Engine;
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn check(engine: &Engine, root: &Path) {
    let incremental = dump(engine);
    assert_same(&incremental, &fresh(root, 1), "a full build on one thread");
    assert_same(&incremental, &fresh(root, 4), "a full build on four threads");
    let faults = engine.snapshot().expect("a snapshot").check().expect("it can be checked");
    assert_eq!(faults, Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn incremental_refresh_equals_a_full_build(
        start in prop::collection::vec((0..PATHS, 0..20_usize), 0..20),
        steps in prop::collection::vec(step(), 1..14),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let (root, store) = (directory.path().join("tree"), directory.path().join("store"));
        fs::create_dir(&root).expect("the tree");
        for (p, t) in start {
            write(&root, &path(p), text(&path(p), t));
        }
        let engine = open(&root, &store, 3);
        refresh(&engine);
        for (number, step) in steps.iter().enumerate() {
            apply(&root, step);
            // Sometimes apply two steps before a refresh.
            if number % 4 != 3 {
                refresh(&engine);
            }
        }
        refresh(&engine);
        check(&engine, &root);
    }

    #[test]
    fn deferred_resolution_equals_a_full_build(
        start in prop::collection::vec((0..PATHS, 0..20_usize), 0..20),
        steps in prop::collection::vec((step(), any::<bool>()), 1..14),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let (root, store) = (directory.path().join("tree"), directory.path().join("store"));
        fs::create_dir(&root).expect("the tree");
        for (p, t) in start {
            write(&root, &path(p), text(&path(p), t));
        }
        let mut engine = open(&root, &store, 3);
        refresh(&engine);
        for (number, (step, whole)) in steps.iter().enumerate() {
            apply(&root, step);
            // Sometimes another process continues.
            if number % 3 == 2 {
                engine = open(&root, &store, 3);
            }
            if *whole {
                prop_assert_eq!(refresh(&engine).owed, 0);
            } else {
                refresh_facts(&engine);
                let (ours, rebuilt) = (facts_of(&dump(&engine)), facts_of(&fresh(&root, 2)));
                assert_same(&ours, &rebuilt, "what is in the files");
                let snapshot = engine.snapshot().expect("a snapshot");
                prop_assert_eq!(snapshot.check().expect("it can be checked"), Vec::<String>::new());
            }
        }
        refresh(&engine);
        check(&engine, &root);
    }
}

/// Few cases by default; set `PROPTEST_CASES` for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(32)
}
