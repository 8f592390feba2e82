//! Edges from a file to what it imports.

use crate::file::FileRef;
use crate::session::Session;
use crate::types::target::{Referent, Target};
use crate::types::ty::{Module, Ty};
use orient_model::{Edge, EdgeKind, ImportKind, Modules, Node, Resolved, Rule};

/// Edges from a file to what it imports.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    session.included_templates(unit, out);
    for (at, import) in unit.imports().iter().enumerate() {
        session.start_reference();
        let found = match import.kind {
            ImportKind::Wildcard => session
                .find_module(unit, unit.outline_text(import.module))
                .map(|module| Target::module(module, Rule::Import))
                .into_iter()
                .collect(),
            ImportKind::Effect => effect(session, unit, unit.outline_text(import.module)),
            _ => session.import(unit, at as u32),
        };
        let found = match import.name {
            Some(name) if found.iter().all(|one| matches!(one.referent, Referent::External(..))) => {
                let mut extensions =
                    session.extensions_in(unit, unit.outline_text(import.module), unit.outline_text(name));
                extensions.extend(found);
                extensions
            }
            _ => found,
        };
        for one in found {
            let to = match &one.referent {
                Referent::Symbol(sym, _) | Referent::Value(Ty::Metatype(sym, _)) => {
                    Node { file: sym.file, symbol: Some(sym.at) }
                }
                Referent::Value(Ty::Module(Module::File(file))) => Node { file: *file, symbol: None },
                _ => continue,
            };
            let from = Node { file: unit.file, symbol: None };
            out.edges.push(Edge {
                from,
                kind: EdgeKind::Imports,
                to,
                line: import.line,
                confidence: one.confidence,
                rule: one.rule,
            });
        }
    }
}

fn effect(session: &Session<'_>, unit: &FileRef, module: &str) -> Vec<Target> {
    let file = match unit.rules.modules {
        Modules::Include => session.include(unit, module),
        _ => match session.find_module(unit, module) {
            Some(Module::File(file)) => Some(file),
            _ => None,
        },
    };
    file.map(|file| Target::module(Module::File(file), Rule::Import)).into_iter().collect()
}
