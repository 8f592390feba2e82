//! The file training writes: its layout, read without decoding the table.
//!
//! All numbers are little-endian. `training/orient_training/artefact.py` writes it.
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
/// The greatest scale of a row. With the greatest count and the most tokens of a text it keeps sums inside 32 bits.
const MAX_SCALE: u16 = 3840;
const MAX_COUNT_WEIGHT: u16 = 1092;

/// A model in bytes, taken apart. The rows are where they were.
#[derive(Debug)]
pub(crate) struct Artefact<'b> {
    pub(crate) revision: u32,
    pub(crate) dimension: usize,
    pub(crate) names_weight: f32,
    pub(crate) path_weight: f32,
    /// What the count of a token is worth, in 256ths. The last one stands for all greater counts.
    pub(crate) counts: Vec<u16>,
    /// By how much each row is multiplied.
    pub(crate) scales: Vec<u16>,
    pub(crate) vocabulary: Vocabulary<'b>,
    /// The table, row after row, one signed byte for each value.
    pub(crate) rows: &'b [u8],
}

impl<'b> Artefact<'b> {
    /// Takes a model apart, and refuses what would make sums overflow or look-ups go astray.
    pub(crate) fn read(bytes: &'b [u8]) -> Result<Self, ModelError> {
        let mut rest = Sections { bytes };
        if rest.take(MAGIC.len()).ok() != Some(MAGIC) {
            return Err(ModelError::NotAModel);
        }
        let found = rest.number()?;
        if found != FORMAT {
            return Err(ModelError::Format { found, known: FORMAT });
        }
        let [size, dimension, counts, slots, pieces, names_weight, path_weight, revision] = rest.numbers()?;
        let [size, dimension, pieces] = [size as usize, dimension as usize, pieces as usize];
        if size == 0 || size >= usize::from(u16::MAX) || dimension == 0 || dimension > 4096 {
            return Err(ModelError::Damaged("its size is impossible"));
        }
        rest.bytes = bytes.get(HEADER..).ok_or(ModelError::Damaged("it ends within its header"))?;
        let counts = rest.shorts(counts as usize)?;
        let scales = rest.shorts(size)?;
        let costs = rest.shorts(size)?;
        let slots = rest.shorts(slots as usize)?;
        let ends = rest.longs(size)?;
        let pieces = rest.take(pieces)?;
        let rows = rest.take(size * dimension)?;
        if !rest.bytes.is_empty() {
            return Err(ModelError::Damaged("it goes on after its end"));
        }
        if counts.len() < 2
            || counts.iter().any(|&c| c > MAX_COUNT_WEIGHT)
            || scales.iter().any(|&s| s > MAX_SCALE)
        {
            return Err(ModelError::Damaged("its weights are too great"));
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

/// The part of the file that was not read yet.
struct Sections<'b> {
    bytes: &'b [u8],
}

impl<'b> Sections<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], ModelError> {
        let (taken, rest) =
            self.bytes.split_at_checked(count).ok_or(ModelError::Damaged("it ends too early"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, ModelError> {
        Ok(self.numbers::<1>()?[0])
    }

    fn numbers<const N: usize>(&mut self) -> Result<[u32; N], ModelError> {
        let mut numbers = [0; N];
        for (number, bytes) in numbers.iter_mut().zip(self.take(4 * N)?.as_chunks().0) {
            *number = u32::from_le_bytes(*bytes);
        }
        Ok(numbers)
    }

    fn shorts(&mut self, count: usize) -> Result<Vec<u16>, ModelError> {
        Ok(self.take(2 * count)?.as_chunks().0.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect())
    }

    fn longs(&mut self, count: usize) -> Result<Vec<u32>, ModelError> {
        Ok(self.take(4 * count)?.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }
}
