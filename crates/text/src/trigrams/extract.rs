//! The trigrams of a text: every three bytes that follow each other in its folded form, within a line.

use super::case_folding;
use crate::error::TextError;
use crate::postings::golomb_rice::{put_number, take_number};

/// How many trigrams there could be.
const POSSIBLE: usize = 1 << 24;

/// A text with more distinct trigrams than this, and more than one for every [`NOISE_LENGTH`] bytes, is noise.
const NOISE: usize = 1 << 15;
const NOISE_LENGTH: usize = 4;

/// The distinct trigrams of one text, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grams(pub(crate) Vec<u32>);

impl Grams {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text of that length with these trigrams is noise, as the bytes of a font or a picture are: keeping its
    /// trigrams would cost more than the text itself, and save less than reading it.
    pub fn are_noise(&self, length: usize) -> bool {
        self.0.len() > NOISE && self.0.len() * NOISE_LENGTH > length
    }

    /// A compact form of them.
    pub fn encode(&self) -> Vec<u8> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let mut bytes = Vec::with_capacity(sorted.len() * 2);
        let mut last = 0;
        for gram in sorted {
            put_number(&mut bytes, gram - last);
            last = gram;
        }
        bytes
    }

    /// The trigrams of the compact form, sorted.
    pub fn decode(bytes: &[u8]) -> Result<Self, TextError> {
        let (mut rest, mut last, mut grams) = (bytes, 0_u32, Vec::with_capacity(bytes.len()));
        while !rest.is_empty() {
            let more = take_number(&mut rest)?;
            let gram = last.checked_add(more).filter(|&gram| (gram as usize) < POSSIBLE);
            last = gram.ok_or(TextError("not a trigram"))?;
            grams.push(last);
        }
        Ok(Self(grams))
    }
}

/// Takes trigrams from texts. Keeps two megabytes of marks, so that it is made once for each thread.
pub struct Extractor {
    seen: Vec<u64>,
}

impl Default for Extractor {
    fn default() -> Self {
        Self { seen: vec![0; POSSIBLE / 64] }
    }
}

impl Extractor {
    /// The distinct trigrams of a text. Those that reach over the end of a line are left out: few patterns could use
    /// them, and every line would add some.
    pub fn grams(&mut self, text: &[u8]) -> Grams {
        let mut found = Vec::with_capacity((text.len() / 4).clamp(16, 4096));
        let (mut gram, mut length) = (0_u32, 0_u32);
        case_folding::each(text, |byte| {
            if byte == b'\n' {
                length = 0;
                return;
            }
            gram = (gram << 8 | u32::from(byte)) & 0x00ff_ffff;
            length += 1;
            if length >= 3 {
                let (word, bit) = (&mut self.seen[gram as usize / 64], 1 << (gram % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    found.push(gram);
                }
            }
        });
        for gram in &found {
            self.seen[*gram as usize / 64] = 0;
        }
        Grams(found)
    }
}

/// The trigrams of a short string that is folded already.
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
        let mut grams = Extractor::default().grams(text.as_bytes()).0;
        grams.sort_unstable();
        let text = |gram: &u32| String::from_utf8_lossy(&gram.to_be_bytes()[1..]).into_owned();
        grams.iter().map(text).collect()
    }

    #[test]
    fn each_once_folded_and_within_lines() {
        assert_eq!(shown("abAB\nabc"), ["aba", "abc", "bab"]);
        assert_eq!(shown("ab\ncd"), [""; 0]);
    }

    #[test]
    fn an_extractor_forgets() {
        let mut extractor = Extractor::default();
        let first = extractor.grams(b"some text");
        extractor.grams(b"other words");
        assert_eq!(extractor.grams(b"some text"), first);
    }

    #[test]
    fn noise_is_told_from_text() {
        let mut state = 1_u64;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        let noise: Vec<u8> = (0..200_000).map(|_| byte()).collect();
        let text = "for each of these words there are many more like them\n".repeat(4000);
        let mut extractor = Extractor::default();
        assert!(extractor.grams(&noise).are_noise(noise.len()));
        assert!(!extractor.grams(&noise[..20_000]).are_noise(20_000), "small enough to be kept");
        assert!(!extractor.grams(text.as_bytes()).are_noise(text.len()));
    }

    #[test]
    fn the_compact_form_reads_back() {
        let mut grams = Extractor::default().grams("fn größe(x: &str) -> usize { 0 }".as_bytes());
        let read = Grams::decode(&grams.encode());
        grams.0.sort_unstable();
        assert_eq!(read, Ok(grams));
        assert!(Grams::decode(&[0xff; 9]).is_err());
    }
}
