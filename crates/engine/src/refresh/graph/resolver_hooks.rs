//! The functions that resolution consists of; tests replace them by a toy resolver.

use orient_model::{Outline, Resolved, Rules};
use orient_resolve::{FileFacts, NamedSymbols, Repository, Resolver, named_symbols, slot_hashes};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Resolves the references of a file.
pub(crate) type ResolveFn<'w> = Box<dyn Fn(u32) -> Resolved + Sync + 'w>;
/// Creates a resolver over a repository.
pub(crate) type MakeResolveFn = for<'w> fn(&'w dyn Repository) -> ResolveFn<'w>;

/// The slots of a file, each with the hash of what readers of the slot see.
pub(crate) type SlotsFn = fn(&Arc<FileFacts>, Option<&Rules>) -> Vec<(String, u64)>;

/// The symbols of a file with these names, as lookups find them.
pub(crate) type NamedSymbolsFn = fn(&Outline, &Rules, &[String]) -> BTreeMap<String, NamedSymbols>;

/// The functions that resolution consists of; replaceable in tests.
#[derive(Clone, Copy)]
pub(crate) struct ResolverHooks {
    pub(crate) make: MakeResolveFn,
    pub(crate) slots: SlotsFn,
    pub(crate) named: NamedSymbolsFn,
}

impl Default for ResolverHooks {
    fn default() -> Self {
        fn make(world: &dyn Repository) -> ResolveFn<'_> {
            let resolver = Resolver::new(world);
            Box::new(move |file| resolver.resolve(file))
        }
        Self { make, slots: slot_hashes, named: named_symbols }
    }
}
