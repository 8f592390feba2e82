//! Change sets: ids survive, and any series of them ends where a load of the result ends.
#![allow(clippy::unwrap_used, reason = "a test fails where it must not")]

use crate::support::{Place, file, listing, put, remove, skipped};
use orient_model::{RepoPath, Stamp};
use orient_store::{Change, ChangeSummary, ManifestEntry, NameMatch, Snapshot, SymbolQuery, Writer};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn symbols_keep_their_ids_while_code_moves_around_them() {
    let place = Place::with(&[("a.x", "class Server\n  method run\n  method stop\nfunction main")]);
    let before = ["Server", "run", "stop", "main"].map(|name| place.id(name));
    place.apply([put(
        "a.x",
        "note\nfunction early\nclass Server\n  field port\n  method stop\n  method run\nfunction main",
    )]);
    assert_eq!(["Server", "run", "stop", "main"].map(|name| place.id(name)), before);
    let run = place.open().symbol(before[1]).unwrap().unwrap();
    assert_eq!((run.first_line, run.at, run.parent), (6, 4, Some(before[0])));
}

#[test]
fn a_symbol_is_another_one_when_its_kind_container_or_name_changes() {
    let place = Place::with(&[("a.x", "class Server\n  method run\nfunction main\nfunction old")]);
    let before = ["run", "main", "old"].map(|name| place.id(name));
    place.apply([put("a.x", "class Server\nfunction run\nmacro main\nfunction new")]);
    let after = ["run", "main", "new"].map(|name| place.id(name));
    assert!(before.iter().zip(&after).all(|(before, after)| before < after), "ids are never given twice");
    assert!(before.iter().all(|&id| place.open().symbol(id).unwrap().is_none()));
}

#[test]
fn overloads_keep_their_ids_in_order() {
    let place = Place::with(&[("a.x", "function add\nfunction add")]);
    let ids = |place: &Place| {
        let snapshot = place.open();
        snapshot.symbol_ids(snapshot.file(&RepoPath::from("a.x")).unwrap().unwrap().id).unwrap()
    };
    let before = ids(&place);
    place.apply([put("a.x", "function add\nfunction between\nfunction add\nfunction add")]);
    let after = ids(&place);
    assert_eq!((after[0], after[2]), (before[0], before[1]));
}

#[test]
fn a_renamed_file_keeps_its_id_and_those_of_its_symbols() {
    let place = Place::with(&[("old/a.x", "class Server\n  method run"), ("old/b.x", "function other")]);
    let file_id = |path: &str| place.open().file(&RepoPath::from(path)).unwrap().map(|file| file.id);
    let (before, before_file) = (place.id("run"), file_id("old/a.x"));
    let done = place.apply([remove("old/a.x"), put("new/a.x", "class Server\n  method run")]);
    assert_eq!(done, ChangeSummary { generation: 2, renamed: 1, ..ChangeSummary::default() });
    assert_eq!((place.id("run"), file_id("new/a.x"), file_id("old/a.x")), (before, before_file, None));
}

#[test]
fn of_two_removed_files_with_that_content_the_one_of_the_same_name_was_renamed() {
    let text = "function same";
    let place = Place::with(&[("a/one.x", text), ("b/two.x", text)]);
    let two = place.open().file(&RepoPath::from("b/two.x")).unwrap().unwrap().id;
    let done = place.apply([remove("a/one.x"), remove("b/two.x"), put("c/two.x", text)]);
    assert_eq!((done.renamed, done.removed), (1, 1));
    assert_eq!(place.open().file(&RepoPath::from("c/two.x")).unwrap().unwrap().id, two);
}

#[test]
fn a_file_that_is_removed_and_put_again_was_changed() {
    let place = Place::with(&[("a.x", "function a")]);
    let before = place.id("a");
    let done = place.apply([remove("a.x"), remove("gone.x"), put("a.x", "function a\nfunction b")]);
    assert_eq!((done.changed, done.removed), (1, 0));
    assert_eq!(place.id("a"), before);
}

#[test]
fn names_nobody_bears_any_more_are_gone() {
    let place = Place::with(&[("a.x", "function lonely @app.route"), ("b.x", "function shared")]);
    place.apply([put("a.x", "function shared")]);
    assert_eq!(place.open().sizes().unwrap().names, 1);
    place.apply([remove("a.x"), remove("b.x")]);
    assert_eq!(place.open().sizes().unwrap().names, 0);
}

#[test]
fn a_new_stamp_is_all_that_a_touched_file_costs() {
    let place = Place::with(&[("a.x", "function a")]);
    let stamp = Stamp { size: 1, mtime_ns: -5, ctime_ns: 3, inode: u64::MAX };
    let done = place.apply([
        Change::Restamp(RepoPath::from("a.x"), stamp),
        Change::Restamp(RepoPath::from("not there"), stamp),
    ]);
    assert_eq!((done.generation, done.restamped), (1, 1), "readers see nothing new");
    assert_eq!((place.open().generation(), place.open().known().unwrap()[0].stamp), (1, stamp));
    let done = place.apply([Change::Restamp(RepoPath::from("a.x"), stamp), put("b.x", "function b")]);
    assert_eq!(done.generation, 2);
}

#[test]
fn a_file_may_lose_its_facts_and_get_them_back() {
    let place = Place::with(&[("a.x", "class A @test\n  method run")]);
    place.apply([Change::Put(Box::new(skipped("a.x", 3, "4 GiB, and the limit is 2 MiB")))]);
    let row = place.open().file(&RepoPath::from("a.x")).unwrap().unwrap();
    assert_eq!(
        (row.status, row.detail.as_deref(), row.symbols),
        (3, Some("4 GiB, and the limit is 2 MiB"), 0)
    );
    assert_eq!(place.open().outline(row.id).unwrap(), None);
    place.apply([put("a.x", "class A @test\n  method run")]);
    assert_eq!(
        listing(&place.open()),
        listing(&Place::with(&[("a.x", "class A @test\n  method run")]).open())
    );
}

#[test]
fn a_change_set_that_is_not_committed_leaves_no_trace() {
    let place = Place::with(&[("a.x", "function a")]);
    let before = listing(&place.open());
    let lock = place.lock();
    let mut writer = Writer::open(&place.path(), &lock).unwrap();
    let mut set = writer.begin().unwrap();
    set.push(&put("b.x", "function b")).unwrap();
    drop(set);
    assert_eq!((listing(&place.open()), writer.generation()), (before, 1));
    writer.apply([put("b.x", "function b")]).unwrap();
    assert_eq!(place.open().generation(), 2);
}

#[test]
fn what_is_in_files_may_be_shown_before_the_rest_of_a_change_set() {
    let place = Place::with(&[("a.x", "function kept\nfunction gone")]);
    let first = place.open().generation();
    let has = |names: &[&str]| {
        let listing = listing(&place.open());
        names.iter().map(|name| listing.contains(name)).collect::<Vec<_>>()
    };
    let lock = place.lock();
    let mut writer = Writer::open(&place.path(), &lock).unwrap();
    let mut set = writer.begin().unwrap();
    set.push(&put("a.x", "function kept\nfunction new")).unwrap();
    let shown = set.commit_facts(None::<fn(&[ManifestEntry]) -> Option<Vec<u8>>>).unwrap();
    assert_eq!((shown.changed, shown.generation), (1, first + 1));
    assert_eq!(has(&["kept", "new", "gone"]), [true, true, false], "what was committed is there for all");
    set.push(&put("b.x", "function gone")).unwrap();
    drop(set);
    assert_eq!(has(&["new", "gone"]), [true, false], "what came after it was not committed");
    let mut set = writer.begin().unwrap();
    set.push(&put("b.x", "function gone")).unwrap();
    assert_eq!(set.commit().unwrap().generation, first + 2, "a name that went may come back");
    assert_eq!(has(&["kept", "new", "gone"]), [true; 3]);
}

#[test]
fn a_reader_sees_its_generation_until_it_opens_another() {
    let place = Place::with(&[("a.x", "function a")]);
    let reader = place.open();
    let before = listing(&reader);
    place.apply([put("a.x", "function b"), put("c.x", "function c")]);
    assert_eq!((reader.generation(), listing(&reader)), (1, before.clone()));
    place.load([file("d.x", "function d")]);
    assert_eq!(
        (reader.generation(), listing(&reader)),
        (1, before),
        "a new file took the place of the old one"
    );
    assert_eq!(place.open().generation(), 3);
    assert_eq!(place.open().known().unwrap().len(), 1);
}

/// A few paths and a few texts, so that files meet again.
fn changes() -> impl Strategy<Value = Vec<Vec<(usize, Option<String>)>>> {
    let line = prop::sample::select(vec![
        "class A",
        "class B :Base",
        "  method run",
        "  method run @app.route",
        "  field x",
        "    function inner",
        "function A",
        "function f @test",
        "function f",
        "note",
        "",
        "constant X :Other :Base",
    ]);
    let text = prop::collection::vec(line, 0..7).prop_map(|lines| lines.join("\n"));
    let change = (0..6usize, prop::option::weighted(0.75, text));
    prop::collection::vec(prop::collection::vec(change, 0..6), 0..6)
}

/// Brings a tree and an index of it one set of changes further, as the engine would.
fn step(tree: &mut BTreeMap<String, String>, set: &[(usize, Option<String>)]) -> Vec<Change> {
    let before = tree.clone();
    for (path, text) in set {
        let path = format!("dir{}/f{}.{}", path % 2, path / 2, if *path < 3 { "x" } else { "y" });
        match text {
            Some(text) => drop(tree.insert(path, text.clone())),
            None => drop(tree.remove(&path)),
        }
    }
    let removed = before.keys().filter(|path| !tree.contains_key(*path)).map(|path| remove(path));
    let puts = tree
        .iter()
        .filter(|(path, text)| before.get(*path) != Some(text))
        .map(|(path, text)| put(path, text));
    removed.chain(puts).collect()
}

fn loaded(tree: &BTreeMap<String, String>) -> Snapshot {
    let mut bulk = orient_store::BulkWriter::in_memory(Path::new("memory"), 1).unwrap();
    for (path, text) in tree {
        bulk.put(&file(path, text)).unwrap();
    }
    bulk.into_snapshot().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_series_of_change_sets_ends_where_a_load_of_the_result_ends(sets in changes()) {
        let mut tree = BTreeMap::new();
        let mut writer = Writer::in_memory(Path::new("memory"), 1).unwrap();
        for set in &sets {
            writer.apply(step(&mut tree, set)).unwrap();
        }
        let snapshot = writer.into_snapshot().unwrap();
        prop_assert_eq!(snapshot.check().unwrap(), Vec::<String>::new());
        prop_assert_eq!(listing(&snapshot), listing(&loaded(&tree)));
        let all = SymbolQuery { name: NameMatch::Any, ..SymbolQuery::default() };
        prop_assert_eq!(snapshot.symbols(&all, 0, 0).unwrap().total as u64, snapshot.sizes().unwrap().symbols);
    }
}
