//! Small sets of short strings, as a walk over a pattern gathers them.

use super::extract;
use super::trigram_query::Query;
use std::collections::BTreeSet;

/// A set of folded strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strings(BTreeSet<Vec<u8>>);

impl Strings {
    pub(crate) fn new(strings: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self(strings.into_iter().collect())
    }

    /// The set of the empty string alone: says nothing of what a match starts or ends with.
    pub(crate) fn empty_string() -> Self {
        Self::new([Vec::new()])
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The length of the shortest.
    pub(crate) fn shortest(&self) -> usize {
        self.0.iter().map(Vec::len).min().unwrap_or(0)
    }

    pub(crate) fn union(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Every string of one followed by every string of the other.
    pub(crate) fn cross(&self, other: &Self) -> Self {
        let pairs = self.0.iter().flat_map(|one| other.0.iter().map(move |two| [&one[..], two].concat()));
        Self::new(pairs)
    }

    /// What is left when each is cut to its first bytes.
    pub(crate) fn starts(&self, length: usize) -> Self {
        Self::new(self.0.iter().map(|string| string[..string.len().min(length)].to_vec()))
    }

    /// What is left when each is cut to its last bytes.
    pub(crate) fn ends(&self, length: usize) -> Self {
        Self::new(self.0.iter().map(|string| string[string.len().saturating_sub(length)..].to_vec()))
    }

    /// What a text asks for that holds one of them.
    pub(crate) fn query(&self) -> Query {
        let of = |string: &Vec<u8>| Query::and(extract::of_folded(string).map(Query::Gram));
        Query::or(self.0.iter().map(of))
    }
}
