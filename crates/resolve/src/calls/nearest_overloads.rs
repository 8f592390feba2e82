//! Overloads of a derived type and of its bases: where those of the derived type that take the arguments hide the others.
//!
//! # Example
//!
//! ```text
//! class Base { virtual void Put(int n); }      class Derived : Base { override void Put(int n); void Put(object o); }
//!
//! derived.Put(3)     Put(object): the override counts as the method of `Base` that it overrides
//! ```

use crate::calls::overloads::{MISMATCH, UNKNOWN};
use crate::session::{Session, Site};
use crate::types::target::Target;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Confidence, ExprId, Modifier};

impl Session<'_> {
    /// Of applicable methods, those of the most derived type that has one. If it is not known whether that one takes the
    /// arguments, none is proven.
    pub(super) fn prefer_nearest(&self, site: &Site, found: Vec<Target>, args: &[ExprId]) -> Vec<Target> {
        if found.len() < 2 || !site.unit.rules.nearest_overloads {
            return found;
        }
        let declared_by: Vec<Option<SymbolId>> = found.iter().map(|one| self.first_declaring(one)).collect();
        let fits: Vec<Fit> = found.iter().map(|one| self.fit(site, one, args)).collect();
        let is_hidden_by = |at: usize, fit: Fit| {
            (0..found.len())
                .any(|other| fits[other] == fit && self.is_derived_from(declared_by[other], declared_by[at]))
        };
        let keeps: Vec<usize> = (0..found.len()).filter(|&at| !is_hidden_by(at, Fit::Takes)).collect();
        let most = |at: usize| {
            if is_hidden_by(at, Fit::MayTake) { Confidence::Probable } else { Confidence::Exact }
        };
        keeps.into_iter().map(|at| found[at].clone().at_most(most(at))).collect()
    }

    /// The type that first declares a method: for an override, the type whose method it overrides.
    fn first_declaring(&self, found: &Target) -> Option<SymbolId> {
        let sym = found.sym()?;
        let unit = self.unit_of(sym)?;
        let own = self.canonical(unit.sym(unit.symbol(sym.at)?.parent?));
        if !unit.is(sym.at, Modifier::Override) {
            return Some(own);
        }
        let line = self.mro(&Ty::instance(own));
        let declares = |of: &Ty| match of {
            Ty::Instance(base, _) => {
                let mut members = self.own_members(*base, unit.name(sym.at)).into_iter();
                members.any(|one| self.has_same_params(one, sym)).then_some(*base)
            }
            _ => None,
        };
        line.iter().rev().find_map(declares)
    }

    fn is_derived_from(&self, one: Option<SymbolId>, other: Option<SymbolId>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return false };
        let is_other = |of: &Ty| matches!(of, Ty::Instance(sym, _) if *sym == other);
        one != other && self.mro(&Ty::instance(one)).iter().any(is_other)
    }

    fn fit(&self, site: &Site, found: &Target, args: &[ExprId]) -> Fit {
        let scores = self.argument_scores(site, found, args);
        if scores.contains(&MISMATCH) {
            Fit::Mismatch
        } else if found.sym().is_some()
            && scores.iter().enumerate().all(|(at, &score)| score > UNKNOWN || self.takes_anything(found, at))
        {
            Fit::Takes
        } else {
            Fit::MayTake
        }
    }
}

/// Whether a method takes the arguments of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Takes,
    MayTake,
    Mismatch,
}
