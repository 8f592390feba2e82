//! Which texts a query admits: of a segment by its lists, of a single text by its trigrams.

use super::block::{KeptList, List};
use super::extract::Grams;
use super::trigram_query::Query;
use crate::error::TextError;

/// Where the lists of a segment come from.
pub trait Lists {
    /// What can go wrong.
    type Error: From<TextError>;

    /// Gives the list of a trigram to `read`; `None` where no text of the segment has it.
    fn list<T>(
        &mut self,
        gram: u32,
        read: impl FnOnce(Option<List<'_>>) -> Result<T, Self::Error>,
    ) -> Result<T, Self::Error>;
}

/// Places of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slots {
    /// All there are.
    All,
    /// These, ascending.
    Some(Vec<u32>),
}

impl Slots {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) | (other, Self::All) => other,
            (Self::Some(mut one), Self::Some(two)) => {
                let mut two = two.into_iter().peekable();
                one.retain(|slot| {
                    while two.next_if(|other| other < slot).is_some() {}
                    two.peek() == Some(slot)
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

/// The texts of a segment that a query admits.
pub fn find<L: Lists>(query: &Query, lists: &mut L) -> Result<Slots, L::Error> {
    match query {
        Query::All => Ok(Slots::All),
        Query::Nothing => Ok(Slots::Some(Vec::new())),
        Query::Gram(gram) => lists.list(*gram, |list| read(list).map_err(L::Error::from)).map(Slots::Some),
        Query::Or(parts) => {
            let mut all = Slots::Some(Vec::new());
            for part in parts {
                all = all.or(find(part, lists)?);
            }
            Ok(all)
        }
        Query::And(parts) => {
            // The shortest list first: what it leaves makes the rest cheap, and often there is nothing left. Each is
            // looked up once: that takes longer than to keep it.
            let mut order = Vec::with_capacity(parts.len());
            for part in parts {
                let kept = match part {
                    Query::Gram(gram) => match lists.list(*gram, |list| Ok(list.map(KeptList::from)))? {
                        Some(list) => Some(list),
                        None => return Ok(Slots::Some(Vec::new())),
                    },
                    _ => None,
                };
                order.push((kept.as_ref().map_or(u32::MAX, |list| list.as_list().count), kept, part));
            }
            order.sort_by_key(|(count, ..)| *count);
            let mut left = Slots::All;
            for (_, kept, part) in order {
                let slots = match kept {
                    Some(list) => Slots::Some(read(Some(list.as_list()))?),
                    None => find(part, lists)?,
                };
                left = left.and(slots);
                if left.is_empty() {
                    break;
                }
            }
            Ok(left)
        }
    }
}

fn read(list: Option<List<'_>>) -> Result<Vec<u32>, TextError> {
    list.map_or(Ok(Vec::new()), |list| list.slots().collect())
}

/// Whether a query admits a text with these trigrams, which are sorted.
pub fn admits(query: &Query, sorted: &Grams) -> bool {
    match query {
        Query::All => true,
        Query::Nothing => false,
        Query::Gram(gram) => sorted.0.binary_search(gram).is_ok(),
        Query::And(parts) => parts.iter().all(|part| admits(part, sorted)),
        Query::Or(parts) => parts.iter().any(|part| admits(part, sorted)),
    }
}
