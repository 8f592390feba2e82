//! What the language calls without being named: the members behind loops and `with`.

use crate::file::file_unit::Held;
use crate::session::{Frame, Session};
use crate::types::ty::{Found, Ty, Val};
use orient_model::{Binding, Confidence, Edge, EdgeKind, Node, Resolved, Rule, SymbolKind, Via};

/// Calls of the members by which names are bound to parts of values.
pub(crate) fn edges(session: &Session<'_>, unit: &Held, out: &mut Resolved) {
    if !unit.rules.dynamic {
        return;
    }
    for binding in &unit.facts.flow.bindings {
        let cases: &[&str] = match binding.via {
            Via::Element => &["iterate", "next"],
            Via::Enter => &["enter"],
            _ => continue,
        };
        session.next_use();
        follow(session, unit, binding, cases, out);
    }
}

fn follow(session: &Session<'_>, unit: &Held, binding: &Binding, cases: &[&str], out: &mut Resolved) {
    let Some(value) = binding.value else { return };
    let Some(line) = unit.line_of(value, binding.at) else { return };
    let frame = Frame { unit: unit.clone(), scope: unit.scope_at(binding.at), at: binding.at };
    let mut val = session.eval(&frame, value);
    let symbol = unit.facts.flow.scopes.get(binding.scope as usize).and_then(|scope| scope.symbol);
    let from = Node { file: unit.file, symbol };
    for case in cases {
        let Some(name) = unit.implicit(case) else { return };
        let several = val.ty.each().len() > 1;
        let mut results = Vec::new();
        let mut members = Vec::new();
        for ty in val.ty.each() {
            let found = match ty {
                Ty::Of(..) => session.member(&Val { ty: ty.clone(), ..val.clone() }, name, unit),
                _ => Vec::new(),
            };
            if found.is_empty() && several {
                // It cannot be all of what we think: which of them it is, nobody knows.
                return;
            }
            members.push(found);
        }
        for found in members {
            results.push(session.call_found(&found, &[], None).ty);
            for one in &found {
                let callable = |sym| session.kind(sym).is_some_and(SymbolKind::is_callable);
                let Some(sym) = one.sym().filter(|&sym| callable(sym)) else { continue };
                let sure = if several { one.sure.max(Confidence::Probable) } else { one.sure };
                out.edges.push(edge(from, one, sym, line, sure));
            }
        }
        val = val.with(Ty::either(results));
    }
}

fn edge(from: Node, found: &Found, sym: crate::types::ty::Sym, line: u32, sure: Confidence) -> Edge {
    let to = Node { file: sym.file, symbol: Some(sym.at) };
    let confidence = found.sure.max(sure);
    Edge { from, kind: EdgeKind::Calls, to, line, confidence, rule: Rule::Implicit }
}
