//! The contents of files by their hash: in the database once for all repositories, and in a cache on disk.

use crate::data_directory::DataDirectory;
use crate::database::Database;
use crate::decompressed_contents::DecompressedContents;
use crate::error::TeamError;
use orient_text::{TrigramExtractor, for_each_term, term_hash};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

/// The hash of a content: BLAKE3.
pub(crate) type Hash = [u8; 32];

/// Larger contents are not stored: no index has them.
pub(crate) const MAX_CONTENT: u64 = 4 << 20;
/// The level of compression: a content is written once and kept for long, and higher levels are much slower for 1 % less.
const LEVEL: i32 = 12;
/// Number of contents in one request to the database.
const BATCH: usize = 256;

const INSERT: &str = "INSERT INTO content (hash, size, data, terms, trigrams, names) VALUES ($1, $2, $3, $4, $5, $6) \
     ON CONFLICT (hash) DO NOTHING";
const STORED: &str = "SELECT hash FROM content WHERE hash = ANY($1)";
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
    memory: Arc<DecompressedContents>,
}

impl ContentCache {
    pub(crate) fn new(database: Arc<Database>, data: DataDirectory) -> Self {
        Self { database, data, memory: Arc::default() }
    }

    /// A content. Its hash is checked when it is read from the disk or the database.
    pub(crate) fn read(&self, hash: &Hash) -> Result<Arc<[u8]>, TeamError> {
        if let Some(content) = self.memory.get(hash) {
            return Ok(content);
        }
        let mut bytes = self.cached(hash);
        if bytes.is_none() {
            self.fetch(std::slice::from_ref(hash))?;
            bytes = self.cached(hash);
        }
        let content: Arc<[u8]> = bytes.ok_or_else(|| TeamError::Damaged(hex(hash)))?.into();
        self.memory.add(*hash, content.clone());
        Ok(content)
    }

    /// Fetches the contents that the cache does not have.
    pub(crate) fn prefetch<'h>(&self, hashes: impl IntoIterator<Item = &'h Hash>) -> Result<(), TeamError> {
        let distinct: BTreeSet<&Hash> = hashes.into_iter().collect();
        let missing: Vec<Hash> = distinct.into_iter().filter(|hash| !self.is_cached(hash)).copied().collect();
        missing.chunks(BATCH).try_for_each(|some| self.fetch(some))
    }

    /// Hashes a content and puts it into the cache.
    pub(crate) fn add(&self, bytes: &[u8]) -> Result<Hash, TeamError> {
        let hash = hash_of(bytes);
        if !self.is_cached(&hash) {
            let compressed = zstd::bulk::compress(bytes, LEVEL).map_err(TeamError::io("cannot compress"))?;
            self.put(&hash, &compressed)?;
        }
        Ok(hash)
    }

    /// Puts a content into the cache; it is compressed already.
    fn put(&self, hash: &Hash, compressed: &[u8]) -> Result<(), TeamError> {
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
        Some(self.cached_frame(hash)?.1)
    }

    /// A content as it is stored, and its bytes.
    fn cached_frame(&self, hash: &Hash) -> Option<(Vec<u8>, Vec<u8>)> {
        let (directory, name) = place(hash);
        let compressed = self.data.directory(&directory).ok()?.read(&name, u64::MAX).ok()??;
        let bytes = decompressed(&compressed)?;
        (hash_of(&bytes) == *hash).then_some((compressed, bytes))
    }
}

/// The bytes of a stored content; `None` if it is damaged.
pub(crate) fn decompressed(frame: &[u8]) -> Option<Vec<u8>> {
    zstd::bulk::decompress(frame, MAX_CONTENT as usize).ok()
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

    /// Stores contents of the cache that the database does not have, with the symbols that they define; one transaction for each
    /// batch. Rows are written once and never updated: an update would enter every key of the indexes again.
    pub(crate) fn store(
        &mut self,
        hashes: &BTreeSet<Hash>,
        names: &HashMap<Hash, Vec<i32>>,
    ) -> Result<(), TeamError> {
        let database = self.cache.database.clone();
        let all: Vec<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
        let rows = database.with(|client| Ok(client.query(STORED, &[&all])?))?;
        let stored: HashSet<Hash> =
            rows.iter().filter_map(|row| Hash::try_from(row.get::<_, &[u8]>(0)).ok()).collect();
        let missing: Vec<&Hash> = hashes.iter().filter(|hash| !stored.contains(*hash)).collect();
        for batch in missing.chunks(BATCH) {
            database.write(|transaction| {
                let insert = transaction.prepare(INSERT)?;
                for hash in batch {
                    let damaged = || TeamError::Damaged(hex(*hash));
                    let (compressed, bytes) = self.cache.cached_frame(hash).ok_or_else(damaged)?;
                    let size = (bytes.len() as u32).cast_signed();
                    let (terms, trigrams) = (terms_of(&bytes), self.trigrams_of(&bytes));
                    let names = names.get(*hash).map_or(&[][..], Vec::as_slice);
                    let hash = hash.as_slice();
                    transaction.execute(&insert, &[&hash, &size, &compressed, &terms, &trigrams, &names])?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The keys of the trigrams of a text, sorted; `None` for data whose trigrams are not worth storing.
    fn trigrams_of(&mut self, bytes: &[u8]) -> Option<Vec<i16>> {
        let found = self.trigrams.trigrams(bytes);
        if found.are_high_entropy(bytes.len()) {
            return None;
        }
        let mut keys: Vec<i16> = found.numbers().iter().filter_map(|number| trigram_key(*number)).collect();
        keys.sort_unstable();
        Some(keys)
    }
}

/// The key of a trigram in the database, which has only those of letters, digits and underscores: they select well, and there are so
/// few that a key has two bytes. `None` for all others, which are no condition.
pub(crate) fn trigram_key(trigram: u32) -> Option<i16> {
    const DIGITS: u16 = 37;
    let key = trigram.to_be_bytes()[1..].iter().try_fold(0_u16, |key, byte| {
        let digit = match byte {
            b'a'..=b'z' => byte - b'a',
            b'0'..=b'9' => byte - b'0' + 26,
            b'_' => 36,
            _ => return None,
        };
        Some(key * DIGITS + u16::from(digit))
    })?;
    Some(key.cast_signed())
}

/// The hashes of the words of a text, sorted; none for data that is no text. Identifiers of several words are not among them: most of them
/// occur in one file, so that they would be most keys of the index, and their words find the same files.
fn terms_of(bytes: &[u8]) -> Vec<i32> {
    if bytes.contains(&0) { Vec::new() } else { question_keys(bytes).0 }
}

/// The hashes of the words of a question, and those of its identifiers that have several parts, which may be names of symbols.
pub(crate) fn question_keys(text: &[u8]) -> (Vec<i32>, Vec<i32>) {
    let (mut words, mut identifiers) = (BTreeSet::new(), BTreeSet::new());
    for_each_term(text, |term, is_identifier| {
        let key = term_hash(term).cast_signed();
        if is_identifier {
            identifiers.insert(key);
        }
        // Digits are no words: `sha256` is one, and a number is none.
        if !is_identifier || term[0].is_ascii_alphabetic() && term.iter().any(u8::is_ascii_digit) {
            words.insert(key);
        }
    });
    (words.into_iter().collect(), identifiers.into_iter().collect())
}

/// The hash of a symbol's name, without case.
pub(crate) fn name_hash(name: &str) -> i32 {
    term_hash(name.to_lowercase().as_bytes()).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_of_a_question_may_be_the_name_of_a_symbol() {
        let (words, identifiers) = question_keys(b"where is parseConfig called");
        assert_eq!(identifiers, [name_hash("parseConfig")]);
        assert_eq!((words.len(), terms_of(b"where is parseConfig called") == words), (5, true));
        assert_eq!(terms_of(b"a\0b"), [0; 0]);
        assert_ne!(terms_of(b"word1"), terms_of(b"word2"));
        assert_eq!(terms_of(b"0x1f"), [0; 0]);
    }

    #[test]
    fn trigrams_of_identifiers_have_different_keys() {
        let number = |text: &[u8; 3]| u32::from_be_bytes([0, text[0], text[1], text[2]]);
        let digits = b"abcdefghijklmnopqrstuvwxyz0123456789_";
        let mut keys = HashSet::new();
        for a in digits {
            for b in digits {
                keys.extend(digits.iter().filter_map(|c| trigram_key(number(&[*a, *b, *c]))));
            }
        }
        assert_eq!(keys.len(), digits.len().pow(3));
        assert_eq!(trigram_key(number(b"a b")), None);
        assert_eq!(trigram_key(number("\u{e4}b".as_bytes().first_chunk().expect("three bytes"))), None);
    }
}
