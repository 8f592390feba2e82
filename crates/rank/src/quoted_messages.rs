//! Messages of programs that a query quotes: the parts of them that the source probably spells the same.
//!
//! `ValueError: no space to write '/tmp/x' while closing the header (13)` was built from a literal with two placeholders. What the
//! source contains are the words between the values: `no space to write` and `while closing the header`.

use crate::report_text::PartKind;
use crate::stop_words::is_stop_word;

/// Maximum number of parts of messages that are looked up.
const MAX_PARTS: usize = 8;
/// Fewer words or bytes occur anywhere.
const MIN_WORDS: usize = 3;
const MIN_BYTES: usize = 12;
/// Minimum number of words that are not stop words.
const MIN_TELLING: usize = 2;
/// Words before the colon of a message.
const LABELS: &[&str] = &["error", "exception", "failure", "fatal", "panic", "warning"];
/// Words that a short query has if it is a message.
const TROUBLE: &[&str] = &[
    "cannot",
    "denied",
    "error",
    "exception",
    "exceeded",
    "expected",
    "failed",
    "invalid",
    "missing",
    "must",
    "refused",
    "unable",
    "unexpected",
    "unknown",
    "unsupported",
];
/// First words of questions and requests.
const INTERROGATIVES: &[&str] = &[
    "add",
    "are",
    "can",
    "change",
    "do",
    "does",
    "explain",
    "find",
    "fix",
    "how",
    "implement",
    "is",
    "list",
    "should",
    "show",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
];

/// The messages in the parts of a report.
pub(crate) fn in_report<'q>(parts: impl Iterator<Item = (PartKind, &'q str)>) -> Vec<String> {
    let mut found = Vec::new();
    for (kind, text) in parts {
        let is_frame = text.starts_with("at ") || text.starts_with('#') || text.starts_with("File \"");
        if let Some(message) = after_label(text) {
            add_parts(message, &mut found);
        } else if kind == PartKind::Output && !is_frame {
            add_parts(text, &mut found);
        }
        for quoted in quotations(text) {
            add_parts(quoted, &mut found);
        }
    }
    found
}

/// The message that a short query is or contains.
pub(crate) fn in_question(query: &str) -> Vec<String> {
    let mut found = Vec::new();
    let words: Vec<String> = query.split_whitespace().map(plain).collect();
    let is_question =
        query.ends_with('?') || words.first().is_some_and(|word| INTERROGATIVES.contains(&word.as_str()));
    let is_message = words.iter().any(|word| TROUBLE.contains(&word.as_str()));
    match after_label(query) {
        Some(message) => add_parts(message, &mut found),
        None if is_message && !is_question => add_parts(query, &mut found),
        None => {}
    }
    found
}

/// A word in lower case, without punctuation around it.
fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The text after a label: `error: …`, `java.io.IOException: …`, `error[E0308]: …`.
fn after_label(text: &str) -> Option<&str> {
    let is_label = |word: &str| {
        let word = word.split(['[', '(']).next().unwrap_or_default().to_lowercase();
        LABELS.iter().any(|label| word.ends_with(label))
    };
    let colons = text.match_indices(": ").map(|(at, _)| at);
    let labels = colons.filter(|at| text[..*at].split_whitespace().next_back().is_some_and(is_label));
    labels.last().map(|at| text[at + 2..].trim())
}

/// The texts in quotation marks.
fn quotations(text: &str) -> Vec<&str> {
    const MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('`', '`'), ('\'', '\'')];
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(MARKS.map(|(open, _)| open)) {
        let open = rest[start..].chars().next().unwrap_or('"');
        let close = MARKS.iter().find(|mark| mark.0 == open).map_or(open, |mark| mark.1);
        let inside = &rest[start + open.len_utf8()..];
        // An apostrophe is not a quotation mark.
        let is_apostrophe = open == '\'' && rest[..start].ends_with(char::is_alphanumeric);
        match inside.find(close).filter(|_| !is_apostrophe) {
            Some(end) => {
                found.push(&inside[..end]);
                rest = &inside[end + close.len_utf8()..];
            }
            None => rest = inside,
        }
    }
    found
}

/// Adds the parts of a message between its values.
fn add_parts(message: &str, found: &mut Vec<String>) {
    let mut words: Vec<&str> = Vec::new();
    for word in message.split_whitespace() {
        if is_value(word) {
            add(&words, found);
            words.clear();
            continue;
        }
        words.push(word);
        // Values follow a colon, and a sentence is often a literal of its own.
        if word.ends_with([':', '.', ';', '!', '?']) {
            add(&words, found);
            words.clear();
        }
    }
    add(&words, found);
}

/// Whether a word of a message is probably not part of the literal.
fn is_value(word: &str) -> bool {
    let bare = word.trim_end_matches([':', ',', '.', ';', '!', '?']);
    let is_level = bare.len() > 3 && bare.chars().all(|c| c.is_ascii_uppercase());
    is_level
        || bare.is_empty()
        || bare.starts_with('\'')
        || bare.ends_with('\'')
        || bare.contains(|c: char| c.is_ascii_digit() || "\"`“”<>{}[]()%$/\\=|@#_.:".contains(c))
}

fn add(words: &[&str], found: &mut Vec<String>) {
    let text = words.join(" ");
    let text = text.trim_end_matches([':', ',', '.', ';', '!', '?']);
    let telling = words.iter().filter(|word| {
        let word = plain(word);
        word.len() > 2 && !is_stop_word(&word)
    });
    let is_telling = words.len() >= MIN_WORDS && text.len() >= MIN_BYTES && telling.count() >= MIN_TELLING;
    if is_telling && found.len() < MAX_PARTS && !found.iter().any(|known| known == text) {
        found.push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_looked_up_without_its_label_and_its_values() {
        let message = "ValueError: no space to write '/tmp/x' while closing the header (13)";
        assert_eq!(in_question(message), ["no space to write", "while closing the header"]);
        assert_eq!(
            in_question("error[E0308]: mismatched types in this pattern"),
            ["mismatched types in this pattern"]
        );
        assert_eq!(
            in_question("unable to reach the upstream server"),
            ["unable to reach the upstream server"]
        );
    }

    #[test]
    fn a_question_is_not_a_message() {
        assert!(in_question("where is an invalid token refused").is_empty());
        assert!(in_question("connection pool of the client").is_empty());
    }

    #[test]
    fn a_report_has_messages_in_quotation_marks_output_and_after_labels() {
        let parts = [
            (PartKind::Title, "It doesn't start: \"no free port was found\" appears"),
            (PartKind::Prose, "Then we see `TimeoutError: the worker did not answer in time`."),
            (PartKind::Output, "2024-01-02T10:00:00 ERROR giving up on peer 10.0.0.1 after many attempts"),
            (PartKind::Output, "at Client.send (client.js:10:3)"),
            (PartKind::Code, "let message = 5;"),
        ];
        let expected = [
            "no free port was found",
            "the worker did not answer in time",
            "giving up on peer",
            "after many attempts",
        ];
        let found = in_report(parts.into_iter());
        assert_eq!(
            found.iter().filter(|part| expected.contains(&part.as_str())).count(),
            expected.len(),
            "{found:?}"
        );
    }
}
