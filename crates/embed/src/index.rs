//! Vectors of other models: a flat list of int8 rows, all compared with a question.

use crate::Vector;
use crate::kernel::{Kernel, STRIDE};
use crate::sum::unit_length;

/// Vectors of one model, a byte for each value.
#[derive(Clone, Debug)]
pub struct FlatIndex {
    dimension: usize,
    stride: usize,
    rows: Vec<i8>,
    len: usize,
    kernel: Kernel,
}

impl FlatIndex {
    /// An empty index for vectors of that dimension.
    pub fn new(dimension: usize) -> Self {
        let stride = dimension.next_multiple_of(STRIDE);
        Self { dimension, stride, rows: Vec::new(), len: 0, kernel: Kernel::detect() }
    }

    /// Makes room for more vectors at once.
    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve(count * self.stride);
    }

    /// Adds a vector, given as its values. Values beyond the dimension are left out, missing ones are nought.
    pub fn push(&mut self, values: &[i8]) {
        self.rows.extend_from_slice(&values[..values.len().min(self.dimension)]);
        self.len += 1;
        self.rows.resize(self.len * self.stride, 0);
    }

    /// The products of all vectors with a query, in the order they were pushed.
    pub fn products(&self, query: &Vector) -> Vec<i32> {
        let mut products = vec![0; self.len];
        if self.stride > 0 {
            let mut padded = query.values().to_vec();
            padded.resize(self.dimension, 0);
            padded.resize(self.stride, 0);
            self.kernel.products(&padded, &self.rows, &mut products);
        }
        products
    }
}

/// The cosine that a product of two vectors stands for.
pub fn cosine(product: i32, dimension: usize) -> f32 {
    let unit = unit_length(dimension);
    (f64::from(product) / (unit * unit)) as f32
}

#[cfg(test)]
mod tests {
    use super::FlatIndex;
    use crate::Vector;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_are_sums_of_products(
            rows in prop::collection::vec(prop::collection::vec(-127..=127_i8, 70), 0..20),
            query in prop::collection::vec(-127..=127_i8, 70),
        ) {
            let mut index = FlatIndex::new(70);
            for row in &rows {
                index.push(row);
            }
            let product = |row: &Vec<i8>| -> i32 { row.iter().zip(&query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum() };
            let wanted: Vec<i32> = rows.iter().map(product).collect();
            prop_assert_eq!(index.products(&Vector::from_values(&query)), wanted);
        }
    }
}
