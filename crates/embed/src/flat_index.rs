//! A flat index of int8 vectors, searched by brute force; used for vectors of remote models.

use crate::Vector;
use crate::embedding::unit_length;
use crate::simd_kernel::{Kernel, STRIDE};

/// Vectors of one model, one byte per value.
#[derive(Clone, Debug)]
pub struct FlatIndex {
    dimension: usize,
    stride: usize,
    rows: Vec<i8>,
    len: usize,
    kernel: Kernel,
}

impl FlatIndex {
    /// An empty index for vectors of this dimension.
    pub fn new(dimension: usize) -> Self {
        let stride = dimension.next_multiple_of(STRIDE);
        Self { dimension, stride, rows: Vec::new(), len: 0, kernel: Kernel::detect() }
    }

    /// Reserves space for more vectors.
    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve(count * self.stride);
    }

    /// Adds a vector, truncated or zero-padded to the dimension.
    pub fn push(&mut self, values: &[i8]) {
        self.rows.extend_from_slice(&values[..values.len().min(self.dimension)]);
        self.len += 1;
        self.rows.resize(self.len * self.stride, 0);
    }

    /// The dot products of all vectors with a query, in insertion order.
    pub fn dot_products(&self, query: &Vector) -> Vec<i32> {
        let mut products = vec![0; self.len];
        if self.stride > 0 {
            let mut padded = query.values().to_vec();
            padded.resize(self.dimension, 0);
            padded.resize(self.stride, 0);
            self.kernel.dot_products(&padded, &self.rows, &mut products);
        }
        products
    }
}

/// The cosine similarity for a dot product of two unit vectors.
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
        fn dot_products_match_the_definition(
            rows in prop::collection::vec(prop::collection::vec(-127..=127_i8, 70), 0..20),
            query in prop::collection::vec(-127..=127_i8, 70),
        ) {
            let mut index = FlatIndex::new(70);
            for row in &rows {
                index.push(row);
            }
            let product = |row: &Vec<i8>| -> i32 { row.iter().zip(&query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum() };
            let wanted: Vec<i32> = rows.iter().map(product).collect();
            prop_assert_eq!(index.dot_products(&Vector::from_values(&query)), wanted);
        }
    }
}
