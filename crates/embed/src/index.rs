//! Search over vectors: a flat list of int8 rows, and one bit for each value as a first pass where there are many.
//!
//! Nothing is built ahead beyond the bits, so adding a vector costs what copying it costs. The first pass estimates every
//! product from bits, which is a twelfth of the work; the best of it are then compared exactly.

use crate::Vector;
use crate::kernel::{Kernel, LANES, PLANES, STRIDE};
use crate::packed::{self, packed_length};
use crate::sum::unit_length;

/// Below this many vectors the exact scan is as fast as the first pass.
const EXACT_BELOW: usize = 16_384;
/// Which share of the vectors the first pass lets through, and how many at least: for each result wanted, and in all.
/// Measured on questions against chunks of source: 3 % of them hold 99 % of the true ten best.
const SHARE: usize = 25;
const CANDIDATES_EACH: usize = 200;
/// Few results need more candidates for each than many do.
const FEW: usize = 10;
/// Rows or blocks scored at a time: their scores stay in the nearest cache.
const STEP: usize = 256;

/// A vector that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its place: the first vector that was pushed has 0.
    pub row: u32,
    /// Its product with the query. Comparable among hits of one model.
    pub score: i32,
}

/// Vectors of one model, searched by scanning them all.
#[derive(Clone, Debug)]
pub struct FlatIndex {
    dimension: usize,
    stride: usize,
    rows: Vec<i8>,
    /// Signs of the values: [`LANES`] vectors side by side, 64 values in each word.
    bits: Vec<[u64; LANES]>,
    len: usize,
    kernel: Kernel,
}

impl FlatIndex {
    /// An empty index for vectors of that dimension.
    pub fn new(dimension: usize) -> Self {
        let stride = dimension.next_multiple_of(STRIDE);
        Self { dimension, stride, rows: Vec::new(), bits: Vec::new(), len: 0, kernel: Kernel::detect() }
    }

    /// Makes room for more vectors at once.
    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve(count * self.stride);
        self.bits.reserve(count.div_ceil(LANES) * self.words());
    }

    /// How many vectors it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a vector, given as its values; its place is the number of those before it. Values beyond the dimension are
    /// left out, missing ones are nought.
    pub fn push(&mut self, values: &[i8]) {
        self.rows.extend_from_slice(&values[..values.len().min(self.dimension)]);
        self.note_last();
    }

    /// The same with a vector that is packed.
    pub fn push_packed(&mut self, bytes: &[u8]) {
        let start = self.rows.len();
        self.rows.resize(start + self.dimension, 0);
        packed::unpack(bytes, &mut self.rows[start..]);
        self.note_last();
    }

    /// Fills the last row up, and notes the signs of its values.
    fn note_last(&mut self) {
        let start = self.len * self.stride;
        self.rows.resize(start + self.stride, 0);
        let (block, lane) = (self.len / LANES, self.len % LANES);
        self.bits.resize((block + 1) * self.words(), [0; LANES]);
        let first = block * self.words();
        for (word, some) in self.bits[first..].iter_mut().zip(self.rows[start..].chunks(64)) {
            let signs = some.iter().enumerate();
            word[lane] = signs.fold(0, |bits, (at, value)| bits | u64::from(*value > 0) << at);
        }
        self.len += 1;
    }

    /// The vectors with the greatest products, greatest first; of equals the earlier one.
    pub fn search(&self, query: &Vector, count: usize) -> Vec<Hit> {
        if self.len < EXACT_BELOW {
            self.search_exact(query, count)
        } else {
            self.search_by_bits(query, count)
        }
    }

    /// The same, comparing every vector: what [`search`](Self::search) is measured against.
    pub fn search_exact(&self, query: &Vector, count: usize) -> Vec<Hit> {
        let query = self.padded(query);
        let mut best = Best::new(count);
        let mut scores = [0; STEP];
        for (step, rows) in self.rows.chunks(STEP * self.stride).enumerate() {
            let scores = &mut scores[..rows.len() / self.stride];
            self.kernel.products(&query, rows, scores);
            best.offer_all(step * STEP, scores);
        }
        best.into_hits()
    }

    /// The products of all vectors with a query, in the order they were pushed.
    pub fn products(&self, query: &Vector) -> Vec<i32> {
        let mut products = vec![0; self.len];
        if self.stride > 0 {
            self.kernel.products(&self.padded(query), &self.rows, &mut products);
        }
        products
    }

    /// The product of one vector with a query.
    pub fn product(&self, row: u32, query: &Vector) -> i32 {
        let at = row as usize * self.stride;
        let ours = self.rows[at..at + self.dimension].iter().zip(query.values());
        ours.map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
    }

    fn search_by_bits(&self, query: &Vector, count: usize) -> Vec<Hit> {
        let query = self.padded(query);
        let planes = planes(&query);
        let mut likely = Best::new((count * each(count)).max(self.len / SHARE));
        let mut scores = [[0; LANES]; STEP];
        for (step, blocks) in self.bits.chunks(STEP * self.words()).enumerate() {
            let scores = &mut scores[..blocks.len() / self.words()];
            self.kernel.estimates(&planes, blocks, scores);
            let first = step * STEP * LANES;
            let scores = scores.as_flattened();
            likely.offer_all(first, &scores[..scores.len().min(self.len - first)]);
        }
        let mut best = Best::new(count);
        let mut candidates = likely.into_any_order();
        // In the order of memory, and equals in the order of their places.
        candidates.sort_unstable_by_key(|hit| hit.row);
        for hit in candidates {
            let at = hit.row as usize * self.stride;
            let mut score = [0];
            self.kernel.products(&query, &self.rows[at..at + self.stride], &mut score);
            best.offer(hit.row as usize, score[0]);
        }
        best.into_hits()
    }

    fn words(&self) -> usize {
        self.stride / 64
    }

    fn padded(&self, query: &Vector) -> Vec<i8> {
        let mut padded = query.values().to_vec();
        padded.resize(self.dimension, 0);
        padded.resize(self.stride, 0);
        padded
    }
}

/// How many candidates are let through for each result. Of many results the last ones matter less.
fn each(count: usize) -> usize {
    CANDIDATES_EACH.min(2 * FEW * CANDIDATES_EACH / count.max(1)).max(CANDIDATES_EACH / FEW)
}

/// Compares a query with vectors as they are stored, without an index of them: for those who ask only once.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The two halves of the query, equally long.
    halves: (Vec<i8>, Vec<i8>),
    kernel: Kernel,
}

impl Scan {
    /// A scan for one query.
    pub fn new(query: &Vector) -> Self {
        let (first, second) = query.values().split_at(packed_length(query.values().len()));
        let mut second = second.to_vec();
        second.resize(first.len(), 0);
        Self { halves: (first.to_vec(), second), kernel: Kernel::detect() }
    }

    /// The products with packed rows that lie one after the other, added to `out`.
    pub fn products(&self, rows: &[u8], out: &mut Vec<i32>) {
        let (first, second) = (&self.halves.0, &self.halves.1);
        if first.is_empty() {
            return;
        }
        let start = out.len();
        out.resize(start + rows.len() / first.len(), 0);
        self.kernel.packed_products((first, second), rows, &mut out[start..]);
        for product in &mut out[start..] {
            *product *= packed::STEP;
        }
    }
}

/// The cosine that a product of two vectors stands for.
pub fn cosine(product: i32, dimension: usize) -> f32 {
    let unit = unit_length(dimension);
    (f64::from(product) / (unit * unit)) as f32
}

/// The query's values as signed numbers of [`PLANES`] bits, one plane of bits for each.
fn planes(query: &[i8]) -> Vec<[u64; PLANES]> {
    let peak = i32::from(query.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0).max(1));
    let mut planes = vec![[0; PLANES]; query.len() / 64];
    for (at, &value) in query.iter().enumerate() {
        // Rounded to the nearest of -7 to 7.
        let small = (i32::from(value) * 14 + i32::from(value.signum()) * peak) / (2 * peak);
        for (bit, plane) in planes[at / 64].iter_mut().enumerate() {
            *plane |= u64::from(small >> bit & 1 == 1) << (at % 64);
        }
    }
    planes
}

/// The best of a stream of scores. Twice as many as wanted are kept before the worse half is thrown away, which is
/// cheaper than keeping them in order. Places must come in ascending order: then of equals the earlier ones stay.
struct Best {
    wanted: usize,
    kept: Vec<Hit>,
    above: i32,
}

impl Best {
    fn new(wanted: usize) -> Self {
        Self { wanted, kept: Vec::with_capacity(2 * wanted), above: i32::MIN }
    }

    fn offer_all(&mut self, first: usize, scores: &[i32]) {
        for (at, &score) in scores.iter().enumerate() {
            self.offer(first + at, score);
        }
    }

    fn offer(&mut self, row: usize, score: i32) {
        if score <= self.above || self.wanted == 0 {
            return;
        }
        self.kept.push(Hit { row: row as u32, score });
        if self.kept.len() == 2 * self.wanted {
            let (_, worst, _) = self.kept.select_nth_unstable_by_key(self.wanted - 1, |hit| order(*hit));
            self.above = worst.score;
            self.kept.truncate(self.wanted);
        }
    }

    fn into_hits(self) -> Vec<Hit> {
        let mut hits = self.into_any_order();
        hits.sort_unstable_by_key(|hit| order(*hit));
        hits
    }

    fn into_any_order(mut self) -> Vec<Hit> {
        if self.kept.len() > self.wanted {
            self.kept.select_nth_unstable_by_key(self.wanted, |hit| order(*hit));
            self.kept.truncate(self.wanted);
        }
        self.kept
    }
}

fn order(hit: Hit) -> (std::cmp::Reverse<i32>, u32) {
    (std::cmp::Reverse(hit.score), hit.row)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FlatIndex, Hit, planes};
    use crate::{Sum, Vector, combine};

    /// Vectors in groups, as real ones are: a direction of the group and one of their own. No randomness from outside.
    fn vectors(count: usize, dimension: usize, seed: u64) -> Vec<Vector> {
        let mut state = seed;
        let mut number = || {
            let mut total = 0.0;
            for _ in 0..4 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                total += f32::from((state >> 48) as u16) / 65_536.0 - 0.5;
            }
            total
        };
        let groups: Vec<Vec<f32>> = (0..200).map(|_| (0..dimension).map(|_| number()).collect()).collect();
        let one = |at: usize| {
            let group = &groups[at % groups.len()];
            let values: Vec<f32> = group.iter().map(|value| value + 0.8 * number()).collect();
            combine(&[(&Sum::of_floats(&values), 1.0)])
        };
        (0..count).map(one).collect()
    }

    fn index_of(vectors: &[Vector], dimension: usize) -> FlatIndex {
        let mut index = FlatIndex::new(dimension);
        for vector in vectors {
            index.push(vector.values());
        }
        index
    }

    #[test]
    fn bits_find_what_the_exact_scan_finds() {
        let all = vectors(20_100, 256, 7);
        let (queries, rows) = all.split_at(100);
        let index = index_of(rows, 256);
        let mut found = 0;
        for query in queries {
            let exact = index.search_exact(query, 10);
            found += index.search_by_bits(query, 10).iter().filter(|hit| exact.contains(hit)).count();
        }
        assert!(found >= 990, "{found} of 1000");
    }

    #[test]
    fn planes_hold_sevenths_of_the_greatest_value() {
        let mut query = [0; 64];
        query[..4].copy_from_slice(&[100, -100, -15, 49]);
        // 7, -7, -1 and 3, as signed numbers of four bits, lowest first.
        assert_eq!(planes(&query), [[0b1111, 0b1101, 0b0101, 0b0110]]);
    }

    #[test]
    fn of_equals_the_earlier_comes_first() {
        let index = index_of(&vec![Vector::from_values(&[3, 4]); 40], 2);
        let hits = index.search(&Vector::from_values(&[1, 1]), 3);
        assert_eq!(hits, [0, 1, 2].map(|row| Hit { row, score: 7 }));
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let query = Vector::from_values(&[1, 2, 3]);
        assert_eq!(FlatIndex::new(3).search(&query, 5), []);
        assert_eq!(index_of(std::slice::from_ref(&query), 3).search(&query, 0), []);
    }

    proptest! {
        #[test]
        fn the_exact_scan_is_a_sort_by_product(
            rows in prop::collection::vec(prop::collection::vec(-127..=127_i8, 70), 1..60),
            query in prop::collection::vec(-127..=127_i8, 70),
            count in 1..20_usize,
        ) {
            let mut index = FlatIndex::new(70);
            for row in &rows {
                index.push(row);
            }
            let product = |row: &[i8]| -> i32 { row.iter().zip(&query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum() };
            let mut wanted: Vec<(i32, u32)> = (0..).zip(&rows).map(|(at, row)| (-product(row), at)).collect();
            wanted.sort_unstable();
            wanted.truncate(count);
            let query = Vector::from_values(&query);
            let products: Vec<i32> = rows.iter().map(|row| product(row)).collect();
            let found: Vec<(i32, u32)> = index.search_exact(&query, count).iter().map(|hit| (-hit.score, hit.row)).collect();
            prop_assert_eq!(&found, &wanted);
            prop_assert_eq!(index.products(&query), products);
            // With fewer vectors than candidates, the first pass leaves none out.
            let by_bits: Vec<(i32, u32)> = index.search_by_bits(&query, count).iter().map(|hit| (-hit.score, hit.row)).collect();
            prop_assert_eq!(&by_bits, &wanted);
        }
    }
}
