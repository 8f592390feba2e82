//! Search over packed vectors: a flat list of them, and one bit for each value as a first pass where there are many.
//!
//! Nothing is built ahead beyond the bits, so replacing a vector costs what copying those around it costs. The first pass
//! estimates every product from bits, which is a fraction of the work; the best of it are then compared exactly.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Vector;
use crate::block::{Block, Shape};
use crate::kernel::{Kernel, LANES, PLANES};
use crate::packed::{self, PackedGroup, packed_length};

/// Below this many vectors the exact scan is as fast as the first pass.
const EXACT_BELOW: usize = 16_384;
/// Which share of the vectors the first pass lets through, and how many at least: for each result wanted, and in all.
/// Measured on questions against chunks of source: 3 % of them hold 99 % of the true ten best.
const SHARE: usize = 25;
const CANDIDATES_EACH: usize = 200;
/// Few results need more candidates for each than many do.
const FEW: usize = 10;
/// A block takes no more groups when it has so many vectors: replacing one group costs as much as copying them.
const BLOCK: usize = 2048;
/// So much room for estimates is kept while no search uses it.
const SPARE: usize = 2;
/// Rows scored at a time: their scores stay in the nearest cache.
const STEP: usize = 256;
/// Candidates that are fetched and compared at a time.
const TOGETHER: usize = 32;
/// The greatest and the least an estimate can be, for each value.
const MOST: i32 = (1 << (PLANES - 1)) - 1;
const LEAST: i32 = -(1 << (PLANES - 1));

/// A vector that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its place: the first vector has 0.
    pub row: u32,
    /// Its product with the query. Comparable among hits of one model.
    pub score: i32,
}

/// Vectors of one model as they are at rest, in groups, searched by scanning them all.
///
/// Vectors stand in the order of the keys of their groups, however the index came to be. One that follows from another
/// shares what is the same in both.
#[derive(Clone, Debug)]
pub struct PackedIndex {
    shape: Shape,
    blocks: Vec<Arc<Block>>,
    /// The place of the first vector of each block.
    starts: Vec<u32>,
    len: usize,
    members: usize,
    kernel: Kernel,
    /// Room for estimates, when no search uses it.
    spare: Arc<Mutex<Vec<Vec<[i32; LANES]>>>>,
}

impl PackedIndex {
    /// An empty index for vectors of that dimension.
    pub fn new(dimension: usize) -> Self {
        let (shape, kernel, spare) = (Shape::new(dimension), Kernel::detect(), Arc::default());
        Self { shape, blocks: Vec::new(), starts: Vec::new(), len: 0, members: 0, kernel, spare }
    }

    /// How many vectors it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many members of groups they stand for.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a group. Its key is greater than all before, and its vectors are of the dimension of the index.
    pub fn push(&mut self, key: i64, group: PackedGroup<'_>) {
        let full = self.blocks.last().is_none_or(|block| block.len >= BLOCK);
        if full {
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

    /// The same index with other vectors for some groups, as they are at rest; without those that get none.
    #[must_use]
    pub fn with(&self, changed: &BTreeMap<i64, Vec<u8>>) -> Self {
        let mut making = Making { shape: self.shape, done: Vec::new(), open: Block::default() };
        let mut from = i64::MIN;
        for (at, block) in self.blocks.iter().enumerate() {
            // What comes before the first group of the next block belongs to this one.
            let next = self.blocks.get(at + 1).and_then(|block| Some(block.groups.first()?.0));
            let mut own = match next {
                Some(next) => changed.range(from..next),
                None => changed.range(from..),
            }
            .peekable();
            from = next.unwrap_or(from);
            if own.peek().is_none() {
                making.share(block);
                continue;
            }
            for (group, (at, _)) in block.groups.iter().enumerate() {
                while let Some((key, bytes)) = own.next_if(|(key, _)| *key < at) {
                    making.push(*key, bytes);
                }
                match own.next_if(|(key, _)| *key == at) {
                    Some((key, bytes)) => making.push(*key, bytes),
                    None => making.copy(block, group),
                }
            }
            own.for_each(|(key, bytes)| making.push(*key, bytes));
        }
        if self.blocks.is_empty() {
            for (key, bytes) in changed {
                making.push(*key, bytes);
            }
        }
        self.over(making.finish())
    }

    fn over(&self, blocks: Vec<Arc<Block>>) -> Self {
        let (mut starts, mut len, mut members) = (Vec::with_capacity(blocks.len()), 0, 0);
        for block in &blocks {
            starts.push(len as u32);
            len += block.len;
            members += packed::members(&block.counts);
        }
        Self {
            shape: self.shape,
            blocks,
            starts,
            len,
            members,
            kernel: self.kernel,
            spare: self.spare.clone(),
        }
    }

    /// The groups by their keys.
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

    /// The key of the group a vector is in, and the members it stands for.
    pub fn members_of(&self, row: u32) -> (i64, Range<u32>) {
        let at = self.block_of(row);
        let (block, row) = (&self.blocks[at], row - self.starts[at]);
        let (key, first) = block.groups[block.group_of(row)];
        let before = packed::members(&block.counts[first as usize..row as usize]) as u32;
        (key, before..before + u32::from(block.counts[row as usize]))
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
        for (start, block) in self.starts.iter().zip(&self.blocks) {
            for (step, rows) in block.rows.chunks((STEP * self.shape.length).max(1)).enumerate() {
                scores.clear();
                scan.products(rows, &mut scores);
                best.offer_all(*start as usize + step * STEP, &scores);
            }
        }
        best.into_hits()
    }

    /// The product of the vector of a member of a group with a query; none where it is not there.
    pub fn product(&self, key: i64, member: u32, query: &Scan) -> Option<i32> {
        let first = |block: &Arc<Block>| block.groups.first().is_some_and(|(first, _)| *first <= key);
        let block = &self.blocks[self.blocks.partition_point(first).checked_sub(1)?];
        let group = block.groups.binary_search_by_key(&key, |group| group.0).ok()?;
        let rows = block.rows_of(group);
        let row = rows.start + packed::row_of(&block.counts[rows], member)?;
        Some(query.product(&block.rows[bytes_of(self.shape, row..row + 1)]))
    }

    /// The block a vector is in.
    fn block_of(&self, row: u32) -> usize {
        self.starts.partition_point(|start| *start <= row).saturating_sub(1)
    }

    /// A vector of a block.
    fn row(&self, block: usize, row: u32) -> &[u8] {
        let at = (row - self.starts[block]) as usize * self.shape.length;
        &self.blocks[block].rows[at..at + self.shape.length]
    }

    fn search_by_bits(&self, query: &Vector, count: usize) -> Vec<Hit> {
        let query = self.fitting(query);
        let likely = self.likely(&query, (count * each(count)).max(self.len / SHARE));
        let scan = Scan::new(&query);
        let mut best = Best::new(count);
        let (mut rows, mut scores) =
            (Vec::with_capacity(TOGETHER * self.shape.length), Vec::with_capacity(TOGETHER));
        let mut block = 0;
        for some in likely.chunks(TOGETHER) {
            // They lie far apart: fetched one after the other, their ways from memory overlap.
            rows.clear();
            for &row in some {
                while self.starts.get(block + 1).is_some_and(|start| *start <= row) {
                    block += 1;
                }
                rows.extend_from_slice(self.row(block, row));
            }
            scores.clear();
            scan.products(&rows, &mut scores);
            for (&row, &score) in some.iter().zip(&scores) {
                best.offer(row as usize, score);
            }
        }
        best.into_hits()
    }

    /// The places of the vectors with the greatest estimates, ascending.
    fn likely(&self, query: &Vector, wanted: usize) -> Vec<u32> {
        let mut padded = query.values().to_vec();
        padded.resize(self.shape.padded(), 0);
        let planes = planes(&padded);
        let mut estimates =
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
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
        let likely = greatest(&parts, wanted, self.shape.padded());
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE {
            spare.push(estimates);
        }
        likely
    }

    /// A query with as many values as the vectors have.
    fn fitting(&self, query: &Vector) -> Vector {
        let mut values = query.values().to_vec();
        values.resize(self.shape.dimension, 0);
        Vector::from_values(&values)
    }
}

/// Where rows lie among the bytes of a block.
fn bytes_of(shape: Shape, rows: Range<usize>) -> Range<usize> {
    rows.start * shape.length..rows.end * shape.length
}

/// An index on its way, block by block.
struct Making {
    shape: Shape,
    done: Vec<Arc<Block>>,
    open: Block,
}

impl Making {
    fn push(&mut self, key: i64, bytes: &[u8]) {
        let group = PackedGroup::read(bytes, self.shape.dimension);
        if let Some(group) = group.filter(|group| !group.vectors.is_empty()) {
            self.close_above(BLOCK - 1);
            self.open.push(self.shape, key, group);
        }
    }

    fn copy(&mut self, block: &Block, group: usize) {
        self.close_above(BLOCK - 1);
        if self.open.len == 0 {
            self.open.reserve(block);
        }
        self.open.copy(self.shape, block, group);
    }

    /// Takes a whole block; small ones become one.
    fn share(&mut self, block: &Arc<Block>) {
        if self.open.len > 0 && self.open.len + block.len <= BLOCK / 2 {
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
        if let Some(last) = self.done.pop_if(|last| last.len + closed.len <= BLOCK / 2) {
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

/// The places of the greatest estimates, ascending: as many as wanted, and all that equal the last of them.
/// Estimates come in parts, with the place of the first of each.
fn greatest(parts: &[(u32, &[i32])], wanted: usize, values: usize) -> Vec<u32> {
    let values = i32::try_from(values).unwrap_or(i32::from(i16::MAX));
    let (least, most) = (LEAST * values, MOST * values);
    let rank = |estimate: i32| (estimate - least).cast_unsigned() as usize;
    let mut counts = vec![0_u32; rank(most) + 1];
    for &estimate in parts.iter().flat_map(|(_, estimates)| *estimates) {
        counts[rank(estimate)] += 1;
    }
    let (mut from, mut above) = (most + 1, 0);
    while above < wanted && from > least {
        from -= 1;
        above += counts[rank(from)] as usize;
    }
    let mut places = Vec::with_capacity(above);
    for (first, estimates) in parts {
        let above = (*first..).zip(*estimates).filter(|(_, estimate)| **estimate >= from);
        places.extend(above.map(|(place, _)| place));
    }
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

    use super::{BLOCK, Hit, PackedIndex, Scan, planes};
    use crate::{PackedGroup, Sum, Vector, combine, packed_length};
    use std::collections::BTreeMap;

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
        for (key, vector) in (0..).zip(vectors) {
            index.push(key, alone(&packed(vector)));
        }
        index
    }

    /// A vector that stands for one member.
    fn alone(vectors: &[u8]) -> PackedGroup<'_> {
        PackedGroup { vectors, counts: &[1] }
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
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_exact_scan_is_a_sort_by_product(
            rows in prop::collection::vec(prop::collection::vec(-127..=127_i8, 70), 1..60),
            query in prop::collection::vec(-127..=127_i8, 70),
            count in 1..20_usize,
        ) {
            let rows: Vec<Vec<u8>> = rows.iter().map(|row| packed(&Vector::from_values(row))).collect();
            let mut index = PackedIndex::new(70);
            for (key, row) in (0..).zip(&rows) {
                index.push(key, alone(row));
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
            // With fewer vectors than candidates, the first pass leaves none out.
            let by_bits: Vec<(i32, u32)> = index.search_by_bits(&query, count).iter().map(|hit| (-hit.score, hit.row)).collect();
            prop_assert_eq!(&by_bits, &wanted);
        }

        #[test]
        fn an_index_that_follows_from_another_equals_one_read_anew(
            first in prop::collection::btree_map(0..60_i64, 0..300_usize, 0..40),
            steps in prop::collection::vec(prop::collection::btree_map(0..70_i64, 0..300_usize, 1..8), 1..8),
            query in prop::collection::vec(-127..=127_i8, 70),
        ) {
            let query = Vector::from_values(&query);
            let mut groups: BTreeMap<i64, Vec<u8>> =
                first.into_iter().map(|(key, count)| (key, group(key, 0, count))).collect();
            let mut index = anew(&groups);
            for (step, changed) in steps.into_iter().enumerate() {
                let changed: BTreeMap<i64, Vec<u8>> =
                    changed.into_iter().map(|(key, count)| (key, group(key, step + 1, count))).collect();
                let before = index.search_exact(&query, 30);
                let after = index.with(&changed);
                prop_assert_eq!(index.search_exact(&query, 30), before, "what others hold stays as it is");
                groups.extend(changed);
                index = after;
                let fresh = anew(&groups);
                prop_assert_eq!(index.len(), fresh.len());
                prop_assert_eq!(index.search_exact(&query, 30), fresh.search_exact(&query, 30));
                prop_assert_eq!(index.search_by_bits(&query, 30), fresh.search_by_bits(&query, 30));
                let there: Vec<_> = index.groups().filter(|(_, group)| !group.counts.is_empty()).collect();
                let wanted: Vec<_> = groups.iter().map(|(key, bytes)| (*key, read(bytes))).collect();
                let wanted: Vec<_> = wanted.into_iter().filter(|(_, group)| !group.counts.is_empty()).collect();
                prop_assert_eq!(index.members(), wanted.iter().map(|(_, group)| group.members()).sum::<usize>());
                prop_assert_eq!(there, wanted);
                let scan = Scan::new(&query);
                for row in (0..index.len() as u32).step_by(97) {
                    let (key, members) = index.members_of(row);
                    prop_assert_eq!(fresh.members_of(row), (key, members.clone()));
                    for member in members.clone() {
                        let (vector, sharing) = read(&groups[&key]).vector_of(member).expect("a vector");
                        prop_assert_eq!(sharing, members.clone());
                        prop_assert_eq!(index.product(key, member, &scan), Some(scan.product(vector)));
                    }
                }
                let most = 2 * groups.values().map(|bytes| bytes.len() / packed_length(70)).sum::<usize>() / BLOCK + 2;
                prop_assert!(index.blocks.len() <= 2 * most, "{} blocks", index.blocks.len());
            }
        }
    }

    /// The vectors of a group at a step, the same whenever they are asked for. Few differ, so that there are equals.
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

    fn read(bytes: &[u8]) -> PackedGroup<'_> {
        PackedGroup::read(bytes, 70).expect("a group")
    }

    fn anew(groups: &BTreeMap<i64, Vec<u8>>) -> PackedIndex {
        let mut index = PackedIndex::new(70);
        for (key, bytes) in groups {
            index.push(*key, read(bytes));
        }
        index
    }
}
