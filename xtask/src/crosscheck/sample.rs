//! A sample of symbols with the source at both ends of their spans, to be checked by eye.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

use crate::corpus::{Corpus, default_threads};
use anyhow::Result;
use orient_model::{Outline, Symbol};
use std::fmt::Write;
use std::path::Path;

/// How much of a line is shown.
const WIDTH: usize = 96;

/// A symbol as shown, found by its place.
type Shown = (String, u32, String);

/// Prints `number` symbols of the language, evenly from all there are, in the order of paths and lines.
pub(super) fn print(folder: &Path, pack: &str, number: usize) -> Result<()> {
    let threads = default_threads();
    let parts = Corpus::list(folder, threads)?.read(threads, Vec::new, |shown: &mut Vec<Shown>, text| {
        let Some(language) = text.pack.filter(|language| language.name() == pack) else { return };
        let outline = orient_lang::extract(Some(language), &text.bytes).outline;
        let lines: Vec<&[u8]> = text.bytes.split(|&byte| byte == b'\n').collect();
        for (at, symbol) in (0..).zip(&outline.symbols) {
            let path = text.path.display().into_owned();
            let words = show(&path, &outline, at, symbol, &lines);
            shown.push((path, symbol.span.start, words));
        }
    });
    let mut all: Vec<Shown> = parts.into_iter().flatten().collect();
    all.sort();
    println!("{} of {} symbols", number.min(all.len()), all.len());
    for place in 0..number.min(all.len()) {
        if let Some((_, _, words)) = all.get(place * all.len() / number) {
            println!("{words}");
        }
    }
    Ok(())
}

/// The place, kind and name of a symbol, and the lines where it begins, is named and ends, with its span and its name
/// marked. The lines before and after it are shown as well: what was left out is seen there.
fn show(path: &str, outline: &Outline, at: u32, symbol: &Symbol, lines: &[&[u8]]) -> String {
    let (first, last) = (symbol.span.first_line, symbol.span.last_line);
    let name = outline.qualified(at).join(".");
    let mut words = format!("\n{path}:{first}-{last} {} {name}", symbol.kind.as_str());
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
    let mut shown = vec![first.saturating_sub(1).max(1), first, named.first_line, last, last + 1];
    shown.dedup();
    for number in shown {
        let index = number.saturating_sub(1) as usize;
        let (Some(&line), Some(&start)) = (lines.get(index), starts.get(index)) else { continue };
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
