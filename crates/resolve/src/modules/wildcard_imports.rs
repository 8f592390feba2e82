//! Names that wildcard imports bring into a scope, also through modules that pass on what they import themselves.
//!
//! Modules may pass on each other's names in cycles, and the number of paths through a cycle is exponential in the number of its
//! modules. So a name is not searched along paths: the scopes that are reachable are collected once, and the name is looked up in
//! each of them. Only if several have it does the order of the imports decide.
//!
//! The targets of a file's wildcard imports are resolved once and cached for all files that look names up in it. In a module tree, the
//! path of a wildcard import may begin with a name that another one brings in: `use shop::*; use cart::*`, where `cart` is a module
//! of `shop`. Such paths are resolved in rounds: the first round knows only names that need no wildcard import, and each further
//! round also knows the names that the imports resolved in the round before bring in.

use super::{file_stem, name_hash};
use crate::file::FileRef;
use crate::memo::Keep;
use crate::memo_tables::InFile;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{ImportKind, Modules, Resolved, Rule, SymbolKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

/// Rounds in which the paths of wildcard imports are found.
pub(crate) const WILDCARD_ROUNDS: u8 = 3;
/// Maximum number of wildcard imports that are followed from one scope. Fifty modules that all pass on each other's names have
/// 2,450; beyond that number, answers are incomplete.
const MAX_FOLLOWED: usize = 100_000;

/// What a wildcard import names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WildcardTarget {
    /// A file, or a module in a file: the names of its scope.
    Scope(InFile),
    /// A module that is no file: its members. It passes nothing on.
    Module(Module),
    /// A type: its members, such as the cases of an enumeration. It passes nothing on.
    Type(SymbolId),
}

/// A wildcard import: its scope, whether other files see the names, and its targets.
#[derive(Debug)]
struct Wildcard {
    scope: u32,
    reexport: bool,
    targets: Vec<WildcardTarget>,
}

/// The wildcard imports of a file, with the dependencies of their targets.
#[derive(Debug, Default)]
pub(crate) struct Wildcards {
    imports: Vec<Wildcard>,
    keys: Vec<String>,
    files: Vec<u32>,
}

impl Wildcards {
    /// The size in bytes, about.
    pub(crate) fn weight(&self) -> usize {
        let imports: usize = self.imports.iter().map(|one| 40 + one.targets.len() * 32).sum();
        imports + self.keys.iter().map(|key| key.len() + 24).sum::<usize>() + self.files.len() * 4
    }
}

/// Where a name is looked up from: `export * from` brings names into the exports of a file, but not into the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SeenFrom {
    /// The scope itself.
    Inside,
    /// A file that imports it.
    Outside,
}

/// The targets that are reachable from a scope, while they are collected.
#[derive(Default)]
struct ReachableTargets {
    /// Each once, in the order in which they were found.
    all: Vec<WildcardTarget>,
    seen: FxHashSet<WildcardTarget>,
    /// Scopes whose own targets are among them.
    expanded: FxHashSet<InFile>,
    /// Number of wildcard imports that were followed.
    followed: usize,
}

impl ReachableTargets {
    fn add(&mut self, target: &WildcardTarget) {
        if self.seen.insert(target.clone()) {
            self.all.push(target.clone());
        }
    }

    /// Adds a scope of which it is known what is reachable from it.
    fn add_known(&mut self, scope: InFile, known: &[WildcardTarget]) {
        self.expanded.insert(scope);
        for target in known {
            if let WildcardTarget::Scope(scope) = target {
                self.expanded.insert(*scope);
            }
            self.add(target);
        }
    }
}

impl Session<'_> {
    /// A name that the wildcard imports of a scope bring into it.
    pub(crate) fn name_through_wildcards(
        &self,
        unit: &FileRef,
        scope: u32,
        seen_from: SeenFrom,
        name: &str,
    ) -> Vec<Target> {
        if self.wildcard_rounds == 0 || unit.wildcards(scope).next().is_none() {
            return Vec::new();
        }
        let from = (unit.file, scope);
        let all = self.reachable(from, seen_from);
        let mut definers =
            all.iter().map(|one| self.own_names(one, name, unit)).filter(|own| !own.is_empty());
        let found = match (definers.next(), definers.next()) {
            (Some(_), Some(_)) => self.first_in_order(from, seen_from, name, unit),
            (found, _) => found.unwrap_or_else(|| self.submodule_of_reachable(&all, name)),
        };
        let rule = if passes_on_what_it_does_not_bind(unit) && seen_from == SeenFrom::Outside {
            Rule::Reexport
        } else {
            Rule::Wildcard
        };
        found.iter().map(|one| one.clone().by(rule)).collect()
    }

    /// All targets that are reachable from a scope through wildcard imports.
    fn reachable(&self, from: InFile, seen_from: SeenFrom) -> Rc<[WildcardTarget]> {
        let tables = &self.queries.reachable_targets;
        tables.get_or(&self.limits, (from, seen_from), Keep::Always, || {
            let mut reachable = ReachableTargets::default();
            self.expand(from, seen_from, &mut reachable);
            let mut next = 0;
            while let Some(target) = reachable.all.get(next) {
                next += 1;
                if let &WildcardTarget::Scope(scope) = target
                    && reachable.expanded.insert(scope)
                {
                    self.expand(scope, SeenFrom::Outside, &mut reachable);
                }
            }
            if reachable.followed > MAX_FOLLOWED {
                self.limits.cut();
            }
            reachable.all.into()
        })
    }

    /// Adds the targets of the wildcard imports of a scope.
    fn expand(&self, scope: InFile, seen_from: SeenFrom, reachable: &mut ReachableTargets) {
        self.each_target(scope, seen_from, |target| {
            reachable.followed += 1;
            if reachable.followed > MAX_FOLLOWED {
                return;
            }
            reachable.add(target);
            // The scopes of a cycle reach the same targets: what is known of one need not be collected again for the others.
            if let &WildcardTarget::Scope(scope) = target
                && !reachable.expanded.contains(&scope)
                && let Some(known) = self.queries.reachable_targets.get(&(scope, SeenFrom::Outside))
            {
                reachable.add_known(scope, &known);
            }
        });
    }

    /// The name in the first scope that has it, in the order of the imports: what an import passes on comes before the next import.
    fn first_in_order(&self, from: InFile, seen_from: SeenFrom, name: &str, unit: &FileRef) -> Rc<[Target]> {
        let mut seen: FxHashSet<WildcardTarget> = FxHashSet::default();
        let mut pending = self.targets_in_reverse(from, seen_from);
        while let Some(target) = pending.pop() {
            if !seen.insert(target.clone()) {
                continue;
            }
            let own = self.own_names(&target, name, unit);
            if !own.is_empty() {
                return own;
            }
            if let WildcardTarget::Scope(scope) = target {
                pending.extend(self.targets_in_reverse(scope, SeenFrom::Outside));
            }
        }
        Target::stored(Vec::new())
    }

    fn targets_in_reverse(&self, from: InFile, seen_from: SeenFrom) -> Vec<WildcardTarget> {
        let mut all = Vec::new();
        self.each_target(from, seen_from, |target| all.push(target.clone()));
        all.reverse();
        all
    }

    /// Calls `see` for each target of the wildcard imports of a scope.
    fn each_target(&self, (file, scope): InFile, seen_from: SeenFrom, see: impl FnMut(&WildcardTarget)) {
        let Some(unit) = self.unit(file).filter(|unit| unit.wildcards(scope).next().is_some()) else {
            return;
        };
        let exports = passes_on_what_it_does_not_bind(&unit);
        let is_meant = |one: &&Wildcard| {
            one.scope == scope && (!exports || one.reexport == (seen_from == SeenFrom::Outside))
        };
        let wildcards = self.wildcards_of(&unit);
        wildcards.imports.iter().filter(is_meant).flat_map(|one| &one.targets).for_each(see);
    }

    /// The wildcard imports of a file. What their targets depend on, this session depends on, too.
    fn wildcards_of(&self, unit: &FileRef) -> Arc<Wildcards> {
        self.queries.wildcards.get_or_insert(&unit.file, || {
            // Only in a module tree do paths begin with names; elsewhere, one round finds all there is.
            let is_tree = unit.rules.modules == Modules::Tree;
            let round = if is_tree { self.wildcard_rounds - 1 } else { 0 };
            let found = self.resolver.wildcards(unit.file, round, || self.find_wildcards(unit.file, round));
            found.keys.iter().for_each(|key| self.dependencies.on_key(key));
            found.files.iter().for_each(|&file| self.dependencies.on_file(file));
            found
        })
    }

    /// Resolves the targets of the wildcard imports of a file. It runs in a session of its own, since the result is cached for other files.
    fn find_wildcards(&self, file: u32, round: u8) -> Wildcards {
        let session = Session::for_wildcards(self.resolver, file, round);
        let Some(unit) = session.unit(file) else { return Wildcards::default() };
        let mut imports = Vec::new();
        for import in unit.imports().iter().filter(|import| import.kind == ImportKind::Wildcard) {
            session.start_reference();
            let module = unit.outline_text(import.module);
            let types: Vec<Ty> = if unit.rules.modules == Modules::Tree {
                let site = Site { unit: unit.clone(), scope: import.scope, at: u32::MAX };
                session.walk_path(&site, module).iter().map(|found| session.value(found).ty).collect()
            } else {
                session.find_module(&unit, module).map(Ty::Module).into_iter().collect()
            };
            let targets = types.into_iter().filter_map(|ty| session.wildcard_target(ty)).collect();
            imports.push(Wildcard { scope: import.scope, reexport: import.reexport, targets });
        }
        let mut resolved = Resolved::default();
        session.finish(&mut resolved);
        Wildcards { imports, keys: resolved.name_dependencies, files: resolved.file_dependencies }
    }

    /// The target of a wildcard import whose path means this.
    fn wildcard_target(&self, ty: Ty) -> Option<WildcardTarget> {
        match ty {
            Ty::Module(Module::File(file)) => Some(WildcardTarget::Scope((file, 0))),
            Ty::Module(module) => Some(WildcardTarget::Module(module)),
            Ty::Metatype(sym, _) => {
                let unit = self.unit_of(sym)?;
                if unit.kind(sym.at) != Some(SymbolKind::Module) {
                    return Some(WildcardTarget::Type(sym));
                }
                match self.declared_module(&unit, sym.at) {
                    Some(Module::File(file)) => Some(WildcardTarget::Scope((file, 0))),
                    _ => unit.scope_of(sym.at).map(|scope| WildcardTarget::Scope((unit.file, scope))),
                }
            }
            _ => None,
        }
    }

    /// A name in a target, without what its own wildcard imports bring in.
    fn own_names(&self, target: &WildcardTarget, name: &str, from: &FileRef) -> Rc<[Target]> {
        let nothing = || Target::stored(Vec::new());
        let tables = &self.queries.module_members;
        let found = match target {
            &WildcardTarget::Scope((file, scope)) => {
                let Some(unit) = self.unit(file).filter(|unit| unit.may_have(scope, name)) else {
                    return nothing();
                };
                let find = || match unit.rules.modules {
                    Modules::Path if scope == 0 => self.exported_itself(&unit, name),
                    Modules::Dotted if scope == 0 => self.top_level(&unit, name),
                    _ => self.bound_in_scope(&unit, scope, name),
                };
                let key = (file, name_hash(("own", scope), name));
                tables.visit(&self.limits, &key, || Target::stored(find()))
            }
            WildcardTarget::Module(module) => {
                let key = (from.file, name_hash(module, name));
                tables.visit(&self.limits, &key, || Target::stored(self.module_member(module, name, from)))
            }
            &WildcardTarget::Type(sym) => {
                let metatype = Value::new(Ty::Metatype(sym, Ty::no_args()), Rule::Static);
                let is_here = |one: &Target| !matches!(one.referent, Referent::External(..));
                let find = || self.member(&metatype, name, from).into_iter().filter(is_here).collect();
                let key = (sym.file, name_hash(("type", sym.at), name));
                tables.visit(&self.limits, &key, || Target::stored(find()))
            }
        };
        found.unwrap_or_else(nothing)
    }

    /// A module in one of the packages that are reachable.
    fn submodule_of_reachable(&self, reachable: &[WildcardTarget], name: &str) -> Rc<[Target]> {
        let units = reachable.iter().filter_map(|target| match target {
            WildcardTarget::Scope((file, 0)) => self.unit(*file),
            _ => None,
        });
        let mut found = units.filter_map(|unit| self.submodule_of_package(&unit, name));
        Target::stored(found.next().into_iter().collect())
    }

    /// A module in the package whose own file this is.
    pub(super) fn submodule_of_package(&self, unit: &FileRef, name: &str) -> Option<Target> {
        let is_package = unit.rules.modules == Modules::Dotted
            && unit.rules.directory_files.contains(&file_stem(&unit.path().display()));
        if is_package { self.submodule(&unit.directory(), name, unit) } else { None }
    }
}

/// Whether a wildcard import that passes names on does not bind them itself: `export * from`.
fn passes_on_what_it_does_not_bind(unit: &FileRef) -> bool {
    unit.rules.modules == Modules::Path
}
