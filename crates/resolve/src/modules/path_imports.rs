//! Modules named by a relative path or by the name of a package.

use crate::file::FileRef;
use crate::modules::SeenFrom;
use crate::modules::project_files::{Manifest, matches_pattern, normal};
use crate::resolver::PathKey;
use crate::session::Session;
use crate::types::eval::join;
use crate::types::target::Target;
use crate::types::ty::Module;
use orient_model::{Modifier, Rule, Rules, Says, SymbolKind};

/// Maximum length of a chain of project files that extend each other.
const EXTENDS: usize = 8;

impl Session<'_> {
    /// The file of a module path.
    pub(super) fn path_module(&self, unit: &FileRef, module: &str) -> Option<Module> {
        if module.starts_with('.') || module.starts_with('/') {
            let path = normal(&unit.directory(), module)?;
            return self.file_at_module_path(unit, &path).map(Module::File);
        }
        if let Some(file) = self.aliased_file(unit, module) {
            return Some(Module::File(file));
        }
        let found = self.package_file(unit, module).or_else(|| self.file_by_conventional_alias(unit, module));
        found.map(Module::File)
    }

    /// The file by an alias that a framework sets up: below the nearest project file that has such a file. If several directories below it
    /// have one, only the framework's settings could tell which is meant.
    fn file_by_conventional_alias(&self, unit: &FileRef, module: &str) -> Option<u32> {
        let (directories, rest) = conventional_alias(&unit.rules, module)?;
        let projects = self.resolver.project.around(&unit.rules, &unit.directory());
        let homes = projects.iter().map(|project| project.directory.as_str()).chain([""]);
        let mut found = homes.map(|home| {
            let paths = directories.iter().filter_map(|directory| normal(home, &join(directory, rest)));
            paths.filter_map(|path| self.file_at_module_path(unit, &path)).collect::<Vec<u32>>()
        });
        let nearest = found.find(|files| !files.is_empty())?;
        let (first, others) = nearest.split_first()?;
        others.iter().all(|other| other == first).then_some(*first)
    }

    /// The file by the path aliases and base directories of the enclosing project files.
    fn aliased_file(&self, unit: &FileRef, module: &str) -> Option<u32> {
        for manifest in self.resolver.project.around(&unit.rules, &unit.directory()) {
            let mut chain = vec![manifest];
            for at in 0..EXTENDS {
                let Some(&last) = chain.get(at) else { break };
                chain.extend(self.extended_manifests(unit, last));
            }
            let base_of = |manifest: &Manifest| {
                manifest.first(Says::Base).and_then(|base| normal(&manifest.directory, base))
            };
            for &manifest in &chain {
                let base = base_of(manifest).unwrap_or_else(|| manifest.directory.clone());
                for (pattern, target) in manifest.all(Says::Alias) {
                    let Some(inner) = inner(pattern, module) else { continue };
                    let Some(path) = normal(&base, &target.replace('*', inner)) else { continue };
                    if let Some(file) = self.file_at_module_path(unit, &path) {
                        return Some(file);
                    }
                }
            }
            for base in chain.iter().filter_map(|manifest| base_of(manifest)) {
                if let Some(file) = self.file_at_module_path(unit, &join(&base, module)) {
                    return Some(file);
                }
            }
        }
        None
    }

    fn extended_manifests<'s>(&'s self, unit: &'s FileRef, manifest: &Manifest) -> Vec<&'s Manifest> {
        let words = &unit.rules.packages;
        let mut found = Vec::new();
        for (_, value) in manifest.all(Says::Extends) {
            let Some(path) = normal(&manifest.directory, value) else { continue };
            let wanted =
                [path.clone(), format!("{path}.{}", words.config_extension), join(&path, &words.config_file)];
            let of = self.resolver.project.of(&unit.rules);
            found.extend(of.filter(|other| wanted.contains(&join(&other.directory, &other.file))));
        }
        found
    }

    /// The file by the name of a package of the repository.
    fn package_file(&self, unit: &FileRef, module: &str) -> Option<u32> {
        let mut cut = module.len();
        loop {
            let (name, rest) = (&module[..cut], module[cut..].trim_start_matches('/'));
            if let Some(manifest) = self.resolver.project.package(&unit.rules, name) {
                return self.package_entry(unit, manifest, rest);
            }
            cut = module[..cut].rfind('/')?;
        }
    }

    /// The file that a package exports under a path.
    fn package_entry(&self, unit: &FileRef, manifest: &Manifest, rest: &str) -> Option<u32> {
        let wanted = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        for (pattern, target) in manifest.all(Says::Export) {
            let Some(inner) = inner(pattern, &wanted) else { continue };
            if let Some(file) = self.source_of_built_file(unit, manifest, &target.replace('*', inner)) {
                return Some(file);
            }
        }
        if rest.is_empty() {
            for (_, target) in manifest.all(Says::Entry) {
                if let Some(file) = self.source_of_built_file(unit, manifest, target) {
                    return Some(file);
                }
            }
            let entries = &unit.rules.packages.entry_files;
            return entries
                .iter()
                .find_map(|path| self.file_at_module_path(unit, &join(&manifest.directory, path)));
        }
        [
            join(&manifest.directory, rest),
            join(&manifest.directory, &join(&unit.rules.source_directory, rest)),
        ]
        .iter()
        .find_map(|path| self.file_at_module_path(unit, path))
    }

    /// The file at a path, or the source of a built file.
    fn source_of_built_file(&self, unit: &FileRef, manifest: &Manifest, target: &str) -> Option<u32> {
        let path = normal(&manifest.directory, target)?;
        if let Some(file) = self.file_at_module_path(unit, &path) {
            return Some(file);
        }
        let inside = normal("", target)?;
        let (head, rest) = inside.split_once('/')?;
        let words = &unit.rules.packages;
        let is_built = |directory: &str| words.build_directories.iter().any(|built| built == directory);
        if !is_built(head) {
            return None;
        }
        let rest = rest.split_once('/').filter(|(next, _)| is_built(next)).map_or(rest, |(_, rest)| rest);
        words.source_directories.iter().find_map(|source| {
            let path = join(&manifest.directory, &join(source, rest));
            self.file_at_module_path(unit, path.trim_start_matches('/'))
        })
    }

    /// The file at a path that may omit its extension or name the build output.
    fn file_at_module_path(&self, unit: &FileRef, path: &str) -> Option<u32> {
        if let Some(file) = self.first_file_at([path.to_owned()], PathKey::Name) {
            return Some(file);
        }
        if let Some(file) =
            self.file_without_extension(unit, path).or_else(|| self.module_file_below(unit, path))
        {
            return Some(file);
        }
        let (head, extension) = path.rsplit_once('.')?;
        let words = &unit.rules.packages;
        let head = head.strip_suffix(words.declaration_suffix.as_str()).unwrap_or(head);
        let is_built = words.built_extensions.iter().any(|built| built == extension);
        if is_built { self.file_without_extension(unit, head) } else { None }
    }

    /// What a file exports under a name.
    pub(super) fn exported(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let own = self.exported_itself(unit, name);
        // `export *` passes on everything but the default export.
        if !own.is_empty() || name == "default" {
            return own;
        }
        self.name_through_wildcards(unit, 0, SeenFrom::Outside, name)
    }

    /// What a file exports under a name without `export *`.
    pub(super) fn exported_itself(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        if name == "default" && unit.kind(0) == Some(SymbolKind::Component) {
            return vec![Target::symbol(unit.sym(0), Rule::Scope)];
        }
        for export in unit.exports_named(name) {
            let inner = unit.outline_text(export.name);
            let found =
                if inner.is_empty() { exported_value(unit, name) } else { self.top_level(unit, inner) };
            if !found.is_empty() {
                return found;
            }
        }
        let named: Vec<u32> = match name {
            "default" => unit.default_exports().collect(),
            name => unit.children_named(None, name).filter(|&at| unit.is(at, Modifier::Exported)).collect(),
        };
        let own: Vec<Target> =
            named.into_iter().map(|at| Target::symbol(unit.sym(at), Rule::Scope)).collect();
        if !own.is_empty() {
            return self.prefer_definitions(own);
        }
        for at in unit.reexports_named(name) {
            let found = self.import(unit, at);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

/// A value exported without a name.
fn exported_value(unit: &FileRef, name: &str) -> Vec<Target> {
    unit.children_named(None, name)
        .filter(|&at| unit.is(at, Modifier::Exported) || unit.is(at, Modifier::Default))
        .map(|at| Target::symbol(unit.sym(at), Rule::Scope))
        .collect()
}

/// The directories that the first part of a module path means by convention, and the rest of the path.
pub(super) fn conventional_alias<'r, 'm>(
    rules: &'r Rules,
    module: &'m str,
) -> Option<(&'r [String], &'m str)> {
    rules.conventional_aliases.iter().find_map(|(alias, directories)| {
        let rest = module.strip_prefix(alias.as_str())?;
        let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
        Some((directories.as_slice(), rest))
    })
}

/// The part of a module name that matches the `*` of a pattern; empty for an exact match.
fn inner<'m>(pattern: &str, module: &'m str) -> Option<&'m str> {
    if !matches_pattern(pattern, module) {
        return None;
    }
    match pattern.split_once('*') {
        None => Some(""),
        Some((head, tail)) => module.get(head.len()..module.len() - tail.len()),
    }
}
