//! Search over packed vectors: a flat list of them, and one bit for each value as a first pass where there are many.
//!
//! Nothing is built ahead beyond the bits, so adding a vector costs what copying it costs. The first pass estimates every
//! product from bits, which is a fraction of the work; the best of it are then compared exactly.

use std::sync::{Mutex, PoisonError};

use crate::Vector;
use crate::kernel::{Kernel, LANES, PLANES, STRIDE};
use crate::packed::{self, packed_length};

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
/// Candidates that are fetched and compared at a time.
const TOGETHER: usize = 32;
/// The greatest and the least an estimate can be, for each value.
const MOST: i32 = (1 << (PLANES - 1)) - 1;
const LEAST: i32 = -(1 << (PLANES - 1));

/// A vector that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its place: the first vector that was pushed has 0.
    pub row: u32,
    /// Its product with the query. Comparable among hits of one model.
    pub score: i32,
}

/// Vectors of one model as they are at rest, searched by scanning them all.
#[derive(Debug)]
pub struct PackedIndex {
    dimension: usize,
    /// The bytes of a row.
    length: usize,
    rows: Vec<u8>,
    /// Signs of the values: [`LANES`] vectors side by side, 64 values in each word.
    bits: Vec<[u64; LANES]>,
    len: usize,
    kernel: Kernel,
    /// The vector that is being added, unpacked.
    last: Vec<i8>,
    /// Room for estimates, when no search uses it.
    spare: Mutex<Vec<Vec<[i32; LANES]>>>,
}

impl PackedIndex {
    /// An empty index for vectors of that dimension.
    pub fn new(dimension: usize) -> Self {
        let last = vec![0; dimension.next_multiple_of(STRIDE)];
        let length = packed_length(dimension);
        let (rows, bits, kernel, spare) = (Vec::new(), Vec::new(), Kernel::detect(), Mutex::default());
        Self { dimension, length, rows, bits, len: 0, kernel, last, spare }
    }

    /// Makes room for more vectors at once.
    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve(count * self.length);
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

    /// Adds a packed vector; its place is the number of those before it.
    pub fn push(&mut self, bytes: &[u8]) {
        self.rows.extend_from_slice(&bytes[..bytes.len().min(self.length)]);
        self.rows.resize((self.len + 1) * self.length, 0);
        packed::unpack(&self.rows[self.len * self.length..], &mut self.last[..self.dimension]);
        let (block, lane) = (self.len / LANES, self.len % LANES);
        self.bits.resize((block + 1) * self.words(), [0; LANES]);
        let first = block * self.words();
        for (word, some) in self.bits[first..].iter_mut().zip(self.last.chunks(64)) {
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
        let scan = Scan::new(&self.fitting(query));
        let mut best = Best::new(count);
        let mut scores = Vec::with_capacity(STEP);
        for (step, rows) in self.rows.chunks((STEP * self.length).max(1)).enumerate() {
            scores.clear();
            scan.products(rows, &mut scores);
            best.offer_all(step * STEP, &scores);
        }
        best.into_hits()
    }

    /// The product of one vector with a query.
    pub fn product(&self, row: u32, query: &Scan) -> i32 {
        let at = row as usize * self.length;
        query.product(&self.rows[at..at + self.length])
    }

    fn search_by_bits(&self, query: &Vector, count: usize) -> Vec<Hit> {
        let query = self.fitting(query);
        let mut padded = query.values().to_vec();
        padded.resize(self.last.len(), 0);
        let mut estimates =
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        estimates.resize(self.bits.len() / self.words(), [0; LANES]);
        self.kernel.estimates(&planes(&padded), &self.bits, &mut estimates);
        let wanted = (count * each(count)).max(self.len / SHARE);
        let likely = greatest(&estimates.as_flattened()[..self.len], wanted, self.last.len());
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(estimates);
        let scan = Scan::new(&query);
        let mut best = Best::new(count);
        let (mut rows, mut scores) =
            (Vec::with_capacity(TOGETHER * self.length), Vec::with_capacity(TOGETHER));
        for some in likely.chunks(TOGETHER) {
            // They lie far apart: fetched one after the other, their ways from memory overlap.
            rows.clear();
            for &row in some {
                let at = row as usize * self.length;
                rows.extend_from_slice(&self.rows[at..at + self.length]);
            }
            scores.clear();
            scan.products(&rows, &mut scores);
            for (&row, &score) in some.iter().zip(&scores) {
                best.offer(row as usize, score);
            }
        }
        best.into_hits()
    }

    fn words(&self) -> usize {
        self.last.len() / 64
    }

    /// A query with as many values as the vectors have.
    fn fitting(&self, query: &Vector) -> Vector {
        let mut values = query.values().to_vec();
        values.resize(self.dimension, 0);
        Vector::from_values(&values)
    }
}

/// The places of the greatest estimates, ascending: as many as wanted, and all that equal the last of them.
fn greatest(estimates: &[i32], wanted: usize, values: usize) -> Vec<u32> {
    let values = i32::try_from(values).unwrap_or(i32::from(i16::MAX));
    let (least, most) = (LEAST * values, MOST * values);
    let rank = |estimate: i32| (estimate - least).cast_unsigned() as usize;
    let mut counts = vec![0_u32; rank(most) + 1];
    for &estimate in estimates {
        counts[rank(estimate)] += 1;
    }
    let (mut from, mut above) = (most + 1, 0);
    while above < wanted && from > least {
        from -= 1;
        above += counts[rank(from)] as usize;
    }
    let mut places = Vec::with_capacity(above);
    places.extend((0..).zip(estimates).filter(|(_, estimate)| **estimate >= from).map(|(place, _)| place));
    places
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
    /// The sum of all its values.
    sum: i32,
    kernel: Kernel,
}

impl Scan {
    /// A scan for one query.
    pub fn new(query: &Vector) -> Self {
        let (first, second) = query.values().split_at(packed_length(query.values().len()));
        let mut second = second.to_vec();
        second.resize(first.len(), 0);
        let sum = query.values().iter().map(|&value| i32::from(value)).sum();
        Self { halves: (first.to_vec(), second), sum, kernel: Kernel::detect() }
    }

    /// The product with one packed row.
    pub fn product(&self, row: &[u8]) -> i32 {
        let (first, second) = (&self.halves.0, &self.halves.1);
        let mut product = [0];
        if !first.is_empty() && row.len() == first.len() {
            self.kernel.packed_products((first, second), self.sum, row, &mut product);
        }
        product[0] * packed::STEP
    }

    /// The products with packed rows that lie one after the other, added to `out`.
    pub fn products(&self, rows: &[u8], out: &mut Vec<i32>) {
        let (first, second) = (&self.halves.0, &self.halves.1);
        if first.is_empty() {
            return;
        }
        let start = out.len();
        out.resize(start + rows.len() / first.len(), 0);
        self.kernel.packed_products((first, second), self.sum, rows, &mut out[start..]);
        for product in &mut out[start..] {
            *product *= packed::STEP;
        }
    }
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

    fn into_hits(mut self) -> Vec<Hit> {
        self.kept.sort_unstable_by_key(|hit| order(*hit));
        self.kept.truncate(self.wanted);
        self.kept
    }
}

fn order(hit: Hit) -> (std::cmp::Reverse<i32>, u32) {
    (std::cmp::Reverse(hit.score), hit.row)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Hit, PackedIndex, Scan, planes};
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

    fn index_of(vectors: &[Vector], dimension: usize) -> PackedIndex {
        let mut index = PackedIndex::new(dimension);
        for vector in vectors {
            index.push(&packed(vector));
        }
        index
    }

    fn packed(vector: &Vector) -> Vec<u8> {
        let mut bytes = Vec::new();
        vector.pack(&mut bytes);
        bytes
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
        let index = index_of(&vec![Vector::from_values(&[30, 40]); 40], 2);
        let hits = index.search(&Vector::from_values(&[1, 1]), 3);
        assert_eq!(hits, [0, 1, 2].map(|row| Hit { row, score: 70 }));
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let query = Vector::from_values(&[1, 2, 3]);
        assert_eq!(PackedIndex::new(3).search(&query, 5), []);
        assert_eq!(index_of(std::slice::from_ref(&query), 3).search(&query, 0), []);
    }

    proptest! {
        #[test]
        fn the_exact_scan_is_a_sort_by_product(
            rows in prop::collection::vec(prop::collection::vec(-127..=127_i8, 70), 1..60),
            query in prop::collection::vec(-127..=127_i8, 70),
            count in 1..20_usize,
        ) {
            let rows: Vec<Vec<u8>> = rows.iter().map(|row| packed(&Vector::from_values(row))).collect();
            let mut index = PackedIndex::new(70);
            for row in &rows {
                index.push(row);
            }
            let rows: Vec<Vec<i8>> = rows.iter().map(|row| Vector::unpack(row, 70).values().to_vec()).collect();
            let product = |row: &[i8]| -> i32 { row.iter().zip(&query).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum() };
            let mut wanted: Vec<(i32, u32)> = (0..).zip(&rows).map(|(at, row)| (-product(row), at)).collect();
            wanted.sort_unstable();
            wanted.truncate(count);
            let products: Vec<i32> = rows.iter().map(|row| product(row)).collect();
            let query = Vector::from_values(&query);
            let scan = Scan::new(&query);
            let found: Vec<(i32, u32)> = index.search_exact(&query, count).iter().map(|hit| (-hit.score, hit.row)).collect();
            prop_assert_eq!(&found, &wanted);
            let one_by_one: Vec<i32> = (0..rows.len() as u32).map(|row| index.product(row, &scan)).collect();
            prop_assert_eq!(one_by_one, products);
            // With fewer vectors than candidates, the first pass leaves none out.
            let by_bits: Vec<(i32, u32)> = index.search_by_bits(&query, count).iter().map(|hit| (-hit.score, hit.row)).collect();
            prop_assert_eq!(&by_bits, &wanted);
        }
    }
}
