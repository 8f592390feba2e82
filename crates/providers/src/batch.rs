//! Cutting texts into requests: by how many, and by how large together.

use std::iter::Peekable;

/// Groups of neighbours that keep to both limits; a text that is larger than a whole group is one of its own.
pub(crate) struct Batches<I: Iterator, S> {
    items: Peekable<I>,
    most: usize,
    bytes: usize,
    size: S,
}

/// Groups `items`, whose sizes in bytes `size` tells.
pub(crate) fn batches<I, S>(items: I, most: usize, bytes: usize, size: S) -> Batches<I::IntoIter, S>
where
    I: IntoIterator,
    S: Fn(&I::Item) -> usize,
{
    Batches { items: items.into_iter().peekable(), most: most.max(1), bytes, size }
}

impl<I: Iterator, S: Fn(&I::Item) -> usize> Iterator for Batches<I, S> {
    type Item = Vec<I::Item>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.items.next()?;
        let mut taken = (self.size)(&first);
        let mut batch = vec![first];
        while batch.len() < self.most {
            let fits = |item: &I::Item| taken + (self.size)(item) <= self.bytes;
            let Some(item) = self.items.next_if(fits) else { break };
            taken += (self.size)(&item);
            batch.push(item);
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_lost_and_limits_hold(
            sizes in prop::collection::vec(0_usize..50, 0..60),
            most in 1_usize..8,
            bytes in 0_usize..100,
        ) {
            let groups: Vec<Vec<usize>> = batches(sizes.clone(), most, bytes, |size| *size).collect();
            for group in &groups {
                prop_assert!(!group.is_empty() && group.len() <= most);
                prop_assert!(group.len() == 1 || group.iter().sum::<usize>() <= bytes);
            }
            // As few as can be: the first of a group would not have fitted into the one before.
            for pair in groups.windows(2) {
                prop_assert!(pair[0].len() == most || pair[0].iter().sum::<usize>() + pair[1][0] > bytes);
            }
            prop_assert_eq!(groups.concat(), sizes);
        }
    }
}
