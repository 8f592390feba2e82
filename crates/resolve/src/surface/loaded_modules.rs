//! Modules that a framework loads because a text names them: `ROOT_URLCONF = "shop.urls"`. They are imports without a statement.

use super::arguments;
use super::extract::Extraction;
use crate::session::Site;
use crate::types::ty::Module;
use orient_model::{Confidence, Edge, EdgeKind, Expr, ExprId, LoadedModuleRule, Node, Resolved, Rule};

/// Adds the imports of modules that texts of a file name.
pub(super) fn imports(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) {
    let imported = extraction.frameworks.iter().zip(&extraction.is_imported);
    for rule in imported.filter(|(_, imported)| **imported).flat_map(|(one, _)| &one.loaded_modules) {
        of_variables(extraction, rule, resolved);
        of_calls(extraction, rule, resolved);
    }
}

fn of_variables(extraction: &Extraction<'_, '_>, rule: &LoadedModuleRule, resolved: &mut Resolved) {
    let unit = extraction.unit;
    for &at in unit.children(None) {
        if !rule.variables.iter().any(|name| name == unit.name(at)) {
            continue;
        }
        let Some(value) = unit.binding_of(at).and_then(|binding| binding.value) else { continue };
        let site = Site { unit: unit.clone(), scope: 0, at: u32::MAX };
        let line = unit.line(at);
        import(extraction, &site, value, line, resolved);
    }
}

fn of_calls(extraction: &Extraction<'_, '_>, rule: &LoadedModuleRule, resolved: &mut Resolved) {
    let unit = extraction.unit;
    if !rule.calls.iter().any(|name| unit.atom(name).is_some()) {
        return;
    }
    for reference in unit.references() {
        let Expr::Call { callee, args } = unit.expr(reference.expr) else { continue };
        let name = extraction.last_name(callee).unwrap_or_default();
        if !rule.calls.iter().any(|call| call == name) {
            continue;
        }
        let (site, args) = (extraction.site(reference), unit.list(args));
        extraction.session.start_reference();
        let first = args.first().and_then(|&first| extraction.session.constant_text(&site, first));
        if !rule.key.is_empty() && first.as_deref() != Some(rule.key.as_str()) {
            continue;
        }
        if let Some(module) = arguments::find(unit, args, &rule.module) {
            import(extraction, &site, module, reference.line, resolved);
        }
    }
}

fn import(extraction: &Extraction<'_, '_>, site: &Site, expr: ExprId, line: u32, resolved: &mut Resolved) {
    extraction.session.start_reference();
    for text in extraction.session.constant_texts(site, expr) {
        // `shop.main:app` is a variable of the module.
        let module = text.split(':').next().unwrap_or(&text);
        let Some(Module::File(file)) = extraction.session.find_module(extraction.unit, module) else {
            continue;
        };
        resolved.edges.push(Edge {
            from: Node { file: extraction.unit.file, symbol: None },
            kind: EdgeKind::Imports,
            to: Node { file, symbol: None },
            line,
            confidence: Confidence::Exact,
            rule: Rule::Framework,
        });
    }
}
