//! The slots of a file: a partition of its facts, each part with a hash.
//!
//! Resolution reads another file through [`crate::file::FileRef`], which records the slots it reads. A file is resolved again if a
//! slot that it read has another hash. So a slot must cover every fact that its readers see: [`slot_hashes`] goes through all
//! facts of a file once, and puts each into the slot through which it is read. A test changes each fact and expects that a
//! slot changes.
//!
//! # Example
//!
//! ```text
//! from . import typing as ft        Name("ft")
//! class Cart(Base):                 Name("Cart"): the header; Members(""): there is a class `Cart`
//!     def add(self, item):          Name("add"): the header; Members("Cart")
//!         entry = Entry(item)       Body("add"): what it binds and returns; Uses("add"): what it refers to
//!         return entry
//! ```
//!
//! A file that calls `cart.add(x).price` reads `Name("Cart")`, `Name("add")`, and, since nothing declares the result of
//! `add`, also `Body("add")`. It is not resolved again when `Cart` gets another method.

use crate::file::FileUnit;
use crate::repository::FileFacts;
use orient_model::{
    Assign, Atom, Binding, BindingKind, Expr, ExprId, Flow, Import, ImportKind, Modifier, RefKind, RepoPath,
    Rules, ScopeKind, SymbolKind, Via,
};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A part of a file. Those with a name contain the facts of all symbols of this name; an empty name stands for the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot<'n> {
    /// What a name means at the top level and in types: headers of symbols, imports, exports, values, assignments.
    Name(&'n str),
    /// The names and kinds of the direct children.
    Members(&'n str),
    /// What is bound, assigned and returned inside of functions.
    Body(&'n str),
    /// What is referred to inside.
    Uses(&'n str),
    /// Where parameters are called.
    ParamCalls(&'n str),
    /// Where symbols are.
    Positions(&'n str),
    /// All imports and exports.
    Imports,
    /// Includes, and the namespaces that macros open. Their readers are found along the includes.
    Includes,
    /// All of it.
    Everything,
}

/// The key of what concerns every file that read this one, whatever slots it read.
pub const WHOLE_FILE: &str = "/whole";

impl<'n> Slot<'n> {
    /// The key under which the dependency is stored.
    pub(crate) fn key(self) -> Cow<'n, str> {
        match self {
            Self::Name(name) => Cow::Borrowed(name),
            Self::Members(name) => Cow::Owned(format!("{name}/members")),
            Self::Body(name) => Cow::Owned(format!("{name}/body")),
            Self::Uses(name) => Cow::Owned(format!("{name}/uses")),
            Self::ParamCalls(name) => Cow::Owned(format!("{name}/called")),
            Self::Positions(name) => Cow::Owned(format!("{name}/positions")),
            Self::Imports => Cow::Borrowed("/imports"),
            Self::Includes => Cow::Borrowed("/includes"),
            Self::Everything => Cow::Borrowed("/everything"),
        }
    }
}

/// The slot that a binding belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingSlot {
    /// [`Slot::Name`] of its own name.
    Name,
    /// [`Slot::Name`] of the symbol that it is a parameter of.
    Header(u32),
    /// [`Slot::Body`] of the symbol around it; none at the top level.
    Body(Option<u32>),
}

impl BindingSlot {
    /// The slot of a binding of this kind in a scope.
    pub(crate) fn of(flow: &Flow, scope: u32, kind: BindingKind) -> Self {
        let Some(here) = flow.scopes.get(scope as usize) else { return Self::Name };
        let is_param = matches!(kind, BindingKind::Param | BindingKind::TypeParam | BindingKind::Receiver);
        if let Some(symbol) = here.symbol.filter(|_| is_param && opens(flow, scope)) {
            return Self::Header(symbol);
        }
        match here.kind {
            ScopeKind::File | ScopeKind::Module | ScopeKind::Type => Self::Name,
            ScopeKind::Function | ScopeKind::Block | ScopeKind::Comprehension => Self::Body(here.symbol),
        }
    }
}

/// Whether a scope is the outermost one of its symbol. That of a lambda is not: it belongs to the symbol around it.
fn opens(flow: &Flow, scope: u32) -> bool {
    let symbol = |at: u32| flow.scopes.get(at as usize).and_then(|scope| scope.symbol);
    let parent = flow.scopes.get(scope as usize).and_then(|scope| scope.parent);
    parent.is_none_or(|parent| symbol(parent) != symbol(scope))
}

/// The slots of a file whose language has these rules, each as its key with the hash of its facts, sorted.
pub fn slot_hashes(facts: &Arc<FileFacts>, rules: Option<&Rules>) -> Vec<(String, u64)> {
    let rules = Arc::new(rules.cloned().unwrap_or_default());
    let unit = FileUnit::new(0, Arc::clone(facts), rules);
    let mut hashes = SlotHashes::new(&unit);
    hashes.symbols();
    hashes.bindings();
    hashes.bodies();
    hashes.references();
    hashes.imports();
    hashes.whole_file();
    hashes.finish()
}

/// The keys that a file of this path is found by: its name and that of its directory, without extensions, and the whole path.
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
    names.push(path_key(&shown[..end]));
    names
}

/// A dependency on whether there is a file at a path, given without its extension.
pub(crate) fn path_key(path: &str) -> String {
    format!("//{path}")
}

/// A dependency on the content of a file, whatever changes in it.
pub fn content_key(path: &RepoPath) -> String {
    format!("///{}", path.display())
}

/// The slots of one file while its facts are put into them.
struct SlotHashes<'f> {
    unit: &'f FileUnit,
    /// Hashes of all expressions.
    exprs: Vec<u64>,
    /// The positions at which each name is bound outside of functions.
    bound_at: FxHashMap<Atom, Vec<u32>>,
    slots: FxHashMap<String, FxHasher>,
}

impl<'f> SlotHashes<'f> {
    fn new(unit: &'f FileUnit) -> Self {
        let flow = unit.flow();
        let mut bound_at: FxHashMap<Atom, Vec<u32>> = FxHashMap::default();
        for binding in &flow.bindings {
            if BindingSlot::of(flow, binding.scope, binding.kind) == BindingSlot::Name {
                bound_at.entry(binding.name).or_default().push(binding.at);
            }
        }
        Self { unit, exprs: hash_expressions(unit), bound_at, slots: FxHashMap::default() }
    }

    fn finish(self) -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> =
            self.slots.into_iter().map(|(key, hasher)| (key, hasher.finish())).collect();
        all.sort_unstable();
        let mut everything = FxHasher::default();
        all.hash(&mut everything);
        all.push((Slot::Everything.key().into_owned(), everything.finish()));
        all.sort_unstable();
        all
    }

    fn slot(&mut self, slot: Slot<'_>) -> &mut FxHasher {
        let key = slot.key();
        if !self.slots.contains_key(&*key) {
            self.slots.insert(key.clone().into_owned(), FxHasher::default());
        }
        self.slots.get_mut(&*key).expect("it was inserted above")
    }

    /// Adds a fact to a slot.
    fn put(&mut self, slot: Slot<'_>, fact: impl Hash) {
        fact.hash(self.slot(slot));
    }

    fn name_of(&self, symbol: Option<u32>) -> &'f str {
        symbol.map_or("", |at| self.unit.name(at))
    }

    fn expr(&self, expr: Option<ExprId>) -> u64 {
        expr.and_then(|expr| self.exprs.get(expr.0 as usize)).copied().unwrap_or(0)
    }

    /// Symbols: headers, members and positions.
    fn symbols(&mut self) {
        let unit = self.unit;
        let outline = unit.outline();
        let text = |atom| outline.strings.get(atom);
        let mut opened = FxHashSet::default();
        for (at, symbol) in (0..).zip(&outline.symbols) {
            let (name, full) = (unit.name(at), unit.full_name(at));
            self.put(Slot::Positions(name), (symbol.span, symbol.name_span, symbol.header, symbol.body));
            self.put(Slot::Members(self.name_of(symbol.parent)), (symbol.kind, name, symbol.modifiers));
            // A namespace that is opened again is the same one.
            if symbol.kind == SymbolKind::Module && !opened.insert(full) {
                continue;
            }
            let mut header = FxHasher::default();
            (symbol.kind, full, symbol.qualifier.map(text), symbol.ordinal).hash(&mut header);
            (symbol.visibility, symbol.modifiers, symbol.body.is_some()).hash(&mut header);
            (text(symbol.signature), symbol.returns.map(text)).hash(&mut header);
            for param in &symbol.params {
                (text(param.name), param.ty.map(text), param.default, param.variadic).hash(&mut header);
            }
            for base in &symbol.bases {
                (text(base.text), text(base.name), base.relation).hash(&mut header);
            }
            symbol.attributes.iter().for_each(|&attribute| text(attribute).hash(&mut header));
            (unit.rebinds_self(at), unit.is_typed_before_its_name(at)).hash(&mut header);
            let header = header.finish();
            for name in names_of(unit, at) {
                self.put(Slot::Name(&name), header);
            }
            let calls = unit.calls_of_params(at);
            if !calls.is_empty() {
                let callers = calls.iter().map(|&(caller, line)| (unit.full_name(caller), line));
                let callers: Vec<_> = callers.collect();
                self.put(Slot::ParamCalls(name), callers);
            }
        }
    }

    /// What scopes bind, in the order of the source.
    fn bindings(&mut self) {
        let unit = self.unit;
        for binding in &unit.flow().bindings {
            let fact = self.binding(binding);
            match BindingSlot::of(unit.flow(), binding.scope, binding.kind) {
                BindingSlot::Name => {
                    let order = self.order_of(binding);
                    let scope = unit.scope_path(binding.scope);
                    self.put(Slot::Name(unit.text(binding.name)), (fact, order, scope));
                }
                BindingSlot::Header(symbol) => self.put(Slot::Name(unit.name(symbol)), fact),
                // Its value is hashed in the order of the body; a local function is also read by its own name.
                BindingSlot::Body(_) => {
                    if let BindingKind::Symbol(symbol) = binding.kind {
                        self.put(Slot::Name(unit.name(symbol)), fact);
                    }
                }
            }
        }
    }

    fn binding(&self, binding: &Binding) -> u64 {
        let mut hasher = FxHasher::default();
        let unit = self.unit;
        unit.text(binding.name).hash(&mut hasher);
        match binding.kind {
            BindingKind::Symbol(symbol) => unit.full_name(symbol).hash(&mut hasher),
            BindingKind::Import(import) => {
                if let Some(import) = unit.outline().imports.get(import as usize) {
                    self.import(import).hash(&mut hasher);
                }
            }
            other => std::mem::discriminant(&other).hash(&mut hasher),
        }
        (self.expr(binding.ty), self.expr(binding.value), self.via(binding.via)).hash(&mut hasher);
        // A value that means an outer binding of its own name.
        (binding.visible_from > binding.at).hash(&mut hasher);
        hasher.finish()
    }

    /// How many bindings of each name in the value of a binding come before it: order decides where a name is bound twice.
    fn order_of(&self, binding: &Binding) -> Vec<usize> {
        let flow = self.unit.flow();
        let mut order = Vec::new();
        let mut pending: Vec<ExprId> = binding.value.into_iter().chain(binding.ty).collect();
        let mut seen: FxHashSet<ExprId> = pending.iter().copied().collect();
        while let Some(expr) = pending.pop() {
            if let Expr::Name(name) = flow.expr(expr)
                && let Some(places) = self.bound_at.get(&name)
            {
                order.push(places.iter().filter(|&&at| at <= binding.at).count());
            }
            pending.extend(operands(flow, flow.expr(expr)).filter(|&operand| seen.insert(operand)));
        }
        order
    }

    /// What functions bind, assign and return.
    fn bodies(&mut self) {
        let unit = self.unit;
        let flow = unit.flow();
        for (at, scope) in (0..).zip(&flow.scopes) {
            let inside = BindingSlot::of(flow, at, BindingKind::Local);
            if let BindingSlot::Body(symbol) = inside {
                self.put(Slot::Body(self.name_of(symbol)), (scope.kind, opens(flow, at)));
            }
        }
        let mut items: Vec<(u32, u32, u64)> = Vec::new();
        for binding in &flow.bindings {
            if let BindingSlot::Body(_) = BindingSlot::of(flow, binding.scope, binding.kind) {
                items.push((binding.at, binding.scope, self.binding(binding)));
            }
        }
        for assign in &flow.assigns {
            let fact = self.assign(assign);
            items.push((assign.at, assign.scope, fact));
            if let Some(name) = unit.assigned_to(assign) {
                self.put(Slot::Name(name), fact);
            }
        }
        for narrowing in &flow.narrowings {
            let name = unit.text(narrowing.name);
            let fact = (name, narrowing.test, self.expr(Some(narrowing.by)));
            match BindingSlot::of(flow, narrowing.scope, BindingKind::Local) {
                BindingSlot::Body(_) => {
                    let mut hasher = FxHasher::default();
                    fact.hash(&mut hasher);
                    // Which values are inside of the region follows from the order of its ends among them.
                    items.push((narrowing.start, narrowing.scope, hasher.finish()));
                    items.push((narrowing.end, narrowing.scope, hasher.finish()));
                }
                _ => self.put(Slot::Name(name), fact),
            }
        }
        items.sort_by_key(|&(at, ..)| at);
        for (_, scope, fact) in items {
            let symbol = flow.scopes.get(scope as usize).and_then(|scope| scope.symbol);
            self.put(Slot::Body(self.name_of(symbol)), (fact, unit.scope_ordinal(scope)));
        }
        for leaves in &flow.returns {
            let symbol = flow.scopes.get(leaves.scope as usize).and_then(|scope| scope.symbol);
            let fact = (leaves.yields, self.expr(Some(leaves.value)), unit.scope_ordinal(leaves.scope));
            self.put(Slot::Body(self.name_of(symbol)), fact);
        }
    }

    fn assign(&self, assign: &Assign) -> u64 {
        let mut hasher = FxHasher::default();
        let parts = (self.expr(Some(assign.target)), self.expr(assign.value), self.expr(assign.ty));
        (parts, self.via(assign.via)).hash(&mut hasher);
        hasher.finish()
    }

    /// What is referred to: bases in the header of their type, all else in its own slot.
    fn references(&mut self) {
        let unit = self.unit;
        for reference in &unit.flow().references {
            let fact = (reference.kind, self.expr(Some(reference.expr)), reference.apart);
            let name = self.name_of(reference.symbol);
            self.put(Slot::Uses(name), (fact, unit.scope_ordinal(reference.scope)));
            self.put(Slot::Positions(name), (reference.line, reference.at));
            let mixes = unit.is_mixin_call(reference);
            let end = reference.symbol.and_then(|at| unit.symbol(at)).map_or(0, |symbol| symbol.header.end);
            let in_header = reference.kind == RefKind::Type && reference.at < end;
            if reference.kind == RefKind::Inherit || mixes || in_header {
                self.put(Slot::Name(name), fact);
            }
            if let Some(container) = unit.merged_container(reference) {
                self.put(Slot::Name(container), fact);
            }
        }
    }

    fn imports(&mut self) {
        let unit = self.unit;
        let outline = unit.outline();
        let text = |atom| outline.strings.get(atom);
        for import in &outline.imports {
            let fact = self.import(import);
            self.put(Slot::Name(unit.imported_name(import)), fact);
            self.put(Slot::Imports, fact);
            self.put(Slot::Positions(""), (import.at, import.line));
            if import.kind == ImportKind::Effect {
                self.put(Slot::Includes, text(import.module));
            }
        }
        for export in &outline.exports {
            let fact = (text(export.public), text(export.name));
            self.put(Slot::Name(fact.0), fact);
            self.put(Slot::Name(fact.1), fact);
            self.put(Slot::Imports, fact);
            self.put(Slot::Positions(""), (export.at, export.line));
        }
        for space in unit.opened_by_macros() {
            self.put(Slot::Includes, space);
        }
    }

    fn import(&self, import: &Import) -> u64 {
        let text = |atom| self.unit.outline().strings.get(atom);
        let mut hasher = FxHasher::default();
        (import.kind, text(import.module), import.name.map(text), import.alias.map(text)).hash(&mut hasher);
        (import.reexport, import.visibility, import.modifiers).hash(&mut hasher);
        self.unit.scope_path(import.scope).hash(&mut hasher);
        hasher.finish()
    }

    /// What concerns all readers: the package, wildcard imports, and what runs for tests without being named.
    fn whole_file(&mut self) {
        let unit = self.unit;
        let outline = unit.outline();
        let mut whole = FxHasher::default();
        (unit.package(), outline.generated).hash(&mut whole);
        for import in outline.imports.iter().filter(|import| import.kind == ImportKind::Wildcard) {
            self.import(import).hash(&mut whole);
        }
        for (at, symbol) in (0..).zip(&outline.symbols) {
            if symbol.modifiers.contains(Modifier::Setup) || symbol.modifiers.contains(Modifier::Fixture) {
                let attributes = symbol.attributes.iter().map(|&text| outline.strings.get(text));
                (unit.full_name(at), attributes.collect::<Vec<_>>(), symbol.ordinal).hash(&mut whole);
            }
        }
        self.slots.insert(WHOLE_FILE.to_owned(), whole);
    }

    fn via(&self, via: Via) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(&via).hash(&mut hasher);
        match via {
            Via::Member(name) => self.unit.text(name).hash(&mut hasher),
            Via::Item(at) => at.hash(&mut hasher),
            Via::Value | Via::Element | Via::Enter | Via::Delivered | Via::Match | Via::Unknown => {}
        }
        hasher.finish()
    }
}

/// The hash of each expression: of its form, its texts and its operands.
fn hash_expressions(unit: &FileUnit) -> Vec<u64> {
    let flow = unit.flow();
    let mut hashes: Vec<Option<u64>> = vec![None; flow.exprs.len()];
    let mut is_open = vec![false; flow.exprs.len()];
    for at in 0..flow.exprs.len() as u32 {
        // An operand usually comes before what it is used in, but not always; nested too deeply for recursion, it may be.
        let mut pending = vec![(ExprId(at), false)];
        while let Some((id, is_ready)) = pending.pop() {
            let Some(None) = hashes.get(id.0 as usize) else { continue };
            let expr = flow.expr(id);
            if is_ready {
                hashes[id.0 as usize] = Some(hash_expression(unit, expr, &hashes));
            } else if !std::mem::replace(&mut is_open[id.0 as usize], true) {
                pending.push((id, true));
                pending.extend(operands(flow, expr).map(|operand| (operand, false)));
            }
        }
    }
    hashes.into_iter().map(Option::unwrap_or_default).collect()
}

/// The hash of an expression whose operands are hashed.
fn hash_expression(unit: &FileUnit, expr: Expr, hashes: &[Option<u64>]) -> u64 {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(&expr).hash(&mut hasher);
    match expr {
        Expr::Name(text)
        | Expr::Text(text)
        | Expr::Member { name: text, .. }
        | Expr::Named { name: text, .. } => {
            unit.text(text).hash(&mut hasher);
        }
        Expr::Wrap { wrapper, .. } => wrapper.hash(&mut hasher),
        Expr::Sequence { kind, .. } => kind.hash(&mut hasher),
        Expr::Literal(literal) => literal.hash(&mut hasher),
        Expr::Function(symbol) => unit.full_name(symbol).hash(&mut hasher),
        // What is in a lambda is hashed with the body that it is written in.
        Expr::Lambda(_)
        | Expr::Unknown
        | Expr::SelfRef
        | Expr::SuperRef
        | Expr::Call { .. }
        | Expr::New { .. }
        | Expr::Index { .. }
        | Expr::Await(_)
        | Expr::Cast { .. }
        | Expr::Apply { .. }
        | Expr::Either(_) => {}
    }
    for operand in operands(unit.flow(), expr) {
        hashes.get(operand.0 as usize).hash(&mut hasher);
    }
    hasher.finish()
}

/// The expressions that an expression consists of.
fn operands(flow: &Flow, expr: Expr) -> impl Iterator<Item = ExprId> + '_ {
    let (own, list) = match expr {
        Expr::Member { base: one, .. }
        | Expr::Named { value: one, .. }
        | Expr::Await(one)
        | Expr::Wrap { inner: one, .. } => ([Some(one), None], None),
        Expr::Index { base: one, key: two } | Expr::Cast { value: one, ty: two } => {
            ([Some(one), Some(two)], None)
        }
        Expr::Call { callee: one, args } | Expr::New { ty: one, args } | Expr::Apply { base: one, args } => {
            ([Some(one), None], Some(args))
        }
        Expr::Either(list) | Expr::Sequence { items: list, .. } => ([None, None], Some(list)),
        Expr::Unknown
        | Expr::Name(_)
        | Expr::SelfRef
        | Expr::SuperRef
        | Expr::Literal(_)
        | Expr::Text(_)
        | Expr::Function(_)
        | Expr::Lambda(_) => ([None, None], None),
    };
    let listed = list.map_or(&[][..], |list| flow.list(list));
    own.into_iter().flatten().chain(listed.iter().copied())
}

/// The names that a symbol is looked up by: its own, the form in which names are compared where case does not matter, and
/// `default` for a default export.
fn names_of(unit: &FileUnit, symbol: u32) -> impl Iterator<Item = Cow<'_, str>> {
    let name = unit.name(symbol);
    let folded = match unit.folded(name) {
        Cow::Owned(folded) if unit.kind(symbol) == Some(SymbolKind::Method) => Some(Cow::Owned(folded)),
        _ => None,
    };
    let default = unit.is(symbol, Modifier::Default).then_some(Cow::Borrowed("default"));
    [Some(Cow::Borrowed(name)), folded, default].into_iter().flatten()
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
