//! What an expression names, and what its value is.

use crate::file::file_unit::{FileRef, FileUnit};
use crate::memo::Keep;
use crate::modules::dotted;
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::object_literals::dedup_members;
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, THIS, Ty};
use crate::types::written_types::kind_of;
use orient_model::{
    Confidence, Expr, ExprId, ExprList, Literal, Modules, Relation, Rule, Sequence, SymbolKind, Via, Wrapper,
};
use std::rc::Rc;

/// Maximum number of stored answers for one file: about 40 MB.
const MAX_STORED: usize = 900_000;

impl Session<'_> {
    /// Everything an expression may name.
    pub(crate) fn targets(&self, site: &Site, expr: ExprId) -> Rc<[Target]> {
        let key = (site.unit.file, site.scope, expr, site.at);
        self.queries.targets.get_or(&self.limits, key, Keep::OutermostUpTo(MAX_STORED), || {
            Target::stored(self.nested(|| self.find(site, expr)).unwrap_or_default())
        })
    }

    fn find(&self, site: &Site, expr: ExprId) -> Vec<Target> {
        let unit = &site.unit;
        match unit.expr(expr) {
            Expr::Name(_) | Expr::Member { .. } => {
                let found = self.find_named(site, expr);
                self.matching_arity(site, found, 0)
            }
            Expr::Function(symbol) => vec![Target::symbol(unit.sym(symbol), Rule::Scope)],
            Expr::Apply { base, args } => self.find_applied(site, base, args),
            Expr::Wrap {
                wrapper: Wrapper::Pointer | Wrapper::Reference | Wrapper::Deref | Wrapper::Optional,
                inner,
            } => self.targets(site, inner).to_vec(),
            Expr::Named { value, .. } => self.targets(site, value).to_vec(),
            Expr::Either(list) => {
                let each = unit.facts.flow.list(list).iter();
                each.flat_map(|&one| self.targets(site, one).to_vec())
                    .map(|found| found.at_most(Confidence::Probable))
                    .collect()
            }
            Expr::Index { base, .. } => {
                self.given_types(site, base).unwrap_or_else(|| self.find_value(site, expr))
            }
            _ => self.find_value(site, expr),
        }
    }

    fn find_value(&self, site: &Site, expr: ExprId) -> Vec<Target> {
        let val = self.compute(site, expr);
        let found = Target {
            referent: Referent::Value(val.ty),
            rule: val.rule,
            confidence: val.confidence,
            receiver_distance: 0,
        };
        if found.referent == Referent::Value(Ty::Unknown) { Vec::new() } else { vec![found] }
    }

    /// Functions that take types, where what looks like an index gives them one: `parse[int](text)`.
    fn given_types(&self, site: &Site, base: ExprId) -> Option<Vec<Target>> {
        let named = matches!(site.unit.expr(base), Expr::Name(_) | Expr::Member { .. });
        if site.unit.rules.dynamic || !named {
            return None;
        }
        let found = self.targets(site, base);
        let takes = |one: &Target| {
            let home = one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
            home.is_some_and(|(unit, at)| {
                unit.kind(at).is_some_and(SymbolKind::is_callable) && !unit.type_params(at).is_empty()
            })
        };
        (!found.is_empty() && found.iter().all(takes)).then(|| found.to_vec())
    }

    /// Everything a name or a member may mean, whatever it is given.
    fn find_named(&self, site: &Site, expr: ExprId) -> Vec<Target> {
        match site.unit.expr(expr) {
            Expr::Name(name) => self.lookup(site, site.unit.text(name)),
            Expr::Member { base, name } => self.find_member(site, base, site.unit.text(name)),
            _ => self.targets(site, expr).to_vec(),
        }
    }

    /// What an expression means that is given so many types.
    pub(crate) fn targets_of_arity(&self, site: &Site, expr: ExprId, count: usize) -> Vec<Target> {
        let found = self.nested(|| self.find_named(site, expr)).unwrap_or_default();
        self.matching_arity(site, found, count)
    }

    /// Of types and functions with one name, those that take so many types. Functions need not be given theirs.
    pub(crate) fn matching_arity(&self, site: &Site, mut found: Vec<Target>, count: usize) -> Vec<Target> {
        if found.len() < 2 || !site.unit.rules.arity {
            return found;
        }
        let fits = |one: &Target| {
            let home = one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym)));
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
    pub(crate) fn retain_arity(&self, found: &mut Vec<Target>, arity: Option<usize>) {
        let Some(arity) = arity else { return };
        found.retain(|one| {
            let home = one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
            home.is_none_or(|(unit, at)| {
                let is_type =
                    unit.kind(at).is_some_and(|kind| kind.is_type() || kind == SymbolKind::Delegate);
                !is_type || unit.type_params(at).len() == arity
            })
        });
    }

    fn find_applied(&self, site: &Site, base: ExprId, args: ExprList) -> Vec<Target> {
        let list = site.unit.facts.flow.list(args);
        let mut found = self.targets_of_arity(site, base, list.len());
        for one in &mut found {
            let Referent::Symbol(sym, via) = &one.referent else {
                continue;
            };
            let (sym, via) = (*sym, via.clone());
            let args = || list.iter().map(|&arg| self.ty(site, arg)).collect::<Rc<[Ty]>>();
            if self.is_type(sym) {
                one.referent = Referent::Symbol(sym, Some(Rc::new(Ty::Metatype(sym, args()))));
            } else if site.unit.rules.type_space && self.kind(sym).is_some_and(SymbolKind::is_callable) {
                let this = via.unwrap_or_else(|| Rc::new(Ty::Unknown));
                let through = Ty::SeenThrough(Ty::Metatype(sym, args()).into(), this);
                one.referent = Referent::Symbol(sym, Some(Rc::new(through)));
            }
        }
        found
    }

    fn find_member(&self, site: &Site, base: ExprId, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        if let Some(found) = self.path_member(site, base, name) {
            return found;
        }
        if unit.expr(base) == Expr::SuperRef {
            return self.super_member(site, name);
        }
        let object =
            unit.rules.type_objects.iter().find(|(member, object)| member == name && !object.is_empty());
        if let Some((_, object)) = object {
            let ty = Ty::External(object.as_str().into(), Rc::from([self.ty(site, base)]));
            return vec![Target::value(ty, Rule::Static)];
        }
        let base_is_self = unit.expr(base) == Expr::SelfRef;
        let named = self.targets(site, base);
        if let [Target { referent: Referent::External(package, outer), .. }] = &*named
            && unit.rules.modules == Modules::Namespace
        {
            // An import of a namespace looks like one of a type that is not here.
            let space = format!("{}.{outer}", dotted(package));
            let found = self.by_full_name(unit, &format!("{space}.{name}"), Rule::Qualified);
            if !found.is_empty() {
                return found;
            }
        }
        let val = self.eval(site, base);
        let mut found: Vec<Target> = Vec::new();
        for ty in val.ty.alternatives() {
            let one = Value { ty: ty.clone(), ..val.clone() };
            found.extend(self.member(&one, name, unit));
        }
        found = self.visible_extensions(site, found);
        if found.is_empty() && base_is_self {
            found = self.beside(site, name);
        }
        let mut less_sure = val.ty.alternatives().len() > 1;
        if less_sure && unit.rules.type_space {
            less_sure = dedup_members(&mut found);
        }
        found.into_iter().map(|one| if less_sure { one.at_most(Confidence::Probable) } else { one }).collect()
    }

    /// A member of the base, asked for as such.
    pub(crate) fn super_member(&self, site: &Site, name: &str) -> Vec<Target> {
        let Some(ty) = self.self_type(&site.unit, site.symbol()) else {
            return Vec::new();
        };
        if let (Ty::Instance(sym, _), true) = (&ty, site.unit.rules.base_past_mixins) {
            let bases = self.bases(*sym);
            let bases = bases.iter().filter(|(_, relation)| *relation == Relation::Extends);
            let found = bases.map(|(base, _)| self.type_member(base, name, 0, Rule::Super));
            return found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        }
        self.type_member(&ty, name, 1, Rule::Super)
    }

    /// Members of a value by name.
    pub(crate) fn member(&self, val: &Value, name: &str, from: &FileRef) -> Vec<Target> {
        let found = match &val.ty {
            Ty::Instance(sym, _) => self.instance_member(val, *sym, name, from),
            Ty::Metatype(sym, args) => {
                let of = Ty::Instance(*sym, args.clone());
                let mut found = self.static_member(*sym, &of, name, from);
                if found.is_empty() {
                    found = self.companion_members(&of, name, true);
                }
                if found.is_empty() { self.extension(&of, name, from) } else { found }
            }
            Ty::Module(module) => {
                let found = self.module_member(module, name, from);
                if found.is_empty() { self.default_export_member(module, name, from) } else { found }
            }
            Ty::Shape(file, scope, expr) => self.object_entry(*file, *scope, *expr, name),
            Ty::Param(file, at) => {
                let Some(unit) = self.unit(*file) else {
                    return Vec::new();
                };
                if at & THIS != 0 {
                    let own = self.own_type(unit.sym(at & !THIS));
                    return self.member(&val.with(own), name, from);
                }
                let bound = self.type_param_bound(&unit, *at);
                if matches!(bound.ty, Ty::Param(..) | Ty::Unknown) {
                    Vec::new()
                } else {
                    self.member(&Value { rule: Rule::Declared, ..bound }, name, from)
                }
            }
            Ty::Union(types) => {
                let each = types.iter().flat_map(|ty| self.member(&val.with(ty.clone()), name, from));
                each.map(|found| found.at_most(Confidence::Probable)).collect()
            }
            Ty::External(holder, args) => self.external_member(val, holder, args, name, from),
            Ty::Function(sym, _) => self.function_property(*sym, name),
            _ => Vec::new(),
        };
        found.into_iter().map(|found| found.at_most(val.confidence)).collect()
    }

    fn instance_member(&self, val: &Value, sym: SymbolId, name: &str, from: &FileRef) -> Vec<Target> {
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
            && let Ty::Shape(file, scope, expr) = self.type_of_symbol(sym).ty
        {
            return self.object_entry(file, scope, expr, name);
        }
        let found = self.extension(&val.ty, name, from);
        if !found.is_empty() {
            return found;
        }
        if from.rules.dynamic && val.rule == Rule::Receiver {
            let found = self.subtype_members(sym, name, from);
            if !found.is_empty() {
                return found;
            }
        }
        if from.rules.type_space {
            let held = self.record_members(&val.ty, from);
            if !held.is_empty() {
                return held;
            }
            if let Some(underlying_type @ Ty::External(..)) = self.underlying_type(&val.ty) {
                return self.member(&val.with(underlying_type), name, from);
            }
        }
        self.maybe_inherited(&val.ty, name)
    }

    /// What every member is of a type that inherits from one whose members are all alike: `extends Record<string, T>`.
    pub(crate) fn record_members(&self, ty: &Ty, from: &FileRef) -> Vec<Target> {
        let held = |base: &Ty| match base {
            Ty::External(name, args) if from.rules.records.iter().any(|known| **known == **name) => {
                args.last().map(|held| Target::value(held.clone(), Rule::Declared))
            }
            _ => None,
        };
        self.mro(ty).iter().find_map(held).into_iter().collect()
    }

    /// Members of a type itself: static ones, nested types, cases of an enumeration.
    fn static_member(&self, sym: SymbolId, of: &Ty, name: &str, from: &FileRef) -> Vec<Target> {
        let Some(unit) = self.unit_of(sym) else {
            return Vec::new();
        };
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
            return self.namespace_symbol(from, &self.full_name(sym), name, Rule::Static);
        }
        let found = self.type_member(of, name, 0, Rule::Static);
        if !found.is_empty() {
            return found;
        }
        if is_module {
            return self.inner_member(&unit, sym.at, name, from);
        }
        if let alias @ (Ty::Instance(..) | Ty::Union(_)) = self.instance_of(sym)
            && alias != *of
        {
            return alias
                .alternatives()
                .iter()
                .flat_map(|ty| match ty {
                    Ty::Instance(target, args) if *target != sym => {
                        self.static_member(*target, &Ty::Instance(*target, args.clone()), name, from)
                    }
                    _ => Vec::new(),
                })
                .collect();
        }
        Vec::new()
    }

    /// Members of what a type from outside holds.
    fn external_member(
        &self,
        val: &Value,
        holder: &str,
        args: &Rc<[Ty]>,
        name: &str,
        from: &FileRef,
    ) -> Vec<Target> {
        let rules = &from.rules;
        if rules.holders.iter().any(|known| known == holder)
            && let Some(held) = args.first()
        {
            let found = self.member(&val.with(held.clone()), name, from);
            if !found.is_empty() {
                return found;
            }
        }
        let recorded = self.record_members(&val.ty, from);
        if !recorded.is_empty() {
            return recorded;
        }
        if let Some(held) = args.first().filter(|_| rules.gives.iter().any(|known| known == name)) {
            return vec![Target::value(held.clone(), Rule::Inferred)];
        }
        let found = self.extension(&val.ty, name, from);
        if !found.is_empty() {
            return found;
        }
        let outside = Target::external(holder, name);
        let has_it = |held: &Ty| match held {
            Ty::Instance(..) => !self.type_member(held, name, 0, Rule::Declared).is_empty(),
            held => !held.is_known(),
        };
        if rules.forwards && args.iter().any(has_it) {
            return vec![outside.at_most(Confidence::Approximate)];
        }
        vec![if rules.overloads && !rules.type_space { outside.by(Rule::Inferred) } else { outside }]
    }

    /// What a dotted name means, read from the outside in.
    pub(crate) fn lookup_dotted(&self, site: &Site, text: &str) -> Vec<Target> {
        let text = text.trim();
        let base = text.split(['<', '[', '(']).next().unwrap_or_default();
        let mut parts = base.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return Vec::new();
        };
        let mut found = self.lookup(site, first.trim());
        for part in parts {
            let vals: Vec<Value> = found.iter().map(|found| self.value(found)).collect();
            found = vals.iter().flat_map(|val| self.member(val, part.trim(), &site.unit)).collect();
        }
        found
    }

    /// The value of an expression.
    pub(crate) fn eval(&self, site: &Site, expr: ExprId) -> Value {
        match site.unit.expr(expr) {
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
                let found = self.targets(site, expr);
                self.value_of_all(&found)
            }
            _ => self.nested(|| self.compute(site, expr)).unwrap_or_else(Value::unknown),
        }
    }

    /// The value of one of several things.
    pub(crate) fn value_of_all(&self, found: &[Target]) -> Value {
        let mut found = self.filter_kind(found.to_vec(), LookupKind::Value);
        let holds = |one: &Target| {
            matches!(one.sym().and_then(|sym| self.kind(sym)), Some(SymbolKind::Field | SymbolKind::Property))
        };
        if found.len() > 1 && found.iter().any(holds) {
            // A method may share the name of a field; read without a call, the field is meant.
            found.retain(holds);
        }
        let vals: Vec<Value> = found.iter().map(|found| self.value(found)).collect();
        let Some(first) = vals.iter().find(|val| val.ty.is_known()) else {
            return Value::unknown();
        };
        let (rule, mut confidence) = (first.rule, first.confidence);
        let several = vals.iter().filter(|val| val.ty.is_known()).count() > 1;
        let ty = Ty::union(vals.into_iter().map(|val| val.ty));
        if several && ty.alternatives().len() > 1 {
            confidence = confidence.max(Confidence::Probable);
        }
        Value { ty, rule, confidence }
    }

    /// The value of what was found.
    pub(crate) fn value(&self, found: &Target) -> Value {
        let val = match &found.referent {
            Referent::Value(ty) => {
                return Value { ty: ty.clone(), rule: found.rule, confidence: found.confidence };
            }
            // It may not be outside at all.
            Referent::External(..) if found.is_maybe_external() => Value::unknown(),
            // Of a member of something from outside not even the name of its type is known. It may be a type of ours, in
            // code that is generated.
            Referent::External(..) if found.rule == Rule::Inferred => Value::unknown(),
            Referent::External(_, name) => {
                Value::new(Ty::External(name.clone(), Ty::no_args()), Rule::Import)
            }
            Referent::Symbol(sym, via) => self.symbol_value(*sym, via.as_ref()),
        };
        Value { confidence: val.confidence.max(found.confidence), ..val }
    }

    fn symbol_value(&self, sym: SymbolId, via: Option<&Rc<Ty>>) -> Value {
        let Some(unit) = self.unit_of(sym) else {
            return Value::unknown();
        };
        let Some(kind) = unit.kind(sym.at) else {
            return Value::unknown();
        };
        match kind {
            SymbolKind::TypeAlias | SymbolKind::Module | SymbolKind::Delegate => {
                Value::new(Ty::Metatype(self.canonical(sym), Ty::no_args()), Rule::Static)
            }
            kind if kind.is_type() => {
                let args = match via.map(|via| &**via) {
                    Some(Ty::Metatype(of, args)) if *of == sym => args.clone(),
                    _ => Ty::no_args(),
                };
                if kind == SymbolKind::Object {
                    return Value::new(Ty::instance(sym), Rule::Static);
                }
                Value::new(Ty::Metatype(self.canonical(sym), args), Rule::Static)
            }
            SymbolKind::Property => self.seen_via(self.type_of_symbol(sym), via),
            kind if kind.is_callable() => Value::new(Ty::Function(sym, via.cloned()), Rule::Value),
            _ => {
                let val = self.seen_via(self.type_of_symbol(sym), via);
                let has_members = !unit.children(Some(sym.at)).is_empty()
                    || (unit.rules.type_space && self.has_members(sym));
                match val.ty {
                    Ty::Unknown | Ty::Shape(..) if has_members => Value::new(Ty::instance(sym), Rule::Static),
                    _ => val,
                }
            }
        }
    }

    /// A value as seen through a receiver's type arguments.
    pub(crate) fn seen_via(&self, val: Value, via: Option<&Rc<Ty>>) -> Value {
        match via {
            Some(via) => val.with(self.substitute_receiver(&val.ty, via)),
            None => val,
        }
    }

    fn compute(&self, site: &Site, expr: ExprId) -> Value {
        let unit = &site.unit;
        let flow = &unit.facts.flow;
        let inferred = |ty| Value::new(ty, Rule::Inferred);
        match unit.expr(expr) {
            Expr::SelfRef => self.self_value(site),
            Expr::SuperRef => match self.self_type(unit, site.symbol()) {
                Some(ty) => self
                    .mro(&ty)
                    .get(1)
                    .map_or_else(Value::unknown, |base| Value::new(base.clone(), Rule::Super)),
                None => Value::unknown(),
            },
            Expr::Call { callee, args } => self.call(site, callee, args),
            Expr::New { ty, args } => self.constructed(site, ty, args),
            Expr::Index { base, key } => self.indexed(site, expr, base, key),
            Expr::Await(inner) => {
                let val = self.eval(site, inner);
                val.with(awaited(&val.ty))
            }
            Expr::Cast { ty, .. } => Value::new(self.ty(site, ty), Rule::Declared),
            Expr::Wrap { wrapper: Wrapper::Spread, inner } => {
                let val = self.eval(site, inner);
                self.via(site, &val, Via::Element)
            }
            Expr::Wrap { inner, .. } => self.eval(site, inner),
            Expr::Sequence { kind, items } => match kind {
                Sequence::Map => inferred(Ty::Shape(unit.file, site.scope, expr)),
                Sequence::Tuple => inferred(Ty::Tuple(
                    flow.list(items).iter().map(|&item| self.eval(site, item).ty).collect(),
                )),
                Sequence::List if unit.rules.dynamic && Self::is_short(site, items) => inferred(Ty::Tuple(
                    flow.list(items).iter().map(|&item| self.eval(site, item).ty).collect(),
                )),
                Sequence::List => {
                    let items = flow.list(items).iter().take(8).map(|&item| self.eval(site, item).ty);
                    inferred(Ty::List(Ty::union(items).into()))
                }
            },
            Expr::Lambda(scope) => inferred(Ty::Lambda(unit.file, scope)),
            Expr::Literal(Literal::Null) => Value::unknown(),
            Expr::Literal(literal) => inferred(Self::literal(unit, literal)),
            Expr::Text(_) => inferred(Self::literal(unit, Literal::String)),
            _ => Value::unknown(),
        }
    }

    /// Whether each item of a list can be told by its place.
    fn is_short(site: &Site, items: ExprList) -> bool {
        let spread =
            |&item: &ExprId| matches!(site.unit.expr(item), Expr::Wrap { wrapper: Wrapper::Spread, .. });
        items.len <= 8 && !site.unit.facts.flow.list(items).iter().any(spread)
    }

    /// The type of a literal.
    fn literal(unit: &FileUnit, literal: Literal) -> Ty {
        let kind = kind_of(literal);
        let name = unit.rules.literals.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name);
        Ty::External(name.into(), Ty::no_args())
    }

    /// The receiver where an expression stands.
    pub(crate) fn self_value(&self, site: &Site) -> Value {
        let symbol = site.symbol();
        let Some(ty) = self.self_type(&site.unit, symbol) else {
            return Value::unknown();
        };
        let is_type = |at: u32| site.unit.rules.split_members && site.unit.type_around(Some(at)) == Some(at);
        let is_static =
            symbol.is_some_and(|at| site.unit.is(at, orient_model::Modifier::Static) || is_type(at));
        match ty {
            Ty::Instance(sym, args) if is_static => Value::new(Ty::Metatype(sym, args), Rule::Receiver),
            ty => Value::new(ty, Rule::Receiver),
        }
    }

    /// What comes out of a value in this way.
    pub(crate) fn via(&self, site: &Site, val: &Value, via: Via) -> Value {
        match via {
            Via::Value => val.clone(),
            Via::Match | Via::Unknown => Value::unknown(),
            Via::Element => {
                val.with(Ty::union(val.ty.alternatives().iter().map(|ty| self.element(site, ty))))
            }
            Via::Enter => {
                let name = site.unit.implicit("enter");
                let found = name.map(|name| self.member(val, name, &site.unit)).unwrap_or_default();
                let entered = self.call_targets_result(&found, &[], None);
                if entered.ty.is_known() {
                    entered
                } else if matches!(val.ty, Ty::Instance(..)) {
                    val.clone()
                } else {
                    Value::unknown()
                }
            }
            Via::Item(at) => match &val.ty {
                Ty::Tuple(items) => val.with(items.get(at as usize).cloned().unwrap_or(Ty::Unknown)),
                Ty::External(_, args) => {
                    val.with(args.get(at as usize).or(args.first()).cloned().unwrap_or(Ty::Unknown))
                }
                Ty::List(inner) => val.with((**inner).clone()),
                ty if at == 0 => val.with(ty.clone()),
                _ => Value::unknown(),
            },
            Via::Member(name) => {
                let found = self.member(val, site.unit.text(name), &site.unit);
                self.value_of_all(&found)
            }
        }
    }

    /// The collection that a holder from outside only wraps: of `Partial<Record<K, T>>` the `Record<K, T>`.
    pub(crate) fn held_collection<'t>(site: &Site, holder: &str, args: &'t [Ty]) -> Option<&'t Ty> {
        let held = args.first().filter(|held| crate::types::collections::is_collection(held))?;
        site.unit.rules.holders.iter().any(|known| known == holder).then_some(held)
    }

    fn element(&self, site: &Site, ty: &Ty) -> Ty {
        match ty {
            Ty::List(inner) => (**inner).clone(),
            Ty::Tuple(items) => Ty::union(items.iter().cloned()),
            Ty::External(holder, args) => match Self::held_collection(site, holder, args) {
                Some(held) => self.nested(|| self.element(site, held)).unwrap_or(Ty::Unknown),
                None => args.last().cloned().unwrap_or(Ty::Unknown),
            },
            Ty::Instance(..) => match self.iterated(site, ty) {
                Ty::Unknown => {
                    let underlying_type = self.underlying_type(ty);
                    let element = underlying_type
                        .and_then(|underlying_type| self.nested(|| self.element(site, &underlying_type)));
                    element.unwrap_or(Ty::Unknown)
                }
                iterated => iterated,
            },
            _ => Ty::Unknown,
        }
    }

    /// What comes out of a value that says itself how it is gone through.
    fn iterated(&self, site: &Site, ty: &Ty) -> Ty {
        let Some(name) = site.unit.implicit("iterate") else {
            return Ty::Unknown;
        };
        let val = Value::new(ty.clone(), Rule::Inferred);
        let found = self.member(&val, name, &site.unit);
        let iterator = self.call_targets_result(&found, &[], None);
        match &iterator.ty {
            Ty::Instance(..) if iterator.ty != *ty => self.stepped(site, &iterator.ty),
            Ty::Instance(..) => self.stepped(site, ty),
            Ty::External(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
            Ty::List(inner) => (**inner).clone(),
            _ => Ty::Unknown,
        }
    }

    fn stepped(&self, site: &Site, iterator: &Ty) -> Ty {
        let Some(name) = site.unit.implicit("next") else {
            return Ty::Unknown;
        };
        let found = self.member(&Value::new(iterator.clone(), Rule::Inferred), name, &site.unit);
        self.call_targets_result(&found, &[], None).ty
    }
}

/// What waiting for a value gives.
fn awaited(ty: &Ty) -> Ty {
    match ty {
        Ty::External(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Union(types) => Ty::union(types.iter().map(awaited)),
        other => other.clone(),
    }
}

/// A folder's path with a part added.
pub(crate) fn join(folder: &str, part: &str) -> String {
    if folder.is_empty() { part.to_owned() } else { format!("{folder}/{part}") }
}
