//! The forms of types: names that are types alone, aliases with arguments, members and elements of types, defaults; and
//! which of several members of one name count.

use crate::file::file_unit::{Held, Unit};
use crate::names::bindings::Want;
use crate::session::{Frame, Question, Session};
use crate::types::ty::{Found, Sym, Thing, Ty, Val};
use crate::types::type_expr::substitute;
use orient_model::{Expr, ExprId, Modifier, Relation, Rule, ScopeKind, SymbolKind, Wrapper};
use std::rc::Rc;

impl Session<'_> {
    /// What the name of a type means.
    pub(crate) fn find_type(&self, frame: &Frame, expr: ExprId, arity: usize) -> Vec<Found> {
        let unit = &frame.unit;
        let found = match unit.expr(expr) {
            Expr::Name(name) if unit.rules.arity => {
                self.arity.set(Some(arity));
                let found = self.lookup_as(frame, unit.text(name), Want::Type);
                self.arity.set(None);
                if found.is_empty() { self.lookup_as(frame, unit.text(name), Want::Type) } else { found }
            }
            Expr::Name(name) => self.lookup_as(frame, unit.text(name), Want::Type),
            Expr::Text(name) => self.dotted_name(frame, unit.text(name)),
            _ => self.with_arity(frame, expr, arity),
        };
        let mut found = self.of_arity(frame, self.only(found, Want::Type), arity);
        if unit.rules.type_space {
            // `any` is no function of that name.
            found.retain(|one| match &one.thing {
                Thing::Symbol(sym, _) => !self.kind(*sym).is_some_and(SymbolKind::is_callable),
                _ => true,
            });
        }
        found
    }

    /// A type expression with arguments.
    pub(crate) fn applied(&self, frame: &Frame, base: ExprId, args: &Rc<[Ty]>) -> Ty {
        match frame.unit.expr(base) {
            Expr::Wrap { wrapper: Wrapper::FunctionType, inner } => {
                Ty::Signature(args.clone(), self.ty(frame, inner).into())
            }
            Expr::Name(_) | Expr::Member { .. } => {
                let found = self.find_type(frame, base, args.len());
                if found.is_empty() {
                    return Self::apply(&self.global_type(frame, base, args), args);
                }
                Ty::either(found.iter().map(|one| match one.sym() {
                    Some(sym) if self.kind(sym) == Some(SymbolKind::TypeAlias) => self.alias_of(sym, args),
                    _ => Self::apply(&self.instance(one), args),
                }))
            }
            _ => Self::apply(&self.ty(frame, base), args),
        }
    }

    /// A type that nobody binds is one of the language itself.
    pub(crate) fn global_type(&self, frame: &Frame, expr: ExprId, args: &Rc<[Ty]>) -> Ty {
        let unit = &frame.unit;
        if !unit.rules.type_space {
            return self.foreign(frame, expr);
        }
        let Expr::Name(name) = unit.expr(expr) else { return Ty::Unknown };
        let name = unit.text(name);
        let is_bound =
            !unit.bound(0, name).is_empty() || unit.rules.loose_types.iter().any(|loose| loose == name);
        if is_bound {
            return Ty::Unknown;
        }
        Ty::Outside(name.into(), args.clone())
    }

    /// The declared type of a binding, as its own file sees it.
    pub(crate) fn declared(&self, unit: &Held, at: u32) -> Ty {
        if let Some(known) = self.declared.borrow().get(&(unit.file, at)) {
            return known.clone();
        }
        let Some(binding) = unit.binding(at) else { return Ty::Unknown };
        let Some(ty) = binding.ty else { return Ty::Unknown };
        let frame = Frame { unit: unit.clone(), scope: binding.scope, at: u32::MAX };
        let ty = self.ty(&frame, ty);
        if self.is_top() || ty.is_known() {
            self.declared.borrow_mut().insert((unit.file, at), ty.clone());
        }
        ty
    }

    /// What an alias stands for with these arguments.
    pub(crate) fn alias_of(&self, sym: Sym, args: &Rc<[Ty]>) -> Ty {
        match self.instance_of(sym) {
            Ty::Of(of, own) if of == sym || own.is_empty() => Ty::Of(of, args.clone()),
            ty => self.seen_through(&ty, &Ty::Of(sym, args.clone())),
        }
    }

    /// The type of a member: `T["k"]`; of an element: `T[number]`.
    pub(crate) fn indexed_type(&self, frame: &Frame, base: ExprId, key: ExprId) -> Ty {
        let of = Val::new(self.ty(frame, base), Rule::Declared);
        match frame.unit.expr(key) {
            Expr::Text(name) => {
                let found = self.member(&of, frame.unit.text(name), &frame.unit);
                self.values(&found).ty
            }
            _ => match &of.ty {
                Ty::Many(inner) => (**inner).clone(),
                _ => Ty::Unknown,
            },
        }
    }

    /// What a type parameter is where nobody says.
    pub(crate) fn default_of(&self, unit: &Held, symbol: u32, param: u32, map: &[((u32, u32), Ty)]) -> Ty {
        let Some(default) = unit.binding(param).and_then(|binding| binding.value) else { return Ty::Unknown };
        let frame = Frame { unit: unit.clone(), scope: unit.scope_of(symbol).unwrap_or(0), at: u32::MAX };
        let ty = self.once(Question::Binding(unit.file, param), || self.ty(&frame, default));
        ty.map_or(Ty::Unknown, |ty| substitute(&ty, map))
    }

    /// An alias that adds members to other types has theirs, too: `Base & { more: string }`.
    pub(crate) fn joined(&self, sym: Sym, bases: &mut Vec<(Ty, Relation)>) {
        let Some(unit) = self.home(sym) else { return };
        let is_alias = unit.kind(sym.at) == Some(SymbolKind::TypeAlias);
        if !is_alias || !unit.rules.type_space || self.members(sym).is_empty() {
            return;
        }
        let Some(binding) = unit.binding_of(sym.at) else { return };
        let Some(Expr::Either(list)) = binding.ty.map(|ty| unit.expr(ty)) else { return };
        let scope = unit.scope_of(sym.at).unwrap_or_else(|| unit.scope_at(binding.at));
        let frame = Frame { unit: unit.clone(), scope, at: binding.at };
        for &part in unit.facts.flow.list(list) {
            let ty = self.ty(&frame, part);
            if let Ty::Of(of, _) = &ty
                && *of != sym
            {
                bases.push((ty, Relation::Extends));
            }
        }
    }

    /// Of members with one name, those of the type itself or those of its instances, where there are both.
    pub(crate) fn on_its_side(&self, mut found: Vec<Found>, of_type: bool) -> Vec<Found> {
        let fits = |one: &Found| {
            let at = one.sym().and_then(|sym| Some((self.home(sym)?, sym.at)));
            at.is_none_or(|(unit, at)| unit.is(at, Modifier::Static) == of_type)
        };
        let type_space =
            |one: &Found| one.sym().and_then(|sym| self.home(sym)).is_some_and(|unit| unit.rules.type_space);
        if found.len() > 1 && found.iter().all(type_space) && found.iter().any(fits) {
            found.retain(fits);
        }
        found
    }

    pub(crate) fn may_overload(&self, found: &[Found]) -> bool {
        found
            .first()
            .and_then(Found::sym)
            .and_then(|sym| Some((self.home(sym)?, sym)))
            .is_some_and(|(unit, sym)| unit.rules.overloads && unit.kind(sym.at) == Some(SymbolKind::Method))
    }

    /// Methods that a type binds, and those it inherits that none of them stands in for.
    pub(crate) fn with_inherited(
        &self,
        unit: &Held,
        here: &orient_model::Scope,
        name: &str,
        found: Vec<Found>,
    ) -> Vec<Found> {
        let (ScopeKind::Type, Some(symbol)) = (here.kind, here.symbol) else { return found };
        let sym = self.canonical(unit.sym(symbol));
        if unit.rules.type_space || !self.may_overload(&found) || self.is_busy(Question::Bases(sym)) {
            return found;
        }
        self.overloads(&self.own_type(sym), name, 1, found)
    }

    /// What was found, and methods of the name further up the line that none of them stands in for.
    pub(crate) fn overloads(&self, ty: &Ty, name: &str, skip: usize, mut found: Vec<Found>) -> Vec<Found> {
        for of in self.line(ty).iter().skip(skip) {
            let Ty::Of(sym, _) = of else { continue };
            for &member in self.members(*sym).get(name).into_iter().flatten() {
                let known = found
                    .iter()
                    .filter_map(Found::sym)
                    .any(|one| one == member || self.same_params(one, member));
                if !known {
                    let through = Ty::Seen(of.clone().into(), ty.clone().into());
                    found.extend(self.seen_members(&[member], &through, Rule::Inherited));
                }
            }
        }
        found
    }

    /// Whether one method stands in for another: as many parameters, of types written alike or generic.
    pub(crate) fn same_params(&self, one: Sym, other: Sym) -> bool {
        let (Some(left), Some(right)) = (self.home(one), self.home(other)) else { return false };
        let generic = |unit: &Unit, at: u32, ty: &str| {
            ty.len() < 2 || crate::calls::overloads::is_type_param(unit, at, ty)
        };
        let (first, second) = (one.at, other.at);
        let (Some(one), Some(other)) = (left.symbol(one.at), right.symbol(other.at)) else { return false };
        let alike = one.params.iter().zip(&other.params).all(|(a, b)| {
            let (a, b) = (a.ty.map_or("", |ty| left.said(ty)), b.ty.map_or("", |ty| right.said(ty)));
            let (a, b) = (a.trim_end_matches('?'), b.trim_end_matches('?'));
            a == b || generic(&left, first, a) || generic(&right, second, b)
        });
        one.params.len() == other.params.len() && alike
    }

    pub(crate) fn seen_members(&self, members: &[Sym], through: &Ty, rule: Rule) -> Vec<Found> {
        let through = Rc::new(through.clone());
        let found = members.iter().filter(|&&member| !self.is_hidden(member)).map(|&member| Found {
            thing: Thing::Symbol(member, Some(through.clone())),
            rule,
            sure: orient_model::Confidence::Exact,
            far: 0,
        });
        self.on_its_side(self.whole(found.collect()), rule == Rule::Static)
    }
}

/// A type whose arguments are followed no deeper than this.
pub(crate) fn pruned(ty: &Ty, depth: usize) -> Ty {
    let all = |types: &Rc<[Ty]>| -> Rc<[Ty]> {
        match depth {
            0 => types.iter().map(|_| Ty::Unknown).collect(),
            _ => types.iter().map(|ty| pruned(ty, depth - 1)).collect(),
        }
    };
    match ty {
        Ty::Of(sym, args) if !args.is_empty() => Ty::Of(*sym, all(args)),
        Ty::Type(sym, args) if !args.is_empty() => Ty::Type(*sym, all(args)),
        Ty::Outside(name, args) if !args.is_empty() => Ty::Outside(name.clone(), all(args)),
        Ty::Tuple(types) => Ty::Tuple(all(types)),
        Ty::Signature(params, result) => Ty::Signature(all(params), pruned(result, depth).into()),
        Ty::Either(types) => Ty::either(types.iter().map(|ty| pruned(ty, depth))),
        Ty::Many(inner) => Ty::Many(pruned(inner, depth).into()),
        other => other.clone(),
    }
}
