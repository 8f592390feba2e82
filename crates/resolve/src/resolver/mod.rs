//! The entry point: resolves files, and shares caches between them.

mod lookups;

pub(crate) use lookups::PathKey;

use crate::calls::argument_types;
use crate::edges::{self, CallOutcome, UnprovedUse};
use crate::file::file_unit::Members;
use crate::file::{FileRef, FileUnit};
use crate::modules::{DirectIncludes, TopLevelSymbols, Wildcards};
use crate::repository::{NamedSymbol, Repository};
use crate::session::Namesake;
use crate::session::Session;
use crate::sharded_cache::ShardedCache;
use crate::surface;
use crate::types::ty::SymbolId;
use orient_model::{Resolved, Rules, SymbolKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// Sizes of the shared caches in bytes.
const UNITS: usize = 96 << 20;
const NAMES: usize = 32 << 20;
const TOPS: usize = 16 << 20;
const MEMBERS: usize = 16 << 20;
const INCLUDES: usize = 16 << 20;
const WILDCARDS: usize = 16 << 20;
/// Maximum number of rounds to infer parameter types from calls: a type may pass through several parameters.
const ROUNDS: usize = 3;
/// Overhead of a cache entry in bytes.
const OVERHEAD: usize = 64;
/// Size of a member in bytes, without its name.
const ENTRY: usize = 72;

thread_local! {
    /// A buffer for keys that are only looked up.
    static KEY: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The symbols of one name.
type Namesakes = Arc<[Namesake]>;

/// Resolves the files of a repository.
pub struct Resolver<'w> {
    /// Private: sessions reach it through recorded lookups.
    repository: &'w dyn Repository,
    units: ShardedCache<u32, Option<Arc<FileUnit>>>,
    rules: Mutex<FxHashMap<String, Option<Arc<Rules>>>>,
    includes: ShardedCache<u32, Arc<DirectIncludes>>,
    /// By file and round.
    wildcards: ShardedCache<(u32, u8), Arc<Wildcards>>,
    /// By language family and name, with a slash between them.
    names: ShardedCache<Box<str>, Namesakes>,
    /// By directory.
    tops: ShardedCache<Box<str>, Arc<TopLevelSymbols>>,
    /// By the declarations they come from.
    members: ShardedCache<Box<[SymbolId]>, Arc<Members>>,
    pub(crate) project: crate::modules::project_files::Project,
}

impl<'w> Resolver<'w> {
    /// A resolver for this repository.
    pub fn new(repository: &'w dyn Repository) -> Self {
        Self {
            repository,
            units: ShardedCache::new(UNITS),
            rules: Mutex::default(),
            includes: ShardedCache::new(INCLUDES),
            wildcards: ShardedCache::new(WILDCARDS),
            names: ShardedCache::new(NAMES),
            tops: ShardedCache::new(TOPS),
            members: ShardedCache::new(MEMBERS),
            project: crate::modules::project_files::Project::read(repository),
        }
    }

    /// Resolves a file.
    pub fn resolve(&self, file: u32) -> Resolved {
        let Some((session, unit)) = self.session(file) else { return Resolved::default() };
        let mut resolved = Resolved::default();
        if !unit.rules.outline_only {
            edges::add_all(&session, &unit, &mut resolved);
        }
        surface::add(&session, &unit, &mut resolved);
        resolved.edges.sort_unstable();
        resolved.edges.dedup_by_key(|edge| (edge.from, edge.kind, edge.to, edge.line));
        resolved.external.sort_unstable();
        resolved.external.dedup();
        resolved.unresolved.sort_unstable();
        resolved.unresolved.dedup();
        session.finish(&mut resolved);
        resolved
    }

    /// What became of each call in a file, by position.
    pub fn call_outcomes(&self, file: u32) -> Vec<CallOutcome> {
        self.session(file).map(|(session, unit)| edges::call_outcomes(&session, &unit)).unwrap_or_default()
    }

    /// The uses in a file whose meaning neither our rules nor a compiler prove, by position.
    pub fn unproved_uses(&self, file: u32) -> Vec<UnprovedUse> {
        self.session(file).map(|(session, unit)| edges::unproved_uses(&session, &unit)).unwrap_or_default()
    }

    /// The session that resolves a file, with the parameter types that follow from its calls.
    fn session(&self, file: u32) -> Option<(Session<'_>, FileRef)> {
        let mut session = Session::new(self, file, argument_types::ParamTypes::default());
        let unit = session.unit(file)?;
        session.queries.targets.reserve(unit.references().len());
        if unit.rules.value_flow_typing {
            for _ in 0..ROUNDS {
                let param_types = argument_types::param_types(&session, &unit);
                if param_types == session.param_types {
                    break;
                }
                session = session.again(param_types);
                session.queries.targets.reserve(unit.references().len());
            }
        }
        Some((session, unit))
    }

    /// A file with its lookup tables; none if its language has no rules.
    pub(crate) fn unit(&self, file: u32) -> Option<Arc<FileUnit>> {
        if let Some(known) = self.units.get(&file) {
            return known;
        }
        let unit = self.repository.facts(file).and_then(|facts| {
            let rules = self.rules(&facts.language)?;
            Some(Arc::new(FileUnit::new(file, facts, rules)))
        });
        let weight = unit.as_ref().map_or(0, |unit| unit.weight());
        self.units.put(file, unit.clone(), weight + OVERHEAD);
        unit
    }

    /// The direct includes of a file, cached.
    pub(crate) fn includes(&self, file: u32, find: impl FnOnce() -> DirectIncludes) -> Arc<DirectIncludes> {
        if let Some(known) = self.includes.get(&file) {
            return known;
        }
        let found = Arc::new(find());
        let weight = found.files.len() * 4 + found.names.iter().map(|name| name.len() + 24).sum::<usize>();
        self.includes.put(file, found.clone(), weight + OVERHEAD);
        found
    }

    /// The wildcard imports of a file as a round finds them, cached.
    pub(crate) fn wildcards(&self, file: u32, round: u8, find: impl FnOnce() -> Wildcards) -> Arc<Wildcards> {
        if let Some(known) = self.wildcards.get(&(file, round)) {
            return known;
        }
        let found = Arc::new(find());
        self.wildcards.put((file, round), found.clone(), found.weight() + OVERHEAD);
        found
    }

    /// All symbols of this name in files of the language family, by path and position.
    pub(crate) fn symbols_named(&self, family: &str, name: &str) -> Arc<[Namesake]> {
        let known = KEY.with_borrow_mut(|key| {
            key.clear();
            key.extend([family, "/", name]);
            self.names.get(key.as_str())
        });
        if let Some(known) = known {
            return known;
        }
        let named = self.repository.symbols_named(family, name).into_iter();
        let namesakes: Arc<[Namesake]> = named
            // Nothing refers to a test by its title.
            .filter(|named| named.kind != SymbolKind::Test)
            .filter_map(|NamedSymbol { node, kind, modifiers }| {
                Some(Namesake { sym: SymbolId { file: node.file, at: node.symbol? }, kind, modifiers })
            })
            .collect();
        let weight = size_of_val(&*namesakes) + family.len() + name.len();
        self.names.put(format!("{family}/{name}").into(), namesakes.clone(), weight + OVERHEAD);
        namesakes
    }

    /// The top-level symbols of a directory, cached.
    pub(crate) fn directory_symbols(
        &self,
        directory: &str,
        find: impl FnOnce() -> TopLevelSymbols,
    ) -> Arc<TopLevelSymbols> {
        if let Some(known) = self.tops.get(directory) {
            return known;
        }
        let found = Arc::new(find());
        self.tops.put(directory.into(), found.clone(), found.weight() + directory.len() + OVERHEAD);
        found
    }

    /// The members of a type with these declarations and outside members, cached.
    pub(crate) fn members(&self, sources: &[&[SymbolId]], find: impl FnOnce() -> Members) -> Arc<Members> {
        let key: Box<[SymbolId]> = sources.concat().into();
        if let Some(known) = self.members.get(&key) {
            return known;
        }
        let found = Arc::new(find());
        let weight = key.len() * 8 + found.keys().map(|name| name.len() + ENTRY).sum::<usize>();
        self.members.put(key, found.clone(), weight + OVERHEAD);
        found
    }

    fn rules(&self, language: &str) -> Option<Arc<Rules>> {
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(language) {
            return rules.clone();
        }
        let rules = self.repository.rules(language).map(|rules| Arc::new(rules.clone()));
        known.insert(language.to_owned(), rules.clone());
        rules
    }
}
