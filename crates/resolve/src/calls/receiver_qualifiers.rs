//! Overloads that differ only in the qualifier of their receiver: `Row& at(int)` and `const Row& at(int) const`.
//!
//! A qualified receiver selects the qualified overload, any other receiver the other one. The qualifier of a receiver follows from the method around
//! the call (`this`), from the declared type of a parameter, or from that of a field. Of a local variable or a result it is not known.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::ty::SymbolId;
use orient_model::{BindingKind, Expr, ExprId, SymbolKind};

impl Session<'_> {
    /// Whether the receiver of a call is qualified; none if it is not known.
    pub(crate) fn is_receiver_qualified(&self, site: &Site, callee: ExprId) -> Option<bool> {
        let unit = &site.unit;
        let Expr::Member { base, .. } = unit.expr(callee) else {
            return self.is_own_qualified(site);
        };
        match unit.expr(base) {
            Expr::SelfRef => self.is_own_qualified(site),
            Expr::Member { base: inner, .. } if unit.expr(inner) == Expr::SelfRef => {
                self.is_field_qualified(site, base)
            }
            Expr::Name(name) => {
                let name = unit.text(name);
                let bound = unit.bindings_around(site.scope, name).first().and_then(|&at| unit.binding(at));
                match bound.map(|binding| binding.kind) {
                    Some(BindingKind::Param) => {
                        let function = site.symbol()?;
                        let signature = unit.outline_text(unit.symbol(function)?.signature);
                        let written = parameter(signature, unit.name(function), name)?;
                        Some(points_to_qualified(unit, written))
                    }
                    Some(BindingKind::Local) => None,
                    _ => self.is_field_qualified(site, base),
                }
            }
            _ => None,
        }
    }

    /// Whether a method has a qualified receiver.
    pub(crate) fn takes_qualified(&self, method: SymbolId) -> bool {
        let Some(unit) = self.unit_of(method) else { return false };
        let Some(symbol) = unit.symbol(method.at) else { return false };
        let words = after_parameters(unit.outline_text(symbol.signature), unit.name(method.at));
        has_word(words, &unit.rules.receiver_qualifier)
    }

    /// Whether `this` is qualified.
    fn is_own_qualified(&self, site: &Site) -> Option<bool> {
        let method = site.unit.sym(site.symbol()?);
        let is_member = matches!(self.kind(method)?, SymbolKind::Method | SymbolKind::Operator);
        is_member.then(|| self.takes_qualified(method))
    }

    /// A field that is no pointer is qualified like its object.
    fn is_field_qualified(&self, site: &Site, field: ExprId) -> Option<bool> {
        let found = self.targets(site, field);
        let [only] = &*found else { return None };
        let sym = only.sym().filter(|&sym| self.kind(sym) == Some(SymbolKind::Field))?;
        let home = self.unit_of(sym)?;
        let written = home.outline_text(home.symbol(sym.at)?.returns?);
        let is_indirect = matches!(home.expr(home.binding_of(sym.at)?.ty?), Expr::Wrap { .. });
        if is_indirect || points_to_qualified(&home, written) {
            return Some(points_to_qualified(&home, written));
        }
        self.is_own_qualified(site)
    }
}

/// Whether a type, or what it points to, is qualified: `const T&`, `T const*`, but not `T* const`.
fn points_to_qualified(unit: &FileRef, written: &str) -> bool {
    let pointee = written.rsplit_once('*').map_or(written, |(pointee, _)| pointee);
    // Type arguments have qualifiers of their own.
    let plain = match (pointee.find('<'), pointee.rfind('>')) {
        (Some(open), Some(close)) if open < close => {
            format!("{} {}", &pointee[..open], &pointee[close + 1..])
        }
        _ => pointee.to_owned(),
    };
    has_word(&plain, &unit.rules.receiver_qualifier)
}

/// The parameter list of a header, without its parentheses, and what follows it.
fn parameters<'t>(signature: &'t str, function: &str) -> Option<(&'t str, &'t str)> {
    let list = &signature[signature.find(&format!("{function}("))? + function.len() + 1..];
    let mut depth = 1_u32;
    for (at, letter) in list.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&list[..at], &list[at + 1..]));
        }
    }
    None
}

/// What a header says after its parameter list.
fn after_parameters<'t>(signature: &'t str, function: &str) -> &'t str {
    parameters(signature, function).map_or("", |(_, rest)| rest)
}

/// The type of a parameter as a header writes it, with the qualifiers on both sides.
fn parameter<'t>(signature: &'t str, function: &str, name: &str) -> Option<&'t str> {
    let (list, _) = parameters(signature, function)?;
    list.split(',').find_map(|one| {
        let one = one.split_once('=').map_or(one, |(declared, _)| declared).trim_end();
        one.strip_suffix(name).filter(|ty| !ty.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

fn has_word(text: &str, word: &str) -> bool {
    !word.is_empty() && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_parameters_qualifies_the_receiver() {
        assert_eq!(after_parameters("const Row* Table::at(int (*f)(int)) const", "at"), " const");
        assert_eq!(
            after_parameters("bool operator()(int a) const noexcept", "operator()"),
            " const noexcept"
        );
        assert_eq!(after_parameters("int size", "size"), "");
        let header = "void use(Row const* one, const Map<int, Row>& two, Row* const three = nullptr)";
        assert_eq!(parameter(header, "use", "one"), Some("Row const* "));
        assert_eq!(parameter(header, "use", "three"), Some(" Row* const "));
        assert_eq!(parameter(header, "use", "four"), None);
        assert!(
            has_word(" const noexcept", "const") && !has_word("constexpr", "const") && !has_word("const", "")
        );
    }
}
