//! The ids of the symbols or chunks of a file, in the order of its outline, as a few bytes: runs of neighbours.
//!
//! A file fresh from a bulk load is one run, so that "the symbols of a file" needs no index of its own.

use crate::codec::CodecError;

/// More ids than any list has: what says so is damaged.
const MANY: usize = 1 << 26;

/// Writes ids as runs.
pub(crate) fn encode(ids: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8);
    let mut rest = ids;
    let mut before = 0i64;
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|&(&id, expected)| id == expected).count();
        let step = first.wrapping_sub(before);
        put(&mut bytes, ((step << 1) ^ (step >> 63)).cast_unsigned());
        put(&mut bytes, run as u64);
        before = first + i64::from(run as u32);
        rest = &rest[run..];
    }
    bytes
}

/// Writes `count` ids that follow each other.
pub(crate) fn encode_run(first: i64, count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8);
    if count > 0 {
        put(&mut bytes, first.cast_unsigned() << 1);
        put(&mut bytes, count as u64);
    }
    bytes
}

/// Reads them back; `count` is what the file's row says and guards against damage.
pub(crate) fn decode(bytes: &[u8], count: usize) -> Result<Vec<i64>, CodecError> {
    let mut ids = Vec::with_capacity(count.min(1 << 20));
    let (mut rest, mut before) = (bytes, 0i64);
    while !rest.is_empty() {
        let zigzag = take(&mut rest)?;
        let run = u32::try_from(take(&mut rest)?).map_err(|_| CodecError)?;
        if run == 0 || run as usize > count - ids.len() {
            return Err(CodecError);
        }
        let step = (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed();
        let first = before.wrapping_add(step);
        ids.extend((0..i64::from(run)).map(|i| first.wrapping_add(i)));
        before = first.wrapping_add(i64::from(run));
    }
    if ids.len() == count { Ok(ids) } else { Err(CodecError) }
}

/// Reads back however many there are.
pub(crate) fn decode_all(bytes: &[u8]) -> Result<Vec<i64>, CodecError> {
    let (mut count, mut rest) = (0usize, bytes);
    while !rest.is_empty() {
        take(&mut rest)?;
        let run = usize::try_from(take(&mut rest)?).map_err(|_| CodecError)?;
        count = count.checked_add(run).filter(|&count| count <= MANY).ok_or(CodecError)?;
    }
    decode(bytes, count)
}

/// Writes ids that grow, each by how far it is from the one before.
pub(crate) fn encode_rising(ids: &[i64]) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::with_capacity(ids.len() * 2), 0i64);
    for &id in ids {
        put(&mut bytes, id.wrapping_sub(before).cast_unsigned());
        before = id;
    }
    bytes
}

/// Reads them back.
pub(crate) fn decode_rising(bytes: &[u8]) -> Result<Vec<i64>, CodecError> {
    let (mut ids, mut rest, mut before) = (Vec::new(), bytes, 0i64);
    while !rest.is_empty() {
        before = before.wrapping_add(take(&mut rest)?.cast_signed());
        ids.push(before);
    }
    Ok(ids)
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Result<u64, CodecError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(CodecError)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(CodecError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_in_order_and_neighbours_cost_nothing() {
        for ids in [vec![], vec![1, 2, 3], vec![9, 4, 5, 900_000_000_000, 6], vec![i64::MAX - 1]] {
            assert_eq!(decode(&encode(&ids), ids.len()), Ok(ids));
        }
        assert!(encode(&(1000..5000).collect::<Vec<_>>()).len() <= 4);
        assert_eq!(encode_run(1000, 4000), encode(&(1000..5000).collect::<Vec<_>>()));
        assert_eq!(encode_run(1, 0), encode(&[]));
    }

    #[test]
    fn growing_ids_come_back() {
        for ids in [vec![], vec![1], vec![3, 9, 10, 900_000_000_000], vec![i64::MAX]] {
            assert_eq!(decode_rising(&encode_rising(&ids)), Ok(ids));
        }
        assert_eq!(decode_rising(&[0x80]), Err(CodecError));
    }

    #[test]
    fn a_list_that_does_not_fit_its_count_is_damage() {
        let bytes = encode(&[1, 2, 3]);
        assert_eq!(decode(&bytes, 2), Err(CodecError));
        assert_eq!(decode(&bytes, 4), Err(CodecError));
        assert_eq!(decode(&[0x80], 1), Err(CodecError));
    }
}
