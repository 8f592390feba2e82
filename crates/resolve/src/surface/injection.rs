//! Dependency injection: which type a container provides where another one is asked for. A registration is an edge from the type that is
//! asked for to the one that is provided, so that calls of the former lead to the latter only.

use super::arguments;
use super::entries::{Entries, EntryCall};
use super::routers::node;
use super::routes::registers;
use crate::file::FileRef;
use crate::session::Site;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{
    Argument, Confidence, Edge, EdgeKind, EntryRule, Expr, ExprId, Node, Resolved, Rule, SurfaceEntry,
    SymbolKind,
};

impl Entries<'_, '_, '_> {
    /// The registration that a call makes: `AddScoped<IOrders, Orders>()`, `bind(Orders.class).to(SqlOrders.class)`.
    pub(super) fn of_registration(&self, call: &EntryCall<'_>, resolved: &mut Resolved) {
        let extraction = self.extraction;
        let unit = extraction.unit;
        let (Expr::Call { callee, .. } | Expr::New { ty: callee, .. }) = unit.expr(call.reference.expr)
        else {
            return;
        };
        let provided = arguments::find_in_call(unit, callee, call.args, &call.rule.handler)
            .or_else(|| self.chained_handler(call.rule, call.reference));
        let said = arguments::find_in_call(unit, callee, call.args, &call.rule.name)
            .or_else(|| self.chained_name(call));
        let Some(asked) = said.or(provided) else { return };
        let site = extraction.site(call.reference);
        let (from, line) = (extraction.around(call.reference), call.reference.line);
        let entry = SurfaceEntry { from, line, proven: call.proven, ..self.blank(call.framework, call.rule) };
        let made = self.register(&site, asked, provided.unwrap_or(asked), entry, resolved);
        if let (None, Some(made)) = (said, made) {
            self.provides_bases(made, line, resolved);
        }
    }

    /// The type that a call on the result, or in the last function that the call is given, names.
    fn chained_name(&self, call: &EntryCall<'_>) -> Option<ExprId> {
        let (unit, rule) = (self.extraction.unit, call.rule);
        if rule.name_chained.is_empty() {
            return None;
        }
        let inside = call.args.iter().rev().find_map(|&arg| match unit.expr(arg) {
            Expr::Lambda(scope) => Some(scope),
            _ => None,
        });
        unit.references().iter().find_map(|reference| {
            let Expr::Call { callee, args } = unit.expr(reference.expr) else { return None };
            let name = self.extraction.last_name(callee)?;
            let is_below =
                matches!(unit.expr(callee), Expr::Member { base, .. } if base == call.reference.expr);
            let is_inside = inside.is_some_and(|scope| reference.scope == scope);
            if !rule.name_chained.iter().any(|one| one == name) || !(is_below || is_inside) {
                return None;
            }
            let wanted = [Argument::Type(0), Argument::Position(0)];
            arguments::find_in_call(unit, callee, unit.list(args), &wanted)
        })
    }

    /// The registration that an annotated function makes: its result is asked for, and what it returns is provided; without a body, what it
    /// gets.
    pub(super) fn of_factory(&self, framework: usize, rule: &EntryRule, at: u32, resolved: &mut Resolved) {
        let extraction = self.extraction;
        let unit = extraction.unit;
        if !unit.kind(at).is_some_and(SymbolKind::is_callable) {
            return;
        }
        extraction.session.start_reference();
        let asked = instance(&extraction.session.return_type(unit, at).ty);
        let made = self.made_by(unit, at);
        let given = || {
            let params = unit.scope_of(at).map(|scope| unit.params(scope)).unwrap_or_default();
            let binding = params.first().and_then(|&at| unit.binding(at))?;
            let site = Site { unit: unit.clone(), scope: binding.scope, at: binding.at };
            binding.ty.and_then(|ty| self.type_of(&site, ty))
        };
        let Some(provided) = made.or_else(given).or(asked) else { return };
        let (line, from) = (unit.line(at), Node { file: unit.file, symbol: None });
        resolved.edges.push(registers(from, unit.sym(at), line, Confidence::Exact));
        resolved.edges.push(registers(node(unit.sym(at)), provided, line, Confidence::Probable));
        if let Some(asked) = asked.filter(|&asked| asked != provided) {
            resolved.edges.push(injects(asked, provided, line));
        }
        let Some(home) = extraction.session.unit_of(asked.unwrap_or(provided)) else { return };
        self.push(SurfaceEntry {
            name: home.name(asked.unwrap_or(provided).at).to_owned(),
            symbol: Some(node(provided)),
            from,
            line,
            proven: true,
            ..self.blank(framework, rule)
        });
    }

    /// The registrations that objects make: `{ provide: Orders, useClass: SqlOrders }`.
    pub(super) fn of_objects(&self, resolved: &mut Resolved) {
        let unit = self.extraction.unit;
        if !self.rules.iter().any(|(_, rule)| rule.objects) {
            return;
        }
        let site = Site { unit: unit.clone(), scope: 0, at: u32::MAX };
        for at in 0..unit.flow().exprs.len() as u32 {
            let object = [ExprId(at)];
            if !matches!(unit.expr(object[0]), Expr::Sequence { .. }) {
                continue;
            }
            for &(framework, rule) in self.rules.iter().filter(|(_, rule)| rule.objects) {
                let find = |wanted| arguments::find(unit, &object, wanted);
                let (Some(asked), Some(provided)) = (find(&rule.name), find(&rule.handler)) else { continue };
                self.extraction.session.start_reference();
                let line = unit.line_of(provided, 0).or_else(|| self.line_inside(provided)).unwrap_or(1);
                let entry = SurfaceEntry { line, proven: true, ..self.blank(framework, rule) };
                self.register(&site, asked, provided, entry, resolved);
            }
        }
    }

    /// The line of what a function without a name does first.
    fn line_inside(&self, expr: ExprId) -> Option<u32> {
        let unit = self.extraction.unit;
        let Expr::Lambda(scope) = unit.expr(expr) else { return None };
        unit.references().iter().find(|reference| reference.scope == scope).map(|reference| reference.line)
    }

    fn register(
        &self,
        site: &Site,
        asked: ExprId,
        provided: ExprId,
        entry: SurfaceEntry,
        resolved: &mut Resolved,
    ) -> Option<SymbolId> {
        let extraction = self.extraction;
        let made = self.type_of(site, provided).or_else(|| self.made(site, provided))?;
        let asked_for = if asked == provided { Some(made) } else { self.type_of(site, asked) };
        let name = match self.written(asked) {
            Some(written) => written.to_owned(),
            None => {
                extraction.session.unit_of(made).map(|unit| unit.name(made.at).to_owned()).unwrap_or_default()
            }
        };
        let provided = made;
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
        Some(made)
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
        extraction.session.kind(sym).is_some_and(SymbolKind::is_type).then_some(sym)
    }

    /// The type of what an expression makes: a new value, or what a factory returns.
    fn made(&self, site: &Site, expr: ExprId) -> Option<SymbolId> {
        let extraction = self.extraction;
        let unit = extraction.unit;
        match unit.expr(expr) {
            Expr::New { ty, .. } => self.type_of(site, ty),
            Expr::Lambda(scope) => unit.returns(scope).iter().find_map(|&value| {
                let end = unit.scope(scope)?.end;
                let inside = Site { unit: unit.clone(), scope, at: end };
                self.returned(&inside, value)
            }),
            Expr::Function(at) => self.made_by(unit, at),
            Expr::Name(_) | Expr::Member { .. } => {
                let sym = extraction.symbol_of(site, expr)?;
                self.made_by(&extraction.session.unit_of(sym)?, sym.at)
            }
            Expr::Named { value: inner, .. } | Expr::Wrap { inner, .. } => self.made(site, inner),
            _ => instance(&extraction.session.eval(site, expr).ty),
        }
    }

    /// The type of what a function returns, by its values and not by its declaration.
    fn made_by(&self, unit: &FileRef, function: u32) -> Option<SymbolId> {
        let scope = unit.scope_of(function)?;
        let end = unit.scope(scope)?.end;
        let site = Site { unit: unit.clone(), scope, at: end };
        unit.returns(scope).iter().find_map(|&value| self.returned(&site, value))
    }

    fn returned(&self, site: &Site, value: ExprId) -> Option<SymbolId> {
        let found = instance(&self.extraction.session.eval(site, value).ty);
        // `provider.GetRequiredService<SqlOrders>()` is of the type that it names.
        let named = || match site.unit.expr(value) {
            Expr::Call { callee, .. } if site.unit.file == self.extraction.unit.file => {
                match site.unit.expr(callee) {
                    Expr::Apply { args, .. } => self.type_of(site, *site.unit.list(args).first()?),
                    _ => None,
                }
            }
            _ => None,
        };
        found.or_else(named)
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

/// The type of the repository that a value is an instance of.
fn instance(ty: &Ty) -> Option<SymbolId> {
    ty.alternatives().iter().find_map(|one| match one {
        Ty::Instance(sym, _) => Some(*sym),
        _ => None,
    })
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
