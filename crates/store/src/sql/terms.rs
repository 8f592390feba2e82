//! The tables of terms and vectors.

use rusqlite::{Connection, Result, params};

const SEGMENT_INSERT: &str = "INSERT INTO term_segment VALUES (?1, ?2)";
const SEGMENT_UPDATE: &str = "UPDATE term_segment SET files = ?2 WHERE id = ?1";
const SEGMENT_DELETE: &str = "DELETE FROM term_segment WHERE id = ?1";
const SEGMENTS: &str = "SELECT id, files FROM term_segment ORDER BY id";
const SEGMENT_IDS: &str = "SELECT id FROM term_segment ORDER BY id";
const SEGMENT_BY_ID: &str = "SELECT files FROM term_segment WHERE id = ?1";
const SEGMENT_LAST: &str = "SELECT ifnull(max(id), 0) FROM term_segment";

const BLOCK_INSERT: &str = "INSERT INTO term_block VALUES (?1, ?2)";
const BLOCK_AT: &str =
    "SELECT key, data FROM term_block WHERE key <= ?1 AND key >= ?2 ORDER BY key DESC LIMIT 1";
const BLOCKS: &str = "SELECT key, data FROM term_block WHERE key >= ?1 AND key < ?2 ORDER BY key";
const BLOCKS_DELETE: &str = "DELETE FROM term_block WHERE key >= ?1 AND key < ?2";

const RECENT_PUT: &str = "INSERT OR REPLACE INTO term_recent VALUES (?1, ?2)";
const RECENT_DELETE: &str = "DELETE FROM term_recent WHERE file = ?1";
const RECENT_CLEAR: &str = "DELETE FROM term_recent";
const RECENT_COUNT: &str = "SELECT count(*) FROM term_recent";
const RECENT_IDS: &str = "SELECT file FROM term_recent ORDER BY file";
const RECENT_BY_ID: &str = "SELECT data FROM term_recent WHERE file = ?1";
const RECENTS: &str = "SELECT file, data FROM term_recent ORDER BY file";

const VECTOR_PUT: &str = "INSERT OR REPLACE INTO vector VALUES (?1, ?2)";
const VECTOR_DELETE: &str = "DELETE FROM vector WHERE key >= ?1 AND key < ?2";
const VECTORS: &str = "SELECT key, data FROM vector ORDER BY key";
const VECTORS_CLEAR: &str = "DELETE FROM vector";
const VECTORS_MISSING: &str = "SELECT f.id FROM file f WHERE f.id > ?1 AND f.status = 0 \
     AND f.chunks > 0 AND NOT EXISTS (SELECT 1 FROM vector WHERE key = f.id << 16) ORDER BY f.id LIMIT ?2";
const VECTOR_OF: &str = "SELECT data FROM vector WHERE key >= ?1 AND key < ?2 ORDER BY key";

/// Numbers of terms have 32 bits; those above are the segment.
const TERM_BITS: u32 = 32;

/// Vectors are cut into rows of this many bytes: seven fill a page of 8 KiB.
const PIECE: usize = 1152;
/// The lower bits of the key of vectors are the number of the row.
const PIECE_BITS: u32 = 16;

fn key(segment: i64, term: u32) -> i64 {
    segment << TERM_BITS | i64::from(term)
}

fn term(key: i64) -> u32 {
    key.cast_unsigned() as u32
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

/// The ids of all segments, oldest first.
pub(crate) fn segment_ids(db: &Connection) -> Result<Vec<i64>> {
    db.prepare_cached(SEGMENT_IDS)?.query_map([], |row| row.get(0))?.collect()
}

/// Gives the files of a segment to `read`.
pub(crate) fn segment<T>(db: &Connection, id: i64, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
    db.prepare_cached(SEGMENT_BY_ID)?.query_row([id], |row| Ok(read(row.get_ref(0)?.as_blob()?)))
}

/// The id of the newest segment; zero where there is none.
pub(crate) fn last_segment(db: &Connection) -> Result<i64> {
    db.prepare_cached(SEGMENT_LAST)?.query_row([], |row| row.get(0))
}

pub(crate) fn insert_block(db: &Connection, segment: i64, first: u32, data: &[u8]) -> Result<()> {
    db.prepare_cached(BLOCK_INSERT)?.execute(params![key(segment, first), data]).map(drop)
}

/// Gives the block that would hold a term, and its first one, to `read`.
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
        Some(row) => Ok(read(Some((term(row.get(0)?), row.get_ref(1)?.as_blob()?)))),
    }
}

/// Shows all blocks of a segment, in order, with their first terms.
pub(crate) fn each_block<E: From<rusqlite::Error>>(
    db: &Connection,
    segment: i64,
    mut see: impl FnMut(u32, &[u8]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut statement = db.prepare_cached(BLOCKS)?;
    let mut rows = statement.query([key(segment, 0), key(segment + 1, 0)])?;
    while let Some(row) = rows.next()? {
        see(term(row.get(0)?), row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
    }
    Ok(())
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

/// The terms of all files that have no segment, by id.
pub(crate) fn recents(db: &Connection) -> Result<Vec<(i64, Vec<u8>)>> {
    db.prepare_cached(RECENTS)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The ids of the files that have no segment.
pub(crate) fn recent_ids(db: &Connection) -> Result<Vec<i64>> {
    db.prepare_cached(RECENT_IDS)?.query_map([], |row| row.get(0))?.collect()
}

/// The terms of a file that has no segment.
pub(crate) fn recent(db: &Connection, file: i64) -> Result<Vec<u8>> {
    db.prepare_cached(RECENT_BY_ID)?.query_row([file], |row| row.get(0))
}

/// Adds the vectors of a file that has none.
pub(crate) fn put_vectors(db: &Connection, file: i64, data: &[u8]) -> Result<()> {
    let mut statement = db.prepare_cached(VECTOR_PUT)?;
    for (key, piece) in (file << PIECE_BITS..).zip(data.chunks(PIECE)) {
        statement.execute(params![key, piece])?;
    }
    Ok(())
}

pub(crate) fn delete_vectors(db: &Connection, file: i64) -> Result<()> {
    db.prepare_cached(VECTOR_DELETE)?.execute(pieces(file)).map(drop)
}

/// The bounds of the keys of a file's vectors.
fn pieces(file: i64) -> [i64; 2] {
    [file << PIECE_BITS, (file + 1) << PIECE_BITS]
}

pub(crate) fn clear_vectors(db: &Connection) -> Result<()> {
    db.prepare_cached(VECTORS_CLEAR)?.execute([]).map(drop)
}

/// Files with chunks and without vectors, by id, beyond one of them.
pub(crate) fn without_vectors(db: &Connection, after: i64, most: usize) -> Result<Vec<i64>> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    db.prepare_cached(VECTORS_MISSING)?.query_map([after, most], |row| row.get(0))?.collect()
}

/// Shows the vectors of all files, by id.
pub(crate) fn each_vectors(db: &Connection, mut see: impl FnMut(i64, &[u8])) -> Result<()> {
    let mut statement = db.prepare_cached(VECTORS)?;
    let mut rows = statement.query([])?;
    let (mut file, mut data) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        let next = row.get::<_, i64>(0)? >> PIECE_BITS;
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
pub(crate) fn vectors_of(db: &Connection, file: i64) -> Result<Option<Vec<u8>>> {
    let mut statement = db.prepare_cached(VECTOR_OF)?;
    let mut rows = statement.query(pieces(file))?;
    let mut data = Vec::new();
    while let Some(row) = rows.next()? {
        data.extend_from_slice(row.get_ref(0)?.as_blob()?);
    }
    Ok((!data.is_empty()).then_some(data))
}
