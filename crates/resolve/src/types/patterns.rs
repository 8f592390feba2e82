//! Patterns that name a case or a type: the type of the payload they bind.

use crate::session::{Session, Site};
use crate::types::target::{Target, Value};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Binding, ExprId, Modules, RefKind, Rule, SymbolKind, Via};

/// The distance of a bound name from the end of the pattern's name: `(x`, `(ref mut x`.
const OPENS: std::ops::RangeInclusive<u32> = 1..=9;

impl Session<'_> {
    /// The type of a name bound by a pattern such as `Case(name)`; none if there is no such pattern.
    pub(super) fn pattern_payload(&self, site: &Site, binding: &Binding) -> Option<Value> {
        let unit = &site.unit;
        if unit.rules.modules != Modules::Tree {
            return None;
        }
        let (first, number) = match binding.via {
            Via::Item(0) | Via::Unknown => (binding.at, 0),
            // The other names of the pattern follow the first one, unless that is ignored: `Case(_, name)`.
            Via::Item(number) => {
                let is_first = |one: &&Binding| {
                    one.via == Via::Item(0) && (one.scope, one.value) == (binding.scope, binding.value)
                };
                let before = unit.bindings().iter().filter(|one| one.at < binding.at);
                (before.filter(is_first).map(|one| one.at).max().unwrap_or(binding.at), number)
            }
            _ => return None,
        };
        let references = unit.references().iter();
        let names = references.filter(|one| matches!(one.kind, RefKind::Read | RefKind::Type));
        let head = names.filter(|one| one.at < binding.at).max_by_key(|one| one.at)?;
        let end = head.at + unit.last_name(head.expr)?.len() as u32;
        if !OPENS.contains(&first.checked_sub(end)?) {
            return None;
        }
        let of = Site { unit: unit.clone(), scope: head.scope, at: head.at };
        let found = self.targets(&of, head.expr);
        let case = found
            .iter()
            .filter_map(Target::sym)
            .find(|&sym| matches!(self.kind(sym), Some(SymbolKind::EnumMember | SymbolKind::Struct)));
        let Some(case) = case else {
            return self.external_payload(site, binding, unit.last_name(head.expr)?);
        };
        let payload = self.field_at(&Ty::instance(case), case, &number.to_string());
        // A part of a nested pattern is not the whole field.
        let payload = payload.filter(|_| binding.via != Via::Unknown || self.only_field(case));
        Some(payload.unwrap_or_else(Value::unknown))
    }

    /// The payload of a case of an external type: of a `Result<T, E>`, `Err` holds an `E`.
    fn external_payload(&self, site: &Site, binding: &Binding, case: &str) -> Option<Value> {
        let (_, at) = site.unit.rules.case_payloads.iter().find(|(known, _)| known == case)?;
        let whole = self.eval(site, binding.value.filter(|_| binding.via == Via::Item(0))?);
        let Ty::External(_, args) = &whole.ty else { return None };
        Some(whole.with(args.get(*at as usize).cloned().unwrap_or(Ty::Unknown)))
    }

    /// Whether a case or struct has one field without a name.
    fn only_field(&self, case: SymbolId) -> bool {
        let home = self.unit_of(case);
        home.is_some_and(|home| home.scope_of(case.at).is_some_and(|scope| home.bound(scope, "1").is_empty()))
    }

    /// The declared type of a field that has a number instead of a name.
    fn field_at(&self, receiver: &Ty, of: SymbolId, number: &str) -> Option<Value> {
        let home = self.unit_of(of)?;
        let scope = home.scope_of(of.at)?;
        let field = home.binding(*home.bound(scope, number).first()?)?;
        let site = Site { unit: home.clone(), scope, at: field.at };
        let ty = self.substitute_receiver(&self.ty(&site, field.ty?), receiver);
        Some(Value::new(ty, Rule::Inferred))
    }

    /// A field of a struct without field names, or an item of a tuple: `w.0`.
    pub(super) fn positional_field(&self, site: &Site, base: ExprId, number: &str) -> Value {
        let (Ok(at), Modules::Tree) = (number.parse::<usize>(), site.unit.rules.modules) else {
            return Value::unknown();
        };
        match self.eval(site, base).ty {
            ref receiver @ Ty::Instance(sym, _) => {
                self.field_at(receiver, sym, number).unwrap_or_else(Value::unknown)
            }
            Ty::Tuple(items) => {
                items.get(at).cloned().map_or_else(Value::unknown, |ty| Value::new(ty, Rule::Inferred))
            }
            _ => Value::unknown(),
        }
    }
}
