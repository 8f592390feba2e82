//! Line diffs as git computes them: Myers' algorithm, with hunks placed by indentation.

use imara_diff::{Algorithm, Diff, InternedInput, sources::byte_lines};
use std::ops::Range;

/// Lines of one version that replace lines of another, counted from zero. Either range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the old version.
    pub before: Range<u32>,
    /// The lines of the new version.
    pub after: Range<u32>,
}

/// The hunks that turn one text into another, in order.
pub fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    diff.hunks().map(|hunk| Hunk { before: hunk.before, after: hunk.after }).collect()
}

/// Whether git treats a content as binary: it has a NUL byte near its start.
pub fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(8000)].contains(&0)
}

/// The lines of a text, each with its line end.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}
