//! The entrance: what every use in a file means.

use crate::calls::argument_types;
use crate::edges;
use crate::file::file_unit::{Members, Unit};
use crate::modules::{Includes, Tops};
use crate::repository::{Named, World};
use crate::session::Bearer;
use crate::session::Session;
use crate::sharded_cache::Shared;
use crate::types::ty::Sym;
use orient_model::{Resolved, Rules};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// About how many bytes of tables over facts, of symbols by name, of folders, of members and of includes are kept at hand.
const UNITS: usize = 96 << 20;
const NAMES: usize = 32 << 20;
const TOPS: usize = 16 << 20;
const MEMBERS: usize = 16 << 20;
const INCLUDES: usize = 16 << 20;
/// How often what calls give for parameters is looked at anew, since it may come through other parameters.
const ROUNDS: usize = 3;
/// What an entry of a table takes beside its content.
const OVERHEAD: usize = 64;
/// What a member takes beside its name.
const ENTRY: usize = 72;

thread_local! {
    /// Where keys are put together that are only looked up.
    static KEY: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Symbols of one name.
type Bearers = Arc<[Bearer]>;

/// Resolves the files of a world.
pub struct Resolver<'w> {
    pub(crate) world: &'w dyn World,
    units: Shared<u32, Option<Arc<Unit>>>,
    rules: Mutex<FxHashMap<String, Option<Arc<Rules>>>>,
    includes: Shared<u32, Arc<Includes>>,
    /// By family and name, with a stroke between them.
    names: Shared<Box<str>, Bearers>,
    /// By folder.
    tops: Shared<Box<str>, Arc<Tops>>,
    /// By the symbols they come from.
    members: Shared<Box<[Sym]>, Arc<Members>>,
    pub(crate) project: crate::modules::project_files::Project,
}

impl<'w> Resolver<'w> {
    /// A resolver that looks at this world.
    pub fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            units: Shared::new(UNITS),
            rules: Mutex::default(),
            includes: Shared::new(INCLUDES),
            names: Shared::new(NAMES),
            tops: Shared::new(TOPS),
            members: Shared::new(MEMBERS),
            project: crate::modules::project_files::Project::read(world),
        }
    }

    /// What the uses in a file mean.
    pub fn resolve(&self, file: u32) -> Resolved {
        let mut session = Session::new(self, file, argument_types::Taken::default());
        let Some(unit) = session.unit(file) else { return Resolved::default() };
        session.expect(unit.references().len());
        if unit.rules.dynamic {
            for _ in 0..ROUNDS {
                let taken = argument_types::taken(&session, &unit);
                if taken == session.taken {
                    break;
                }
                session = session.again(taken);
                session.expect(unit.references().len());
            }
        }
        let mut resolved = Resolved::default();
        edges::add_all(&session, &unit, &mut resolved);
        resolved.edges.sort_unstable();
        resolved.edges.dedup_by_key(|edge| (edge.from, edge.kind, edge.to, edge.line));
        resolved.outside.sort_unstable();
        resolved.outside.dedup();
        resolved.misses.sort_unstable();
        resolved.misses.dedup();
        session.depends(&mut resolved);
        resolved
    }

    /// A file as resolution looks at it; none for one of a language without rules.
    pub(crate) fn unit(&self, file: u32) -> Option<Arc<Unit>> {
        if let Some(known) = self.units.get(&file) {
            return known;
        }
        let unit = self.world.facts(file).and_then(|facts| {
            let rules = self.rules(&facts.language)?;
            Some(Arc::new(Unit::new(file, facts, rules)))
        });
        let weight = unit.as_ref().map_or(0, |unit| unit.weight());
        self.units.put(file, unit.clone(), weight + OVERHEAD);
        unit
    }

    /// What a file includes itself; found once.
    pub(crate) fn includes(&self, file: u32, find: impl FnOnce() -> Includes) -> Arc<Includes> {
        if let Some(known) = self.includes.get(&file) {
            return known;
        }
        let found = Arc::new(find());
        let weight = found.files.len() * 4 + found.asks.iter().map(|name| name.len() + 24).sum::<usize>();
        self.includes.put(file, found.clone(), weight + OVERHEAD);
        found
    }

    /// Every symbol of this name in the family's files, by path and place.
    pub(crate) fn named(&self, family: &str, name: &str) -> Arc<[Bearer]> {
        let known = KEY.with_borrow_mut(|key| {
            key.clear();
            key.extend([family, "/", name]);
            self.names.get(key.as_str())
        });
        if let Some(known) = known {
            return known;
        }
        let named = self.world.named(family, name).into_iter();
        let bearers: Arc<[Bearer]> = named
            .filter_map(|Named { node, kind, modifiers }| {
                Some(Bearer { sym: Sym { file: node.file, at: node.symbol? }, kind, modifiers })
            })
            .collect();
        let weight = size_of_val(&*bearers) + family.len() + name.len();
        self.names.put(format!("{family}/{name}").into(), bearers.clone(), weight + OVERHEAD);
        bearers
    }

    /// What stands at the top of the files of a folder; found once.
    pub(crate) fn tops(&self, folder: &str, find: impl FnOnce() -> Tops) -> Arc<Tops> {
        if let Some(known) = self.tops.get(folder) {
            return known;
        }
        let found = Arc::new(find());
        self.tops.put(folder.into(), found.clone(), found.weight() + folder.len() + OVERHEAD);
        found
    }

    /// The members of a type that has these parts and these members elsewhere; found once.
    pub(crate) fn members(&self, made_of: &[&[Sym]], find: impl FnOnce() -> Members) -> Arc<Members> {
        let key: Box<[Sym]> = made_of.concat().into();
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
        let rules = self.world.rules(language).map(|rules| Arc::new(rules.clone()));
        known.insert(language.to_owned(), rules.clone());
        rules
    }
}
