//! Reads a portable index into a new database and into the cache. Nothing is kept unless everything is valid.

use super::container::PortableFile;
use super::error::PortableError;
use super::export::{REPORT_EVERY, RowProgress};
use super::row_stream::{NextItem, RowReader};
use super::tables::{FACTS, FACTS_COLUMNS, FIRST_HISTORY, HISTORY, INDEX, PortableTable, is_inside};
use crate::CachedFacts;
use crate::cache::{Cache, CacheKey};
use crate::codec::Encoded;
use crate::connection::database_path::DatabasePath;
use crate::connection::open;
use crate::connection::write_lock::WriteLock;
use crate::error::{AtPath, StoreError};
use crate::reader::snapshot::Snapshot;
use crate::sql::meta;
use crate::writer::bulk_load::{NewDatabase, swap_in};
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params_from_iter};
use std::path::Path;

const OUTLINE: &str = "SELECT data FROM outline WHERE file = ?1";
const COUNT_FILES: &str = "SELECT count(*) FROM file";
const COMMITS: &str = "SELECT coalesce(sum(count), 0) FROM history_graph";
/// Ids start at one and leave room for as many again.
const IDS: [&str; 4] = ["file", "symbol", "chunk", "name"];
const MAX_ID: i64 = 1 << 31;
/// Whatever the file says, the counters follow from the rows.
const COUNTERS: &str = "UPDATE meta SET generation = 1, owed = (SELECT count(*) FROM owed),
    next_file = (SELECT coalesce(max(id), 0) + 1 FROM file), next_symbol = (SELECT coalesce(max(id), 0) + 1 FROM symbol),
    next_chunk = (SELECT coalesce(max(id), 0) + 1 FROM chunk), next_name = (SELECT coalesce(max(id), 0) + 1 FROM name)";

/// Where to import to.
#[derive(Clone, Copy, Debug)]
pub struct ImportTarget<'t> {
    /// The index that is created.
    pub index: &'t Path,
    /// The cache that facts are added to.
    pub cache: &'t Path,
    /// Whether there is an index already, which stays: only facts and history are added.
    pub keep_index: bool,
    /// The day of use of the facts.
    pub day: u32,
}

/// What was imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportedRows {
    /// Number of files in the index; 0 if an existing index was kept.
    pub files: u64,
    /// Number of contents whose facts were not known before.
    pub facts: u64,
    /// Number of commits of the history index; 0 if there was one already.
    pub commits: u64,
}

/// Imports a file; the lock is that of the index's directory.
pub fn import_index(
    file: &mut PortableFile,
    target: &ImportTarget<'_>,
    _lock: &WriteLock,
    progress: &mut RowProgress<'_>,
) -> Result<ImportedRows, PortableError> {
    let (total, extractor) = (file.header().rows, file.header().extractor);
    let growing = NewDatabase::beside(&DatabasePath::at(target.index)?);
    let db = open::load(&growing.0, u64::MAX)?;
    db.execute_batch("BEGIN").at(&growing.0.path)?;
    meta::create_tables(&db).at(&growing.0.path)?;
    let cache = Cache::open(target.cache);
    let mut import = Import {
        index: &db,
        path: &growing.0.path,
        cache: cache.writing(),
        day: target.day,
        adds_history: false,
        values: Vec::new(),
        imported: ImportedRows::default(),
        total,
        done: 0,
        progress,
    };
    import.begin_cache()?;
    import.sections(&mut file.rows()?)?;
    let (imported, goes_on) = (import.imported, (import.progress)(total, total));
    if !goes_on {
        return Err(PortableError::Cancelled);
    }
    let files = finish(&db, &growing.0.path, extractor)?;
    if target.keep_index {
        commit(cache.writing());
        return Ok(imported);
    }
    verify(db)?;
    open::enable_wal(&growing.0)?;
    growing.0.file()?.sync_all().at(&growing.0.path)?;
    commit(cache.writing());
    swap_in(&growing.0, target.index)?;
    Ok(ImportedRows { files, ..imported })
}

/// What the cache does not take is extracted again.
fn commit(cache: Option<&Connection>) {
    let _ = cache.map(|db| db.execute_batch("COMMIT"));
}

/// Builds the indexes and the counters; returns the number of files.
fn finish(db: &Connection, path: &Path, extractor: u64) -> Result<u64, PortableError> {
    for table in IDS {
        let outside = format!("SELECT 1 FROM {table} WHERE id < 1 OR id >= {MAX_ID}");
        if db.prepare(&outside).and_then(|mut statement| statement.exists([])).at(path)? {
            return Err(PortableError::invalid(format!("an id of table {table} is out of range")));
        }
    }
    meta::create_indexes(db).map_err(|error| refused(path, error))?;
    db.execute_batch(COUNTERS).map_err(|error| refused(path, error))?;
    let files = db.query_row(COUNT_FILES, [], |row| row.get(0)).at(path)?;
    let stored = meta::select(db).map_err(|error| refused(path, error))?;
    if stored.is_none_or(|meta| meta.extractor != extractor) {
        return Err(PortableError::invalid("its first row contradicts its header"));
    }
    db.execute_batch("COMMIT").map_err(|error| refused(path, error))?;
    Ok(files)
}

/// Checks that rows, outlines and graphs agree, so that no query meets what the program would not have written.
fn verify(db: crate::connection::database::Db) -> Result<(), PortableError> {
    let name = Path::new("the imported index");
    let meta =
        meta::select(&db).at(name)?.ok_or_else(|| PortableError::invalid("its first row is missing"))?;
    let faults = Snapshot::in_memory(db, name, meta)?.check().map_err(|error| match error {
        StoreError::Damaged { detail, .. } => PortableError::Invalid(detail),
        error => error.into(),
    })?;
    faults.into_iter().next().map_or(Ok(()), |fault| Err(PortableError::Invalid(fault)))
}

/// The error of a statement that a row made fail.
fn refused(path: &Path, error: rusqlite::Error) -> PortableError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => {
            PortableError::Invalid(error.to_string())
        }
        None => PortableError::Invalid(error.to_string()),
        Some(_) => StoreError::sql(path, error).into(),
    }
}

struct Import<'i, 'p> {
    index: &'i Connection,
    path: &'i Path,
    /// The cache, if it can be written.
    cache: Option<&'i Connection>,
    day: u32,
    /// Whether there was no history index.
    adds_history: bool,
    values: Vec<Value>,
    imported: ImportedRows,
    total: u64,
    done: u64,
    progress: &'i mut RowProgress<'p>,
}

impl Import<'_, '_> {
    /// Everything is added to the cache in one transaction, or nothing is.
    fn begin_cache(&mut self) -> Result<(), PortableError> {
        let Some(cache) = self.cache else { return Ok(()) };
        if cache.execute_batch("BEGIN IMMEDIATE").is_err() {
            // Another process is writing it.
            self.cache = None;
            return Ok(());
        }
        self.adds_history = cache.query_row(COMMITS, [], |row| row.get::<_, u64>(0)).at(self.path)? == 0;
        if self.adds_history {
            for table in HISTORY {
                cache.execute(&format!("DELETE FROM {}", table.name), []).at(self.path)?;
            }
        }
        Ok(())
    }

    fn sections(&mut self, rows: &mut RowReader<'_>) -> Result<(), PortableError> {
        let (mut item, mut last) = (rows.next()?, None);
        loop {
            let number = match item {
                NextItem::End => return Ok(()),
                NextItem::Section(number) if last.is_none_or(|last| last < number) => number,
                _ => return Err(PortableError::invalid("its tables are out of order")),
            };
            last = Some(number);
            item = if let Some(table) = INDEX.get(usize::from(number)) {
                self.table(rows, table, Some(self.index))?
            } else if number == FACTS {
                self.facts(rows)?
            } else if let Some(table) =
                number.checked_sub(FIRST_HISTORY).and_then(|at| HISTORY.get(usize::from(at)))
            {
                let item = self.table(rows, table, self.cache.filter(|_| self.adds_history))?;
                if let (Some(cache), true) = (self.cache, self.adds_history) {
                    self.imported.commits =
                        cache.query_row(COMMITS, [], |row| row.get(0)).unwrap_or_default();
                }
                item
            } else {
                return Err(PortableError::invalid("an unknown table"));
            };
        }
    }

    /// Inserts the rows of a section, or reads past them; returns what follows.
    fn table(
        &mut self,
        rows: &mut RowReader<'_>,
        table: &PortableTable,
        to: Option<&Connection>,
    ) -> Result<NextItem, PortableError> {
        let mut insert = to.map(|db| db.prepare(&table.insert())).transpose().at(self.path)?;
        loop {
            let item = rows.next()?;
            if item != NextItem::Row {
                return Ok(item);
            }
            rows.values(table.columns, &mut self.values)?;
            if let Some(column) = table.path
                && !matches!(&self.values[column], Value::Blob(path) if is_inside(path))
            {
                return Err(PortableError::invalid("a path that leads out of the tree"));
            }
            if let Some(insert) = &mut insert {
                insert.execute(params_from_iter(&self.values)).map_err(|error| refused(self.path, error))?;
            }
            self.count()?;
        }
    }

    fn facts(&mut self, rows: &mut RowReader<'_>) -> Result<NextItem, PortableError> {
        let mut outlines = self.index.prepare(OUTLINE).at(self.path)?;
        loop {
            let item = rows.next()?;
            if item != NextItem::Row {
                return Ok(item);
            }
            rows.values(FACTS_COLUMNS, &mut self.values)?;
            let [Value::Integer(file), Value::Blob(key), outline, Value::Blob(flow)] = self.values.as_slice()
            else {
                return Err(PortableError::invalid("facts of another form"));
            };
            let key =
                CacheKey::from_bytes(key).ok_or_else(|| PortableError::invalid("a key of another form"))?;
            let outline = match outline {
                Value::Blob(outline) => Some(outline.clone()),
                Value::Null => outlines.query_row([file], |row| row.get(0)).optional().at(self.path)?,
                _ => None,
            };
            let outline = outline.ok_or_else(|| PortableError::invalid("facts without an outline"))?;
            let facts = CachedFacts {
                outline: Encoded::from_bytes(outline),
                flow: Encoded::from_bytes(flow.as_slice()),
            };
            if let Some(cache) = self.cache {
                let is_new =
                    key.insert(cache, &facts, self.day).map_err(|error| refused(self.path, error))?;
                self.imported.facts += u64::from(is_new);
            }
            self.count()?;
        }
    }

    fn count(&mut self) -> Result<(), PortableError> {
        self.done += 1;
        let goes_on = !self.done.is_multiple_of(REPORT_EVERY) || (self.progress)(self.done, self.total);
        if goes_on { Ok(()) } else { Err(PortableError::Cancelled) }
    }
}
