//! Patterns that name a case or a type: the type of the payload they bind.

use crate::file::file_unit::last_name;
use crate::session::{Session, Site};
use crate::types::target::{Target, Value};
use orient_model::{Binding, Confidence, Modules, RefKind, Rule, SymbolKind, Via};

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
        let home = self.unit_of(case)?;
        let parts = home.references().iter();
        let mut parts = parts.filter(|one| one.kind == RefKind::Type && one.symbol == Some(case.at));
        let (Some(only), None) = (parts.next(), parts.next()) else { return Some(Value::unknown()) };
        let site = Site { unit: home.clone(), scope: only.scope, at: only.at };
        Some(Value { ty: self.ty(&site, only.expr), rule: Rule::Inferred, confidence: Confidence::Probable })
    }
}
