//! The vectors of chunks: one blob per file, split over several rows.

use rusqlite::{Connection, Result, params};

const PUT: &str = "INSERT OR REPLACE INTO vector VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM vector WHERE key >= ?1 AND key < ?2";
const ALL: &str = "SELECT key, data FROM vector ORDER BY key";
const CLEAR: &str = "DELETE FROM vector";
const MISSING: &str = "SELECT f.id FROM file f WHERE f.id > ?1 AND f.status = 0 \
     AND f.chunks > 0 AND NOT EXISTS (SELECT 1 FROM vector WHERE key = f.id << 16) ORDER BY f.id LIMIT ?2";
const OF_FILE: &str = "SELECT data FROM vector WHERE key >= ?1 AND key < ?2 ORDER BY key";

/// The size of a row: seven fill a page of 8 KiB.
const ROW_BYTES: usize = 1152;
/// The low bits of a key number the rows of a file.
const ROW_BITS: u32 = 16;

/// Adds the vectors of a file that has none.
pub(crate) fn put(db: &Connection, file: i64, data: &[u8]) -> Result<()> {
    let mut statement = db.prepare_cached(PUT)?;
    for (key, part) in (file << ROW_BITS..).zip(data.chunks(ROW_BYTES)) {
        statement.execute(params![key, part])?;
    }
    Ok(())
}

pub(crate) fn delete(db: &Connection, file: i64) -> Result<()> {
    db.prepare_cached(DELETE)?.execute(rows_of(file)).map(drop)
}

/// The bounds of the keys of a file's rows.
fn rows_of(file: i64) -> [i64; 2] {
    [file << ROW_BITS, (file + 1) << ROW_BITS]
}

pub(crate) fn clear(db: &Connection) -> Result<()> {
    db.prepare_cached(CLEAR)?.execute([]).map(drop)
}

/// Files with chunks but without vectors, by id, after one of them.
pub(crate) fn missing(db: &Connection, after: i64, limit: usize) -> Result<Vec<i64>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    db.prepare_cached(MISSING)?.query_map([after, limit], |row| row.get(0))?.collect()
}

/// Passes the vectors of all files to `see`, by id.
pub(crate) fn each(db: &Connection, mut see: impl FnMut(i64, &[u8])) -> Result<()> {
    let mut statement = db.prepare_cached(ALL)?;
    let mut rows = statement.query([])?;
    let (mut file, mut data) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        let next = row.get::<_, i64>(0)? >> ROW_BITS;
        if next != file && !data.is_empty() {
            see(file, &data);
            data.clear();
        }
        file = next;
        data.extend_from_slice(row.get_ref(1)?.as_blob()?);
    }
    if !data.is_empty() {
        see(file, &data);
    }
    Ok(())
}

/// The vectors of a file.
pub(crate) fn of_file(db: &Connection, file: i64) -> Result<Option<Vec<u8>>> {
    let mut statement = db.prepare_cached(OF_FILE)?;
    let mut rows = statement.query(rows_of(file))?;
    let mut data = Vec::new();
    while let Some(row) = rows.next()? {
        data.extend_from_slice(row.get_ref(0)?.as_blob()?);
    }
    Ok((!data.is_empty()).then_some(data))
}
