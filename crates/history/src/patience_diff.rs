//! Patience diff: which lines of a text were added, changed or deleted.
//!
//! Lines that occur exactly once in both texts are matched along a longest increasing subsequence; the ranges between
//! matches are compared recursively. Unchanged lines are found even if much has moved, at a cost of O(n log n) per level.
//!
//! Example: from `one two three four five` to `zero one TWO three five`, the unique common lines `one`, `three` and `five`
//! are anchors. Between them, lines 1 (`zero`) and 3 (`TWO`) are new, `two` was deleted before line 4 and `four` before
//! line 5.

use std::collections::BTreeMap;

/// The difference of two texts, in line numbers of the new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineDiff {
    /// Added or changed lines, in order.
    pub lines: Vec<u32>,
    /// Where lines were deleted: the number of the following line.
    pub deletions: Vec<u32>,
}

/// Compares two texts line by line. Line ends are ignored.
pub fn line_diff(before: &[u8], after: &[u8]) -> LineDiff {
    let (old, new) = (split(before), split(after));
    let mut diff = LineDiff::default();
    let mut stack = vec![((0, old.len()), (0, new.len()))];
    while let Some(((mut a, mut a_end), (mut b, mut b_end))) = stack.pop() {
        while a < a_end && b < b_end && old[a] == new[b] {
            (a, b) = (a + 1, b + 1);
        }
        while a < a_end && b < b_end && old[a_end - 1] == new[b_end - 1] {
            (a_end, b_end) = (a_end - 1, b_end - 1);
        }
        let anchors = anchors(&old[a..a_end], &new[b..b_end]);
        if anchors.is_empty() {
            diff.lines.extend((b..b_end).map(|line| line as u32 + 1));
            if a < a_end {
                diff.deletions.push(b_end as u32 + 1);
            }
            continue;
        }
        // Pushed in reverse order, so that ranges are popped from first to last.
        let (mut last_a, mut last_b) = (a_end, b_end);
        let mut ranges = Vec::new();
        for &(at, bt) in anchors.iter().rev() {
            ranges.push(((a + at + 1, last_a), (b + bt + 1, last_b)));
            (last_a, last_b) = (a + at, b + bt);
        }
        ranges.push(((a, last_a), (b, last_b)));
        stack.extend(ranges);
    }
    diff
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    // CRLF and LF are equal.
    for line in &mut lines {
        *line = line.strip_suffix(b"\r").unwrap_or(line);
    }
    lines
}

/// The lines that occur exactly once on each side, along a longest increasing subsequence.
fn anchors(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    // For each line: count and last position in the old text, then in the new one.
    let mut lines: BTreeMap<&[u8], (u32, usize, u32, usize)> = BTreeMap::new();
    for (at, line) in old.iter().enumerate() {
        let entry = lines.entry(line).or_default();
        (entry.0, entry.1) = (entry.0 + 1, at);
    }
    for (at, line) in new.iter().enumerate() {
        if let Some(entry) = lines.get_mut(line) {
            (entry.2, entry.3) = (entry.2 + 1, at);
        }
    }
    let is_unique = |entry: &&(u32, usize, u32, usize)| entry.0 == 1 && entry.2 == 1;
    let mut pairs: Vec<(usize, usize)> =
        lines.values().filter(is_unique).map(|entry| (entry.1, entry.3)).collect();
    pairs.sort_unstable();
    // Patience sorting: `ends[n]` is the pair with the smallest end of an increasing subsequence of length n + 1, and
    // `previous` links each pair to the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        previous.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut sequence = Vec::new();
    let mut at = ends.last().copied();
    while let Some(pair) = at {
        sequence.push(pairs[pair]);
        at = previous[pair];
    }
    sequence.reverse();
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn added_changed_and_deleted_lines_are_found() {
        let old = b"one\ntwo\nthree\nfour\nfive\n";
        let new = b"zero\none\nTWO\nthree\nfive\n";
        let diff = line_diff(old, new);
        assert_eq!((&diff.lines[..], &diff.deletions[..]), (&[1, 3][..], &[4, 5][..]));
        assert_eq!(line_diff(old, old), LineDiff::default());
        assert_eq!(line_diff(b"a\r\nb\r\n", b"a\nb"), LineDiff::default());
        assert_eq!(line_diff(b"", b"a\nb\n").lines, [1, 2]);
    }

    proptest! {
        /// Without the reported lines, the new text is a subsequence of the old one.
        #[test]
        fn unreported_lines_exist_in_the_old_text(old in "[a-e\n]{0,60}", new in "[a-e\n]{0,60}") {
            let diff = line_diff(old.as_bytes(), new.as_bytes());
            prop_assert!(diff.lines.is_sorted() && diff.deletions.is_sorted());
            let kept = split(new.as_bytes()).into_iter().enumerate();
            let mut kept = kept.filter(|(at, _)| !diff.lines.contains(&(*at as u32 + 1))).map(|(_, line)| line);
            let mut wanted = kept.next();
            for line in split(old.as_bytes()) {
                if Some(line) == wanted {
                    wanted = kept.next();
                }
            }
            prop_assert_eq!(wanted, None);
        }
    }
}
