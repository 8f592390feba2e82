//! Tables of pairs, bundled: for each one, those that point at it, neighbours together in one row.
//!
//! A pair takes a few bytes, a row of a table takes ten more to say where it is. The key is the one, and in its lowest bits
//! the neighbourhood of the others: where a pair stands is known without a look at any row. Neighbourhoods that share
//! these bits share a row.

use rusqlite::{Connection, OptionalExtension, Result, params};

/// How many ids that follow each other are neighbours, in bits.
const NEAR: u32 = 12;
/// How many bits of the key say which neighbourhood it is.
const BITS: u32 = 12;

macro_rules! bundles {
    ($table:literal) => {
        Bundles {
            get: concat!("SELECT data FROM ", $table, " WHERE key = ?1"),
            of: concat!("SELECT data FROM ", $table, " WHERE key >= ?1 AND key < ?2 ORDER BY key"),
            all: concat!("SELECT data FROM ", $table, " ORDER BY key"),
            put: concat!("INSERT OR REPLACE INTO ", $table, " VALUES (?1, ?2)"),
            delete: concat!("DELETE FROM ", $table, " WHERE key = ?1"),
        }
    };
}

pub(super) const EDGES: Bundles = bundles!("edge");
pub(super) const ASKS: Bundles = bundles!("ask");

/// The statements of one such table.
pub(super) struct Bundles {
    get: &'static str,
    of: &'static str,
    all: &'static str,
    put: &'static str,
    delete: &'static str,
}

/// The key of the row where `other` stands among those of `one`.
pub(crate) fn place(one: i64, other: i64) -> i64 {
    one << BITS | (other >> NEAR) & ((1 << BITS) - 1)
}

/// The one that a key belongs to.
pub(crate) fn one(place: i64) -> i64 {
    place >> BITS
}

/// The keys of all rows of one: the first, and the first that is no more.
pub(super) fn bounds(one: i64) -> [i64; 2] {
    [one << BITS, (one + 1) << BITS]
}

impl Bundles {
    /// Gives a row to `read`, if it is there.
    pub(super) fn get<T>(
        &self,
        db: &Connection,
        place: i64,
        read: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        db.prepare_cached(self.get)?.query_row([place], |row| read(row.get_ref(0)?.as_blob()?)).optional()
    }

    /// Shows the rows of one until `see` has seen enough.
    pub(super) fn of(
        &self,
        db: &Connection,
        one: i64,
        mut see: impl FnMut(&[u8]) -> Result<bool>,
    ) -> Result<()> {
        let mut statement = db.prepare_cached(self.of)?;
        let mut rows = statement.query(bounds(one))?;
        while let Some(row) = rows.next()? {
            if !see(row.get_ref(0)?.as_blob()?)? {
                break;
            }
        }
        Ok(())
    }

    /// Adds up what `count` says of every row.
    pub(super) fn sum(&self, db: &Connection, count: impl Fn(&[u8]) -> Result<u64>) -> Result<u64> {
        let mut statement = db.prepare_cached(self.all)?;
        let mut rows = statement.query([])?;
        let mut sum = 0;
        while let Some(row) = rows.next()? {
            sum += count(row.get_ref(0)?.as_blob()?)?;
        }
        Ok(sum)
    }

    /// Writes a row in place of what was there.
    pub(super) fn put(&self, db: &Connection, place: i64, data: &[u8]) -> Result<()> {
        db.prepare_cached(self.put)?.execute(params![place, data]).map(drop)
    }

    pub(super) fn delete(&self, db: &Connection, place: i64) -> Result<()> {
        db.prepare_cached(self.delete)?.execute([place]).map(drop)
    }
}
