//! A temporary git repository with a store.

use orient_engine::{Engine, OpenOptions};
use orient_history::{History, Oid};
use orient_model::{RepoPath, SymbolKind};
use orient_settings::Settings;
use orient_testkit::git;
use orient_timeline::{
    HistoryCoverage, HistoryIndex, HistoryLimits, IndexStage, SymbolLog, index_history, path_log,
};
use std::ops::ControlFlow;
use std::path::PathBuf;

pub(crate) const ALL: HistoryLimits = HistoryLimits { commits: 1_000_000, since: None };

pub(crate) struct Fixture {
    _directory: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) engine: Engine,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("it is there").join("repo");
        std::fs::create_dir(&root).expect("writable");
        git(&root, &["init", "-q", "-b", "main"]);
        let options = OpenOptions { store: Some(directory.path().join("store")), ..OpenOptions::default() };
        let engine = Engine::open(&root, Settings::default(), &options).expect("it opens");
        Self { _directory: directory, root, engine }
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(&self.root, args)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }

    pub(crate) fn remove(&self, path: &str) {
        let _ = std::fs::remove_file(self.root.join(path));
    }

    pub(crate) fn commit(&self, message: &str) -> Oid {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    pub(crate) fn head(&self) -> Oid {
        self.history().revision("HEAD").expect("a commit")
    }

    pub(crate) fn history(&self) -> History {
        History::open(&self.root).expect("a repository")
    }

    pub(crate) fn index(&self) -> HistoryCoverage {
        index_history(&self.engine, &mut self.history(), ALL, &mut |_, _, _| ControlFlow::Continue(()))
            .expect("it is indexed")
    }

    /// Indexes until a number of commits of a stage is done.
    pub(crate) fn index_until(&self, stage: IndexStage, done: u64) -> HistoryCoverage {
        index_history(&self.engine, &mut self.history(), ALL, &mut |at, count, _| {
            if at == stage && count >= done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .expect("it is indexed")
    }

    pub(crate) fn reader(&self) -> HistoryIndex {
        HistoryIndex::open(self.engine.store_paths())
    }

    /// A reader of an index that has nothing: everything is read from git.
    pub(crate) fn empty_reader(&self) -> HistoryIndex {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let options = OpenOptions { store: Some(directory.path().join("store")), ..OpenOptions::default() };
        let engine = Engine::open(&self.root, Settings::default(), &options).expect("it opens");
        HistoryIndex::open(engine.store_paths())
    }

    /// The log of a symbol, one line per commit.
    pub(crate) fn symbol_log(&self, index: &mut HistoryIndex, path: &str, name: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut history = self.history();
        let head = self.head();
        let mut log = SymbolLog::new(name.to_owned(), SymbolKind::Function);
        log.run(index, &mut history, head, &RepoPath::from(path), &mut |history, entry| {
            let subject = history.commit(&entry.commit)?.subject().to_owned();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            lines.push(format!(
                "{subject}: {} {} {}#{} {}",
                entry.parts.words().join("+"),
                entry.old_path.as_deref().map(text).unwrap_or_default(),
                text(&entry.path),
                entry.name,
                entry.old_name.unwrap_or_default(),
            ));
            Ok(ControlFlow::Continue(()))
        })
        .expect("it is read");
        lines
    }

    /// The log of a path, one line per commit.
    pub(crate) fn path_log(&self, index: &mut HistoryIndex, path: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut history = self.history();
        let head = self.head();
        path_log(index, &mut history, head, &RepoPath::from(path), &mut |_, id, change| {
            let old = change.old_path.as_ref().map(|path| path.display().into_owned());
            lines.push(format!("{id} {:?} {} {old:?}", change.kind, change.path.display()));
            Ok(ControlFlow::Continue(()))
        })
        .expect("it is read");
        lines
    }
}

/// A function with a body that is long enough to be recognised.
pub(crate) fn function(name: &str, number: u32) -> String {
    format!(
        "def {name}(items):\n    total = {number}\n    for item in items:\n        total += item.price * item.count\n    return total\n\n"
    )
}
