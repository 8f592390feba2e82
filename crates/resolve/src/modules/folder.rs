//! Packages that are folders, named from the root of their module.

use crate::denote::join;
use crate::project::normal;
use crate::session::Session;
use crate::unit::Unit;
use crate::value::{Found, Module};
use orient_model::{Rule, Says};
use std::sync::Arc;

impl Session<'_> {
    /// The folder of an import path.
    pub(super) fn folder_module(&self, unit: &Arc<Unit>, module: &str) -> Option<Module> {
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

    /// A top-level name of the files of a folder.
    pub(super) fn package_member(&self, folder: &str, name: &str, from: &Arc<Unit>) -> Vec<Found> {
        self.ask(name);
        let inside = from.folder() == folder;
        let mut found = Vec::new();
        for &file in self.folder(folder).iter() {
            let Some(unit) = self.unit(file) else { continue };
            if unit.rules.family != from.rules.family || (inside && unit.package() != from.package()) {
                continue;
            }
            if !inside && is_test_package(unit.package()) {
                continue;
            }
            for &symbol in unit.children(None) {
                if unit.name(symbol) == name && unit.qualifier(symbol).is_none() {
                    found.push(Found::symbol(
                        unit.sym(symbol),
                        if inside { Rule::Package } else { Rule::Static },
                    ));
                }
            }
        }
        found
    }
}

fn is_test_package(package: &str) -> bool {
    package.ends_with("_test")
}

fn below<'m>(module: &'m str, name: &str) -> Option<&'m str> {
    let rest = module.strip_prefix(name)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}
