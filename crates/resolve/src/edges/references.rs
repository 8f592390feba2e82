//! Edges of references: what every reference in a file means; external references and misses for the rest.

use super::markup_edges::is_undefined;
use crate::file::FileRef;
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{
    ANONYMOUS, Confidence, Edge, EdgeKind, Expr, ExprId, ExternalReference, Modifier, Node, Reason, RefKind,
    Reference, Resolved, Rule, SymbolKind, UnresolvedReference,
};

/// How a call of a constructor is named that leads to no definition.
const SUPER: &str = "super";
const SELF: &str = "self";

/// Adds the edges of all references of a file.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    for reference in unit.references() {
        session.start_reference();
        ReferenceEdges::new(session, unit, &followed(unit, reference), out).follow();
    }
}

/// The reference that is followed: of what is under a key, only what has the keys.
fn followed(unit: &FileRef, reference: &Reference) -> Reference {
    match unit.expr(reference.expr) {
        Expr::Index { base, .. } if !is_call(reference.kind) => Reference { expr: base, ..*reference },
        _ => *reference,
    }
}

/// A use whose meaning nothing proves: it is unresolved, ambiguous, or less than exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnprovedUse {
    /// The offset of the name.
    pub at: u32,
    /// Its line, counted from 1.
    pub line: u32,
}

/// The uses in a file whose meaning nothing proves, by position. Those that a compiler knows nothing about are left out.
pub(crate) fn unproved_uses(session: &Session<'_>, unit: &FileRef) -> Vec<UnprovedUse> {
    let mut unproved = Vec::new();
    for reference in unit.references() {
        session.start_reference();
        let (reference, mut out) = (followed(unit, reference), Resolved::default());
        let mut uses = ReferenceEdges::new(session, unit, &reference, &mut out);
        if uses.is_unknown_to_compiler() {
            continue;
        }
        let site = uses.site();
        uses.main(&site);
        let from = Node { file: unit.file, symbol: reference.symbol };
        let is_unsure = |edge: &Edge| edge.from == from && edge.confidence != Confidence::Exact;
        // The constructor of a base that declares none, or that is elsewhere: only the compiler knows which.
        let is_bare = |one: &ExternalReference| one.package.is_empty() && matches!(&*one.name, SUPER | SELF);
        if !out.unresolved.is_empty() || out.edges.iter().any(is_unsure) || out.external.iter().any(is_bare) {
            unproved.push(UnprovedUse { at: reference.at, line: reference.line });
        }
    }
    unproved.sort_unstable();
    unproved.dedup();
    unproved
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallResult {
    /// An edge.
    Edge,
    /// A reference to something outside the repository.
    External,
    /// A candidate for every symbol of its name, with a reason.
    Candidate,
    /// An anonymous function of the same symbol, to which the calls inside it belong.
    Local,
    /// Nothing.
    Nothing,
}

/// A call that was extracted, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallOutcome {
    /// The offset of the called name.
    pub at: u32,
    /// The result.
    pub result: CallResult,
}

/// What became of each call in a file, by position.
pub(crate) fn call_outcomes(session: &Session<'_>, unit: &FileRef) -> Vec<CallOutcome> {
    let mut outcomes = Vec::new();
    for reference in unit.references().iter().filter(|reference| is_call(reference.kind)) {
        session.start_reference();
        let mut out = Resolved::default();
        let mut uses = ReferenceEdges::new(session, unit, reference, &mut out);
        let site = uses.site();
        uses.main(&site);
        let result = if !uses.out.edges.is_empty() {
            CallResult::Edge
        } else if !uses.out.unresolved.is_empty() {
            CallResult::Candidate
        } else if !uses.out.external.is_empty() {
            CallResult::External
        } else if uses.is_local {
            CallResult::Local
        } else {
            CallResult::Nothing
        };
        outcomes.push(CallOutcome { at: reference.at, result });
    }
    outcomes.sort_unstable_by_key(|outcome| (outcome.at, outcome.result));
    outcomes
}

/// Whether a reference runs something.
fn is_call(kind: RefKind) -> bool {
    matches!(kind, RefKind::Call | RefKind::Construct | RefKind::Expand | RefKind::Decorate)
}

/// One reference, and where its edges go.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the reference on its own")]
pub(super) struct ReferenceEdges<'a, 'r> {
    pub(super) session: &'a Session<'r>,
    pub(super) unit: &'a FileRef,
    pub(super) reference: &'a Reference,
    /// Whether it is the reference itself, and not a prefix of it.
    pub(super) whole: bool,
    /// Whether it is the receiver of a call, where modules are objects.
    pub(super) receives: bool,
    /// Whether a member of it is called: `f` in `f.bind(x)`.
    pub(super) is_receiver: bool,
    /// Whether it calls an anonymous function of the symbol around it.
    pub(super) is_local: bool,
    pub(super) out: &'a mut Resolved,
}

impl<'a, 'r> ReferenceEdges<'a, 'r> {
    /// A whole reference.
    fn new(
        session: &'a Session<'r>,
        unit: &'a FileRef,
        reference: &'a Reference,
        out: &'a mut Resolved,
    ) -> Self {
        Self {
            session,
            unit,
            reference,
            whole: true,
            receives: false,
            is_receiver: false,
            is_local: false,
            out,
        }
    }
}

impl ReferenceEdges<'_, '_> {
    pub(super) fn site(&self) -> Site {
        Site { unit: self.unit.clone(), scope: self.reference.scope, at: self.reference.at }
    }

    fn follow(&mut self) {
        if self.reference.kind == RefKind::Inherit {
            return;
        }
        let site = self.site();
        self.main(&site);
        self.prefixes(&site);
    }

    /// The reference itself, without its prefixes. A call never disappears: what is neither an edge nor external is a miss.
    fn main(&mut self, site: &Site) {
        let before = self.pushed();
        if self.follow_compiler(site) || self.follow_selector(site) || self.follow_property(site) {
            return;
        }
        match self.reference.kind {
            RefKind::Decorate if !self.unit.rules.decorators_are_called => self.annotation(site),
            RefKind::Call | RefKind::Expand | RefKind::Decorate => self.call(site),
            RefKind::Construct => self.construct(site),
            RefKind::Read | RefKind::Write => self.push_reference(site, EdgeKind::References),
            RefKind::Type => self.push_reference(site, EdgeKind::TypeOf),
            RefKind::Inherit => {}
        }
        if self.pushed() == before && is_call(self.reference.kind) && !self.is_local {
            self.push_unfollowed(site);
        }
    }

    fn pushed(&self) -> usize {
        self.out.edges.len() + self.out.external.len() + self.out.unresolved.len()
    }

    /// A call that leads nowhere: external if nothing of its name is known, a miss otherwise.
    fn push_unfollowed(&mut self, site: &Site) {
        let callee = match self.unit.expr(self.reference.expr) {
            Expr::Call { callee, .. } => callee,
            Expr::New { ty, .. } => ty,
            // `raise error` constructs nothing if it is a value.
            _ if self.reference.kind == RefKind::Construct => return,
            _ => self.reference.expr,
        };
        match self.unit.expr(callee) {
            // The constructor of a base or type that declares none, or that is not here.
            Expr::SuperRef => self.push_external("", SUPER),
            Expr::SelfRef => self.push_external("", SELF),
            _ => self.push_unresolved(site, callee),
        }
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
        let is_call = self.reference.kind == RefKind::Call;
        let calls = self.unit.rules.separate_static_members && is_call;
        for (place, &expr) in named[..told].iter().enumerate() {
            let reference = &Reference { kind: RefKind::Read, expr, ..*self.reference };
            let Self { session, unit, .. } = *self;
            let receives = calls && place == 0;
            let is_receiver = is_call && place == 0;
            ReferenceEdges {
                session,
                unit,
                reference,
                whole: false,
                receives,
                is_receiver,
                is_local: false,
                out: self.out,
            }
            .push_reference(site, EdgeKind::References);
        }
    }

    pub(super) fn push_reference(&mut self, site: &Site, kind: EdgeKind) {
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
        if kind == EdgeKind::References && found.iter().all(is_undefined) && self.follow_markup(site, expr) {
            return;
        }
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
                Some(sym) if kind == EdgeKind::References && self.is_function_value(sym) => {
                    self.push_edge(EdgeKind::Passes, sym, one.rule, confidence);
                }
                Some(sym) => self.push_edge(kind, sym, one.rule, confidence),
                None => self.push_external_target(one),
            }
        }
    }

    /// Whether the reference uses a function as a value: it is read, and not for a member of it other than a call.
    pub(super) fn is_function_value(&self, sym: SymbolId) -> bool {
        if self.reference.kind != RefKind::Read || !(self.whole || self.is_receiver) {
            return false;
        }
        let Some(home) = self.session.unit_of(sym) else { return false };
        home.symbol(sym.at).is_some_and(|symbol| {
            matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method)
                && !symbol.modifiers.contains(Modifier::Getter)
        })
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

    pub(super) fn push_external(&mut self, package: &str, name: &str) {
        if name.is_empty() || !self.whole {
            return;
        }
        self.out.external.push(ExternalReference {
            from: self.reference.symbol,
            kind: self.reference.kind,
            // The base of an anonymous type.
            package: package.trim_end_matches(ANONYMOUS).to_owned(),
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
        let Some(name) = self.unit.last_name(expr) else { return };
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
        let kinds = self.session.kinds_named(&self.unit.rules, name);
        let bare = matches!(self.unit.expr(expr), Expr::Name(_)) && !self.unit.rules.implicit_receiver;
        let is_member =
            |kind: SymbolKind| matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property);
        let expands = self.reference.kind == RefKind::Expand;
        let annotates = self.reference.kind == RefKind::Decorate && !self.unit.rules.decorators_are_called;
        kinds.any(|kind| match kind {
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
