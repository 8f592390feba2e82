//! Modules with dotted names: packages are directories, modules are files, leading dots are relative.

use crate::file::file_unit::{FileRef, FileUnit};
use crate::invalidation::name_reach::file_exists_key;
use crate::modules::project_files::normal;
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
            if parts.is_empty() {
                self.depend_on_directory_file(unit, &directory);
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
            self.depend_on_directory_file(unit, &directory);
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
            if last && let Some(file) = self.file_without_extension(unit, &inner) {
                return Some(Module::File(file));
            }
            path = inner;
        }
        self.module_of_directory(unit, &path)
    }

    fn module_of_directory(&self, unit: &FileRef, path: &str) -> Option<Module> {
        if let Some(file) = self.directory_module_file(unit, path) {
            return Some(Module::File(file));
        }
        (!path.is_empty() && self.is_directory(path)).then(|| Module::Directory(path.to_owned()))
    }

    fn is_directory(&self, path: &str) -> bool {
        !self.directory(path).is_empty()
            || !self.resolver.repository.directory(&format!("{path}/").as_str().into()).is_empty()
    }

    /// The file with this path and one of the language's extensions.
    pub(crate) fn file_without_extension(&self, unit: &FileUnit, path: &str) -> Option<u32> {
        unit.rules.extensions.iter().find_map(|extension| {
            self.resolver.repository.file_at(&format!("{path}.{extension}").as_str().into())
        })
    }

    /// Makes the result depend on whether a directory has a module file.
    fn depend_on_directory_file(&self, unit: &FileUnit, directory: &str) {
        unit.rules
            .directory_files
            .iter()
            .for_each(|name| self.depend_on(&file_exists_key(&join(directory, name))));
    }

    /// The module file of a directory: `__init__`, `index`, `mod`.
    pub(super) fn directory_module_file(&self, unit: &FileUnit, directory: &str) -> Option<u32> {
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
