//! Copies a whole cache, for the copy of a checkout: its facts, history and provider vectors are the same.

use crate::cache::{Cache, in_transaction};
use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use rusqlite::{Connection, Result};
use std::path::Path;

/// The tables, each after those that it refers to.
const TABLES: [&str; 16] = [
    "facts",
    "entry",
    "whole",
    "embed_model",
    "embed_file",
    "embed_text",
    "history_state",
    "history_person",
    "history_path",
    "history_commit",
    "history_change",
    "history_copy",
    "history_symbols",
    "history_former_name",
    "history_text",
    "history_graph",
];

impl Cache {
    /// Copies everything that another cache of the same store has, if this one is empty. A failure leaves it empty.
    pub fn adopt(&mut self, other: &Path) {
        if self.writing().is_none() || self.entries() > 0 {
            return;
        }
        let Ok(place) = DatabasePath::at(other) else { return };
        if place.check().is_err() || place.directory.entry(&place.name).is_none() {
            return;
        }
        let Some(name) = Db::name_for_sqlite(&place.directory, &place.name) else { return };
        self.attempt(|db| {
            db.execute("ATTACH ?1 AS other", [name])?;
            let copied = in_transaction(db, copy_tables);
            db.execute_batch("DETACH other")?;
            copied
        });
    }
}

fn copy_tables(db: &Connection) -> Result<()> {
    for table in TABLES {
        let known = "SELECT 1 FROM other.sqlite_schema WHERE type = 'table' AND name = ?1";
        if db.prepare_cached(known)?.exists([table])? {
            db.execute(&format!("INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table}"), [])?;
        }
    }
    Ok(())
}
