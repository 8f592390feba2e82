//! Migrates older formats to the current one, step by step.
//!
//! A format change adds `vNN.rs` with one function and one entry in [`STEPS`]. A change that cannot be computed from the
//! stored data has no step: the index is then reported as outdated and rebuilt, mostly from the cache.

use crate::error::{AtPath, StoreError};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;

/// A migration from one format to the next.
pub(crate) struct Step {
    /// The format after this step; it starts at the format before.
    pub(crate) to: u32,
    /// What it does, for messages.
    pub(crate) what: &'static str,
    pub(crate) run: fn(&Transaction<'_>) -> rusqlite::Result<()>,
}

/// All steps, oldest first. None yet: posting lists come from texts, which the index does not store.
pub(crate) const STEPS: &[Step] = &[];

/// Migrates a database in one transaction.
pub(crate) fn run(
    db: &mut Connection,
    path: &Path,
    steps: &[Step],
    from: u32,
    to: u32,
) -> Result<Vec<&'static str>, StoreError> {
    let way: Vec<&Step> = steps.iter().filter(|step| (from + 1..=to).contains(&step.to)).collect();
    if !way.iter().map(|step| step.to).eq(from + 1..=to) {
        return Err(StoreError::Outdated { path: path.to_path_buf(), found: from, known: to });
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
    for step in &way {
        (step.run)(&transaction).at(path)?;
    }
    transaction.pragma_update(None, "user_version", to).at(path)?;
    transaction.commit().at(path)?;
    Ok(way.iter().map(|step| step.what).collect())
}

#[cfg(test)]
mod tests;
