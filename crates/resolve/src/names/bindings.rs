//! What a bare name means where it stands: scopes from the inside out, then what the file shares with others.

use crate::file::file_unit::{Held, Unit};
use crate::session::{Frame, Question, Session};
use crate::types::ty::{Found, Sym, Thing, Ty, Val};
use orient_model::{
    Atom, Binding, BindingKind, Confidence, Modifier, Modules, Rule, ScopeKind, SymbolKind, Via,
};

/// What a name is looked up as: a type is not hidden by a field or a parameter of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Want {
    /// Whatever it is.
    Anything,
    /// A type.
    Type,
    /// A value.
    Value,
    /// A function, or a type that is made.
    Function,
}

fn fits_type(unit: &Unit, kind: SymbolKind) -> bool {
    let types_apart = unit.rules.type_space;
    if types_apart { is_type_kind(kind) } else { can_be_type(kind) }
}

/// Whether this is a type where types have names of their own.
fn is_type_kind(kind: SymbolKind) -> bool {
    kind.is_type() || matches!(kind, SymbolKind::TypeAlias | SymbolKind::Module | SymbolKind::EnumMember)
}

fn is_only_type(unit: &Unit, binding: u32) -> bool {
    match unit.binding(binding).map(|binding| binding.kind) {
        Some(BindingKind::Symbol(symbol)) => {
            matches!(unit.kind(symbol), Some(SymbolKind::Interface | SymbolKind::TypeAlias))
        }
        _ => false,
    }
}

/// Whether a name of this kind can stand for a type.
pub(crate) fn can_be_type(kind: SymbolKind) -> bool {
    !matches!(
        kind,
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Method | SymbolKind::Event | SymbolKind::Test
    )
}

/// Whether a name of this kind can be called whatever its value.
pub(crate) fn can_be_called(kind: SymbolKind) -> bool {
    kind.is_type() || (kind.is_callable() && kind != SymbolKind::Property)
}

impl Session<'_> {
    /// Everything a name may mean here; the innermost scope that binds it decides.
    pub(crate) fn lookup(&self, frame: &Frame, name: &str) -> Vec<Found> {
        self.lookup_as(frame, name, Want::Anything)
    }

    /// Everything a name may mean where this is wanted.
    pub(crate) fn lookup_as(&self, frame: &Frame, name: &str, want: Want) -> Vec<Found> {
        self.nested(|| self.look(frame, name, want)).unwrap_or_default()
    }

    /// What a scope itself binds a name to, as far as it counts here.
    pub(crate) fn bound_here(
        &self,
        frame: &Frame,
        scope: u32,
        name: Atom,
        left_function: bool,
        want: Want,
    ) -> Vec<Found> {
        let unit = &frame.unit;
        let all = unit.bound_as(scope, name);
        if all.is_empty() {
            return Vec::new();
        }
        let kind = unit.facts.flow.scopes.get(scope as usize).map(|scope| scope.kind);
        let hidden = kind == Some(ScopeKind::Type) && !unit.rules.bare_members && left_function;
        let counts = |binding: &Binding| match binding.kind {
            BindingKind::TypeParam => true,
            BindingKind::Symbol(symbol) => {
                !hidden
                    && !self.is_scoped_member(unit, symbol)
                    && unit.symbol(symbol).is_some_and(|s| s.qualifier.is_none() || s.kind.is_type())
                    && unit.kind(symbol) != Some(SymbolKind::Constructor)
                    && match want {
                        Want::Function => unit.kind(symbol).is_some_and(can_be_called),
                        Want::Type => unit.kind(symbol).is_some_and(|kind| fits_type(unit, kind)),
                        _ => true,
                    }
                    && Session::on_this_side(frame, kind, symbol)
            }
            BindingKind::Param | BindingKind::Receiver if want == Want::Type => false,
            BindingKind::Param | BindingKind::Receiver | BindingKind::Local if want == Want::Function => {
                false
            }
            BindingKind::Local if want == Want::Type && (unit.rules.type_space || !unit.rules.dynamic) => {
                false
            }
            _ => !hidden,
        };
        if let &[only] = all {
            let binding = unit.binding(only).filter(|&binding| counts(binding));
            let is_outer = binding.is_none_or(|binding| binding.kind == BindingKind::Outer);
            let is_late = || Self::is_late(frame, scope, only, left_function);
            return if is_outer || is_late() { Vec::new() } else { self.binding(unit, only) };
        }
        let bindings: Vec<u32> =
            all.iter().copied().filter(|&at| unit.binding(at).is_some_and(counts)).collect();
        if bindings.iter().any(|&at| unit.binding(at).is_some_and(|b| b.kind == BindingKind::Outer)) {
            return Vec::new();
        }
        let mut chosen = Vec::new();
        let mut bindings = bindings;
        if unit.rules.type_space && bindings.len() > 1 {
            // What is only a type hides no value of its name, and is hidden by none.
            let (types, others) = bindings.into_iter().partition(|&at| is_only_type(unit, at));
            (chosen, bindings) = (types, others);
        }
        chosen.extend(Self::choose(frame, scope, &bindings, left_function));
        chosen.into_iter().flat_map(|at| self.binding(unit, at)).collect()
    }

    /// Of what one name means, what is meant where this is wanted; all of it where nothing fits.
    pub(crate) fn only(&self, mut found: Vec<Found>, want: Want) -> Vec<Found> {
        if found.len() < 2 || want == Want::Anything {
            return found;
        }
        let fits = |one: &Found| match (&one.thing, want) {
            (Thing::Symbol(sym, _), Want::Type) => self.is_type(*sym),
            (Thing::Symbol(sym, _), _) => {
                !matches!(self.kind(*sym), Some(SymbolKind::Interface | SymbolKind::TypeAlias))
            }
            (Thing::Value(Ty::Param(..)), want) => want == Want::Type,
            (Thing::Value(_), want) => want != Want::Type,
            (Thing::Outside(..), _) => true,
        };
        if found.iter().any(fits) {
            found.retain(fits);
        }
        if want == Want::Type && found.len() > 1 {
            let merged = |one: &Found| one.sym().and_then(|sym| Some((self.home(sym)?, sym)));
            let (Some((unit, first)), true) =
                (merged(&found[0]), found.iter().all(|one| one.sym().is_some()))
            else {
                return found;
            };
            if unit.rules.merges && found.iter().filter_map(Found::sym).all(|sym| sym.file == first.file) {
                // Declarations that are one type: each knows the members of all.
                let class = |one: &Found| one.sym().and_then(|sym| self.kind(sym)) == Some(SymbolKind::Class);
                let at = found.iter().position(class).unwrap_or(0);
                return vec![found.swap_remove(at)];
            }
        }
        found
    }

    /// Which of several bindings of one name and scope count here.
    fn choose(frame: &Frame, scope: u32, bindings: &[u32], left_function: bool) -> Vec<u32> {
        let unit = &frame.unit;
        let is_function = |at: &u32| match unit.binding(*at).map(|b| b.kind) {
            Some(BindingKind::Symbol(symbol)) => unit.kind(symbol).is_some_and(SymbolKind::is_callable),
            _ => false,
        };
        if bindings.len() < 2 {
            let late = |at: &u32| Self::is_late(frame, scope, *at, left_function);
            return bindings.iter().copied().filter(|at| !late(at)).collect();
        }
        if bindings.iter().all(is_function) {
            return Self::overloads_of(unit, bindings);
        }
        let before = bindings.iter().rfind(|&&at| unit.binding(at).is_some_and(|b| b.at <= frame.at));
        match before {
            Some(&last) if !left_function => vec![last],
            _ => bindings.to_vec(),
        }
    }

    /// Whether the only binding of a name comes too late for a use.
    fn is_late(frame: &Frame, scope: u32, binding: u32, left_function: bool) -> bool {
        let comes_later = |binding: &Binding| binding.kind == BindingKind::Local && binding.at > frame.at;
        !left_function
            && !frame.unit.rules.hoists
            && scope != 0
            && frame.unit.binding(binding).is_some_and(comes_later)
    }

    /// Of functions with one name: all where they are overloads or for different builds, else the last; never a
    /// signature beside its body.
    fn overloads_of(unit: &Held, bindings: &[u32]) -> Vec<u32> {
        let declared = |at: &u32| match unit.binding(*at).map(|b| b.kind) {
            Some(BindingKind::Symbol(symbol)) => unit.is(symbol, Modifier::Declaration),
            _ => false,
        };
        let whole: Vec<u32> = bindings.iter().copied().filter(|at| !declared(at)).collect();
        let list = if whole.is_empty() { bindings.to_vec() } else { whole };
        if unit.rules.overloads || matches!(unit.rules.modules, Modules::Tree | Modules::Include) {
            list
        } else {
            list.last().copied().into_iter().collect()
        }
    }

    /// What a binding means.
    pub(crate) fn binding(&self, unit: &Held, at: u32) -> Vec<Found> {
        let Some(binding) = unit.binding(at) else { return Vec::new() };
        match binding.kind {
            BindingKind::Symbol(symbol) => vec![Found::symbol(unit.sym(symbol), Rule::Scope)],
            BindingKind::Import(import) => self.import(unit, import),
            BindingKind::TypeParam => vec![Found::value(Ty::Param(unit.file, at), Rule::Scope)],
            BindingKind::Outer => Vec::new(),
            BindingKind::Param | BindingKind::Receiver | BindingKind::Local => {
                let val = self.bound_value(unit, at);
                let found = Found::value(val.ty.clone(), val.rule).at_most(val.sure);
                vec![found]
            }
        }
    }

    /// The value of a parameter or local.
    pub(crate) fn bound_value(&self, unit: &Held, at: u32) -> Val {
        let key = (unit.file, at);
        if let Some(known) = self.bound.borrow().get(&key) {
            return known.clone();
        }
        let val = self.once(Question::Binding(unit.file, at), || {
            let Some(binding) = unit.binding(at) else { return Val::unknown() };
            if binding.kind == BindingKind::Receiver && binding.ty.is_none() {
                return self.receiver(unit, binding);
            }
            self.value_of_binding(unit, binding)
        });
        let Some(val) = val else { return Val::unknown() };
        if self.is_top() || val.ty.is_known() {
            self.bound.borrow_mut().insert(key, val.clone());
        }
        val
    }

    /// The value a binding gets: by its declared type, else from what it is made of.
    pub(crate) fn value_of_binding(&self, unit: &Held, binding: &Binding) -> Val {
        let frame = Frame { unit: unit.clone(), scope: unit.scope_at(binding.at), at: binding.at };
        if let Some(ty) = binding.ty {
            let declared = self.ty(&frame, ty);
            let declared = match (binding.via, binding.value) {
                (Via::Item(_) | Via::Member(_), None) => {
                    self.via(&frame, &Val::new(declared, Rule::Declared), binding.via)
                }
                _ => Val::new(declared, Rule::Declared),
            };
            if declared.ty.is_known() {
                return declared;
            }
        }
        let taken = self
            .taken
            .get(&binding.at)
            .filter(|_| unit.file == self.file && binding.kind == BindingKind::Param && binding.ty.is_none());
        if let Some(taken) = taken {
            let default = binding.value.map_or(Ty::Unknown, |value| self.eval(&frame, value).ty);
            let ty = Ty::either([default, taken.clone()]);
            return Val { ty, rule: Rule::Inferred, sure: Confidence::Probable };
        }
        let Some(value) = binding.value else {
            if binding.kind == BindingKind::Param && binding.ty.is_none() {
                return self.given(unit, binding);
            }
            return self.assigned(unit, binding);
        };
        let value = match self.payload(&frame, binding) {
            Some(payload) => payload,
            None => self.via(&frame, &self.eval(&frame, value), binding.via),
        };
        let value = self.reassigned(unit, binding, value);
        Val { rule: if value.rule == Rule::Static { Rule::Static } else { Rule::Inferred }, ..value }
    }

    /// A name that is put something else into later may hold either.
    fn reassigned(&self, unit: &Held, binding: &Binding, first: Val) -> Val {
        let varies = match binding.kind {
            BindingKind::Local => true,
            BindingKind::Symbol(symbol) => unit.kind(symbol) == Some(SymbolKind::Variable),
            _ => false,
        };
        let follows =
            unit.rules.type_space || unit.rules.dynamic && matches!(binding.kind, BindingKind::Symbol(_));
        if !varies || !follows {
            return first;
        }
        let mut types = vec![first.ty.clone()];
        let mut again = false;
        for (assign, value) in unit.assigned(unit.text(binding.name)) {
            let is_name = matches!(unit.expr(assign.target), orient_model::Expr::Name(_));
            if is_name && unit.is_within(assign.scope, binding.scope) {
                let frame = Frame { unit: unit.clone(), scope: assign.scope, at: assign.at };
                let value = self.eval(&frame, value);
                types.push(self.via(&frame, &value, assign.via).ty);
                again = true;
            }
        }
        let ty = Ty::either(types);
        let unsure = again && (unit.rules.type_space || ty != first.ty);
        let sure = if unsure { first.sure.max(Confidence::Probable) } else { first.sure };
        Val { ty, sure, ..first }
    }

    /// What is put into a name later, where it is declared without a value.
    fn assigned(&self, unit: &Held, binding: &Binding) -> Val {
        if binding.kind != BindingKind::Local {
            return Val::unknown();
        }
        let mut types = Vec::new();
        for (assign, value) in unit.assigned(unit.text(binding.name)) {
            let frame = Frame { unit: unit.clone(), scope: assign.scope, at: assign.at };
            let value = self.eval(&frame, value);
            types.push(self.via(&frame, &value, assign.via).ty);
        }
        Val { ty: Ty::either(types), rule: Rule::Inferred, sure: Confidence::Probable }
    }

    /// The receiver inside a method.
    fn receiver(&self, unit: &Held, binding: &Binding) -> Val {
        let symbol = unit.facts.flow.scopes.get(binding.scope as usize).and_then(|scope| scope.symbol);
        let Some(of) = self.self_type(unit, symbol) else { return Val::unknown() };
        let class = symbol.is_some_and(|symbol| unit.is(symbol, Modifier::Static));
        match (class, of) {
            (true, Ty::Of(sym, args)) => Val::new(Ty::Type(sym, args), Rule::Receiver),
            (_, of) => Val::new(of, Rule::Receiver),
        }
    }

    /// The type around a symbol, as its receiver sees it.
    pub(crate) fn self_type(&self, unit: &Held, symbol: Option<u32>) -> Option<Ty> {
        let mut next = symbol;
        while let Some(at) = next {
            let found = unit.symbol(at)?;
            if unit.type_around(Some(at)) == Some(at) {
                return Some(self.own_type(unit.sym(at)));
            }
            // A method of an object that is written out: the object that holds it.
            if unit.rules.type_space
                && matches!(found.kind, SymbolKind::Method | SymbolKind::Property)
                && let Some(holder) = found.parent.filter(|_| found.qualifier.is_none())
                && matches!(unit.kind(holder), Some(SymbolKind::Variable | SymbolKind::Constant))
            {
                return Some(Ty::of(unit.sym(holder)));
            }
            if found.qualifier.is_some()
                && let Some(ty) = self.qualifier_type(unit, at)
            {
                return Some(ty);
            }
            next = found.parent;
        }
        None
    }

    /// A type as it sees itself: with its own parameters as arguments; a block of members as the type it is for.
    pub(crate) fn own_type(&self, sym: Sym) -> Ty {
        let Some(unit) = self.home(sym) else { return Ty::Unknown };
        if unit.kind(sym.at) == Some(SymbolKind::Impl) {
            return self.impl_target(&unit, sym.at);
        }
        let args: Vec<Ty> = unit.type_params(sym.at).iter().map(|&at| Ty::Param(sym.file, at)).collect();
        Ty::Of(self.canonical(sym), args.into())
    }

    /// The type a symbol names as its container: `Foo` of `void Foo::bar()`.
    pub(crate) fn qualifier_type(&self, unit: &Held, symbol: u32) -> Option<Ty> {
        let qualifier = unit.qualifier(symbol)?;
        let scope = unit.symbol(symbol)?.parent.and_then(|parent| unit.scope_of(parent)).unwrap_or(0);
        let frame = Frame { unit: unit.clone(), scope, at: u32::MAX };
        let found = self.dotted_name(&frame, qualifier);
        found.iter().find_map(|found| match found.sym() {
            Some(sym) if self.is_type(sym) => Some(self.own_type(sym)),
            // A function that makes objects, and an object that gets its members one by one.
            Some(sym) if unit.rules.type_space => match self.kind(sym)? {
                SymbolKind::Function => Some(Ty::Function(sym, None)),
                SymbolKind::Variable | SymbolKind::Constant => Some(Ty::of(sym)),
                _ => None,
            },
            _ => None,
        })
    }

    /// The kind of a symbol.
    pub(crate) fn kind(&self, sym: Sym) -> Option<SymbolKind> {
        self.home(sym)?.kind(sym.at)
    }

    /// Whether a symbol only declares what stands elsewhere.
    pub(crate) fn declares(&self, sym: Sym) -> bool {
        self.home(sym).is_some_and(|unit| unit.is(sym.at, Modifier::Declaration))
    }

    /// Whether a symbol is a type or can have members as one.
    pub(crate) fn is_type(&self, sym: Sym) -> bool {
        self.home(sym).and_then(|unit| unit.kind(sym.at)).is_some_and(|kind| {
            kind.is_type()
                || matches!(kind, SymbolKind::TypeAlias | SymbolKind::Module | SymbolKind::Delegate)
        })
    }
}
