//! The table of symbols.

use crate::rows::SymbolId;
use orient_model::{Modifiers, SymbolKind, Visibility};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Result, Row, Statement, params};

pub(crate) const INSERT: &str = "INSERT INTO symbol VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
/// For rows in ascending order of ids, from 1: SQLite then appends without searching.
pub(crate) const APPEND: &str = "INSERT INTO symbol VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
/// The same for [`AT_ONCE`] rows: a load takes about a sixth less time than with one statement per row.
pub(crate) const APPEND_MANY: &str = "INSERT INTO symbol VALUES \
     (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?), \
     (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?), \
     (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
pub(crate) const AT_ONCE: usize = 8;
const UPDATE: &str = "UPDATE symbol SET at = ?2, visibility = ?3, modifiers = ?4, parent = ?5, first_line = ?6, \
     last_line = ?7 WHERE id = ?1";
const DELETE: &str = "DELETE FROM symbol WHERE id = ?1";
const BY_ID: &str = "SELECT id, name, file, at, kind, visibility, modifiers, parent, first_line, last_line \
     FROM symbol WHERE id = ?1";
const HIT_BY_ID: &str = "SELECT id, file, at, kind, modifiers FROM symbol WHERE id = ?1";
const HITS_BY_NAME: &str = "SELECT id, file, at, kind, modifiers FROM symbol WHERE name = ?1";
const KINDS_BY_NAME: &str = "SELECT symbol.file, file.lang, symbol.kind FROM symbol \
     JOIN file ON file.id = symbol.file WHERE symbol.name = ?1";
const BEARERS: &str = "SELECT id, file, at, kind, modifiers, name FROM symbol";
const HITS: &str = "SELECT id, file, at, kind, modifiers FROM symbol";
const BEARS: &str = "SELECT EXISTS (SELECT 1 FROM symbol WHERE name = ?1)";
const COUNT: &str = "SELECT coalesce(sum(symbols), 0) FROM file";

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredSymbol {
    pub(crate) id: i64,
    pub(crate) name: i64,
    pub(crate) file: i64,
    pub(crate) at: u32,
    pub(crate) kind: SymbolKind,
    pub(crate) visibility: Visibility,
    pub(crate) modifiers: Modifiers,
    pub(crate) parent: Option<i64>,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

/// The fields that filters need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) id: i64,
    pub(crate) file: i64,
    pub(crate) at: u32,
    pub(crate) kind: SymbolKind,
    pub(crate) modifiers: Modifiers,
}

/// Binds a row to [`INSERT`].
pub(crate) fn insert_with(statement: &mut Statement<'_>, row: &StoredSymbol) -> Result<()> {
    let (kind, visibility, modifiers) = (row.kind as u8, row.visibility as u8, row.modifiers.0);
    statement
        .execute(params![
            row.id,
            row.name,
            row.file,
            row.at,
            kind,
            visibility,
            modifiers,
            row.parent,
            row.first_line,
            row.last_line
        ])
        .map(drop)
}

/// Binds rows to [`APPEND`] or [`APPEND_MANY`].
pub(crate) fn append_with(statement: &mut Statement<'_>, rows: &[StoredSymbol]) -> Result<()> {
    for (place, row) in rows.iter().enumerate() {
        let first = place * 9 + 1;
        statement.raw_bind_parameter(first, row.name)?;
        statement.raw_bind_parameter(first + 1, row.file)?;
        statement.raw_bind_parameter(first + 2, row.at)?;
        statement.raw_bind_parameter(first + 3, row.kind as u8)?;
        statement.raw_bind_parameter(first + 4, row.visibility as u8)?;
        statement.raw_bind_parameter(first + 5, row.modifiers.0)?;
        statement.raw_bind_parameter(first + 6, row.parent)?;
        statement.raw_bind_parameter(first + 7, row.first_line)?;
        statement.raw_bind_parameter(first + 8, row.last_line)?;
    }
    statement.raw_execute().map(drop)
}

/// Writes the fields that may change while the symbol keeps its id.
pub(crate) fn update(db: &Connection, row: &StoredSymbol) -> Result<()> {
    let (visibility, modifiers) = (row.visibility as u8, row.modifiers.0);
    db.prepare_cached(UPDATE)?
        .execute(params![row.id, row.at, visibility, modifiers, row.parent, row.first_line, row.last_line])
        .map(drop)
}

pub(crate) fn delete(db: &Connection, id: i64) -> Result<()> {
    db.prepare_cached(DELETE)?.execute([id]).map(drop)
}

pub(crate) fn by_id(db: &Connection, id: SymbolId) -> Result<Option<StoredSymbol>> {
    db.prepare_cached(BY_ID)?
        .query_row([id.0], |row| {
            Ok(StoredSymbol {
                id: row.get(0)?,
                name: row.get(1)?,
                file: row.get(2)?,
                at: row.get(3)?,
                kind: kind(row, 4)?,
                visibility: Visibility::from_number(row.get(5)?).ok_or_else(|| unknown(5, "visibility"))?,
                modifiers: Modifiers(row.get(6)?),
                parent: row.get(7)?,
                first_line: row.get(8)?,
                last_line: row.get(9)?,
            })
        })
        .optional()
}

pub(crate) fn hit(db: &Connection, id: i64) -> Result<Option<Hit>> {
    db.prepare_cached(HIT_BY_ID)?.query_row([id], read_hit).optional()
}

/// Passes the symbols with a name to `see`.
pub(crate) fn hits_by_name(db: &Connection, name: i64, mut see: impl FnMut(Hit) -> Result<()>) -> Result<()> {
    let mut statement = db.prepare_cached(HITS_BY_NAME)?;
    let mut rows = statement.query([name])?;
    while let Some(row) = rows.next()? {
        see(read_hit(row)?)?;
    }
    Ok(())
}

/// Passes the file, its language and the kind of each symbol with a name to `see`, until it returns false.
pub(crate) fn kinds_by_name(
    db: &Connection,
    name: i64,
    mut see: impl FnMut(i64, Option<i64>, SymbolKind) -> bool,
) -> Result<()> {
    let mut statement = db.prepare_cached(KINDS_BY_NAME)?;
    let mut rows = statement.query([name])?;
    while let Some(row) = rows.next()? {
        if !see(row.get(0)?, row.get(1)?, kind(row, 2)?) {
            break;
        }
    }
    Ok(())
}

/// Passes every symbol with the id of its name to `see`.
pub(crate) fn bearers(db: &Connection, mut see: impl FnMut(Hit, i64)) -> Result<()> {
    let mut statement = db.prepare_cached(BEARERS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(read_hit(row)?, row.get(5)?);
    }
    Ok(())
}

/// Passes every symbol to `see`.
pub(crate) fn hits(db: &Connection, mut see: impl FnMut(Hit) -> Result<()>) -> Result<()> {
    let mut statement = db.prepare_cached(HITS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(read_hit(row)?)?;
    }
    Ok(())
}

/// Whether any symbol has a name.
pub(crate) fn bears(db: &Connection, name: i64) -> Result<bool> {
    db.prepare_cached(BEARS)?.query_row([name], |row| row.get(0))
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))
}

fn read_hit(row: &Row<'_>) -> Result<Hit> {
    let modifiers = Modifiers(row.get(4)?);
    Ok(Hit { id: row.get(0)?, file: row.get(1)?, at: row.get(2)?, kind: kind(row, 3)?, modifiers })
}

fn kind(row: &Row<'_>, column: usize) -> Result<SymbolKind> {
    SymbolKind::from_number(row.get(column)?).ok_or_else(|| unknown(column, "kind"))
}

/// The error for a number that none of our enums has: the file is damaged.
fn unknown(column: usize, name: &str) -> Error {
    Error::InvalidColumnType(column, name.to_owned(), Type::Integer)
}
