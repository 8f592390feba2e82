//! A file as resolution looks at it: its facts, and tables that find things in them.

use crate::modules::plain;
use crate::value::Sym;
use crate::world::FileFacts;
use orient_model::{
    Assign, Atom, Binding, BindingKind, Expr, ExprId, Modifier, Outline, RefKind, Reference, Relation, Rules,
    Symbol, SymbolKind,
};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// Members by name.
pub(crate) type Members = FxHashMap<Box<str>, Vec<Sym>>;

/// A value that is put under a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Put {
    pub(crate) key: PutKey,
    pub(crate) value: ExprId,
    pub(crate) via: orient_model::Via,
    pub(crate) scope: u32,
    pub(crate) at: u32,
}

/// A key as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PutKey {
    /// In brackets.
    Written(ExprId),
    /// Before the entry of a map.
    Entry(Atom),
}

/// A file and tables over its facts.
pub(crate) struct Unit {
    pub(crate) file: u32,
    pub(crate) facts: Arc<FileFacts>,
    pub(crate) rules: Arc<Rules>,
    /// Bindings by scope and name, in the order of the source.
    bound: FxHashMap<(u32, Atom), Vec<u32>>,
    /// Atoms of the flow by their text.
    atoms: FxHashMap<Box<str>, Atom>,
    /// The binding of each symbol.
    binding_of: Vec<Option<u32>>,
    /// The scope each symbol opens.
    scope_of: Vec<Option<u32>>,
    /// The symbols directly in each symbol; those of the file itself last.
    children: Vec<Vec<u32>>,
    /// What each type inherits from: expression, scope, relation.
    bases: FxHashMap<u32, Vec<(ExprId, u32, Relation)>>,
    /// What is mixed into each type itself.
    type_mixins: FxHashMap<u32, Vec<(ExprId, u32)>>,
    /// Values that leave each function, by its scope.
    returns: FxHashMap<u32, Vec<ExprId>>,
    /// Imports that bring in everything, by scope.
    wildcards: Vec<(u32, u32)>,
    /// Parameters and type parameters by scope, in order, as bindings.
    params: FxHashMap<u32, Vec<u32>>,
    type_params: FxHashMap<u32, Vec<u32>>,
    /// What is put into names, and into members of the receiver.
    assigned: FxHashMap<Atom, Vec<u32>>,
    /// What is put under keys, by what it is put into.
    put_into: FxHashMap<ExprId, Vec<Put>>,
    /// The lines on which a symbol calls a bare name.
    called: FxHashMap<(u32, Atom), Vec<u32>>,
    /// The members of each symbol by name, where somebody asked.
    members: Box<[OnceLock<Arc<Members>>]>,
    /// The names of all symbols from the outermost namespace on, with dots.
    full_names: OnceLock<Vec<Arc<str>>>,
    /// Where functions without a declared type stand, by their scope.
    pub(crate) places: OnceLock<FxHashMap<u32, crate::given::Place>>,
    /// Functions that run what they are given as if it stood elsewhere.
    pub(crate) runs_as_other: OnceLock<rustc_hash::FxHashSet<u32>>,
}

/// A file in the hands of one session. Many share it with other threads, and take and leave it all the time: that is
/// counted here, where no other thread counts.
#[derive(Clone)]
#[expect(
    clippy::redundant_allocation,
    reason = "it is the second count that is wanted, not the second place"
)]
pub(crate) struct Held(Rc<Arc<Unit>>);

impl Held {
    pub(crate) fn new(unit: Arc<Unit>) -> Self {
        Self(Rc::new(unit))
    }
}

impl Deref for Held {
    type Target = Unit;

    fn deref(&self) -> &Unit {
        &self.0
    }
}

impl Unit {
    pub(crate) fn new(file: u32, facts: Arc<FileFacts>, rules: Arc<Rules>) -> Self {
        let (outline, flow) = (&facts.outline, &facts.flow);
        let mut bound: FxHashMap<(u32, Atom), Vec<u32>> = FxHashMap::default();
        let mut binding_of = vec![None; outline.symbols.len()];
        let (mut params, mut type_params): (FxHashMap<u32, Vec<u32>>, FxHashMap<u32, Vec<u32>>) =
            Default::default();
        for (at, binding) in flow.bindings.iter().enumerate() {
            bound.entry((binding.scope, binding.name)).or_default().push(at as u32);
            match binding.kind {
                BindingKind::Param => params.entry(binding.scope).or_default().push(at as u32),
                BindingKind::TypeParam => type_params.entry(binding.scope).or_default().push(at as u32),
                _ => {}
            }
            if let BindingKind::Symbol(symbol) = binding.kind
                && let Some(slot) = binding_of.get_mut(symbol as usize)
            {
                slot.get_or_insert(at as u32);
            }
        }
        let mut scope_of = vec![None; outline.symbols.len()];
        for (at, scope) in flow.scopes.iter().enumerate().skip(1) {
            let outer =
                scope.parent.and_then(|parent| flow.scopes.get(parent as usize)).and_then(|s| s.symbol);
            if let Some(symbol) = scope.symbol
                && outer != Some(symbol)
                && let Some(slot) = scope_of.get_mut(symbol as usize)
            {
                slot.get_or_insert(at as u32);
            }
        }
        let mut children = vec![Vec::new(); outline.symbols.len() + 1];
        for (at, symbol) in outline.symbols.iter().enumerate() {
            let parent = symbol.parent.map_or(outline.symbols.len(), |parent| parent as usize);
            if let Some(list) = children.get_mut(parent) {
                list.push(at as u32);
            }
        }
        let mut returns: FxHashMap<u32, Vec<ExprId>> = FxHashMap::default();
        for leaves in &flow.returns {
            returns.entry(leaves.scope).or_default().push(leaves.value);
        }
        let wildcards = outline
            .imports
            .iter()
            .enumerate()
            .filter(|(_, import)| import.kind == orient_model::ImportKind::Wildcard)
            .map(|(at, import)| (import.scope, at as u32))
            .collect();
        let atoms = flow.strings.iter().map(|(atom, text)| (text.into(), atom)).collect();
        let (bases, type_mixins) = bases(&facts, &rules);
        let (assigned, called) = (assigned(&facts), called(&facts));
        let put_into = if rules.dynamic { put_into(&facts, &rules) } else { FxHashMap::default() };
        let members = outline.symbols.iter().map(|_| OnceLock::new()).collect();
        Self {
            file,
            rules,
            bound,
            atoms,
            binding_of,
            scope_of,
            children,
            bases,
            type_mixins,
            returns,
            wildcards,
            params,
            type_params,
            assigned,
            put_into,
            called,
            facts,
            members,
            full_names: OnceLock::new(),
            places: OnceLock::new(),
            runs_as_other: OnceLock::new(),
        }
    }

    /// About how many bytes these tables and the facts behind them take.
    pub(crate) fn weight(&self) -> usize {
        /// What an entry of a table of lists takes.
        const ENTRY: usize = 48;
        let (outline, flow) = (&self.facts.outline, &self.facts.flow);
        let facts = outline.symbols.len() * 128
            + flow.bindings.len() * 48
            + flow.exprs.len() * 12
            + flow.references.len() * 28
            + flow.scopes.len() * 24;
        let tables = outline.symbols.len() * 64
            + (self.bound.len() + self.atoms.len() + self.assigned.len() + self.called.len()) * ENTRY;
        facts + tables
    }

    /// The name of a symbol from the outermost namespace on, with dots.
    pub(crate) fn full_name(&self, at: u32) -> Option<&Arc<str>> {
        let names = self.full_names.get_or_init(|| {
            let symbols = 0..self.facts.outline.symbols.len() as u32;
            symbols.map(|at| spell(&self.facts.outline, at).into()).collect()
        });
        names.get(at as usize)
    }

    /// A symbol of this file.
    pub(crate) fn sym(&self, at: u32) -> Sym {
        Sym { file: self.file, at }
    }

    /// The definition at this place.
    pub(crate) fn symbol(&self, at: u32) -> Option<&Symbol> {
        self.facts.outline.symbols.get(at as usize)
    }

    /// The name of a symbol.
    pub(crate) fn name(&self, at: u32) -> &str {
        self.symbol(at).map_or("", |symbol| self.facts.outline.strings.get(symbol.name))
    }

    /// The container a symbol names itself.
    pub(crate) fn qualifier(&self, at: u32) -> Option<&str> {
        self.symbol(at)?.qualifier.map(|atom| self.facts.outline.strings.get(atom))
    }

    /// The kind of a symbol.
    pub(crate) fn kind(&self, at: u32) -> Option<SymbolKind> {
        Some(self.symbol(at)?.kind)
    }

    /// Whether a header says this of a symbol.
    pub(crate) fn is(&self, at: u32, modifier: Modifier) -> bool {
        self.symbol(at).is_some_and(|symbol| symbol.modifiers.contains(modifier))
    }

    /// The text of an atom of the flow.
    pub(crate) fn text(&self, atom: Atom) -> &str {
        self.facts.flow.strings.get(atom)
    }

    /// The text of an atom of the outline.
    pub(crate) fn said(&self, atom: Atom) -> &str {
        self.facts.outline.strings.get(atom)
    }

    /// The expression behind an id.
    pub(crate) fn expr(&self, id: ExprId) -> Expr {
        self.facts.flow.expr(id)
    }

    /// The bindings of a name in a scope, in the order of the source.
    pub(crate) fn bound(&self, scope: u32, name: &str) -> &[u32] {
        self.atom(name).map_or(&[], |atom| self.bound_as(scope, atom))
    }

    /// The same, by the atom of the name.
    pub(crate) fn bound_as(&self, scope: u32, name: Atom) -> &[u32] {
        self.bound.get(&(scope, name)).map_or(&[], Vec::as_slice)
    }

    /// The atom of a text that the flow mentions.
    pub(crate) fn atom(&self, text: &str) -> Option<Atom> {
        self.atoms.get(text).copied()
    }

    /// A binding.
    pub(crate) fn binding(&self, at: u32) -> Option<&Binding> {
        self.facts.flow.bindings.get(at as usize)
    }

    /// The binding of a symbol: its declared type and its value.
    pub(crate) fn binding_of(&self, symbol: u32) -> Option<&Binding> {
        self.binding(self.binding_of.get(symbol as usize).copied().flatten()?)
    }

    /// The scope a symbol opens.
    pub(crate) fn scope_of(&self, symbol: u32) -> Option<u32> {
        self.scope_of.get(symbol as usize).copied().flatten()
    }

    /// The symbols directly in a symbol, or in the file.
    pub(crate) fn children(&self, symbol: Option<u32>) -> &[u32] {
        let at = symbol.map_or(self.children.len() - 1, |symbol| symbol as usize);
        self.children.get(at).map_or(&[], Vec::as_slice)
    }

    /// The members that a type has in this place, by name; shared by all who look at it.
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

    /// The members that a type has in this place, in the order of the source.
    pub(crate) fn members_in(&self, of: u32) -> impl Iterator<Item = u32> {
        let is_member = move |&child: &u32| {
            // A member of an object inside an object is none of the outer one.
            // What says for whom it is a member is none by its bare name.
            let outer = self.rules.type_space && self.qualifier(child).is_some();
            let of_other =
                self.rules.bare_members && self.qualifier(child).is_some_and(|named| named != self.name(of));
            // A test is named for people: nothing calls it by that name.
            self.kind(child) != Some(SymbolKind::Test) && !outer && !of_other
        };
        self.children(Some(of)).iter().copied().filter(is_member)
    }

    /// What a type inherits from.
    pub(crate) fn bases(&self, symbol: u32) -> &[(ExprId, u32, Relation)] {
        self.bases.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// What is mixed into a type itself, not into its instances.
    pub(crate) fn type_mixins(&self, symbol: u32) -> &[(ExprId, u32)] {
        self.type_mixins.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// Values that leave the function with this scope.
    pub(crate) fn returns(&self, scope: u32) -> &[ExprId] {
        self.returns.get(&scope).map_or(&[], Vec::as_slice)
    }

    /// Imports that bring everything into a scope.
    pub(crate) fn wildcards(&self, scope: u32) -> impl Iterator<Item = u32> {
        self.wildcards.iter().filter(move |(at, _)| *at == scope).map(|&(_, import)| import)
    }

    /// The package or namespace the file says it belongs to.
    pub(crate) fn package(&self) -> &str {
        self.facts.outline.package.map_or("", |atom| self.said(atom))
    }

    /// The innermost type around a symbol, itself included; a module that has methods counts.
    pub(crate) fn type_around(&self, mut symbol: Option<u32>) -> Option<u32> {
        while let Some(at) = symbol {
            let found = self.symbol(at)?;
            let kind = found.kind;
            if kind.is_type() || (kind == SymbolKind::Module && self.has_methods(at)) {
                return Some(at);
            }
            if kind != SymbolKind::TypeAlias && found.qualifier.is_some() {
                return None;
            }
            symbol = found.parent;
        }
        None
    }

    fn has_methods(&self, at: u32) -> bool {
        self.children(Some(at)).iter().any(|&child| self.kind(child) == Some(SymbolKind::Method))
    }

    /// The folder the file is in, as text.
    pub(crate) fn folder(&self) -> String {
        String::from_utf8_lossy(self.facts.path.folder()).into_owned()
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

    /// The type parameters a symbol declares, as bindings.
    pub(crate) fn type_params(&self, symbol: u32) -> &[u32] {
        let scope = self.scope_of(symbol);
        scope.and_then(|scope| self.type_params.get(&scope)).map_or(&[], Vec::as_slice)
    }

    /// The parameters of a function's scope, in order, as bindings.
    pub(crate) fn params(&self, scope: u32) -> &[u32] {
        self.params.get(&scope).map_or(&[], Vec::as_slice)
    }

    /// What is put into a name, or into this member of the receiver, after it was declared.
    pub(crate) fn assigned(&self, name: &str) -> impl Iterator<Item = (&Assign, ExprId)> {
        let places = self.atom(name).and_then(|atom| self.assigned.get(&atom));
        let assigns = places.into_iter().flatten().filter_map(|&at| self.facts.flow.assigns.get(at as usize));
        assigns.filter_map(|assign| Some((assign, assign.value?)))
    }

    /// The lines on which a symbol calls this bare name.
    pub(crate) fn called(&self, symbol: u32, name: Atom) -> &[u32] {
        self.called.get(&(symbol, name)).map_or(&[], Vec::as_slice)
    }

    /// Places where something is put under a key of this expression.
    pub(crate) fn put_into(&self, base: ExprId) -> &[Put] {
        self.put_into.get(&base).map_or(&[], Vec::as_slice)
    }

    /// The bindings of a name in the innermost scope around that has any.
    pub(crate) fn bindings_around(&self, scope: u32, name: &str) -> &[u32] {
        self.scope_binding(scope, name).map_or(&[], |scope| self.bound(scope, name))
    }

    /// The innermost scope around that binds a name.
    pub(crate) fn scope_binding(&self, scope: u32, name: &str) -> Option<u32> {
        let mut next = Some(scope);
        while let Some(at) = next {
            let here = self.facts.flow.scopes.get(at as usize)?;
            let of_type = here.kind == orient_model::ScopeKind::Type && at != scope;
            if !of_type && !self.bound(at, name).is_empty() {
                return Some(at);
            }
            next = here.parent;
        }
        None
    }

    /// The first symbol whose name stands behind a position.
    pub(crate) fn next_symbol(&self, at: u32) -> Option<u32> {
        let symbols = self.facts.outline.symbols.iter().enumerate();
        let behind = symbols.filter(|(_, symbol)| symbol.name_span.start > at);
        behind.min_by_key(|(_, symbol)| symbol.name_span.start).map(|(at, _)| at as u32)
    }

    /// The line on which an expression is used nearest to a position.
    pub(crate) fn line_of(&self, expr: ExprId, near: u32) -> Option<u32> {
        let used = self.references().iter().filter(|reference| reference.expr == expr);
        used.min_by_key(|reference| reference.at.abs_diff(near)).map(|reference| reference.line)
    }

    /// Whether a scope is another or lies in it.
    pub(crate) fn is_within(&self, mut scope: u32, outer: u32) -> bool {
        while scope != outer {
            match self.facts.flow.scopes.get(scope as usize).and_then(|scope| scope.parent) {
                Some(parent) => scope = parent,
                None => return false,
            }
        }
        true
    }

    /// The member the language calls by itself in this case.
    pub(crate) fn implicit(&self, case: &str) -> Option<&str> {
        self.rules.implicit.iter().find(|(name, _)| name == case).map(|(_, member)| member.as_str())
    }

    /// All uses.
    pub(crate) fn references(&self) -> &[Reference] {
        &self.facts.flow.references
    }
}

/// Where values are put into names, and into members of the receiver.
fn assigned(facts: &FileFacts) -> FxHashMap<Atom, Vec<u32>> {
    let flow = &facts.flow;
    let mut assigned: FxHashMap<Atom, Vec<u32>> = FxHashMap::default();
    for (at, assign) in flow.assigns.iter().enumerate() {
        match flow.expr(assign.target) {
            Expr::Name(name) => assigned.entry(name).or_default().push(at as u32),
            Expr::Member { base, name } if flow.expr(base) == Expr::SelfRef => {
                assigned.entry(name).or_default().push(at as u32);
            }
            _ => {}
        }
    }
    assigned
}

/// Where values are put under keys: one by one, or all entries of a map at once.
fn put_into(facts: &FileFacts, rules: &Rules) -> FxHashMap<ExprId, Vec<Put>> {
    let flow = &facts.flow;
    let mut puts: FxHashMap<ExprId, Vec<Put>> = FxHashMap::default();
    for assign in &flow.assigns {
        if let (Expr::Index { base, key }, Some(value)) = (flow.expr(assign.target), assign.value) {
            let key = PutKey::Written(key);
            puts.entry(base).or_default().push(Put {
                key,
                value,
                via: assign.via,
                scope: assign.scope,
                at: assign.at,
            });
        }
    }
    for reference in flow.references.iter().filter(|reference| reference.kind == RefKind::Call) {
        if let Expr::Call { callee, args } = flow.expr(reference.expr)
            && let Expr::Member { base, name } = flow.expr(callee)
            && rules.updates.iter().any(|known| known == flow.strings.get(name))
            && let [map] = flow.list(args)
            && let Expr::Sequence { kind: orient_model::Sequence::Map, items } = flow.expr(*map)
        {
            for &item in flow.list(items) {
                if let Expr::Named { name, value } = flow.expr(item) {
                    let (scope, at, via) = (reference.scope, reference.at, orient_model::Via::Value);
                    puts.entry(base).or_default().push(Put {
                        key: PutKey::Entry(name),
                        value,
                        via,
                        scope,
                        at,
                    });
                }
            }
        }
    }
    puts
}

/// The lines on which symbols call bare names.
fn called(facts: &FileFacts) -> FxHashMap<(u32, Atom), Vec<u32>> {
    let flow = &facts.flow;
    let mut called: FxHashMap<(u32, Atom), Vec<u32>> = FxHashMap::default();
    for reference in flow.references.iter().filter(|reference| reference.kind == RefKind::Call) {
        if let Some(symbol) = reference.symbol
            && let Expr::Call { callee, .. } = flow.expr(reference.expr)
            && let Expr::Name(name) = flow.expr(callee)
        {
            called.entry((symbol, name)).or_default().push(reference.line);
        }
    }
    called
}

type Bases = FxHashMap<u32, Vec<(ExprId, u32, Relation)>>;
type TypeMixins = FxHashMap<u32, Vec<(ExprId, u32)>>;

/// What each type inherits from, and what is mixed into it as a value. The header says how; the use says where to look.
fn bases(facts: &FileFacts, rules: &Rules) -> (Bases, TypeMixins) {
    let (mut bases, mut mixins) = (Bases::default(), TypeMixins::default());
    let flow = &facts.flow;
    for reference in &flow.references {
        let Some(symbol) = reference.symbol else { continue };
        if reference.kind == RefKind::Call
            && !rules.mixes_into_type.is_empty()
            && let Expr::Call { callee, args } = flow.expr(reference.expr)
            && let Expr::Name(name) = flow.expr(callee)
            && rules.mixes_into_type.iter().any(|known| known == flow.strings.get(name))
        {
            mixins
                .entry(symbol)
                .or_default()
                .extend(flow.list(args).iter().map(|&arg| (arg, reference.scope)));
        }
        if reference.kind != RefKind::Inherit
            || mixins.get(&symbol).is_some_and(|list| list.iter().any(|(expr, _)| *expr == reference.expr))
        {
            continue;
        }
        let list = bases.entry(symbol).or_default();
        let written = facts.outline.symbols.get(symbol as usize).map_or(&[][..], |s| &s.bases);
        let name = last_name(facts, reference.expr);
        let said = written.iter().find(|base| Some(facts.outline.strings.get(base.name)) == name);
        let relation = said.or(written.get(list.len())).map_or(Relation::Extends, |base| base.relation);
        list.push((reference.expr, reference.scope, relation));
    }
    (bases, mixins)
}

/// The first name of a chain of members and items.
pub(crate) fn first_name(unit: &Unit, mut expr: ExprId) -> Option<&str> {
    loop {
        match unit.expr(expr) {
            Expr::Name(name) => return Some(unit.text(name)),
            Expr::Member { base, .. } | Expr::Index { base, .. } => expr = base,
            _ => return None,
        }
    }
}

/// The last name of a chain.
pub(crate) fn last_name(facts: &FileFacts, mut expr: ExprId) -> Option<&str> {
    loop {
        match facts.flow.expr(expr) {
            Expr::Name(name) | Expr::Member { name, .. } | Expr::Text(name) => {
                return Some(facts.flow.strings.get(name));
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
/// The name of a symbol from the outermost namespace on, with dots.
pub(crate) fn spell(outline: &Outline, at: u32) -> String {
    let mut full = plain(outline.package.map_or("", |atom| outline.strings.get(atom)));
    for name in outline.qualified(at) {
        if !full.is_empty() {
            full.push('.');
        }
        full.push_str(&plain(name));
    }
    full
}
