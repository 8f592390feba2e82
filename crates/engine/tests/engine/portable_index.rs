//! Portable indexes: an index that starts from a file equals a new one, and no file can do harm.

use crate::support::edits::{PATHS, apply, assert_same, path, step, text, write};
use crate::support::{Bench, dump, fresh, open, open_with, put, refresh, settings, settle};
use orient_engine::{
    Cancel, Engine, EngineError, ImportReport, NoProgress, PortableError, RefreshMode, RefreshOptions,
    SearchQuery, SeedSource,
};
use proptest::prelude::*;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

const SHOP: &[(&str, &str)] = &[
    (
        "src/shop.py",
        "from src.stock import take\n\n\ndef buy(item):\n    \"\"\"Buys an item.\"\"\"\n    return take(item)\n",
    ),
    (
        "src/stock.py",
        "class Stock:\n    def count(self): return 1\n\n\ndef take(item): return Stock().count()\n",
    ),
    ("web/page.ts", "import { total } from './total';\nexport function page() { return total(1); }\n"),
    ("web/total.ts", "export function total(n: number) { return n + 1; }\n"),
    ("README.md", "# Shop\n\nHow to buy.\n"),
];

fn export(engine: &Engine, to: &Path) {
    engine.export(to, &Cancel::default(), &NoProgress).expect("the index is exported");
}

fn import(engine: &Engine, from: &Path) -> Result<ImportReport, PortableError> {
    match engine.import(from, &Cancel::default(), &NoProgress) {
        Ok(report) => Ok(report),
        Err(EngineError::Portable { source, .. }) => Err(source),
        Err(error) => panic!("another error: {error}"),
    }
}

/// The shop, its index in a file, and a second store without any index.
struct Exported {
    bench: Bench,
    directory: tempfile::TempDir,
}

impl Exported {
    fn new() -> Self {
        let exported = Self { bench: Bench::new(SHOP), directory: tempfile::tempdir().expect("a directory") };
        settle();
        exported.bench.refresh();
        export(&exported.bench.engine(), &exported.file());
        exported
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("index.orient")
    }

    /// An engine for the same tree in a store that is still empty.
    fn elsewhere(&self) -> Engine {
        open(&self.bench.root(), &self.directory.path().join("store"), 2)
    }
}

#[test]
fn an_identical_tree_is_not_parsed() {
    let exported = Exported::new();
    let engine = exported.elsewhere();
    let report = import(&engine, &exported.file()).expect("it is imported");
    assert_eq!((report.rows.files, report.rows.facts, report.kept_index), (5, 5, false));
    let refreshed = refresh(&engine);
    assert_eq!((refreshed.parsed, refreshed.from_cache, refreshed.resolved), (0, 0, 0));
    assert_eq!((refreshed.restamped, refreshed.rebuilt), (5, None));
    assert_same(&dump(&engine), &fresh(&exported.bench.root(), 1), "a new index");
}

#[test]
fn an_index_that_starts_from_facts_is_not_parsed() {
    let exported = Exported::new();
    let (file, engine) = (exported.directory.path().join("facts"), exported.elsewhere());
    let bytes = exported.bench.engine().export_facts(&file, &Cancel::default()).expect("facts are exported");
    assert!(bytes < fs::metadata(exported.file()).expect("a file").len());
    assert_eq!(engine.import_facts(&file, &Cancel::default()).expect("facts are imported"), 5);
    let refreshed = refresh(&engine);
    assert_eq!((refreshed.parsed, refreshed.from_cache), (0, 5));
    assert_same(&dump(&engine), &fresh(&exported.bench.root(), 1), "a new index");
    assert!(engine.import_facts(&exported.file(), &Cancel::default()).is_err(), "that is a whole index");
    assert!(import(&engine, &file).is_err(), "these are only facts");
}

#[test]
fn only_what_differs_is_parsed() {
    let exported = Exported::new();
    exported.bench.put("src/stock.py", "def take(item, count): return count\n");
    exported.bench.put("src/new.py", "def fresh(): pass\n");
    exported.bench.remove("README.md");
    let engine = exported.elsewhere();
    import(&engine, &exported.file()).expect("it is imported");
    let refreshed = refresh(&engine);
    assert_eq!((refreshed.parsed, refreshed.changed, refreshed.added, refreshed.removed), (2, 1, 1, 1));
    assert_same(&dump(&engine), &fresh(&exported.bench.root(), 1), "a new index");
}

#[test]
fn an_existing_index_stays_and_facts_are_added() {
    let exported = Exported::new();
    let other = tempfile::tempdir().expect("a directory");
    put(other.path(), "a.py", "def only_here(): pass\n");
    let engine = open(other.path(), &exported.directory.path().join("store"), 2);
    refresh(&engine);
    let before = dump(&engine);
    let report = import(&engine, &exported.file()).expect("it is imported");
    assert_eq!((report.rows.files, report.rows.facts, report.kept_index), (0, 5, true));
    assert_eq!(dump(&engine), before);
    put(other.path(), "stock.py", SHOP[1].1);
    assert_eq!(refresh(&engine).from_cache, 1, "its content was in the file");
}

#[test]
fn a_first_index_starts_from_the_file_that_the_settings_name() {
    let exported = Exported::new();
    let mut chosen = settings(2);
    chosen.seed.index = Some(exported.file());
    let engine = open_with(&exported.bench.root(), &exported.directory.path().join("store"), chosen);
    let first = refresh(&engine);
    assert_eq!(first.seeded_from, Some(SeedSource::File(exported.file())));
    assert_eq!((first.parsed, first.restamped, first.note), (0, 5, None));
    assert_same(&dump(&engine), &fresh(&exported.bench.root(), 1), "a new index");
}

#[test]
fn a_seed_that_cannot_be_used_is_reported_and_the_files_are_parsed() {
    let exported = Exported::new();
    fs::write(exported.file(), "not an index").expect("written");
    let mut chosen = settings(2);
    chosen.seed.index = Some(exported.file());
    let engine = open_with(&exported.bench.root(), &exported.directory.path().join("store"), chosen);
    let first = refresh(&engine);
    assert_eq!((first.parsed, first.seeded_from), (5, None));
    let note = first.note.expect("a note");
    assert!(note.starts_with("seed.index is not used:"), "{note}");
    assert!(note.ends_with("it is not an index that `orient export` wrote"), "{note}");
}

#[test]
fn a_copied_directory_is_not_parsed_again() {
    let bench = Bench::new(SHOP);
    settle();
    bench.refresh();
    let copy = bench.root().with_file_name("copy");
    for (path, text) in SHOP {
        put(&copy, path, text);
    }
    put(&copy, "src/new.py", "def fresh(): pass\n");
    let engine = open(&copy, &bench.store(), 2);
    let first = refresh(&engine);
    assert_eq!(first.seeded_from, bench.root().canonicalize().ok().map(SeedSource::Tree));
    assert_eq!((first.parsed, first.restamped), (1, 5));
    assert_same(&dump(&engine), &fresh(&copy, 1), "a new index");
    // The facts came along, so that a file that depends on a change is not parsed either.
    put(&copy, "src/stock.py", "def take(item): return None\n");
    let second = refresh(&engine);
    assert_eq!((second.parsed, second.changed), (1, 1));
    assert_same(&dump(&engine), &fresh(&copy, 1), "a new index");
}

#[test]
fn a_moved_directory_is_not_parsed_again() {
    let bench = Bench::new(SHOP);
    settle();
    bench.refresh();
    let moved = bench.root().with_file_name("moved");
    let before = bench.root().canonicalize().expect("it is there");
    fs::rename(bench.root(), &moved).expect("moved");
    let engine = open(&moved, &bench.store(), 2);
    let first = refresh(&engine);
    assert_eq!((first.parsed, first.seeded_from), (0, Some(SeedSource::Tree(before))));
    assert_same(&dump(&engine), &fresh(&moved, 1), "a new index");
}

#[test]
fn a_directory_with_other_files_starts_from_nothing() {
    let bench = Bench::new(SHOP);
    bench.refresh();
    let other = bench.root().with_file_name("other");
    put(&other, "src/shop.py", "def something_else_entirely(): pass\n");
    put(&other, "lib/a.py", "def a(): pass\n");
    let first = refresh(&open(&other, &bench.store(), 2));
    assert_eq!((first.parsed, first.seeded_from), (2, None));
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 100, ..ProptestConfig::with_cases(cases(12)) })]

    #[test]
    fn an_imported_index_equals_a_new_one_after_any_edits(
        start in prop::collection::vec((0..PATHS, 0..20_usize), 0..20),
        before in prop::collection::vec(step(), 0..6),
        after in prop::collection::vec(step(), 0..6),
    ) {
        let directory = tempfile::tempdir().expect("a directory");
        let (root, file) = (directory.path().join("tree"), directory.path().join("index.orient"));
        fs::create_dir(&root).expect("the tree");
        for (p, t) in start {
            write(&root, &path(p), text(&path(p), t));
        }
        let engine = open(&root, &directory.path().join("store"), 3);
        refresh(&engine);
        for step in &before {
            apply(&root, step);
            refresh(&engine);
        }
        export(&engine, &file);
        for step in &after {
            apply(&root, step);
        }
        let engine = open(&root, &directory.path().join("second store"), 3);
        import(&engine, &file).expect("it is imported");
        refresh(&engine);
        assert_same(&dump(&engine), &fresh(&root, 1), "a new index");
        let faults = engine.snapshot().expect("a snapshot").check().expect("it can be checked");
        prop_assert_eq!(faults, Vec::<String>::new());
    }
}

/// The header and the decompressed body of a file.
fn unpack(file: &Path) -> (Vec<u8>, Vec<u8>) {
    let bytes = fs::read(file).expect("the file");
    let header = bytes.windows(2).position(|two| two == b"\n\n").expect("a header") + 2;
    let (header, rest) = bytes.split_at(header);
    let body = zstd::stream::decode_all(&rest[..rest.len() - 32]).expect("a compressed body");
    (header.to_vec(), body)
}

/// Writes a file with a right hash, whatever it contains.
fn pack(file: &Path, header: &[u8], body: impl Read) {
    let mut bytes = header.to_vec();
    zstd::stream::copy_encode(body, &mut bytes, 3).expect("compressed");
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    fs::write(file, bytes).expect("written");
}

fn replace(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).expect("it occurs");
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[track_caller]
fn assert_refused(exported: &Exported, expected: &str) {
    let store = tempfile::tempdir().expect("a store");
    let engine = open(&exported.bench.root(), store.path(), 2);
    let error = import(&engine, &exported.file()).expect_err("it is refused").to_string();
    assert!(error.contains(expected), "{error}");
    assert!(engine.snapshot().is_err(), "nothing was kept");
    let first = refresh(&engine);
    assert_eq!((first.parsed, first.from_cache), (5, 0), "no facts were kept either");
}

#[test]
fn a_file_of_another_version_is_refused() {
    let exported = Exported::new();
    let (header, body) = unpack(&exported.file());
    let text = String::from_utf8(header.clone()).expect("text");
    let store = text.lines().find(|line| line.starts_with("store ")).expect("a line");
    pack(
        &exported.file(),
        &replace(&header, store, &format!("store {}", "9".repeat(store.len() - 6))),
        body.as_slice(),
    );
    assert_refused(&exported, "index format 99 of the file does not match");
    pack(&exported.file(), &replace(&header, "orient-index 1", "orient-index 2"), body.as_slice());
    assert_refused(&exported, "format 2 of the file does not match 1 of this program");
    let extractor = text.lines().find(|line| line.starts_with("extractor ")).expect("a line");
    let other = format!("extractor {}", "1".repeat(extractor.len() - 10));
    pack(&exported.file(), &replace(&header, extractor, &other), body.as_slice());
    assert_refused(&exported, "extraction version");
}

#[test]
fn a_path_that_leads_out_of_the_tree_is_refused() {
    let exported = Exported::new();
    let (header, body) = unpack(&exported.file());
    for path in ["../etc/pw.d", "/etc/passwd", "src/../../p", "src//hop.py", "./src/so.py"] {
        pack(&exported.file(), &header, replace(&body, "src/shop.py", path).as_slice());
        assert_refused(&exported, "a path that leads out of the tree");
    }
}

#[test]
fn a_body_that_expands_without_end_is_refused() {
    let exported = Exported::new();
    let (header, _) = unpack(&exported.file());
    // One value of 200 MiB of zeros: section 0, a row, a blob of that length.
    let start: &[u8] = &[1, 0, 2, 3, 0x80, 0x80, 0x80, 0x64];
    pack(&exported.file(), &header, start.chain(std::io::repeat(0).take(200 << 20)));
    assert!(fs::metadata(exported.file()).expect("a file").len() < 64 << 10);
    assert_refused(&exported, "it is far larger than its compressed form");
}

#[test]
fn lengths_and_tables_that_make_no_sense_are_refused() {
    let exported = Exported::new();
    let (header, body) = unpack(&exported.file());
    let huge: &[u8] = &[1, 0, 2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    for (body, expected) in [
        (huge, "a value that is too long"),
        (&[][..], "it ends too early"),
        (&[0], "its first row contradicts its header"),
        (&[2], "its tables are out of order"),
        (&[1, 5, 1, 4], "its tables are out of order"),
        (&[1, 77], "an unknown table"),
        (&[7], "an unknown item"),
        (&[1, 0, 2, 9], "an unknown kind of value"),
        (&[1, 0, 2, 2, 1, 0xff], "a text that is not UTF-8"),
        (&body[..body.len() / 2], "it ends"),
    ] {
        pack(&exported.file(), &header, body);
        assert_refused(&exported, expected);
    }
}

#[test]
fn a_truncated_file_is_refused() {
    let exported = Exported::new();
    let bytes = fs::read(exported.file()).expect("the file");
    let store = tempfile::tempdir().expect("a store");
    let engine = open(&exported.bench.root(), store.path(), 2);
    refresh(&engine);
    let before = dump(&engine);
    for length in (0..bytes.len()).step_by(bytes.len() / 97 + 1) {
        fs::write(exported.file(), &bytes[..length]).expect("written");
        let error = import(&engine, &exported.file()).expect_err("it is refused");
        assert!(matches!(error, PortableError::Foreign | PortableError::Damaged(_)), "{length}: {error}");
    }
    assert_eq!(dump(&engine), before);
}

/// A sequence of numbers without any pattern.
fn noise(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

#[test]
fn any_changed_byte_is_noticed() {
    let exported = Exported::new();
    let bytes = fs::read(exported.file()).expect("the file");
    let mut random = noise(1);
    let engine = exported.elsewhere();
    for _ in 0..200 {
        let mut damaged = bytes.clone();
        let at = random() as usize % bytes.len();
        damaged[at] ^= 1 << (random() % 8);
        fs::write(exported.file(), &damaged).expect("written");
        import(&engine, &exported.file()).expect_err("it is refused");
    }
    assert!(engine.snapshot().is_err(), "nothing was kept");
}

#[test]
fn forged_content_with_a_right_hash_never_stops_the_program() {
    let exported = Exported::new();
    let (header, body) = unpack(&exported.file());
    let expected = fresh(&exported.bench.root(), 1);
    let (mut refused, mut random) = (0, noise(7));
    for round in 0..cases(60) {
        let mut forged = body.clone();
        for _ in 0..=random() % 3 {
            let at = random() as usize % forged.len();
            forged[at] = random() as u8;
        }
        pack(&exported.file(), &header, forged.as_slice());
        let store = tempfile::tempdir().expect("a store");
        let engine = open(&exported.bench.root(), store.path(), 2);
        if import(&engine, &exported.file()).is_err() {
            refused += 1;
            continue;
        }
        // What it says may be wrong, but every question is answered or fails with an error.
        let _ = engine.refresh(&RefreshOptions::default(), &NoProgress);
        if let Ok(snapshot) = engine.snapshot() {
            let mut out = Vec::new();
            let _ = snapshot.dump(&mut out);
            let query = SearchQuery { text: "buy an item".to_owned(), limit: 5, ..SearchQuery::default() };
            let _ = snapshot.search(&query);
        }
        let rebuild = RefreshOptions { mode: RefreshMode::Rebuild, ..RefreshOptions::default() };
        let rebuilt = engine.refresh(&rebuild, &NoProgress);
        assert!(rebuilt.is_ok(), "round {round}: the index can always be built again");
        fs::remove_file(engine.store_paths().cache()).expect("the cache is there");
        engine.refresh(&rebuild, &NoProgress).expect("built");
        assert_eq!(dump(&engine), expected, "round {round}");
    }
    assert!(refused > 0, "most forgeries are noticed");
}

#[test]
fn an_export_replaces_a_file_only_when_it_is_complete() {
    let exported = Exported::new();
    let before = fs::read(exported.file()).expect("the file");
    let cancelled = Cancel::default();
    cancelled.cancel();
    let engine = exported.bench.engine();
    // The shop has too few rows for a report of progress, so that nothing asks whether to stop.
    engine.export(&exported.file(), &cancelled, &NoProgress).expect("written");
    assert_eq!(fs::read(exported.file()).expect("the file"), before, "an export is reproducible");
    let missing = exported.directory.path().join("no such directory/index.orient");
    assert!(engine.export(&missing, &Cancel::default(), &NoProgress).is_err());
    let mut names: Vec<_> = fs::read_dir(exported.directory.path())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["index.orient"], "no draft is left");
}

/// Few cases by default; set `PROPTEST_CASES` for more.
fn cases(few: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(few)
}
