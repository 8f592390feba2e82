//! What imports mean, and what modules give: one file for each way languages find modules.

mod dotted;
mod folder;
mod global;
mod include;
mod namespace;
mod path;
pub(crate) mod project_files;
mod tree;

pub(crate) use folder::Tops;
pub(crate) use include::Includes;

use crate::file::file_unit::{Held, Unit};
use crate::names::bindings::Want;
use crate::session::{Bearer, Frame, Question, Session};
use crate::types::ty::{Found, Module, Sym, Thing, Ty};
use orient_model::{
    BindingKind, Confidence, Import, ImportKind, Modifier, Modules, Rule, Shares, SymbolKind,
};
use std::sync::Arc;

impl Session<'_> {
    /// What an import brings in under its name.
    pub(crate) fn import(&self, unit: &Held, at: u32) -> Vec<Found> {
        let key = (unit.file, at);
        if let Some(known) = self.imports.borrow().get(&key) {
            return known.to_vec();
        }
        let found = self.once(Question::Import(unit.file, at), || {
            let import = unit.facts.outline.imports.get(at as usize)?;
            self.ask_module(unit.said(import.module));
            Some(self.imported(unit, import))
        });
        let Some(found) = found.flatten() else { return Vec::new() };
        if self.is_top() || !found.is_empty() {
            self.imports.borrow_mut().insert(key, found.clone().into());
        }
        found
    }

    /// The result depends on every part of the module's name: a file of that name may come or go.
    pub(crate) fn ask_module(&self, module: &str) {
        for part in module.split(['/', '.', ':', '\\']).filter(|part| !part.is_empty()) {
            self.ask(part);
        }
    }

    fn imported(&self, unit: &Held, import: &Import) -> Vec<Found> {
        let module = unit.said(import.module);
        let name = import.name.map(|atom| unit.said(atom));
        let found = match unit.rules.modules {
            Modules::Namespace => self.namespace_import(unit, import, module, name),
            Modules::Include => match name {
                Some(name) => {
                    let found = self.qualified_member(unit, module, name);
                    if found.is_empty() { self.declared_using(unit, import, module, name) } else { found }
                }
                None => self.dotted_name(&top(unit), module),
            },
            Modules::Tree => self.tree_import(unit, import, module, name),
            _ => self.module_import(unit, import, module, name),
        };
        if found.is_empty() {
            return not_here(unit, import, module, name);
        }
        found
    }

    /// A name from a namespace or type that is named as the scope of the declaration sees it: `using Base::f` inside a class
    /// inside a namespace.
    fn declared_using(&self, unit: &Held, import: &Import, module: &str, name: &str) -> Vec<Found> {
        let imports = &unit.facts.outline.imports;
        let declares = |binding: &&orient_model::Binding| match binding.kind {
            BindingKind::Import(at) => imports.get(at as usize).is_some_and(|one| std::ptr::eq(one, import)),
            _ => false,
        };
        let Some(binding) = unit.facts.flow.bindings.iter().find(declares).filter(|one| one.scope != 0)
        else {
            return Vec::new();
        };
        let frame = Frame { unit: unit.clone(), scope: binding.scope, at: u32::MAX };
        let outer = self.dotted_name(&frame, module);
        let types = outer.iter().filter_map(Found::sym).filter(|&sym| self.is_type(sym));
        let mut found = types.map(|sym| self.type_member(&Ty::of(sym), name, 0, Rule::Qualified));
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn module_import(&self, unit: &Held, import: &Import, module: &str, name: Option<&str>) -> Vec<Found> {
        match import.kind {
            ImportKind::Module => {
                // `import a.b.c` binds `a` alone.
                let whole = import.alias.is_some() || unit.rules.modules != Modules::Dotted;
                let wanted = if whole { module } else { module.split('.').next().unwrap_or(module) };
                let found = self.find_module(unit, wanted).map(|module| Found::module(module, Rule::Import));
                found.into_iter().collect()
            }
            ImportKind::Item => {
                let (Some(from), Some(name)) = (self.find_module(unit, module), name) else {
                    return Vec::new();
                };
                self.module_member(&from, name, unit).into_iter().map(imported_rule).collect()
            }
            ImportKind::Default => {
                let Some(from) = self.find_module(unit, module) else { return Vec::new() };
                let found = self.module_member(&from, "default", unit);
                if found.is_empty() && !self.has_exports(&from) {
                    return vec![Found::module(from, Rule::Import)];
                }
                found.into_iter().map(imported_rule).collect()
            }
            ImportKind::Wildcard | ImportKind::Effect => Vec::new(),
        }
    }

    /// The module an import names.
    pub(crate) fn find_module(&self, unit: &Held, module: &str) -> Option<Module> {
        self.ask_module(module);
        match unit.rules.modules {
            Modules::Dotted => self.module_once(unit, module, Self::dotted_module),
            Modules::Path => self.module_once(unit, module, Self::path_module),
            Modules::Folder => self.folder_module(unit, module),
            Modules::Namespace => Some(Module::Namespace(plain(module))),
            Modules::Global => self.run_by(unit, module),
            Modules::None | Modules::Tree | Modules::Include => None,
        }
    }

    /// The module that a file means by a name; found once.
    fn module_once(
        &self,
        unit: &Held,
        module: &str,
        find: fn(&Self, &Held, &str) -> Option<Module>,
    ) -> Option<Module> {
        if let Some(known) = self.modules.borrow().get(&unit.file).and_then(|known| known.get(module)) {
            return known.clone();
        }
        let before = self.cut();
        let found = find(self, unit, module);
        if before == self.cut() {
            self.modules.borrow_mut().entry(unit.file).or_default().insert(module.into(), found.clone());
        }
        found
    }

    /// A name that comes through an import of everything.
    pub(crate) fn through_wildcard(&self, unit: &Held, import: u32, name: &str) -> Vec<Found> {
        let Some(import) = unit.facts.outline.imports.get(import as usize) else { return Vec::new() };
        let module = unit.said(import.module);
        self.ask_module(module);
        self.ask(name);
        let key = Question::Member(unit.file, hash(module, name));
        let found = self.once(key, || match unit.rules.modules {
            Modules::Namespace => self.wildcard_namespace(unit, import, module, name),
            Modules::Tree => self.wildcard_tree(unit, import, module, name),
            Modules::Include => self.qualified_member(unit, module, name),
            _ => match self.find_module(unit, module) {
                Some(from) => self.module_member(&from, name, unit),
                None => Vec::new(),
            },
        });
        found.unwrap_or_default().into_iter().map(|found| found.by(Rule::Wildcard)).collect()
    }

    /// Members of a module by name.
    pub(crate) fn module_member(&self, module: &Module, name: &str, from: &Held) -> Vec<Found> {
        self.ask(name);
        match module {
            Module::File(file) => {
                let Some(unit) = self.unit(*file) else { return Vec::new() };
                let key = Question::Member(*file, hash("", name));
                self.once(key, || match unit.rules.modules {
                    Modules::Path => self.exported(&unit, name),
                    Modules::Tree => self.tree_member(&unit, name, from),
                    _ => self.file_member(&unit, name),
                })
                .unwrap_or_default()
            }
            Module::Folder(path) => match from.rules.modules {
                Modules::Folder => self.package_member(path, name, from),
                _ => self.submodule(path, name, from).into_iter().collect(),
            },
            Module::Namespace(space) => self.namespace_member(space, name, from),
        }
    }

    /// What a file binds at its top.
    fn file_member(&self, unit: &Held, name: &str) -> Vec<Found> {
        let frame = top(unit);
        let own = self.top_level(unit, name);
        if !own.is_empty() {
            return own;
        }
        for import in unit.wildcards(0) {
            let found = self.through_wildcard(unit, import, name);
            if !found.is_empty() {
                return found;
            }
        }
        let stem = stem(&unit.facts.path.display());
        if unit.rules.folder_files.contains(&stem) {
            return self.submodule(&frame.unit.folder(), name, unit).into_iter().collect();
        }
        Vec::new()
    }

    /// What a file binds at its top under this name, imports followed; the last binding counts.
    pub(crate) fn top_level(&self, unit: &Held, name: &str) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for &at in unit.bound(0, name) {
            let Some(binding) = unit.binding(at) else { continue };
            if let BindingKind::Symbol(symbol) = binding.kind
                && (unit.qualifier(symbol).is_some() && !unit.kind(symbol).is_some_and(SymbolKind::is_type))
            {
                continue;
            }
            for one in self.binding(unit, at) {
                if !found.iter().any(|known| known.thing == one.thing) {
                    found.push(one);
                }
            }
        }
        if found.len() > 1 && unit.rules.type_space {
            let mut last: Vec<Found> = Vec::new();
            for want in [Want::Type, Want::Value] {
                let of_kind = self.only(self.whole(found.clone()), want).pop();
                last.extend(of_kind.filter(|one| !last.contains(one)));
            }
            return last;
        }
        if found.len() > 1 && !unit.rules.overloads {
            let here = found.iter().rfind(|one| one.sym().is_some()).cloned();
            return here.into_iter().collect();
        }
        self.whole(found)
    }

    /// Names that files see of each other without an import.
    pub(crate) fn shared(&self, frame: &Frame, name: &str) -> Vec<Found> {
        let unit = &frame.unit;
        let found = match unit.rules.shares {
            Shares::None => Vec::new(),
            Shares::Folder => self.own_package_member(unit, name),
            Shares::Namespace => self.shared_namespace(frame, name),
            Shares::Everything => self.shared_by_all(frame, name),
        };
        if !found.is_empty() {
            return found;
        }
        match unit.rules.modules {
            Modules::Include => self.included_name(unit, name),
            Modules::Tree => self.crate_name(unit, name),
            _ => Vec::new(),
        }
    }

    /// A member added to a type from elsewhere.
    pub(crate) fn extension(&self, ty: &Ty, name: &str, from: &Held) -> Vec<Found> {
        let mut found = Vec::new();
        let bearers = self.named(&from.rules.family, name);
        let extends = |bearer: &&Bearer| bearer.modifiers.contains(Modifier::Extension);
        let mut extensions = bearers.iter().filter(extends).peekable();
        if extensions.peek().is_none() {
            return found;
        }
        let line = self.line(ty);
        let mut nearest = usize::MAX;
        for bearer in extensions {
            if self.is_hidden(bearer.sym) || self.in_other_script(bearer.sym, from) {
                continue;
            }
            let sym = bearer.sym;
            let Some(unit) = self.home(sym) else { continue };
            let Some((receiver, arity)) = extended(&unit, sym.at) else { continue };
            let place = match line.iter().position(|of| self.is_called(of, receiver, arity)) {
                None if Self::is_parameter(&unit, sym.at, receiver) => line.len(),
                Some(place) => place,
                None => continue,
            };
            let bound =
                if place == line.len() { self.bound_holds(&unit, sym.at, receiver, &line) } else { None };
            if bound == Some(false) {
                continue;
            }
            // Functions are told apart by their arguments first.
            let told = from.rules.overloads && crate::names::bindings::can_be_called(bearer.kind);
            // One that is a member comes with its receiver, not by an import.
            let comes = self.holder_of(sym).is_some() || self.sees(from, &unit, sym.at);
            if (place > nearest && !told) || !comes {
                continue;
            }
            if place < nearest {
                found.retain(|_| told);
                nearest = place;
            }
            let open = place == line.len() && bound.is_none();
            let sure = if open { Confidence::Probable } else { Confidence::Exact };
            let one = Found::symbol(sym, Rule::Extension).at_most(sure);
            found.push(Found { far: place, ..one });
        }
        let several = found.len() > 1 && !from.rules.overloads;
        found.into_iter().map(|one| if several { one.at_most(Confidence::Probable) } else { one }).collect()
    }

    /// Extensions of any type that stand in a namespace under this name: what an import of the name brings into sight.
    pub(crate) fn extensions_in(&self, unit: &Held, space: &str, name: &str) -> Vec<Found> {
        if unit.rules.modules != Modules::Namespace || !unit.rules.companions {
            return Vec::new();
        }
        let space = plain(space);
        let bearers = self.named(&unit.rules.family, name);
        let extensions = bearers.iter().filter(|bearer| bearer.modifiers.contains(Modifier::Extension));
        let inside = extensions.filter(|bearer| {
            let home = self.home(bearer.sym);
            self.holder_of(bearer.sym).is_none()
                && home.is_some_and(|home| self.space_of(&home, bearer.sym.at) == space)
        });
        inside.map(|bearer| Found::symbol(bearer.sym, Rule::Import)).collect()
    }

    /// Whether an extension is for a type parameter of its own: for anything.
    fn is_parameter(unit: &Unit, symbol: u32, name: &str) -> bool {
        let called = |at: &u32| unit.binding(*at).is_some_and(|binding| unit.text(binding.name) == name);
        unit.type_params(symbol).iter().any(called)
    }

    /// Whether a type is among what a type parameter must be; none where nothing is asked of it.
    fn bound_holds(&self, unit: &Held, symbol: u32, name: &str, line: &[Ty]) -> Option<bool> {
        let called = |at: &&u32| unit.binding(**at).is_some_and(|binding| unit.text(binding.name) == name);
        let &param = unit.type_params(symbol).iter().find(called)?;
        match self.constraint(unit, param).ty {
            Ty::Of(sym, _) => {
                Some(line.iter().any(|of| matches!(of, Ty::Of(known, _) if *known == self.canonical(sym))))
            }
            _ => None,
        }
    }

    fn is_called(&self, ty: &Ty, name: &str, arity: usize) -> bool {
        match ty {
            Ty::Of(sym, _) => self.home(*sym).is_some_and(|unit| {
                let alike = !unit.rules.arity || unit.type_params(sym.at).len() == arity;
                alike && unit.name(sym.at) == name
            }),
            Ty::Outside(outside, _) => &**outside == name,
            _ => false,
        }
    }

    /// Whether a file sees what stands in the namespace of a symbol: by its own namespace or an import.
    fn sees(&self, from: &Held, other: &Held, symbol: u32) -> bool {
        let space = self.space_of(other, symbol);
        let inside = |own: &str| {
            own == space || (from.rules.nested_namespaces && own.starts_with(&format!("{space}.")))
        };
        if space.is_empty() || inside(&plain(from.package())) {
            return true;
        }
        let symbols = 0..from.facts.outline.symbols.len() as u32;
        let mut spaces = symbols.filter(|&at| from.kind(at) == Some(SymbolKind::Module));
        if spaces.any(|at| inside(&self.full_name(from.sym(at)))) {
            return true;
        }
        let name = other.name(symbol);
        from.facts.outline.imports.iter().any(|import| {
            let module = plain(from.said(import.module));
            let below = module == space || module.starts_with(&format!("{space}."));
            match import.name {
                Some(named) => below && from.said(named) == name,
                None => below,
            }
        }) || self.uses_everywhere(from, &space)
    }

    /// The namespace a symbol stands in.
    fn space_of(&self, unit: &Held, symbol: u32) -> String {
        let scope = unit.scope_of(symbol).unwrap_or(0);
        self.namespace_at(&Frame { unit: unit.clone(), scope, at: u32::MAX })
    }

    /// The name of a symbol from the outermost namespace on, with dots.
    pub(crate) fn full_name(&self, sym: Sym) -> String {
        self.known_name(sym).to_string()
    }

    /// The full name of a symbol; spelled once.
    pub(crate) fn known_name(&self, sym: Sym) -> Arc<str> {
        self.home(sym).and_then(|unit| unit.full_name(sym.at).cloned()).unwrap_or_default()
    }

    /// Whether this is the full name of a symbol.
    pub(crate) fn is_known_as(&self, sym: Sym, full: &str) -> bool {
        self.home(sym).is_some_and(|unit| unit.is_known_as(sym.at, full))
    }

    fn has_exports(&self, module: &Module) -> bool {
        let Module::File(file) = module else { return false };
        let Some(unit) = self.unit(*file) else { return false };
        let outline = &unit.facts.outline;
        outline.exports.iter().any(|export| unit.said(export.public) == "default")
            || outline.symbols.iter().any(|symbol| symbol.modifiers.contains(Modifier::Default))
    }
}

/// The top of a file, after all of it.
pub(crate) fn top(unit: &Held) -> Frame {
    Frame { unit: unit.clone(), scope: 0, at: u32::MAX }
}

/// A namespace with dots between its parts.
pub(crate) fn plain(space: &str) -> String {
    if is_plain(space) {
        return space.to_owned();
    }
    let joined = space.replace("::", ".").replace(['\\', '/'], ".");
    joined.trim_matches('.').to_owned()
}

/// Whether a namespace is written with dots between its parts, and nowhere else.
pub(crate) fn is_plain(space: &str) -> bool {
    let bytes = space.as_bytes();
    bytes.first() != Some(&b'.')
        && bytes.last() != Some(&b'.')
        && !bytes.iter().any(|byte| matches!(byte, b':' | b'\\' | b'/'))
}

/// A file's name without folder and extension.
pub(crate) fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

fn is_own(module: &str) -> bool {
    let head = module.split("::").next().unwrap_or_default();
    matches!(head, "crate" | "self" | "super")
}

fn imported_rule(found: Found) -> Found {
    match found.rule {
        Rule::Scope => found.by(Rule::Import),
        Rule::Import | Rule::Wildcard if matches!(found.thing, Thing::Symbol(..)) => found.by(Rule::Reexport),
        _ => found,
    }
}

/// A number that tells names of modules apart.
pub(crate) fn hash(module: &str, name: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    (module, name).hash(&mut hasher);
    hasher.finish()
}

/// An import that leads to nothing here leads outside; a relative one leads nowhere.
fn not_here(unit: &Held, import: &Import, module: &str, name: Option<&str>) -> Vec<Found> {
    let relative = module.starts_with('.') || (unit.rules.modules == Modules::Tree && is_own(module));
    if relative {
        return Vec::new();
    }
    // A module keeps its own name, whatever it is called here.
    let alias = import.alias.filter(|_| import.kind != ImportKind::Module).map(|atom| unit.said(atom));
    vec![Found::outside(module, name.or(alias).unwrap_or(module))]
}

/// The name of the type an extension is for, and how many types that takes.
fn extended(unit: &Unit, symbol: u32) -> Option<(&str, usize)> {
    let written = match unit.qualifier(symbol) {
        Some(qualifier) => qualifier,
        None => unit.said(unit.symbol(symbol)?.params.first()?.ty?),
    };
    let written = written.trim_start_matches("this ").trim();
    let head = written.split(['<', '?', '[']).next()?.trim();
    Some((head.rsplit('.').next()?, crate::types::written_types::given(written)))
}
