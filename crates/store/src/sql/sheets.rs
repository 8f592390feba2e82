//! The sheets on which the engine remembers the tree as a whole.

use rusqlite::{Connection, OptionalExtension, Result, params};

const PUT: &str = "INSERT OR REPLACE INTO sheet VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM sheet WHERE kind = ?1";
const SELECT: &str = "SELECT data FROM sheet WHERE kind = ?1";

pub(crate) fn put(db: &Connection, kind: u8, data: Option<&[u8]>) -> Result<()> {
    match data {
        Some(data) => db.prepare_cached(PUT)?.execute(params![kind, data]).map(drop),
        None => db.prepare_cached(DELETE)?.execute([kind]).map(drop),
    }
}

pub(crate) fn get(db: &Connection, kind: u8) -> Result<Option<Vec<u8>>> {
    db.prepare_cached(SELECT)?.query_row([kind], |row| row.get(0)).optional()
}
