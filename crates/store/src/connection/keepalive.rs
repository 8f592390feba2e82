//! Keeps a database open, so that closing another connection does not checkpoint.
//!
//! When the last connection closes a database, SQLite moves the write-ahead log into it and waits for the disk several
//! times. A process that writes repeatedly avoids that after each change set by holding one more connection.

use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use crate::connection::write_lock;
use rusqlite::OpenFlags;
use std::path::Path;

/// Holds a read-only connection without a transaction: it neither blocks a writer nor checkpoints itself.
pub struct KeepAlive {
    _db: Db,
}

impl KeepAlive {
    /// Opens the database at a path; `None` if it does not exist or cannot be read.
    pub fn hold(path: &Path) -> Option<Self> {
        let at = DatabasePath::at(path).ok()?;
        let _opening = write_lock::opening(&at.directory);
        at.check().ok()?;
        let db = at.open(OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        // A connection counts as open only after its first read.
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
    fn the_write_ahead_log_stays_while_the_database_is_held() {
        let directory = tempfile::tempdir().expect("a directory");
        let (path, log) = (directory.path().join("index.db"), directory.path().join("index.db-wal"));
        let lock =
            WriteLock::try_acquire(directory.path()).expect("it can be locked").expect("nobody writes");
        BulkWriter::create(&path, &lock, 1, 0).and_then(BulkWriter::publish).expect("an empty index");
        let change = || {
            let mut writer = Writer::open(&path, &lock).expect("it is there");
            writer.apply([Change::Remove(RepoPath::from("a"))]).expect("it can be written");
        };
        change();
        assert!(!log.exists(), "the last connection checkpoints");
        let anchor = KeepAlive::hold(&path).expect("it can be read");
        change();
        assert!(log.exists(), "another connection is open");
        change();
        drop(anchor);
        change();
        assert!(!log.exists());
    }

    /// Bytes of a linear congruential generator.
    fn incompressible(bytes: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state.to_be_bytes()[0]
        };
        std::iter::repeat_with(&mut next).take(bytes).collect()
    }

    #[test]
    fn a_large_change_leaves_no_log_behind_even_while_the_database_is_held() {
        let directory = tempfile::tempdir().expect("a directory");
        let (path, log) = (directory.path().join("index.db"), directory.path().join("index.db-wal"));
        let lock =
            WriteLock::try_acquire(directory.path()).expect("it can be locked").expect("nobody writes");
        BulkWriter::create(&path, &lock, 1, 0).and_then(BulkWriter::publish).expect("an empty index");
        let _anchor = KeepAlive::hold(&path).expect("it can be read");
        let change = |bytes: usize| {
            let mut writer = Writer::open(&path, &lock).expect("it is there");
            writer
                .put_manifest(crate::ManifestKind::Tree, &incompressible(bytes))
                .expect("it can be written");
            writer.truncate_large_log();
            drop(writer);
            log.metadata().expect("another connection is open").len()
        };
        assert!(change(1000) > 0, "a small log is cheaper to read than to write in place");
        assert_eq!(change(8 << 20), 0);
    }

    #[test]
    fn an_explicit_checkpoint_works_while_the_database_is_held() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("index.db");
        let lock =
            WriteLock::try_acquire(directory.path()).expect("it can be locked").expect("nobody writes");
        BulkWriter::create(&path, &lock, 1, 0).and_then(BulkWriter::publish).expect("an empty index");
        let _anchor = KeepAlive::hold(&path).expect("it can be read");
        let mut writer = Writer::open(&path, &lock).expect("it is there");
        writer.put_manifest(crate::ManifestKind::Tree, b"a manifest").expect("it can be written");
        drop(writer);
        // The copy has no write-ahead log.
        let copy = directory.path().join("copy.db");
        let manifest = || {
            std::fs::copy(&path, &copy).expect("it can be copied");
            crate::Snapshot::open(&copy)
                .expect("it is whole")
                .manifest(crate::ManifestKind::Tree)
                .expect("it can be read")
        };
        assert_eq!(manifest(), None, "the change is in the write-ahead log");
        crate::checkpoint_wal(&path);
        assert_eq!(manifest(), None, "a writer holds the lock");
        drop(lock);
        crate::checkpoint_wal(&path);
        assert_eq!(manifest().as_deref(), Some(b"a manifest".as_slice()));
    }
}
