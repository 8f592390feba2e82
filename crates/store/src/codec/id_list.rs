//! Run-length encoding of the ids of the symbols or chunks of a file, in the order of its outline.
//!
//! Consecutive ids are one run, stored as the difference to the end of the run before and a length. Example: the ids 10, 11, 12, 13, 7,
//! 8 are two runs. After a bulk load each file is one run, so that "the symbols of a file" needs no index of its own.

use super::CodecError;
use super::varint::{Decoder, Encoder};

/// More ids than any list has: a larger count is damage.
const MANY: usize = 1 << 26;

/// Encodes ids as runs.
pub(crate) fn encode(ids: &[i64]) -> Vec<u8> {
    let mut out = Encoder::default();
    let mut rest = ids;
    let mut before = 0i64;
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|&(&id, expected)| id == expected).count();
        out.step(first, before);
        out.wide(run as u64);
        before = first + i64::from(run as u32);
        rest = &rest[run..];
    }
    out.bytes
}

/// Encodes `count` consecutive ids.
pub(crate) fn encode_run(first: i64, count: usize) -> Vec<u8> {
    let mut out = Encoder::default();
    if count > 0 {
        out.step(first, 0);
        out.wide(count as u64);
    }
    out.bytes
}

/// Decodes a list; `count` is the expected number of ids and guards against damage.
pub(crate) fn decode(bytes: &[u8], count: usize) -> Result<Vec<i64>, CodecError> {
    let mut ids = Vec::with_capacity(count.min(1 << 20));
    let (mut from, mut before) = (Decoder { bytes }, 0i64);
    while !from.bytes.is_empty() {
        let first = from.step(before)?;
        let run = from.number()?;
        if run == 0 || run as usize > count - ids.len() {
            return Err(CodecError);
        }
        ids.extend((0..i64::from(run)).map(|i| first.wrapping_add(i)));
        before = first.wrapping_add(i64::from(run));
    }
    if ids.len() == count { Ok(ids) } else { Err(CodecError) }
}

/// Decodes a list of any length.
pub(crate) fn decode_all(bytes: &[u8]) -> Result<Vec<i64>, CodecError> {
    let (mut count, mut from) = (0usize, Decoder { bytes });
    while !from.bytes.is_empty() {
        from.wide()?;
        let run = from.number()? as usize;
        count = count.checked_add(run).filter(|&count| count <= MANY).ok_or(CodecError)?;
    }
    decode(bytes, count)
}

/// Encodes ascending ids as differences to the id before.
pub(crate) fn encode_ascending(ids: &[i64]) -> Vec<u8> {
    let (mut out, mut before) = (Encoder { bytes: Vec::with_capacity(ids.len() * 2) }, 0i64);
    for &id in ids {
        out.wide(id.wrapping_sub(before).cast_unsigned());
        before = id;
    }
    out.bytes
}

/// Decodes ascending ids.
pub(crate) fn decode_ascending(bytes: &[u8]) -> Result<Vec<i64>, CodecError> {
    let (mut ids, mut from, mut before) = (Vec::new(), Decoder { bytes }, 0i64);
    while !from.bytes.is_empty() {
        before = before.wrapping_add(from.wide()?.cast_signed());
        ids.push(before);
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_and_consecutive_ids_share_a_run() {
        for ids in [vec![], vec![1, 2, 3], vec![9, 4, 5, 900_000_000_000, 6], vec![i64::MAX - 1]] {
            assert_eq!(decode(&encode(&ids), ids.len()), Ok(ids));
        }
        assert!(encode(&(1000..5000).collect::<Vec<_>>()).len() <= 4);
        assert_eq!(encode_run(1000, 4000), encode(&(1000..5000).collect::<Vec<_>>()));
        assert_eq!(encode_run(1, 0), encode(&[]));
    }

    #[test]
    fn ascending_ids_round_trip() {
        for ids in [vec![], vec![1], vec![3, 9, 10, 900_000_000_000], vec![i64::MAX]] {
            assert_eq!(decode_ascending(&encode_ascending(&ids)), Ok(ids));
        }
        assert_eq!(decode_ascending(&[0x80]), Err(CodecError));
    }

    #[test]
    fn a_list_with_a_wrong_count_is_damage() {
        let bytes = encode(&[1, 2, 3]);
        assert_eq!(decode(&bytes, 2), Err(CodecError));
        assert_eq!(decode(&bytes, 4), Err(CodecError));
        assert_eq!(decode(&[0x80], 1), Err(CodecError));
    }
}
