//! Type narrowing: of the types that a variable may have, those for which the tests around a place have their outcome.
//!
//! # Example
//!
//! ```text
//! function grow(s: Circle | Square) { if (s.kind === "circle") { s.grow(); return; }  s.grow(); }
//! ```
//!
//! `Circle` declares `kind: "circle"` and `Square` declares `kind: "square"`: the first call means `Circle.grow`, the second
//! one, which is reached only if the test fails, `Square.grow`. What cannot be decided excludes nothing.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{Atom, Expr, ExprId, Narrowing, Rule, SymbolKind, TypeTest, Wrapper};

/// Maximum number of tests of one variable in one scope that are looked at: those that begin nearest to its use.
const MAX_TESTS: usize = 64;

impl Session<'_> {
    /// A variable at a place, with the types that it can have there.
    pub(super) fn narrowed(&self, site: &Site, name: Atom, mut found: Vec<Target>) -> Vec<Target> {
        let known = Self::narrowings_at(site, name);
        // Any name may be the first part of a qualified name.
        let is_space =
            |one: &Target| matches!(one.referent, Referent::Value(Ty::Module(Module::Namespace(_))));
        if found.iter().all(is_space) && known.iter().any(|one| one.test == TypeTest::Is) {
            // Nothing in the repository says what it is, but the test does.
            found = vec![Target::value(Ty::Unknown, Rule::Declared)];
        }
        for narrowing in known.iter().rev() {
            for one in &mut found {
                self.narrow(&site.unit, narrowing, one);
            }
        }
        found
    }

    /// What is known of the type of a variable at a place, the nearest tests first.
    fn narrowings_at(site: &Site, name: Atom) -> Vec<Narrowing> {
        let mut known = Vec::new();
        let mut next = Some(site.scope);
        while let Some((at, scope)) = next.and_then(|at| Some((at, site.unit.scope(at)?))) {
            let before = site.unit.narrowings(at, name, site.at).take(MAX_TESTS);
            known.extend(before.filter(|one| site.at < one.end).copied());
            // Further out, another variable has the name.
            next = scope.parent.filter(|_| site.unit.bound_as(at, name).is_empty());
        }
        known
    }

    fn narrow(&self, unit: &FileRef, narrowing: &Narrowing, one: &mut Target) {
        let Referent::Value(ty) = &one.referent else { return };
        if matches!(ty, Ty::Module(_) | Ty::Metatype(..) | Ty::Param(..)) {
            return;
        }
        let site = Site { unit: unit.clone(), scope: narrowing.scope, at: narrowing.start };
        let (test, tested) = match narrowing.test {
            TypeTest::Is | TypeTest::IsNot => (narrowing.test, Some(self.ty(&site, narrowing.by))),
            TypeTest::Passes => (TypeTest::Is, self.guarded_type(&site, narrowing)),
            TypeTest::Fails => (TypeTest::IsNot, self.guarded_type(&site, narrowing)),
            TypeTest::Has | TypeTest::HasNot => {
                let holds = narrowing.test == TypeTest::Has;
                let kept = ty.alternatives().iter().filter(|ty| {
                    self.has_constant(&site, ty, narrowing.by)
                        .is_none_or(|(may, must)| if holds { may } else { !must })
                });
                let kept = Ty::union(kept.cloned());
                if kept.is_known() {
                    one.referent = Referent::Value(kept);
                }
                return;
            }
        };
        let Some(tested) = tested.filter(Ty::is_known) else { return };
        if test == TypeTest::Is {
            one.referent = Referent::Value(self.those_that_are(ty, &tested));
            one.rule = Rule::Declared;
        } else {
            let others = ty.alternatives().iter().filter(|ty| !self.is_subtype_of_any(ty, &tested));
            let others = Ty::union(others.cloned());
            if others.is_known() {
                one.referent = Referent::Value(others);
            }
        }
    }

    /// The types of a value that is known to have a type. A type that is neither a subtype nor a supertype of it may have
    /// a subtype that is both, unless the value has one of several types.
    fn those_that_are(&self, ty: &Ty, tested: &Ty) -> Ty {
        let alternatives = ty.alternatives();
        let mut kept = Vec::new();
        for one in alternatives {
            if self.is_subtype_of_any(one, tested) {
                kept.push(one.clone());
            } else {
                let below = tested.alternatives().iter().filter(|tested| self.is_subtype_of_any(tested, one));
                kept.extend(below.cloned());
            }
        }
        if kept.is_empty() && alternatives.len() == 1 && matches!(alternatives[0], Ty::Instance(..)) {
            kept.push(alternatives[0].clone());
            kept.extend(tested.alternatives().iter().cloned());
        }
        if kept.is_empty() { tested.clone() } else { Ty::union(kept) }
    }

    /// Whether a type is one of these, or inherits from one.
    fn is_subtype_of_any(&self, ty: &Ty, wanted: &Ty) -> bool {
        let is_one = |of: &Ty| wanted.alternatives().iter().any(|wanted| is_same(of, wanted));
        match ty {
            Ty::Instance(..) => self.mro(ty).iter().any(is_one),
            ty => is_one(ty),
        }
    }

    /// The type that a function tests an argument for, by its declaration: `x is Circle`.
    fn guarded_type(&self, site: &Site, narrowing: &Narrowing) -> Option<Ty> {
        let unit = &site.unit;
        let Expr::Call { callee, args } = unit.expr(narrowing.by) else { return None };
        let found = self.targets(site, callee);
        let [one] = &found[..] else { return None };
        let sym = one.sym()?;
        let home = self.unit_of(sym)?;
        let binding = home.binding_of(sym.at)?;
        let Expr::Cast { value, ty } = home.expr(binding.ty?) else { return None };
        let Expr::Name(param) = home.expr(value) else { return None };
        let params = home.symbol(sym.at)?.params;
        let at = params.iter().position(|one| home.outline_text(one.name) == home.text(param))?;
        let argument = *unit.list(args).get(at)?;
        let scope = home.scope_of(sym.at).unwrap_or(binding.scope);
        let from = Site { unit: home.clone(), scope, at: u32::MAX };
        (unit.expr(argument) == Expr::Name(narrowing.name)).then(|| self.ty(&from, ty))
    }

    /// Whether a type may have a member with a constant, and whether every value of it has; none if that is not known.
    fn has_constant(&self, site: &Site, ty: &Ty, by: ExprId) -> Option<(bool, bool)> {
        let Expr::Named { name, value } = site.unit.expr(by) else { return None };
        let Ty::Instance(..) = ty else { return None };
        let found = self.type_member(ty, site.unit.text(name), 0, Rule::Declared);
        let members: Vec<SymbolId> = found.iter().filter_map(Target::sym).collect();
        if found.is_empty() {
            let is_closed = self.mro(ty).iter().all(|of| matches!(of, Ty::Instance(..)));
            return is_closed.then_some((false, false));
        }
        if site.unit.expr(value) == Expr::Unknown {
            return Some((true, !members.iter().all(|&member| self.is_optional(member))));
        }
        let wanted = self.discriminants(site, value)?;
        let [member] = members[..] else { return None };
        let home = self.unit_of(member)?;
        let binding = home.binding_of(member.at)?;
        let from = Site { unit: home.clone(), scope: binding.scope, at: binding.at };
        let held = self.discriminants(&from, binding.ty.or(binding.value)?)?;
        let may = held.iter().any(|one| wanted.contains(one));
        Some((may, held.iter().all(|one| wanted.contains(one))))
    }

    fn is_optional(&self, member: SymbolId) -> bool {
        self.unit_of(member).is_some_and(|home| {
            let ty = home.binding_of(member.at).and_then(|binding| binding.ty);
            ty.is_some_and(|ty| matches!(home.expr(ty), Expr::Wrap { wrapper: Wrapper::Optional, .. }))
        })
    }

    /// The constants that an expression or a type stands for; none if it may be something else.
    fn discriminants(&self, site: &Site, expr: ExprId) -> Option<Vec<Constant>> {
        let unit = &site.unit;
        match unit.expr(expr) {
            Expr::Text(text) => Some(vec![Constant::Text(unit.text(text).to_owned())]),
            Expr::Named { name, .. } => Some(vec![Constant::Text(unit.text(name).to_owned())]),
            Expr::Cast { value, .. } => self.discriminants(site, value),
            Expr::Either(list) => {
                let each: Option<Vec<_>> =
                    unit.list(list).iter().map(|&one| self.discriminants(site, one)).collect();
                Some(each?.concat())
            }
            Expr::Member { .. } => {
                let found = self.targets(site, expr);
                let case = found.first().and_then(Target::sym);
                let case = case.filter(|&sym| self.kind(sym) == Some(SymbolKind::EnumMember))?;
                Some(vec![Constant::Case(case)])
            }
            _ => None,
        }
    }
}

/// A constant that types are told apart by.
#[derive(Clone, PartialEq, Eq)]
enum Constant {
    Text(String),
    Case(SymbolId),
}

/// Whether two types are the same but for their type arguments.
fn is_same(one: &Ty, other: &Ty) -> bool {
    match (one, other) {
        (Ty::Instance(one, _), Ty::Instance(other, _)) => one == other,
        (Ty::External(one, _), Ty::External(other, _)) => one == other,
        (one, other) => one == other,
    }
}
