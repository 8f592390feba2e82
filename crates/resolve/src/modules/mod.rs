//! Imports and modules: one file for each module system.

mod directory_packages;
mod dotted_names;
pub(crate) mod includes;
mod module_tree;
mod namespaces;
mod path_imports;
pub(crate) mod project_files;
mod project_wide;
mod wildcard_imports;

pub(crate) use directory_packages::TopLevelSymbols;
pub(crate) use includes::DirectIncludes;
pub(crate) use wildcard_imports::{SeenFrom, WILDCARD_ROUNDS, WildcardTarget, Wildcards};

use crate::file::FileRef;
use crate::memo::Keep;
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{BindingKind, Import, ImportKind, Modules, Rule, SharedScope, SymbolKind, TreeRules};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

impl Session<'_> {
    /// What an import binds.
    pub(crate) fn import(&self, unit: &FileRef, at: u32) -> Vec<Target> {
        let keep = Keep::OutermostOr(|_, found: &Rc<[Target]>| !found.is_empty());
        let found = self.queries.imports.query(&self.limits, (unit.file, at), keep, || {
            let import = unit.import(at)?;
            Some(Target::stored(self.imported(unit, import)))
        });
        found.map_or_else(Vec::new, |found| found.to_vec())
    }

    fn imported(&self, unit: &FileRef, import: &Import) -> Vec<Target> {
        let module = unit.outline_text(import.module);
        let name = import.name.map(|atom| unit.outline_text(atom));
        let found = match unit.rules.modules {
            Modules::Namespace => self.namespace_import(unit, import, module, name),
            Modules::Include => match name {
                Some(name) => {
                    let mut found = self.qualified_member(unit, module, name);
                    if found.is_empty() {
                        found = self.scoped_using(unit, import, module, name);
                    }
                    if found.is_empty() {
                        found = self.qualified_by_opened(unit, module, name);
                    }
                    found
                }
                None => self.lookup_dotted(&top(unit), module),
            },
            Modules::Tree => self.tree_import(unit, import, module, name),
            _ => self.module_import(unit, import, module, name),
        };
        if found.is_empty() {
            self.looks_for_module(module);
            return external_import(unit, import, module, name);
        }
        found
    }

    /// Records the parts of the name of a module that is not here: another root of a workspace may have it, and is searched for the
    /// files that look for its packages.
    fn looks_for_module(&self, module: &str) {
        let parts = module.split(['/', '.', ':', '\\']).filter(|part| !part.is_empty());
        parts.for_each(|part| self.dependencies.on_key(part));
    }

    /// A name from a namespace or type that is visible in the scope of the declaration: `using Base::f` inside of a
    /// class inside of a namespace.
    fn scoped_using(&self, unit: &FileRef, import: &Import, module: &str, name: &str) -> Vec<Target> {
        let imports = &unit.imports();
        let declares = |binding: &&orient_model::Binding| match binding.kind {
            BindingKind::Import(at) => imports.get(at as usize).is_some_and(|one| std::ptr::eq(one, import)),
            _ => false,
        };
        let Some(binding) = unit.bindings().iter().find(declares).filter(|one| one.scope != 0) else {
            return Vec::new();
        };
        let site = Site { unit: unit.clone(), scope: binding.scope, at: u32::MAX };
        let outer = self.lookup_dotted(&site, module);
        let types = outer.iter().filter_map(Target::sym).filter(|&sym| self.is_type(sym));
        let mut found = types.map(|sym| self.type_member(&Ty::instance(sym), name, 0, Rule::Qualified));
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn module_import(
        &self,
        unit: &FileRef,
        import: &Import,
        module: &str,
        name: Option<&str>,
    ) -> Vec<Target> {
        match import.kind {
            ImportKind::Module => {
                // `import a.b.c` binds `a` alone.
                let whole = import.alias.is_some() || unit.rules.modules != Modules::Dotted;
                let wanted = if whole { module } else { module.split('.').next().unwrap_or(module) };
                let found = self.find_module(unit, wanted).map(|module| Target::module(module, Rule::Import));
                found.into_iter().collect()
            }
            ImportKind::Item => {
                let (Some(from), Some(name)) = (self.find_module(unit, module), name) else {
                    return Vec::new();
                };
                // The file of a package that imports from the package itself means a module in it.
                if from == Module::File(unit.file)
                    && unit.rules.modules == Modules::Dotted
                    && let Some(inner) = self.submodule(&unit.directory(), name, unit)
                {
                    return vec![inner];
                }
                let found = match unit.rules.modules {
                    Modules::Global => self.loaded_constant(unit, import, &from, name),
                    _ => self.module_member(&from, name, unit),
                };
                found.into_iter().map(through_import).collect()
            }
            ImportKind::Default => {
                let Some(from) = self.find_module(unit, module) else { return Vec::new() };
                let found = self.module_member(&from, "default", unit);
                if found.is_empty() && !self.has_exports(&from) {
                    return vec![Target::module(from, Rule::Import)];
                }
                found.into_iter().map(through_import).collect()
            }
            ImportKind::Wildcard | ImportKind::Effect | ImportKind::Template => Vec::new(),
        }
    }

    /// The module that an import names.
    pub(crate) fn find_module(&self, unit: &FileRef, module: &str) -> Option<Module> {
        let found = match unit.rules.modules {
            Modules::Dotted => self.memoized_module(unit, module, Self::dotted_module),
            Modules::Path => self.memoized_module(unit, module, Self::path_module),
            Modules::Directory => self.directory_module(unit, module),
            Modules::Namespace => Some(Module::Namespace(dotted(module))),
            Modules::Global => self.required_file(unit, module),
            Modules::None | Modules::Tree | Modules::Include => None,
        };
        if found.is_none() {
            self.looks_for_module(module);
        }
        found
    }

    /// The file at a path that is relative to that of another.
    pub(crate) fn file_beside(&self, unit: &FileRef, path: &str) -> Option<FileRef> {
        let full = project_files::normal(&unit.directory(), path)?;
        self.unit(self.file_at(&full)?)
    }

    /// The module that a file means by a name, memoized.
    fn memoized_module(
        &self,
        unit: &FileRef,
        module: &str,
        find: fn(&Self, &FileRef, &str) -> Option<Module>,
    ) -> Option<Module> {
        let of_file = self.queries.modules.get_or_insert(&unit.file, Rc::default);
        match of_file.get(module) {
            Some(known) => known,
            None => of_file.get_or(&self.limits, module.into(), Keep::Uncut, || find(self, unit, module)),
        }
    }

    /// A name that a wildcard import binds, in languages whose modules do not pass names on.
    pub(crate) fn through_wildcard(&self, unit: &FileRef, at: u32, name: &str) -> Vec<Target> {
        let Some(import) = unit.import(at) else { return Vec::new() };
        let module = unit.outline_text(import.module);
        let key = (unit.file, name_hash(module, name));
        let find = || match unit.rules.modules {
            Modules::Namespace => self.wildcard_namespace(unit, import, module, name),
            Modules::Include => self.qualified_member(unit, module, name),
            _ => match self.find_module(unit, module) {
                Some(from) => self.module_member(&from, name, unit),
                None => Vec::new(),
            },
        };
        let found = self.queries.module_members.visit(&self.limits, &key, || Target::stored(find()));
        found.iter().flat_map(|found| found.iter().cloned()).map(|found| found.by(Rule::Wildcard)).collect()
    }

    /// Members of a module by name.
    pub(crate) fn module_member(&self, module: &Module, name: &str, from: &FileRef) -> Vec<Target> {
        match module {
            Module::File(file) => {
                let Some(unit) = self.unit(*file) else { return Vec::new() };
                let key = (*file, name_hash("", name));
                let find = || match unit.rules.modules {
                    Modules::Path => self.exported(&unit, name),
                    Modules::Tree => self.tree_member(&unit, name),
                    _ => self.file_member(&unit, name),
                };
                let found = self.queries.module_members.visit(&self.limits, &key, || Target::stored(find()));
                found.map_or_else(Vec::new, |found| found.to_vec())
            }
            Module::Directory(path) => match from.rules.modules {
                Modules::Directory => self.package_member(path, name, from),
                _ => self.submodule(path, name, from).into_iter().collect(),
            },
            Module::Namespace(space) => self.namespace_member(space, name, from),
        }
    }

    /// A top-level name of a file.
    fn file_member(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let own = self.top_level(unit, name);
        if !own.is_empty() {
            return own;
        }
        let passed_on = self.name_through_wildcards(unit, 0, SeenFrom::Outside, name);
        if !passed_on.is_empty() {
            return passed_on;
        }
        self.submodule_of_package(unit, name).into_iter().collect()
    }

    /// The top-level bindings of a name, with imports followed; the last binding wins.
    fn top_level(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let mut found: Vec<Target> = Vec::new();
        for &at in unit.bound(0, name) {
            let Some(binding) = unit.binding(at) else { continue };
            if let BindingKind::Symbol(symbol) = binding.kind
                && (unit.qualifier(symbol).is_some() && !unit.kind(symbol).is_some_and(SymbolKind::is_type))
            {
                continue;
            }
            for one in self.binding(unit, at) {
                if !found.iter().any(|known| known.referent == one.referent) {
                    found.push(one);
                }
            }
        }
        if found.len() > 1 && unit.rules.type_namespace {
            let mut last: Vec<Target> = Vec::new();
            for lookup_kind in [LookupKind::Type, LookupKind::Value] {
                let of_kind = self.filter_kind(self.prefer_definitions(found.clone()), lookup_kind).pop();
                last.extend(of_kind.filter(|one| !last.contains(one)));
            }
            return last;
        }
        if found.len() > 1 && !unit.rules.overloads {
            let here = found.iter().rfind(|one| one.sym().is_some()).cloned();
            return here.into_iter().collect();
        }
        self.prefer_definitions(found)
    }

    /// Names of other files that are visible without an import.
    pub(crate) fn visible_without_import(&self, site: &Site, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        let found = match unit.rules.shared_scope {
            SharedScope::None => Vec::new(),
            SharedScope::Directory => self.own_package_member(unit, name),
            SharedScope::Namespace => self.shared_namespace(site, name),
            SharedScope::Everything => self.shared_by_all(site, name),
        };
        if !found.is_empty() {
            return found;
        }
        match unit.rules.modules {
            Modules::Include => self.included_symbol(unit, name),
            Modules::Tree => self.package_root_module(unit, name),
            _ => Vec::new(),
        }
    }

    /// The namespace that a symbol belongs to.
    pub(crate) fn namespace_of(&self, unit: &FileRef, symbol: u32) -> String {
        let scope = unit.scope_of(symbol).unwrap_or(0);
        self.namespace_at(&Site { unit: unit.clone(), scope, at: u32::MAX })
    }

    /// The full name of a symbol from the outermost namespace on, with dots.
    pub(crate) fn full_name(&self, sym: SymbolId) -> String {
        self.shared_full_name(sym).to_string()
    }

    /// The full name of a symbol, shared.
    pub(crate) fn shared_full_name(&self, sym: SymbolId) -> Arc<str> {
        self.unit_of(sym).and_then(|unit| unit.full_name(sym.at).cloned()).unwrap_or_default()
    }

    /// Whether this is the full name of a symbol.
    fn has_full_name(&self, sym: SymbolId, full: &str) -> bool {
        self.unit_of(sym).is_some_and(|unit| unit.has_full_name(sym.at, full))
    }

    fn has_exports(&self, module: &Module) -> bool {
        let Module::File(file) = module else { return false };
        let Some(unit) = self.unit(*file) else { return false };
        unit.exports_named("default").next().is_some() || unit.default_exports().next().is_some()
    }
}

/// The end of a file's top-level scope.
fn top(unit: &FileRef) -> Site {
    Site { unit: unit.clone(), scope: 0, at: u32::MAX }
}

/// Writes a namespace with dots between its parts.
pub(crate) fn dotted(space: &str) -> String {
    if is_dotted(space) {
        return space.to_owned();
    }
    let joined = space.replace("::", ".").replace(['\\', '/'], ".");
    joined.trim_matches('.').to_owned()
}

/// Whether a namespace is already written with dots.
pub(crate) fn is_dotted(space: &str) -> bool {
    let bytes = space.as_bytes();
    bytes.first() != Some(&b'.')
        && bytes.last() != Some(&b'.')
        && !bytes.iter().any(|byte| matches!(byte, b':' | b'\\' | b'/'))
}

/// A file's name without directory and extension.
fn file_stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// Whether a path begins with a keyword for a module of the same package.
fn is_own(words: &TreeRules, module: &str) -> bool {
    let head = module.split("::").next().unwrap_or_default();
    [&words.root, &words.current, &words.parent].into_iter().any(|word| word == head)
}

fn through_import(found: Target) -> Target {
    match found.rule {
        Rule::Scope => found.by(Rule::Import),
        Rule::Import | Rule::Wildcard if matches!(found.referent, Referent::Symbol(..)) => {
            found.by(Rule::Reexport)
        }
        _ => found,
    }
}

/// A hash of a name in a module.
fn name_hash(module: impl Hash, name: &str) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    (module, name).hash(&mut hasher);
    hasher.finish()
}

/// The external target of an import that was not found; none for a relative import.
fn external_import(unit: &FileRef, import: &Import, module: &str, name: Option<&str>) -> Vec<Target> {
    let is_relative =
        module.starts_with('.') || (unit.rules.modules == Modules::Tree && is_own(&unit.rules.tree, module));
    if is_relative || path_imports::conventional_alias(&unit.rules, module).is_some() {
        return Vec::new();
    }
    // A module keeps its own name, whatever its alias.
    let alias =
        import.alias.filter(|_| import.kind != ImportKind::Module).map(|atom| unit.outline_text(atom));
    vec![Target::external(module, name.or(alias).unwrap_or(module))]
}
