//! Adjacency lists: tables of pairs with many pairs per row.
//!
//! A pair takes a few bytes, but a row of a table takes ten more. So the pairs of a key are grouped: all whose other id has
//! the same high bits, up to a limit, share a row. The row key consists of the key and some bits of the other id, so the row
//! of a pair is known without a search.
//!
//! Example: 4096 consecutive ids form a group. The edges from nodes 5 and 4000 to node 7 are in row `7 << 12 | 0`, the edge
//! from node 5000 in row `7 << 12 | 1`. Group numbers have 12 bits, so ids that are 16 million apart share a row.

use rusqlite::{Connection, OptionalExtension, Result, params};

/// The size of a group of ids, in bits.
const GROUP_BITS: u32 = 12;
/// The number of bits of the row key that identify the group.
const KEY_BITS: u32 = 12;

macro_rules! adjacency_lists {
    ($table:literal) => {
        AdjacencyLists {
            get: concat!("SELECT data FROM ", $table, " WHERE key = ?1"),
            of: concat!("SELECT data FROM ", $table, " WHERE key >= ?1 AND key < ?2 ORDER BY key"),
            all: concat!("SELECT data FROM ", $table, " ORDER BY key"),
            put: concat!("INSERT OR REPLACE INTO ", $table, " VALUES (?1, ?2)"),
            delete: concat!("DELETE FROM ", $table, " WHERE key = ?1"),
        }
    };
}

pub(super) const EDGES: AdjacencyLists = adjacency_lists!("edge");
pub(super) const NAME_DEPENDENCIES: AdjacencyLists = adjacency_lists!("name_dependency");

/// The statements of one such table.
pub(super) struct AdjacencyLists {
    get: &'static str,
    of: &'static str,
    all: &'static str,
    put: &'static str,
    delete: &'static str,
}

/// The row key of the pair `one`, `other`.
pub(crate) fn row_key(one: i64, other: i64) -> i64 {
    one << KEY_BITS | (other >> GROUP_BITS) & ((1 << KEY_BITS) - 1)
}

/// The key of a row's pairs.
pub(crate) fn one(row_key: i64) -> i64 {
    row_key >> KEY_BITS
}

/// The bounds of all rows of a key.
pub(super) fn bounds(one: i64) -> [i64; 2] {
    [one << KEY_BITS, (one + 1) << KEY_BITS]
}

impl AdjacencyLists {
    /// Passes a row to `read`, if it exists.
    pub(super) fn get<T>(
        &self,
        db: &Connection,
        row_key: i64,
        read: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        db.prepare_cached(self.get)?.query_row([row_key], |row| read(row.get_ref(0)?.as_blob()?)).optional()
    }

    /// Passes the rows of a key to `see`.
    pub(super) fn of(
        &self,
        db: &Connection,
        one: i64,
        mut see: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut statement = db.prepare_cached(self.of)?;
        let mut rows = statement.query(bounds(one))?;
        while let Some(row) = rows.next()? {
            see(row.get_ref(0)?.as_blob()?)?;
        }
        Ok(())
    }

    /// Sums `count` over all rows.
    pub(super) fn sum(&self, db: &Connection, count: impl Fn(&[u8]) -> Result<u64>) -> Result<u64> {
        let mut statement = db.prepare_cached(self.all)?;
        let mut rows = statement.query([])?;
        let mut sum = 0;
        while let Some(row) = rows.next()? {
            sum += count(row.get_ref(0)?.as_blob()?)?;
        }
        Ok(sum)
    }

    /// Inserts or replaces a row.
    pub(super) fn put(&self, db: &Connection, row_key: i64, data: &[u8]) -> Result<()> {
        db.prepare_cached(self.put)?.execute(params![row_key, data]).map(drop)
    }

    pub(super) fn delete(&self, db: &Connection, row_key: i64) -> Result<()> {
        db.prepare_cached(self.delete)?.execute([row_key]).map(drop)
    }
}
