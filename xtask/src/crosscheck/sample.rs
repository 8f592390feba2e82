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

fn show(path: &str, outline: &Outline, at: u32, symbol: &Symbol, lines: &[&[u8]]) -> String {
    let line = |number: u32| -> String {
        let bytes = lines.get(number.saturating_sub(1) as usize).copied().unwrap_or_default();
        String::from_utf8_lossy(bytes).trim_end().chars().take(WIDTH).collect()
    };
    let (first, last) = (symbol.span.first_line, symbol.span.last_line);
    let name = outline.qualified(at).join(".");
    let mut words = format!("\n{path}:{first}-{last} {} {name}", symbol.kind.as_str());
    let mut ends = vec![first, symbol.name_span.first_line, last];
    ends.dedup();
    for number in ends {
        let _ = write!(words, "\n  {number:>6} {}", line(number));
    }
    words
}
