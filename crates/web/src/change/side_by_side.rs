//! A side-by-side comparison of two texts: a patience diff over lines.
//!
//! Example: `a b c` and `a x c` give `Same(0, 0)`, `Changed(1, 1)`, `Same(2, 2)`.

use std::collections::BTreeMap;

/// Lines of context around a change.
const CONTEXT: usize = 4;
/// Maximum size of the table of a longest common subsequence; beyond it, the part counts as one change.
const MAX_CELLS: usize = 4_000_000;

/// A row of the comparison. Lines count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DiffRow {
    /// A line of both.
    Same(usize, usize),
    /// A line of the old text, of the new text, or one beside the other.
    Changed(Option<usize>, Option<usize>),
    /// Lines of both that are left out.
    Gap(usize),
}

/// All rows, without gaps.
pub(crate) fn diff_rows(old: &[&str], new: &[&str]) -> Vec<DiffRow> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    let mut rows: Vec<DiffRow> = (0..start).map(|line| DiffRow::Same(line, line)).collect();
    let matched = matches(&old[start..old.len() - end], &new[start..new.len() - end]);
    let (mut at_old, mut at_new) = (start, start);
    let last = (old.len() - end, new.len() - end);
    for (to_old, to_new) in matched.iter().map(|(a, b)| (a + start, b + start)).chain([last]) {
        let (removed, added) = (to_old - at_old, to_new - at_new);
        for offset in 0..removed.max(added) {
            let line = |from: usize, number: usize| (offset < number).then_some(from + offset);
            rows.push(DiffRow::Changed(line(at_old, removed), line(at_new, added)));
        }
        if (to_old, to_new) != last {
            rows.push(DiffRow::Same(to_old, to_new));
        }
        (at_old, at_new) = (to_old + 1, to_new + 1);
    }
    rows.extend((0..end).map(|line| DiffRow::Same(last.0 + line, last.1 + line)));
    rows
}

/// Pairs of equal lines, in order. Between lines that occur once in both texts, the longest common subsequence; where that would take
/// too long, none.
fn matches(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let anchors = increasing(&unique_pairs(old, new));
    let mut pairs = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    for (to_old, to_new) in anchors.into_iter().chain([(old.len(), new.len())]) {
        let between = common_subsequence(&old[at_old..to_old], &new[at_new..to_new]);
        pairs.extend(between.into_iter().map(|(a, b)| (a + at_old, b + at_new)));
        if (to_old, to_new) != (old.len(), new.len()) {
            pairs.push((to_old, to_new));
        }
        (at_old, at_new) = (to_old + 1, to_new + 1);
        if at_old > old.len() || at_new > new.len() {
            break;
        }
    }
    pairs
}

/// The lines that occur once in each text, by their place in the old one.
fn unique_pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<&str, [Vec<usize>; 2]> = BTreeMap::new();
    for (text, side) in [(old, 0), (new, 1)] {
        for (at, line) in text.iter().enumerate() {
            places.entry(line).or_default()[side].push(at);
        }
    }
    let mut pairs: Vec<(usize, usize)> = places
        .values()
        .filter_map(|[old, new]| match (&old[..], &new[..]) {
            ([a], [b]) => Some((*a, *b)),
            _ => None,
        })
        .collect();
    pairs.sort_unstable();
    pairs
}

/// A longest part of the pairs whose second numbers increase: patience sorting.
fn increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends the best sequence of that length; and the predecessor of each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut sequence = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        sequence.push(pairs[at]);
        next = before[at];
    }
    sequence.reverse();
    sequence
}

/// The longest common subsequence, by dynamic programming; nothing for texts that are too long for it.
fn common_subsequence(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(width) > MAX_CELLS {
        return Vec::new();
    }
    // lengths[a * width + b]: the length for old[a..] and new[b..].
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            lengths[a * width + b] = if old[a] == new[b] {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// Replaces long runs of equal lines by gaps. Nothing if all lines are equal.
pub(crate) fn with_context(rows: &[DiffRow]) -> Vec<DiffRow> {
    let changed: Vec<usize> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| !matches!(row, DiffRow::Same(..)))
        .map(|(at, _)| at)
        .collect();
    let mut shown = Vec::new();
    let mut next = 0;
    for (at, row) in rows.iter().enumerate() {
        while next < changed.len() && changed[next] + CONTEXT < at {
            next += 1;
        }
        let is_near = changed.get(next).is_some_and(|change| at + CONTEXT >= *change);
        match (is_near, shown.last_mut()) {
            (true, _) => shown.push(row.clone()),
            (false, Some(DiffRow::Gap(lines))) => *lines += 1,
            (false, _) => shown.push(DiffRow::Gap(1)),
        }
    }
    if changed.is_empty() { Vec::new() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn changed_lines_stand_side_by_side() {
        use DiffRow::{Changed, Same};
        assert_eq!(
            diff_rows(&["a", "b", "c"], &["a", "x", "c"]),
            [Same(0, 0), Changed(Some(1), Some(1)), Same(2, 2)]
        );
        assert_eq!(diff_rows(&[], &["a"]), [Changed(None, Some(0))]);
        assert_eq!(diff_rows(&["a", "b"], &["b"]), [Changed(Some(0), None), Same(1, 0)]);
    }

    #[test]
    fn equal_lines_far_from_changes_are_left_out() {
        let old: Vec<String> = (0..100).map(|line| line.to_string()).collect();
        let mut new = old.clone();
        new[50] = "changed".to_owned();
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let rows = with_context(&diff_rows(&old, &new));
        assert_eq!(
            (rows.first(), rows.len(), rows.last()),
            (Some(&DiffRow::Gap(46)), 11, Some(&DiffRow::Gap(45)))
        );
        assert!(with_context(&diff_rows(&old, &old)).is_empty());
    }

    proptest! {
        #[test]
        fn every_line_of_both_texts_occurs_once_and_in_order(
            old in proptest::collection::vec("[abc]", 0..40),
            new in proptest::collection::vec("[abc]", 0..40),
        ) {
            let (old, new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for row in diff_rows(&old, &new) {
                match row {
                    DiffRow::Same(a, b) => {
                        prop_assert_eq!(old[a], new[b]);
                        left.push(a);
                        right.push(b);
                    }
                    DiffRow::Changed(a, b) => {
                        left.extend(a);
                        right.extend(b);
                    }
                    DiffRow::Gap(_) => prop_assert!(false, "no gaps yet"),
                }
            }
            prop_assert_eq!(left, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(right, (0..new.len()).collect::<Vec<_>>());
        }
    }
}
