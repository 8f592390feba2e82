//! Prints a sample of symbols with the source at both ends of their spans, for inspection.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::corpus::{Corpus, default_threads};
use anyhow::Result;
use orient_model::{Outline, Symbol};
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum length of a printed line.
const WIDTH: usize = 110;

/// Number of lines that are shown at each end of a symbol.
const ENDS: u32 = 2;

/// A symbol as printed, with its position.
struct Shown {
    path: String,
    start: u32,
    words: String,
}

/// Maximum number of files that a random sample is drawn from.
const FILES: usize = 200;

/// Prints `number` symbols of the language by path and line: spread evenly over all, or drawn with `seed` from a
/// random set of files, so that a large directory is not parsed completely.
pub(super) fn print(directory: &Path, pack: &str, number: usize, seed: Option<u64>) -> Result<()> {
    let mut corpus = Corpus::list(directory, default_threads())?;
    // With one thread, the files keep the random order.
    let threads = seed.map_or_else(default_threads, |seed| {
        corpus.order_by(|path| path.as_bytes().iter().fold(seed, |key, &byte| mixed(key ^ u64::from(byte))));
        1
    });
    let files = AtomicUsize::new(0);
    let parts = corpus.read(threads, Vec::new, |shown: &mut Vec<Shown>, text| {
        let Some(language) = text.pack.filter(|language| language.name() == pack) else { return };
        if files.fetch_add(1, Ordering::Relaxed) >= FILES && seed.is_some() {
            return;
        }
        let facts = orient_lang::extract(Some(language), &text.bytes);
        let lines: Vec<&[u8]> = text.bytes.split(|&byte| byte == b'\n').collect();
        for (at, symbol) in (0..).zip(&facts.outline.symbols) {
            let path = text.path.display().into_owned();
            let words = show(&path, &facts.outline, at, symbol, &lines);
            shown.push(Shown { path, start: symbol.span.start, words });
        }
    });
    let mut all: Vec<Shown> = parts.into_iter().flatten().collect();
    all.sort_by(|a, b| (&a.path, a.start, &a.words).cmp(&(&b.path, b.start, &b.words)));
    println!("{} of {} symbols", number.min(all.len()), all.len());
    for place in drawn(all.len(), number, seed) {
        if let Some(shown) = all.get(place) {
            println!("{}", shown.words);
        }
    }
    Ok(())
}

/// `number` indices below `end`, in order.
fn drawn(end: usize, number: usize, seed: Option<u64>) -> Vec<usize> {
    let number = number.min(end);
    let Some(seed) = seed else { return (0..number).map(|place| place * end / number).collect() };
    let mut places: Vec<(u64, usize)> =
        (0..end).map(|place| (mixed(seed ^ mixed(place as u64)), place)).collect();
    places.sort_unstable();
    let mut places: Vec<usize> = places.into_iter().take(number).map(|(_, place)| place).collect();
    places.sort_unstable();
    places
}

/// A pseudo-random number, the same in every run (the last step of `SplitMix64`).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The position and properties of a symbol, and the lines where it begins, is named and ends, with its span and name
/// marked. The lines before and after show what is not part of it.
fn show(path: &str, outline: &Outline, at: u32, symbol: &Symbol, lines: &[&[u8]]) -> String {
    let (first, last) = (symbol.span.first_line, symbol.span.last_line);
    let name = outline.qualified(at).join(".");
    let kept = orient_lang::render_symbol(outline, symbol);
    let mut words = format!("\n{path} {name}\n  = {}", kept.trim());
    if let Some(doc) = symbol.doc {
        let doc = outline.strings.get(doc).replace('\n', " / ");
        let _ = write!(words, "\n  # {}", doc.chars().take(WIDTH).collect::<String>());
    }
    let starts: Vec<usize> = lines
        .iter()
        .scan(0, |next, line| {
            let start = *next;
            *next += line.len() + 1;
            Some(start)
        })
        .collect();
    let named = symbol.name_span;
    let marks = [(symbol.span.start, "⟦"), (named.start, "‹"), (named.end, "›"), (symbol.span.end, "⟧")];
    let near = |line: &u32| {
        *line < first + ENDS || *line + ENDS > last || line.abs_diff(named.first_line) < 2 || *line > last
    };
    let mut before = 0;
    for number in (first.saturating_sub(1).max(1)..=last + 1).filter(near) {
        let index = number.saturating_sub(1) as usize;
        let (Some(&line), Some(&start)) = (lines.get(index), starts.get(index)) else { continue };
        if before != 0 && before + 1 != number {
            words.push_str("\n       …");
        }
        before = number;
        let mut marked = Vec::new();
        for (at, byte) in (start..).zip(line.iter().chain(b" ")) {
            for (_, mark) in marks.iter().filter(|(place, _)| *place as usize == at) {
                marked.extend_from_slice(mark.as_bytes());
            }
            marked.push(*byte);
        }
        let text: String = String::from_utf8_lossy(&marked).trim_end().chars().take(WIDTH).collect();
        let _ = write!(words, "\n  {number:>6} {text}");
    }
    words
}
