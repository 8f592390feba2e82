//! Line diffs as git computes them: Myers' algorithm, with hunks placed by indentation.
//!
//! Our own rather than a library's: blame and line logs must agree with git's, and on real files a library with other choices
//! among equally short diffs blames up to two percent of the lines on another commit.

use crate::hunk_placement::place;
use crate::myers::{changed_lines, intern};
use std::ops::Range;

/// Equal ends of two texts are cut off in blocks of this size.
const BLOCK: usize = 1024;

/// Lines of one version that replace lines of another, counted from zero. Either range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the old version.
    pub before: Range<u32>,
    /// The lines of the new version.
    pub after: Range<u32>,
}

/// Number of lines of two texts together that are compared: a small object may hold a hundred million.
const MAX_LINES: usize = 4_000_000;

/// Number of lines of a text; the last one need not end.
pub(crate) fn line_count(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count() + usize::from(text.last().is_some_and(|&byte| byte != b'\n'))
}

/// Whether two texts are compared line by line, rather than as a whole.
pub(crate) fn is_comparable(before: &[u8], after: &[u8]) -> bool {
    before.len() + after.len() <= MAX_LINES || line_count(before) + line_count(after) <= MAX_LINES
}

/// The hunks that turn one text into another, in order. Texts with too many lines are replaced as a whole.
pub fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    if !is_comparable(before, after) {
        return vec![Hunk { before: 0..line_count(before) as u32, after: 0..line_count(after) as u32 }];
    }
    let (before, after) = without_common_tail(before, after);
    let (old, new) = (lines(before), lines(after));
    let (old_numbers, new_numbers) = intern(&old, &new);
    let mut changed = changed_lines(&old_numbers, &new_numbers);
    place(&old_numbers, &old, &mut changed.before, &mut changed.after);
    place(&new_numbers, &new, &mut changed.after, &mut changed.before);
    let mut hunks = Vec::new();
    let (mut at, mut bt) = (0, 0);
    while at < old.len() || bt < new.len() {
        let (start, new_start) = (at, bt);
        while at < old.len() && changed.before[at] {
            at += 1;
        }
        while bt < new.len() && changed.after[bt] {
            bt += 1;
        }
        if start < at || new_start < bt {
            hunks.push(Hunk { before: start as u32..at as u32, after: new_start as u32..bt as u32 });
        }
        at += 1;
        bt += 1;
    }
    hunks
}

/// Bytes that two texts have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonBlock {
    /// Where they start in the old version.
    pub before: usize,
    /// Where they start in the new version.
    pub after: usize,
    /// Their number.
    pub length: usize,
}

/// Blocks of whole lines that two texts have in common, in order. Cheaper than [`hunks`], whose choices are git's.
pub fn common_blocks(before: &[u8], after: &[u8]) -> Vec<CommonBlock> {
    if !is_comparable(before, after) {
        return Vec::new();
    }
    let equal = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let head = before[..equal].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let (old, new) = (&before[head..], &after[head..]);
    let equal = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    // The line that the common end starts in may differ before it.
    let start = old.len() - equal;
    let tail = old[start..].iter().position(|&byte| byte == b'\n').map_or(0, |at| equal - at - 1);
    let (old, new) = (lines(&old[..old.len() - tail]), lines(&new[..new.len() - tail]));
    let (old_numbers, new_numbers) = intern(&old, &new);
    let changed = changed_lines(&old_numbers, &new_numbers);
    let mut blocks = vec![CommonBlock { before: 0, after: 0, length: head }];
    let (mut at, mut bt) = (head, head);
    let mut new_lines = new.iter().zip(&changed.after).peekable();
    for (line, is_changed) in old.iter().zip(&changed.before) {
        if *is_changed {
            at += line.len();
            continue;
        }
        while let Some((line, _)) = new_lines.next_if(|(_, is_changed)| **is_changed) {
            bt += line.len();
        }
        new_lines.next();
        push(&mut blocks, CommonBlock { before: at, after: bt, length: line.len() });
        at += line.len();
        bt += line.len();
    }
    let (at, bt) = (before.len() - tail, after.len() - tail);
    push(&mut blocks, CommonBlock { before: at, after: bt, length: tail });
    blocks.retain(|block| block.length > 0);
    blocks
}

/// The blocks that two texts have in common according to their hunks, in order.
pub fn blocks_between(hunks: &[Hunk], before: &[u8], after: &[u8]) -> Vec<CommonBlock> {
    let (mut old, mut new) = (LineStarts::new(before), LineStarts::new(after));
    let mut blocks = Vec::with_capacity(hunks.len() + 1);
    let (mut at, mut bt) = (0, 0);
    for hunk in hunks {
        let length = old.start_of(hunk.before.start) - at;
        blocks.push(CommonBlock { before: at, after: bt, length });
        (at, bt) = (old.start_of(hunk.before.end), new.start_of(hunk.after.end));
    }
    blocks.push(CommonBlock { before: at, after: bt, length: before.len() - at });
    blocks.retain(|block| block.length > 0);
    blocks
}

/// Finds where lines start, for line numbers that only grow.
struct LineStarts<'t> {
    newlines: memchr::Memchr<'t>,
    line: u32,
    start: usize,
    end: usize,
}

impl<'t> LineStarts<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { newlines: memchr::memchr_iter(b'\n', text), line: 0, start: 0, end: text.len() }
    }

    fn start_of(&mut self, line: u32) -> usize {
        while self.line < line {
            self.start = self.newlines.next().map_or(self.end, |newline| newline + 1);
            self.line += 1;
        }
        self.start
    }
}

/// Appends a block, or extends the last one by it.
fn push(blocks: &mut Vec<CommonBlock>, block: CommonBlock) {
    if let Some(last) = blocks.last_mut()
        && last.before + last.length == block.before
        && last.after + last.length == block.after
    {
        last.length += block.length;
        return;
    }
    blocks.push(block);
}

/// Cuts off most of what both texts end with, up to a line end. Git does so too, which decides between equal diffs.
fn without_common_tail<'t>(before: &'t [u8], after: &'t [u8]) -> (&'t [u8], &'t [u8]) {
    let common = before.rchunks_exact(BLOCK).zip(after.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b);
    let cut = common.count() * BLOCK;
    let tail = &before[before.len() - cut..];
    let line = tail.iter().position(|&byte| byte == b'\n').map_or(cut, |at| at + 1);
    (&before[..before.len() - cut + line], &after[..after.len() - cut + line])
}

/// Whether git treats a content as binary: it has a NUL byte near its start.
pub fn is_binary(content: &[u8]) -> bool {
    content[..content.len().min(8000)].contains(&0)
}

/// The lines of a text, each with its line end.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut start = 0;
    let mut lines: Vec<&[u8]> = Vec::with_capacity(text.len() / 32);
    for newline in memchr::memchr_iter(b'\n', text) {
        lines.push(&text[start..=newline]);
        start = newline + 1;
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hunk_that_can_slide_starts_after_the_blank_line() {
        let before = b"fn a() {\n    x();\n}\n";
        let after = b"fn a() {\n    x();\n}\n\nfn b() {\n    x();\n}\n";
        assert_eq!(hunks(before, after), [Hunk { before: 3..3, after: 3..7 }]);
        let long: Vec<u8> = (0..900).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        assert_eq!(hunks(&long[2..], &long), [Hunk { before: 0..0, after: 0..1 }]);
    }

    proptest! {
        /// Common blocks are equal and in order; of a text with itself, they are all of it.
        #[test]
        fn common_blocks_are_equal(old in "[a-d\n]{0,80}", new in "[a-d\n]{0,80}") {
            let (old, new) = (old.as_bytes(), new.as_bytes());
            let (mut at, mut bt) = (0, 0);
            for block in common_blocks(old, new) {
                prop_assert!(block.before >= at && block.after >= bt && block.length > 0);
                (at, bt) = (block.before + block.length, block.after + block.length);
                prop_assert_eq!(&old[block.before..at], &new[block.after..bt]);
            }
            let mut rest = new;
            for block in blocks_between(&hunks(old, new), old, new) {
                prop_assert_eq!(&old[block.before..][..block.length], &new[block.after..][..block.length]);
                rest = &rest[block.length..];
            }
            let added: usize = hunks(old, new).iter().map(|hunk| hunk.after.clone().map(|line| lines(new)[line as usize].len()).sum::<usize>()).sum();
            prop_assert_eq!(rest.len(), added, "what is not shared is in hunks");
            let common: usize = common_blocks(old, new).iter().map(|block| block.length).sum();
            prop_assert_eq!(common_blocks(old, old).iter().map(|block| block.length).sum::<usize>(), old.len());
            prop_assert!(common <= old.len().min(new.len()));
        }

        /// Unchanged lines are the same on both sides, in order.
        #[test]
        fn hunks_turn_one_text_into_the_other(old in "[a-d\n]{0,80}", new in "[a-d\n]{0,80}") {
            let (before, after) = (lines(old.as_bytes()), lines(new.as_bytes()));
            let (mut made, mut at) = (Vec::new(), 0);
            for hunk in hunks(old.as_bytes(), new.as_bytes()) {
                made.extend_from_slice(&before[at..hunk.before.start as usize]);
                prop_assert_eq!(made.len(), hunk.after.start as usize);
                made.extend_from_slice(&after[hunk.after.start as usize..hunk.after.end as usize]);
                at = hunk.before.end as usize;
            }
            made.extend_from_slice(&before[at..]);
            prop_assert_eq!(made, after);
        }
    }
}
