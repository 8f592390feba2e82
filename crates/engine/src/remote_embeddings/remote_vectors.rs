//! Cache of a remote model's vectors for the chunks of a generation.

use crate::EngineError;
use orient_embed::FlatIndex;
use orient_model::ContentHash;
use orient_store::{Cache, EmbedModel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Marks a text that was not hashed.
pub(super) const NOT_HASHED: ContentHash = ContentHash([0; 16]);

/// The vectors that the last query used.
#[derive(Default)]
pub(crate) struct RemoteVectorCache(Mutex<Option<Arc<RemoteVectors>>>);

/// The vectors of one model for the chunks of one generation.
pub(super) struct RemoteVectors {
    generation: u64,
    model: EmbedModel,
    /// The last stored vector: a newer one makes this outdated.
    last: i64,
    /// The text hash of each chunk.
    texts: Vec<ContentHash>,
    /// Number of embedded chunks.
    pub(super) known: u64,
    vectors: OnceLock<VectorTable>,
}

/// The vectors of all chunks; zero for a chunk without one.
pub(super) struct VectorTable {
    pub(super) index: FlatIndex,
    /// Which chunks have a vector.
    pub(super) is_known: Vec<bool>,
}

impl RemoteVectorCache {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<RemoteVectors>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the cache, because the index was replaced.
    pub(crate) fn clear(&self) {
        *self.lock() = None;
    }

    /// The vectors of a model in a generation; calls `texts` for the text hash of each chunk on a miss.
    pub(super) fn get(
        &self,
        generation: u64,
        model: &EmbedModel,
        cache: &mut Cache,
        texts: impl FnOnce(&mut Cache) -> Result<Vec<ContentHash>, EngineError>,
    ) -> Result<Arc<RemoteVectors>, EngineError> {
        let last = cache.last_embedded();
        let mut kept = self.lock();
        let same = |one: &&Arc<RemoteVectors>| {
            one.generation == generation && one.model == *model && one.last == last
        };
        if let Some(vectors) = kept.as_ref().filter(same) {
            return Ok(Arc::clone(vectors));
        }
        let texts = texts(cache)?;
        let embedded = cache.embedded(model.id);
        let known = texts.iter().filter(|text| embedded.contains(text)).count() as u64;
        let (model, vectors) = (model.clone(), OnceLock::new());
        Ok(Arc::clone(kept.insert(Arc::new(RemoteVectors {
            generation,
            model,
            last,
            texts,
            known,
            vectors,
        }))))
    }
}

impl RemoteVectors {
    /// The vectors, read on first use.
    pub(super) fn vectors(&self, cache: &mut Cache) -> &VectorTable {
        self.vectors.get_or_init(|| {
            let dimension = self.model.dimension;
            let hashed = |(_, text): &(u32, &ContentHash)| **text != NOT_HASHED;
            let mut chunks: Vec<(ContentHash, u32)> =
                (0..).zip(&self.texts).filter(hashed).map(|(chunk, text)| (*text, chunk)).collect();
            chunks.sort_unstable();
            let mut rows = vec![0_u8; self.texts.len() * dimension];
            cache.each_embedded(self.model.id, |text, vector| {
                let first = chunks.partition_point(|(other, _)| *other < text);
                let same_text = chunks[first..].iter().take_while(|(other, _)| *other == text);
                for (_, chunk) in same_text.filter(|_| vector.len() == dimension) {
                    let at = *chunk as usize * dimension;
                    rows[at..at + dimension].copy_from_slice(vector);
                }
            });
            let mut index = FlatIndex::new(dimension);
            index.reserve(self.texts.len());
            let mut is_known = Vec::with_capacity(self.texts.len());
            let mut values = Vec::with_capacity(dimension);
            for row in rows.chunks_exact(dimension.max(1)) {
                values.clear();
                values.extend(row.iter().map(|byte| byte.cast_signed()));
                is_known.push(values.iter().any(|value| *value != 0));
                index.push(&values);
            }
            VectorTable { index, is_known }
        })
    }
}
