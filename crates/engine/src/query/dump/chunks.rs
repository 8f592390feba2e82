//! The terms and vectors of chunks in the dump: counts and order-independent checksums.

use crate::{EngineError, FileId, Snapshot, chunk_features};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The text for each chunk of each file, in order.
pub(super) struct ChunkTexts(FxHashMap<FileId, Vec<String>>);

impl ChunkTexts {
    /// The text for a chunk.
    pub(super) fn get(&self, file: FileId, at: u32) -> &str {
        self.0.get(&file).and_then(|chunks| chunks.get(at as usize)).map_or("no text", String::as_str)
    }
}

impl Snapshot {
    /// Reads all terms and vectors.
    pub(super) fn chunk_texts(&self) -> Result<ChunkTexts, EngineError> {
        let catalogue = self.store.catalogue()?;
        let mut terms = vec![(0_u32, 0_u64); catalogue.bound()];
        self.store.each_term(&catalogue, |term, holder| {
            let (count, sum) = &mut terms[holder.chunk as usize];
            *count += 1;
            // Terms come in any order, so the checksum must not depend on it.
            *sum = sum.wrapping_add(mixed(u64::from(term) << 8 | u64::from(holder.occurrence.0)));
        })?;
        let mut texts: FxHashMap<FileId, Vec<String>> = FxHashMap::default();
        for entry in catalogue.files() {
            let chunks = texts.entry(entry.file).or_default();
            for unit in entry.first..entry.first + entry.count {
                let ((count, sum), length) = (terms[unit as usize], catalogue.length(unit));
                chunks.push(format!("{count} terms {length} words {sum:016x}"));
            }
        }
        self.store.each_vectors(|file, bytes| {
            let Some(group) = chunk_features::read_vectors(bytes) else { return };
            for (member, chunk) in (0..).zip(texts.entry(file).or_default()) {
                let Some((vector, _)) = group.vector_of(member) else { break };
                let sum = vector.iter().fold(0, |sum, byte| mixed(sum ^ u64::from(*byte)));
                let _ = write!(chunk, " vector {} {sum:016x}", vector.len());
            }
        })?;
        Ok(ChunkTexts(texts))
    }
}

fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ number >> 29
}
