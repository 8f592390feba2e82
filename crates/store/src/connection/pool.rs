//! A pool of read connections. Opening one, reading its schema and compiling its statements takes longer than most queries.

use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use crate::connection::open::{self, Opened};
use crate::connection::write_lock;
use crate::error::StoreError;
use crate::format_version::FORMAT;
use crate::integrity::damaged_files::FileKey;
use crate::integrity::seal;
use crate::reader::snapshot::Snapshot;
use crate::sql::meta::{self, Meta};
use rusqlite::Connection;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of idle connections. Each holds its compiled statements and a few pages; a server answers about as
/// many queries at once.
const MOST: usize = 6;

/// Opens snapshots of one index over pooled connections.
#[derive(Clone, Default)]
pub struct ConnectionPool(Arc<Kept>);

#[derive(Default)]
struct Kept {
    idle: Mutex<Vec<Idle>>,
    /// The file that was opened last.
    file: Mutex<Option<FileKey>>,
    replaced: AtomicBool,
}

/// A connection without a transaction.
struct Idle {
    db: Db,
    files: Files,
}

/// The identities of the files that a connection reads: the database and its shared memory. Another file may get the same
/// name; the connection still reads the old one.
#[derive(Clone, PartialEq, Eq)]
struct Files([(u64, u64); 2]);

impl Files {
    /// `None` if the system has no file identities. An open file cannot be replaced there, so nothing is pooled.
    fn at(place: &DatabasePath) -> Option<Self> {
        place.identity().map(Self)
    }
}

impl ConnectionPool {
    /// Like [`Snapshot::open`], but uses an idle connection if there is one.
    pub fn open(&self, path: &Path) -> Result<Snapshot, StoreError> {
        let place = DatabasePath::at(path)?;
        let _opening = write_lock::opening(&place.directory);
        if Files::at(&place).is_some() {
            seal::check(&place)?;
        }
        self.note(path);
        while let Some(Idle { db, files }) = self.take() {
            if Files::at(&place).as_ref() == Some(&files)
                && let Some(meta) = begin(&db)
            {
                return Ok(Snapshot::over(self.lend(db, Some(files)), path, meta));
            }
        }
        let Opened { db, meta } = open::read_while_opening(&place)?;
        Ok(Snapshot::over(self.lend(db, Files::at(&place)), path, meta))
    }

    /// Whether the file was replaced by another since the last call. Everything cached from the old one is then invalid.
    pub fn take_replaced(&self) -> bool {
        self.0.replaced.swap(false, Ordering::Relaxed)
    }

    fn note(&self, path: &Path) {
        let Some(now) = FileKey::at(path) else { return };
        let before = self.0.file.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        if before.is_some_and(|before| before != now) {
            self.0.replaced.store(true, Ordering::Relaxed);
        }
    }

    fn lend(&self, db: Db, files: Option<Files>) -> PooledConnection {
        PooledConnection { db: Some(db), home: files.map(|files| Box::new((self.clone(), files))) }
    }

    fn take(&self) -> Option<Idle> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn keep(&self, idle: Idle) {
        let mut kept = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST {
            kept.push(idle);
        }
    }
}

/// Begins a read transaction; `None` if that fails or another program has changed the format.
fn begin(db: &Connection) -> Option<Meta> {
    db.execute_batch("BEGIN").ok()?;
    let format: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0)).ok()?;
    meta::select(db).ok()?.filter(|_| format == FORMAT)
}

/// A connection inside a read transaction, which returns to its pool when dropped.
pub(crate) struct PooledConnection {
    db: Option<Db>,
    home: Option<Box<(ConnectionPool, Files)>>,
}

impl PooledConnection {
    /// Takes the connection out of the pool.
    pub(crate) fn into_inner(mut self) -> Db {
        self.db.take().expect("`self` is consumed")
    }
}

impl From<Db> for PooledConnection {
    fn from(db: Db) -> Self {
        Self { db: Some(db), home: None }
    }
}

impl Deref for PooledConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db.as_deref().expect("only consuming methods take it")
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let (Some(db), Some(home)) = (self.db.take(), self.home.take())
            && db.execute_batch("ROLLBACK").is_ok()
        {
            let (readers, files) = *home;
            readers.keep(Idle { db, files });
        }
    }
}
