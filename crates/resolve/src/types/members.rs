//! The members of a type: its own, and those it inherits by the MRO.

use crate::calls::overloads::{MAX_OVERLOADS, bounded_overloads, is_type_param};
use crate::file::FileRef;
use crate::file::file_unit::Members;
use crate::invalidation::slots::Slot;
use crate::memo::Keep;
use crate::names::member_sides::MemberSide;
use crate::session::Session;
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Confidence, Modifier, Modules, Rule, Scope, ScopeKind, SharedScope, SymbolKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;

impl Session<'_> {
    /// The members of a type itself, from all its declarations, with a name.
    pub(crate) fn own_members(&self, sym: SymbolId, name: &str) -> Vec<SymbolId> {
        self.dependencies.on_slot(Slot::Name(name));
        self.member_table(sym).get(name).cloned().unwrap_or_default()
    }

    /// The members of a type itself by name. Its files are read; the caller records the name that it looks up.
    fn member_table(&self, sym: SymbolId) -> Arc<Members> {
        let sym = self.canonical(sym);
        let find = || Some(self.find_members(sym));
        self.queries.members.query(&self.limits, sym, Keep::OutermostOrUncut, find).unwrap_or_default()
    }

    /// The members of a type itself with this name. Where case does not matter, a method may be spelled otherwise.
    pub(crate) fn members_called(&self, sym: SymbolId, name: &str) -> Option<Vec<SymbolId>> {
        self.dependencies.on_slot(Slot::Name(name));
        let members = self.member_table(sym);
        if let Some(found) = members.get(name) {
            return Some(found.clone());
        }
        if !self.unit_of(sym).is_some_and(|home| home.rules.caseless_functions) {
            return None;
        }
        self.dependencies.on_slot(Slot::Name(&name.to_ascii_lowercase()));
        let alike = members.iter().filter(|(spelled, _)| spelled.eq_ignore_ascii_case(name));
        let methods =
            |found: &&Vec<SymbolId>| found.iter().all(|&one| self.kind(one) == Some(SymbolKind::Method));
        alike.map(|(_, found)| found).filter(methods).min_by_key(|found| found[0]).cloned()
    }

    fn find_members(&self, sym: SymbolId) -> Arc<Members> {
        let (parts, elsewhere) = (self.declarations(sym), self.members_elsewhere(sym));
        if let ([only], []) = (&parts[..], &elsewhere[..]) {
            return self.unit_of(*only).map(|unit| unit.member_table(only.at)).unwrap_or_default();
        }
        self.resolver.members(&[&parts, &[sym], &elsewhere], || {
            let mut members = Members::default();
            for &part in parts.iter() {
                let (Some(unit), symbol) = (self.unit_of(part), part.at) else { continue };
                let part = unit.unrecorded();
                for child in part.members_in(symbol) {
                    members.entry(part.name(child).into()).or_default().push(unit.sym(child));
                }
            }
            for &member in &elsewhere {
                if let Some(unit) = self.unit_of(member) {
                    members.entry(unit.unrecorded().name(member.at).into()).or_default().push(member);
                }
            }
            members
        })
    }

    /// Members declared outside of their type that name it as receiver or container.
    fn members_elsewhere(&self, sym: SymbolId) -> Vec<SymbolId> {
        let Some(unit) = self.unit_of(sym) else { return Vec::new() };
        let name = unit.name(sym.at);
        if unit.rules.type_namespace {
            let parent = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
            // Where they are looked up, their names are recorded.
            let file = unit.unrecorded();
            let beside = file.children(parent).iter();
            return beside.filter(|&&at| file.qualifier(at) == Some(name)).map(|&at| unit.sym(at)).collect();
        }
        if unit.rules.shared_scope != SharedScope::Directory {
            return Vec::new();
        }
        let mut members = Vec::new();
        for beside in self.package_files(&unit.directory()) {
            if beside.package() == unit.package() && beside.rules.family == unit.rules.family {
                // Where they are looked up, their names are recorded.
                members.extend(beside.unrecorded().qualified_by(name).map(|child| beside.sym(child)));
            }
        }
        members
    }

    /// Whether a type has members of its own, as a type alias with methods does.
    pub(super) fn has_members(&self, sym: SymbolId) -> bool {
        for part in self.declarations(sym).iter() {
            self.unit_of(*part).into_iter().for_each(|unit| unit.reads_members(part.at));
        }
        !self.member_table(sym).is_empty()
    }

    /// Members of a type by name, searched along its MRO; `skip` 1 leaves out the type itself.
    pub(crate) fn type_member(&self, ty: &Ty, name: &str, skip: usize, base_rule: Rule) -> Vec<Target> {
        let home = if let Ty::Instance(sym, _) = ty { self.unit_of(*sym) } else { None };
        if home.as_ref().is_some_and(|home| home.rules.separate_static_members) {
            let side = if base_rule == Rule::Static { MemberSide::Type } else { MemberSide::Instance };
            let found = self.split_member(ty, name, skip, base_rule, side);
            if base_rule != Rule::Super || !found.is_empty() {
                return found;
            }
            return self.split_member(ty, name, skip, base_rule, MemberSide::Type);
        }
        // The type's own members come first: its MRO may depend on the very lookup in progress.
        if skip == 0
            && let Ty::Instance(sym, _) = ty
            && let Some(own) = self.members_called(*sym, name)
            && !own.iter().all(|&one| self.is_hidden(one))
        {
            let found = self.member_targets(&own, ty, base_rule);
            return if self.may_overload(&found) { self.overloads(ty, name, skip, found) } else { found };
        }
        // Something outside of the repository that is nearer may have the member.
        let mut most = Confidence::Exact;
        for (at, of) in self.mro(ty).iter().enumerate().skip(skip) {
            let Ty::Instance(sym, _) = of else {
                if home.as_ref().is_some_and(|home| home.rules.shallowest_member) {
                    most = Confidence::Probable;
                }
                continue;
            };
            if let Some(members) = self.members_called(*sym, name)
                && !members.iter().all(|&one| self.is_hidden(one))
                && (at == 0 || !self.is_private_to_base(ty, *sym, &members))
            {
                let rule = if at == 0 || base_rule == Rule::Super { base_rule } else { Rule::Inherited };
                let through =
                    if at == 0 { of.clone() } else { Ty::SeenThrough(of.clone().into(), ty.clone().into()) };
                let found = self.member_targets(&members, &through, rule);
                let found: Vec<Target> = found.into_iter().map(|one| one.at_most(most)).collect();
                return if self.may_overload(&found) { self.overloads(ty, name, skip, found) } else { found };
            }
        }
        Vec::new()
    }

    /// Methods that the scope of a type binds, and inherited overloads that they do not override.
    pub(crate) fn with_inherited(
        &self,
        unit: &FileRef,
        here: &Scope,
        name: &str,
        found: Vec<Target>,
    ) -> Vec<Target> {
        let (ScopeKind::Type, Some(symbol)) = (here.kind, here.symbol) else { return found };
        let sym = self.canonical(unit.sym(symbol));
        if unit.rules.type_namespace || !self.may_overload(&found) || self.finds_supertypes(sym) {
            return found;
        }
        self.overloads(&self.own_type(sym), name, 1, found)
    }

    /// Adds the overloads further up the MRO that none of the targets overrides.
    fn overloads(&self, ty: &Ty, name: &str, skip: usize, mut found: Vec<Target>) -> Vec<Target> {
        let mut seen: FxHashSet<SymbolId> = found.iter().filter_map(Target::sym).collect();
        for of in self.mro(ty).iter().skip(skip) {
            let Ty::Instance(sym, _) = of else { continue };
            for member in self.own_members(*sym, name) {
                if found.len() >= MAX_OVERLOADS {
                    return found.into_iter().map(|one| one.at_most(Confidence::Approximate)).collect();
                }
                let overrides = |one: SymbolId| self.has_same_params(one, member);
                if seen.insert(member) && !found.iter().filter_map(Target::sym).any(overrides) {
                    let through = Ty::SeenThrough(of.clone().into(), ty.clone().into());
                    found.extend(self.member_targets(&[member], &through, Rule::Inherited));
                }
            }
        }
        found
    }

    fn may_overload(&self, found: &[Target]) -> bool {
        found.first().and_then(Target::sym).and_then(|sym| Some((self.unit_of(sym)?, sym))).is_some_and(
            |(unit, sym)| {
                // With includes, a member hides all members of its name in the bases.
                let hides = unit.rules.modules == Modules::Include;
                unit.rules.overloads && !hides && unit.kind(sym.at) == Some(SymbolKind::Method)
            },
        )
    }

    /// Whether one method overrides another: the same number of parameters, with equal or generic types.
    pub(crate) fn has_same_params(&self, one: SymbolId, other: SymbolId) -> bool {
        let (Some(left), Some(right)) = (self.unit_of(one), self.unit_of(other)) else { return false };
        let generic = |unit: &FileRef, at: u32, ty: &str| ty.len() < 2 || is_type_param(unit, at, ty);
        let (first, second) = (one.at, other.at);
        let (Some(one), Some(other)) = (left.symbol(one.at), right.symbol(other.at)) else { return false };
        let alike = one.params.iter().zip(other.params).all(|(a, b)| {
            let (a, b) =
                (a.ty.map_or("", |ty| left.outline_text(ty)), b.ty.map_or("", |ty| right.outline_text(ty)));
            let (a, b) = (a.trim_end_matches('?'), b.trim_end_matches('?'));
            a == b || generic(&left, first, a) || generic(&right, second, b)
        });
        let variadic = one.params.iter().zip(other.params).all(|(a, b)| a.variadic == b.variadic);
        one.params.len() == other.params.len() && alike && variadic
    }

    pub(crate) fn member_targets(&self, members: &[SymbolId], through: &Ty, rule: Rule) -> Vec<Target> {
        let through = Rc::new(through.clone());
        let (members, confidence) = bounded_overloads(members);
        let found = members.iter().filter(|&&member| !self.is_hidden(member)).map(|&member| Target {
            referent: Referent::Symbol(member, Some(through.clone())),
            rule,
            confidence,
            receiver_distance: 0,
        });
        self.keep_side(self.prefer_definitions(found.collect()), rule == Rule::Static)
    }

    /// Keeps static members or instance members, if there are both.
    fn keep_side(&self, mut found: Vec<Target>, of_type: bool) -> Vec<Target> {
        let fits = |one: &Target| {
            let at = one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
            at.is_none_or(|(unit, at)| unit.is(at, Modifier::Static) == of_type)
        };
        let type_space = |one: &Target| {
            one.sym().and_then(|sym| self.unit_of(sym)).is_some_and(|unit| unit.rules.type_namespace)
        };
        if found.len() > 1 && found.iter().all(type_space) && found.iter().any(fits) {
            found.retain(fits);
        }
        found
    }
}
