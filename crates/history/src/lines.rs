//! Which lines of a text are new or differ from an older one.

use std::collections::BTreeMap;

/// What differs, as lines are numbered now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Lines that are new or differ, in order.
    pub lines: Vec<u32>,
    /// Places where lines were taken out: the number of the line behind.
    pub gaps: Vec<u32>,
}

/// What differs between two texts. Lines that stand once in both are matched in the longest order they share, and so on
/// between them: what stays is found even where much has moved, and the work hardly grows with what differs.
pub fn difference(before: &[u8], after: &[u8]) -> Difference {
    let (old, new) = (split(before), split(after));
    let mut found = Difference::default();
    let mut waiting = vec![((0, old.len()), (0, new.len()))];
    while let Some(((mut a, mut a_end), (mut b, mut b_end))) = waiting.pop() {
        while a < a_end && b < b_end && old[a] == new[b] {
            (a, b) = (a + 1, b + 1);
        }
        while a < a_end && b < b_end && old[a_end - 1] == new[b_end - 1] {
            (a_end, b_end) = (a_end - 1, b_end - 1);
        }
        let anchors = anchors(&old[a..a_end], &new[b..b_end]);
        if anchors.is_empty() {
            found.lines.extend((b..b_end).map(|line| line as u32 + 1));
            if a < a_end {
                found.gaps.push(b_end as u32 + 1);
            }
            continue;
        }
        // The last part first, since what is put down last is taken up first.
        let (mut last_a, mut last_b) = (a_end, b_end);
        let mut parts = Vec::new();
        for &(at, bt) in anchors.iter().rev() {
            parts.push(((a + at + 1, last_a), (b + bt + 1, last_b)));
            (last_a, last_b) = (a + at, b + bt);
        }
        parts.push(((a, last_a), (b, last_b)));
        waiting.extend(parts);
    }
    found
}

fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    // How lines end is no matter of their content.
    for line in &mut lines {
        *line = line.strip_suffix(b"\r").unwrap_or(line);
    }
    lines
}

/// Lines that stand exactly once on both sides, in the longest order both sides share.
fn anchors(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<&[u8], (u32, usize, u32, usize)> = BTreeMap::new();
    for (at, line) in old.iter().enumerate() {
        let place = places.entry(line).or_default();
        (place.0, place.1) = (place.0 + 1, at);
    }
    for (at, line) in new.iter().enumerate() {
        if let Some(place) = places.get_mut(line) {
            (place.2, place.3) = (place.2 + 1, at);
        }
    }
    let once = |place: &(u32, usize, u32, usize)| place.0 == 1 && place.2 == 1;
    let mut pairs: Vec<(usize, usize)> =
        places.values().filter(|place| once(place)).map(|place| (place.1, place.3)).collect();
    pairs.sort_unstable();
    // The longest rising row: for each length the pair that ends it lowest, and who stands before each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut row = Vec::new();
    let mut at = ends.last().copied();
    while let Some(pair) = at {
        row.push(pairs[pair]);
        at = before[pair];
    }
    row.reverse();
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_stays_is_told_from_what_is_new() {
        let old = b"one\ntwo\nthree\nfour\nfive\n";
        let new = b"zero\none\nTWO\nthree\nfive\n";
        let found = difference(old, new);
        assert_eq!((&found.lines[..], &found.gaps[..]), (&[1, 3][..], &[4, 5][..]));
        assert_eq!(difference(old, old), Difference::default());
        assert_eq!(difference(b"a\r\nb\r\n", b"a\nb"), Difference::default());
        assert_eq!(difference(b"", b"a\nb\n").lines, [1, 2]);
    }

    proptest! {
        /// Without the lines said to differ, the new text is part of the old one, in the same order.
        #[test]
        fn what_is_not_named_was_there(old in "[a-e\n]{0,60}", new in "[a-e\n]{0,60}") {
            let found = difference(old.as_bytes(), new.as_bytes());
            prop_assert!(found.lines.is_sorted() && found.gaps.is_sorted());
            let kept = split(new.as_bytes()).into_iter().enumerate();
            let mut kept = kept.filter(|(at, _)| !found.lines.contains(&(*at as u32 + 1))).map(|(_, line)| line);
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
