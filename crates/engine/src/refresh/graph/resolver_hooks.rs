//! The functions that resolution consists of; tests replace them by a toy resolver.

use orient_model::{Flow, Outline, Resolved, Rules};
use orient_resolve::{Afar, Resolver, World, afar, surface};
use std::collections::BTreeMap;

/// Resolves the references of a file.
pub(crate) type Resolve<'w> = Box<dyn Fn(u32) -> Resolved + Sync + 'w>;
/// Creates a resolver over a world.
pub(crate) type MakeResolve = for<'w> fn(&'w dyn World) -> Resolve<'w>;

/// The surface of a file: the names that others can see, each with a hash of their visible properties.
pub(crate) type Surface = fn(&Outline, &Flow) -> Vec<(String, u64)>;

/// The visibility of names from files that did not read this one.
pub(crate) type SeenAfar = fn(&Outline, &Rules, &[String]) -> BTreeMap<String, Afar>;

/// The functions that resolution consists of; replaceable in tests.
#[derive(Clone, Copy)]
pub(crate) struct ResolverHooks {
    pub(crate) make: MakeResolve,
    pub(crate) surface: Surface,
    pub(crate) afar: SeenAfar,
}

impl Default for ResolverHooks {
    fn default() -> Self {
        fn make(world: &dyn World) -> Resolve<'_> {
            let resolver = Resolver::new(world);
            Box::new(move |file| resolver.resolve(file))
        }
        Self { make, surface, afar }
    }
}
