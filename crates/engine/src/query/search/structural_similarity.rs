//! Structural similarity of source by token shingles: Jaccard similarity of multisets, with all names treated as
//! equal.
//!
//! Example: `log(a);` and `say(b);` both become the tokens `c(n);`, so they have the same shingles.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Number of tokens in a shingle.
const SHINGLE_TOKENS: usize = 5;
/// Prefixes of lines that are only comments.
const COMMENTS: [&[u8]; 6] = [b"//", b"#", b"--", b"*", b"/*", b"\"\"\""];

/// The number of occurrences of each shingle.
#[derive(Debug, Default)]
pub(super) struct TokenShingles(FxHashMap<u64, u32>);

impl TokenShingles {
    /// The shingles of source lines.
    pub(super) fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let mut tokens = Vec::new();
        for line in lines {
            let line = line.trim().as_bytes();
            if !COMMENTS.iter().any(|mark| line.starts_with(mark)) {
                push_tokens(line, &mut tokens);
            }
        }
        let mut runs = FxHashMap::default();
        for run in tokens.windows(SHINGLE_TOKENS) {
            let mut hasher = FxHasher::default();
            run.hash(&mut hasher);
            *runs.entry(hasher.finish()).or_insert(0) += 1;
        }
        Self(runs)
    }

    /// The Jaccard similarity of two multisets, from 0 to 1.
    pub(super) fn likeness(&self, other: &Self) -> f32 {
        let count = |shape: &Self| shape.0.values().map(|&count| f64::from(count)).sum::<f64>();
        let mut common = 0.0;
        let mut keys: Vec<&u64> = self.0.keys().collect();
        keys.sort_unstable();
        for key in keys {
            common += f64::from(self.0[key].min(other.0.get(key).copied().unwrap_or(0)));
        }
        let all = count(self) + count(other) - common;
        if all > 0.0 { (common / all) as f32 } else { 0.0 }
    }
}

/// Tokenises a line: `c` for a call, `n` for another name, `0` for a number, `s` for a string, punctuation as it is.
fn push_tokens(line: &[u8], tokens: &mut Vec<u8>) {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let mut at = 0;
    while at < line.len() {
        let byte = line[at];
        if is_name(&byte) {
            let end = at + line[at..].iter().take_while(|byte| is_name(byte)).count();
            let call = line.get(end) == Some(&b'(');
            tokens.push(if byte.is_ascii_digit() {
                b'0'
            } else if call {
                b'c'
            } else {
                b'n'
            });
            at = end;
        } else if matches!(byte, b'"' | b'\'' | b'`') {
            let length = line[at + 1..].iter().position(|&other| other == byte);
            tokens.push(b's');
            at = length.map_or(line.len(), |length| at + length + 2);
        } else {
            if !byte.is_ascii_whitespace() {
                tokens.push(byte);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TokenShingles;

    fn shape(text: &str) -> TokenShingles {
        TokenShingles::of(text.lines())
    }

    #[test]
    fn similarity_ignores_names_and_compares_structure() {
        let one = shape("fn add(a: i32, b: i32) -> i32 {\n    log(\"x\");\n    a + b\n}");
        let renamed =
            shape("fn sum(x: u8, y: u8) -> u8 {\n    // other words\n    say('yes');\n    x + y\n}");
        let other = shape("struct Point { x: f32, y: f32, z: f32, w: f32 }");
        assert!(one.likeness(&renamed) > 0.99);
        assert!(one.likeness(&other) < 0.3);
        assert!((one.likeness(&one) - 1.0).abs() < 1e-6);
        assert!(shape("").likeness(&shape("")) < f32::EPSILON);
    }
}
