//! What a session was sent: lines of files, and whole answers. Within one session nothing is sent in full twice unless
//! it is asked for. Bounded: what was sent long ago is forgotten, and then simply sent again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many lines are remembered.
const LINES: usize = 40_000;
/// How many whole answers are remembered.
const ANSWERS: usize = 200;

/// The memory of one session.
#[derive(Default)]
pub(crate) struct Sent {
    /// By file and line: the content, and when it was sent.
    lines: HashMap<(u64, u32), (u64, u64)>,
    /// By question: the text, and when it was sent.
    answers: HashMap<u64, (u64, u64)>,
    /// How many answers were sent.
    clock: u64,
}

/// A line that is sent now.
pub(crate) struct SentLine {
    file: u64,
    line: u32,
    content: u64,
}

impl SentLine {
    /// A line of a file.
    pub(crate) fn new(path: &str, line: u32, text: &str) -> Self {
        Self { file: hash(path), line, content: hash(text) }
    }
}

impl Sent {
    /// Whether exactly this line was sent.
    pub(crate) fn has(&self, line: &SentLine) -> bool {
        self.lines.get(&(line.file, line.line)).is_some_and(|(content, _)| *content == line.content)
    }

    /// Whether this text was the answer to this question.
    pub(crate) fn answered(&self, question: u64, text: &str) -> bool {
        self.answers.get(&question).is_some_and(|(content, _)| *content == hash(text))
    }

    /// Notes an answer and the lines in it.
    pub(crate) fn note(&mut self, question: u64, text: &str, lines: Vec<SentLine>) {
        self.clock += 1;
        let now = self.clock;
        self.answers.insert(question, (hash(text), now));
        for line in lines {
            self.lines.insert((line.file, line.line), (line.content, now));
        }
        forget(&mut self.answers, ANSWERS);
        forget(&mut self.lines, LINES);
    }
}

/// Forgets the older half where there is too much.
fn forget<K: Eq + Hash>(kept: &mut HashMap<K, (u64, u64)>, most: usize) {
    if kept.len() <= most {
        return;
    }
    let mut times: Vec<u64> = kept.values().map(|(_, time)| *time).collect();
    times.sort_unstable();
    let middle = times[times.len() / 2];
    kept.retain(|_, (_, time)| *time > middle);
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_known_by_its_place_and_its_content() {
        let mut sent = Sent::default();
        sent.note(1, "text", vec![SentLine::new("a.c", 3, "int x;")]);
        assert!(sent.has(&SentLine::new("a.c", 3, "int x;")));
        assert!(!sent.has(&SentLine::new("a.c", 3, "int y;")), "it has changed");
        assert!(!sent.has(&SentLine::new("b.c", 3, "int x;")));
        assert!(sent.answered(1, "text") && !sent.answered(1, "other") && !sent.answered(2, "text"));
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut sent = Sent::default();
        for round in 0..100 {
            let lines = (0..1000).map(|line| SentLine::new(&format!("{round}.c"), line, "x")).collect();
            sent.note(round, "text", lines);
        }
        assert!(sent.lines.len() <= LINES && sent.answers.len() <= ANSWERS);
        assert!(sent.has(&SentLine::new("99.c", 1, "x")), "the latest is kept");
    }
}
