//! Patterns that name a case or a type: the type of the payload they bind.

use crate::file::file_unit::{FileRef, last_name};
use crate::session::{Session, Site};
use crate::types::target::{Target, Value};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Binding, Confidence, ExprId, Modules, RefKind, Rule, SymbolKind, Via};

/// The distance of a bound name from the end of the pattern's name: `(x`, `(ref mut x`.
const OPENS: std::ops::RangeInclusive<u32> = 1..=9;

impl Session<'_> {
    /// The type of a name bound by a pattern such as `Case(name)`; none if there is no such pattern.
    pub(super) fn pattern_payload(&self, site: &Site, binding: &Binding) -> Option<Value> {
        let unit = &site.unit;
        if unit.rules.modules != Modules::Tree || !matches!(binding.via, Via::Item(0) | Via::Unknown) {
            return None;
        }
        let references = unit.references().iter();
        let names = references.filter(|one| matches!(one.kind, RefKind::Read | RefKind::Type));
        let head = names.filter(|one| one.at < binding.at).max_by_key(|one| one.at)?;
        let end = head.at + last_name(&unit.facts, head.expr)?.len() as u32;
        if !OPENS.contains(&binding.at.checked_sub(end)?) {
            return None;
        }
        let site = Site { unit: unit.clone(), scope: head.scope, at: head.at };
        let found = self.targets(&site, head.expr);
        let case = found
            .iter()
            .filter_map(Target::sym)
            .find(|&sym| matches!(self.kind(sym), Some(SymbolKind::EnumMember | SymbolKind::Struct)))?;
        Some(self.only_payload(case).unwrap_or_else(Value::unknown))
    }

    /// The type of the payload of a case or struct that names one type: `Inner` of `struct Wrap(Inner)`.
    fn only_payload(&self, case: SymbolId) -> Option<Value> {
        let home = self.unit_of(case)?;
        let parts = home.references().iter();
        let mut parts = parts.filter(|one| one.kind == RefKind::Type && one.symbol == Some(case.at));
        let (Some(only), None) = (parts.next(), parts.next()) else { return None };
        let site = Site { unit: home.clone(), scope: only.scope, at: only.at };
        Some(Value { ty: self.ty(&site, only.expr), rule: Rule::Inferred, confidence: Confidence::Probable })
    }

    /// Whether a symbol is a struct with one field that has no name.
    fn has_one_field(&self, sym: SymbolId) -> bool {
        let signature = |unit: FileRef| {
            let symbol = unit.symbol(sym.at).filter(|symbol| symbol.kind == SymbolKind::Struct)?;
            Some(unit.outline_text(symbol.signature).to_owned())
        };
        let signature = self.unit_of(sym).and_then(signature).unwrap_or_default();
        signature.split_once('(').is_some_and(|(_, fields)| !fields.contains(','))
    }

    /// The only field of a struct without field names, or the first item of a tuple: `w.0`.
    pub(super) fn first_field(&self, site: &Site, base: ExprId, name: &str) -> Value {
        if name != "0" || site.unit.rules.modules != Modules::Tree {
            return Value::unknown();
        }
        match self.eval(site, base).ty {
            Ty::Instance(sym, _) if self.has_one_field(sym) => {
                self.only_payload(sym).unwrap_or_else(Value::unknown)
            }
            Ty::Tuple(items) => {
                items.first().cloned().map_or_else(Value::unknown, |ty| Value::new(ty, Rule::Inferred))
            }
            _ => Value::unknown(),
        }
    }
}
