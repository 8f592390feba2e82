//! The tables of trigrams.

use rusqlite::{Connection, Result, params};

const SEGMENT_INSERT: &str = "INSERT INTO gram_segment VALUES (?1, ?2)";
const SEGMENT_UPDATE: &str = "UPDATE gram_segment SET files = ?2 WHERE id = ?1";
const SEGMENT_DELETE: &str = "DELETE FROM gram_segment WHERE id = ?1";
const SEGMENTS: &str = "SELECT id, files FROM gram_segment ORDER BY id";
const SEGMENT_LAST: &str = "SELECT ifnull(max(id), 0) FROM gram_segment";

const BLOCK_INSERT: &str = "INSERT INTO gram_block VALUES (?1, ?2)";
const BLOCK_AT: &str =
    "SELECT key, data FROM gram_block WHERE key <= ?1 AND key >= ?2 ORDER BY key DESC LIMIT 1";
const BLOCK_BEHIND: &str =
    "SELECT key, data FROM gram_block WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT 1";
const BLOCKS_DELETE: &str = "DELETE FROM gram_block WHERE key >= ?1 AND key < ?2";

const RECENT_PUT: &str = "INSERT OR REPLACE INTO gram_recent VALUES (?1, ?2)";
const RECENT_DELETE: &str = "DELETE FROM gram_recent WHERE file = ?1";
const RECENT_CLEAR: &str = "DELETE FROM gram_recent";
const RECENT_COUNT: &str = "SELECT count(*) FROM gram_recent";
const RECENTS: &str = "SELECT file, data FROM gram_recent ORDER BY file";

/// Trigrams have 24 bits; those above are the segment.
const GRAM_BITS: u32 = 24;
const GRAM_MASK: i64 = (1 << GRAM_BITS) - 1;

fn key(segment: i64, gram: u32) -> i64 {
    segment << GRAM_BITS | i64::from(gram)
}

fn gram(key: i64) -> u32 {
    (key & GRAM_MASK).cast_unsigned() as u32
}

pub(crate) fn insert_segment(db: &Connection, id: i64, files: &[u8]) -> Result<()> {
    db.prepare_cached(SEGMENT_INSERT)?.execute(params![id, files]).map(drop)
}

pub(crate) fn update_segment(db: &Connection, id: i64, files: &[u8]) -> Result<()> {
    db.prepare_cached(SEGMENT_UPDATE)?.execute(params![id, files]).map(drop)
}

/// Deletes a segment with its lists.
pub(crate) fn delete_segment(db: &Connection, id: i64) -> Result<()> {
    db.prepare_cached(BLOCKS_DELETE)?.execute([key(id, 0), key(id + 1, 0)])?;
    db.prepare_cached(SEGMENT_DELETE)?.execute([id]).map(drop)
}

/// All segments, oldest first.
pub(crate) fn segments(db: &Connection) -> Result<Vec<(i64, Vec<u8>)>> {
    db.prepare_cached(SEGMENTS)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The id of the newest segment; zero where there is none.
pub(crate) fn last_segment(db: &Connection) -> Result<i64> {
    db.prepare_cached(SEGMENT_LAST)?.query_row([], |row| row.get(0))
}

pub(crate) fn insert_block(db: &Connection, segment: i64, first: u32, data: &[u8]) -> Result<()> {
    db.prepare_cached(BLOCK_INSERT)?.execute(params![key(segment, first), data]).map(drop)
}

/// Gives the block that would hold a trigram, and its first one, to `read`.
pub(crate) fn block_at<T>(
    db: &Connection,
    segment: i64,
    at: u32,
    read: impl FnOnce(Option<(u32, &[u8])>) -> T,
) -> Result<T> {
    let mut statement = db.prepare_cached(BLOCK_AT)?;
    let mut rows = statement.query([key(segment, at), key(segment, 0)])?;
    match rows.next()? {
        None => Ok(read(None)),
        Some(row) => Ok(read(Some((gram(row.get(0)?), row.get_ref(1)?.as_blob()?)))),
    }
}

/// The first block of a segment, or the one behind the block that starts with a trigram.
pub(crate) fn next_block(
    db: &Connection,
    segment: i64,
    behind: Option<u32>,
) -> Result<Option<(u32, Vec<u8>)>> {
    let from = behind.map_or(key(segment, 0) - 1, |gram| key(segment, gram));
    let mut statement = db.prepare_cached(BLOCK_BEHIND)?;
    let mut rows = statement.query([from, key(segment + 1, 0)])?;
    rows.next()?.map(|row| Ok((gram(row.get(0)?), row.get(1)?))).transpose()
}

pub(crate) fn put_recent(db: &Connection, file: i64, data: &[u8]) -> Result<()> {
    db.prepare_cached(RECENT_PUT)?.execute(params![file, data]).map(drop)
}

pub(crate) fn delete_recent(db: &Connection, file: i64) -> Result<()> {
    db.prepare_cached(RECENT_DELETE)?.execute([file]).map(drop)
}

pub(crate) fn clear_recent(db: &Connection) -> Result<()> {
    db.prepare_cached(RECENT_CLEAR)?.execute([]).map(drop)
}

pub(crate) fn count_recent(db: &Connection) -> Result<usize> {
    db.prepare_cached(RECENT_COUNT)?.query_row([], |row| row.get(0))
}

/// Shows the trigrams of all files that have no segment, by id.
pub(crate) fn each_recent(db: &Connection, mut see: impl FnMut(i64, &[u8])) -> Result<()> {
    let mut statement = db.prepare_cached(RECENTS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_blob()?);
    }
    Ok(())
}
