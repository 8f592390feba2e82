//! Where words begin and end in source and in questions: the one rule for both sides.
//!
//! An identifier is a run of letters, digits and underscores. It gives its parts, each reduced to its stem, and, where
//! there are several, itself as a whole. Everything is in lower case.

use super::stemmer::stem;

/// Changes whenever the same text may give other terms.
pub const TERMS_VERSION: u32 = 1;

/// Longer runs are encoded data, not words.
const LONGEST: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Between,
    Lower,
    Upper,
    Digit,
    Joint,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Between; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' | b'$' => Class::Joint,
            b'a'..=b'z' | 0x80..=0xFF => Class::Lower,
            _ => Class::Between,
        };
        byte += 1;
    }
    classes
}

#[inline]
fn class(text: &[u8], at: usize) -> Class {
    text.get(at).map_or(Class::Between, |&byte| CLASSES[byte as usize])
}

/// The number that stands for a term.
pub fn term_number(term: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in term {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // The low bits of this hash are poor in short words; fold what the multiplication moved up.
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 32) as u32
}

/// Calls `take` with every term of the text, in order: the parts of each identifier, and it as a whole where it has
/// several. The second argument is whether it is a whole one.
pub fn for_each_term(text: &[u8], mut take: impl FnMut(&[u8], bool)) {
    for_each_identifier(text, |run| {
        if run.len() <= LONGEST {
            identifier(run, &mut take);
        }
    });
}

/// Calls `see` with every identifier of the text, in order, however long. The terms of a text are those of its identifiers.
#[inline]
pub fn for_each_identifier(text: &[u8], mut see: impl FnMut(&[u8])) {
    let mut at = 0;
    while at < text.len() {
        if CLASSES[text[at] as usize] == Class::Between {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while class(text, end) != Class::Between {
            end += 1;
        }
        see(&text[at..end]);
        at = end;
    }
}

/// Calls `take` with every part of every identifier of the text, in lower case but not reduced to its stem.
pub fn for_each_word(text: &[u8], mut take: impl FnMut(&[u8])) {
    let mut at = 0;
    while at < text.len() {
        match CLASSES[text[at] as usize] {
            Class::Between | Class::Joint => at += 1,
            _ => {
                let end = end_of_part(text, at);
                let mut lower = [0; LONGEST];
                if let Some(copy) = lower.get_mut(..end - at) {
                    lowered(&text[at..end], copy);
                    take(copy);
                }
                at = end;
            }
        }
    }
}

/// The words of a short text, in order.
pub fn plain_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text.as_bytes(), |word| words.push(String::from_utf8_lossy(word).into_owned()));
    words
}

fn identifier(text: &[u8], take: &mut impl FnMut(&[u8], bool)) {
    let mut lower = [0; LONGEST];
    let lower = &mut lower[..text.len()];
    lowered(text, lower);
    let (mut at, mut parts) = (0, 0);
    while at < text.len() {
        if CLASSES[text[at] as usize] == Class::Joint {
            at += 1;
            continue;
        }
        let end = end_of_part(text, at);
        parts += 1;
        // A single letter or digit says nothing.
        if end - at > 1 {
            let mut part = [0; LONGEST];
            let part = &mut part[..end - at];
            part.copy_from_slice(&lower[at..end]);
            take(stem(part), false);
        }
        at = end;
    }
    if parts > 1 {
        let start = lower.iter().position(|&byte| CLASSES[byte as usize] != Class::Joint).unwrap_or(0);
        let end =
            lower.iter().rposition(|&byte| CLASSES[byte as usize] != Class::Joint).map_or(0, |at| at + 1);
        take(&lower[start..end], true);
    }
}

fn lowered(from: &[u8], to: &mut [u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.to_ascii_lowercase();
    }
}

/// Where the part of an identifier ends that begins at `at`.
fn end_of_part(text: &[u8], at: usize) -> usize {
    let run = |mut at: usize, wanted: Class| {
        while class(text, at) == wanted {
            at += 1;
        }
        at
    };
    match class(text, at) {
        Class::Upper => {
            let end = run(at, Class::Upper);
            if class(text, end) != Class::Lower {
                end
            } else if end - at == 1 {
                run(end, Class::Lower)
            } else if text[end] == b's' && class(text, end + 1) != Class::Lower {
                // A plural: `URLs`.
                end + 1
            } else {
                end - 1
            }
        }
        of => run(at, of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_term(text.as_bytes(), |term, whole| {
            found.push(format!("{}{}", if whole { "=" } else { "" }, String::from_utf8_lossy(term)));
        });
        found
    }

    #[test]
    fn an_identifier_gives_its_parts_and_itself() {
        assert_eq!(terms("getHTTPServer(x, 2)"), ["get", "http", "server", "=gethttpserver"]);
        assert_eq!(terms("__init__ MAX_SIZE"), ["init", "max", "siz", "=max_size"]);
        assert_eq!(terms("naïve 東京"), ["naïve", "東京"]);
    }

    #[test]
    fn words_keep_their_endings() {
        assert_eq!(plain_words("how parseURLs retries"), ["how", "parse", "urls", "retries"]);
    }

    #[test]
    fn numbers_of_terms_are_kept_in_files() {
        assert_eq!(term_number(b"server"), 790_176_296, "whoever changes this raises TERMS_VERSION");
    }
}
