//! Packages that are directories, named by their path from the root of their module.

use super::name_hash;
use crate::file::FileRef;
use crate::file::tables::MultiMap;
use crate::invalidation::slots::Slot;
use crate::modules::project_files::normal;
use crate::session::Session;
use crate::types::eval::join;
use crate::types::target::Target;
use crate::types::ty::{Module, SymbolId};
use orient_model::{Rule, Says};
use std::sync::Arc;

impl Session<'_> {
    /// The directory of an import path.
    pub(super) fn directory_module(&self, unit: &FileRef, module: &str) -> Option<Module> {
        if module.starts_with('.') {
            return normal(&unit.directory(), module).map(Module::Directory);
        }
        for manifest in self.resolver.project.around(&unit.rules, &unit.directory()) {
            let vendored = join(&manifest.directory, &join(&unit.rules.vendor_directory, module));
            if self.has_files(&vendored) {
                return Some(Module::Directory(vendored));
            }
        }
        for manifest in self.resolver.project.of(&unit.rules) {
            for (_, name) in manifest.all(Says::Name) {
                if let Some(rest) = below(module, name) {
                    let path = join(&manifest.directory, rest);
                    let path = path.trim_end_matches('/').to_owned();
                    if self.has_files(&path) {
                        return Some(Module::Directory(path));
                    }
                }
            }
            for (name, path) in manifest.all(Says::Depends) {
                if let Some(rest) = below(module, name)
                    && let Some(directory) = normal(&manifest.directory, path)
                {
                    let path = join(&directory, rest);
                    let path = path.trim_end_matches('/').to_owned();
                    if self.has_files(&path) {
                        return Some(Module::Directory(path));
                    }
                }
            }
        }
        None
    }

    /// A name that another file of the same package declares.
    pub(super) fn own_package_member(&self, from: &FileRef, name: &str) -> Vec<Target> {
        let own = from.package();
        self.directory_member(&from.directory(), name, from, Rule::Package, |package| package == own)
    }

    /// A name of an imported package. A test package in the same directory imports the package; nothing can import the
    /// tests.
    pub(super) fn package_member(&self, directory: &str, name: &str, from: &FileRef) -> Vec<Target> {
        self.directory_member(directory, name, from, Rule::Static, |package| {
            let suffix = from.rules.test_package_suffix.as_str();
            suffix.is_empty() || !package.ends_with(suffix)
        })
    }

    /// A top-level name in the files of a directory whose package satisfies `counts`.
    fn directory_member(
        &self,
        directory: &str,
        name: &str,
        from: &FileRef,
        rule: Rule,
        counts: impl Fn(&str) -> bool,
    ) -> Vec<Target> {
        let mut found = Vec::new();
        self.dependencies.on_slot(Slot::Name(name));
        for &sym in self.top_level_of_directory(directory).symbols_named(name) {
            let Some(unit) = self.unit_of(sym) else { continue };
            let counts = unit.rules.family == from.rules.family && counts(unit.package());
            if counts && unit.name(sym.at) == name {
                found.push(Target::symbol(sym, rule));
            }
        }
        found
    }

    /// The top-level symbols of a directory. A lookup depends on all its files.
    fn top_level_of_directory(&self, directory: &str) -> Arc<TopLevelSymbols> {
        if let Some(known) = self.queries.directory_symbols.get(directory) {
            return known;
        }
        let units = self.package_files(directory);
        let tops = self.resolver.directory_symbols(directory, || TopLevelSymbols::of(&units));
        self.queries.directory_symbols.insert(directory.into(), tops.clone());
        tops
    }
}

/// The top-level symbols of some files without a qualifier, by the hash of their names.
pub(crate) struct TopLevelSymbols(MultiMap<u64, SymbolId>);

impl TopLevelSymbols {
    fn of(units: &[FileRef]) -> Self {
        let tops = units.iter().flat_map(|unit| {
            let unit = unit.unrecorded();
            unit.unqualified().map(|at| (name_hash("", unit.name(at)), unit.sym(at)))
        });
        Self(tops.collect())
    }

    /// Those that may have this name, by file and position.
    fn symbols_named(&self, name: &str) -> &[SymbolId] {
        self.0.get(&name_hash("", name))
    }

    /// How many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        self.0.weight()
    }
}

fn below<'m>(module: &'m str, name: &str) -> Option<&'m str> {
    let rest = module.strip_prefix(name)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}
