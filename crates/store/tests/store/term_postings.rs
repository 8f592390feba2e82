//! Chunk terms and vectors in the index: whatever is edited, they are those of the texts of now.

use crate::support::{Place, file, put, remove};
use orient_store::{Change, ChunkPosting, Snapshot};
use orient_text::{ChunkTermsBuilder, Field, term_hash};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The paths of files with a term, by what the index says.
fn files_with(snapshot: &Snapshot, word: &str) -> Vec<String> {
    let catalogue = snapshot.catalogue().expect("readable");
    let mut files = Vec::new();
    snapshot
        .each_with_term(&catalogue, term_hash(word.as_bytes()), |posting| {
            assert_eq!(catalogue.file_of(posting.chunk), posting.file);
            files.push(catalogue.file(posting.file).file);
        })
        .expect("readable");
    let path = |id| snapshot.file_by_id(id).expect("readable").expect("a file").path.display().into_owned();
    let mut paths: Vec<String> = files.into_iter().map(path).collect();
    paths.sort();
    paths.dedup();
    paths
}

#[test]
fn files_are_found_by_the_terms_of_their_chunks() {
    let place = Place::with(&[("a.x", "function alpha"), ("b.x", "function beta"), ("c.x", "")]);
    let snapshot = place.open();
    assert_eq!(files_with(&snapshot, "alpha"), ["a.x"]);
    assert_eq!(files_with(&snapshot, "function"), ["a.x", "b.x"]);
    assert_eq!(files_with(&snapshot, "gamma"), [""; 0]);
    let mut vectors = BTreeMap::new();
    snapshot.each_vectors(|id, bytes| drop(vectors.insert(id, bytes.to_vec()))).expect("readable");
    assert_eq!(vectors.into_values().collect::<Vec<_>>(), [b"a.xf", b"b.xf"]);
}

#[test]
fn an_edit_takes_old_terms_and_vectors_away() {
    let place = Place::with(&[("a.x", "function alpha"), ("b.x", "function beta")]);
    place.apply([put("a.x", "function gamma")]);
    assert_eq!(files_with(&place.open(), "alpha"), [""; 0]);
    assert_eq!(files_with(&place.open(), "gamma"), ["a.x"]);
    place.apply([remove("a.x"), put("z.x", "function gamma")]);
    assert_eq!(files_with(&place.open(), "gamma"), ["z.x"], "renamed");
    let mut vectors = Vec::new();
    place.open().each_vectors(|_, bytes| vectors.push(bytes.to_vec())).expect("readable");
    assert!(vectors.contains(&b"z.xf".to_vec()) && !vectors.contains(&b"a.xf".to_vec()));
    place.apply([remove("z.x")]);
    assert_eq!(files_with(&place.open(), "gamma"), [""; 0]);
}

/// Many files, so that recent ones become segments and segments are merged.
#[test]
fn many_change_sets_leave_no_trace() {
    let place = Place::new();
    let mut now: BTreeMap<String, String> = BTreeMap::new();
    for n in 0..500 {
        now.insert(format!("f{n}.x"), format!("function word{n} common"));
    }
    place.load(now.iter().map(|(path, text)| file(path, text)));
    for round in 0..12 {
        let mut changes: Vec<Change> = Vec::new();
        for n in 0..200 {
            let (path, text) =
                (format!("f{}.x", (n * 7 + round) % 600), format!("function round{round} n{n}"));
            changes.push(put(&path, &text));
            now.insert(path, text);
        }
        place.apply(changes);
    }
    let snapshot = place.open();
    for word in ["function", "common", "round11", "round3", "word69", "n5"] {
        let holds = |text: &str| text.split(' ').any(|one| one == word);
        let expected: Vec<String> =
            now.iter().filter(|(_, text)| holds(text)).map(|(path, _)| path.clone()).collect();
        assert_eq!(files_with(&snapshot, word), expected, "{word}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_edits_give_what_a_new_index_has(
        edits in prop::collection::vec((0_usize..8, prop::option::of(0_usize..6)), 1..40),
    ) {
        let place = Place::with(&[("f0.x", "function start")]);
        let mut now = BTreeMap::from([("f0.x".to_owned(), "function start".to_owned())]);
        for (file, text) in edits {
            let path = format!("f{file}.x");
            if let Some(text) = text {
                let text = format!("function t{text} type u{}", text % 3);
                place.apply([put(&path, &text)]);
                now.insert(path, text);
            } else {
                place.apply([remove(&path)]);
                now.remove(&path);
            }
        }
        let snapshot = place.open();
        for word in ["t0", "t1", "t5", "u0", "u2", "function", "start"] {
            let holds = |text: &str| text.split(' ').any(|one| one == word);
            let expected: Vec<String> = now.iter().filter(|(_, text)| holds(text)).map(|(path, _)| path.clone()).collect();
            prop_assert_eq!(files_with(&snapshot, word), expected, "{}", word);
        }
    }
}

#[test]
fn marks_come_back() {
    let mut terms = ChunkTermsBuilder::default();
    terms.field(Field::Name, b"alpha");
    let length = terms.text(b"alpha alpha beta");
    terms.end(length);
    let place = Place::new();
    let mut put = file("a.x", "function alpha");
    put.terms = Some(terms.finish());
    place.load([put]);
    let snapshot = place.open();
    let catalogue = snapshot.catalogue().expect("readable");
    assert_eq!((catalogue.len(), catalogue.terms()), (1, 3));
    let mut marks = Vec::new();
    snapshot
        .each_with_term(&catalogue, term_hash(b"alpha"), |posting| {
            let ChunkPosting { chunk, length, occurrence, .. } = posting;
            marks.push((chunk, length, occurrence.frequency(), occurrence.is_in(Field::Name)));
        })
        .expect("readable");
    assert_eq!(marks, [(0, 3, 2, true)]);
}
