//! Runs the parser within limits, so that no file can hang us or take all memory, and every machine stops at the same
//! place: what is counted is work and requested bytes, never time.

use crate::parse::budget::{Budget, Limit, Work};
use crate::parse::indentation_depth;
use orient_grammars::{Language, ParseOptions, Tree};
use orient_grammars::{Meter, parser};
use std::cell::Cell;
use std::ops::ControlFlow;

/// The parser reports once in so many steps.
const STEPS_PER_REPORT: u64 = 100;
/// The parser is handed the text in pieces of this size: how often it asks for one tells how much it reads, and reads again.
const PIECE: usize = 512;
/// What it takes to read a whole piece.
const WORK_PER_PIECE: u64 = 16;

/// Parses `source` if the parser survives it: its text must not nest deeper than the levels it can hold.
pub(crate) fn parse_within(
    language: &Language,
    levels: Option<usize>,
    source: &[u8],
    budget: &mut Budget,
) -> Result<Tree, Limit> {
    if levels.is_some_and(|most| indentation_depth::may_exceed(source, most)) {
        return Err(Limit::Work);
    }
    parse(language, source, budget)
}

/// A text of the same length whose last line is ended, for a parser that looks for that end wherever `opens` stands.
/// None where the text can be read as it is.
pub(crate) fn ended(source: &[u8], opens: &str) -> Option<Vec<u8>> {
    let (last, _) = source.split_last().filter(|(last, _)| !matches!(last, b'\n' | b'\r'))?;
    memchr::memmem::find(source, opens.as_bytes())?;
    let mut copy = source.to_vec();
    // All bytes of the last character, so that the copy stays text.
    let first = copy.iter().rposition(|byte| byte & 0xc0 != 0x80).filter(|_| *last >= 0x80);
    let first = first.unwrap_or(copy.len() - 1);
    copy[first..].fill(b'\n');
    Some(copy)
}

/// Parses `source`, or says which limit the parser reached. What it did is taken from the budget.
pub(crate) fn parse(language: &Language, source: &[u8], budget: &mut Budget) -> Result<Tree, Limit> {
    let meter = Meter::start();
    // A parser of its own: one that was used before keeps blocks for its next work, and what it holds would depend on that.
    let mut parser = parser();
    // Packs are checked against their grammars: a grammar that does not fit the runtime is never met here.
    parser.set_language(language).map_err(|_| Limit::Work)?;
    let text = Text::new(source, budget.left());
    let mut reports = 0;
    let mut stopped = None;
    let mut watch = |_: &_| {
        reports += 1;
        let work = Work::of_parse(reports * STEPS_PER_REPORT, &meter, text.work.get());
        stopped = budget.exceeded(work);
        if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut watch);
    let tree = parser.parse_with_options(&mut |at, _| text.from(at), None, Some(options));
    let work = Work::of_parse(reports * STEPS_PER_REPORT, &meter, text.work.get());
    // The parser only reports once in a while: what it did after the last report counts as well.
    let stopped = stopped.or_else(|| budget.exceeded(work));
    budget.spend(work);
    match (tree, stopped) {
        (Some(tree), None) => Ok(tree),
        (_, stopped) => Err(stopped.unwrap_or(Limit::Work)),
    }
}

/// The text as the parser reads it.
struct Text<'s> {
    source: &'s [u8],
    /// What reading has taken so far, and may take; the text ends for the parser where it was more, so that it comes back.
    work: Cell<u64>,
    most: u64,
    /// Where the last piece ended.
    read: Cell<usize>,
}

impl<'s> Text<'s> {
    fn new(source: &'s [u8], most: u64) -> Self {
        Self { source, work: Cell::new(0), most, read: Cell::new(0) }
    }

    fn from(&self, at: usize) -> &'s [u8] {
        let goes_on = self.read.get() == at;
        let work = self.work.get() + if goes_on { WORK_PER_PIECE } else { 1 };
        self.work.set(work);
        let rest = self.source.get(at..).unwrap_or_default();
        let piece = match rest.get(..PIECE) {
            // Some scanners look for the end of a line, others for the end of the text: one comes after the other.
            _ if work > self.most => {
                if goes_on {
                    &b""[..]
                } else {
                    &b"\n"[..]
                }
            }
            piece => piece.unwrap_or(rest),
        };
        self.read.set(at + piece.len());
        piece
    }
}
