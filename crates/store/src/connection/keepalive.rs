//! A database that is kept open: whoever closes one last moves its log into it and waits for the disk, five times or more.
//! Who writes again and again does not want that after each change.

use crate::connection::database::Db;
use crate::connection::database_path::Located;
use crate::connection::write_lock;
use rusqlite::OpenFlags;
use std::path::Path;

/// Keeps a database open and asks nothing of it. Reads only, so it can neither hold up a writer nor tidy up itself.
pub struct Anchor {
    _db: Db,
}

impl Anchor {
    /// Holds the database at a path, if there is one that can be read.
    pub fn hold(path: &Path) -> Option<Self> {
        let at = Located::at(path).ok()?;
        let _opening = write_lock::opening(&at.folder);
        at.check().ok()?;
        let db = at.open(OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        // It counts as open once it was read.
        db.pragma_query_value(None, "schema_version", |row| row.get::<_, i64>(0)).ok()?;
        Some(Self { _db: db })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BulkWriter, Change, WriteLock, Writer};
    use orient_model::RepoPath;

    #[test]
    fn a_held_database_keeps_its_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, log) = (folder.path().join("index.db"), folder.path().join("index.db-wal"));
        let lock = WriteLock::try_acquire(folder.path()).expect("it can be locked").expect("nobody writes");
        BulkWriter::create(&path, &lock, 1, 0).and_then(BulkWriter::publish).expect("an empty index");
        let change = || {
            let mut writer = Writer::open(&path, &lock).expect("it is there");
            writer.apply([Change::Remove(RepoPath::from("a"))]).expect("it can be written");
        };
        change();
        assert!(!log.exists(), "who closes last tidies up");
        let anchor = Anchor::hold(&path).expect("it can be read");
        change();
        assert!(log.exists(), "somebody still has it open");
        change();
        drop(anchor);
        change();
        assert!(!log.exists());
    }
    #[test]
    fn a_log_is_moved_while_the_database_is_held() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index.db");
        let lock = WriteLock::try_acquire(folder.path()).expect("it can be locked").expect("nobody writes");
        BulkWriter::create(&path, &lock, 1, 0).and_then(BulkWriter::publish).expect("an empty index");
        let _anchor = Anchor::hold(&path).expect("it can be read");
        let mut writer = Writer::open(&path, &lock).expect("it is there");
        writer.keep_sheet(crate::Sheet::Tree, b"a sheet").expect("it can be written");
        drop(writer);
        // Nobody has the copy open, and nothing stands beside it.
        let copy = folder.path().join("copy.db");
        let sheet = || {
            std::fs::copy(&path, &copy).expect("it can be copied");
            crate::Snapshot::open(&copy)
                .expect("it is whole")
                .sheet(crate::Sheet::Tree)
                .expect("it can be read")
        };
        assert_eq!(sheet(), None, "it waits in the log");
        crate::move_log(&path);
        assert_eq!(sheet(), None, "it is left to whoever may write");
        drop(lock);
        crate::move_log(&path);
        assert_eq!(sheet().as_deref(), Some(b"a sheet".as_slice()));
    }
}
