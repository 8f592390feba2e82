//! Edges by target; and by source those that were found in another file than that of their source.

use super::adjacency_lists::{self, EDGES};
use crate::codec;
use crate::error::unreadable;
use crate::graph::StoredEdge;
use rusqlite::{Connection, Result, Row, params};

const PUT_FOREIGN: &str = "INSERT OR REPLACE INTO foreign_edge VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const DELETE_FOREIGN: &str =
    "DELETE FROM foreign_edge WHERE source = ?1 AND target = ?2 AND kind = ?3 AND line = ?4 AND owner = ?5";
const FROM_FOREIGN: &str =
    "SELECT source, target, kind, line, owner, proof FROM foreign_edge WHERE source = ?1";
const COUNT_FOREIGN: &str = "SELECT count(*) FROM foreign_edge";

/// An edge to delete and one to insert in its place; either may be missing.
pub(crate) type Change<'e> = (Option<&'e StoredEdge>, Option<&'e StoredEdge>);

/// Inserts sorted edges into tables that have none of these rows.
pub(crate) fn append(db: &Connection, rows: &[StoredEdge]) -> Result<()> {
    for row in rows.chunk_by(|a, b| a.row_key() == b.row_key()) {
        EDGES.put(db, row[0].row_key(), &codec::encode_incoming_edges(row))?;
    }
    let mut foreign: Vec<_> = rows.iter().filter(|row| row.owner != 0).collect();
    foreign.sort_unstable_by_key(|row| row.source);
    foreign.into_iter().try_for_each(|row| put_foreign(db, row))
}

/// Applies changes, which are sorted by edge.
pub(crate) fn change(db: &Connection, changes: &[Change<'_>]) -> Result<()> {
    let row_key = |&(old, new): &Change<'_>| old.or(new).map_or(0, StoredEdge::row_key);
    for changes in changes.chunk_by(|a, b| row_key(a) == row_key(b)) {
        change_row(db, row_key(&changes[0]), changes)?;
    }
    for &(old, new) in changes {
        match (old, new) {
            (_, Some(new)) if new.owner != 0 => put_foreign(db, new)?,
            (Some(old), None) if old.owner != 0 => delete_foreign(db, old)?,
            _ => {}
        }
    }
    Ok(())
}

fn change_row(db: &Connection, row_key: i64, changes: &[Change<'_>]) -> Result<()> {
    let mut rows = row(db, row_key)?;
    for &(old, new) in changes {
        let Some(key) = old.or(new).map(StoredEdge::key) else { continue };
        match (rows.binary_search_by_key(&key, StoredEdge::key), new) {
            (Ok(at), Some(new)) => rows[at] = *new,
            (Err(at), Some(new)) => rows.insert(at, *new),
            (Ok(at), None) => drop(rows.remove(at)),
            (Err(_), None) => {}
        }
    }
    match rows.as_slice() {
        [] => EDGES.delete(db, row_key),
        rows => EDGES.put(db, row_key, &codec::encode_incoming_edges(rows)),
    }
}

/// The edges of a row, sorted.
pub(crate) fn row(db: &Connection, row_key: i64) -> Result<Vec<StoredEdge>> {
    let mut rows = Vec::new();
    EDGES.get(db, row_key, |data| read(adjacency_lists::one(row_key), data, &mut rows))?;
    Ok(rows)
}

/// The edges to a node.
pub(crate) fn incoming(db: &Connection, target: i64) -> Result<Vec<StoredEdge>> {
    let mut rows = Vec::new();
    EDGES.of(db, target, |data| read(target, data, &mut rows))?;
    Ok(rows)
}

/// The edges from a node that were found in another file.
pub(crate) fn from_foreign(db: &Connection, source: i64) -> Result<Vec<StoredEdge>> {
    db.prepare_cached(FROM_FOREIGN)?.query_map([source], read_foreign)?.collect()
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    EDGES.sum(db, |data| codec::count_incoming_edges(data).map(u64::from).map_err(unreadable))
}

pub(crate) fn count_foreign(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT_FOREIGN)?.query_row([], |row| row.get(0))
}

fn read(target: i64, data: &[u8], rows: &mut Vec<StoredEdge>) -> Result<()> {
    codec::decode_incoming_edges(data, target, rows).map_err(unreadable)
}

fn put_foreign(db: &Connection, row: &StoredEdge) -> Result<()> {
    let values = params![row.source, row.target, row.kind, row.line, row.owner, row.proof];
    db.prepare_cached(PUT_FOREIGN)?.execute(values).map(drop)
}

fn delete_foreign(db: &Connection, row: &StoredEdge) -> Result<()> {
    let values = params![row.source, row.target, row.kind, row.line, row.owner];
    db.prepare_cached(DELETE_FOREIGN)?.execute(values).map(drop)
}

fn read_foreign(row: &Row<'_>) -> Result<StoredEdge> {
    Ok(StoredEdge {
        source: row.get(0)?,
        target: row.get(1)?,
        kind: row.get(2)?,
        line: row.get(3)?,
        owner: row.get(4)?,
        proof: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Few values, so that edges collide; some ids so far apart that they share a row.
    fn edge() -> impl Strategy<Value = StoredEdge> {
        let source = prop_oneof![-2..3i64, 4094..4098i64, (1i64 << 24)..(1 << 24) + 2];
        (-1..2i64, source, 0..2u8, 1..3u32, 0..2i64, 0..3u8).prop_map(
            |(target, source, kind, line, owner, proof)| StoredEdge {
                target,
                source,
                kind,
                line,
                owner,
                proof,
            },
        )
    }

    fn sorted(edges: impl IntoIterator<Item = StoredEdge>) -> Vec<StoredEdge> {
        let mut edges: Vec<_> = edges.into_iter().collect();
        edges.sort_unstable_by_key(StoredEdge::key);
        edges
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn loaded_and_changed_edges_are_stored_exactly(
            loaded in proptest::collection::vec(edge(), 0..20),
            changes in proptest::collection::vec((edge(), any::<bool>()), 0..30),
        ) {
            let db = Connection::open_in_memory().expect("a database");
            db.execute_batch(include_str!("../schema/tables.sql")).expect("tables");
            let mut expected: BTreeMap<_, _> = loaded.iter().map(|edge| (edge.key(), *edge)).collect();
            append(&db, &sorted(expected.values().copied())).expect("edges");
            for (edge, comes) in &changes {
                let old = if *comes {
                    expected.insert(edge.key(), *edge)
                } else {
                    expected.remove(&edge.key())
                };
                let at = (old.as_ref(), comes.then_some(edge));
                if at != (None, None) {
                    change(&db, &[at]).expect("a change");
                }
            }
            prop_assert_eq!(count(&db).expect("a count"), expected.len() as u64);
            for target in -2..3 {
                let to: Vec<_> = expected.values().filter(|edge| edge.target == target).copied().collect();
                prop_assert_eq!(&incoming(&db, target).expect("edges"), &to);
            }
            let foreign = expected.values().filter(|edge| edge.owner != 0);
            prop_assert_eq!(count_foreign(&db).expect("a count"), foreign.clone().count() as u64);
            for edge in foreign {
                prop_assert!(from_foreign(&db, edge.source).expect("edges").contains(edge));
            }
        }
    }
}
