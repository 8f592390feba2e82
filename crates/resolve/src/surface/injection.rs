//! Dependency injection: which type a container provides where another one is asked for. A registration is an edge from the type that is
//! asked for to the one that is provided, so that calls of the former lead to the latter only.

use super::arguments;
use super::entries::{Entries, EntryCall};
use super::routers::node;
use super::routes::registers;
use crate::session::Site;
use crate::types::ty::SymbolId;
use orient_model::{Confidence, Edge, EdgeKind, Expr, ExprId, Node, Resolved, Rule, SurfaceEntry};

impl Entries<'_, '_, '_> {
    /// The registration that a call makes: `AddScoped<IOrders, Orders>()`, `bind(Orders.class).to(SqlOrders.class)`.
    pub(super) fn of_registration(&self, call: &EntryCall<'_>, resolved: &mut Resolved) {
        let extraction = self.extraction;
        let unit = extraction.unit;
        let (Expr::Call { callee, .. } | Expr::New { ty: callee, .. }) = unit.expr(call.reference.expr)
        else {
            return;
        };
        let Some(asked) = arguments::find_in_call(unit, callee, call.args, &call.rule.name) else { return };
        let provided = arguments::find_in_call(unit, callee, call.args, &call.rule.handler)
            .or_else(|| self.chained_handler(call.rule, call.reference));
        let site = extraction.site(call.reference);
        let (from, line) = (extraction.around(call.reference), call.reference.line);
        let entry = SurfaceEntry { from, line, proven: call.proven, ..self.blank(call.framework, call.rule) };
        self.register(&site, asked, provided.unwrap_or(asked), entry, resolved);
    }

    /// The registrations that objects make: `{ provide: Orders, useClass: SqlOrders }`.
    pub(super) fn of_objects(&self, resolved: &mut Resolved) {
        let unit = self.extraction.unit;
        if !self.rules.iter().any(|(_, rule)| rule.objects) {
            return;
        }
        let site = Site { unit: unit.clone(), scope: 0, at: u32::MAX };
        for at in 0..unit.facts.flow.exprs.len() as u32 {
            let object = [ExprId(at)];
            if !matches!(unit.expr(object[0]), Expr::Sequence { .. }) {
                continue;
            }
            for &(framework, rule) in self.rules.iter().filter(|(_, rule)| rule.objects) {
                let find = |wanted| arguments::find(unit, &object, wanted);
                let (Some(asked), Some(provided)) = (find(&rule.name), find(&rule.handler)) else { continue };
                self.extraction.session.start_reference();
                let line = unit.line_of(provided, 0).unwrap_or(1);
                let entry = SurfaceEntry { line, proven: true, ..self.blank(framework, rule) };
                self.register(&site, asked, provided, entry, resolved);
            }
        }
    }

    fn register(
        &self,
        site: &Site,
        asked: ExprId,
        provided: ExprId,
        entry: SurfaceEntry,
        resolved: &mut Resolved,
    ) {
        let extraction = self.extraction;
        let asked_for = self.type_of(site, asked);
        let Some(provided) = self.type_of(site, provided) else { return };
        let name = self.written(asked).unwrap_or_default().to_owned();
        let confidence = if entry.proven { Confidence::Exact } else { Confidence::Probable };
        resolved.edges.push(registers(entry.from, provided, entry.line, confidence));
        if let Some(asked_for) = asked_for.filter(|&asked_for| asked_for != provided) {
            resolved.edges.push(injects(asked_for, provided, entry.line));
        }
        if !name.is_empty() {
            extraction.out.borrow_mut().entries.push(SurfaceEntry {
                name,
                symbol: Some(node(provided)),
                ..entry
            });
        }
    }

    /// The type that an expression names: `Orders`, `Orders.class`, `Orders::class`.
    fn type_of(&self, site: &Site, expr: ExprId) -> Option<SymbolId> {
        let extraction = self.extraction;
        let sym = match extraction.unit.expr(expr) {
            Expr::Member { base, name } if extraction.unit.text(name) == "class" => {
                extraction.symbol_of(site, base)
            }
            Expr::Apply { base: inner, .. } | Expr::Wrap { inner, .. } => return self.type_of(site, inner),
            _ => extraction.symbol_of(site, expr),
        }?;
        extraction.session.kind(sym).is_some_and(|kind| kind.is_type()).then_some(sym)
    }

    fn written(&self, expr: ExprId) -> Option<&str> {
        match self.extraction.unit.expr(expr) {
            Expr::Member { base, name } if self.extraction.unit.text(name) == "class" => {
                self.extraction.last_name(base)
            }
            Expr::Wrap { inner, .. } => self.written(inner),
            _ => self.extraction.last_name(expr),
        }
    }

    /// A type that a container finds by itself is provided for its bases.
    pub(super) fn provides_bases(&self, provided: SymbolId, line: u32, resolved: &mut Resolved) {
        for base in self.extraction.bases_of(provided).0 {
            if base != provided {
                resolved.edges.push(injects(base, provided, line));
            }
        }
    }
}

/// The edge from a type to the one that is provided for it.
fn injects(asked_for: SymbolId, provided: SymbolId, line: u32) -> Edge {
    let from: Node = node(asked_for);
    Edge {
        from,
        kind: EdgeKind::Registers,
        to: node(provided),
        line,
        confidence: Confidence::Probable,
        rule: Rule::Injected,
    }
}
