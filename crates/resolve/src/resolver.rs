//! The entrance: what every use in a file means.

use crate::World;
use orient_model::Resolved;

/// Resolves the files of a world.
pub struct Resolver<'w> {
    world: &'w dyn World,
}

impl<'w> Resolver<'w> {
    /// A resolver that looks at this world.
    pub fn new(world: &'w dyn World) -> Self {
        Self { world }
    }

    /// What the uses in a file mean.
    pub fn resolve(&self, file: u32) -> Resolved {
        let _ = self.world.facts(file);
        Resolved::default()
    }
}
