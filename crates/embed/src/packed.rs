//! Vectors at rest: four bits for each value, half of what they are in memory.
//!
//! A value is about 25 in any vector, so one step for all of them serves; what lies beyond seven steps is one value in two
//! hundred. Measured on questions with known answers, what is found stays the same.

use crate::sum::Vector;
use std::ops::Range;

/// How far apart the values are that can be told apart.
pub(crate) const STEP: i32 = 10;
/// The greatest number of steps.
const MOST: i16 = 7;

/// How many bytes a vector of that dimension takes.
pub fn packed_length(dimension: usize) -> usize {
    dimension.div_ceil(2)
}

impl Vector {
    /// Appends the packed form: each byte has a value of the first half, and in its upper bits one of the second.
    pub fn pack(&self, bytes: &mut Vec<u8>) {
        let (first, second) = self.values().split_at(packed_length(self.values().len()));
        let start = bytes.len();
        bytes.extend(first.iter().map(|&low| steps(low) & 15));
        for (to, &high) in bytes[start..].iter_mut().zip(second) {
            *to |= steps(high) << 4;
        }
    }

    /// The vector of that dimension in packed bytes; values are the nearest that four bits can tell.
    pub fn unpack(bytes: &[u8], dimension: usize) -> Self {
        let mut values = vec![0; dimension];
        unpack(bytes, &mut values);
        Self::from_values(&values)
    }
}

/// The vectors of a group at rest: packed, one after the other, and behind them for each how many members of the group it
/// stands for. Members that follow each other may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedGroup<'b> {
    /// The packed vectors.
    pub vectors: &'b [u8],
    /// How many members each stands for.
    pub counts: &'b [u8],
}

impl<'b> PackedGroup<'b> {
    /// Reads the bytes of a group; none where these are not vectors of that dimension.
    pub fn read(bytes: &'b [u8], dimension: usize) -> Option<Self> {
        let length = packed_length(dimension);
        let rows = bytes.len() / (length + 1);
        let (vectors, counts) = bytes.split_at(rows * length);
        (counts.len() == rows).then_some(Self { vectors, counts })
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        members(self.counts)
    }

    /// The packed vector of a member, and all members that share it.
    pub fn vector_of(&self, member: u32) -> Option<(&'b [u8], Range<u32>)> {
        let length = self.vectors.len() / self.counts.len().max(1);
        let row = row_of(self.counts, member)?;
        let first = members(&self.counts[..row]) as u32;
        let vector = self.vectors.get(row * length..(row + 1) * length)?;
        Some((vector, first..first + u32::from(self.counts[row])))
    }
}

/// How many members rows stand for.
pub(crate) fn members(counts: &[u8]) -> usize {
    counts.iter().map(|&count| usize::from(count)).sum()
}

/// The row a member is in, among rows that stand for so many each.
pub(crate) fn row_of(counts: &[u8], member: u32) -> Option<usize> {
    let mut end = 0;
    counts.iter().position(|&count| {
        end += u32::from(count);
        member < end
    })
}

/// Sets values to what packed bytes say.
pub(crate) fn unpack(bytes: &[u8], values: &mut [i8]) {
    let half = packed_length(values.len());
    let (first, second) = values.split_at_mut(half);
    for (to, &byte) in first.iter_mut().zip(bytes) {
        *to = low(byte) * STEP as i8;
    }
    for (to, &byte) in second.iter_mut().zip(bytes) {
        *to = high(byte) * STEP as i8;
    }
}

fn steps(value: i8) -> u8 {
    // In sixteen bits every processor multiplies many at a time, which is what this division becomes.
    let value = i16::from(value);
    let steps = (value + value.signum() * STEP as i16 / 2) / STEP as i16;
    (steps.clamp(-MOST, MOST) as i8).cast_unsigned()
}

/// The value in the lower half of a byte, in steps.
#[inline]
pub(crate) fn low(byte: u8) -> i8 {
    (byte << 4).cast_signed() >> 4
}

/// The value in the upper half of a byte, in steps.
#[inline]
pub(crate) fn high(byte: u8) -> i8 {
    byte.cast_signed() >> 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_packed_vector_is_near_the_vector(values in prop::collection::vec(-75..=75_i8, 0..300)) {
            let mut bytes = Vec::new();
            Vector::from_values(&values).pack(&mut bytes);
            prop_assert_eq!(bytes.len(), packed_length(values.len()));
            let back = Vector::unpack(&bytes, values.len());
            prop_assert_eq!(back.values().len(), values.len());
            for (value, back) in values.iter().zip(back.values()) {
                prop_assert!((value - back).abs() <= 5, "{value} became {back}");
            }
            let mut again = Vec::new();
            back.pack(&mut again);
            prop_assert_eq!(again, bytes, "what four bits can tell stays as it is");
        }
    }

    #[test]
    fn what_is_too_far_out_is_brought_in() {
        let mut bytes = Vec::new();
        Vector::from_values(&[127, -128, 0]).pack(&mut bytes);
        assert_eq!(Vector::unpack(&bytes, 3).values(), [70, -70, 0]);
    }
}
