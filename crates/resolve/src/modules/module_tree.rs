//! A module tree that the files declare themselves, below the root file of a package.

use super::file_stem;
use crate::file::FileRef;
use crate::modules::SeenFrom;
use crate::modules::project_files::normal;
use crate::session::{Session, Site};
use crate::types::eval::join;
use crate::types::target::{Target, Value};
use crate::types::ty::{Module, Ty};
use orient_model::{Expr, ExprId, Import, ImportKind, Modifier, Modules, Rule, Says, SymbolKind};

impl Session<'_> {
    pub(super) fn tree_import(
        &self,
        unit: &FileRef,
        import: &Import,
        module: &str,
        name: Option<&str>,
    ) -> Vec<Target> {
        let site = Site { unit: unit.clone(), scope: import.scope, at: u32::MAX };
        let found = match (import.kind, name) {
            (ImportKind::Item, Some(name)) if name == unit.rules.tree.current => {
                self.walk_path(&site, module)
            }
            (ImportKind::Module, _) => self.walk_path(&site, module),
            (ImportKind::Item, Some(name)) => {
                let full = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
                self.walk_path(&site, &full)
            }
            _ => Vec::new(),
        };
        let reexported = |found: Target| match found.rule {
            Rule::Import | Rule::Wildcard => found.by(Rule::Reexport),
            _ => found.by(Rule::Import),
        };
        found.into_iter().map(reexported).collect()
    }

    /// What a path of names means: `crate::a::B`, `super::x`, `other_crate::y`.
    pub(super) fn walk_path(&self, site: &Site, path: &str) -> Vec<Target> {
        let mut parts = path.split("::").filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return Vec::new() };
        let words = &site.unit.rules.tree;
        let mut found = self.first_of_path(site, first);
        for part in parts {
            let vals: Vec<Value> = found.iter().map(|found| self.value(found)).collect();
            let next = vals.iter().flat_map(|val| match part {
                part if part == words.current => vec![Target::value(val.ty.clone(), val.rule)],
                part if part == words.parent => self.outer_module(&val.ty),
                part => self.member(val, part, &site.unit),
            });
            found = next.collect();
            // A type and a module, or a function and a macro, may share a name: follow all.
        }
        found
    }

    /// A member of a path that begins with a keyword for a module: `crate::a`, `super::x`. None for any other path.
    pub(crate) fn path_member(&self, site: &Site, base: ExprId, name: &str) -> Option<Vec<Target>> {
        if site.unit.rules.modules != Modules::Tree {
            return None;
        }
        let module = self.module_of_path(site, base)?;
        if name == site.unit.rules.tree.parent {
            return Some(self.outer_module(&module));
        }
        let found = self.member(&Value::new(module, Rule::Static), name, &site.unit).into_iter();
        Some(found.map(|one| if one.rule == Rule::Scope { one.by(Rule::Static) } else { one }).collect())
    }

    /// The module that a path of keywords denotes: `crate`, `super`, `super::super`.
    fn module_of_path(&self, site: &Site, expr: ExprId) -> Option<Ty> {
        let unit = &site.unit;
        let module = match unit.expr(expr) {
            Expr::Name(name) if unit.text(name) == unit.rules.tree.root => {
                return self.crate_root(unit).map(|file| Ty::Module(Module::File(file)));
            }
            Expr::SuperRef => Self::module_at(site),
            Expr::Member { base, name } if unit.text(name) == unit.rules.tree.parent => {
                self.module_of_path(site, base)?
            }
            _ => return None,
        };
        let outer = self.outer_module(&module);
        outer.iter().map(|found| self.value(found).ty).next()
    }

    fn first_of_path(&self, site: &Site, first: &str) -> Vec<Target> {
        let unit = &site.unit;
        let module = |ty: Option<Ty>| ty.map(|ty| Target::value(ty, Rule::Import)).into_iter().collect();
        let words = &unit.rules.tree;
        match first {
            name if name == words.root || name == words.macro_root => {
                module(self.crate_root(unit).map(|file| Ty::Module(Module::File(file))))
            }
            name if name == words.current => module(Some(Self::module_at(site))),
            name if name == words.parent => self.outer_module(&Self::module_at(site)),
            name => {
                let inside = Self::module_at(site);
                if let Some(declared) = Self::module_in(unit, &inside, name) {
                    return vec![declared];
                }
                let own = self.member(&Value::new(inside, Rule::Static), name, unit);
                let own: Vec<Target> = own
                    .into_iter()
                    .filter(|one| !matches!(one.referent, crate::types::target::Referent::External(..)))
                    .collect();
                if own.is_empty() { self.package_root_module(unit, name) } else { own }
            }
        }
    }

    /// A module declared inside of another. A path continues there, even if something else has the name: `pub use
    /// job::job`.
    fn module_in(unit: &FileRef, around: &Ty, name: &str) -> Option<Target> {
        let around = match around {
            Ty::Metatype(sym, _) => Some(sym.at),
            _ => None,
        };
        let mut declared = unit.children_named(around, name);
        declared
            .find(|&at| unit.kind(at) == Some(SymbolKind::Module))
            .map(|at| Target::symbol(unit.sym(at), Rule::Scope))
    }

    /// The module around a place: the innermost one in the file, else the file.
    fn module_at(site: &Site) -> Ty {
        let unit = &site.unit;
        let mut next = site.symbol();
        while let Some(at) = next {
            if unit.kind(at) == Some(SymbolKind::Module) && !unit.is(at, Modifier::Declaration) {
                return Ty::Metatype(unit.sym(at), Ty::no_args());
            }
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        Ty::Module(Module::File(unit.file))
    }

    /// The module around a module.
    fn outer_module(&self, ty: &Ty) -> Vec<Target> {
        let outer = match ty {
            Ty::Metatype(sym, _) => self.unit_of(*sym).map(|unit| {
                let mut next = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
                while let Some(at) = next {
                    if unit.kind(at) == Some(SymbolKind::Module) {
                        return Ty::Metatype(unit.sym(at), Ty::no_args());
                    }
                    next = unit.symbol(at).and_then(|symbol| symbol.parent);
                }
                Ty::Module(Module::File(unit.file))
            }),
            Ty::Module(Module::File(file)) => {
                let unit = self.unit(*file);
                unit.and_then(|unit| self.parent_file(&unit)).map(|file| Ty::Module(Module::File(file)))
            }
            _ => None,
        };
        outer.map(|ty| Target::value(ty, Rule::Import)).into_iter().collect()
    }

    /// The file of the parent module; none for the root of a package.
    fn parent_file(&self, unit: &FileRef) -> Option<u32> {
        self.queries.parent_files.get_or_insert(&unit.file, || self.find_parent_file(unit))
    }

    fn find_parent_file(&self, unit: &FileRef) -> Option<u32> {
        let (directory, name) = (unit.directory(), file_stem(&unit.path().display()));
        let (directory_files, root_files) = (&unit.rules.directory_files, &unit.rules.tree.root_files);
        let (module, around) = match name {
            name if directory_files.contains(&name) => {
                let (outer, module) = directory.rsplit_once('/').unwrap_or(("", &directory));
                (module.to_owned(), outer.to_owned())
            }
            name if root_files.contains(&name) && self.is_package_root(unit) => return None,
            name => (name, directory.clone()),
        };
        let mut candidates: Vec<String> =
            directory_files.iter().chain(root_files).map(|file| join(&around, file)).collect();
        if !around.is_empty() {
            candidates.push(around.clone());
        }
        let files = candidates.iter().filter_map(|path| self.file_without_extension(unit, path));
        let declares = |file: &u32| {
            self.unit(*file).is_some_and(|parent| {
                // A module with a body in the file needs no other one: `mod tests { … }` beside `tests.rs`.
                parent.children_named(None, &module).any(|at| {
                    parent.kind(at) == Some(SymbolKind::Module) && parent.is(at, Modifier::Declaration)
                })
            })
        };
        let files: Vec<u32> = files.filter(|&file| file != unit.file).collect();
        files.iter().copied().find(declares)
    }

    /// Whether a file with the name of a root file is one: beside a project file or in its source directory.
    fn is_package_root(&self, unit: &FileRef) -> bool {
        let directory = unit.directory();
        let manifests = self.resolver.project.around(&unit.rules, &directory);
        manifests.first().is_none_or(|manifest| {
            directory == manifest.directory
                || directory == join(&manifest.directory, &unit.rules.source_directory)
                || directory.starts_with(&join(&manifest.directory, &unit.rules.tree.binary_directory))
                || !self.is_declared_here(unit)
        })
    }

    fn is_declared_here(&self, unit: &FileRef) -> bool {
        let (directory, name) = (unit.directory(), file_stem(&unit.path().display()));
        self.directory_module_file(unit, &directory)
            .and_then(|file| self.unit(file))
            .is_some_and(|parent| parent.children_named(None, &name).next().is_some())
    }

    /// The root file of the package that a file belongs to.
    fn crate_root(&self, unit: &FileRef) -> Option<u32> {
        let mut at = unit.clone();
        for _ in 0..32 {
            match self.parent_file(&at).and_then(|file| self.unit(file)) {
                Some(parent) => at = parent,
                None => return Some(at.file),
            }
        }
        None
    }

    /// The file of a module that is declared without a body.
    pub(crate) fn declared_module(&self, unit: &FileRef, symbol: u32) -> Option<Module> {
        if unit.rules.modules != Modules::Tree || !unit.is(symbol, Modifier::Declaration) {
            return None;
        }
        let name = unit.name(symbol);
        let stem = file_stem(&unit.path().display());
        let words = &unit.rules.tree;
        let in_own_directory = unit.rules.directory_files.contains(&stem) || words.root_files.contains(&stem);
        let mut directory = if in_own_directory || self.parent_file(unit).is_none() {
            unit.directory()
        } else {
            join(&unit.directory(), &stem)
        };
        let mut inner = Vec::new();
        let mut next = unit.symbol(symbol).and_then(|symbol| symbol.parent);
        while let Some(at) = next {
            inner.push(unit.name(at).to_owned());
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        for part in inner.iter().rev() {
            directory = join(&directory, part);
        }
        let mut said = unit.symbol(symbol).into_iter().flat_map(|symbol| symbol.attributes);
        let path = said.find_map(|&atom| {
            unit.outline_text(atom).strip_prefix(words.path_attribute.as_str()).map(str::to_owned)
        });
        if let Some(path) = path {
            let path = path.trim_matches([' ', '=', '"']);
            let path = normal(&unit.directory(), path)?;
            return self.file_at(&path).map(Module::File);
        }
        let name = name.trim_start_matches(words.raw_prefix.as_str());
        let file = self
            .file_without_extension(unit, &join(&directory, name))
            .or_else(|| self.directory_module_file(unit, &join(&directory, name)));
        file.map(Module::File)
    }

    /// A top-level name of a file's module.
    pub(super) fn tree_member(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        self.in_scope(unit, 0, name)
    }

    /// A name inside of an inline module.
    pub(crate) fn inner_member(&self, unit: &FileRef, symbol: u32, name: &str) -> Vec<Target> {
        match unit.scope_of(symbol) {
            Some(scope) => self.in_scope(unit, scope, name),
            None => Vec::new(),
        }
    }

    fn in_scope(&self, unit: &FileRef, scope: u32, name: &str) -> Vec<Target> {
        let own = self.bound_in_scope(unit, scope, name);
        if own.is_empty() { self.name_through_wildcards(unit, scope, SeenFrom::Outside, name) } else { own }
    }

    /// What a scope itself binds to a name.
    pub(super) fn bound_in_scope(&self, unit: &FileRef, scope: u32, name: &str) -> Vec<Target> {
        unit.bound(scope, name).iter().flat_map(|&at| self.binding(unit, at)).collect()
    }

    /// Another package of the repository by its name; also the package itself, for its tests and binaries.
    pub(super) fn package_root_module(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let wanted = name.replace('-', "_");
        let project = &self.resolver.project;
        let nearest = project.around(&unit.rules, &unit.directory()).into_iter().next();
        let renamed = nearest.and_then(|manifest| {
            let (_, value) = manifest.all(Says::Depends).find(|(key, _)| key.replace('-', "_") == wanted)?;
            let directory = normal(&manifest.directory, value)?;
            project.of(&unit.rules).find(|other| other.directory == directory)
        });
        let by_name = || {
            project
                .of(&unit.rules)
                .find(|manifest| manifest.all(Says::Name).any(|(_, value)| value.replace('-', "_") == wanted))
        };
        let Some(manifest) = renamed.or_else(by_name) else { return Vec::new() };
        let entries = manifest.all(Says::Entry).filter(|(name, _)| *name == "lib").map(|(_, value)| value);
        let mut paths: Vec<String> = entries.filter_map(|value| normal(&manifest.directory, value)).collect();
        paths.push(join(&manifest.directory, &unit.rules.tree.library_file));
        let file = paths.iter().find_map(|path| self.file_at(path));
        file.map(|file| Target::module(Module::File(file), Rule::Import)).into_iter().collect()
    }

    /// A name in the module around a place: `self::x`.
    pub(crate) fn in_own_module(&self, site: &Site, name: &str) -> Vec<Target> {
        if site.unit.rules.modules != Modules::Tree {
            return Vec::new();
        }
        let module = Self::module_at(site);
        self.member(&Value::new(module, Rule::Static), name, &site.unit)
    }
}
