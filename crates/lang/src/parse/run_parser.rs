//! Runs the parser within limits, so that no file can hang the process or exhaust memory. The limits count work and
//! allocated bytes, never time, so that every machine stops at the same point.

use crate::parse::budget::{Budget, Limit, Work};
use crate::parse::indentation_depth;
use orient_grammars::{Language, ParseOptions, Tree};
use orient_grammars::{Meter, parser};
use std::cell::Cell;
use std::ops::ControlFlow;

/// Number of parser steps between two progress callbacks.
const STEPS_PER_REPORT: u64 = 100;
/// The parser reads the text in pieces of this size; the number of reads measures how much it reads, and re-reads.
const PIECE: usize = 512;
/// Work of reading a whole piece.
const WORK_PER_PIECE: u64 = 16;

/// How the parser of a grammar differs from most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParserTraits {
    /// Maximum indentation depth that it survives.
    pub(crate) max_indentation: Option<usize>,
    /// Factor by which its scanner takes longer than others to read text.
    pub(crate) read_work: u64,
}

/// Parses `source`, unless it nests deeper than the indentation levels that the parser survives.
pub(crate) fn parse_within(
    language: &Language,
    traits: ParserTraits,
    source: &[u8],
    budget: &mut Budget,
) -> Result<Tree, Limit> {
    if traits.max_indentation.is_some_and(|most| indentation_depth::may_exceed(source, most)) {
        return Err(Limit::Work);
    }
    run(language, traits.read_work, source, budget)
}

/// A text of the same length that ends with a newline, for a parser that never returns after `opens` without one. None if
/// the text can be parsed as it is.
pub(crate) fn ended(source: &[u8], opens: &str) -> Option<Vec<u8>> {
    let (last, _) = source.split_last().filter(|(last, _)| !matches!(last, b'\n' | b'\r'))?;
    memchr::memmem::find(source, opens.as_bytes())?;
    let mut copy = source.to_vec();
    // Replace all bytes of the last character, so that the copy stays valid text.
    let first = copy.iter().rposition(|byte| byte & 0xc0 != 0x80).filter(|_| *last >= 0x80);
    let first = first.unwrap_or(copy.len() - 1);
    copy[first..].fill(b'\n');
    Some(copy)
}

/// Parses `source`, or returns the limit that the parser reached. The budget pays for its work.
pub(crate) fn parse(language: &Language, source: &[u8], budget: &mut Budget) -> Result<Tree, Limit> {
    run(language, 1, source, budget)
}

fn run(language: &Language, read_work: u64, source: &[u8], budget: &mut Budget) -> Result<Tree, Limit> {
    let meter = Meter::start();
    // A new parser each time: a used one keeps blocks for later, and the memory it holds would depend on earlier files.
    let mut parser = parser();
    // Packs are checked against their grammars, so a grammar that the runtime rejects never gets here.
    parser.set_language(language).map_err(|_| Limit::Work)?;
    let text = Text::new(source, read_work, budget.left());
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
    // The work after the last progress callback counts as well.
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
    /// Factor of the work of reading.
    factor: u64,
    /// The work of reading so far, and its maximum. Beyond the maximum the text ends for the parser, so that it returns.
    work: Cell<u64>,
    most: u64,
    /// The offset where the last piece ended.
    read: Cell<usize>,
}

impl<'s> Text<'s> {
    fn new(source: &'s [u8], factor: u64, most: u64) -> Self {
        Self { source, factor, work: Cell::new(0), most, read: Cell::new(0) }
    }

    fn from(&self, at: usize) -> &'s [u8] {
        let is_next = self.read.get() == at;
        let work = self.work.get() + self.factor * if is_next { WORK_PER_PIECE } else { 1 };
        self.work.set(work);
        let rest = self.source.get(at..).unwrap_or_default();
        let piece = match rest.get(..PIECE) {
            // Some scanners wait for the end of a line, others for the end of the text: give them first one, then the other.
            _ if work > self.most => {
                if is_next {
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
