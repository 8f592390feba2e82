//! Attributes and bases of symbols.

use crate::digest::TagKind;
use rusqlite::{Connection, Result, params};

pub(crate) const INSERT: &str = "INSERT INTO tag VALUES (?1, ?2, ?3)";
const DELETE: &str = "DELETE FROM tag WHERE name = ?1 AND what = ?2 AND symbol = ?3";
const SYMBOLS: &str = "SELECT symbol FROM tag WHERE name = ?1 AND what = ?2 ORDER BY symbol";

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

/// The symbols with a tag, in order of their ids.
pub(crate) fn symbols(db: &Connection, name: i64, what: TagKind) -> Result<Vec<i64>> {
    db.prepare_cached(SYMBOLS)?.query_map(params![name, what as u8], |row| row.get(0))?.collect()
}
