//! Pre-tokenisation: splits text to words. `training/orient_training/words.py` does the same byte for byte; tests compare
//! with vectors that training exported.
//!
//! A word is a run of lower-case letters with at most one capital before it, a run of capitals (with a plural `s`), or a
//! run of digits: `getHTTPServer2` is `get http server 2`. Bytes of other alphabets count as lower-case letters, so that no
//! Unicode table is needed; characters that begin with the bytes C2 or E2 (quotes, dashes, arrows, symbols) separate words.

/// Maximum length of a word, in bytes. Longer runs are encoded data.
pub(crate) const MAX_WORD: usize = 40;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Separator,
    Lower,
    Upper,
    Digit,
    /// The first byte of a multi-byte character that is not a letter; its continuation bytes are skipped.
    Symbol,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Separator; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            0xC2 | 0xE2 => Class::Symbol,
            b'a'..=b'z' | 0x80..=0xFF => Class::Lower,
            _ => Class::Separator,
        };
        byte += 1;
    }
    classes
}

fn class_at(text: &[u8], at: usize) -> Class {
    text.get(at).map_or(Class::Separator, |&byte| CLASSES[byte as usize])
}

/// The first offset from `at` on that is not of the class.
fn end_of_run(text: &[u8], mut at: usize, class: Class) -> usize {
    while at < text.len() && CLASSES[text[at] as usize] == class {
        at += 1;
    }
    at
}

/// The end of the word that begins with a run of capitals at `at`.
///
/// `HTTPServer` is `HTTP` and `Server`, `URLs` is one word, `Word` begins with its capital.
fn end_of_capitals(text: &[u8], at: usize) -> usize {
    let end = end_of_run(text, at, Class::Upper);
    if class_at(text, end) != Class::Lower {
        return end;
    }
    if end - at == 1 {
        return end_of_run(text, end, Class::Lower);
    }
    if text[end] == b's' && class_at(text, end + 1) != Class::Lower { end + 1 } else { end - 1 }
}

/// Calls `take` with every word of the text, in lower case, in order.
pub(crate) fn for_each_word(text: &[u8], mut take: impl FnMut(&[u8])) {
    let mut lower = [0; MAX_WORD];
    let mut at = 0;
    while at < text.len() {
        let end = match CLASSES[text[at] as usize] {
            Class::Separator => {
                at += 1;
                continue;
            }
            Class::Symbol => {
                at += 1;
                while at < text.len() && matches!(text[at], 0x80..=0xBF) {
                    at += 1;
                }
                continue;
            }
            Class::Upper => end_of_capitals(text, at),
            class => end_of_run(text, at, class),
        };
        let word = &text[at..end];
        if let Some(copy) = lower.get_mut(..word.len()) {
            for (to, from) in copy.iter_mut().zip(word) {
                *to = from.to_ascii_lowercase();
            }
            take(copy);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::for_each_word;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_word(text.as_bytes(), |word| found.push(String::from_utf8_lossy(word).into_owned()));
        found
    }

    #[test]
    fn identifiers_split_at_case_and_digit_boundaries() {
        assert_eq!(
            words("getHTTPServer parse_json2xml"),
            ["get", "http", "server", "parse", "json", "2", "xml"]
        );
        assert_eq!(words("URLs IDsOf ABCsx Bs"), ["urls", "ids", "of", "ab", "csx", "bs"]);
    }

    #[test]
    fn other_alphabets_are_letters_and_symbols_are_separators() {
        assert_eq!(words("naïve—“東京” ©2020"), ["naïve", "東京", "2020"]);
    }

    #[test]
    fn overlong_runs_are_ignored() {
        assert_eq!(
            words(&format!("{} ok {}", "a".repeat(41), "b".repeat(40))),
            ["ok".to_owned(), "b".repeat(40)]
        );
    }
}
