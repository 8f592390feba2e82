//! Refreshing: what is read, what is cached, who waits, and what survives failures.

use crate::support::edits::assert_same;
use crate::support::{
    Bench, dump, files, fresh, open, open_with, put, refresh, refresh_facts, settings, settle,
};
use orient_engine::{
    Cancel, Engine, EngineError, GcOptions, NoProgress, OpenOptions, Pause, Phase, Progress, RebuildReason,
    RefreshMode, RefreshOptions, SeedSource,
};
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::time::Duration;

const SMALL: &[(&str, &str)] = &[
    ("src/a.py", "def a():\n    return 1\n"),
    ("src/b.go", "package b\n\nfunc B() {}\n"),
    ("README.md", "# Hi\n"),
];

#[test]
fn a_second_refresh_has_nothing_to_do() {
    let bench = Bench::new(SMALL);
    settle();
    let first = bench.refresh();
    assert_eq!(
        (first.added, first.parsed, first.from_cache, first.rebuilt),
        (3, 3, 0, Some(RebuildReason::First))
    );
    let again = bench.refresh();
    assert_eq!((again.unchanged, again.generation, again.rebuilt), (3, first.generation, None));
    assert_eq!((again.added, again.changed, again.removed, again.restamped, again.parsed), (0, 0, 0, 0, 0));
    assert_eq!(files(&bench.dump()), ["README.md", "src/a.py", "src/b.go"]);
}

/// Files on which a parser would take gigabytes are reported with the limit that they hit; all others are read as
/// usual, by several threads that hit such a file at once.
#[test]
fn a_file_that_hits_a_limit_loses_only_its_own_facts() {
    let bench = Bench::new(SMALL);
    for (number, size) in [20_000, 30_000, 40_000, 50_000].into_iter().enumerate() {
        bench.put(&format!("src/{number}.cs"), "a<b<c<d<".repeat(size / 8));
    }
    let engine = open(&bench.root(), &bench.store(), 4);
    refresh(&engine);
    let dump = dump(&engine);
    assert_eq!(dump.matches("issue\tparse limit reached: too much memory").count(), 4, "{dump}");
    assert_eq!(files(&dump).len(), 7);
    let one_thread = open(&bench.root(), &bench.store().with_file_name("other"), 1);
    refresh(&one_thread);
    assert_same(&crate::support::dump(&one_thread), &dump, "one thread or four");
}

#[test]
fn each_kind_of_change_is_reported() {
    let bench = Bench::new(SMALL);
    settle();
    bench.refresh();
    bench.put("src/a.py", "def a():\n    return 2\n");
    bench.put("src/new.py", "def n(): pass\n");
    fs::rename(bench.root().join("src/b.go"), bench.root().join("moved.go")).expect("renamed");
    bench.remove("README.md");
    let refreshed = bench.refresh();
    let counts = (refreshed.added, refreshed.changed, refreshed.renamed, refreshed.removed, refreshed.parsed);
    assert_eq!(counts, (1, 1, 1, 1, 2));
    assert_eq!(refreshed.from_cache, 1, "what moved is known by its content");
    assert_eq!(bench.dump(), fresh(&bench.root(), 1));
}

#[test]
fn an_immediate_edit_of_the_same_size_is_detected() {
    let bench = Bench::new(&[("a.py", "x = 1\n")]);
    bench.refresh();
    for n in 2..9 {
        bench.put("a.py", format!("x = {n}\n"));
        assert_eq!(bench.refresh().changed, 1, "edit {n}");
    }
}

#[test]
fn a_touched_file_is_not_parsed_and_not_read_again() {
    let bench = Bench::new(SMALL);
    settle();
    bench.refresh();
    bench.put("src/a.py", SMALL[0].1);
    settle();
    let touched = bench.refresh();
    assert_eq!((touched.restamped, touched.parsed, touched.changed), (1, 0, 0));
    assert_eq!(bench.refresh().unchanged, 3);
}

#[test]
fn cached_content_is_never_parsed_again() {
    let bench = Bench::new(SMALL);
    bench.refresh();
    bench.put("src/a.py", "def other(): pass\n");
    bench.refresh();
    bench.put("src/a.py", SMALL[0].1);
    let back = bench.refresh();
    assert_eq!((back.changed, back.parsed, back.from_cache), (1, 0, 1));
    let rebuild = RefreshOptions { mode: RefreshMode::Rebuild, ..RefreshOptions::default() };
    let rebuilt = bench.engine().refresh(&rebuild, &NoProgress).expect("rebuilt");
    assert_eq!((rebuilt.parsed, rebuilt.from_cache, rebuilt.rebuilt), (0, 3, Some(RebuildReason::Asked)));
    assert!(rebuilt.generation > back.generation);
}

#[test]
fn skipped_files_keep_their_reason_and_are_read_once_possible() {
    let bench = Bench::new(SMALL);
    bench.put("data.bin", [0, 1, 2]);
    bench.put("big.txt", "x".repeat(3 << 20));
    settle();
    assert_eq!(bench.refresh().skipped, 2);
    assert!(bench.dump().contains("skipped\tbig.txt\ttoo large (3.0 MiB, limit 2.0 MiB)\n"));
    assert!(bench.dump().contains("skipped\tdata.bin\tbinary\n"));
    let idle = bench.refresh();
    assert_eq!((idle.skipped, idle.restamped, idle.generation), (0, 0, 1), "and not read again");
    let mut larger = settings(2);
    larger.index.max_file_size = "4MiB".parse().expect("a size");
    let engine = open_with(&bench.root(), &bench.store(), larger);
    refresh(&engine);
    assert!(files(&dump(&engine)).contains(&"big.txt"));
    bench.put("data.bin", "text now\n");
    bench.refresh();
    assert_eq!(bench.dump(), fresh(&bench.root(), 2));
}

#[cfg(unix)]
#[test]
fn links_are_added_and_removed() {
    let bench = Bench::new(SMALL);
    std::os::unix::fs::symlink("/etc", bench.root().join("out")).expect("a link");
    bench.refresh();
    assert!(bench.dump().contains("skipped\tout\tsymbolic link\n"));
    bench.remove("out");
    bench.put("out", "now a file\n");
    bench.remove("src/a.py");
    std::os::unix::fs::symlink("b.go", bench.root().join("src/a.py")).expect("a link");
    bench.refresh();
    assert_eq!(bench.dump(), fresh(&bench.root(), 2));
}

#[test]
fn changed_settings_rebuild_the_index_without_parsing() {
    let bench = Bench::new(SMALL);
    bench.refresh();
    let mut own = settings(2);
    own.index.vendored = vec!["src/**".to_owned()];
    let engine = open_with(&bench.root(), &bench.store(), own);
    let refreshed = refresh(&engine);
    assert_eq!(
        (refreshed.rebuilt, refreshed.parsed, refreshed.from_cache),
        (Some(RebuildReason::Outdated), 0, 3)
    );
    assert!(dump(&engine).contains("\tvendored\t"));
}

#[test]
fn a_damaged_index_is_rebuilt_and_reported() {
    let bench = Bench::new(SMALL);
    bench.refresh();
    let expected = bench.dump();
    let index = bench.engine().store_paths().index();
    for damage in [&b"not a database at all, but long enough to have a header of a hundred bytes, which is what is read first"[..], b"", b"SQLite format 3\0"] {
        fs::write(&index, damage).expect("damaged");
        let refreshed = bench.refresh();
        assert!(matches!(refreshed.rebuilt, Some(RebuildReason::Damaged(_))), "{:?}", refreshed.rebuilt);
        assert_eq!((refreshed.parsed, bench.dump()), (0, expected.clone()));
    }
    let mut bytes = fs::read(&index).expect("the index");
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    fs::write(&index, bytes).expect("cut short");
    assert!(matches!(bench.refresh().rebuilt, Some(RebuildReason::Damaged(_))));
    assert_eq!(bench.dump(), expected);
}

#[test]
fn a_damaged_or_lost_cache_changes_no_result() {
    let bench = Bench::new(SMALL);
    bench.refresh();
    fs::write(bench.engine().store_paths().cache(), b"garbage").expect("damaged");
    bench.put("src/a.py", "def z(): pass\n");
    assert_eq!(bench.refresh().parsed, 1);
    assert_eq!(bench.dump(), fresh(&bench.root(), 2));
}

#[test]
fn a_cancelled_refresh_leaves_the_index_unchanged() {
    let bench = Bench::new(SMALL);
    bench.refresh();
    let before = bench.dump();
    bench.put("src/a.py", "def other(): pass\n");
    let cancel = Cancel::default();
    cancel.cancel();
    for mode in [RefreshMode::CatchUp, RefreshMode::Rebuild] {
        let options = RefreshOptions { mode, cancel: cancel.clone(), ..RefreshOptions::default() };
        let refused = bench.engine().refresh(&options, &NoProgress);
        assert!(matches!(refused, Err(EngineError::Cancelled)), "{refused:?}");
        assert_eq!(bench.dump(), before);
    }
}

#[test]
fn files_past_a_deadline_are_pending_and_read_next_time() {
    let bench = Bench::new(SMALL);
    bench.refresh();
    bench.put("src/a.py", "def other(): pass\n");
    let options = RefreshOptions { deadline: Some(Duration::ZERO), ..RefreshOptions::default() };
    let late = bench.engine().refresh(&options, &NoProgress).expect("it is no error");
    assert!(late.pending.contains(&"src/a.py".into()), "{late:?}");
    assert!(bench.refresh().pending.is_empty());
    assert_eq!(bench.dump(), fresh(&bench.root(), 2));
}

#[test]
fn a_refresh_waits_for_another_writer_or_reports_it() {
    let bench = Bench::new(SMALL);
    settle();
    bench.refresh();
    let engine = bench.engine();
    let lock =
        orient_store::WriteLock::try_acquire(&engine.store_paths().tree).expect("no fault").expect("free");
    let no_wait = RefreshOptions { wait: Some(Duration::ZERO), ..RefreshOptions::default() };
    let idle = engine.refresh(&no_wait, &NoProgress).expect("without changes it does not wait");
    assert!(!idle.busy);
    bench.put("src/a.py", "def other(): pass\n");
    let busy = engine.refresh(&no_wait, &NoProgress).expect("the index can be read");
    assert_eq!((busy.busy, busy.pending), (true, vec!["src/a.py".into()]));
    let rebuild = RefreshOptions { mode: RefreshMode::Rebuild, ..no_wait };
    assert!(matches!(engine.refresh(&rebuild, &NoProgress), Err(EngineError::Busy { .. })));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| refresh(&engine));
        std::thread::sleep(Duration::from_millis(60));
        drop(lock);
        let done = waiting.join().expect("no panic");
        assert!(done.waited >= Duration::from_millis(20), "{done:?}");
        assert_eq!(done.changed, 1);
    });
}

#[test]
fn concurrent_refreshes_do_the_work_once() {
    let bench = Bench::new(SMALL);
    let parsed: usize = std::thread::scope(|scope| {
        let each = || scope.spawn(|| bench.refresh().parsed);
        let threads: Vec<_> = (0..4).map(|_| each()).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(parsed, 3);
    assert_eq!(bench.dump(), fresh(&bench.root(), 1));
}

#[test]
fn progress_is_reported_until_done() {
    #[derive(Default)]
    struct Log(RefCell<Vec<String>>);
    impl Progress for Log {
        fn phase(&self, phase: Phase, files: u64, _: u64) {
            self.0.borrow_mut().push(format!("{} {files}", phase.as_str()));
        }
        fn tick(&self, files: u64, _: u64) {
            self.0.borrow_mut().push(format!("+{files}"));
        }
        fn waiting(&self, _: Option<u32>, _: Duration) {}
        fn done(&self) {
            self.0.borrow_mut().push("done".to_owned());
        }
    }
    let (bench, log) = (Bench::new(SMALL), Log::default());
    bench.engine().refresh(&RefreshOptions::default(), &log).expect("refreshed");
    assert_eq!(
        log.0.into_inner(),
        ["listing 0", "indexing 3", "+1", "+1", "+1", "resolving 2", "+1", "+1", "finishing 0", "done"]
    );
}

#[test]
fn facts_are_visible_before_edges() {
    const CALLS: &[(&str, &str)] = &[
        ("src/cart.py", "from price import price\n\ndef total():\n    return price()\n"),
        ("src/price.py", "def price():\n    return 1\n"),
    ];
    let edges = |dump: &str| dump.lines().filter(|line| line.starts_with("edge")).count();
    let bench = Bench::new(CALLS);
    bench.refresh();
    let before = edges(&bench.dump());
    put(&bench.root(), "src/price.py", "def cost():\n    return 1\n");
    let engine = bench.engine();
    let first = refresh_facts(&engine);
    assert_eq!((first.changed, first.resolved, first.owed), (1, 0, 2));
    let dumped = dump(&engine);
    assert!(dumped.contains("cost") && !dumped.contains("src/price.py#price"), "{dumped}");
    let snapshot = engine.snapshot().expect("a snapshot");
    assert_eq!(snapshot.owed(), 2);
    drop(snapshot);

    let again = refresh_facts(&engine);
    assert_eq!((again.generation, again.owed), (first.generation, 2), "enough for facts");
    let second = refresh(&engine);
    assert_eq!((second.parsed, second.resolved, second.owed), (0, 2, 0));
    assert_eq!(second.generation, first.generation + 1);
    assert!(edges(&bench.dump()) < before);
    assert_eq!(bench.dump(), fresh(&bench.root(), 1));
}

#[test]
fn moving_a_file_removes_the_edges_of_its_importers() {
    let bench = Bench::new(&[
        ("app.rb", "require 'shop/main'\n"),
        ("page.js", "import './shop/start'\n"),
        ("lib/shop/main.rb", "puts 1\n"),
        ("shop/start.js", "run()\n"),
    ]);
    bench.refresh();
    let imports = |dump: &str| dump.lines().filter(|line| line.contains("\timports\t")).count();
    assert_eq!(imports(&bench.dump()), 2);
    for (from, to) in [("lib/shop/main.rb", "other/n1.rb"), ("shop/start.js", "other/n2.js")] {
        put(&bench.root(), to, "");
        fs::rename(bench.root().join(from), bench.root().join(to)).expect("it moves");
    }
    bench.refresh();
    assert_eq!(imports(&bench.dump()), 0);
    assert_eq!(bench.dump(), fresh(&bench.root(), 1));
}

/// Files by path, with their text.
type Files<'t> = &'t [(&'t str, &'t str)];

#[test]
fn an_added_package_file_is_seen_by_the_files_of_its_directory() {
    let f = "def f(): pass\n";
    let cases: [(Files<'_>, &str, &str); 6] = [
        // Modules find what their package imports.
        (&[("p/x.py", "from . import a\n"), ("p/q/a.py", f)], "p/__init__.py", "from .q import *\n"),
        (&[("x.py", "from . import a\n"), ("q/a.py", f)], "__init__.py", "from q import *\n"),
        // A name now means the file beside the package, not something in the package.
        (&[("p/x.py", "import y\ny.f()\n"), ("p/y.py", f), ("y.py", f)], "p/__init__.py", ""),
        (&[("p/x.ts", "import { f } from '.'\nf()\n")], "p/index.ts", "export function f() {}\n"),
        (&[("x.ts", "import { f } from './'\nf()\n")], "index.ts", "export * from './y'\n"),
        (&[("src/p/x.rs", "fn g() { super::f() }\n")], "src/p/mod.rs", "mod x;\npub fn f() {}\n"),
    ];
    for (start, path, text) in cases {
        let bench = Bench::new(start);
        bench.refresh();
        let before = bench.dump();
        bench.put(path, text);
        bench.refresh();
        assert_same(&bench.dump(), &fresh(&bench.root(), 1), path);
        bench.remove(path);
        bench.refresh();
        assert_same(&bench.dump(), &before, "as it was");
    }
}

#[test]
fn edges_of_callback_calls_move_with_the_function() {
    let run = "def run(task):\n    task()\n";
    let bench =
        Bench::new(&[("tasks.py", run), ("main.py", "from tasks import run\ndef work(): pass\nrun(work)\n")]);
    bench.refresh();
    assert!(bench.dump().contains("tasks.py#run\tcalls\tmain.py#work\tline 2"), "{}", bench.dump());
    bench.put("tasks.py", format!("import os\n\n{run}"));
    bench.refresh();
    assert!(bench.dump().contains("tasks.py#run\tcalls\tmain.py#work\tline 4"), "{}", bench.dump());
    assert_eq!(bench.dump(), fresh(&bench.root(), 1));
}

#[test]
fn a_pause_keeps_the_files_resolved_so_far() {
    /// Requests a pause when the facts are committed, or when the first file is resolved.
    struct Impatient(Pause, bool);
    impl Progress for Impatient {
        fn phase(&self, _: Phase, _: u64, _: u64) {}
        fn tick(&self, _: u64, bytes: u64) {
            if bytes == 0 {
                self.0.asked.cancel();
            }
        }
        fn waiting(&self, _: Option<u32>, _: Duration) {}
        fn known(&self, _: u64) {
            if self.1 {
                self.0.asked.cancel();
            }
        }
        fn done(&self) {}
    }
    let names: Vec<String> = (0..40).map(|number| format!("src/m{number}.py")).collect();
    let text = "from price import price\n\ndef total():\n    return price()\n";
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text)).collect();
    files.push(("src/price.py", "def price():\n    return 1\n"));
    let bench = Bench::new(&files);
    bench.refresh();
    let engine = bench.engine();
    let refresh_until = |max_resolved_with_change: bool| {
        let pause = Pause::default();
        let options = RefreshOptions {
            max_resolved_with_change: Some(0),
            pause: Some(pause.clone()),
            ..RefreshOptions::default()
        };
        engine.refresh(&options, &Impatient(pause, max_resolved_with_change)).expect("refreshed")
    };
    put(&bench.root(), "src/price.py", "\n\ndef price(of):\n    return of\n");
    let paused = refresh_until(true);
    assert_eq!((paused.resolved, paused.owed), (0, 41));
    let paused = refresh_until(false);
    assert!(paused.resolved > 0);
    assert_eq!(paused.resolved as u64 + paused.owed, 41, "what was resolved is kept");
    let rest = refresh(&engine);
    assert_eq!((rest.resolved as u64, rest.owed), (paused.owed, 0));
    assert_eq!(dump(&engine), fresh(&bench.root(), 1));
}

/// Makes `tree` look like a git repository with a worktree beside it.
fn with_worktree(bench: &Bench) -> std::path::PathBuf {
    let root = bench.root().canonicalize().expect("it exists");
    let side = root.parent().expect("a directory").join("side");
    let git_dir = root.join(".git/worktrees/side");
    put(&root, ".git/HEAD", "ref: refs/heads/main\n");
    put(&git_dir, "HEAD", "ref: refs/heads/side\n");
    put(&git_dir, "commondir", "../..\n");
    put(&git_dir, "gitdir", format!("{}\n", side.join(".git").display()));
    put(&side, ".git", format!("gitdir: {}\n", git_dir.display()));
    side
}

#[test]
fn a_new_worktree_is_seeded_from_its_sibling() {
    let bench = Bench::new(SMALL);
    let side = with_worktree(&bench);
    for (path, text) in SMALL {
        put(&side, path, text);
    }
    put(&side, "src/a.py", "def changed(): pass\n");
    settle();
    bench.refresh();
    let engine = open(&side, &bench.store(), 2);
    let first = refresh(&engine);
    assert_eq!(first.seeded_from, bench.root().canonicalize().ok().map(SeedSource::Tree));
    assert_eq!((first.parsed, first.changed, first.restamped, first.rebuilt), (1, 1, 2, None));
    assert_eq!(dump(&engine), fresh(&side, 1));
    assert_eq!(bench.refresh().changed, 0, "the sibling is unchanged");
}

#[test]
fn gc_removes_indexes_of_deleted_trees() {
    let bench = Bench::new(SMALL);
    let side = with_worktree(&bench);
    put(&side, "only_here.py", "def only(): pass\n");
    bench.refresh();
    refresh(&open(&side, &bench.store(), 2));
    let nothing = bench.engine().gc(GcOptions { dry_run: false, keep_days: 0 }).expect("collected");
    assert!(nothing.trees.is_empty(), "{nothing:?}");
    fs::remove_dir_all(&side).expect("removed");
    let would = bench.engine().gc(GcOptions { dry_run: true, keep_days: 0 }).expect("collected");
    assert_eq!(would.trees, std::slice::from_ref(&side));
    assert!(would.bytes > 0);
    let did = bench.engine().gc(GcOptions::default()).expect("collected");
    assert_eq!(did.trees, [side]);
    assert!(bench.engine().gc(GcOptions::default()).expect("collected").trees.is_empty());
    assert_eq!(bench.dump(), fresh(&bench.root(), 1));
}

#[test]
fn a_store_inside_the_tree_is_not_indexed() {
    let bench = Bench::new(SMALL);
    let engine = open(&bench.root(), &bench.root().join("my [store]"), 2);
    refresh(&engine);
    refresh(&engine);
    assert_eq!(files(&dump(&engine)), ["README.md", "src/a.py", "src/b.go"]);
    assert!(!dump(&engine).contains("skipped"));
}

#[test]
fn a_home_or_root_directory_is_refused_unless_forced_twice() {
    let root = Path::new(if cfg!(windows) { "C:\\" } else { "/" });
    let options = |force| OpenOptions { force, store: Some(std::env::temp_dir().join("orient-refused")) };
    assert!(matches!(Engine::open(root, settings(1), &options(1)), Err(EngineError::Refused(_))));
    assert!(Engine::open(root, settings(1), &options(2)).is_ok());
}

#[test]
fn a_snapshot_requires_an_index() {
    let bench = Bench::new(SMALL);
    assert!(matches!(bench.engine().snapshot(), Err(EngineError::NotIndexed)));
}
