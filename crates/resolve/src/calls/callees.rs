//! The functions that a call expression may mean, before overload resolution.

use crate::names::bindings::{LookupKind, can_be_called};
use crate::session::{Session, Site};
use crate::types::target::Target;
use crate::types::ty::Ty;
use orient_model::{Expr, ExprId, Rule, SymbolKind};

impl Session<'_> {
    /// Everything a call with these arguments may mean. Where the declared parameters are all there are, functions that cannot take the
    /// arguments do not hide others: those of outer scopes, and extensions.
    pub(crate) fn applicable_callees(&self, site: &Site, callee: ExprId, args: &[ExprId]) -> Vec<Target> {
        let unit = &site.unit;
        let found = self.callees(site, callee);
        let accepts = |found: &[Target]| self.may_take(site, found, args);
        if !unit.rules.exact_arity || found.is_empty() || accepts(&found) {
            return found;
        }
        let mut found = match unit.expr(Self::without_type_arguments(site, callee)) {
            Expr::Name(name) => {
                let found = self.lookup_accepted(site, unit.text(name), &accepts);
                if found.iter().any(|one| one.sym().is_some()) {
                    found
                } else {
                    self.extension_of_receivers(site, unit.text(name), &accepts)
                }
            }
            Expr::Member { base, name } => {
                let val = self.eval(site, base);
                let types = val.ty.alternatives().iter().filter(|ty| matches!(ty, Ty::Instance(..)));
                let extensions = types.flat_map(|ty| self.extension(ty, unit.text(name), unit));
                let extensions = extensions.map(|one| one.at_most(val.confidence)).collect();
                self.visible_extensions(site, extensions)
            }
            _ => Vec::new(),
        };
        found.retain(|one| one.sym().is_none_or(|sym| !self.is_hidden(sym)));
        self.drop_low_priority(&mut found);
        if accepts(&found) { found } else { Vec::new() }
    }

    /// The expression that names what is called: `make` of `make<Row>()`.
    pub(crate) fn without_type_arguments(site: &Site, callee: ExprId) -> ExprId {
        match site.unit.expr(callee) {
            Expr::Apply { base, .. } => base,
            _ => callee,
        }
    }

    /// Whether one of these targets may take the arguments of a call.
    fn may_take(&self, site: &Site, found: &[Target], args: &[ExprId]) -> bool {
        found.iter().any(|one| match one.sym().and_then(|sym| self.kind(sym)) {
            Some(SymbolKind::Function | SymbolKind::Method) => self.is_applicable(site, one, args),
            Some(SymbolKind::Field | SymbolKind::Property) => match self.value(one).ty {
                // A value that is a function may take its receiver as one more argument.
                Ty::Signature(params, _) => {
                    (params.len()..=params.len() + 1).contains(&args.len())
                        && !args.iter().any(|&arg| matches!(site.unit.expr(arg), Expr::Named { .. }))
                }
                _ => true,
            },
            _ => true,
        })
    }

    /// Everything a call may mean. Methods win over fields of the same name, and callables over other values.
    pub(crate) fn callees(&self, site: &Site, callee: ExprId) -> Vec<Target> {
        let unit = &site.unit;
        let mut found = self.filter_kind(self.targets(site, callee).to_vec(), LookupKind::Value);
        found.retain(|one| one.sym().is_none_or(|sym| !self.is_hidden(sym) && !self.is_named_by_macro(sym)));
        self.drop_inaccessible(site, &mut found);
        self.drop_low_priority(&mut found);
        let reads = !unit.rules.property_field_prefix.is_empty();
        if reads {
            found.retain(|one| !self.is_write_only(one));
        }
        let calls = |one: &Target| {
            one.sym()
                .and_then(|sym| self.kind(sym))
                .is_some_and(|kind| can_be_called(kind) || (reads && kind == SymbolKind::Property))
        };
        if found.len() > 1 && found.iter().any(calls) {
            let holds = |one: &Target| {
                one.sym().and_then(|sym| self.kind(sym)).is_some_and(|kind| {
                    matches!(kind, SymbolKind::Field | SymbolKind::Constant | SymbolKind::Module)
                        || (kind == SymbolKind::Property && !reads)
                })
            };
            found.retain(|one| !holds(one));
        }
        let named = Self::without_type_arguments(site, callee);
        if let Expr::Member { base, name } = unit.expr(named)
            && unit.rules.function_namespace
            && !found.is_empty()
            && found.iter().all(|one| one.sym().is_some() && !calls(one) && !self.is_callable_value(one))
        {
            // A field does not hide an inherited method of the same name.
            let methods = self.methods(&self.eval(site, base).ty, unit.text(name));
            if !methods.is_empty() {
                return methods;
            }
        }
        if let Expr::Name(name) = unit.expr(named)
            && unit.rules.function_namespace
            && found.iter().all(|one| !calls(one) && !self.is_callable_value(one))
        {
            let functions = self.lookup_as(site, unit.text(name), LookupKind::Function);
            if !functions.is_empty() {
                return functions;
            }
        }
        found
    }

    /// The nearest callable members of this name along the MRO.
    fn methods(&self, ty: &Ty, name: &str) -> Vec<Target> {
        for of in self.mro(ty).iter() {
            let Ty::Instance(sym, _) = of else { continue };
            let mut own = self.own_members(*sym, name);
            own.retain(|&sym| self.kind(sym).is_some_and(can_be_called));
            if !own.is_empty() {
                let through = Ty::SeenThrough(of.clone().into(), ty.clone().into());
                return self.member_targets(&own, &through, Rule::Inherited);
            }
        }
        Vec::new()
    }

    /// Whether a target is known to be a callable value.
    fn is_callable_value(&self, found: &Target) -> bool {
        self.value(found).ty.alternatives().iter().any(|ty| match ty {
            Ty::Function(..) | Ty::Lambda(..) | Ty::Returning(_) | Ty::Signature(..) | Ty::Metatype(..) => {
                true
            }
            Ty::Instance(sym, _) => self.unit_of(*sym).is_some_and(|home| {
                let Some(name) = home.implicit("call") else { return false };
                !self.type_member(ty, name, 0, Rule::Declared).is_empty()
            }),
            _ => false,
        })
    }
}
