//! What each file gave to the graph, and which files have yet to give it.

use rusqlite::{Connection, OptionalExtension, Result, Row, params};

const PUT_GRAPH: &str = "INSERT OR REPLACE INTO graph VALUES (?1, ?2, ?3, ?4)";
const DELETE_GRAPH: &str = "DELETE FROM graph WHERE file = ?1";
const GRAPH: &str = "SELECT asks, looked, data FROM graph WHERE file = ?1";
const DEPENDS: &str = "SELECT asks, looked FROM graph WHERE file = ?1";
const LOOKED: &str = "SELECT file, looked FROM graph WHERE looked <> x''";
const GRAPH_DATA: &str = "SELECT data FROM graph WHERE file = ?1";
const GRAPHS: &str = "SELECT file, data FROM graph ORDER BY file";
const COUNT_GRAPHS: &str = "SELECT count(*) FROM graph";

const OWE: &str = "INSERT OR IGNORE INTO owed VALUES (?1)";
const PAY: &str = "DELETE FROM owed WHERE file = ?1";
const OWED: &str = "SELECT file FROM owed ORDER BY file";
const OWES: &str = "SELECT 1 FROM owed WHERE file = ?1";

/// What a file gave to the graph, as stored.
pub(crate) struct StoredGraph {
    pub(crate) asks: Vec<u8>,
    pub(crate) looked: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

pub(crate) fn put_graph(db: &Connection, file: i64, asks: &[u8], looked: &[u8], data: &[u8]) -> Result<()> {
    db.prepare_cached(PUT_GRAPH)?.execute(params![file, asks, looked, data]).map(drop)
}

pub(crate) fn delete_graph(db: &Connection, file: i64) -> Result<()> {
    db.prepare_cached(DELETE_GRAPH)?.execute([file]).map(drop)
}

pub(crate) fn graph(db: &Connection, file: i64) -> Result<Option<StoredGraph>> {
    let read = |row: &Row<'_>| Ok(StoredGraph { asks: row.get(0)?, looked: row.get(1)?, data: row.get(2)? });
    db.prepare_cached(GRAPH)?.query_row([file], read).optional()
}

/// Gives the bytes of what a file's graph depends on, names and files, to `read` without copying them.
pub(crate) fn depends<T>(
    db: &Connection,
    file: i64,
    read: impl FnOnce(&[u8], &[u8]) -> T,
) -> Result<Option<T>> {
    let read = |row: &Row<'_>| Ok(read(row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?));
    db.prepare_cached(DEPENDS)?.query_row([file], read).optional()
}

/// Shows the bytes of what each file looked at, where it looked at any.
pub(crate) fn each_looked(db: &Connection, mut see: impl FnMut(i64, &[u8])) -> Result<()> {
    let mut statement = db.prepare_cached(LOOKED)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_blob()?);
    }
    Ok(())
}

/// Gives the bytes of a graph to `read` without copying them.
pub(crate) fn graph_data<T>(db: &Connection, file: i64, read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
    db.prepare_cached(GRAPH_DATA)?.query_row([file], |row| Ok(read(row.get_ref(0)?.as_blob()?))).optional()
}

/// Shows every file's bytes, by file.
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

/// Notes that a file has yet to be resolved; says whether that is new.
pub(crate) fn owe(db: &Connection, file: i64) -> Result<bool> {
    Ok(db.prepare_cached(OWE)?.execute([file])? > 0)
}

/// Notes that a file was resolved, or is gone; says whether that was owed.
pub(crate) fn pay(db: &Connection, file: i64) -> Result<bool> {
    Ok(db.prepare_cached(PAY)?.execute([file])? > 0)
}

/// The files that have yet to be resolved, by id.
pub(crate) fn owed(db: &Connection) -> Result<Vec<i64>> {
    db.prepare_cached(OWED)?.query_map([], |row| row.get(0))?.collect()
}

/// Whether a file has yet to be resolved.
pub(crate) fn owes(db: &Connection, file: i64) -> Result<bool> {
    db.prepare_cached(OWES)?.exists([file])
}
