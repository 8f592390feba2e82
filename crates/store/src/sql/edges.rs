//! Edges, by where they lead; and once more by where they start, those that the file of their source does not know of.

use super::adjacency_lists::{self, EDGES};
use crate::codec;
use crate::error::unreadable;
use crate::graph::StoredEdge;
use rusqlite::{Connection, Result, Row, params};

const PUT_ELSEWHERE: &str = "INSERT OR REPLACE INTO elsewhere VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const DELETE_ELSEWHERE: &str =
    "DELETE FROM elsewhere WHERE source = ?1 AND target = ?2 AND kind = ?3 AND line = ?4 AND owner = ?5";
const FROM_ELSEWHERE: &str =
    "SELECT source, target, kind, line, owner, proof FROM elsewhere WHERE source = ?1";
const COUNT_ELSEWHERE: &str = "SELECT count(*) FROM elsewhere";

/// An edge that goes, and the one that comes in its place; either may be missing.
pub(crate) type Change<'e> = (Option<&'e StoredEdge>, Option<&'e StoredEdge>);

/// Inserts edges that come in their order, into tables that have none of these places.
pub(crate) fn append(db: &Connection, rows: &[StoredEdge]) -> Result<()> {
    for bundle in rows.chunk_by(|a, b| a.place() == b.place()) {
        EDGES.put(db, bundle[0].place(), &codec::encode_bundle(bundle))?;
    }
    let mut elsewhere: Vec<_> = rows.iter().filter(|row| row.owner != 0).collect();
    elsewhere.sort_unstable_by_key(|row| row.source);
    elsewhere.into_iter().try_for_each(|row| put_elsewhere(db, row))
}

/// Makes changes that come in the order of their edges.
pub(crate) fn change(db: &Connection, changes: &[Change<'_>]) -> Result<()> {
    let place = |&(old, new): &Change<'_>| old.or(new).map_or(0, StoredEdge::place);
    for changes in changes.chunk_by(|a, b| place(a) == place(b)) {
        change_bundle(db, place(&changes[0]), changes)?;
    }
    for &(old, new) in changes {
        match (old, new) {
            (_, Some(new)) if new.owner != 0 => put_elsewhere(db, new)?,
            (Some(old), None) if old.owner != 0 => delete_elsewhere(db, old)?,
            _ => {}
        }
    }
    Ok(())
}

fn change_bundle(db: &Connection, place: i64, changes: &[Change<'_>]) -> Result<()> {
    let mut rows = bundle(db, place)?;
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
        [] => EDGES.delete(db, place),
        rows => EDGES.put(db, place, &codec::encode_bundle(rows)),
    }
}

/// The edges that stand at a place, in their order.
pub(crate) fn bundle(db: &Connection, place: i64) -> Result<Vec<StoredEdge>> {
    let mut rows = Vec::new();
    EDGES.get(db, place, |data| read(adjacency_lists::one(place), data, &mut rows))?;
    Ok(rows)
}

/// The edges that lead to a node.
pub(crate) fn incoming(db: &Connection, target: i64) -> Result<Vec<StoredEdge>> {
    let mut rows = Vec::new();
    EDGES.of(db, target, |data| read(target, data, &mut rows).map(|()| true))?;
    Ok(rows)
}

/// How many edges lead to a node, counted up to a limit.
pub(crate) fn count_incoming(db: &Connection, target: i64, most: u32) -> Result<u32> {
    let mut count = 0u32;
    EDGES.of(db, target, |data| {
        count = count.saturating_add(codec::count_in_bundle(data).map_err(unreadable)?);
        Ok(count < most)
    })?;
    Ok(count.min(most))
}

/// The edges that start at a node and were found in another file.
pub(crate) fn from_elsewhere(db: &Connection, source: i64) -> Result<Vec<StoredEdge>> {
    db.prepare_cached(FROM_ELSEWHERE)?.query_map([source], read_elsewhere)?.collect()
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    EDGES.sum(db, |data| codec::count_in_bundle(data).map(u64::from).map_err(unreadable))
}

pub(crate) fn count_elsewhere(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT_ELSEWHERE)?.query_row([], |row| row.get(0))
}

fn read(target: i64, data: &[u8], rows: &mut Vec<StoredEdge>) -> Result<()> {
    codec::decode_bundle(data, target, rows).map_err(unreadable)
}

fn put_elsewhere(db: &Connection, row: &StoredEdge) -> Result<()> {
    let values = params![row.source, row.target, row.kind, row.line, row.owner, row.proof];
    db.prepare_cached(PUT_ELSEWHERE)?.execute(values).map(drop)
}

fn delete_elsewhere(db: &Connection, row: &StoredEdge) -> Result<()> {
    let values = params![row.source, row.target, row.kind, row.line, row.owner];
    db.prepare_cached(DELETE_ELSEWHERE)?.execute(values).map(drop)
}

fn read_elsewhere(row: &Row<'_>) -> Result<StoredEdge> {
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

    /// Few of each, so that edges meet; ids beyond what the key tells apart, so that strangers share a row.
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
        fn what_was_loaded_and_changed_is_there_and_nothing_else(
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
                for most in [1, 2, 100] {
                    prop_assert_eq!(count_incoming(&db, target, most).expect("a count"), most.min(to.len() as u32));
                }
            }
            let elsewhere = expected.values().filter(|edge| edge.owner != 0);
            prop_assert_eq!(count_elsewhere(&db).expect("a count"), elsewhere.clone().count() as u64);
            for edge in elsewhere {
                prop_assert!(from_elsewhere(&db, edge.source).expect("edges").contains(edge));
            }
        }
    }
}
