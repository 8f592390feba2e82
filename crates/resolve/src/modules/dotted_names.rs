//! Modules with dotted names: packages are directories, modules are files, leading dots are relative.

use crate::file::FileRef;
use crate::modules::project_files::normal;
use crate::resolver::PathKey;
use crate::session::Session;
use crate::types::eval::join;
use crate::types::target::Target;
use crate::types::ty::Module;
use orient_model::{Rule, Says};
use std::rc::Rc;

impl Session<'_> {
    /// The module of a dotted name.
    pub(super) fn dotted_module(&self, unit: &FileRef, module: &str) -> Option<Module> {
        let dots = module.len() - module.trim_start_matches('.').len();
        let parts: Vec<&str> = module[dots..].split('.').filter(|part| !part.is_empty()).collect();
        if dots > 0 {
            let mut directory = unit.directory();
            for _ in 1..dots {
                directory = directory.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
            }
            return self.below(unit, &directory, &parts);
        }
        self.source_roots(unit).iter().find_map(|root| self.below(unit, root, &parts))
    }

    /// The directories where absolute module names may start, most likely first.
    fn source_roots(&self, unit: &FileRef) -> Rc<[String]> {
        self.queries.source_roots.get_or_insert(&unit.file, || self.find_source_roots(unit).into())
    }

    fn find_source_roots(&self, unit: &FileRef) -> Vec<String> {
        let source = &unit.rules.source_directory;
        let mut roots = Vec::new();
        let mut add = |root: String| {
            if !roots.contains(&root) {
                roots.push(root);
            }
        };
        // The directory above the outermost package that contains this file.
        let mut directory = unit.directory();
        loop {
            if directory.is_empty() || self.directory_module_file(unit, &directory).is_none() {
                break;
            }
            directory = directory.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
        }
        add(directory.clone());
        add(unit.directory());
        for manifest in self.resolver.project.around(&unit.rules, &unit.directory()) {
            for (_, root) in manifest.all(Says::Root) {
                normal(&manifest.directory, root).into_iter().for_each(&mut add);
            }
            add(join(&manifest.directory, source));
            add(manifest.directory.clone());
        }
        while !directory.is_empty() {
            directory = directory.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
            add(join(&directory, source));
            add(directory.clone());
        }
        add(String::new());
        add(source.clone());
        for manifest in self.resolver.project.of(&unit.rules) {
            add(manifest.directory.clone());
            add(join(&manifest.directory, source));
        }
        roots
    }

    fn below(&self, unit: &FileRef, root: &str, parts: &[&str]) -> Option<Module> {
        let mut path = root.to_owned();
        for (at, part) in parts.iter().enumerate() {
            let inner = join(&path, part);
            let last = at + 1 == parts.len();
            if last {
                // A package hides a module of its name; a directory that is no package does not.
                let file = self.module_file_below(unit, &inner);
                if let Some(file) = file.or_else(|| self.file_without_extension(unit, &inner)) {
                    return Some(Module::File(file));
                }
            }
            path = inner;
        }
        self.module_of_directory(unit, &path)
    }

    fn module_of_directory(&self, unit: &FileRef, path: &str) -> Option<Module> {
        if let Some(file) = self.module_file_below(unit, path) {
            return Some(Module::File(file));
        }
        (!path.is_empty() && self.is_directory(path)).then(|| Module::Directory(path.to_owned()))
    }

    fn is_directory(&self, path: &str) -> bool {
        self.has_files(path)
    }

    /// The file with this path and one of the language's extensions.
    pub(crate) fn file_without_extension(&self, unit: &FileRef, path: &str) -> Option<u32> {
        let rules = &unit.rules;
        let name = path.rsplit('/').next().unwrap_or(path);
        // Every directory may have a file of these names.
        let is_common =
            rules.directory_files.iter().chain(&rules.tree.root_files).any(|common| common == name);
        let key = if is_common { PathKey::Whole } else { PathKey::Name };
        let paths = rules.extensions.iter().map(|extension| format!("{path}.{extension}"));
        self.first_file_at(paths, key)
    }

    /// The module file of a directory that an import names: it is found by the name of the directory.
    pub(super) fn module_file_below(&self, unit: &FileRef, directory: &str) -> Option<u32> {
        let rules = &unit.rules;
        let named = rules.directory_files.iter().flat_map(|name| {
            rules.extensions.iter().map(move |extension| format!("{}.{extension}", join(directory, name)))
        });
        self.first_file_at(named, PathKey::Directory)
    }

    /// The module file of a directory: `__init__`, `index`, `mod`.
    pub(super) fn directory_module_file(&self, unit: &FileRef, directory: &str) -> Option<u32> {
        unit.rules
            .directory_files
            .iter()
            .find_map(|name| self.file_without_extension(unit, &join(directory, name)))
    }

    /// A module inside a package.
    pub(super) fn submodule(&self, directory: &str, name: &str, from: &FileRef) -> Option<Target> {
        self.below(from, directory, &[name]).map(|module| Target::module(module, Rule::Import))
    }
}
