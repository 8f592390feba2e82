//! What can only be said once the whole file was walked.

use super::Lowering;
use crate::chunks;
use orient_model::{Expr, Facts, Issue, IssueKind, Modifier, Outline, Span, SymbolKind};
use std::collections::HashMap;

impl Lowering<'_> {
    pub(super) fn finish(mut self) -> Facts {
        self.name_functions();
        self.settle_exports();
        for index in 0..self.outline.symbols.len() as u32 {
            let parent = self.outline.symbols[index as usize]
                .parent
                .and_then(|at| self.outline.symbols.get(at as usize));
            let in_tests =
                parent.is_some_and(|p| p.kind == SymbolKind::Module && p.modifiers.contains(Modifier::Test));
            if in_tests || self.is_test(index) {
                self.outline.symbols[index as usize].modifiers.insert(Modifier::Test);
            }
        }
        if self.too_deep {
            self.outline.issues.push(Issue { kind: IssueKind::Depth, span: Span::default() });
        }
        let mut outline = self.outline;
        outline.strings = self.shown.finish();
        self.flow.strings = self.names.finish();
        number(&mut outline);
        outline.lines = chunks::count_lines(self.tree.source);
        outline.chunks = chunks::cut(self.tree.source, &outline);
        Facts { outline, flow: self.flow }
    }

    /// Function values were written down as nodes; now it is known which symbol or scope each became.
    fn name_functions(&mut self) {
        for expr in &mut self.flow.exprs {
            if let Expr::Lambda(node) = *expr {
                *expr = match self.functions.get(&node) {
                    Some(&(_, Some(symbol))) => Expr::Function(symbol),
                    Some(&(scope, None)) => Expr::Lambda(scope),
                    None => Expr::Unknown,
                };
            }
        }
    }
}

/// Numbers symbols of the same qualified name in the order of the source.
pub(crate) fn number(outline: &mut Outline) {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut paths: Vec<u64> = Vec::with_capacity(outline.symbols.len());
    for index in 0..outline.symbols.len() {
        let symbol = &outline.symbols[index];
        let above = symbol.parent.and_then(|parent| paths.get(parent as usize)).copied().unwrap_or(0);
        let qualifier = symbol.qualifier.map_or("", |atom| outline.strings.get(atom));
        let above = qualifier
            .split('.')
            .filter(|part| !part.is_empty())
            .fold(above, |above, part| crate::hash::mix(above, crate::hash::hash(part.as_bytes())));
        let path = crate::hash::mix(above, crate::hash::hash(outline.strings.get(symbol.name).as_bytes()));
        paths.push(path);
        let count = seen.entry(path).or_insert(0);
        outline.symbols[index].ordinal = *count;
        *count += 1;
    }
}
