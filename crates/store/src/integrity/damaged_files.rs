//! Which files were found damaged by this process: one list, so that damage is known even where an error on the way was taken
//! for "not there". A file that is replaced is another file, and not on the list.

use crate::connection::database_path::Located;
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileKey(u64, u64);

impl FileKey {
    /// The file at a path.
    #[cfg(unix)]
    pub(crate) fn at(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = std::fs::metadata(path).ok()?;
        Some(Self(file.dev(), file.ino()))
    }

    /// The file of a database.
    pub(crate) fn of(database: &Located) -> Option<Self> {
        match database.folder.entry(&database.name)?.id {
            (0, 0) => Self::at(&database.path),
            (device, inode) => Some(Self(device, inode)),
        }
    }

    /// Where files have no numbers, the name has to do.
    #[cfg(not(unix))]
    pub(crate) fn at(path: &Path) -> Option<Self> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        path.canonicalize().ok()?.hash(&mut hasher);
        Some(Self(0, hasher.finish()))
    }
}

static FOUND: LazyLock<Mutex<HashMap<FileKey, String>>> = LazyLock::new(Mutex::default);

thread_local! {
    static LATEST: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn found() -> MutexGuard<'static, HashMap<FileKey, String>> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes what is wrong with a file; the first fault found is the one that is told.
pub(crate) fn report(file: FileKey, what: &str) {
    let known = match found().entry(file) {
        Entry::Occupied(_) => true,
        Entry::Vacant(first) => {
            first.insert(what.to_owned());
            false
        }
    };
    if !known {
        tracing::warn!("a file of the store is damaged");
    }
    LATEST.with_borrow_mut(|latest| *latest = Some(what.to_owned()));
}

/// The same for the file of a database, where there is one.
pub(crate) fn report_of(database: &Located, what: &str) {
    if let Some(file) = FileKey::of(database) {
        report(file, what);
    }
}

/// The same for the file at a path.
pub(crate) fn report_at(path: &Path, what: &str) {
    if let Some(file) = FileKey::at(path) {
        report(file, what);
    }
}

/// What this thread reported last: what stands behind an error that SQLite can only give a number.
pub(crate) fn take_latest() -> Option<String> {
    LATEST.with_borrow_mut(Option::take)
}

/// What this process has found wrong with the database at a path, if anything.
pub fn damage(path: &Path) -> Option<String> {
    let found = found();
    if found.is_empty() {
        return None;
    }
    found.get(&FileKey::at(path)?).cloned()
}

/// Forgets what was said of a file: another has its number now.
pub(crate) fn forget(file: FileKey) {
    found().remove(&file);
}
