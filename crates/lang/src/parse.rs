//! Runs the parser within a budget of steps, so that no file can hang us and every machine stops at the same place.

use crate::levels;
use orient_grammars::tree_sitter::{Language, ParseOptions, Parser, Tree};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// Parser steps allowed per byte, and for any file however small. Of 2,100 files of real repositories none needed more
/// than 3 steps a byte, and 10,000 brackets inside each other need 7; error recovery on hostile input needs thousands.
const STEPS_PER_BYTE: usize = 12;
const STEPS_AT_LEAST: usize = 300_000;
/// The parser reports once in so many steps.
const STEPS_PER_REPORT: usize = 100;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses `source` if the parser survives it: its text must not nest deeper than the levels it can hold.
pub(crate) fn parse_within(language: &Language, levels: Option<usize>, source: &[u8]) -> Option<Tree> {
    let survives = levels.is_none_or(|most| !levels::may_exceed(source, most));
    survives.then(|| parse(language, source)).flatten()
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

/// Parses `source`; nothing if the budget ran out or the grammar cannot be used.
pub(crate) fn parse(language: &Language, source: &[u8]) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(language).ok()?;
        let mut reports = (STEPS_AT_LEAST + source.len() * STEPS_PER_BYTE) / STEPS_PER_REPORT;
        let mut count = |_: &_| {
            reports = reports.saturating_sub(1);
            if reports == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut count);
        let tree =
            parser.parse_with_options(&mut |at, _| source.get(at..).unwrap_or_default(), None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}
