//! Names, and the files that ask for them.

use super::adjacency_lists::{ASKS, place};
use super::files;
use crate::codec::id_list;
use crate::error::unreadable;
use rusqlite::{Connection, Result};

/// Inserts pairs of a name and a file, into a table that has none of these names. Sorts them as the table wants them.
pub(crate) fn append(db: &Connection, pairs: &mut [(u32, u32)]) -> Result<()> {
    let place = |&(name, file): &(u32, u32)| place(i64::from(name), i64::from(file));
    pairs.sort_unstable_by_key(|pair| (place(pair), pair.1));
    let mut files = Vec::new();
    for bundle in pairs.chunk_by(|a, b| place(a) == place(b)) {
        files.clear();
        files.extend(bundle.iter().map(|&(_, file)| i64::from(file)));
        ASKS.put(db, place(&bundle[0]), &id_list::encode_rising(&files))?;
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
    let place = place(name, file);
    let mut files = ASKS.get(db, place, read)?.unwrap_or_default();
    match (files.binary_search(&file), asks) {
        (Err(at), true) => files.insert(at, file),
        (Ok(at), false) => _ = files.remove(at),
        _ => return Ok(()),
    }
    match files.as_slice() {
        [] => ASKS.delete(db, place),
        files => ASKS.put(db, place, &id_list::encode_rising(files)),
    }
}

/// The files that ask for a name, in the order of their ids.
pub(crate) fn asking(db: &Connection, name: i64) -> Result<Vec<i64>> {
    let mut files = Vec::new();
    ASKS.of(db, name, |data| {
        files.extend(read(data)?);
        Ok(true)
    })?;
    files.sort_unstable();
    Ok(files)
}

/// The files that ask for a name, with their languages, where they have one.
pub(crate) fn asking_with_language(db: &Connection, name: i64) -> Result<Vec<(i64, i64)>> {
    let mut found = Vec::new();
    for file in asking(db, name)? {
        found.extend(files::lang(db, file)?.map(|lang| (file, lang)));
    }
    Ok(found)
}

pub(crate) fn has(db: &Connection, name: i64, file: i64) -> Result<bool> {
    let found = ASKS.get(db, place(name, file), |data| Ok(read(data)?.binary_search(&file).is_ok()))?;
    Ok(found.unwrap_or_default())
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    ASKS.sum(db, |data| Ok(read(data)?.len() as u64))
}

fn read(data: &[u8]) -> Result<Vec<i64>> {
    id_list::decode_rising(data).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_loaded_and_changed_is_there_and_nothing_else(
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
                prop_assert!(asking(&db, i64::from(name)).expect("files").into_iter().eq(files));
            }
        }
    }

    /// Few, so that they meet; some beyond what the key tells apart, so that strangers share a row.
    fn file() -> impl Strategy<Value = u32> {
        prop_oneof![1..4u32, 4094..4098u32, (1u32 << 24)..(1 << 24) + 2]
    }
}
