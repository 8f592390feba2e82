//! Edges of implicit calls: the members behind loops and `with` statements.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::{Target, Value};
use crate::types::ty::Ty;
use orient_model::{Binding, Confidence, Edge, EdgeKind, Node, Resolved, Rule, SymbolKind, Via};

/// Adds the implicit calls of all bindings of a file.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    if !unit.rules.value_flow_typing {
        return;
    }
    for binding in unit.bindings() {
        let cases: &[&str] = match binding.via {
            Via::Element => &["iterate", "next"],
            Via::Enter => &["enter"],
            _ => continue,
        };
        session.start_reference();
        follow(session, unit, binding, cases, out);
    }
}

fn follow(session: &Session<'_>, unit: &FileRef, binding: &Binding, cases: &[&str], out: &mut Resolved) {
    let Some(value) = binding.value else { return };
    let Some(line) = unit.line_of(value, binding.at) else { return };
    let site = Site { unit: unit.clone(), scope: unit.scope_at(binding.at), at: binding.at };
    let mut val = session.eval(&site, value);
    let symbol = unit.scope(binding.scope).and_then(|scope| scope.symbol);
    let from = Node { file: unit.file, symbol };
    for case in cases {
        let Some(name) = unit.implicit(case) else { return };
        let several = val.ty.alternatives().len() > 1;
        let mut results = Vec::new();
        let mut members = Vec::new();
        for ty in val.ty.alternatives() {
            let found = match ty {
                Ty::Instance(..) => session.member(&Value { ty: ty.clone(), ..val.clone() }, name, unit),
                _ => Vec::new(),
            };
            if found.is_empty() && several {
                // The value cannot have all of these types, and nothing decides between them.
                return;
            }
            members.push(found);
        }
        for found in members {
            results.push(session.call_targets_result(&found, &[], None).ty);
            for one in &found {
                let callable = |sym| session.kind(sym).is_some_and(SymbolKind::is_callable);
                let Some(sym) = one.sym().filter(|&sym| callable(sym)) else { continue };
                let confidence =
                    if several { one.confidence.max(Confidence::Probable) } else { one.confidence };
                out.edges.push(edge(from, one, sym, line, confidence));
            }
        }
        val = val.with(Ty::union(results));
    }
}

fn edge(
    from: Node,
    found: &Target,
    sym: crate::types::ty::SymbolId,
    line: u32,
    confidence: Confidence,
) -> Edge {
    let to = Node { file: sym.file, symbol: Some(sym.at) };
    let confidence = found.confidence.max(confidence);
    Edge { from, kind: EdgeKind::Calls, to, line, confidence, rule: Rule::Implicit }
}
