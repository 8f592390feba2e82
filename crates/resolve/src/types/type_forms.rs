//! The forms of types: names that are types alone, aliases with arguments, members and elements of types, defaults; and
//! which of several members of one name count.

use crate::file::file_unit::{FileRef, FileUnit};
use crate::memo::Keep;
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, Ty};
use crate::types::type_expr::substitute;
use orient_model::{Expr, ExprId, Modifier, Relation, Rule, ScopeKind, SymbolKind, Wrapper};
use std::rc::Rc;

impl Session<'_> {
    /// What the name of a type means.
    pub(crate) fn find_type_targets(&self, site: &Site, expr: ExprId, arity: usize) -> Vec<Target> {
        let unit = &site.unit;
        let found = match unit.expr(expr) {
            Expr::Name(name) if unit.rules.arity => {
                self.arity.set(Some(arity));
                let found = self.lookup_as(site, unit.text(name), LookupKind::Type);
                self.arity.set(None);
                if found.is_empty() { self.lookup_as(site, unit.text(name), LookupKind::Type) } else { found }
            }
            Expr::Name(name) => self.lookup_as(site, unit.text(name), LookupKind::Type),
            Expr::Text(name) => self.lookup_dotted(site, unit.text(name)),
            _ => self.targets_of_arity(site, expr, arity),
        };
        let mut found = self.matching_arity(site, self.filter_kind(found, LookupKind::Type), arity);
        if unit.rules.type_space {
            // `any` is no function of that name.
            found.retain(|one| match &one.referent {
                Referent::Symbol(sym, _) => !self.kind(*sym).is_some_and(SymbolKind::is_callable),
                _ => true,
            });
        }
        found
    }

    /// A type expression with arguments.
    pub(crate) fn apply_type_expr(&self, site: &Site, base: ExprId, args: &Rc<[Ty]>) -> Ty {
        match site.unit.expr(base) {
            Expr::Wrap { wrapper: Wrapper::FunctionType, inner } => {
                Ty::Signature(args.clone(), self.ty(site, inner).into())
            }
            Expr::Name(_) | Expr::Member { .. } => {
                let found = self.find_type_targets(site, base, args.len());
                if found.is_empty() {
                    return Self::apply(&self.builtin_type(site, base, args), args);
                }
                Ty::union(found.iter().map(|one| match one.sym() {
                    Some(sym) if self.kind(sym) == Some(SymbolKind::TypeAlias) => self.apply_alias(sym, args),
                    _ => Self::apply(&self.instance(one), args),
                }))
            }
            _ => Self::apply(&self.ty(site, base), args),
        }
    }

    /// A type that nobody binds is one of the language itself.
    pub(crate) fn builtin_type(&self, site: &Site, expr: ExprId, args: &Rc<[Ty]>) -> Ty {
        let unit = &site.unit;
        if !unit.rules.type_space {
            return self.external_type(site, expr);
        }
        let Expr::Name(name) = unit.expr(expr) else {
            return Ty::Unknown;
        };
        let name = unit.text(name);
        let is_bound =
            !unit.bound(0, name).is_empty() || unit.rules.loose_types.iter().any(|loose| loose == name);
        if is_bound {
            return Ty::Unknown;
        }
        Ty::External(name.into(), args.clone())
    }

    /// The declared type of a binding, as its own file sees it.
    pub(crate) fn declared(&self, unit: &FileRef, at: u32) -> Ty {
        let Some(binding) = unit.binding(at) else {
            return Ty::Unknown;
        };
        let Some(ty) = binding.ty else {
            return Ty::Unknown;
        };
        let site = Site { unit: unit.clone(), scope: binding.scope, at: u32::MAX };
        let keep = Keep::OutermostOr(|_, ty: &Ty| ty.is_known());
        self.queries.declared_types.get_or(&self.limits, (unit.file, at), keep, || self.ty(&site, ty))
    }

    /// What an alias stands for with these arguments.
    pub(crate) fn apply_alias(&self, sym: SymbolId, args: &Rc<[Ty]>) -> Ty {
        match self.instance_of(sym) {
            Ty::Instance(of, own) if of == sym || own.is_empty() => Ty::Instance(of, args.clone()),
            ty => self.substitute_receiver(&ty, &Ty::Instance(sym, args.clone())),
        }
    }

    /// The type of a member: `T["k"]`; of an element: `T[number]`.
    pub(crate) fn indexed_access_type(&self, site: &Site, base: ExprId, key: ExprId) -> Ty {
        let of = Value::new(self.ty(site, base), Rule::Declared);
        match site.unit.expr(key) {
            Expr::Text(name) => {
                let found = self.member(&of, site.unit.text(name), &site.unit);
                self.value_of_all(&found).ty
            }
            _ => match &of.ty {
                Ty::List(inner) => (**inner).clone(),
                _ => Ty::Unknown,
            },
        }
    }

    /// What a type parameter is where nobody says.
    pub(crate) fn type_param_default(
        &self,
        unit: &FileRef,
        symbol: u32,
        param: u32,
        map: &[((u32, u32), Ty)],
    ) -> Ty {
        let Some(default) = unit.binding(param).and_then(|binding| binding.value) else {
            return Ty::Unknown;
        };
        let site = Site { unit: unit.clone(), scope: unit.scope_of(symbol).unwrap_or(0), at: u32::MAX };
        let in_progress = self.queries.binding_values.in_progress();
        let ty = in_progress.enter(&self.limits, &(unit.file, param), || self.ty(&site, default));
        ty.map_or(Ty::Unknown, |ty| substitute(&ty, map))
    }

    /// An alias that adds members to other types has theirs, too: `Base & { more: string }`.
    pub(crate) fn joined(&self, sym: SymbolId, bases: &mut Vec<(Ty, Relation)>) {
        let Some(unit) = self.unit_of(sym) else {
            return;
        };
        let is_project_alias = unit.kind(sym.at) == Some(SymbolKind::TypeAlias);
        if !is_project_alias || !unit.rules.type_space || self.members(sym).is_empty() {
            return;
        }
        let Some(binding) = unit.binding_of(sym.at) else {
            return;
        };
        let Some(Expr::Either(list)) = binding.ty.map(|ty| unit.expr(ty)) else {
            return;
        };
        let scope = unit.scope_of(sym.at).unwrap_or_else(|| unit.scope_at(binding.at));
        let site = Site { unit: unit.clone(), scope, at: binding.at };
        for &part in unit.facts.flow.list(list) {
            let ty = self.ty(&site, part);
            if let Ty::Instance(of, _) = &ty
                && *of != sym
            {
                bases.push((ty, Relation::Extends));
            }
        }
    }

    /// Of members with one name, those of the type itself or those of its instances, where there are both.
    pub(crate) fn keep_side(&self, mut found: Vec<Target>, of_type: bool) -> Vec<Target> {
        let fits = |one: &Target| {
            let at = one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
            at.is_none_or(|(unit, at)| unit.is(at, Modifier::Static) == of_type)
        };
        let type_space = |one: &Target| {
            one.sym().and_then(|sym| self.unit_of(sym)).is_some_and(|unit| unit.rules.type_space)
        };
        if found.len() > 1 && found.iter().all(type_space) && found.iter().any(fits) {
            found.retain(fits);
        }
        found
    }

    pub(crate) fn may_overload(&self, found: &[Target]) -> bool {
        found
            .first()
            .and_then(Target::sym)
            .and_then(|sym| Some((self.unit_of(sym)?, sym)))
            .is_some_and(|(unit, sym)| unit.rules.overloads && unit.kind(sym.at) == Some(SymbolKind::Method))
    }

    /// Methods that a type binds, and those it inherits that none of them stands in for.
    pub(crate) fn with_inherited(
        &self,
        unit: &FileRef,
        here: &orient_model::Scope,
        name: &str,
        found: Vec<Target>,
    ) -> Vec<Target> {
        let (ScopeKind::Type, Some(symbol)) = (here.kind, here.symbol) else {
            return found;
        };
        let sym = self.canonical(unit.sym(symbol));
        if unit.rules.type_space || !self.may_overload(&found) || self.finds_supertypes(sym) {
            return found;
        }
        self.overloads(&self.own_type(sym), name, 1, found)
    }

    /// What was found, and methods of the name further up the line that none of them stands in for.
    pub(crate) fn overloads(&self, ty: &Ty, name: &str, skip: usize, mut found: Vec<Target>) -> Vec<Target> {
        for of in self.mro(ty).iter().skip(skip) {
            let Ty::Instance(sym, _) = of else { continue };
            for &member in self.members(*sym).get(name).into_iter().flatten() {
                let known = found
                    .iter()
                    .filter_map(Target::sym)
                    .any(|one| one == member || self.has_same_params(one, member));
                if !known {
                    let through = Ty::SeenThrough(of.clone().into(), ty.clone().into());
                    found.extend(self.member_targets(&[member], &through, Rule::Inherited));
                }
            }
        }
        found
    }

    /// Whether one method stands in for another: as many parameters, of types written alike or generic.
    pub(crate) fn has_same_params(&self, one: SymbolId, other: SymbolId) -> bool {
        let (Some(left), Some(right)) = (self.unit_of(one), self.unit_of(other)) else {
            return false;
        };
        let generic = |unit: &FileUnit, at: u32, ty: &str| {
            ty.len() < 2 || crate::calls::overloads::is_type_param(unit, at, ty)
        };
        let (first, second) = (one.at, other.at);
        let (Some(one), Some(other)) = (left.symbol(one.at), right.symbol(other.at)) else {
            return false;
        };
        let alike = one.params.iter().zip(&other.params).all(|(a, b)| {
            let (a, b) =
                (a.ty.map_or("", |ty| left.outline_text(ty)), b.ty.map_or("", |ty| right.outline_text(ty)));
            let (a, b) = (a.trim_end_matches('?'), b.trim_end_matches('?'));
            a == b || generic(&left, first, a) || generic(&right, second, b)
        });
        one.params.len() == other.params.len() && alike
    }

    pub(crate) fn member_targets(&self, members: &[SymbolId], through: &Ty, rule: Rule) -> Vec<Target> {
        let through = Rc::new(through.clone());
        let found = members.iter().filter(|&&member| !self.is_hidden(member)).map(|&member| Target {
            referent: Referent::Symbol(member, Some(through.clone())),
            rule,
            confidence: orient_model::Confidence::Exact,
            receiver_distance: 0,
        });
        self.keep_side(self.prefer_definitions(found.collect()), rule == Rule::Static)
    }
}

/// A type whose arguments are followed no deeper than this.
pub(crate) fn truncate_depth(ty: &Ty, depth: usize) -> Ty {
    let all = |types: &Rc<[Ty]>| -> Rc<[Ty]> {
        match depth {
            0 => types.iter().map(|_| Ty::Unknown).collect(),
            _ => types.iter().map(|ty| truncate_depth(ty, depth - 1)).collect(),
        }
    };
    match ty {
        Ty::Instance(sym, args) if !args.is_empty() => Ty::Instance(*sym, all(args)),
        Ty::Metatype(sym, args) if !args.is_empty() => Ty::Metatype(*sym, all(args)),
        Ty::External(name, args) if !args.is_empty() => Ty::External(name.clone(), all(args)),
        Ty::Tuple(types) => Ty::Tuple(all(types)),
        Ty::Signature(params, result) => Ty::Signature(all(params), truncate_depth(result, depth).into()),
        Ty::Union(types) => Ty::union(types.iter().map(|ty| truncate_depth(ty, depth))),
        Ty::List(inner) => Ty::List(truncate_depth(inner, depth).into()),
        other => other.clone(),
    }
}
