//! Candidate files of a text search: never one too few, whatever happened since the index was built.

use crate::support::Bench;
use orient_engine::{
    Engine, NoProgress, RefreshOptions, SearchScope, TextCandidates, TrigramQuery, Verification, WorkingTree,
};
use orient_text::{PatternSyntax, required_trigrams};
use std::time::Duration;

/// Makes the clock advance, because stamps of recently changed files are not trusted.
const SETTLED: Duration = Duration::from_millis(150);

const DIALECT: PatternSyntax = PatternSyntax { literal: false, ignore_case: false, unicode: true };

const FILES: &[(&str, &str)] = &[
    ("src/a.c", "int alpha_word;\n"),
    ("src/b.c", "int other_word;\n"),
    ("src.c", "int third_word;\n"),
    ("src/deep/er/c.c", "int fourth_word;\n"),
    (".hidden/d.c", "int alpha_word;\n"),
    ("out/e.c", "int alpha_word;\n"),
    (".gitignore", "out/\n"),
    (".git/HEAD", "ref: refs/heads/main\n"),
];

fn settled() -> (Bench, Engine) {
    let bench = Bench::new(FILES);
    std::thread::sleep(SETTLED);
    let engine = bench.engine();
    crate::support::refresh(&engine);
    (bench, engine)
}

fn scope(bench: &Bench) -> SearchScope {
    SearchScope { base: bench.root(), threads: 2, ..SearchScope::default() }
}

fn shown(found: &TextCandidates) -> Vec<String> {
    found.files.iter().map(|file| file.shown.display().to_string()).collect()
}

fn alpha() -> TrigramQuery {
    required_trigrams(["alpha"], DIALECT)
}

#[test]
fn candidates_exclude_files_without_the_trigrams_and_include_changed_files() {
    let (bench, engine) = settled();
    let part = SearchScope { paths: vec!["src".into()], ..scope(&bench) };
    let look = || {
        let snapshot = engine.snapshot().expect("an index");
        let out = snapshot.left_out(&alpha()).expect("read");
        let mut found = TextCandidates::all(&WorkingTree::new(bench.root()), &part).expect("listed");
        let left_out = snapshot.narrow(&mut found.files, &out, 2).expect("compared");
        (shown(&found), left_out)
    };
    assert_eq!(look(), (vec!["src/a.c".to_owned()], 2));
    // The same length, and the index does not know about the change.
    bench.put("src/b.c", "int alpha_word;\n");
    bench.put("src/new.c", "int alpha_word;\n");
    let expected = ["src/a.c", "src/b.c", "src/new.c"].map(str::to_owned).to_vec();
    assert_eq!(look(), (expected, 1));
}

#[test]
fn all_candidates_equal_a_directory_walk() {
    let (bench, engine) = settled();
    let scope = scope(&bench);
    let check = |when: &str| {
        let snapshot = engine.snapshot().expect("an index");
        let all = TextCandidates::all(&WorkingTree::new(bench.root()), &scope).expect("walked");
        let everything = snapshot.all_text_candidates(&scope).expect("found");
        assert_eq!(shown(&everything), shown(&all), "{when}");
    };
    check("there is no search manifest");
    let refresh = engine.refresh(&RefreshOptions::default(), &NoProgress).expect("caught up");
    assert!(refresh.manifest_current);
    let snapshot = engine.snapshot().expect("an index");
    let out = snapshot.left_out(&alpha()).expect("read");
    let basis = Verification { pending: &[], manifest_valid: true };
    let found = snapshot.candidates(&scope, &out, &basis).expect("found");
    assert_eq!(shown(&found), ["src/a.c"]);
    drop(snapshot);
    check("remembered");
    bench.put("src/b.c", "int beta;\n");
    check("a file was changed");
    bench.put("src/deep/new.c", "int alpha_word;\n");
    check("a file came");
    bench.remove("src/a.c");
    check("a file went");
    bench.put(".ignore", "deep/\n");
    check("a rule came");
}
