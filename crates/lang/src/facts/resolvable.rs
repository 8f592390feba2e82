//! Whether the facts of a file can be resolved in reasonable time.
//!
//! Looking a name up passes every scope around it, and every binding of the name in each of them. Both are few in what people
//! and generators write. In `class A extends A {}` seventy thousand times over, or as many functions inside one another, all
//! lookups together take the square of that.

use orient_model::{Atom, Facts};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Scopes inside one another.
const MOST_LEVELS: u32 = 500;
/// Bindings of one name in one scope, and symbols of one name in one parent.
const MOST_NAMESAKES: u32 = 4000;

/// Whether no scope lies too deep and no name is bound too often.
pub(crate) fn is_resolvable(facts: &Facts) -> bool {
    let bindings = facts.flow.bindings.iter().map(|binding| (binding.scope, binding.name));
    let symbols = facts.outline.symbols.iter().map(|symbol| (symbol.parent, symbol.name));
    let too_many = most_equal(bindings) > MOST_NAMESAKES || most_equal(symbols) > MOST_NAMESAKES;
    !too_many && deepest(facts) <= MOST_LEVELS
}

/// How often the name that occurs most occurs with one owner.
fn most_equal<Owner: Hash + Eq>(named: impl ExactSizeIterator<Item = (Owner, Atom)>) -> u32 {
    if named.len() <= MOST_NAMESAKES as usize {
        return 0;
    }
    let mut counts: FxHashMap<(Owner, Atom), u32> = FxHashMap::default();
    named.for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_values().max().unwrap_or_default()
}

/// How many scopes lie around the innermost one. A scope stands behind the one around it.
fn deepest(facts: &Facts) -> u32 {
    let scopes = &facts.flow.scopes;
    if scopes.len() <= MOST_LEVELS as usize {
        return 0;
    }
    let mut levels = vec![0_u32; scopes.len()];
    for (at, scope) in scopes.iter().enumerate() {
        if let Some(around) = scope.parent.and_then(|parent| levels.get(parent as usize).copied()) {
            levels[at] = around + 1;
        }
    }
    levels.into_iter().max().unwrap_or_default()
}
