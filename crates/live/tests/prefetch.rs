//! Prefetch: a switch to another branch finds its facts in the cache.

#![cfg(target_os = "linux")]

#[path = "../../engine/tests/engine/support/mod.rs"]
mod support;

use orient_engine::{Engine, Freshness, NoProgress, RefreshOptions};
use orient_live::{BackgroundRefresh, RefreshListener, WatchOptions, Watcher};
use orient_testkit::git;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{dump, fresh, open, put};

/// A repository with `main` checked out and a branch `other`, and the number of files that were parsed and cached since it is
/// watched.
struct Switching {
    directory: tempfile::TempDir,
    engine: Arc<Engine>,
    live: Watcher,
    read: Arc<Mutex<(usize, usize)>>,
}

impl Switching {
    fn new(branches: usize) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("tree");
        std::fs::create_dir(&root).expect("the tree");
        git(&root, &["init", "-q", "-b", "main"]);
        put(&root, ".gitignore", "left_out/\n");
        for number in 0..20 {
            put(&root, &format!("src/{number}.py"), format!("def here_{number}(): pass\n"));
        }
        put(&root, "left_out/x.py", "def left_out(): pass\n");
        git(&root, &["add", "-A", "-f"]);
        git(&root, &["commit", "-q", "-m", "main"]);
        git(&root, &["checkout", "-q", "-b", "other"]);
        for number in 10..30 {
            put(&root, &format!("src/{number}.py"), format!("def there_{number}(): pass\n"));
        }
        put(&root, "left_out/x.py", "def left_out_there(): pass\n");
        put(&root, "picture.bin", b"\0\x01\0\x02");
        git(&root, &["add", "-A", "-f"]);
        git(&root, &["commit", "-q", "-m", "other"]);
        git(&root, &["checkout", "-q", "main"]);

        let engine = Arc::new(open(&root, &directory.path().join("store"), 2));
        let read = Arc::new(Mutex::new((0, 0)));
        let counting = read.clone();
        let on_refresh: RefreshListener = Arc::new(move |seen: &BackgroundRefresh| {
            let refresh = seen.refresh.as_ref().expect("caught up");
            count(&counting, refresh.parsed, refresh.from_cache);
        });
        let (startup_delay, full_scan_delay) = (Duration::ZERO, Duration::from_millis(10));
        let options = WatchOptions {
            startup_delay,
            full_scan_delay,
            prefetch_branches: branches,
            on_refresh: Some(on_refresh),
            ..WatchOptions::default()
        };
        let live = Watcher::start(&engine, options);
        let switching = Self { directory, engine, live, read };
        switching.until("it settles", || switching.live.is_synced());
        switching
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn until(&self, what: &str, mut reached: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !reached() {
            assert!(begun.elapsed() < Duration::from_mins(1), "{what}: {:?}", self.read);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_read(&self, branch: &str) -> bool {
        let commit = git(&self.root(), &["rev-parse", branch]);
        let commit = commit.trim();
        let byte = |at| u8::from_str_radix(&commit[at..at + 2], 16).expect("two digits");
        let id: Vec<u8> = (0..commit.len()).step_by(2).map(byte).collect();
        self.engine.prefetcher().expect("a cache").has_commit(&id)
    }

    /// The number of files that a refresh after a switch parsed, and of those it found in the cache.
    fn switch(&self, branch: &str) -> (usize, usize) {
        *self.read.lock().expect("no panic") = (0, 0);
        git(&self.root(), &["checkout", "-q", branch]);
        let refresh =
            self.live.catch_up(&self.engine, &RefreshOptions::default(), &NoProgress).expect("caught up");
        count(&self.read, refresh.parsed, refresh.from_cache);
        assert_eq!(dump(&self.engine), fresh(&self.root(), 2), "equals a rebuilt index");
        *self.read.lock().expect("no panic")
    }
}

fn count(read: &Mutex<(usize, usize)>, parsed: usize, known: usize) {
    let mut read = read.lock().expect("no panic");
    *read = (read.0 + parsed, read.1 + known);
}

#[test]
fn a_branch_switch_finds_the_facts_in_the_cache() {
    let switching = Switching::new(4);
    switching.until("the branch is read", || switching.is_read("other"));
    assert_eq!(switching.switch("other"), (0, 20));
}

#[test]
fn a_new_branch_is_prefetched_at_the_next_full_scan() {
    let switching = Switching::new(4);
    switching.until("the branch is read", || switching.is_read("other"));
    let root = switching.root();
    let (tree, parent) = (git(&root, &["write-tree"]), git(&root, &["rev-parse", "other"]));
    let same_as_main = git(&root, &["commit-tree", tree.trim(), "-p", parent.trim(), "-m", "later"]);
    git(&root, &["branch", "later", same_as_main.trim()]);
    put(&root, "src/0.py", "def edited(): pass\n");
    switching.until("the new branch is read", || switching.is_read("later"));
}

#[test]
fn prefetch_can_be_disabled() {
    let switching = Switching::new(0);
    put(&switching.root(), "src/0.py", "def here_0(): pass # edited\n");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!switching.is_read("other"));
    git(&switching.root(), &["checkout", "-q", "--", "src/0.py"]);
    let (parsed, _) = switching.switch("other");
    assert!(parsed >= 20, "{parsed}");
}
