//! BM25F: scores of chunks by the terms of a query, over several fields.

use crate::weights::Weights;
use orient_text::{Field, TermOccurrence};

/// The score of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TermEvidence {
    /// The sum over all terms.
    pub score: f32,
    /// The weight of the terms in names that the chunk defines.
    pub named: f32,
}

/// The score of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileEvidence {
    /// The sum over all terms of the best score of its chunks.
    pub score: f32,
}

/// An entry of a posting list: a chunk that contains a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The chunk.
    pub chunk: u32,
    /// The number of its file.
    pub file: u32,
    /// Number of terms in the text of the chunk.
    pub length: u16,
    /// The fields and the frequency of the term.
    pub occurrence: TermOccurrence,
}

/// The size of the corpus, and the bounds of chunk and file numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CorpusSize {
    /// Number of chunks.
    pub chunks: usize,
    /// Total number of terms in their texts.
    pub terms: u64,
    /// Upper bound of chunk numbers.
    pub chunk_bound: usize,
    /// Upper bound of file numbers.
    pub file_bound: usize,
}

/// Buffers that queries reuse, since allocating them is expensive.
#[derive(Debug, Default)]
pub struct ScratchBuffers {
    /// A zero for each chunk.
    chunks: Vec<TermEvidence>,
    touched: Vec<u32>,
    /// For the postings of a term.
    pub postings: Vec<Posting>,
}

/// Scores chunks term by term.
#[derive(Debug)]
pub struct Bm25 {
    /// Number of chunks.
    all: usize,
    /// The length normalisation for common lengths.
    shares: Vec<f32>,
    /// The length normalisation of any length is `1 / (base + slope * length)`.
    base: f32,
    slope: f32,
    saturation: f32,
    /// For each occurrence, the term frequency in the text, and the occurrences that the other fields add.
    marks: Vec<(f32, f32)>,
    /// The scores by chunk.
    pub chunks: Vec<TermEvidence>,
    /// The scores by file.
    pub files: Vec<FileEvidence>,
    /// The chunks with a score, in no particular order.
    pub touched: Vec<u32>,
    /// The total weight of all terms.
    pub total: f32,
    /// The weight of the terms that occur nowhere.
    pub missing: f32,
}

impl Bm25 {
    /// A scorer for a corpus.
    pub fn new(extent: &CorpusSize, buffers: ScratchBuffers, weights: &Weights) -> Self {
        let ScratchBuffers { mut chunks, touched, .. } = buffers;
        chunks.resize(extent.chunk_bound, TermEvidence::default());
        let total = usize::try_from(extent.terms).unwrap_or(usize::MAX);
        let mean = (as_f32(total) / as_f32(extent.chunks.max(1))).max(1.0);
        let (base, slope) = (1.0 - weights.length, weights.length / mean);
        let share = |length: u16| 1.0 / (base + slope * f32::from(length));
        Self {
            all: extent.chunks,
            shares: (0..PRECOMPUTED).map(share).collect(),
            base,
            slope,
            saturation: weights.saturation,
            marks: (0..=u8::MAX)
                .map(|occurrence| {
                    (
                        f32::from(TermOccurrence(occurrence).frequency()),
                        of_fields(TermOccurrence(occurrence), weights),
                    )
                })
                .collect(),
            chunks,
            files: vec![FileEvidence::default(); extent.file_bound],
            touched,
            total: 0.0,
            missing: 0.0,
        }
    }

    /// The buffers, cleared for the next query.
    pub fn into_buffers(mut self, mut postings: Vec<Posting>) -> ScratchBuffers {
        for &chunk in &self.touched {
            self.chunks[chunk as usize] = TermEvidence::default();
        }
        self.touched.clear();
        postings.clear();
        ScratchBuffers { chunks: self.chunks, touched: self.touched, postings }
    }

    /// Inverse document frequency of a term that `holders` chunks contain.
    pub fn inverse_document_frequency(&self, holders: usize) -> f32 {
        let (all, held) = (as_f32(self.all), as_f32(holders));
        (1.0 + (all - held + 0.5) / (held + 0.5)).ln()
    }

    /// Adds a term. The postings of a file must be consecutive.
    pub fn add(&mut self, weight: f32, postings: &[Posting]) {
        let weight = weight * self.inverse_document_frequency(postings.len());
        self.total += weight;
        self.missing += if postings.is_empty() { weight } else { 0.0 };
        self.score(weight, postings);
    }

    /// Adds a term that the query does not have: it counts for the chunks that contain it, but nothing lacks it.
    pub fn add_related(&mut self, weight: f32, postings: &[Posting]) {
        self.score(weight * self.inverse_document_frequency(postings.len()), postings);
    }

    fn score(&mut self, weight: f32, postings: &[Posting]) {
        for of_file in postings.chunk_by(|a, b| a.file == b.file) {
            let mut best = 0.0_f32;
            for &Posting { chunk, length, occurrence, .. } in of_file {
                let score = weight * self.saturated(length, occurrence);
                best = best.max(score);
                let evidence = &mut self.chunks[chunk as usize];
                if evidence.score == 0.0 {
                    self.touched.push(chunk);
                }
                evidence.score += score;
                if occurrence.is_in(Field::Name) {
                    evidence.named += weight;
                }
            }
            self.files[of_file[0].file as usize].score += best;
        }
    }

    /// The saturated term frequency: `f (k1 + 1) / (f + k1)` with the normalised frequency `f`.
    ///
    /// With `k1` = 1.2, one occurrence in a chunk of average length counts 1.0, two count 1.375, and ten count 1.96.
    #[inline]
    fn saturated(&self, length: u16, occurrence: TermOccurrence) -> f32 {
        let share = match self.shares.get(usize::from(length)) {
            Some(share) => *share,
            None => 1.0 / (self.base + self.slope * f32::from(length)),
        };
        let (count, of_fields) = self.marks[usize::from(occurrence.0)];
        let frequency = count * share + of_fields;
        frequency * (self.saturation + 1.0) / (frequency + self.saturation)
    }
}

/// Lengths below this have a precomputed normalisation.
const PRECOMPUTED: u16 = 1024;

/// The occurrences that fields other than the text count for.
fn of_fields(occurrence: TermOccurrence, weights: &Weights) -> f32 {
    let fields = [
        (Field::Name, weights.name),
        (Field::Header, weights.header),
        (Field::Path, weights.path),
        (Field::Doc, weights.doc),
    ];
    fields.iter().filter(|(field, _)| occurrence.is_in(*field)).map(|(_, weight)| weight).sum()
}

/// A count as a number; counts beyond sixteen million are rounded.
#[expect(clippy::cast_precision_loss, reason = "counts are compared and divided, never added up")]
pub(crate) fn as_f32(count: usize) -> f32 {
    count as f32
}
