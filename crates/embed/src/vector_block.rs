//! A block of packed vectors in groups, with the sign bits for the first pass of a search. Successive versions of an index
//! share unchanged blocks.

use crate::quantisation::{self, PackedGroup, packed_length};
use crate::simd_kernel::{LANES, STRIDE};
use std::ops::Range;

/// The sizes of a vector in its different representations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) dimension: usize,
    /// Bytes of a packed vector.
    pub(crate) length: usize,
    /// 64-bit words of its sign bits.
    pub(crate) words: usize,
}

impl Shape {
    pub(crate) fn new(dimension: usize) -> Self {
        let words = dimension.next_multiple_of(STRIDE) / 64;
        Self { dimension, length: packed_length(dimension), words }
    }

    /// The dimension padded to whole words of sign bits.
    pub(crate) fn padded_dimension(&self) -> usize {
        self.words * 64
    }
}

/// Vectors in groups, ordered by the key of the group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// The key of each group, and its first row.
    pub(crate) groups: Vec<(i64, u32)>,
    pub(crate) rows: Vec<u8>,
    /// How many members of its group share each vector.
    pub(crate) counts: Vec<u8>,
    /// Sign bits of [`LANES`] interleaved vectors, 64 values per word.
    pub(crate) bits: Vec<[u64; LANES]>,
    pub(crate) len: usize,
}

impl Block {
    /// Adds a group of vectors.
    pub(crate) fn push(&mut self, shape: Shape, key: i64, group: PackedGroup<'_>) {
        let rows = group.vectors.chunks_exact(shape.length.max(1));
        self.groups.push((key, self.len as u32));
        self.counts.extend_from_slice(group.counts);
        let mut values = vec![0; shape.padded_dimension()];
        for row in rows {
            quantisation::unpack(row, &mut values[..shape.dimension]);
            let words = self.append(shape, row);
            for (word, chunk) in words.zip(values.chunks(64)) {
                *word =
                    chunk.iter().enumerate().fold(0, |bits, (at, value)| bits | u64::from(*value > 0) << at);
            }
        }
    }

    /// The rows of a group.
    pub(crate) fn rows_of(&self, group: usize) -> Range<usize> {
        let first = self.groups[group].1 as usize;
        first..self.groups.get(group + 1).map_or(self.len, |next| next.1 as usize)
    }

    /// The group that contains a row.
    pub(crate) fn group_of(&self, row: u32) -> usize {
        self.groups.partition_point(|(_, first)| *first <= row).saturating_sub(1)
    }

    /// Copies a group of another block.
    pub(crate) fn copy(&mut self, shape: Shape, other: &Self, group: usize) {
        self.groups.push((other.groups[group].0, self.len as u32));
        let theirs = other.rows_of(group);
        self.counts.extend_from_slice(&other.counts[theirs.clone()]);
        self.rows.extend_from_slice(&other.rows[theirs.start * shape.length..theirs.end * shape.length]);
        let ours = self.len..self.len + theirs.len();
        self.len = ours.end;
        self.bits.resize(self.len.div_ceil(LANES) * shape.words, [0; LANES]);
        for (row, their) in ours.zip(theirs) {
            let (to, from) = (row / LANES * shape.words, their / LANES * shape.words);
            let words = &other.bits[from..from + shape.words];
            for (word, bits) in self.bits[to..to + shape.words].iter_mut().zip(words) {
                word[row % LANES] = bits[their % LANES];
            }
        }
    }

    /// Reserves space for another block's vectors.
    pub(crate) fn reserve(&mut self, other: &Self) {
        self.groups.reserve(other.groups.len());
        self.rows.reserve(other.rows.len());
        self.counts.reserve(other.counts.len());
        self.bits.reserve(other.bits.len());
    }

    /// Copies all groups of another block.
    pub(crate) fn copy_all(&mut self, shape: Shape, other: &Self) {
        self.reserve(other);
        for group in 0..other.groups.len() {
            self.copy(shape, other, group);
        }
    }

    /// Releases unused capacity.
    pub(crate) fn shrink(&mut self) {
        self.groups.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.counts.shrink_to_fit();
        self.bits.shrink_to_fit();
    }

    /// Appends a packed vector and returns its zeroed sign words.
    fn append(&mut self, shape: Shape, row: &[u8]) -> impl Iterator<Item = &mut u64> {
        self.rows.extend_from_slice(row);
        let (block, lane) = (self.len / LANES, self.len % LANES);
        self.bits.resize((block + 1) * shape.words, [0; LANES]);
        self.len += 1;
        self.bits[block * shape.words..].iter_mut().map(move |word| &mut word[lane])
    }
}
