//! Replaces vectors while everything else stays: a new version of the embedder recomputes them.

use crate::error::{AtPath, StoreError};
use crate::rows::FileId;
use crate::sql::meta::{self, Meta};
use crate::sql::{files, vectors};
use crate::writer::change_set::Writer;
use orient_model::ContentHash;
use rusqlite::{Connection, TransactionBehavior};

impl Writer<'_> {
    /// The version of the embedder that produced the vectors.
    pub fn embedder(&self) -> u64 {
        self.meta.embedder
    }

    /// Deletes all vectors, because an embedder with another version will produce new ones.
    pub fn forget_vectors(&mut self, embedder: u64) -> Result<(), StoreError> {
        self.change_vectors(embedder, vectors::clear)
    }

    /// Adds vectors to files that have none, unless their content has changed.
    pub fn put_vectors(&mut self, given: &[(FileId, ContentHash, Vec<u8>)]) -> Result<(), StoreError> {
        self.change_vectors(self.meta.embedder, |db| {
            for (file, hash, bytes) in given {
                if files::by_id(db, *file)?.is_some_and(|row| row.hash == Some(*hash)) {
                    vectors::delete(db, file.0)?;
                    vectors::put(db, file.0, bytes)?;
                }
            }
            Ok(())
        })
    }

    /// Changes vectors in a generation of its own. The tree manifest stays valid.
    fn change_vectors(
        &mut self,
        embedder: u64,
        change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let next = Meta { embedder, generation: self.meta.generation + 1, ..self.meta };
        let transaction = self.db.transaction_with_behavior(TransactionBehavior::Immediate).at(&self.path)?;
        change(&transaction).and_then(|()| meta::update(&transaction, &next)).at(&self.path)?;
        transaction.commit().at(&self.path)?;
        self.meta = next;
        Ok(())
    }
}
