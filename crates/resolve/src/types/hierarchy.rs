//! Supertypes, and the method resolution order (MRO): the order in which a type and its supertypes are searched for a member.

use crate::memo::Keep;
use crate::session::{Session, Site};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Expr, Relation, SymbolKind};
use std::rc::Rc;

/// How many bases are followed; enough for any hierarchy written by hand.
const LINE: usize = 64;

/// What a type inherits from, in all its parts, in the order of the source.
pub(crate) type Supertypes = Rc<[(Ty, Relation)]>;

impl Session<'_> {
    /// What a type inherits from; nothing while that is being found.
    pub(crate) fn bases(&self, sym: SymbolId) -> Supertypes {
        let sym = self.canonical(sym);
        let find = || Some(self.find_bases(sym).into());
        self.queries.supertypes.query(&self.limits, sym, Keep::OutermostOrUncut, find).unwrap_or_default()
    }

    /// Whether the supertypes of a type are being found: then its base lists must not be resolved through them.
    pub(crate) fn finds_supertypes(&self, sym: SymbolId) -> bool {
        self.queries.supertypes.in_progress().contains(&sym)
    }

    fn find_bases(&self, sym: SymbolId) -> Vec<(Ty, Relation)> {
        let mut bases = Vec::new();
        let mut mixed = Vec::new();
        let first = self.unit_of(sym).is_some_and(|unit| unit.rules.mixins_before_base);
        for &part in self.declarations(sym).iter() {
            let Some(unit) = self.unit_of(part) else {
                continue;
            };
            for &(expr, scope, relation) in unit.bases(part.at) {
                let site = Site { unit: unit.clone(), scope, at: u32::MAX };
                let list = if first && relation == Relation::Mixes { &mut mixed } else { &mut bases };
                list.extend(self.ty(&site, expr).alternatives().iter().map(|ty| (ty.clone(), relation)));
            }
        }
        self.joined(sym, &mut bases);
        mixed.reverse();
        mixed.extend(bases);
        mixed
    }

    /// A type and all it inherits from, nearest first, each with its arguments as seen from here.
    pub(crate) fn mro(&self, ty: &Ty) -> Rc<[Ty]> {
        if let Some(known) = self.queries.mros.get(ty) {
            return known;
        }
        self.queries.mros.get_or(&self.limits, ty.clone(), Keep::OutermostOrUncut, || self.linearize(ty))
    }

    fn linearize(&self, ty: &Ty) -> Rc<[Ty]> {
        let mut line = Vec::new();
        self.extend_mro(ty, &mut line, 0);
        // Of a base that is reached twice, the later place counts.
        let mut seen = rustc_hash::FxHashSet::default();
        let mut kept: Vec<Ty> = line.into_iter().rev().filter(|ty| seen.insert(key(ty))).collect();
        kept.reverse();
        kept.into()
    }

    fn extend_mro(&self, ty: &Ty, line: &mut Vec<Ty>, depth: usize) {
        if depth > 12 || line.len() > LINE {
            return;
        }
        let Ty::Instance(sym, _) = ty else {
            line.push(ty.clone());
            return;
        };
        if line.iter().filter(|known| key(known) == key(ty)).count() > 3 {
            return;
        }
        line.push(ty.clone());
        for (base, _) in self.bases(*sym).iter() {
            let base = self.substitute_receiver(base, ty);
            self.extend_mro(&base, line, depth + 1);
        }
    }

    /// An alias that adds members to other types has theirs, too: `Base & { more: string }`.
    pub(crate) fn joined(&self, sym: SymbolId, bases: &mut Vec<(Ty, Relation)>) {
        let Some(unit) = self.unit_of(sym) else {
            return;
        };
        let is_project_alias = unit.kind(sym.at) == Some(SymbolKind::TypeAlias);
        if !is_project_alias || !unit.rules.type_namespace || self.members(sym).is_empty() {
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
}

/// What tells one type of a line from another.
pub(crate) fn key(ty: &Ty) -> Ty {
    match ty {
        Ty::Instance(sym, _) => Ty::instance(*sym),
        other => other.clone(),
    }
}
