//! Members without an explicit receiver: a bare name that means a member of the enclosing type, of a companion or of a
//! subtype.

use crate::file::FileRef;
use crate::invalidation::lookups::Reach;
use crate::names::member_sides::{MemberSide, has_side};
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Confidence, Modifier, Rule, ScopeKind, SymbolKind};

/// Maximum number of members of one name that are checked for subtypes.
const MAX_SUBTYPES: usize = 64;

impl Session<'_> {
    /// Members of the type that a scope belongs to, by their bare name.
    pub(super) fn bare_members(&self, site: &Site, at: u32, symbol: u32, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        let kind = unit.scope(at).map(|scope| scope.kind);
        let val = if kind == Some(ScopeKind::Type) {
            let sym = self.canonical(unit.sym(symbol));
            if self.finds_supertypes(sym) {
                // The supertypes are being found, so the name cannot come from them.
                let own = self.own_members(sym, name);
                return self.member_targets(&own, &Ty::instance(sym), Rule::Receiver);
            }
            match Self::side(site, symbol) {
                Some(MemberSide::Type) => Value::new(Ty::Metatype(sym, Ty::no_args()), Rule::Receiver),
                Some(_) => Value::new(Ty::instance(sym), Rule::Receiver),
                // The scope belongs to an outer type: its nested types and constants are visible, its methods are not.
                None => return self.nested_names(sym, name),
            }
        } else if let Some(val) = self.lambda_receiver(unit, at) {
            if !val.ty.is_known() {
                return vec![Target::maybe_external("", name)];
            }
            val
        } else if let Some(ty) = self.qualifier_type(unit, symbol) {
            Value::new(ty, Rule::Receiver)
        } else {
            // Of a receiver outside of the repository, only the extensions are known.
            let found = self.extended_type(unit, symbol).map(|ty| self.extension(&ty, name, unit));
            return self.visible_extensions(site, found.unwrap_or_default());
        };
        let mut found = self.visible_extensions(site, self.member(&val, name, unit));
        found.retain(|one| one.sym().is_none_or(|sym| self.kind(sym) != Some(SymbolKind::Constructor)));
        if found.is_empty() {
            found = self.maybe_inherited(&val.ty, name);
        }
        let listed = found.iter().find_map(|one| match &one.referent {
            Referent::External(of, _) => {
                Self::listed_member(unit, &Ty::External(of.clone(), Ty::no_args()), name)
            }
            _ => None,
        });
        if let Some(listed) = listed {
            return vec![listed];
        }
        if found.iter().all(|one| matches!(one.referent, Referent::External(..))) {
            // There is no explicit receiver: the name may mean something further out.
            found = found.into_iter().map(|one| one.at_most(Confidence::Approximate)).collect();
            if unit.rules.companion_objects && kind == Some(ScopeKind::Type) {
                let companions = self.companion_members(&Ty::instance(unit.sym(symbol)), name, false);
                return self.weaken_by_unknown_base(found, companions);
            }
        }
        found
    }

    /// Members that the type of `self` lacks and its subtypes have: a mixin or an abstract base relies on them.
    pub(crate) fn subtype_members(&self, sym: SymbolId, name: &str, from: &FileRef) -> Vec<Target> {
        let namesakes = self.symbols_within(&from.rules, name, Reach::Anywhere);
        let mut found = Vec::new();
        for namesake in namesakes.iter().filter(|namesake| has_side(namesake.kind)).take(MAX_SUBTYPES) {
            let Some(home) = self.unit_of(namesake.sym) else { continue };
            let Some(subtype) = home.symbol(namesake.sym.at).and_then(|symbol| symbol.parent) else {
                continue;
            };
            let is_type = home.kind(subtype).is_some_and(SymbolKind::is_type);
            let subtype = Ty::instance(home.sym(subtype));
            let inherits = |ty: &Ty| matches!(ty, Ty::Instance(base, _) if *base == sym);
            if is_type && self.mro(&subtype).iter().skip(1).any(inherits) {
                let referent = Referent::Symbol(namesake.sym, Some(subtype.into()));
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

    /// Nested types and constants of a type, by name.
    fn nested_names(&self, sym: SymbolId, name: &str) -> Vec<Target> {
        let mut found = self.type_member(&Ty::instance(sym), name, 0, Rule::Static);
        found.retain(|one| one.sym().and_then(|sym| self.kind(sym)).is_some_and(|kind| !has_side(kind)));
        found
    }

    /// Members of the companion objects of a type and of its supertypes; with `own`, of the type alone.
    pub(crate) fn companion_members(&self, ty: &Ty, name: &str, own: bool) -> Vec<Target> {
        let Ty::Instance(sym, _) = ty else { return Vec::new() };
        if !self.unit_of(*sym).is_some_and(|home| home.rules.companion_objects) {
            return Vec::new();
        }
        let most = if own { 1 } else { usize::MAX };
        for of in self.mro(ty).iter().take(most) {
            let Ty::Instance(sym, _) = of else { continue };
            let Some(unit) = self.unit_of(*sym) else { continue };
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
}
