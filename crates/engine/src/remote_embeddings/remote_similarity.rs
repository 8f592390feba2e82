//! Similarity of chunks to a query by a remote model's vectors, on the scale of the built-in model.

use super::chunk_texts::{hash_of, key_of};
use super::remote_vectors::{NOT_HASHED, RemoteVectors};
use crate::clock::today;
use crate::query::search::Corpus;
use crate::{EngineError, Snapshot};
use orient_embed::{TextEmbedding, Vector, combine, cosine};
use orient_model::ContentHash;
use orient_store::{Cache, EmbedModel};

use std::sync::Arc;

/// Maximum number of files that a query reads to hash their texts. More are left to the embedding job.
const MAX_HASHED_FILES: usize = 64;

/// How many chunks of a generation a model has embedded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingCoverage {
    /// The model; `None` if it was never used.
    pub model: Option<EmbedModel>,
    /// Embedded chunks.
    pub known: u64,
    /// All chunks.
    pub total: u64,
}

/// A query embedded by a remote model.
#[derive(Clone, Debug)]
pub struct RemoteQuery {
    /// The model, as in [`EmbeddingCoverage`].
    pub model: EmbedModel,
    /// The vector.
    pub sum: TextEmbedding,
}

impl Snapshot {
    /// The coverage of a model, by its name in the settings and the requested dimension; 0 for the model's own.
    pub fn coverage(&self, source: &str, wanted: usize) -> Result<EmbeddingCoverage, EngineError> {
        let corpus = self.caches.corpus(&self.store)?;
        let total = corpus.catalogue.len() as u64;
        let mut cache = Cache::open(&self.paths.cache());
        let Some(model) = cache.embed_model(source, wanted) else {
            return Ok(EmbeddingCoverage { model: None, known: 0, total });
        };
        let known = self.remote_vectors(&corpus, &mut cache, &model)?.known;
        Ok(EmbeddingCoverage { model: Some(model), known, total })
    }

    /// The similarity of all chunks to a query by a remote model, or by the built-in model for chunks it has not
    /// embedded. `None` if it has embedded none.
    pub(crate) fn remote_similarity(
        &self,
        corpus: &Corpus,
        question: &RemoteQuery,
        built_in: Option<&Vector>,
    ) -> Result<Option<Vec<f32>>, EngineError> {
        let mut cache = Cache::open(&self.paths.cache());
        let other = self.remote_vectors(corpus, &mut cache, &question.model)?;
        let dimension = question.model.dimension;
        if other.known == 0 || question.sum.dimension() != dimension || dimension == 0 {
            return Ok(None);
        }
        let vectors = other.vectors(&mut cache);
        let products = vectors.index.dot_products(&combine(&[(&question.sum, 1.0)]));
        let theirs = vectors.is_known.iter().zip(products);
        let theirs: Vec<Option<f32>> =
            theirs.map(|(known, product)| known.then(|| cosine(product, dimension))).collect();
        let ours = match built_in {
            Some(vector) => corpus.similarity(&self.store, vector)?,
            None => vec![0.0; theirs.len()],
        };
        Ok(Some(scaled(&theirs, &ours)))
    }

    fn remote_vectors(
        &self,
        corpus: &Corpus,
        cache: &mut Cache,
        model: &EmbedModel,
    ) -> Result<Arc<RemoteVectors>, EngineError> {
        let texts = |cache: &mut Cache| self.chunk_text_hashes(corpus, cache);
        self.caches.remote_vectors.get(self.generation(), model, cache, texts)
    }

    /// The text hash of each chunk. If only a few files were never hashed, they are read now.
    fn chunk_text_hashes(&self, corpus: &Corpus, cache: &mut Cache) -> Result<Vec<ContentHash>, EngineError> {
        let mut texts = vec![NOT_HASHED; corpus.catalogue.bound()];
        let mut put = |(first, count): (u32, u32), own: &[ContentHash]| {
            let fits = own.len() == count as usize;
            if fits {
                texts[first as usize..][..own.len()].copy_from_slice(own);
            }
            fits
        };
        let mut unseen = Vec::new();
        self.store.each_file(|file| {
            let (Some(key), Some(chunks)) = (key_of(&file), corpus.chunks_of(file.id)) else { return };
            if !cache.embed_texts(&key).is_some_and(|own| put(chunks, &own)) {
                unseen.push((key, chunks, file));
            }
        })?;
        if unseen.is_empty() || unseen.len() > MAX_HASHED_FILES {
            return Ok(texts);
        }
        let tree = self.tree.open()?;
        let mut noted = Vec::new();
        for (key, chunks, file) in unseen {
            let Some(own) = self.texts_of(&*tree, &file)? else { continue };
            let own: Vec<ContentHash> = own.iter().map(|text| hash_of(text)).collect();
            if put(chunks, &own) {
                noted.push((key, own));
            }
        }
        cache.put_embed_texts(&noted, today());
        Ok(texts)
    }
}

/// Maps a remote model's similarities to the scale of the built-in model, and fills gaps with the latter.
///
/// Models differ in scale: one gives 0.8 to everything, another 0.2. The values are therefore shifted and scaled to
/// the mean and standard deviation of the built-in model for the same query, which the ranking weights were tuned
/// with.
///
/// Example: remote values 0.8 and 0.9 have mean 0.85 and deviation 0.05; built-in values 0.1 and 0.3 have mean 0.2
/// and deviation 0.1. The result is 0.2 - 0.1 = 0.1 and 0.2 + 0.1 = 0.3.
fn scaled(theirs: &[Option<f32>], ours: &[f32]) -> Vec<f32> {
    let known = || theirs.iter().zip(ours).filter_map(|(their, our)| their.map(|their| (their, *our)));
    let (middle, spread) = middle_and_spread(known().map(|one| one.0));
    let (our_middle, our_spread) = middle_and_spread(known().map(|one| one.1));
    let scale = |their: f32| match (spread > 0.0, our_spread > 0.0) {
        (true, true) => (our_middle + (their - middle) / spread * our_spread).clamp(-1.0, 1.0),
        (_, false) => their,
        (false, true) => our_middle,
    };
    theirs.iter().zip(ours).map(|(their, our)| their.map_or(*our, scale)).collect()
}

/// The mean and the standard deviation of values.
fn middle_and_spread(values: impl Iterator<Item = f32> + Clone) -> (f32, f32) {
    let (count, sum) =
        values.clone().fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + f64::from(value)));
    let middle = sum / f64::from(count.max(1));
    let square: f64 = values.map(|value| (f64::from(value) - middle).powi(2)).sum();
    let spread = (square / f64::from(count.max(1))).sqrt();
    // Rounding noise is not a deviation.
    (middle as f32, if spread < 1e-6 { 0.0 } else { spread as f32 })
}

#[cfg(test)]
mod tests {
    use super::scaled;
    use proptest::prelude::*;

    fn close(a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3)
    }

    proptest! {
        #[test]
        fn any_linear_scale_maps_to_the_built_in_scale(
            ours in prop::collection::vec(-0.5_f32..0.5, 2..50),
            factor in 0.1_f32..2.0,
            shift in -0.5_f32..0.5,
        ) {
            let theirs: Vec<_> = ours.iter().map(|our| Some(our * factor + shift)).collect();
            prop_assert!(close(&scaled(&theirs, &ours), &ours), "{:?} {:?}", scaled(&theirs, &ours), ours);
        }

        #[test]
        fn the_remote_order_is_kept_and_gaps_use_the_built_in_model(
            pairs in prop::collection::vec((prop::option::weighted(0.8, 0.0_f32..1.0), -0.3_f32..0.6), 1..50),
        ) {
            let (theirs, ours): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            let near = scaled(&theirs, &ours);
            for (at, (their, our)) in theirs.iter().zip(&ours).enumerate() {
                match their {
                    None => prop_assert!((near[at] - our).abs() < f32::EPSILON),
                    Some(their) => for (other, value) in theirs.iter().zip(&near) {
                        prop_assert!(other.is_none_or(|other| other > *their || *value <= near[at] + 1e-6));
                    },
                }
            }
        }
    }

    #[test]
    fn values_without_deviation_carry_no_information() {
        assert!(close(&scaled(&[Some(0.9); 3], &[0.1, 0.2, 0.3]), &[0.2; 3]));
        assert!(close(&scaled(&[Some(0.9), Some(0.1)], &[0.0; 2]), &[0.9, 0.1]));
        assert!(close(&scaled(&[None, None], &[0.1, 0.2]), &[0.1, 0.2]));
        assert!(scaled(&[], &[]).is_empty());
    }
}
