//! Detects whether bytes are text, and decodes UTF-16.

/// Number of leading bytes that are searched for NUL, as in git and grep.
const SNIFFED: usize = 8 * 1024;

/// The kind of a file's content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// Text, or close enough to be read as such.
    Plain,
    /// UTF-16 with a byte order mark, decoded to UTF-8.
    Decoded(Vec<u8>),
    /// Not text.
    Binary,
}

/// Classifies the whole content of a file.
pub(crate) fn sniff(bytes: &[u8]) -> Text {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Text::Binary,
        [0xff, 0xfe, rest @ ..] => decode(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => decode(rest, u16::from_be_bytes),
        _ if memchr::memchr(0, &bytes[..bytes.len().min(SNIFFED)]).is_some() => Text::Binary,
        _ => Text::Plain,
    }
}

fn decode(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Text {
    let units = bytes.chunks(2).map(|pair| match *pair {
        [a, b] => unit([a, b]),
        _ => 0xfffd,
    });
    let mut text = String::with_capacity(bytes.len() / 2 + bytes.len() / 8);
    for (index, c) in char::decode_utf16(units).enumerate() {
        match c.unwrap_or(char::REPLACEMENT_CHARACTER) {
            '\0' if index < SNIFFED => return Text::Binary,
            c => text.push(c),
        }
    }
    Text::Decoded(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    }

    #[test]
    fn both_byte_orders_are_decoded() {
        for bytes in [utf16("größe 🦀\n", u16::to_le_bytes), utf16("größe 🦀\n", u16::to_be_bytes)] {
            assert_eq!(sniff(&bytes), Text::Decoded("größe 🦀\n".as_bytes().to_vec()));
        }
    }

    #[test]
    fn a_broken_end_costs_one_character() {
        let mut bytes = utf16("ab", u16::to_le_bytes);
        bytes.push(b'x');
        assert_eq!(sniff(&bytes), Text::Decoded("ab\u{fffd}".as_bytes().to_vec()));
    }

    #[test]
    fn a_nul_near_the_start_is_binary() {
        assert_eq!(sniff(b"ELF\0\x01"), Text::Binary);
        assert_eq!(sniff(b"\xff\xfe\0\0a\0\0\0"), Text::Binary, "UTF-32");
        assert_eq!(sniff(b"\xff\xfea\0\0\0"), Text::Binary, "a NUL among UTF-16");
        let mut late = vec![b'a'; SNIFFED];
        late.push(0);
        assert_eq!(sniff(&late), Text::Plain);
        assert_eq!((sniff(b""), sniff(b"caf\xe9")), (Text::Plain, Text::Plain));
    }
}
