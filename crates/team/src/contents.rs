//! The contents of files by their hash: in the database once for all repositories, and in a cache on disk.

use crate::data_directory::DataDirectory;
use crate::database::Database;
use crate::error::TeamError;
use orient_text::{TrigramExtractor, for_each_term, term_hash};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::sync::Arc;

/// The hash of a content: BLAKE3.
pub(crate) type Hash = [u8; 32];

/// Larger contents are not stored: no index has them.
pub(crate) const MAX_CONTENT: u64 = 4 << 20;
/// The level of compression; higher ones are slower than parsing.
const LEVEL: i32 = 3;
/// Number of contents in one request to the database.
const BATCH: usize = 256;

const INSERT: &str = "INSERT INTO content (hash, size, data, terms, trigrams) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (hash) DO NOTHING RETURNING id";
const FIND: &str = "SELECT id FROM content WHERE hash = $1";
const READ: &str = "SELECT hash, data FROM content WHERE hash = ANY($1)";

/// Younger contents are kept: a worker may be about to publish them.
const COLLECT: &str = "DELETE FROM content c WHERE added < now() - interval '1 day' \
     AND NOT EXISTS (SELECT FROM entry e WHERE e.content = c.id)";

impl Database {
    /// Removes the contents that no branch has; returns their number.
    pub(crate) fn collect_contents(&self) -> Result<u64, TeamError> {
        self.with(|client| Ok(client.execute(COLLECT, &[])?))
    }
}

/// Hashes a content.
pub(crate) fn hash_of(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// Reads contents, from the cache if it has them.
#[derive(Clone)]
pub(crate) struct ContentCache {
    database: Arc<Database>,
    data: DataDirectory,
}

impl ContentCache {
    pub(crate) fn new(database: Arc<Database>, data: DataDirectory) -> Self {
        Self { database, data }
    }

    /// A content. Its hash is checked, wherever it comes from.
    pub(crate) fn read(&self, hash: &Hash) -> Result<Vec<u8>, TeamError> {
        if let Some(bytes) = self.cached(hash) {
            return Ok(bytes);
        }
        self.fetch(std::slice::from_ref(hash))?;
        self.cached(hash).ok_or_else(|| TeamError::Damaged(hex(hash)))
    }

    /// Fetches the contents that the cache does not have.
    pub(crate) fn prefetch<'h>(&self, hashes: impl IntoIterator<Item = &'h Hash>) -> Result<(), TeamError> {
        let distinct: BTreeSet<&Hash> = hashes.into_iter().collect();
        let missing: Vec<Hash> = distinct.into_iter().filter(|hash| !self.is_cached(hash)).copied().collect();
        missing.chunks(BATCH).try_for_each(|some| self.fetch(some))
    }

    /// Puts a content into the cache; it is compressed already.
    pub(crate) fn put(&self, hash: &Hash, compressed: &[u8]) -> Result<(), TeamError> {
        let (directory, name) = place(hash);
        self.data
            .directory(&directory)?
            .replace(&name, compressed)
            .map_err(TeamError::io("cannot write a content"))
    }

    fn fetch(&self, hashes: &[Hash]) -> Result<(), TeamError> {
        let asked: Vec<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let rows = self.database.with(|client| Ok(client.query(READ, &[&asked])?))?;
        for row in rows {
            if let Ok(hash) = Hash::try_from(row.get::<_, &[u8]>(0)) {
                self.put(&hash, row.get(1))?;
            }
        }
        Ok(())
    }

    fn is_cached(&self, hash: &Hash) -> bool {
        let (directory, name) = place(hash);
        self.data.directory(&directory).is_ok_and(|directory| directory.entry(&name).is_some())
    }

    fn cached(&self, hash: &Hash) -> Option<Vec<u8>> {
        let (directory, name) = place(hash);
        let compressed = self.data.directory(&directory).ok()?.read(&name, u64::MAX).ok()??;
        let bytes = zstd::bulk::decompress(&compressed, MAX_CONTENT as usize).ok()?;
        (hash_of(&bytes) == *hash).then_some(bytes)
    }
}

/// The directory and the name of a content in the cache.
fn place(hash: &Hash) -> (String, String) {
    let name = hex(hash);
    (format!("contents/{}", &name[..2]), name)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Stores contents in the database.
pub(crate) struct ContentWriter<'w> {
    cache: &'w ContentCache,
    trigrams: TrigramExtractor,
}

impl<'w> ContentWriter<'w> {
    pub(crate) fn new(cache: &'w ContentCache) -> Self {
        Self { cache, trigrams: TrigramExtractor::default() }
    }

    /// Stores contents that may be known already, in one transaction. Returns their ids.
    pub(crate) fn store(&mut self, contents: &[Vec<u8>]) -> Result<Vec<(i64, Hash)>, TeamError> {
        let database = self.cache.database.clone();
        let mut stored = Vec::with_capacity(contents.len());
        database.write(|transaction| {
            let (insert, find) = (transaction.prepare(INSERT)?, transaction.prepare(FIND)?);
            for bytes in contents {
                let hash = hash_of(bytes);
                if let Some(row) = transaction.query_opt(&find, &[&hash.as_slice()])? {
                    stored.push((row.get(0), hash));
                    continue;
                }
                let compressed =
                    zstd::bulk::compress(bytes, LEVEL).map_err(TeamError::io("cannot compress"))?;
                let size = (bytes.len() as u64).cast_signed();
                let (terms, trigrams) = (terms_of(bytes), self.trigrams_of(bytes));
                let values: [&(dyn postgres::types::ToSql + Sync); 5] =
                    [&hash.as_slice(), &size, &compressed, &terms, &trigrams];
                let row = match transaction.query_opt(&insert, &values)? {
                    Some(row) => row,
                    // Another worker has stored it meanwhile.
                    None => transaction.query_one(&find, &[&hash.as_slice()])?,
                };
                self.cache.put(&hash, &compressed)?;
                stored.push((row.get(0), hash));
            }
            Ok(())
        })?;
        Ok(stored)
    }

    /// The trigrams of a text, sorted; `None` for data whose trigrams are not worth storing.
    fn trigrams_of(&mut self, bytes: &[u8]) -> Option<Vec<i32>> {
        let found = self.trigrams.trigrams(bytes);
        if found.are_high_entropy(bytes.len()) {
            return None;
        }
        let mut numbers: Vec<i32> = found.numbers().iter().map(|number| number.cast_signed()).collect();
        numbers.sort_unstable();
        Some(numbers)
    }
}

/// The hashes of the terms of a text, sorted; none for data that is no text.
pub(crate) fn terms_of(bytes: &[u8]) -> Vec<i32> {
    let mut terms = HashSet::new();
    if !bytes.contains(&0) {
        for_each_term(bytes, |term, _| {
            terms.insert(term_hash(term).cast_signed());
        });
    }
    let mut terms: Vec<i32> = terms.into_iter().collect();
    terms.sort_unstable();
    terms
}

/// The hash of a symbol's name, without case.
pub(crate) fn name_hash(name: &str) -> i32 {
    term_hash(name.to_lowercase().as_bytes()).cast_signed()
}
