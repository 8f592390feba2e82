//! The form of a text that trigrams are taken from: upper and lower case look the same.
//!
//! Folding need not be perfect, only the same for texts and for patterns: a pattern that ignores case lists every
//! letter it accepts, and each is folded as it would be in a text.

/// Feeds the folded bytes of a text to `see`. Bytes that are no UTF-8 stay as they are.
pub(crate) fn each(bytes: &[u8], mut see: impl FnMut(u8)) {
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
pub(crate) fn of_char(c: char) -> Vec<u8> {
    fold(c).to_string().into_bytes()
}

/// The character a text starts with. A broken one never swallows the start of the next, so whether a character is
/// found does not depend on what stands before it.
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

/// Letters of scripts with two cases whose mapping has been settled for decades; anything else stays as it is, so that
/// a newer edition of Unicode never makes an index wrong.
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
        each(bytes, |byte| all.push(byte));
        all
    }

    #[test]
    fn case_is_gone_and_the_rest_stays() {
        assert_eq!(folded("GrÖße_1 ΣΑΣ Ünïx 漢字".as_bytes()), "größe_1 σασ ünïx 漢字".as_bytes());
        assert_eq!(folded("\u{212a}ernel le\u{17f}s".as_bytes()), b"kernel less");
    }

    #[test]
    fn broken_text_is_kept_and_swallows_nothing() {
        assert_eq!(folded(b"A\xe2\x84B\xff\xf0\xc3\x96"), b"a\xe2\x84b\xff\xf0\xc3\xb6");
    }
}
