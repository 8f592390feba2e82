//! Splits texts into batches, limited by count and by total size.

use std::iter::Peekable;

/// Batches of consecutive items within both limits; an item over the size limit is a batch of its own.
pub(crate) struct Batches<I: Iterator, S> {
    items: Peekable<I>,
    max_items: usize,
    max_bytes: usize,
    size: S,
}

/// Splits `items` into batches; `size` returns the size of an item in bytes.
pub(crate) fn batches<I, S>(items: I, max_items: usize, max_bytes: usize, size: S) -> Batches<I::IntoIter, S>
where
    I: IntoIterator,
    S: Fn(&I::Item) -> usize,
{
    Batches { items: items.into_iter().peekable(), max_items: max_items.max(1), max_bytes, size }
}

impl<I: Iterator, S: Fn(&I::Item) -> usize> Iterator for Batches<I, S> {
    type Item = Vec<I::Item>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.items.next()?;
        let mut taken = (self.size)(&first);
        let mut batch = vec![first];
        while batch.len() < self.max_items {
            let fits = |item: &I::Item| taken + (self.size)(item) <= self.max_bytes;
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
        fn batches_respect_limits_and_lose_nothing(
            sizes in prop::collection::vec(0_usize..50, 0..60),
            most in 1_usize..8,
            bytes in 0_usize..100,
        ) {
            let groups: Vec<Vec<usize>> = batches(sizes.clone(), most, bytes, |size| *size).collect();
            for group in &groups {
                prop_assert!(!group.is_empty() && group.len() <= most);
                prop_assert!(group.len() == 1 || group.iter().sum::<usize>() <= bytes);
            }
            // Batches are maximal: the first item of a batch does not fit in the one before.
            for pair in groups.windows(2) {
                prop_assert!(pair[0].len() == most || pair[0].iter().sum::<usize>() + pair[1][0] > bytes);
            }
            prop_assert_eq!(groups.concat(), sizes);
        }
    }
}
