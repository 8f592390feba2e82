//! Names that hold in a whole project, names that are spelled out from the root, and files that are loaded.

use super::plain;
use crate::file::file_unit::Held;
use crate::session::{Frame, Session};
use crate::types::ty::{Found, Module, Ty, Val};
use orient_model::{ImportKind, Modules, Rule, Says, Shares, SymbolKind};

impl Session<'_> {
    /// What a name means that says where it is looked for: from the root, or from where the file stands.
    pub(crate) fn spelled_out(&self, frame: &Frame, name: &str) -> Option<Vec<Found>> {
        let unit = &frame.unit;
        if let Some(rooted) = name.strip_prefix("::").filter(|_| unit.rules.shares == Shares::Everything) {
            return Some(self.at_the_top(unit, rooted));
        }
        if !name.contains('\\') {
            return None;
        }
        let full = match name.split_once('\\')? {
            ("", rest) => plain(rest),
            ("namespace", rest) => joined(&self.namespace_at(frame), &plain(rest)),
            (first, rest) => match Self::imported_space(unit, first) {
                Some(space) => joined(&space, &plain(rest)),
                None => joined(&self.namespace_at(frame), &plain(name)),
            },
        };
        let found = self.by_path(unit, &full, Rule::Qualified);
        if !found.is_empty() {
            return Some(found);
        }
        let (space, last) = full.rsplit_once('.').unwrap_or(("", &full));
        Some(vec![Found::outside(space, last)])
    }

    /// The full name of what an import calls so.
    fn imported_space(unit: &Held, name: &str) -> Option<String> {
        let called = |import: &&orient_model::Import| {
            let said = import.alias.or(import.name).map(|atom| unit.said(atom));
            said == Some(name)
        };
        let import = unit.facts.outline.imports.iter().find(called)?;
        let last = import.name.map_or("", |atom| unit.said(atom));
        Some(joined(&plain(unit.said(import.module)), last))
    }

    /// Functions and constants that stand in no namespace.
    pub(super) fn global_function(&self, unit: &Held, name: &str) -> Vec<Found> {
        let syms = self.with_full_name(&unit.rules.family, name).into_iter();
        let fits = |kind: SymbolKind| matches!(kind, SymbolKind::Function | SymbolKind::Constant);
        let fit = syms.filter(|&sym| self.kind(sym).is_some_and(fits));
        fit.map(|sym| Found::symbol(sym, Rule::Global)).collect()
    }

    /// What project files say that all files of the project see, and what one file brings in for all.
    pub(crate) fn project_wide(&self, frame: &Frame, name: &str) -> Vec<Found> {
        let unit = &frame.unit;
        if unit.rules.modules != Modules::Namespace || unit.rules.prelude.is_empty() {
            return Vec::new();
        }
        if self.named(&unit.rules.family, name).is_empty() && !self.is_alias(unit, name) {
            return Vec::new();
        }
        let manifests = self.resolver.project.around(&unit.rules, &unit.folder());
        for manifest in &manifests {
            for (key, value) in manifest.all(Says::Using) {
                let found = match key {
                    "" => {
                        let syms = self.with_full_name(&unit.rules.family, &joined(&plain(value), name));
                        syms.into_iter().map(|sym| Found::symbol(sym, Rule::Wildcard)).collect()
                    }
                    "static" => self.of_type_called(unit, &plain(value), name),
                    alias if alias == name => self.by_path(unit, &plain(value), Rule::Import),
                    _ => Vec::new(),
                };
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let folder = manifests.first().map_or("", |manifest| manifest.folder.as_str());
        self.brought_by_prelude(unit, folder, name)
    }

    /// Whether the project files say that a namespace is seen everywhere.
    pub(super) fn uses_everywhere(&self, unit: &Held, space: &str) -> bool {
        if unit.rules.prelude.is_empty() {
            return false;
        }
        let manifests = self.resolver.project.around(&unit.rules, &unit.folder());
        manifests.iter().any(|manifest| manifest.all(Says::Using).any(|(_, value)| plain(value) == space))
    }

    fn of_type_called(&self, unit: &Held, full: &str, name: &str) -> Vec<Found> {
        let types = self.with_full_name(&unit.rules.family, full);
        let Some(of) = types.into_iter().find(|&sym| self.is_type(sym)) else { return Vec::new() };
        let found = self.member(&Val::new(Ty::Type(of, Ty::none()), Rule::Static), name, unit);
        found.into_iter().map(|one| one.by(Rule::Wildcard)).collect()
    }

    /// Whether a project file gives something this name.
    fn is_alias(&self, unit: &Held, name: &str) -> bool {
        let manifests = self.resolver.project.around(&unit.rules, &unit.folder());
        manifests.iter().any(|manifest| manifest.all(Says::Using).any(|(key, _)| key == name))
    }

    fn brought_by_prelude(&self, unit: &Held, folder: &str, name: &str) -> Vec<Found> {
        for known in &unit.rules.prelude {
            self.ask(known.split('.').next().unwrap_or_default());
        }
        for &file in self.folder(folder).iter() {
            let Some(other) = self.unit(file).filter(|other| other.file != unit.file) else { continue };
            let called = String::from_utf8_lossy(other.facts.path.file_name()).into_owned();
            if !unit.rules.prelude.contains(&called) {
                continue;
            }
            for (at, import) in other.facts.outline.imports.iter().enumerate() {
                let found = match import.kind {
                    _ if !import.reexport => Vec::new(),
                    ImportKind::Wildcard => self.through_wildcard(&other, at as u32, name),
                    _ if import.alias.map(|atom| other.said(atom)) == Some(name) => {
                        self.import(&other, at as u32)
                    }
                    _ => Vec::new(),
                };
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// Whether a file loads another, itself or through one that it loads.
    pub(super) fn loads(&self, unit: &Held, file: u32) -> bool {
        if unit.file == file {
            return true;
        }
        if let Some(other) = self.unit(file) {
            for name in crate::invalidation::interface_hash::path_names(&other.facts.path) {
                self.ask(&name);
            }
        }
        let direct = self.loaded_by(unit);
        direct.contains(&file)
            || direct
                .iter()
                .any(|&one| self.unit(one).is_some_and(|between| self.loaded_by(&between).contains(&file)))
    }

    fn loaded_by(&self, unit: &Held) -> Vec<u32> {
        let modules = unit.facts.outline.imports.iter().map(|import| unit.said(import.module));
        let files = modules.filter_map(|module| {
            self.ask_module(module);
            match self.find_module(unit, module) {
                Some(Module::File(file)) => Some(file),
                _ => None,
            }
        });
        files.collect()
    }

    /// The file that loading a name runs: beside the file, or the only one whose path ends so.
    pub(crate) fn run_by(&self, unit: &Held, module: &str) -> Option<Module> {
        let extension = unit.rules.extensions.first()?;
        let dotted = format!(".{extension}");
        let path = if module.ends_with(&dotted) { module.to_owned() } else { format!("{module}{dotted}") };
        let world = self.resolver.world;
        if module.starts_with('.') {
            let path = crate::modules::project_files::normal(&unit.folder(), &path)?;
            return world.file_at(&path.as_str().into()).map(Module::File);
        }
        let mut files = world.ending(&path);
        if files.len() > 1 {
            let is_root = |file: &u32| {
                let under = world.facts(*file).map(|facts| facts.path.display().into_owned());
                under.is_some_and(|full| full.trim_end_matches(path.as_str()).ends_with("lib/"))
            };
            files.retain(is_root);
        }
        match files[..] {
            [one] => Some(Module::File(one)),
            _ => None,
        }
    }
}

/// Two parts of a full name.
fn joined(space: &str, name: &str) -> String {
    match (space, name) {
        ("", name) => name.to_owned(),
        (space, "") => space.to_owned(),
        (space, name) => format!("{space}.{name}"),
    }
}
