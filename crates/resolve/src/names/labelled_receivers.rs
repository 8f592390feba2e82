//! Receivers by scope: what `this` means inside of a function that runs with a receiver, and which receiver a label selects.
//!
//! # Example
//!
//! ```text
//! class Outer {
//!     fun go(cart: Cart) = cart.apply { this.add(); this@Outer.stop() }
//! }
//! ```
//!
//! `this` is the cart, because `apply` runs the function with it. The label of a receiver is the name of its type, of the extension function that
//! has it, or of the function that a lambda is passed to: `this@apply` is the cart as well.

use crate::session::{Session, Site};
use crate::types::target::Value;
use crate::types::ty::Ty;
use orient_model::{Expr, Rule, ScopeKind};

impl Session<'_> {
    /// The receiver that the innermost function around a place runs with, if the context of the function gives it one.
    pub(crate) fn entered_receiver(&self, site: &Site) -> Option<Value> {
        let unit = &site.unit;
        if unit.rules.receiver_scope_methods.is_empty() {
            return None;
        }
        let own = site.symbol().and_then(|symbol| unit.scope_of(symbol));
        let mut next = Some(site.scope).filter(|&at| Some(at) != own);
        while let Some((at, scope)) = next.and_then(|at| Some((at, unit.scope(at)?))) {
            match scope.kind {
                ScopeKind::Type => return None,
                ScopeKind::Function => {
                    if let Some(val) = self.lambda_receiver(unit, at) {
                        return Some(Value { rule: Rule::Receiver, ..val });
                    }
                }
                _ => {}
            }
            next = scope.parent.filter(|&at| Some(at) != own);
        }
        None
    }

    /// The receiver with this label.
    pub(crate) fn labelled_receiver(&self, site: &Site, label: &str) -> Option<Value> {
        let unit = &site.unit;
        let mut next = Some(site.scope);
        while let Some((at, scope)) = next.and_then(|at| Some((at, unit.scope(at)?))) {
            next = scope.parent;
            let own = scope.symbol.filter(|&symbol| unit.scope_of(symbol) == Some(at));
            let ty = match (scope.kind, own) {
                (ScopeKind::Type, Some(symbol)) if unit.name(symbol) == label => {
                    Some(self.own_type(unit.sym(symbol)))
                }
                (ScopeKind::Function, Some(symbol)) if unit.name(symbol) == label => {
                    self.qualifier_type(unit, symbol).or_else(|| self.extended_type(unit, symbol))
                }
                (ScopeKind::Function, None) if Self::is_passed_to(site, at, label) => {
                    self.lambda_receiver(unit, at).map(|val| val.ty)
                }
                _ => None,
            };
            if let Some(ty) = ty {
                return Some(Value::new(ty, Rule::Receiver));
            }
        }
        None
    }

    /// The base of the receiver with this label.
    pub(crate) fn labelled_base(&self, site: &Site, label: &str) -> Option<Value> {
        let receiver = self.labelled_receiver(site, label)?;
        self.mro(&receiver.ty).get(1).map(|base: &Ty| Value::new(base.clone(), Rule::Super))
    }

    /// Whether the function with this scope is an argument of a function of this name.
    fn is_passed_to(site: &Site, scope: u32, name: &str) -> bool {
        let unit = &site.unit;
        let call = Self::enclosing_call(unit, scope).map(|(call, _)| unit.expr(call));
        let Some(Expr::Call { callee, .. }) = call else { return false };
        unit.last_name(Self::without_type_arguments(site, callee)) == Some(name)
    }
}
