//! What a session was sent: lines of files, and whole answers. Within one session nothing is sent in full twice unless
//! it is asked for. Bounded: what was sent long ago is forgotten, and then simply sent again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many lines are remembered at most: a reader has long pushed out of its context what came before them. Tables of
/// half this size are full but for one place in eight.
const LINES: usize = 2 * 3_584;
/// How many whole answers are remembered at most.
const ANSWERS: usize = 2 * 112;

/// The memory of one session.
pub(crate) struct SentHistory {
    /// By file and line: the content.
    lines: Latest,
    /// By question: the text.
    answers: Latest,
}

/// A line that is sent now.
pub(crate) struct SentLine {
    place: u64,
    content: u64,
}

impl SentLine {
    /// A line of a file.
    pub(crate) fn new(path: &str, line: u32, text: &str) -> Self {
        Self { place: hash((path, line)), content: hash(text) }
    }
}

impl Default for SentHistory {
    fn default() -> Self {
        Self { lines: Latest::new(LINES), answers: Latest::new(ANSWERS) }
    }
}

impl SentHistory {
    /// Whether exactly this line was sent.
    pub(crate) fn has(&self, line: &SentLine) -> bool {
        self.lines.get(line.place) == Some(line.content)
    }

    /// Whether this text was the answer to this question.
    pub(crate) fn answered(&self, question: u64, text: &str) -> bool {
        self.answers.get(question) == Some(hash(text))
    }

    /// Notes an answer and the lines in it.
    pub(crate) fn note(&mut self, question: u64, text: &str, lines: Vec<SentLine>) {
        self.answers.put(question, hash(text));
        for line in lines {
            self.lines.put(line.place, line.content);
        }
    }
}

/// The latest values of keys, in two halves: where the new one is full, the old one is dropped. A server has a memory for
/// each of its sessions, so one is no larger than it must be: no time is kept with a value.
struct Latest {
    new: HashMap<u64, u64>,
    old: HashMap<u64, u64>,
    most: usize,
}

impl Latest {
    fn new(most: usize) -> Self {
        Self { new: HashMap::new(), old: HashMap::new(), most }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.new.len() + self.old.len()
    }

    fn get(&self, key: u64) -> Option<u64> {
        self.new.get(&key).or_else(|| self.old.get(&key)).copied()
    }

    fn put(&mut self, key: u64, value: u64) {
        if self.new.len() >= self.most / 2 && !self.new.contains_key(&key) {
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
    fn a_line_is_known_by_its_place_and_its_content() {
        let mut sent = SentHistory::default();
        sent.note(1, "text", vec![SentLine::new("a.c", 3, "int x;")]);
        assert!(sent.has(&SentLine::new("a.c", 3, "int x;")));
        assert!(!sent.has(&SentLine::new("a.c", 3, "int y;")), "it has changed");
        assert!(!sent.has(&SentLine::new("b.c", 3, "int x;")));
        assert!(sent.answered(1, "text") && !sent.answered(1, "other") && !sent.answered(2, "text"));
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut sent = SentHistory::default();
        for round in 0..100 {
            let lines = (0..1000).map(|line| SentLine::new(&format!("{round}.c"), line, "x")).collect();
            sent.note(round, "text", lines);
        }
        assert!(sent.lines.len() <= LINES && sent.answers.len() <= ANSWERS);
        assert!(sent.has(&SentLine::new("99.c", 1, "x")), "the latest is kept");
        let kept = |round: u32| sent.has(&SentLine::new(&format!("{round}.c"), 1, "x"));
        assert!((97..100).all(kept), "half of what may be kept is, and that is the latest");
        assert!(!kept(80));
    }

    #[test]
    fn what_was_sent_last_counts() {
        let mut sent = SentHistory::default();
        let line = |text| SentLine::new("a.c", 3, text);
        let filler = |from: u32| (from..from + 3_500).map(|line| SentLine::new("b.c", line, "")).collect();
        sent.note(1, "", vec![line("old")]);
        sent.note(2, "", filler(0));
        sent.note(3, "", vec![line("new")]);
        sent.note(4, "", filler(3_500));
        assert!(sent.has(&line("new")) && !sent.has(&line("old")), "whichever half they are in");
    }
}
