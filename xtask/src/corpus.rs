//! A directory of sources, listed and classified like in the product, and read on several threads.

use anyhow::{Context, Result};
use orient_lang::{Pack, Registry};
use orient_model::RepoPath;
use orient_walk::{RootDirectory, WalkOptions};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A listed directory.
pub(crate) struct Corpus {
    tree: RootDirectory,
    limit: u64,
    files: Vec<RepoPath>,
}

/// A text file of a corpus.
pub(crate) struct Text<'c> {
    pub(crate) path: &'c RepoPath,
    pub(crate) bytes: Vec<u8>,
    pub(crate) pack: Option<&'static Pack>,
}

impl Corpus {
    /// Lists `directory` with the default settings.
    pub(crate) fn list(directory: &Path, threads: usize) -> Result<Self> {
        let options = WalkOptions { threads, ..WalkOptions::default() };
        let listing = orient_walk::list(directory, &options)
            .with_context(|| format!("listing {}", directory.display()))?;
        let tree =
            RootDirectory::open(directory).with_context(|| format!("opening {}", directory.display()))?;
        let files = listing.files.into_iter().map(|entry| entry.path).collect();
        Ok(Self { tree, limit: options.max_file_size, files })
    }

    /// Changes the order of the files for [`Corpus::read`].
    pub(crate) fn order_by(&mut self, key: impl Fn(&RepoPath) -> u64) {
        self.files.sort_by_cached_key(key);
    }

    /// Reads every text file on `threads` threads and passes each to `see` together with a state per thread. The
    /// states are returned in no particular order.
    pub(crate) fn read<S: Send>(
        &self,
        threads: usize,
        start: impl Fn() -> S + Sync,
        see: impl Fn(&mut S, Text<'_>) + Sync,
    ) -> Vec<S> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut state = start();
            while let Some(path) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Ok(content) = self.tree.read(path, self.limit) else { continue };
                let pack = Registry::builtin().detect(path.as_bytes(), &content.bytes);
                see(&mut state, Text { path, bytes: content.bytes, pack });
            }
            state
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().expect("a worker only panics where it found a fault"))
                .collect()
        })
    }
}

/// The default number of threads.
pub(crate) fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
