//! The interface of a file: every name that other files may depend on, with a hash of all that resolution can read of it.
//!
//! A file is resolved again when the hash of a name it depends on changes. So the hash covers kind, header, bases and
//! declared types; it covers the body only where the type of the result or value follows from it. A new body of a function
//! with a declared result invalidates no other file.

use crate::invalidation::name_reach::{INCLUDES, WHOLE_FILE, called_params_key, file_exists_key};
use crate::modules::includes::opened_by_macros;
use orient_model::{
    Atom, BindingKind, Expr, ExprId, Flow, ImportKind, Modifier, Outline, Reference, RepoPath, Rules,
    SymbolKind, Via,
};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// The names of a file, sorted, each with the hash of its interface.
pub fn interface_hashes(outline: &Outline, flow: &Flow, rules: Option<&Rules>) -> Vec<(String, u64)> {
    let hasher_of = InterfaceHasher::new(outline, flow, rules);
    let mut names: FxHashMap<String, FxHasher> = FxHashMap::default();
    let package = outline.package.map_or("", |atom| outline.strings.get(atom));
    let mut opened = FxHashSet::default();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        let at = at as u32;
        let name = outline.strings.get(symbol.name);
        let hasher = names.entry(name.to_owned()).or_default();
        // A namespace that is reopened is the same one.
        if symbol.kind == SymbolKind::Module && !opened.insert(outline.qualified(at)) {
            continue;
        }
        package.hash(hasher);
        hasher_of.symbol(at, hasher);
        if let Some(folded) = folded_name(symbol.kind, name, rules) {
            let hasher = names.entry(folded).or_default();
            (package, name).hash(hasher);
            hasher_of.symbol(at, hasher);
        }
        let mut places = hasher_of.calls_of_params(at).peekable();
        if places.peek().is_some() {
            let hasher = names.entry(called_params_key(outline.strings.get(symbol.name))).or_default();
            places.for_each(|(caller, line)| (outline.qualified(caller), line).hash(hasher));
        }
    }
    for import in &outline.imports {
        let text = |atom| outline.strings.get(atom);
        let name = import.alias.or(import.name).map_or_else(|| text(import.module), text);
        let known = names.entry(last(name).to_owned()).or_default();
        (import.kind, text(import.module), import.name.map(text), import.reexport, import.scope).hash(known);
    }
    let mut included = outline.imports.iter().filter(|import| import.kind == ImportKind::Effect).peekable();
    if included.peek().is_some() {
        let known = names.entry(INCLUDES.to_owned()).or_default();
        included.for_each(|import| outline.strings.get(import.module).hash(known));
    }
    let opened = opened_by_macros(outline, rules.map_or("", |rules| &rules.namespace_word));
    if !opened.is_empty() {
        opened.hash(names.entry(INCLUDES.to_owned()).or_default());
    }
    // Any name may come through a wildcard import, and every name belongs to the package.
    let known = names.entry(WHOLE_FILE.to_owned()).or_default();
    package.hash(known);
    for import in outline.imports.iter().filter(|import| import.kind == ImportKind::Wildcard) {
        (outline.strings.get(import.module), import.reexport, import.scope).hash(known);
    }
    // Setup and fixtures run for tests in other files that do not name them.
    for (at, symbol) in outline.symbols.iter().enumerate() {
        if symbol.modifiers.contains(Modifier::Setup) || symbol.modifiers.contains(Modifier::Fixture) {
            let attributes = symbol.attributes.iter().map(|&text| outline.strings.get(text));
            (outline.qualified(at as u32), attributes.collect::<Vec<_>>(), symbol.ordinal).hash(known);
        }
    }
    for export in &outline.exports {
        let text = |atom| outline.strings.get(atom);
        for name in [export.public, export.name] {
            let known = names.entry(text(name).to_owned()).or_default();
            (text(export.public), text(export.name)).hash(known);
        }
    }
    let mut names: Vec<(String, u64)> =
        names.into_iter().map(|(name, hasher)| (name, hasher.finish())).collect();
    names.sort_unstable();
    names
}

/// The names under which imports may look for a file at this path: its last two parts without extensions, and the whole
/// path.
pub fn path_keys(path: &RepoPath) -> Vec<String> {
    let shown = path.display();
    let mut names: Vec<String> = shown
        .rsplit('/')
        .take(2)
        .map(|part| part.split('.').next().unwrap_or_default().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.dedup();
    let name = shown.rfind('/').map_or(0, |slash| slash + 1);
    let end = shown[name..].find('.').map_or(shown.len(), |dot| name + dot);
    names.push(file_exists_key(&shown[..end]));
    names
}

/// The name of a method as other spellings of it are looked up, where case does not matter; none if it is spelled so.
pub(super) fn folded_name(kind: SymbolKind, name: &str, rules: Option<&Rules>) -> Option<String> {
    let applies = kind == SymbolKind::Method && rules.is_some_and(|rules| rules.caseless_functions);
    (applies && name.bytes().any(|byte| byte.is_ascii_uppercase())).then(|| name.to_ascii_lowercase())
}

fn last(name: &str) -> &str {
    name.rsplit(['.', '/', ':', '\\']).next().unwrap_or(name)
}

/// Hashes the interfaces of the symbols of a file.
struct InterfaceHasher<'f> {
    outline: &'f Outline,
    flow: &'f Flow,
    rules: Option<&'f Rules>,
    /// The binding of each symbol.
    bindings: FxHashMap<u32, usize>,
    /// The scope that each symbol opens.
    scopes: FxHashMap<u32, u32>,
    /// The calls directly in each symbol.
    calls: FxHashMap<u32, Vec<&'f Reference>>,
    /// The names of parameters, alone and with the scope they are bound in.
    params: FxHashSet<Atom>,
    params_of: FxHashSet<(u32, Atom)>,
    /// The calls of names of parameters in each symbol and in the symbols in it: caller, name, line.
    param_calls: FxHashMap<u32, Vec<(u32, Atom, u32)>>,
}

/// The calls of these names in each symbol and in the symbols in it: caller, name, line.
fn calls_by_owner(
    outline: &Outline,
    flow: &Flow,
    names: &FxHashSet<Atom>,
) -> FxHashMap<u32, Vec<(u32, Atom, u32)>> {
    let mut calls: FxHashMap<u32, Vec<(u32, Atom, u32)>> = FxHashMap::default();
    for reference in &flow.references {
        let (Some(caller), Expr::Call { callee, .. }) = (reference.symbol, flow.expr(reference.expr)) else {
            continue;
        };
        let Expr::Name(name) = flow.expr(callee) else { continue };
        let mut owner = Some(caller).filter(|_| names.contains(&name));
        while let Some(at) = owner {
            calls.entry(at).or_default().push((caller, name, reference.line));
            owner = outline.symbols.get(at as usize).and_then(|symbol| symbol.parent);
        }
    }
    calls
}

impl<'f> InterfaceHasher<'f> {
    fn new(outline: &'f Outline, flow: &'f Flow, rules: Option<&'f Rules>) -> Self {
        let mut bindings = FxHashMap::default();
        for (at, binding) in flow.bindings.iter().enumerate() {
            if let BindingKind::Symbol(symbol) = binding.kind {
                bindings.entry(symbol).or_insert(at);
            }
        }
        let mut scopes = FxHashMap::default();
        for (at, scope) in flow.scopes.iter().enumerate().skip(1) {
            if let Some(symbol) = scope.symbol {
                scopes.entry(symbol).or_insert(at as u32);
            }
        }
        let mut calls: FxHashMap<u32, Vec<&Reference>> = FxHashMap::default();
        for reference in &flow.references {
            if let (Some(symbol), Expr::Call { .. }) = (reference.symbol, flow.expr(reference.expr)) {
                calls.entry(symbol).or_default().push(reference);
            }
        }
        let bound = flow.bindings.iter().filter(|binding| binding.kind == BindingKind::Param);
        let params_of: FxHashSet<(u32, Atom)> = bound.map(|binding| (binding.scope, binding.name)).collect();
        let params: FxHashSet<Atom> = params_of.iter().map(|&(_, name)| name).collect();
        let param_calls = calls_by_owner(outline, flow, &params);
        Self { outline, flow, rules, bindings, scopes, calls, params, params_of, param_calls }
    }

    fn symbol(&self, at: u32, hasher: &mut FxHasher) {
        let Some(symbol) = self.outline.symbols.get(at as usize) else { return };
        let text = |atom| self.outline.strings.get(atom);
        (symbol.kind, symbol.visibility, symbol.modifiers, symbol.ordinal, symbol.body.is_some())
            .hash(hasher);
        self.outline.qualified(at).hash(hasher);
        text(symbol.signature).hash(hasher);
        for base in &symbol.bases {
            (text(base.text), base.relation).hash(hasher);
        }
        for &attribute in &symbol.attributes {
            text(attribute).hash(hasher);
        }
        for param in &symbol.params {
            (text(param.name), param.ty.map(text), param.default, param.variadic).hash(hasher);
        }
        let binding = self.bindings.get(&at).and_then(|&at| self.flow.bindings.get(at));
        let declared = binding.is_some_and(|binding| binding.ty.is_some());
        let mut names = FxHashSet::default();
        if let Some(binding) = binding {
            self.expr(binding.ty, hasher, &mut names);
            self.expr(binding.value, hasher, &mut names);
            self.via(binding.via, hasher);
        }
        if let Some(&scope) = self.scopes.get(&at) {
            if !declared && symbol.kind.is_callable() {
                self.body(scope, hasher, &mut names);
            }
            self.called_params(at, hasher);
        }
        if matches!(symbol.kind, SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable) && !declared
        {
            self.assigned(text(symbol.name), hasher, &mut names);
        }
    }

    /// Hashes everything that decides the result of a body: coarse, but never less than what resolution reads.
    fn body(&self, scope: u32, hasher: &mut FxHasher, names: &mut FxHashSet<u32>) {
        let inside = self.flow.scopes.get(scope as usize).map_or(0..0, |scope| scope.start..scope.end);
        for leaves in self.flow.returns.iter().filter(|leaves| {
            self.flow.scopes.get(leaves.scope as usize).is_some_and(|inner| inside.contains(&inner.start))
        }) {
            leaves.yields.hash(hasher);
            self.expr(Some(leaves.value), hasher, names);
        }
        // Locals may be assigned to each other: repeat until no new name turns up.
        let mut seen = 0;
        while seen < names.len() {
            seen = names.len();
            for binding in self.flow.bindings.iter().filter(|binding| inside.contains(&binding.at)) {
                if names.contains(&binding.name.0) {
                    self.expr(binding.ty, &mut FxHasher::default(), names);
                    self.expr(binding.value, &mut FxHasher::default(), names);
                }
            }
        }
        for binding in self.flow.bindings.iter().filter(|binding| inside.contains(&binding.at)) {
            if names.contains(&binding.name.0) {
                self.expr(binding.ty, hasher, names);
                self.expr(binding.value, hasher, names);
                self.via(binding.via, hasher);
            }
        }
    }

    /// Hashes which parameters are called: resolution follows a function that is passed to them.
    fn called_params(&self, symbol: u32, hasher: &mut FxHasher) {
        for reference in self.calls.get(&symbol).into_iter().flatten() {
            let Expr::Call { callee, args } = self.flow.expr(reference.expr) else { continue };
            if let Expr::Name(name) | Expr::Member { name, .. } = self.flow.expr(callee)
                && self.rebinds_self(self.flow.strings.get(name))
            {
                let list = self.flow.list(args).iter();
                list.for_each(|&arg| self.expr(Some(arg), hasher, &mut FxHashSet::default()));
            }
            if let Expr::Name(name) = self.flow.expr(callee)
                && self.params.contains(&name)
            {
                self.flow.strings.get(name).hash(hasher);
            }
        }
    }

    /// Whether a member of this name runs the blocks it is given with another `self`: then resolution follows parameters
    /// that are passed to it.
    fn rebinds_self(&self, name: &str) -> bool {
        self.rules.is_some_and(|rules| {
            rules.self_rebinding_methods.iter().any(|member| member.rsplit('.').next() == Some(name))
        })
    }

    /// Where a symbol, or one in it, calls a parameter of the symbol: the caller and the line.
    fn calls_of_params(&self, symbol: u32) -> impl Iterator<Item = (u32, u32)> {
        let scope = self.scopes.get(&symbol);
        self.param_calls.get(&symbol).into_iter().flatten().filter_map(move |&(caller, name, line)| {
            self.params_of.contains(&(*scope?, name)).then_some((caller, line))
        })
    }

    fn assigned(&self, name: &str, hasher: &mut FxHasher, names: &mut FxHashSet<u32>) {
        for assign in &self.flow.assigns {
            let (Expr::Name(target) | Expr::Member { name: target, .. }) = self.flow.expr(assign.target)
            else {
                continue;
            };
            if self.flow.strings.get(target) == name {
                self.expr(assign.ty, hasher, names);
                self.expr(assign.value, hasher, names);
                self.via(assign.via, hasher);
            }
        }
    }

    fn via(&self, via: Via, hasher: &mut FxHasher) {
        match via {
            Via::Member(name) => self.flow.strings.get(name).hash(hasher),
            Via::Item(at) => at.hash(hasher),
            other => std::mem::discriminant(&other).hash(hasher),
        }
    }

    /// Hashes an expression, and collects the names in it.
    fn expr(&self, expr: Option<ExprId>, hasher: &mut FxHasher, names: &mut FxHashSet<u32>) {
        let Some(expr) = expr else { return 0_u8.hash(hasher) };
        self.walk(expr, hasher, names, 0);
    }

    fn walk(&self, id: ExprId, hasher: &mut FxHasher, names: &mut FxHashSet<u32>, depth: u32) {
        if depth > 40 {
            return;
        }
        let expr = self.flow.expr(id);
        std::mem::discriminant(&expr).hash(hasher);
        let mut text = |atom: Atom| self.flow.strings.get(atom).hash(hasher);
        match expr {
            Expr::Name(name) => {
                text(name);
                names.insert(name.0);
            }
            Expr::Text(name) => text(name),
            Expr::Member { base, name } => {
                text(name);
                self.walk(base, hasher, names, depth + 1);
            }
            Expr::Named { name, value } => {
                text(name);
                self.walk(value, hasher, names, depth + 1);
            }
            Expr::Call { callee: inner, args }
            | Expr::New { ty: inner, args }
            | Expr::Apply { base: inner, args } => {
                self.walk(inner, hasher, names, depth + 1);
                self.flow.list(args).iter().for_each(|&arg| self.walk(arg, hasher, names, depth + 1));
            }
            Expr::Index { base: one, key: two } | Expr::Cast { value: one, ty: two } => {
                self.walk(one, hasher, names, depth + 1);
                self.walk(two, hasher, names, depth + 1);
            }
            Expr::Await(inner) => self.walk(inner, hasher, names, depth + 1),
            Expr::Wrap { wrapper, inner } => {
                wrapper.hash(hasher);
                self.walk(inner, hasher, names, depth + 1);
            }
            Expr::Either(list) | Expr::Sequence { items: list, .. } => {
                self.flow.list(list).iter().for_each(|&item| self.walk(item, hasher, names, depth + 1));
            }
            Expr::Function(symbol) => self.outline.qualified(symbol).hash(hasher),
            Expr::Lambda(scope) => self.returned_by(scope, hasher, names, depth + 1),
            Expr::Literal(literal) => literal.hash(hasher),
            Expr::Unknown | Expr::SelfRef | Expr::SuperRef => {}
        }
    }

    fn returned_by(&self, scope: u32, hasher: &mut FxHasher, names: &mut FxHashSet<u32>, depth: u32) {
        for leaves in self.flow.returns.iter().filter(|leaves| leaves.scope == scope) {
            self.walk(leaves.value, hasher, names, depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_looked_up_by_its_name_its_directory_and_its_path() {
        assert_eq!(path_keys(&"src/shop/cart.test.ts".into()), ["cart", "shop", "//src/shop/cart"]);
        assert_eq!(path_keys(&"a.py".into()), ["a", "//a"]);
    }
}
