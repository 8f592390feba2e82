//! The lines of a hit that are worth showing: its header, and where the words of the question stand closest.

use super::hit::{OtherPlace, SearchHit};
use crate::{EngineError, Snapshot, Source};
use orient_model::Span;
use orient_rank::Analysis;
use orient_text::{for_each_term, term_hash};

/// Lines of a hit that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first one.
    pub first_line: u32,
    /// The lines, as they are in the file now.
    pub lines: Vec<String>,
}

/// What there is to show of a hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The most useful lines, in the order of the file; none where the file cannot be read.
    pub excerpts: Vec<Excerpt>,
    /// For each other place the one line that says most of what is there, where it has no name to say so.
    pub also: Vec<Option<String>>,
}

impl Snapshot {
    /// The most useful lines of a hit, at most so many, and of the other places that go with it.
    pub fn shown(&self, hit: &SearchHit, asked: &Analysis, most: usize) -> Result<Shown, EngineError> {
        let nameless = || hit.also.iter().filter(|place| place.name.is_empty());
        let first_line = nameless().map(|place| place.first_line).fold(hit.first_line, u32::min);
        let last_line = nameless().map(|place| place.last_line).fold(hit.last_line, u32::max);
        let span = Span { first_line, last_line, ..Span::default() };
        let Some(file) = self.file(&hit.path)? else { return Ok(Shown::default()) };
        // Read once for all of them.
        let Ok(Source { mut lines, .. }) = self.source(&file, span, 0) else { return Ok(Shown::default()) };
        let within = |first: u32, last: u32| {
            let until = lines.len().min((last + 1).saturating_sub(first_line) as usize);
            (first.saturating_sub(first_line) as usize).min(until)..until
        };
        let line = |place: &OtherPlace| {
            let lines = &lines[within(place.first_line, place.last_line)];
            place.name.is_empty().then(|| telling(lines, asked)).flatten()
        };
        let also = hit.also.iter().map(line).collect();
        let own = within(hit.first_line, hit.last_line);
        lines.truncate(own.end);
        lines.drain(..own.start);
        let source = Source { first_line: hit.first_line, lines, differs: false };
        Ok(Shown { excerpts: self.excerpts(hit, &source, asked, most)?, also })
    }

    fn excerpts(
        &self,
        hit: &SearchHit,
        source: &Source,
        asked: &Analysis,
        most: usize,
    ) -> Result<Vec<Excerpt>, EngineError> {
        let start = match hit.symbol {
            Some(symbol) => {
                self.store.symbol(symbol)?.map_or(0, |row| row.first_line.saturating_sub(hit.first_line))
            }
            None => 0,
        };
        let chosen = choose(&source.lines, start as usize, asked, most);
        let mut excerpts: Vec<Excerpt> = Vec::new();
        for at in chosen {
            let number = source.first_line + at as u32;
            match excerpts.last_mut() {
                Some(last) if last.first_line + last.lines.len() as u32 == number => {
                    last.lines.push(source.lines[at].clone());
                }
                _ => excerpts.push(Excerpt { first_line: number, lines: vec![source.lines[at].clone()] }),
            }
        }
        Ok(excerpts)
    }
}

/// The places of the lines to show, ascending. `header` is where the symbol itself begins, behind its documentation.
fn choose(lines: &[String], header: usize, asked: &Analysis, most: usize) -> Vec<usize> {
    if lines.len() <= most {
        return (0..lines.len()).collect();
    }
    let worth: Vec<f32> = lines.iter().map(|line| worth(line, asked)).collect();
    let header = if header < lines.len() { header } else { 0 };
    let mut chosen = vec![header];
    let window = most.saturating_sub(1);
    if window > 0 {
        let sum = |from: usize| worth[from..from + window].iter().sum::<f32>();
        // Of equals the first: what comes early explains more.
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

/// The line that has most of the question; of equals the first.
fn telling(lines: &[String], asked: &Analysis) -> Option<String> {
    let mut best: Option<(f32, &String)> = None;
    for line in lines {
        let worth = worth(line, asked);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, line));
        }
    }
    best.map(|(_, line)| line.trim().to_owned())
}

/// What a line has of the question.
fn worth(line: &str, asked: &Analysis) -> f32 {
    let mut total = 0.0;
    for_each_term(line.as_bytes(), |term, _| {
        let number = term_hash(term);
        total += asked.terms.iter().find(|one| one.number == number).map_or(0.0, |one| one.weight);
    });
    if line.trim().is_empty() { 0.0 } else { total + 0.01 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_rank::analyse;

    #[test]
    fn the_header_and_the_closest_words_are_shown() {
        let lines: Vec<String> =
            ["/// Doc.", "fn send() {", "a", "b", "retry(2)", "retry_after(3)", "c", "}"]
                .map(str::to_owned)
                .to_vec();
        assert_eq!(choose(&lines, 1, &analyse("where is retry done"), 3), [1, 4, 5]);
        assert_eq!(choose(&lines, 1, &analyse("where is retry done"), 20), (0..8).collect::<Vec<_>>());
        assert_eq!(choose(&lines, 1, &analyse("nothing of this"), 1), [1]);
    }
}
