//! What a pattern asks of the trigrams of a text.

use std::collections::BTreeSet;

/// A condition on the trigrams of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Query {
    /// Nothing is asked: any text may match.
    All,
    /// No text can match.
    Nothing,
    /// The trigram must be there.
    Gram(u32),
    /// Every part must hold.
    And(Vec<Self>),
    /// One part must hold.
    Or(Vec<Self>),
}

impl Query {
    /// All of these.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = BTreeSet::new();
        for part in parts {
            match part {
                Self::All => {}
                Self::Nothing => return Self::Nothing,
                Self::And(parts) => kept.extend(parts),
                part => {
                    kept.insert(part);
                }
            }
        }
        one_or(kept, Self::All, Self::And)
    }

    /// One of these. What all of them ask for is asked for once.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = BTreeSet::new();
        for part in parts {
            match part {
                Self::All => return Self::All,
                Self::Nothing => {}
                Self::Or(parts) => kept.extend(parts),
                part => {
                    kept.insert(part);
                }
            }
        }
        let asked = |part: &Self| part.conjuncts().iter().cloned().collect::<BTreeSet<Self>>();
        let common = kept.iter().map(asked).reduce(|common, asked| &common & &asked);
        let Some(common) = common.filter(|common| !common.is_empty() && kept.len() > 1) else {
            return one_or(kept, Self::Nothing, Self::Or);
        };
        let besides =
            |part: &Self| Self::and(part.conjuncts().iter().filter(|asked| !common.contains(asked)).cloned());
        let rest = Self::or(kept.iter().map(besides).collect::<Vec<_>>());
        Self::and(common.into_iter().chain([rest]))
    }

    /// What must hold, piece by piece.
    fn conjuncts(&self) -> &[Self] {
        match self {
            Self::And(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether it asks for nothing, so that no text can be left out.
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// How many trigrams it names: what answering it costs.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::All | Self::Nothing => 0,
            Self::Gram(_) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::size).sum(),
        }
    }
}

fn one_or(kept: BTreeSet<Query>, none: Query, many: fn(Vec<Query>) -> Query) -> Query {
    let mut kept: Vec<Query> = kept.into_iter().collect();
    match kept.len() {
        0 => none,
        1 => kept.remove(0),
        _ => many(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::Query::{All, And, Gram, Nothing, Or};
    use super::*;

    #[test]
    fn parts_that_say_nothing_are_gone() {
        assert_eq!(Query::and([All, Gram(1), Query::and([Gram(2), Gram(1)])]), And(vec![Gram(1), Gram(2)]));
        assert_eq!(Query::or([Nothing, Gram(1), Query::or([Gram(2), Gram(1)])]), Or(vec![Gram(1), Gram(2)]));
        assert_eq!(Query::and([Gram(1), Nothing]), Nothing);
        assert_eq!(Query::or([Gram(1), All]), All);
        assert_eq!((Query::and([]), Query::or([])), (All, Nothing));
    }

    #[test]
    fn what_all_ask_for_is_asked_for_once() {
        let both = |one, two| Query::and([Gram(one), Gram(two)]);
        assert_eq!(Query::or([both(1, 2), both(1, 3)]), And(vec![Gram(1), Or(vec![Gram(2), Gram(3)])]));
        assert_eq!(Query::or([both(1, 2), Gram(1)]), Gram(1));
    }
}
