//! Receivers: whose members a bare name can be, and on which side of a type a member stands, its own or its instances'.

use crate::file::file_unit::{Held, Unit};
use crate::session::{Frame, Question, Session};
use crate::types::ty::{Found, Sym, Thing, Ty, Val};
use orient_model::{Confidence, Expr, Modifier, Rule, ScopeKind, SymbolKind};

/// What a module offers to the types it is mixed into, by the convention of those who mix them.
const FOR_TYPES: &str = "ClassMethods";

/// So many members of a name are looked at to find those of heirs.
const HEIRS: usize = 64;

/// Which members are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Those of the type itself.
    Type,
    /// Those of its instances.
    Instance,
    /// Either.
    Both,
}

/// Whether this kind stands on one side of a type.
fn has_side(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field | SymbolKind::Constructor)
}

impl Session<'_> {
    /// Members of the type a scope belongs to, by their bare name.
    pub(crate) fn bare_members(&self, frame: &Frame, at: u32, symbol: u32, name: &str) -> Vec<Found> {
        let unit = &frame.unit;
        let kind = unit.facts.flow.scopes.get(at as usize).map(|scope| scope.kind);
        let val = if kind == Some(ScopeKind::Type) {
            let sym = self.canonical(unit.sym(symbol));
            if self.is_busy(Question::Bases(sym)) {
                // What it inherits from is being found: that cannot come from there.
                let members = self.members(sym);
                let own = members.get(name).map_or(&[][..], Vec::as_slice);
                return self.seen_members(own, &Ty::of(sym), Rule::Receiver);
            }
            match Self::side(frame, symbol) {
                Some(Side::Type) => Val::new(Ty::Type(sym, Ty::none()), Rule::Receiver),
                Some(_) => Val::new(Ty::of(sym), Rule::Receiver),
                // A type around the one that is meant: what it names is seen, what it does is not.
                None => return self.named_in(sym, name),
            }
        } else if let Some(val) = self.entered(unit, at) {
            val
        } else {
            match self.qualifier_type(unit, symbol) {
                Some(ty) => Val::new(ty, Rule::Receiver),
                None => return Vec::new(),
            }
        };
        let mut found = self.in_sight(frame, self.member(&val, name, unit));
        found.retain(|one| one.sym().is_none_or(|sym| self.kind(sym) != Some(SymbolKind::Constructor)));
        if found.is_empty() {
            found = self.perhaps_inherited(&val.ty, name);
        }
        if found.iter().all(|one| matches!(one.thing, Thing::Outside(..))) {
            // Nobody named the receiver: the name may as well mean something around it.
            found = found.into_iter().map(|one| one.at_most(Confidence::Approximate)).collect();
            if unit.rules.companions && kind == Some(ScopeKind::Type) {
                let companions = self.of_companions(&Ty::of(unit.sym(symbol)), name, false);
                return self.unless_inherited(found, companions);
            }
        }
        found
    }

    /// Members that a receiver's own type lacks and types that inherit from it have: one of them is meant.
    pub(crate) fn of_heirs(&self, sym: Sym, name: &str, from: &Held) -> Vec<Found> {
        let bearers = self.members_named(&from.rules.family, name);
        let mut found = Vec::new();
        for bearer in bearers.iter().filter(|bearer| has_side(bearer.kind)).take(HEIRS) {
            let Some(home) = self.home(bearer.sym) else { continue };
            let Some(heir) = home.symbol(bearer.sym.at).and_then(|symbol| symbol.parent) else { continue };
            let is_type = home.kind(heir).is_some_and(SymbolKind::is_type);
            let heir = Ty::of(home.sym(heir));
            let inherits = |ty: &Ty| matches!(ty, Ty::Of(base, _) if *base == sym);
            if is_type && self.line(&heir).iter().skip(1).any(inherits) {
                let thing = Thing::Symbol(bearer.sym, Some(heir.into()));
                found.push(Found { thing, rule: Rule::Implementation, sure: Confidence::Probable, far: 0 });
            }
        }
        found
    }

    /// Types and constants of a type, by name.
    fn named_in(&self, sym: Sym, name: &str) -> Vec<Found> {
        let mut found = self.type_member(&Ty::of(sym), name, 0, Rule::Static);
        found.retain(|one| one.sym().and_then(|sym| self.kind(sym)).is_some_and(|kind| !has_side(kind)));
        found
    }

    /// Members of the objects that stand for a type and those it inherits from; `own`: for the type alone, as it is when
    /// it is named.
    pub(crate) fn of_companions(&self, ty: &Ty, name: &str, own: bool) -> Vec<Found> {
        let Ty::Of(sym, _) = ty else { return Vec::new() };
        if !self.home(*sym).is_some_and(|home| home.rules.companions) {
            return Vec::new();
        }
        let most = if own { 1 } else { usize::MAX };
        for of in self.line(ty).iter().take(most) {
            let Ty::Of(sym, _) = of else { continue };
            let Some(unit) = self.home(*sym) else { continue };
            for &child in unit.children(Some(sym.at)) {
                if unit.kind(child) == Some(SymbolKind::Object) && unit.is(child, Modifier::Static) {
                    let found = self.type_member(&Ty::of(unit.sym(child)), name, 0, Rule::Static);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        }
        Vec::new()
    }

    /// The side of a type a frame inside it looks from; none where another type stands between.
    fn side(frame: &Frame, of: u32) -> Option<Side> {
        let unit = &frame.unit;
        if !unit.rules.split_members {
            return Some(Side::Both);
        }
        let mut next = frame.symbol();
        let mut child = None;
        while let Some(at) = next.filter(|&at| at != of) {
            if unit.kind(at).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module) {
                return None;
            }
            child = Some(at);
            next = unit.symbol(at)?.parent;
        }
        Some(match child {
            Some(child) if unit.is(child, Modifier::Static) => Side::Type,
            Some(_) => Side::Instance,
            None if Self::in_function(unit, frame.scope, of) => Side::Both,
            None => Side::Type,
        })
    }

    /// Whether a scope lies in a function that stands directly in a type: who runs it decides what it sees.
    fn in_function(unit: &Unit, scope: u32, of: u32) -> bool {
        let mut next = Some(scope);
        while let Some(scope) = next.and_then(|at| unit.facts.flow.scopes.get(at as usize)) {
            if scope.kind == ScopeKind::Type && scope.symbol == Some(of) {
                return false;
            }
            if scope.kind == ScopeKind::Function {
                return true;
            }
            next = scope.parent;
        }
        false
    }

    /// Whether a symbol that is bound in a scope can be meant by its bare name from this frame.
    pub(crate) fn on_this_side(frame: &Frame, scope: Option<ScopeKind>, symbol: u32) -> bool {
        let unit = &frame.unit;
        if !unit.rules.split_members || scope != Some(ScopeKind::Type) {
            return true;
        }
        let Some(found) = unit.symbol(symbol) else { return true };
        let (Some(of), true) = (found.parent, has_side(found.kind)) else { return true };
        match Self::side(frame, of) {
            Some(Side::Type) => found.modifiers.contains(Modifier::Static),
            Some(Side::Instance) => !found.modifiers.contains(Modifier::Static),
            Some(Side::Both) => true,
            None => false,
        }
    }

    /// Members of a type or of its instances, where these do not see each other.
    pub(crate) fn split_member(
        &self,
        ty: &Ty,
        name: &str,
        skip: usize,
        rule: Rule,
        side: Side,
    ) -> Vec<Found> {
        for (at, of) in self.line(ty).iter().enumerate().skip(skip) {
            let Ty::Of(sym, _) = of else { continue };
            let is_module = self.kind(*sym) == Some(SymbolKind::Module);
            let rule = if at == 0 || rule == Rule::Super { rule } else { Rule::Inherited };
            if let Some(members) = self.members(*sym).get(name) {
                let fit: Vec<Sym> = members.iter().copied().filter(|&one| self.is_on(one, side)).collect();
                if !fit.is_empty() {
                    let through =
                        if at == 0 { of.clone() } else { Ty::Seen(of.clone().into(), ty.clone().into()) };
                    let mut found = self.seen_members(&fit, &through, rule);
                    if at > 0 && is_module && side == Side::Type {
                        found = found.into_iter().map(|one| one.at_most(Confidence::Probable)).collect();
                    }
                    return found;
                }
            }
            if side == Side::Type {
                let found = self.mixed_into_type(*sym, name);
                if !found.is_empty() {
                    return found;
                }
                if at > 0 && is_module {
                    let found = self.for_types(*sym, name);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        }
        Vec::new()
    }

    fn is_on(&self, sym: Sym, side: Side) -> bool {
        let Some(unit) = self.home(sym) else { return false };
        let is_static = unit.is(sym.at, Modifier::Static);
        match (unit.kind(sym.at), side) {
            (Some(SymbolKind::Constructor), Side::Type) | (None, _) => false,
            (Some(kind), Side::Type) => !has_side(kind) || is_static,
            (Some(kind), Side::Instance) => !has_side(kind) || !is_static,
            (_, Side::Both) => true,
        }
    }

    /// Members of modules that are mixed into a type itself.
    fn mixed_into_type(&self, sym: Sym, name: &str) -> Vec<Found> {
        for &part in self.parts(sym).iter() {
            let Some(unit) = self.home(part) else { continue };
            for &(expr, scope) in unit.type_mixins(part.at) {
                let frame = Frame { unit: unit.clone(), scope, at: u32::MAX };
                let ty = match unit.expr(expr) {
                    Expr::SelfRef => Ty::of(sym),
                    _ => self.ty(&frame, expr),
                };
                let found = self.split_member(&ty, name, 0, Rule::Inherited, Side::Instance);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    fn for_types(&self, module: Sym, name: &str) -> Vec<Found> {
        let members = self.members(module);
        let inner = members.get(FOR_TYPES).into_iter().flatten();
        inner
            .flat_map(|&inner| self.split_member(&Ty::of(inner), name, 0, Rule::Inherited, Side::Instance))
            .map(|one| one.at_most(Confidence::Probable))
            .collect()
    }

    /// What a call can mean: of methods and fields that share a name, the methods; of what a name means, what can be
    /// called.
    pub(crate) fn callees(&self, frame: &Frame, callee: orient_model::ExprId) -> Vec<Found> {
        let unit = &frame.unit;
        let mut found = self.only(self.denote(frame, callee).to_vec(), crate::names::bindings::Want::Value);
        found.retain(|one| one.sym().is_none_or(|sym| !self.is_hidden(sym) && !self.is_named_by_macro(sym)));
        self.without_yielding(&mut found);
        let reads = !unit.rules.field_mark.is_empty();
        if reads {
            found.retain(|one| !self.is_only_written(one));
        }
        let calls = |one: &Found| {
            one.sym().and_then(|sym| self.kind(sym)).is_some_and(|kind| {
                crate::names::bindings::can_be_called(kind) || (reads && kind == SymbolKind::Property)
            })
        };
        if found.len() > 1 && found.iter().any(calls) {
            let holds = |one: &Found| {
                one.sym().and_then(|sym| self.kind(sym)).is_some_and(|kind| {
                    matches!(kind, SymbolKind::Field | SymbolKind::Constant | SymbolKind::Module)
                        || (kind == SymbolKind::Property && !reads)
                })
            };
            found.retain(|one| !holds(one));
        }
        if let Expr::Member { base, name } = unit.expr(callee)
            && unit.rules.function_space
            && !found.is_empty()
            && found.iter().all(|one| one.sym().is_some() && !calls(one) && !self.may_be_called(one))
        {
            // A field hides no method of its name that a base has.
            let methods = self.methods(&self.eval(frame, base).ty, unit.text(name));
            if !methods.is_empty() {
                return methods;
            }
        }
        if let Expr::Name(name) = unit.expr(callee)
            && unit.rules.function_space
            && found.iter().all(|one| !calls(one) && !self.may_be_called(one))
        {
            let functions = self.lookup_as(frame, unit.text(name), crate::names::bindings::Want::Function);
            if !functions.is_empty() {
                return functions;
            }
        }
        found
    }

    /// The nearest members of a type that can be called by this name.
    fn methods(&self, ty: &Ty, name: &str) -> Vec<Found> {
        for of in self.line(ty).iter() {
            let Ty::Of(sym, _) = of else { continue };
            let members = self.members(*sym);
            let mut own = members.get(name).map_or(Vec::new(), Clone::clone);
            own.retain(|&sym| self.kind(sym).is_some_and(crate::names::bindings::can_be_called));
            if !own.is_empty() {
                let through = Ty::Seen(of.clone().into(), ty.clone().into());
                return self.seen_members(&own, &through, Rule::Inherited);
            }
        }
        Vec::new()
    }

    /// Whether what was found is a value that can be called, as far as we know.
    fn may_be_called(&self, found: &Found) -> bool {
        self.value(found).ty.each().iter().any(|ty| match ty {
            Ty::Function(..) | Ty::Lambda(..) | Ty::Gives(_) | Ty::Signature(..) | Ty::Type(..) => true,
            Ty::Of(sym, _) => self.home(*sym).is_some_and(|home| {
                let Some(name) = home.implicit("call") else { return false };
                !self.type_member(ty, name, 0, Rule::Declared).is_empty()
            }),
            _ => false,
        })
    }

    /// The type that stands for all declarations of it.
    pub(crate) fn canonical(&self, sym: Sym) -> Sym {
        let Some(unit) = self.home(sym) else { return sym };
        let is_type = unit.kind(sym.at).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module);
        if !is_type || !(unit.rules.reopens || unit.is(sym.at, Modifier::Partial)) {
            return sym;
        }
        if let Some(&known) = self.canonical.borrow().get(&sym) {
            return known;
        }
        let parts = self.parts(sym);
        let named = self.named(&unit.rules.family, unit.name(sym.at));
        let first = named.iter().map(|bearer| bearer.sym).find(|one| parts.contains(one)).unwrap_or(sym);
        // What is a part of one is a part of the others: of a namespace that a thousand files open, one is asked.
        self.canonical.borrow_mut().extend(parts.iter().map(|&part| (part, first)));
        first
    }
}
