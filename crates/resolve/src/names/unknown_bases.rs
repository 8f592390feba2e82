//! Bases and receivers outside of the repository: which members they may have, and what takes precedence over these.
//!
//! A type whose base is not in the repository may have members of any name. A name that is looked up inside of such a type
//! means, in this order:
//!
//! 1. a member of the type itself, of its known bases, or of a base whose pack lists its members (`Thread.interrupt`): exact;
//! 2. a type, namespace or macro of an enclosing scope, an import, the package or an included file: exact, because an
//!    external base practically never declares a member type of the same name;
//! 3. a local variable or parameter of an enclosing function: exact;
//! 4. a function, field or constant from there: probable, because an inherited member would hide it;
//! 5. inside an anonymous type, however, what an enclosing type or scope has is exact: such a type is written for a few members, among the code
//!    that it uses;
//! 6. else a member that the base may have. If the repository has a symbol of the name, the reference is unresolved with
//!    candidates (`Reason::Base`); else it is external.

use crate::file::FileRef;
use crate::session::Session;
use crate::types::library::has_library_member;
use crate::types::target::{Referent, Target};
use crate::types::ty::Ty;
use orient_model::{ANONYMOUS, Confidence, Rule, SymbolKind};

impl Session<'_> {
    /// A member that a type inherits, or may inherit, from a base outside of the repository; nothing if all bases are known.
    pub(crate) fn maybe_inherited(&self, ty: &Ty, name: &str) -> Vec<Target> {
        let (Ty::Instance(sym, args) | Ty::Metatype(sym, args)) = ty else { return Vec::new() };
        let Some(home) = self.unit_of(*sym) else { return Vec::new() };
        let line = self.mro(&Ty::Instance(*sym, args.clone()));
        let mut bases = line.iter().skip(1);
        let root = || Ty::External(home.rules.root_type.as_str().into(), Ty::no_args());
        let listed = bases.clone().find_map(|base| Self::listed_member(&home, base, name));
        if let Some(listed) = listed.or_else(|| Self::listed_member(&home, &root(), name)) {
            return vec![listed];
        }
        if bases.any(|base| matches!(base, Ty::External(..) | Ty::Unknown)) {
            return vec![Target::maybe_external(home.name(sym.at), name)];
        }
        Vec::new()
    }

    /// The member of a type outside of the repository, if the pack says that the type has it.
    pub(super) fn listed_member(from: &FileRef, ty: &Ty, name: &str) -> Option<Target> {
        let Ty::External(holder, _) = ty else { return None };
        let is_listed = !holder.is_empty() && has_library_member(&from.rules, ty, name);
        is_listed.then(|| Target::external(holder, name).by(Rule::Inherited))
    }

    /// Lowers the confidence of targets that a member of an unknown base could hide; the possible member itself if
    /// there are no targets.
    pub(super) fn weaken_by_unknown_base(
        &self,
        maybe_inherited_targets: Vec<Target>,
        found: Vec<Target>,
    ) -> Vec<Target> {
        match (maybe_inherited_targets.is_empty(), found.is_empty()) {
            (true, _) => found,
            (_, true) => maybe_inherited_targets,
            _ if maybe_inherited_targets.iter().all(is_of_anonymous) => found,
            _ => found
                .into_iter()
                .map(|one| if self.is_inheritable(&one) { one.at_most(Confidence::Probable) } else { one })
                .collect(),
        }
    }

    /// Whether an inherited member could hide this target.
    fn is_inheritable(&self, found: &Target) -> bool {
        let Referent::Symbol(sym, _) = found.referent else { return false };
        !self.is_type(sym) && self.kind(sym) != Some(SymbolKind::Macro)
    }
}

/// Whether a possible member is one of an anonymous type.
fn is_of_anonymous(found: &Target) -> bool {
    matches!(&found.referent, Referent::External(of, _) if of.ends_with(ANONYMOUS))
}
