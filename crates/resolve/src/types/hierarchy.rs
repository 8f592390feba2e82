//! Supertypes, and the method resolution order (MRO): the order in which a type and its supertypes are searched for a
//! member.
//!
//! The MRO is a depth-first walk over the direct supertypes, in which the last occurrence of a type counts. So a type comes
//! before its supertypes, and a common base comes after all types that inherit from it.
//!
//! # Example
//!
//! ```text
//! class A            class B(A)          class C(A)          class D(B, C)
//!
//! walk of D:  D  B  A  C  A          MRO of D:  D  B  C  A
//! ```
//!
//! A member that both `A` and `C` declare is found in `C`. With the first occurrence of `A` it would be found in `A`,
//! although `C` overrides it. Type arguments are substituted on the way: of `class Names extends List<String>` the MRO is
//! `Names`, `List<String>`, and a member of `List<T>` that returns `T` returns `String`.
//!
//! Where types are embedded and the member at the least depth is meant, the MRO is the walk level by level instead.

use crate::memo::Keep;
use crate::session::{Session, Site};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Expr, Relation, SymbolKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Maximum depth of a hierarchy.
const MAX_DEPTH: usize = 12;
/// Maximum number of times that one type is followed within a walk: bounds hierarchies with many common bases.
const MAX_REPEATS: usize = 3;
/// Maximum length of an MRO; enough for any hierarchy written by hand.
const MAX_MRO: usize = 64;

/// The direct supertypes of a type, from all its declarations, in source order.
pub(crate) type Supertypes = Rc<[(Ty, Relation)]>;

impl Session<'_> {
    /// The direct supertypes of a type; none while they are being found.
    pub(crate) fn supertypes(&self, sym: SymbolId) -> Supertypes {
        let sym = self.canonical(sym);
        let find = || Some(self.find_supertypes(sym).into());
        self.queries.supertypes.query(&self.limits, sym, Keep::OutermostOrUncut, find).unwrap_or_default()
    }

    /// Whether the supertypes of a type are being found: then its base lists must not be resolved through them.
    pub(crate) fn finds_supertypes(&self, sym: SymbolId) -> bool {
        self.queries.supertypes.in_progress().contains(&sym)
    }

    fn find_supertypes(&self, sym: SymbolId) -> Vec<(Ty, Relation)> {
        let mut bases = Vec::new();
        let mut mixed = Vec::new();
        let first = self.unit_of(sym).is_some_and(|unit| unit.rules.mixins_before_base);
        for &part in self.declarations(sym).iter() {
            let Some(unit) = self.unit_of(part) else { continue };
            for &(expr, scope, relation) in unit.bases(part.at) {
                let site = Site { unit: unit.clone(), scope, at: u32::MAX };
                let list = if first && relation == Relation::Mixes { &mut mixed } else { &mut bases };
                list.extend(self.ty(&site, expr).alternatives().iter().map(|ty| (ty.clone(), relation)));
            }
        }
        self.push_intersection_bases(sym, &mut bases);
        mixed.reverse();
        mixed.extend(bases);
        mixed
    }

    /// The MRO of a type: itself and all its supertypes, nearest first, each with its type arguments substituted.
    pub(crate) fn mro(&self, ty: &Ty) -> Rc<[Ty]> {
        if let Some(known) = self.queries.mros.get(ty) {
            return known;
        }
        self.queries.mros.get_or(&self.limits, ty.clone(), Keep::OutermostOrUncut, || self.linearize(ty))
    }

    fn linearize(&self, ty: &Ty) -> Rc<[Ty]> {
        if let Ty::Instance(sym, _) = ty
            && self.unit_of(*sym).is_some_and(|unit| unit.rules.shallowest_member)
        {
            return self.by_depth(ty);
        }
        let mut walk = Vec::new();
        self.walk_supertypes(ty, &mut walk, 0);
        // Of a base that is reached twice, the later position counts.
        let mut seen = FxHashSet::default();
        let mut kept: Vec<Ty> = walk.into_iter().rev().filter(|ty| seen.insert(key(ty))).collect();
        kept.reverse();
        kept.into()
    }

    /// A type and what it embeds, level by level. At each level, types outside of the repository come last: their members
    /// can hide only those of deeper levels.
    fn by_depth(&self, ty: &Ty) -> Rc<[Ty]> {
        let mut seen = FxHashSet::default();
        let (mut walk, mut level) = (Vec::new(), vec![ty.clone()]);
        for _ in 0..MAX_DEPTH {
            let (known, others): (Vec<Ty>, Vec<Ty>) =
                level.into_iter().partition(|of| matches!(of, Ty::Instance(..)));
            level = Vec::new();
            for of in known {
                let Ty::Instance(sym, _) = of else { continue };
                if walk.len() < MAX_MRO && seen.insert(key(&of)) {
                    let bases = self.supertypes(sym);
                    level.extend(bases.iter().map(|(base, _)| self.substitute_receiver(base, &of)));
                    walk.push(of);
                }
            }
            walk.extend(others.into_iter().filter(|of| seen.insert(key(of))));
        }
        walk.into()
    }

    fn walk_supertypes(&self, ty: &Ty, walk: &mut Vec<Ty>, depth: usize) {
        if depth > MAX_DEPTH || walk.len() > MAX_MRO {
            return;
        }
        let Ty::Instance(sym, _) = ty else {
            walk.push(ty.clone());
            return;
        };
        if walk.iter().filter(|known| key(known) == key(ty)).count() > MAX_REPEATS {
            return;
        }
        walk.push(ty.clone());
        for (base, _) in self.supertypes(*sym).iter() {
            let base = self.substitute_receiver(base, ty);
            self.walk_supertypes(&base, walk, depth + 1);
        }
    }

    /// An alias of an intersection type inherits from its parts: `Base & { more: string }`.
    fn push_intersection_bases(&self, sym: SymbolId, bases: &mut Vec<(Ty, Relation)>) {
        let Some(unit) = self.unit_of(sym) else { return };
        let is_alias = unit.kind(sym.at) == Some(SymbolKind::TypeAlias);
        if !is_alias || !unit.rules.type_namespace || !self.has_members(sym) {
            return;
        }
        let Some(binding) = unit.binding_of(sym.at) else { return };
        let Some(Expr::Either(list)) = binding.ty.map(|ty| unit.expr(ty)) else { return };
        let scope = unit.scope_of(sym.at).unwrap_or_else(|| unit.scope_at(binding.at));
        let site = Site { unit: unit.clone(), scope, at: binding.at };
        for &part in unit.list(list) {
            let ty = self.ty(&site, part);
            if let Ty::Instance(of, _) = &ty
                && *of != sym
            {
                bases.push((ty, Relation::Extends));
            }
        }
    }
}

/// The identity of a type within an MRO: without its type arguments.
fn key(ty: &Ty) -> Ty {
    match ty {
        Ty::Instance(sym, _) => Ty::instance(*sym),
        other => other.clone(),
    }
}
