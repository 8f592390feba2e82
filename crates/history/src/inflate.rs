//! Compressed bytes, taken apart within a bound.

use miniz_oxide::inflate::stream::{InflateState, inflate as step};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};
use std::io::{self, BufRead};

/// No object larger than this is read: everything that is asked for is a text, a folder or a commit.
pub(crate) const LARGEST: usize = 64 << 20;

const PIECE: usize = 64 * 1024;

/// What a zlib stream holds, if that is at most `most` bytes.
pub(crate) fn inflate(input: &mut impl BufRead, most: usize) -> io::Result<Vec<u8>> {
    let mut state = InflateState::new_boxed(DataFormat::Zlib);
    let mut out: Vec<u8> = Vec::new();
    let mut piece = vec![0; PIECE.min(most + 1)];
    loop {
        let given = input.fill_buf()?;
        let done = step(&mut state, given, &mut piece, MZFlush::None);
        let at_end = given.is_empty();
        input.consume(done.bytes_consumed);
        out.extend_from_slice(&piece[..done.bytes_written]);
        if out.len() > most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "an object is larger than it may be"));
        }
        match done.status {
            Ok(MZStatus::StreamEnd) => return Ok(out),
            Ok(_) if done.bytes_consumed + done.bytes_written > 0 => {}
            Err(miniz_oxide::MZError::Buf) if !at_end => {}
            _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "an object cannot be unpacked")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec_zlib;

    #[test]
    fn what_was_packed_is_unpacked_unless_it_is_too_much_or_broken() {
        let text = b"what was packed ".repeat(20_000);
        let packed = compress_to_vec_zlib(&text, 6);
        assert_eq!(inflate(&mut &packed[..], text.len()).expect("it is whole"), text);
        let too_much = inflate(&mut &packed[..], text.len() - 1).expect_err("a byte too many");
        assert_eq!(too_much.kind(), io::ErrorKind::FileTooLarge);
        assert!(inflate(&mut &packed[..packed.len() / 2], text.len()).is_err());
        assert!(inflate(&mut &b"no stream"[..], 100).is_err());
        assert_eq!(inflate(&mut &compress_to_vec_zlib(b"", 6)[..], 0).expect("nothing is something"), b"");
    }
}
