//! Modules named by a path beside the file, or by the name of a package.

use crate::file::file_unit::{Held, Unit};
use crate::modules::project_files::{Manifest, fits, normal};
use crate::session::Session;
use crate::types::eval::join;
use crate::types::ty::{Found, Module};
use orient_model::{ImportKind, Modifier, Rule, Says};

/// Folders that hold what a build made, and the folder it was made from.
const BUILT: &[&str] = &["dist", "lib", "build", "out", "esm", "cjs", "es"];
/// How many project files may extend each other.
const EXTENDS: usize = 8;

impl Session<'_> {
    /// The file a module path leads to.
    pub(super) fn path_module(&self, unit: &Held, module: &str) -> Option<Module> {
        if module.starts_with('.') || module.starts_with('/') {
            let path = normal(&unit.folder(), module)?;
            return self.script_at(unit, &path).map(Module::File);
        }
        if let Some(file) = self.aliased(unit, module) {
            return Some(Module::File(file));
        }
        self.packaged(unit, module).map(Module::File)
    }

    /// By the aliases and base folders of the project files around.
    fn aliased(&self, unit: &Held, module: &str) -> Option<u32> {
        for manifest in self.resolver.project.around(&unit.rules, &unit.folder()) {
            let mut chain = vec![manifest];
            for at in 0..EXTENDS {
                let Some(&last) = chain.get(at) else { break };
                chain.extend(self.extended_by(unit, last));
            }
            let base_of = |manifest: &Manifest| {
                manifest.first(Says::Base).and_then(|base| normal(&manifest.folder, base))
            };
            for &manifest in &chain {
                let base = base_of(manifest).unwrap_or_else(|| manifest.folder.clone());
                for (pattern, target) in manifest.all(Says::Alias) {
                    let Some(inner) = inner(pattern, module) else { continue };
                    let Some(path) = normal(&base, &target.replace('*', inner)) else { continue };
                    if let Some(file) = self.script_at(unit, &path) {
                        return Some(file);
                    }
                }
            }
            for base in chain.iter().filter_map(|manifest| base_of(manifest)) {
                if let Some(file) = self.script_at(unit, &join(&base, module)) {
                    return Some(file);
                }
            }
        }
        None
    }

    fn extended_by<'s>(&'s self, unit: &'s Unit, manifest: &Manifest) -> Vec<&'s Manifest> {
        let mut found = Vec::new();
        for (_, value) in manifest.all(Says::Extends) {
            let Some(path) = normal(&manifest.folder, value) else { continue };
            let wanted = [path.clone(), format!("{path}.json"), join(&path, "tsconfig.json")];
            let of = self.resolver.project.of(&unit.rules);
            found.extend(of.filter(|other| wanted.contains(&join(&other.folder, &other.file))));
        }
        found
    }

    /// By the name of a package of this tree.
    fn packaged(&self, unit: &Held, module: &str) -> Option<u32> {
        let mut cut = module.len();
        loop {
            let (name, rest) = (&module[..cut], module[cut..].trim_start_matches('/'));
            if let Some(manifest) = self.resolver.project.package(&unit.rules, name) {
                return self.entry_of(unit, manifest, rest);
            }
            cut = module[..cut].rfind('/')?;
        }
    }

    /// The file a package gives for a name below its own.
    fn entry_of(&self, unit: &Held, manifest: &Manifest, rest: &str) -> Option<u32> {
        let wanted = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        for (pattern, target) in manifest.all(Says::Export) {
            let Some(inner) = inner(pattern, &wanted) else { continue };
            if let Some(file) = self.built_from(unit, manifest, &target.replace('*', inner)) {
                return Some(file);
            }
        }
        if rest.is_empty() {
            for (_, target) in manifest.all(Says::Entry) {
                if let Some(file) = self.built_from(unit, manifest, target) {
                    return Some(file);
                }
            }
            let inside = ["src/index", "index", "src/main", "lib/index"];
            return inside.iter().find_map(|path| self.script_at(unit, &join(&manifest.folder, path)));
        }
        [join(&manifest.folder, rest), join(&manifest.folder, &format!("src/{rest}"))]
            .iter()
            .find_map(|path| self.script_at(unit, path))
    }

    /// The file of this tree, or the one a built file was made from.
    fn built_from(&self, unit: &Held, manifest: &Manifest, target: &str) -> Option<u32> {
        let path = normal(&manifest.folder, target)?;
        if let Some(file) = self.script_at(unit, &path) {
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
            self.script_at(unit, path.trim_start_matches('/'))
        })
    }

    /// The file at a path that may leave out its extension, or name the file it will be built to.
    fn script_at(&self, unit: &Unit, path: &str) -> Option<u32> {
        let world = self.resolver.world;
        if let Some(file) = world.file_at(&path.into()) {
            return Some(file);
        }
        if let Some(file) = self.file_of(unit, path).or_else(|| self.stands_for(unit, path)) {
            return Some(file);
        }
        let (head, extension) = path.rsplit_once('.')?;
        let head = head.strip_suffix(".d").unwrap_or(head);
        matches!(extension, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts")
            .then(|| self.file_of(unit, head))
            .flatten()
    }

    /// What a file gives to those who import it.
    pub(super) fn exported(&self, unit: &Held, name: &str) -> Vec<Found> {
        let outline = &unit.facts.outline;
        for export in outline.exports.iter().filter(|export| unit.said(export.public) == name) {
            let inner = unit.said(export.name);
            let found =
                if inner.is_empty() { exported_value(unit, name) } else { self.top_level(unit, inner) };
            if !found.is_empty() {
                return found;
            }
        }
        let wanted = if name == "default" { Modifier::Default } else { Modifier::Exported };
        let own: Vec<Found> = unit
            .children(None)
            .iter()
            .filter(|&&at| unit.is(at, wanted) && (name == "default" || unit.name(at) == name))
            .map(|&at| Found::symbol(unit.sym(at), Rule::Scope))
            .collect();
        if !own.is_empty() {
            return self.whole(own);
        }
        self.passed_on(unit, name)
    }

    fn passed_on(&self, unit: &Held, name: &str) -> Vec<Found> {
        let imports = unit.facts.outline.imports.iter().enumerate();
        for (at, import) in imports.filter(|(_, import)| import.reexport) {
            let public = import.alias.or(import.name).map(|atom| unit.said(atom));
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
fn exported_value(unit: &Held, name: &str) -> Vec<Found> {
    let children = unit.children(None).iter();
    children
        .filter(|&&at| {
            unit.name(at) == name && (unit.is(at, Modifier::Exported) || unit.is(at, Modifier::Default))
        })
        .map(|&at| Found::symbol(unit.sym(at), Rule::Scope))
        .collect()
}

/// What stands where the pattern has its `*`; empty for an exact match.
fn inner<'m>(pattern: &str, module: &'m str) -> Option<&'m str> {
    if !fits(pattern, module) {
        return None;
    }
    match pattern.split_once('*') {
        None => Some(""),
        Some((head, tail)) => module.get(head.len()..module.len() - tail.len()),
    }
}
