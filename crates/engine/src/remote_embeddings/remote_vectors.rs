//! The vectors of another model that are kept of a generation's chunks.

use super::chunk_texts::{hash_of, key_of};
use crate::query::search::Corpus;
use crate::refresh::facts_batch::today;
use crate::{EngineError, Snapshot};
use orient_embed::{FlatIndex, TextEmbedding, Vector, combine, cosine};
use orient_model::ContentHash;
use orient_store::{Cache, EmbedModel};
use orient_walk::RootDirectory;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// So many files are read for a question to see which of their texts are known. More are left to whoever embeds.
const FEW: usize = 64;
/// Stands for a text nobody has looked at.
const UNSEEN: ContentHash = ContentHash([0; 16]);

/// How far a model has come with the chunks of a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The model; none where it was never asked.
    pub model: Option<EmbedModel>,
    /// Chunks it has embedded.
    pub known: u64,
    /// All chunks.
    pub total: u64,
}

/// A question as a vector of another model.
#[derive(Clone, Debug)]
pub struct OtherQuestion {
    /// The model, as [`Coverage`] named it.
    pub model: EmbedModel,
    /// The vector.
    pub sum: TextEmbedding,
}

/// What the last question needed of another model; shared by an engine and its snapshots.
#[derive(Clone, Default)]
pub(crate) struct Others(Arc<Mutex<Option<Arc<Other>>>>);

/// What is kept of one model for the chunks of one generation.
struct Other {
    generation: u64,
    model: EmbedModel,
    /// The last vector that was kept: with another one this is out of date.
    last: i64,
    /// The text of each unit.
    texts: Vec<ContentHash>,
    known: u64,
    vectors: OnceLock<Vectors>,
}

/// The vectors of all units; nought where there is none.
struct Vectors {
    index: FlatIndex,
    is_known: Vec<bool>,
}

impl Others {
    fn of(
        &self,
        snapshot: &Snapshot,
        corpus: &Corpus,
        cache: &mut Cache,
        model: &EmbedModel,
    ) -> Result<Arc<Other>, EngineError> {
        let (generation, last) = (snapshot.generation(), cache.last_embedded());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same =
            |one: &&Arc<Other>| one.generation == generation && one.model == *model && one.last == last;
        if let Some(other) = kept.as_ref().filter(same) {
            return Ok(Arc::clone(other));
        }
        let texts = snapshot.unit_texts(corpus, cache)?;
        let embedded = cache.embedded(model.id);
        let known = texts.iter().filter(|text| embedded.contains(text)).count() as u64;
        let other = Other { generation, model: model.clone(), last, texts, known, vectors: OnceLock::new() };
        Ok(Arc::clone(kept.insert(Arc::new(other))))
    }
}

impl Other {
    fn vectors(&self, cache: &mut Cache) -> &Vectors {
        self.vectors.get_or_init(|| {
            let dimension = self.model.dimension;
            let seen = |(_, text): &(u32, &ContentHash)| **text != UNSEEN;
            let mut units: Vec<(ContentHash, u32)> =
                (0..).zip(&self.texts).filter(seen).map(|(unit, text)| (*text, unit)).collect();
            units.sort_unstable();
            let mut rows = vec![0_u8; self.texts.len() * dimension];
            cache.each_embedded(self.model.id, |text, vector| {
                let first = units.partition_point(|(other, _)| *other < text);
                let bearers = units[first..].iter().take_while(|(other, _)| *other == text);
                for (_, unit) in bearers.filter(|_| vector.len() == dimension) {
                    let at = *unit as usize * dimension;
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
            Vectors { index, is_known }
        })
    }
}

impl Snapshot {
    /// How far a model has come, by its name in the settings and the dimension they ask for; 0 is the model's own.
    pub fn coverage(&self, source: &str, wanted: usize) -> Result<Coverage, EngineError> {
        let corpus = self.corpora.of(&self.store)?;
        let total = corpus.catalogue.len() as u64;
        let mut cache = Cache::open(&self.place.cache());
        let Some(model) = cache.embed_model(source, wanted) else {
            return Ok(Coverage { model: None, known: 0, total });
        };
        let known = self.others.of(self, &corpus, &mut cache, &model)?.known;
        Ok(Coverage { model: Some(model), known, total })
    }

    /// How near all units are to a question by another model's vectors; by the built-in model's where it has none. None
    /// where it has none at all.
    pub(crate) fn nearness_by_other(
        &self,
        corpus: &Corpus,
        question: &OtherQuestion,
        built_in: Option<&Vector>,
    ) -> Result<Option<Vec<f32>>, EngineError> {
        let mut cache = Cache::open(&self.place.cache());
        let other = self.others.of(self, corpus, &mut cache, &question.model)?;
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
            Some(vector) => corpus.nearness(&self.store, vector)?,
            None => vec![0.0; theirs.len()],
        };
        Ok(Some(scaled(&theirs, &ours)))
    }

    /// The text of each unit. Those of a few files nobody has looked at are read now, and noted.
    fn unit_texts(&self, corpus: &Corpus, cache: &mut Cache) -> Result<Vec<ContentHash>, EngineError> {
        let mut texts = vec![UNSEEN; corpus.catalogue.bound()];
        let mut put = |(first, count): (u32, u32), own: &[ContentHash]| {
            let fits = own.len() == count as usize;
            if fits {
                texts[first as usize..][..own.len()].copy_from_slice(own);
            }
            fits
        };
        let mut unseen = Vec::new();
        self.store.each_file(|file| {
            let (Some(key), Some(units)) = (key_of(&file), corpus.units_of(file.id)) else { return };
            if !cache.embed_texts(&key).is_some_and(|own| put(units, &own)) {
                unseen.push((key, units, file));
            }
        })?;
        if unseen.is_empty() || unseen.len() > FEW {
            return Ok(texts);
        }
        let tree = RootDirectory::open(&self.root)?;
        let mut noted = Vec::new();
        for (key, units, file) in unseen {
            let Some(own) = self.texts_of(&tree, &file)? else { continue };
            let own: Vec<ContentHash> = own.iter().map(|text| hash_of(text)).collect();
            if put(units, &own) {
                noted.push((key, own));
            }
        }
        cache.put_embed_texts(&noted, today());
        Ok(texts)
    }
}

/// What another model says, on the scale of the built-in one; what that says where the other is silent.
///
/// What a model calls near is its own affair: one gives 0.8 to everything, the other 0.2. So its values are brought to the
/// middle and the spread that the built-in model has for the same question: that is what the weights of ranking were
/// measured with, and what makes the two comparable.
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

/// The mean of values and their standard deviation.
fn middle_and_spread(values: impl Iterator<Item = f32> + Clone) -> (f32, f32) {
    let (count, sum) =
        values.clone().fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + f64::from(value)));
    let middle = sum / f64::from(count.max(1));
    let square: f64 = values.map(|value| (f64::from(value) - middle).powi(2)).sum();
    let spread = (square / f64::from(count.max(1))).sqrt();
    // What is left of rounding is no spread.
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
        fn the_same_values_on_any_scale_are_the_built_in_models(
            ours in prop::collection::vec(-0.5_f32..0.5, 2..50),
            factor in 0.1_f32..2.0,
            shift in -0.5_f32..0.5,
        ) {
            let theirs: Vec<_> = ours.iter().map(|our| Some(our * factor + shift)).collect();
            prop_assert!(close(&scaled(&theirs, &ours), &ours), "{:?} {:?}", scaled(&theirs, &ours), ours);
        }

        #[test]
        fn order_is_the_other_models_and_gaps_are_the_built_in_ones(
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
    fn values_without_a_spread_say_nothing() {
        assert!(close(&scaled(&[Some(0.9); 3], &[0.1, 0.2, 0.3]), &[0.2; 3]));
        assert!(close(&scaled(&[Some(0.9), Some(0.1)], &[0.0; 2]), &[0.9, 0.1]));
        assert!(close(&scaled(&[None, None], &[0.1, 0.2]), &[0.1, 0.2]));
        assert!(scaled(&[], &[]).is_empty());
    }
}
