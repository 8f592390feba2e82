//! The built-in model: the table inside the binary.

use std::sync::{LazyLock, Mutex, PoisonError};

use crate::artefact::Artefact;
use crate::bag::{Bag, Cuts, tokens_of};
use crate::kernel::Kernel;
use crate::{EmbedError, Embedder, ModelError, ModelId, Role, Sum};

/// Aligned to the lines of the processor's cache, so that a row of the table never straddles one more than it must.
#[repr(align(64))]
struct Aligned<B: ?Sized>(B);

static BYTES: &Aligned<[u8]> = &Aligned(*include_bytes!("../model/orient-embed-1.bin"));

static MODEL: LazyLock<BuiltIn> =
    LazyLock::new(|| BuiltIn::from_bytes(&BYTES.0).expect("the tests read the same bytes that are built in"));

/// The model that is always there. It never fails, needs nothing, and its bytes are the same everywhere.
#[derive(Debug)]
pub struct BuiltIn {
    artefact: Artefact<'static>,
    kernel: Kernel,
    /// Bags that are not in use. There are never more than were in use at once.
    bags: Mutex<Vec<(Bag, Cuts)>>,
}

impl BuiltIn {
    /// The model of this build. Loading it the first time takes well under a millisecond.
    pub fn shared() -> &'static Self {
        &MODEL
    }

    /// Reads a model from bytes.
    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, ModelError> {
        let artefact = Artefact::read(bytes)?;
        Ok(Self { artefact, kernel: Kernel::detect(), bags: Mutex::new(Vec::new()) })
    }

    /// What names weigh against the body in training. A place to begin; ranking may know better.
    pub fn names_weight(&self) -> f32 {
        self.artefact.names_weight
    }

    /// What the path weighs against the body in training.
    pub fn path_weight(&self) -> f32 {
        self.artefact.path_weight
    }

    /// The sum of one text.
    pub fn sum(&self, text: &str) -> Sum {
        let mut tools = self.borrow();
        let sum = self.sum_with(&mut tools, text);
        self.give_back(tools);
        sum
    }

    /// An empty bag, for those who know the tokens of their words already.
    pub fn bag(&self) -> Bag {
        let most = u8::try_from(self.artefact.counts.len() - 1).unwrap_or(u8::MAX);
        Bag::new(&self.artefact.vocabulary, most)
    }

    /// Calls `take` with every token of a text, in order. Those of a text are those of its parts wherever it is parted at
    /// a space or a sign of ASCII.
    pub fn tokens(&self, text: &[u8], cuts: &mut Cuts, take: impl FnMut(u16)) {
        tokens_of(text, &self.artefact.vocabulary, cuts, take);
    }

    /// The sum of the text whose tokens are in a bag, which is empty then.
    pub fn sum_of(&self, bag: &mut Bag) -> Sum {
        let Artefact { counts, scales, rows, dimension, .. } = &self.artefact;
        let mut total = vec![0_i32; *dimension];
        for (token, count) in bag.iter() {
            // At most 16,380 by the bounds the artefact was read with.
            let weight = (u32::from(counts[count]) * u32::from(scales[token]) + 128) / 256;
            let row = &rows[token * dimension..(token + 1) * dimension];
            self.kernel.add_row(&mut total, row, weight as i16);
        }
        bag.clear();
        Sum::of_integers(&total)
    }

    #[cfg(test)]
    pub(crate) fn vocabulary(&self) -> &crate::vocabulary::Vocabulary<'static> {
        &self.artefact.vocabulary
    }

    fn borrow(&self) -> (Bag, Cuts) {
        let spare = self.bags.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| (self.bag(), Cuts::default()))
    }

    fn give_back(&self, tools: (Bag, Cuts)) {
        self.bags.lock().unwrap_or_else(PoisonError::into_inner).push(tools);
    }

    fn sum_with(&self, (bag, cuts): &mut (Bag, Cuts), text: &str) -> Sum {
        self.tokens(text.as_bytes(), cuts, |token| bag.add(token));
        self.sum_of(bag)
    }
}

impl Embedder for BuiltIn {
    fn model(&self) -> ModelId {
        ModelId { name: "orient-embed".to_owned(), revision: self.artefact.revision }
    }

    fn dimension(&self) -> usize {
        self.artefact.dimension
    }

    /// Questions and passages are embedded alike: the model was trained on both sides at once.
    fn embed(&self, texts: &[&str], _role: Role) -> Result<Vec<Sum>, EmbedError> {
        let mut tools = self.borrow();
        let sums = texts.iter().map(|text| self.sum_with(&mut tools, text)).collect();
        self.give_back(tools);
        Ok(sums)
    }
}
