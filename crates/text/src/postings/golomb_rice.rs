//! Numbers in few bytes, and ascending lists of them in few bits.

use crate::error::TextError;

/// Appends a number, seven bits to a byte.
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Result<u32, TextError> {
    let mut number = 0_u32;
    for shift in [0, 7, 14, 21, 28] {
        let Some((&byte, rest)) = bytes.split_first() else { return Err(TextError("it ends early")) };
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(TextError("a number is too long"))
}

/// How many low bits of a gap are written as they are, where `count` numbers below `bound` are to be written. The rest
/// of the gap is written as that many ones and a zero. This is the best split for numbers strewn at random, which is
/// within a few percent of what any code could reach.
fn low_bits(count: u32, bound: u32) -> u32 {
    // ln 2 times the mean gap.
    let gap = u64::from(bound) * 45_426 / (u64::from(count.max(1)) << 16);
    if gap == 0 { 0 } else { gap.ilog2() }
}

/// Appends ascending numbers below `bound`.
pub(crate) fn put_ascending(bytes: &mut Vec<u8>, numbers: &[u32], bound: u32) {
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
    for &number in numbers {
        let gap = number - next;
        let mut high = gap >> low;
        while high >= 32 {
            put(u64::from(u32::MAX), 32);
            high -= 32;
        }
        put((1 << high) - 1, high + 1);
        put(u64::from(gap) & ((1 << low) - 1), low);
        next = number + 1;
    }
    if filled > 0 {
        bytes.push(bits as u8);
    }
}

/// Reads what [`put_ascending`] wrote.
pub(crate) struct Ascending<'b> {
    bytes: &'b [u8],
    /// The place of the next bit.
    at: usize,
    left: u32,
    low: u32,
    next: u32,
    bound: u32,
}

/// So many bits are at hand wherever one begins to read within a byte.
const AT_HAND: u32 = 56;

impl<'b> Ascending<'b> {
    #[inline]
    pub(crate) fn new(bytes: &'b [u8], count: u32, bound: u32) -> Self {
        Self { bytes, at: 0, left: count, low: low_bits(count, bound), next: 0, bound }
    }

    /// The next bits, [`AT_HAND`] of them at least; zeros behind the end.
    #[inline]
    fn peek(&self) -> u64 {
        let first = self.at / 8;
        let bits = match self.bytes.get(first..first + 8) {
            Some(eight) => u64::from_le_bytes(eight.try_into().unwrap_or_default()),
            None => last_bits(self.bytes.get(first..).unwrap_or_default()),
        };
        bits >> (self.at % 8)
    }

    /// The ones up to the next zero, which is taken too, where they are more than are at hand.
    #[cold]
    fn many_ones(&mut self) -> Result<u32, TextError> {
        let mut ones = 0;
        loop {
            let some = self.peek().trailing_ones().min(AT_HAND - 1);
            ones += some;
            self.at += some as usize;
            if some < AT_HAND - 1 {
                self.at += 1;
                return Ok(ones);
            }
            if ones > self.bound {
                return Err(TextError("a number is out of bounds"));
            }
        }
    }

    /// The next number; there must be one.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u32, TextError> {
        let mut bits = self.peek();
        let mut high = bits.trailing_ones();
        if high + 1 + self.low <= AT_HAND {
            bits >>= high + 1;
            self.at += (high + 1) as usize;
        } else {
            high = self.many_ones()?;
            bits = self.peek();
        }
        let low = bits & ((1 << self.low) - 1);
        self.at += self.low as usize;
        let number = u64::from(self.next) + (u64::from(high) << self.low) + low;
        if number >= u64::from(self.bound) {
            return Err(TextError("a number is out of bounds"));
        }
        if self.at > self.bytes.len() * 8 {
            return Err(TextError("it ends early"));
        }
        self.next = number as u32 + 1;
        Ok(number as u32)
    }
}

/// Fewer than eight bytes as the lowest of a number.
#[cold]
fn last_bits(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    u64::from_le_bytes(eight)
}

impl Iterator for Ascending<'_> {
    type Item = Result<u32, TextError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let taken = self.number();
        if taken.is_err() {
            self.left = 0;
        }
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ascending_numbers_read_back(
            numbers in prop::collection::btree_set(0_u32..5000, 0..600),
            spread in 1_u32..200,
        ) {
            let numbers: Vec<u32> = numbers.into_iter().map(|number| number * spread).collect();
            let mut bytes = Vec::new();
            put_ascending(&mut bytes, &numbers, 5000 * spread);
            let read: Result<Vec<u32>, _> =
                Ascending::new(&bytes, numbers.len() as u32, 5000 * spread).collect();
            prop_assert_eq!(read, Ok(numbers));
        }

        #[test]
        fn any_bytes_give_numbers_in_bounds_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            count in 0_u32..100,
            bound in 1_u32..10_000,
        ) {
            for number in Ascending::new(&bytes, count, bound).map_while(Result::ok) {
                prop_assert!(number < bound);
            }
        }

        #[test]
        fn numbers_read_back(number: u32) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            prop_assert_eq!(take_number(&mut bytes.as_slice()), Ok(number));
        }
    }

    #[test]
    fn a_list_of_everything_takes_a_bit_each() {
        let mut bytes = Vec::new();
        put_ascending(&mut bytes, &(0..4096).collect::<Vec<_>>(), 4096);
        assert_eq!(bytes.len(), 512);
    }
}
