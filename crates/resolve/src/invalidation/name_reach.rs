//! Invalidation by name: which files a changed symbol concerns although they never read the file that declares it.
//!
//! A file's resolution depends on names and on files ([`crate::dependencies`]). The file dependencies cover every symbol
//! that resolution looked at closely. A symbol that is added, removed or changed in any other file matters only where
//! resolution finds symbols by their name alone, with [`crate::session::Session::symbols_named`]. There are few such ways,
//! and [`NameReach`] lists them; code that calls `symbols_named` must not rely on more.
//!
//! # Example
//!
//! ```text
//! shop.py      class Cart: def add(self): ...      and somebody adds: def remove(self)
//! a.py         cart.remove()      looked up `remove` and read shop.py
//! b.py         basket.remove()    looked up `remove`, never read shop.py
//! c.py         cart.add()         read shop.py, never looked up `remove`
//! ```
//!
//! `remove` is a new name of `shop.py`, so its interface hash changes, and the files that looked up `remove` are checked.
//! `a.py` read the file: it is resolved again. `b.py` did not, so only the reach of the new symbol counts: `remove` is a
//! member with the container `Cart`; `b.py` did not look up `Cart`, nor members of any type: it is left alone. `c.py` did not
//! look up the name: it is left alone.

use super::interface_hash::folded_name;
use crate::file::file_unit::spell;
use orient_model::{
    Modifier, Modules, Outline, RepoPath, Rules, SharedScope, Symbol, SymbolKind, Visibility,
};
use std::collections::BTreeMap;

/// A dependency on the includes of all files that a file includes, at any depth.
pub(crate) const INCLUDES: &str = "/includes";

/// The key of the part of an interface that concerns every file that read this one, whatever names it looked up.
pub const WHOLE_FILE: &str = "/whole";

/// How other files can find the symbols of one name in one file without reading the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameReach {
    /// The kinds of the symbols, one bit each: a lookup may ask only whether a type of this name exists.
    pub kinds: u64,
    /// Whether every file that looks the name up may mean one of the symbols.
    pub everyone: bool,
    /// The names of the direct containers: a file that looked up one of these as well may mean what is inside.
    pub containers: Vec<String>,
    /// Whether one of them is a member: some lookups take members of any type. See [`any_member_key`].
    pub member: bool,
}

/// The reach of some names of a file.
pub fn name_reach(outline: &Outline, rules: &Rules, names: &[String]) -> BTreeMap<String, NameReach> {
    let mut reach: BTreeMap<String, NameReach> =
        names.iter().map(|name| (name.clone(), NameReach::default())).collect();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        let name = outline.strings.get(symbol.name);
        let folded = folded_name(symbol.kind, name, Some(rules));
        for name in [Some(name), folded.as_deref()].into_iter().flatten() {
            if let Some(one) = reach.get_mut(name) {
                one.add(outline, rules, at as u32, symbol);
            }
        }
    }
    reach
}

impl NameReach {
    fn add(&mut self, outline: &Outline, rules: &Rules, at: u32, symbol: &Symbol) {
        self.kinds |= kind_bit(symbol.kind);
        self.member |= is_member(symbol.kind) || symbol.kind == SymbolKind::Constructor;
        let adds_members = symbol.kind == SymbolKind::Impl || symbol.modifiers.contains(Modifier::Extension);
        let full = spell(outline, at);
        match container(&full) {
            _ if adds_members || is_markup(symbol.kind, &full) => self.everyone = true,
            Some(name) => self.containers.push(name.to_owned()),
            None => self.everyone |= is_found_by_name(symbol, rules),
        }
    }
}

/// Whether markup or styles find a symbol by its name, wherever it is.
fn is_markup(kind: SymbolKind, full: &str) -> bool {
    let is_property =
        kind == SymbolKind::Variable && full.rsplit('.').next().is_some_and(|name| name.starts_with("--"));
    kind.is_rendered() || kind == SymbolKind::Selector || is_property
}

/// Whether a symbol without a container can be found by its name alone.
fn is_found_by_name(symbol: &Symbol, rules: &Rules) -> bool {
    let is = |modifier| symbol.modifiers.contains(modifier);
    let is_type = symbol.kind.is_type() || symbol.kind == SymbolKind::Module;
    match rules.modules {
        Modules::Path | Modules::Dotted => false,
        Modules::Include if !is_type => {
            let hidden = symbol.visibility == Visibility::Private || is(Modifier::Static);
            symbol.kind != SymbolKind::Macro && !hidden && !is(Modifier::Declaration)
        }
        Modules::Include | Modules::Namespace | Modules::Global => true,
        Modules::None | Modules::Directory | Modules::Tree => {
            let opened = symbol.kind == SymbolKind::Module || is(Modifier::Partial) || rules.open_classes;
            let shared = !matches!(rules.shared_scope, SharedScope::None | SharedScope::Directory);
            shared || (is_type && (opened || is(Modifier::Declaration)))
        }
    }
}

/// The bit of a kind of symbol. Each kind of type has its own, and so have macros; all members share one bit, and all other
/// kinds share another.
fn kind_bit(kind: SymbolKind) -> u64 {
    match kind {
        kind if is_member(kind) => 1,
        kind if kind.is_type()
            || matches!(kind, SymbolKind::TypeAlias | SymbolKind::Delegate | SymbolKind::Macro) =>
        {
            2 << (kind as u8)
        }
        _ => 2,
    }
}

/// The bits of several kinds of symbols.
pub fn kind_bits(kinds: impl IntoIterator<Item = SymbolKind>) -> u64 {
    kinds.into_iter().fold(0, |all, kind| all | kind_bit(kind))
}

fn is_member(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property)
}

/// The direct container of a full name: its last part but one.
pub(crate) fn container(full: &str) -> Option<&str> {
    full.rsplit('.').nth(1).filter(|name| !name.is_empty())
}

/// A dependency on all members of a name, whatever type they belong to.
pub fn any_member_key(name: &str) -> String {
    format!("{name}/")
}

/// A dependency on whether there is a file at a path, given without its extension.
pub(crate) fn file_exists_key(path: &str) -> String {
    format!("//{path}")
}

/// A dependency on the content of a file, whatever changes in it: what a language server said about another file may lead there.
pub fn content_key(path: &RepoPath) -> String {
    format!("///{}", path.display())
}

/// A dependency on the lines on which a function calls its parameters. They are kept apart from the rest of its interface:
/// a function that only moves is the same to all files that pass it no function.
pub(crate) fn called_params_key(name: &str) -> String {
    format!("{name}/called")
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
    fn each_kind_of_type_has_its_own_bit_and_members_share_one() {
        let mut types = 0;
        for &kind in SymbolKind::ALL {
            let bit = kind_bit(kind);
            assert_eq!(bit.count_ones(), 1, "{kind:?}");
            if kind.is_type() {
                assert_eq!(types & bit, 0, "{kind:?} has a bit of its own");
                types |= bit;
            }
        }
        assert_eq!(kind_bit(SymbolKind::Method), kind_bit(SymbolKind::Field));
        assert_eq!(kind_bits([SymbolKind::Function, SymbolKind::Variable]), kind_bit(SymbolKind::Constant));
        assert_eq!(types & kind_bits([SymbolKind::Method, SymbolKind::Function]), 0);
    }
}
