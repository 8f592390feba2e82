//! Which units are worth a closer look.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The best of many, best first, of equals the first; and how many there were.
pub(super) fn best(units: impl Iterator<Item = (u32, f32)>, count: usize) -> (Vec<(u32, f32)>, usize) {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let mut kept = Vec::with_capacity(2 * count);
    let (mut least, mut seen) = (f32::NEG_INFINITY, 0);
    for one in units {
        seen += 1;
        if one.1 < least {
            continue;
        }
        kept.push(one);
        // Twice as many as wanted are kept before the worse half goes, which is cheaper than keeping them in order.
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

/// The units worth a closer look: the best by both channels together, and all that the question names.
pub(super) fn first_pass(
    by_words: &[(u32, f32)],
    by_meaning: &[u32],
    exact: &BTreeMap<u32, f32>,
    near: impl Fn(u32) -> f32,
    count: usize,
) -> Vec<u32> {
    let most = by_words.first().map_or(1.0, |best| best.1).max(f32::MIN_POSITIVE);
    let nearest = by_meaning.first().map_or(1.0, |&best| near(best)).max(0.01);
    let words: FxHashMap<u32, f32> = by_words.iter().copied().collect();
    let mut all: Vec<u32> = by_words.iter().map(|one| one.0).chain(by_meaning.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let score = |unit| words.get(&unit).copied().unwrap_or(0.0) / most + near(unit) / nearest;
    let (scored, _) = best(all.into_iter().map(|unit| (unit, score(unit))), count);
    let mut units: Vec<u32> = scored.into_iter().map(|one| one.0).chain(exact.keys().copied()).collect();
    units.sort_unstable();
    units.dedup();
    units
}
