//! Parameter types in dynamically typed code, inferred from the arguments of the calls in the same file.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{Atom, BindingKind, Expr, ExprId, RefKind, Reference, Rule, SymbolKind, Via, Wrapper};
use rustc_hash::{FxHashMap, FxHashSet};

/// The inferred types of parameters, by the position of the parameter's name.
pub(crate) type ParamTypes = FxHashMap<u32, Ty>;

/// The types that the calls of a file pass to parameters about which nothing else is known.
pub(crate) fn param_types(session: &Session<'_>, unit: &FileRef) -> ParamTypes {
    let wanted = untyped_params(unit);
    if wanted.is_empty() {
        return ParamTypes::default();
    }
    let mut collect = ArgumentCollector { session, unit, wanted, param_types: FxHashMap::default() };
    for reference in unit.references() {
        session.start_reference();
        collect.call(reference);
    }
    let each = collect.param_types.into_iter().map(|(at, types)| (at, Ty::union(types)));
    each.filter(|(_, ty)| ty.is_known()).collect()
}

/// Parameters without a declared type whose members are called or that are stored.
fn untyped_params(unit: &FileRef) -> FxHashSet<u32> {
    let mut open = FxHashSet::default();
    let flow = unit.flow();
    for reference in unit.references().iter().filter(|reference| reference.kind == RefKind::Call) {
        let Expr::Call { callee, args } = unit.expr(reference.expr) else { continue };
        let Some(at) = root(unit, callee).and_then(|name| untyped_param(unit, reference.scope, name)) else {
            continue;
        };
        open.insert(at);
        let given = flow.list(args).iter().filter_map(|&arg| root(unit, arg));
        open.extend(given.filter_map(|name| untyped_param(unit, reference.scope, name)));
    }
    let iterated = flow.bindings.iter().filter(|binding| matches!(binding.via, Via::Element | Via::Enter));
    let kept = flow.assigns.iter();
    let kept = kept.filter(|assign| matches!(unit.expr(assign.target), Expr::Member { .. }));
    let values = iterated.filter_map(|binding| Some((binding.scope, binding.value?)));
    for (scope, value) in values.chain(kept.filter_map(|assign| Some((assign.scope, assign.value?)))) {
        open.extend(root(unit, value).and_then(|name| untyped_param(unit, scope, name)));
    }
    open
}

/// The name that an expression starts with.
fn root(unit: &FileRef, mut expr: ExprId) -> Option<Atom> {
    loop {
        match unit.expr(expr) {
            Expr::Name(name) => return Some(name),
            Expr::Member { base, .. } | Expr::Index { base, .. } => expr = base,
            Expr::Call { callee, .. } => expr = callee,
            _ => return None,
        }
    }
}

/// The position of the parameter that a name refers to, if it has no declared type.
fn untyped_param(unit: &FileRef, scope: u32, name: Atom) -> Option<u32> {
    let &first = unit.bindings_around(scope, unit.text(name)).first()?;
    let binding = unit.binding(first)?;
    (binding.kind == BindingKind::Param && binding.ty.is_none()).then_some(binding.at)
}

struct ArgumentCollector<'a, 'r> {
    session: &'a Session<'r>,
    unit: &'a FileRef,
    wanted: FxHashSet<u32>,
    param_types: FxHashMap<u32, Vec<Ty>>,
}

impl ArgumentCollector<'_, '_> {
    fn call(&mut self, reference: &Reference) {
        let site = Site { unit: self.unit.clone(), scope: reference.scope, at: reference.at };
        match (reference.kind, self.unit.expr(reference.expr)) {
            (RefKind::Call, Expr::Call { callee, args }) if args.len > 0 => {
                let args: Vec<ExprId> = self.unit.list(args).to_vec();
                for (sym, skip) in self.functions(&self.session.callees(&site, callee)) {
                    self.pass_arguments(&site, sym, args.get(skip..).unwrap_or_default());
                }
            }
            (RefKind::Decorate, _) => {
                let Some(decorated) = self.unit.next_symbol(reference.at) else { return };
                let found = match self.unit.expr(reference.expr) {
                    Expr::Call { .. } => {
                        let ty = self.session.eval(&site, reference.expr).ty;
                        vec![Target::value(ty, Rule::Value)]
                    }
                    _ => self.session.callees(&site, reference.expr),
                };
                let given = match self.unit.kind(decorated) {
                    Some(kind) if kind.is_callable() => Ty::Function(self.unit.sym(decorated), None),
                    Some(kind) if kind.is_type() => Ty::Metatype(self.unit.sym(decorated), Ty::no_args()),
                    _ => return,
                };
                for (sym, _) in self.functions(&found) {
                    if let Some(at) = self.param(sym, 0) {
                        self.param_types.entry(at).or_default().push(given.clone());
                    }
                }
            }
            _ => {}
        }
    }

    /// The functions of this file among the targets, and how many of the arguments are their receiver.
    fn functions(&self, found: &[Target]) -> Vec<(SymbolId, usize)> {
        let mut functions = Vec::new();
        for one in found {
            match &one.referent {
                Referent::Symbol(sym, _) if self.session.kind(*sym).is_some_and(is_function) => {
                    let unbound = one.rule == Rule::Static && self.has_receiver(*sym);
                    functions.push((*sym, usize::from(unbound)));
                }
                Referent::Symbol(sym, _) if self.session.is_type(*sym) => {
                    functions.extend(self.makers(*sym).map(|sym| (sym, 0)));
                }
                Referent::External(..) => {}
                _ => {
                    for ty in self.session.value(one).ty.alternatives() {
                        match ty {
                            Ty::Function(sym, _) => functions.push((*sym, 0)),
                            Ty::Metatype(sym, _) => functions.extend(self.makers(*sym).map(|sym| (sym, 0))),
                            _ => {}
                        }
                    }
                }
            }
        }
        functions.retain(|(sym, _)| sym.file == self.unit.file);
        functions
    }

    fn has_receiver(&self, sym: SymbolId) -> bool {
        let scope = self.unit.scope_of(sym.at).filter(|_| sym.file == self.unit.file);
        let is_receiver = |binding: &orient_model::Binding| {
            Some(binding.scope) == scope && binding.kind == BindingKind::Receiver
        };
        scope.is_some() && self.unit.bindings().iter().any(is_receiver)
    }

    /// The constructor of a type, its own or inherited.
    fn makers(&self, sym: SymbolId) -> impl Iterator<Item = SymbolId> {
        let names = &self.unit.rules.constructors;
        let line = self.session.mro(&Ty::instance(sym));
        let found = line.iter().find_map(|of| {
            let Ty::Instance(of, _) = of else { return None };
            names.iter().find_map(|name| self.session.own_members(*of, name).first().copied())
        });
        found.into_iter()
    }

    fn pass_arguments(&mut self, site: &Site, sym: SymbolId, args: &[ExprId]) {
        for (place, &arg) in args.iter().enumerate() {
            let (at, value) = match self.unit.expr(arg) {
                Expr::Wrap { wrapper: Wrapper::Spread, .. } => break,
                Expr::Named { name, value } => (self.named_param(sym, name), value),
                _ => (self.param(sym, place), arg),
            };
            let Some(at) = at else { continue };
            let ty = self.session.eval(site, value).ty;
            let known = ty.alternatives().iter().filter(|ty| is_informative(ty)).cloned();
            self.param_types.entry(at).or_default().extend(known);
        }
    }

    fn param(&self, sym: SymbolId, place: usize) -> Option<u32> {
        let scope = self.unit.scope_of(sym.at)?;
        let &param = self.unit.params(scope).get(place)?;
        self.wanted_param(sym, param)
    }

    fn named_param(&self, sym: SymbolId, name: Atom) -> Option<u32> {
        let params = self.unit.params(self.unit.scope_of(sym.at)?).iter();
        let named = |&&at: &&u32| self.unit.binding(at).is_some_and(|binding| binding.name == name);
        params.clone().find(named).and_then(|&at| self.wanted_param(sym, at))
    }

    /// The position of a parameter, if its type is wanted and it is not variadic.
    fn wanted_param(&self, sym: SymbolId, param: u32) -> Option<u32> {
        let binding = self.unit.binding(param)?;
        let name = self.unit.text(binding.name);
        let rest = |param: &orient_model::Param| param.variadic && self.unit.outline_text(param.name) == name;
        let is_rest = self.unit.symbol(sym.at).is_some_and(|symbol| symbol.params.iter().any(rest));
        (!is_rest && self.wanted.contains(&binding.at)).then_some(binding.at)
    }
}

fn is_function(kind: SymbolKind) -> bool {
    kind.is_callable() && kind != SymbolKind::Property
}

/// Whether a type helps to find what is called through a parameter.
fn is_informative(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Instance(..)
            | Ty::Metatype(..)
            | Ty::Function(..)
            | Ty::Lambda(..)
            | Ty::Shape(..)
            | Ty::Tuple(_)
            | Ty::Module(_)
    )
}

impl Session<'_> {
    /// The type of an argument that a function returns unchanged.
    pub(super) fn handed_on(&self, unit: &FileRef, sym: SymbolId, args: &[ExprId], from: &Site) -> Ty {
        let declared = unit.binding_of(sym.at).is_some_and(|binding| binding.ty.is_some());
        let Some(scope) = unit.scope_of(sym.at).filter(|_| !declared) else { return Ty::Unknown };
        let params = unit.params(scope);
        let mut types = Vec::new();
        for &value in unit.returns(scope).iter().take(4) {
            let Expr::Name(name) = unit.expr(value) else { continue };
            let is_it = |&at: &u32| {
                unit.binding(at).is_some_and(|binding| binding.name == name && binding.ty.is_none())
            };
            let place = params.iter().position(is_it);
            if let Some(&arg) = place.and_then(|place| args.get(place)) {
                types.push(self.eval(from, arg).ty);
            }
        }
        Ty::union(types)
    }
}
