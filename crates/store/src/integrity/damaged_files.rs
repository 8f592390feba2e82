//! The registry of damaged files that this process has found. Damage stays known even if an error on the way is taken for
//! "missing". A file that replaces a damaged one has another identity and is not in the registry.

use crate::connection::database_path::DatabasePath;
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The identity of a file, independent of its name.
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

    /// The identity of a database.
    pub(crate) fn of(database: &DatabasePath) -> Option<Self> {
        match database.directory.entry(&database.name)?.id {
            (0, 0) => Self::at(&database.path),
            (device, inode) => Some(Self(device, inode)),
        }
    }

    /// On systems without inode numbers, the path identifies a file.
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

/// Records what is wrong with a file. The first fault is kept.
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

/// The same for a database, if its file exists.
pub(crate) fn report_of(database: &DatabasePath, what: &str) {
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

/// The last fault that this thread recorded: the cause of an error for which SQLite only has a number.
pub(crate) fn take_latest() -> Option<String> {
    LATEST.with_borrow_mut(Option::take)
}

/// The fault that this process has found in the database at a path, if any.
pub fn damage(path: &Path) -> Option<String> {
    let found = found();
    if found.is_empty() {
        return None;
    }
    found.get(&FileKey::at(path)?).cloned()
}

/// Removes a file from the registry, since another file has its identity now.
pub(crate) fn forget(file: FileKey) {
    found().remove(&file);
}
