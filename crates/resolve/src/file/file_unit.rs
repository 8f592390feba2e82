//! A file with its facts, rules and lookup tables.

use crate::file::function_contexts::{ContextSite, function_contexts};
use crate::file::self_rebinding::self_rebinding_functions;
use crate::file::tables::{
    AtomTable, Bindings, Inherited, KeyedAssign, MultiMap, RowGroups, assigned, assigned_keys, assigned_name,
    called, merged_map, mixed_in, returns, scopes_of,
};
use crate::modules::includes::opened_by_macros;
use crate::modules::{dotted, is_dotted};
use crate::repository::FileFacts;
use crate::types::ty::SymbolId;
use orient_model::{
    Assign, Atom, Binding, Export, Expr, ExprId, Flow, Import, Modifier, Narrowing, Outline, RefKind,
    Reference, Relation, Rules, Scope, Symbol, SymbolKind,
};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

/// Members by name.
pub(crate) type Members = FxHashMap<Box<str>, Vec<SymbolId>>;

/// What is known of a file without reading its facts.
pub(crate) struct Identity {
    pub(crate) file: u32,
    pub(crate) rules: Arc<Rules>,
}

/// A file and lookup tables over its facts. Rules read it through a [`super::FileRef`], which records what they read.
pub(crate) struct FileUnit {
    identity: Identity,
    facts: Arc<FileFacts>,
    /// The direct children of each symbol; the top-level symbols come last.
    children: RowGroups,
    /// Wildcard imports: scope, import.
    wildcards: Vec<(u32, u32)>,
    /// Tables over the flow, each built on first use: most files are only read for their outlines.
    bindings: OnceLock<Bindings>,
    /// Atoms of the flow by their text.
    atoms: OnceLock<AtomTable>,
    /// The scope that each symbol opens.
    scope_of: OnceLock<Vec<Option<u32>>>,
    /// The declared bases and mixins of each type.
    inherited: OnceLock<Inherited>,
    /// Returned values, by the scope of the function.
    returns: OnceLock<MultiMap<u32, ExprId>>,
    /// Assignments to names and to members of `self`, by name.
    assigned: OnceLock<MultiMap<Atom, u32>>,
    /// Regions in which the type of a variable is known, by the scope of the test and the name.
    narrowings: OnceLock<MultiMap<(u32, Atom), u32>>,
    /// Assignments under keys, by container.
    assigned_keys: OnceLock<MultiMap<ExprId, KeyedAssign>>,
    /// The lines on which a symbol calls a bare name.
    called: OnceLock<MultiMap<(u32, Atom), u32>>,
    /// The references directly in each symbol.
    references_of: OnceLock<RowGroups>,
    /// The top-level symbols with a qualifier, by the hash of the qualifier.
    qualified: OnceLock<MultiMap<u64, u32>>,
    /// The members of each symbol by name, built on first use.
    members: Box<[OnceLock<Arc<Members>>]>,
    /// The full names of symbols, built on first use.
    full_names: OnceLock<Box<[OnceLock<Arc<str>>]>>,
    /// The contexts of functions without a declared type, by scope.
    function_contexts: OnceLock<FxHashMap<u32, ContextSite>>,
    /// Functions that run a parameter with another `self`.
    rebinds_self: OnceLock<FxHashSet<u32>>,
    /// The number of each scope among those of its symbol.
    scope_ordinals: OnceLock<Vec<u32>>,
    /// The hashes of all names that the outline declares, exports or passes on.
    outline_names: OnceLock<FxHashSet<u64>>,
}

impl FileUnit {
    pub(crate) fn new(file: u32, facts: Arc<FileFacts>, rules: Arc<Rules>) -> Self {
        let outline = &facts.outline;
        let symbols = outline.symbols.len();
        let around = outline.symbols.iter().map(|symbol| symbol.parent.map_or(symbols, |at| at as usize));
        let children = RowGroups::new(symbols + 1, around);
        let wildcards = outline
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| import.kind == orient_model::ImportKind::Wildcard)
            .map(|(at, import)| (import.scope, at as u32))
            .collect();
        let members = outline.symbols.iter().map(|_| OnceLock::new()).collect();
        Self {
            identity: Identity { file, rules },
            children,
            wildcards,
            facts,
            members,
            bindings: OnceLock::new(),
            atoms: OnceLock::new(),
            scope_of: OnceLock::new(),
            inherited: OnceLock::new(),
            returns: OnceLock::new(),
            assigned: OnceLock::new(),
            narrowings: OnceLock::new(),
            assigned_keys: OnceLock::new(),
            called: OnceLock::new(),
            references_of: OnceLock::new(),
            qualified: OnceLock::new(),
            full_names: OnceLock::new(),
            function_contexts: OnceLock::new(),
            rebinds_self: OnceLock::new(),
            scope_ordinals: OnceLock::new(),
            outline_names: OnceLock::new(),
        }
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.identity.rules
    }

    pub(super) fn facts(&self) -> &FileFacts {
        &self.facts
    }

    pub(crate) fn outline(&self) -> &Outline {
        &self.facts.outline
    }

    pub(crate) fn flow(&self) -> &Flow {
        &self.facts.flow
    }

    /// Approximate size in bytes of the facts and of all tables, once built.
    pub(crate) fn weight(&self) -> usize {
        self.facts.outline.symbols.len() * 192 + self.facts.flow.bytes() * 2
    }

    fn bindings(&self) -> &Bindings {
        self.bindings.get_or_init(|| Bindings::of(&self.facts))
    }

    fn inherited(&self) -> &Inherited {
        self.inherited.get_or_init(|| Inherited::of(&self.facts, &self.identity.rules))
    }

    /// The full name of a symbol from the outermost namespace on, with dots.
    pub(crate) fn full_name(&self, at: u32) -> Option<&Arc<str>> {
        let outline = &self.facts.outline;
        let names = self.full_names.get_or_init(|| outline.symbols.iter().map(|_| OnceLock::new()).collect());
        Some(names.get(at as usize)?.get_or_init(|| spell(outline, at).into()))
    }

    /// Whether this is the full name of a symbol.
    pub(crate) fn has_full_name(&self, at: u32, full: &str) -> bool {
        self.symbol(at).is_some() && is_spelled(&self.facts.outline, at, full)
    }

    /// A symbol of this file.
    pub(crate) fn sym(&self, at: u32) -> SymbolId {
        SymbolId { file: self.identity.file, at }
    }

    /// The symbol at an index.
    pub(crate) fn symbol(&self, at: u32) -> Option<&Symbol> {
        self.facts.outline.symbols.get(at as usize)
    }

    /// The name of a symbol.
    pub(crate) fn name(&self, at: u32) -> &str {
        self.symbol(at).map_or("", |symbol| self.facts.outline.strings.get(symbol.name))
    }

    /// A name of a function in the form in which names are compared.
    pub(crate) fn folded<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.identity.rules.caseless_functions && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Cow::Owned(name.to_ascii_lowercase());
        }
        Cow::Borrowed(name)
    }

    /// The container that a symbol names in its own header.
    pub(crate) fn qualifier(&self, at: u32) -> Option<&str> {
        self.symbol(at)?.qualifier.map(|atom| self.facts.outline.strings.get(atom))
    }

    /// The top-level symbols with this qualifier, in source order.
    pub(crate) fn qualified_by(&self, container: &str) -> impl Iterator<Item = u32> {
        let hash = |name: &str| FxBuildHasher.hash_one(name);
        let qualified = self.qualified.get_or_init(|| {
            let symbols = self.children(None).iter();
            symbols.filter_map(|&at| Some((hash(self.qualifier(at)?), at))).collect()
        });
        let alike = qualified.get(&hash(container)).iter().copied();
        alike.filter(move |&at| self.qualifier(at) == Some(container))
    }

    /// The kind of a symbol.
    pub(crate) fn kind(&self, at: u32) -> Option<SymbolKind> {
        Some(self.symbol(at)?.kind)
    }

    /// Whether a symbol has a modifier.
    pub(crate) fn is(&self, at: u32, modifier: Modifier) -> bool {
        self.symbol(at).is_some_and(|symbol| symbol.modifiers.contains(modifier))
    }

    /// The text of an atom of the flow.
    pub(crate) fn text(&self, atom: Atom) -> &str {
        self.facts.flow.strings.get(atom)
    }

    /// The text of an atom of the outline.
    pub(crate) fn outline_text(&self, atom: Atom) -> &str {
        self.facts.outline.strings.get(atom)
    }

    /// The expression behind an id.
    pub(crate) fn expr(&self, id: ExprId) -> Expr {
        self.facts.flow.expr(id)
    }

    /// The bindings of a name in a scope, in source order.
    pub(crate) fn bound(&self, scope: u32, name: &str) -> &[u32] {
        self.atom(name).map_or(&[], |atom| self.bound_as(scope, atom))
    }

    /// The same, by the atom of the name.
    pub(crate) fn bound_as(&self, scope: u32, name: Atom) -> &[u32] {
        self.bindings().bound.get(&(scope, name))
    }

    /// The atom of a text, if the flow contains it.
    pub(crate) fn atom(&self, text: &str) -> Option<Atom> {
        let strings = &self.facts.flow.strings;
        self.atoms.get_or_init(|| AtomTable::of(strings)).get(strings, text)
    }

    /// The regions, by tests in a scope, in which the type of a variable of this name is known: those that begin before a
    /// place, the nearest first.
    pub(crate) fn narrowings(&self, scope: u32, name: Atom, at: u32) -> impl Iterator<Item = &Narrowing> {
        let all = &self.facts.flow.narrowings;
        let keyed = || (0..).zip(all).map(|(at, one)| ((one.scope, one.name), at)).collect();
        let found = self.narrowings.get_or_init(keyed).get(&(scope, name));
        let before = found.partition_point(|&one| all.get(one as usize).is_some_and(|one| one.start <= at));
        found[..before].iter().rev().filter_map(|&at| all.get(at as usize))
    }

    /// A binding.
    pub(crate) fn binding(&self, at: u32) -> Option<&Binding> {
        self.facts.flow.bindings.get(at as usize)
    }

    /// The binding of a symbol: its declared type and its value.
    pub(crate) fn binding_of(&self, symbol: u32) -> Option<&Binding> {
        self.binding(self.bindings().of_symbol.get(symbol as usize).copied().flatten()?)
    }

    /// The scope that a symbol opens.
    pub(crate) fn scope_of(&self, symbol: u32) -> Option<u32> {
        let scopes = self.scope_of.get_or_init(|| scopes_of(&self.facts));
        scopes.get(symbol as usize).copied().flatten()
    }

    /// The direct children of a symbol, or of the file.
    pub(crate) fn children(&self, symbol: Option<u32>) -> &[u32] {
        self.children.get(symbol.map_or(self.facts.outline.symbols.len(), |symbol| symbol as usize))
    }

    /// The members of one declaration of a type, by name; shared.
    pub(crate) fn members(&self, of: u32) -> Arc<Members> {
        let Some(known) = self.members.get(of as usize) else { return Arc::default() };
        let find = || {
            let mut members = Members::default();
            for child in self.members_in(of) {
                members.entry(self.name(child).into()).or_default().push(self.sym(child));
            }
            Arc::new(members)
        };
        known.get_or_init(find).clone()
    }

    /// The members of one declaration of a type, in source order.
    pub(crate) fn members_in(&self, of: u32) -> impl Iterator<Item = u32> {
        let is_member = move |&child: &u32| {
            // A member of a nested object does not belong to the outer one. A member with another qualifier belongs to
            // another type.
            let outer = self.identity.rules.type_namespace && self.qualifier(child).is_some();
            let of_other = self.identity.rules.implicit_receiver
                && self.qualifier(child).is_some_and(|named| named != self.name(of));
            // The name of a test is a title: nothing calls it by that name.
            self.kind(child) != Some(SymbolKind::Test) && !outer && !of_other
        };
        self.children(Some(of)).iter().copied().filter(is_member)
    }

    /// The declared bases of a type: expression, scope, relation.
    pub(crate) fn bases(&self, symbol: u32) -> &[(ExprId, u32, Relation)] {
        self.inherited().bases.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// The modules mixed into a type itself, not into its instances.
    pub(crate) fn type_mixins(&self, symbol: u32) -> &[(ExprId, u32)] {
        self.inherited().mixins.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// The values that the function with this scope returns.
    pub(crate) fn returns(&self, scope: u32) -> &[ExprId] {
        self.returns.get_or_init(|| returns(&self.facts)).get(&scope)
    }

    /// The wildcard imports of a scope.
    pub(crate) fn wildcards(&self, scope: u32) -> impl Iterator<Item = u32> {
        self.wildcards.iter().filter(move |(at, _)| *at == scope).map(|&(_, import)| import)
    }

    /// The exports, if one of them may have this public name.
    pub(super) fn exports_if_named(&self, name: &str) -> &[Export] {
        if self.has_outline_name(name) { &self.outline().exports } else { &[] }
    }

    /// The imports, if one of them may bind this name.
    pub(super) fn imports_if_named(&self, name: &str) -> &[Import] {
        if self.has_outline_name(name) { &self.outline().imports } else { &[] }
    }

    /// Whether the outline declares, exports or passes on something of this name, anywhere. Most files have nothing of most names,
    /// and need not be searched for them.
    pub(super) fn has_outline_name(&self, name: &str) -> bool {
        let hash = |name: &str| FxBuildHasher.hash_one(name);
        let names = self.outline_names.get_or_init(|| {
            let outline = self.outline();
            let symbols = outline.symbols.iter().map(|symbol| symbol.name);
            let exports = outline.exports.iter().map(|export| export.public);
            let imports = outline.imports.iter().filter_map(|import| import.alias.or(import.name));
            symbols.chain(exports).chain(imports).map(|atom| hash(outline.strings.get(atom))).collect()
        });
        names.contains(&hash(name))
    }

    /// The package or namespace that the file declares.
    pub(crate) fn package(&self) -> &str {
        self.facts.outline.package.map_or("", |atom| self.outline_text(atom))
    }

    /// The innermost scope around a position.
    pub(crate) fn scope_at(&self, at: u32) -> u32 {
        let scopes = &self.facts.flow.scopes;
        let mut next = scopes.partition_point(|scope| scope.start <= at).checked_sub(1).map(|at| at as u32);
        while let Some(found) = next {
            let scope = &scopes[found as usize];
            if scope.end > at {
                return found;
            }
            next = scope.parent;
        }
        0
    }

    /// The type parameters of a symbol, as bindings.
    pub(crate) fn type_params(&self, symbol: u32) -> &[u32] {
        let scope = self.scope_of(symbol);
        scope.map_or(&[], |scope| self.bindings().type_params.get(&scope))
    }

    /// The parameters of a function's scope, in order, as bindings.
    pub(crate) fn params(&self, scope: u32) -> &[u32] {
        self.bindings().params.get(&scope)
    }

    /// The assignments to a name or to this member of `self`, with their values.
    pub(crate) fn assigned(&self, name: &str) -> impl Iterator<Item = (&Assign, ExprId)> {
        let assigned = self.assigned.get_or_init(|| assigned(&self.facts));
        let places = self.atom(name).map_or(&[][..], |atom| assigned.get(&atom));
        let assigns = places.iter().filter_map(|&at| self.facts.flow.assigns.get(at as usize));
        assigns.filter_map(|assign| Some((assign, assign.value?)))
    }

    /// Where a function calls this parameter of it: itself, or a function in it that has no parameter of the same name.
    pub(crate) fn called_within(&self, symbol: u32, param: Atom) -> Vec<(u32, u32)> {
        let calls = self.called.get_or_init(|| called(&self.facts));
        let (mut found, mut pending) = (Vec::new(), vec![symbol]);
        while let Some(at) = pending.pop() {
            found.extend(calls.get(&(at, param)).iter().map(|&line| (at, line)));
            let inner = self.children(Some(at)).iter().copied();
            pending.extend(inner.filter(|&at| {
                let is_bound = |scope| self.params(scope).iter().any(|&at| self.is_named(at, param));
                self.kind(at).is_some_and(SymbolKind::is_callable) && !self.scope_of(at).is_some_and(is_bound)
            }));
        }
        found.sort_unstable();
        found
    }

    fn is_named(&self, binding: u32, name: Atom) -> bool {
        self.binding(binding).is_some_and(|binding| binding.name == name)
    }

    /// The assignments under keys of this expression.
    pub(crate) fn assigned_keys(&self, base: ExprId) -> &[KeyedAssign] {
        self.assigned_keys.get_or_init(|| assigned_keys(&self.facts, &self.identity.rules)).get(&base)
    }

    /// The first symbol whose name comes after a position.
    pub(crate) fn next_symbol(&self, at: u32) -> Option<u32> {
        let symbols = self.facts.outline.symbols.iter().enumerate();
        let behind = symbols.filter(|(_, symbol)| symbol.name_span.start > at);
        behind.min_by_key(|(_, symbol)| symbol.name_span.start).map(|(at, _)| at as u32)
    }

    /// The line of the reference with this expression nearest to a position.
    pub(crate) fn line_of(&self, expr: ExprId, near: u32) -> Option<u32> {
        let used = self.references().iter().filter(|reference| reference.expr == expr);
        used.min_by_key(|reference| reference.at.abs_diff(near)).map(|reference| reference.line)
    }

    /// All references.
    pub(crate) fn references(&self) -> &[Reference] {
        &self.facts.flow.references
    }

    /// The references directly in a symbol, in source order.
    pub(crate) fn references_in(&self, symbol: u32) -> impl Iterator<Item = &Reference> {
        let references_of = self.references_of.get_or_init(|| {
            let around =
                |reference: &Reference| reference.symbol.map_or(usize::MAX, |symbol| symbol as usize);
            RowGroups::new(self.facts.outline.symbols.len(), self.references().iter().map(around))
        });
        references_of.get(symbol as usize).iter().filter_map(|&at| self.references().get(at as usize))
    }

    /// Where the function with this scope is written, if that decides the types of its parameters.
    pub(super) fn function_context(&self, scope: u32) -> Option<&ContextSite> {
        self.function_contexts.get_or_init(|| function_contexts(self)).get(&scope)
    }

    /// Whether a function runs a block that it is given with another `self`, as far as this file tells.
    pub(crate) fn rebinds_self(&self, symbol: u32) -> bool {
        !self.identity.rules.self_rebinding_methods.is_empty()
            && self.rebinds_self.get_or_init(|| self_rebinding_functions(self)).contains(&symbol)
    }

    /// Whether a type is written before the name of a symbol.
    pub(crate) fn is_typed_before_its_name(&self, at: u32) -> bool {
        let Some(symbol) = self.symbol(at) else { return false };
        let mut inside = self.references_in(at);
        inside.any(|one| one.kind == RefKind::Type && one.at < symbol.name_span.start)
    }

    /// The types that are named in the header of a symbol.
    pub(crate) fn types_in_header(&self, at: u32) -> impl Iterator<Item = &Reference> {
        let end = self.symbol(at).map_or(0, |symbol| symbol.header.end);
        self.references_in(at).filter(move |one| one.kind == RefKind::Type && one.at < end)
    }

    /// The top-level symbols without a qualifier.
    pub(crate) fn unqualified(&self) -> impl Iterator<Item = u32> {
        self.children(None).iter().copied().filter(|&at| self.qualifier(at).is_none())
    }

    /// The namespaces that the macros of the file open.
    pub(crate) fn opened_by_macros(&self) -> Vec<String> {
        opened_by_macros(self.outline(), &self.identity.rules.namespace_word)
    }

    /// The local name of an import, or the last part of what it imports.
    pub(crate) fn imported_name(&self, import: &Import) -> &str {
        let name = import.alias.or(import.name).unwrap_or(import.module);
        let name = self.outline_text(name);
        name.rsplit(['.', '/', ':', '\\']).next().unwrap_or(name)
    }

    /// Where a function calls its parameters: the callers and the lines.
    pub(crate) fn calls_of_params(&self, symbol: u32) -> Vec<(u32, u32)> {
        let Some(scope) = self.scope_of(symbol) else { return Vec::new() };
        let names = self.params(scope).iter().filter_map(|&at| Some(self.binding(at)?.name));
        names.flat_map(|name| self.called_within(symbol, name)).collect()
    }

    /// The kinds of a scope and of those around it, each with its symbol: the same after any edit elsewhere.
    pub(crate) fn scope_path(&self, scope: u32) -> Vec<(orient_model::ScopeKind, Option<&Arc<str>>)> {
        let scopes = &self.facts.flow.scopes;
        let around =
            std::iter::successors(scopes.get(scope as usize), |scope| scopes.get(scope.parent? as usize));
        around.map(|scope| (scope.kind, scope.symbol.and_then(|at| self.full_name(at)))).collect()
    }

    /// The number of a scope among those of its symbol, which is the same after any edit elsewhere.
    pub(crate) fn scope_ordinal(&self, scope: u32) -> u32 {
        let number = |scopes: &[Scope]| {
            let mut next: FxHashMap<Option<u32>, u32> = FxHashMap::default();
            let ordinals = scopes.iter().map(|scope| {
                let next = next.entry(scope.symbol).or_default();
                *next += 1;
                *next - 1
            });
            ordinals.collect::<Vec<u32>>()
        };
        let ordinals = self.scope_ordinals.get_or_init(|| number(&self.facts.flow.scopes));
        ordinals.get(scope as usize).copied().unwrap_or_default()
    }

    /// Whether a reference mixes modules into the type around it.
    pub(crate) fn is_mixin_call(&self, reference: &Reference) -> bool {
        mixed_in(self.flow(), &self.identity.rules, reference).is_some()
    }

    /// The name of the container that a call adds entries to.
    pub(crate) fn merged_container(&self, reference: &Reference) -> Option<&str> {
        let (base, _) = merged_map(self.flow(), &self.identity.rules, reference)?;
        last_name(&self.facts, base)
    }

    /// The name that an assignment gives a value, or that of the container it puts one into.
    pub(crate) fn assigned_to(&self, assign: &Assign) -> Option<&str> {
        match self.expr(assign.target) {
            Expr::Index { base, .. } => last_name(&self.facts, base),
            _ => assigned_name(self.flow(), assign.target).map(|name| self.text(name)),
        }
    }
}

/// The last name of a chain.
pub(super) fn last_name(facts: &FileFacts, mut expr: ExprId) -> Option<&str> {
    loop {
        match facts.flow.expr(expr) {
            Expr::Name(name) | Expr::Member { name, .. } | Expr::Text(name) => {
                let name = facts.flow.strings.get(name);
                return Some(name.strip_prefix("::").unwrap_or(name));
            }
            Expr::Call { callee, .. } => expr = callee,
            Expr::New { ty, .. } => expr = ty,
            Expr::Apply { base, .. } | Expr::Index { base, .. } => expr = base,
            Expr::Wrap { inner, .. } | Expr::Await(inner) => expr = inner,
            Expr::Cast { value, .. } => expr = value,
            _ => return None,
        }
    }
}
/// The full name of a symbol from the outermost namespace on, with dots.
pub(crate) fn spell(outline: &Outline, at: u32) -> String {
    let mut full = dotted(outline.package.map_or("", |atom| outline.strings.get(atom)));
    for name in outline.qualified(at) {
        if !full.is_empty() {
            full.push('.');
        }
        if is_dotted(name) { full.push_str(name) } else { full.push_str(&dotted(name)) }
    }
    full
}

/// Whether a symbol has this full name. Most names differ in their last parts, so the comparison starts there.
fn is_spelled(outline: &Outline, at: u32, full: &str) -> bool {
    let symbols = std::iter::successors(outline.symbols.get(at as usize), |symbol| {
        outline.symbols.get(symbol.parent? as usize)
    });
    let parts = symbols.flat_map(|symbol| [Some(symbol.name), symbol.qualifier]).chain([outline.package]);
    // The rest to compare; a dot must precede what was compared.
    let (mut left, mut dot) = (full, false);
    for part in parts.flatten().map(|atom| outline.strings.get(atom)) {
        if part.is_empty() || !is_dotted(part) {
            return spell(outline, at) == full;
        }
        if dot {
            let Some(before) = left.strip_suffix('.') else { return false };
            left = before;
        }
        let Some(before) = left.strip_suffix(part) else { return false };
        (left, dot) = (before, true);
    }
    left.is_empty()
}
