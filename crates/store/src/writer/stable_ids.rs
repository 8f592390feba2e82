//! Which symbols and chunks of a file are the same before and after an edit.

use crate::writer::prepared_file::{ChunkDigest, Digest, NONE};
use orient_model::ChunkKind;

/// For each new symbol the place of the old one it continues: same qualified name, kind and ordinal.
pub(crate) fn symbols(old: &Digest, new: &Digest) -> Vec<Option<u32>> {
    let key = |digest: &Digest, at: u32| digest.symbols[at as usize].key;
    let same = |a: u32, b: u32| {
        let (a, b) = (&old.symbols[a as usize], &new.symbols[b as usize]);
        a.kind == b.kind && old.name(a.name) == new.name(b.name)
    };
    pair(old.symbols.len(), new.symbols.len(), |at| key(old, at), |at| key(new, at), same)
}

/// The same for chunks: the same part of the same symbol. The text may differ; what is derived from it is made anew
/// with every edit of the file.
pub(crate) fn chunks(old: (&[ChunkDigest], &[i64]), new: (&[ChunkDigest], &[i64])) -> Vec<Option<u32>> {
    let (old_keys, new_keys) = (chunk_keys(old.0, old.1), chunk_keys(new.0, new.1));
    pair(old_keys.len(), new_keys.len(), |at| old_keys[at as usize], |at| new_keys[at as usize], |_, _| true)
}

/// What makes a chunk the same one: the id of its symbol and its kind.
fn chunk_keys(chunks: &[ChunkDigest], ids: &[i64]) -> Vec<(i64, ChunkKind)> {
    let id = |at: u32| if at == NONE { 0 } else { ids.get(at as usize).copied().unwrap_or_default() };
    chunks.iter().map(|chunk| (id(chunk.symbol), chunk.kind)).collect()
}

/// Pairs equal keys, the first with the first, the second with the second.
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

/// The old places nothing new continues.
pub(crate) fn left_over(pairs: &[Option<u32>], old: usize) -> impl Iterator<Item = usize> + use<> {
    let mut kept = vec![false; old];
    for at in pairs.iter().flatten() {
        kept[*at as usize] = true;
    }
    kept.into_iter().enumerate().filter(|&(_, kept)| !kept).map(|(at, _)| at)
}
