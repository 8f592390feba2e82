//! The sheets on which the engine remembers the tree as a whole.

use crate::codec;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

const PUT: &str = "INSERT OR REPLACE INTO sheet VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM sheet WHERE kind IN (?1, ?2)";
const SELECT: &str = "SELECT data FROM sheet WHERE kind = ?1";

/// The head of a sheet has a row of its own: most who ask need no more of it.
const HEAD: u8 = 0x80;
const HEAD_LENGTH: usize = 64;

pub(crate) fn put(db: &Connection, kind: u8, data: Option<&[u8]>) -> Result<()> {
    let Some(data) = data else {
        return db.prepare_cached(DELETE)?.execute([kind, kind | HEAD]).map(drop);
    };
    let packed = codec::encode_sheet(data);
    // Nobody may see one without the other.
    db.execute_batch("SAVEPOINT sheet")?;
    let mut put = db.prepare_cached(PUT)?;
    let both = put
        .execute(params![kind, packed.as_bytes()])
        .and_then(|_| put.execute(params![kind | HEAD, &data[..data.len().min(HEAD_LENGTH)]]));
    if both.is_err() {
        // What went wrong is said below.
        let _ = db.execute_batch("ROLLBACK TO sheet");
    }
    db.execute_batch("RELEASE sheet")?;
    both.map(drop)
}

/// A sheet; one that cannot be read is as good as none.
pub(crate) fn get(db: &Connection, kind: u8) -> Result<Option<Vec<u8>>> {
    let read = |row: &Row<'_>| Ok(codec::decode_sheet(row.get_ref(0)?.as_blob()?).ok());
    Ok(db.prepare_cached(SELECT)?.query_row([kind], read).optional()?.flatten())
}

/// The first bytes of a sheet.
pub(crate) fn head(db: &Connection, kind: u8) -> Result<Option<Vec<u8>>> {
    db.prepare_cached(SELECT)?.query_row([kind | HEAD], |row| row.get(0)).optional()
}
