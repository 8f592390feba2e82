//! Index access: values under constant keys, from literals and from assignments.

use crate::file::FileRef;
use crate::file::tables::AssignedKey;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::Ty;
use orient_model::{Binding, BindingKind, Confidence, Expr, ExprId, Literal, Modules, Rule, SymbolKind, Via};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// With more assignments under different keys than this, a table is data and is not followed.
const TABLE: usize = 64;

impl Session<'_> {
    /// The value of an index access.
    pub(super) fn indexed(&self, site: &Site, whole: ExprId, base: ExprId, key: ExprId) -> Value {
        let dynamic = site.unit.rules.value_flow_typing;
        if dynamic && let Some(val) = self.assigned_under_key(site, whole, base, key) {
            return val;
        }
        self.literal_under_key(site, base, key)
    }

    /// The value under a key, by the type of the container.
    fn literal_under_key(&self, site: &Site, base: ExprId, key: ExprId) -> Value {
        self.value_under_key(site, &self.eval(site, base), key)
    }

    fn value_under_key(&self, site: &Site, val: &Value, key: ExprId) -> Value {
        match &val.ty {
            Ty::Metatype(sym, _) => {
                Value::new(Ty::Metatype(*sym, Rc::from([self.ty(site, key)])), Rule::Static)
            }
            Ty::Shape(file, scope, expr) => {
                let entries = self.keys(site, key);
                let found: Vec<Target> =
                    entries.iter().flat_map(|name| self.object_entry(*file, *scope, *expr, name)).collect();
                self.value_of_all(&found)
            }
            Ty::Tuple(items) => {
                match self.keys(site, key).first().and_then(|key| key.parse::<usize>().ok()) {
                    Some(place) => val.with(items.get(place).cloned().unwrap_or(Ty::Unknown)),
                    None if site.unit.rules.value_flow_typing => self.destructure(site, val, Via::Element),
                    None => Value::unknown(),
                }
            }
            Ty::External(holder, args) => match Self::held_collection(site, holder, args) {
                Some(held) => {
                    let held = self.nested(|| self.value_under_key(site, &val.with(held.clone()), key));
                    held.unwrap_or_else(Value::unknown)
                }
                None => val.with(args.last().cloned().unwrap_or(Ty::Unknown)),
            },
            Ty::Instance(..) => {
                let name = site.unit.implicit("index");
                let found = name.map(|name| self.member(val, name, &site.unit)).unwrap_or_default();
                if let (true, Some(underlying_type)) = (found.is_empty(), self.underlying_type(&val.ty)) {
                    let held = self.nested(|| self.value_under_key(site, &val.with(underlying_type), key));
                    return held.unwrap_or_else(Value::unknown);
                }
                if found.is_empty() && site.unit.rules.modules == Modules::Include {
                    // An element of what a pointer points to.
                    return val.clone();
                }
                if found.is_empty() && site.unit.rules.type_namespace {
                    return self.value_of_all(&self.record_members(&val.ty, &site.unit));
                }
                let is_property =
                    |one: &Target| one.sym().and_then(|sym| self.kind(sym)) == Some(SymbolKind::Property);
                if found.iter().all(is_property) {
                    return self.value_of_all(&found);
                }
                self.call_targets_result(&found, &[], None)
            }
            _ => self.destructure(site, val, Via::Element),
        }
    }

    /// The value assigned under a key: by the last assignment before in the same scope, else the union of all.
    fn assigned_under_key(&self, site: &Site, whole: ExprId, base: ExprId, key: ExprId) -> Option<Value> {
        let unit = &site.unit;
        let places = unit.assigned_keys(base);
        if places.is_empty() || places.len() > TABLE {
            return None;
        }
        let keys = self.keys(site, key);
        let name = unit.first_name(base)?;
        let own = unit.scope_binding(site.scope, name);
        let mut put = Vec::new();
        for place in places {
            let from = Site { unit: unit.clone(), scope: place.scope, at: place.at };
            let alike = match place.key {
                AssignedKey::Written(written) => {
                    written == key || self.keys(&from, written).iter().any(|key| keys.contains(key))
                }
                AssignedKey::Entry(name) => keys.iter().any(|key| key == unit.text(name)),
            };
            if alike && unit.scope_binding(place.scope, name) == own {
                put.push((from, place.value, place.via));
            }
        }
        let in_progress = &self.queries.index_accesses;
        let query = (unit.file, site.scope, whole, site.at);
        let before = put.iter().filter(|(from, ..)| from.scope == site.scope && from.at < site.at);
        let before = before.max_by_key(|(from, ..)| from.at);
        if let Some((from, value, via)) = before {
            return in_progress
                .enter(&self.limits, &query, || self.destructure(from, &self.eval(from, *value), *via));
        }
        if put.is_empty() {
            return None;
        }
        in_progress.enter(&self.limits, &query, || {
            let mut types = vec![self.literal_under_key(site, base, key).ty];
            types.extend(
                put.iter()
                    .map(|(from, value, via)| self.destructure(from, &self.eval(from, *value), *via).ty),
            );
            Value { ty: Ty::union(types), rule: Rule::Inferred, confidence: Confidence::Probable }
        })
    }

    /// The functions in a table that is written as a literal: the one under a constant key, or all if the key is computed, unless they are too
    /// many.
    ///
    /// The declared type of the table does not matter: of `const run: Record<string, Handler> = { a, b }`, the literal says what is in it.
    pub(crate) fn table_functions(&self, site: &Site, table: ExprId, key: ExprId) -> Vec<Target> {
        let mut found: Vec<Target> = Vec::new();
        let keys = self.keys(site, key);
        for one in self.targets(site, table).iter() {
            match &one.referent {
                Referent::Symbol(sym, _) => {
                    let Some(home) = self.unit_of(*sym) else { continue };
                    let Some(binding) = home.binding_of(sym.at) else { continue };
                    let site = Site { unit: home.clone(), scope: binding.scope, at: u32::MAX };
                    if let Some(value) = binding.value {
                        self.push_table_functions(&site, value, &keys, &mut found);
                    }
                }
                Referent::Value(Ty::Shape(file, scope, expr)) => {
                    let Some(unit) = self.unit(*file) else { continue };
                    let site = Site { unit, scope: *scope, at: u32::MAX };
                    self.push_table_functions(&site, *expr, &keys, &mut found);
                }
                _ => {}
            }
        }
        let mut seen = FxHashSet::default();
        found.retain(|one| one.sym().is_some_and(|sym| seen.insert(sym)));
        if found.len() > TABLE { Vec::new() } else { found }
    }

    fn push_table_functions(&self, site: &Site, literal: ExprId, keys: &[String], found: &mut Vec<Target>) {
        let unit = &site.unit;
        let items = match unit.expr(literal) {
            Expr::Wrap { inner, .. } | Expr::Cast { value: inner, .. } => {
                return self.push_table_functions(site, inner, keys, found);
            }
            // `Object.freeze({ … })`
            Expr::Call { args, .. } if args.len == 1 => {
                return self.push_table_functions(site, unit.list(args)[0], keys, found);
            }
            Expr::Sequence { items, .. } => unit.list(items),
            _ => return,
        };
        for &item in items.iter().take(TABLE + 1) {
            let is_meant = |name| keys.is_empty() || keys.iter().any(|key| key == unit.text(name));
            let value = match unit.expr(item) {
                Expr::Named { name, value } if is_meant(name) => value,
                Expr::Name(name) if is_meant(name) => item,
                Expr::Member { .. } | Expr::Function(_) if keys.is_empty() => item,
                _ => continue,
            };
            for one in self.targets(site, value).iter() {
                let one = match &one.referent {
                    Referent::Value(Ty::Function(sym, _)) => Target::symbol(*sym, Rule::Value),
                    _ => one.clone(),
                };
                if one.sym().and_then(|sym| self.kind(sym)).is_some_and(SymbolKind::is_callable) {
                    found.push(one.by(Rule::Value).at_most(Confidence::Probable));
                }
            }
        }
    }

    /// The constants that a key may be.
    fn keys(&self, site: &Site, key: ExprId) -> Vec<String> {
        let unit = &site.unit;
        match unit.expr(key) {
            Expr::Name(name) if unit.rules.value_flow_typing => {
                let bindings = unit.bindings_around(site.scope, unit.text(name));
                bindings
                    .iter()
                    .filter_map(|&at| unit.binding(at))
                    .flat_map(|b| self.constants(unit, b))
                    .collect()
            }
            _ => constant(unit, key).into_iter().collect(),
        }
    }

    fn constants(&self, unit: &FileRef, binding: &Binding) -> Vec<String> {
        if let BindingKind::Import(import) = binding.kind {
            let found = self.import(unit, import);
            let named = found.iter().filter_map(Target::sym).filter_map(|sym| {
                let home = self.unit_of(sym)?;
                constant(&home, home.binding_of(sym.at)?.value?)
            });
            return named.collect();
        }
        binding.value.and_then(|value| constant(unit, value)).into_iter().collect()
    }
}

/// The text of a constant.
fn constant(unit: &FileRef, expr: ExprId) -> Option<String> {
    match unit.expr(expr) {
        Expr::Text(text) => Some(unit.text(text).to_owned()),
        Expr::Named { name, value } if unit.expr(value) == Expr::Literal(Literal::Integer) => {
            Some(unit.text(name).to_owned())
        }
        _ => None,
    }
}
