//! The framing of the language server protocol: a header with the length of the body, an empty line, the body.

use std::io::{self, BufRead, Read};

/// Maximum length of a message. The largest answers of real servers have a few megabytes.
const MAX_MESSAGE: u64 = 64 << 20;
/// Maximum length of a header with all its lines.
const MAX_HEADER: u64 = 8 << 10;

/// Why a stream of messages ends.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a stream of messages.
    #[error("what it sends is not the language server protocol")]
    Malformed,
    /// A message is larger than any real one.
    #[error("it announces a message of {0} bytes")]
    TooLarge(u64),
}

/// Reads the body of a message; `None` at the end of the stream.
pub fn read_message(from: &mut impl BufRead) -> Result<Option<Vec<u8>>, ProtocolError> {
    let (mut length, mut left, mut any) = (None, MAX_HEADER, false);
    loop {
        let mut line = Vec::new();
        let got = from.by_ref().take(left).read_until(b'\n', &mut line)? as u64;
        if got == 0 && !any {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(ProtocolError::Malformed);
        }
        (left, any) = (left - got, true);
        let line = line.trim_ascii();
        if line.is_empty() {
            break;
        }
        let colon = line.iter().position(|&byte| byte == b':').ok_or(ProtocolError::Malformed)?;
        let (name, value) = line.split_at(colon);
        if name.eq_ignore_ascii_case(b"content-length") {
            let value = str::from_utf8(value[1..].trim_ascii()).ok();
            let digits = value.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
            length = Some(digits.and_then(|digits| digits.parse().ok()).ok_or(ProtocolError::Malformed)?);
        }
    }
    let length: u64 = length.ok_or(ProtocolError::Malformed)?;
    if length > MAX_MESSAGE {
        return Err(ProtocolError::TooLarge(length));
    }
    // Grows with what is there, not with what the header claims.
    let mut body = Vec::new();
    let got = from.by_ref().take(length).read_to_end(&mut body)?;
    if got as u64 == length { Ok(Some(body)) } else { Err(ProtocolError::Malformed) }
}

/// A message with its header.
pub(crate) fn framed(body: &[u8]) -> Vec<u8> {
    let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    message.extend_from_slice(body);
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(bytes: &[u8]) -> Result<Vec<Vec<u8>>, ProtocolError> {
        let (mut from, mut found) = (bytes, Vec::new());
        while let Some(body) = read_message(&mut from)? {
            found.push(body);
        }
        Ok(found)
    }

    #[test]
    fn messages_are_read_one_by_one() {
        let stream = [&framed(b"{}")[..], b"content-type: x\nContent-Length:3\n\n[1]", &framed(b"")].concat();
        assert_eq!(all(&stream).expect("well formed"), [&b"{}"[..], b"[1]", b""]);
        assert_eq!(all(b"").expect("an empty stream ends"), [&b""[..]; 0]);
    }

    #[test]
    fn broken_and_hostile_headers_are_refused() {
        for bytes in [
            &b"hello\n\n"[..],
            b"\r\n",
            b"Content-Length: -1\r\n\r\n",
            b"Content-Length: +1\r\n\r\nx",
            b"Content-Length: 99999999999999999999999\r\n\r\n",
            b"Content-Length: 5\r\n\r\n{}",
            b"Content-Length: 5",
            b"Content-Type: x\r\n\r\n{}",
        ] {
            assert!(matches!(all(bytes), Err(ProtocolError::Malformed)), "{bytes:?}");
        }
        assert!(matches!(
            all(b"Content-Length: 9999999999\r\n\r\n"),
            Err(ProtocolError::TooLarge(9_999_999_999))
        ));
        let endless = vec![b'x'; 1 << 20];
        assert!(matches!(all(&endless), Err(ProtocolError::Malformed)), "no line end");
        let many = b"X: y\r\n".repeat(10_000);
        assert!(matches!(all(&many), Err(ProtocolError::Malformed)), "no end of the header");
    }

    proptest! {
        #[test]
        fn any_bytes_end_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = all(&bytes);
        }

        #[test]
        fn what_is_written_is_read_again(bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..5)) {
            let stream: Vec<u8> = bodies.iter().flat_map(|body| framed(body)).collect();
            prop_assert_eq!(all(&stream).expect("well formed"), bodies);
        }
    }
}
