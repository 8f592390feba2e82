//! Markdown fixtures: parses test documents, and rewrites their expectations.

use std::fmt::Write;

/// A test document.
#[derive(Debug)]
pub struct Document {
    /// Its cases, in order.
    pub cases: Vec<Case>,
    lines: Vec<String>,
}

/// One heading and the blocks under it.
#[derive(Debug)]
pub struct Case {
    /// The heading.
    pub title: String,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Debug)]
pub struct Block {
    /// The first word of the info string: a language, or the kind of expectation.
    pub kind: String,
    /// The `file=` of the info string.
    pub file: Option<String>,
    /// The text between the fences.
    pub text: String,
    /// Line of the opening fence, from 1.
    pub line: usize,
}

impl Document {
    /// Parses a document. Blocks before the first heading belong to a case without a title.
    pub fn parse(text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut cases = Vec::new();
        let mut case = Case { title: String::new(), blocks: Vec::new() };
        let mut index = 0;
        while index < lines.len() {
            let line = &lines[index];
            if let Some(title) = line.strip_prefix("## ") {
                cases
                    .push(std::mem::replace(&mut case, Case { title: title.to_owned(), blocks: Vec::new() }));
            } else if let Some(fence) = fence(line) {
                let info = line[fence.len()..].trim();
                let start = index + 1;
                let end =
                    (start..lines.len()).find(|&at| lines[at].trim_end() == fence).unwrap_or(lines.len());
                let mut words = info.split_whitespace();
                let block = Block {
                    kind: words.next().unwrap_or_default().to_owned(),
                    file: words.find_map(|word| word.strip_prefix("file=").map(str::to_owned)),
                    text: lines[start..end].iter().flat_map(|line| [line.as_str(), "\n"]).collect(),
                    line: index + 1,
                };
                case.blocks.push(block);
                index = end;
            }
            index += 1;
        }
        cases.push(case);
        cases.retain(|case| !case.blocks.is_empty());
        Self { cases, lines }
    }

    /// The document with the text of some blocks replaced: pairs of the line of a block's fence and its new text.
    pub fn updated(&self, replacements: &[(usize, String)]) -> String {
        let mut out = String::new();
        let mut index = 0;
        while index < self.lines.len() {
            let line = &self.lines[index];
            out.push_str(line);
            out.push('\n');
            index += 1;
            let Some((_, text)) = replacements.iter().find(|(at, _)| *at == index) else { continue };
            let fence = fence(line).unwrap_or("```");
            out.push_str(text);
            while index < self.lines.len() && self.lines[index].trim_end() != fence {
                index += 1;
            }
        }
        out
    }
}

fn fence(line: &str) -> Option<&str> {
    let length = line.len() - line.trim_start_matches('`').len();
    (length >= 3).then(|| &line[..length])
}

/// The difference of expected and actual text, line by line; none if they are equal.
pub fn difference(expected: &str, found: &str) -> Option<String> {
    if expected.trim_end() == found.trim_end() {
        return None;
    }
    let (expected, found): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let mut out = String::new();
    let before = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let rest = (expected.len() - before).min(found.len() - before);
    let after =
        (0..rest).take_while(|&i| expected[expected.len() - 1 - i] == found[found.len() - 1 - i]).count();
    for line in &expected[before..expected.len() - after] {
        let _ = writeln!(out, "  - {line}");
    }
    for line in &found[before..found.len() - after] {
        let _ = writeln!(out, "  + {line}");
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Title\n\n## One\n\n```rust file=a.rs\nfn a() {}\n```\n```symbols\nold\n```\n\n## Two\n\n````md\n```\n````\n";

    #[test]
    fn headings_open_cases_and_fences_open_blocks() {
        let document = Document::parse(TEXT);
        assert_eq!(document.cases.len(), 2);
        let one = &document.cases[0];
        assert_eq!((one.title.as_str(), one.blocks.len()), ("One", 2));
        assert_eq!(
            (one.blocks[0].file.as_deref(), one.blocks[0].text.as_str()),
            (Some("a.rs"), "fn a() {}\n")
        );
        assert_eq!(document.cases[1].blocks[0].text, "```\n");
    }

    #[test]
    fn only_the_named_blocks_are_replaced() {
        let document = Document::parse(TEXT);
        let line = document.cases[0].blocks[1].line;
        assert_eq!(document.updated(&[(line, "new\n".to_owned())]), TEXT.replace("old", "new"));
    }

    #[test]
    fn a_difference_shows_only_what_differs() {
        assert_eq!(difference("a\nb\nc\n", "a\nx\nc\n").as_deref(), Some("  - b\n  + x\n"));
        assert_eq!(difference("a\n", "a"), None);
    }
}
