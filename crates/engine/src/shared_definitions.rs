//! Which definitions two versions of a file share, so that only the rest is parsed.
//!
//! A unit is a definition and everything between it and the definition before it: blank lines, comments, statements. A unit that is identical in
//! both versions is not parsed again; its symbols are taken from the other version. What is around a changed unit stays: the headers of its
//! containers, and the first unit of each and of the file, whose own beginning cannot be told from a header.
//!
//! Example: `class A {`, `f() {}`, `g() {}`, `h() {}`, `}` on a line each. If `h` changed, then `class A {`, `f() {}`, `h() {}`, `}` is parsed.
//!
//! Preprocessor directives stay wherever they are, since what follows depends on them.

use crate::file_version::{FileVersion, SharedBytes};
use std::borrow::Cow;
use std::ops::Range;

/// A shorter container is parsed whole.
const MIN_CONTAINER: usize = 256;
/// Deeper containers are parsed whole.
const MAX_DEPTH: usize = 12;

/// The units that a content shares with another version: runs of units without anything between them, in order.
#[derive(Default)]
pub(crate) struct SharedUnits(pub(crate) Vec<UnitRun>);

/// Consecutive units.
pub(crate) struct UnitRun {
    /// Where they are in the content.
    pub(crate) range: Range<usize>,
    /// Where they are in the other version.
    pub(crate) other: Range<usize>,
    /// Their symbols, by their place in the other version.
    pub(crate) symbols: Range<usize>,
    /// What they are in, by its place in the other version.
    pub(crate) container: Option<usize>,
}

/// Finds shared units.
struct UnitFinder<'v> {
    other: &'v FileVersion,
    shared: &'v [SharedBytes],
    /// For each symbol, where the symbols inside it end.
    inside: Vec<usize>,
    found: SharedUnits,
}

impl SharedUnits {
    /// The units that a content shares with another version. None if symbols of the other version are not nested as their text is.
    pub(crate) fn find(other: &FileVersion, shared: &[SharedBytes]) -> Option<Self> {
        let inside = nesting(other)?;
        let mut finder = UnitFinder { other, shared, inside, found: Self::default() };
        finder.level(0..other.symbols.len(), None, 0..other.content().len(), 0);
        Some(finder.found)
    }

    /// The number of bytes that are left out.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|run| run.range.len()).sum()
    }
}

/// Where the symbols inside each symbol end. `None` unless every symbol is inside its parent and after its predecessor.
fn nesting(version: &FileVersion) -> Option<Vec<usize>> {
    let mut inside = vec![version.symbols.len(); version.symbols.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut last_end = 0;
    for (at, symbol) in version.symbols.iter().enumerate() {
        while open.last().copied() != symbol.parent {
            let closed = open.pop()?;
            inside[closed] = at;
            last_end = version.symbols[closed].span.end;
        }
        let around = open.last().map(|parent| &version.symbols[*parent].span);
        if symbol.span.start < last_end || around.is_some_and(|around| around.end < symbol.span.end) {
            return None;
        }
        last_end = symbol.span.start;
        open.push(at);
    }
    Some(inside)
}

impl UnitFinder<'_> {
    /// Finds the shared units among the symbols of a container, or of the file.
    fn level(&mut self, symbols: Range<usize>, container: Option<usize>, within: Range<usize>, depth: usize) {
        let content = self.other.content();
        let mut unit_start = within.start;
        let mut at = symbols.start;
        while at < symbols.end {
            let first = at;
            let mut end = line_end(content, self.other.symbols[at].span.end);
            at = self.inside[at];
            // Definitions on one line are one unit.
            while at < symbols.end && self.other.symbols[at].span.start < end {
                end = end.max(line_end(content, self.other.symbols[at].span.end));
                at = self.inside[at];
            }
            if end > within.end {
                return;
            }
            let other = unit_start..end;
            // A bracket that opens or closes before a definition groups definitions, and stays.
            let is_apart = first > symbols.start
                && is_balanced(&content[unit_start..self.other.symbols[first].span.start.max(unit_start)]);
            match self.in_content(&other).filter(|_| is_apart) {
                Some(range) => self.leave_out(UnitRun { range, other, symbols: first..at, container }),
                None if at == self.inside[first] => self.descend(first, depth),
                None => {}
            }
            unit_start = end;
        }
        // What follows the last definition of a file.
        let other = unit_start..within.end;
        if container.is_none()
            && at > 0
            && is_balanced(&content[other.clone()])
            && let Some(range) = self.in_content(&other)
        {
            self.leave_out(UnitRun { range, other, symbols: at..at, container });
        }
    }

    fn descend(&mut self, container: usize, depth: usize) {
        let span = self.other.symbols[container].span.clone();
        let symbols = container + 1..self.inside[container];
        if depth < MAX_DEPTH && span.len() >= MIN_CONTAINER && !symbols.is_empty() {
            self.level(symbols, Some(container), span, depth + 1);
        }
    }

    /// Adds units, to the run before them if nothing is between.
    fn leave_out(&mut self, run: UnitRun) {
        if run.range.is_empty() {
            return;
        }
        match self.found.0.last_mut() {
            Some(last)
                if (last.range.end, last.other.end, last.symbols.end, last.container)
                    == (run.range.start, run.other.start, run.symbols.start, run.container) =>
            {
                (last.range.end, last.other.end, last.symbols.end) =
                    (run.range.end, run.other.end, run.symbols.end);
            }
            _ => self.found.0.push(run),
        }
    }

    /// Where the content has bytes of the other version.
    fn in_content(&self, bytes: &Range<usize>) -> Option<Range<usize>> {
        let after = self.shared.partition_point(|block| block.other <= bytes.start);
        let block = self.shared.get(after.checked_sub(1)?)?;
        let place = |at: usize| at - block.other + block.start;
        (bytes.end <= block.other + block.length).then(|| place(bytes.start)..place(bytes.end))
    }
}

/// Whether a text closes as many brackets as it opens.
fn is_balanced(text: &[u8]) -> bool {
    let step = |byte: &u8| match byte {
        b'(' | b'[' | b'{' => 1,
        b')' | b']' | b'}' => -1,
        _ => 0,
    };
    text.iter().map(step).sum::<i64>() == 0
}

/// The start of the line after a place.
fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |newline| at + newline + 1)
}

/// A text from which ranges are left out, and how places in what is left correspond to places in the text.
pub(crate) struct RemainingText<'c> {
    /// What is left.
    pub(crate) text: Cow<'c, [u8]>,
    gaps: Vec<Gap>,
}

/// A range that is left out, and what is left out up to its end.
struct Gap {
    /// Where it would be in what is left.
    at: usize,
    bytes: usize,
    lines: u32,
}

impl<'c> RemainingText<'c> {
    /// All of a content.
    pub(crate) fn all(content: &'c [u8]) -> Self {
        Self { text: Cow::Borrowed(content), gaps: Vec::new() }
    }

    /// Leaves out the units of a content; with `keeps_directives`, all but the lines of directives.
    pub(crate) fn new(content: &[u8], units: &SharedUnits, keeps_directives: bool) -> Self {
        let mut text = Vec::with_capacity(content.len() - units.bytes());
        let mut gaps: Vec<Gap> = Vec::new();
        let mut at = 0;
        for run in &units.0 {
            text.extend_from_slice(&content[at..run.range.start]);
            at = run.range.start;
            let kept = if keeps_directives { directives(content, run.range.clone()) } else { Vec::new() };
            let end = run.range.end..run.range.end;
            for kept in kept.into_iter().chain(std::iter::once(end)) {
                let left_out = &content[at..kept.start];
                let (bytes, lines) = gaps.last().map_or((0, 0), |last| (last.bytes, last.lines));
                let lines = lines + memchr::memchr_iter(b'\n', left_out).count() as u32;
                gaps.push(Gap { at: text.len(), bytes: bytes + left_out.len(), lines });
                text.extend_from_slice(&content[kept.clone()]);
                at = kept.end;
            }
        }
        text.extend_from_slice(&content[at..]);
        Self { text: Cow::Owned(text), gaps }
    }

    /// The bytes and lines that are left out before a byte of what is left.
    pub(crate) fn left_out_before(&self, at: u32) -> (usize, u32) {
        let after = self.gaps.partition_point(|gap| gap.at <= at as usize);
        after.checked_sub(1).map_or((0, 0), |last| (self.gaps[last].bytes, self.gaps[last].lines))
    }
}

/// The lines of preprocessor directives, with those that continue them.
fn directives(content: &[u8], within: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for mark in memchr::memchr_iter(b'#', &content[within.clone()]) {
        let mark = within.start + mark;
        if found.last().is_some_and(|last| mark < last.end) {
            continue;
        }
        let indent =
            content[within.start..mark].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let start = mark - indent;
        if start > within.start && content[start - 1] != b'\n' {
            continue;
        }
        let mut end = line_end(content, mark);
        while end < within.end && content[..end].ends_with(b"\\\n") {
            end = line_end(content, end);
        }
        found.push(start..end.min(within.end));
    }
    found
}
