//! The entrance: what every use in a file means.

use crate::modules::Includes;
use crate::session::Session;
use crate::unit::Unit;
use crate::world::World;
use crate::{components, heirs, uses};
use orient_model::{Resolved, Rules};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many files are kept at hand; beyond it, all are let go at once.
const UNITS: usize = 4096;

/// Resolves the files of a world.
pub struct Resolver<'w> {
    pub(crate) world: &'w dyn World,
    units: Mutex<FxHashMap<u32, Option<Arc<Unit>>>>,
    rules: Mutex<FxHashMap<String, Option<Arc<Rules>>>>,
    includes: Mutex<FxHashMap<u32, Arc<Includes>>>,
    pub(crate) project: crate::project::Project,
}

impl<'w> Resolver<'w> {
    /// A resolver that looks at this world.
    pub fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            units: Mutex::default(),
            rules: Mutex::default(),
            includes: Mutex::default(),
            project: crate::project::Project::read(world),
        }
    }

    /// What the uses in a file mean.
    pub fn resolve(&self, file: u32) -> Resolved {
        let Some(unit) = self.unit(file) else { return Resolved::default() };
        let session = Session::new(self);
        let mut resolved = Resolved::default();
        uses::edges(&session, &unit, &mut resolved);
        heirs::edges(&session, &unit, &mut resolved);
        components::edges(&session, &unit, &mut resolved);
        resolved.edges.sort_unstable();
        resolved.edges.dedup_by_key(|edge| (edge.from, edge.kind, edge.to, edge.line));
        resolved.outside.sort_unstable();
        resolved.outside.dedup();
        resolved.misses.sort_unstable();
        resolved.misses.dedup();
        resolved.asks = session.asked();
        resolved
    }

    /// A file as resolution looks at it; none for one of a language without rules.
    pub(crate) fn unit(&self, file: u32) -> Option<Arc<Unit>> {
        if let Some(known) = self.units.lock().unwrap_or_else(PoisonError::into_inner).get(&file) {
            return known.clone();
        }
        let unit = self.world.facts(file).and_then(|facts| {
            let rules = self.rules(&facts.language)?;
            Some(Arc::new(Unit::new(file, facts, rules)))
        });
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        if units.len() >= UNITS {
            units.clear();
        }
        units.insert(file, unit.clone());
        unit
    }

    /// What a file includes itself; found once.
    pub(crate) fn includes(&self, file: u32, find: impl FnOnce() -> Includes) -> Arc<Includes> {
        if let Some(known) = self.includes.lock().unwrap_or_else(PoisonError::into_inner).get(&file) {
            return known.clone();
        }
        let found = Arc::new(find());
        self.includes.lock().unwrap_or_else(PoisonError::into_inner).insert(file, found.clone());
        found
    }

    fn rules(&self, language: &str) -> Option<Arc<Rules>> {
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(language) {
            return rules.clone();
        }
        let rules = self.world.rules(language).map(|rules| Arc::new(rules.clone()));
        known.insert(language.to_owned(), rules.clone());
        rules
    }
}
