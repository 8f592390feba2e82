//! A direct-mapped cache of the terms and tokens of identifiers.
//!
//! A repository uses few distinct words, each many times. Splitting, stemming and tokenising a word costs many times
//! a lookup here.

use orient_embed::{BuiltIn, SegmentationCache};
use orient_text::{for_each_identifier, for_each_term, term_hash};
use std::sync::{Mutex, PoisonError};

/// Number of slots: one megabyte.
const SLOTS: usize = 1 << 14;
/// Words that are longer, or have more terms or tokens, are rare and are not cached.
const MAX_WORD_BYTES: usize = 24;
const MAX_TERMS: usize = 5;
const MAX_TOKENS: usize = 8;

/// Caches that no thread uses. There are never more than were in use at once.
static IDLE_CACHES: Mutex<Vec<WordCache>> = Mutex::new(Vec::new());

/// Caches words. Each word has one slot, and a later word replaces an earlier one: memory is bounded, and the cache
/// never changes a result.
#[derive(Default)]
pub(crate) struct WordCache {
    words: Vec<CachedWord>,
    segmentation: SegmentationCache,
    terms: Vec<u32>,
    tokens: Vec<u16>,
}

/// A word with its terms and tokens; fills a CPU cache line.
#[derive(Clone, Default)]
#[repr(align(64))]
struct CachedWord {
    key: WordKey,
    terms: [u32; MAX_TERMS],
    tokens: [u16; MAX_TOKENS],
    term_count: u8,
    token_count: u8,
}

impl WordCache {
    /// Lends a cache to `work`.
    pub(crate) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let spare = || IDLE_CACHES.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lexicon = spare().pop().unwrap_or_default();
        let done = work(&mut lexicon);
        spare().push(lexicon);
        done
    }

    /// Calls `see` with the terms and tokens of every word of a text, in order. Invalid UTF-8 is replaced before
    /// tokenising.
    pub(crate) fn read(&mut self, text: &[u8], mut see: impl FnMut(&[u32], &[u16])) {
        if self.words.is_empty() {
            self.words = vec![CachedWord::default(); SLOTS];
        }
        for_each_identifier(text, |word| {
            let Some(key) = WordKey::of(word) else {
                self.analyse(word);
                return see(&self.terms, &self.tokens);
            };
            let slot = key.slot();
            if !self.words[slot].key.is(key) {
                self.analyse(word);
                if !self.words[slot].keep(key, &self.terms, &self.tokens) {
                    return see(&self.terms, &self.tokens);
                }
            }
            let found = &self.words[slot];
            see(&found.terms[..found.term_count.into()], &found.tokens[..found.token_count.into()]);
        });
    }

    fn analyse(&mut self, word: &[u8]) {
        let Self { segmentation, terms, tokens, .. } = self;
        terms.clear();
        tokens.clear();
        for_each_term(word, |term, _| terms.push(term_hash(term)));
        BuiltIn::shared()
            .tokens(String::from_utf8_lossy(word).as_bytes(), segmentation, |token| tokens.push(token));
    }
}

impl CachedWord {
    /// Replaces the slot's word, if the new one fits.
    fn keep(&mut self, key: WordKey, terms: &[u32], tokens: &[u16]) -> bool {
        if terms.len() > MAX_TERMS || tokens.len() > MAX_TOKENS {
            return false;
        }
        self.key = key;
        self.terms[..terms.len()].copy_from_slice(terms);
        self.tokens[..tokens.len()].copy_from_slice(tokens);
        (self.term_count, self.token_count) = (terms.len() as u8, tokens.len() as u8);
        true
    }
}

/// The bytes of a word, padded with zeros, which no word contains: integer comparison is faster than byte comparison.
#[derive(Clone, Copy, Default)]
struct WordKey(u64, u64, u64);

impl WordKey {
    /// `None` if the word is too long.
    #[inline]
    fn of(word: &[u8]) -> Option<Self> {
        match word.len() {
            0..=8 => Some(Self(number(word), 0, 0)),
            9..=16 => Some(Self(number(&word[..8]), number(&word[8..]), 0)),
            17..=MAX_WORD_BYTES => Some(Self(number(&word[..8]), number(&word[8..16]), number(&word[16..]))),
            _ => None,
        }
    }

    /// Branch-free comparison.
    #[inline]
    fn is(self, other: Self) -> bool {
        (self.0 ^ other.0) | (self.1 ^ other.1) | (self.2 ^ other.2) == 0
    }

    #[inline]
    fn slot(self) -> usize {
        let mixed = self.0 ^ self.1.rotate_left(23) ^ self.2.rotate_left(46);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % SLOTS
    }
}

/// Up to eight bytes as one integer, without a loop: for fewer than eight bytes the reads overlap.
#[inline]
fn number(letters: &[u8]) -> u64 {
    let count = letters.len();
    let half = |at: usize| letters[at..].first_chunk().map_or(0, |four| u64::from(u32::from_le_bytes(*four)));
    let letter = |at: usize| u64::from(letters[at]) << (8 * at);
    match count {
        0 => 0,
        1..4 => letter(0) | letter(count / 2) | letter(count - 1),
        _ => half(0) | half(count - 4) << (8 * (count - 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The terms and tokens of a text without the cache.
    fn plain(text: &[u8]) -> (Vec<u32>, Vec<u16>) {
        let (mut terms, mut tokens) = (Vec::new(), Vec::new());
        for_each_term(text, |term, _| terms.push(term_hash(term)));
        let text = String::from_utf8_lossy(text);
        BuiltIn::shared()
            .tokens(text.as_bytes(), &mut SegmentationCache::default(), |token| tokens.push(token));
        (terms, tokens)
    }

    fn read(lexicon: &mut WordCache, text: &[u8]) -> (Vec<u32>, Vec<u16>) {
        let (mut terms, mut tokens) = (Vec::new(), Vec::new());
        lexicon.read(text, |some, others| {
            terms.extend_from_slice(some);
            tokens.extend_from_slice(others);
        });
        (terms, tokens)
    }

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            "[a-zA-Z_$][a-zA-Z0-9_$]{0,40}".prop_map(String::into_bytes),
            "[ -~]{0,20}".prop_map(String::into_bytes),
            "\\PC{0,8}".prop_map(String::into_bytes),
            prop::collection::vec(any::<u8>(), 0..12),
        ]
    }

    proptest! {
        #[test]
        fn the_cache_never_changes_a_result(pieces in prop::collection::vec(piece(), 0..30)) {
            let text = pieces.join(&b" "[..]);
            let (mut lexicon, expected) = (WordCache::default(), plain(&text));
            prop_assert_eq!(read(&mut lexicon, &text), expected.clone());
            prop_assert_eq!(read(&mut lexicon, &text), expected, "remembered");
            let joined = pieces.concat();
            prop_assert_eq!(read(&mut lexicon, &joined), plain(&joined));
        }
    }

    #[test]
    fn words_that_share_a_slot_replace_each_other() {
        let words: Vec<String> = (0..3 * SLOTS).map(|number| format!("word{number}")).collect();
        let text = words.join(" ");
        let mut lexicon = WordCache::default();
        assert_eq!(read(&mut lexicon, text.as_bytes()), plain(text.as_bytes()));
        assert_eq!(read(&mut lexicon, text.as_bytes()), plain(text.as_bytes()));
    }
}
