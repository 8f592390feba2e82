//! Types that documentation states: `@param Leaf[] $xs`, `@return Leaf|null`, `@var array<string, Leaf>`.
//!
//! They count where no type is declared, or only that it is an array. The language does not check them, so a value gets such a type through an
//! alternative of one ([`Expr::Either`]), which is never exact.

use super::Lowering;
use crate::parse::flat_tree::NodeId;
use orient_model::{BindingKind, Expr, ExprId, ExprList, Return, ScopeKind, SymbolKind, Via, Wrapper};

/// Types with elements, the last type argument being that of the elements, if they are not types of the repository.
const COLLECTIONS: &[&str] = &[
    "array",
    "list",
    "iterable",
    "non-empty-array",
    "non-empty-list",
    "Collection",
    "Traversable",
    "Iterator",
    "IteratorAggregate",
    "Generator",
    "ArrayObject",
    "ArrayIterator",
];
/// Words of documentation that are no types of the repository.
const OTHER_TYPES: &[&str] = &[
    "null", "false", "true", "mixed", "void", "never", "string", "int", "integer", "float", "double", "bool",
    "boolean", "array", "list", "iterable", "object", "callable", "resource", "scalar", "numeric",
];
/// How far after a comment the variable that it describes may be assigned, in bytes.
const REACH: u32 = 200;

impl Lowering<'_> {
    /// Gives the types that documentation states to parameters, results, fields and variables.
    pub(super) fn bind_documented_types(&mut self) {
        if !self.table.documented_types {
            return;
        }
        for symbol in 0..self.outline.symbols.len() as u32 {
            let Some(doc) = self.outline.symbols[symbol as usize].doc else { continue };
            let doc = self.shown.get(doc).to_owned();
            if !doc.contains('@') {
                continue;
            }
            match self.outline.symbols[symbol as usize].kind {
                SymbolKind::Field | SymbolKind::Property | SymbolKind::Constant => {
                    self.document_field(symbol, &doc);
                }
                kind if kind.is_callable() => self.document_function(symbol, &doc),
                _ => {}
            }
        }
        for id in 0..self.tree.nodes.len() as NodeId {
            if self.table.rule(self.tree, id).comment {
                self.document_variable(id);
            }
        }
    }

    fn document_field(&mut self, symbol: u32, doc: &str) {
        let Some(value) = tag(doc, "@var").next().and_then(|text| self.documented(text)) else { return };
        let is_own = |kind: BindingKind| kind == BindingKind::Symbol(symbol);
        if let Some(at) = self.flow.bindings.iter().position(|binding| is_own(binding.kind)) {
            self.set_type(at, value);
        }
    }

    fn document_function(&mut self, symbol: u32, doc: &str) {
        let is_own =
            |scope: &orient_model::Scope| scope.kind == ScopeKind::Function && scope.symbol == Some(symbol);
        let Some(scope) = self.flow.scopes.iter().position(is_own).map(|at| at as u32) else { return };
        for text in tag(doc, "@param") {
            let rest = text.get(type_end(text)..).unwrap_or_default();
            let name = rest.trim_start().trim_start_matches("...").trim_start_matches('&');
            let name =
                name.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or_default();
            let Some(value) = self.documented(text).filter(|_| name.starts_with('$')) else { continue };
            let names = &self.names;
            let bound = self.flow.bindings.iter().position(|one| {
                one.scope == scope && one.kind == BindingKind::Param && names.get(one.name) == name
            });
            if let Some(at) = bound {
                self.set_type(at, value);
            }
        }
        if let Some(value) = tag(doc, "@return").next().and_then(|text| self.documented(text)) {
            let own = |kind: BindingKind| kind == BindingKind::Symbol(symbol);
            let at = self.flow.bindings.iter().position(|binding| own(binding.kind));
            let ty = at.and_then(|at| self.flow.bindings[at].ty);
            if let Some(at) = at.filter(|_| self.is_open_type(ty)) {
                self.flow.bindings[at].ty = None;
                self.flow.returns.push(Return { scope, value, yields: false });
            }
        }
    }

    /// `/** @var Leaf $x */` before an assignment of `$x`.
    fn document_variable(&mut self, comment: NodeId) {
        let text = crate::facts::display_text::lossy(self.tree.bytes(comment)).into_owned();
        let Some(text) = tag(&text, "@var").next() else { return };
        let end = self.tree.node(comment).end;
        let rest = text.get(type_end(text)..).unwrap_or_default().trim_start();
        let name =
            rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or_default();
        if !name.starts_with('$') {
            return;
        }
        let names = &self.names;
        let bound = self.flow.bindings.iter().position(|one| {
            one.kind == BindingKind::Local
                && (end..end + REACH).contains(&one.at)
                && names.get(one.name) == name
        });
        if let Some(at) = bound
            && let Some(value) = self.documented(text)
        {
            self.set_type(at, value);
        }
    }

    /// Sets the type of a binding, unless a more precise one is declared.
    fn set_type(&mut self, at: usize, value: ExprId) {
        if self.is_open_type(self.flow.bindings[at].ty) {
            let binding = &mut self.flow.bindings[at];
            (binding.ty, binding.value, binding.via) = (None, Some(value), Via::Value);
        }
    }

    /// Whether a declared type says nothing of what values are, or of what their elements are.
    fn is_open_type(&self, ty: Option<ExprId>) -> bool {
        match ty.map(|ty| self.flow.expr(ty)) {
            None => true,
            Some(Expr::Name(name)) => {
                let name = self.names.get(name);
                COLLECTIONS.contains(&name)
                    || OTHER_TYPES.contains(&name) && matches!(name, "mixed" | "object")
            }
            Some(Expr::Wrap { wrapper: Wrapper::Optional, inner }) => self.is_open_type(Some(inner)),
            Some(_) => false,
        }
    }

    /// A value of the type that a text begins with.
    fn documented(&mut self, text: &str) -> Option<ExprId> {
        let ty = self.documented_type(text.get(..type_end(text))?, 0)?;
        let unknown = self.push_expr(Expr::Unknown);
        let value = self.push_expr(Expr::Cast { value: unknown, ty });
        let list = ExprList { start: self.flow.operands.len() as u32, len: 1 };
        self.flow.operands.push(value);
        Some(self.push_expr(Expr::Either(list)))
    }

    fn documented_type(&mut self, text: &str, depth: usize) -> Option<ExprId> {
        if depth > 8 {
            return None;
        }
        let text = text.trim().trim_start_matches('?');
        if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            return self.documented_type(inner, depth + 1);
        }
        let alternatives = split_outside(text, '|');
        if alternatives.len() > 1 {
            let types: Vec<ExprId> =
                alternatives.into_iter().filter_map(|one| self.documented_type(one, depth + 1)).collect();
            if let [] | [_] = types[..] {
                return types.first().copied();
            }
            let list = ExprList { start: self.flow.operands.len() as u32, len: types.len() as u32 };
            self.flow.operands.extend(types);
            return Some(self.push_expr(Expr::Either(list)));
        }
        if let Some(inner) = text.strip_suffix("[]") {
            let inner = self.documented_type(inner, depth + 1)?;
            return Some(self.push_expr(Expr::Wrap { wrapper: Wrapper::Array, inner }));
        }
        if let Some((outer, args)) = text.strip_suffix('>').and_then(|text| text.split_once('<')) {
            let last = outer.rsplit('\\').next().unwrap_or(outer);
            if !COLLECTIONS.contains(&last) {
                return self.documented_type(outer, depth + 1);
            }
            let inner = self.documented_type(split_outside(args, ',').last()?, depth + 1)?;
            return Some(self.push_expr(Expr::Wrap { wrapper: Wrapper::Array, inner }));
        }
        if matches!(text, "self" | "static" | "$this") {
            return Some(self.push_expr(Expr::SelfRef));
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\\';
        let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '\\');
        if !starts || !text.chars().all(is_name) || OTHER_TYPES.contains(&text.to_ascii_lowercase().as_str())
        {
            return None;
        }
        let name = self.names.intern(text);
        Some(self.push_expr(Expr::Name(name)))
    }
}

/// The texts after a tag.
fn tag<'t>(doc: &'t str, tag: &'t str) -> impl Iterator<Item = &'t str> {
    doc.match_indices(tag).filter_map(move |(at, _)| {
        let rest = &doc[at + tag.len()..];
        rest.starts_with([' ', '\t']).then(|| rest.trim_start())
    })
}

/// Where a type at the beginning of a text ends: at white space outside of brackets.
fn type_end(text: &str) -> usize {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' => depth += 1,
            '>' | ')' | '}' => depth -= 1,
            '\n' | '*' => return at,
            c if c.is_whitespace() && depth <= 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// Splits a text at a separator outside of brackets.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut start) = (0_i32, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' => depth += 1,
            '>' | ')' | '}' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_documented_type_ends_at_white_space_outside_of_brackets() {
        assert_eq!(type_end("array<string, Leaf> $x the leaves"), "array<string, Leaf>".len());
        assert_eq!(type_end("Leaf|null"), 9);
        assert_eq!(split_outside("array<int|string, A>|B", '|'), ["array<int|string, A>", "B"]);
    }

    #[test]
    fn a_tag_is_a_whole_word() {
        assert_eq!(
            tag("@return A\n@returns B\n@return C", "@return").collect::<Vec<_>>(),
            ["A\n@returns B\n@return C", "C"]
        );
    }
}
