//! Objects that are no instances of a declared type: written out, put together from functions, modules as a whole; and what
//! is made of them.

use crate::calls::call_result::MADE;
use crate::file::file_unit::Held;
use crate::modules::hash;
use crate::session::{Frame, Question, Session};
use crate::types::ty::{Found, Module, Sym, Thing, Ty, Val};
use orient_model::{Expr, ExprId, ExprList, Modules, Rule, Wrapper};

impl Session<'_> {
    /// What a module is as a whole, where it gives one thing out: `module.exports = …`.
    pub(crate) fn whole_module(&self, module: &Module, from: &Held) -> Vec<Found> {
        if from.rules.modules != Modules::Path {
            return Vec::new();
        }
        self.module_member(module, "default", from)
    }

    pub(crate) fn whole_member(&self, module: &Module, name: &str, from: &Held) -> Vec<Found> {
        if name == "default" {
            return Vec::new();
        }
        let whole = self.whole_module(module, from);
        let vals = whole.iter().map(|one| self.value(one)).filter(|val| !matches!(val.ty, Ty::Module(_)));
        vals.collect::<Vec<_>>().iter().flat_map(|val| self.member(val, name, from)).collect()
    }

    /// Members of a function that is also an object: what was put onto it.
    pub(crate) fn function_member(&self, sym: Sym, name: &str) -> Vec<Found> {
        let Some(unit) = self.home(sym) else { return Vec::new() };
        self.ask(name);
        let parent = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
        let own = unit.name(sym.at);
        let beside = unit.children(parent).iter();
        beside
            .filter(|&&at| unit.name(at) == name && unit.qualifier(at) == Some(own))
            .map(|&at| Found::symbol(unit.sym(at), Rule::Static))
            .collect()
    }

    /// An entry of an object that is written out.
    pub(crate) fn entry(&self, file: u32, scope: u32, expr: ExprId, name: &str) -> Vec<Found> {
        let key = (file, scope, expr, Box::from(name));
        if let Some(known) = self.entries.borrow().get(&key) {
            return known.to_vec();
        }
        let question = Question::Entry(file, scope, expr, hash("", name));
        // An object may be put together from itself: `x = { ...x, more }`.
        let Some(found) = self.once(question, || self.find_entry(file, scope, expr, name)) else {
            return Vec::new();
        };
        self.entries.borrow_mut().insert(key, found.clone().into());
        found
    }

    pub(crate) fn find_entry(&self, file: u32, scope: u32, expr: ExprId, name: &str) -> Vec<Found> {
        let Some(unit) = self.unit(file) else { return Vec::new() };
        let Expr::Sequence { items, .. } = unit.expr(expr) else { return Vec::new() };
        let frame = Frame { unit: unit.clone(), scope, at: u32::MAX };
        for &item in unit.facts.flow.list(items) {
            match unit.expr(item) {
                Expr::Named { name: key, value } if unit.text(key) == name => {
                    return self.denote(&frame, value).to_vec();
                }
                Expr::Name(key) if unit.text(key) == name => return self.lookup(&frame, name),
                Expr::Wrap { wrapper: Wrapper::Spread, inner } => {
                    let val = self.eval(&frame, inner);
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

    pub(crate) fn made(&self, frame: &Frame, ty: ExprId, _args: ExprList) -> Val {
        if frame.unit.rules.type_space && frame.unit.expr(ty) != Expr::SelfRef {
            let val = self.eval(frame, ty);
            match &val.ty {
                Ty::Type(sym, args) => return Val::new(Ty::Of(*sym, args.clone()), Rule::Inferred),
                Ty::Function(..) => return val.with(val.ty.clone()),
                Ty::Module(module) => {
                    let whole = self.values(&self.whole_module(module, &frame.unit));
                    match whole.ty {
                        Ty::Type(sym, args) => return Val::new(Ty::Of(sym, args), Rule::Inferred),
                        Ty::Function(..) => return whole,
                        _ => {}
                    }
                }
                Ty::Of(..) => {
                    let found = self.type_member(&val.ty, MADE, 0, Rule::Declared);
                    let made = self.made_by(&found);
                    if made.is_known() {
                        return Val::new(made, Rule::Inferred);
                    }
                }
                _ => {}
            }
        }
        let of = match frame.unit.expr(ty) {
            Expr::SelfRef => self.self_type(&frame.unit, frame.symbol()).unwrap_or(Ty::Unknown),
            _ => self.ty(frame, ty),
        };
        Val::new(of, Rule::Inferred)
    }

    /// What construct signatures say that they make.
    pub(crate) fn made_by(&self, found: &[Found]) -> Ty {
        Ty::either(found.iter().map(|one| match &one.thing {
            Thing::Symbol(sym, via) => self.through(self.result_of(*sym), via.as_ref()).ty,
            _ => Ty::Unknown,
        }))
    }

    /// What a type parameter is at least.
    pub(crate) fn constraint(&self, unit: &Held, param: u32) -> Val {
        let Some(ty) = unit.binding(param).and_then(|binding| binding.ty).filter(|_| unit.rules.type_space)
        else {
            return self.bound_value(unit, param);
        };
        let scope = unit.binding(param).map_or(0, |binding| binding.scope);
        let frame = Frame { unit: unit.clone(), scope, at: u32::MAX };
        let ty = self.once(Question::Binding(unit.file, param), || self.ty(&frame, ty));
        Val::new(ty.unwrap_or(Ty::Unknown), Rule::Declared)
    }
}

/// Keeps one of each member that several types share; whether different ones are left.
pub(crate) fn distinct_members(found: &mut Vec<Found>) -> bool {
    let mut seen: Vec<Sym> = Vec::new();
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
