//! Words to tokens: a word of the vocabulary is one token, any other is cut into pieces at the least cost.

use crate::ModelError;
use crate::words::MAX_WORD;

/// A byte that no piece covers is left out at this cost: dearer than any piece.
const SKIP_COST: u32 = 4095;
/// No piece is longer. Training holds to it.
const MAX_PIECE: usize = 16;
const EMPTY: u16 = u16::MAX;

/// The pieces, where to find them by their bytes, and what each costs.
#[derive(Debug)]
pub(crate) struct Vocabulary<'b> {
    slots: Vec<u16>,
    ends: Vec<u32>,
    pieces: &'b [u8],
    costs: Vec<u16>,
}

impl<'b> Vocabulary<'b> {
    /// Puts the parts together, or says what about them cannot be.
    pub(crate) fn new(
        slots: Vec<u16>,
        ends: Vec<u32>,
        pieces: &'b [u8],
        costs: Vec<u16>,
    ) -> Result<Self, ModelError> {
        if !slots.len().is_power_of_two() || !slots.contains(&EMPTY) {
            return Err(ModelError::Damaged("its word table has no free slot"));
        }
        if slots.iter().any(|&slot| slot != EMPTY && usize::from(slot) >= ends.len()) {
            return Err(ModelError::Damaged("its word table names pieces that are not there"));
        }
        if !ends.is_sorted() || ends.last().map(|&end| end as usize) != Some(pieces.len()) {
            return Err(ModelError::Damaged("its pieces do not end where they should"));
        }
        Ok(Self { slots, ends, pieces, costs })
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The token that is exactly these bytes, whose [`hash`] is given.
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

    /// Cuts a word that is no token itself; calls `take` with each piece from left to right.
    ///
    /// Among cuts of equal cost the one with the longer last piece wins, as in training: of the pieces that end at some
    /// place, the longer ones are tried first.
    pub(crate) fn cut(&self, word: &[u8], mut take: impl FnMut(u16)) {
        let mut best = [Step { cost: u32::MAX, begin: 0, token: EMPTY }; MAX_WORD + 1];
        best[0].cost = 0;
        for begin in 0..word.len() {
            let so_far = best[begin].cost;
            if so_far + SKIP_COST <= best[begin + 1].cost {
                best[begin + 1] = Step { cost: so_far + SKIP_COST, begin, token: EMPTY };
            }
            let mut hash = hash(&[]);
            for end in begin + 1..=word.len().min(begin + MAX_PIECE) {
                hash = hash_more(hash, word[end - 1]);
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

/// The cheapest way to cut a word up to some place: where its last piece begins, and which it is.
#[derive(Clone, Copy)]
struct Step {
    cost: u32,
    begin: usize,
    token: u16,
}

/// FNV-1a: short words are hashed as fast as they are read.
pub(crate) fn hash(word: &[u8]) -> u32 {
    word.iter().fold(0x811C_9DC5, |hash, &byte| hash_more(hash, byte))
}

fn hash_more(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}
