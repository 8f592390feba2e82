//! Snippets: the header of a hit, and the window of lines with the most query terms.

use super::hit::{SameFileHit, SearchHit};
use crate::{EngineError, Snapshot, SourceLines};
use orient_model::Span;
use orient_rank::Analysis;
use orient_text::{for_each_term, term_hash};

/// Consecutive lines of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The number of the first line.
    pub first_line: u32,
    /// The lines of the current file.
    pub lines: Vec<String>,
}

/// The text to show for a hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitText {
    /// The most useful lines, in file order; empty if the file cannot be read.
    pub snippets: Vec<Snippet>,
    /// For each further hit without a name, its line with the most query terms.
    pub also: Vec<Option<String>>,
}

impl Snapshot {
    /// The snippet of a hit, at most `most` lines, and the lines of its further hits.
    pub fn hit_text(
        &self,
        hit: &SearchHit,
        analysis: &Analysis,
        most: usize,
    ) -> Result<HitText, EngineError> {
        let nameless = || hit.also.iter().filter(|place| place.name.is_empty());
        let first_line = nameless().map(|place| place.first_line).fold(hit.first_line, u32::min);
        let last_line = nameless().map(|place| place.last_line).fold(hit.last_line, u32::max);
        let span = Span { first_line, last_line, ..Span::default() };
        let Some(file) = self.file(&hit.path)? else { return Ok(HitText::default()) };
        // One read for all of them.
        let Ok(SourceLines { mut lines, .. }) = self.source(&file, span, 0) else {
            return Ok(HitText::default());
        };
        let within = |first: u32, last: u32| {
            let until = lines.len().min((last + 1).saturating_sub(first_line) as usize);
            (first.saturating_sub(first_line) as usize).min(until)..until
        };
        let line = |place: &SameFileHit| {
            let lines = &lines[within(place.first_line, place.last_line)];
            place.name.is_empty().then(|| telling(lines, analysis)).flatten()
        };
        let also = hit.also.iter().map(line).collect();
        let own = within(hit.first_line, hit.last_line);
        lines.truncate(own.end);
        lines.drain(..own.start);
        let source = SourceLines { first_line: hit.first_line, lines, differs: false };
        Ok(HitText { snippets: self.snippets(hit, &source, analysis, most)?, also })
    }

    fn snippets(
        &self,
        hit: &SearchHit,
        source: &SourceLines,
        analysis: &Analysis,
        most: usize,
    ) -> Result<Vec<Snippet>, EngineError> {
        let start = match hit.symbol {
            Some(symbol) => {
                self.store.symbol(symbol)?.map_or(0, |row| row.first_line.saturating_sub(hit.first_line))
            }
            None => 0,
        };
        let chosen = choose(&source.lines, start as usize, analysis, most);
        let mut snippets: Vec<Snippet> = Vec::new();
        for at in chosen {
            let number = source.first_line + at as u32;
            match snippets.last_mut() {
                Some(last) if last.first_line + last.lines.len() as u32 == number => {
                    last.lines.push(source.lines[at].clone());
                }
                _ => snippets.push(Snippet { first_line: number, lines: vec![source.lines[at].clone()] }),
            }
        }
        Ok(snippets)
    }
}

/// The indexes of the lines to show, ascending. `header` is the first line of the symbol after its documentation.
fn choose(lines: &[String], header: usize, analysis: &Analysis, most: usize) -> Vec<usize> {
    if lines.len() <= most {
        return (0..lines.len()).collect();
    }
    let worth: Vec<f32> = lines.iter().map(|line| worth(line, analysis)).collect();
    let header = if header < lines.len() { header } else { 0 };
    let mut chosen = vec![header];
    let window = most.saturating_sub(1);
    if window > 0 {
        let sum = |from: usize| worth[from..from + window].iter().sum::<f32>();
        // On a tie the earlier window wins.
        let mut best = header.min(lines.len() - window);
        for from in 0..=lines.len() - window {
            if sum(from) > sum(best) {
                best = from;
            }
        }
        chosen.extend(best..best + window);
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The line with the highest term weight; on a tie the first.
fn telling(lines: &[String], analysis: &Analysis) -> Option<String> {
    let mut best: Option<(f32, &String)> = None;
    for line in lines {
        let worth = worth(line, analysis);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, line));
        }
    }
    best.map(|(_, line)| line.trim().to_owned())
}

/// The weight of the query terms in a line.
fn worth(line: &str, analysis: &Analysis) -> f32 {
    let mut total = 0.0;
    for_each_term(line.as_bytes(), |term, _| {
        let number = term_hash(term);
        total += analysis.terms.iter().find(|one| one.number == number).map_or(0.0, |one| one.weight);
    });
    if line.trim().is_empty() { 0.0 } else { total + 0.01 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_rank::analyse;

    #[test]
    fn snippets_have_the_header_and_the_densest_window() {
        let lines: Vec<String> =
            ["/// Doc.", "fn send() {", "a", "b", "retry(2)", "retry_after(3)", "c", "}"]
                .map(str::to_owned)
                .to_vec();
        assert_eq!(choose(&lines, 1, &analyse("where is retry done"), 3), [1, 4, 5]);
        assert_eq!(choose(&lines, 1, &analyse("where is retry done"), 20), (0..8).collect::<Vec<_>>());
        assert_eq!(choose(&lines, 1, &analyse("nothing of this"), 1), [1]);
    }
}
