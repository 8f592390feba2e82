//! Contextual typing: the parameter types and the receiver of a function that follow from the place where it is written.
//!
//! A function without declared parameter types gets them from its context: the parameter of the function it is passed to, the
//! declared type of the variable it is assigned to, the declared result of the function that returns it.
//!
//! # Example
//!
//! ```text
//! class Cart { items: Item[];  each(visit: (item: Item) => void) { … } }
//!
//! cart.each(item => item.ship())
//! ```
//!
//! `item` has no declared type. Its function is argument 0 of the call, and `cart.each` declares for parameter 0 the type
//! `(item: Item) => void`. So the contextual type of the function is that signature, its parameter 0 is an `Item`, and
//! `item.ship()` means `Item.ship`. Functions inside of object literals work the same way with a list of keys:
//! in `on({ done: result => … })` the context is the member `done` of the declared parameter type.

use crate::calls::call_result::CALLED;
use crate::file::FileRef;
use crate::file::function_contexts::Context;
use crate::memo::Keep;
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::generics::{TypeArguments, mentions_param, substitute};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Atom, Binding, Expr, ExprId, Rule, ScopeKind, SymbolKind, Via};
use std::rc::Rc;

/// Maximum number of aliases of a function type that are followed.
const MAX_ALIASES: usize = 4;

impl Session<'_> {
    /// The type of a parameter that follows from the context of its function.
    pub(super) fn contextual_param(&self, unit: &FileRef, binding: &Binding) -> Value {
        if !unit.rules.type_namespace && !unit.rules.contextual_typing {
            return Value::unknown();
        }
        let scope = binding.scope;
        let is_function = |s: &orient_model::Scope| s.kind == ScopeKind::Function;
        if !unit.scope(scope).is_some_and(is_function) {
            return Value::unknown();
        }
        let Some(index) = param_position(unit, scope, binding) else { return Value::unknown() };
        let wanted = self.contextual_type(unit, scope);
        let ty = Ty::union(wanted.alternatives().iter().map(|ty| self.param_type_at(ty, index)));
        let site = Site { unit: unit.clone(), scope, at: binding.at };
        let val = Value::new(ty, Rule::Declared);
        match binding.via {
            Via::Value => val,
            via => self.destructure(&site, &val, via),
        }
    }

    /// The type that a function gets from its context.
    fn contextual_type(&self, unit: &FileRef, scope: u32) -> Ty {
        let keep = Keep::OutermostOr(|_, ty: &Ty| ty.is_known());
        let find = || self.infer_contextual_type(unit, scope);
        self.queries.contextual_types.get_or(&self.limits, (unit.file, scope), keep, find)
    }

    fn infer_contextual_type(&self, unit: &FileRef, scope: u32) -> Ty {
        let Some(place) = unit.function_context(scope) else { return Ty::Unknown };
        let in_progress = self.queries.contextual_types.in_progress();
        let wanted = in_progress.enter(&self.limits, &(unit.file, scope), || {
            let site = Site { unit: unit.clone(), scope: place.scope, at: place.at };
            let mut ty = match place.context {
                Context::Argument(call, at) => self.argument_context(&site, call, at as usize),
                Context::Property(component) => self.properties(&site, component),
                Context::Typed(ty) => self.ty(&site, ty),
                Context::Assigned(target) => self.assignment_context(&site, target),
                Context::Returned(scope) => self.result_context(unit, scope),
            };
            for &key in &place.keys {
                let found = self.member(&Value::new(ty, Rule::Declared), unit.text(key), unit);
                ty = self.value_of_all(&found).ty;
            }
            ty
        });
        wanted.unwrap_or(Ty::Unknown)
    }

    /// The type of the properties of a component.
    fn properties(&self, site: &Site, component: ExprId) -> Ty {
        let found = self.filter_kind(self.targets(site, component).to_vec(), LookupKind::Value);
        let syms = found.iter().filter_map(Target::sym);
        Ty::union(syms.flat_map(|sym| match self.unit_of(sym) {
            Some(home) => crate::edges::component_props::properties(self, &home, sym.at),
            None => Vec::new(),
        }))
    }

    /// The type of the left-hand side of an assignment.
    fn assignment_context(&self, site: &Site, target: ExprId) -> Ty {
        match site.unit.expr(target) {
            Expr::Member { .. } => self.eval(site, target).ty,
            _ => Ty::Unknown,
        }
    }

    /// The declared or contextual result type of the function with this scope.
    fn result_context(&self, unit: &FileRef, scope: u32) -> Ty {
        let symbol = unit.scope(scope).and_then(|scope| scope.symbol);
        if let Some(symbol) = symbol.filter(|&at| unit.scope_of(at) == Some(scope)) {
            let declared = unit.binding_of(symbol).and_then(|binding| binding.ty);
            if let Some(ty) = declared {
                return self.ty(&Site { unit: unit.clone(), scope, at: u32::MAX }, ty);
            }
        }
        let wanted = self.contextual_type(unit, scope);
        Ty::union(wanted.alternatives().iter().map(|ty| match ty {
            Ty::Signature(_, result) | Ty::Returning(result) => (**result).clone(),
            Ty::Instance(..) => self.called_value(ty, &[], None).ty,
            _ => Ty::Unknown,
        }))
    }

    /// The type that the callee declares for an argument.
    fn argument_context(&self, site: &Site, call: ExprId, at: usize) -> Ty {
        let unit = &site.unit;
        let (callee, args, makes) = match unit.expr(call) {
            Expr::Call { callee, args } => (callee, args, false),
            Expr::New { ty, args } => (ty, args, true),
            _ => return Ty::Unknown,
        };
        let args = unit.list(args);
        let found = if unit.rules.exact_arity && !makes {
            self.applicable_callees(site, callee, args)
        } else {
            self.filter_kind(self.targets(site, callee).to_vec(), LookupKind::Value)
        };
        let found =
            if unit.rules.contextual_typing { self.resolve_overloads(site, &found, args) } else { found };
        let mut types = Vec::new();
        for one in &found {
            types.push(match &one.referent {
                Referent::Symbol(sym, via) if makes || self.is_type(*sym) && unit.rules.calls_construct => {
                    self.constructor_param_type(one, *sym, via.as_ref(), (args.len(), at))
                }
                Referent::Symbol(sym, via) if self.kind(*sym).is_some_and(is_function) => {
                    let at = self.param_index(one, *sym, args.len(), at);
                    self.inferred_param_type(site, *sym, via.as_ref(), args, at)
                }
                _ => self.param_type_of_value(&self.value(one).ty, args.len(), at),
            });
        }
        let ty = Ty::union(types);
        if ty.is_known() { ty } else { self.callback_type(site, callee, at) }
    }

    /// The index of the parameter for an argument: a receiver parameter takes no argument, and a trailing lambda goes
    /// to the last parameter.
    pub(crate) fn param_index(&self, found: &Target, sym: SymbolId, count: usize, at: usize) -> usize {
        let Some(unit) = self.unit_of(sym).filter(|unit| unit.rules.contextual_typing) else { return at };
        let params = unit.symbol(sym.at).map_or(0, |symbol| symbol.params.len());
        let at = at + crate::calls::overloads::receivers_of(found, &unit, sym.at);
        if at + 1 == count && count < params && !unit.rules.receiver_scope_methods.is_empty() {
            params - 1
        } else {
            at
        }
    }

    /// The call that a function is an argument of, and its position.
    pub(crate) fn enclosing_call(unit: &FileRef, scope: u32) -> Option<(ExprId, u32)> {
        let place = unit.function_context(scope)?;
        match place.context {
            Context::Argument(call, _) => Some((call, place.at)),
            _ => None,
        }
    }

    /// The receiver that a lambda gets from its context, of unknown type if only that it has one is known.
    pub(crate) fn lambda_receiver(&self, unit: &FileRef, scope: u32) -> Option<Value> {
        if unit.rules.receiver_scope_methods.is_empty() {
            return None;
        }
        let place = unit.function_context(scope)?;
        let Context::Argument(call, at) = place.context else { return None };
        let Expr::Call { callee, args } = unit.expr(call) else { return None };
        let site = Site { unit: unit.clone(), scope: place.scope, at: place.at };
        let args = unit.list(args);
        let enters =
            |name: Atom| unit.rules.receiver_scope_methods.iter().any(|known| known == unit.text(name));
        let val = match unit.expr(Self::without_type_arguments(&site, callee)) {
            Expr::Member { base, name } if enters(name) => self.eval(&site, base),
            Expr::Name(name) if enters(name) && at > 0 => self.eval(&site, *args.first()?),
            Expr::Name(name) if enters(name) && self.lookup(&site, unit.text(name)).is_empty() => {
                self.self_value(&site)
            }
            _ => {
                let declared = self.declared_lambda_receiver(&site, callee, args, at as usize)?;
                return declared.is_known().then(|| Value::new(declared, Rule::Declared));
            }
        };
        Some(val)
    }

    /// The receiver that the type of a parameter declares: `T` of `T.() -> Unit`.
    fn declared_lambda_receiver(
        &self,
        site: &Site,
        callee: ExprId,
        args: &[ExprId],
        at: usize,
    ) -> Option<Ty> {
        // Scopes are numbered from 0 up, so a position counted from the other end cannot clash with one.
        let key = (site.unit.file, u32::MAX - site.at);
        let in_progress = self.queries.contextual_types.in_progress();
        let found = in_progress.enter(&self.limits, &key, || self.applicable_callees(site, callee, args))?;
        let found = self.resolve_overloads(site, &found, args);
        let [one] = &found[..] else { return None };
        let sym = one.sym()?;
        let unit = self.unit_of(sym)?;
        let param = unit.symbol(sym.at)?.params.get(self.param_index(one, sym, args.len(), at))?;
        let scope = unit.scope_of(sym.at).unwrap_or(0);
        let from = Site { unit: unit.clone(), scope, at: u32::MAX };
        let (head, from) = self.receiver_of_function_type(from, unit.outline_text(param.ty?))?;
        let written = head.rsplit([' ', '(']).next()?;
        let of = self.lookup_dotted(&from, written);
        if let [Target { referent: Referent::Value(param @ Ty::Param(..)), .. }] = &of[..] {
            return self.inferred_receiver(site, one, param, args);
        }
        of.iter().find_map(Target::sym).filter(|&sym| self.is_type(sym)).map(|sym| self.instance_of(sym))
    }

    /// The type that a type parameter of a function stands for in a call, by the receiver and the arguments; else its bound.
    fn inferred_receiver(&self, site: &Site, found: &Target, param: &Ty, args: &[ExprId]) -> Option<Ty> {
        let Referent::Symbol(sym, via) = &found.referent else { return None };
        let unit = self.unit_of(*sym)?;
        let seen = via.as_ref().map_or(param.clone(), |via| self.substitute_receiver(param, via));
        let (map, _) = self.arguments_of_types(site, (&unit, *sym), via.as_ref(), args, None);
        match substitute(&seen, &map) {
            Ty::Param(file, at) => match self.type_param_bound(&self.unit(file)?, at).ty {
                bound @ Ty::Instance(..) => Some(bound),
                _ => None,
            },
            ty => ty.is_known().then_some(ty),
        }
    }

    /// The text before the parameters of a function type that has a receiver, and where it is written: behind a type alias, in another
    /// place.
    fn receiver_of_function_type(&self, mut from: Site, written: &str) -> Option<(String, Site)> {
        let mut written = written.to_owned();
        for _ in 0..MAX_ALIASES {
            if let Some((head, _)) = written.split_once(".(") {
                return Some((head.to_owned(), from));
            }
            if written.contains("->") {
                return None;
            }
            let found = self.lookup_dotted(&from, written.split_whitespace().last()?.trim_end_matches('?'));
            let is_alias = |&sym: &SymbolId| self.kind(sym) == Some(SymbolKind::TypeAlias);
            let alias = found.iter().find_map(Target::sym).filter(is_alias)?;
            let unit = self.unit_of(alias)?;
            let (_, stands_for) = unit.outline_text(unit.symbol(alias.at)?.signature).split_once('=')?;
            stands_for.clone_into(&mut written);
            from = Site { scope: unit.scope_of(alias.at).unwrap_or(0), unit, at: u32::MAX };
        }
        None
    }

    /// The type of the parameter for an argument, with type parameters inferred from the other arguments.
    fn inferred_param_type(
        &self,
        from: &Site,
        sym: SymbolId,
        via: Option<&Rc<Ty>>,
        args: &[ExprId],
        at: usize,
    ) -> Ty {
        let ty = self.value_type(sym, via, at);
        if !mentions_param(&ty) {
            return ty;
        }
        let Some(unit) = self.unit_of(sym) else { return ty };
        let (mut map, _) = self.arguments_of_types(from, (&unit, sym), via, args, Some(at));
        map.retain(|((file, _), _)| *file == unit.file);
        substitute(&ty, &map)
    }

    /// What the receiver and the arguments of a call say about the type parameters of a function, without the parameter that is asked for; and
    /// the number of parameters that take no argument.
    fn arguments_of_types(
        &self,
        from: &Site,
        (unit, sym): (&FileRef, SymbolId),
        via: Option<&Rc<Ty>>,
        args: &[ExprId],
        except: Option<usize>,
    ) -> (TypeArguments, usize) {
        let (mut map, first) = self.extension_arguments(unit, sym, via);
        for (place, &arg) in args.iter().enumerate().map(|(place, arg)| (place + first, arg)) {
            if Some(place) == except || matches!(from.unit.expr(arg), Expr::Lambda(_) | Expr::Function(_)) {
                continue;
            }
            let wanted = self.value_type(sym, via, place);
            if mentions_param(&wanted) {
                self.infer(&wanted, &self.eval(from, arg).ty, &mut map);
            }
        }
        (map, first)
    }

    /// The type of the parameter for an argument of a construction, by the constructors that take this many arguments.
    fn constructor_param_type(
        &self,
        found: &Target,
        sym: SymbolId,
        via: Option<&Rc<Ty>>,
        (count, at): (usize, usize),
    ) -> Ty {
        for of in self.mro(&Ty::instance(sym)).iter() {
            let Ty::Instance(of, _) = of else { continue };
            let Some(home) = self.unit_of(*of) else { continue };
            let names = home.rules.constructors.iter();
            let mut makers: Vec<SymbolId> = names.flat_map(|name| self.own_members(*of, name)).collect();
            if home.rules.exact_arity {
                let alike = self.own_members(*of, home.name(of.at)).into_iter();
                makers.extend(alike.filter(|&one| self.kind(one) == Some(SymbolKind::Constructor)));
                // The type itself represents its primary constructor.
                makers.extend(home.symbol(of.at).filter(|symbol| !symbol.params.is_empty()).map(|_| *of));
                makers.retain(|&maker| self.accepts_count(&Target::symbol(maker, Rule::Constructor), count));
            }
            let types = makers.iter().map(|&maker| {
                let at = self.param_index(found, maker, count, at);
                self.value_type(maker, via, at)
            });
            let types: Vec<Ty> = types.collect();
            if !types.is_empty() || home.rules.exact_arity {
                return Ty::union(types);
            }
        }
        Ty::Unknown
    }

    /// The parameter type at an index of a value that is called.
    fn param_type_of_value(&self, ty: &Ty, count: usize, at: usize) -> Ty {
        match ty {
            Ty::Instance(..) => {
                let found = self.type_member(ty, CALLED, 0, Rule::Declared);
                let fit = found.iter().filter(|one| found.len() == 1 || self.takes_count(one, count));
                Ty::union(fit.map(|one| match &one.referent {
                    Referent::Symbol(sym, via) => self.value_type(*sym, via.as_ref(), at),
                    _ => Ty::Unknown,
                }))
            }
            Ty::Union(types) => Ty::union(types.iter().map(|ty| self.param_type_of_value(ty, count, at))),
            ty => self.param_type_at(ty, at),
        }
    }

    /// Whether a signature takes this many arguments. A rest parameter with a tuple type takes as many as the tuple has
    /// items.
    fn takes_count(&self, found: &Target, count: usize) -> bool {
        if !self.accepts_count(found, count) {
            return false;
        }
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return true;
        };
        let Some(params) = unit.symbol(sym.at).map(|symbol| symbol.params) else { return true };
        let Some(last) = params.len().checked_sub(1).filter(|&last| params[last].variadic) else {
            return true;
        };
        let rest = unit.scope_of(sym.at).and_then(|scope| unit.params(scope).last());
        match rest.map(|&rest| self.declared(&unit, rest)) {
            Some(Ty::Tuple(items)) => count == last + items.len(),
            _ => true,
        }
    }

    /// The parameter type at an index of a function type.
    fn param_type_at(&self, ty: &Ty, at: usize) -> Ty {
        match ty {
            Ty::Signature(params, _) => match params.get(at) {
                Some(ty) => ty.clone(),
                None => Ty::Unknown,
            },
            Ty::Function(sym, via) => self.value_type(*sym, via.as_ref(), at),
            Ty::Instance(sym, _) if self.kind(*sym) == Some(SymbolKind::Delegate) => {
                self.value_type(*sym, None, at)
            }
            // The type arguments of an external function type are its parameters.
            Ty::External(_, args) => args.get(at).cloned().unwrap_or(Ty::Unknown),
            Ty::Instance(..) => {
                let found = self.type_member(ty, CALLED, 0, Rule::Declared);
                Ty::union(found.iter().map(|one| match &one.referent {
                    Referent::Symbol(sym, via) => self.value_type(*sym, via.as_ref(), at),
                    _ => Ty::Unknown,
                }))
            }
            Ty::Param(file, param) => match self.unit(*file) {
                Some(unit) => match self.type_param_bound(&unit, *param).ty {
                    Ty::Param(..) => Ty::Unknown,
                    ty => Ty::union(ty.alternatives().iter().map(|ty| self.param_type_at(ty, at))),
                },
                None => Ty::Unknown,
            },
            _ => Ty::Unknown,
        }
    }

    /// The declared type of a parameter, with the receiver's type arguments substituted.
    pub(crate) fn value_type(&self, sym: SymbolId, via: Option<&Rc<Ty>>, at: usize) -> Ty {
        let Some(unit) = self.unit_of(sym) else { return Ty::Unknown };
        let Some(scope) = unit.scope_of(sym.at) else { return Ty::Unknown };
        let Some(symbol) = unit.symbol(sym.at) else { return Ty::Unknown };
        let last = symbol.params.len().checked_sub(1);
        let rest = last.filter(|&last| at >= last && symbol.params[last].variadic);
        let wanted = rest.unwrap_or(at);
        let is_wanted = |at: &u32| {
            unit.binding(*at).is_some_and(|binding| param_position(&unit, scope, binding) == Some(wanted))
        };
        let Some(param) = unit.params(scope).iter().copied().find(is_wanted) else { return Ty::Unknown };
        let ty = self.declared(&unit, param);
        let ty = match (rest, ty) {
            (Some(_), Ty::List(inner)) => (*inner).clone(),
            (Some(first), Ty::Tuple(items)) => items.get(at - first).cloned().unwrap_or(Ty::Unknown),
            (_, ty) => ty,
        };
        via.map_or(ty.clone(), |via| self.substitute_receiver(&ty, via))
    }
}

fn is_function(kind: SymbolKind) -> bool {
    kind.is_callable() && kind != SymbolKind::Property
}

/// The index of a parameter; the names of one destructuring pattern share an index.
fn param_position(unit: &FileRef, scope: u32, wanted: &Binding) -> Option<usize> {
    let mut place: Option<usize> = None;
    let mut in_pattern = false;
    for at in unit.params(scope) {
        let binding = unit.binding(*at)?;
        let pattern = binding.via != Via::Value;
        if !(pattern && in_pattern) {
            place = Some(place.map_or(0, |place| place + 1));
        }
        in_pattern = pattern;
        if binding.at == wanted.at {
            return place;
        }
    }
    None
}
