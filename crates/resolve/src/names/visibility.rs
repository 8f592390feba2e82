//! Visibility: which definitions are hidden, private, or confined to their file or script.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::Target;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Modifier, SymbolKind, Visibility};

impl Session<'_> {
    /// Whether a symbol can be applied as an annotation or attribute.
    pub(crate) fn can_annotate(&self, sym: SymbolId) -> bool {
        let Some(unit) = self.unit_of(sym) else { return false };
        let Some(symbol) = unit.symbol(sym.at) else { return false };
        let is_attribute = |text: &str| unit.rules.attribute_macros.iter().any(|name| name == text);
        symbol.kind.is_type()
            || matches!(symbol.kind, SymbolKind::Macro | SymbolKind::TypeAlias)
            || symbol.attributes.iter().any(|&text| is_attribute(unit.outline_text(text)))
    }

    /// Whether a symbol exists for binary compatibility only: no source refers to it.
    pub(crate) fn is_hidden(&self, sym: SymbolId) -> bool {
        let Some(unit) = self.unit_of(sym).filter(|unit| !unit.rules.hiding_annotations.is_empty()) else {
            return false;
        };
        has_annotation(&unit, sym.at, &unit.rules.hiding_annotations)
    }

    /// Whether a symbol is a case of a scoped enumeration, which must be qualified.
    pub(crate) fn is_scoped_member(unit: &FileRef, symbol: u32) -> bool {
        let scoped = &unit.rules.scoped_enums;
        if scoped.is_empty() || unit.kind(symbol) != Some(SymbolKind::EnumMember) {
            return false;
        }
        let Some(around) = unit.symbol(symbol).and_then(|symbol| symbol.parent) else { return false };
        let header = unit.symbol(around).map_or("", |around| unit.outline_text(around.signature));
        scoped.iter().any(|begins| header.starts_with(begins.as_str()))
    }

    /// Whether members are private to a base class and so not inherited. Mixed-in members become the type's own, and
    /// code inside of one outermost type sees all of it.
    pub(crate) fn is_private_to_base(&self, subtype: &Ty, base: SymbolId, members: &[SymbolId]) -> bool {
        let (Some(unit), Ty::Instance(subtype, _)) = (self.unit_of(base), subtype) else { return false };
        let is_class = matches!(unit.kind(base.at), Some(SymbolKind::Class | SymbolKind::Struct));
        let private = |&member: &SymbolId| self.visibility(member) == Some(Visibility::Private);
        unit.rules.strict_private
            && is_class
            && members.iter().all(private)
            && self.outermost(*subtype) != self.outermost(base)
    }

    /// Whether a top-level definition is private to another file.
    pub(crate) fn is_private_to_other_file(&self, sym: SymbolId, unit: &FileRef) -> bool {
        let rules = &unit.rules;
        sym.file != unit.file
            && (rules.strict_private && self.visibility(sym) == Some(Visibility::Private)
                || rules.file_scoped_variables && self.kind(sym) == Some(SymbolKind::Variable))
    }

    /// Of definitions with one full name, those that a file can mean: not the private ones of other files, and of the definitions for several
    /// platforms the one for its own platform or the common declaration.
    pub(crate) fn visible_alternatives(&self, unit: &FileRef, mut syms: Vec<SymbolId>) -> Vec<SymbolId> {
        if syms.len() < 2 {
            return syms;
        }
        if !syms.iter().all(|&sym| self.is_private_to_other_file(sym, unit)) {
            syms.retain(|&sym| !self.is_private_to_other_file(sym, unit));
        }
        let rules = &unit.rules;
        let says = |sym: SymbolId, words: &[String]| {
            self.unit_of(sym).is_some_and(|home| says_one_of(&home, sym.at, words))
        };
        let is_common = |&sym: &SymbolId| says(sym, &rules.platform_declaration_words);
        if rules.platform_declaration_words.is_empty() || !syms.iter().any(is_common) {
            return syms;
        }
        let is_defined = |&sym: &SymbolId| says(sym, &rules.default_inheriting_words);
        let own = source_set(unit);
        let is_own = |&sym: &SymbolId| {
            let is_near = |home: FileRef| sym.file == unit.file || own.is_some() && source_set(&home) == own;
            is_defined(&sym) && self.unit_of(sym).is_some_and(is_near)
        };
        if syms.iter().any(is_own) {
            syms.retain(|sym| is_own(sym) || !is_common(sym) && !is_defined(sym));
        } else {
            syms.retain(|sym| !is_defined(sym));
        }
        syms
    }

    /// Drops members that are private to other types, if there are others: a call cannot mean them.
    pub(crate) fn drop_inaccessible(&self, site: &Site, found: &mut Vec<Target>) {
        if found.len() < 2 || !site.unit.rules.strict_private {
            return;
        }
        let around = site.symbol().map(|at| self.outermost(site.unit.sym(at)));
        let is_open = |one: &Target| {
            let Some(sym) = one.sym() else { return true };
            let Some(unit) = self.unit_of(sym) else { return true };
            let holder = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
            let Some(holder) = holder.filter(|&at| unit.kind(at).is_some_and(SymbolKind::is_type)) else {
                return true;
            };
            self.visibility(sym) != Some(Visibility::Private)
                || around.map(|sym| self.canonical(sym))
                    == Some(self.canonical(self.outermost(unit.sym(holder))))
        };
        if found.iter().any(is_open) {
            found.retain(is_open);
        }
    }

    fn visibility(&self, sym: SymbolId) -> Option<Visibility> {
        self.unit_of(sym).and_then(|unit| Some(unit.symbol(sym.at)?.visibility))
    }

    /// The outermost type around a symbol, or the symbol itself.
    fn outermost(&self, sym: SymbolId) -> SymbolId {
        let Some(unit) = self.unit_of(sym) else { return sym };
        let (mut found, mut next) = (sym.at, Some(sym.at));
        while let Some(at) = next {
            if unit.kind(at).is_some_and(SymbolKind::is_type) {
                found = at;
            }
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        unit.sym(found)
    }

    /// Drops functions annotated as low priority, if there are others.
    pub(crate) fn drop_low_priority(&self, found: &mut Vec<Target>) {
        let yields = |one: &Target| {
            let home = one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
            home.is_some_and(|(unit, at)| has_annotation(&unit, at, &unit.rules.low_priority_annotations))
        };
        if found.len() > 1 && !found.iter().all(yields) {
            found.retain(|one| !yields(one));
        }
    }

    /// Whether a property has a setter only.
    pub(crate) fn is_write_only(&self, found: &Target) -> bool {
        let home = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
        home.is_some_and(|(unit, at)| {
            let property = unit.kind(at) == Some(SymbolKind::Property);
            property && unit.is(at, Modifier::Setter) && !unit.is(at, Modifier::Getter)
        })
    }

    /// Whether a symbol belongs to a script other than this file.
    pub(crate) fn in_other_script(&self, sym: SymbolId, unit: &FileRef) -> bool {
        if sym.file == unit.file || unit.rules.script_extensions.is_empty() {
            return false;
        }
        self.unit_of(sym).is_some_and(|home| {
            let name = home.path().display().into_owned();
            let extension = name.rsplit('.').next().unwrap_or_default();
            home.rules.script_extensions.iter().any(|script| script == extension)
        })
    }
}

/// Whether the header of a symbol has one of these words among its modifiers.
pub(crate) fn says_one_of(unit: &FileRef, symbol: u32, words: &[String]) -> bool {
    let signature = || unit.symbol(symbol).map_or("", |symbol| unit.outline_text(symbol.signature));
    !words.is_empty()
        && signature().split_whitespace().take(8).any(|said| words.iter().any(|word| word == said))
}

/// The source set of a file: its path up to the directory below that of the source sets.
fn source_set(unit: &FileRef) -> Option<String> {
    let path = unit.path().display().into_owned();
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.iter().position(|part| *part == unit.rules.source_set_directory)?;
    parts.get(..at + 2).filter(|_| at + 2 < parts.len()).map(|set| set.join("/"))
}

/// Whether a symbol has one of these annotations.
pub(crate) fn has_annotation(unit: &FileRef, symbol: u32, marks: &[String]) -> bool {
    let says = |said: &str| marks.iter().any(|mark| said.contains(mark.as_str()));
    !marks.is_empty()
        && unit
            .symbol(symbol)
            .is_some_and(|symbol| symbol.attributes.iter().any(|&said| says(unit.outline_text(said))))
}
