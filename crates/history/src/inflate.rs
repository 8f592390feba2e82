//! Decompresses zlib streams up to a size limit.

use miniz_oxide::inflate::stream::{InflateState, inflate as step};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};
use std::io::{self, BufRead};

/// Maximum size of an object. Source files, trees and commits are smaller.
pub(crate) const MAX_OBJECT: usize = 64 << 20;

const BUFFER: usize = 64 * 1024;

/// Decompresses a zlib stream; fails if it contains more than `max` bytes.
pub(crate) fn inflate(input: &mut impl BufRead, max: usize) -> io::Result<Vec<u8>> {
    let mut state = InflateState::new_boxed(DataFormat::Zlib);
    let mut out: Vec<u8> = Vec::new();
    let mut buffer = vec![0; BUFFER.min(max + 1)];
    loop {
        let given = input.fill_buf()?;
        let done = step(&mut state, given, &mut buffer, MZFlush::None);
        let at_end = given.is_empty();
        input.consume(done.bytes_consumed);
        out.extend_from_slice(&buffer[..done.bytes_written]);
        if out.len() > max {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "an object is too large"));
        }
        match done.status {
            Ok(MZStatus::StreamEnd) => return Ok(out),
            Ok(_) if done.bytes_consumed + done.bytes_written > 0 => {}
            Err(miniz_oxide::MZError::Buf) if !at_end => {}
            _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "an object cannot be decompressed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec_zlib;

    #[test]
    fn inflates_whole_streams_within_the_limit() {
        let text = b"what was packed ".repeat(20_000);
        let packed = compress_to_vec_zlib(&text, 6);
        assert_eq!(inflate(&mut &packed[..], text.len()).expect("it is whole"), text);
        let too_much = inflate(&mut &packed[..], text.len() - 1).expect_err("a byte too many");
        assert_eq!(too_much.kind(), io::ErrorKind::FileTooLarge);
        assert!(inflate(&mut &packed[..packed.len() / 2], text.len()).is_err());
        assert!(inflate(&mut &b"no stream"[..], 100).is_err());
        assert_eq!(inflate(&mut &compress_to_vec_zlib(b"", 6)[..], 0).expect("an empty stream"), b"");
    }
}
