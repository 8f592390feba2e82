//! The shape of a piece of source: what is left when all names are taken for the same.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// So many tokens in a row are compared.
const RUN: usize = 5;
/// What opens a line that is only a comment.
const COMMENTS: [&[u8]; 6] = [b"//", b"#", b"--", b"*", b"/*", b"\"\"\""];

/// How often each run of tokens occurs.
#[derive(Debug, Default)]
pub(super) struct Shape(FxHashMap<u64, u32>);

impl Shape {
    /// The shape of lines of source.
    pub(super) fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let mut tokens = Vec::new();
        for line in lines {
            let line = line.trim().as_bytes();
            if !COMMENTS.iter().any(|mark| line.starts_with(mark)) {
                push_tokens(line, &mut tokens);
            }
        }
        let mut runs = FxHashMap::default();
        for run in tokens.windows(RUN) {
            let mut hasher = FxHasher::default();
            run.hash(&mut hasher);
            *runs.entry(hasher.finish()).or_insert(0) += 1;
        }
        Self(runs)
    }

    /// Which part of both they have in common, from nought to one.
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

/// Tokens of a line: a call, another name, a number, a string, or a sign as it is.
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
    use super::Shape;

    fn shape(text: &str) -> Shape {
        Shape::of(text.lines())
    }

    #[test]
    fn names_do_not_matter_and_structure_does() {
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
