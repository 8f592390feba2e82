//! A plain word search as the baseline: BM25 over windows of forty lines, identifiers split, the words of the path
//! added. It knows nothing about code, so a code search must be clearly better.

use super::score::Hit;
use super::searcher::{Provider, SearchAnswer, Searcher};
use crate::corpus::Corpus;
use anyhow::Result;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Instant;

/// Number of lines of a window.
const WINDOW: usize = 40;

/// BM25 parameters k1 and b: the usual values.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// The word search.
pub(super) struct WordSearch;

impl Provider for WordSearch {
    fn name(&self) -> &'static str {
        "words"
    }

    fn parts(&self) -> Vec<String> {
        Vec::new()
    }

    fn open(&self, tree: &Path, _store: &Path) -> Result<Box<dyn Searcher>> {
        let corpus = Corpus::list(tree, 1)?;
        let files = corpus.read(1, Vec::new, |files, text| {
            let body = String::from_utf8_lossy(&text.bytes).into_owned();
            files.push((text.path.display().into_owned(), body));
        });
        Ok(Box::new(Index::new(files.into_iter().flatten())))
    }
}

/// A window of a file.
struct Window {
    path: String,
    first: usize,
    last: usize,
    /// Its size in bytes.
    bytes: usize,
    /// Its number of words.
    words: u32,
}

/// The windows, and an inverted index with term frequencies.
#[derive(Default)]
struct Index {
    windows: Vec<Window>,
    posts: HashMap<String, Vec<(usize, u32)>>,
}

impl Index {
    fn new(files: impl Iterator<Item = (String, String)>) -> Self {
        let mut index = Self::default();
        for (path, text) in files {
            let lines: Vec<&str> = text.lines().collect();
            for (place, window) in lines.chunks(WINDOW).enumerate() {
                index.add(&path, place * WINDOW, &window.join("\n"), window.len());
            }
        }
        index
    }

    fn add(&mut self, path: &str, before: usize, text: &str, lines: usize) {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for word in split(text).chain(split(path)) {
            *counts.entry(word).or_default() += 1;
        }
        let id = self.windows.len();
        let (first, last) = (before + 1, before + lines);
        let words = counts.values().sum();
        self.windows.push(Window { path: path.to_owned(), first, last, bytes: text.len(), words });
        for (word, count) in counts {
            self.posts.entry(word).or_default().push((id, count));
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "windows are thousands, not more")]
    fn scores(&self, query: &str) -> BTreeMap<usize, f64> {
        let all = self.windows.len().max(1) as f64;
        let words: u64 = self.windows.iter().map(|window| u64::from(window.words)).sum();
        let average = words as f64 / all;
        let mut asked: Vec<String> = split(query).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for posts in asked.iter().filter_map(|word| self.posts.get(word)) {
            let having = posts.len() as f64;
            let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for &(id, count) in posts {
                let count = f64::from(count);
                let length = f64::from(self.windows[id].words) / average;
                let damped = count + SATURATION * (1.0 - LENGTH + LENGTH * length);
                *scores.entry(id).or_default() += rarity * count * (SATURATION + 1.0) / damped;
            }
        }
        scores
    }
}

impl Searcher for Index {
    fn search(&self, query: &str, limit: usize, _without: &[String]) -> Result<SearchAnswer> {
        let start = Instant::now();
        let mut ranked: Vec<(usize, f64)> = self.scores(query).into_iter().collect();
        let place = |id: usize| (&self.windows[id].path, self.windows[id].first);
        ranked
            .sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| place(one.0).cmp(&place(other.0))));
        ranked.truncate(limit);
        let time = start.elapsed();
        let windows: Vec<&Window> = ranked.iter().map(|(id, _)| &self.windows[*id]).collect();
        let hit = |window: &&Window| Hit {
            path: window.path.clone(),
            start_line: Some(window.first as u32),
            end_line: Some(window.last as u32),
            also: Vec::new(),
        };
        let hits: Vec<Hit> = windows.iter().map(hit).collect();
        let read = windows.iter().scan(0, |sum, window| {
            *sum += window.path.len() + window.bytes;
            Some(*sum)
        });
        let read = read.collect();
        Ok(SearchAnswer { confident: !hits.is_empty(), hits, read, time })
    }
}

/// The words of a text in lower case: runs of letters and digits, and the parts of compound identifiers.
fn split(text: &str) -> impl Iterator<Item = String> {
    let whole = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    whole.flat_map(|word| {
        let parts = parts(word);
        let whole = (parts.len() > 1).then(|| word.to_lowercase());
        parts.into_iter().chain(whole)
    })
}

/// The parts of an identifier: at underscores, where lower case turns upper, and before the last of several capitals.
fn parts(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut parts = vec![String::new()];
    for (place, &letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|place| letters[place]);
        let after = letters.get(place + 1);
        let turns = letter.is_uppercase()
            && (before.is_some_and(|it| it.is_lowercase() || it.is_numeric())
                || (before.is_some_and(char::is_uppercase) && after.is_some_and(|it| it.is_lowercase())));
        if letter == '_' || turns {
            parts.push(String::new());
        }
        if letter != '_' {
            let last = parts.last_mut().expect("there is one from the start on");
            last.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_kept_whole_and_split() {
        let words: Vec<String> = split("parseHTTPHeader(max_age)").collect();
        assert_eq!(words, ["parse", "http", "header", "parsehttpheader", "max", "age", "max_age"]);
    }

    #[test]
    fn the_window_with_the_rare_words_comes_first() {
        let filler = "let value = other;\n".repeat(45);
        let files = [
            ("src/a.x".to_owned(), format!("{filler}fn retryBackoff() {{}}\n")),
            ("src/b.x".to_owned(), filler.clone()),
        ];
        let index = Index::new(files.into_iter());
        let found = index.search("where is the retry backoff", 10, &[]).expect("an answer");
        let first = &found.hits[0];
        assert_eq!((first.path.as_str(), first.start_line, first.end_line), ("src/a.x", Some(41), Some(46)));
        assert_eq!(found.hits.len(), 1, "nothing else has one of the words");
    }
}
