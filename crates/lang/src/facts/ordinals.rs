//! Ordinals: tell symbols of one file apart that have the same qualified name.

use super::hash::{hash, mix};
use orient_model::Outline;
use rustc_hash::FxHashMap;

/// Assigns ordinals to symbols with the same qualified name, in the order of the source.
///
/// Example: of three functions `f`, `A.f` and `f`, the ordinals are 0, 0 and 1, so that the last has the handle `f~2`.
pub(crate) fn assign(outline: &mut Outline) {
    let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
    let mut paths: Vec<u64> = Vec::with_capacity(outline.symbols.len());
    for index in 0..outline.symbols.len() {
        let symbol = &outline.symbols[index];
        let container = symbol.parent.and_then(|parent| paths.get(parent as usize)).copied().unwrap_or(0);
        let qualifier = symbol.qualifier.map_or("", |atom| outline.strings.get(atom));
        let container = qualifier
            .split('.')
            .filter(|part| !part.is_empty())
            .fold(container, |container, part| mix(container, hash(part.as_bytes())));
        let path = mix(container, hash(outline.strings.get(symbol.name).as_bytes()));
        paths.push(path);
        let count = seen.entry(path).or_insert(0);
        outline.symbols[index].ordinal = *count;
        *count += 1;
    }
}
