//! Dotted module names that are folders and files; leading dots are relative.

use crate::file::file_unit::{Held, Unit};
use crate::invalidation::name_reach::is_there;
use crate::modules::project_files::normal;
use crate::session::Session;
use crate::types::eval::join;
use crate::types::ty::{Found, Module};
use orient_model::{Rule, Says};
use std::rc::Rc;

impl Session<'_> {
    /// The module of a dotted name.
    pub(super) fn dotted_module(&self, unit: &Held, module: &str) -> Option<Module> {
        let dots = module.len() - module.trim_start_matches('.').len();
        let parts: Vec<&str> = module[dots..].split('.').filter(|part| !part.is_empty()).collect();
        if dots > 0 {
            let mut folder = unit.folder();
            for _ in 1..dots {
                folder = folder.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
            }
            if parts.is_empty() {
                self.ask_for_package(unit, &folder);
            }
            return self.below(unit, &folder, &parts);
        }
        self.source_roots(unit).iter().find_map(|root| self.below(unit, root, &parts))
    }

    /// Where absolute names may start, most likely first.
    fn source_roots(&self, unit: &Held) -> Rc<[String]> {
        if let Some(known) = self.roots.borrow().get(&unit.file) {
            return known.clone();
        }
        let roots: Rc<[String]> = self.find_roots(unit).into();
        self.roots.borrow_mut().insert(unit.file, roots.clone());
        roots
    }

    fn find_roots(&self, unit: &Held) -> Vec<String> {
        let mut roots = Vec::new();
        let mut add = |root: String| {
            if !roots.contains(&root) {
                roots.push(root);
            }
        };
        // The folder above the outermost package this file is part of.
        let mut folder = unit.folder();
        loop {
            self.ask_for_package(unit, &folder);
            if folder.is_empty() || self.stands_for(unit, &folder).is_none() {
                break;
            }
            folder = folder.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
        }
        add(folder.clone());
        add(unit.folder());
        for manifest in self.resolver.project.around(&unit.rules, &unit.folder()) {
            for (_, root) in manifest.all(Says::Root) {
                normal(&manifest.folder, root).into_iter().for_each(&mut add);
            }
            add(join(&manifest.folder, "src"));
            add(manifest.folder.clone());
        }
        while !folder.is_empty() {
            folder = folder.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
            add(join(&folder, "src"));
            add(folder.clone());
        }
        add(String::new());
        add("src".to_owned());
        for manifest in self.resolver.project.of(&unit.rules) {
            add(manifest.folder.clone());
            add(join(&manifest.folder, "src"));
        }
        roots
    }

    fn below(&self, unit: &Held, root: &str, parts: &[&str]) -> Option<Module> {
        let mut path = root.to_owned();
        for (at, part) in parts.iter().enumerate() {
            let inner = join(&path, part);
            let last = at + 1 == parts.len();
            if last && let Some(file) = self.file_of(unit, &inner) {
                return Some(Module::File(file));
            }
            path = inner;
        }
        self.module_of_folder(unit, &path)
    }

    fn module_of_folder(&self, unit: &Held, path: &str) -> Option<Module> {
        if let Some(file) = self.stands_for(unit, path) {
            return Some(Module::File(file));
        }
        (!path.is_empty() && self.is_folder(path)).then(|| Module::Folder(path.to_owned()))
    }

    fn is_folder(&self, path: &str) -> bool {
        !self.folder(path).is_empty()
            || !self.resolver.world.folder(&format!("{path}/").as_str().into()).is_empty()
    }

    /// The file with this path and one of the language's extensions.
    pub(crate) fn file_of(&self, unit: &Unit, path: &str) -> Option<u32> {
        unit.rules
            .extensions
            .iter()
            .find_map(|extension| self.resolver.world.file_at(&format!("{path}.{extension}").as_str().into()))
    }

    /// Notes that the result depends on whether a file stands for a folder.
    fn ask_for_package(&self, unit: &Unit, folder: &str) {
        unit.rules.folder_files.iter().for_each(|name| self.ask(&is_there(&join(folder, name))));
    }

    /// The file that stands for a folder.
    pub(super) fn stands_for(&self, unit: &Unit, folder: &str) -> Option<u32> {
        unit.rules.folder_files.iter().find_map(|name| self.file_of(unit, &join(folder, name)))
    }

    /// A module inside a package.
    pub(super) fn submodule(&self, folder: &str, name: &str, from: &Held) -> Option<Found> {
        self.below(from, folder, &[name]).map(|module| Found::module(module, Rule::Import))
    }
}
