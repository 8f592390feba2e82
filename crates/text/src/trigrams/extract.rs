//! Extracts the trigrams of a text: every three consecutive bytes within a line, after case folding.

use super::case_folding;
use crate::error::TextError;
use crate::postings::{put_varint, take_varint};

/// The number of possible trigrams.
const POSSIBLE: usize = 1 << 24;

/// A text with more distinct trigrams than this, and more than one per [`BYTES_PER_TRIGRAM`] bytes, is not indexed.
const MAX_HIGH_ENTROPY: usize = 1 << 15;
const BYTES_PER_TRIGRAM: usize = 4;

/// The distinct trigrams of one text, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trigrams(pub(crate) Vec<u32>);

impl Trigrams {
    /// Their number.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The trigrams as numbers: three bytes each.
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether these are the trigrams of high-entropy data such as a font or a picture. Storing them would cost more than the
    /// text itself and save less than reading it. `length` is the length of the text.
    pub fn are_high_entropy(&self, length: usize) -> bool {
        self.0.len() > MAX_HIGH_ENTROPY && self.0.len() * BYTES_PER_TRIGRAM > length
    }

    /// Encodes them as varints of the differences between sorted trigrams.
    pub fn encode(&self) -> Vec<u8> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let mut bytes = Vec::with_capacity(sorted.len() * 2);
        let mut last = 0;
        for trigram in sorted {
            put_varint(&mut bytes, trigram - last);
            last = trigram;
        }
        bytes
    }

    /// Decodes trigrams; they are sorted.
    pub fn decode(bytes: &[u8]) -> Result<Self, TextError> {
        let (mut rest, mut last, mut trigrams) = (bytes, 0_u32, Vec::with_capacity(bytes.len()));
        while !rest.is_empty() {
            let more = take_varint(&mut rest)?;
            let trigram = last.checked_add(more).filter(|&trigram| (trigram as usize) < POSSIBLE);
            last = trigram.ok_or(TextError("a trigram is out of bounds"))?;
            trigrams.push(last);
        }
        Ok(Self(trigrams))
    }
}

/// Extracts trigrams. Holds a bit set of 2 MB; create one per thread.
pub struct TrigramExtractor {
    seen: Vec<u64>,
}

impl Default for TrigramExtractor {
    fn default() -> Self {
        Self { seen: vec![0; POSSIBLE / 64] }
    }
}

impl TrigramExtractor {
    /// The distinct trigrams of a text, without those across a line break: few patterns could use them, and every line would
    /// add some.
    pub fn trigrams(&mut self, text: &[u8]) -> Trigrams {
        let mut found = Vec::with_capacity((text.len() / 4).clamp(16, 4096));
        let (mut trigram, mut length) = (0_u32, 0_u32);
        case_folding::for_each_byte(text, |byte| {
            if byte == b'\n' {
                length = 0;
                return;
            }
            trigram = (trigram << 8 | u32::from(byte)) & 0x00ff_ffff;
            length += 1;
            if length >= 3 {
                let (word, bit) = (&mut self.seen[trigram as usize / 64], 1 << (trigram % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    found.push(trigram);
                }
            }
        });
        for trigram in &found {
            self.seen[*trigram as usize / 64] = 0;
        }
        Trigrams(found)
    }
}

/// The trigrams of a short string that is already case-folded.
pub(crate) fn of_folded(string: &[u8]) -> impl Iterator<Item = u32> {
    string
        .windows(3)
        .filter(|three| !three.contains(&b'\n'))
        .map(|three| u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let mut trigrams = TrigramExtractor::default().trigrams(text.as_bytes()).0;
        trigrams.sort_unstable();
        let text = |trigram: &u32| String::from_utf8_lossy(&trigram.to_be_bytes()[1..]).into_owned();
        trigrams.iter().map(text).collect()
    }

    #[test]
    fn trigrams_are_distinct_folded_and_within_lines() {
        assert_eq!(shown("abAB\nabc"), ["aba", "abc", "bab"]);
        assert_eq!(shown("ab\ncd"), [""; 0]);
    }

    #[test]
    fn an_extractor_is_independent_of_earlier_texts() {
        let mut extractor = TrigramExtractor::default();
        let first = extractor.trigrams(b"some text");
        extractor.trigrams(b"other words");
        assert_eq!(extractor.trigrams(b"some text"), first);
    }

    #[test]
    fn high_entropy_data_is_recognised() {
        let mut state = 1_u64;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        let noise: Vec<u8> = (0..200_000).map(|_| byte()).collect();
        let text = "for each of these words there are many more like them\n".repeat(4000);
        let mut extractor = TrigramExtractor::default();
        assert!(extractor.trigrams(&noise).are_high_entropy(noise.len()));
        assert!(!extractor.trigrams(&noise[..20_000]).are_high_entropy(20_000), "small enough to index");
        assert!(!extractor.trigrams(text.as_bytes()).are_high_entropy(text.len()));
    }

    #[test]
    fn encoded_trigrams_round_trip() {
        let mut trigrams =
            TrigramExtractor::default().trigrams("fn größe(x: &str) -> usize { 0 }".as_bytes());
        let read = Trigrams::decode(&trigrams.encode());
        trigrams.0.sort_unstable();
        assert_eq!(read, Ok(trigrams));
        assert!(Trigrams::decode(&[0xff; 9]).is_err());
    }
}
