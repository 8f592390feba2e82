//! The tokens of one text and how often each occurs. Kept between texts, because most of the work is in its memory.

use crate::vocabulary::{Vocabulary, hash};
use crate::words::{MAX_WORD, for_each_word};

/// Tokens of a text beyond this many different ones are left out. It bounds every sum.
const MAX_TOKENS: usize = 1024;
/// How many words the cache of cuts holds. Words that are tokens need no cache.
const CACHED_CUTS: usize = 16_384;
/// Longer words, and those of more pieces, are rare: they are cut each time.
const CACHED_WORD: usize = 26;
const CACHED_TOKENS: usize = 10;

/// Counts tokens, one text at a time.
#[derive(Debug)]
pub struct Bag {
    counts: Vec<u8>,
    tokens: Vec<u16>,
    most: u8,
}

impl Bag {
    /// A bag for a vocabulary, where counts above `most` are all the same.
    pub(crate) fn new(vocabulary: &Vocabulary<'_>, most: u8) -> Self {
        Self { counts: vec![0; vocabulary.len()], tokens: Vec::with_capacity(MAX_TOKENS), most }
    }

    /// Adds a token of the text at hand. One that no text of the same model has counts for nothing.
    #[inline]
    pub fn add(&mut self, token: u16) {
        let Some(count) = self.counts.get_mut(usize::from(token)) else { return };
        if *count == 0 {
            if self.tokens.len() == MAX_TOKENS {
                return;
            }
            self.tokens.push(token);
        }
        *count = (*count + 1).min(self.most);
    }

    /// Makes the bag empty.
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

/// Calls `take` with every token of a text, in order.
pub(crate) fn tokens_of(
    text: &[u8],
    vocabulary: &Vocabulary<'_>,
    cuts: &mut Cuts,
    mut take: impl FnMut(u16),
) {
    for_each_word(text, |word| {
        let hash = hash(word);
        match vocabulary.find(word, hash) {
            Some(token) => take(token),
            None => cuts.cut(word, hash, vocabulary, &mut take),
        }
    });
}

/// Remembers how words were cut. A word has one place; the later one takes it. So memory is bounded, and what is in the
/// cache never changes an answer.
#[derive(Debug, Default)]
pub struct Cuts {
    entries: Vec<Cut>,
}

#[derive(Clone, Debug)]
struct Cut {
    word: [u8; CACHED_WORD],
    length: u8,
    count: u8,
    tokens: [u16; CACHED_TOKENS],
}

impl Cuts {
    fn cut(&mut self, word: &[u8], hash: u32, vocabulary: &Vocabulary<'_>, take: &mut impl FnMut(u16)) {
        if word.len() > CACHED_WORD {
            return vocabulary.cut(word, take);
        }
        if self.entries.is_empty() {
            let none = Cut { word: [0; CACHED_WORD], length: 0, count: 0, tokens: [0; CACHED_TOKENS] };
            self.entries = vec![none; CACHED_CUTS];
        }
        let entry = &mut self.entries[(hash ^ hash >> 15) as usize % CACHED_CUTS];
        if entry.word[..usize::from(entry.length)] != *word {
            let (mut tokens, mut count) = ([0; MAX_WORD], 0);
            vocabulary.cut(word, |token| {
                tokens[count] = token;
                count += 1;
            });
            if count > CACHED_TOKENS {
                return tokens[..count].iter().copied().for_each(take);
            }
            entry.length = word.len() as u8;
            entry.word[..word.len()].copy_from_slice(word);
            entry.count = count as u8;
            entry.tokens.copy_from_slice(&tokens[..CACHED_TOKENS]);
        }
        entry.tokens[..usize::from(entry.count)].iter().copied().for_each(take);
    }
}

#[cfg(test)]
pub(crate) fn all_tokens(text: &str, vocabulary: &Vocabulary<'_>) -> Vec<u16> {
    let mut found = Vec::new();
    tokens_of(text.as_bytes(), vocabulary, &mut Cuts::default(), |token| found.push(token));
    found
}
