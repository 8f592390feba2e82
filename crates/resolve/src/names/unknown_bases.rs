//! Bases and receivers outside of the repository: what they may have, and what takes precedence over it.
//!
//! A type whose base is not in the repository may have members of any name. Where a name is looked up inside of such a type:
//!
//! 1. what the type itself and its known bases define is meant, exactly;
//! 2. a type, namespace or macro that a scope around, an import, the package or an included file defines is meant,
//!    exactly: that a base brings a member type of the same name is possible, and practically does not happen;
//! 3. so are locals and parameters of functions around;
//! 4. a function, field or constant from there is probable: a member of the base would come before it;
//! 5. else it may be a member of the base. Where something in the repository has the name, the use is kept as a candidate for
//!    it (`Reason::Base`); else it leads outside.

use crate::session::Session;
use crate::types::target::{Referent, Target};
use crate::types::ty::Ty;
use orient_model::{Confidence, SymbolKind};

impl Session<'_> {
    /// A member that a type may have from a base that is not known; nothing where all its bases are.
    pub(crate) fn maybe_inherited(&self, ty: &Ty, name: &str) -> Vec<Target> {
        let (Ty::Instance(sym, _) | Ty::Metatype(sym, _)) = ty else {
            return Vec::new();
        };
        if !self.has_unknown_base(ty) {
            return Vec::new();
        }
        let home = self.unit_of(*sym);
        vec![Target::maybe_external(home.as_ref().map_or("", |unit| unit.name(sym.at)), name)]
    }

    /// Whether something that a type inherits from, at any depth, is not in the repository.
    fn has_unknown_base(&self, ty: &Ty) -> bool {
        let of = match ty {
            Ty::Metatype(sym, args) => &Ty::Instance(*sym, args.clone()),
            of => of,
        };
        self.mro(of).iter().skip(1).any(|base| matches!(base, Ty::External(..) | Ty::Unknown))
    }

    /// What a name means by its scopes and imports, given what an unknown base may have under it; that itself where they have
    /// nothing.
    pub(super) fn weaken_by_unknown_base(
        &self,
        maybe_inherited_targets: Vec<Target>,
        found: Vec<Target>,
    ) -> Vec<Target> {
        match (maybe_inherited_targets.is_empty(), found.is_empty()) {
            (true, _) => found,
            (_, true) => maybe_inherited_targets,
            _ => found
                .into_iter()
                .map(|one| if self.is_inheritable(&one) { one.at_most(Confidence::Probable) } else { one })
                .collect(),
        }
    }

    /// Whether a base may well have a member that would be meant in place of this.
    fn is_inheritable(&self, found: &Target) -> bool {
        let Referent::Symbol(sym, _) = found.referent else {
            return false;
        };
        !self.is_type(sym) && self.kind(sym) != Some(SymbolKind::Macro)
    }
}
