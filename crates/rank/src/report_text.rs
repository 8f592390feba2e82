//! The structure of a long query, such as a bug report: its title, prose, code, output and boilerplate.
//!
//! A short query has no structure: every word counts the same. In a report the title says what it is about; the rest is evidence
//! of different worth, and much of it is a form.

/// Queries of at most this many words on one line have no structure.
const SHORT_WORDS: usize = 30;
/// Maximum number of words of a title that is a sentence of running text.
const MAX_TITLE_WORDS: usize = 28;

/// The kind of a part of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// What the report is about.
    Title,
    /// Running text.
    Prose,
    /// Source code or commands.
    Code,
    /// Output of programs: logs, traces.
    Output,
}

/// A line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part<'q> {
    pub(crate) kind: PartKind,
    pub(crate) text: &'q str,
    /// Consecutive lines of the same block have the same number.
    pub(crate) block: usize,
}

/// A report, line by line, without boilerplate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report<'q> {
    pub(crate) parts: Vec<Part<'q>>,
}

/// Headings of issue forms. They and what they ask for say nothing about the problem.
const FORM_HEADINGS: &[&str] = &[
    "actual",
    "additional",
    "behavior",
    "behaviour",
    "bug",
    "checklist",
    "code",
    "context",
    "current",
    "describe",
    "description",
    "details",
    "error",
    "example",
    "expected",
    "happened",
    "info",
    "information",
    "issue",
    "log",
    "logs",
    "minimal",
    "motivation",
    "output",
    "possible",
    "problem",
    "relevant",
    "repro",
    "reproduce",
    "reproducible",
    "reproduction",
    "result",
    "results",
    "screenshots",
    "solution",
    "stack",
    "steps",
    "summary",
    "trace",
    "traceback",
    "workaround",
];
/// Headings of sections about the machine, the versions and the form itself, whose content is left out.
const FORM_SECTIONS: &[&str] = &[
    "checklist",
    "configuration",
    "desktop",
    "device",
    "environment",
    "installation",
    "platform",
    "platforms",
    "prerequisites",
    "smartphone",
    "system",
    "version",
    "versions",
];
/// Words that begin a line about the machine or the versions: `OS: …`.
const FORM_KEYS: &[&str] = &[
    "arch",
    "architecture",
    "browser",
    "cpu",
    "device",
    "distribution",
    "distro",
    "kernel",
    "operating",
    "os",
    "platform",
    "version",
    "versions",
];
/// Words between others in headings.
const FORM_FILLERS: &[&str] = &[
    "a", "and", "any", "are", "did", "do", "for", "have", "i", "is", "of", "or", "the", "this", "to",
    "tried", "what", "you", "your",
];

impl<'q> Report<'q> {
    /// The structure of a query; `None` for a short one.
    pub(crate) fn parse(query: &'q str) -> Option<Self> {
        let query = query.trim();
        let is_one_line = !query.contains('\n');
        if is_one_line && query.split_whitespace().count() <= SHORT_WORDS {
            return None;
        }
        let (title, body) = split_title(query);
        let mut parts = vec![Part { kind: PartKind::Title, text: title, block: 0 }];
        let mut reader = BodyReader::default();
        for line in body.lines() {
            if let Some(kind) = reader.read(line) {
                parts.push(Part { kind, text: line.trim(), block: reader.block });
            }
        }
        Some(Self { parts })
    }

    /// The title.
    pub(crate) fn title(&self) -> &'q str {
        self.parts.first().map_or("", |part| part.text)
    }

    /// The running text after the title, as one text.
    pub(crate) fn prose(&self) -> String {
        let prose = self.parts.iter().filter(|part| part.kind == PartKind::Prose).map(|part| part.text);
        prose.collect::<Vec<_>>().join("\n")
    }
}

/// The title, and the text after it. Running text without a title begins with a sentence that serves as one.
fn split_title(query: &str) -> (&str, &str) {
    let (line, rest) = query.split_once('\n').unwrap_or((query, ""));
    if line.split_whitespace().count() <= MAX_TITLE_WORDS {
        let title = line.trim().trim_start_matches('#').trim_start();
        return (title, rest);
    }
    let words_until = |end: usize| line[..end].split_whitespace().count();
    let ends = line.match_indices(['.', '?', '!', ';', ':']).map(|(at, mark)| at + mark.len());
    let is_sentence = |end: &usize| line[*end..].starts_with(' ') && words_until(*end) >= 3;
    let sentence = ends.filter(is_sentence).find(|end| words_until(*end) <= MAX_TITLE_WORDS);
    let nth_space = || {
        let spaces = line.match_indices(' ').map(|(at, _)| at);
        spaces.filter(|at| words_until(*at) >= MAX_TITLE_WORDS).min().unwrap_or(line.len())
    };
    let end = sentence.unwrap_or_else(nth_space);
    (query[..end].trim(), &query[end..])
}

/// Reads a body line by line.
#[derive(Default)]
struct BodyReader {
    in_fence: bool,
    in_comment: bool,
    in_form_section: bool,
    last: Option<PartKind>,
    block: usize,
}

impl BodyReader {
    /// The kind of a line; `None` for boilerplate.
    fn read(&mut self, line: &str) -> Option<PartKind> {
        let kind = self.classify(line);
        if kind.is_none() || kind != self.last {
            self.block += 1;
        }
        self.last = kind;
        kind
    }

    fn classify(&mut self, line: &str) -> Option<PartKind> {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            self.in_fence = !self.in_fence;
            return None;
        }
        if self.in_comment || bare.starts_with("<!--") {
            self.in_comment = !bare.contains("-->");
            return None;
        }
        if bare.is_empty() {
            return None;
        }
        let is_output = is_output(bare);
        if self.in_fence {
            return (!self.in_form_section).then_some(if is_output {
                PartKind::Output
            } else {
                PartKind::Code
            });
        }
        if let Some(heading) = heading(line) {
            let words = words(heading);
            self.in_form_section =
                words.len() <= 5 && words.iter().any(|word| FORM_SECTIONS.contains(&word.as_str()));
            let is_form = self.in_form_section || is_form_heading(&words);
            return (!is_form).then_some(PartKind::Prose);
        }
        if self.in_form_section || is_form_line(bare) {
            return None;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t') || bare.starts_with('>');
        Some(match (is_output, is_indented) {
            (true, _) => PartKind::Output,
            (false, true) => PartKind::Code,
            (false, false) => PartKind::Prose,
        })
    }
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    split.map(str::to_lowercase).collect()
}

/// The text of a heading: `## Steps`, `**Steps**`, `Steps to reproduce:`.
fn heading(line: &str) -> Option<&str> {
    let bare = line.trim();
    if bare.starts_with('#') {
        let text = bare.trim_start_matches('#');
        return text.starts_with(' ').then(|| text.trim());
    }
    if let Some(text) = bare.strip_prefix("**") {
        let text = text.trim_end_matches([':', '?']).strip_suffix("**").filter(|text| !text.contains("**"));
        return text.map(|text| text.trim_end_matches(':'));
    }
    let is_short = bare.split_whitespace().count() <= 5 && !line.starts_with(' ');
    bare.strip_suffix(':').filter(|_| is_short)
}

/// Whether all words of a heading are those of a form.
fn is_form_heading(words: &[String]) -> bool {
    let is_form = |word: &String| {
        FORM_HEADINGS.contains(&word.as_str())
            || FORM_FILLERS.contains(&word.as_str())
            || FORM_SECTIONS.contains(&word.as_str())
    };
    !words.is_empty() && words.iter().all(is_form)
}

/// Whether a line is part of a form: a check box, a row of a table, a version of something, an address, a quoted mail header.
fn is_form_line(bare: &str) -> bool {
    let item = bare.trim_start_matches(['-', '*', '+', ' ']);
    let is_box = item.starts_with("[ ]") || item.starts_with("[x]") || item.starts_with("[X]");
    let is_table = bare.starts_with('|') && bare.ends_with('|') && bare.len() > 1;
    let is_address = item.starts_with("http") && !item.contains(' ');
    let key = item.trim_start_matches('*').split([':', '=']).next().unwrap_or_default();
    let key = words(key);
    let is_key = item.len() < 100
        && item.contains([':', '='])
        && key.len() <= 3
        && key.iter().any(|word| FORM_KEYS.contains(&word.as_str()));
    is_box || is_table || is_address || is_key
}

/// Whether a line is output of a program: it begins with a time, a level or a frame.
fn is_output(bare: &str) -> bool {
    const LEVELS: &[&str] = &["DEBUG", "INFO", "WARN", "WARNING", "ERROR", "TRACE", "FATAL"];
    let mut rest = bare.trim_start_matches(['>', '|', ' ']);
    rest = rest.strip_prefix('[').unwrap_or(rest);
    let first = rest.split(|c: char| c.is_whitespace() || matches!(c, ']' | ':')).next().unwrap_or_default();
    let digits = first.chars().filter(char::is_ascii_digit).count();
    let is_time = digits >= 4 && first.contains(['-', '/', '.', 'T']) && !first.contains(char::is_lowercase);
    let is_frame = rest.starts_with("at ") && rest.contains(['(', ':'])
        || rest.starts_with('#') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    is_time || is_frame || LEVELS.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
Uploads hang after a redirect

**Describe the bug**
The client never closes the connection, see `Client.send`.

### Steps to reproduce
1. Upload a file

```
client.upload(file)
2024-01-02T10:00:00 redirected
```

### Environment
- OS: any
pool of the environment

Expected behavior:
- [x] I searched before
It should follow the redirect.
<!-- Thanks for
reporting! -->
";

    fn kinds(query: &str) -> Vec<(PartKind, String)> {
        let report = Report::parse(query).expect("a long query");
        report.parts.iter().map(|part| (part.kind, part.text.to_owned())).collect()
    }

    #[test]
    fn the_parts_of_a_report_are_separated_and_the_form_is_left_out() {
        let expected = [
            (PartKind::Title, "Uploads hang after a redirect"),
            (PartKind::Prose, "The client never closes the connection, see `Client.send`."),
            (PartKind::Prose, "1. Upload a file"),
            (PartKind::Code, "client.upload(file)"),
            (PartKind::Output, "2024-01-02T10:00:00 redirected"),
            (PartKind::Prose, "It should follow the redirect."),
        ];
        assert_eq!(kinds(REPORT), expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn a_short_query_has_no_structure() {
        assert_eq!(Report::parse("where are retries handled"), None);
        assert_eq!(Report::parse("Server.run"), None);
    }

    #[test]
    fn running_text_begins_with_its_first_sentence() {
        let text = format!("Retries are lost. {}", "The queue drops them when the worker stops. ".repeat(5));
        let report = Report::parse(&text).expect("a long query");
        assert_eq!(report.title(), "Retries are lost.");
        assert!(report.prose().starts_with("The queue"));
        let endless = "word ".repeat(60);
        assert_eq!(
            Report::parse(&endless).expect("long").title().split_whitespace().count(),
            MAX_TITLE_WORDS
        );
    }
}
