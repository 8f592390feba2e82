//! A flat index of int4 vectors with a binary first pass: exact search over candidates chosen by their sign bits.
//!
//! There is nothing to build but the sign bits, so replacing a vector costs no more than copying its block. The first pass
//! estimates every dot product from one bit per value; the best candidates are then scored exactly.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Vector;
use crate::quantisation::{self, PackedGroup, packed_length};
use crate::simd_kernel::{Kernel, LANES, PLANES};
use crate::vector_block::{Block, Shape};

/// Below this many vectors the exact scan is as fast as the first pass.
const EXACT_BELOW: usize = 16_384;
/// One in this many vectors becomes a candidate. Measured on queries against source code: 3 % of the vectors contain 99 %
/// of the true ten best.
const CANDIDATE_SHARE: usize = 25;
/// Minimum number of candidates per result.
const CANDIDATES_PER_RESULT: usize = 200;
/// Up to about this many results, each gets the full number of candidates.
const FEW_RESULTS: usize = 10;
/// A block is full at this many vectors. Replacing a group copies its block.
const BLOCK_SIZE: usize = 2048;
/// Maximum number of pooled estimate buffers.
const MAX_POOLED: usize = 2;
/// Rows scored at a time, so that their scores stay in the L1 cache.
const SCORE_BATCH: usize = 256;
/// Candidates fetched and scored at a time.
const CANDIDATE_BATCH: usize = 32;
/// Maximum and minimum contribution of one value to an estimate.
const MAX_VALUE: i32 = (1 << (PLANES - 1)) - 1;
const MIN_VALUE: i32 = -(1 << (PLANES - 1));

/// A search result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The row of the vector, from 0.
    pub row: u32,
    /// Its dot product with the query. Comparable among hits of one model.
    pub score: i32,
}

/// Int4 vectors of one model in groups, searched by scanning all of them.
///
/// Rows are in the order of the keys of their groups. An updated copy shares unchanged blocks with the original.
#[derive(Clone, Debug)]
pub struct PackedIndex {
    shape: Shape,
    blocks: Vec<Arc<Block>>,
    /// The first row of each block.
    starts: Vec<u32>,
    len: usize,
    members: usize,
    kernel: Kernel,
    /// A pool of estimate buffers.
    pool: Arc<Mutex<Vec<Vec<[i32; LANES]>>>>,
}

impl PackedIndex {
    /// An empty index for vectors of this dimension.
    pub fn new(dimension: usize) -> Self {
        let (shape, kernel, pool) = (Shape::new(dimension), Kernel::detect(), Arc::default());
        Self { shape, blocks: Vec::new(), starts: Vec::new(), len: 0, members: 0, kernel, pool }
    }

    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The number of members of all groups.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Whether it has no vectors.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a group. Its key must be greater than all others.
    pub fn push(&mut self, key: i64, group: PackedGroup<'_>) {
        let is_full = self.blocks.last().is_none_or(|block| block.len >= BLOCK_SIZE);
        if is_full {
            if let Some(last) = self.blocks.last_mut() {
                Arc::make_mut(last).shrink();
            }
            self.blocks.push(Arc::default());
            self.starts.push(self.len as u32);
        }
        if let Some(last) = self.blocks.last_mut().map(Arc::make_mut) {
            let before = last.len;
            last.push(self.shape, key, group);
            self.len += last.len - before;
            self.members += group.members();
        }
    }

    /// A copy in which some groups are replaced; a group without vectors is removed.
    #[must_use]
    pub fn with_groups(&self, changed: &BTreeMap<i64, Vec<u8>>) -> Self {
        let mut builder = Builder { shape: self.shape, done: Vec::new(), open: Block::default() };
        let mut from = i64::MIN;
        for (at, block) in self.blocks.iter().enumerate() {
            // Keys before the first group of the next block belong to this one.
            let next = self.blocks.get(at + 1).and_then(|block| Some(block.groups.first()?.0));
            let mut own = match next {
                Some(next) => changed.range(from..next),
                None => changed.range(from..),
            }
            .peekable();
            from = next.unwrap_or(from);
            if own.peek().is_none() {
                builder.share(block);
                continue;
            }
            for (group, (at, _)) in block.groups.iter().enumerate() {
                while let Some((key, bytes)) = own.next_if(|(key, _)| *key < at) {
                    builder.push(*key, bytes);
                }
                match own.next_if(|(key, _)| *key == at) {
                    Some((key, bytes)) => builder.push(*key, bytes),
                    None => builder.copy(block, group),
                }
            }
            own.for_each(|(key, bytes)| builder.push(*key, bytes));
        }
        if self.blocks.is_empty() {
            for (key, bytes) in changed {
                builder.push(*key, bytes);
            }
        }
        self.with_blocks(builder.finish())
    }

    fn with_blocks(&self, blocks: Vec<Arc<Block>>) -> Self {
        let (mut starts, mut len, mut members) = (Vec::with_capacity(blocks.len()), 0, 0);
        for block in &blocks {
            starts.push(len as u32);
            len += block.len;
            members += quantisation::members(&block.counts);
        }
        Self { shape: self.shape, blocks, starts, len, members, kernel: self.kernel, pool: self.pool.clone() }
    }

    /// The groups with their keys, in order.
    pub fn groups(&self) -> impl Iterator<Item = (i64, PackedGroup<'_>)> {
        self.blocks.iter().flat_map(|block| {
            let group = |at| {
                let rows = block.rows_of(at);
                let vectors = &block.rows[bytes_of(self.shape, rows.clone())];
                PackedGroup { vectors, counts: &block.counts[rows] }
            };
            block.groups.iter().enumerate().map(move |(at, (key, _))| (*key, group(at)))
        })
    }

    /// The key of the group of a row, and the members that share the row.
    pub fn members_of(&self, row: u32) -> (i64, Range<u32>) {
        let at = self.block_of(row);
        let (block, row) = (&self.blocks[at], row - self.starts[at]);
        let (key, first) = block.groups[block.group_of(row)];
        let before = quantisation::members(&block.counts[first as usize..row as usize]) as u32;
        (key, before..before + u32::from(block.counts[row as usize]))
    }

    /// The vectors with the largest dot products, in descending order; ties are in row order.
    pub fn search(&self, query: &Vector, count: usize) -> Vec<Hit> {
        if self.len < EXACT_BELOW {
            self.search_exact(query, count)
        } else {
            self.search_two_pass(query, count)
        }
    }

    /// The same by scoring every vector: the ground truth of [`search`](Self::search).
    pub fn search_exact(&self, query: &Vector, count: usize) -> Vec<Hit> {
        let scan = Scan::new(&self.resized(query));
        let mut top = TopK::new(count);
        let mut scores = Vec::with_capacity(SCORE_BATCH);
        for (start, block) in self.starts.iter().zip(&self.blocks) {
            for (step, rows) in block.rows.chunks((SCORE_BATCH * self.shape.length).max(1)).enumerate() {
                scores.clear();
                scan.products(rows, &mut scores);
                top.offer_all(*start as usize + step * SCORE_BATCH, &scores);
            }
        }
        top.into_hits()
    }

    /// The dot product of the vector of a member with a query, if the member exists.
    pub fn product(&self, key: i64, member: u32, query: &Scan) -> Option<i32> {
        let first = |block: &Arc<Block>| block.groups.first().is_some_and(|(first, _)| *first <= key);
        let block = &self.blocks[self.blocks.partition_point(first).checked_sub(1)?];
        let group = block.groups.binary_search_by_key(&key, |group| group.0).ok()?;
        let rows = block.rows_of(group);
        let row = rows.start + quantisation::row_of(&block.counts[rows], member)?;
        Some(query.product(&block.rows[bytes_of(self.shape, row..row + 1)]))
    }

    /// The block of a row.
    fn block_of(&self, row: u32) -> usize {
        self.starts.partition_point(|start| *start <= row).saturating_sub(1)
    }

    /// The packed vector of a row.
    fn row(&self, block: usize, row: u32) -> &[u8] {
        let at = (row - self.starts[block]) as usize * self.shape.length;
        &self.blocks[block].rows[at..at + self.shape.length]
    }

    fn search_two_pass(&self, query: &Vector, count: usize) -> Vec<Hit> {
        let query = self.resized(query);
        let candidates =
            self.candidates(&query, (count * candidates_per_result(count)).max(self.len / CANDIDATE_SHARE));
        let scan = Scan::new(&query);
        let mut top = TopK::new(count);
        let (mut rows, mut scores) =
            (Vec::with_capacity(CANDIDATE_BATCH * self.shape.length), Vec::with_capacity(CANDIDATE_BATCH));
        let mut block = 0;
        for batch in candidates.chunks(CANDIDATE_BATCH) {
            // The rows are far apart: copying them first lets their cache misses overlap.
            rows.clear();
            for &row in batch {
                while self.starts.get(block + 1).is_some_and(|start| *start <= row) {
                    block += 1;
                }
                rows.extend_from_slice(self.row(block, row));
            }
            scores.clear();
            scan.products(&rows, &mut scores);
            for (&row, &score) in batch.iter().zip(&scores) {
                top.offer(row as usize, score);
            }
        }
        top.into_hits()
    }

    /// The rows with the largest estimates, ascending.
    fn candidates(&self, query: &Vector, wanted: usize) -> Vec<u32> {
        let mut padded = query.values().to_vec();
        padded.resize(self.shape.padded_dimension(), 0);
        let planes = bit_planes(&padded);
        let mut estimates =
            self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let lanes = |block: &Arc<Block>| block.len.div_ceil(LANES);
        estimates.resize(self.blocks.iter().map(lanes).sum(), [0; LANES]);
        let mut rest = estimates.as_mut_slice();
        let mut parts = Vec::with_capacity(self.blocks.len());
        for (start, block) in self.starts.iter().zip(&self.blocks) {
            let (own, after) = rest.split_at_mut(lanes(block));
            self.kernel.estimates(&planes, &block.bits, own);
            parts.push((*start, &own.as_flattened()[..block.len]));
            rest = after;
        }
        let candidates = largest(&parts, wanted, self.shape.padded_dimension());
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() < MAX_POOLED {
            pool.push(estimates);
        }
        candidates
    }

    /// The query, truncated or zero-padded to the dimension of the index.
    fn resized(&self, query: &Vector) -> Vector {
        let mut values = query.values().to_vec();
        values.resize(self.shape.dimension, 0);
        Vector::from_values(&values)
    }
}

/// The byte range of rows in a block.
fn bytes_of(shape: Shape, rows: Range<usize>) -> Range<usize> {
    rows.start * shape.length..rows.end * shape.length
}

/// Builds the blocks of an updated index.
struct Builder {
    shape: Shape,
    done: Vec<Arc<Block>>,
    open: Block,
}

impl Builder {
    fn push(&mut self, key: i64, bytes: &[u8]) {
        let group = PackedGroup::parse(bytes, self.shape.dimension);
        if let Some(group) = group.filter(|group| !group.vectors.is_empty()) {
            self.close_above(BLOCK_SIZE - 1);
            self.open.push(self.shape, key, group);
        }
    }

    fn copy(&mut self, block: &Block, group: usize) {
        self.close_above(BLOCK_SIZE - 1);
        if self.open.len == 0 {
            self.open.reserve(block);
        }
        self.open.copy(self.shape, block, group);
    }

    /// Shares a whole block; merges small ones.
    fn share(&mut self, block: &Arc<Block>) {
        if self.open.len > 0 && self.open.len + block.len <= BLOCK_SIZE / 2 {
            self.open.copy_all(self.shape, block);
        } else {
            self.close_above(0);
            self.done.push(Arc::clone(block));
        }
    }

    fn close_above(&mut self, len: usize) {
        if self.open.len <= len {
            return;
        }
        let mut closed = std::mem::take(&mut self.open);
        if let Some(last) = self.done.pop_if(|last| last.len + closed.len <= BLOCK_SIZE / 2) {
            let mut both = Block::clone(&last);
            both.copy_all(self.shape, &closed);
            closed = both;
        }
        closed.shrink();
        self.done.push(Arc::new(closed));
    }

    fn finish(mut self) -> Vec<Arc<Block>> {
        self.close_above(0);
        self.done
    }
}

/// The rows of the `wanted` largest estimates and of all ties with the smallest of them, ascending. A counting sort finds
/// the threshold. Estimates come in parts with their first row.
fn largest(parts: &[(u32, &[i32])], wanted: usize, values: usize) -> Vec<u32> {
    let values = i32::try_from(values).unwrap_or(i32::from(i16::MAX));
    let (min, max) = (MIN_VALUE * values, MAX_VALUE * values);
    let rank = |estimate: i32| (estimate - min).cast_unsigned() as usize;
    let mut counts = vec![0_u32; rank(max) + 1];
    for &estimate in parts.iter().flat_map(|(_, estimates)| *estimates) {
        counts[rank(estimate)] += 1;
    }
    let (mut from, mut above) = (max + 1, 0);
    while above < wanted && from > min {
        from -= 1;
        above += counts[rank(from)] as usize;
    }
    let mut rows = Vec::with_capacity(above);
    for (first, estimates) in parts {
        let above = (*first..).zip(*estimates).filter(|(_, estimate)| **estimate >= from);
        rows.extend(above.map(|(row, _)| row));
    }
    rows
}

/// The number of candidates per result; fewer if many results are wanted, since the last ones matter less.
fn candidates_per_result(count: usize) -> usize {
    CANDIDATES_PER_RESULT
        .min(2 * FEW_RESULTS * CANDIDATES_PER_RESULT / count.max(1))
        .max(CANDIDATES_PER_RESULT / FEW_RESULTS)
}

/// Computes dot products of one query with packed vectors, without an index.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The two halves of the query, equally long.
    halves: (Vec<i8>, Vec<i8>),
    /// The sum of all its values.
    sum: i32,
    kernel: Kernel,
}

impl Scan {
    /// Prepares a query.
    pub fn new(query: &Vector) -> Self {
        let (first, second) = query.values().split_at(packed_length(query.values().len()));
        let mut second = second.to_vec();
        second.resize(first.len(), 0);
        let sum = query.values().iter().map(|&value| i32::from(value)).sum();
        Self { halves: (first.to_vec(), second), sum, kernel: Kernel::detect() }
    }

    /// The dot product with one packed row.
    pub fn product(&self, row: &[u8]) -> i32 {
        let (first, second) = (&self.halves.0, &self.halves.1);
        let mut product = [0];
        if !first.is_empty() && row.len() == first.len() {
            self.kernel.packed_dot_products((first, second), self.sum, row, &mut product);
        }
        product[0] * quantisation::STEP
    }

    /// Appends the dot products with consecutive packed rows to `out`.
    pub fn products(&self, rows: &[u8], out: &mut Vec<i32>) {
        let (first, second) = (&self.halves.0, &self.halves.1);
        if first.is_empty() {
            return;
        }
        let start = out.len();
        out.resize(start + rows.len() / first.len(), 0);
        self.kernel.packed_dot_products((first, second), self.sum, rows, &mut out[start..]);
        for product in &mut out[start..] {
            *product *= quantisation::STEP;
        }
    }
}

/// Quantises the query to [`PLANES`] bits per value and transposes it to bit planes.
fn bit_planes(query: &[i8]) -> Vec<[u64; PLANES]> {
    let peak = i32::from(query.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0).max(1));
    let mut planes = vec![[0; PLANES]; query.len() / 64];
    for (at, &value) in query.iter().enumerate() {
        // Rounded to an integer from -7 to 7.
        let small = (i32::from(value) * 14 + i32::from(value.signum()) * peak) / (2 * peak);
        for (bit, plane) in planes[at / 64].iter_mut().enumerate() {
            *plane |= u64::from(small >> bit & 1 == 1) << (at % 64);
        }
    }
    planes
}

/// Top-k selection from a stream of scores: buffers twice as many as wanted, then drops the worse half, which is cheaper
/// than a heap. Rows must come in ascending order, so that ties keep the earlier ones.
struct TopK {
    wanted: usize,
    buffer: Vec<Hit>,
    threshold: i32,
}

impl TopK {
    fn new(wanted: usize) -> Self {
        Self { wanted, buffer: Vec::with_capacity(2 * wanted), threshold: i32::MIN }
    }

    fn offer_all(&mut self, first: usize, scores: &[i32]) {
        for (at, &score) in scores.iter().enumerate() {
            self.offer(first + at, score);
        }
    }

    fn offer(&mut self, row: usize, score: i32) {
        if score <= self.threshold || self.wanted == 0 {
            return;
        }
        self.buffer.push(Hit { row: row as u32, score });
        if self.buffer.len() == 2 * self.wanted {
            let (_, worst, _) = self.buffer.select_nth_unstable_by_key(self.wanted - 1, |hit| order(*hit));
            self.threshold = worst.score;
            self.buffer.truncate(self.wanted);
        }
    }

    fn into_hits(mut self) -> Vec<Hit> {
        self.buffer.sort_unstable_by_key(|hit| order(*hit));
        self.buffer.truncate(self.wanted);
        self.buffer
    }
}

fn order(hit: Hit) -> (std::cmp::Reverse<i32>, u32) {
    (std::cmp::Reverse(hit.score), hit.row)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK_SIZE, Hit, PackedIndex, Scan, bit_planes};
    use crate::{PackedGroup, TextEmbedding, Vector, combine, packed_length};
    use std::collections::BTreeMap;

    /// Pseudo-random clustered vectors: a direction of the cluster plus noise. Deterministic.
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
        let clusters: Vec<Vec<f32>> = (0..200).map(|_| (0..dimension).map(|_| number()).collect()).collect();
        let one = |at: usize| {
            let cluster = &clusters[at % clusters.len()];
            let values: Vec<f32> = cluster.iter().map(|value| value + 0.8 * number()).collect();
            combine(&[(&TextEmbedding::from_floats(&values), 1.0)])
        };
        (0..count).map(one).collect()
    }

    fn index_of(vectors: &[Vector], dimension: usize) -> PackedIndex {
        let mut index = PackedIndex::new(dimension);
        for (key, vector) in (0..).zip(vectors) {
            index.push(key, single(&packed(vector)));
        }
        index
    }

    /// A group with one member.
    fn single(vectors: &[u8]) -> PackedGroup<'_> {
        PackedGroup { vectors, counts: &[1] }
    }

    fn packed(vector: &Vector) -> Vec<u8> {
        let mut bytes = Vec::new();
        vector.pack(&mut bytes);
        bytes
    }

    #[test]
    fn two_pass_search_has_high_recall() {
        let all = vectors(20_100, 256, 7);
        let (queries, rows) = all.split_at(100);
        let index = index_of(rows, 256);
        let mut found = 0;
        for query in queries {
            let exact = index.search_exact(query, 10);
            found += index.search_two_pass(query, 10).iter().filter(|hit| exact.contains(hit)).count();
        }
        assert!(found >= 990, "{found} of 1000");
    }

    #[test]
    fn bit_planes_quantise_to_sevenths_of_the_largest_value() {
        let mut query = [0; 64];
        query[..4].copy_from_slice(&[100, -100, -15, 49]);
        // 7, -7, -1 and 3, as signed numbers of four bits, lowest first.
        assert_eq!(bit_planes(&query), [[0b1111, 0b1101, 0b0101, 0b0110]]);
    }

    #[test]
    fn ties_are_in_row_order() {
        let index = index_of(&vec![Vector::from_values(&[30, 40]); 40], 2);
        let hits = index.search(&Vector::from_values(&[1, 1]), 3);
        assert_eq!(hits, [0, 1, 2].map(|row| Hit { row, score: 70 }));
    }

    #[test]
    fn empty_index_and_zero_results_are_empty() {
        let query = Vector::from_values(&[1, 2, 3]);
        assert_eq!(PackedIndex::new(3).search(&query, 5), []);
        assert_eq!(index_of(std::slice::from_ref(&query), 3).search(&query, 0), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn exact_search_is_a_sort_by_dot_product(
            rows in prop::collection::vec(prop::collection::vec(-127..=127_i8, 70), 1..60),
            query in prop::collection::vec(-127..=127_i8, 70),
            count in 1..20_usize,
        ) {
            let rows: Vec<Vec<u8>> = rows.iter().map(|row| packed(&Vector::from_values(row))).collect();
            let mut index = PackedIndex::new(70);
            for (key, row) in (0..).zip(&rows) {
                index.push(key, single(row));
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
            let one_by_one: Vec<i32> = (0..).zip(&rows).filter_map(|(key, _)| index.product(key, 0, &scan)).collect();
            prop_assert_eq!(one_by_one, products);
            prop_assert_eq!((index.product(60, 0, &scan), index.product(0, 1, &scan)), (None, None));
            // With fewer vectors than candidates, the first pass omits none.
            let two_pass: Vec<(i32, u32)> = index.search_two_pass(&query, count).iter().map(|hit| (-hit.score, hit.row)).collect();
            prop_assert_eq!(&two_pass, &wanted);
        }

        #[test]
        fn updated_index_equals_a_rebuilt_one(
            first in prop::collection::btree_map(0..60_i64, 0..300_usize, 0..40),
            steps in prop::collection::vec(prop::collection::btree_map(0..70_i64, 0..300_usize, 1..8), 1..8),
            query in prop::collection::vec(-127..=127_i8, 70),
        ) {
            let query = Vector::from_values(&query);
            let mut groups: BTreeMap<i64, Vec<u8>> =
                first.into_iter().map(|(key, count)| (key, group(key, 0, count))).collect();
            let mut index = rebuild(&groups);
            for (step, changed) in steps.into_iter().enumerate() {
                let changed: BTreeMap<i64, Vec<u8>> =
                    changed.into_iter().map(|(key, count)| (key, group(key, step + 1, count))).collect();
                let before = index.search_exact(&query, 30);
                let after = index.with_groups(&changed);
                prop_assert_eq!(index.search_exact(&query, 30), before, "the original is unchanged");
                groups.extend(changed);
                index = after;
                let fresh = rebuild(&groups);
                prop_assert_eq!(index.len(), fresh.len());
                prop_assert_eq!(index.search_exact(&query, 30), fresh.search_exact(&query, 30));
                prop_assert_eq!(index.search_two_pass(&query, 30), fresh.search_two_pass(&query, 30));
                let there: Vec<_> = index.groups().filter(|(_, group)| !group.counts.is_empty()).collect();
                let wanted: Vec<_> = groups.iter().map(|(key, bytes)| (*key, parse(bytes))).collect();
                let wanted: Vec<_> = wanted.into_iter().filter(|(_, group)| !group.counts.is_empty()).collect();
                prop_assert_eq!(index.members(), wanted.iter().map(|(_, group)| group.members()).sum::<usize>());
                prop_assert_eq!(there, wanted);
                let scan = Scan::new(&query);
                for row in (0..index.len() as u32).step_by(97) {
                    let (key, members) = index.members_of(row);
                    prop_assert_eq!(fresh.members_of(row), (key, members.clone()));
                    for member in members.clone() {
                        let (vector, sharing) = parse(&groups[&key]).vector_of(member).expect("a vector");
                        prop_assert_eq!(sharing, members.clone());
                        prop_assert_eq!(index.product(key, member, &scan), Some(scan.product(vector)));
                    }
                }
                let most = 2 * groups.values().map(|bytes| bytes.len() / packed_length(70)).sum::<usize>() / BLOCK_SIZE + 2;
                prop_assert!(index.blocks.len() <= 2 * most, "{} blocks", index.blocks.len());
            }
        }
    }

    /// The vectors of a group at a step. Deterministic, with few distinct values, so that there are ties.
    fn group(key: i64, step: usize, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for at in 0..count {
            let sum = |value: usize| at % 5 * 31 + value * 7 + step * 13 + key.unsigned_abs() as usize % 3;
            let one = |value: usize| (i16::try_from(sum(value) % 151).unwrap_or(0) - 75) as i8;
            Vector::from_values(&(0..70).map(one).collect::<Vec<i8>>()).pack(&mut bytes);
        }
        bytes.extend((0..count).map(|at| (at % 3) as u8 + 1));
        bytes
    }

    fn parse(bytes: &[u8]) -> PackedGroup<'_> {
        PackedGroup::parse(bytes, 70).expect("a group")
    }

    fn rebuild(groups: &BTreeMap<i64, Vec<u8>>) -> PackedIndex {
        let mut index = PackedIndex::new(70);
        for (key, bytes) in groups {
            index.push(*key, parse(bytes));
        }
        index
    }
}
