//! Splits source and queries into terms, by the same rules for both.
//!
//! An identifier is a run of letters, digits, underscores and dollar signs. It yields its parts in lower case, each reduced to
//! its stem, and the whole identifier if it has several parts.
//!
//! Example: `getHTTPServer(x, 2)` yields `get`, `http`, `server` and `gethttpserver`. Single letters and digits are dropped.
//!
//! Chinese, Japanese and Korean have no spaces between words, or particles at the end of words. They yield pairs of neighbouring characters,
//! so that any word is found wherever it begins: `连接超时` yields `连接`, `接超` and `超时`.

use super::stemmer::stem;

/// The version of the tokenizer. Increment it whenever a text may yield different terms.
pub const TERMS_VERSION: u32 = 2;

/// Longer identifiers are encoded data, not words.
const MAX_LENGTH: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Separator,
    Lower,
    Upper,
    Digit,
    Connector,
}

const CLASSES: [CharClass; 256] = classes();

const fn classes() -> [CharClass; 256] {
    let mut classes = [CharClass::Separator; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => CharClass::Upper,
            b'0'..=b'9' => CharClass::Digit,
            b'_' | b'$' => CharClass::Connector,
            b'a'..=b'z' | 0x80..=0xFF => CharClass::Lower,
            _ => CharClass::Separator,
        };
        byte += 1;
    }
    classes
}

#[inline]
fn class(text: &[u8], at: usize) -> CharClass {
    text.get(at).map_or(CharClass::Separator, |&byte| CLASSES[byte as usize])
}

/// The 32-bit hash that identifies a term: FNV-1a with a final mix.
pub fn term_hash(term: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in term {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // FNV-1a distributes the low bits of short words badly, so mix in the high bits.
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 32) as u32
}

/// Passes every term of a text to `take`, in order: the parts of each identifier, then the whole identifier if it has several
/// parts. The second argument says whether the term is a whole identifier.
pub fn for_each_term(text: &[u8], mut take: impl FnMut(&[u8], bool)) {
    for_each_identifier(text, |run| match std::str::from_utf8(run) {
        Ok(run) if !run.is_ascii() => unicode_terms(run, &mut take),
        _ if run.len() <= MAX_LENGTH => identifier(run, &mut take),
        _ => {}
    });
}

/// Whether a character belongs to a script that is split to pairs of characters.
fn is_cjk(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' // kana
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '々' // Han
        | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7A3}') // Hangul
}

/// What a character outside of ASCII is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnicodeClass {
    Separator,
    Identifier,
    Cjk,
}

fn unicode_class(letter: char) -> UnicodeClass {
    if is_cjk(letter) {
        UnicodeClass::Cjk
    } else if letter.is_alphanumeric() || matches!(letter, '_' | '$' | '\u{0300}'..='\u{036F}') {
        UnicodeClass::Identifier
    } else {
        UnicodeClass::Separator
    }
}

/// The terms of a run with characters outside of ASCII. Punctuation of other scripts separates.
fn unicode_terms(run: &str, take: &mut impl FnMut(&[u8], bool)) {
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let class = unicode_class(first);
        let length = rest.find(|letter: char| unicode_class(letter) != class).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(length);
        match class {
            UnicodeClass::Separator => {}
            UnicodeClass::Cjk => pairs(part, take),
            UnicodeClass::Identifier if part.is_ascii() => {
                if part.len() <= MAX_LENGTH {
                    identifier(part.as_bytes(), take);
                }
            }
            UnicodeClass::Identifier => {
                let lower = |letter: char| if letter.is_ascii() { letter } else { simple_lowercase(letter) };
                let folded: String = part.chars().map(lower).collect();
                if folded.len() <= MAX_LENGTH {
                    identifier(folded.as_bytes(), take);
                }
            }
        }
        rest = behind;
    }
}

/// The lower case of a character, if it is one character.
fn simple_lowercase(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

/// The pairs of neighbouring characters; a single character is a term of its own.
fn pairs(text: &str, take: &mut impl FnMut(&[u8], bool)) {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if starts.len() == 2 {
        return take(text.as_bytes(), false);
    }
    for three in starts.windows(3) {
        take(&text.as_bytes()[three[0]..three[2]], false);
    }
}

/// Passes every identifier of a text to `see`, in order, whatever its length.
#[inline]
pub fn for_each_identifier(text: &[u8], mut see: impl FnMut(&[u8])) {
    let mut at = 0;
    while at < text.len() {
        if CLASSES[text[at] as usize] == CharClass::Separator {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while class(text, end) != CharClass::Separator {
            end += 1;
        }
        see(&text[at..end]);
        at = end;
    }
}

/// Passes every part of every identifier to `take`, in lower case but not stemmed.
pub fn for_each_word(text: &[u8], mut take: impl FnMut(&[u8])) {
    let mut at = 0;
    while at < text.len() {
        match CLASSES[text[at] as usize] {
            CharClass::Separator | CharClass::Connector => at += 1,
            _ => {
                let end = end_of_part(text, at);
                let mut lower = [0; MAX_LENGTH];
                if let Some(copy) = lower.get_mut(..end - at) {
                    lowercase(&text[at..end], copy);
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
    let mut lower = [0; MAX_LENGTH];
    let lower = &mut lower[..text.len()];
    lowercase(text, lower);
    let (mut at, mut parts) = (0, 0);
    while at < text.len() {
        if CLASSES[text[at] as usize] == CharClass::Connector {
            at += 1;
            continue;
        }
        let end = end_of_part(text, at);
        parts += 1;
        // Single letters and digits carry no information.
        if end - at > 1 {
            let mut part = [0; MAX_LENGTH];
            let part = &mut part[..end - at];
            part.copy_from_slice(&lower[at..end]);
            take(stem(part), false);
        }
        at = end;
    }
    if parts > 1 {
        let start =
            lower.iter().position(|&byte| CLASSES[byte as usize] != CharClass::Connector).unwrap_or(0);
        let end = lower
            .iter()
            .rposition(|&byte| CLASSES[byte as usize] != CharClass::Connector)
            .map_or(0, |at| at + 1);
        take(&lower[start..end], true);
    }
}

fn lowercase(from: &[u8], to: &mut [u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = from.to_ascii_lowercase();
    }
}

/// The end of the identifier part that begins at `at`.
fn end_of_part(text: &[u8], at: usize) -> usize {
    let run = |mut at: usize, wanted: CharClass| {
        while class(text, at) == wanted {
            at += 1;
        }
        at
    };
    match class(text, at) {
        CharClass::Upper => {
            let end = run(at, CharClass::Upper);
            if class(text, end) != CharClass::Lower {
                end
            } else if end - at == 1 {
                run(end, CharClass::Lower)
            } else if text[end] == b's' && class(text, end + 1) != CharClass::Lower {
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
    fn an_identifier_yields_its_parts_and_itself() {
        assert_eq!(terms("getHTTPServer(x, 2)"), ["get", "http", "server", "=gethttpserver"]);
        assert_eq!(terms("__init__ MAX_SIZE"), ["init", "max", "siz", "=max_size"]);
        assert_eq!(terms("naïve 東京"), ["naïve", "東京"]);
    }

    #[test]
    fn scripts_without_spaces_yield_pairs_of_characters() {
        assert_eq!(terms("// 连接超时，重试。"), ["连接", "接超", "超时", "重试"]);
        assert_eq!(terms("設定ファイル"), ["設定", "定フ", "ファ", "ァイ", "イル"]);
        assert_eq!(terms("파일을 읽"), ["파일", "일을", "읽"]);
        assert_eq!(terms("解析parseURL的结果"), ["解析", "pars", "url", "=parseurl", "的结", "结果"]);
        let long = "长".repeat(40);
        assert_eq!(terms(&long).len(), 39, "sentences have no maximum length");
    }

    #[test]
    fn letters_of_other_alphabets_have_one_case_and_their_punctuation_separates() {
        assert_eq!(terms("Ошибка «ЧТЕНИЯ»"), ["ошибка", "чтения"]);
        assert_eq!(terms("Größe—Länge “quoted”"), ["größe", "länge", "quot"]);
    }

    #[test]
    fn plain_words_are_not_stemmed() {
        assert_eq!(plain_words("how parseURLs retries"), ["how", "parse", "urls", "retries"]);
    }

    #[test]
    fn the_stored_hash_of_a_term_does_not_change() {
        assert_eq!(term_hash(b"server"), 790_176_296, "increment TERMS_VERSION when the hash changes");
    }
}
