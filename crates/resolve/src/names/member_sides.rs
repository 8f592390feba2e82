//! Class members and instance members, where these do not see each other.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::Target;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Confidence, Expr, Modifier, Rule, ScopeKind, SymbolKind};

/// Class members or instance members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberSide {
    /// Members of the type itself.
    Type,
    /// Members of its instances.
    Instance,
    /// Either.
    Both,
}

/// Whether symbols of this kind are either class members or instance members.
pub(crate) fn has_side(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field | SymbolKind::Constructor)
}

impl Session<'_> {
    /// Members on one side of a type, searched along its MRO.
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
            let members = self.own_members(*sym, name);
            if !members.is_empty() {
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
        let Some(unit) = self.unit_of(sym) else { return false };
        let is_static = unit.is(sym.at, Modifier::Static);
        match (unit.kind(sym.at), side) {
            (Some(SymbolKind::Constructor), MemberSide::Type) | (None, _) => false,
            (Some(kind), MemberSide::Type) => !has_side(kind) || is_static,
            (Some(kind), MemberSide::Instance) => !has_side(kind) || !is_static,
            (_, MemberSide::Both) => true,
        }
    }

    /// The side of a type that a place inside it sees; none if another type is in between.
    pub(super) fn side(site: &Site, of: u32) -> Option<MemberSide> {
        let unit = &site.unit;
        if !unit.rules.separate_static_members {
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

    /// Whether a scope is inside of a block directly in a type: the caller of the block decides what it sees.
    fn in_function(unit: &FileRef, scope: u32, of: u32) -> bool {
        let mut next = Some(scope);
        while let Some(scope) = next.and_then(|at| unit.scope(at)) {
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

    /// Whether a symbol bound in the scope of a type is on the side that the place sees.
    pub(super) fn is_on_visible_side(site: &Site, scope: Option<ScopeKind>, symbol: u32) -> bool {
        let unit = &site.unit;
        if !unit.rules.separate_static_members || scope != Some(ScopeKind::Type) {
            return true;
        }
        let Some(found) = unit.symbol(symbol) else { return true };
        let (Some(of), true) = (found.parent, has_side(found.kind)) else { return true };
        match Self::side(site, of) {
            Some(MemberSide::Type) => found.modifiers.contains(Modifier::Static),
            Some(MemberSide::Instance) => !found.modifiers.contains(Modifier::Static),
            Some(MemberSide::Both) => true,
            None => false,
        }
    }

    /// Members of the modules that are mixed into the type itself.
    fn mixed_into_type(&self, sym: SymbolId, name: &str) -> Vec<Target> {
        for &part in self.declarations(sym).iter() {
            let Some(unit) = self.unit_of(part) else { continue };
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

    /// Members that a mixin offers as class members, in a module inside of it with a conventional name.
    pub(crate) fn members_for_types(&self, module: SymbolId, name: &str) -> Vec<Target> {
        let Some(unit) = self.unit_of(module) else { return Vec::new() };
        let inner = self.own_members(module, &unit.rules.class_methods_module).into_iter();
        inner
            .flat_map(|inner| {
                self.split_member(&Ty::instance(inner), name, 0, Rule::Inherited, MemberSide::Instance)
            })
            .map(|one| one.at_most(Confidence::Probable))
            .collect()
    }
}
