//! References of a shallow file: every use of a name, with the path that its own text shows.

use super::build_facts::Builder;
use super::drafts::{FileDrafts, ReferenceDraft};
use super::run_query::clean_name;
use super::text_at;
use orient_model::{Expr, ExprId, ExprList, RefKind, Reference, Symbol};

/// Maximum number of parts in a path.
const PATH_CAP: usize = 12;

impl Builder<'_> {
    /// Adds the references: every use of a name except at its declaration or import.
    pub(super) fn references(&mut self, file_drafts: &mut FileDrafts, declared: &[(u32, u32)]) {
        file_drafts
            .references
            .sort_by_key(|reference| (reference.name.start, reference.name.end, reference.pattern));
        file_drafts.references.dedup_by_key(|reference| (reference.name.start, reference.name.end));
        let imports = &file_drafts.imports;
        let mut enclosing = EnclosingSymbols { next: 0, open: Vec::new() };
        for reference in &file_drafts.references {
            let place = (reference.name.start, reference.name.end);
            let imported = imports
                .partition_point(|import| import.span.start <= place.0)
                .checked_sub(1)
                .is_some_and(|index| imports[index].span.contains(&reference.name));
            if imported || declared.binary_search(&place).is_ok() {
                continue;
            }
            let symbol = enclosing.at(&self.outline.symbols, place.0);
            self.reference(reference, symbol);
        }
    }

    fn reference(&mut self, reference: &ReferenceDraft, symbol: Option<u32>) {
        let name = match &reference.given {
            Some(given) => given.clone(),
            None => clean_name(&text_at(self.source, reference.name)),
        };
        if name.is_empty() {
            return;
        }
        let base = reference.receiver.map(|receiver| {
            let text = text_at(self.source, receiver);
            self.path(None, text.trim_end_matches(['.', ':']))
        });
        let target = self.path(base, &name);
        let args = ExprList::default();
        let expr = match reference.kind {
            RefKind::Call => self.expr(Expr::Call { callee: target, args }),
            RefKind::Construct => self.expr(Expr::New { ty: target, args }),
            _ => target,
        };
        let last = name.rsplit(['.', ':']).next().map_or(0, str::len) as u32;
        let at = if reference.name.len() as usize == name.len() {
            reference.name.end - last
        } else {
            reference.name.start
        };
        let line = reference.name.first_line;
        self.flow.references.push(Reference {
            kind: reference.kind,
            expr,
            at,
            line,
            scope: 0,
            symbol,
            apart: 0,
        });
    }

    fn expr(&mut self, expr: Expr) -> ExprId {
        self.flow.exprs.push(expr);
        ExprId(self.flow.exprs.len() as u32 - 1)
    }

    /// The expression of a path such as `a.b` or `A::B`; unknown if the text is more than a path.
    fn path(&mut self, base: Option<ExprId>, text: &str) -> ExprId {
        let separator = &self.conventions.separator;
        let separator = if text.contains("::") { "::" } else { separator };
        let mut parts: Vec<&str> = text.split(separator).map(str::trim).collect();
        // `a?.b!.c` is a path, too.
        let before_last = parts.len() - 1;
        parts[..before_last].iter_mut().for_each(|part| *part = part.trim_end_matches(['?', '!']));
        if base.is_none() && !text.chars().all(|c| c.is_alphanumeric() || "_$@?!-./:'*+\\".contains(c)) {
            if text.len() > 60 || text.contains(['(', '{', '[', '"', '\n']) {
                return self.expr(Expr::Unknown);
            }
            parts = vec![text];
        }
        if parts.len() > PATH_CAP || parts.iter().any(|part| part.is_empty()) {
            parts = vec![text];
        }
        let mut at = base;
        for part in parts {
            let expr = match (at, part) {
                (None, "self" | "this" | "$this" | "$self") => Expr::SelfRef,
                (None, "super") => Expr::SuperRef,
                (None, name) => Expr::Name(self.names.intern(name)),
                (Some(base), name) => Expr::Member { base, name: self.names.intern(name) },
            };
            at = Some(self.expr(expr));
        }
        at.unwrap_or(ExprId(0))
    }
}

/// Finds the innermost symbol around each of a series of ascending offsets.
struct EnclosingSymbols {
    next: usize,
    open: Vec<u32>,
}

impl EnclosingSymbols {
    fn at(&mut self, symbols: &[Symbol], place: u32) -> Option<u32> {
        while let Some(symbol) = symbols.get(self.next).filter(|symbol| symbol.span.start <= place) {
            while self.open.last().is_some_and(|&top| symbols[top as usize].span.end <= symbol.span.start) {
                self.open.pop();
            }
            self.open.push(self.next as u32);
            self.next += 1;
        }
        while self.open.last().is_some_and(|&top| symbols[top as usize].span.end <= place) {
            self.open.pop();
        }
        self.open.last().copied()
    }
}
