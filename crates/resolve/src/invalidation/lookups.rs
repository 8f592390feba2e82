//! Lookups: how resolution finds symbols by name in files that it has not read.
//!
//! A lookup has a reach: which of the symbols of a name it finds. [`is_within`] decides whether a symbol is within reach, for the lookup
//! (`Session::symbols_within`) and for invalidation alike: a symbol that comes within reach or leaves it invalidates the files
//! that looked its name up with this reach. What else a lookup needs of a symbol it reads from the file of the symbol, which
//! is recorded ([`super::slots`]).
//!
//! # Example
//!
//! ```text
//! shop.py      class Cart: def add(self): ...      and somebody adds: def remove(self)
//! a.py         cart.remove()      looked up `remove` in Cart, so it read the slot Name("remove") of shop.py
//! b.py         basket.remove()    looked up `remove` in another type of another file
//! c.py         any.remove()       looked up `remove` with the reach `Anywhere`
//! ```
//!
//! The slot `Name("remove")` of shop.py changes, and shop.py has a new symbol within the reach `Anywhere` of `remove`: `a.py` and
//! `c.py` are resolved again, `b.py` is not.

use crate::file::file_unit::spell;
use orient_model::{
    Modifier, Modifiers, Modules, Outline, Rules, SharedScope, Symbol, SymbolKind, Visibility,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Which symbols of a name a lookup finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach<'c> {
    /// All, whatever contains them.
    Anywhere,
    /// Types and what is used like them.
    Types,
    /// Declarations of a type or namespace that others may add to.
    Parts,
    /// Extensions, and blocks of members for a type that is declared elsewhere.
    Extensions,
    /// What markup and styles name.
    Markup,
    /// What the whole program sees.
    Program,
    /// What is directly inside of a container of this name.
    Inside(&'c str),
}

/// What finds a symbol by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    kind: SymbolKind,
    modifiers: Modifiers,
    /// Whether a lookup finds it whatever it knows besides the name.
    by_name_alone: bool,
    /// The name of its direct container.
    container: Option<String>,
}

impl Found {
    /// What finds a symbol of a file whose language has these rules.
    pub(crate) fn of(outline: &Outline, rules: &Rules, at: u32, symbol: &Symbol) -> Self {
        let by_name_alone = [Reach::Types, Reach::Parts, Reach::Extensions, Reach::Markup, Reach::Program]
            .into_iter()
            .any(|reach| is_within(reach, outline, rules, at, symbol));
        let container = container_of(outline, at).map(Cow::into_owned);
        Self { kind: symbol.kind, modifiers: symbol.modifiers, by_name_alone, container }
    }
}

/// Whether a symbol is within reach.
pub(crate) fn is_within(
    reach: Reach<'_>,
    outline: &Outline,
    rules: &Rules,
    at: u32,
    symbol: &Symbol,
) -> bool {
    match reach {
        Reach::Program => is_in_program(symbol, rules) && container_of(outline, at).is_none(),
        Reach::Inside(name) => container_of(outline, at).as_deref() == Some(name),
        Reach::Markup => is_markup(symbol.kind, outline.strings.get(symbol.name)),
        Reach::Anywhere | Reach::Types | Reach::Parts | Reach::Extensions => {
            may_be_within(reach, symbol.kind, symbol.modifiers, rules)
        }
    }
}

/// Whether a symbol may be within reach, as far as its kind and modifiers tell.
pub(crate) fn may_be_within(reach: Reach<'_>, kind: SymbolKind, modifiers: Modifiers, rules: &Rules) -> bool {
    match reach {
        Reach::Anywhere | Reach::Markup | Reach::Inside(_) => true,
        // Of a program with includes, thousands of files may have a static function of one name.
        Reach::Program => {
            let is = |modifier| modifiers.contains(modifier);
            let is_type = kind.is_type() || kind == SymbolKind::Module;
            rules.modules != Modules::Include
                || is_type
                || kind != SymbolKind::Macro && !is(Modifier::Static) && !is(Modifier::Declaration)
        }
        Reach::Types => is_type_like(kind),
        Reach::Parts => is_part(kind, modifiers, rules),
        Reach::Extensions => is_extension(kind, modifiers),
    }
}

/// Whether kind and modifiers alone decide whether a symbol is within reach.
pub(crate) fn is_decided_by_kind(reach: Reach<'_>) -> bool {
    !matches!(reach, Reach::Program | Reach::Inside(_) | Reach::Markup)
}

fn is_type_like(kind: SymbolKind) -> bool {
    kind.is_type() || matches!(kind, SymbolKind::TypeAlias | SymbolKind::Delegate | SymbolKind::Module)
}

fn is_part(kind: SymbolKind, modifiers: Modifiers, rules: &Rules) -> bool {
    match kind {
        SymbolKind::Module | SymbolKind::Impl => true,
        kind => {
            let is_shared = |modifier| modifiers.contains(modifier);
            kind.is_type()
                && (rules.open_classes || is_shared(Modifier::Partial) || is_shared(Modifier::Declaration))
        }
    }
}

fn is_extension(kind: SymbolKind, modifiers: Modifiers) -> bool {
    kind == SymbolKind::Impl || modifiers.contains(Modifier::Extension)
}

/// Whether markup or styles find a symbol by its name, wherever it is.
fn is_markup(kind: SymbolKind, name: &str) -> bool {
    let is_property = kind == SymbolKind::Variable && name.starts_with("--");
    kind.is_rendered() || kind == SymbolKind::Selector || is_property
}

/// Whether a language has names that the whole program sees without an import.
pub(crate) fn has_program_scope(rules: &Rules) -> bool {
    match rules.modules {
        Modules::Path | Modules::Dotted => false,
        Modules::Include | Modules::Namespace | Modules::Global => true,
        Modules::None | Modules::Directory | Modules::Tree => {
            !matches!(rules.shared_scope, SharedScope::None | SharedScope::Directory)
        }
    }
}

/// Whether a symbol without a container is visible in the whole program.
fn is_in_program(symbol: &Symbol, rules: &Rules) -> bool {
    let is_type = symbol.kind.is_type() || symbol.kind == SymbolKind::Module;
    if !has_program_scope(rules) {
        return false;
    }
    if rules.modules != Modules::Include || is_type {
        return true;
    }
    // A function with internal linkage is not, and a declaration stands for a definition elsewhere.
    let is = |modifier| symbol.modifiers.contains(modifier);
    let hidden = symbol.visibility == Visibility::Private || is(Modifier::Static);
    symbol.kind != SymbolKind::Macro && !hidden && !is(Modifier::Declaration)
}

/// The direct container of a full name: its last part but one.
pub(crate) fn container(full: &str) -> Option<&str> {
    full.rsplit('.').nth(1).filter(|name| !name.is_empty())
}

/// The name of the direct container of a symbol: what its full name has before the last dot.
fn container_of(outline: &Outline, at: u32) -> Option<Cow<'_, str>> {
    let text = |atom| outline.strings.get(atom);
    let symbol = outline.symbols.get(at as usize)?;
    let around = symbol.parent.and_then(|parent| outline.symbols.get(parent as usize));
    let outer = symbol.qualifier.or(around.map(|around| around.name)).or(outline.package);
    let outer = outer.map_or("", text);
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['.', ':', '\\', '/']);
    if is_plain(text(symbol.name)) && is_plain(outer) {
        return Some(Cow::Borrowed(outer));
    }
    container(&spell(outline, at)).map(|name| Cow::Owned(name.to_owned()))
}

/// A dependency on all symbols of a name, whatever contains them.
pub fn anywhere_key(name: &str) -> String {
    format!("{name}/")
}

/// The kinds that the symbols of one name have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(pub u64);

impl Kinds {
    /// These kinds.
    pub fn of(kinds: impl IntoIterator<Item = SymbolKind>) -> Self {
        Self(kinds.into_iter().fold(0, |all, kind| all | 1 << (kind as u8)))
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of the kinds satisfies a predicate.
    pub(crate) fn any(self, is_meant: impl Fn(SymbolKind) -> bool) -> bool {
        SymbolKind::ALL.iter().any(|&kind| self.0 & 1 << (kind as u8) != 0 && is_meant(kind))
    }
}

/// The symbols of one name in a file, as far as lookups find them without reading the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedSymbols(Vec<Found>);

impl NamedSymbols {
    /// Their kinds.
    pub fn kinds(&self) -> Kinds {
        Kinds::of(self.0.iter().map(|found| found.kind))
    }
}

/// The symbols of a file with these names.
pub fn named_symbols(outline: &Outline, rules: &Rules, names: &[String]) -> BTreeMap<String, NamedSymbols> {
    let mut named: BTreeMap<String, NamedSymbols> =
        names.iter().map(|name| (name.clone(), NamedSymbols::default())).collect();
    for (at, symbol) in (0..).zip(&outline.symbols) {
        if let Some(of_name) = named.get_mut(outline.strings.get(symbol.name)) {
            of_name.0.push(Found::of(outline, rules, at, symbol));
        }
    }
    for of_name in named.values_mut() {
        of_name.0.sort_unstable();
    }
    named
}

/// Which lookups of a name see a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLookups {
    /// Those with the reach `Reach::Anywhere`.
    pub anywhere: bool,
    /// All others.
    pub everyone: bool,
    /// Those inside of containers of these names.
    pub containers: Vec<String>,
}

impl ChangedLookups {
    /// The lookups that find other symbols after a change than before.
    pub fn between(before: &NamedSymbols, after: &NamedSymbols) -> Self {
        let mut changed = Self::default();
        let gone = before.0.iter().filter(|found| !after.0.contains(found));
        let new = after.0.iter().filter(|found| !before.0.contains(found));
        for found in gone.chain(new) {
            changed.anywhere = true;
            changed.everyone |= found.by_name_alone;
            changed.containers.extend(found.container.clone());
        }
        if before.0.len() != after.0.len() {
            changed.anywhere = true;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_is_the_last_part_but_one() {
        assert_eq!((container("shop.Cart.add"), container("shop.Cart")), (Some("Cart"), Some("shop")));
        assert_eq!((container("add"), container("")), (None, None));
    }

    #[test]
    fn each_kind_has_a_bit_of_its_own() {
        let mut all = 0;
        for &kind in SymbolKind::ALL {
            let Kinds(bit) = Kinds::of([kind]);
            assert_eq!((bit.count_ones(), all & bit), (1, 0), "{kind:?}");
            all |= bit;
        }
        assert!(Kinds::of([SymbolKind::Class, SymbolKind::Method]).any(SymbolKind::is_type));
        assert!(!Kinds::of([SymbolKind::Field]).any(SymbolKind::is_type));
    }
}
