//! What can be seen of a file from afar: what a change of its symbols means to files that never looked at it.
//!
//! A file depends on the names it asked for, each as it was in the files it looked at; that a symbol comes, goes or
//! changes in another file concerns it only where symbols are found by their name alone. There are few ways to do so, and
//! this is the list of them: [`crate::session::Session::named`] is only for those who keep to it.

use crate::file::file_unit::spell;
use orient_model::{Modifier, Modules, Outline, Rules, Shares, Symbol, SymbolKind, Visibility};
use std::collections::BTreeMap;

/// Whoever asks for this depends on what the files that it includes, at any depth, include themselves.
pub(crate) const INCLUDES: &str = "/includes";

/// The name under which a surface keeps what concerns whoever looked at a file, whatever they ask for.
pub const WHOLE: &str = "/whole";

/// What is seen from afar of the symbols of one name in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Afar {
    /// The sorts of symbols there are, a bit each: whether a name is that of a type, or of anything, can be asked without
    /// any symbol in mind.
    pub sorts: u64,
    /// Whether anybody who asks for the name may mean one of them.
    pub everyone: bool,
    /// The names of what is directly around them: who asks for one of these as well may mean what is inside.
    pub around: Vec<String>,
    /// Whether one of them is a member: some ask for members of a name, whatever has them.
    pub member: bool,
}

/// What is seen from afar of some names in a file.
pub fn afar(outline: &Outline, rules: &Rules, names: &[String]) -> BTreeMap<String, Afar> {
    let mut seen: BTreeMap<String, Afar> = names.iter().map(|name| (name.clone(), Afar::default())).collect();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        let Some(one) = seen.get_mut(outline.strings.get(symbol.name)) else { continue };
        one.sorts |= sort(symbol.kind);
        one.member |= is_member(symbol.kind) || symbol.kind == SymbolKind::Constructor;
        let carries = symbol.kind == SymbolKind::Impl || symbol.modifiers.contains(Modifier::Extension);
        let full = spell(outline, at as u32);
        match around(&full) {
            _ if carries => one.everyone = true,
            Some(name) => one.around.push(name.to_owned()),
            None => one.everyone |= is_found_alone(symbol, rules),
        }
    }
    seen
}

/// Whether a symbol with nothing around it can be found by its name alone.
fn is_found_alone(symbol: &Symbol, rules: &Rules) -> bool {
    let is = |modifier| symbol.modifiers.contains(modifier);
    let is_type = symbol.kind.is_type() || symbol.kind == SymbolKind::Module;
    match rules.modules {
        Modules::Path | Modules::Dotted => false,
        Modules::Include if !is_type => {
            let hidden = symbol.visibility == Visibility::Private || is(Modifier::Static);
            symbol.kind != SymbolKind::Macro && !hidden && !is(Modifier::Declaration)
        }
        Modules::Include | Modules::Namespace | Modules::Global => true,
        Modules::None | Modules::Folder | Modules::Tree => {
            let opened = symbol.kind == SymbolKind::Module || is(Modifier::Partial) || rules.reopens;
            let shared = !matches!(rules.shares, Shares::None | Shares::Folder);
            shared || (is_type && (opened || is(Modifier::Declaration)))
        }
    }
}

/// The bit of a kind of symbol. Members are one sort, types and macros are one each, and so is all the rest.
fn sort(kind: SymbolKind) -> u64 {
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

/// The bits of kinds of symbols.
pub fn sorts(kinds: impl IntoIterator<Item = SymbolKind>) -> u64 {
    kinds.into_iter().fold(0, |all, kind| all | sort(kind))
}

fn is_member(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property)
}

/// The last part but one of a full name: what is directly around what it names.
pub(crate) fn around(full: &str) -> Option<&str> {
    full.rsplit('.').nth(1).filter(|name| !name.is_empty())
}

/// What those ask for who mean members of a name, whatever has them.
pub fn any_member(name: &str) -> String {
    format!("{name}/")
}

/// What those ask for to whom it matters whether there is a file at a path, given without its extension.
pub(crate) fn is_there(path: &str) -> String {
    format!("//{path}")
}

/// What those ask for who are followed to where a function calls what it is given: a function that moves is the same to all
/// others.
pub(crate) fn called_params(name: &str) -> String {
    format!("{name}/called")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_a_name_is_the_part_before_it() {
        assert_eq!((around("shop.Cart.add"), around("shop.Cart")), (Some("Cart"), Some("shop")));
        assert_eq!((around("add"), around("")), (None, None));
    }

    #[test]
    fn every_type_is_a_sort_of_its_own_and_members_are_one() {
        let mut types = 0;
        for &kind in SymbolKind::ALL {
            let bit = sort(kind);
            assert_eq!(bit.count_ones(), 1, "{kind:?}");
            if kind.is_type() {
                assert_eq!(types & bit, 0, "{kind:?} is told apart");
                types |= bit;
            }
        }
        assert_eq!(sort(SymbolKind::Method), sort(SymbolKind::Field));
        assert_eq!(sorts([SymbolKind::Function, SymbolKind::Variable]), sort(SymbolKind::Constant));
        assert_eq!(types & sorts([SymbolKind::Method, SymbolKind::Function]), 0);
    }
}
