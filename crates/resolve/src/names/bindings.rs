//! Bindings: what a scope binds a name to, and which of several bindings counts at a place.

use crate::calls::overloads::bounded_overloads;
use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::Ty;
use orient_model::{Atom, Binding, BindingKind, Modifier, Modules, Rule, ScopeKind, SymbolKind};

/// What a lookup is for. A field or parameter does not hide a type of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LookupKind {
    /// Anything.
    Anything,
    /// A type.
    Type,
    /// A value.
    Value,
    /// A function, or a type that is constructed.
    Function,
}

fn fits_type(unit: &FileRef, kind: SymbolKind) -> bool {
    let types_apart = unit.rules.type_namespace;
    if types_apart { is_type_kind(kind) } else { can_be_type(kind) }
}

/// Whether this kind belongs to the namespace of types.
fn is_type_kind(kind: SymbolKind) -> bool {
    kind.is_type() || matches!(kind, SymbolKind::TypeAlias | SymbolKind::Module | SymbolKind::EnumMember)
}

fn is_only_type(unit: &FileRef, binding: u32) -> bool {
    match unit.binding(binding).map(|binding| binding.kind) {
        Some(BindingKind::Symbol(symbol)) => {
            matches!(unit.kind(symbol), Some(SymbolKind::Interface | SymbolKind::TypeAlias))
        }
        _ => false,
    }
}

/// Whether a name of this kind can denote a type.
pub(crate) fn can_be_type(kind: SymbolKind) -> bool {
    !matches!(
        kind,
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Method | SymbolKind::Event | SymbolKind::Test
    )
}

/// Whether a name of this kind can be called, whatever its value.
pub(crate) fn can_be_called(kind: SymbolKind) -> bool {
    kind.is_type() || (kind.is_callable() && kind != SymbolKind::Property)
}

impl Session<'_> {
    /// Everything a name may mean at a place; the innermost scope that binds it decides.
    pub(crate) fn lookup(&self, site: &Site, name: &str) -> Vec<Target> {
        self.lookup_as(site, name, LookupKind::Anything)
    }

    /// Everything a name may mean, for a lookup of this kind.
    pub(crate) fn lookup_as(&self, site: &Site, name: &str, lookup_kind: LookupKind) -> Vec<Target> {
        self.nested(|| self.walk_scopes(site, name, lookup_kind, &|_| true)).unwrap_or_default()
    }

    /// What a name means if only some targets may be meant: the innermost scope decides that has one of them.
    pub(crate) fn lookup_accepted(
        &self,
        site: &Site,
        name: &str,
        accepts: &dyn Fn(&[Target]) -> bool,
    ) -> Vec<Target> {
        self.nested(|| self.walk_scopes(site, name, LookupKind::Anything, accepts)).unwrap_or_default()
    }

    /// What a scope itself binds a name to, as far as it is visible from the place.
    pub(super) fn bindings_in_scope(
        &self,
        site: &Site,
        scope: u32,
        name: Atom,
        left_function: bool,
        lookup_kind: LookupKind,
    ) -> Vec<Target> {
        let unit = &site.unit;
        let all = unit.bound_as(scope, name);
        if all.is_empty() {
            return Vec::new();
        }
        let kind = unit.scope(scope).map(|scope| scope.kind);
        let hidden = kind == Some(ScopeKind::Type) && !unit.rules.implicit_receiver && left_function;
        let counts = |binding: &Binding| match binding.kind {
            BindingKind::TypeParam => true,
            BindingKind::Symbol(symbol) => {
                !hidden
                    && !Self::is_scoped_member(unit, symbol)
                    && unit.symbol(symbol).is_some_and(|s| s.qualifier.is_none() || s.kind.is_type())
                    && !matches!(
                        unit.kind(symbol),
                        // The name of a test is a title: `TEST(Cart, add) { add(1); }` calls another `add`.
                        Some(SymbolKind::Constructor | SymbolKind::Rule | SymbolKind::Test)
                    )
                    && match lookup_kind {
                        LookupKind::Function => unit.kind(symbol).is_some_and(can_be_called),
                        LookupKind::Type => unit.kind(symbol).is_some_and(|kind| fits_type(unit, kind)),
                        _ => true,
                    }
                    && Session::is_on_visible_side(site, kind, symbol)
            }
            BindingKind::Param | BindingKind::Receiver if lookup_kind == LookupKind::Type => false,
            BindingKind::Param | BindingKind::Receiver | BindingKind::Local
                if lookup_kind == LookupKind::Function =>
            {
                false
            }
            BindingKind::Local
                if lookup_kind == LookupKind::Type
                    && (unit.rules.type_namespace || !unit.rules.value_flow_typing) =>
            {
                false
            }
            _ => !hidden,
        };
        if let &[only] = all {
            let binding = unit.binding(only).filter(|&binding| counts(binding));
            let is_outer = binding.is_none_or(|binding| binding.kind == BindingKind::Outer);
            let is_bound_later = || Self::is_bound_later(site, scope, only, left_function);
            return if is_outer || is_bound_later() { Vec::new() } else { self.binding(unit, only) };
        }
        let bindings: Vec<u32> =
            all.iter().copied().filter(|&at| unit.binding(at).is_some_and(counts)).collect();
        if bindings.iter().any(|&at| unit.binding(at).is_some_and(|b| b.kind == BindingKind::Outer)) {
            return Vec::new();
        }
        let mut chosen = Vec::new();
        let mut bindings = bindings;
        let is_method = |at: u32| matches!(unit.kind(at), Some(SymbolKind::Method | SymbolKind::Operator));
        if kind == Some(ScopeKind::Type) && bindings.len() > 1 && site.symbol().is_some_and(is_method) {
            // In a method, a field hides the parameter of the primary constructor that it is declared by.
            let is_param =
                |at: &u32| unit.binding(*at).is_some_and(|binding| binding.kind == BindingKind::Param);
            if !bindings.iter().all(is_param) {
                bindings.retain(|at| !is_param(at));
            }
        }
        if kind == Some(ScopeKind::Type) && bindings.len() > 1 {
            // The value of a field does not mean the field: `val store by store` means the parameter.
            bindings.retain(|&at| unit.binding(at).is_none_or(|binding| binding.at != site.at));
        }
        if unit.rules.type_namespace && bindings.len() > 1 {
            // A pure type does not hide a value of the same name, nor the other way round.
            let (types, others) = bindings.into_iter().partition(|&at| is_only_type(unit, at));
            (chosen, bindings) = (types, others);
        }
        chosen.extend(Self::effective_bindings(site, scope, &bindings, left_function));
        if !declares_overloads(unit) {
            return chosen.into_iter().flat_map(|at| self.binding(unit, at)).collect();
        }
        let (chosen, most) = bounded_overloads(&chosen);
        let found = chosen.iter().flat_map(|&at| self.binding(unit, at));
        self.prefer_definitions(found.map(|one| one.at_most(most)).collect())
    }

    /// Keeps the targets of the wanted kind; all of them if there are none.
    pub(crate) fn filter_kind(&self, mut found: Vec<Target>, lookup_kind: LookupKind) -> Vec<Target> {
        if found.len() < 2 || lookup_kind == LookupKind::Anything {
            return found;
        }
        let fits = |one: &Target| match (&one.referent, lookup_kind) {
            (Referent::Symbol(sym, _), LookupKind::Type) => self.is_type(*sym),
            (Referent::Symbol(sym, _), _) => {
                !matches!(self.kind(*sym), Some(SymbolKind::Interface | SymbolKind::TypeAlias))
            }
            (Referent::Value(Ty::Param(..)), lookup_kind) => lookup_kind == LookupKind::Type,
            (Referent::Value(_), lookup_kind) => lookup_kind != LookupKind::Type,
            (Referent::External(..), _) => true,
        };
        if found.iter().any(fits) {
            found.retain(fits);
        }
        if lookup_kind == LookupKind::Type && found.len() > 1 {
            let merged = |one: &Target| one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym)));
            let (Some((unit, first)), true) =
                (merged(&found[0]), found.iter().all(|one| one.sym().is_some()))
            else {
                return found;
            };
            if unit.rules.declaration_merging
                && found.iter().filter_map(Target::sym).all(|sym| sym.file == first.file)
            {
                // Merged declarations: each has the members of all.
                let class =
                    |one: &Target| one.sym().and_then(|sym| self.kind(sym)) == Some(SymbolKind::Class);
                let at = found.iter().position(class).unwrap_or(0);
                return vec![found.swap_remove(at)];
            }
        }
        found
    }

    /// Which of several bindings of one name in one scope are in effect at the place.
    fn effective_bindings(site: &Site, scope: u32, bindings: &[u32], left_function: bool) -> Vec<u32> {
        let unit = &site.unit;
        let is_function = |at: &u32| match unit.binding(*at).map(|b| b.kind) {
            Some(BindingKind::Symbol(symbol)) => unit.kind(symbol).is_some_and(SymbolKind::is_callable),
            _ => false,
        };
        if bindings.len() < 2 {
            let late = |at: &u32| Self::is_bound_later(site, scope, *at, left_function);
            return bindings.iter().copied().filter(|at| !late(at)).collect();
        }
        if bindings.iter().all(is_function) {
            return Self::overload_bindings(unit, bindings);
        }
        let bindings: Vec<u32> =
            bindings.iter().copied().filter(|&at| !Self::is_inside_value(site, at)).collect();
        let before = bindings.iter().rfind(|&&at| unit.binding(at).is_some_and(|b| b.at <= site.at));
        match before {
            Some(&last) if !left_function => vec![last],
            _ => bindings,
        }
    }

    /// Whether the place is in the value of a local variable that is visible only after it.
    fn is_inside_value(site: &Site, binding: u32) -> bool {
        site.unit.binding(binding).is_some_and(|b| b.at <= site.at && site.at < b.visible_from)
    }

    /// Whether a local variable is bound only after the place.
    fn is_bound_later(site: &Site, scope: u32, binding: u32, left_function: bool) -> bool {
        if Self::is_inside_value(site, binding) {
            return true;
        }
        let comes_later = |binding: &Binding| binding.kind == BindingKind::Local && binding.at > site.at;
        !left_function
            && !site.unit.rules.hoists
            && scope != 0
            && site.unit.binding(binding).is_some_and(comes_later)
    }

    /// Of functions with one name, all if they are overloads or alternatives of conditional compilation, else the last;
    /// signatures only if there is no body.
    fn overload_bindings(unit: &FileRef, bindings: &[u32]) -> Vec<u32> {
        let declared = |at: &u32| match unit.binding(*at).map(|b| b.kind) {
            Some(BindingKind::Symbol(symbol)) => unit.is(symbol, Modifier::Declaration),
            _ => false,
        };
        let whole: Vec<u32> = bindings.iter().copied().filter(|at| !declared(at)).collect();
        let list = if whole.is_empty() || declares_overloads(unit) { bindings.to_vec() } else { whole };
        if unit.rules.overloads || matches!(unit.rules.modules, Modules::Tree | Modules::Include) {
            list
        } else {
            list.last().copied().into_iter().collect()
        }
    }

    /// What a binding refers to.
    pub(crate) fn binding(&self, unit: &FileRef, at: u32) -> Vec<Target> {
        let Some(binding) = unit.binding(at) else { return Vec::new() };
        match binding.kind {
            BindingKind::Symbol(symbol) => vec![Target::symbol(unit.sym(symbol), Rule::Scope)],
            BindingKind::Import(import) => self.import(unit, import),
            BindingKind::TypeParam => vec![Target::value(Ty::Param(unit.file, at), Rule::Scope)],
            BindingKind::Outer => Vec::new(),
            BindingKind::Param | BindingKind::Receiver | BindingKind::Local => {
                let val = self.bound_value(unit, at);
                let found = Target::value(val.ty.clone(), val.rule).at_most(val.confidence);
                vec![found]
            }
        }
    }
}

/// Whether a declaration beside a definition of its name may declare another overload, which is defined elsewhere.
pub(crate) fn declares_overloads(unit: &FileRef) -> bool {
    unit.rules.overloads && unit.rules.modules == Modules::Include
}
