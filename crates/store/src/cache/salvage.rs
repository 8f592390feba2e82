//! What is worth keeping of a cache that is damaged or of an older format: vectors of other models, which may have cost money.
//! Facts are made again.

use crate::connection::database::Db;
use crate::connection::database_path::Located;
use rusqlite::{Connection, Result};

/// The tables with vectors, as far as they are the same in both files.
const TABLES: [&str; 3] = ["embed_model", "embed_file", "embed_text"];

/// A cache that was moved out of the way, until the new one has taken what it wants of it.
pub(crate) struct Aside(Located);

impl Aside {
    /// Moves a cache and what lies beside it.
    pub(crate) fn move_from(place: &Located) -> Self {
        let aside = place.named(format!("{}.old-{}", place.name, std::process::id()));
        aside.remove();
        for (from, to) in place.beside().iter().zip(aside.beside()) {
            let _ = place.folder.rename(from, &to);
        }
        let _ = place.folder.rename(&place.name, &aside.name);
        Self(aside)
    }

    /// Copies the vectors that can still be read into the new cache.
    pub(crate) fn copy_into(&self, db: &Connection) {
        // Nothing but a plain file of ours is opened: a link that was moved here is not followed.
        if self.0.check().is_err() || self.0.folder.entry(&self.0.name).is_none() {
            return;
        }
        let Some(name) = Db::name_for_sqlite(&self.0.folder, &self.0.name) else { return };
        if db.execute("ATTACH ?1 AS old", [name]).is_err() {
            return;
        }
        for table in TABLES {
            // A table that cannot be read costs its own rows.
            let _: Result<usize> =
                db.execute(&format!("INSERT OR IGNORE INTO main.{table} SELECT * FROM old.{table}"), []);
        }
        let _ = db.execute("DETACH old", []);
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.0.remove();
    }
}
