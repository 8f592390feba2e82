//! A thesaurus of programming: the words that code uses for what people say in other words.
//!
//! A question is expanded with them at a small weight, so that they decide between chunks that match its own words equally well.
//! Names are not expanded: a query for `mutex_lock` is about that name.

use crate::query_analysis::Term;
use orient_text::{for_each_term, term_hash};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Per line: a word or phrase, the words of code for it, and how near they are: 1 for synonyms, 2 for words of the same concept.
static TEXT: &str = include_str!("../glossary/thesaurus.tsv");

/// The weight of synonyms and of words of the same concept, relative to the word.
const SYNONYM: f32 = 0.2;
const CONCEPT: f32 = 0.1;
/// Maximum number of related terms of a query; the weightiest are kept.
const MAX_RELATED: usize = 40;

/// The hashes of the stems of a word or of two; the second is 0 for one word.
type Phrase = (u32, u32);
/// The weight of the related words, and the words.
type RelatedWords = (f32, &'static str);

/// The related words of each word or phrase.
static THESAURUS: LazyLock<HashMap<Phrase, RelatedWords>> = LazyLock::new(|| {
    let rows = TEXT.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.split('\t');
        let (said, words, nearness) = (cells.next()?, cells.next()?, cells.next()?);
        let weight = if nearness.trim() == "1" { SYNONYM } else { CONCEPT };
        Some((key(said), (weight, words)))
    });
    rows.collect()
});

fn key(said: &str) -> Phrase {
    let mut stems = said.split(' ').map(stem);
    (stems.next().unwrap_or(0), stems.next().unwrap_or(0))
}

fn stem(word: &str) -> u32 {
    let mut last = 0;
    for_each_term(word.as_bytes(), |term, _| last = term_hash(term));
    last
}

/// The terms that are related to the words of a question; not those that it has itself.
pub(crate) fn related(question: &str, terms: &[Term]) -> Vec<Term> {
    let words: Vec<u32> =
        question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(stem).collect();
    let weight_of = |number: u32| {
        terms.iter().find(|term| term.number == number && !term.code).map_or(0.0, |term| term.weight)
    };
    let mut found: Vec<Term> = Vec::new();
    for (at, &word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or(0);
        // The words of a phrase are often stop words; the phrase is not.
        let phrase = THESAURUS.get(&(word, next)).filter(|_| next != 0).map(|entry| (1.0, entry));
        let single = THESAURUS.get(&(word, 0)).map(|entry| (weight_of(word), entry));
        for (weight, (nearness, words)) in phrase.into_iter().chain(single) {
            for word in words.split(',').filter(|_| weight > 0.0) {
                for_each_term(word.as_bytes(), |term, _| {
                    let (number, weight) = (term_hash(term), weight * nearness);
                    let is_asked = terms.iter().any(|term| term.number == number);
                    match found.iter_mut().find(|known| known.number == number) {
                        Some(known) => known.weight = known.weight.max(weight),
                        None if is_asked => {}
                        None => {
                            let text = String::from_utf8_lossy(term).into_owned();
                            found.push(Term { text, number, weight, code: false, optional: true });
                        }
                    }
                });
            }
        }
    }
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    found.truncate(MAX_RELATED);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query_analysis::analyse;

    fn words(question: &str) -> Vec<String> {
        analyse(question).related.into_iter().map(|term| term.text).collect()
    }

    #[test]
    fn a_question_is_expanded_with_what_code_says() {
        assert!(
            words("where are replies sent").contains(&"respons".to_owned()),
            "{:?}",
            words("where are replies sent")
        );
        assert!(words("when does it give up").iter().any(|word| word == "retri" || word == "abort"));
    }

    #[test]
    fn names_and_what_is_asked_for_are_not_expanded() {
        assert!(words("ReplyQueue").is_empty());
        assert!(!words("a reply is a response").contains(&"respons".to_owned()));
    }

    #[test]
    fn every_row_has_three_columns_and_words_that_differ() {
        for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 3, "{line}");
            assert!(["1", "2"].contains(&cells[2]), "{line}");
            assert!(cells[1].split(',').all(|word| !word.is_empty() && word != cells[0]), "{line}");
        }
    }
}
