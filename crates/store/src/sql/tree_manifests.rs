//! The table of tree manifests.

use crate::codec;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

const PUT: &str = "INSERT OR REPLACE INTO tree_manifest VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM tree_manifest WHERE kind IN (?1, ?2)";
const SELECT: &str = "SELECT data FROM tree_manifest WHERE kind = ?1";

/// The first bytes of a manifest have a row of their own: most readers need no more.
const HEAD: u8 = 0x80;
const HEAD_LENGTH: usize = 64;

pub(crate) fn put(db: &Connection, kind: u8, data: Option<&[u8]>) -> Result<()> {
    let Some(data) = data else {
        return db.prepare_cached(DELETE)?.execute([kind, kind | HEAD]).map(drop);
    };
    let packed = codec::encode_manifest(data);
    // Readers must not see one row without the other.
    db.execute_batch("SAVEPOINT tree_manifest")?;
    let mut put = db.prepare_cached(PUT)?;
    let both = put
        .execute(params![kind, packed.as_bytes()])
        .and_then(|_| put.execute(params![kind | HEAD, &data[..data.len().min(HEAD_LENGTH)]]));
    if both.is_err() {
        // The error is returned below.
        let _ = db.execute_batch("ROLLBACK TO tree_manifest");
    }
    db.execute_batch("RELEASE tree_manifest")?;
    both.map(drop)
}

/// A manifest; `None` if it is missing or malformed.
pub(crate) fn get(db: &Connection, kind: u8) -> Result<Option<Vec<u8>>> {
    let read = |row: &Row<'_>| Ok(codec::decode_manifest(row.get_ref(0)?.as_blob()?).ok());
    Ok(db.prepare_cached(SELECT)?.query_row([kind], read).optional()?.flatten())
}

/// The first bytes of a manifest.
pub(crate) fn head(db: &Connection, kind: u8) -> Result<Option<Vec<u8>>> {
    db.prepare_cached(SELECT)?.query_row([kind | HEAD], |row| row.get(0)).optional()
}
