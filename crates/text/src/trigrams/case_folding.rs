//! Case folding of texts and patterns before trigrams are extracted.
//!
//! Folding need not be complete, only the same for texts and patterns: a case-insensitive pattern lists every letter it
//! accepts, and each is folded as it is in a text.

/// Passes the folded bytes of a text to `see`. Invalid UTF-8 stays as it is.
pub(crate) fn for_each_byte(bytes: &[u8], mut see: impl FnMut(u8)) {
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        if byte < 0x80 {
            see(byte.to_ascii_lowercase());
            rest = behind;
            continue;
        }
        if let Some(c) = first_char(rest) {
            let mut buffer = [0; 4];
            fold(c).encode_utf8(&mut buffer).bytes().for_each(&mut see);
            rest = &rest[c.len_utf8()..];
        } else {
            see(byte);
            rest = behind;
        }
    }
}

/// The folded bytes of one character.
pub(crate) fn folded_char(c: char) -> Vec<u8> {
    fold(c).to_string().into_bytes()
}

/// The first character of a text. An invalid sequence never consumes the first byte of the next character, so decoding does
/// not depend on what comes before.
pub(crate) fn first_char(bytes: &[u8]) -> Option<char> {
    let length = match bytes.first()? {
        0..0x80 => 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return None,
    };
    str::from_utf8(bytes.get(..length)?).ok()?.chars().next()
}

/// Folds letters whose case mapping is stable across Unicode versions. Other characters stay as they are, so that a newer
/// version of Unicode does not invalidate an index.
fn fold(c: char) -> char {
    match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        '\0'..'\u{590}' | '\u{1e00}'..'\u{2000}' => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        for_each_byte(bytes, |byte| all.push(byte));
        all
    }

    #[test]
    fn letters_are_folded_and_other_characters_kept() {
        assert_eq!(folded("GrÖße_1 ΣΑΣ Ünïx 漢字".as_bytes()), "größe_1 σασ ünïx 漢字".as_bytes());
        assert_eq!(folded("\u{212a}ernel le\u{17f}s".as_bytes()), b"kernel less");
    }

    #[test]
    fn invalid_utf8_is_kept_and_consumes_no_valid_character() {
        assert_eq!(folded(b"A\xe2\x84B\xff\xf0\xc3\x96"), b"a\xe2\x84b\xff\xf0\xc3\xb6");
    }
}
