//! Receivers: whose members a bare name can be, and on which side of a type a member stands, its own or its instances'.

use crate::file::file_unit::{FileRef, FileUnit};
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Confidence, Expr, Modifier, Rule, ScopeKind, SymbolKind};

/// What a module offers to the types it is mixed into, by the convention of those who mix them.
const MEMBERS_FOR_TYPES: &str = "ClassMethods";

/// So many members of a name are looked at to find those of heirs.
const HEIRS: usize = 64;

/// Which members are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberSide {
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
    pub(crate) fn bare_members(&self, site: &Site, at: u32, symbol: u32, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        let kind = unit.facts.flow.scopes.get(at as usize).map(|scope| scope.kind);
        let val = if kind == Some(ScopeKind::Type) {
            let sym = self.canonical(unit.sym(symbol));
            if self.finds_supertypes(sym) {
                // What it inherits from is being found: that cannot come from there.
                let members = self.members(sym);
                let own = members.get(name).map_or(&[][..], Vec::as_slice);
                return self.member_targets(own, &Ty::instance(sym), Rule::Receiver);
            }
            match Self::side(site, symbol) {
                Some(MemberSide::Type) => Value::new(Ty::Metatype(sym, Ty::no_args()), Rule::Receiver),
                Some(_) => Value::new(Ty::instance(sym), Rule::Receiver),
                // A type around the one that is meant: what it names is seen, what it does is not.
                None => return self.nested_names(sym, name),
            }
        } else if let Some(val) = self.lambda_receiver(unit, at) {
            val
        } else {
            match self.qualifier_type(unit, symbol) {
                Some(ty) => Value::new(ty, Rule::Receiver),
                None => return Vec::new(),
            }
        };
        let mut found = self.visible_extensions(site, self.member(&val, name, unit));
        found.retain(|one| one.sym().is_none_or(|sym| self.kind(sym) != Some(SymbolKind::Constructor)));
        if found.is_empty() {
            found = self.maybe_inherited(&val.ty, name);
        }
        if found.iter().all(|one| matches!(one.referent, Referent::External(..))) {
            // Nobody named the receiver: the name may as well mean something around it.
            found = found.into_iter().map(|one| one.at_most(Confidence::Approximate)).collect();
            if unit.rules.companions && kind == Some(ScopeKind::Type) {
                let companions = self.companion_members(&Ty::instance(unit.sym(symbol)), name, false);
                return self.weaken_by_unknown_base(found, companions);
            }
        }
        found
    }

    /// Members that a receiver's own type lacks and types that inherit from it have: one of them is meant.
    pub(crate) fn subtype_members(&self, sym: SymbolId, name: &str, from: &FileRef) -> Vec<Target> {
        let namesakes = self.members_named(&from.rules.family, name);
        let mut found = Vec::new();
        for namesake in namesakes.iter().filter(|namesake| has_side(namesake.kind)).take(HEIRS) {
            let Some(home) = self.unit_of(namesake.sym) else {
                continue;
            };
            let Some(heir) = home.symbol(namesake.sym.at).and_then(|symbol| symbol.parent) else {
                continue;
            };
            let is_type = home.kind(heir).is_some_and(SymbolKind::is_type);
            let heir = Ty::instance(home.sym(heir));
            let inherits = |ty: &Ty| matches!(ty, Ty::Instance(base, _) if *base == sym);
            if is_type && self.mro(&heir).iter().skip(1).any(inherits) {
                let referent = Referent::Symbol(namesake.sym, Some(heir.into()));
                found.push(Target {
                    referent,
                    rule: Rule::Implementation,
                    confidence: Confidence::Probable,
                    receiver_distance: 0,
                });
            }
        }
        found
    }

    /// Types and constants of a type, by name.
    fn nested_names(&self, sym: SymbolId, name: &str) -> Vec<Target> {
        let mut found = self.type_member(&Ty::instance(sym), name, 0, Rule::Static);
        found.retain(|one| one.sym().and_then(|sym| self.kind(sym)).is_some_and(|kind| !has_side(kind)));
        found
    }

    /// Members of the objects that stand for a type and those it inherits from; `own`: for the type alone, as it is when
    /// it is named.
    pub(crate) fn companion_members(&self, ty: &Ty, name: &str, own: bool) -> Vec<Target> {
        let Ty::Instance(sym, _) = ty else {
            return Vec::new();
        };
        if !self.unit_of(*sym).is_some_and(|home| home.rules.companions) {
            return Vec::new();
        }
        let most = if own { 1 } else { usize::MAX };
        for of in self.mro(ty).iter().take(most) {
            let Ty::Instance(sym, _) = of else { continue };
            let Some(unit) = self.unit_of(*sym) else {
                continue;
            };
            for &child in unit.children(Some(sym.at)) {
                if unit.kind(child) == Some(SymbolKind::Object) && unit.is(child, Modifier::Static) {
                    let found = self.type_member(&Ty::instance(unit.sym(child)), name, 0, Rule::Static);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        }
        Vec::new()
    }

    /// The side of a type a frame inside it looks from; none where another type stands between.
    fn side(site: &Site, of: u32) -> Option<MemberSide> {
        let unit = &site.unit;
        if !unit.rules.split_members {
            return Some(MemberSide::Both);
        }
        let mut next = site.symbol();
        let mut child = None;
        while let Some(at) = next.filter(|&at| at != of) {
            if unit.kind(at).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module) {
                return None;
            }
            child = Some(at);
            next = unit.symbol(at)?.parent;
        }
        Some(match child {
            Some(child) if unit.is(child, Modifier::Static) => MemberSide::Type,
            Some(_) => MemberSide::Instance,
            None if Self::in_function(unit, site.scope, of) => MemberSide::Both,
            None => MemberSide::Type,
        })
    }

    /// Whether a scope lies in a function that stands directly in a type: who runs it decides what it sees.
    fn in_function(unit: &FileUnit, scope: u32, of: u32) -> bool {
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
    pub(crate) fn is_on_visible_side(site: &Site, scope: Option<ScopeKind>, symbol: u32) -> bool {
        let unit = &site.unit;
        if !unit.rules.split_members || scope != Some(ScopeKind::Type) {
            return true;
        }
        let Some(found) = unit.symbol(symbol) else {
            return true;
        };
        let (Some(of), true) = (found.parent, has_side(found.kind)) else {
            return true;
        };
        match Self::side(site, of) {
            Some(MemberSide::Type) => found.modifiers.contains(Modifier::Static),
            Some(MemberSide::Instance) => !found.modifiers.contains(Modifier::Static),
            Some(MemberSide::Both) => true,
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
        side: MemberSide,
    ) -> Vec<Target> {
        for (at, of) in self.mro(ty).iter().enumerate().skip(skip) {
            let Ty::Instance(sym, _) = of else { continue };
            let is_module = self.kind(*sym) == Some(SymbolKind::Module);
            let rule = if at == 0 || rule == Rule::Super { rule } else { Rule::Inherited };
            if let Some(members) = self.members(*sym).get(name) {
                let fit: Vec<SymbolId> =
                    members.iter().copied().filter(|&one| self.is_on_side(one, side)).collect();
                if !fit.is_empty() {
                    let through = if at == 0 {
                        of.clone()
                    } else {
                        Ty::SeenThrough(of.clone().into(), ty.clone().into())
                    };
                    let mut found = self.member_targets(&fit, &through, rule);
                    if at > 0 && is_module && side == MemberSide::Type {
                        found = found.into_iter().map(|one| one.at_most(Confidence::Probable)).collect();
                    }
                    return found;
                }
            }
            if side == MemberSide::Type {
                let found = self.mixed_into_type(*sym, name);
                if !found.is_empty() {
                    return found;
                }
                if at > 0 && is_module {
                    let found = self.members_for_types(*sym, name);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
        }
        Vec::new()
    }

    fn is_on_side(&self, sym: SymbolId, side: MemberSide) -> bool {
        let Some(unit) = self.unit_of(sym) else {
            return false;
        };
        let is_static = unit.is(sym.at, Modifier::Static);
        match (unit.kind(sym.at), side) {
            (Some(SymbolKind::Constructor), MemberSide::Type) | (None, _) => false,
            (Some(kind), MemberSide::Type) => !has_side(kind) || is_static,
            (Some(kind), MemberSide::Instance) => !has_side(kind) || !is_static,
            (_, MemberSide::Both) => true,
        }
    }

    /// Members of modules that are mixed into a type itself.
    fn mixed_into_type(&self, sym: SymbolId, name: &str) -> Vec<Target> {
        for &part in self.declarations(sym).iter() {
            let Some(unit) = self.unit_of(part) else {
                continue;
            };
            for &(expr, scope) in unit.type_mixins(part.at) {
                let site = Site { unit: unit.clone(), scope, at: u32::MAX };
                let ty = match unit.expr(expr) {
                    Expr::SelfRef => Ty::instance(sym),
                    _ => self.ty(&site, expr),
                };
                let found = self.split_member(&ty, name, 0, Rule::Inherited, MemberSide::Instance);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    fn members_for_types(&self, module: SymbolId, name: &str) -> Vec<Target> {
        let members = self.members(module);
        let inner = members.get(MEMBERS_FOR_TYPES).into_iter().flatten();
        inner
            .flat_map(|&inner| {
                self.split_member(&Ty::instance(inner), name, 0, Rule::Inherited, MemberSide::Instance)
            })
            .map(|one| one.at_most(Confidence::Probable))
            .collect()
    }

    /// What a call can mean: of methods and fields that share a name, the methods; of what a name means, what can be
    /// called.
    pub(crate) fn callees(&self, site: &Site, callee: orient_model::ExprId) -> Vec<Target> {
        let unit = &site.unit;
        let mut found =
            self.filter_kind(self.targets(site, callee).to_vec(), crate::names::bindings::LookupKind::Value);
        found.retain(|one| one.sym().is_none_or(|sym| !self.is_hidden(sym) && !self.is_named_by_macro(sym)));
        self.drop_low_priority(&mut found);
        let reads = !unit.rules.field_mark.is_empty();
        if reads {
            found.retain(|one| !self.is_write_only(one));
        }
        let calls = |one: &Target| {
            one.sym().and_then(|sym| self.kind(sym)).is_some_and(|kind| {
                crate::names::bindings::can_be_called(kind) || (reads && kind == SymbolKind::Property)
            })
        };
        if found.len() > 1 && found.iter().any(calls) {
            let holds = |one: &Target| {
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
            && found.iter().all(|one| one.sym().is_some() && !calls(one) && !self.is_callable_value(one))
        {
            // A field hides no method of its name that a base has.
            let methods = self.methods(&self.eval(site, base).ty, unit.text(name));
            if !methods.is_empty() {
                return methods;
            }
        }
        if let Expr::Name(name) = unit.expr(callee)
            && unit.rules.function_space
            && found.iter().all(|one| !calls(one) && !self.is_callable_value(one))
        {
            let functions =
                self.lookup_as(site, unit.text(name), crate::names::bindings::LookupKind::Function);
            if !functions.is_empty() {
                return functions;
            }
        }
        found
    }

    /// The nearest members of a type that can be called by this name.
    fn methods(&self, ty: &Ty, name: &str) -> Vec<Target> {
        for of in self.mro(ty).iter() {
            let Ty::Instance(sym, _) = of else { continue };
            let members = self.members(*sym);
            let mut own = members.get(name).map_or(Vec::new(), Clone::clone);
            own.retain(|&sym| self.kind(sym).is_some_and(crate::names::bindings::can_be_called));
            if !own.is_empty() {
                let through = Ty::SeenThrough(of.clone().into(), ty.clone().into());
                return self.member_targets(&own, &through, Rule::Inherited);
            }
        }
        Vec::new()
    }

    /// Whether what was found is a value that can be called, as far as we know.
    fn is_callable_value(&self, found: &Target) -> bool {
        self.value(found).ty.alternatives().iter().any(|ty| match ty {
            Ty::Function(..) | Ty::Lambda(..) | Ty::Returning(_) | Ty::Signature(..) | Ty::Metatype(..) => {
                true
            }
            Ty::Instance(sym, _) => self.unit_of(*sym).is_some_and(|home| {
                let Some(name) = home.implicit("call") else {
                    return false;
                };
                !self.type_member(ty, name, 0, Rule::Declared).is_empty()
            }),
            _ => false,
        })
    }

    /// The type that stands for all declarations of it.
    pub(crate) fn canonical(&self, sym: SymbolId) -> SymbolId {
        let Some(unit) = self.unit_of(sym) else {
            return sym;
        };
        let is_type = unit.kind(sym.at).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module);
        if !is_type || !(unit.rules.reopens || unit.is(sym.at, Modifier::Partial)) {
            return sym;
        }
        if let Some(known) = self.queries.canonical.get(&sym) {
            return known;
        }
        let parts = self.declarations(sym);
        let named = self.symbols_named(&unit.rules.family, unit.name(sym.at));
        let first = named.iter().map(|namesake| namesake.sym).find(|one| parts.contains(one)).unwrap_or(sym);
        // What is a part of one is a part of the others: of a namespace that a thousand files open, one is asked.
        parts.iter().for_each(|&part| self.queries.canonical.insert(part, first));
        first
    }
}
