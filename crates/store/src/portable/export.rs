//! Writes a portable index.

use super::container::{self, PortableHeader};
use super::error::PortableError;
use super::row_stream::RowWriter;
use super::tables::{FACTS, FIRST_HISTORY, HISTORY, INDEX, PortableTable};
use crate::cache::{Cache, CacheKey};
use crate::connection::open;
use crate::error::AtPath;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

const COUNT_FILES: &str = "SELECT count(*) FROM file";
const CONTENTS: &str = "SELECT id, hash FROM file WHERE hash IS NOT NULL ORDER BY id";
const OUTLINE: &str = "SELECT data FROM outline WHERE file = ?1";
const COMMITS: &str = "SELECT coalesce(sum(count), 0) FROM history_graph";

/// The level at which facts are compressed as well; higher ones are slower than parsing.
const LEVEL: i32 = 3;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportedRows {
    /// Number of files.
    pub files: u64,
    /// Number of contents with facts.
    pub facts: u64,
    /// Number of commits of the history index.
    pub commits: u64,
}

/// Receives the number of rows done and their approximate total; returns whether to continue.
pub(super) type RowProgress<'p> = dyn FnMut(u64, u64) -> bool + 'p;

/// Rows between two reports of progress.
pub(super) const REPORT_EVERY: u64 = 4096;

/// Writes the index and what the cache knows about its contents. Facts of other versions of extraction than those that
/// `is_current` accepts are left out. `program` is the version of the program.
pub fn export_index(
    index: &Path,
    cache: &Path,
    program: &str,
    is_current: &dyn Fn(u64) -> bool,
    to: &mut File,
    progress: &mut RowProgress<'_>,
) -> Result<ExportedRows, PortableError> {
    let opened = open::read(index)?;
    let cache = Cache::open(cache);
    let files = count(&opened.db, COUNT_FILES).at(index)?;
    let mut total = files;
    for table in INDEX {
        total += count(&opened.db, &format!("SELECT count(*) FROM {}", table.name)).at(index)?;
    }
    let header = PortableHeader::new(program, opened.meta.extractor, files, total);
    container::write(to, &header, LEVEL, |rows| {
        let mut export = Export { rows, total, done: 0, progress };
        for (number, table) in (0..).zip(INDEX) {
            export.table(&opened.db, number, table, index)?;
        }
        let mut exported = ExportedRows { files, ..ExportedRows::default() };
        if let Some(cached) = cache.reading() {
            exported.facts = export.facts(&opened.db, index, cached, is_current)?;
            exported.commits = count(cached, COMMITS).unwrap_or_default();
            if exported.commits > 0 {
                for (number, table) in (FIRST_HISTORY..).zip(HISTORY) {
                    export.table(cached, number, table, cache.path())?;
                }
            }
        }
        Ok(exported)
    })
}

fn count(db: &Connection, sql: &str) -> rusqlite::Result<u64> {
    db.query_row(sql, [], |row| row.get(0))
}

struct Export<'x, 'w, 'p> {
    rows: &'x mut RowWriter<'w>,
    total: u64,
    done: u64,
    progress: &'x mut RowProgress<'p>,
}

impl Export<'_, '_, '_> {
    fn table(
        &mut self,
        db: &Connection,
        number: u8,
        table: &PortableTable,
        path: &Path,
    ) -> Result<(), PortableError> {
        self.rows.section(number)?;
        let mut statement = db.prepare(table.select).at(path)?;
        let mut rows = statement.query([]).at(path)?;
        while let Some(row) = rows.next().at(path)? {
            self.rows.row((0..table.columns).map(|at| row.get_ref_unwrap(at)))?;
            self.count()?;
        }
        Ok(())
    }

    /// Writes the facts of every content of the index once. The outline is left out if it is that of the file.
    fn facts(
        &mut self,
        index: &Connection,
        path: &Path,
        cache: &Connection,
        is_current: &dyn Fn(u64) -> bool,
    ) -> Result<u64, PortableError> {
        self.rows.section(FACTS)?;
        let (mut seen, mut written) = (HashSet::new(), 0);
        let mut contents = index.prepare(CONTENTS).at(path)?;
        let mut outlines = index.prepare(OUTLINE).at(path)?;
        let mut rows = contents.query([]).at(path)?;
        while let Some(row) = rows.next().at(path)? {
            let (file, hash): (i64, [u8; 16]) = (row.get(0).at(path)?, row.get(1).at(path)?);
            self.count()?;
            if !seen.insert(hash) {
                continue;
            }
            let outline: Option<Vec<u8>> =
                outlines.query_row([file], |row| row.get(0)).optional().at(path)?;
            // Facts that cannot be read are extracted again.
            for (key, facts) in CacheKey::facts_of(cache, hash, is_current).unwrap_or_default() {
                let is_same = outline.as_deref() == Some(facts.outline.as_bytes());
                let own = if is_same { ValueRef::Null } else { ValueRef::Blob(facts.outline.as_bytes()) };
                let key = ValueRef::Blob(key.as_bytes());
                let flow = ValueRef::Blob(facts.flow.as_bytes());
                self.rows.row([ValueRef::Integer(file), key, own, flow])?;
                written += 1;
            }
        }
        Ok(written)
    }

    fn count(&mut self) -> Result<(), PortableError> {
        self.done += 1;
        let goes_on = !self.done.is_multiple_of(REPORT_EVERY) || (self.progress)(self.done, self.total);
        if goes_on { Ok(()) } else { Err(PortableError::Cancelled) }
    }
}
