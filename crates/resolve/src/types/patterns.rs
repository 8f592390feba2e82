//! What a pattern takes out of a value, where it says which case or type it is for.

use crate::file::file_unit::last_name;
use crate::session::{Frame, Session};
use crate::types::ty::{Found, Val};
use orient_model::{Binding, Confidence, Modules, RefKind, Rule, SymbolKind, Via};

/// How far a name may stand behind the name of the pattern it is in: `(x`, `(ref mut x`.
const OPENS: std::ops::RangeInclusive<u32> = 1..=9;

impl Session<'_> {
    /// What a name gets in a pattern that names a case or a type before it: `Case(name)`. None where no such pattern is.
    pub(crate) fn payload(&self, frame: &Frame, binding: &Binding) -> Option<Val> {
        let unit = &frame.unit;
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
        let frame = Frame { unit: unit.clone(), scope: head.scope, at: head.at };
        let found = self.denote(&frame, head.expr);
        let case = found
            .iter()
            .filter_map(Found::sym)
            .find(|&sym| matches!(self.kind(sym), Some(SymbolKind::EnumMember | SymbolKind::Struct)))?;
        let home = self.home(case)?;
        let parts = home.references().iter();
        let mut parts = parts.filter(|one| one.kind == RefKind::Type && one.symbol == Some(case.at));
        let (Some(only), None) = (parts.next(), parts.next()) else { return Some(Val::unknown()) };
        let frame = Frame { unit: home.clone(), scope: only.scope, at: only.at };
        Some(Val { ty: self.ty(&frame, only.expr), rule: Rule::Inferred, sure: Confidence::Probable })
    }
}
