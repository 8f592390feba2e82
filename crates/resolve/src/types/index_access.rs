//! Values under constant keys: what is written out there, and what is put there later.

use crate::file::file_unit::{Held, Unit};
use crate::file::tables::PutKey;
use crate::session::{Frame, Question, Session};
use crate::types::ty::{Found, Ty, Val};
use orient_model::{Binding, BindingKind, Confidence, Expr, ExprId, Literal, Rule, SymbolKind, Via};
use std::rc::Rc;

/// With more than so many values under different keys, a table is data.
const TABLE: usize = 64;

impl Session<'_> {
    /// What an index into a value gives.
    pub(crate) fn indexed(&self, frame: &Frame, whole: ExprId, base: ExprId, key: ExprId) -> Val {
        let dynamic = frame.unit.rules.dynamic;
        if dynamic && let Some(val) = self.put_under(frame, whole, base, key) {
            return val;
        }
        self.held_under(frame, base, key)
    }

    /// What a value holds under a key by the way it was made.
    fn held_under(&self, frame: &Frame, base: ExprId, key: ExprId) -> Val {
        self.under_key(frame, &self.eval(frame, base), key)
    }

    fn under_key(&self, frame: &Frame, val: &Val, key: ExprId) -> Val {
        match &val.ty {
            Ty::Type(sym, _) => Val::new(Ty::Type(*sym, Rc::from([self.ty(frame, key)])), Rule::Static),
            Ty::Shape(file, scope, expr) => {
                let entries = self.keys(frame, key);
                let found: Vec<Found> =
                    entries.iter().flat_map(|name| self.entry(*file, *scope, *expr, name)).collect();
                self.values(&found)
            }
            Ty::Tuple(items) => match self.keys(frame, key).first().and_then(|key| key.parse::<usize>().ok())
            {
                Some(place) => val.with(items.get(place).cloned().unwrap_or(Ty::Unknown)),
                None if frame.unit.rules.dynamic => self.via(frame, val, Via::Element),
                None => Val::unknown(),
            },
            Ty::Outside(holder, args) => match Self::held_collection(frame, holder, args) {
                Some(held) => {
                    let held = self.nested(|| self.under_key(frame, &val.with(held.clone()), key));
                    held.unwrap_or_else(Val::unknown)
                }
                None => val.with(args.last().cloned().unwrap_or(Ty::Unknown)),
            },
            Ty::Of(..) => {
                let name = frame.unit.implicit("index");
                let found = name.map(|name| self.member(val, name, &frame.unit)).unwrap_or_default();
                if let (true, Some(made_of)) = (found.is_empty(), self.made_of(&val.ty)) {
                    let held = self.nested(|| self.under_key(frame, &val.with(made_of), key));
                    return held.unwrap_or_else(Val::unknown);
                }
                if found.is_empty() && frame.unit.rules.type_space {
                    return self.values(&self.recorded(&val.ty, &frame.unit));
                }
                let is_property =
                    |one: &Found| one.sym().and_then(|sym| self.kind(sym)) == Some(SymbolKind::Property);
                if found.iter().all(is_property) {
                    return self.values(&found);
                }
                self.call_found(&found, &[], None)
            }
            _ => self.via(frame, val, Via::Element),
        }
    }

    /// What was put under a key: the last before, in the same run of statements; else any.
    fn put_under(&self, frame: &Frame, whole: ExprId, base: ExprId, key: ExprId) -> Option<Val> {
        let unit = &frame.unit;
        let places = unit.put_into(base);
        if places.is_empty() || places.len() > TABLE {
            return None;
        }
        let keys = self.keys(frame, key);
        let name = crate::file::file_unit::first_name(unit, base)?;
        let own = unit.scope_binding(frame.scope, name);
        let mut put = Vec::new();
        for place in places {
            let from = Frame { unit: unit.clone(), scope: place.scope, at: place.at };
            let alike = match place.key {
                PutKey::Written(written) => {
                    written == key || self.keys(&from, written).iter().any(|key| keys.contains(key))
                }
                PutKey::Entry(name) => keys.iter().any(|key| key == unit.text(name)),
            };
            if alike && unit.scope_binding(place.scope, name) == own {
                put.push((from, place.value, place.via));
            }
        }
        let question = Question::Entry(unit.file, frame.scope, whole, u64::from(frame.at));
        let before = put.iter().filter(|(from, ..)| from.scope == frame.scope && from.at < frame.at);
        let before = before.max_by_key(|(from, ..)| from.at);
        if let Some((from, value, via)) = before {
            return self.once(question, || self.via(from, &self.eval(from, *value), *via));
        }
        if put.is_empty() {
            return None;
        }
        self.once(question, || {
            let mut types = vec![self.held_under(frame, base, key).ty];
            types.extend(
                put.iter().map(|(from, value, via)| self.via(from, &self.eval(from, *value), *via).ty),
            );
            Val { ty: Ty::either(types), rule: Rule::Inferred, sure: Confidence::Probable }
        })
    }

    /// The constants a key may be.
    fn keys(&self, frame: &Frame, key: ExprId) -> Vec<String> {
        let unit = &frame.unit;
        match unit.expr(key) {
            Expr::Name(name) if unit.rules.dynamic => {
                let bindings = unit.bindings_around(frame.scope, unit.text(name));
                bindings
                    .iter()
                    .filter_map(|&at| unit.binding(at))
                    .flat_map(|b| self.constants(unit, b))
                    .collect()
            }
            _ => constant(unit, key).into_iter().collect(),
        }
    }

    fn constants(&self, unit: &Held, binding: &Binding) -> Vec<String> {
        if let BindingKind::Import(import) = binding.kind {
            let found = self.import(unit, import);
            let named = found.iter().filter_map(Found::sym).filter_map(|sym| {
                let home = self.home(sym)?;
                constant(&home, home.binding_of(sym.at)?.value?)
            });
            return named.collect();
        }
        binding.value.and_then(|value| constant(unit, value)).into_iter().collect()
    }
}

/// The text of a constant.
fn constant(unit: &Unit, expr: ExprId) -> Option<String> {
    match unit.expr(expr) {
        Expr::Text(text) => Some(unit.text(text).to_owned()),
        Expr::Named { name, value } if unit.expr(value) == Expr::Literal(Literal::Integer) => {
            Some(unit.text(name).to_owned())
        }
        _ => None,
    }
}
