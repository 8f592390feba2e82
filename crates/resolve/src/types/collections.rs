//! Collections and wrappers: the result types of their members, and the types of the callbacks they take.

use crate::session::{Session, Site};
use crate::types::target::Value;
use crate::types::ty::Ty;
use orient_model::{Expr, ExprId, Rule, Via};
use std::rc::Rc;

impl Session<'_> {
    /// The result of a member that returns what its receiver wraps: `unwrap`, `iter`.
    pub(crate) fn pass_through_result(&self, site: &Site, callee: ExprId) -> Value {
        let unit = &site.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return Value::unknown() };
        if !unit.rules.unwrapping_methods.iter().any(|pass| pass == unit.text(name)) {
            return Value::unknown();
        }
        let val = self.eval(site, base);
        match &val.ty {
            Ty::External(..) | Ty::List(_) if unit.rules.type_namespace => val,
            Ty::Instance(..) if unit.rules.type_namespace => Value::unknown(),
            Ty::External(_, args) => match args.first() {
                Some(held) => val.with(held.clone()),
                None => Value::unknown(),
            },
            Ty::List(_) | Ty::Instance(..) => val,
            _ => Value::unknown(),
        }
    }

    /// The result of a member that returns one element, or maps all elements.
    pub(crate) fn element_result(&self, site: &Site, callee: ExprId, args: &[ExprId]) -> Value {
        let unit = &site.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return Value::unknown() };
        let name = unit.text(name);
        if unit.rules.element_methods.iter().any(|pick| pick == name) {
            let val = self.eval(site, base);
            return if is_collection(&val.ty) {
                self.destructure(site, &val, Via::Element)
            } else {
                Value::unknown()
            };
        }
        if unit.rules.mapping_methods.iter().any(|map| map == name)
            && let Some(&function) = args.first()
            && is_collection(&self.eval(site, base).ty)
        {
            let val = self.eval(site, function);
            let each = self.called_value(&val.ty, &[], None);
            return each.with(Ty::List(each.ty.clone().into()));
        }
        Value::unknown()
    }

    /// The result of a function that returns all elements of its argument: `Object.values(record)`.
    pub(crate) fn elements_function_result(&self, site: &Site, callee: ExprId, args: &[ExprId]) -> Value {
        let unit = &site.unit;
        let (Expr::Member { base, name }, Some(&arg)) = (unit.expr(callee), args.first()) else {
            return Value::unknown();
        };
        let Expr::Name(of) = unit.expr(base) else { return Value::unknown() };
        let (of, name) = (unit.text(of), unit.text(name));
        let is_called = |known: &String| known.split_once('.') == Some((of, name));
        if !unit.rules.element_functions.iter().any(is_called) || !self.lookup(site, of).is_empty() {
            return Value::unknown();
        }
        let element = self.destructure(site, &self.eval(site, arg), Via::Element);
        if !element.ty.is_known() {
            return Value::unknown();
        }
        element.with(Ty::List(element.ty.clone().into()))
    }

    /// The module that a built-in function loads: `require("x")`.
    pub(crate) fn loaded_module(&self, site: &Site, callee: ExprId, args: &[ExprId]) -> Option<Value> {
        let unit = &site.unit;
        let Expr::Name(name) = unit.expr(callee) else { return None };
        let name = unit.text(name);
        if !unit.rules.module_loaders.iter().any(|load| load == name) || !self.lookup(site, name).is_empty() {
            return None;
        }
        let Expr::Text(path) = unit.expr(*args.first()?) else { return None };
        let path = unit.text(path);
        Some(Value::new(Ty::Module(self.find_module(unit, path)?), Rule::Import))
    }

    /// The type of the callback that a member of a collection or promise takes.
    pub(super) fn callback_type(&self, site: &Site, callee: ExprId, at: usize) -> Ty {
        let unit = &site.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return Ty::Unknown };
        let stated = self.library_callback(site, callee, at);
        if stated.is_known() {
            return stated;
        }
        if unit.rules.receiver_passing_methods.iter().any(|hands| hands == unit.text(name)) {
            return Ty::Signature(Rc::from([self.eval(site, base).ty]), Ty::Unknown.into());
        }
        let feed = unit.rules.callback_parameters.iter().find(|(feed, _)| feed == unit.text(name));
        let Some(&(_, place)) = feed.filter(|_| at == 0 || unit.rules.contextual_typing) else {
            return Ty::Unknown;
        };
        let val = self.eval(site, base);
        if !is_collection(&val.ty) {
            return Ty::Unknown;
        }
        let element = self.destructure(site, &val, Via::Element).ty;
        let mut params = vec![Ty::Unknown; place as usize];
        params.push(element);
        Ty::Signature(params.into(), Ty::Unknown.into())
    }
}

/// Whether a type is a collection.
pub(super) fn is_collection(ty: &Ty) -> bool {
    match ty {
        Ty::List(_) => true,
        Ty::External(_, args) => !args.is_empty(),
        _ => false,
    }
}
