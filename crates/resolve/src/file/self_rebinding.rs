//! Functions that run a block they are given with another `self`, as far as their own file tells.

use crate::file::file_unit::{FileUnit, last_name};
use orient_model::{Expr, ExprId, RefKind};
use rustc_hash::FxHashSet;

/// Whether an argument is a parameter of the function with this scope.
pub(super) fn is_param(unit: &FileUnit, scope: u32, arg: ExprId) -> bool {
    match unit.expr(arg) {
        Expr::Name(name) => {
            unit.params(scope).iter().any(|&at| unit.binding(at).is_some_and(|param| param.name == name))
        }
        _ => false,
    }
}

/// Functions that pass one of their parameters to a member that rebinds `self`, or on to a function of the file that does.
pub(super) fn self_rebinding_functions(unit: &FileUnit) -> FxHashSet<u32> {
    let mut givers = FxHashSet::default();
    // The functions that pass a parameter on, with the name of what they pass it to.
    let mut forwards: Vec<(u32, &str)> = Vec::new();
    for reference in unit.flow().references.iter().filter(|reference| reference.kind == RefKind::Call) {
        let (Some(symbol), Expr::Call { callee, args }) = (reference.symbol, unit.expr(reference.expr))
        else {
            continue;
        };
        let Some(scope) = unit.scope_of(symbol) else { continue };
        if !unit.flow().list(args).iter().any(|&arg| is_param(unit, scope, arg)) {
            continue;
        }
        if rebinds(unit, callee) {
            givers.insert(symbol);
        } else if let Some(name) = last_name(unit.facts(), callee) {
            forwards.push((symbol, name));
        }
    }
    let mut known = 0;
    while known < givers.len() {
        known = givers.len();
        let names: FxHashSet<&str> = givers.iter().map(|&giver| unit.name(giver)).collect();
        givers.extend(forwards.iter().filter(|(_, name)| names.contains(name)).map(|&(symbol, _)| symbol));
    }
    givers
}

/// Whether a call runs a block with another `self`: with its receiver, or with the type that it makes.
pub(super) fn rebinds(unit: &FileUnit, callee: ExprId) -> bool {
    let Some(name) = last_name(unit.facts(), callee) else { return false };
    let of = match unit.expr(callee) {
        Expr::Member { base, .. } => last_name(unit.facts(), base),
        _ => None,
    };
    unit.rules().self_rebinding_methods.iter().any(|known| match known.split_once('.') {
        Some((object, member)) => member == name && of == Some(object),
        None => known == name,
    })
}
