//! The table of chunks.

use crate::codec::chunk_kind;
use crate::rows::{ChunkId, ChunkRow, FileId, SymbolId};
use orient_model::ChunkKind;
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Result, Row, Statement, params};

pub(crate) const INSERT: &str = "INSERT INTO chunk VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
/// For rows in ascending order of ids, from 1: SQLite then appends without searching.
pub(crate) const APPEND: &str = "INSERT INTO chunk VALUES (NULL, ?, ?, ?, ?, ?, ?)";
/// The same for [`AT_ONCE`] rows in one statement.
pub(crate) const APPEND_MANY: &str = "INSERT INTO chunk VALUES \
     (NULL, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?), \
     (NULL, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?), (NULL, ?, ?, ?, ?, ?, ?)";
pub(crate) const AT_ONCE: usize = 8;
const UPDATE: &str = "UPDATE chunk SET at = ?2, symbol = ?3, first_line = ?4, last_line = ?5 WHERE id = ?1";
const DELETE: &str = "DELETE FROM chunk WHERE id = ?1";
const BY_ID: &str = "SELECT id, file, at, kind, symbol, first_line, last_line FROM chunk WHERE id = ?1";
const COUNT: &str = "SELECT coalesce(sum(chunks), 0) FROM file";

/// Binds a row to [`INSERT`].
pub(crate) fn insert_with(statement: &mut Statement<'_>, row: &ChunkRow) -> Result<()> {
    let (symbol, kind) = (row.symbol.map(|symbol| symbol.0), row.kind as u8);
    let values = params![row.id.0, row.file.0, row.at, kind, symbol, row.first_line, row.last_line];
    statement.execute(values).map(drop)
}

/// Binds rows to [`APPEND`] or [`APPEND_MANY`].
pub(crate) fn append_with(statement: &mut Statement<'_>, rows: &[ChunkRow]) -> Result<()> {
    for (place, row) in rows.iter().enumerate() {
        let first = place * 6 + 1;
        statement.raw_bind_parameter(first, row.file.0)?;
        statement.raw_bind_parameter(first + 1, row.at)?;
        statement.raw_bind_parameter(first + 2, row.kind as u8)?;
        statement.raw_bind_parameter(first + 3, row.symbol.map(|symbol| symbol.0))?;
        statement.raw_bind_parameter(first + 4, row.first_line)?;
        statement.raw_bind_parameter(first + 5, row.last_line)?;
    }
    statement.raw_execute().map(drop)
}

/// Writes the fields that may change while the chunk keeps its id.
pub(crate) fn update(db: &Connection, row: &ChunkRow) -> Result<()> {
    let symbol = row.symbol.map(|symbol| symbol.0);
    db.prepare_cached(UPDATE)?
        .execute(params![row.id.0, row.at, symbol, row.first_line, row.last_line])
        .map(drop)
}

pub(crate) fn delete(db: &Connection, id: i64) -> Result<()> {
    db.prepare_cached(DELETE)?.execute([id]).map(drop)
}

pub(crate) fn by_id(db: &Connection, id: ChunkId) -> Result<Option<ChunkRow>> {
    db.prepare_cached(BY_ID)?.query_row([id.0], row).optional()
}

/// A chunk from the first columns of a row.
pub(crate) fn row(row: &Row<'_>) -> Result<ChunkRow> {
    Ok(ChunkRow {
        id: ChunkId(row.get(0)?),
        file: FileId(row.get(1)?),
        at: row.get(2)?,
        kind: kind(row.get(3)?)?,
        symbol: row.get::<_, Option<i64>>(4)?.map(SymbolId),
        first_line: row.get(5)?,
        last_line: row.get(6)?,
    })
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))
}

fn kind(number: u8) -> Result<ChunkKind> {
    chunk_kind(u32::from(number)).map_err(|_| Error::InvalidColumnType(3, "kind".to_owned(), Type::Integer))
}
