//! Stable ids: matches the symbols and chunks of a file before and after an edit.
//!
//! Example: a file had the methods `a` and `b`; an edit inserts `x` between them and changes the body of `b`. `a` and `b`
//! keep their ids, since qualified name, kind and ordinal are the same, and `x` gets a new one.

use crate::writer::prepared_file::{ChunkSummary, NONE, OutlineSummary};
use orient_model::ChunkKind;

/// For each new symbol the index of the old one with the same qualified name, kind and ordinal.
pub(crate) fn symbols(old: &OutlineSummary, new: &OutlineSummary) -> Vec<Option<u32>> {
    let key = |digest: &OutlineSummary, at: u32| digest.symbols[at as usize].key;
    let same = |a: u32, b: u32| {
        let (a, b) = (&old.symbols[a as usize], &new.symbols[b as usize]);
        a.kind == b.kind && old.name(a.name) == new.name(b.name)
    };
    pair(old.symbols.len(), new.symbols.len(), |at| key(old, at), |at| key(new, at), same)
}

/// The same for chunks: the same part of the same symbol. Their text may differ; everything derived from it is recomputed
/// with every edit of the file.
pub(crate) fn chunks(old: (&[ChunkSummary], &[i64]), new: (&[ChunkSummary], &[i64])) -> Vec<Option<u32>> {
    let (old_keys, new_keys) = (chunk_keys(old.0, old.1), chunk_keys(new.0, new.1));
    pair(old_keys.len(), new_keys.len(), |at| old_keys[at as usize], |at| new_keys[at as usize], |_, _| true)
}

/// What identifies a chunk: the id of its symbol and its kind.
fn chunk_keys(chunks: &[ChunkSummary], ids: &[i64]) -> Vec<(i64, ChunkKind)> {
    let id = |at: u32| if at == NONE { 0 } else { ids.get(at as usize).copied().unwrap_or_default() };
    chunks.iter().map(|chunk| (id(chunk.symbol), chunk.kind)).collect()
}

/// Matches equal keys in order: the first with the first, the second with the second.
fn pair<K: Ord>(
    old: usize,
    new: usize,
    old_key: impl Fn(u32) -> K,
    new_key: impl Fn(u32) -> K,
    same: impl Fn(u32, u32) -> bool,
) -> Vec<Option<u32>> {
    let mut pairs = vec![None; new];
    let mut old_order: Vec<u32> = (0..old as u32).collect();
    let mut new_order: Vec<u32> = (0..new as u32).collect();
    old_order.sort_by_key(|&at| old_key(at));
    new_order.sort_by_key(|&at| new_key(at));
    let mut rest = old_order.into_iter().peekable();
    for at in new_order {
        while rest.next_if(|&before| old_key(before) < new_key(at)).is_some() {}
        if let Some(before) = rest.next_if(|&before| old_key(before) == new_key(at) && same(before, at)) {
            pairs[at as usize] = Some(before);
        }
    }
    pairs
}

/// The old indexes without a match.
pub(crate) fn left_over(pairs: &[Option<u32>], old: usize) -> impl Iterator<Item = usize> + use<> {
    let mut kept = vec![false; old];
    for at in pairs.iter().flatten() {
        kept[*at as usize] = true;
    }
    kept.into_iter().enumerate().filter(|&(_, kept)| !kept).map(|(at, _)| at)
}
