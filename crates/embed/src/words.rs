//! Text to words. `training/orient_training/words.py` does the same, byte for byte; the vectors exported by training hold
//! them together.
//!
//! A word is a run of lower-case letters with at most one capital before it, a run of capitals (with a plural `s`), or a
//! run of digits. Bytes of other alphabets count as lower-case letters, so that no table of Unicode is needed; characters
//! that begin with the bytes C2 or E2 (quotes, dashes, arrows, signs) stand between words.

/// Longer runs are encoded data, not words.
pub(crate) const MAX_WORD: usize = 40;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Between,
    Lower,
    Upper,
    Digit,
    /// The first byte of a character that is no letter; what continues it is skipped with it.
    Sign,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Between; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            0xC2 | 0xE2 => Class::Sign,
            b'a'..=b'z' | 0x80..=0xFF => Class::Lower,
            _ => Class::Between,
        };
        byte += 1;
    }
    classes
}

fn class_at(text: &[u8], at: usize) -> Class {
    text.get(at).map_or(Class::Between, |&byte| CLASSES[byte as usize])
}

/// The first place from `at` on that is not of the class.
fn end_of_run(text: &[u8], mut at: usize, class: Class) -> usize {
    while at < text.len() && CLASSES[text[at] as usize] == class {
        at += 1;
    }
    at
}

/// A run of capitals from `at` on, and where the word in it ends.
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
            Class::Between => {
                at += 1;
                continue;
            }
            Class::Sign => {
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
    fn identifiers_are_split_where_a_reader_would() {
        assert_eq!(
            words("getHTTPServer parse_json2xml"),
            ["get", "http", "server", "parse", "json", "2", "xml"]
        );
        assert_eq!(words("URLs IDsOf ABCsx Bs"), ["urls", "ids", "of", "ab", "csx", "bs"]);
    }

    #[test]
    fn other_alphabets_are_letters_and_signs_are_not() {
        assert_eq!(words("naïve—“東京” ©2020"), ["naïve", "東京", "2020"]);
    }

    #[test]
    fn what_is_too_long_is_no_word() {
        assert_eq!(
            words(&format!("{} ok {}", "a".repeat(41), "b".repeat(40))),
            ["ok".to_owned(), "b".repeat(40)]
        );
    }
}
