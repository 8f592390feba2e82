//! Functions that run with another `self` than the one where they are written: blocks given to `instance_eval`.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::Target;
use orient_model::{Confidence, Expr, ExprId, RefKind, SymbolKind};

impl Session<'_> {
    /// Whether a target is a member, and so depends on `self`.
    pub(super) fn depends_on_self(&self, found: &Target) -> bool {
        let kind = found.sym().and_then(|sym| self.kind(sym));
        kind.is_some_and(|kind| kind.is_callable() || kind == SymbolKind::Field)
    }

    /// Lowers the confidence of functions that a method of another `self` would hide.
    pub(super) fn weaken_by_other_self(&self, found: Vec<Target>) -> Vec<Target> {
        let each = found.into_iter();
        each.map(|one| if self.depends_on_self(&one) { one.at_most(Confidence::Probable) } else { one })
            .collect()
    }

    /// Whether the function with this scope runs with another `self`, because of the function it is passed to.
    pub(super) fn rebinds_self(&self, unit: &FileRef, scope: u32) -> bool {
        if !unit.rules.separate_static_members {
            return false;
        }
        if let Some(known) = self.queries.self_rebinding.get(&(unit.file, scope)) {
            return known;
        }
        let Some((call, at)) = Self::enclosing_call(unit, scope) else { return false };
        let callee = match unit.expr(call) {
            Expr::Call { callee, .. } => callee,
            Expr::New { ty, .. } => return makes_type(unit, ty),
            _ => return false,
        };
        let runs = unit.runs_block_with_another_self(callee) || {
            // While the answer is being found, assume that it does not.
            self.queries.self_rebinding.insert((unit.file, scope), false);
            let outer = unit.scope(scope).and_then(|scope| scope.parent);
            let site = Site { unit: unit.clone(), scope: outer.unwrap_or(0), at };
            let found = self.callees(&site, callee);
            found.iter().filter_map(Target::sym).any(|sym| {
                let Some(home) = self.unit_of(sym) else { return false };
                home.gives_parameter_another_self(sym.at)
                    || (sym.file == unit.file && self.forwards_to_rebinding(unit, sym.at))
            })
        };
        self.queries.self_rebinding.insert((unit.file, scope), runs);
        runs
    }

    /// Whether a function of this file passes a parameter on inside of a block that runs with another `self`.
    fn forwards_to_rebinding(&self, unit: &FileRef, symbol: u32) -> bool {
        let Some(own) = unit.scope_of(symbol) else { return false };
        let mut calls = unit.references_in(symbol).filter(|one| one.kind == RefKind::Call);
        calls.any(|reference| {
            let Expr::Call { args, .. } = unit.expr(reference.expr) else { return false };
            unit.list(args).iter().any(|&arg| unit.is_param(own, arg)) && {
                let mut next = Some(reference.scope).filter(|&at| at != own);
                let mut other = false;
                while let Some(at) = next.filter(|_| !other) {
                    other = self.rebinds_self(unit, at);
                    let parent = unit.scope(at).and_then(|scope| scope.parent);
                    next = parent.filter(|&at| at != own);
                }
                other
            }
        })
    }
}

/// Whether an instance of this type is a type itself, whose body is the block.
fn makes_type(unit: &FileRef, ty: ExprId) -> bool {
    let Some(name) = unit.last_name(ty) else { return false };
    let mut known = unit.rules.self_rebinding_methods.iter().filter_map(|known| known.split_once('.'));
    known.any(|(object, member)| {
        object == name && unit.rules.implicit_constructors.iter().any(|makes| makes == member)
    })
}
