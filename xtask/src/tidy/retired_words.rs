//! Retired words: terms that the glossary replaced. None may occur in a file name, an identifier, a comment, a message
//! or a page, so that a concept keeps one name.

use super::Repository;
use crate::report::Findings;

/// Checks the name and the text of every file that is not free to use such words.
pub(super) fn check(repository: &Repository, findings: &mut Findings) {
    let rules = &repository.policy.retired;
    let sources = repository.sources.iter().map(|source| (source.path.as_str(), source.text.as_str()));
    let texts = repository.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    for (path, text) in sources.chain(texts) {
        if rules.free.iter().any(|free| path.starts_with(free.as_str())) {
            continue;
        }
        let lines = std::iter::once((0, path)).chain((1..).zip(text.lines()));
        for (line, text) in lines {
            for word in words(text) {
                if let Some(instead) = rules.words.get(&word) {
                    findings.fail(path, line, format!("`{word}` is retired; use {instead}"));
                }
            }
        }
    }
}

/// The words of a text in lower case; identifiers are split at underscores and capitals: `OpenDoor` is `open`, `door`.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_is_lower = false;
    for letter in text.chars() {
        let ends = !letter.is_alphanumeric() || (letter.is_uppercase() && before_is_lower);
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before_is_lower = letter.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_into_words() {
        assert_eq!(words("live/src/open_door.rs"), ["live", "src", "open", "door", "rs"]);
        assert_eq!(words("struct OpenDoor; // a door's"), ["struct", "open", "door", "a", "door", "s"]);
        assert_eq!(words("outdoors"), ["outdoors"]);
    }
}
