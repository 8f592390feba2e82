//! A light stemmer: maps the inflected forms of a word to one stem.
//!
//! It removes plural endings, `-ing`, `-ed` and a final `e`. A stem need not be a word; it only has to be the same for all
//! forms. Example: `retry`, `retries`, `retried` and `retrying` all become `retri`.

/// The minimum length of a stem.
const MIN_STEM: usize = 3;

/// Stems a lower-case word in place.
pub(crate) fn stem(word: &mut [u8]) -> &[u8] {
    if word.len() <= MIN_STEM || !word.is_ascii() || word.iter().any(u8::is_ascii_digit) {
        return word;
    }
    let mut length = word.len();
    length = plural(word, length);
    length = verb(word, length);
    if length > MIN_STEM && word[length - 1] == b'e' {
        length -= 1;
    }
    if length > MIN_STEM && word[length - 1] == b'y' && !is_vowel(word[length - 2]) {
        word[length - 1] = b'i';
    }
    &word[..length]
}

fn plural(word: &mut [u8], length: usize) -> usize {
    let text = &word[..length];
    if text.ends_with(b"ies") && length > 4 {
        // The same stem as that of a final `y`.
        return length - 2;
    }
    if text.ends_with(b"sses") || text.ends_with(b"xes") || text.ends_with(b"ches") || text.ends_with(b"shes")
    {
        return length - 2;
    }
    let kept = text.ends_with(b"ss") || text.ends_with(b"us") || text.ends_with(b"is");
    if text.ends_with(b"s") && !kept { length - 1 } else { length }
}

fn verb(word: &mut [u8], length: usize) -> usize {
    for ending in [&b"ing"[..], b"ed"] {
        let Some(rest) = word[..length].strip_suffix(ending) else { continue };
        if rest.len() < MIN_STEM || !rest.iter().any(|&byte| is_vowel(byte)) {
            continue;
        }
        if rest.ends_with(b"i") && ending == b"ed" {
            return rest.len();
        }
        let [.., before, last] = rest else { continue };
        // `stopping` becomes `stop`, but `calling` becomes `call`.
        let doubled = before == last && !matches!(last, b'l' | b's' | b'z' | b'e');
        return rest.len() - usize::from(doubled && rest.len() > MIN_STEM);
    }
    length
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::stem;

    fn same(words: &[&str]) {
        let stems: Vec<String> = words
            .iter()
            .map(|word| String::from_utf8_lossy(stem(&mut word.as_bytes().to_vec())).into_owned())
            .collect();
        assert!(stems.iter().all(|one| *one == stems[0]), "{words:?}: {stems:?}");
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        same(&["retry", "retries", "retried", "retrying"]);
        same(&["parse", "parses", "parsed", "parsing"]);
        same(&["stop", "stops", "stopped", "stopping"]);
        same(&["call", "calls", "called", "calling"]);
        same(&["process", "processes", "processed", "processing"]);
        same(&["cache", "caches", "cached", "caching"]);
        same(&["match", "matches", "matched", "matching"]);
        same(&["box", "boxes"]);
        same(&["queue", "queues", "queued"]);
    }

    #[test]
    fn other_words_keep_apart() {
        let of = |word: &str| String::from_utf8_lossy(stem(&mut word.as_bytes().to_vec())).into_owned();
        for (one, other) in
            [("string", "str"), ("bus", "bu"), ("status", "statu"), ("thing", "th"), ("sed", "s")]
        {
            assert_ne!(of(one), of(other), "{one} {other}");
        }
        assert_eq!(of("naïves"), "naïves");
    }
}
