//! What holds other values: what its members give, and what they put into functions they are given.

use crate::session::{Frame, Session};
use crate::types::ty::{Ty, Val};
use orient_model::{Expr, ExprId, Rule, Via};
use std::rc::Rc;

impl Session<'_> {
    /// A member of something from outside that gives what it holds: `unwrap`, `iter`.
    pub(crate) fn passed(&self, frame: &Frame, callee: ExprId) -> Val {
        let unit = &frame.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return Val::unknown() };
        if !unit.rules.passes.iter().any(|pass| pass == unit.text(name)) {
            return Val::unknown();
        }
        let val = self.eval(frame, base);
        match &val.ty {
            Ty::Outside(..) | Ty::Many(_) if unit.rules.type_space => val,
            Ty::Of(..) if unit.rules.type_space => Val::unknown(),
            Ty::Outside(_, args) => match args.first() {
                Some(held) => val.with(held.clone()),
                None => Val::unknown(),
            },
            Ty::Many(_) | Ty::Of(..) => val,
            _ => Val::unknown(),
        }
    }

    /// One of what a collection holds, or all of it by what a function makes of each.
    pub(crate) fn picked(&self, frame: &Frame, callee: ExprId, args: &[ExprId]) -> Val {
        let unit = &frame.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return Val::unknown() };
        let name = unit.text(name);
        if unit.rules.picks.iter().any(|pick| pick == name) {
            let val = self.eval(frame, base);
            return if is_collection(&val.ty) { self.via(frame, &val, Via::Element) } else { Val::unknown() };
        }
        if unit.rules.maps.iter().any(|map| map == name)
            && let Some(&function) = args.first()
            && is_collection(&self.eval(frame, base).ty)
        {
            let val = self.eval(frame, function);
            let each = self.called_value(&val.ty, &[], None);
            return each.with(Ty::Many(each.ty.clone().into()));
        }
        Val::unknown()
    }

    /// All elements of what a function from outside is given: `Object.values(record)`.
    pub(crate) fn elements_given(&self, frame: &Frame, callee: ExprId, args: &[ExprId]) -> Val {
        let unit = &frame.unit;
        let (Expr::Member { base, name }, Some(&arg)) = (unit.expr(callee), args.first()) else {
            return Val::unknown();
        };
        let Expr::Name(of) = unit.expr(base) else { return Val::unknown() };
        let (of, name) = (unit.text(of), unit.text(name));
        let is_called = |known: &String| known.split_once('.') == Some((of, name));
        if !unit.rules.elements_of.iter().any(is_called) || !self.lookup(frame, of).is_empty() {
            return Val::unknown();
        }
        let element = self.via(frame, &self.eval(frame, arg), Via::Element);
        if !element.ty.is_known() {
            return Val::unknown();
        }
        element.with(Ty::Many(element.ty.clone().into()))
    }

    /// The module a function of the language loads.
    pub(crate) fn loaded(&self, frame: &Frame, callee: ExprId, args: &[ExprId]) -> Option<Val> {
        let unit = &frame.unit;
        let Expr::Name(name) = unit.expr(callee) else { return None };
        let name = unit.text(name);
        if !unit.rules.loads.iter().any(|load| load == name) || !self.lookup(frame, name).is_empty() {
            return None;
        }
        let Expr::Text(path) = unit.expr(*args.first()?) else { return None };
        let path = unit.text(path);
        self.ask_module(path);
        Some(Val::new(Ty::Module(self.find_module(unit, path)?), Rule::Import))
    }

    /// What members of collections and promises put into the function they are given.
    pub(crate) fn fed(&self, frame: &Frame, callee: ExprId, at: usize) -> Ty {
        let unit = &frame.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return Ty::Unknown };
        if unit.rules.hands.iter().any(|hands| hands == unit.text(name)) {
            return Ty::Signature(Rc::from([self.eval(frame, base).ty]), Ty::Unknown.into());
        }
        let feed = unit.rules.feeds.iter().find(|(feed, _)| feed == unit.text(name));
        let Some(&(_, place)) = feed.filter(|_| at == 0 || unit.rules.given_types) else {
            return Ty::Unknown;
        };
        let val = self.eval(frame, base);
        if !is_collection(&val.ty) {
            return Ty::Unknown;
        }
        let element = self.via(frame, &val, Via::Element).ty;
        let mut params = vec![Ty::Unknown; place as usize];
        params.push(element);
        Ty::Signature(params.into(), Ty::Unknown.into())
    }
}

/// Whether a value holds any number of others.
pub(crate) fn is_collection(ty: &Ty) -> bool {
    match ty {
        Ty::Many(_) => true,
        Ty::Outside(_, args) => !args.is_empty(),
        _ => false,
    }
}
