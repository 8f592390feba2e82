//! Trees and stores that live as long as a test.

#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod edits;

use orient_engine::{Engine, NoProgress, OpenOptions, RefreshDepth, RefreshOptions, RefreshReport};
use orient_settings::Settings;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A tree and a store beside it.
pub(crate) struct Bench {
    directory: TempDir,
}

impl Bench {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let bench = Self { directory: tempfile::tempdir().expect("a temporary directory") };
        fs::create_dir_all(bench.root()).expect("the tree");
        for (path, text) in files {
            bench.put(path, text);
        }
        bench
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.directory.path().join("store")
    }

    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        put(&self.root(), path, text);
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).expect("it is there");
    }

    pub(crate) fn engine(&self) -> Engine {
        open(&self.root(), &self.store(), 2)
    }

    pub(crate) fn refresh(&self) -> RefreshReport {
        refresh(&self.engine())
    }

    pub(crate) fn dump(&self) -> String {
        dump(&self.engine())
    }
}

pub(crate) fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let full = root.join(path);
    fs::create_dir_all(full.parent().expect("a file has a directory")).expect("its directory");
    fs::write(full, text).expect("the file");
}

pub(crate) fn settings(threads: usize) -> Settings {
    let mut settings = Settings::default();
    settings.index.threads = threads;
    settings
}

pub(crate) fn open(root: &Path, store: &Path, threads: usize) -> Engine {
    open_with(root, store, settings(threads))
}

pub(crate) fn open_with(root: &Path, store: &Path, settings: Settings) -> Engine {
    let options = OpenOptions { store: Some(store.to_owned()), ..OpenOptions::default() };
    Engine::open(root, settings, &options).expect("the engine opens")
}

pub(crate) fn refresh(engine: &Engine) -> RefreshReport {
    engine.refresh(&RefreshOptions::default(), &NoProgress).expect("the index is refreshed")
}

/// Refreshes the facts and defers resolution.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn refresh_facts(engine: &Engine) -> RefreshReport {
    let options = RefreshOptions {
        depth: RefreshDepth::Facts,
        max_resolved_with_change: Some(0),
        ..RefreshOptions::default()
    };
    engine.refresh(&options, &NoProgress).expect("the index is refreshed")
}

/// The lines of a dump about facts.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn facts_of(dump: &str) -> String {
    let graph = ["edge\t", "outside\t", "unresolved\t", "router\t", "route\t", "surface\t"];
    dump.lines().filter(|line| !graph.iter().any(|kind| line.starts_with(kind))).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    )
}

pub(crate) fn dump(engine: &Engine) -> String {
    let mut out = Vec::new();
    let snapshot = engine.snapshot().expect("a snapshot");
    snapshot.dump(&mut out).expect("a dump");
    String::from_utf8(out).expect("a dump is text")
}

/// The dump of a full build.
pub(crate) fn fresh(root: &Path, threads: usize) -> String {
    let store = tempfile::tempdir().expect("a store");
    let engine = open(root, store.path(), threads);
    refresh(&engine);
    let snapshot = engine.snapshot().expect("a snapshot");
    assert_eq!(snapshot.check().expect("it can be checked"), Vec::<String>::new());
    dump(&engine)
}

/// Waits until stamps of earlier writes can be trusted.
pub(crate) fn settle() {
    std::thread::sleep(Duration::from_millis(150));
}

/// The files of a dump, by path.
pub(crate) fn files(dump: &str) -> Vec<&str> {
    dump.lines().filter_map(|line| line.strip_prefix("file\t")?.split('\t').next()).collect()
}
