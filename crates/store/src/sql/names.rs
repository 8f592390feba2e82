//! Names: text to number and back.

use rusqlite::{Connection, OptionalExtension, Result, params};

const INSERT: &str = "INSERT INTO name VALUES (?1, ?2)";
/// For names that come in the order of their ids, from 1: the database then appends without searching.
pub(crate) const APPEND: &str = "INSERT INTO name VALUES (NULL, ?1)";
const BY_TEXT: &str = "SELECT id FROM name WHERE substr(text, 1, 10) = substr(?1, 1, 10) AND text = ?1";
const BY_ID: &str = "SELECT text FROM name WHERE id = ?1";
const ALL: &str = "SELECT id, text FROM name";
const COUNT: &str = "SELECT count(*) FROM name";
const DELETE_UNUSED: &str = "DELETE FROM name WHERE id = ?1 \
     AND NOT EXISTS (SELECT 1 FROM symbol WHERE symbol.name = ?1) \
     AND NOT EXISTS (SELECT 1 FROM tag WHERE tag.name = ?1) \
     AND NOT EXISTS (SELECT 1 FROM ask WHERE ask.name = ?1)";

pub(crate) fn insert(db: &Connection, id: i64, text: &str) -> Result<()> {
    db.prepare_cached(INSERT)?.execute(params![id, text]).map(drop)
}

pub(crate) fn by_text(db: &Connection, text: &str) -> Result<Option<i64>> {
    db.prepare_cached(BY_TEXT)?.query_row([text], |row| row.get(0)).optional()
}

pub(crate) fn by_id(db: &Connection, id: i64) -> Result<Option<String>> {
    db.prepare_cached(BY_ID)?.query_row([id], |row| row.get(0)).optional()
}

/// Shows every name; in no order.
pub(crate) fn scan(db: &Connection, mut see: impl FnMut(i64, &str)) -> Result<()> {
    let mut statement = db.prepare_cached(ALL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_str()?);
    }
    Ok(())
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))
}

/// Deletes a name unless something still bears it.
pub(crate) fn delete_unused(db: &Connection, id: i64) -> Result<()> {
    db.prepare_cached(DELETE_UNUSED)?.execute([id]).map(drop)
}
