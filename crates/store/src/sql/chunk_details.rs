//! Chunks with their symbols, in one query: ranking reads many of them.

use super::chunks;
use crate::rows::{ChunkDetails, ChunkId, ChunkSymbol, SymbolId};
use orient_model::{Modifiers, SymbolKind};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Result, Row};

const BY_CHUNK: &str = "SELECT c.id, c.file, c.at, c.kind, c.symbol, c.first_line, c.last_line, \
     s.kind, s.modifiers, s.parent, s.first_line, n.text, p.kind, p.modifiers, q.text \
     FROM chunk c LEFT JOIN symbol s ON s.id = c.symbol LEFT JOIN name n ON n.id = s.name \
     LEFT JOIN symbol p ON p.id = s.parent LEFT JOIN name q ON q.id = p.name WHERE c.id = ?1";

pub(crate) fn by_chunk(db: &Connection, id: ChunkId) -> Result<Option<ChunkDetails>> {
    db.prepare_cached(BY_CHUNK)?
        .query_row([id.0], |row| Ok(ChunkDetails { chunk: chunks::row(row)?, symbol: symbol(row)? }))
        .optional()
}

fn symbol(row: &Row<'_>) -> Result<Option<ChunkSymbol>> {
    let Some(id) = row.get::<_, Option<i64>>(4)? else { return Ok(None) };
    let Some(name) = row.get::<_, Option<String>>(11)? else { return Ok(None) };
    let kind = |at: usize| match row.get::<_, Option<u8>>(at)? {
        None => Ok(None),
        Some(number) => SymbolKind::from_number(number)
            .map(Some)
            .ok_or_else(|| Error::InvalidColumnType(at, "kind".to_owned(), Type::Integer)),
    };
    let Some(own) = kind(7)? else { return Ok(None) };
    let around = match (kind(12)?, row.get::<_, Option<u32>>(13)?, row.get::<_, Option<String>>(14)?) {
        (Some(kind), Some(modifiers), Some(name)) => Some((kind, Modifiers(modifiers), name)),
        _ => None,
    };
    Ok(Some(ChunkSymbol {
        id: SymbolId(id),
        name,
        kind: own,
        modifiers: Modifiers(row.get(8)?),
        parent: row.get::<_, Option<i64>>(9)?.map(SymbolId),
        first_line: row.get(10)?,
        around,
    }))
}
