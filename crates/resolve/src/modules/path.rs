//! Modules named by a path beside the file, or by the name of a package.

use crate::file::file_unit::{FileRef, FileUnit};
use crate::modules::project_files::{Manifest, fits, normal};
use crate::session::Session;
use crate::types::eval::join;
use crate::types::target::Target;
use crate::types::ty::Module;
use orient_model::{ImportKind, Modifier, Rule, Says};

/// Folders that hold what a build made, and the folder it was made from.
const BUILT: &[&str] = &["dist", "lib", "build", "out", "esm", "cjs", "es"];
/// How many project files may extend each other.
const EXTENDS: usize = 8;

impl Session<'_> {
    /// The file a module path leads to.
    pub(super) fn path_module(&self, unit: &FileRef, module: &str) -> Option<Module> {
        if module.starts_with('.') || module.starts_with('/') {
            let path = normal(&unit.folder(), module)?;
            return self.file_at_module_path(unit, &path).map(Module::File);
        }
        if let Some(file) = self.aliased_file(unit, module) {
            return Some(Module::File(file));
        }
        self.package_file(unit, module).map(Module::File)
    }

    /// By the aliases and base folders of the project files around.
    fn aliased_file(&self, unit: &FileRef, module: &str) -> Option<u32> {
        for manifest in self.resolver.project.around(&unit.rules, &unit.folder()) {
            let mut chain = vec![manifest];
            for at in 0..EXTENDS {
                let Some(&last) = chain.get(at) else { break };
                chain.extend(self.extended_manifests(unit, last));
            }
            let base_of = |manifest: &Manifest| {
                manifest.first(Says::Base).and_then(|base| normal(&manifest.folder, base))
            };
            for &manifest in &chain {
                let base = base_of(manifest).unwrap_or_else(|| manifest.folder.clone());
                for (pattern, target) in manifest.all(Says::Alias) {
                    let Some(inner) = inner(pattern, module) else {
                        continue;
                    };
                    let Some(path) = normal(&base, &target.replace('*', inner)) else {
                        continue;
                    };
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

    fn extended_manifests<'s>(&'s self, unit: &'s FileUnit, manifest: &Manifest) -> Vec<&'s Manifest> {
        let mut found = Vec::new();
        for (_, value) in manifest.all(Says::Extends) {
            let Some(path) = normal(&manifest.folder, value) else {
                continue;
            };
            let wanted = [path.clone(), format!("{path}.json"), join(&path, "tsconfig.json")];
            let of = self.resolver.project.of(&unit.rules);
            found.extend(of.filter(|other| wanted.contains(&join(&other.folder, &other.file))));
        }
        found
    }

    /// By the name of a package of this tree.
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

    /// The file a package gives for a name below its own.
    fn package_entry(&self, unit: &FileRef, manifest: &Manifest, rest: &str) -> Option<u32> {
        let wanted = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        for (pattern, target) in manifest.all(Says::Export) {
            let Some(inner) = inner(pattern, &wanted) else {
                continue;
            };
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
            let inside = ["src/index", "index", "src/main", "lib/index"];
            return inside
                .iter()
                .find_map(|path| self.file_at_module_path(unit, &join(&manifest.folder, path)));
        }
        [join(&manifest.folder, rest), join(&manifest.folder, &format!("src/{rest}"))]
            .iter()
            .find_map(|path| self.file_at_module_path(unit, path))
    }

    /// The file of this tree, or the one a built file was made from.
    fn source_of_built_file(&self, unit: &FileRef, manifest: &Manifest, target: &str) -> Option<u32> {
        let path = normal(&manifest.folder, target)?;
        if let Some(file) = self.file_at_module_path(unit, &path) {
            return Some(file);
        }
        let inside = normal("", target)?;
        let (head, rest) = inside.split_once('/')?;
        if !BUILT.contains(&head) {
            return None;
        }
        let rest =
            rest.split_once('/').filter(|(next, _)| BUILT.contains(next)).map_or(rest, |(_, rest)| rest);
        ["src", "", "lib"].iter().find_map(|source| {
            let path = join(&manifest.folder, &join(source, rest));
            self.file_at_module_path(unit, path.trim_start_matches('/'))
        })
    }

    /// The file at a path that may leave out its extension, or name the file it will be built to.
    fn file_at_module_path(&self, unit: &FileUnit, path: &str) -> Option<u32> {
        let repository = self.resolver.repository;
        if let Some(file) = repository.file_at(&path.into()) {
            return Some(file);
        }
        if let Some(file) =
            self.file_without_extension(unit, path).or_else(|| self.folder_module_file(unit, path))
        {
            return Some(file);
        }
        let (head, extension) = path.rsplit_once('.')?;
        let head = head.strip_suffix(".d").unwrap_or(head);
        matches!(extension, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts")
            .then(|| self.file_without_extension(unit, head))
            .flatten()
    }

    /// What a file gives to those who import it.
    pub(super) fn exported(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let outline = &unit.facts.outline;
        for export in outline.exports.iter().filter(|export| unit.outline_text(export.public) == name) {
            let inner = unit.outline_text(export.name);
            let found =
                if inner.is_empty() { exported_value(unit, name) } else { self.top_level(unit, inner) };
            if !found.is_empty() {
                return found;
            }
        }
        let wanted = if name == "default" { Modifier::Default } else { Modifier::Exported };
        let own: Vec<Target> = unit
            .children(None)
            .iter()
            .filter(|&&at| unit.is(at, wanted) && (name == "default" || unit.name(at) == name))
            .map(|&at| Target::symbol(unit.sym(at), Rule::Scope))
            .collect();
        if !own.is_empty() {
            return self.prefer_definitions(own);
        }
        self.reexported(unit, name)
    }

    pub(super) fn reexported(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let imports = unit.facts.outline.imports.iter().enumerate();
        for (at, import) in imports.filter(|(_, import)| import.reexport) {
            let public = import.alias.or(import.name).map(|atom| unit.outline_text(atom));
            if import.kind != ImportKind::Wildcard && public == Some(name) {
                let found = self.import(unit, at as u32);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        if name == "default" {
            return Vec::new();
        }
        for import in unit.wildcards(0) {
            let passes =
                unit.facts.outline.imports.get(import as usize).is_some_and(|import| import.reexport);
            if passes {
                let found = self.through_wildcard(unit, import, name);
                if !found.is_empty() {
                    return found.into_iter().map(|found| found.by(Rule::Reexport)).collect();
                }
            }
        }
        Vec::new()
    }
}

/// A value exported without a name of its own.
fn exported_value(unit: &FileRef, name: &str) -> Vec<Target> {
    let children = unit.children(None).iter();
    children
        .filter(|&&at| {
            unit.name(at) == name && (unit.is(at, Modifier::Exported) || unit.is(at, Modifier::Default))
        })
        .map(|&at| Target::symbol(unit.sym(at), Rule::Scope))
        .collect()
}

/// What stands where the pattern has its `*`; empty for an exact match.
pub(crate) fn inner<'m>(pattern: &str, module: &'m str) -> Option<&'m str> {
    if !fits(pattern, module) {
        return None;
    }
    match pattern.split_once('*') {
        None => Some(""),
        Some((head, tail)) => module.get(head.len()..module.len() - tail.len()),
    }
}
