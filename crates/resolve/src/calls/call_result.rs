//! What a call gives: declared results, inferred ones, instances.

use crate::file::file_unit::Held;
use crate::session::{Frame, Question, Session};
use crate::types::ty::{Found, Sym, Thing, Ty, Val};
use crate::types::type_expr::substitute;
use orient_model::{Confidence, Expr, ExprId, ExprList, Modifier, Rule, SymbolKind};
use std::rc::Rc;

/// What packs call the member that says what calling an object gives.
pub(crate) const CALLED: &str = "()";
/// What packs call the member that says what making an object gives.
pub(crate) const MADE: &str = "new";

impl Session<'_> {
    /// The value of a call.
    pub(crate) fn call(&self, frame: &Frame, callee: ExprId, args: ExprList) -> Val {
        let unit = &frame.unit;
        if unit.expr(callee) == Expr::SuperRef {
            // The base itself where the language writes `super().x`; elsewhere the base's constructor.
            return self.eval(frame, callee);
        }
        let list = unit.facts.flow.list(args);
        if let Some(module) = self.loaded(frame, callee, list) {
            return module;
        }
        if let Some(val) = self.own_type_of(frame, callee) {
            return val;
        }
        let found = self.callees(frame, callee);
        let found = self.fitting(frame, &found, list);
        let val = self.call_found(&found, list, Some(frame));
        if val.ty.is_known() {
            return val;
        }
        let val = self.handed(frame, callee, list);
        if val.ty.is_known() {
            return val;
        }
        let val = self.passed(frame, callee);
        if val.ty.is_known() {
            return val;
        }
        let val = self.picked(frame, callee, list);
        if val.ty.is_known() { val } else { self.elements_given(frame, callee, list) }
    }

    /// The type of a value, where it is asked for: `x.class`.
    fn own_type_of(&self, frame: &Frame, callee: ExprId) -> Option<Val> {
        let unit = &frame.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return None };
        let name = unit.text(name);
        unit.rules.type_objects.iter().find(|(member, object)| member == name && object.is_empty())?;
        let val = self.eval(frame, base);
        let each = val.ty.each().iter().map(|ty| match ty {
            Ty::Of(sym, args) => Ty::Type(*sym, args.clone()),
            _ => Ty::Unknown,
        });
        Some(val.with(Ty::either(each)))
    }

    /// What members of anything give: their receiver, or what the function they are given makes of it.
    pub(crate) fn handed(&self, frame: &Frame, callee: ExprId, args: &[ExprId]) -> Val {
        let unit = &frame.unit;
        let (base, name) = match unit.expr(callee) {
            Expr::Member { base, name } => (Some(base), unit.text(name)),
            Expr::Name(name) => (None, unit.text(name)),
            _ => return Val::unknown(),
        };
        if unit.rules.makers.iter().any(|makes| makes == name) {
            let val = base.map_or_else(|| self.self_value(frame), |base| self.eval(frame, base));
            let each = val.ty.each().iter().map(|ty| match ty {
                Ty::Type(sym, args) => Ty::Of(*sym, args.clone()),
                _ => Ty::Unknown,
            });
            return Val { rule: Rule::Inferred, ..val.with(Ty::either(each)) };
        }
        if unit.rules.same.iter().any(|same| same == name) {
            return base.map_or_else(|| self.self_value(frame), |base| self.eval(frame, base));
        }
        match args.last() {
            Some(&function) if unit.rules.results.iter().any(|known| known == name) => {
                let val = self.eval(frame, function);
                self.called_value(&val.ty, &[], None)
            }
            _ => Val::unknown(),
        }
    }

    /// What calling each of these gives.
    pub(crate) fn call_found(&self, found: &[Found], args: &[ExprId], from: Option<&Frame>) -> Val {
        let vals: Vec<Val> = found.iter().map(|one| self.called(one, args, from)).collect();
        // Where all overloads give the same, it hardly matters which of them is meant.
        let agree = vals.len() > 1 && vals.iter().all(|val| val.ty.is_known() && val.ty == vals[0].ty);
        let worst = if agree { Confidence::Probable } else { Confidence::Approximate };
        let mut types = Vec::new();
        let (mut rule, mut sure) = (Rule::Inferred, Confidence::Exact);
        for (one, val) in found.iter().zip(vals) {
            if val.ty.is_known() {
                rule = val.rule;
                sure = sure.max(val.sure).max(one.sure.min(worst));
            }
            types.push(val.ty);
        }
        let mut ty = Ty::either(types);
        if found.len() > 1 && from.is_some_and(|from| from.unit.rules.type_space) {
            ty = alike(&ty);
        }
        if ty.each().len() > 1 {
            sure = sure.max(Confidence::Probable);
        }
        Val { ty, rule, sure }
    }

    fn called(&self, found: &Found, args: &[ExprId], from: Option<&Frame>) -> Val {
        match &found.thing {
            Thing::Symbol(sym, via) => self.called_symbol(*sym, via.as_ref(), args, from),
            Thing::Value(ty) => self.called_value(ty, args, from),
            Thing::Outside(..) => Val::unknown(),
        }
    }

    pub(crate) fn called_value(&self, ty: &Ty, args: &[ExprId], from: Option<&Frame>) -> Val {
        match ty {
            Ty::Function(sym, via) => self.called_symbol(*sym, via.as_ref(), args, from),
            Ty::Type(sym, args) => Val::new(Ty::Of(*sym, args.clone()), Rule::Inferred),
            Ty::Lambda(file, scope) => match self.unit(*file) {
                Some(unit) => self.scope_result(&unit, *scope),
                None => Val::unknown(),
            },
            Ty::Gives(result) | Ty::Signature(_, result) => Val::new((**result).clone(), Rule::Inferred),
            Ty::Of(sym, _) => {
                let Some(unit) = self.home(*sym) else { return Val::unknown() };
                if unit.rules.type_space {
                    let mut found = self.type_member(ty, CALLED, 0, Rule::Declared);
                    if found.len() > 1 && found.iter().any(|one| self.takes(one, args.len())) {
                        found.retain(|one| self.takes(one, args.len()));
                    }
                    return self.call_found(&found, args, from);
                }
                if unit.kind(sym.at) == Some(SymbolKind::Delegate) {
                    return self.result_of(*sym);
                }
                let name = unit.implicit("call").unwrap_or_default().to_owned();
                if name.is_empty() {
                    return Val::unknown();
                }
                let found = self.member(&Val::new(ty.clone(), Rule::Inferred), &name, &unit);
                self.call_found(&found, args, from)
            }
            Ty::Outside(name, args) => {
                let known =
                    from.is_some_and(|from| from.unit.rules.function_types.iter().any(|n| **n == **name));
                match args.last().filter(|_| known) {
                    Some(result) => Val::new(result.clone(), Rule::Inferred),
                    None => Val::unknown(),
                }
            }
            Ty::Either(types) => {
                let each: Vec<Ty> = types.iter().map(|ty| self.called_value(ty, args, from).ty).collect();
                Val { ty: Ty::either(each), rule: Rule::Inferred, sure: Confidence::Probable }
            }
            _ => Val::unknown(),
        }
    }

    fn called_symbol(&self, sym: Sym, via: Option<&Rc<Ty>>, args: &[ExprId], from: Option<&Frame>) -> Val {
        let Some(unit) = self.home(sym) else { return Val::unknown() };
        let Some(kind) = unit.kind(sym.at) else { return Val::unknown() };
        match kind {
            SymbolKind::Constructor => {
                let around = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
                around.map_or_else(Val::unknown, |at| Val::new(Ty::of(unit.sym(at)), Rule::Inferred))
            }
            SymbolKind::Property => {
                let val = self.through(self.type_of(sym), via);
                if !unit.rules.field_mark.is_empty() {
                    return val;
                }
                self.called_value(&val.ty, args, from)
            }
            SymbolKind::Delegate => self.result_of(sym),
            kind if kind.is_type() || kind == SymbolKind::TypeAlias => {
                let given = match via.map(|via| &**via) {
                    Some(Ty::Type(of, args)) if *of == sym => args.clone(),
                    _ => Ty::none(),
                };
                match self.instance_of(sym) {
                    Ty::Of(of, own) if own.is_empty() => Val::new(Ty::Of(of, given), Rule::Inferred),
                    ty => Val::new(ty, Rule::Inferred),
                }
            }
            SymbolKind::EnumMember => self.type_of(sym),
            kind if kind.is_callable() => {
                let result = self.result_of(sym);
                let result = self.with_receiver(&unit, sym, result, via);
                let result = self.with_arguments(&unit, sym, result, args, from);
                match from.filter(|_| unit.rules.dynamic) {
                    Some(from) => {
                        let handed = self.handed_on(&unit, sym, args, from);
                        if handed.is_known() {
                            result.with(Ty::either([result.ty.clone(), handed]))
                        } else {
                            result
                        }
                    }
                    None => result,
                }
            }
            _ => {
                let val = self.through(self.type_of(sym), via);
                self.called_value(&val.ty, args, from)
            }
        }
    }

    /// A result as seen by this receiver: its type arguments, and itself where the result is "the receiver's type".
    fn with_receiver(&self, unit: &Held, sym: Sym, result: Val, via: Option<&Rc<Ty>>) -> Val {
        let Some(via) = via else { return result };
        let own = self.self_type(unit, Some(sym.at));
        let gives_self = match (&result.ty, &own) {
            (Ty::Of(of, _), Some(Ty::Of(own, _))) => of == own && Self::returns_self(unit, sym.at),
            _ => false,
        };
        if gives_self {
            match &**via {
                Ty::Of(..) => return result.with((**via).clone()),
                Ty::Seen(_, this) => return result.with((**this).clone()),
                _ => {}
            }
        }
        let seen = self.seen_through(&result.ty, via);
        result.with(seen)
    }

    fn returns_self(unit: &Held, symbol: u32) -> bool {
        let declared = unit.binding_of(symbol).and_then(|binding| binding.ty);
        match declared {
            Some(ty) => unit.expr(ty) == Expr::SelfRef,
            None => unit.scope_of(symbol).is_some_and(|scope| {
                unit.returns(scope).iter().any(|&value| unit.expr(value) == Expr::SelfRef)
            }),
        }
    }

    /// A generic result, as far as the arguments say what its parameters are.
    fn with_arguments(
        &self,
        unit: &Held,
        sym: Sym,
        result: Val,
        args: &[ExprId],
        from: Option<&Frame>,
    ) -> Val {
        let (Some(from), Some(scope)) = (from, unit.scope_of(sym.at)) else { return result };
        if !mentions_param(&result.ty) {
            return result;
        }
        let mut map = Vec::new();
        for (&param, &arg) in unit.params(scope).iter().zip(args) {
            let wanted = self.declared(unit, param);
            if mentions_param(&wanted) {
                unify(&wanted, &self.eval(from, arg).ty, &mut map);
            }
        }
        result.with(substitute(&result.ty, &map))
    }

    /// What a function gives, as declared or as its body shows.
    pub(crate) fn result_of(&self, sym: Sym) -> Val {
        if let Some(known) = self.results.borrow().get(&sym) {
            return known.clone();
        }
        let val = self.once(Question::ResultOf(sym), || {
            let Some(unit) = self.home(sym) else { return Val::unknown() };
            self.returned(&unit, sym.at)
        });
        let Some(val) = val else { return Val::unknown() };
        if self.is_top() || val.ty.is_known() {
            self.results.borrow_mut().insert(sym, val.clone());
        }
        val
    }

    /// What a function gives; a declared type first, then what leaves its body.
    pub(crate) fn returned(&self, unit: &Held, symbol: u32) -> Val {
        if let Some(binding) = unit.binding_of(symbol)
            && let Some(ty) = binding.ty
        {
            let scope = unit.scope_of(symbol).unwrap_or_else(|| unit.scope_at(binding.at));
            let frame = Frame { unit: unit.clone(), scope, at: binding.at };
            let declared = self.ty(&frame, ty);
            let declared = match declared {
                Ty::Gives(result) if unit.kind(symbol) == Some(SymbolKind::Delegate) => (*result).clone(),
                ty => ty,
            };
            if declared.is_known() {
                return Val::new(declared, Rule::Declared);
            }
            if unit.rules.overloads && !unit.rules.type_space {
                // What is declared and not known is not told by the body; overloads that call each other lead nowhere.
                return Val::unknown();
            }
        }
        if let Some(result) = self.result_of_type(unit, symbol) {
            return Val::new(result, Rule::Declared);
        }
        let Some(scope) = unit.scope_of(symbol) else { return Val::unknown() };
        let val = self.scope_result(unit, scope);
        if unit.is(symbol, Modifier::Generator) && val.ty.is_known() {
            return val.with(Ty::Many(val.ty.clone().into()));
        }
        val
    }

    /// What a function gives by the type of the name that holds it: `const f: F = () => …`.
    fn result_of_type(&self, unit: &Held, symbol: u32) -> Option<Ty> {
        let binding = unit.binding_of(symbol)?;
        let Expr::Cast { ty, .. } = unit.expr(binding.value?) else { return None };
        let frame = Frame { unit: unit.clone(), scope: unit.scope_at(binding.at), at: binding.at };
        let ty = self.ty(&frame, ty);
        let result = self.called_value(&ty, &[], None).ty;
        result.is_known().then_some(result)
    }

    /// What leaves a function's scope.
    pub(crate) fn scope_result(&self, unit: &Held, scope: u32) -> Val {
        self.once(Question::Returns(unit.file, scope), || {
            let mut types = Vec::new();
            for &value in unit.returns(scope).iter().take(16) {
                let at = unit.facts.flow.scopes.get(scope as usize).map_or(u32::MAX, |scope| scope.end);
                let frame = Frame { unit: unit.clone(), scope, at };
                types.push(self.eval(&frame, value).ty);
            }
            Val::new(Ty::either(types), Rule::Inferred)
        })
        .unwrap_or_else(Val::unknown)
    }
}

/// One of each type, whatever its arguments: overloads tell them apart where we cannot.
fn alike(ty: &Ty) -> Ty {
    let mut seen = Vec::new();
    let distinct = ty.each().iter().filter(|ty| match ty {
        Ty::Of(sym, _) if seen.contains(sym) => false,
        Ty::Of(sym, _) => {
            seen.push(*sym);
            true
        }
        _ => true,
    });
    Ty::either(distinct.cloned())
}

/// Whether a type parameter stands somewhere in a type.
pub(crate) fn mentions_param(ty: &Ty) -> bool {
    match ty {
        Ty::Param(..) => true,
        Ty::Of(_, args) | Ty::Type(_, args) | Ty::Outside(_, args) | Ty::Tuple(args) | Ty::Either(args) => {
            args.iter().any(mentions_param)
        }
        Ty::Many(inner) | Ty::Gives(inner) => mentions_param(inner),
        Ty::Signature(params, result) => params.iter().any(mentions_param) || mentions_param(result),
        _ => false,
    }
}

/// What the parameters of `wanted` must be for it to be `given`.
pub(crate) fn unify(wanted: &Ty, given: &Ty, map: &mut Vec<((u32, u32), Ty)>) {
    match (wanted, given) {
        (_, Ty::Unknown) => {}
        (Ty::Param(file, at), _) if map.iter().any(|(param, _)| *param == (*file, *at)) => {}
        (Ty::Param(file, at), given) => map.push(((*file, *at), given.clone())),
        (Ty::Of(a, left), Ty::Of(b, right)) if a == b => {
            left.iter().zip(right.iter()).for_each(|(left, right)| unify(left, right, map));
        }
        (Ty::Outside(_, left), Ty::Outside(_, right)) => {
            left.iter().zip(right.iter()).for_each(|(left, right)| unify(left, right, map));
        }
        (Ty::Outside(_, left), Ty::Type(sym, args)) => {
            if let Some(first) = left.first() {
                unify(first, &Ty::Of(*sym, args.clone()), map);
            }
        }
        (Ty::Many(left), Ty::Many(right)) | (Ty::Gives(left), Ty::Gives(right)) => unify(left, right, map),
        (Ty::Signature(left, gives), Ty::Signature(right, given)) => {
            left.iter().zip(right.iter()).for_each(|(left, right)| unify(left, right, map));
            unify(gives, given, map);
        }
        (Ty::Either(types), given) => types.iter().for_each(|ty| unify(ty, given, map)),
        _ => {}
    }
}
