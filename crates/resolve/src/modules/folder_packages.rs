//! Packages that are folders, named by their path from the root of their module.

use super::name_hash;
use crate::file::file_unit::FileRef;
use crate::file::tables::MultiMap;
use crate::modules::project_files::normal;
use crate::session::Session;
use crate::types::eval::join;
use crate::types::target::Target;
use crate::types::ty::{Module, SymbolId};
use orient_model::{Rule, Says};
use std::sync::Arc;

impl Session<'_> {
    /// The folder of an import path.
    pub(super) fn folder_module(&self, unit: &FileRef, module: &str) -> Option<Module> {
        if module.starts_with('.') {
            return normal(&unit.folder(), module).map(Module::Folder);
        }
        for manifest in self.resolver.project.around(&unit.rules, &unit.folder()) {
            let vendored = join(&manifest.folder, &join(&unit.rules.vendor_folder, module));
            if !self.folder(&vendored).is_empty() {
                return Some(Module::Folder(vendored));
            }
        }
        for manifest in self.resolver.project.of(&unit.rules) {
            for (_, name) in manifest.all(Says::Name) {
                if let Some(rest) = below(module, name) {
                    let path = join(&manifest.folder, rest);
                    let path = path.trim_end_matches('/').to_owned();
                    if !self.folder(&path).is_empty() {
                        return Some(Module::Folder(path));
                    }
                }
            }
            for (name, path) in manifest.all(Says::Depends) {
                if let Some(rest) = below(module, name)
                    && let Some(folder) = normal(&manifest.folder, path)
                {
                    let path = join(&folder, rest);
                    let path = path.trim_end_matches('/').to_owned();
                    if !self.folder(&path).is_empty() {
                        return Some(Module::Folder(path));
                    }
                }
            }
        }
        None
    }

    /// A name that another file of the same package declares.
    pub(super) fn own_package_member(&self, from: &FileRef, name: &str) -> Vec<Target> {
        let own = from.package();
        self.folder_member(&from.folder(), name, from, Rule::Package, |package| package == own)
    }

    /// A name of an imported package. A test package in the same folder imports the package; nothing can import the
    /// tests.
    pub(super) fn package_member(&self, folder: &str, name: &str, from: &FileRef) -> Vec<Target> {
        self.folder_member(folder, name, from, Rule::Static, |package| {
            let suffix = from.rules.test_package_suffix.as_str();
            suffix.is_empty() || !package.ends_with(suffix)
        })
    }

    /// A top-level name in the files of a folder whose package satisfies `counts`.
    fn folder_member(
        &self,
        folder: &str,
        name: &str,
        from: &FileRef,
        rule: Rule,
        counts: impl Fn(&str) -> bool,
    ) -> Vec<Target> {
        self.depend_on(name);
        let mut found = Vec::new();
        for &sym in self.top_level_of_folder(folder).symbols_named(name) {
            let Some(unit) = self.unit_of(sym) else { continue };
            let counts = unit.rules.family == from.rules.family && counts(unit.package());
            if counts && unit.name(sym.at) == name {
                found.push(Target::symbol(sym, rule));
            }
        }
        found
    }

    /// The top-level symbols of a folder. A lookup depends on all its files.
    fn top_level_of_folder(&self, folder: &str) -> Arc<TopLevelSymbols> {
        if let Some(known) = self.queries.folder_symbols.get(folder) {
            return known;
        }
        let units: Vec<FileRef> = self.folder(folder).iter().filter_map(|&file| self.unit(file)).collect();
        let tops = self.resolver.folder_symbols(folder, || TopLevelSymbols::of(&units));
        self.queries.folder_symbols.insert(folder.into(), tops.clone());
        tops
    }
}

/// The top-level symbols of some files without a qualifier, by the hash of their names.
pub(crate) struct TopLevelSymbols(MultiMap<u64, SymbolId>);

impl TopLevelSymbols {
    fn of(units: &[FileRef]) -> Self {
        let tops = units.iter().flat_map(|unit| {
            let free = unit.children(None).iter().filter(|&&at| unit.qualifier(at).is_none());
            free.map(|&at| (name_hash("", unit.name(at)), unit.sym(at)))
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
