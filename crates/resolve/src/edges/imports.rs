//! Edges from a file to what it imports.

use crate::file::file_unit::Held;
use crate::session::Session;
use crate::types::ty::{Found, Module, Thing, Ty};
use orient_model::{Edge, EdgeKind, ImportKind, Modules, Node, Resolved, Rule};

/// Edges from a file to what it imports.
pub(crate) fn edges(session: &Session<'_>, unit: &Held, out: &mut Resolved) {
    for (at, import) in unit.facts.outline.imports.iter().enumerate() {
        session.next_use();
        let found = match import.kind {
            ImportKind::Wildcard => session
                .find_module(unit, unit.said(import.module))
                .map(|module| Found::module(module, Rule::Import))
                .into_iter()
                .collect(),
            ImportKind::Effect => effect(session, unit, unit.said(import.module)),
            _ => session.import(unit, at as u32),
        };
        let found = match import.name {
            Some(name) if found.iter().all(|one| matches!(one.thing, Thing::Outside(..))) => {
                let mut extensions = session.extensions_in(unit, unit.said(import.module), unit.said(name));
                extensions.extend(found);
                extensions
            }
            _ => found,
        };
        for one in found {
            let to = match &one.thing {
                Thing::Symbol(sym, _) | Thing::Value(Ty::Type(sym, _)) => {
                    Node { file: sym.file, symbol: Some(sym.at) }
                }
                Thing::Value(Ty::Module(Module::File(file))) => Node { file: *file, symbol: None },
                _ => continue,
            };
            let from = Node { file: unit.file, symbol: None };
            out.edges.push(Edge {
                from,
                kind: EdgeKind::Imports,
                to,
                line: import.line,
                confidence: one.sure,
                rule: one.rule,
            });
        }
    }
}

fn effect(session: &Session<'_>, unit: &Held, module: &str) -> Vec<Found> {
    let file = match unit.rules.modules {
        Modules::Include => session.include(unit, module),
        _ => match session.find_module(unit, module) {
            Some(Module::File(file)) => Some(file),
            _ => None,
        },
    };
    file.map(|file| Found::module(Module::File(file), Rule::Import)).into_iter().collect()
}
