//! Scope lookup: from the scope of a reference outwards to the first scope that has the name, then beyond the file.
//!
//! What a scope binds may depend on the position of the reference. What it offers besides (inherited members, wildcard
//! imports), and what is visible beyond all scopes, does not depend on it and is memoized.

use crate::memo::Keep;
use crate::modules::SeenFrom;
use crate::names::bindings::{LookupKind, can_be_called, can_be_type};
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::{Module, Ty};
use orient_model::{Atom, Modules, Rule, ScopeKind, SharedScope};

/// The key of what a scope offers besides its bindings: file, scope of the reference if it matters, scope, name.
pub(crate) type ScopeMemberKey = (u32, u32, u32, Atom);

/// The key of what is visible beyond all scopes: file, enclosing symbol if it matters, name, kind of lookup, number of
/// type parameters.
pub(crate) type BeyondKey = (u32, Option<u32>, Atom, LookupKind, Option<usize>);

impl Session<'_> {
    /// What a name means, from the innermost scope outwards. `accepts` decides whether the targets of a scope may be meant; if not, the
    /// search goes on.
    pub(super) fn walk_scopes(
        &self,
        site: &Site,
        name: &str,
        lookup_kind: LookupKind,
        accepts: &dyn Fn(&[Target]) -> bool,
    ) -> Vec<Target> {
        let unit = &site.unit;
        let arity = self.arity.take();
        if let Some(found) = self.qualified_name(site, name) {
            return found;
        }
        let atom = unit.atom(name);
        let mut left_function = false;
        let mut as_other = false;
        // Members that an unknown base or receiver of the scopes so far may have.
        let mut maybe_inherited_targets: Vec<Target> = Vec::new();
        // Local names come before the members of all receivers of the functions around them.
        let locals_first = !unit.rules.receiver_scope_methods.is_empty();
        let mut receivers: Vec<u32> = Vec::new();
        let mut scope = Some(site.scope);
        while let Some(at) = scope {
            let Some(here) = unit.scope(at) else { break };
            if at == 0 || here.kind == ScopeKind::Type {
                for inner in std::mem::take(&mut receivers) {
                    let found = self.scope_offers(site, inner, name, atom, lookup_kind);
                    if found.iter().all(Target::is_maybe_external) {
                        maybe_inherited_targets.extend(found);
                    } else if accepts(&found) {
                        return self.weaken_by_unknown_base(maybe_inherited_targets, found);
                    }
                }
            }
            let mut found = match atom {
                Some(atom) => self.bindings_in_scope(site, at, atom, left_function, lookup_kind),
                None => Vec::new(),
            };
            if as_other && at != 0 {
                found.retain(|one| !self.depends_on_self(one));
            } else if as_other {
                found = self.weaken_by_other_self(found);
            }
            self.retain_arity(&mut found, arity);
            if !found.is_empty() {
                let found = self.with_inherited(unit, here, name, found);
                if accepts(&found) {
                    return self.weaken_by_unknown_base(maybe_inherited_targets, found);
                }
            }
            let waits = locals_first && at != 0 && here.kind != ScopeKind::Type;
            if waits && here.kind == ScopeKind::Function && !as_other {
                receivers.push(at);
            }
            let mut found = if as_other || waits {
                Vec::new()
            } else {
                self.scope_offers(site, at, name, atom, lookup_kind)
            };
            if found.iter().all(Target::is_maybe_external) {
                maybe_inherited_targets.append(&mut found);
            }
            self.retain_arity(&mut found, arity);
            if !found.is_empty() && accepts(&found) {
                return self.weaken_by_unknown_base(maybe_inherited_targets, found);
            }
            left_function |= here.kind == ScopeKind::Function;
            as_other |= here.kind == ScopeKind::Function && self.rebinds_self(unit, at);
            scope = here.parent;
        }
        let mut found = self.beyond_scopes(site, name, atom, lookup_kind, arity);
        if as_other {
            found = self.weaken_by_other_self(found);
        }
        if !found.is_empty() && !accepts(&found) {
            found.clear();
        }
        maybe_inherited_targets.truncate(1);
        if matches!(lookup_kind, LookupKind::Type | LookupKind::Function) {
            // These lookups want a definition; their callers handle its absence.
            return if found.is_empty() {
                found
            } else {
                self.weaken_by_unknown_base(maybe_inherited_targets, found)
            };
        }
        if found.iter().all(|one| matches!(one.referent, Referent::Value(Ty::Module(Module::Namespace(_))))) {
            // Any name may be the first part of a qualified name, so this proves nothing.
            found.append(&mut maybe_inherited_targets);
            return found;
        }
        self.weaken_by_unknown_base(maybe_inherited_targets, found)
    }

    /// What a scope offers to a lookup of this kind besides its own bindings. Members that an unknown base may have are of every kind.
    fn scope_offers(
        &self,
        site: &Site,
        at: u32,
        name: &str,
        atom: Option<Atom>,
        lookup_kind: LookupKind,
    ) -> Vec<Target> {
        let mut found = self.scope_members(site, at, name, atom);
        if found.iter().all(Target::is_maybe_external) {
            return found;
        }
        // A member of a type outside of the repository, which its pack lists.
        let is_listed =
            |one: &Target| matches!(one.referent, Referent::External(..)) && one.rule == Rule::Inherited;
        match lookup_kind {
            LookupKind::Type => {
                found.retain(|one| {
                    one.sym().map_or(!is_listed(one), |sym| self.kind(sym).is_some_and(can_be_type))
                });
            }
            LookupKind::Function => {
                found.retain(|one| {
                    one.sym().map_or(is_listed(one), |sym| self.kind(sym).is_some_and(can_be_called))
                });
            }
            LookupKind::Anything | LookupKind::Value => {}
        }
        found
    }

    /// What a scope offers besides its own bindings: members of the type it belongs to, and wildcard imports.
    fn scope_members(&self, site: &Site, at: u32, name: &str, atom: Option<Atom>) -> Vec<Target> {
        let unit = &site.unit;
        let Some(here) = unit.scope(at) else { return Vec::new() };
        let members =
            unit.rules.implicit_receiver && matches!(here.kind, ScopeKind::Type | ScopeKind::Function);
        let spaces = unit.rules.modules == Modules::Include;
        if here.symbol.is_none_or(|_| !members && !spaces) && (at == 0 || unit.wildcards(at).next().is_none())
        {
            return Vec::new();
        }
        let find = || {
            let mut found = Vec::new();
            if let Some(symbol) = here.symbol.filter(|_| members) {
                found = self.bare_members(site, at, symbol, name);
            }
            if spaces && found.iter().all(Target::is_maybe_external) {
                found =
                    self.weaken_by_unknown_base(found, self.enclosing_namespace_symbols(unit, here, name));
            }
            if at != 0 && found.iter().all(Target::is_maybe_external) {
                found = self.weaken_by_unknown_base(found, self.wildcard_names(site, at, name, None));
            }
            found
        };
        let Some(atom) = atom else { return find() };
        // With class members or extension owners, the answer depends on the scope of the reference.
        let from =
            if unit.rules.separate_static_members || unit.rules.companion_objects { site.scope } else { at };
        let (key, find) = ((unit.file, from, at, atom), || Target::stored(find()));
        self.queries.scope_members.get_or(&self.limits, key, Keep::OutermostAndUncut, find).to_vec()
    }

    /// What a name means that no scope of the file binds.
    fn beyond_scopes(
        &self,
        site: &Site,
        name: &str,
        atom: Option<Atom>,
        lookup_kind: LookupKind,
        arity: Option<usize>,
    ) -> Vec<Target> {
        let find = || self.find_beyond_scopes(site, name, lookup_kind, arity);
        let Some(atom) = atom else { return find() };
        let by_place =
            matches!(site.unit.rules.shared_scope, SharedScope::Namespace | SharedScope::Everything);
        let key = (site.unit.file, site.symbol().filter(|_| by_place), atom, lookup_kind, arity);
        let find = || Target::stored(find());
        self.queries.beyond_scopes.get_or(&self.limits, key, Keep::OutermostAndUncut, find).to_vec()
    }

    fn find_beyond_scopes(
        &self,
        site: &Site,
        name: &str,
        lookup_kind: LookupKind,
        arity: Option<usize>,
    ) -> Vec<Target> {
        let unit = &site.unit;
        let mut found = self.visible_without_import(site, name);
        if lookup_kind == LookupKind::Type {
            found.retain(|one| !matches!(one.referent, Referent::Value(Ty::Module(_))));
        }
        self.retain_arity(&mut found, arity);
        if !found.is_empty() {
            return found;
        }
        if unit.rules.own_module_names.iter().any(|own| own == name) {
            return vec![Target::module(Module::File(unit.file), Rule::Scope)];
        }
        let found = self.wildcard_names(site, 0, name, arity);
        if !found.is_empty() {
            return found;
        }
        let mut found = self.project_wide(site, name);
        self.retain_arity(&mut found, arity);
        let may_be_space = matches!(lookup_kind, LookupKind::Anything | LookupKind::Value);
        if found.is_empty() && may_be_space { self.namespace_prefix(unit, name) } else { found }
    }

    /// Names that wildcard imports bring into a scope.
    fn wildcard_names(&self, site: &Site, scope: u32, name: &str, arity: Option<usize>) -> Vec<Target> {
        if matches!(site.unit.rules.modules, Modules::Path | Modules::Dotted | Modules::Tree) {
            return self.name_through_wildcards(&site.unit, scope, SeenFrom::Inside, name);
        }
        let mut found: Vec<Target> = Vec::new();
        for import in site.unit.wildcards(scope) {
            for one in self.through_wildcard(&site.unit, import, name) {
                if !found.iter().any(|known| known.referent == one.referent) {
                    found.push(one);
                }
            }
            self.retain_arity(&mut found, arity);
            if !found.is_empty() {
                break;
            }
        }
        found
    }
}
