//! Connections kept between questions: opening one, reading its schema and compiling its statements takes longer than most
//! questions do.

use crate::connection::database::Db;
use crate::connection::database_path::Located;
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

/// How many are kept while nobody asks: each holds on to the statements it has compiled and a few pages. A server answers
/// about as many questions at once.
const MOST: usize = 6;

/// Opens snapshots of one index again and again, over connections it keeps.
#[derive(Clone, Default)]
pub struct Readers(Arc<Kept>);

#[derive(Default)]
struct Kept {
    idle: Mutex<Vec<Idle>>,
    /// Which file was opened last.
    file: Mutex<Option<FileKey>>,
    replaced: AtomicBool,
}

/// A connection outside any transaction.
struct Idle {
    db: Db,
    files: Files,
}

/// Which files a connection reads: the database, and what it shares with other processes beside it. A name may come to
/// mean other files, with which the connection has nothing to do.
#[derive(Clone, PartialEq, Eq)]
struct Files([(u64, u64); 2]);

impl Files {
    /// None where the system does not tell files apart: an open file could not be replaced there, and nothing is kept.
    fn at(place: &Located) -> Option<Self> {
        place.identity().map(Self)
    }
}

impl Readers {
    /// As [`Snapshot::open`], sooner where a connection is at hand.
    pub fn open(&self, path: &Path) -> Result<Snapshot, StoreError> {
        let place = Located::at(path)?;
        let _opening = write_lock::opening(&place.folder);
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

    /// Whether another file than before was opened since the last call: nothing that is kept of the old one holds.
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

    fn lend(&self, db: Db, files: Option<Files>) -> Lent {
        Lent { db: Some(db), home: files.map(|files| Box::new((self.clone(), files))) }
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

/// Begins to read; none where that fails, or where another program has changed the format meanwhile.
fn begin(db: &Connection) -> Option<Meta> {
    db.execute_batch("BEGIN").ok()?;
    let format: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0)).ok()?;
    meta::select(db).ok()?.filter(|_| format == FORMAT)
}

/// A connection inside a read transaction, which goes back to where it is kept.
pub(crate) struct Lent {
    db: Option<Db>,
    home: Option<Box<(Readers, Files)>>,
}

impl Lent {
    /// The connection for good.
    pub(crate) fn into_inner(mut self) -> Db {
        self.db.take().expect("it is taken once, by value")
    }
}

impl From<Db> for Lent {
    fn from(db: Db) -> Self {
        Self { db: Some(db), home: None }
    }
}

impl Deref for Lent {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db.as_deref().expect("it is taken by value only")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (Some(db), Some(home)) = (self.db.take(), self.home.take())
            && db.execute_batch("ROLLBACK").is_ok()
        {
            let (readers, files) = *home;
            readers.keep(Idle { db, files });
        }
    }
}
