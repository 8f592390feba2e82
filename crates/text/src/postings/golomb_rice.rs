//! Golomb–Rice coding of ascending numbers: each gap is split into a unary quotient and a fixed number of low bits.
//!
//! Example: the numbers 3, 4 and 19 below 32. The first gap counts from 0 and every further gap from the successor of the
//! number before, so the gaps are 3, 0 and 14. Three numbers below 32 have a mean gap of 10.7, times ln 2 is 7.4, so two
//! low bits are stored as they are. A quotient q is q ones and a zero; bits fill each byte from the lowest:
//!
//! ```text
//! gap   quotient   low bits   code, first bit on the left
//!   3          0         11   0    11
//!   0          0         00   0    00
//!  14          3         10   1110 01
//! ```
//!
//! Twelve bits, so two bytes: `0b1100_0110 0b0000_1001`.

use crate::error::TextError;

/// The number of low bits that is optimal for `count` random numbers below `bound`: within a few percent of the entropy.
fn low_bits(count: u32, bound: u32) -> u32 {
    // ln 2 times the mean gap, in fixed-point arithmetic.
    let gap = u64::from(bound) * 45_426 / (u64::from(count.max(1)) << 16);
    if gap == 0 { 0 } else { gap.ilog2() }
}

/// Appends ascending numbers below `bound`.
pub(crate) fn put_ascending(bytes: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = u32>, bound: u32) {
    let low = low_bits(numbers.len() as u32, bound);
    let (mut bits, mut filled) = (0_u64, 0_u32);
    let mut put = |value: u64, width: u32| {
        bits |= value << filled;
        filled += width;
        while filled >= 8 {
            bytes.push(bits as u8);
            bits >>= 8;
            filled -= 8;
        }
    };
    let mut next = 0;
    for number in numbers {
        let gap = number - next;
        let mut quotient = gap >> low;
        while quotient >= 32 {
            put(u64::from(u32::MAX), 32);
            quotient -= 32;
        }
        put((1 << quotient) - 1, quotient + 1);
        put(u64::from(gap) & ((1 << low) - 1), low);
        next = number + 1;
    }
    if filled > 0 {
        bytes.push(bits as u8);
    }
}

/// Decodes what [`put_ascending`] wrote.
pub(crate) struct Ascending<'b> {
    bytes: &'b [u8],
    /// The position of the next bit.
    at: usize,
    low: u32,
    next: u32,
    bound: u32,
}

/// The number of bits that one 64-bit load provides, whatever bit of a byte it begins at.
const LOADED: u32 = 56;

impl<'b> Ascending<'b> {
    /// A decoder of `count` numbers below `bound`.
    #[inline]
    pub(crate) fn new(bytes: &'b [u8], count: u32, bound: u32) -> Self {
        Self { bytes, at: 0, low: low_bits(count, bound), next: 0, bound }
    }

    /// The next bits, at least [`LOADED`] of them; zeros beyond the end.
    #[inline]
    fn peek(&self) -> u64 {
        let first = self.at / 8;
        let bits = match self.bytes.get(first..first + 8) {
            Some(eight) => u64::from_le_bytes(eight.try_into().unwrap_or_default()),
            None => last_bits(self.bytes.get(first..).unwrap_or_default()),
        };
        bits >> (self.at % 8)
    }

    /// Decodes a unary quotient that is longer than one load.
    #[cold]
    fn long_quotient(&mut self) -> Result<u32, TextError> {
        let mut ones = 0;
        loop {
            let some = self.peek().trailing_ones().min(LOADED - 1);
            ones += some;
            self.at += some as usize;
            if some < LOADED - 1 {
                self.at += 1;
                return Ok(ones);
            }
            if ones > self.bound {
                return Err(TextError::OUT_OF_BOUNDS);
            }
        }
    }

    /// The next number. The caller counts them.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u32, TextError> {
        let mut bits = self.peek();
        let mut quotient = bits.trailing_ones();
        if quotient + 1 + self.low <= LOADED {
            bits >>= quotient + 1;
            self.at += (quotient + 1) as usize;
        } else {
            quotient = self.long_quotient()?;
            bits = self.peek();
        }
        let low = bits & ((1 << self.low) - 1);
        self.at += self.low as usize;
        let number = u64::from(self.next) + (u64::from(quotient) << self.low) + low;
        if number >= u64::from(self.bound) {
            return Err(TextError::OUT_OF_BOUNDS);
        }
        if self.at > self.bytes.len() * 8 {
            return Err(TextError::TRUNCATED);
        }
        self.next = number as u32 + 1;
        Ok(number as u32)
    }
}

/// Up to eight bytes as a little-endian number.
#[cold]
fn last_bits(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    u64::from_le_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode(numbers: &[u32], bound: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_ascending(&mut bytes, numbers.iter().copied(), bound);
        bytes
    }

    fn decode(bytes: &[u8], count: u32, bound: u32) -> Result<Vec<u32>, TextError> {
        let mut numbers = Ascending::new(bytes, count, bound);
        (0..count).map(|_| numbers.number()).collect()
    }

    proptest! {
        #[test]
        fn ascending_numbers_round_trip(
            numbers in prop::collection::btree_set(0_u32..5000, 0..600),
            spread in 1_u32..200,
        ) {
            let numbers: Vec<u32> = numbers.into_iter().map(|number| number * spread).collect();
            let bytes = encode(&numbers, 5000 * spread);
            prop_assert_eq!(decode(&bytes, numbers.len() as u32, 5000 * spread), Ok(numbers));
        }

        #[test]
        fn malformed_bytes_give_numbers_in_bounds_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            count in 0_u32..100,
            bound in 1_u32..10_000,
        ) {
            let mut numbers = Ascending::new(&bytes, count, bound);
            for number in (0..count).map_while(|_| numbers.number().ok()) {
                prop_assert!(number < bound);
            }
        }
    }

    #[test]
    fn the_documented_example_takes_two_bytes() {
        assert_eq!(encode(&[3, 4, 19], 32), [0b1100_0110, 0b0000_1001]);
    }

    #[test]
    fn a_list_of_all_numbers_takes_one_bit_each() {
        assert_eq!(encode(&(0..4096).collect::<Vec<_>>(), 4096).len(), 512);
    }
}
