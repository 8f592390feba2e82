//! The history of what a session was sent: lines of files, and whole answers. A session gets nothing twice unless it asks for
//! it. The history is bounded; a forgotten line is simply sent again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Maximum number of lines in the history: older ones have left the context of a model long ago. A hash table of half this
/// size is filled to seven eighths, its maximum load.
const MAX_LINES: usize = 2 * 3_584;
/// Maximum number of answers in the history.
const MAX_ANSWERS: usize = 2 * 112;

/// The history of one session.
pub(crate) struct SentHistory {
    /// Content hashes by file and line.
    lines: GenerationalMap,
    /// Text hashes by question.
    answers: GenerationalMap,
}

/// A line of a file in an answer.
pub(crate) struct SentLine {
    place: u64,
    content: u64,
}

impl SentLine {
    /// Identifies a line by its path, its number and its text.
    pub(crate) fn new(path: &str, line: u32, text: &str) -> Self {
        Self { place: hash((path, line)), content: hash(text) }
    }
}

impl Default for SentHistory {
    fn default() -> Self {
        Self { lines: GenerationalMap::new(MAX_LINES), answers: GenerationalMap::new(MAX_ANSWERS) }
    }
}

impl SentHistory {
    /// Whether this line was sent with this content.
    pub(crate) fn has(&self, line: &SentLine) -> bool {
        self.lines.get(line.place) == Some(line.content)
    }

    /// Whether this text was the answer to this question.
    pub(crate) fn answered(&self, question: u64, text: &str) -> bool {
        self.answers.get(question) == Some(hash(text))
    }

    /// Records an answer and its lines.
    pub(crate) fn record(&mut self, question: u64, text: &str, lines: Vec<SentLine>) {
        self.answers.put(question, hash(text));
        for line in lines {
            self.lines.put(line.place, line.content);
        }
    }
}

/// A bounded map with two generations: when the new one is full, the old one is dropped. This approximates LRU eviction without
/// a timestamp per entry; a server has one history per session, so entries must be small.
struct GenerationalMap {
    new: HashMap<u64, u64>,
    old: HashMap<u64, u64>,
    max: usize,
}

impl GenerationalMap {
    fn new(max: usize) -> Self {
        Self { new: HashMap::new(), old: HashMap::new(), max }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.new.len() + self.old.len()
    }

    fn get(&self, key: u64) -> Option<u64> {
        self.new.get(&key).or_else(|| self.old.get(&key)).copied()
    }

    fn put(&mut self, key: u64, value: u64) {
        if self.new.len() >= self.max / 2 && !self.new.contains_key(&key) {
            std::mem::swap(&mut self.new, &mut self.old);
            self.new.clear();
        }
        self.new.insert(key, value);
    }
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_identified_by_its_path_number_and_content() {
        let mut sent = SentHistory::default();
        sent.record(1, "text", vec![SentLine::new("a.c", 3, "int x;")]);
        assert!(sent.has(&SentLine::new("a.c", 3, "int x;")));
        assert!(!sent.has(&SentLine::new("a.c", 3, "int y;")), "it has changed");
        assert!(!sent.has(&SentLine::new("b.c", 3, "int x;")));
        assert!(sent.answered(1, "text") && !sent.answered(1, "other") && !sent.answered(2, "text"));
    }

    #[test]
    fn the_history_is_bounded() {
        let mut sent = SentHistory::default();
        for round in 0..100 {
            let lines = (0..1000).map(|line| SentLine::new(&format!("{round}.c"), line, "x")).collect();
            sent.record(round, "text", lines);
        }
        assert!(sent.lines.len() <= MAX_LINES && sent.answers.len() <= MAX_ANSWERS);
        assert!(sent.has(&SentLine::new("99.c", 1, "x")), "the latest is kept");
        let kept = |round: u32| sent.has(&SentLine::new(&format!("{round}.c"), 1, "x"));
        assert!((97..100).all(kept), "half of what may be kept is, and that is the latest");
        assert!(!kept(80));
    }

    #[test]
    fn the_latest_content_of_a_line_counts() {
        let mut sent = SentHistory::default();
        let line = |text| SentLine::new("a.c", 3, text);
        let filler = |from: u32| (from..from + 3_500).map(|line| SentLine::new("b.c", line, "")).collect();
        sent.record(1, "", vec![line("old")]);
        sent.record(2, "", filler(0));
        sent.record(3, "", vec![line("new")]);
        sent.record(4, "", filler(3_500));
        assert!(sent.has(&line("new")) && !sent.has(&line("old")), "whichever half they are in");
    }
}
