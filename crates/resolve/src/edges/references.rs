//! Edges of references: what every reference in a file means; external references and misses for the rest.

use crate::file::file_unit::{FileRef, last_name};
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{
    Confidence, Edge, EdgeKind, Expr, ExprId, ExternalReference, Node, Reason, RefKind, Reference, Resolved,
    Rule, SymbolKind, UnresolvedReference,
};

/// Adds the edges of all references of a file.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    for reference in unit.references() {
        session.start_reference();
        let mut uses = ReferenceEdges { session, unit, reference, whole: true, receives: false, out };
        uses.follow();
    }
}

/// One reference, and where its edges go.
pub(super) struct ReferenceEdges<'a, 'r> {
    pub(super) session: &'a Session<'r>,
    pub(super) unit: &'a FileRef,
    pub(super) reference: &'a Reference,
    /// Whether it is the reference itself, and not a prefix of it.
    pub(super) whole: bool,
    /// Whether it is the receiver of a call, where modules are objects.
    pub(super) receives: bool,
    pub(super) out: &'a mut Resolved,
}

impl ReferenceEdges<'_, '_> {
    fn follow(&mut self) {
        let site = Site { unit: self.unit.clone(), scope: self.reference.scope, at: self.reference.at };
        match self.reference.kind {
            RefKind::Decorate if !self.unit.rules.decorators_are_called => self.annotation(&site),
            RefKind::Call | RefKind::Expand | RefKind::Decorate => self.call(&site),
            RefKind::Construct => self.construct(&site),
            RefKind::Read | RefKind::Write => self.push_reference(&site, EdgeKind::References),
            RefKind::Type => self.push_reference(&site, EdgeKind::TypeOf),
            RefKind::Inherit => return,
        }
        self.prefixes(&site);
    }

    /// The prefixes of a reference: `a` and `a.b` in `a.b.c()`.
    fn prefixes(&mut self, site: &Site) {
        let mut expr = match self.unit.expr(self.reference.expr) {
            Expr::Call { callee: expr, .. } | Expr::New { ty: expr, .. } => expr,
            _ => self.reference.expr,
        };
        let mut named = Vec::new();
        while let Expr::Member { base: inner, .. }
        | Expr::Apply { base: inner, .. }
        | Expr::Wrap { inner, .. } = self.unit.expr(expr)
        {
            expr = inner;
            if matches!(self.unit.expr(expr), Expr::Name(_) | Expr::Member { .. }) {
                named.push(expr);
            }
        }
        let told = named.len().saturating_sub(self.reference.apart as usize);
        let calls = self.unit.rules.separate_static_members && self.reference.kind == RefKind::Call;
        for (place, &expr) in named[..told].iter().enumerate() {
            let reference = &Reference { kind: RefKind::Read, expr, ..*self.reference };
            let Self { session, unit, .. } = *self;
            let receives = calls && place == 0;
            ReferenceEdges { session, unit, reference, whole: false, receives, out: self.out }
                .push_reference(site, EdgeKind::References);
        }
    }

    fn push_reference(&mut self, site: &Site, kind: EdgeKind) {
        // A markup element refers to its component.
        let expr = match self.unit.expr(self.reference.expr) {
            Expr::New { ty, .. } => ty,
            _ => self.reference.expr,
        };
        let lookup_kind = if kind == EdgeKind::TypeOf { LookupKind::Type } else { LookupKind::Value };
        let found = match self.unit.expr(expr) {
            Expr::Name(name) if lookup_kind == LookupKind::Type => {
                self.session.lookup_as(site, self.unit.text(name), lookup_kind)
            }
            _ => self.session.targets(site, expr).to_vec(),
        };
        let mut found = self.session.filter_kind(found, lookup_kind);
        if !self.whole && !self.receives && !found.is_empty() {
            // A namespace as a prefix is not a reference to it: its name is in every file that opens it.
            let is_space = |sym: SymbolId| self.session.kind(sym) == Some(SymbolKind::Module);
            found.retain(|one| !one.sym().is_some_and(is_space));
            if found.is_empty() {
                return;
            }
        }
        if found.is_empty() {
            match self.unit.expr(expr) {
                Expr::Name(name) if kind == EdgeKind::References => {
                    let name = self.unit.text(name);
                    if self.is_name_defined(expr, name) {
                        self.push_miss(name, Reason::Unknown);
                    }
                }
                Expr::Name(_) | Expr::Member { .. } => self.push_unresolved(site, expr),
                _ if kind == EdgeKind::TypeOf => self.push_unresolved(site, expr),
                _ => {}
            }
            return;
        }
        let several = found.len() > 1 && found.iter().filter_map(Target::sym).count() > 1;
        for one in &found {
            let confidence = if several { one.confidence.max(Confidence::Probable) } else { one.confidence };
            match one.sym() {
                Some(sym) => {
                    self.push_edge(kind, sym, one.rule, confidence);
                }
                None => self.push_external_target(one),
            }
        }
    }

    pub(super) fn push_edge(&mut self, kind: EdgeKind, sym: SymbolId, rule: Rule, confidence: Confidence) {
        let from = Node { file: self.unit.file, symbol: self.reference.symbol };
        let to = Node { file: sym.file, symbol: Some(sym.at) };
        if from == to && kind == EdgeKind::References {
            return;
        }
        if confidence == Confidence::Approximate
            && let Some(home) = self.session.unit_of(sym)
        {
            // Little more than the name is known, so it is a candidate as well.
            self.push_miss(home.name(sym.at), Reason::Ambiguous);
        }
        self.out.edges.push(Edge { from, kind, to, line: self.reference.line, confidence, rule });
    }

    pub(super) fn push_external_target(&mut self, found: &Target) {
        let Referent::External(package, name) = &found.referent else { return };
        if found.is_maybe_external() && self.is_name_defined(self.reference.expr, name) {
            let inherited = found.rule == Rule::Inherited;
            return self.push_miss(name, if inherited { Reason::Base } else { Reason::Receiver });
        }
        self.push_external(package, name);
    }

    fn push_external(&mut self, package: &str, name: &str) {
        if name.is_empty() || !self.whole {
            return;
        }
        self.out.external.push(ExternalReference {
            from: self.reference.symbol,
            kind: self.reference.kind,
            package: package.to_owned(),
            name: name.to_owned(),
            line: self.reference.line,
        });
    }

    /// Adds an unresolved reference with the reason.
    pub(super) fn push_unresolved(&mut self, site: &Site, expr: ExprId) {
        let expr = match self.unit.expr(expr) {
            Expr::Apply { base, .. } => base,
            _ => expr,
        };
        let Some(name) = last_name(&self.unit.facts, expr) else { return };
        let name = name.rsplit('\\').next().unwrap_or(name);
        let reason = match self.unit.expr(expr) {
            Expr::Member { base, .. } => {
                let val = self.session.eval(site, base);
                match val.ty {
                    Ty::Unknown => Reason::Receiver,
                    Ty::External(..) => Reason::Unknown,
                    _ => Reason::Member,
                }
            }
            Expr::Name(_) => Reason::Unknown,
            _ => Reason::Computed,
        };
        if !self.is_name_defined(expr, name) {
            // It is built in, or belongs to an external package.
            return self.push_external("", name);
        }
        self.push_miss(name, reason);
    }

    /// Whether the repository has a symbol of this name that the expression could mean.
    fn is_name_defined(&self, expr: ExprId, name: &str) -> bool {
        let namesakes = self.session.symbols_named(&self.unit.rules.family, name);
        let bare = matches!(self.unit.expr(expr), Expr::Name(_)) && !self.unit.rules.implicit_receiver;
        let is_member =
            |kind: SymbolKind| matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property);
        let expands = self.reference.kind == RefKind::Expand;
        let annotates = self.reference.kind == RefKind::Decorate && !self.unit.rules.decorators_are_called;
        namesakes.iter().any(|namesake| match namesake.kind {
            SymbolKind::Macro => true,
            kind if annotates => kind.is_type(),
            SymbolKind::Impl => false,
            kind => !(expands || bare && is_member(kind)),
        })
    }

    pub(super) fn push_miss(&mut self, name: &str, reason: Reason) {
        self.out.unresolved.push(UnresolvedReference {
            from: self.reference.symbol,
            kind: self.reference.kind,
            name: name.to_owned(),
            line: self.reference.line,
            reason,
        });
    }
}
