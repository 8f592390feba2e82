//! Evaluation: what an expression refers to, and the type of its value.

use crate::file::FileRef;
use crate::memo::Keep;
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{Module, SymbolId, Ty};
use crate::types::written_types::kind_of;
use orient_model::{Confidence, Expr, ExprId, ExprList, Literal, Rule, Sequence, SymbolKind, Via, Wrapper};
use std::rc::Rc;

/// Maximum number of stored answers for one file: about 40 MB.
const MAX_STORED: usize = 900_000;

impl Session<'_> {
    /// Everything an expression may refer to.
    pub(crate) fn targets(&self, site: &Site, expr: ExprId) -> Rc<[Target]> {
        let key = (site.unit.file, site.scope, expr, site.at);
        self.queries.targets.get_or(&self.limits, key, Keep::OutermostUpTo(MAX_STORED), || {
            Target::stored(self.nested(|| self.find_targets(site, expr)).unwrap_or_default())
        })
    }

    fn find_targets(&self, site: &Site, expr: ExprId) -> Vec<Target> {
        let unit = &site.unit;
        match unit.expr(expr) {
            Expr::Name(_) | Expr::Member { .. } => {
                let found = self.find_named(site, expr);
                let found = match unit.expr(expr) {
                    Expr::Name(name) => self.narrowed(site, name, found),
                    _ => found,
                };
                self.matching_arity(site, found, 0)
            }
            Expr::Function(symbol) => vec![Target::symbol(unit.sym(symbol), Rule::Scope)],
            Expr::Apply { base, args } => self.find_applied(site, base, args),
            Expr::Wrap {
                wrapper:
                    Wrapper::Pointer | Wrapper::Reference | Wrapper::Deref | Wrapper::Optional | Wrapper::PathRoot,
                inner,
            } => self.targets(site, inner).to_vec(),
            Expr::Named { value, .. } => self.targets(site, value).to_vec(),
            Expr::Either(list) => {
                let each = unit.list(list).iter();
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
        let val = self.eval_uncached(site, expr);
        let found = Target {
            referent: Referent::Value(val.ty),
            rule: val.rule,
            confidence: val.confidence,
            receiver_distance: 0,
        };
        if found.referent == Referent::Value(Ty::Unknown) { Vec::new() } else { vec![found] }
    }

    /// Generic functions with explicit type arguments that look like an index: `parse[int](text)`.
    fn given_types(&self, site: &Site, base: ExprId) -> Option<Vec<Target>> {
        let named = matches!(site.unit.expr(base), Expr::Name(_) | Expr::Member { .. });
        if site.unit.rules.value_flow_typing || !named {
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

    /// Everything a name or a member may refer to, with any number of type arguments.
    fn find_named(&self, site: &Site, expr: ExprId) -> Vec<Target> {
        match site.unit.expr(expr) {
            Expr::Name(name) => self.lookup(site, site.unit.text(name)),
            Expr::Member { base, name } => self.find_member(site, base, site.unit.text(name)),
            _ => self.targets(site, expr).to_vec(),
        }
    }

    /// What an expression refers to that has this many type arguments.
    pub(crate) fn targets_of_arity(&self, site: &Site, expr: ExprId, count: usize) -> Vec<Target> {
        let found = self.nested(|| self.find_named(site, expr)).unwrap_or_default();
        self.matching_arity(site, found, count)
    }

    /// Of types and functions with one name, those with this many type parameters. Functions may leave out theirs.
    pub(super) fn matching_arity(&self, site: &Site, mut found: Vec<Target>, count: usize) -> Vec<Target> {
        if found.len() < 2 || !site.unit.rules.generic_arity_overloads {
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

    /// Removes types with another number of type parameters.
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
        let list = site.unit.list(args);
        let mut found = self.targets_of_arity(site, base, list.len());
        for one in &mut found {
            let Referent::Symbol(sym, via) = &one.referent else { continue };
            let (sym, via) = (*sym, via.clone());
            let args = || list.iter().map(|&arg| self.ty(site, arg)).collect::<Rc<[Ty]>>();
            if self.is_type(sym) {
                one.referent = Referent::Symbol(sym, Some(Rc::new(Ty::Metatype(sym, args()))));
            } else if self.kind(sym).is_some_and(SymbolKind::is_callable)
                && (site.unit.rules.type_namespace || site.unit.rules.overloads)
            {
                let this = via.unwrap_or_else(|| Rc::new(Ty::Unknown));
                let through = Ty::SeenThrough(Ty::Metatype(sym, args()).into(), this);
                one.referent = Referent::Symbol(sym, Some(Rc::new(through)));
            }
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
                wrapper:
                    Wrapper::Pointer | Wrapper::Reference | Wrapper::Deref | Wrapper::Optional | Wrapper::PathRoot,
                ..
            } => {
                let found = self.targets(site, expr);
                if let Expr::Member { base, name } = site.unit.expr(expr)
                    && found.iter().all(is_outside)
                {
                    let name = site.unit.text(name);
                    let stated = self.library_value(site, base, name);
                    if stated.ty.is_known() {
                        return stated;
                    }
                    let field = self.positional_field(site, base, name);
                    if field.ty.is_known() {
                        return field;
                    }
                }
                self.value_of_all(&found)
            }
            _ => self.nested(|| self.eval_uncached(site, expr)).unwrap_or_else(Value::unknown),
        }
    }

    /// The union of the values of several targets.
    pub(super) fn value_of_all(&self, found: &[Target]) -> Value {
        let mut found = self.filter_kind(found.to_vec(), LookupKind::Value);
        let holds = |one: &Target| {
            matches!(one.sym().and_then(|sym| self.kind(sym)), Some(SymbolKind::Field | SymbolKind::Property))
        };
        if found.len() > 1 && found.iter().any(holds) {
            // A method may share the name of a field; without a call, the field is meant.
            found.retain(holds);
        }
        let vals: Vec<Value> = found.iter().map(|found| self.value(found)).collect();
        let Some(first) = vals.iter().find(|val| val.ty.is_known()) else { return Value::unknown() };
        let (rule, mut confidence) = (first.rule, first.confidence);
        let several = vals.iter().filter(|val| val.ty.is_known()).count() > 1;
        let ty = Ty::union(vals.into_iter().map(|val| val.ty));
        if several && ty.alternatives().len() > 1 {
            confidence = confidence.max(Confidence::Probable);
        }
        Value { ty, rule, confidence }
    }

    /// The value of a target.
    pub(crate) fn value(&self, found: &Target) -> Value {
        let val = match &found.referent {
            Referent::Value(ty) => {
                return Value { ty: ty.clone(), rule: found.rule, confidence: found.confidence };
            }
            // Nothing proves that it is external.
            Referent::External(..) if found.is_maybe_external() => Value::unknown(),
            // The type of a member of an external type is unknown. It may be a type of the repository, in generated
            // code.
            Referent::External(..) if found.rule == Rule::Inferred => Value::unknown(),
            Referent::External(_, name) => {
                Value::new(Ty::External(name.clone(), Ty::no_args()), Rule::Import)
            }
            Referent::Symbol(sym, via) => self.symbol_value(*sym, via.as_ref()),
        };
        Value { confidence: val.confidence.max(found.confidence), ..val }
    }

    fn symbol_value(&self, sym: SymbolId, via: Option<&Rc<Ty>>) -> Value {
        let Some(unit) = self.unit_of(sym) else { return Value::unknown() };
        let Some(kind) = unit.kind(sym.at) else { return Value::unknown() };
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
                    || (unit.rules.type_namespace && self.has_members(sym));
                match val.ty {
                    Ty::Unknown | Ty::Shape(..) if has_members => Value::new(Ty::instance(sym), Rule::Static),
                    _ => val,
                }
            }
        }
    }

    /// A value with the type parameters of its receiver replaced.
    pub(crate) fn seen_via(&self, val: Value, via: Option<&Rc<Ty>>) -> Value {
        match via {
            Some(via) => val.with(self.substitute_receiver(&val.ty, via)),
            None => val,
        }
    }

    fn eval_uncached(&self, site: &Site, expr: ExprId) -> Value {
        let unit = &site.unit;
        let flow = unit;
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
                self.destructure(site, &val, Via::Element)
            }
            Expr::Wrap { wrapper: Wrapper::TypeOf, inner } if !unit.rules.type_object.is_empty() => {
                let of = Rc::from([self.ty(site, inner)]);
                Value::new(Ty::External(unit.rules.type_object.as_str().into(), of), Rule::Static)
            }
            Expr::Wrap { inner, .. } => self.eval(site, inner),
            Expr::Sequence { kind, items } => match kind {
                Sequence::Map => inferred(Ty::Shape(unit.file, site.scope, expr)),
                Sequence::Tuple => inferred(Ty::Tuple(
                    flow.list(items).iter().map(|&item| self.eval(site, item).ty).collect(),
                )),
                Sequence::List if unit.rules.value_flow_typing && Self::is_short(site, items) => inferred(
                    Ty::Tuple(flow.list(items).iter().map(|&item| self.eval(site, item).ty).collect()),
                ),
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

    /// Whether a list literal counts as a tuple, whose items are known by their position.
    fn is_short(site: &Site, items: ExprList) -> bool {
        let spread =
            |&item: &ExprId| matches!(site.unit.expr(item), Expr::Wrap { wrapper: Wrapper::Spread, .. });
        items.len <= 8 && !site.unit.list(items).iter().any(spread)
    }

    /// The type of a literal.
    fn literal(unit: &FileRef, literal: Literal) -> Ty {
        let kind = kind_of(literal);
        let name =
            unit.rules.literal_types.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name);
        Ty::External(name.into(), Ty::no_args())
    }
}

/// Whether a target is outside of the repository, or a namespace, as which any qualified name counts.
fn is_outside(found: &Target) -> bool {
    let is_space = |ty: &Ty| matches!(ty, Ty::Module(Module::Namespace(_)));
    match &found.referent {
        Referent::External(..) => true,
        Referent::Value(ty) => is_space(ty),
        Referent::Symbol(..) => false,
    }
}

/// The type of an awaited value.
fn awaited(ty: &Ty) -> Ty {
    match ty {
        Ty::External(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Union(types) => Ty::union(types.iter().map(awaited)),
        other => other.clone(),
    }
}

/// Appends a part to the path of a directory.
pub(crate) fn join(directory: &str, part: &str) -> String {
    if directory.is_empty() { part.to_owned() } else { format!("{directory}/{part}") }
}
