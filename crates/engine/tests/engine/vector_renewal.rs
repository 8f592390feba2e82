//! Vectors of another model version: queries ignore them, and they are renewed in the background.

use crate::support::{Bench, dump, fresh, refresh, settle};
use orient_engine::{Cancel, Engine, NoProgress, Rule, SearchQuery, SearchResults};
use orient_model::RepoPath;
use orient_store::{Snapshot, WriteLock, Writer};

const FILES: &[(&str, &str)] = &[
    ("src/shop.py", "class Shop:\n    def sell(self, what):\n        return self.stock.take(what)\n"),
    (
        "src/door.py",
        "class Door:\n    def open(self):\n        \"\"\"Lets people in.\"\"\"\n        return True\n",
    ),
    ("notes.txt", "nothing\n"),
];

/// Makes the index look as if another model version had computed its vectors.
fn age(engine: &Engine) {
    let (index, directory) = (engine.store_paths().index(), &engine.store_paths().tree);
    let mut given = Vec::new();
    let snapshot = Snapshot::open(&index).expect("an index");
    let vectors = |row: &orient_store::FileRow| snapshot.vectors_of(row.id).expect("readable");
    let mut rows = Vec::new();
    snapshot.each_file(|row| rows.push(row)).expect("readable");
    for row in rows {
        if let (Some(hash), Some(vectors)) = (row.hash, vectors(&row)) {
            given.push((row.id, hash, vec![0x35; vectors.len()]));
        }
    }
    drop(snapshot);
    assert!(!given.is_empty());
    let lock = WriteLock::try_acquire(directory).expect("a lock").expect("nobody else has it");
    let mut writer = Writer::open(&index, &lock).expect("an index");
    writer.forget_vectors(1).expect("writable");
    writer.put_vectors(&given).expect("writable");
}

fn search(engine: &Engine) -> SearchResults {
    let query =
        SearchQuery { text: "where people are let in".to_owned(), limit: 5, ..SearchQuery::default() };
    engine.snapshot().expect("a snapshot").search(&query).expect("an answer")
}

fn by_meaning(found: &SearchResults) -> bool {
    found.hits.iter().any(|hit| hit.parts.iter().any(|part| part.rule == Rule::Semantic))
}

#[test]
fn search_ignores_outdated_vectors_until_they_are_renewed() {
    let bench = Bench::new(FILES);
    settle();
    let engine = bench.engine();
    refresh(&engine);
    let before = dump(&engine);
    assert!(by_meaning(&search(&engine)));
    age(&engine);
    assert_ne!(dump(&engine), before);

    let engine = bench.engine();
    let caught_up = refresh(&engine);
    assert_eq!((caught_up.rebuilt, caught_up.parsed), (None, 0), "nothing is indexed again");
    let found = search(&engine);
    let chunks = engine.snapshot().expect("a snapshot").status().expect("numbers").sizes.chunks;
    assert_eq!(found.hits[0].path, RepoPath::from("src/door.py"));
    assert_eq!(found.without_vector, chunks);
    assert!(!by_meaning(&found), "vectors of another model are ignored");

    assert!(engine.lacks_vectors().expect("readable"));
    assert_eq!(engine.renew_vectors(&Cancel::default(), &NoProgress).expect("writable"), chunks);
    assert!(!engine.lacks_vectors().expect("readable"));
    let found = search(&engine);
    assert_eq!(found.without_vector, 0);
    assert!(by_meaning(&found));
    assert_eq!(dump(&engine), before);
    assert_eq!(engine.renew_vectors(&Cancel::default(), &NoProgress).expect("writable"), 0);
}

#[test]
fn files_edited_during_renewal_are_embedded_at_once() {
    let bench = Bench::new(FILES);
    let engine = bench.engine();
    refresh(&engine);
    age(&engine);
    bench.put(
        "src/door.py",
        "class Door:\n    def close(self):\n        \"\"\"Keeps people out.\"\"\"\n        return False\n",
    );
    settle();
    assert_eq!(refresh(&engine).changed, 1);
    let found = search(&engine);
    assert!(by_meaning(&found), "the edited file has vectors of today");
    assert!(found.without_vector > 0, "the others have none");
    engine.renew_vectors(&Cancel::default(), &NoProgress).expect("writable");
    assert_eq!(search(&engine).without_vector, 0);

    assert_eq!(dump(&engine), fresh(&bench.root(), 1));
}

#[test]
fn a_cancelled_renewal_resumes_later() {
    let bench = Bench::new(FILES);
    let engine = bench.engine();
    refresh(&engine);
    let before = dump(&engine);
    age(&engine);
    let cancel = Cancel::default();
    cancel.cancel();
    engine.renew_vectors(&cancel, &NoProgress).expect_err("it was cancelled");
    assert!(engine.lacks_vectors().expect("readable"));
    engine.renew_vectors(&Cancel::default(), &NoProgress).expect("writable");
    assert_eq!(dump(&engine), before);
}
