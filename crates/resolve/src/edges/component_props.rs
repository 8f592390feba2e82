//! Edges from user-interface components to the types of their properties.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::ty::Ty;
use orient_model::{Confidence, Edge, EdgeKind, Expr, ExprId, Modifier, Node, Resolved, Rule, SymbolKind};

/// Adds the edges of all components of a file.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    for at in unit.symbols() {
        if !unit.is(at, Modifier::Component) {
            continue;
        }
        for props in properties(session, unit, at) {
            let Ty::Instance(props, _) = props else { continue };
            out.edges.push(Edge {
                from: Node { file: unit.file, symbol: Some(at) },
                kind: EdgeKind::Accepts,
                to: Node { file: props.file, symbol: Some(props.at) },
                line: unit.line(at),
                confidence: Confidence::Exact,
                rule: Rule::Declared,
            });
        }
    }
}

/// The declared types of a component's properties: of its first parameter, or the first type argument of its own type.
pub(crate) fn properties(session: &Session<'_>, unit: &FileRef, at: u32) -> Vec<Ty> {
    if unit.kind(at) == Some(SymbolKind::Class) {
        let bases = unit.bases(at).iter();
        return bases.flat_map(|&(expr, scope, _)| first_argument(session, unit, expr, scope)).collect();
    }
    if let Some(scope) = unit.scope_of(at)
        && let Some(&param) = unit.params(scope).first()
    {
        let declared = types_of(session, &session.declared(unit, param));
        if !declared.is_empty() {
            return declared;
        }
    }
    let Some(binding) = unit.binding_of(at) else { return Vec::new() };
    let ty = match binding.value.map(|value| unit.expr(value)) {
        Some(Expr::Cast { ty, .. }) => Some(ty),
        Some(Expr::Call { callee, .. }) => Some(callee),
        _ => None,
    };
    let types = [binding.ty, ty];
    types.into_iter().flatten().flat_map(|ty| first_argument(session, unit, ty, binding.scope)).collect()
}

fn first_argument(session: &Session<'_>, unit: &FileRef, expr: ExprId, scope: u32) -> Vec<Ty> {
    let Expr::Apply { args, .. } = unit.expr(expr) else { return Vec::new() };
    let Some(&first) = unit.list(args).first() else { return Vec::new() };
    let site = Site { unit: unit.clone(), scope, at: u32::MAX };
    types_of(session, &session.ty(&site, first))
}

/// The types of the repository among the alternatives, also inside of external wrappers.
fn types_of(session: &Session<'_>, ty: &Ty) -> Vec<Ty> {
    let types = ty.alternatives().iter().filter_map(|ty| match ty {
        Ty::Instance(sym, _) if session.is_type(*sym) => Some(ty.clone()),
        Ty::External(holder, args) if !holder.is_empty() => match args.first() {
            Some(held @ Ty::Instance(sym, _)) if session.is_type(*sym) => Some(held.clone()),
            _ => None,
        },
        _ => None,
    });
    types.collect()
}
