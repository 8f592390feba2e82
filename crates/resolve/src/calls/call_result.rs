//! The result type of a call: declared, inferred from the body, or an instance.

use crate::file::FileRef;
use crate::memo::Keep;
use crate::session::{Session, Site};
use crate::types::generics::{TypeArguments, mentions_param, substitute};
use crate::types::member_access::runtime_type;
use crate::types::self_type::{is_receiver, is_self_type};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Confidence, Expr, ExprId, ExprList, Modifier, Modules, Rule, SymbolKind};
use std::rc::Rc;

/// The name that packs give to call signatures.
pub(crate) const CALLED: &str = "()";
/// The name that packs give to construct signatures.
pub(crate) const MADE: &str = "new";

impl Session<'_> {
    /// The value of a call.
    pub(crate) fn call(&self, site: &Site, callee: ExprId, args: ExprList) -> Value {
        let unit = &site.unit;
        if unit.expr(callee) == Expr::SuperRef {
            // In `super().x` it is the base itself; elsewhere a call of the base's constructor.
            return self.eval(site, callee);
        }
        let list = unit.list(args);
        if let Some(module) = self.loaded_module(site, callee, list) {
            return module;
        }
        if let Some(val) = self.runtime_type_of(site, callee, list) {
            return val;
        }
        let found = self.applicable_callees(site, callee, list);
        let found = self.resolve_overloads(site, &found, list);
        let val = self.call_targets_result(&found, list, Some(site));
        if val.ty.is_known() {
            return val;
        }
        let val = self.library_result(site, callee, list);
        if val.ty.is_known() {
            return val;
        }
        let val = self.constructed_library_type(site, callee);
        if val.ty.is_known() {
            return val;
        }
        let callee = Self::without_type_arguments(site, callee);
        let val = self.receiver_member_result(site, callee, list);
        if val.ty.is_known() {
            return val;
        }
        let val = self.pass_through_result(site, callee);
        if val.ty.is_known() {
            return val;
        }
        let val = self.element_result(site, callee, list);
        if val.ty.is_known() { val } else { self.elements_function_result(site, callee, list) }
    }

    /// The runtime type of a value: `x.class`.
    fn runtime_type_of(&self, site: &Site, callee: ExprId, args: &[ExprId]) -> Option<Value> {
        let unit = &site.unit;
        if let (Expr::Name(name), &[arg]) = (unit.expr(callee), args) {
            let name = unit.text(name);
            let is_known = unit.rules.runtime_type_functions.iter().any(|known| known == name);
            return (is_known && self.lookup(site, name).is_empty()).then(|| {
                let val = self.eval(site, arg);
                val.with(runtime_type(&val.ty))
            });
        }
        let Expr::Member { base, name } = unit.expr(callee) else { return None };
        let name = unit.text(name);
        unit.rules.type_object_members.iter().find(|(member, object)| member == name && object.is_empty())?;
        let val = self.eval(site, base);
        Some(val.with(runtime_type(&val.ty)))
    }

    /// The result of a member that every value has: an instance, the receiver, a function with some arguments given, or the result of the
    /// callback.
    pub(crate) fn receiver_member_result(&self, site: &Site, callee: ExprId, args: &[ExprId]) -> Value {
        let unit = &site.unit;
        let (base, name) = match unit.expr(callee) {
            Expr::Member { base, name } => (Some(base), unit.text(name)),
            Expr::Name(name) => (None, unit.text(name)),
            _ => return Value::unknown(),
        };
        if unit.rules.implicit_constructors.iter().any(|makes| makes == name) {
            let val = base.map_or_else(|| self.self_value(site), |base| self.eval(site, base));
            let each = val.ty.alternatives().iter().map(|ty| match ty {
                Ty::Metatype(sym, args) => Ty::Instance(*sym, args.clone()),
                _ => Ty::Unknown,
            });
            return Value { rule: Rule::Inferred, ..val.with(Ty::union(each)) };
        }
        if unit.rules.identity_methods.iter().any(|same| same == name) {
            return base.map_or_else(|| self.self_value(site), |base| self.eval(site, base));
        }
        if let Some(&function) = args.first()
            && unit.rules.partial_functions.iter().any(|known| known == name)
        {
            let val = self.eval(site, function);
            return if matches!(val.ty, Ty::Function(..)) { val } else { Value::unknown() };
        }
        match args.last() {
            Some(&function) if unit.rules.callback_result_methods.iter().any(|known| known == name) => {
                let val = self.eval(site, function);
                self.called_value(&val.ty, &[], None)
            }
            _ => Value::unknown(),
        }
    }

    /// The result type of calling any of these targets.
    pub(crate) fn call_targets_result(
        &self,
        found: &[Target],
        args: &[ExprId],
        from: Option<&Site>,
    ) -> Value {
        let vals: Vec<Value> = found.iter().map(|one| self.called(one, args, from)).collect();
        // If all overloads return the same type, it does not matter which one is meant.
        let agree = vals.len() > 1 && vals.iter().all(|val| val.ty.is_known() && val.ty == vals[0].ty);
        let worst = if agree { Confidence::Probable } else { Confidence::Approximate };
        let mut types = Vec::new();
        let (mut rule, mut confidence) = (Rule::Inferred, Confidence::Exact);
        for (one, val) in found.iter().zip(vals) {
            if val.ty.is_known() {
                rule = val.rule;
                confidence = confidence.max(val.confidence).max(one.confidence.min(worst));
            }
            types.push(val.ty);
        }
        let mut ty = Ty::union(types);
        if found.len() > 1 && from.is_some_and(|from| from.unit.rules.type_namespace) {
            ty = distinct_by_symbol(&ty);
        }
        if ty.alternatives().len() > 1 {
            confidence = confidence.max(Confidence::Probable);
        }
        Value { ty, rule, confidence }
    }

    fn called(&self, found: &Target, args: &[ExprId], from: Option<&Site>) -> Value {
        match &found.referent {
            Referent::Symbol(sym, via) => self.called_symbol(*sym, via.as_ref(), args, from),
            Referent::Value(ty) => self.called_value(ty, args, from),
            Referent::External(..) => Value::unknown(),
        }
    }

    pub(crate) fn called_value(&self, ty: &Ty, args: &[ExprId], from: Option<&Site>) -> Value {
        match ty {
            Ty::Function(sym, via) => self.called_symbol(*sym, via.as_ref(), args, from),
            Ty::Metatype(sym, args) => Value::new(Ty::Instance(*sym, args.clone()), Rule::Inferred),
            Ty::Lambda(file, scope) => match self.unit(*file) {
                Some(unit) => self.scope_return_type(&unit, *scope),
                None => Value::unknown(),
            },
            Ty::Returning(result) | Ty::Signature(_, result) => {
                Value::new((**result).clone(), Rule::Inferred)
            }
            Ty::Instance(sym, _) => {
                let Some(unit) = self.unit_of(*sym) else { return Value::unknown() };
                if unit.rules.type_namespace {
                    let mut found = self.type_member(ty, CALLED, 0, Rule::Declared);
                    if found.len() > 1 && found.iter().any(|one| self.accepts_count(one, args.len())) {
                        found.retain(|one| self.accepts_count(one, args.len()));
                    }
                    return self.call_targets_result(&found, args, from);
                }
                if unit.kind(sym.at) == Some(SymbolKind::Delegate) {
                    return self.result_of(*sym);
                }
                if let Some(function @ (Ty::Signature(..) | Ty::Returning(_))) = self.underlying_type(ty) {
                    // A named function type.
                    return self.called_value(&function, args, from);
                }
                let name = unit.implicit("call").unwrap_or_default().to_owned();
                if name.is_empty() {
                    return Value::unknown();
                }
                let found = self.member(&Value::new(ty.clone(), Rule::Inferred), &name, &unit);
                self.call_targets_result(&found, args, from)
            }
            Ty::External(name, args) => {
                let known =
                    from.is_some_and(|from| from.unit.rules.function_types.iter().any(|n| **n == **name));
                match args.last().filter(|_| known) {
                    Some(result) => Value::new(result.clone(), Rule::Inferred),
                    None => Value::unknown(),
                }
            }
            Ty::Union(types) => {
                let each: Vec<Ty> = types.iter().map(|ty| self.called_value(ty, args, from).ty).collect();
                Value { ty: Ty::union(each), rule: Rule::Inferred, confidence: Confidence::Probable }
            }
            _ => Value::unknown(),
        }
    }

    fn called_symbol(
        &self,
        sym: SymbolId,
        via: Option<&Rc<Ty>>,
        args: &[ExprId],
        from: Option<&Site>,
    ) -> Value {
        let Some(unit) = self.unit_of(sym) else { return Value::unknown() };
        let Some(kind) = unit.kind(sym.at) else { return Value::unknown() };
        match kind {
            SymbolKind::Constructor => {
                let around = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
                around
                    .map_or_else(Value::unknown, |at| Value::new(Ty::instance(unit.sym(at)), Rule::Inferred))
            }
            SymbolKind::Property => {
                let val = self.seen_via(self.type_of_symbol(sym), via);
                if !unit.rules.property_field_prefix.is_empty() {
                    return val;
                }
                self.called_value(&val.ty, args, from)
            }
            SymbolKind::Delegate => self.result_of(sym),
            SymbolKind::Macro if unit.rules.modules == Modules::Include => {
                let passed = self.passed_argument(sym).and_then(|place| args.get(place));
                match (passed, from) {
                    (Some(&arg), Some(from)) => self.eval(from, arg),
                    _ => Value::unknown(),
                }
            }
            kind if kind.is_type() || kind == SymbolKind::TypeAlias => {
                let given = match via.map(|via| &**via) {
                    Some(Ty::Metatype(of, args)) if *of == sym => args.clone(),
                    _ => Ty::no_args(),
                };
                match self.instance_of(sym) {
                    Ty::Instance(of, own) if own.is_empty() => {
                        Value::new(Ty::Instance(of, given), Rule::Inferred)
                    }
                    ty => Value::new(ty, Rule::Inferred),
                }
            }
            SymbolKind::EnumMember => self.type_of_symbol(sym),
            kind if kind.is_callable() => {
                let sym = self.overload_signature(&unit, sym, args.len()).unwrap_or(sym);
                let (stated, via) = stated_arguments(&unit, sym, via);
                let via = via.as_ref();
                let result = self.result_of(sym);
                let result = self.result_for_receiver(&unit, sym, result, via);
                let result = result.with(substitute(&result.ty, &stated));
                let result = self.result_for_arguments(&unit, (sym, via), result, args, from);
                match from.filter(|_| unit.rules.value_flow_typing) {
                    Some(from) => {
                        let handed = self.handed_on(&unit, sym, args, from);
                        if handed.is_known() {
                            result.with(Ty::union([result.ty.clone(), handed]))
                        } else {
                            result
                        }
                    }
                    None => result,
                }
            }
            _ => {
                let val = self.seen_via(self.type_of_symbol(sym), via);
                self.called_value(&val.ty, args, from)
            }
        }
    }

    /// The signature that callers of an overloaded function see instead of its implementation; none if those that take this many
    /// arguments declare different results.
    fn overload_signature(&self, unit: &FileRef, sym: SymbolId, count: usize) -> Option<SymbolId> {
        let function = unit.symbol(sym.at).filter(|_| unit.rules.type_namespace)?;
        if unit.is(sym.at, Modifier::Declaration) {
            return None;
        }
        let is_signature = |&at: &u32| {
            at < sym.at
                && unit.is(at, Modifier::Declaration)
                && unit.symbol(at).is_some_and(|one| (one.name, one.kind) == (function.name, function.kind))
                && self.accepts_count(&Target::symbol(unit.sym(at), Rule::Declared), count)
        };
        let mut signatures = unit.children(function.parent).iter().copied().filter(is_signature);
        let first = signatures.next()?;
        let result = |at: u32| unit.symbol(at).and_then(|one| one.returns);
        signatures.all(|at| result(at) == result(first)).then(|| unit.sym(first))
    }

    /// The result type for a receiver: with its type arguments, and the receiver's own type for `Self`.
    fn result_for_receiver(
        &self,
        unit: &FileRef,
        sym: SymbolId,
        result: Value,
        via: Option<&Rc<Ty>>,
    ) -> Value {
        let Some(via) = via else { return result };
        let own = self.self_type(unit, Some(sym.at));
        let gives_self = match (&result.ty, &own) {
            (Ty::Instance(of, _), Some(Ty::Instance(own, _))) => {
                of == own && Self::returns_self(unit, sym.at)
            }
            _ => false,
        };
        if gives_self {
            match &**via {
                Ty::Instance(..) => return result.with((**via).clone()),
                Ty::SeenThrough(_, this) => return result.with((**this).clone()),
                _ => {}
            }
        }
        let seen = self.substitute_receiver(&result.ty, via);
        result.with(seen)
    }

    fn returns_self(unit: &FileRef, symbol: u32) -> bool {
        let declared = unit.binding_of(symbol).and_then(|binding| binding.ty);
        match declared {
            Some(ty) => is_self_type(unit, ty),
            None => unit.scope_of(symbol).is_some_and(|scope| {
                unit.returns(scope).iter().any(|&value| is_receiver(unit, scope, value))
            }),
        }
    }

    /// The result type of a generic function, with type parameters inferred from the arguments and from the receiver of an extension.
    fn result_for_arguments(
        &self,
        unit: &FileRef,
        (sym, via): (SymbolId, Option<&Rc<Ty>>),
        result: Value,
        args: &[ExprId],
        from: Option<&Site>,
    ) -> Value {
        let (Some(from), Some(scope)) = (from, unit.scope_of(sym.at)) else { return result };
        if !mentions_param(&result.ty) {
            return result;
        }
        let (mut map, receivers) = self.extension_arguments(unit, sym, via);
        for (&param, &arg) in unit.params(scope).iter().skip(receivers).zip(args) {
            let wanted = self.declared(unit, param);
            if mentions_param(&wanted) {
                self.infer(&wanted, &self.eval(from, arg).ty, &mut map);
            }
        }
        result.with(substitute(&result.ty, &map))
    }

    /// The result type of a function, declared or inferred.
    pub(crate) fn result_of(&self, sym: SymbolId) -> Value {
        let find = || {
            let unit = self.unit_of(sym);
            Some(unit.map_or_else(Value::unknown, |unit| self.return_type(&unit, sym.at)))
        };
        let keep = Keep::OutermostOr(Value::is_known_answer);
        self.queries.return_types.query(&self.limits, sym, keep, find).unwrap_or_else(Value::unknown)
    }

    /// The result type of a function: the declared type first, then the returned values.
    pub(crate) fn return_type(&self, unit: &FileRef, symbol: u32) -> Value {
        if let Some(binding) = unit.binding_of(symbol)
            && let Some(ty) = binding.ty
        {
            let scope = unit.scope_of(symbol).unwrap_or_else(|| unit.scope_at(binding.at));
            let site = Site { unit: unit.clone(), scope, at: binding.at };
            let declared = self.ty(&site, ty);
            let declared = match declared {
                Ty::Returning(result) if unit.kind(symbol) == Some(SymbolKind::Delegate) => (*result).clone(),
                ty => ty,
            };
            if declared.is_known() {
                return Value::new(declared, Rule::Declared);
            }
            if unit.rules.overloads && !unit.rules.type_namespace {
                // The body does not help if the declared type is unknown; overloads that call each other lead nowhere.
                return Value::unknown();
            }
        }
        if let Some(result) = self.result_of_declared_type(unit, symbol) {
            return Value::new(result, Rule::Declared);
        }
        let Some(scope) = unit.scope_of(symbol) else { return Value::unknown() };
        let val = self.scope_return_type(unit, scope);
        if unit.is(symbol, Modifier::Generator) && val.ty.is_known() {
            return val.with(Ty::List(val.ty.clone().into()));
        }
        val
    }

    /// The result type of a function by the declared type of its variable: `const f: F = () => …`.
    fn result_of_declared_type(&self, unit: &FileRef, symbol: u32) -> Option<Ty> {
        let binding = unit.binding_of(symbol)?;
        let Expr::Cast { ty, .. } = unit.expr(binding.value?) else { return None };
        let site = Site { unit: unit.clone(), scope: unit.scope_at(binding.at), at: binding.at };
        let ty = self.ty(&site, ty);
        let result = self.called_value(&ty, &[], None).ty;
        result.is_known().then_some(result)
    }

    /// The union of the types of all returned values of a scope.
    pub(super) fn scope_return_type(&self, unit: &FileRef, scope: u32) -> Value {
        let returned = self.queries.scope_returns.enter(&self.limits, &(unit.file, scope), || {
            let at = unit.scope(scope).map_or(u32::MAX, |scope| scope.end);
            let site = Site { unit: unit.clone(), scope, at };
            let returns = unit.returns(scope).iter().take(16);
            let (stated, returned): (Vec<ExprId>, Vec<ExprId>) =
                returns.copied().partition(|&value| unit.is_documented(value));
            let types = |values: &[ExprId]| Ty::union(values.iter().map(|&value| self.eval(&site, value).ty));
            let val = Value::new(types(&returned), Rule::Inferred);
            if stated.is_empty() || is_informative(&val.ty) {
                val
            } else {
                Value { ty: types(&stated), confidence: Confidence::Probable, ..val }
            }
        });
        returned.unwrap_or_else(Value::unknown)
    }
}

/// The type arguments that a call states for a function, and the receiver of the function.
fn stated_arguments(unit: &FileRef, sym: SymbolId, via: Option<&Rc<Ty>>) -> (TypeArguments, Option<Rc<Ty>>) {
    if let Some(Ty::SeenThrough(through, this)) = via.map(|via| &**via)
        && let Ty::Metatype(of, args) = &**through
        && *of == sym
        && !unit.rules.type_namespace
    {
        let params = unit.type_params(sym.at).iter().map(|&at| (sym.file, at));
        return (
            params.zip(args.iter().cloned()).collect(),
            Some(this.clone()).filter(|this| this.is_known()),
        );
    }
    (Vec::new(), via.cloned())
}

/// Whether a type is known, and that of its elements if it is a list.
pub(crate) fn is_informative(ty: &Ty) -> bool {
    match ty {
        Ty::List(inner) => inner.is_known(),
        ty => ty.is_known(),
    }
}

/// Removes types that differ only in their type arguments: overloads distinguish them where we cannot.
fn distinct_by_symbol(ty: &Ty) -> Ty {
    let mut seen = Vec::new();
    let distinct = ty.alternatives().iter().filter(|ty| match ty {
        Ty::Instance(sym, _) if seen.contains(sym) => false,
        Ty::Instance(sym, _) => {
            seen.push(*sym);
            true
        }
        _ => true,
    });
    Ty::union(distinct.cloned())
}
