//! Removes block scopes without bindings: no lookup can end in one.

use orient_model::{Expr, Facts, ScopeKind};

/// Removes blocks without bindings and imports; their contents move to the enclosing scope.
pub(super) fn drop_empty(facts: &mut Facts) {
    let Facts { outline, flow } = facts;
    let mut kept: Vec<bool> = flow.scopes.iter().map(|scope| scope.kind != ScopeKind::Block).collect();
    let bound = flow.bindings.iter().map(|binding| binding.scope);
    let told = bound.chain(outline.imports.iter().map(|import| import.scope));
    for scope in told.chain(flow.returns.iter().map(|value| value.scope)) {
        kept[scope as usize] = true;
    }
    for expr in &flow.exprs {
        if let Expr::Lambda(scope) = *expr
            && let Some(kept) = kept.get_mut(scope as usize)
        {
            *kept = true;
        }
    }
    if kept.iter().all(|&kept| kept) {
        return;
    }
    // A parent precedes its children, so its new index is known.
    let mut place: Vec<u32> = Vec::with_capacity(kept.len());
    let mut next = 0;
    for (scope, &kept) in flow.scopes.iter().zip(&kept) {
        let around = scope.parent.map_or(0, |parent| place[parent as usize]);
        place.push(if kept { next } else { around });
        next += u32::from(kept);
    }
    let at = |scope: u32| place[scope as usize];
    let mut keeps = kept.into_iter();
    flow.scopes.retain(|_| keeps.next() == Some(true));
    flow.scopes.iter_mut().for_each(|scope| scope.parent = scope.parent.map(at));
    flow.bindings.iter_mut().for_each(|it| it.scope = at(it.scope));
    flow.references.iter_mut().for_each(|it| it.scope = at(it.scope));
    flow.assigns.iter_mut().for_each(|it| it.scope = at(it.scope));
    flow.returns.iter_mut().for_each(|it| it.scope = at(it.scope));
    flow.narrowings.iter_mut().for_each(|it| it.scope = at(it.scope));
    outline.imports.iter_mut().for_each(|it| it.scope = at(it.scope));
    for expr in &mut flow.exprs {
        if let Expr::Lambda(scope) = expr {
            *scope = place.get(*scope as usize).copied().unwrap_or(*scope);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_model::{Atom, Binding, BindingKind, ExprId, RefKind, Reference, Scope, Via};

    #[test]
    fn contents_of_an_empty_block_move_to_the_enclosing_scope() {
        let scope = |kind, parent| Scope { kind, parent, symbol: None, start: 0, end: 9 };
        let mut facts = Facts::default();
        facts.flow.scopes = vec![
            scope(ScopeKind::File, None),
            scope(ScopeKind::Function, Some(0)),
            scope(ScopeKind::Block, Some(1)),
            scope(ScopeKind::Block, Some(2)),
            scope(ScopeKind::Block, Some(3)),
        ];
        facts.flow.exprs = vec![Expr::Unknown];
        facts.flow.bindings = vec![Binding {
            scope: 3,
            name: Atom(0),
            kind: BindingKind::Local,
            ty: None,
            value: None,
            via: Via::Value,
            at: 0,
            visible_from: 0,
        }];
        let used = |scope| Reference {
            kind: RefKind::Read,
            expr: ExprId(0),
            at: 0,
            line: 1,
            scope,
            symbol: None,
            apart: 0,
        };
        facts.flow.references = vec![used(2), used(4)];
        drop_empty(&mut facts);
        let parents: Vec<_> = facts.flow.scopes.iter().map(|scope| scope.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1)]);
        assert_eq!(facts.flow.bindings[0].scope, 2);
        assert_eq!(facts.flow.references.iter().map(|it| it.scope).collect::<Vec<_>>(), [1, 2]);
    }
}
