//! Evaluates a trigram query: on the posting lists of a segment, or on the trigrams of a single text.

use super::extract::Trigrams;
use super::trigram_query::TrigramQuery;
use crate::error::TextError;
use crate::postings::{OwnedPostingList, PostingList};

/// Provides the posting lists of a segment.
pub trait PostingSource {
    /// What can go wrong.
    type Error: From<TextError>;

    /// Passes the posting list of a trigram to `read`; `None` if no document of the segment contains it.
    fn list<T>(
        &mut self,
        trigram: u32,
        read: impl FnOnce(Option<PostingList<'_, ()>>) -> Result<T, Self::Error>,
    ) -> Result<T, Self::Error>;
}

/// A set of documents of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentSet {
    /// All documents.
    All,
    /// These, in ascending order.
    Some(Vec<u32>),
}

impl DocumentSet {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) | (other, Self::All) => other,
            (Self::Some(mut one), Self::Some(two)) => {
                let mut two = two.into_iter().peekable();
                one.retain(|document| {
                    while two.next_if(|other| other < document).is_some() {}
                    two.peek() == Some(document)
                });
                Self::Some(one)
            }
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Some(mut one), Self::Some(two)) => {
                one.extend(two);
                one.sort_unstable();
                one.dedup();
                Self::Some(one)
            }
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::Some(Vec::new())
    }
}

/// The documents of a segment that satisfy a query.
pub fn evaluate<S: PostingSource>(query: &TrigramQuery, source: &mut S) -> Result<DocumentSet, S::Error> {
    match query {
        TrigramQuery::All => Ok(DocumentSet::All),
        TrigramQuery::Nothing => Ok(DocumentSet::Some(Vec::new())),
        TrigramQuery::Trigram(trigram) => source.list(*trigram, |list| {
            let documents = list.map(PostingList::documents).transpose()?;
            Ok(DocumentSet::Some(documents.unwrap_or_default()))
        }),
        TrigramQuery::Or(parts) => {
            let mut all = DocumentSet::Some(Vec::new());
            for part in parts {
                all = all.or(evaluate(part, source)?);
            }
            Ok(all)
        }
        TrigramQuery::And(parts) => evaluate_and(parts, source),
    }
}

/// Intersects the shortest lists first: the intersection is often empty before the long ones are decoded. Each list is read
/// once and copied, since another lookup costs more than the copy.
fn evaluate_and<S: PostingSource>(parts: &[TrigramQuery], source: &mut S) -> Result<DocumentSet, S::Error> {
    let mut order = Vec::with_capacity(parts.len());
    for part in parts {
        let list = match part {
            TrigramQuery::Trigram(trigram) => {
                let list = source.list(*trigram, |list| Ok(list.map(OwnedPostingList::from)))?;
                let Some(list) = list else { return Ok(DocumentSet::Some(Vec::new())) };
                Some(list)
            }
            _ => None,
        };
        order.push((list.as_ref().map_or(u32::MAX, |list| list.as_list().count), list, part));
    }
    order.sort_by_key(|(count, ..)| *count);
    let mut remaining = DocumentSet::All;
    for (_, list, part) in order {
        let documents = match list {
            Some(list) => DocumentSet::Some(list.as_list().documents()?),
            None => evaluate(part, source)?,
        };
        remaining = remaining.and(documents);
        if remaining.is_empty() {
            break;
        }
    }
    Ok(remaining)
}

/// Whether a text with these trigrams, which are sorted, satisfies a query.
pub fn matches(query: &TrigramQuery, sorted: &Trigrams) -> bool {
    match query {
        TrigramQuery::All => true,
        TrigramQuery::Nothing => false,
        TrigramQuery::Trigram(trigram) => sorted.0.binary_search(trigram).is_ok(),
        TrigramQuery::And(parts) => parts.iter().all(|part| matches(part, sorted)),
        TrigramQuery::Or(parts) => parts.iter().any(|part| matches(part, sorted)),
    }
}
