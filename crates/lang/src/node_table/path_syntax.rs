//! Parses node paths as packs write them: `declarator.:identifier|name`.

use super::NodePath;
use super::compiler::Compiler;
use super::node_path::{ChildSelector, Step};

impl Compiler<'_> {
    /// Parses alternatives of paths, separated by `|`; the steps of a path are separated by `.`:
    ///
    /// | step | leads to |
    /// |---|---|
    /// | `field` | the child in that field |
    /// | `:kind` | the first child of that kind |
    /// | `'token'` | the first such token |
    /// | `#0`, `#-1`, `#*` | the first, the last, every named child |
    /// | `@`, `^` | the node itself, its parent |
    /// | `+`, `-` | its next, its previous sibling |
    /// | `>x`, `<x` | the named child after, before the child `x` |
    /// | `?a,b` | the node itself if it is an `a` or a `b` |
    /// | `?!x` | the node itself if it has no child `x` |
    ///
    /// A `*` after a step follows all nodes that it leads to. Example: `declarator.:identifier|name` is the identifier in the
    /// field `declarator`, or else the child in the field `name`.
    pub(super) fn node_path(&mut self, text: Option<&str>) -> NodePath {
        let Some(text) = text else { return NodePath::default() };
        let mut paths = Vec::new();
        for alternative in text.split('|') {
            let steps: Option<Vec<Step>> =
                alternative.split('.').map(|step| self.step(step.trim())).collect();
            paths.extend(steps);
        }
        NodePath(paths)
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
        if let Some(text) = step.strip_prefix("?!") {
            return self.child_selector(text).map(Step::Lacks);
        }
        if let Some(kinds) = step.strip_prefix('?') {
            let kinds: Vec<u16> = kinds.split(',').filter_map(|kind| self.kind(kind.trim())).collect();
            self.needed_tokens.extend(&kinds);
            return Some(Step::Is(kinds));
        }
        if let Some(text) = step.strip_prefix('>') {
            return self.child_selector(text).map(Step::After);
        }
        if let Some(text) = step.strip_prefix('<') {
            return self.child_selector(text).map(Step::Before);
        }
        if let Some(nth) = step.strip_prefix('#') {
            return nth.parse().ok().map(Step::Nth);
        }
        self.child_selector(step).map(|selector| match selector {
            ChildSelector::Field(field) => Step::Field(field),
            ChildSelector::Kind(kind) => Step::Kind(kind),
        })
    }

    /// A field, a `:kind`, or a `'token'`.
    fn child_selector(&mut self, text: &str) -> Option<ChildSelector> {
        if let Some(kind) = text.strip_prefix(':') {
            return self.kind(kind).map(ChildSelector::Kind);
        }
        if text.starts_with('\'') {
            let kind = self.kind(text);
            self.needed_tokens.extend(kind);
            return kind.map(ChildSelector::Kind);
        }
        let field = self.language.field_id_for_name(text);
        if field.is_none() {
            self.lacks("field", text);
        }
        field.map(|field| ChildSelector::Field(field.into()))
    }
}

/// Whether a key of `kinds` is a node path and not a word.
pub(super) fn is_path(key: &str) -> bool {
    key.contains(['?', ':', '<', '>'])
}
