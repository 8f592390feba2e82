//! Project-wide names, names qualified from the root namespace, and files that are loaded at run time.

use super::{dotted, top};
use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::{Target, Value};
use crate::types::ty::{Module, Ty};
use orient_model::{Import, Modules, Rule, Says, SharedScope, SymbolKind};

impl Session<'_> {
    /// What a qualified name means, from the root namespace or relative to the current one.
    pub(crate) fn qualified_name(&self, site: &Site, name: &str) -> Option<Vec<Target>> {
        let unit = &site.unit;
        if let Some(rooted) =
            name.strip_prefix("::").filter(|_| unit.rules.shared_scope == SharedScope::Everything)
        {
            return Some(self.global_symbol(unit, rooted));
        }
        if let Some(rooted) = name.strip_prefix("::").filter(|_| unit.rules.modules == Modules::Include) {
            return Some(self.lookup(&top(unit), rooted));
        }
        if !name.contains('\\') {
            return None;
        }
        let full = match name.split_once('\\')? {
            ("", rest) => dotted(rest),
            (first, rest) if first == unit.rules.current_namespace => {
                joined(&self.namespace_at(site), &dotted(rest))
            }
            (first, rest) => match Self::imported_namespace(unit, first) {
                Some(space) => joined(&space, &dotted(rest)),
                None => joined(&self.namespace_at(site), &dotted(name)),
            },
        };
        let found = self.by_full_name(unit, &full, Rule::Qualified);
        if !found.is_empty() {
            return Some(found);
        }
        let (space, last) = full.rsplit_once('.').unwrap_or(("", &full));
        Some(vec![Target::external(space, last)])
    }

    /// The full name behind the local name of an import.
    fn imported_namespace(unit: &FileRef, name: &str) -> Option<String> {
        let called = |import: &&Import| {
            let said = import.alias.or(import.name).map(|atom| unit.outline_text(atom));
            said == Some(name)
        };
        let import = unit.imports().iter().find(called)?;
        let last = import.name.map_or("", |atom| unit.outline_text(atom));
        Some(joined(&dotted(unit.outline_text(import.module)), last))
    }

    /// Functions and constants in the root namespace.
    pub(super) fn global_function(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let syms = self.symbols_with_full_name(&unit.rules, name).into_iter();
        let fits = |kind: SymbolKind| matches!(kind, SymbolKind::Function | SymbolKind::Constant);
        let fit = syms.filter(|&sym| self.kind(sym).is_some_and(fits));
        fit.map(|sym| Target::symbol(sym, Rule::Global)).collect()
    }

    /// What project files and passed-on imports bring into all files of the project.
    pub(crate) fn project_wide(&self, site: &Site, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        if unit.rules.modules != Modules::Namespace || !unit.rules.project_wide_imports {
            return Vec::new();
        }
        if self.kinds_named(&unit.rules, name).is_empty() && !self.is_project_alias(unit, name) {
            return Vec::new();
        }
        let manifests = self.resolver.project.around(&unit.rules, &unit.directory());
        for manifest in &manifests {
            for (key, value) in manifest.all(Says::Using) {
                let found = match key {
                    "" => {
                        let syms = self.symbols_with_full_name(&unit.rules, &joined(&dotted(value), name));
                        syms.into_iter().map(|sym| Target::symbol(sym, Rule::Wildcard)).collect()
                    }
                    "static" => self.static_members_of(unit, &dotted(value), name),
                    alias if alias == name => self.by_full_name(unit, &dotted(value), Rule::Import),
                    _ => Vec::new(),
                };
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// Whether project files import a namespace for all files.
    pub(crate) fn is_project_wide_import(&self, unit: &FileRef, space: &str) -> bool {
        if !unit.rules.project_wide_imports {
            return false;
        }
        let manifests = self.resolver.project.around(&unit.rules, &unit.directory());
        manifests.iter().any(|manifest| manifest.all(Says::Using).any(|(_, value)| dotted(value) == space))
    }

    fn static_members_of(&self, unit: &FileRef, full: &str, name: &str) -> Vec<Target> {
        let types = self.symbols_with_full_name(&unit.rules, full);
        let Some(of) = types.into_iter().find(|&sym| self.is_type(sym)) else { return Vec::new() };
        let found = self.member(&Value::new(Ty::Metatype(of, Ty::no_args()), Rule::Static), name, unit);
        found.into_iter().map(|one| one.by(Rule::Wildcard)).collect()
    }

    /// Whether a project file declares this alias.
    fn is_project_alias(&self, unit: &FileRef, name: &str) -> bool {
        let manifests = self.resolver.project.around(&unit.rules, &unit.directory());
        manifests.iter().any(|manifest| manifest.all(Says::Using).any(|(key, _)| key == name))
    }

    /// Whether a file loads another one, directly or through a file that it loads.
    pub(super) fn loads(&self, unit: &FileRef, file: u32) -> bool {
        if unit.file == file {
            return true;
        }
        let direct = self.loaded_by(unit);
        direct.contains(&file)
            || direct
                .iter()
                .any(|&one| self.unit(one).is_some_and(|between| self.loaded_by(&between).contains(&file)))
    }

    fn loaded_by(&self, unit: &FileRef) -> Vec<u32> {
        let modules = unit.imports().iter().map(|import| unit.outline_text(import.module));
        let files = modules.filter_map(|module| match self.find_module(unit, module) {
            Some(Module::File(file)) => Some(file),
            _ => None,
        });
        files.collect()
    }

    /// The constant that a file defines for a declaration in a module: `autoload :Cart, "shop/cart"` in `Shop` means `Shop::Cart`.
    pub(super) fn loaded_constant(
        &self,
        unit: &FileRef,
        import: &Import,
        from: &Module,
        name: &str,
    ) -> Vec<Target> {
        let scope = unit.scope(import.scope);
        let (Some(around), Module::File(file)) = (scope.and_then(|scope| scope.symbol), from) else {
            return self.module_member(from, name, unit);
        };
        let full = joined(&self.full_name(unit.sym(around)), name);
        let mut syms = self.symbols_with_full_name(&unit.rules, &full);
        syms.retain(|sym| sym.file == *file);
        syms.truncate(1);
        syms.into_iter().map(|sym| Target::symbol(sym, Rule::Import)).collect()
    }

    /// The file that `require` loads: relative to the file, or the only one whose path ends with the name.
    pub(super) fn required_file(&self, unit: &FileRef, module: &str) -> Option<Module> {
        let extension = unit.rules.extensions.first()?;
        let dotted = format!(".{extension}");
        let path = if module.ends_with(&dotted) { module.to_owned() } else { format!("{module}{dotted}") };
        if module.starts_with('.') {
            let path = crate::modules::project_files::normal(&unit.directory(), &path)?;
            return self.file_at(&path).map(Module::File);
        }
        let mut files = self.files_ending_with(&path);
        if files.len() > 1 {
            let is_root = |file: &u32| {
                self.path_of(*file).is_some_and(|full| {
                    full.trim_end_matches(path.as_str()).ends_with(&format!("{}/", unit.rules.load_directory))
                })
            };
            files.retain(is_root);
        }
        match files[..] {
            [one] => Some(Module::File(one)),
            _ => None,
        }
    }
}

/// Joins two parts of a full name.
pub(super) fn joined(space: &str, name: &str) -> String {
    match (space, name) {
        ("", name) => name.to_owned(),
        (space, "") => space.to_owned(),
        (space, name) => format!("{space}.{name}"),
    }
}
