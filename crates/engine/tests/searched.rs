//! Which files a text search looks at: never one too few, whatever happened since the index was made.

mod support;

use orient_engine::{Basis, Candidates, Engine, RefreshOptions, SearchScope, Silent, TrigramQuery};
use orient_text::{PatternSyntax, required_trigrams};
use std::time::Duration;
use support::Bench;

/// Times of files that were changed so shortly ago are not trusted.
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
    support::refresh(&engine);
    (bench, engine)
}

fn scope(bench: &Bench) -> SearchScope {
    SearchScope { base: bench.root(), threads: 2, ..SearchScope::default() }
}

fn shown(found: &Candidates) -> Vec<String> {
    found.files.iter().map(|file| file.shown.display().to_string()).collect()
}

fn alpha() -> TrigramQuery {
    required_trigrams(["alpha"], DIALECT)
}

#[test]
fn a_part_is_searched_without_files_that_cannot_match_and_with_those_that_changed() {
    let (bench, engine) = settled();
    let part = SearchScope { paths: vec!["src".into()], ..scope(&bench) };
    let look = || {
        let snapshot = engine.snapshot().expect("an index");
        let out = snapshot.excluded_files(&alpha()).expect("read");
        let mut found = Candidates::all(&bench.root(), &part).expect("listed");
        let left_out = snapshot.narrow(&mut found.files, &out, 2).expect("compared");
        (shown(&found), left_out)
    };
    assert_eq!(look(), (vec!["src/a.c".to_owned()], 2));
    // Of the same length, and the index knows nothing of it.
    bench.put("src/b.c", "int alpha_word;\n");
    bench.put("src/new.c", "int alpha_word;\n");
    let expected = ["src/a.c", "src/b.c", "src/new.c"].map(str::to_owned).to_vec();
    assert_eq!(look(), (expected, 1));
}

#[test]
fn everything_is_what_a_walk_finds() {
    let (bench, engine) = settled();
    let scope = scope(&bench);
    let check = |when: &str| {
        let snapshot = engine.snapshot().expect("an index");
        let all = Candidates::all(&bench.root(), &scope).expect("walked");
        let everything = snapshot.everything(&scope).expect("found");
        assert_eq!(shown(&everything), shown(&all), "{when}");
    };
    check("nothing is remembered of a search");
    let refresh = engine.refresh(&RefreshOptions::default(), &Silent).expect("caught up");
    assert!(refresh.remembered);
    let snapshot = engine.snapshot().expect("an index");
    let out = snapshot.excluded_files(&alpha()).expect("read");
    let basis = Basis { pending: &[], remembered: true };
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
