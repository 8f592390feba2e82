//! Variable-length integers (LEB128): seven bits per byte, the high bit set in all bytes but the last.
//!
//! Example: 300 is `1_0010_1100` in binary, seven bits `010_1100` and the rest `10`, so the bytes are `0xac 0x02`.

use crate::error::TextError;

/// Appends a varint.
pub(crate) fn put_varint(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Removes a varint from the front of `bytes`.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Result<u32, TextError> {
    let mut number = 0_u32;
    for shift in [0, 7, 14, 21, 28] {
        let Some((&byte, rest)) = bytes.split_first() else { return Err(TextError::TRUNCATED) };
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(TextError("a number is longer than five bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_hundred_takes_two_bytes() {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, 300);
        assert_eq!(bytes, [0xac, 0x02]);
    }

    proptest! {
        #[test]
        fn any_number_round_trips(number: u32) {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, number);
            prop_assert_eq!(take_varint(&mut bytes.as_slice()), Ok(number));
        }
    }
}
