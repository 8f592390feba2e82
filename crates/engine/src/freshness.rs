//! Freshness: the strategy that brings an index up to date before a query.

use crate::progress::Progress;
use crate::{Engine, EngineError, RefreshMode, RefreshOptions, RefreshReport};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Keeps the index of one tree as fresh as its files. A query that follows reflects every change made before the
/// call, or [`RefreshReport::pending`] lists the paths that may be stale.
pub trait Freshness: Send + Sync {
    /// Brings the index up to date.
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError>;
}

/// Compares every file with the index on each call.
#[derive(Clone, Copy, Debug, Default)]
pub struct FullScan;

impl Freshness for FullScan {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        engine.refresh(options, progress)
    }
}

/// For a tree that never changes: its index is compared with it again only if another process may have written the index.
#[derive(Debug, Default)]
pub struct StoredTree(Mutex<Option<ComparedIndex>>);

/// An index that was found to be up to date.
#[derive(Clone, Debug)]
struct ComparedIndex {
    files: [FileStamp; 2],
    at: Instant,
    report: RefreshReport,
}

/// What changes when a file is written or replaced: its size, when it was written, its identity.
type FileStamp = (u64, SystemTime, u64);

/// After this time, an index is compared again, which also records that it is in use.
const COMPARED_FOR: Duration = Duration::from_mins(1);
/// A file that was written less than this before may be written again without a new time.
const CLOCK_TICK: Duration = Duration::from_secs(1);

impl Freshness for StoredTree {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        let now = SystemTime::now();
        let before = index_files(&engine.store_paths().index());
        if options.mode == RefreshMode::CatchUp
            && let Some(compared) = self.lock().as_ref()
            && before == Some(compared.files)
            && compared.at.elapsed() < COMPARED_FOR
            && engine.damage().is_none()
        {
            return Ok(compared.report.clone());
        }
        let report = engine.refresh(options, progress)?;
        let is_settled = |stamp: &FileStamp| now.duration_since(stamp.1).is_ok_and(|age| age > CLOCK_TICK);
        let is_complete =
            report.owed == 0 && report.manifest_current && !report.in_memory && report.pending.is_empty();
        let files = before.filter(|files| {
            let is_unwritten = || index_files(&engine.store_paths().index()) == Some(*files);
            is_complete && files.iter().all(is_settled) && is_unwritten()
        });
        *self.lock() = files.map(|files| ComparedIndex { files, at: Instant::now(), report: report.clone() });
        Ok(report)
    }
}

impl StoredTree {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ComparedIndex>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stamps of an index and of its seal, which every writer renews; `None` if one is missing.
fn index_files(index: &Path) -> Option<[FileStamp; 2]> {
    let seal = orient_store::seal_path(index);
    Some([file_stamp(index)?, file_stamp(&seal)?])
}

#[cfg(unix)]
fn file_stamp(path: &Path) -> Option<FileStamp> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?, metadata.ino()))
}

#[cfg(not(unix))]
fn file_stamp(path: &Path) -> Option<FileStamp> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoProgress, OpenOptions};
    use orient_settings::Settings;
    use std::fs;

    #[test]
    fn a_stored_tree_is_compared_again_when_its_index_was_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let (tree, store) = (directory.path().join("tree"), directory.path().join("store"));
        fs::create_dir(&tree).expect("created");
        fs::write(tree.join("a.py"), "def a(): pass\n").expect("written");
        let options = OpenOptions { store: Some(store), ..OpenOptions::default() };
        let engine = Engine::open(&tree, Settings::default(), &options).expect("it can be opened");
        let freshness = StoredTree::default();
        let catch_up =
            || freshness.catch_up(&engine, &RefreshOptions::default(), &NoProgress).expect("refreshed");
        // Times that are too recent are not trusted: of the file at first, then of the index that is written for it.
        for _ in 0..2 {
            catch_up();
            std::thread::sleep(CLOCK_TICK + Duration::from_millis(200));
        }
        catch_up();
        // A tree that is stored does not change; this one shows what is compared.
        fs::write(tree.join("b.py"), "def b(): pass\n").expect("written");
        assert_eq!(catch_up().added, 0, "nobody has written the index");
        let other = Engine::open(&tree, Settings::default(), &options).expect("it can be opened");
        let rebuild = RefreshOptions { mode: RefreshMode::Rebuild, ..RefreshOptions::default() };
        other.refresh(&rebuild, &NoProgress).expect("rebuilt");
        fs::write(tree.join("c.py"), "def c(): pass\n").expect("written");
        assert_eq!(catch_up().added, 1, "another engine has written the index");
    }
}
