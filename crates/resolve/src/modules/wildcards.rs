//! Names that wildcard imports bring into a scope, through any number of modules that pass them on.
//!
//! Modules may pass on each other's names in cycles, and there are as many ways through a cycle as orders of its modules.
//! So a name is not searched along the ways: the scopes that can be reached are found once, and a name is looked up in each
//! of them. Only where several have it does the order of the imports decide, and is followed.
//!
//! What the wildcard imports of a file open does not depend on who asks, and is shared between the files that ask. In a module tree,
//! the path of an import may begin with a name that another wildcard import brings in: `use shop::*; use cart::*`, where `cart`
//! is a module of `shop`. It is found in rounds. The first knows only names that are there without wildcard imports; each
//! further one knows the names that the imports of the round before bring in.

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

/// What a wildcard import opens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Opened {
    /// The names of a scope: those of a file, or of a module in a file.
    Scope(InFile),
    /// The members of a module that is no file. These pass nothing on.
    Module(Module),
    /// The members of a type, such as the cases of an enumeration. These pass nothing on.
    Type(SymbolId),
}

/// A wildcard import: its scope, whether others see the names, and what it opens.
#[derive(Debug)]
struct Wildcard {
    scope: u32,
    reexport: bool,
    opened: Vec<Opened>,
}

/// The wildcard imports of a file, and what they were found with.
#[derive(Debug, Default)]
pub(crate) struct Wildcards {
    imports: Vec<Wildcard>,
    keys: Vec<String>,
    files: Vec<u32>,
}

impl Wildcards {
    /// The size in bytes, about.
    pub(crate) fn weight(&self) -> usize {
        let imports: usize = self.imports.iter().map(|one| 40 + one.opened.len() * 32).sum();
        imports + self.keys.iter().map(|key| key.len() + 24).sum::<usize>() + self.files.len() * 4
    }
}

/// Who looks at a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SeenFrom {
    Inside,
    Outside,
}

impl Session<'_> {
    /// A name that the wildcard imports of a scope bring into it.
    pub(crate) fn opened_name(
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
        let all = self.reached(from, seen_from);
        let mut definers =
            all.iter().map(|one| self.own_names(one, name, unit)).filter(|own| !own.is_empty());
        let found = match (definers.next(), definers.next()) {
            (Some(_), Some(_)) => self.first_in_order(from, seen_from, name, unit),
            (found, _) => found.unwrap_or_else(|| self.submodule_of_reached(&all, name)),
        };
        let rule = if passes_on_what_it_does_not_bind(unit) && seen_from == SeenFrom::Outside {
            Rule::Reexport
        } else {
            Rule::Wildcard
        };
        found.iter().map(|one| one.clone().by(rule)).collect()
    }

    /// All that the wildcard imports of a scope open, at any depth.
    fn reached(&self, from: InFile, seen_from: SeenFrom) -> Rc<[Opened]> {
        let tables = &self.queries.reached_scopes;
        tables.get_or(&self.limits, (from, seen_from), Keep::Always, || {
            let mut seen: FxHashSet<Opened> = FxHashSet::default();
            let mut reached: Vec<Opened> = Vec::new();
            let mut is_expanded: FxHashSet<InFile> = FxHashSet::default();
            let mut followed = 0;
            let mut follow =
                |(next, seen_from), reached: &mut Vec<Opened>, is_expanded: &mut FxHashSet<_>| {
                    self.each_opened(next, seen_from, |opened| {
                        followed += 1;
                        if followed > MAX_FOLLOWED {
                            return;
                        }
                        if seen.insert(opened.clone()) {
                            reached.push(opened.clone());
                        }
                        // What is reached from a scope of the same cycle is known once it is known for one of them.
                        let Opened::Scope(scope) = opened else { return };
                        if !is_expanded.contains(scope)
                            && let Some(known) = tables.get(&(*scope, SeenFrom::Outside))
                        {
                            is_expanded.insert(*scope);
                            for further in known.iter() {
                                if let Opened::Scope(scope) = further {
                                    is_expanded.insert(*scope);
                                }
                                if seen.insert(further.clone()) {
                                    reached.push(further.clone());
                                }
                            }
                        }
                    });
                    followed <= MAX_FOLLOWED
                };
            let mut next = 0;
            let mut is_whole = follow((from, seen_from), &mut reached, &mut is_expanded);
            while let Some(opened) = reached.get(next) {
                next += 1;
                if let &Opened::Scope(scope) = opened
                    && is_expanded.insert(scope)
                {
                    is_whole &= follow((scope, SeenFrom::Outside), &mut reached, &mut is_expanded);
                }
            }
            if !is_whole {
                self.limits.cut();
            }
            reached.into()
        })
    }

    /// The name in the first scope that has it, in the order of the imports, those of an opened scope before the next one.
    fn first_in_order(&self, from: InFile, seen_from: SeenFrom, name: &str, unit: &FileRef) -> Rc<[Target]> {
        let mut seen: FxHashSet<Opened> = FxHashSet::default();
        let mut pending = self.opened_in_reverse(from, seen_from);
        while let Some(opened) = pending.pop() {
            if !seen.insert(opened.clone()) {
                continue;
            }
            let own = self.own_names(&opened, name, unit);
            if !own.is_empty() {
                return own;
            }
            if let Opened::Scope(scope) = opened {
                pending.extend(self.opened_in_reverse(scope, SeenFrom::Outside));
            }
        }
        Target::stored(Vec::new())
    }

    fn opened_in_reverse(&self, (file, scope): InFile, seen_from: SeenFrom) -> Vec<Opened> {
        let mut all = Vec::new();
        self.each_opened((file, scope), seen_from, |opened| all.push(opened.clone()));
        all.reverse();
        all
    }

    /// Passes on what each wildcard import of a scope opens.
    fn each_opened(&self, (file, scope): InFile, seen_from: SeenFrom, mut see: impl FnMut(&Opened)) {
        let Some(unit) = self.unit(file).filter(|unit| unit.wildcards(scope).next().is_some()) else {
            return;
        };
        let exports = passes_on_what_it_does_not_bind(&unit);
        let is_meant = |one: &&Wildcard| {
            one.scope == scope && (!exports || one.reexport == (seen_from == SeenFrom::Outside))
        };
        let wildcards = self.wildcards_of(&unit);
        wildcards.imports.iter().filter(is_meant).flat_map(|one| &one.opened).for_each(&mut see);
    }

    /// The wildcard imports of a file, with the dependencies of what they open recorded here as well.
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

    /// Looks up what the wildcard imports of a file open, in a session of its own: the answer must not depend on who asks.
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
            let opened = types.into_iter().filter_map(|ty| session.opened(ty)).collect();
            imports.push(Wildcard { scope: import.scope, reexport: import.reexport, opened });
        }
        let mut resolved = Resolved::default();
        session.finish(&mut resolved);
        Wildcards { imports, keys: resolved.name_dependencies, files: resolved.file_dependencies }
    }

    /// What a wildcard import of this opens.
    fn opened(&self, ty: Ty) -> Option<Opened> {
        match ty {
            Ty::Module(Module::File(file)) => Some(Opened::Scope((file, 0))),
            Ty::Module(module) => Some(Opened::Module(module)),
            Ty::Metatype(sym, _) => {
                let unit = self.unit_of(sym)?;
                if unit.kind(sym.at) != Some(SymbolKind::Module) {
                    return Some(Opened::Type(sym));
                }
                match self.declared_module(&unit, sym.at) {
                    Some(Module::File(file)) => Some(Opened::Scope((file, 0))),
                    _ => unit.scope_of(sym.at).map(|scope| Opened::Scope((unit.file, scope))),
                }
            }
            _ => None,
        }
    }

    /// A name in what is opened, without what its own wildcard imports bring in.
    fn own_names(&self, opened: &Opened, name: &str, from: &FileRef) -> Rc<[Target]> {
        let nothing = || Target::stored(Vec::new());
        let tables = &self.queries.module_members;
        let found = match opened {
            &Opened::Scope((file, scope)) => {
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
            Opened::Module(module) => {
                let key = (from.file, name_hash(module, name));
                tables.visit(&self.limits, &key, || Target::stored(self.module_member(module, name, from)))
            }
            &Opened::Type(sym) => {
                let metatype = Value::new(Ty::Metatype(sym, Ty::no_args()), Rule::Static);
                let is_here = |one: &Target| !matches!(one.referent, Referent::External(..));
                let find = || self.member(&metatype, name, from).into_iter().filter(is_here).collect();
                let key = (sym.file, name_hash(("type", sym.at), name));
                tables.visit(&self.limits, &key, || Target::stored(find()))
            }
        };
        found.unwrap_or_else(nothing)
    }

    /// A module in one of the packages that were reached.
    fn submodule_of_reached(&self, reached: &[Opened], name: &str) -> Rc<[Target]> {
        let units = reached.iter().filter_map(|opened| match opened {
            Opened::Scope((file, 0)) => self.unit(*file),
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
