//! Trigrams in the index: whatever is edited, exactly those files are left out whose text of now has not what is asked.

use crate::support::{Place, file, put, remove, skipped};
use orient_store::{Change, Snapshot};
use orient_text::{PatternSyntax, TrigramQuery, required_trigrams};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn asks(pattern: &str) -> TrigramQuery {
    required_trigrams([pattern], PatternSyntax { literal: true, ignore_case: false, unicode: true })
}

/// The paths a search for a string must look at, by what the index says.
fn searched(snapshot: &Snapshot, word: &str) -> Vec<String> {
    let excluded_files = snapshot.excluded_files(&asks(word)).expect("readable");
    let mut paths = Vec::new();
    snapshot
        .each_file(|file| {
            if !excluded_files.contains(file.id) {
                paths.push(file.path.display().into_owned());
            }
        })
        .expect("readable");
    paths
}

#[test]
fn files_without_the_trigrams_are_left_out() {
    let place = Place::with(&[("a.x", "function alpha"), ("b.x", "function beta"), ("c.x", "")]);
    let snapshot = place.open();
    assert_eq!(searched(&snapshot, "alpha"), ["a.x"]);
    assert_eq!(searched(&snapshot, "function"), ["a.x", "b.x"]);
    assert_eq!(searched(&snapshot, "fu"), ["a.x", "b.x", "c.x"], "too short to tell");
}

#[test]
fn a_file_that_was_not_read_is_never_left_out() {
    let place = Place::with(&[("a.x", "function alpha")]);
    place.apply([Change::Put(Box::new(skipped("large.x", 1, "3/2")))]);
    assert_eq!(searched(&place.open(), "nowhere"), ["large.x"]);
    place.apply([Change::Put(Box::new(skipped("a.x", 2, "")))]);
    assert_eq!(searched(&place.open(), "nowhere"), ["a.x", "large.x"]);
}

#[test]
fn an_edit_takes_old_trigrams_away() {
    let place = Place::with(&[("a.x", "function alpha"), ("b.x", "function beta")]);
    place.apply([put("a.x", "function gamma")]);
    assert_eq!(searched(&place.open(), "alpha"), [""; 0]);
    assert_eq!(searched(&place.open(), "gamma"), ["a.x"]);
    place.apply([remove("a.x"), put("z.x", "function gamma")]);
    assert_eq!(searched(&place.open(), "gamma"), ["z.x"], "renamed");
    place.apply([remove("z.x")]);
    assert_eq!(searched(&place.open(), "gamma"), [""; 0]);
}

/// Many files, so that recent ones become segments and segments are merged.
#[test]
fn many_change_sets_leave_no_trace() {
    let place = Place::new();
    place.load((0..700).map(|n| file(&format!("f{n}.x"), &format!("function word{n}"))));
    let mut now: BTreeMap<String, String> = BTreeMap::new();
    for n in 0..700 {
        now.insert(format!("f{n}.x"), format!("function word{n}"));
    }
    for round in 0..12 {
        let texts =
            (0..300).map(|n| (format!("f{}.x", (n * 7 + round) % 900), format!("type round{round}n{n}")));
        let changes: Vec<Change> = texts
            .map(|(path, text)| {
                now.insert(path.clone(), text.clone());
                put(&path, &text)
            })
            .collect();
        place.apply(changes);
    }
    let snapshot = place.open();
    for word in ["function", "round11", "round3n1", "word69", "type"] {
        let mut holders: Vec<&str> =
            now.iter().filter(|(_, text)| text.contains(word)).map(|(path, _)| path.as_str()).collect();
        holders.sort_unstable();
        let searched = searched(&snapshot, word);
        assert!(holders.iter().all(|path| searched.iter().any(|found| found == path)), "{word}");
        assert!(searched.len() <= holders.len() + 40, "{word}: {} for {}", searched.len(), holders.len());
    }
    assert_eq!(snapshot.check().expect("readable"), [""; 0]);
}

#[derive(Clone, Debug)]
enum Edit {
    Put(u8, String),
    Remove(u8),
    Skip(u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    let text =
        prop::collection::vec(prop::sample::select(&["abc", "bcd", "cde", "dea", "  ", "\n"][..]), 0..5);
    prop_oneof![
        5 => (0..12_u8, text).prop_map(|(path, text)| Edit::Put(path, text.concat())),
        2 => (0..12_u8).prop_map(Edit::Remove),
        1 => (0..12_u8).prop_map(Edit::Skip),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn edits_in_any_order_equal_a_new_index(sets in prop::collection::vec(prop::collection::vec(edit(), 1..6), 1..6)) {
        let edited = Place::with(&[]);
        let mut now: BTreeMap<String, Option<String>> = BTreeMap::new();
        for set in sets {
            let mut changes: BTreeMap<String, Change> = BTreeMap::new();
            for edit in set {
                let (Edit::Put(n, _) | Edit::Remove(n) | Edit::Skip(n)) = edit;
                let path = format!("{n}.x");
                match edit {
                    Edit::Put(_, text) => {
                        changes.insert(path.clone(), put(&path, &text));
                        now.insert(path, Some(text));
                    }
                    Edit::Remove(_) => {
                        changes.insert(path.clone(), remove(&path));
                        now.remove(&path);
                    }
                    Edit::Skip(_) => {
                        changes.insert(path.clone(), Change::Put(Box::new(skipped(&path, 2, ""))));
                        now.insert(path, None);
                    }
                }
            }
            edited.apply(changes.into_values());
        }
        let built = Place::new();
        built.load(now.iter().map(|(path, text)| match text {
            Some(text) => file(path, text),
            None => skipped(path, 2, ""),
        }));
        for word in ["abc", "cded", "bcdea", "eab", "zzz"] {
            prop_assert_eq!(searched(&edited.open(), word), searched(&built.open(), word), "{}", word);
        }
    }
}
