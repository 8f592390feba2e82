//! Spans: positions in a file as byte offsets and as lines.

/// A half-open range of bytes, and the lines it touches (1-based, inclusive).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte, counted from 1.
    pub first_line: u32,
    /// Line of the last byte, counted from 1.
    pub last_line: u32,
}

impl Span {
    /// Whether this span contains all of `other`.
    pub fn contains(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Number of bytes.
    pub fn len(&self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span covers no byte.
    pub fn is_empty(&self) -> bool {
        self.end <= self.start
    }

    /// The bytes of `source` under this span; empty where the span reaches past the end.
    pub fn of<'s>(&self, source: &'s [u8]) -> &'s [u8] {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}
