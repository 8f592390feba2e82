//! The index has what git has, whatever happened before.

use crate::fixture::{ALL, Fixture, function};
use orient_history::HistoryError;
use orient_timeline::{HistoryLimits, IndexStage, index_history};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// An edit of a generated history.
#[derive(Clone, Debug)]
enum Edit {
    Add(u8, u8, u32),
    Remove(u8, u8),
    RenameSymbol(u8, u8, u8),
    MoveSymbol(u8, u8, u8),
    RenameFile(u8, u8),
    CopyFile(u8, u8),
    DeleteFile(u8),
    Branch,
    Merge,
}

fn edit() -> impl Strategy<Value = Edit> {
    let (file, name) = (0..4_u8, 0..5_u8);
    prop_oneof![
        4 => (file.clone(), name.clone(), 0..9_u32).prop_map(|(file, name, number)| Edit::Add(file, name, number)),
        1 => (file.clone(), name.clone()).prop_map(|(file, name)| Edit::Remove(file, name)),
        1 => (file.clone(), name.clone(), name.clone()).prop_map(|(file, from, to)| Edit::RenameSymbol(file, from, to)),
        1 => (file.clone(), file.clone(), name).prop_map(|(from, to, name)| Edit::MoveSymbol(from, to, name)),
        1 => (file.clone(), file.clone()).prop_map(|(from, to)| Edit::RenameFile(from, to)),
        1 => (file.clone(), file.clone()).prop_map(|(from, to)| Edit::CopyFile(from, to)),
        1 => file.prop_map(Edit::DeleteFile),
        1 => Just(Edit::Branch),
        1 => Just(Edit::Merge),
    ]
}

type Tree = BTreeMap<u8, BTreeMap<u8, u32>>;

fn apply(tree: &mut Tree, edit: &Edit) {
    match edit {
        Edit::Add(file, name, number) => drop(tree.entry(*file).or_default().insert(*name, *number)),
        Edit::Remove(file, name) => {
            tree.entry(*file).or_default().remove(name);
        }
        Edit::RenameSymbol(file, from, to) => {
            let file = tree.entry(*file).or_default();
            if let Some(number) = file.remove(from) {
                file.insert(*to, number);
            }
        }
        Edit::MoveSymbol(from, to, name) => {
            if let Some(number) = tree.entry(*from).or_default().remove(name) {
                tree.entry(*to).or_default().insert(*name, number);
            }
        }
        Edit::RenameFile(from, to) => {
            if let Some(file) = tree.remove(from) {
                tree.insert(*to, file);
            }
        }
        Edit::CopyFile(from, to) => {
            if let Some(file) = tree.get(from).cloned() {
                tree.insert(*to, file);
            }
        }
        Edit::DeleteFile(file) => drop(tree.remove(file)),
        Edit::Branch | Edit::Merge => {}
    }
}

fn write(fixture: &Fixture, tree: &Tree) {
    for file in 0..4 {
        let path = format!("src/m{file}.py");
        match tree.get(&file).filter(|names| !names.is_empty()) {
            Some(names) => {
                let text: String =
                    names.iter().map(|(name, number)| function(&format!("f{name}"), *number)).collect();
                fixture.write(&path, &text);
            }
            None => fixture.remove(&path),
        }
    }
}

/// Makes the commits of a history. A merge takes the files of the branch it is on.
fn make(fixture: &Fixture, edits: &[Edit]) {
    let mut tree = Tree::from([(0, BTreeMap::from([(0, 1), (1, 2)])), (1, BTreeMap::from([(2, 3)]))]);
    write(fixture, &tree);
    fixture.commit("start");
    let mut base: Option<Tree> = None;
    for (at, edit) in edits.iter().enumerate() {
        match edit {
            Edit::Branch if base.is_none() => {
                fixture.git(&["checkout", "-q", "-b", &format!("b{at}")]);
                base = Some(tree.clone());
            }
            Edit::Merge if base.is_some() => {
                let branch = fixture.git(&["rev-parse", "--abbrev-ref", "HEAD"]).trim().to_owned();
                fixture.git(&["checkout", "-q", "main"]);
                fixture.commit(&format!("beside {at}"));
                fixture.git(&[
                    "merge",
                    "-q",
                    "--no-ff",
                    "-X",
                    "theirs",
                    "-m",
                    &format!("merge {at}"),
                    &branch,
                ]);
                base = None;
            }
            edit => {
                apply(&mut tree, edit);
                write(fixture, &tree);
                fixture.commit(&format!("{at} {edit:?}"));
            }
        }
    }
}

fn assert_index_equals_git(fixture: &Fixture) {
    let (mut indexed, mut unindexed) = (fixture.reader(), fixture.empty_reader());
    for file in 0..4 {
        let path = format!("src/m{file}.py");
        assert_eq!(fixture.path_log(&mut indexed, &path), fixture.path_log(&mut unindexed, &path), "{path}");
        for name in 0..5 {
            let name = format!("f{name}");
            let expected = fixture.symbol_log(&mut unindexed, &path, &name);
            assert_eq!(fixture.symbol_log(&mut indexed, &path, &name), expected, "{path}#{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 20, ..ProptestConfig::default() })]

    /// Whatever part of the history is indexed, the answers are those that git's objects give.
    #[test]
    fn indexed_answers_equal_unindexed_answers(
        edits in prop::collection::vec(edit(), 4..14),
        stop in 0..12_u64,
        at_symbols: bool,
    ) {
        let fixture = Fixture::new();
        let half = edits.len() / 2;
        make(&fixture, &edits[..half]);
        fixture.index();
        let more = &edits[half..];
        fixture.git(&["checkout", "-q", "-B", "main"]);
        for (at, edit) in more.iter().enumerate() {
            if let Edit::Add(file, name, number) = edit {
                fixture.write(&format!("src/m{file}.py"), &function(&format!("f{name}"), *number));
            }
            fixture.commit(&format!("later {at}"));
        }
        assert_index_equals_git(&fixture);
        fixture.index_until(if at_symbols { IndexStage::Symbols } else { IndexStage::Paths }, stop);
        assert_index_equals_git(&fixture);
        prop_assert!(fixture.index().is_complete());
        assert_index_equals_git(&fixture);
    }
}

#[test]
fn second_run_adds_only_new_commits_and_a_rebase_drops_only_what_is_gone() {
    let fixture = Fixture::new();
    for number in 0..5 {
        fixture.write("a.py", &function("f", number));
        fixture.commit(&format!("change {number}"));
    }
    assert_eq!(fixture.index().commits, 5);
    fixture.write("a.py", &function("f", 9));
    fixture.commit("new");
    let mut stages = Vec::new();
    let coverage = index_history(&fixture.engine, &mut fixture.history(), ALL, &mut |stage, done, all| {
        stages.push((stage, done, all));
        ControlFlow::Continue(())
    })
    .expect("it is indexed");
    assert_eq!((coverage.commits, coverage.is_complete()), (6, true));
    assert_eq!(stages, [(IndexStage::Paths, 0, 1), (IndexStage::Symbols, 0, 1)]);
    // Rewrite the last two commits.
    fixture.git(&["reset", "-q", "--hard", "HEAD~2"]);
    fixture.write("a.py", &function("f", 77));
    fixture.commit("rewritten");
    let coverage = fixture.index();
    assert_eq!((coverage.commits, coverage.symbols), (5, 5));
    assert_eq!(fixture.symbol_log(&mut fixture.reader(), "a.py", "f").len(), 5);
}

#[test]
fn limits_cut_the_index_and_questions_go_beyond_it() {
    let fixture = Fixture::new();
    for number in 0..8 {
        fixture.write("a.py", &function("f", number));
        fixture.commit(&format!("change {number}"));
    }
    let limits = HistoryLimits { commits: 3, since: None };
    let coverage = index_history(&fixture.engine, &mut fixture.history(), limits, &mut |_, _, _| {
        ControlFlow::Continue(())
    })
    .expect("it is indexed");
    assert_eq!((coverage.commits, coverage.is_cut), (3, true));
    assert_eq!(fixture.symbol_log(&mut fixture.reader(), "a.py", "f").len(), 8);
    assert_eq!(fixture.index().commits, 8);
    assert_eq!(fixture.symbol_log(&mut fixture.reader(), "a.py", "f").len(), 8);
}

#[test]
fn missing_object_ends_the_index_there_and_newer_commits_stay() {
    let fixture = Fixture::new();
    for number in 0..4 {
        fixture.write("a.py", &function("f", number));
        fixture.commit(&format!("change {number}"));
    }
    let tree = fixture.git(&["rev-parse", "HEAD~2^{tree}"]);
    let (directory, file) = tree.trim().split_at(2);
    std::fs::remove_file(fixture.root.join(".git/objects").join(directory).join(file))
        .expect("a loose object");
    let indexed =
        index_history(&fixture.engine, &mut fixture.history(), ALL, &mut |_, _, _| ControlFlow::Continue(()));
    assert!(matches!(indexed, Err(HistoryError::Damaged(_))), "{indexed:?}");
    let coverage = fixture.reader().coverage();
    assert_eq!((coverage.commits, coverage.paths, coverage.symbols), (4, 1, 0));
}

#[test]
fn odd_commits_are_indexed_as_they_are() {
    let fixture = Fixture::new();
    fixture.write("a.py", &function("f", 1));
    let first = fixture.commit("start");
    let tree = fixture.git(&["rev-parse", "HEAD^{tree}"]);
    let object = fixture.root.join(".git/object");
    let store = |parents: &[String], date: &str, message: &[u8]| {
        let mut bytes = format!("tree {tree}").into_bytes();
        for parent in parents {
            bytes.extend(format!("parent {parent}\n").into_bytes());
        }
        bytes.extend(format!("author A <a@b> {date}\ncommitter A <a@b> {date}\n\n").into_bytes());
        bytes.extend(message);
        std::fs::write(&object, bytes).expect("writable");
        let path = object.to_str().expect("a temporary path");
        fixture.git(&["hash-object", "--literally", "-t", "commit", "-w", path]).trim().to_owned()
    };
    let first = first.to_string();
    let old = store(std::slice::from_ref(&first), "-86400 +0000", b"before 1970: \xff\xfe");
    let future = store(std::slice::from_ref(&old), "9999999999 +0000", b"after 2100");
    let mut parents: Vec<String> =
        (0..200).map(|n| store(std::slice::from_ref(&first), "1600000000 +0000", &[b'a', n])).collect();
    parents.push(future);
    let merge = store(&parents, "1700000000 +0000", b"many parents");
    fixture.git(&["reset", "-q", "--hard", &merge]);
    let coverage = fixture.index();
    assert_eq!((coverage.commits, coverage.is_complete()), (204, true));
    assert_eq!(fixture.symbol_log(&mut fixture.reader(), "a.py", "f").len(), 1);
    assert_eq!(
        fixture.path_log(&mut fixture.reader(), "a.py"),
        fixture.path_log(&mut fixture.empty_reader(), "a.py")
    );
}

#[test]
fn commit_whose_contents_are_missing_does_not_end_the_index() {
    let fixture = Fixture::new();
    for number in 0..4 {
        fixture.write("a.py", &function("f", number));
        fixture.commit(&format!("change {number}"));
    }
    let id = fixture.git(&["rev-parse", "HEAD~2:a.py"]);
    let (directory, rest) = id.trim().split_at(2);
    let object = fixture.root.join(".git/objects").join(directory).join(rest);
    let bytes = std::fs::read(&object).expect("a loose object");
    std::fs::remove_file(&object).expect("writable");
    let coverage = fixture.index();
    assert!(coverage.is_complete(), "{coverage:?}");
    let mut history = fixture.history();
    let mut log = orient_timeline::SymbolLog::new("f".to_owned(), orient_model::SymbolKind::Function);
    let error = log
        .run(&mut fixture.reader(), &mut history, fixture.head(), &"a.py".into(), &mut |_, _| {
            Ok(ControlFlow::Continue(()))
        })
        .expect_err("a version is missing");
    assert!(error.to_string().contains(id.trim()), "{error}");
    std::fs::write(&object, bytes).expect("writable");
    assert_eq!(
        fixture.symbol_log(&mut fixture.reader(), "a.py", "f").len(),
        4,
        "once it is back, nothing is lost"
    );
}

#[test]
fn log_of_a_symbol_ends_where_it_was_added() {
    let fixture = Fixture::new();
    fixture.write("a.py", &function("f", 1));
    fixture.commit("earlier");
    fixture.write("a.py", "x = 1\n");
    fixture.commit("gone");
    fixture.write(
        "a.py",
        "x = 1\n\n\ndef f(path):\n    with open(path) as file:\n        return file.read().split()\n",
    );
    fixture.commit("another");
    for is_indexed in [false, true] {
        if is_indexed {
            fixture.index();
        }
        let log = fixture.symbol_log(&mut fixture.reader(), "a.py", "f");
        assert_eq!(log, ["another: added  a.py#f "]);
    }
}

#[test]
fn commit_that_renames_the_file_is_in_the_log_of_its_symbols() {
    let fixture = Fixture::new();
    fixture.write("old.py", &function("g", 1));
    fixture.commit("another function");
    fixture.git(&["mv", "old.py", "a.py"]);
    fixture.commit("renamed before");
    fixture.write("a.py", &(function("g", 1) + &function("f", 2)));
    fixture.commit("add");
    fixture.git(&["mv", "a.py", "b.py"]);
    fixture.commit("renamed");
    for is_indexed in [false, true] {
        if is_indexed {
            fixture.index();
        }
        let log = fixture.symbol_log(&mut fixture.reader(), "b.py", "f");
        assert_eq!(log, ["renamed:  a.py b.py#f ", "add: added  a.py#f "]);
    }
}

#[test]
fn symbol_that_leaves_a_file_is_moved_and_one_that_stays_is_copied() {
    let fixture = Fixture::new();
    let (many, other) = (function("f", 1) + &function("g", 2) + &function("h", 3), function("k", 4));
    fixture.write("like.py", &(many.clone() + &function("m", 5)));
    fixture.write("a.py", &other);
    fixture.commit("first");
    fixture.write("a.py", &(other.clone() + &function("unlike", 6).replace("price", "weight")));
    fixture.commit("write");
    fixture.write("a.py", &other);
    fixture.write("new.py", &(many + &function("unlike", 6).replace("price", "weight")));
    fixture.commit("new file");
    for is_indexed in [false, true] {
        if is_indexed {
            fixture.index();
        }
        let mut reader = fixture.reader();
        let moved = fixture.symbol_log(&mut reader, "new.py", "unlike");
        assert_eq!(moved, ["new file: moved a.py new.py#unlike ", "write: added  a.py#unlike "]);
        let copied = fixture.symbol_log(&mut reader, "new.py", "f");
        assert_eq!(copied, ["new file: added like.py new.py#f "]);
    }
}
