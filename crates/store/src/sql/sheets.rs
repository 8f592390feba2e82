//! The sheets on which the engine remembers the tree as a whole.

use crate::codec;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

const PUT: &str = "INSERT OR REPLACE INTO sheet VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM sheet WHERE kind = ?1";
const SELECT: &str = "SELECT data FROM sheet WHERE kind = ?1";

pub(crate) fn put(db: &Connection, kind: u8, data: Option<&[u8]>) -> Result<()> {
    match data {
        Some(data) => {
            let packed = codec::encode_sheet(data);
            db.prepare_cached(PUT)?.execute(params![kind, packed.as_bytes()]).map(drop)
        }
        None => db.prepare_cached(DELETE)?.execute([kind]).map(drop),
    }
}

/// A sheet; one that cannot be read is as good as none.
pub(crate) fn get(db: &Connection, kind: u8) -> Result<Option<Vec<u8>>> {
    let read = |row: &Row<'_>| Ok(codec::decode_sheet(row.get_ref(0)?.as_blob()?).ok());
    Ok(db.prepare_cached(SELECT)?.query_row([kind], read).optional()?.flatten())
}
