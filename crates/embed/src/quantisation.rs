//! Int4 quantisation: the stored form of vectors, four bits per value.
//!
//! The values of a unit vector have a standard deviation of about 25, so one uniform step suffices for all vectors; one
//! value in two hundred exceeds seven steps and is clamped. Measured on queries with known answers, results are the same.

use crate::embedding::Vector;
use std::ops::Range;

/// The quantisation step.
pub(crate) const STEP: i32 = 10;
/// The maximum magnitude, in steps.
const MAX_STEPS: i16 = 7;

/// The packed size of a vector of this dimension, in bytes.
pub fn packed_length(dimension: usize) -> usize {
    dimension.div_ceil(2)
}

impl Vector {
    /// Appends the packed form: each byte contains a value of the first half in its low nibble and one of the second half in
    /// its high nibble.
    pub fn pack(&self, bytes: &mut Vec<u8>) {
        let (first, second) = self.values().split_at(packed_length(self.values().len()));
        let start = bytes.len();
        bytes.extend(first.iter().map(|&low| quantise(low) & 15));
        for (to, &high) in bytes[start..].iter_mut().zip(second) {
            *to |= quantise(high) << 4;
        }
    }

    /// Dequantises a packed vector.
    pub fn unpack(bytes: &[u8], dimension: usize) -> Self {
        let mut values = vec![0; dimension];
        unpack(bytes, &mut values);
        Self::from_values(&values)
    }
}

/// The stored vectors of a group: the packed vectors, then for each how many members of the group share it. Consecutive
/// members may share a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedGroup<'b> {
    /// The packed vectors.
    pub vectors: &'b [u8],
    /// How many members share each vector.
    pub counts: &'b [u8],
}

impl<'b> PackedGroup<'b> {
    /// Parses a group. `None` if the bytes are not vectors of this dimension.
    pub fn parse(bytes: &'b [u8], dimension: usize) -> Option<Self> {
        let length = packed_length(dimension);
        let rows = bytes.len() / (length + 1);
        let (vectors, counts) = bytes.split_at(rows * length);
        (counts.len() == rows).then_some(Self { vectors, counts })
    }

    /// The number of members.
    pub fn members(&self) -> usize {
        members(self.counts)
    }

    /// The packed vector of a member, and the members that share it.
    pub fn vector_of(&self, member: u32) -> Option<(&'b [u8], Range<u32>)> {
        let length = self.vectors.len() / self.counts.len().max(1);
        let row = row_of(self.counts, member)?;
        let first = members(&self.counts[..row]) as u32;
        let vector = self.vectors.get(row * length..(row + 1) * length)?;
        Some((vector, first..first + u32::from(self.counts[row])))
    }
}

/// The number of members of rows with these counts.
pub(crate) fn members(counts: &[u8]) -> usize {
    counts.iter().map(|&count| usize::from(count)).sum()
}

/// The row of a member, given how many members share each row.
pub(crate) fn row_of(counts: &[u8], member: u32) -> Option<usize> {
    let mut end = 0;
    counts.iter().position(|&count| {
        end += u32::from(count);
        member < end
    })
}

/// Dequantises packed bytes.
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

fn quantise(value: i8) -> u8 {
    // The compiler turns this division into a multiplication, which vectorises in 16 bits.
    let value = i16::from(value);
    let steps = (value + value.signum() * STEP as i16 / 2) / STEP as i16;
    (steps.clamp(-MAX_STEPS, MAX_STEPS) as i8).cast_unsigned()
}

/// The value in the low nibble, in steps.
#[inline]
pub(crate) fn low(byte: u8) -> i8 {
    (byte << 4).cast_signed() >> 4
}

/// The value in the high nibble, in steps.
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
        fn quantisation_error_is_at_most_half_a_step(values in prop::collection::vec(-75..=75_i8, 0..300)) {
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
            prop_assert_eq!(again, bytes, "quantisation is idempotent");
        }
    }

    #[test]
    fn values_out_of_range_are_clamped() {
        let mut bytes = Vec::new();
        Vector::from_values(&[127, -128, 0]).pack(&mut bytes);
        assert_eq!(Vector::unpack(&bytes, 3).values(), [70, -70, 0]);
    }
}
