//! The built-in model: a static embedding table inside the binary.

use std::sync::{LazyLock, Mutex, PoisonError};

use crate::model_file::ModelFile;
use crate::simd_kernel::Kernel;
use crate::token_bag::{SegmentationCache, TokenBag, tokenize};
use crate::{EmbedError, Embedder, ModelError, ModelId, Role, TextEmbedding};

/// Aligned to cache lines, so that a row spans as few of them as possible.
#[repr(align(64))]
struct CacheAligned<B: ?Sized>(B);

static BYTES: &CacheAligned<[u8]> = &CacheAligned(*include_bytes!("../model/orient-embed-1.bin"));

static MODEL: LazyLock<BuiltIn> =
    LazyLock::new(|| BuiltIn::from_bytes(&BYTES.0).expect("tests parse the same bytes"));

/// The built-in model. It is always available, never fails, and produces the same bytes everywhere.
#[derive(Debug)]
pub struct BuiltIn {
    file: ModelFile<'static>,
    kernel: Kernel,
    /// A pool of scratch buffers, as many as were ever in use at once.
    scratch: Mutex<Vec<(TokenBag, SegmentationCache)>>,
}

impl BuiltIn {
    /// The model of this build, parsed on first use.
    pub fn shared() -> &'static Self {
        &MODEL
    }

    /// Parses a model.
    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, ModelError> {
        let file = ModelFile::parse(bytes)?;
        Ok(Self { file, kernel: Kernel::detect(), scratch: Mutex::new(Vec::new()) })
    }

    /// The weight of names relative to the body in training.
    pub fn names_weight(&self) -> f32 {
        self.file.names_weight
    }

    /// The weight of the path relative to the body in training.
    pub fn path_weight(&self) -> f32 {
        self.file.path_weight
    }

    /// The embedding of one text.
    pub fn embed_text(&self, text: &str) -> TextEmbedding {
        let mut scratch = self.take_scratch();
        let sum = self.embed_with(&mut scratch, text);
        self.return_scratch(scratch);
        sum
    }

    /// An empty bag, for callers that tokenise on their own.
    pub fn new_bag(&self) -> TokenBag {
        let max_count = u8::try_from(self.file.counts.len() - 1).unwrap_or(u8::MAX);
        TokenBag::new(&self.file.vocabulary, max_count)
    }

    /// Tokenises a text: calls `take` with every token, in order. Splitting a text at ASCII white space or punctuation does
    /// not change its tokens.
    pub fn tokens(&self, text: &[u8], cache: &mut SegmentationCache, take: impl FnMut(u16)) {
        tokenize(text, &self.file.vocabulary, cache, take);
    }

    /// The embedding of the tokens in a bag; empties the bag.
    pub fn embed_bag(&self, bag: &mut TokenBag) -> TextEmbedding {
        let ModelFile { counts, scales, rows, dimension, .. } = &self.file;
        let mut total = vec![0_i32; *dimension];
        for (token, count) in bag.iter() {
            // At most 16,380 by the limits of `ModelFile::parse`.
            let weight = (u32::from(counts[count]) * u32::from(scales[token]) + 128) / 256;
            let row = &rows[token * dimension..(token + 1) * dimension];
            self.kernel.add_row(&mut total, row, weight as i16);
        }
        bag.clear();
        TextEmbedding::from_integers(&total)
    }

    #[cfg(test)]
    pub(crate) fn vocabulary(&self) -> &crate::vocabulary::Vocabulary<'static> {
        &self.file.vocabulary
    }

    fn take_scratch(&self) -> (TokenBag, SegmentationCache) {
        let spare = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| (self.new_bag(), SegmentationCache::default()))
    }

    fn return_scratch(&self, scratch: (TokenBag, SegmentationCache)) {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    fn embed_with(&self, (bag, cache): &mut (TokenBag, SegmentationCache), text: &str) -> TextEmbedding {
        self.tokens(text.as_bytes(), cache, |token| bag.add(token));
        self.embed_bag(bag)
    }
}

impl Embedder for BuiltIn {
    fn model(&self) -> ModelId {
        ModelId { name: "orient-embed".to_owned(), revision: self.file.revision }
    }

    fn dimension(&self) -> usize {
        self.file.dimension
    }

    /// Ignores the role: the model was trained with one table for queries and passages.
    fn embed(&self, texts: &[&str], _role: Role) -> Result<Vec<TextEmbedding>, EmbedError> {
        let mut scratch = self.take_scratch();
        let embeddings = texts.iter().map(|text| self.embed_with(&mut scratch, text)).collect();
        self.return_scratch(scratch);
        Ok(embeddings)
    }
}
