//! What an expression names, and what its value is.

use crate::file::file_unit::{Held, Unit};
use crate::modules::plain;
use crate::names::bindings::Want;
use crate::session::{Frame, REMEMBERED, Session};
use crate::types::object_literals::distinct_members;
use crate::types::ty::{Found, Sym, THIS, Thing, Ty, Val};
use crate::types::written_types::kind_of;
use orient_model::{
    Confidence, Expr, ExprId, ExprList, Literal, Modules, Relation, Rule, Sequence, SymbolKind, Via, Wrapper,
};
use std::rc::Rc;

impl Session<'_> {
    /// Everything an expression may name.
    pub(crate) fn denote(&self, frame: &Frame, expr: ExprId) -> Rc<[Found]> {
        let key = (frame.unit.file, frame.scope, expr, frame.at);
        if let Some(known) = self.denoted.borrow().get(&key) {
            return known.clone();
        }
        let found = Found::kept(self.nested(|| self.find(frame, expr)).unwrap_or_default());
        if self.is_top() && self.denoted.borrow().len() < REMEMBERED {
            self.denoted.borrow_mut().insert(key, found.clone());
        }
        found
    }

    fn find(&self, frame: &Frame, expr: ExprId) -> Vec<Found> {
        let unit = &frame.unit;
        match unit.expr(expr) {
            Expr::Name(_) | Expr::Member { .. } => {
                let found = self.find_named(frame, expr);
                self.of_arity(frame, found, 0)
            }
            Expr::Function(symbol) => vec![Found::symbol(unit.sym(symbol), Rule::Scope)],
            Expr::Apply { base, args } => self.find_applied(frame, base, args),
            Expr::Wrap {
                wrapper: Wrapper::Pointer | Wrapper::Reference | Wrapper::Deref | Wrapper::Optional,
                inner,
            } => self.denote(frame, inner).to_vec(),
            Expr::Named { value, .. } => self.denote(frame, value).to_vec(),
            Expr::Either(list) => {
                let each = unit.facts.flow.list(list).iter();
                each.flat_map(|&one| self.denote(frame, one).to_vec())
                    .map(|found| found.at_most(Confidence::Probable))
                    .collect()
            }
            Expr::Index { base, .. } => {
                self.given_types(frame, base).unwrap_or_else(|| self.find_value(frame, expr))
            }
            _ => self.find_value(frame, expr),
        }
    }

    fn find_value(&self, frame: &Frame, expr: ExprId) -> Vec<Found> {
        let val = self.compute(frame, expr);
        let found = Found { thing: Thing::Value(val.ty), rule: val.rule, sure: val.sure, far: 0 };
        if found.thing == Thing::Value(Ty::Unknown) { Vec::new() } else { vec![found] }
    }

    /// Functions that take types, where what looks like an index gives them one: `parse[int](text)`.
    fn given_types(&self, frame: &Frame, base: ExprId) -> Option<Vec<Found>> {
        let named = matches!(frame.unit.expr(base), Expr::Name(_) | Expr::Member { .. });
        if frame.unit.rules.dynamic || !named {
            return None;
        }
        let found = self.denote(frame, base);
        let takes = |one: &Found| {
            let home = one.sym().and_then(|sym| Some((self.home(sym)?, sym.at)));
            home.is_some_and(|(unit, at)| {
                unit.kind(at).is_some_and(SymbolKind::is_callable) && !unit.type_params(at).is_empty()
            })
        };
        (!found.is_empty() && found.iter().all(takes)).then(|| found.to_vec())
    }

    /// Everything a name or a member may mean, whatever it is given.
    fn find_named(&self, frame: &Frame, expr: ExprId) -> Vec<Found> {
        match frame.unit.expr(expr) {
            Expr::Name(name) => self.lookup(frame, frame.unit.text(name)),
            Expr::Member { base, name } => self.find_member(frame, base, frame.unit.text(name)),
            _ => self.denote(frame, expr).to_vec(),
        }
    }

    /// What an expression means that is given so many types.
    pub(crate) fn with_arity(&self, frame: &Frame, expr: ExprId, count: usize) -> Vec<Found> {
        let found = self.nested(|| self.find_named(frame, expr)).unwrap_or_default();
        self.of_arity(frame, found, count)
    }

    /// Of types and functions with one name, those that take so many types. Functions need not be given theirs.
    pub(crate) fn of_arity(&self, frame: &Frame, mut found: Vec<Found>, count: usize) -> Vec<Found> {
        if found.len() < 2 || !frame.unit.rules.arity {
            return found;
        }
        let fits = |one: &Found| {
            let home = one.sym().and_then(|sym| Some((self.home(sym)?, sym)));
            home.is_none_or(|(home, sym)| {
                let free = count == 0 && !home.kind(sym.at).is_some_and(SymbolKind::is_type);
                (free && crate::calls::overloads::can_be_inferred(&home, sym.at))
                    || home.type_params(sym.at).len() == count
            })
        };
        if found.iter().any(fits) {
            found.retain(fits);
        }
        found
    }

    /// Without types that take another number of types.
    pub(crate) fn keep_arity(&self, found: &mut Vec<Found>, arity: Option<usize>) {
        let Some(arity) = arity else { return };
        found.retain(|one| {
            let home = one.sym().and_then(|sym| Some((self.home(sym)?, sym.at)));
            home.is_none_or(|(unit, at)| {
                let is_type =
                    unit.kind(at).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Delegate);
                !is_type || unit.type_params(at).len() == arity
            })
        });
    }

    fn find_applied(&self, frame: &Frame, base: ExprId, args: ExprList) -> Vec<Found> {
        let list = frame.unit.facts.flow.list(args);
        let mut found = self.with_arity(frame, base, list.len());
        for one in &mut found {
            let Thing::Symbol(sym, via) = &one.thing else { continue };
            let (sym, via) = (*sym, via.clone());
            let args = || list.iter().map(|&arg| self.ty(frame, arg)).collect::<Rc<[Ty]>>();
            if self.is_type(sym) {
                one.thing = Thing::Symbol(sym, Some(Rc::new(Ty::Type(sym, args()))));
            } else if frame.unit.rules.type_space && self.kind(sym).is_some_and(SymbolKind::is_callable) {
                let this = via.unwrap_or_else(|| Rc::new(Ty::Unknown));
                let through = Ty::Seen(Ty::Type(sym, args()).into(), this);
                one.thing = Thing::Symbol(sym, Some(Rc::new(through)));
            }
        }
        found
    }

    fn find_member(&self, frame: &Frame, base: ExprId, name: &str) -> Vec<Found> {
        let unit = &frame.unit;
        if let Some(found) = self.path_member(frame, base, name) {
            return found;
        }
        if unit.expr(base) == Expr::SuperRef {
            return self.super_member(frame, name);
        }
        let object =
            unit.rules.type_objects.iter().find(|(member, object)| member == name && !object.is_empty());
        if let Some((_, object)) = object {
            let ty = Ty::Outside(object.as_str().into(), Rc::from([self.ty(frame, base)]));
            return vec![Found::value(ty, Rule::Static)];
        }
        let base_is_self = unit.expr(base) == Expr::SelfRef;
        let named = self.denote(frame, base);
        if let [Found { thing: Thing::Outside(package, outer), .. }] = &*named
            && unit.rules.modules == Modules::Namespace
        {
            // An import of a namespace looks like one of a type that is not here.
            let space = format!("{}.{outer}", plain(package));
            let found = self.by_path(unit, &format!("{space}.{name}"), Rule::Qualified);
            if !found.is_empty() {
                return found;
            }
        }
        let val = self.eval(frame, base);
        let mut found: Vec<Found> = Vec::new();
        for ty in val.ty.each() {
            let one = Val { ty: ty.clone(), ..val.clone() };
            found.extend(self.member(&one, name, unit));
        }
        found = self.in_sight(frame, found);
        if found.is_empty() && base_is_self {
            found = self.beside(frame, name);
        }
        let mut unsure = val.ty.each().len() > 1;
        if unsure && unit.rules.type_space {
            unsure = distinct_members(&mut found);
        }
        found.into_iter().map(|one| if unsure { one.at_most(Confidence::Probable) } else { one }).collect()
    }

    /// A member of the base, asked for as such.
    pub(crate) fn super_member(&self, frame: &Frame, name: &str) -> Vec<Found> {
        let Some(ty) = self.self_type(&frame.unit, frame.symbol()) else { return Vec::new() };
        if let (Ty::Of(sym, _), true) = (&ty, frame.unit.rules.base_past_mixins) {
            let bases = self.bases(*sym);
            let bases = bases.iter().filter(|(_, relation)| *relation == Relation::Extends);
            let found = bases.map(|(base, _)| self.type_member(base, name, 0, Rule::Super));
            return found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        }
        self.type_member(&ty, name, 1, Rule::Super)
    }

    /// Members of a value by name.
    pub(crate) fn member(&self, val: &Val, name: &str, from: &Held) -> Vec<Found> {
        let found = match &val.ty {
            Ty::Of(sym, _) => self.instance_member(val, *sym, name, from),
            Ty::Type(sym, args) => {
                let of = Ty::Of(*sym, args.clone());
                let mut found = self.static_member(*sym, &of, name, from);
                if found.is_empty() {
                    found = self.of_companions(&of, name, true);
                }
                if found.is_empty() { self.extension(&of, name, from) } else { found }
            }
            Ty::Module(module) => {
                let found = self.module_member(module, name, from);
                if found.is_empty() { self.whole_member(module, name, from) } else { found }
            }
            Ty::Shape(file, scope, expr) => self.entry(*file, *scope, *expr, name),
            Ty::Param(file, at) => {
                let Some(unit) = self.unit(*file) else { return Vec::new() };
                if at & THIS != 0 {
                    let own = self.own_type(unit.sym(at & !THIS));
                    return self.member(&val.with(own), name, from);
                }
                let bound = self.constraint(&unit, *at);
                if matches!(bound.ty, Ty::Param(..) | Ty::Unknown) {
                    Vec::new()
                } else {
                    self.member(&Val { rule: Rule::Declared, ..bound }, name, from)
                }
            }
            Ty::Either(types) => {
                let each = types.iter().flat_map(|ty| self.member(&val.with(ty.clone()), name, from));
                each.map(|found| found.at_most(Confidence::Probable)).collect()
            }
            Ty::Outside(holder, args) => self.held_member(val, holder, args, name, from),
            Ty::Function(sym, _) => self.function_member(*sym, name),
            _ => Vec::new(),
        };
        found.into_iter().map(|found| found.at_most(val.sure)).collect()
    }

    fn instance_member(&self, val: &Val, sym: Sym, name: &str, from: &Held) -> Vec<Found> {
        let rule = match val.rule {
            Rule::Receiver | Rule::Inferred | Rule::Super => val.rule,
            _ => Rule::Declared,
        };
        let found = self.type_member(&val.ty, name, 0, rule);
        if !found.is_empty() {
            return found;
        }
        if from.rules.type_space
            && matches!(self.kind(sym), Some(SymbolKind::Variable | SymbolKind::Constant))
            && let Ty::Shape(file, scope, expr) = self.type_of(sym).ty
        {
            return self.entry(file, scope, expr, name);
        }
        let found = self.extension(&val.ty, name, from);
        if !found.is_empty() {
            return found;
        }
        if from.rules.dynamic && val.rule == Rule::Receiver {
            let found = self.of_heirs(sym, name, from);
            if !found.is_empty() {
                return found;
            }
        }
        if from.rules.type_space {
            let held = self.recorded(&val.ty, from);
            if !held.is_empty() {
                return held;
            }
            if let Some(made_of @ Ty::Outside(..)) = self.made_of(&val.ty) {
                return self.member(&val.with(made_of), name, from);
            }
        }
        self.perhaps_inherited(&val.ty, name)
    }

    /// What every member is of a type that inherits from one whose members are all alike: `extends Record<string, T>`.
    pub(crate) fn recorded(&self, ty: &Ty, from: &Held) -> Vec<Found> {
        let held = |base: &Ty| match base {
            Ty::Outside(name, args) if from.rules.records.iter().any(|known| **known == **name) => {
                args.last().map(|held| Found::value(held.clone(), Rule::Declared))
            }
            _ => None,
        };
        self.line(ty).iter().find_map(held).into_iter().collect()
    }

    /// Members of a type itself: static ones, nested types, cases of an enumeration.
    fn static_member(&self, sym: Sym, of: &Ty, name: &str, from: &Held) -> Vec<Found> {
        let Some(unit) = self.home(sym) else { return Vec::new() };
        if unit.kind(sym.at) == Some(SymbolKind::Module)
            && let Some(module) = self.declared_module(&unit, sym.at)
        {
            return self.module_member(&module, name, from);
        }
        let is_module = unit.kind(sym.at) == Some(SymbolKind::Module);
        if is_module && from.rules.modules == Modules::Namespace {
            return self.namespace_member(&self.full_name(sym), name, from);
        }
        if is_module && from.rules.modules == Modules::Include {
            return self.in_space(from, &self.full_name(sym), name, Rule::Static);
        }
        let found = self.type_member(of, name, 0, Rule::Static);
        if !found.is_empty() {
            return found;
        }
        if is_module {
            return self.inner_member(&unit, sym.at, name, from);
        }
        if let alias @ (Ty::Of(..) | Ty::Either(_)) = self.instance_of(sym)
            && alias != *of
        {
            return alias
                .each()
                .iter()
                .flat_map(|ty| match ty {
                    Ty::Of(target, args) if *target != sym => {
                        self.static_member(*target, &Ty::Of(*target, args.clone()), name, from)
                    }
                    _ => Vec::new(),
                })
                .collect();
        }
        Vec::new()
    }

    /// Members of what a type from outside holds.
    fn held_member(&self, val: &Val, holder: &str, args: &Rc<[Ty]>, name: &str, from: &Held) -> Vec<Found> {
        let rules = &from.rules;
        if rules.holders.iter().any(|known| known == holder)
            && let Some(held) = args.first()
        {
            let found = self.member(&val.with(held.clone()), name, from);
            if !found.is_empty() {
                return found;
            }
        }
        let recorded = self.recorded(&val.ty, from);
        if !recorded.is_empty() {
            return recorded;
        }
        if let Some(held) = args.first().filter(|_| rules.gives.iter().any(|known| known == name)) {
            return vec![Found::value(held.clone(), Rule::Inferred)];
        }
        let found = self.extension(&val.ty, name, from);
        if !found.is_empty() {
            return found;
        }
        let outside = Found::outside(holder, name);
        let has_it = |held: &Ty| match held {
            Ty::Of(..) => !self.type_member(held, name, 0, Rule::Declared).is_empty(),
            held => !held.is_known(),
        };
        if rules.forwards && args.iter().any(has_it) {
            return vec![outside.at_most(Confidence::Approximate)];
        }
        vec![if rules.overloads && !rules.type_space { outside.by(Rule::Inferred) } else { outside }]
    }

    /// What a dotted name means, read from the outside in.
    pub(crate) fn dotted_name(&self, frame: &Frame, text: &str) -> Vec<Found> {
        let text = text.trim();
        let base = text.split(['<', '[', '(']).next().unwrap_or_default();
        let mut parts = base.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return Vec::new() };
        let mut found = self.lookup(frame, first.trim());
        for part in parts {
            let vals: Vec<Val> = found.iter().map(|found| self.value(found)).collect();
            found = vals.iter().flat_map(|val| self.member(val, part.trim(), &frame.unit)).collect();
        }
        found
    }

    /// The value of an expression.
    pub(crate) fn eval(&self, frame: &Frame, expr: ExprId) -> Val {
        match frame.unit.expr(expr) {
            Expr::Name(_)
            | Expr::Member { .. }
            | Expr::Function(_)
            | Expr::Apply { .. }
            | Expr::Named { .. }
            | Expr::Either(_)
            | Expr::Wrap {
                wrapper: Wrapper::Pointer | Wrapper::Reference | Wrapper::Deref | Wrapper::Optional,
                ..
            } => {
                let found = self.denote(frame, expr);
                self.values(&found)
            }
            _ => self.nested(|| self.compute(frame, expr)).unwrap_or_else(Val::unknown),
        }
    }

    /// The value of one of several things.
    pub(crate) fn values(&self, found: &[Found]) -> Val {
        let mut found = self.only(found.to_vec(), Want::Value);
        let holds = |one: &Found| {
            matches!(one.sym().and_then(|sym| self.kind(sym)), Some(SymbolKind::Field | SymbolKind::Property))
        };
        if found.len() > 1 && found.iter().any(holds) {
            // A method may share the name of a field; read without a call, the field is meant.
            found.retain(holds);
        }
        let vals: Vec<Val> = found.iter().map(|found| self.value(found)).collect();
        let Some(first) = vals.iter().find(|val| val.ty.is_known()) else { return Val::unknown() };
        let (rule, mut sure) = (first.rule, first.sure);
        let several = vals.iter().filter(|val| val.ty.is_known()).count() > 1;
        let ty = Ty::either(vals.into_iter().map(|val| val.ty));
        if several && ty.each().len() > 1 {
            sure = sure.max(Confidence::Probable);
        }
        Val { ty, rule, sure }
    }

    /// The value of what was found.
    pub(crate) fn value(&self, found: &Found) -> Val {
        let val = match &found.thing {
            Thing::Value(ty) => return Val { ty: ty.clone(), rule: found.rule, sure: found.sure },
            // It may not be outside at all.
            Thing::Outside(..) if found.is_perhaps_outside() => Val::unknown(),
            // Of a member of something from outside not even the name of its type is known. It may be a type of ours, in
            // code that is generated.
            Thing::Outside(..) if found.rule == Rule::Inferred => Val::unknown(),
            Thing::Outside(_, name) => Val::new(Ty::Outside(name.clone(), Ty::none()), Rule::Import),
            Thing::Symbol(sym, via) => self.symbol_value(*sym, via.as_ref()),
        };
        Val { sure: val.sure.max(found.sure), ..val }
    }

    fn symbol_value(&self, sym: Sym, via: Option<&Rc<Ty>>) -> Val {
        let Some(unit) = self.home(sym) else { return Val::unknown() };
        let Some(kind) = unit.kind(sym.at) else { return Val::unknown() };
        match kind {
            SymbolKind::TypeAlias | SymbolKind::Module | SymbolKind::Delegate => {
                Val::new(Ty::Type(self.canonical(sym), Ty::none()), Rule::Static)
            }
            kind if kind.is_type() => {
                let args = match via.map(|via| &**via) {
                    Some(Ty::Type(of, args)) if *of == sym => args.clone(),
                    _ => Ty::none(),
                };
                if kind == SymbolKind::Object {
                    return Val::new(Ty::of(sym), Rule::Static);
                }
                Val::new(Ty::Type(self.canonical(sym), args), Rule::Static)
            }
            SymbolKind::Property => self.through(self.type_of(sym), via),
            kind if kind.is_callable() => Val::new(Ty::Function(sym, via.cloned()), Rule::Value),
            _ => {
                let val = self.through(self.type_of(sym), via);
                let has_members = !unit.children(Some(sym.at)).is_empty()
                    || (unit.rules.type_space && self.has_members(sym));
                match val.ty {
                    Ty::Unknown | Ty::Shape(..) if has_members => Val::new(Ty::of(sym), Rule::Static),
                    _ => val,
                }
            }
        }
    }

    /// A value as seen through a receiver's type arguments.
    pub(crate) fn through(&self, val: Val, via: Option<&Rc<Ty>>) -> Val {
        match via {
            Some(via) => val.with(self.seen_through(&val.ty, via)),
            None => val,
        }
    }

    fn compute(&self, frame: &Frame, expr: ExprId) -> Val {
        let unit = &frame.unit;
        let flow = &unit.facts.flow;
        let inferred = |ty| Val::new(ty, Rule::Inferred);
        match unit.expr(expr) {
            Expr::SelfRef => self.self_value(frame),
            Expr::SuperRef => match self.self_type(unit, frame.symbol()) {
                Some(ty) => self
                    .line(&ty)
                    .get(1)
                    .map_or_else(Val::unknown, |base| Val::new(base.clone(), Rule::Super)),
                None => Val::unknown(),
            },
            Expr::Call { callee, args } => self.call(frame, callee, args),
            Expr::New { ty, args } => self.made(frame, ty, args),
            Expr::Index { base, key } => self.indexed(frame, expr, base, key),
            Expr::Await(inner) => {
                let val = self.eval(frame, inner);
                val.with(awaited(&val.ty))
            }
            Expr::Cast { ty, .. } => Val::new(self.ty(frame, ty), Rule::Declared),
            Expr::Wrap { wrapper: Wrapper::Spread, inner } => {
                let val = self.eval(frame, inner);
                self.via(frame, &val, Via::Element)
            }
            Expr::Wrap { inner, .. } => self.eval(frame, inner),
            Expr::Sequence { kind, items } => match kind {
                Sequence::Map => inferred(Ty::Shape(unit.file, frame.scope, expr)),
                Sequence::Tuple => inferred(Ty::Tuple(
                    flow.list(items).iter().map(|&item| self.eval(frame, item).ty).collect(),
                )),
                Sequence::List if unit.rules.dynamic && Self::is_short(frame, items) => inferred(Ty::Tuple(
                    flow.list(items).iter().map(|&item| self.eval(frame, item).ty).collect(),
                )),
                Sequence::List => {
                    let items = flow.list(items).iter().take(8).map(|&item| self.eval(frame, item).ty);
                    inferred(Ty::Many(Ty::either(items).into()))
                }
            },
            Expr::Lambda(scope) => inferred(Ty::Lambda(unit.file, scope)),
            Expr::Literal(Literal::Null) => Val::unknown(),
            Expr::Literal(literal) => inferred(Self::literal(unit, literal)),
            Expr::Text(_) => inferred(Self::literal(unit, Literal::String)),
            _ => Val::unknown(),
        }
    }

    /// Whether each item of a list can be told by its place.
    fn is_short(frame: &Frame, items: ExprList) -> bool {
        let spread =
            |&item: &ExprId| matches!(frame.unit.expr(item), Expr::Wrap { wrapper: Wrapper::Spread, .. });
        items.len <= 8 && !frame.unit.facts.flow.list(items).iter().any(spread)
    }

    /// The type of a literal.
    fn literal(unit: &Unit, literal: Literal) -> Ty {
        let kind = kind_of(literal);
        let name = unit.rules.literals.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name);
        Ty::Outside(name.into(), Ty::none())
    }

    /// The receiver where an expression stands.
    pub(crate) fn self_value(&self, frame: &Frame) -> Val {
        let symbol = frame.symbol();
        let Some(ty) = self.self_type(&frame.unit, symbol) else { return Val::unknown() };
        let is_type =
            |at: u32| frame.unit.rules.split_members && frame.unit.type_around(Some(at)) == Some(at);
        let is_static =
            symbol.is_some_and(|at| frame.unit.is(at, orient_model::Modifier::Static) || is_type(at));
        match ty {
            Ty::Of(sym, args) if is_static => Val::new(Ty::Type(sym, args), Rule::Receiver),
            ty => Val::new(ty, Rule::Receiver),
        }
    }

    /// What comes out of a value in this way.
    pub(crate) fn via(&self, frame: &Frame, val: &Val, via: Via) -> Val {
        match via {
            Via::Value => val.clone(),
            Via::Match | Via::Unknown => Val::unknown(),
            Via::Element => val.with(Ty::either(val.ty.each().iter().map(|ty| self.element(frame, ty)))),
            Via::Enter => {
                let name = frame.unit.implicit("enter");
                let found = name.map(|name| self.member(val, name, &frame.unit)).unwrap_or_default();
                let entered = self.call_found(&found, &[], None);
                if entered.ty.is_known() {
                    entered
                } else if matches!(val.ty, Ty::Of(..)) {
                    val.clone()
                } else {
                    Val::unknown()
                }
            }
            Via::Item(at) => match &val.ty {
                Ty::Tuple(items) => val.with(items.get(at as usize).cloned().unwrap_or(Ty::Unknown)),
                Ty::Outside(_, args) => {
                    val.with(args.get(at as usize).or(args.first()).cloned().unwrap_or(Ty::Unknown))
                }
                Ty::Many(inner) => val.with((**inner).clone()),
                ty if at == 0 => val.with(ty.clone()),
                _ => Val::unknown(),
            },
            Via::Member(name) => {
                let found = self.member(val, frame.unit.text(name), &frame.unit);
                self.values(&found)
            }
        }
    }

    /// The collection that a holder from outside only wraps: of `Partial<Record<K, T>>` the `Record<K, T>`.
    pub(crate) fn held_collection<'t>(frame: &Frame, holder: &str, args: &'t [Ty]) -> Option<&'t Ty> {
        let held = args.first().filter(|held| crate::types::collections::is_collection(held))?;
        frame.unit.rules.holders.iter().any(|known| known == holder).then_some(held)
    }

    fn element(&self, frame: &Frame, ty: &Ty) -> Ty {
        match ty {
            Ty::Many(inner) => (**inner).clone(),
            Ty::Tuple(items) => Ty::either(items.iter().cloned()),
            Ty::Outside(holder, args) => match Self::held_collection(frame, holder, args) {
                Some(held) => self.nested(|| self.element(frame, held)).unwrap_or(Ty::Unknown),
                None => args.last().cloned().unwrap_or(Ty::Unknown),
            },
            Ty::Of(..) => match self.iterated(frame, ty) {
                Ty::Unknown => {
                    let made_of = self.made_of(ty);
                    let element = made_of.and_then(|made_of| self.nested(|| self.element(frame, &made_of)));
                    element.unwrap_or(Ty::Unknown)
                }
                iterated => iterated,
            },
            _ => Ty::Unknown,
        }
    }

    /// What comes out of a value that says itself how it is gone through.
    fn iterated(&self, frame: &Frame, ty: &Ty) -> Ty {
        let Some(name) = frame.unit.implicit("iterate") else { return Ty::Unknown };
        let val = Val::new(ty.clone(), Rule::Inferred);
        let found = self.member(&val, name, &frame.unit);
        let iterator = self.call_found(&found, &[], None);
        match &iterator.ty {
            Ty::Of(..) if iterator.ty != *ty => self.stepped(frame, &iterator.ty),
            Ty::Of(..) => self.stepped(frame, ty),
            Ty::Outside(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
            Ty::Many(inner) => (**inner).clone(),
            _ => Ty::Unknown,
        }
    }

    fn stepped(&self, frame: &Frame, iterator: &Ty) -> Ty {
        let Some(name) = frame.unit.implicit("next") else { return Ty::Unknown };
        let found = self.member(&Val::new(iterator.clone(), Rule::Inferred), name, &frame.unit);
        self.call_found(&found, &[], None).ty
    }
}

/// What waiting for a value gives.
fn awaited(ty: &Ty) -> Ty {
    match ty {
        Ty::Outside(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Either(types) => Ty::either(types.iter().map(awaited)),
        other => other.clone(),
    }
}

/// A folder's path with a part added.
pub(crate) fn join(folder: &str, part: &str) -> String {
    if folder.is_empty() { part.to_owned() } else { format!("{folder}/{part}") }
}
