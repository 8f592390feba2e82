//! Salvages provider vectors, which may have cost money, from a cache that is damaged or has an older format. Facts are
//! recomputed.

use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use rusqlite::{Connection, Result};

/// The tables with vectors, which are the same in both files.
const TABLES: [&str; 3] = ["embed_model", "embed_file", "embed_text"];

/// A cache that was moved aside until its vectors are copied.
pub(crate) struct MovedCache(DatabasePath);

impl MovedCache {
    /// Moves a cache and the files beside it.
    pub(crate) fn move_from(place: &DatabasePath) -> Self {
        let aside = place.named(format!("{}.old-{}", place.name, std::process::id()));
        aside.remove();
        for (from, to) in place.beside().iter().zip(aside.beside()) {
            let _ = place.directory.rename(from, &to);
        }
        let _ = place.directory.rename(&place.name, &aside.name);
        Self(aside)
    }

    /// Copies all readable vectors to the new cache.
    pub(crate) fn copy_into(&self, db: &Connection) {
        // Open only a regular file of this user: a link that was moved here is not followed.
        if self.0.check().is_err() || self.0.directory.entry(&self.0.name).is_none() {
            return;
        }
        let Some(name) = Db::name_for_sqlite(&self.0.directory, &self.0.name) else { return };
        if db.execute("ATTACH ?1 AS old", [name]).is_err() {
            return;
        }
        for table in TABLES {
            // An unreadable table only loses its own rows.
            let _: Result<usize> =
                db.execute(&format!("INSERT OR IGNORE INTO main.{table} SELECT * FROM old.{table}"), []);
        }
        let _ = db.execute("DETACH old", []);
    }
}

impl Drop for MovedCache {
    fn drop(&mut self) {
        self.0.remove();
    }
}
