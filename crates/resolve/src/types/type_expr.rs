//! Type expressions: names, generic applications, aliases, indexed access types, wrappers.

use crate::file::FileRef;
use crate::memo::Keep;
use crate::names::bindings::{LookupKind, can_be_type};
use crate::session::{Session, Site};
use crate::types::self_type::is_self_type;
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, THIS, Ty};
use orient_model::{Binding, BindingKind, Expr, ExprId, Literal, Rule, Sequence, SymbolKind, Wrapper};
use std::rc::Rc;

impl Session<'_> {
    /// The type that a type expression denotes.
    pub(crate) fn ty(&self, site: &Site, expr: ExprId) -> Ty {
        self.nested(|| self.find_ty(site, expr)).unwrap_or(Ty::Unknown)
    }

    fn find_ty(&self, site: &Site, expr: ExprId) -> Ty {
        let unit = &site.unit;
        match unit.expr(expr) {
            Expr::Name(_) | Expr::Member { .. } | Expr::Text(_) => {
                let found = self.find_type_targets(site, expr, 0);
                if let Expr::Member { base, name } = unit.expr(expr)
                    && found.iter().all(|one| one.sym().is_none())
                    && let Some(ty) = self.library_member_type(site, base, unit.text(name))
                {
                    return ty;
                }
                if is_self_type(unit, expr) && found.iter().all(|one| one.sym().is_none()) {
                    return self.self_type(unit, site.symbol()).unwrap_or(Ty::Unknown);
                }
                if found.is_empty() {
                    return self.builtin_type(site, expr, &Ty::no_args());
                }
                Ty::union(found.iter().map(|found| self.instance(found)))
            }
            Expr::SelfRef => match self.self_type(unit, site.symbol()) {
                Some(Ty::Instance(sym, _)) if unit.rules.type_namespace => Ty::Param(sym.file, sym.at | THIS),
                own => own.unwrap_or(Ty::Unknown),
            },
            Expr::Apply { base, args } => {
                let args: Rc<[Ty]> = unit.list(args).iter().map(|&arg| self.ty(site, arg)).collect();
                self.apply_type_expr(site, base, &args)
            }
            Expr::Index { base, key } if unit.rules.type_namespace => {
                self.indexed_access_type(site, base, key)
            }
            Expr::Index { base, key } => Self::apply(&self.ty(site, base), &Rc::from([self.ty(site, key)])),
            Expr::Wrap { wrapper, inner } => match wrapper {
                Wrapper::Array | Wrapper::Spread => Ty::List(self.ty(site, inner).into()),
                Wrapper::FunctionType => Ty::Returning(self.ty(site, inner).into()),
                Wrapper::TypeOf => self.eval(site, inner).ty,
                _ => self.ty(site, inner),
            },
            Expr::Either(list) => Ty::union(unit.list(list).iter().map(|&one| self.ty(site, one))),
            Expr::Sequence { kind: Sequence::Map, .. } => Ty::Shape(unit.file, site.scope, expr),
            Expr::Sequence { items, .. } => {
                Ty::Tuple(unit.list(items).iter().map(|&item| self.ty(site, item)).collect())
            }
            Expr::Named { value, .. } => self.ty(site, value),
            Expr::Literal(Literal::Null) => Ty::Unknown,
            Expr::Literal(_) => Ty::External("".into(), Ty::no_args()),
            Expr::Function(symbol) => Ty::Function(unit.sym(symbol), None),
            _ => Ty::Unknown,
        }
    }

    /// A type whose name no type of the repository has: built in, or external.
    fn external_type(&self, site: &Site, expr: ExprId) -> Ty {
        let unit = &site.unit;
        let Some(name) = unit.last_name(expr) else { return Ty::Unknown };
        if unit.rules.untyped_types.iter().any(|untyped| untyped == name) {
            return Ty::Unknown;
        }
        // An `impl` block for an external type does not define it.
        let defines =
            |kind: SymbolKind| kind.is_type() && kind != SymbolKind::Impl || kind == SymbolKind::TypeAlias;
        if self.kinds_named(&unit.rules, name).any(defines) {
            Ty::Unknown
        } else {
            Ty::External(name.into(), Ty::no_args())
        }
    }

    /// An instance of a target, if that is a type.
    fn instance(&self, found: &Target) -> Ty {
        match &found.referent {
            Referent::Symbol(sym, via) => {
                let ty = self.instance_of(*sym);
                via.as_ref().map_or(ty.clone(), |via| self.substitute_receiver(&ty, via))
            }
            Referent::Value(Ty::Metatype(sym, args)) => Ty::Instance(*sym, args.clone()),
            Referent::Value(Ty::Param(file, at)) => Ty::Param(*file, *at),
            Referent::Value(ty @ (Ty::Function(..) | Ty::Lambda(..))) => ty.clone(),
            Referent::Value(_) => Ty::Unknown,
            Referent::External(..) if found.is_maybe_external() => Ty::Unknown,
            Referent::External(_, name) => Ty::External(name.clone(), Ty::no_args()),
        }
    }

    /// The type on the right-hand side of an alias.
    fn alias_target(&self, unit: &FileRef, sym: SymbolId, binding: &Binding) -> Option<Ty> {
        self.queries.symbol_types.in_progress().enter(&self.limits, &sym, || {
            let scope = unit.scope_of(sym.at).unwrap_or_else(|| unit.scope_at(binding.at));
            let site = Site { unit: unit.clone(), scope, at: binding.at };
            binding.ty.map_or(Ty::Unknown, |ty| self.ty(&site, ty))
        })
    }

    /// The underlying type of a type that is declared as another one: the slice of `type Trees []Tree`, whose elements
    /// `Trees` has.
    pub(crate) fn underlying_type(&self, ty: &Ty) -> Option<Ty> {
        let Ty::Instance(sym, _) = ty else { return None };
        let unit = self.unit_of(*sym).filter(|unit| unit.kind(sym.at) == Some(SymbolKind::TypeAlias))?;
        let binding = unit.binding_of(sym.at)?;
        self.alias_target(&unit, *sym, binding)
            .filter(|underlying_type| underlying_type.is_known() && underlying_type != ty)
    }

    /// An instance of a type; for an alias, of its target.
    pub(crate) fn instance_of(&self, sym: SymbolId) -> Ty {
        let Some(unit) = self.unit_of(sym) else { return Ty::Unknown };
        match unit.kind(sym.at) {
            Some(SymbolKind::TypeAlias) => {
                let alias = unit.binding_of(sym.at).filter(|binding| binding.ty.is_some());
                let Some(binding) = alias else { return Ty::instance(sym) };
                self.alias_instance(&unit, sym, binding)
            }
            Some(SymbolKind::Impl) => self.impl_target(&unit, sym.at),
            Some(SymbolKind::Constructor) => unit
                .symbol(sym.at)
                .and_then(|s| s.parent)
                .map_or(Ty::Unknown, |at| Ty::instance(unit.sym(at))),
            Some(kind) if kind.is_type() || kind == SymbolKind::Module => Ty::instance(self.canonical(sym)),
            Some(SymbolKind::Delegate) => Ty::instance(sym),
            Some(SymbolKind::EnumMember) => unit
                .symbol(sym.at)
                .and_then(|s| s.parent)
                .map_or(Ty::Unknown, |at| Ty::instance(unit.sym(at))),
            Some(SymbolKind::Variable | SymbolKind::Constant) => match self.type_of_symbol(sym).ty {
                Ty::Metatype(sym, args) => Ty::Instance(sym, args),
                _ => self.annotated_alias(&unit, sym),
            },
            Some(SymbolKind::Function) => Ty::Function(sym, None),
            _ => Ty::Unknown,
        }
    }

    /// The type that a variable stands for whose annotation makes it an alias: `Rows: TypeAlias = list[Row]`.
    fn annotated_alias(&self, unit: &FileRef, sym: SymbolId) -> Ty {
        let Some(binding) = unit.binding_of(sym.at) else { return Ty::Unknown };
        let (Some(ty), Some(value)) = (binding.ty, binding.value) else { return Ty::Unknown };
        let is_alias = unit
            .last_name(ty)
            .is_some_and(|name| unit.rules.alias_annotations.iter().any(|known| known == name));
        if !is_alias {
            return Ty::Unknown;
        }
        let site = Site { unit: unit.clone(), scope: unit.scope_at(binding.at), at: binding.at };
        self.queries
            .symbol_types
            .in_progress()
            .enter(&self.limits, &sym, || self.ty(&site, value))
            .unwrap_or(Ty::Unknown)
    }

    /// An instance of the target of an alias; of the alias itself if it has members of its own, or if the target has
    /// none.
    fn alias_instance(&self, unit: &FileRef, sym: SymbolId, binding: &Binding) -> Ty {
        if let Some(known) = self.queries.aliases.get(&sym) {
            return known;
        }
        let Some(target) = self.alias_target(unit, sym, binding) else { return Ty::instance(sym) };
        let stands_for = matches!(
            target,
            Ty::Instance(..)
                | Ty::Union(_)
                | Ty::Shape(..)
                | Ty::Returning(_)
                | Ty::Signature(..)
                | Ty::Param(..)
        );
        let keep = Keep::OutermostOr(|&sym, ty| *ty != Ty::instance(sym));
        self.queries.aliases.get_or(&self.limits, sym, keep, || {
            if stands_for && !self.has_members(sym) { target } else { Ty::instance(sym) }
        })
    }

    /// Applies a generic type to its arguments.
    fn apply(base: &Ty, args: &Rc<[Ty]>) -> Ty {
        match base {
            Ty::Instance(sym, own) if own.is_empty() => Ty::Instance(*sym, args.clone()),
            Ty::External(name, own) if own.is_empty() => Ty::External(name.clone(), args.clone()),
            Ty::Union(types) => Ty::union(types.iter().map(|ty| Self::apply(ty, args))),
            other => other.clone(),
        }
    }

    /// The type that an `impl` block is for.
    pub(super) fn impl_target(&self, unit: &FileRef, symbol: u32) -> Ty {
        let name = unit.name(symbol);
        let mut in_header = unit.types_in_header(symbol);
        let header = in_header.find(|reference| unit.last_name(reference.expr) == Some(name));
        let Some(header) = header else { return Ty::Unknown };
        let scope = unit.scope_of(symbol).unwrap_or(header.scope);
        let site = Site { unit: unit.clone(), scope, at: header.at };
        let in_progress = self.queries.symbol_types.in_progress();
        let ty = in_progress.enter(&self.limits, &unit.sym(symbol), || self.ty(&site, header.expr));
        ty.unwrap_or(Ty::Unknown)
    }

    /// What the name of a type refers to.
    pub(crate) fn find_type_targets(&self, site: &Site, expr: ExprId, arity: usize) -> Vec<Target> {
        let unit = &site.unit;
        let found = match unit.expr(expr) {
            Expr::Name(name) if unit.rules.generic_arity_overloads => {
                self.arity.set(Some(arity));
                let found = self.lookup_as(site, unit.text(name), LookupKind::Type);
                self.arity.set(None);
                if found.is_empty() { self.lookup_as(site, unit.text(name), LookupKind::Type) } else { found }
            }
            Expr::Name(name) => self.lookup_as(site, unit.text(name), LookupKind::Type),
            Expr::Text(name) => {
                let qualified = unit.text(name).split_once('.');
                let found = qualified.and_then(|(root, rest)| self.in_hidden_qualifier(site, root, rest));
                found.unwrap_or_else(|| self.lookup_dotted(site, unit.text(name)))
            }
            Expr::Member { base, name } => {
                let root = match unit.expr(base) {
                    Expr::Name(root) => Some(unit.text(root)),
                    _ => None,
                };
                let found = root.and_then(|root| self.in_hidden_qualifier(site, root, unit.text(name)));
                found.unwrap_or_else(|| self.targets_of_arity(site, expr, arity))
            }
            _ => self.targets_of_arity(site, expr, arity),
        };
        let mut found = self.matching_arity(site, self.filter_kind(found, LookupKind::Type), arity);
        if unit.rules.type_namespace {
            // The type `any` is not a function of that name.
            found.retain(|one| match &one.referent {
                Referent::Symbol(sym, _) => !self.kind(*sym).is_some_and(SymbolKind::is_callable),
                _ => true,
            });
        }
        found
    }

    /// What a qualified name means in a type or path if a value has the name of its qualifier: no value qualifies these.
    ///
    /// Example: in `func open(state *state.Store)`, the second `state` is the package, although the parameter hides it.
    pub(super) fn in_hidden_qualifier(&self, site: &Site, root: &str, rest: &str) -> Option<Vec<Target>> {
        let is_value = |one: &Target| match &one.referent {
            Referent::Symbol(sym, _) => self.kind(*sym).is_some_and(|kind| !can_be_type(kind)),
            Referent::Value(Ty::Module(_) | Ty::Metatype(..)) | Referent::External(..) => false,
            Referent::Value(_) => true,
        };
        if !is_bound_to_value(site, root) {
            return None;
        }
        let mut spaces = self.lookup_as(site, root, LookupKind::Type);
        spaces.retain(|one| !is_value(one));
        let of = |found: &[Target], name: &str| -> Vec<Target> {
            let vals: Vec<Value> = found.iter().map(|one| self.value(one)).collect();
            vals.iter().flat_map(|val| self.member(val, name, &site.unit)).collect()
        };
        (!spaces.is_empty()).then(|| rest.split('.').fold(spaces, |found, name| of(&found, name)))
    }

    /// A generic type expression with its arguments.
    fn apply_type_expr(&self, site: &Site, base: ExprId, args: &Rc<[Ty]>) -> Ty {
        match site.unit.expr(base) {
            Expr::Wrap { wrapper: Wrapper::FunctionType, inner } => {
                Ty::Signature(args.clone(), self.ty(site, inner).into())
            }
            Expr::Name(_) | Expr::Member { .. } => {
                let found = self.find_type_targets(site, base, args.len());
                if found.is_empty() {
                    return Self::apply(&self.builtin_type(site, base, args), args);
                }
                Ty::union(found.iter().map(|one| match one.sym() {
                    Some(sym) if self.kind(sym) == Some(SymbolKind::TypeAlias) => self.apply_alias(sym, args),
                    _ => Self::apply(&self.instance(one), args),
                }))
            }
            _ => Self::apply(&self.ty(site, base), args),
        }
    }

    /// A type that is not bound anywhere is built in.
    fn builtin_type(&self, site: &Site, expr: ExprId, args: &Rc<[Ty]>) -> Ty {
        let unit = &site.unit;
        if !unit.rules.type_namespace {
            return self.external_type(site, expr);
        }
        let Expr::Name(name) = unit.expr(expr) else { return Ty::Unknown };
        let name = unit.text(name);
        let is_bound =
            !unit.bound(0, name).is_empty() || unit.rules.untyped_types.iter().any(|loose| loose == name);
        if is_bound {
            return Ty::Unknown;
        }
        Ty::External(name.into(), args.clone())
    }

    /// The target of a generic alias, with these arguments.
    fn apply_alias(&self, sym: SymbolId, args: &Rc<[Ty]>) -> Ty {
        match self.instance_of(sym) {
            Ty::Instance(of, own) if of == sym || own.is_empty() => Ty::Instance(of, args.clone()),
            ty => self.substitute_receiver(&ty, &Ty::Instance(sym, args.clone())),
        }
    }

    /// An indexed access type: `T["k"]` for a member, `T[number]` for an element.
    fn indexed_access_type(&self, site: &Site, base: ExprId, key: ExprId) -> Ty {
        let of = Value::new(self.ty(site, base), Rule::Declared);
        match site.unit.expr(key) {
            Expr::Text(name) => {
                let found = self.member(&of, site.unit.text(name), &site.unit);
                self.value_of_all(&found).ty
            }
            _ => match &of.ty {
                Ty::List(inner) => (**inner).clone(),
                _ => Ty::Unknown,
            },
        }
    }
}

/// Whether the innermost scope of the file that binds a name binds it to values alone. The bindings decide it, without a lookup: what
/// a lookup finds among inherited members may depend on the type that is being found.
fn is_bound_to_value(site: &Site, name: &str) -> bool {
    let unit = &site.unit;
    let Some(name) = unit.atom(name) else { return false };
    let mut scope = Some(site.scope);
    while let Some(here) = scope.and_then(|at| unit.scope(at)) {
        let bound = scope.map_or(&[][..], |at| unit.bound_as(at, name));
        if !bound.is_empty() {
            return bound.iter().all(|&at| match unit.binding(at).map(|binding| binding.kind) {
                Some(BindingKind::Param | BindingKind::Receiver | BindingKind::Local) => true,
                Some(BindingKind::Symbol(symbol)) => unit.kind(symbol).is_some_and(|kind| !can_be_type(kind)),
                _ => false,
            });
        }
        scope = here.parent;
    }
    false
}
