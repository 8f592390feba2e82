//! Edges of a compiler: what it says about a use replaces what our rules would say.
//!
//! A compiler says which symbol a name means, not whether it is called: that is known from the reference. It is followed unless its answer
//! says less than ours: a call of a variable or field, behind which our rules may know the function.

use super::references::ReferenceEdges;
use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::Target;
use crate::types::ty::SymbolId;
use orient_model::{
    CompiledSymbol, CompiledTarget, Confidence, Edge, EdgeKind, Expr, Node, RefKind, RepoPath, Resolved,
    Rule, SymbolKind,
};
use std::collections::BTreeSet;

impl ReferenceEdges<'_, '_> {
    /// Adds what the compiler says about the reference; false if it says nothing, or less than our rules may know.
    pub(super) fn follow_compiler(&mut self, site: &Site) -> bool {
        let Some(compiled) = self.unit.compiled().filter(|_| self.whole) else { return false };
        match compiled.target_at(self.reference.at) {
            None | Some(CompiledTarget::Unknown) => false,
            Some(CompiledTarget::Inside(symbol)) => match self.session.compiled_symbol(symbol) {
                Some(sym) => self.push_compiled(site, sym),
                None => false,
            },
            Some(CompiledTarget::Outside { package, name, is_located }) => {
                let seen = (!is_located).then_some(&*compiled.seen);
                self.push_outside(site, seen, package, name)
            }
        }
    }

    /// Whether a compiler was asked about the reference and names no symbol.
    pub(super) fn is_unknown_to_compiler(&self) -> bool {
        let compiled = self.unit.compiled();
        compiled.and_then(|compiled| compiled.target_at(self.reference.at)) == Some(&CompiledTarget::Unknown)
    }

    fn push_compiled(&mut self, site: &Site, sym: SymbolId) -> bool {
        let Some(kind) = self.session.kind(sym) else { return false };
        let target = Target::symbol(sym, Rule::Compiler);
        match self.reference.kind {
            RefKind::Call | RefKind::Construct | RefKind::Expand => {
                let runs = kind.is_callable() || kind.is_type() || kind == SymbolKind::EnumMember;
                if !runs || kind == SymbolKind::Property {
                    return false;
                }
                let (callee, args) = match self.unit.expr(self.reference.expr) {
                    Expr::Call { callee, args } | Expr::New { ty: callee, args } => {
                        (Some(self.unit.expr(callee)), self.unit.list(args))
                    }
                    _ => (None, &[][..]),
                };
                if kind.is_type() && matches!(callee, Some(Expr::SuperRef | Expr::SelfRef)) {
                    // A type without a constructor of its own.
                    self.push_edge(EdgeKind::Constructs, sym, Rule::Compiler, Confidence::Exact);
                    return true;
                }
                self.emit_calls(site, vec![target], args);
            }
            RefKind::Read | RefKind::Write => {
                let passes = self.is_function_value(sym);
                let kind = if passes { EdgeKind::Passes } else { EdgeKind::References };
                self.push_edge(kind, sym, Rule::Compiler, Confidence::Exact);
            }
            RefKind::Type => self.push_edge(EdgeKind::TypeOf, sym, Rule::Compiler, Confidence::Exact),
            RefKind::Decorate | RefKind::Inherit => return false,
        }
        true
    }

    /// The compiler says that the target is outside. Our own target stands if the compiler never saw its file; `seen` is `None` if the
    /// compiler showed where the target is.
    fn push_outside(
        &mut self,
        site: &Site,
        seen: Option<&BTreeSet<RepoPath>>,
        package: &str,
        name: &str,
    ) -> bool {
        if matches!(self.reference.kind, RefKind::Decorate | RefKind::Inherit) {
            return false;
        }
        let Some(seen) = seen else {
            self.push_external(package, name);
            return true;
        };
        let mut own = Resolved::default();
        let mut uses = ReferenceEdges { out: &mut own, is_local: false, ..*self };
        match self.reference.kind {
            RefKind::Construct => uses.construct(site),
            RefKind::Call | RefKind::Expand => uses.call(site),
            RefKind::Type => uses.push_reference(site, EdgeKind::TypeOf),
            _ => uses.push_reference(site, EdgeKind::References),
        }
        let from = Node { file: self.unit.file, symbol: self.reference.symbol };
        own.edges.retain(|edge| {
            let path = self.session.unit(edge.to.file).map(|home| home.path().clone());
            edge.from != from || path.is_some_and(|path| !seen.contains(&path))
        });
        if own.edges.iter().any(|edge| edge.from == from) {
            self.out.edges.append(&mut own.edges);
        } else {
            self.push_external(package, name);
        }
        true
    }
}

impl Session<'_> {
    /// The symbol of the repository that a compiler means, if it still exists.
    fn compiled_symbol(&self, symbol: &CompiledSymbol) -> Option<SymbolId> {
        let file = self.file_at(&symbol.path.display())?;
        let unit = self.unit(file)?;
        if symbol.content.is_some_and(|content| content != unit.content()) {
            return None;
        }
        let name = symbol.names.last().map_or("", String::as_str);
        let at = unit.symbol_called(name, |outline, at| {
            let found = outline.symbols.get(at as usize);
            found.is_some_and(|found| found.ordinal == symbol.ordinal)
                && outline.qualified(at).iter().eq(symbol.names.iter())
        });
        at.map(|at| SymbolId { file, at })
    }
}

/// Adds what the compiler says beyond the references of the file: uses in places that we do not read, and relationships.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    let Some(compiled) = unit.compiled() else { return };
    let mut positions: Vec<u32> = unit.references().iter().map(|reference| reference.at).collect();
    positions.sort_unstable();
    let mut known: Vec<(u32, Node)> = out.edges.iter().map(|edge| (edge.line, edge.to)).collect();
    known.sort_unstable();
    let symbol_of = |target: u32| match compiled.targets.get(target as usize) {
        Some(CompiledTarget::Inside(symbol)) => session.compiled_symbol(symbol),
        _ => None,
    };
    let proof = (Confidence::Exact, Rule::Compiler);
    for one in compiled.uses.iter().filter(|one| !one.imports && positions.binary_search(&one.at).is_err()) {
        let Some(sym) = symbol_of(one.target) else { continue };
        let to = Node { file: sym.file, symbol: Some(sym.at) };
        let from = Node { file: unit.file, symbol: innermost(unit, one.at) };
        let is_known = known.binary_search(&(one.line, to)).is_ok();
        if !is_known && from != to && !is_inside(unit, from, to) {
            let (confidence, rule) = proof;
            out.edges.push(Edge { from, kind: EdgeKind::References, to, line: one.line, confidence, rule });
        }
    }
    for relation in &compiled.relations {
        let (Some(own), Some(base)) = (symbol_of(relation.symbol), symbol_of(relation.base)) else {
            continue;
        };
        let (Some(symbol), Some(base_kind)) = (unit.symbol(own.at), session.kind(base)) else { continue };
        if own.file != unit.file || own == base {
            continue;
        }
        let kind = match symbol.kind {
            kind if !kind.is_type() => EdgeKind::Overrides,
            _ if matches!(base_kind, SymbolKind::Interface | SymbolKind::Trait) => EdgeKind::Implements,
            _ => EdgeKind::Inherits,
        };
        let from = Node { file: own.file, symbol: Some(own.at) };
        let to = Node { file: base.file, symbol: Some(base.at) };
        let same = |edge: &Edge| edge.from == from && edge.to == to && edge.kind == kind;
        if !out.edges.iter().any(same) {
            let (confidence, rule) = proof;
            out.edges.push(Edge { from, kind, to, line: unit.line(own.at), confidence, rule });
        }
    }
}

/// Whether an edge leads from a symbol to a symbol around it: a name inside of a definition that repeats the definition's.
fn is_inside(unit: &FileRef, from: Node, to: Node) -> bool {
    let mut at = from.symbol;
    while let Some(symbol) = at.and_then(|at| unit.symbol(at)) {
        if to.file == unit.file && symbol.parent.is_some() && symbol.parent == to.symbol {
            return true;
        }
        at = symbol.parent;
    }
    false
}

/// The innermost symbol around an offset.
fn innermost(unit: &FileRef, at: u32) -> Option<u32> {
    let spans = unit.symbols().filter_map(|symbol| Some((symbol, unit.spans(symbol)?.0)));
    let around = spans.filter(|(_, span)| span.start <= at && at < span.end);
    around.min_by_key(|(_, span)| span.end - span.start).map(|(symbol, _)| symbol)
}
