//! Texts that a hit must contain: quoted phrases, literally, and on request all words of the query, in any case.

use crate::error::ToolError;
use orient_engine::{FileQuery, SearchHit, SearchQuery, Snapshot, TrigramQuery, analyse, is_stop_word};
use orient_grep::{Case, Pattern};
use orient_model::RepoPath;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Where the phrases of a query occur.
pub(super) struct Phrases {
    /// For each phrase, the lines it begins on, by file.
    lines: Vec<BTreeMap<RepoPath, BTreeSet<u32>>>,
}

impl Phrases {
    /// The phrases in double quotes, and where they occur in the indexed files; `None` without any. A quoted word is a phrase too.
    /// A report quotes messages and values, and does not ask for the places that contain all of them. With `all_words`, the words
    /// outside quotes are required as well.
    pub(super) fn find(snapshot: &Snapshot, text: &str, all_words: bool) -> Result<Option<Self>, ToolError> {
        let mut required: Vec<(&str, Case)> = Vec::new();
        if all_words || !analyse(text).report {
            required.extend(quoted(text).into_iter().map(|phrase| (phrase, Case::Sensitive)));
        }
        if all_words {
            required.extend(words(text).into_iter().map(|word| (word, Case::Insensitive)));
        }
        if required.is_empty() {
            return Ok(None);
        }
        let lines = required.into_iter().map(|(phrase, case)| occurrences(snapshot, phrase, case));
        Ok(Some(Self { lines: lines.collect::<Result<_, _>>()? }))
    }

    /// Restricts a query to the files that contain every phrase.
    pub(super) fn restrict(&self, query: &mut SearchQuery) {
        let Some((first, rest)) = self.lines.split_first() else { return };
        let has_all = |path: &&RepoPath| rest.iter().all(|lines| lines.contains_key(*path));
        let mut files: BTreeSet<RepoPath> = first.keys().filter(has_all).cloned().collect();
        if let Some(among) = &query.among {
            files.retain(|path| among.contains(path));
        }
        query.among = Some(files);
    }

    /// Whether each phrase occurs somewhere.
    pub(super) fn occur(&self) -> bool {
        self.lines.iter().all(|lines| !lines.is_empty())
    }

    /// Whether every phrase begins inside a hit.
    pub(super) fn are_in(&self, hit: &SearchHit) -> bool {
        self.lines.iter().all(|lines| {
            let inside = |lines: &BTreeSet<u32>| lines.range(hit.first_line..=hit.last_line).next().is_some();
            lines.get(&hit.path).is_some_and(inside)
        })
    }
}

/// The texts between double quotes.
fn quoted(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split('"').collect();
    // An odd number of quotes leaves one unclosed.
    let closed = if parts.len().is_multiple_of(2) { parts.len() - 1 } else { parts.len() };
    parts[..closed].iter().skip(1).step_by(2).map(|part| part.trim()).filter(|part| part.len() > 1).collect()
}

/// The words outside double quotes, without punctuation around them and without those that carry no meaning.
fn words(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split('"').collect();
    let unclosed = parts.len().is_multiple_of(2);
    let last = parts.len() - 1;
    let outside =
        parts.iter().enumerate().filter(|(at, _)| at.is_multiple_of(2) || (unclosed && *at == last));
    outside
        .flat_map(|(_, part)| part.split_whitespace())
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        .filter(|word| !word.is_empty() && !is_stop_word(word))
        .collect()
}

/// The lines on which a phrase begins, by file. Only files that the trigram index does not rule out are read.
fn occurrences(
    snapshot: &Snapshot,
    phrase: &str,
    case: Case,
) -> Result<BTreeMap<RepoPath, BTreeSet<u32>>, ToolError> {
    let pattern = Pattern { patterns: vec![phrase.to_owned()], literal: true, case, ..Pattern::default() };
    let phrase = &*folded(phrase, case);
    let required: TrigramQuery = pattern.required();
    let excluded = snapshot.left_out(&required)?;
    let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
    let files = snapshot.files(&query, 0, usize::MAX)?.rows;
    let mut found: BTreeMap<RepoPath, BTreeSet<u32>> = BTreeMap::new();
    snapshot.each_text(files.iter().filter(|file| !excluded.contains(file.id)), |file, text| {
        let text = folded(text, case);
        let (mut line, mut at) = (1, 0);
        for (start, _) in text.match_indices(phrase) {
            line += text[at..start].matches('\n').count() as u32;
            at = start;
            found.entry(file.path.clone()).or_default().insert(line);
        }
    })?;
    Ok(found)
}

/// A text as it is compared.
fn folded(text: &str, case: Case) -> Cow<'_, str> {
    if case == Case::Insensitive { text.to_lowercase().into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_between_closed_quotes() {
        assert_eq!(quoted("where is \"not found\" and \"retry\" sent"), ["not found", "retry"]);
        assert_eq!(quoted("\"whole query\""), ["whole query"]);
        assert!(quoted("an \"open quote").is_empty());
        assert!(quoted("no quotes, \"\"").is_empty());
    }

    #[test]
    fn words_are_outside_quotes_and_carry_meaning() {
        assert_eq!(words("where is the Retry-After, and \"not found\" limit?"), ["Retry-After", "limit"]);
        assert_eq!(words("an \"open quote"), ["open", "quote"]);
    }
}
