//! Unigram tokenisation: a word of the vocabulary is one token; any other is segmented at minimum cost (Viterbi).
//!
//! Example: with the pieces `de` (cost 3), `code` (2), `r` (2) and `coder` missing, `decoder` is segmented to `de code r`
//! at cost 7. A byte that no piece covers is skipped at a cost above that of any piece.

use crate::ModelError;
use crate::pretokenizer::MAX_WORD;

/// The cost of skipping a byte that no piece covers; higher than that of any piece.
const SKIP_COST: u32 = 4095;
/// Maximum length of a piece, in bytes. Training observes it too.
const MAX_PIECE: usize = 16;
const EMPTY: u16 = u16::MAX;

/// The pieces with their costs, and an open-addressing hash table to look them up.
#[derive(Debug)]
pub(crate) struct Vocabulary<'b> {
    slots: Vec<u16>,
    ends: Vec<u32>,
    pieces: &'b [u8],
    costs: Vec<u16>,
}

impl<'b> Vocabulary<'b> {
    /// Validates the tables of a model file.
    pub(crate) fn new(
        slots: Vec<u16>,
        ends: Vec<u32>,
        pieces: &'b [u8],
        costs: Vec<u16>,
    ) -> Result<Self, ModelError> {
        if !slots.len().is_power_of_two() || !slots.contains(&EMPTY) {
            return Err(ModelError::Damaged("the hash table has no free slot"));
        }
        if slots.iter().any(|&slot| slot != EMPTY && usize::from(slot) >= ends.len()) {
            return Err(ModelError::Damaged("the hash table contains unknown pieces"));
        }
        if !ends.is_sorted() || ends.last().map(|&end| end as usize) != Some(pieces.len()) {
            return Err(ModelError::Damaged("the piece offsets are invalid"));
        }
        Ok(Self { slots, ends, pieces, costs })
    }

    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The token with exactly these bytes, given their [`hash`].
    pub(crate) fn find(&self, word: &[u8], hash: u32) -> Option<u16> {
        let mask = self.slots.len() - 1;
        let mut at = (hash ^ hash >> 15) as usize & mask;
        loop {
            let token = self.slots[at];
            if token == EMPTY {
                return None;
            }
            if self.piece(token) == word {
                return Some(token);
            }
            at = (at + 1) & mask;
        }
    }

    /// Segments a word that is not a token itself; calls `take` with each token from left to right.
    ///
    /// Among segmentations of equal cost the one with the longer last piece wins, as in training: of the pieces that end at
    /// the same offset, longer ones are tried first.
    pub(crate) fn segment(&self, word: &[u8], mut take: impl FnMut(u16)) {
        let mut best = [Step { cost: u32::MAX, begin: 0, token: EMPTY }; MAX_WORD + 1];
        best[0].cost = 0;
        for begin in 0..word.len() {
            let so_far = best[begin].cost;
            if so_far + SKIP_COST <= best[begin + 1].cost {
                best[begin + 1] = Step { cost: so_far + SKIP_COST, begin, token: EMPTY };
            }
            let mut hash = hash(&[]);
            for end in begin + 1..=word.len().min(begin + MAX_PIECE) {
                hash = hash_byte(hash, word[end - 1]);
                let Some(token) = self.find(&word[begin..end], hash) else { continue };
                let cost = so_far + u32::from(self.costs[usize::from(token)]);
                if cost < best[end].cost {
                    best[end] = Step { cost, begin, token };
                }
            }
        }
        let mut chosen = [EMPTY; MAX_WORD];
        let (mut end, mut count) = (word.len(), 0);
        while end > 0 {
            chosen[count] = best[end].token;
            count += 1;
            end = best[end].begin;
        }
        chosen[..count].iter().rev().filter(|&&token| token != EMPTY).for_each(|&token| take(token));
    }

    fn piece(&self, token: u16) -> &[u8] {
        let token = usize::from(token);
        let begin = if token == 0 { 0 } else { self.ends[token - 1] as usize };
        &self.pieces[begin..self.ends[token] as usize]
    }
}

/// The cheapest segmentation of a prefix: its cost, the start of its last piece, and that piece.
#[derive(Clone, Copy)]
struct Step {
    cost: u32,
    begin: usize,
    token: u16,
}

/// FNV-1a, which is fast on short words.
pub(crate) fn hash(word: &[u8]) -> u32 {
    word.iter().fold(0x811C_9DC5, |hash, &byte| hash_byte(hash, byte))
}

fn hash_byte(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}
