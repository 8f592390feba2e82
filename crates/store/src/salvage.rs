//! What is worth keeping of a cache that is damaged or of an older format: vectors of other models, which may have cost money.
//! Facts are made again.

use crate::bulk::with_suffix;
use crate::version::beside;
use rusqlite::{Connection, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The tables with vectors, as far as they are the same in both files.
const TABLES: [&str; 3] = ["embed_model", "embed_file", "embed_text"];

/// A cache that was moved out of the way, until the new one has taken what it wants of it.
pub(crate) struct Aside(PathBuf);

impl Aside {
    /// Moves the cache at a path and what lies beside it.
    pub(crate) fn move_from(path: &Path) -> Self {
        let aside = with_suffix(path, &format!(".old-{}", std::process::id()));
        let aside = Self(aside);
        aside.remove();
        for (from, to) in beside(path).iter().zip(beside(&aside.0)) {
            let _ = fs::rename(from, to);
        }
        let _ = fs::rename(path, &aside.0);
        aside
    }

    /// Copies the vectors that can still be read into the new cache.
    pub(crate) fn copy_into(&self, db: &Connection) {
        let Some(name) = self.0.to_str() else { return };
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

    fn remove(&self) {
        for file in beside(&self.0) {
            let _ = fs::remove_file(file);
        }
        let _ = fs::remove_file(&self.0);
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.remove();
    }
}
