//! Reads paths as packs write them.

use super::Spec;
use super::compile::Compiler;
use super::node_path::{Mark, Step};

impl Compiler<'_> {
    /// `a.b|:kind|#0`: alternatives of paths. A step is a field, a `:kind` of child, the `#n`-th named child (`#-1` the
    /// last, `#*` each), `@` the node itself, `^` the node around it, `+` and `-` those beside it, `>x` or `<x` the named child behind or before the child `x`,
    /// `?a,b` the node itself if it is an `a` or a `b`, `?!x` if it has no `x`. A `*` behind a step follows all its nodes.
    pub(super) fn spec(&mut self, text: Option<&str>) -> Spec {
        let Some(text) = text else { return Spec::default() };
        let mut paths = Vec::new();
        for alternative in text.split('|') {
            let steps: Option<Vec<Step>> =
                alternative.split('.').map(|step| self.step(step.trim())).collect();
            paths.extend(steps);
        }
        Spec(paths)
    }

    fn step(&mut self, step: &str) -> Option<Step> {
        if step == "#*" {
            return Some(Step::All(Box::new(Step::Each)));
        }
        if let Some(step) = step.strip_suffix('*').filter(|step| !step.is_empty()) {
            return self.step(step).map(|step| Step::All(Box::new(step)));
        }
        match step {
            "@" => return Some(Step::Here),
            "^" => return Some(Step::Parent),
            "+" => return Some(Step::Next),
            "-" => return Some(Step::Previous),
            "#-1" => return Some(Step::Last),
            _ => {}
        }
        if let Some(mark) = step.strip_prefix("?!") {
            return self.mark(mark).map(Step::Lacks);
        }
        if let Some(kinds) = step.strip_prefix('?') {
            let kinds: Vec<u16> = kinds.split(',').filter_map(|kind| self.kind(kind.trim())).collect();
            self.asked.extend(&kinds);
            return Some(Step::Is(kinds));
        }
        if let Some(mark) = step.strip_prefix('>') {
            return self.mark(mark).map(Step::After);
        }
        if let Some(mark) = step.strip_prefix('<') {
            return self.mark(mark).map(Step::Before);
        }
        if let Some(nth) = step.strip_prefix('#') {
            return nth.parse().ok().map(Step::Nth);
        }
        self.mark(step).map(|mark| match mark {
            Mark::Field(field) => Step::Field(field),
            Mark::Kind(kind) => Step::Kind(kind),
        })
    }

    /// A field, a `:kind`, or a `'token'`.
    fn mark(&mut self, text: &str) -> Option<Mark> {
        if let Some(kind) = text.strip_prefix(':') {
            return self.kind(kind).map(Mark::Kind);
        }
        if text.starts_with('\'') {
            let kind = self.kind(text);
            self.asked.extend(kind);
            return kind.map(Mark::Kind);
        }
        let field = self.language.field_id_for_name(text);
        if field.is_none() {
            self.lacks("field", text);
        }
        field.map(|field| Mark::Field(field.into()))
    }
}

/// Whether a key says where to look, not which word stands there.
pub(super) fn is_path(key: &str) -> bool {
    key.contains(['?', ':', '<', '>'])
}
