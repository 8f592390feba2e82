//! All declarations of one type: partial classes, reopened namespaces, merged interfaces, blocks of members.

use crate::file::FileRef;
use crate::invalidation::lookups::Reach;
use crate::memo::Keep;
use crate::names::bindings::declares_overloads;
use crate::session::{Namesake, Session};
use crate::types::target::Target;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Modifier, Modules, SymbolKind};
use std::rc::Rc;

impl Session<'_> {
    /// All declarations of a type: itself, its other parts, `impl` blocks.
    pub(crate) fn declarations(&self, sym: SymbolId) -> Rc<[SymbolId]> {
        let find = || self.find_declarations(sym).into();
        self.queries.declarations.get_or(&self.limits, sym, Keep::Uncut, find)
    }

    fn find_declarations(&self, sym: SymbolId) -> Vec<SymbolId> {
        let Some(unit) = self.unit_of(sym) else { return vec![sym] };
        let mut parts = vec![sym];
        for namesake in self.possible_parts(&unit, sym) {
            if namesake.sym != sym
                && can_be_same_type(sym, &unit, &namesake)
                && self.is_same_type(sym, &unit, namesake.sym)
            {
                parts.push(namesake.sym);
            }
        }
        parts
    }

    /// The symbols that may declare the same type, by path and position.
    fn possible_parts(&self, unit: &FileRef, sym: SymbolId) -> Vec<Namesake> {
        // What is only declared here is defined by any type of the name.
        let reach = if unit.is(sym.at, Modifier::Declaration) { Reach::Types } else { Reach::Parts };
        self.symbols_within_or_in(&unit.rules, unit.name(sym.at), reach, sym.file)
    }

    fn is_same_type(&self, sym: SymbolId, unit: &FileRef, other: SymbolId) -> bool {
        let Some(home) = self.unit_of(other) else { return false };
        let (Some(kind), Some(other_kind)) = (unit.kind(sym.at), home.kind(other.at)) else { return false };
        if other_kind == SymbolKind::Impl {
            return matches!(self.impl_target(&home, other.at), Ty::Instance(target, _) if target == sym);
        }
        let both = |modifier| unit.is(sym.at, modifier) && home.is(other.at, modifier);
        let same_place = || unit.full_name(sym.at).is_some_and(|full| home.has_full_name(other.at, full));
        let either_declares =
            unit.is(sym.at, Modifier::Declaration) || home.is(other.at, Modifier::Declaration);
        let is_type = |kind: SymbolKind| kind.is_type() || kind == SymbolKind::Module;
        if !is_type(kind) || !is_type(other_kind) {
            return false;
        }
        let is_open = unit.rules.open_classes || kind == SymbolKind::Module;
        if both(Modifier::Partial) || is_open {
            let alike = || unit.type_params(sym.at).len() == home.type_params(other.at).len();
            return same_place() && alike();
        }
        if either_declares && kind != SymbolKind::Module {
            return same_place();
        }
        unit.rules.declaration_merging && sym.file == other.file && same_place()
    }

    /// Drops forward declarations and setters if there are definitions among the targets.
    pub(crate) fn prefer_definitions(&self, found: Vec<Target>) -> Vec<Target> {
        if found.len() < 2 {
            return found;
        }
        let declares = |found: &Target| {
            found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))).is_some_and(|(unit, sym)| {
                unit.is(sym.at, Modifier::Declaration) || unit.is(sym.at, Modifier::Setter)
            })
        };
        let (declared, mut whole): (Vec<Target>, Vec<Target>) = found.iter().cloned().partition(declares);
        if whole.is_empty() {
            return found;
        }
        // A declaration with other parameters declares an overload, which is defined elsewhere.
        let is_overload = |one: &Target| {
            let syms = whole.iter().filter_map(Target::sym);
            one.sym().is_some_and(|sym| {
                self.unit_of(sym).is_some_and(|unit| {
                    declares_overloads(&unit) && unit.kind(sym.at).is_some_and(SymbolKind::is_callable)
                }) && !syms.clone().any(|other| self.has_same_params(sym, other))
            })
        };
        let overloads: Vec<Target> = declared.into_iter().filter(is_overload).collect();
        whole.extend(overloads);
        whole
    }

    /// The canonical declaration of a type: the first by path and position.
    pub(crate) fn canonical(&self, sym: SymbolId) -> SymbolId {
        let Some(unit) = self.unit_of(sym) else { return sym };
        let is_type = unit.kind(sym.at).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module);
        if !is_type || !(unit.rules.open_classes || unit.is(sym.at, Modifier::Partial)) {
            return sym;
        }
        if let Some(known) = self.queries.canonical.get(&sym) {
            return known;
        }
        let parts = self.declarations(sym);
        let named = self.possible_parts(&unit, sym);
        let first = named.iter().map(|namesake| namesake.sym).find(|one| parts.contains(one)).unwrap_or(sym);
        // All parts share the answer: a namespace may be opened in a thousand files.
        parts.iter().for_each(|&part| self.queries.canonical.insert(part, first));
        first
    }

    /// Whether a symbol is only a declaration of something defined elsewhere.
    pub(crate) fn declares(&self, sym: SymbolId) -> bool {
        self.unit_of(sym).is_some_and(|unit| unit.is(sym.at, Modifier::Declaration))
    }

    /// Whether a symbol is a type or has members like one.
    pub(crate) fn is_type(&self, sym: SymbolId) -> bool {
        self.unit_of(sym).and_then(|unit| unit.kind(sym.at)).is_some_and(|kind| {
            kind.is_type()
                || matches!(kind, SymbolKind::TypeAlias | SymbolKind::Module | SymbolKind::Delegate)
        })
    }
}

/// Whether a symbol of the same name may declare the same type, as far as its kind and modifiers tell.
fn can_be_same_type(sym: SymbolId, unit: &FileRef, other: &Namesake) -> bool {
    let Some(kind) = unit.kind(sym.at) else { return false };
    if other.kind == SymbolKind::Impl {
        return true;
    }
    if !other.kind.is_type() && other.kind != SymbolKind::Module {
        return false;
    }
    if sym.file == other.sym.file {
        return true;
    }
    // If each file is a module, a type of the same name in another file is another type.
    let apart = match unit.rules.modules {
        Modules::Path | Modules::Dotted => true,
        Modules::Tree => kind == SymbolKind::Module,
        _ => false,
    };
    let open = unit.rules.open_classes || kind == SymbolKind::Module || unit.is(sym.at, Modifier::Partial);
    !apart
        && (open || unit.is(sym.at, Modifier::Declaration) || other.modifiers.contains(Modifier::Declaration))
}
