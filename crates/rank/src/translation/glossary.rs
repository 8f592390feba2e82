//! The glossary: terms of eight languages and their English counterparts.
//!
//! The table of a language is built when the language is first needed. Terms are found by their folded letters, by inflected forms of them,
//! and as parts of compounds.

use super::inflection::{Inflection, fold, split_words};
use super::language::Language;
use super::segmentation::simplified;
use std::collections::HashMap;
use std::sync::LazyLock;

static TEXT: &str = include_str!("../../glossary/glossary.tsv");

/// Minimum number of letters of a part of a compound.
const MIN_PART: usize = 3;
/// Maximum number of parts of a compound.
const MAX_PARTS: usize = 4;
/// Letters between the parts of a compound.
const LINKING: &[&str] = &["", "s", "n", "en", "es", "e", "er", "ns"];
/// Maximum number of English alternatives of a term.
const MAX_ALTERNATIVES: usize = 5;

/// The English cells of the rows that have a term.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'g> {
    cells: &'g [Cell],
}

impl Entries<'_> {
    /// The alternatives: the best of every row, then all others; none for function words.
    pub(super) fn english(self) -> impl Iterator<Item = &'static str> {
        let mut all: Vec<&'static str> = Vec::new();
        if !self.is_function_word() {
            all.extend(self.cells.iter().filter_map(|(_, cell)| cell.split(',').next()));
            all.extend(self.cells.iter().flat_map(|(_, cell)| cell.split(',').skip(1)));
            all.retain(|word| *word != "-");
        }
        all.into_iter().take(MAX_ALTERNATIVES)
    }

    /// Whether the term is first of all a function word.
    pub(super) fn is_function_word(self) -> bool {
        self.cells.first().is_some_and(|(_, cell)| *cell == "-")
    }
}

/// The rank of a term in the cell of its row, and the English cell of the row.
type Cell = (usize, &'static str);
/// The rows of each term; those come first in which the term is mentioned first.
type Terms = HashMap<Box<str>, Vec<Cell>>;

/// The terms of one language.
pub(super) struct Glossary {
    exact: Terms,
    /// By stem; without function words.
    stems: Terms,
    inflection: Option<Inflection>,
    /// The longest term, in characters.
    pub(super) longest: usize,
}

static GLOSSARIES: [LazyLock<Glossary>; 8] = [
    LazyLock::new(|| Glossary::build(Language::Chinese)),
    LazyLock::new(|| Glossary::build(Language::Japanese)),
    LazyLock::new(|| Glossary::build(Language::Korean)),
    LazyLock::new(|| Glossary::build(Language::Spanish)),
    LazyLock::new(|| Glossary::build(Language::Portuguese)),
    LazyLock::new(|| Glossary::build(Language::French)),
    LazyLock::new(|| Glossary::build(Language::German)),
    LazyLock::new(|| Glossary::build(Language::Russian)),
];

impl Glossary {
    /// The glossary of a language.
    pub(super) fn of(language: Language) -> &'static Self {
        &GLOSSARIES[language as usize]
    }

    fn build(language: Language) -> Self {
        let inflection = Inflection::of(language);
        let mut glossary = Self { exact: Terms::new(), stems: Terms::new(), inflection, longest: 0 };
        for row in TEXT.lines().filter(|row| !row.starts_with('#')) {
            let cells: Vec<&'static str> = row.split('\t').collect();
            let (Some(&english), mut column) = (cells.first(), language as usize + 1) else { continue };
            while cells.get(column) == Some(&"=") {
                column -= 1;
            }
            for (rank, term) in cells.get(column).copied().unwrap_or_default().split(',').enumerate() {
                let rank = if english == "-" { 0 } else { rank };
                glossary.add(term, (rank, english), language);
            }
            // Loanwords are parts of compounds.
            if language == Language::German && english != "-" {
                for word in english.split(',').filter(|word| !word.contains(' ')) {
                    insert(&mut glossary.exact, word.to_owned(), (0, word));
                }
            }
        }
        for cells in glossary.exact.values_mut().chain(glossary.stems.values_mut()) {
            cells.sort_by_key(|cell| cell.0);
        }
        glossary
    }

    fn add(&mut self, term: &str, english: Cell, language: Language) {
        if term.is_empty() {
            return;
        }
        let Some(inflection) = &self.inflection else {
            let key = if language == Language::Chinese { simplified(term) } else { term.to_owned() };
            let key = key.trim_end_matches('ー').to_lowercase();
            self.longest = self.longest.max(key.chars().count());
            insert(&mut self.exact, key, english);
            return;
        };
        let words: Vec<String> = split_words(term).into_iter().map(fold).collect();
        if english.1 != "-" {
            let stems: Vec<String> = words.iter().map(|word| inflection.stem(word).to_owned()).collect();
            insert(&mut self.stems, stems.join(" "), english);
        }
        insert(&mut self.exact, words.join(" "), english);
    }

    /// The entries of a term that is not inflected.
    pub(super) fn find_exact(&self, term: &str) -> Option<Entries<'_>> {
        self.exact.get(term).map(|cells| Entries { cells })
    }

    fn find_stem(&self, stem: &str) -> Option<Entries<'_>> {
        self.stems.get(stem).map(|cells| Entries { cells })
    }

    /// The entries of a folded word: as written, without an ending, or by its stem.
    pub(super) fn find_word(&self, word: &str) -> Option<Entries<'_>> {
        let Some(inflection) = &self.inflection else { return self.find_exact(word) };
        inflection.variants(word).iter().find_map(|variant| {
            let singular = |ending: &&str| {
                let rest = variant.strip_suffix(*ending).filter(|rest| rest.len() >= MIN_PART)?;
                self.find_exact(rest).filter(|entries| !entries.is_function_word())
            };
            self.find_exact(variant)
                .or_else(|| inflection.endings.iter().find_map(singular))
                .or_else(|| inflection.stems(variant).find_map(|stem| self.find_stem(stem)))
        })
    }

    /// The entries of several consecutive words.
    pub(super) fn find_phrase(&self, words: &[&str]) -> Option<Entries<'_>> {
        let inflection = self.inflection.as_ref()?;
        self.find_exact(&words.join(" ")).or_else(|| {
            let stems: Vec<&str> = words.iter().map(|word| inflection.stem(word)).collect();
            self.find_stem(&stems.join(" "))
        })
    }

    /// The entries of a folded word, or those of the parts that it is composed of; empty if some part is not in the glossary.
    pub(super) fn find_parts(&self, word: &str) -> Vec<Entries<'_>> {
        if let Some(entries) = self.find_word(word) {
            return vec![entries];
        }
        let mut parts = Vec::new();
        let has_compounds = self.inflection.as_ref().is_some_and(|inflection| inflection.compounds);
        if !has_compounds || !self.split(word, &mut parts) {
            parts.clear();
        }
        parts
    }

    /// Splits a compound: the longest first part that leaves a rest which can be split.
    ///
    /// Example: `verbindungspool` is `verbindung`, a linking `s`, and `pool`.
    fn split<'g>(&'g self, word: &str, parts: &mut Vec<Entries<'g>>) -> bool {
        if parts.len() >= MAX_PARTS {
            return false;
        }
        let is_content = |entries: &Entries<'_>| !entries.is_function_word();
        if !parts.is_empty()
            && let Some(entries) = self.find_word(word).filter(is_content)
        {
            parts.push(entries);
            return true;
        }
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).filter(|at| *at >= MIN_PART).collect();
        for end in ends.into_iter().rev().filter(|end| word.len() - end >= MIN_PART) {
            let part = &word[..end];
            let found = LINKING.iter().find_map(|linking| {
                let stem = part.strip_suffix(linking).filter(|stem| stem.len() >= MIN_PART)?;
                self.find_exact(stem).filter(is_content)
            });
            // Verbs are stems in compounds: `lesezugriff`, `speicherort`.
            let found = found.or_else(|| self.find_exact(&format!("{part}n")).filter(is_content));
            let found = found.or_else(|| self.find_exact(&format!("{part}en")).filter(is_content));
            if let Some(entries) = found {
                parts.push(entries);
                if self.split(&word[end..], parts) {
                    return true;
                }
                parts.pop();
            }
        }
        false
    }
}

fn insert(terms: &mut Terms, key: String, cell: Cell) {
    let cells = terms.entry(key.into_boxed_str()).or_default();
    match cells.iter_mut().find(|known| known.1 == cell.1) {
        Some(known) => known.0 = known.0.min(cell.0),
        None => cells.push(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_every_language() {
        let mut rows = 0;
        for row in TEXT.lines().filter(|row| !row.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            assert_eq!(cells.len(), 9, "{row}");
            assert!(cells.iter().all(|cell| !cell.is_empty()), "{row}");
            assert!(cells[0].is_ascii(), "{row}");
            rows += 1;
        }
        assert!(rows > 1200);
        assert!(TEXT.len() <= 300 << 10, "it is part of the binary");
    }

    #[test]
    fn compounds_are_split_at_terms_of_the_glossary() {
        let glossary = Glossary::of(Language::German);
        let english = |word: &str| -> Vec<&str> {
            glossary.find_parts(word).into_iter().filter_map(|entries| entries.english().next()).collect()
        };
        assert_eq!(english("anfragekopfzeilen"), ["request", "header"]);
        assert_eq!(english("sitzungsschlussel"), ["session", "key"]);
        assert!(english("donaudampfschiff").is_empty());
    }
}
