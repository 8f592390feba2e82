//! Vectors that change while all else of the index stays: another version of the model makes them anew.

use crate::error::{AtPath, StoreError};
use crate::rows::FileId;
use crate::sql::meta::{self, Meta};
use crate::sql::{files, terms as term_tables};
use crate::writer::change_set::Writer;
use orient_model::ContentHash;
use rusqlite::{Connection, TransactionBehavior};

impl Writer<'_> {
    /// The version of what made the vectors.
    pub fn embedder(&self) -> u64 {
        self.meta.embedder
    }

    /// Drops all vectors, since others will be made by what has this version.
    pub fn forget_vectors(&mut self, embedder: u64) -> Result<(), StoreError> {
        self.change_vectors(embedder, term_tables::clear_vectors)
    }

    /// Gives files vectors that have none, unless their content has changed since.
    pub fn put_vectors(&mut self, given: &[(FileId, ContentHash, Vec<u8>)]) -> Result<(), StoreError> {
        self.change_vectors(self.meta.embedder, |db| {
            for (file, hash, vectors) in given {
                if files::by_id(db, *file)?.is_some_and(|row| row.hash == Some(*hash)) {
                    term_tables::delete_vectors(db, file.0)?;
                    term_tables::put_vectors(db, file.0, vectors)?;
                }
            }
            Ok(())
        })
    }

    /// Changes vectors in a generation of its own. What is remembered of the tree stays true.
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
