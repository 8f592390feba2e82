//! Myers' diff in linear space, with the choices of git's diff, so that blame and line logs agree with git's.
//!
//! Lines that the other file lacks, and frequent lines among them, are set aside first. The middle of a shortest edit script
//! is then searched from both ends at once, diagonal by diagonal, and both halves are compared in the same way. Example:
//! from `a b c` to `a x c`, the common ends `a` and `c` are removed, `b` and `x` occur on one side only: one change.

#![expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "diagonals are signed; a position that indexes lines is inside its region"
)]

use foldhash::fast::RandomState;
use std::collections::HashMap;

/// A run of equal lines of at least this length is a sign of a good split.
const SNAKE: i64 = 20;
/// Number of edits from which a good split is accepted though a better one may exist.
const HEURISTIC_COST: i64 = 256;
/// Minimum number of edits after which the search ends with the best split so far.
const MIN_MAX_COST: i64 = 256;
/// A split must be this many times farther than its cost.
const HEURISTIC_FACTOR: i64 = 4;
/// The most occurrences from which a line is frequent, whatever the size of the file.
const MAX_FREQUENT: u32 = 1024;
/// How far the surroundings of a frequent line are examined.
const WINDOW: usize = 100;
/// Beyond every line.
const FAR: i64 = i64::MAX / 4;

/// The changed lines of two texts.
pub(crate) struct ChangedLines {
    pub(crate) before: Vec<bool>,
    pub(crate) after: Vec<bool>,
}

/// Numbers the lines of two texts so that equal lines have equal numbers.
pub(crate) fn intern<'t>(before: &[&'t [u8]], after: &[&'t [u8]]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<&[u8], u32, RandomState> =
        HashMap::with_capacity_and_hasher(before.len(), RandomState::default());
    let mut number = |line: &'t [u8]| {
        let next = numbers.len() as u32;
        *numbers.entry(line).or_insert(next)
    };
    let old = before.iter().map(|&line| number(line)).collect();
    (old, after.iter().map(|&line| number(line)).collect())
}

/// The lines of each text that are not in a common subsequence, a longest one unless that is expensive to find.
pub(crate) fn changed_lines(before: &[u32], after: &[u32]) -> ChangedLines {
    let mut changed = ChangedLines { before: vec![false; before.len()], after: vec![false; after.len()] };
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let shortest = before.len().min(after.len()) - start;
    let end = before.iter().rev().zip(after.iter().rev()).take(shortest).take_while(|(a, b)| a == b).count();
    let tokens = before.iter().chain(after).max().map_or(0, |&max| max as usize + 1);
    let (old_counts, new_counts) = (counts(before, tokens), counts(after, tokens));
    let old = kept(before, start..before.len() - end, &new_counts, &mut changed.before);
    let new = kept(after, start..after.len() - end, &old_counts, &mut changed.after);
    let diagonals = old.len() + new.len() + 3;
    let mut search = Search {
        old: old.iter().map(|&at| before[at]).collect(),
        new: new.iter().map(|&at| after[at]).collect(),
        forward: vec![0; diagonals + 2],
        backward: vec![0; diagonals + 2],
        offset: new.len() as i64 + 1,
        max_cost: i64::from(rough_root(diagonals)).max(MIN_MAX_COST),
        old_changed: vec![false; old.len()],
        new_changed: vec![false; new.len()],
    };
    search.compare(Region { old: (0, old.len() as i64), new: (0, new.len() as i64) }, false);
    for (&at, &is_changed) in old.iter().zip(&search.old_changed) {
        changed.before[at] |= is_changed;
    }
    for (&at, &is_changed) in new.iter().zip(&search.new_changed) {
        changed.after[at] |= is_changed;
    }
    changed
}

fn counts(lines: &[u32], tokens: usize) -> Vec<u32> {
    let mut counts = vec![0; tokens];
    for &line in lines {
        counts[line as usize] += 1;
    }
    counts
}

/// About the square root: a power of two.
fn rough_root(number: usize) -> u32 {
    let (mut root, mut rest) = (1, number);
    while rest > 0 {
        root <<= 1;
        rest >>= 2;
    }
    root
}

/// How often the other text has a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frequency {
    Never,
    Seldom,
    Often,
}

/// The positions of the lines worth comparing. The others are marked as changed: lines that the other text lacks, and frequent
/// lines surrounded by those.
fn kept(
    lines: &[u32],
    range: std::ops::Range<usize>,
    other_counts: &[u32],
    changed: &mut [bool],
) -> Vec<usize> {
    let limit = rough_root(lines.len()).min(MAX_FREQUENT);
    let frequency = |line: u32| match other_counts[line as usize] {
        0 => Frequency::Never,
        count if count >= limit => Frequency::Often,
        _ => Frequency::Seldom,
    };
    let frequencies: Vec<Frequency> = lines[range.clone()].iter().map(|&line| frequency(line)).collect();
    let mut positions = Vec::new();
    for (at, frequency) in frequencies.iter().enumerate() {
        let keep = match frequency {
            Frequency::Seldom => true,
            Frequency::Never => false,
            Frequency::Often => !is_noise(&frequencies, at),
        };
        if keep {
            positions.push(range.start + at);
        } else {
            changed[range.start + at] = true;
        }
    }
    positions
}

/// Whether the surroundings of a frequent line consist mostly of lines that the other text lacks.
fn is_noise(frequencies: &[Frequency], at: usize) -> bool {
    let side = |lines: &mut dyn Iterator<Item = &Frequency>| {
        let (mut never, mut often) = (0, 1);
        for frequency in lines.take(WINDOW) {
            match frequency {
                Frequency::Never => never += 1,
                Frequency::Often => often += 1,
                Frequency::Seldom => break,
            }
        }
        (never, often)
    };
    let (never_above, often_above) = side(&mut frequencies[..at].iter().rev());
    let (never_below, often_below) = side(&mut frequencies[at + 1..].iter());
    let (never, often) = (never_above + never_below, often_above + often_below);
    never_above > 0 && never_below > 0 && often * 4 < often + never
}

/// A part of both texts that is compared.
#[derive(Clone, Copy)]
struct Region {
    old: (i64, i64),
    new: (i64, i64),
}

/// Where a region is divided, and whether each half is still searched exhaustively.
struct Split {
    old: i64,
    new: i64,
    exact_low: bool,
    exact_high: bool,
}

struct Search {
    old: Vec<u32>,
    new: Vec<u32>,
    /// For each diagonal, the farthest line of the old text that a forward path reaches.
    forward: Vec<i64>,
    /// The same for paths from the end.
    backward: Vec<i64>,
    /// The position of diagonal 0 in these.
    offset: i64,
    max_cost: i64,
    old_changed: Vec<bool>,
    new_changed: Vec<bool>,
}

impl Search {
    fn is_equal(&self, old: i64, new: i64) -> bool {
        self.old[old as usize] == self.new[new as usize]
    }

    fn f(&mut self, diagonal: i64) -> &mut i64 {
        &mut self.forward[(diagonal + self.offset) as usize]
    }

    fn b(&mut self, diagonal: i64) -> &mut i64 {
        &mut self.backward[(diagonal + self.offset) as usize]
    }

    /// Marks the changed lines of a region. `exact` forbids shortcuts.
    fn compare(&mut self, region: Region, exact: bool) {
        let mut stack = vec![(region, exact)];
        while let Some((mut region, exact)) = stack.pop() {
            while region.old.0 < region.old.1
                && region.new.0 < region.new.1
                && self.is_equal(region.old.0, region.new.0)
            {
                region.old.0 += 1;
                region.new.0 += 1;
            }
            while region.old.0 < region.old.1
                && region.new.0 < region.new.1
                && self.is_equal(region.old.1 - 1, region.new.1 - 1)
            {
                region.old.1 -= 1;
                region.new.1 -= 1;
            }
            if region.old.0 == region.old.1 || region.new.0 == region.new.1 {
                self.old_changed[region.old.0 as usize..region.old.1 as usize].fill(true);
                self.new_changed[region.new.0 as usize..region.new.1 as usize].fill(true);
                continue;
            }
            let split = self.split(region, exact);
            let high = Region { old: (split.old, region.old.1), new: (split.new, region.new.1) };
            let low = Region { old: (region.old.0, split.old), new: (region.new.0, split.new) };
            stack.push((high, split.exact_high));
            stack.push((low, split.exact_low));
        }
    }

    /// The middle of a path through a region.
    fn split(&mut self, region: Region, exact: bool) -> Split {
        let (min, max) = (region.old.0 - region.new.1, region.old.1 - region.new.0);
        let (start, end) = (region.old.0 - region.new.0, region.old.1 - region.new.1);
        let is_odd = (start - end) & 1 != 0;
        let (mut f_min, mut f_max, mut b_min, mut b_max) = (start, start, end, end);
        *self.f(start) = region.old.0;
        *self.b(end) = region.old.1;
        let mut cost = 0;
        loop {
            cost += 1;
            let mut has_snake = false;
            widen(&mut f_min, &mut f_max, min, max, |diagonal| *self.f(diagonal) = -1);
            let mut diagonal = f_max;
            while diagonal >= f_min {
                let (left, right) = (*self.f(diagonal - 1), *self.f(diagonal + 1));
                let from = if left >= right { left + 1 } else { right };
                let mut old = from;
                while old < region.old.1
                    && old - diagonal < region.new.1
                    && self.is_equal(old, old - diagonal)
                {
                    old += 1;
                }
                has_snake |= old - from > SNAKE;
                *self.f(diagonal) = old;
                if is_odd && (b_min..=b_max).contains(&diagonal) && *self.b(diagonal) <= old {
                    return Split { old, new: old - diagonal, exact_low: true, exact_high: true };
                }
                diagonal -= 2;
            }
            widen(&mut b_min, &mut b_max, min, max, |diagonal| *self.b(diagonal) = FAR);
            let mut diagonal = b_max;
            while diagonal >= b_min {
                let (left, right) = (*self.b(diagonal - 1), *self.b(diagonal + 1));
                let from = if left < right { left } else { right - 1 };
                let mut old = from;
                while old > region.old.0
                    && old - diagonal > region.new.0
                    && self.is_equal(old - 1, old - diagonal - 1)
                {
                    old -= 1;
                }
                has_snake |= from - old > SNAKE;
                *self.b(diagonal) = old;
                if !is_odd && (f_min..=f_max).contains(&diagonal) && old <= *self.f(diagonal) {
                    return Split { old, new: old - diagonal, exact_low: true, exact_high: true };
                }
                diagonal -= 2;
            }
            if exact {
                continue;
            }
            let bounds = (f_min, f_max, b_min, b_max);
            if has_snake
                && cost > HEURISTIC_COST
                && let Some(split) = self.promising_split(region, bounds, cost)
            {
                return split;
            }
            if cost >= self.max_cost {
                return self.farthest_split(region, bounds);
            }
        }
    }

    /// A split behind a long run of equal lines that is much farther than its cost.
    fn promising_split(&mut self, region: Region, bounds: (i64, i64, i64, i64), cost: i64) -> Option<Split> {
        let (start, end) = (region.old.0 - region.new.0, region.old.1 - region.new.1);
        let (f_min, f_max, b_min, b_max) = bounds;
        let mut best = (0, None);
        let mut diagonal = f_max;
        while diagonal >= f_min {
            let old = *self.f(diagonal);
            let new = old - diagonal;
            let value = (old - region.old.0) + (new - region.new.0) - (diagonal - start).abs();
            let inside = region.old.0 + SNAKE <= old
                && old < region.old.1
                && region.new.0 + SNAKE <= new
                && new < region.new.1;
            if value > HEURISTIC_FACTOR * cost
                && value > best.0
                && inside
                && (1..=SNAKE).all(|back| self.is_equal(old - back, new - back))
            {
                best = (value, Some(Split { old, new, exact_low: true, exact_high: false }));
            }
            diagonal -= 2;
        }
        if best.1.is_some() {
            return best.1;
        }
        let mut diagonal = b_max;
        while diagonal >= b_min {
            let old = *self.b(diagonal);
            let new = old - diagonal;
            let value = (region.old.1 - old) + (region.new.1 - new) - (diagonal - end).abs();
            let inside = region.old.0 < old
                && old <= region.old.1 - SNAKE
                && region.new.0 < new
                && new <= region.new.1 - SNAKE;
            if value > HEURISTIC_FACTOR * cost
                && value > best.0
                && inside
                && (0..SNAKE).all(|ahead| self.is_equal(old + ahead, new + ahead))
            {
                best = (value, Some(Split { old, new, exact_low: false, exact_high: true }));
            }
            diagonal -= 2;
        }
        best.1
    }

    /// The farthest point of either search.
    fn farthest_split(&mut self, region: Region, bounds: (i64, i64, i64, i64)) -> Split {
        let (f_min, f_max, b_min, b_max) = bounds;
        let (mut reach, mut reach_old) = (-1, -1);
        let mut diagonal = f_max;
        while diagonal >= f_min {
            let mut old = (*self.f(diagonal)).min(region.old.1);
            let mut new = old - diagonal;
            if region.new.1 < new {
                (old, new) = (region.new.1 + diagonal, region.new.1);
            }
            if reach < old + new {
                (reach, reach_old) = (old + new, old);
            }
            diagonal -= 2;
        }
        let (mut back, mut back_old) = (FAR, FAR);
        let mut diagonal = b_max;
        while diagonal >= b_min {
            let mut old = (*self.b(diagonal)).max(region.old.0);
            let mut new = old - diagonal;
            if new < region.new.0 {
                (old, new) = (region.new.0 + diagonal, region.new.0);
            }
            if old + new < back {
                (back, back_old) = (old + new, old);
            }
            diagonal -= 2;
        }
        if region.old.1 + region.new.1 - back < reach - (region.old.0 + region.new.0) {
            Split { old: reach_old, new: reach - reach_old, exact_low: true, exact_high: false }
        } else {
            Split { old: back_old, new: back - back_old, exact_low: false, exact_high: true }
        }
    }
}

/// Extends the diagonals of a search by one on each side; at the border of the region, narrows them instead, so that their
/// parity stays the same. `clear` initializes the diagonal beyond.
fn widen(low: &mut i64, high: &mut i64, min: i64, max: i64, mut clear: impl FnMut(i64)) {
    if *low > min {
        *low -= 1;
        clear(*low - 1);
    } else {
        *low += 1;
    }
    if *high < max {
        *high += 1;
        clear(*high + 1);
    } else {
        *high -= 1;
    }
}
