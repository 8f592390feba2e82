//! Objects without a declared type: object literals, functions with properties, default exports; and what `new` makes
//! of them.

use crate::calls::call_result::MADE;
use crate::file::FileRef;
use crate::memo::Keep;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{Expr, ExprId, ExprList, Modules, Rule, Wrapper};

impl Session<'_> {
    /// The default export of a module: `module.exports = …`.
    pub(crate) fn default_export(&self, module: &Module, from: &FileRef) -> Vec<Target> {
        if from.rules.modules != Modules::Path {
            return Vec::new();
        }
        self.module_member(module, "default", from)
    }

    pub(super) fn default_export_member(&self, module: &Module, name: &str, from: &FileRef) -> Vec<Target> {
        if name == "default" {
            return Vec::new();
        }
        let whole = self.default_export(module, from);
        let vals = whole.iter().map(|one| self.value(one)).filter(|val| !matches!(val.ty, Ty::Module(_)));
        vals.collect::<Vec<_>>().iter().flat_map(|val| self.member(val, name, from)).collect()
    }

    /// The properties assigned to a function.
    pub(super) fn function_property(&self, sym: SymbolId, name: &str) -> Vec<Target> {
        let Some(unit) = self.unit_of(sym) else { return Vec::new() };
        let parent = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
        let own = unit.name(sym.at);
        unit.children_named(parent, name)
            .filter(|&at| unit.qualifier(at) == Some(own))
            .map(|at| Target::symbol(unit.sym(at), Rule::Static))
            .collect()
    }

    /// An entry of an object literal.
    pub(super) fn object_entry(&self, file: u32, scope: u32, expr: ExprId, name: &str) -> Vec<Target> {
        let key = (file, scope, expr, Box::from(name));
        // An object may contain itself: `x = { ...x, more }`.
        let find = || Some(Target::stored(self.find_object_entry(file, scope, expr, name)));
        let found = self.queries.object_entries.query(&self.limits, key, Keep::Always, find);
        found.map_or_else(Vec::new, |found| found.to_vec())
    }

    fn find_object_entry(&self, file: u32, scope: u32, expr: ExprId, name: &str) -> Vec<Target> {
        let Some(unit) = self.unit(file) else { return Vec::new() };
        let Expr::Sequence { items, .. } = unit.expr(expr) else { return Vec::new() };
        let site = Site { unit: unit.clone(), scope, at: u32::MAX };
        for &item in unit.list(items) {
            match unit.expr(item) {
                Expr::Named { name: key, value } if unit.text(key) == name => {
                    return self.targets(&site, value).to_vec();
                }
                Expr::Name(key) if unit.text(key) == name => return self.lookup(&site, name),
                Expr::Wrap { wrapper: Wrapper::Spread, inner } => {
                    let val = self.eval(&site, inner);
                    let found = self.member(&val, name, &unit);
                    if !found.is_empty() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        Vec::new()
    }

    pub(super) fn constructed(&self, site: &Site, ty: ExprId, _args: ExprList) -> Value {
        if site.unit.rules.type_namespace && site.unit.expr(ty) != Expr::SelfRef {
            let val = self.eval(site, ty);
            match &val.ty {
                Ty::Metatype(sym, args) => {
                    return Value::new(Ty::Instance(*sym, args.clone()), Rule::Inferred);
                }
                Ty::Function(..) => return val.with(val.ty.clone()),
                Ty::Module(module) => {
                    let whole = self.value_of_all(&self.default_export(module, &site.unit));
                    match whole.ty {
                        Ty::Metatype(sym, args) => {
                            return Value::new(Ty::Instance(sym, args), Rule::Inferred);
                        }
                        Ty::Function(..) => return whole,
                        _ => {}
                    }
                }
                Ty::Instance(..) => {
                    let found = self.type_member(&val.ty, MADE, 0, Rule::Declared);
                    let made = self.construct_signature_result(&found);
                    if made.is_known() {
                        return Value::new(made, Rule::Inferred);
                    }
                }
                _ => {}
            }
        }
        let of = match site.unit.expr(ty) {
            Expr::SelfRef => self.self_type(&site.unit, site.symbol()).unwrap_or(Ty::Unknown),
            _ => self.ty(site, ty),
        };
        Value::new(of, Rule::Inferred)
    }

    /// The result type of construct signatures.
    fn construct_signature_result(&self, found: &[Target]) -> Ty {
        Ty::union(found.iter().map(|one| match &one.referent {
            Referent::Symbol(sym, via) => self.seen_via(self.result_of(*sym), via.as_ref()).ty,
            _ => Ty::Unknown,
        }))
    }
}

/// Removes duplicate members; returns whether different ones are left.
pub(super) fn dedup_members(found: &mut Vec<Target>) -> bool {
    let mut seen: Vec<SymbolId> = Vec::new();
    found.retain(|one| match one.sym() {
        Some(sym) if seen.contains(&sym) => false,
        Some(sym) => {
            seen.push(sym);
            true
        }
        None => true,
    });
    seen.len() != 1 || found.len() > 1
}
