//! Where functions without a declared type are written: what decides the types of their parameters.

use crate::file::file_unit::FileUnit;
use orient_model::{Atom, Expr, ExprId, RefKind, Sequence, Via};
use rustc_hash::FxHashMap;

/// Maximum depth of object literals that are searched for functions.
const MAX_DEPTH: usize = 4;

/// Where a function is written, if that decides its type.
#[derive(Clone, Debug)]
pub(crate) struct ContextSite {
    /// What the outermost value is written as.
    pub(crate) context: Context,
    /// The keys from there to the function.
    pub(crate) keys: Vec<Atom>,
    /// The scope and position of the value.
    pub(crate) scope: u32,
    pub(crate) at: u32,
}

/// What supplies the type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Context {
    /// The argument of a call at this index.
    Argument(ExprId, u32),
    /// A property of the component that this markup element names.
    Property(ExprId),
    /// The value of a name with this declared type.
    Typed(ExprId),
    /// The value assigned to this expression.
    Assigned(ExprId),
    /// A result of the function with this scope.
    Returned(u32),
}

/// The contexts of all functions of a file, by scope.
pub(super) fn function_contexts(unit: &FileUnit) -> FxHashMap<u32, ContextSite> {
    let mut found = ContextCollector { unit, known: FxHashMap::default() };
    let flow = unit.flow();
    for reference in unit.references() {
        let list = match unit.expr(reference.expr) {
            Expr::Call { args, .. } if reference.kind == RefKind::Call => args,
            Expr::New { args, .. } if reference.kind == RefKind::Construct => args,
            Expr::New { ty, args } if reference.kind == RefKind::Call => {
                for &arg in flow.list(args) {
                    if let Expr::Named { name, value } = unit.expr(arg) {
                        let context = Context::Property(ty);
                        let (scope, at) = (reference.scope, reference.at);
                        found.visit(value, &ContextSite { context, keys: vec![name], scope, at }, 0);
                    }
                }
                continue;
            }
            _ => continue,
        };
        for (at, &arg) in flow.list(list).iter().enumerate() {
            let context = Context::Argument(reference.expr, at as u32);
            found.visit(
                arg,
                &ContextSite { context, keys: Vec::new(), scope: reference.scope, at: reference.at },
                0,
            );
        }
    }
    found.visit_typed_bindings();
    for assign in &flow.assigns {
        if let (Some(value), Via::Value) = (assign.value, assign.via) {
            let context = Context::Assigned(assign.target);
            found.visit(
                value,
                &ContextSite { context, keys: Vec::new(), scope: assign.scope, at: assign.at },
                0,
            );
        }
    }
    for leaves in &flow.returns {
        let at = flow.scopes.get(leaves.scope as usize).map_or(0, |scope| scope.end);
        let context = Context::Returned(leaves.scope);
        found.visit(leaves.value, &ContextSite { context, keys: Vec::new(), scope: leaves.scope, at }, 0);
    }
    found.known
}

struct ContextCollector<'u> {
    unit: &'u FileUnit,
    known: FxHashMap<u32, ContextSite>,
}

impl ContextCollector<'_> {
    /// Functions in the values of bindings with a declared type.
    fn visit_typed_bindings(&mut self) {
        let unit = self.unit;
        for binding in &unit.flow().bindings {
            let (ty, value) = match (binding.ty, binding.value) {
                (Some(ty), Some(value)) => (ty, value),
                (None, Some(value)) => match unit.expr(value) {
                    Expr::Cast { value, ty } => (ty, value),
                    _ => continue,
                },
                _ => continue,
            };
            let whole = matches!(unit.expr(value), Expr::Sequence { .. }) || binding.ty.is_none();
            if whole && binding.via == Via::Value {
                let place = ContextSite {
                    context: Context::Typed(ty),
                    keys: Vec::new(),
                    scope: binding.scope,
                    at: binding.at,
                };
                self.visit(value, &place, 0);
            }
        }
    }

    fn visit(&mut self, expr: ExprId, place: &ContextSite, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let unit = self.unit;
        match unit.expr(expr) {
            Expr::Lambda(scope) => {
                self.known.entry(scope).or_insert_with(|| place.clone());
            }
            Expr::Function(symbol) => {
                if let Some(scope) = unit.scope_of(symbol) {
                    self.known.entry(scope).or_insert_with(|| place.clone());
                }
            }
            Expr::Sequence { kind: Sequence::Map, items } => {
                for &item in unit.flow().list(items) {
                    if let Expr::Named { name, value } = unit.expr(item) {
                        let mut inner = place.clone();
                        inner.keys.push(name);
                        self.visit(value, &inner, depth + 1);
                    }
                }
            }
            Expr::Either(items) => {
                for &item in unit.flow().list(items) {
                    self.visit(item, place, depth + 1);
                }
            }
            _ => {}
        }
    }
}
