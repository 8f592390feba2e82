//! Whether the facts of a file can be resolved in reasonable time.
//!
//! A lookup visits every enclosing scope and every binding of the name in each. Files written by people or generators have
//! few of both. With `class A extends A {}` 70,000 times, or as many nested functions, all lookups together take quadratic
//! time.

use orient_model::{Atom, Facts};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Maximum nesting depth of scopes.
const MAX_SCOPE_DEPTH: u32 = 500;
/// Maximum number of bindings of one name in one scope, and of symbols of one name in one parent.
const MAX_SAME_NAMES: u32 = 4000;

/// Whether no scope is nested too deeply and no name is bound too often.
pub(crate) fn is_resolvable(facts: &Facts) -> bool {
    let bindings = facts.flow.bindings.iter().map(|binding| (binding.scope, binding.name));
    let symbols = facts.outline.symbols.iter().map(|symbol| (symbol.parent, symbol.name));
    let too_many = most_equal(bindings) > MAX_SAME_NAMES || most_equal(symbols) > MAX_SAME_NAMES;
    !too_many && deepest(facts) <= MAX_SCOPE_DEPTH
}

/// The number of occurrences of the most frequent name of one owner.
fn most_equal<Owner: Hash + Eq>(named: impl ExactSizeIterator<Item = (Owner, Atom)>) -> u32 {
    if named.len() <= MAX_SAME_NAMES as usize {
        return 0;
    }
    let mut counts: FxHashMap<(Owner, Atom), u32> = FxHashMap::default();
    named.for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_values().max().unwrap_or_default()
}

/// The nesting depth of the deepest scope. A scope comes after its parent in the list.
fn deepest(facts: &Facts) -> u32 {
    let scopes = &facts.flow.scopes;
    if scopes.len() <= MAX_SCOPE_DEPTH as usize {
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
