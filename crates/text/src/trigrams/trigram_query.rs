//! Boolean queries over trigrams: what a text must contain to match a pattern.

use std::collections::BTreeSet;

/// A condition on the trigrams of a text, kept in a simple form: nested conjunctions and disjunctions are flattened, and
/// what all alternatives require is factored out.
///
/// Example: `(abc AND bcd) OR (abc AND bce)` becomes `abc AND (bcd OR bce)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrigramQuery {
    /// No condition: any text may match.
    All,
    /// No text can match.
    Nothing,
    /// The text must contain this trigram.
    Trigram(u32),
    /// All parts must hold.
    And(Vec<Self>),
    /// At least one part must hold.
    Or(Vec<Self>),
}

impl TrigramQuery {
    /// The conjunction.
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
        simplified(kept, Self::All, Self::And)
    }

    /// The disjunction. What all parts require is required once.
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
        let required = |part: &Self| part.conjuncts().iter().cloned().collect::<BTreeSet<Self>>();
        let common = kept.iter().map(required).reduce(|common, required| &common & &required);
        let Some(common) = common.filter(|common| !common.is_empty() && kept.len() > 1) else {
            return simplified(kept, Self::Nothing, Self::Or);
        };
        let without_common =
            |part: &Self| Self::and(part.conjuncts().iter().filter(|one| !common.contains(one)).cloned());
        let rest = Self::or(kept.iter().map(without_common).collect::<Vec<_>>());
        Self::and(common.into_iter().chain([rest]))
    }

    /// The conditions that must all hold.
    fn conjuncts(&self) -> &[Self] {
        match self {
            Self::And(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether there is no condition, so that no text can be excluded.
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// The number of trigrams: the cost of evaluating the query.
    pub(crate) fn trigrams(&self) -> usize {
        match self {
            Self::All | Self::Nothing => 0,
            Self::Trigram(_) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::trigrams).sum(),
        }
    }
}

fn simplified(
    kept: BTreeSet<TrigramQuery>,
    none: TrigramQuery,
    many: fn(Vec<TrigramQuery>) -> TrigramQuery,
) -> TrigramQuery {
    let mut kept: Vec<TrigramQuery> = kept.into_iter().collect();
    match kept.len() {
        0 => none,
        1 => kept.remove(0),
        _ => many(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::TrigramQuery::{All, And, Nothing, Or, Trigram};
    use super::*;

    #[test]
    fn neutral_parts_are_dropped() {
        assert_eq!(
            TrigramQuery::and([All, Trigram(1), TrigramQuery::and([Trigram(2), Trigram(1)])]),
            And(vec![Trigram(1), Trigram(2)])
        );
        assert_eq!(
            TrigramQuery::or([Nothing, Trigram(1), TrigramQuery::or([Trigram(2), Trigram(1)])]),
            Or(vec![Trigram(1), Trigram(2)])
        );
        assert_eq!(TrigramQuery::and([Trigram(1), Nothing]), Nothing);
        assert_eq!(TrigramQuery::or([Trigram(1), All]), All);
        assert_eq!((TrigramQuery::and([]), TrigramQuery::or([])), (All, Nothing));
    }

    #[test]
    fn common_conditions_are_factored_out() {
        let both = |one, two| TrigramQuery::and([Trigram(one), Trigram(two)]);
        assert_eq!(
            TrigramQuery::or([both(1, 2), both(1, 3)]),
            And(vec![Trigram(1), Or(vec![Trigram(2), Trigram(3)])])
        );
        assert_eq!(TrigramQuery::or([both(1, 2), Trigram(1)]), Trigram(1));
    }
}
