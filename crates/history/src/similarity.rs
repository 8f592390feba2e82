//! Similarity of two contents, as git estimates it for renames: the share of bytes in spans that both contain.
//!
//! A content is cut into spans at line ends and after 64 bytes. Example: `a\nb\nb\n` has the span `a\n` once and `b\n`
//! twice; against `b\nc\nc\n` the common bytes are one `b\n`, two of six: a similarity of 0.33.

use crate::line_diff::is_binary;
use std::hash::{DefaultHasher, Hasher};

/// Maximum length of a span.
const MAX_SPAN: usize = 64;
/// The highest score, as in git: percentages would round too much.
pub(crate) const MAX_SCORE: u64 = 60_000;
/// The score from which two files are a rename.
pub(crate) const MIN_SCORE: u64 = MAX_SCORE / 2;
/// The score from which two files with the same unique name are a rename without further comparison.
pub(crate) const MIN_NAMESAKE_SCORE: u64 = MAX_SCORE * 3 / 4;

/// The spans of a content: the hash of each and the number of bytes in all its occurrences, by hash.
pub(crate) struct Spans {
    size: u64,
    counts: Vec<(u64, u32)>,
}

impl Spans {
    /// The spans of a content; `None` if there are more than `most`.
    pub(crate) fn new(content: &[u8], most: usize) -> Option<Self> {
        let is_text = !is_binary(content);
        let mut spans: Vec<(u64, u32)> = Vec::with_capacity((content.len() / 32 + 1).min(most));
        let mut hasher = DefaultHasher::new();
        let (mut span, mut length) = ([0; MAX_SPAN], 0);
        for (at, &byte) in content.iter().enumerate() {
            // Line ends of both systems are equal.
            if is_text && byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            span[length] = byte;
            length += 1;
            if length == MAX_SPAN || byte == b'\n' || at + 1 == content.len() {
                if spans.len() == most {
                    return None;
                }
                hasher.write(&span[..length]);
                spans.push((std::mem::take(&mut hasher).finish(), length as u32));
                length = 0;
            }
        }
        spans.sort_unstable();
        let mut counts: Vec<(u64, u32)> = Vec::with_capacity(spans.len());
        for (hash, bytes) in spans {
            match counts.last_mut() {
                Some(last) if last.0 == hash => last.1 += bytes,
                _ => counts.push((hash, bytes)),
            }
        }
        Some(Self { size: content.len() as u64, counts })
    }

    /// Number of different spans.
    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The similarity of two contents, up to [`MAX_SCORE`].
    pub(crate) fn score(&self, other: &Self) -> u64 {
        let max = self.size.max(other.size);
        if max == 0 {
            return 0;
        }
        let (mut common, mut at) = (0_u64, 0);
        for &(hash, bytes) in &self.counts {
            while other.counts.get(at).is_some_and(|span| span.0 < hash) {
                at += 1;
            }
            if let Some(span) = other.counts.get(at).filter(|span| span.0 == hash) {
                common += u64::from(bytes.min(span.1));
            }
        }
        common * MAX_SCORE / max
    }
}

/// Whether sizes alone rule out a rename.
pub(crate) fn sizes_differ_too_much(a: u64, b: u64) -> bool {
    a.max(b) * (MAX_SCORE - MIN_SCORE) < a.abs_diff(b) * MAX_SCORE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_is_the_share_of_common_bytes() {
        let spans = |content: &[u8]| Spans::new(content, 100).expect("few spans");
        let score = |a: &[u8], b: &[u8]| spans(a).score(&spans(b));
        assert_eq!(score(b"a\nb\nb\n", b"b\nc\nc\n"), MAX_SCORE / 3);
        assert_eq!(score(b"a\r\nb\r\n", b"a\nb\n"), MAX_SCORE * 4 / 6);
        assert_eq!(score(b"same\n", b"same\n"), MAX_SCORE);
        assert_eq!(score(b"", b""), 0);
        assert!(sizes_differ_too_much(10, 100) && !sizes_differ_too_much(50, 100));
    }
}
