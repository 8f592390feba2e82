//! Applies git deltas: an object encoded as copies of ranges of a base object and insertions of new bytes.
//!
//! A delta is the size of the base and the size of the result, both as varints, and then instructions. Example: with the
//! base `hello world`, the instructions `copy 6..11`, `insert " "`, `copy 0..3` produce `world hel`.

use crate::inflate::MAX_OBJECT;

/// Applies a delta to its base. `None` if the delta is malformed or belongs to another base.
pub(crate) fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta;
    if varint(&mut rest)? != base.len() {
        return None;
    }
    let length = varint(&mut rest)?;
    if length > MAX_OBJECT {
        return None;
    }
    let mut out = Vec::with_capacity(length);
    while let Some((&instruction, tail)) = rest.split_first() {
        rest = tail;
        if instruction & 0x80 == 0 {
            // Git reserves instruction 0.
            if instruction == 0 {
                return None;
            }
            let (new, tail) = rest.split_at_checked(usize::from(instruction))?;
            out.extend_from_slice(new);
            rest = tail;
        } else {
            let start = sparse_integer(instruction, &[0, 1, 2, 3], &mut rest)?;
            let count = match sparse_integer(instruction, &[4, 5, 6], &mut rest)? {
                0 => 0x1_0000,
                count => count,
            };
            out.extend_from_slice(base.get(start..start.checked_add(count)?)?);
        }
        if out.len() > length {
            return None;
        }
    }
    (out.len() == length).then_some(out)
}

/// Reads a varint: groups of seven bits, least significant first.
fn varint(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Reads an integer whose zero bytes are omitted: bit `bits[i]` of the instruction says whether byte `i` follows.
fn sparse_integer(instruction: u8, bits: &[u8], rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0;
    for (at, bit) in bits.iter().enumerate() {
        if instruction & (1 << bit) != 0 {
            let (&byte, tail) = rest.split_first()?;
            *rest = tail;
            value |= usize::from(byte) << (8 * at);
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn copies_and_insertions_build_the_object() {
        let delta = [11, 9, 0b1001_0001, 6, 5, 1, b' ', 0b1001_0000, 3];
        assert_eq!(apply(b"hello world", &delta).expect("it fits"), b"world hel");
        assert_eq!(apply(b"hello", &delta), None);
        assert_eq!(apply(b"hello world", &delta[..5]), None);
    }

    proptest! {
        #[test]
        fn malformed_deltas_never_panic(base in any::<Vec<u8>>(), delta in any::<Vec<u8>>()) {
            let mut sized = vec![(base.len() & 0x7f) as u8];
            sized.extend(delta);
            apply(&base, &sized);
        }
    }
}
