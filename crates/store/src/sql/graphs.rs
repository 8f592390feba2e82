//! Edges, what each file gave to the graph, and who asks for which name.

use crate::graph::StoredEdge;
use rusqlite::{Connection, OptionalExtension, Result, Row, Statement, params};

const INSERT: &str = "INSERT OR REPLACE INTO edge VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
/// For rows that come in the order of the table, [`AT_ONCE`] in one statement.
const APPEND_MANY: &str = "INSERT INTO edge VALUES \
     (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), \
     (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?)";
const APPEND: &str = "INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)";
const AT_ONCE: usize = 8;
const DELETE: &str =
    "DELETE FROM edge WHERE target = ?1 AND kind = ?2 AND source = ?3 AND line = ?4 AND owner = ?5";
const INCOMING: &str = "SELECT target, kind, source, line, owner, proof FROM edge WHERE target = ?1";
const FROM_ELSEWHERE: &str =
    "SELECT target, kind, source, line, owner, proof FROM edge WHERE source = ?1 AND owner <> 0";
const FIND: &str =
    "SELECT proof FROM edge WHERE target = ?1 AND kind = ?2 AND source = ?3 AND line = ?4 AND owner = ?5";
const COUNT: &str = "SELECT count(*) FROM edge";
const COUNT_INCOMING: &str = "SELECT count(*) FROM (SELECT 1 FROM edge WHERE target = ?1 LIMIT ?2)";

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

const INSERT_ASK: &str = "INSERT INTO ask VALUES (?1, ?2)";
/// For rows that come in the order of the table, [`AT_ONCE`] in one statement.
const APPEND_ASKS: &str =
    "INSERT INTO ask VALUES (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?), (?, ?)";
const DELETE_ASK: &str = "DELETE FROM ask WHERE name = ?1 AND file = ?2";
const ASKING: &str = "SELECT file FROM ask WHERE name = ?1 ORDER BY file";
const ASKING_WITH_LANGUAGE: &str = "SELECT ask.file, file.lang FROM ask JOIN file ON file.id = ask.file WHERE ask.name = ?1 ORDER BY ask.file";
const HAS_ASK: &str = "SELECT 1 FROM ask WHERE name = ?1 AND file = ?2";
const COUNT_ASKS: &str = "SELECT count(*) FROM ask";

/// What a file gave to the graph, as stored.
pub(crate) struct StoredGraph {
    pub(crate) asks: Vec<u8>,
    pub(crate) looked: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

pub(crate) fn insert(db: &Connection, row: &StoredEdge) -> Result<()> {
    let values = params![row.target, row.kind, row.source, row.line, row.owner, row.proof];
    db.prepare_cached(INSERT)?.execute(values).map(drop)
}

/// Inserts rows that come in the order of the table.
pub(crate) fn append(db: &Connection, rows: &[StoredEdge]) -> Result<()> {
    let (many, rest) = rows.as_chunks::<AT_ONCE>();
    let mut append = db.prepare_cached(APPEND_MANY)?;
    many.iter().try_for_each(|rows| append_with(&mut append, rows))?;
    let mut append = db.prepare_cached(APPEND)?;
    rest.chunks(1).try_for_each(|row| append_with(&mut append, row))
}

fn append_with(statement: &mut Statement<'_>, rows: &[StoredEdge]) -> Result<()> {
    for (place, row) in rows.iter().enumerate() {
        let first = place * 6 + 1;
        statement.raw_bind_parameter(first, row.target)?;
        statement.raw_bind_parameter(first + 1, row.kind)?;
        statement.raw_bind_parameter(first + 2, row.source)?;
        statement.raw_bind_parameter(first + 3, row.line)?;
        statement.raw_bind_parameter(first + 4, row.owner)?;
        statement.raw_bind_parameter(first + 5, row.proof)?;
    }
    statement.raw_execute().map(drop)
}

pub(crate) fn delete(db: &Connection, row: &StoredEdge) -> Result<()> {
    let (target, kind, source, line, owner) = row.key();
    db.prepare_cached(DELETE)?.execute(params![target, kind, source, line, owner]).map(drop)
}

/// How many edges lead to a node, counted up to a limit.
pub(crate) fn count_incoming(db: &Connection, target: i64, most: u32) -> Result<u32> {
    db.prepare_cached(COUNT_INCOMING)?.query_row(params![target, most], |row| row.get(0))
}

/// The edges that lead to a node, in the order of the table.
pub(crate) fn incoming(db: &Connection, target: i64) -> Result<Vec<StoredEdge>> {
    db.prepare_cached(INCOMING)?.query_map([target], read_edge)?.collect()
}

/// The edges that start at a node and were found in another file.
pub(crate) fn from_elsewhere(db: &Connection, source: i64) -> Result<Vec<StoredEdge>> {
    db.prepare_cached(FROM_ELSEWHERE)?.query_map([source], read_edge)?.collect()
}

/// The proof of an edge, if the table has it.
pub(crate) fn find(db: &Connection, row: &StoredEdge) -> Result<Option<u8>> {
    let (target, kind, source, line, owner) = row.key();
    let values = params![target, kind, source, line, owner];
    db.prepare_cached(FIND)?.query_row(values, |row| row.get(0)).optional()
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))
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

pub(crate) fn insert_ask(db: &Connection, name: i64, file: i64) -> Result<()> {
    db.prepare_cached(INSERT_ASK)?.execute([name, file]).map(drop)
}

/// Inserts rows that come in the order of the table.
pub(crate) fn append_asks(db: &Connection, rows: &[(u32, u32)]) -> Result<()> {
    let (many, rest) = rows.as_chunks::<AT_ONCE>();
    let mut append = db.prepare_cached(APPEND_ASKS)?;
    for rows in many {
        for (place, &(name, file)) in rows.iter().enumerate() {
            append.raw_bind_parameter(place * 2 + 1, name)?;
            append.raw_bind_parameter(place * 2 + 2, file)?;
        }
        append.raw_execute()?;
    }
    rest.iter().try_for_each(|&(name, file)| insert_ask(db, i64::from(name), i64::from(file)))
}

pub(crate) fn delete_ask(db: &Connection, name: i64, file: i64) -> Result<()> {
    db.prepare_cached(DELETE_ASK)?.execute([name, file]).map(drop)
}

/// The files that ask for a name, in the order of their ids.
pub(crate) fn asking(db: &Connection, name: i64) -> Result<Vec<i64>> {
    db.prepare_cached(ASKING)?.query_map([name], |row| row.get(0))?.collect()
}

/// The files that ask for a name, with their languages.
pub(crate) fn asking_with_language(db: &Connection, name: i64) -> Result<Vec<(i64, Option<i64>)>> {
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    db.prepare_cached(ASKING_WITH_LANGUAGE)?.query_map([name], row)?.collect()
}

pub(crate) fn has_ask(db: &Connection, name: i64, file: i64) -> Result<bool> {
    db.prepare_cached(HAS_ASK)?.exists([name, file])
}

pub(crate) fn count_asks(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT_ASKS)?.query_row([], |row| row.get(0))
}

fn read_edge(row: &Row<'_>) -> Result<StoredEdge> {
    Ok(StoredEdge {
        target: row.get(0)?,
        kind: row.get(1)?,
        source: row.get(2)?,
        line: row.get(3)?,
        owner: row.get(4)?,
        proof: row.get(5)?,
    })
}
