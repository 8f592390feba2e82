//! The model file that training writes: parses its header and tables, and borrows the embedding rows in place.
//!
//! All integers are little-endian. `training/orient_training/artefact.py` writes the file.
//!
//! ```text
//! 0   magic "ORIENTEM"          8   format (u32)           12  vocabulary size V (u32)
//! 16  dimension D (u32)         20  counts N (u32)         24  slots of the word table S (u32, a power of two)
//! 28  bytes of all pieces B (u32)                          32  weight of names, 36 of the path (u32, times 256)
//! 40  the model's revision (u32), zeros up to 64
//! count weights N × u16 | row scales V × u16 | piece costs V × u16 | slots S × u16 | piece ends V × u32
//! | pieces, B bytes | rows V × D × i8
//! ```

use crate::ModelError;
use crate::vocabulary::Vocabulary;

const MAGIC: &[u8; 8] = b"ORIENTEM";
const FORMAT: u32 = 1;
const HEADER: usize = 64;
/// Maximum scale of a row. With the maximum count weight and number of tokens, sums fit in 32 bits.
const MAX_SCALE: u16 = 3840;
/// Maximum weight of a token count, in 256ths.
const MAX_COUNT_WEIGHT: u16 = 1092;

/// A parsed model file. The rows are borrowed from its bytes.
#[derive(Debug)]
pub(crate) struct ModelFile<'b> {
    pub(crate) revision: u32,
    pub(crate) dimension: usize,
    pub(crate) names_weight: f32,
    pub(crate) path_weight: f32,
    /// The weight of a token by its number of occurrences, in 256ths. The last one applies to all greater counts.
    pub(crate) counts: Vec<u16>,
    /// The quantisation scale of each row.
    pub(crate) scales: Vec<u16>,
    pub(crate) vocabulary: Vocabulary<'b>,
    /// The embedding table in row-major order, one signed byte per value.
    pub(crate) rows: &'b [u8],
}

impl<'b> ModelFile<'b> {
    /// Parses a model; rejects values that would overflow sums or index out of bounds.
    pub(crate) fn parse(bytes: &'b [u8]) -> Result<Self, ModelError> {
        let mut rest = Reader { bytes };
        if rest.take(MAGIC.len()).ok() != Some(MAGIC) {
            return Err(ModelError::NotAModel);
        }
        let found = rest.u32()?;
        if found != FORMAT {
            return Err(ModelError::Format { found, known: FORMAT });
        }
        let [size, dimension, counts, slots, pieces, names_weight, path_weight, revision] = rest.u32s()?;
        let [size, dimension, pieces] = [size as usize, dimension as usize, pieces as usize];
        if size == 0 || size >= usize::from(u16::MAX) || dimension == 0 || dimension > 4096 {
            return Err(ModelError::Damaged("invalid dimensions"));
        }
        rest.bytes = bytes.get(HEADER..).ok_or(ModelError::Damaged("truncated header"))?;
        let counts = rest.u16_vec(counts as usize)?;
        let scales = rest.u16_vec(size)?;
        let costs = rest.u16_vec(size)?;
        let slots = rest.u16_vec(slots as usize)?;
        let ends = rest.u32_vec(size)?;
        let pieces = rest.take(pieces)?;
        let rows = rest.take(size * dimension)?;
        if !rest.bytes.is_empty() {
            return Err(ModelError::Damaged("trailing bytes"));
        }
        if counts.len() < 2
            || counts.iter().any(|&c| c > MAX_COUNT_WEIGHT)
            || scales.iter().any(|&s| s > MAX_SCALE)
        {
            return Err(ModelError::Damaged("weights out of range"));
        }
        Ok(Self {
            revision,
            dimension,
            names_weight: weight(names_weight),
            path_weight: weight(path_weight),
            counts,
            scales,
            vocabulary: Vocabulary::new(slots, ends, pieces, costs)?,
            rows,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "weights are small multiples of a 256th, which are exact")]
fn weight(in_256ths: u32) -> f32 {
    in_256ths.min(1 << 16) as f32 / 256.0
}

/// The unread rest of the file.
struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], ModelError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(ModelError::Damaged("truncated"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, ModelError> {
        Ok(self.u32s::<1>()?[0])
    }

    fn u32s<const N: usize>(&mut self) -> Result<[u32; N], ModelError> {
        let mut numbers = [0; N];
        for (number, bytes) in numbers.iter_mut().zip(self.take(4 * N)?.as_chunks().0) {
            *number = u32::from_le_bytes(*bytes);
        }
        Ok(numbers)
    }

    fn u16_vec(&mut self, count: usize) -> Result<Vec<u16>, ModelError> {
        Ok(self.take(2 * count)?.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect())
    }

    fn u32_vec(&mut self, count: usize) -> Result<Vec<u32>, ModelError> {
        Ok(self.take(4 * count)?.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }
}
