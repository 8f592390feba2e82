//! The candidate pool: fusion of the channels' scores into the chunks that ranking looks at.
//!
//! Each channel is normalised by its best score and the two are added. Example: BM25 gives chunk 4 a score of 12
//! (best) and chunk 9 a score of 6; cosine similarity gives chunk 9 0.8 (best) and chunk 4 0.2. The fused scores are
//! 4: 12/12 + 0.2/0.8 = 1.25 and 9: 6/12 + 0.8/0.8 = 1.5, so chunk 9 comes first.

use rustc_hash::FxHashMap;

/// The best `count` chunks, best first, ties by number; and how many chunks there were.
pub(super) fn best(chunks: impl Iterator<Item = (u32, f32)>, count: usize) -> (Vec<(u32, f32)>, usize) {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let mut kept = Vec::with_capacity(2 * count);
    let (mut least, mut seen) = (f32::NEG_INFINITY, 0);
    for one in chunks {
        seen += 1;
        if one.1 < least {
            continue;
        }
        kept.push(one);
        // Truncating when twice as many are held is cheaper than keeping a heap.
        if kept.len() >= 2 * count {
            let (_, last, _) = kept.select_nth_unstable_by(count.saturating_sub(1), order);
            least = last.1;
            kept.truncate(count);
        }
    }
    kept.sort_unstable_by(order);
    kept.truncate(count);
    (kept, seen)
}

/// The chunks that ranking looks at: the best by fused score, and every required chunk.
pub(super) fn fuse(
    by_terms: &[(u32, f32)],
    by_vector: &[u32],
    required: impl Iterator<Item = u32>,
    near: impl Fn(u32) -> f32,
    count: usize,
) -> Vec<u32> {
    let most = by_terms.first().map_or(1.0, |best| best.1).max(f32::MIN_POSITIVE);
    let nearest = by_vector.first().map_or(1.0, |&best| near(best)).max(0.01);
    let words: FxHashMap<u32, f32> = by_terms.iter().copied().collect();
    let mut all: Vec<u32> = by_terms.iter().map(|one| one.0).chain(by_vector.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let score = |chunk| words.get(&chunk).copied().unwrap_or(0.0) / most + near(chunk) / nearest;
    let (scored, _) = best(all.into_iter().map(|chunk| (chunk, score(chunk))), count);
    let mut chunks: Vec<u32> = scored.into_iter().map(|one| one.0).chain(required).collect();
    chunks.sort_unstable();
    chunks.dedup();
    chunks
}
