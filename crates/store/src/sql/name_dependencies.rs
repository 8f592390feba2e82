//! Name dependencies: names, and the files whose resolution looked them up.

use super::adjacency_lists::{NAME_DEPENDENCIES, row_key};
use super::files;
use crate::codec::id_list;
use crate::error::unreadable;
use rusqlite::{Connection, Result};

/// Sorts and inserts pairs of a name and a file. The table has none of these names yet.
pub(crate) fn append(db: &Connection, pairs: &mut [(u32, u32)]) -> Result<()> {
    let row_key = |&(name, file): &(u32, u32)| row_key(i64::from(name), i64::from(file));
    pairs.sort_unstable_by_key(|pair| (row_key(pair), pair.1));
    let mut files = Vec::new();
    for row in pairs.chunk_by(|a, b| row_key(a) == row_key(b)) {
        files.clear();
        files.extend(row.iter().map(|&(_, file)| i64::from(file)));
        NAME_DEPENDENCIES.put(db, row_key(&row[0]), &id_list::encode_ascending(&files))?;
    }
    Ok(())
}

pub(crate) fn insert(db: &Connection, name: i64, file: i64) -> Result<()> {
    change(db, name, file, true)
}

pub(crate) fn delete(db: &Connection, name: i64, file: i64) -> Result<()> {
    change(db, name, file, false)
}

fn change(db: &Connection, name: i64, file: i64, asks: bool) -> Result<()> {
    let row_key = row_key(name, file);
    let mut files = NAME_DEPENDENCIES.get(db, row_key, read)?.unwrap_or_default();
    match (files.binary_search(&file), asks) {
        (Err(at), true) => files.insert(at, file),
        (Ok(at), false) => _ = files.remove(at),
        _ => return Ok(()),
    }
    match files.as_slice() {
        [] => NAME_DEPENDENCIES.delete(db, row_key),
        files => NAME_DEPENDENCIES.put(db, row_key, &id_list::encode_ascending(files)),
    }
}

/// The files that depend on a name, by id.
pub(crate) fn dependents(db: &Connection, name: i64) -> Result<Vec<i64>> {
    let mut files = Vec::new();
    NAME_DEPENDENCIES.of(db, name, |data| {
        files.extend(read(data)?);
        Ok(())
    })?;
    files.sort_unstable();
    Ok(files)
}

/// The files that depend on a name, with their languages, if they have one.
pub(crate) fn dependents_with_language(db: &Connection, name: i64) -> Result<Vec<(i64, i64)>> {
    let mut found = Vec::new();
    for file in dependents(db, name)? {
        found.extend(files::lang(db, file)?.map(|lang| (file, lang)));
    }
    Ok(found)
}

pub(crate) fn has(db: &Connection, name: i64, file: i64) -> Result<bool> {
    let found = NAME_DEPENDENCIES
        .get(db, row_key(name, file), |data| Ok(read(data)?.binary_search(&file).is_ok()))?;
    Ok(found.unwrap_or_default())
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    NAME_DEPENDENCIES.sum(db, |data| Ok(read(data)?.len() as u64))
}

fn read(data: &[u8]) -> Result<Vec<i64>> {
    id_list::decode_ascending(data).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn loaded_and_changed_pairs_are_stored_exactly(
            loaded in proptest::collection::btree_set((1..4u32, file()), 0..20),
            changes in proptest::collection::vec((1..4u32, file(), any::<bool>()), 0..30),
        ) {
            let db = Connection::open_in_memory().expect("a database");
            db.execute_batch(include_str!("../schema/tables.sql")).expect("tables");
            append(&db, &mut loaded.iter().copied().collect::<Vec<_>>()).expect("pairs");
            let mut expected = loaded;
            for (name, file, asks) in changes {
                let change = if asks { insert } else { delete };
                change(&db, i64::from(name), i64::from(file)).expect("a change");
                if asks { expected.insert((name, file)) } else { expected.remove(&(name, file)) };
            }
            prop_assert_eq!(count(&db).expect("a count"), expected.len() as u64);
            for name in 0..5u32 {
                let files: BTreeSet<i64> =
                    expected.iter().filter(|pair| pair.0 == name).map(|pair| i64::from(pair.1)).collect();
                for &file in &files {
                    prop_assert!(has(&db, i64::from(name), file).expect("a look"));
                }
                prop_assert!(dependents(&db, i64::from(name)).expect("files").into_iter().eq(files));
            }
        }
    }

    /// Few values, so that pairs collide; some ids so far apart that they share a row.
    fn file() -> impl Strategy<Value = u32> {
        prop_oneof![1..4u32, 4094..4098u32, (1u32 << 24)..(1 << 24) + 2]
    }
}
