//! Provider vectors in `cache.db`: by text and model, so that no text is embedded twice.
//!
//! The path and content of a file lead to the hashes of its texts; a text and a model lead to a vector. Unlike facts they
//! may have cost money, so writing them reports failures.

use crate::cache::{Cache, CacheState, in_transaction};
use orient_model::ContentHash;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};
use std::collections::HashSet;

/// Created whenever a cache is opened for writing, since older caches lack these tables.
pub(crate) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS embed_model (
        id        INTEGER PRIMARY KEY,
        source    TEXT NOT NULL,    -- provider and model, as the settings name them
        wanted    INTEGER NOT NULL, -- the dimension that was asked for; 0: the model's own
        name      TEXT NOT NULL,    -- what its vectors can be compared by
        dimension INTEGER NOT NULL,
        turn      INTEGER NOT NULL, -- greatest for the one that was asked last
        UNIQUE (source, wanted, name)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS embed_file (
        file  BLOB PRIMARY KEY,
        texts BLOB NOT NULL, -- the hashes of its texts, one after the other
        used  INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS embed_text (
        id     INTEGER PRIMARY KEY,
        model  INTEGER NOT NULL,
        text   BLOB NOT NULL,
        used   INTEGER NOT NULL,
        vector BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX IF NOT EXISTS embed_text_by_hash ON embed_text (model, text);";

const MODEL: &str = "SELECT id, name, dimension FROM embed_model WHERE source = ?1 AND wanted = ?2 ORDER BY turn DESC LIMIT 1";
const PUT_MODEL: &str = "INSERT INTO embed_model (source, wanted, name, dimension, turn)
     VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(turn), 0) + 1 FROM embed_model))
     ON CONFLICT DO UPDATE SET dimension = excluded.dimension, turn = excluded.turn";
const TEXTS: &str = "SELECT texts FROM embed_file WHERE file = ?1";
const PUT_TEXTS: &str = "INSERT OR REPLACE INTO embed_file VALUES (?1, ?2, ?3)";
const KNOWN: &str = "SELECT text FROM embed_text WHERE model = ?1 ORDER BY text";
const VECTORS: &str = "SELECT text, vector FROM embed_text WHERE model = ?1 ORDER BY id";
const PUT_VECTOR: &str =
    "INSERT OR IGNORE INTO embed_text (model, text, used, vector) VALUES (?1, ?2, ?3, ?4)";
const LAST: &str = "SELECT coalesce(max(id), 0) FROM embed_text";
const ALL_FILES: &str = "SELECT file, texts, used FROM embed_file ORDER BY file";
const ALL_TEXTS: &str = "SELECT id, text, used FROM embed_text ORDER BY id";
const DELETE_FILE: &str = "DELETE FROM embed_file WHERE file = ?1";
const DELETE_TEXT: &str = "DELETE FROM embed_text WHERE id = ?1";

/// A model with stored vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedModel {
    /// Its id in this cache.
    pub id: i64,
    /// The similarity measure of its vectors.
    pub name: String,
    /// Their dimension.
    pub dimension: usize,
}

impl Cache {
    /// The model that was last used under a name of the settings and a dimension; 0 is the model's default dimension.
    pub fn embed_model(&mut self, source: &str, wanted: usize) -> Option<EmbedModel> {
        let read = |row: &Row<'_>| {
            Ok(EmbedModel { id: row.get(0)?, name: row.get(1)?, dimension: row.get::<_, u32>(2)? as usize })
        };
        self.attempt(|db| {
            db.prepare_cached(MODEL)?.query_row(params![source, wanted as u32], read).optional()
        })
        .flatten()
    }

    /// Records which model is used from now on; `None` if the cache is not writable.
    pub fn put_embed_model(
        &mut self,
        source: &str,
        wanted: usize,
        name: &str,
        dimension: usize,
    ) -> Option<EmbedModel> {
        if *self.state() == CacheState::ReadOnly {
            return None;
        }
        self.attempt(|db| {
            let row = params![source, wanted as u32, name, dimension as u32];
            db.prepare_cached(PUT_MODEL)?.execute(row).map(drop)
        })?;
        self.embed_model(source, wanted)
    }

    /// The hashes of a file's texts, in the order of its chunks; `None` if they were not recorded.
    pub fn embed_texts(&mut self, file: &ContentHash) -> Option<Vec<ContentHash>> {
        self.attempt(|db| {
            let read = |row: &Row<'_>| Ok(hashes(row.get_ref(0)?.as_blob()?));
            db.prepare_cached(TEXTS)?.query_row([&file.0[..]], read).optional()
        })
        .flatten()
    }

    /// Records the hashes of the texts of files.
    pub fn put_embed_texts(&mut self, files: &[(ContentHash, Vec<ContentHash>)], day: u32) {
        if files.is_empty() || *self.state() == CacheState::ReadOnly {
            return;
        }
        self.attempt(|db| {
            in_transaction(db, |db| {
                let mut put = db.prepare_cached(PUT_TEXTS)?;
                files.iter().try_for_each(|(file, texts)| {
                    let bytes: Vec<u8> = texts.iter().flat_map(|text| text.0).collect();
                    put.execute(params![&file.0[..], bytes, day]).map(drop)
                })
            })
        });
    }

    /// The texts that a model has embedded.
    pub fn embedded(&mut self, model: i64) -> HashSet<ContentHash> {
        let mut known = HashSet::new();
        self.attempt(|db| {
            let mut statement = db.prepare_cached(KNOWN)?;
            let mut rows = statement.query([model])?;
            while let Some(row) = rows.next()? {
                known.extend(hashes(row.get_ref(0)?.as_blob()?));
            }
            Ok(())
        });
        known
    }

    /// Passes the vectors of a model to `see`, one byte per value.
    pub fn each_embedded(&mut self, model: i64, mut see: impl FnMut(ContentHash, &[u8])) {
        self.attempt(|db| {
            let mut statement = db.prepare_cached(VECTORS)?;
            let mut rows = statement.query([model])?;
            while let Some(row) = rows.next()? {
                let vector = row.get_ref(1)?.as_blob()?;
                for text in hashes(row.get_ref(0)?.as_blob()?) {
                    see(text, vector);
                }
            }
            Ok(())
        });
    }

    /// A counter that grows whenever a vector is added.
    pub fn last_embedded(&mut self) -> i64 {
        self.attempt(|db| db.prepare_cached(LAST)?.query_row([], |row| row.get(0))).unwrap_or_default()
    }

    /// Stores vectors in one transaction; returns whether that worked.
    pub fn put_embedded(&mut self, model: i64, vectors: &[(ContentHash, Vec<u8>)], day: u32) -> bool {
        *self.state() != CacheState::ReadOnly
            && self
                .attempt(|db| {
                    in_transaction(db, |db| {
                        let mut put = db.prepare_cached(PUT_VECTOR)?;
                        vectors.iter().try_for_each(|(text, vector)| {
                            put.execute(params![model, &text.0[..], day, vector]).map(drop)
                        })
                    })
                })
                .is_some()
    }

    /// Removes vectors of texts that no file in use contains and that are older than a day, and the files for which
    /// `is_used` returns false. Returns their number. With `dry`, only counts them.
    pub fn prune_embedded(&mut self, oldest: u32, dry: bool, is_used: impl Fn(&ContentHash) -> bool) -> u64 {
        if *self.state() == CacheState::ReadOnly {
            return 0;
        }
        let pruned = self.attempt(|db| in_transaction(db, |db| prune(db, oldest, dry, is_used)));
        let pruned = pruned.unwrap_or_default();
        if pruned > 0 && !dry {
            self.attempt(|db| db.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);"));
        }
        pruned
    }
}

fn prune(db: &Connection, oldest: u32, dry: bool, is_used: impl Fn(&ContentHash) -> bool) -> Result<u64> {
    let (mut texts, mut files) = (HashSet::new(), Vec::new());
    let mut statement = db.prepare_cached(ALL_FILES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let file = ContentHash(row.get(0)?);
        if is_used(&file) || row.get::<_, u32>(2)? >= oldest {
            texts.extend(hashes(row.get_ref(1)?.as_blob()?));
        } else {
            files.push(file);
        }
    }
    let mut leaving: Vec<i64> = Vec::new();
    let mut statement = db.prepare_cached(ALL_TEXTS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if row.get::<_, u32>(2)? < oldest && !texts.contains(&ContentHash(row.get(1)?)) {
            leaving.push(row.get(0)?);
        }
    }
    if !dry {
        for file in files {
            db.prepare_cached(DELETE_FILE)?.execute([&file.0[..]])?;
        }
        for id in &leaving {
            db.prepare_cached(DELETE_TEXT)?.execute([id])?;
        }
    }
    Ok(leaving.len() as u64)
}

fn hashes(bytes: &[u8]) -> Vec<ContentHash> {
    bytes.as_chunks::<16>().0.iter().map(|hash| ContentHash(*hash)).collect()
}
