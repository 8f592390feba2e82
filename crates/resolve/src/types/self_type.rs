//! The receiver: the type of `self` inside of a member.

use crate::file::FileRef;
use crate::names::visibility::has_annotation;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Value};
use crate::types::ty::{SymbolId, Ty};
use crate::types::written_types::split_types;
use orient_model::{Atom, Binding, BindingKind, Expr, ExprId, Modifier, Rule, SymbolKind};
use std::rc::Rc;

/// Whether the receiver of a method is its type, not an instance.
fn is_class_method(unit: &FileRef, symbol: u32) -> bool {
    let (rules, name) = (&unit.rules, unit.name(symbol));
    rules.class_method_names.iter().any(|known| known == name)
        || has_annotation(unit, symbol, &rules.class_method_attributes)
}

/// Whether a value is the receiver itself, or a new instance of the receiver's type.
pub(crate) fn is_receiver(unit: &FileRef, scope: u32, value: ExprId) -> bool {
    let named = |name: Atom| {
        let first = unit.bindings_around(scope, unit.text(name)).first().and_then(|&at| unit.binding(at));
        first.is_some_and(|binding| binding.kind == BindingKind::Receiver)
    };
    let is_class = || {
        let symbol = unit.scope(scope).and_then(|scope| scope.symbol);
        symbol.is_some_and(|symbol| is_class_method(unit, symbol))
    };
    match unit.expr(value) {
        Expr::SelfRef => true,
        Expr::Name(name) => named(name) && !is_class(),
        Expr::Call { callee, .. } => match unit.expr(callee) {
            Expr::Name(name) => named(name) && is_class(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a type expression means the type of the receiver: `Self`.
pub(crate) fn is_self_type(unit: &FileRef, ty: ExprId) -> bool {
    match unit.expr(ty) {
        Expr::SelfRef => true,
        Expr::Name(name) | Expr::Member { name, .. } | Expr::Text(name) => {
            unit.rules.self_types.iter().any(|known| known == unit.text(name))
        }
        _ => false,
    }
}

/// Whether a member of an object literal is an arrow function, judging by its header: `go: (x)`, but not `go(x)` or `go: function (x)`.
fn is_arrow_function(unit: &FileRef, symbol: u32) -> bool {
    let signature = unit.symbol(symbol).map_or("", |symbol| unit.outline_text(symbol.signature));
    signature.split_once(':').is_some_and(|(name, value)| {
        !name.contains('(') && !value.split(|c: char| !c.is_alphanumeric()).any(|word| word == "function")
    })
}

impl Session<'_> {
    /// The value of a receiver parameter.
    pub(super) fn receiver(&self, unit: &FileRef, binding: &Binding) -> Value {
        let symbol = unit.scope(binding.scope).and_then(|scope| scope.symbol);
        let Some(of) = self.self_type(unit, symbol) else { return Value::unknown() };
        let class =
            symbol.is_some_and(|symbol| unit.is(symbol, Modifier::Static) || is_class_method(unit, symbol));
        match (class, of) {
            (true, Ty::Instance(sym, args)) => Value::new(Ty::Metatype(sym, args), Rule::Receiver),
            (_, of) => Value::new(of, Rule::Receiver),
        }
    }

    /// The type of `self` inside of a symbol.
    pub(crate) fn self_type(&self, unit: &FileRef, symbol: Option<u32>) -> Option<Ty> {
        let mut next = symbol;
        while let Some(at) = next {
            let found = unit.symbol(at)?;
            if unit.type_around(Some(at)) == Some(at) {
                return Some(self.own_type(unit.sym(at)));
            }
            // A method of an object literal: the variable that holds the object.
            if unit.rules.type_namespace
                && matches!(found.kind, SymbolKind::Method | SymbolKind::Property)
                && let Some(holder) = found.parent.filter(|_| found.qualifier.is_none())
                && matches!(unit.kind(holder), Some(SymbolKind::Variable | SymbolKind::Constant))
            {
                return Some(Ty::instance(unit.sym(holder)));
            }
            // Inside of a function, it is the literal itself, whose type is not known; an arrow function keeps the outer receiver.
            if unit.rules.type_namespace
                && found.kind == SymbolKind::Method
                && let Some(function) = found.parent.filter(|_| found.qualifier.is_none())
                && unit.kind(function).is_some_and(SymbolKind::is_callable)
                && !is_arrow_function(unit, at)
            {
                return None;
            }
            if found.qualifier.is_some()
                && let Some(ty) = self.qualifier_type(unit, at).or_else(|| self.extended_type(unit, at))
            {
                return Some(ty);
            }
            next = found.parent;
        }
        None
    }

    /// A type with its own type parameters as arguments; for an `impl` block, the type it is for.
    pub(crate) fn own_type(&self, sym: SymbolId) -> Ty {
        let Some(unit) = self.unit_of(sym) else { return Ty::Unknown };
        if unit.kind(sym.at) == Some(SymbolKind::Impl) {
            return self.impl_target(&unit, sym.at);
        }
        let args: Vec<Ty> = unit.type_params(sym.at).iter().map(|&at| Ty::Param(sym.file, at)).collect();
        Ty::Instance(self.canonical(sym), args.into())
    }

    /// The type that a symbol names as its container: `Foo` of `void Foo::bar()`.
    pub(crate) fn qualifier_type(&self, unit: &FileRef, symbol: u32) -> Option<Ty> {
        let qualifier = unit.qualifier(symbol)?;
        let named =
            |at: &&u32| unit.binding(**at).is_some_and(|binding| unit.text(binding.name) == qualifier);
        if let Some(&param) = unit.type_params(symbol).iter().find(named) {
            // An extension of every type that satisfies a bound: `fun <T : Command> T.run()`.
            return match self.type_param_bound(unit, param).ty {
                bound @ Ty::Instance(..) => Some(bound),
                _ => None,
            };
        }
        let scope = unit.symbol(symbol)?.parent.and_then(|parent| unit.scope_of(parent)).unwrap_or(0);
        let site = Site { unit: unit.clone(), scope, at: u32::MAX };
        let found = self.lookup_dotted(&site, qualifier);
        found.iter().find_map(|found| match found.sym() {
            Some(sym) if self.kind(sym) == Some(SymbolKind::TypeAlias) => Some(self.instance_of(sym)),
            Some(sym) if self.is_type(sym) => Some(self.own_type(sym)),
            // A constructor function, or an object that gets its members one by one.
            Some(sym) if unit.rules.type_namespace => match self.kind(sym)? {
                SymbolKind::Function => Some(Ty::Function(sym, None)),
                SymbolKind::Variable | SymbolKind::Constant => Some(Ty::instance(sym)),
                _ => None,
            },
            _ => None,
        })
    }

    /// The type outside of the repository that an extension is for.
    pub(crate) fn extended_type(&self, unit: &FileRef, symbol: u32) -> Option<Ty> {
        let written = unit.qualifier(symbol).filter(|_| unit.is(symbol, Modifier::Extension))?;
        let scope = unit.scope_of(symbol).unwrap_or(0);
        let ty = self.written_type(&Site { unit: unit.clone(), scope, at: u32::MAX }, written);
        matches!(ty, Ty::External(..)).then_some(ty)
    }

    /// The type that source text denotes: a name with type arguments.
    fn written_type(&self, site: &Site, written: &str) -> Ty {
        let written = written.trim().trim_end_matches('?');
        let (name, args) = match written.split_once('<') {
            Some((name, rest)) => (name.trim(), rest.strip_suffix('>').unwrap_or_default()),
            None => (written, ""),
        };
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') {
            return Ty::Unknown;
        }
        let args: Rc<[Ty]> = split_types(args)
            .map(|arg| {
                let arg = arg.trim().rsplit(' ').next().unwrap_or_default();
                self.nested(|| self.written_type(site, arg)).unwrap_or(Ty::Unknown)
            })
            .collect();
        for found in &self.lookup_dotted(site, name) {
            match (&found.referent, found.sym()) {
                (Referent::Value(param @ Ty::Param(..)), _) => return param.clone(),
                (_, Some(sym)) if self.is_type(sym) => {
                    return match self.instance_of(sym) {
                        Ty::Instance(of, own) if own.is_empty() => Ty::Instance(of, args),
                        ty => ty,
                    };
                }
                _ => {}
            }
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        let is_type = |kind: SymbolKind| kind.is_type() || kind == SymbolKind::TypeAlias;
        let is_here = self.kinds_named(&site.unit.rules, last).any(is_type);
        if is_here { Ty::Unknown } else { Ty::External(last.into(), args) }
    }

    /// The value of `self` at a place.
    pub(crate) fn self_value(&self, site: &Site) -> Value {
        if let Some(entered) = self.entered_receiver(site) {
            return entered;
        }
        let symbol = site.symbol();
        let Some(ty) = self.self_type(&site.unit, symbol) else { return Value::unknown() };
        let is_type =
            |at: u32| site.unit.rules.separate_static_members && site.unit.type_around(Some(at)) == Some(at);
        let is_static = symbol.is_some_and(|at| site.unit.is(at, Modifier::Static) || is_type(at));
        match ty {
            Ty::Instance(sym, args) if is_static => Value::new(Ty::Metatype(sym, args), Rule::Receiver),
            ty => Value::new(ty, Rule::Receiver),
        }
    }
}
