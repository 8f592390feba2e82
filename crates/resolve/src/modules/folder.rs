//! Packages that are folders, named from the root of their module.

use super::hash;
use crate::file::file_unit::Held;
use crate::file::tables::Lists;
use crate::modules::project_files::normal;
use crate::session::Session;
use crate::types::eval::join;
use crate::types::ty::{Found, Module, Sym};
use orient_model::{Rule, Says};
use std::sync::Arc;

impl Session<'_> {
    /// The folder of an import path.
    pub(super) fn folder_module(&self, unit: &Held, module: &str) -> Option<Module> {
        if module.starts_with('.') {
            return normal(&unit.folder(), module).map(Module::Folder);
        }
        for manifest in self.resolver.project.around(&unit.rules, &unit.folder()) {
            let vendored = join(&manifest.folder, &format!("vendor/{module}"));
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

    /// A name that the files of one package share.
    pub(super) fn own_package_member(&self, from: &Held, name: &str) -> Vec<Found> {
        let own = from.package();
        self.folder_member(&from.folder(), name, from, Rule::Package, |package| package == own)
    }

    /// A name of a package that is imported. A package of tests stands beside the one it tests, and imports it; nobody
    /// can import the tests.
    pub(super) fn package_member(&self, folder: &str, name: &str, from: &Held) -> Vec<Found> {
        self.folder_member(folder, name, from, Rule::Static, |package| !is_test_package(package))
    }

    /// A top-level name of those files of a folder whose package counts.
    fn folder_member(
        &self,
        folder: &str,
        name: &str,
        from: &Held,
        rule: Rule,
        counts: impl Fn(&str) -> bool,
    ) -> Vec<Found> {
        self.ask(name);
        let mut found = Vec::new();
        for &sym in self.in_folder(folder).named(name) {
            let Some(unit) = self.home(sym) else { continue };
            let counts = unit.rules.family == from.rules.family && counts(unit.package());
            if counts && unit.name(sym.at) == name {
                found.push(Found::symbol(sym, rule));
            }
        }
        found
    }

    /// What stands at the top of the files of a folder. Who asks for one name has looked at all of them.
    fn in_folder(&self, folder: &str) -> Arc<Tops> {
        if let Some(known) = self.tops.borrow().get(folder) {
            return known.clone();
        }
        let units: Vec<Held> = self.folder(folder).iter().filter_map(|&file| self.unit(file)).collect();
        let tops = self.resolver.tops(folder, || Tops::of(&units));
        self.tops.borrow_mut().insert(folder.to_owned(), tops.clone());
        tops
    }
}

/// The symbols at the top of some files that name no container, by the hash of their names.
pub(crate) struct Tops(Lists<u64, Sym>);

impl Tops {
    fn of(units: &[Held]) -> Self {
        let tops = units.iter().flat_map(|unit| {
            let free = unit.children(None).iter().filter(|&&at| unit.qualifier(at).is_none());
            free.map(|&at| (hash("", unit.name(at)), unit.sym(at)))
        });
        Self(tops.collect())
    }

    /// Those that may have this name: by file and place.
    fn named(&self, name: &str) -> &[Sym] {
        self.0.get(&hash("", name))
    }

    /// How many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        self.0.weight()
    }
}

fn is_test_package(package: &str) -> bool {
    package.ends_with("_test")
}

fn below<'m>(module: &'m str, name: &str) -> Option<&'m str> {
    let rest = module.strip_prefix(name)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}
