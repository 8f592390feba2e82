//! A watched tree: the next answer reflects every change of its files.

#![cfg(target_os = "linux")]

#[path = "../../engine/tests/engine/support/mod.rs"]
mod support;

use orient_engine::{
    Engine, Freshness, NoProgress, RefreshDepth, RefreshMode, RefreshOptions, RefreshReport,
};
use orient_live::{WatchOptions, Watcher, WatcherClient};
use orient_testkit::git;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::edits::{PATHS, apply, assert_same, path, step, text, write};
use support::{dump, facts_of, fresh, open, put};

/// A watched tree with its index.
struct Watched {
    directory: tempfile::TempDir,
    engine: Arc<Engine>,
    live: Watcher,
}

impl Watched {
    fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, WatchOptions { startup_delay: Duration::ZERO, ..WatchOptions::default() })
    }

    fn with(files: &[(&str, &str)], options: WatchOptions) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("tree");
        fs::create_dir(&root).expect("the tree");
        for (path, text) in files {
            put(&root, path, text);
        }
        let engine = Arc::new(open(&root, &directory.path().join("store"), 2));
        let live = Watcher::start(&engine, options);
        let watched = Self { directory, engine, live };
        let begun = Instant::now();
        while !watched.live.is_synced() && watched.live.unwatched().is_none() {
            assert!(begun.elapsed() < Duration::from_mins(1), "it settles");
            std::thread::sleep(Duration::from_millis(5));
        }
        watched
    }

    fn root(&self) -> std::path::PathBuf {
        self.directory.path().join("tree")
    }

    fn catch_up(&self) -> RefreshReport {
        self.live.catch_up(&self.engine, &RefreshOptions::default(), &NoProgress).expect("caught up")
    }

    fn catch_up_with_facts(&self) -> RefreshReport {
        let options = RefreshOptions {
            depth: RefreshDepth::Facts,
            max_resolved_with_change: Some(0),
            ..RefreshOptions::default()
        };
        self.live.catch_up(&self.engine, &options, &NoProgress).expect("caught up")
    }

    fn check(&self) {
        let refresh = self.catch_up();
        assert!(refresh.pending.is_empty(), "{refresh:?}");
        assert_same(&dump(&self.engine), &fresh(&self.root(), 2), "equals a rebuilt index");
        let faults = self.engine.snapshot().expect("a snapshot").check().expect("it can be checked");
        assert_eq!(faults, Vec::<String>::new());
    }
}

/// Whether the index has a definition of that name.
fn knows(watched: &Watched, name: &str) -> bool {
    dump(&watched.engine).contains(name)
}

const SMALL: &[(&str, &str)] =
    &[("src/a.py", "def first(): pass\n"), ("src/net/b.go", "package b\n"), ("README.md", "# Hi\n")];

#[test]
fn the_next_answer_reflects_a_save() {
    let watched = Watched::new(SMALL);
    for number in 0..20 {
        put(&watched.root(), "src/a.py", format!("def saved_{number}(): pass\n"));
        watched.catch_up();
        assert!(knows(&watched, &format!("saved_{number}")));
    }
    watched.check();
}

#[test]
fn without_changes_no_file_is_checked() {
    let watched = Watched::new(SMALL);
    watched.catch_up();
    // Files that are checked would be counted.
    let again = watched.catch_up();
    assert_eq!((again.unchanged, again.restamped, again.changed), (0, 0, 0), "{again:?}");
    put(&watched.root(), "src/a.py", "def other(): pass\n");
    let one = watched.catch_up();
    assert_eq!(one.changed + one.unchanged + one.restamped, usize::from(one.changed == 1), "{one:?}");
}

#[test]
fn new_directories_are_watched_with_the_files_created_before_the_watch() {
    let watched = Watched::new(SMALL);
    for depth in 0..5 {
        let directory = "deep/".repeat(depth + 1);
        put(&watched.root(), &format!("{directory}x{depth}.py"), format!("def at_{depth}(): pass\n"));
        watched.catch_up();
        put(&watched.root(), &format!("{directory}y{depth}.py"), format!("def later_{depth}(): pass\n"));
        watched.catch_up();
        assert!(knows(&watched, &format!("later_{depth}")));
    }
    watched.check();
}

#[test]
fn a_moved_directory_is_watched_at_its_new_path() {
    let watched = Watched::new(SMALL);
    fs::rename(watched.root().join("src"), watched.root().join("lib")).expect("moved");
    put(&watched.root(), "src/new.py", "def in_its_place(): pass\n");
    watched.catch_up();
    put(&watched.root(), "lib/net/c.py", "def in_the_moved(): pass\n");
    put(&watched.root(), "src/new.py", "def again_in_its_place(): pass\n");
    watched.catch_up();
    assert!(knows(&watched, "in_the_moved") && knows(&watched, "again_in_its_place"));
    watched.check();
}

#[test]
fn a_changed_ignore_file_takes_effect() {
    let watched = Watched::new(SMALL);
    put(&watched.root(), ".gitignore", "net/\n");
    watched.check();
    assert!(!knows(&watched, "src/net/b.go"));
    put(&watched.root(), "src/net/hidden.py", "def hidden(): pass\n");
    watched.check();
    put(&watched.root(), "src/.orientignore", "a.py\n!net/\n");
    watched.check();
    put(&watched.root(), "src/net/hidden.py", "def shown(): pass\n");
    watched.check();
    assert!(knows(&watched, "shown") && !knows(&watched, "first"));
}

#[test]
fn changed_rules_inside_the_git_directory_take_effect() {
    let watched = Watched::new(&[(".git/HEAD", "ref: refs/heads/main\n"), ("a.py", "def a(): pass\n")]);
    put(&watched.root(), ".git/info/exclude", "*.py\n");
    watched.check();
    assert!(!knows(&watched, "a.py"));
}

#[test]
fn nested_repositories_appear_and_disappear_while_the_tree_is_watched() {
    let watched = Watched::new(SMALL);
    let root = watched.root();
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "first"]);
    watched.check();
    git(&root, &["worktree", "add", "-q", "trees/x", "-b", "x"]);
    git(&root, &["clone", "-q", ".", "clone"]);
    watched.check();
    assert!(knows(&watched, "skipped\ttrees/x\tnested repository"));
    assert!(knows(&watched, "skipped\tclone\tnested repository"));
    assert!(!knows(&watched, "trees/x/src/a.py") && !knows(&watched, "clone/src/a.py"));

    put(&root, "clone/src/new.py", "def unseen(): pass\n");
    put(&root, ".gitmodules", "[submodule \"clone\"]\n\tpath = clone\n");
    watched.check();
    assert!(knows(&watched, "clone/src/new.py"), "it is registered as a submodule now");
    fs::remove_file(root.join(".gitmodules")).expect("removed");
    watched.check();
    assert!(!knows(&watched, "clone/src/new.py"));

    fs::remove_dir_all(root.join("clone/.git")).expect("removed");
    watched.check();
    assert!(knows(&watched, "clone/src/new.py"), "a directory like any other");
    put(&root, "clone/src/newer.py", "def newer(): pass\n");
    watched.check();
    assert!(knows(&watched, "clone/src/newer.py"), "and it is watched");

    git(&root, &["worktree", "remove", "--force", "trees/x"]);
    watched.check();
    assert!(!knows(&watched, "trees/x"));
}

#[test]
fn thousands_of_simultaneous_changes_are_indexed() {
    let watched = Watched::new(SMALL);
    for number in 0..2000 {
        put(
            &watched.root(),
            &format!("many/{}/f{number}.py", number % 40),
            format!("def f{number}(): pass\n"),
        );
    }
    watched.check();
    fs::remove_dir_all(watched.root().join("many")).expect("removed");
    watched.check();
    put(&watched.root(), "src/a.py", "def after_all(): pass\n");
    watched.check();
}

#[test]
fn rewriting_hundreds_of_files_does_not_restart_the_watcher() {
    let watched = Watched::new(SMALL);
    let rewrite = |name: &str| {
        for number in 0..700 {
            let file = format!("many/{}/f{number}.py", number % 7);
            put(&watched.root(), &file, format!("def {name}{number}(): pass\n"));
        }
    };
    rewrite("first");
    watched.check();
    rewrite("second");
    watched.catch_up();
    assert!(watched.live.is_synced(), "nothing was missed, so notices still tell all");
    watched.check();
}

#[test]
fn concurrent_writers_each_find_their_own_change() {
    let watched = &Watched::new(SMALL);
    std::thread::scope(|scope| {
        for who in 0..4 {
            scope.spawn(move || {
                for round in 0..20 {
                    let name = format!("of_{who}_in_{round}");
                    put(&watched.root(), &format!("src/by{who}.py"), format!("def {name}(): pass\n"));
                    let depth = if round % 2 == 0 { RefreshDepth::Facts } else { RefreshDepth::Graph };
                    let options = RefreshOptions {
                        depth,
                        max_resolved_with_change: Some(0),
                        ..RefreshOptions::default()
                    };
                    watched.live.catch_up(&watched.engine, &options, &NoProgress).expect("caught up");
                    assert!(knows(watched, &name), "{name} was there before the question");
                }
            });
        }
    });
    watched.check();
}

#[test]
fn the_background_thread_resolves_files_without_a_query() {
    let watched = Watched::new(SMALL);
    put(&watched.root(), "src/a.py", "def second(): pass\n");
    watched.catch_up_with_facts();
    assert!(knows(&watched, "second"));
    let begun = Instant::now();
    while watched.engine.snapshot().expect("a snapshot").owed() > 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "it is found out");
        std::thread::sleep(Duration::from_millis(5));
    }
    watched.check();
}

#[test]
fn the_background_thread_refreshes_before_a_query() {
    let (sender, seen) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let tell = move |seen: &orient_live::BackgroundRefresh| {
        let paths: Vec<String> = seen.paths.iter().map(|path| path.display().into_owned()).collect();
        let changed = seen.refresh.as_ref().map_or(0, |refresh| refresh.changed);
        let _ = sender.lock().expect("one thread").send((paths, changed));
    };
    let startup_delay = Duration::ZERO;
    let watched = Watched::with(
        SMALL,
        WatchOptions { startup_delay, on_refresh: Some(Arc::new(tell)), ..WatchOptions::default() },
    );
    seen.recv_timeout(Duration::from_secs(30)).expect("the first index");
    put(&watched.root(), "src/a.py", "def ahead(): pass\n");
    let told = seen.recv_timeout(Duration::from_secs(30)).expect("told");
    assert_eq!(told, (vec!["src/a.py".to_owned()], 1));
    assert!(knows(&watched, "ahead"), "nobody asked");
    let remembered = seen.recv_timeout(Duration::from_secs(30)).expect("a look at all files");
    assert_eq!(remembered, (Vec::new(), 0));
    assert!(watched.catch_up().manifest_current);
}

#[test]
fn a_later_scan_finds_changes_without_a_notification() {
    let full_scan_interval = Duration::ZERO;
    let options =
        WatchOptions { startup_delay: Duration::ZERO, full_scan_interval, ..WatchOptions::default() };
    let outside = tempfile::tempdir().expect("a directory");
    let other = outside.path().join("other.py");
    let watched = Watched::with(SMALL, options);
    fs::write(&other, "def linked(): pass\n").expect("written");
    fs::hard_link(&other, watched.root().join("linked.py")).expect("another name");
    watched.check();
    std::thread::sleep(Duration::from_millis(300));
    fs::write(&other, "def through_another_name(): pass\n").expect("written");
    let begun = Instant::now();
    while !knows(&watched, "through_another_name") {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is found");
        watched.catch_up();
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_index_written_by_another_process_is_compared_with_the_files() {
    let watched = Watched::new(SMALL);
    watched.catch_up();
    let mut settings = support::settings(1);
    settings.index.exclude = vec!["*.go".to_owned()];
    let other = support::open_with(&watched.root(), &watched.directory.path().join("store"), settings);
    support::refresh(&other);
    assert!(!dump(&other).contains("b.go"));
    watched.check();
    fs::remove_dir_all(watched.directory.path().join("store")).expect("removed");
    watched.check();
}

#[test]
fn a_requested_rebuild_rebuilds_the_index() {
    let watched = Watched::new(SMALL);
    let options = RefreshOptions { mode: RefreshMode::Rebuild, ..RefreshOptions::default() };
    let rebuilt = watched.live.catch_up(&watched.engine, &options, &NoProgress).expect("rebuilt");
    assert_eq!(rebuilt.rebuilt, Some(orient_engine::RebuildReason::Asked));
    watched.check();
}

#[test]
fn a_tree_that_was_moved_away_is_no_longer_fresh() {
    let watched = Watched::new(SMALL);
    let away = watched.directory.path().join("away");
    fs::rename(watched.root(), &away).expect("moved");
    assert!(watched.live.catch_up(&watched.engine, &RefreshOptions::default(), &NoProgress).is_err());
    fs::rename(&away, watched.root()).expect("moved back");
    put(&watched.root(), "src/a.py", "def back(): pass\n");
    let refresh = watched.catch_up();
    assert!(refresh.note.is_some_and(|note| note.contains("moved or removed")));
    assert!(knows(&watched, "back"));
    assert_eq!(watched.catch_up().note, None, "said once");
    watched.check();
}

#[test]
fn a_query_with_a_deadline_reports_pending_files() {
    let watched = Watched::new(SMALL);
    let hold = fs::File::options()
        .append(true)
        .open(lock_file(&watched.directory.path().join("store")))
        .expect("there");
    hold.lock().expect("ours");
    put(&watched.root(), "src/a.py", "def unseen(): pass\n");
    let soon = Duration::from_millis(200);
    let options = RefreshOptions { wait: Some(soon), deadline: Some(soon), ..RefreshOptions::default() };
    let refresh = watched.live.catch_up(&watched.engine, &options, &NoProgress).expect("answered");
    assert!(refresh.busy && !refresh.pending.is_empty(), "{refresh:?}");
    drop(hold);
    watched.check();
}

/// The refresh of a separate command, and whether it had to check files.
fn ask(engine: &Engine) -> (RefreshReport, bool) {
    let refresh = WatcherClient.catch_up(engine, &RefreshOptions::default(), &NoProgress).expect("caught up");
    assert!(refresh.pending.is_empty(), "{refresh:?}");
    let looked = refresh.unchanged + refresh.restamped + refresh.changed + refresh.added > 0;
    (refresh, looked)
}

/// Another engine for the same tree, as a command opens it.
fn beside(watched: &Watched) -> Engine {
    open(&watched.root(), &watched.directory.path().join("store"), 1)
}

#[test]
fn a_command_that_asks_the_watcher_sees_every_change() {
    let watched = Watched::new(SMALL);
    for number in 0..20 {
        assert!(!ask(&beside(&watched)).1, "the watcher knows");
        put(&watched.root(), "src/a.py", format!("def saved_{number}(): pass\n"));
        let engine = beside(&watched);
        assert!(!ask(&engine).1, "the watcher has caught up");
        assert!(dump(&engine).contains(&format!("saved_{number}")));
    }
    watched.check();
}

#[test]
fn a_watcher_of_another_index_is_ignored() {
    let watched = Watched::new(SMALL);
    let mut settings = support::settings(1);
    settings.index.exclude = vec!["*.go".to_owned()];
    let other = support::open_with(&watched.root(), &watched.directory.path().join("store"), settings);
    WatcherClient.catch_up(&other, &RefreshOptions::default(), &NoProgress).expect("caught up");
    assert!(!dump(&other).contains("b.go"));
    watched.check();
}

#[test]
fn without_a_watcher_a_command_does_a_full_scan() {
    let watched = Watched::new(SMALL);
    let engine = beside(&watched);
    let root = watched.root();
    let socket = engine.store_paths().tree.join("watcher.socket");
    assert!(socket.exists());
    let newer = Watcher::start(&watched.engine, WatchOptions::default());
    drop(newer);
    assert!(!socket.exists(), "the newest has the door, and closes it");
    let Watched { directory, live, engine: ours } = watched;
    drop((live, ours));
    put(&root, "src/a.py", "def unwatched(): pass\n");
    assert!(ask(&engine).1);
    assert!(dump(&engine).contains("unwatched"));
    // A killed watcher leaves a socket without a listener.
    drop(std::os::unix::net::UnixListener::bind(&socket).expect("a socket"));
    put(&root, "src/a.py", "def killed(): pass\n");
    assert!(ask(&engine).1);
    assert!(dump(&engine).contains("killed"));
    drop(directory);
}

/// The lock file of the writer.
fn lock_file(store: &Path) -> std::path::PathBuf {
    let mut directories = vec![store.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("readable").flatten() {
            if entry.file_name() == "lock" {
                return entry.path();
            }
            if entry.path().is_dir() {
                directories.push(entry.path());
            }
        }
    }
    panic!("a writer leaves its lock file")
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 100, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn a_watched_tree_equals_a_rebuilt_index(
        start in prop::collection::vec((0..PATHS, 0..20_usize), 0..20),
        steps in prop::collection::vec((step(), 0..6_u8), 1..14),
        max_resolved_with_change in prop::option::of(0..3_usize),
    ) {
        let options = WatchOptions { startup_delay: Duration::ZERO, max_resolved_with_change, ..WatchOptions::default() };
        let watched = Watched::with(&[], options);
        for (p, t) in start {
            write(&watched.root(), &path(p), text(&path(p), t));
        }
        for (step, then) in &steps {
            apply(&watched.root(), step);
            match then {
                // Sometimes two steps at once, or time for the background thread.
                0 => {}
                1 => std::thread::sleep(Duration::from_millis(40)),
                2 => { watched.catch_up(); }
                3 => {
                    let engine = beside(&watched);
                    ask(&engine);
                    assert_same(&dump(&engine), &fresh(&watched.root(), 2), "as a command sees it");
                }
                4 => {
                    watched.catch_up_with_facts();
                    let (ours, rebuilt) = (facts_of(&dump(&watched.engine)), fresh(&watched.root(), 2));
                    assert_same(&ours, &facts_of(&rebuilt), "what is in the files");
                }
                _ => watched.check(),
            }
        }
        watched.check();
        prop_assert!(watched.live.unwatched().is_none());
    }
}

/// A few by default; more with `PROPTEST_CASES`.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(16)
}
