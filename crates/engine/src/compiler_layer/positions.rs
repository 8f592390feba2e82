//! From lines and characters to byte offsets.

use orient_scip::PositionEncoding;

/// A text with the offsets of its lines.
pub(super) struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        Self { text, starts: starts.collect() }
    }

    /// The offset of a character of a line, both from 0; `None` if the text has no such place.
    pub(super) fn offset(&self, (line, character): (u32, u32), encoding: PositionEncoding) -> Option<u32> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(self.text.len());
        let (line, wanted) = (self.text.get(start..end)?, character as usize);
        let within = if line.is_ascii() || encoding == PositionEncoding::Utf8 {
            wanted
        } else {
            let width = |c: char| if encoding == PositionEncoding::Utf32 { 1 } else { c.len_utf16() };
            let mut passed = 0;
            let found = line.char_indices().find(|(_, c)| {
                let here = passed >= wanted;
                passed += if here { 0 } else { width(*c) };
                here
            });
            found.map_or(line.len(), |(at, _)| at)
        };
        (within <= line.len()).then(|| u32::try_from(start + within).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_in_the_encoding_of_the_index() {
        let lines = LineIndex::new("ab\n𝒳é = f()\n");
        let at = |encoding, character| lines.offset((1, character), encoding);
        assert_eq!(at(PositionEncoding::Utf16, 6), Some(3 + 9));
        assert_eq!(at(PositionEncoding::Utf32, 5), Some(3 + 9));
        assert_eq!(at(PositionEncoding::Utf8, 9), Some(3 + 9));
        assert_eq!(lines.offset((0, 1), PositionEncoding::Unspecified), Some(1));
        assert_eq!(lines.offset((0, 9), PositionEncoding::Unspecified), None);
        assert_eq!(lines.offset((9, 0), PositionEncoding::Unspecified), None);
    }
}
