//! The functions that resolution consists of; tests replace them by a toy resolver.

use orient_model::{Flow, Outline, Resolved, Rules};
use orient_resolve::{NameReach, Repository, Resolver, interface_hashes, name_reach};
use std::collections::BTreeMap;

/// Resolves the references of a file.
pub(crate) type ResolveFn<'w> = Box<dyn Fn(u32) -> Resolved + Sync + 'w>;
/// Creates a resolver over a repository.
pub(crate) type MakeResolveFn = for<'w> fn(&'w dyn Repository) -> ResolveFn<'w>;

/// The interface of a file: the names that others can see, each with a hash of their visible properties.
pub(crate) type InterfaceFn = fn(&Outline, &Flow, Option<&Rules>) -> Vec<(String, u64)>;

/// The visibility of names from files that did not read this one.
pub(crate) type NameReachFn = fn(&Outline, &Rules, &[String]) -> BTreeMap<String, NameReach>;

/// The functions that resolution consists of; replaceable in tests.
#[derive(Clone, Copy)]
pub(crate) struct ResolverHooks {
    pub(crate) make: MakeResolveFn,
    pub(crate) interface: InterfaceFn,
    pub(crate) reach: NameReachFn,
}

impl Default for ResolverHooks {
    fn default() -> Self {
        fn make(world: &dyn Repository) -> ResolveFn<'_> {
            let resolver = Resolver::new(world);
            Box::new(move |file| resolver.resolve(file))
        }
        Self { make, interface: interface_hashes, reach: name_reach }
    }
}
