//! What words mean to ranked search: the terms and the tokens of each identifier, remembered from one file to the next.
//!
//! A repository uses few different words, each many times. Splitting one, taking its stem and cutting it into tokens costs
//! many times what finding it here does.

use orient_embed::{BuiltIn, SegmentationCache};
use orient_text::{for_each_identifier, for_each_term, term_hash};
use std::sync::{Mutex, PoisonError};

/// How many words are remembered: one megabyte.
const WORDS: usize = 1 << 14;
/// Longer words, those of more parts and those of more pieces are rare: they are taken apart each time.
const LENGTH: usize = 24;
const TERMS: usize = 5;
const TOKENS: usize = 8;

/// Lexicons that are not in use. There are never more than were in use at once.
static SPARE: Mutex<Vec<Lexicon>> = Mutex::new(Vec::new());

/// Remembers words. Each has one place; the later one takes it. So memory is bounded, and what is remembered never
/// changes an answer.
#[derive(Default)]
pub(crate) struct Lexicon {
    words: Vec<Word>,
    cuts: SegmentationCache,
    terms: Vec<u32>,
    tokens: Vec<u16>,
}

/// A word and what it means; fills a line of the processor's cache.
#[derive(Clone, Default)]
#[repr(align(64))]
struct Word {
    key: Key,
    terms: [u32; TERMS],
    tokens: [u16; TOKENS],
    term_count: u8,
    token_count: u8,
}

impl Lexicon {
    /// Lends a lexicon.
    pub(crate) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let spare = || SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lexicon = spare().pop().unwrap_or_default();
        let done = work(&mut lexicon);
        spare().push(lexicon);
        done
    }

    /// Shows the terms and the tokens of every word of a text, in order. Tokens are those of the text with what is no
    /// UTF-8 replaced.
    pub(crate) fn read(&mut self, text: &[u8], mut see: impl FnMut(&[u32], &[u16])) {
        if self.words.is_empty() {
            self.words = vec![Word::default(); WORDS];
        }
        for_each_identifier(text, |word| {
            let Some(key) = Key::of(word) else {
                self.take_apart(word);
                return see(&self.terms, &self.tokens);
            };
            let place = key.place();
            if !self.words[place].key.is(key) {
                self.take_apart(word);
                if !self.words[place].keep(key, &self.terms, &self.tokens) {
                    return see(&self.terms, &self.tokens);
                }
            }
            let found = &self.words[place];
            see(&found.terms[..found.term_count.into()], &found.tokens[..found.token_count.into()]);
        });
    }

    fn take_apart(&mut self, word: &[u8]) {
        let Self { cuts, terms, tokens, .. } = self;
        terms.clear();
        tokens.clear();
        for_each_term(word, |term, _| terms.push(term_hash(term)));
        BuiltIn::shared().tokens(String::from_utf8_lossy(word).as_bytes(), cuts, |token| tokens.push(token));
    }
}

impl Word {
    /// Becomes another word, if that has room.
    fn keep(&mut self, key: Key, terms: &[u32], tokens: &[u16]) -> bool {
        if terms.len() > TERMS || tokens.len() > TOKENS {
            return false;
        }
        self.key = key;
        self.terms[..terms.len()].copy_from_slice(terms);
        self.tokens[..tokens.len()].copy_from_slice(tokens);
        (self.term_count, self.token_count) = (terms.len() as u8, tokens.len() as u8);
        true
    }
}

/// The letters of a word and zeros behind them, which no word has: numbers are compared faster than letters.
#[derive(Clone, Copy, Default)]
struct Key(u64, u64, u64);

impl Key {
    /// None for what is too long.
    #[inline]
    fn of(word: &[u8]) -> Option<Self> {
        match word.len() {
            0..=8 => Some(Self(number(word), 0, 0)),
            9..=16 => Some(Self(number(&word[..8]), number(&word[8..]), 0)),
            17..=LENGTH => Some(Self(number(&word[..8]), number(&word[8..16]), number(&word[16..]))),
            _ => None,
        }
    }

    /// Without a branch for each part.
    #[inline]
    fn is(self, other: Self) -> bool {
        (self.0 ^ other.0) | (self.1 ^ other.1) | (self.2 ^ other.2) == 0
    }

    #[inline]
    fn place(self) -> usize {
        let mixed = self.0 ^ self.1.rotate_left(23) ^ self.2.rotate_left(46);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % WORDS
    }
}

/// Up to eight letters as one number, without a loop over them: of fewer the reads overlap.
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

    /// The terms and the tokens of a text without a memory of words.
    fn plain(text: &[u8]) -> (Vec<u32>, Vec<u16>) {
        let (mut terms, mut tokens) = (Vec::new(), Vec::new());
        for_each_term(text, |term, _| terms.push(term_hash(term)));
        let text = String::from_utf8_lossy(text);
        BuiltIn::shared()
            .tokens(text.as_bytes(), &mut SegmentationCache::default(), |token| tokens.push(token));
        (terms, tokens)
    }

    fn read(lexicon: &mut Lexicon, text: &[u8]) -> (Vec<u32>, Vec<u16>) {
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
        fn what_is_remembered_changes_no_word(pieces in prop::collection::vec(piece(), 0..30)) {
            let text = pieces.join(&b" "[..]);
            let (mut lexicon, expected) = (Lexicon::default(), plain(&text));
            prop_assert_eq!(read(&mut lexicon, &text), expected.clone());
            prop_assert_eq!(read(&mut lexicon, &text), expected, "remembered");
            let joined = pieces.concat();
            prop_assert_eq!(read(&mut lexicon, &joined), plain(&joined));
        }
    }

    #[test]
    fn words_with_one_place_take_it_from_each_other() {
        let words: Vec<String> = (0..3 * WORDS).map(|number| format!("word{number}")).collect();
        let text = words.join(" ");
        let mut lexicon = Lexicon::default();
        assert_eq!(read(&mut lexicon, text.as_bytes()), plain(text.as_bytes()));
        assert_eq!(read(&mut lexicon, text.as_bytes()), plain(text.as_bytes()));
    }
}
