//! The table of tags: attributes and bases of symbols.

use crate::writer::prepared_file::TagKind;
use rusqlite::{Connection, Result, params};

pub(crate) const INSERT: &str = "INSERT INTO tag VALUES (?1, ?2, ?3)";
const DELETE: &str = "DELETE FROM tag WHERE name = ?1 AND what = ?2 AND symbol = ?3";
const SYMBOLS: &str = "SELECT symbol FROM tag WHERE name = ?1 AND what = ?2 ORDER BY symbol";

const ALL: &str = "SELECT tag.symbol, tag.what, name.text FROM tag JOIN name ON name.id = tag.name \
     ORDER BY tag.symbol, tag.what, name.text";

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TagRow {
    pub(crate) name: i64,
    pub(crate) what: TagKind,
    pub(crate) symbol: i64,
}

pub(crate) fn insert(db: &Connection, row: TagRow) -> Result<()> {
    db.prepare_cached(INSERT)?.execute(params![row.name, row.what as u8, row.symbol]).map(drop)
}

pub(crate) fn delete(db: &Connection, row: TagRow) -> Result<()> {
    db.prepare_cached(DELETE)?.execute(params![row.name, row.what as u8, row.symbol]).map(drop)
}

/// Passes all tags to `see`, by symbol: whether it is a base, and its text.
pub(crate) fn all(db: &Connection, mut see: impl FnMut(i64, bool, &str)) -> Result<()> {
    let mut statement = db.prepare(ALL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let base = row.get::<_, u8>(1)? == TagKind::Base as u8;
        see(row.get(0)?, base, &String::from_utf8_lossy(row.get_ref(2)?.as_bytes()?));
    }
    Ok(())
}

/// The symbols with a tag, by id.
pub(crate) fn symbols(db: &Connection, name: i64, what: TagKind) -> Result<Vec<i64>> {
    db.prepare_cached(SYMBOLS)?.query_map(params![name, what as u8], |row| row.get(0))?.collect()
}
