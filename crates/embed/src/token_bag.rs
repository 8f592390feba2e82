//! A bag of tokens: the distinct tokens of a text with their counts, reused between texts to avoid allocation.

use crate::pretokenizer::{MAX_WORD, for_each_word};
use crate::vocabulary::{Vocabulary, hash};

/// Maximum number of distinct tokens of a text; further ones are ignored. It bounds every sum.
const MAX_TOKENS: usize = 1024;
/// Number of slots of the segmentation cache. Words that are tokens need no segmentation.
const CACHE_SLOTS: usize = 16_384;
/// Maximum length of a cached word, in bytes. Longer words are rare.
const MAX_CACHED_WORD: usize = 26;
/// Maximum number of tokens of a cached word.
const MAX_CACHED_TOKENS: usize = 10;

/// Counts tokens, one text at a time.
#[derive(Debug)]
pub struct TokenBag {
    counts: Vec<u8>,
    tokens: Vec<u16>,
    max_count: u8,
}

impl TokenBag {
    /// An empty bag for a vocabulary; counts saturate at `max_count`.
    pub(crate) fn new(vocabulary: &Vocabulary<'_>, max_count: u8) -> Self {
        Self { counts: vec![0; vocabulary.len()], tokens: Vec::with_capacity(MAX_TOKENS), max_count }
    }

    /// Adds a token. Tokens outside the vocabulary are ignored.
    #[inline]
    pub fn add(&mut self, token: u16) {
        let Some(count) = self.counts.get_mut(usize::from(token)) else { return };
        if *count == 0 {
            if self.tokens.len() == MAX_TOKENS {
                return;
            }
            self.tokens.push(token);
        }
        *count = (*count + 1).min(self.max_count);
    }

    /// Empties the bag.
    pub(crate) fn clear(&mut self) {
        for token in self.tokens.drain(..) {
            self.counts[usize::from(token)] = 0;
        }
    }

    /// Each token once, with its count, in the order in which they first occur.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.tokens.iter().map(|&token| (usize::from(token), usize::from(self.counts[usize::from(token)])))
    }
}

/// Tokenises a text: calls `take` with every token, in order.
pub(crate) fn tokenize(
    text: &[u8],
    vocabulary: &Vocabulary<'_>,
    cache: &mut SegmentationCache,
    mut take: impl FnMut(u16),
) {
    for_each_word(text, |word| {
        let hash = hash(word);
        match vocabulary.find(word, hash) {
            Some(token) => take(token),
            None => cache.segment(word, hash, vocabulary, &mut take),
        }
    });
}

/// A direct-mapped cache of word segmentations: a new word evicts the one in its slot, so memory is bounded.
#[derive(Debug, Default)]
pub struct SegmentationCache {
    entries: Vec<Segmentation>,
}

#[derive(Clone, Debug)]
struct Segmentation {
    word: [u8; MAX_CACHED_WORD],
    length: u8,
    count: u8,
    tokens: [u16; MAX_CACHED_TOKENS],
}

impl SegmentationCache {
    fn segment(&mut self, word: &[u8], hash: u32, vocabulary: &Vocabulary<'_>, take: &mut impl FnMut(u16)) {
        if word.len() > MAX_CACHED_WORD {
            return vocabulary.segment(word, take);
        }
        if self.entries.is_empty() {
            let empty = Segmentation {
                word: [0; MAX_CACHED_WORD],
                length: 0,
                count: 0,
                tokens: [0; MAX_CACHED_TOKENS],
            };
            self.entries = vec![empty; CACHE_SLOTS];
        }
        let entry = &mut self.entries[(hash ^ hash >> 15) as usize % CACHE_SLOTS];
        if entry.word[..usize::from(entry.length)] != *word {
            let (mut tokens, mut count) = ([0; MAX_WORD], 0);
            vocabulary.segment(word, |token| {
                tokens[count] = token;
                count += 1;
            });
            if count > MAX_CACHED_TOKENS {
                return tokens[..count].iter().copied().for_each(take);
            }
            entry.length = word.len() as u8;
            entry.word[..word.len()].copy_from_slice(word);
            entry.count = count as u8;
            entry.tokens.copy_from_slice(&tokens[..MAX_CACHED_TOKENS]);
        }
        entry.tokens[..usize::from(entry.count)].iter().copied().for_each(take);
    }
}

#[cfg(test)]
pub(crate) fn all_tokens(text: &str, vocabulary: &Vocabulary<'_>) -> Vec<u16> {
    let mut found = Vec::new();
    tokenize(text.as_bytes(), vocabulary, &mut SegmentationCache::default(), |token| found.push(token));
    found
}
