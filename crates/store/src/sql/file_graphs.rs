//! The graphs of files, and which files are owed resolution.

use rusqlite::{Connection, OptionalExtension, Result, Row, params};

const PUT_GRAPH: &str = "INSERT OR REPLACE INTO graph VALUES (?1, ?2, ?3, ?4, ?5)";
const DELETE_GRAPH: &str = "DELETE FROM graph WHERE file = ?1";
const GRAPH: &str = "SELECT names, files, data, surface FROM graph WHERE file = ?1";
const DEPENDS: &str = "SELECT names, files FROM graph WHERE file = ?1";
const LOOKED: &str = "SELECT file, files FROM graph WHERE files <> x''";
const GRAPH_DATA: &str = "SELECT data FROM graph WHERE file = ?1";
const GRAPHS: &str = "SELECT file, data FROM graph ORDER BY file";
const SURFACES: &str = "SELECT file, surface FROM graph WHERE surface <> x'' ORDER BY file";
const COUNT_GRAPHS: &str = "SELECT count(*) FROM graph";

const OWE: &str = "INSERT OR IGNORE INTO owed VALUES (?1)";
const PAY: &str = "DELETE FROM owed WHERE file = ?1";
const OWED: &str = "SELECT file FROM owed ORDER BY file";
const OWES: &str = "SELECT 1 FROM owed WHERE file = ?1";

/// The stored graph of a file.
pub(crate) struct StoredGraph {
    pub(crate) names: Vec<u8>,
    pub(crate) files: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) surface: Vec<u8>,
}

pub(crate) fn put_graph(
    db: &Connection,
    file: i64,
    names: &[u8],
    files: &[u8],
    data: &[u8],
    surface: &[u8],
) -> Result<()> {
    db.prepare_cached(PUT_GRAPH)?.execute(params![file, names, files, data, surface]).map(drop)
}

/// Passes what each file says about the surface to `see`, by file, if it says anything.
pub(crate) fn surfaces(db: &Connection, mut see: impl FnMut(i64, &[u8])) -> Result<()> {
    let mut statement = db.prepare_cached(SURFACES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_blob()?);
    }
    Ok(())
}

pub(crate) fn delete_graph(db: &Connection, file: i64) -> Result<()> {
    db.prepare_cached(DELETE_GRAPH)?.execute([file]).map(drop)
}

pub(crate) fn graph(db: &Connection, file: i64) -> Result<Option<StoredGraph>> {
    let read = |row: &Row<'_>| {
        let (names, files) = (row.get(0)?, row.get(1)?);
        Ok(StoredGraph { names, files, data: row.get(2)?, surface: row.get(3)? })
    };
    db.prepare_cached(GRAPH)?.query_row([file], read).optional()
}

/// Passes the encoded name and file dependencies of a file to `read` without copying them.
pub(crate) fn depends<T>(
    db: &Connection,
    file: i64,
    read: impl FnOnce(&[u8], &[u8]) -> T,
) -> Result<Option<T>> {
    let read = |row: &Row<'_>| Ok(read(row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?));
    db.prepare_cached(DEPENDS)?.query_row([file], read).optional()
}

/// Passes the encoded file dependencies of each file to `see`, if it has any.
pub(crate) fn each_file_dependencies(db: &Connection, mut see: impl FnMut(i64, &[u8])) -> Result<()> {
    let mut statement = db.prepare_cached(LOOKED)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_blob()?);
    }
    Ok(())
}

/// Passes the encoded graph of a file to `read` without copying it.
pub(crate) fn graph_data<T>(db: &Connection, file: i64, read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
    db.prepare_cached(GRAPH_DATA)?.query_row([file], |row| Ok(read(row.get_ref(0)?.as_blob()?))).optional()
}

/// Passes the encoded graphs of all files to `see`, by file.
pub(crate) fn graphs(db: &Connection, mut see: impl FnMut(i64, &[u8]) -> Result<()>) -> Result<()> {
    let mut statement = db.prepare_cached(GRAPHS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_blob()?)?;
    }
    Ok(())
}

pub(crate) fn count_graphs(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT_GRAPHS)?.query_row([], |row| row.get(0))
}

/// Marks a file as owed; returns whether it was not before.
pub(crate) fn owe(db: &Connection, file: i64) -> Result<bool> {
    Ok(db.prepare_cached(OWE)?.execute([file])? > 0)
}

/// Marks a file as resolved or removed; returns whether it was owed.
pub(crate) fn pay(db: &Connection, file: i64) -> Result<bool> {
    Ok(db.prepare_cached(PAY)?.execute([file])? > 0)
}

/// The files that are owed resolution, by id.
pub(crate) fn owed(db: &Connection) -> Result<Vec<i64>> {
    db.prepare_cached(OWED)?.query_map([], |row| row.get(0))?.collect()
}

/// Whether a file is owed resolution.
pub(crate) fn owes(db: &Connection, file: i64) -> Result<bool> {
    db.prepare_cached(OWES)?.exists([file])
}
