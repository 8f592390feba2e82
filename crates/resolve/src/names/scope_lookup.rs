//! From the scope of a use outwards, to the first that has something of its name; then what lies beyond the file.
//!
//! What a scope binds may depend on where in it the use stands; what it offers besides, and what lies beyond all scopes,
//! does not, and is remembered: names are used again and again.

use crate::names::bindings::{Want, can_be_called, can_be_type};
use crate::session::{Frame, Memo, Session};
use crate::types::ty::{Found, Module, Thing, Ty};
use orient_model::{Atom, Modules, Rule, ScopeKind, Shares};
use std::hash::Hash;
use std::rc::Rc;

/// What a scope offers under a name: file, the scope that asks where that matters, the scope, the name.
pub(crate) type Around = (u32, u32, u32, Atom);

/// What lies beyond the scopes under a name: file, the symbol that asks where that matters, the name, what is wanted, and
/// how many types it takes.
pub(crate) type Beyond = (u32, Option<u32>, Atom, Want, Option<usize>);

impl Session<'_> {
    /// What a name means, from the inside out.
    pub(crate) fn look(&self, frame: &Frame, name: &str, want: Want) -> Vec<Found> {
        let unit = &frame.unit;
        let arity = self.arity.take();
        if let Some(found) = self.spelled_out(frame, name) {
            return found;
        }
        let atom = unit.atom(name);
        let mut left_function = false;
        let mut as_other = false;
        // What an unknown base, or an unknown receiver, of the scopes so far may have.
        let mut perhaps: Vec<Found> = Vec::new();
        let mut scope = Some(frame.scope);
        while let Some(at) = scope {
            let Some(here) = unit.facts.flow.scopes.get(at as usize) else { break };
            let mut found = match atom {
                Some(atom) => self.bound_here(frame, at, atom, left_function, want),
                None => Vec::new(),
            };
            if as_other && at != 0 {
                found.retain(|one| !self.is_of_receiver(one));
            }
            self.keep_arity(&mut found, arity);
            if !found.is_empty() {
                return self.unless_inherited(perhaps, self.with_inherited(unit, here, name, found));
            }
            let mut found = if as_other { Vec::new() } else { self.around(frame, at, name, atom) };
            if found.iter().all(Found::is_perhaps_outside) {
                perhaps.append(&mut found);
            }
            if want == Want::Type {
                found.retain(|one| one.sym().is_none_or(|sym| self.kind(sym).is_some_and(can_be_type)));
            }
            if want == Want::Function {
                found.retain(|one| one.sym().is_some_and(|sym| self.kind(sym).is_some_and(can_be_called)));
            }
            self.keep_arity(&mut found, arity);
            if !found.is_empty() {
                return self.unless_inherited(perhaps, found);
            }
            left_function |= here.kind == ScopeKind::Function;
            as_other |= here.kind == ScopeKind::Function && self.runs_as_other(unit, at);
            scope = here.parent;
        }
        let mut found = self.beyond(frame, name, atom, want, arity);
        perhaps.truncate(1);
        if matches!(want, Want::Type | Want::Function) {
            // Whoever wants one of these looks for a definition, and knows what to do without.
            return if found.is_empty() { found } else { self.unless_inherited(perhaps, found) };
        }
        if found.iter().all(|one| matches!(one.thing, Thing::Value(Ty::Module(Module::Namespace(_))))) {
            // Any name may be the first part of a full name, so that proves nothing.
            found.append(&mut perhaps);
            return found;
        }
        self.unless_inherited(perhaps, found)
    }

    /// What a scope offers beyond its own bindings: members of the type it belongs to, and wildcard imports.
    fn around(&self, frame: &Frame, at: u32, name: &str, atom: Option<Atom>) -> Vec<Found> {
        let unit = &frame.unit;
        let Some(here) = unit.facts.flow.scopes.get(at as usize) else { return Vec::new() };
        let members = unit.rules.bare_members && matches!(here.kind, ScopeKind::Type | ScopeKind::Function);
        let spaces = unit.rules.modules == Modules::Include;
        if here.symbol.is_none_or(|_| !members && !spaces) && (at == 0 || unit.wildcards(at).next().is_none())
        {
            return Vec::new();
        }
        let find = || {
            let mut found = Vec::new();
            if let Some(symbol) = here.symbol.filter(|_| members) {
                found = self.bare_members(frame, at, symbol, name);
            }
            if spaces && found.iter().all(Found::is_perhaps_outside) {
                found = self.unless_inherited(found, self.around_in_spaces(unit, here, name));
            }
            if at != 0 && found.iter().all(Found::is_perhaps_outside) {
                found = self.unless_inherited(found, self.wildcard(frame, at, name, None));
            }
            found
        };
        let Some(atom) = atom else { return find() };
        // Where members have sides or holders, it matters who asks.
        let from = if unit.rules.split_members || unit.rules.companions { frame.scope } else { at };
        self.remembered(&self.around, (unit.file, from, at, atom), find)
    }

    /// What a name means that no scope of the file has.
    fn beyond(
        &self,
        frame: &Frame,
        name: &str,
        atom: Option<Atom>,
        want: Want,
        arity: Option<usize>,
    ) -> Vec<Found> {
        let find = || self.find_beyond(frame, name, want, arity);
        let Some(atom) = atom else { return find() };
        let by_place = matches!(frame.unit.rules.shares, Shares::Namespace | Shares::Everything);
        let key = (frame.unit.file, frame.symbol().filter(|_| by_place), atom, want, arity);
        self.remembered(&self.beyond, key, find)
    }

    fn find_beyond(&self, frame: &Frame, name: &str, want: Want, arity: Option<usize>) -> Vec<Found> {
        let unit = &frame.unit;
        let mut found = self.shared(frame, name);
        if want == Want::Type {
            found.retain(|one| !matches!(one.thing, Thing::Value(Ty::Module(_))));
        }
        self.keep_arity(&mut found, arity);
        if !found.is_empty() {
            return found;
        }
        if unit.rules.own_module.iter().any(|own| own == name) {
            return vec![Found::module(Module::File(unit.file), Rule::Scope)];
        }
        let found = self.wildcard(frame, 0, name, arity);
        if !found.is_empty() {
            return found;
        }
        let mut found = self.project_wide(frame, name);
        self.keep_arity(&mut found, arity);
        let may_be_space = matches!(want, Want::Anything | Want::Value);
        if found.is_empty() && may_be_space { self.whole_namespace(unit, name) } else { found }
    }

    /// The answer that is known, or one that is found now; kept where it is all there is to say, whatever else is being
    /// answered.
    fn remembered<K: Eq + Hash>(
        &self,
        memo: &Memo<K, Rc<[Found]>>,
        key: K,
        find: impl FnOnce() -> Vec<Found>,
    ) -> Vec<Found> {
        if let Some(known) = memo.borrow().get(&key) {
            return known.to_vec();
        }
        let before = self.cut();
        let found = find();
        if self.is_top() && self.cut() == before {
            memo.borrow_mut().insert(key, Found::kept(found.clone()));
        }
        found
    }

    /// Names that wildcard imports bring into a scope.
    fn wildcard(&self, frame: &Frame, scope: u32, name: &str, arity: Option<usize>) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let passes_on = |import: &u32| {
            // Where modules are paths, passing all of a module on binds nothing here.
            frame.unit.rules.modules == Modules::Path
                && frame
                    .unit
                    .facts
                    .outline
                    .imports
                    .get(*import as usize)
                    .is_some_and(|import| import.reexport)
        };
        for import in frame.unit.wildcards(scope).filter(|import| !passes_on(import)) {
            for one in self.through_wildcard(&frame.unit, import, name) {
                if !found.iter().any(|known| known.thing == one.thing) {
                    found.push(one);
                }
            }
            self.keep_arity(&mut found, arity);
            if !found.is_empty() {
                break;
            }
        }
        found
    }
}
