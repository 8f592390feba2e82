//! An object written as what differs from another: pieces of that one, and new bytes.

use crate::inflate::LARGEST;

/// The object that `delta` makes of `base`; none where the two do not fit.
pub(crate) fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta;
    if size(&mut rest)? != base.len() {
        return None;
    }
    let length = size(&mut rest)?;
    if length > LARGEST {
        return None;
    }
    let mut out = Vec::with_capacity(length);
    while let Some((&order, tail)) = rest.split_first() {
        rest = tail;
        if order & 0x80 == 0 {
            // Nought is kept for later forms.
            if order == 0 {
                return None;
            }
            let (new, tail) = rest.split_at_checked(usize::from(order))?;
            out.extend_from_slice(new);
            rest = tail;
        } else {
            let start = number(order, &[0, 1, 2, 3], &mut rest)?;
            let count = match number(order, &[4, 5, 6], &mut rest)? {
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

/// A size in groups of seven bits, the lowest first.
fn size(rest: &mut &[u8]) -> Option<usize> {
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

/// A number of which only the bytes follow whose bits are set, the lowest first.
fn number(order: u8, bits: &[u8], rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0;
    for (at, bit) in bits.iter().enumerate() {
        if order & (1 << bit) != 0 {
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
    fn pieces_of_the_base_and_new_bytes_make_the_object() {
        let delta = [11, 9, 0b1001_0001, 6, 5, 1, b' ', 0b1001_0000, 3];
        assert_eq!(apply(b"hello world", &delta).expect("it fits"), b"world hel");
        assert_eq!(apply(b"hello", &delta), None);
        assert_eq!(apply(b"hello world", &delta[..5]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(base in any::<Vec<u8>>(), delta in any::<Vec<u8>>()) {
            let mut sized = vec![(base.len() & 0x7f) as u8];
            sized.extend(delta);
            apply(&base, &sized);
        }
    }
}
