//! Small sets of short strings: the prefixes, suffixes and exact matches of a part of a pattern.

use super::extract;
use super::trigram_query::TrigramQuery;
use std::collections::BTreeSet;

/// A set of case-folded strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StringSet(BTreeSet<Vec<u8>>);

impl StringSet {
    pub(crate) fn new(strings: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self(strings.into_iter().collect())
    }

    /// The set of the empty string: nothing is known about how a match starts or ends.
    pub(crate) fn empty_string() -> Self {
        Self::new([Vec::new()])
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The length of the shortest string.
    pub(crate) fn shortest(&self) -> usize {
        self.0.iter().map(Vec::len).min().unwrap_or(0)
    }

    pub(crate) fn union(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The concatenations of every string of `self` with every string of `other`.
    pub(crate) fn cross(&self, other: &Self) -> Self {
        let pairs = self.0.iter().flat_map(|one| other.0.iter().map(move |two| [&one[..], two].concat()));
        Self::new(pairs)
    }

    /// The prefixes of all strings, of at most `length` bytes.
    pub(crate) fn prefixes(&self, length: usize) -> Self {
        Self::new(self.0.iter().map(|string| string[..string.len().min(length)].to_vec()))
    }

    /// The suffixes of all strings, of at most `length` bytes.
    pub(crate) fn suffixes(&self, length: usize) -> Self {
        Self::new(self.0.iter().map(|string| string[string.len().saturating_sub(length)..].to_vec()))
    }

    /// The trigrams that a text with one of the strings contains.
    pub(crate) fn query(&self) -> TrigramQuery {
        let trigrams =
            |string: &Vec<u8>| TrigramQuery::and(extract::of_folded(string).map(TrigramQuery::Trigram));
        TrigramQuery::or(self.0.iter().map(trigrams))
    }
}
