//! Unparsed tokens, such as the arguments of a macro: names, member chains and calls are recognised by adjacent tokens.

use super::definitions::SymbolDraft;
use super::{Lowering, mark};
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{
    Base, BindingKind, Expr, ExprId, ExprList, RefKind, Reference, Relation, Scope, ScopeKind, Sequence,
    Span, SymbolKind,
};
use std::ops::Range;

/// Maximum nesting depth of groups of tokens.
const DEPTH_CAP: usize = 60;
/// Maximum number of tokens between the name of a function and its body.
const SIGNATURE_CAP: usize = 64;
/// Maximum number of arguments.
const ARGS_CAP: usize = 64;

/// A run of tokens that is one expression: `a::b(c).d`.
struct Chain {
    /// The references on the way: a call in the middle is a reference of its own.
    uses: Vec<(RefKind, ExprId, NodeId)>,
    expr: ExprId,
    /// Its last token.
    end: NodeId,
    /// Whether it is a single name.
    bare: bool,
}

/// How a token continues the chain before it.
enum Link {
    Member,
    Await,
    Call,
    Expand,
    Make,
    Index,
    /// Type arguments between: `f::<T>(x)`.
    Applied,
}

impl Lowering<'_> {
    /// Adds the reference to a macro whose call was erased around the items in it.
    pub(super) fn expand_around_items(&mut self, name: &Range<usize>) {
        let source = self.tree.source;
        let written = crate::facts::display_text::lossy(&source[name.clone()]).into_owned();
        let last = written.rsplit("::").next().unwrap_or(&written).trim();
        let at = name.end - last.len();
        let line = memchr::memchr_iter(b'\n', &source[..at]).count() as u32 + 1;
        // Scopes are in source order: the last one around a place is the innermost.
        let is_around = |scope: &Scope| (scope.start..scope.end).contains(&(at as u32));
        let scope = self.flow.scopes.iter().rposition(is_around).unwrap_or_default();
        let symbol = self.flow.scopes[scope].symbol;
        let callee = self.names.intern(last);
        let callee = self.push_expr(Expr::Name(callee));
        let args = ExprList { start: self.flow.operands.len() as u32, len: 0 };
        let expr = self.push_expr(Expr::Call { callee, args });
        let (kind, at, scope) = (RefKind::Expand, at as u32, scope as u32);
        self.flow.references.push(Reference { kind, expr, at, line, scope, symbol, apart: 0 });
    }

    /// Defines a function that is written among tokens: in the body of a macro, or in the arguments of one that stands for items. Inside
    /// functions such tokens are code that is generated, not code of the function.
    pub(super) fn token_function(&mut self, id: NodeId) {
        let Some(word) = &self.table.token_functions else { return };
        let is_variable = self.tree.bytes(id).first() == Some(&b'$') && self.tree.node(id).named;
        if !self.is_token_name(id) && !is_variable || self.in_function() {
            return;
        }
        let start = self.tree.node(id).start as usize;
        let before = self.tree.source[..start].trim_ascii_end();
        let Some(rest) = before.strip_suffix(word.as_bytes()) else { return };
        if before.len() == start
            || rest.last().is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return;
        }
        if is_variable {
            return self.named_by_argument(id);
        }
        let Some((params, body)) = self.token_function_parts(id) else { return };
        let last = body.unwrap_or(params);
        let (name, parent) = (self.name_text(id), self.frame().symbol);
        let rule = self.table.rule(self.tree, id);
        let draft = SymbolDraft {
            kind: SymbolKind::Function,
            name: &name,
            qualifier: None,
            node: id,
            name_node: id,
            body,
            parent,
        };
        let symbol = self.add_symbol(draft, rule);
        self.mark(id, mark::CONSUMED);
        let (first, end) = (self.tree.span(id), self.tree.span(last));
        let skipped = memchr::memchr_iter(b'\n', &self.tree.source[rest.len()..start]).count() as u32;
        let from = Span { start: rest.len() as u32, first_line: first.first_line - skipped, ..end };
        let header = self.tree.span(params);
        let added = &mut self.outline.symbols[symbol as usize];
        added.span = from;
        added.header = Span { end: header.end, last_line: header.last_line, ..from };
        let header = added.header;
        let signature = self.signature(&header);
        self.outline.symbols[symbol as usize].signature = signature;
        let scope = self.push_scope(last, ScopeKind::Function, Some(symbol));
        self.flow.scopes[scope as usize].start = from.start;
        for param in self.tree.children(params).collect::<Vec<_>>() {
            if self.is_token_name(param) && self.is_label(param) {
                let name = self.name_text(param);
                self.bind_name(scope, &name, BindingKind::Param, self.tree.node(param).start);
            }
        }
    }

    /// The groups of parameters and of the body after the name of a function.
    fn token_function_parts(&self, name: NodeId) -> Option<(NodeId, Option<NodeId>)> {
        let (mut at, mut params) = (name, None);
        for _ in 0..SIGNATURE_CAP {
            let Some(next) = self.next_token(at).filter(|&next| !self.gap(at, next).contains(&b';')) else {
                break;
            };
            if params.is_none() && self.is_group(next, b'(') {
                params = Some(next);
            } else if let Some(params) = params
                && self.is_group(next, b'{')
            {
                return Some((params, Some(next)));
            }
            at = next;
        }
        params.map(|params| (params, None))
    }

    /// Adds the references of the chain that a name begins, unless it continues another.
    pub(super) fn token_use(&mut self, id: NodeId) {
        if self.has(id, mark::PART | mark::CONSUMED) || !self.is_token_name(id) {
            return;
        }
        let chain = self.chain(id, 0);
        self.mark(id, mark::PART);
        let label =
            chain.bare && (self.is_label(chain.end) || self.table.rule(self.tree, id).not_a_reference);
        for (kind, expr, node) in chain.uses {
            if !label {
                self.add_reference(kind, expr, node);
            }
        }
    }

    /// Adds the interfaces that attributes implement: `#[derive(Debug, Clone)]`.
    pub(super) fn derived(&mut self, id: NodeId, symbol: u32) {
        let mut attributes = Vec::new();
        self.attributes_before(self.outer_of(id), &mut attributes);
        attributes.sort_unstable();
        for attribute in attributes {
            let text = crate::facts::display_text::bare_attribute(&crate::facts::display_text::lossy(
                self.tree.bytes(attribute),
            ));
            if !self
                .table
                .derive_attributes
                .iter()
                .any(|known| known == super::headers::attribute_name(&text))
            {
                continue;
            }
            let inside = attribute..self.tree.node(attribute).after;
            let Some(group) = inside.into_iter().find(|&node| self.tree.bytes(node).starts_with(b"(")) else {
                continue;
            };
            for token in self.tree.children(group).collect::<Vec<_>>() {
                self.derived_name(token, symbol);
            }
        }
    }

    fn derived_name(&mut self, token: NodeId, symbol: u32) {
        if !self.is_token_name(token) || self.has(token, mark::PART) {
            return;
        }
        let chain = self.chain(token, 0);
        let (start, end) = (self.tree.node(token).start as usize, self.tree.node(chain.end).end as usize);
        let text = crate::facts::display_text::lossy(&self.tree.source[start..end]).into_owned();
        let name = self.name_text(chain.end);
        let (text, name) = (self.shown.intern(&text), self.shown.intern(&name));
        self.outline.symbols[symbol as usize].bases.push(Base { text, name, relation: Relation::Implements });
        self.add_reference(RefKind::Inherit, chain.expr, chain.end);
    }

    pub(super) fn is_token_name(&self, id: NodeId) -> bool {
        let role = self.table.rule(self.tree, id).expr;
        self.tree.node(id).named
            && matches!(role, Some(ExprRole::Name | ExprRole::SelfRef | ExprRole::SuperRef))
    }

    fn next_token(&self, id: NodeId) -> Option<NodeId> {
        let node = self.tree.node(id);
        let parent = self.tree.get(node.parent)?;
        (node.after < parent.after).then_some(node.after)
    }

    /// The text between two tokens.
    pub(super) fn gap(&self, left: NodeId, right: NodeId) -> &[u8] {
        let (left, right) = (self.tree.node(left).end as usize, self.tree.node(right).start as usize);
        self.tree.source.get(left..right).unwrap_or_default().trim_ascii()
    }

    /// Whether a name is a label: `name: value`, `name = value`.
    fn is_label(&self, id: NodeId) -> bool {
        let end = self.tree.node(id).end as usize;
        let rest = self.tree.source[end..].trim_ascii_start();
        let second = rest.get(1).copied().unwrap_or_default();
        match rest.first() {
            Some(b':') => second != b':',
            Some(b'=') => second != b'=' && second != b'>',
            _ => false,
        }
    }

    fn is_group(&self, id: NodeId, open: u8) -> bool {
        self.table.rule(self.tree, id).unparsed_tokens && self.tree.bytes(id).first() == Some(&open)
    }

    /// How the next token continues a chain that ends in `last`.
    fn link(&self, last: NodeId) -> Option<(Link, NodeId)> {
        let next = self.next_token(last)?;
        let gap = self.gap(last, next);
        let gap = gap.strip_prefix(b"?").unwrap_or(gap).trim_ascii_start();
        let link = match gap {
            b"." | b"::" | b"->" if self.is_token_name(next) => Link::Member,
            b"." if !self.tree.node(next).named => Link::Await,
            b"" if self.is_group(next, b'(') => Link::Call,
            b"" if self.is_group(next, b'[') => Link::Index,
            b"" if self.is_group(next, b'{') && self.name_text(last).starts_with(char::is_uppercase) => {
                Link::Make
            }
            b"!" if self.table.rule(self.tree, next).unparsed_tokens => Link::Expand,
            b"::<" => {
                let (mut at, mut budget) = (next, 16);
                loop {
                    let after = self.next_token(at)?;
                    let between = self.gap(at, after);
                    if between.contains(&b'>') {
                        let calls = between.ends_with(b">") && self.is_group(after, b'(');
                        return calls.then_some((Link::Applied, after));
                    }
                    budget -= 1;
                    if budget == 0 {
                        return None;
                    }
                    at = after;
                }
            }
            _ => return None,
        };
        Some((link, next))
    }

    fn chain(&mut self, start: NodeId, depth: usize) -> Chain {
        let mut expr = self.chain_head(start);
        let mut chain = Chain { uses: Vec::new(), expr, end: start, bare: true };
        // The last name that is no reference yet, and the offset of its name.
        let mut open = (self.table.rule(self.tree, start).expr == Some(ExprRole::Name)).then_some(start);
        let mut name = start;
        while let Some((link, next)) = self.link(chain.end) {
            chain.bare = false;
            match link {
                Link::Member => {
                    let text = self.name_text(next);
                    expr = self.member_of_chain(expr, &text);
                    (open, name) = (Some(next), next);
                    self.mark(next, mark::PART);
                }
                Link::Await => expr = self.push_expr(Expr::Await(expr)),
                Link::Index => {
                    chain.uses.extend(open.take().map(|node| (RefKind::Read, expr, node)));
                    let key = self.push_expr(Expr::Unknown);
                    expr = self.push_expr(Expr::Index { base: expr, key });
                }
                Link::Call | Link::Expand | Link::Make | Link::Applied => {
                    let args = self.token_args(next, depth + 1);
                    let (kind, made) = match link {
                        Link::Make => (RefKind::Construct, Expr::New { ty: expr, args }),
                        Link::Expand => (RefKind::Expand, Expr::Call { callee: expr, args }),
                        _ => (RefKind::Call, Expr::Call { callee: expr, args }),
                    };
                    expr = self.push_expr(made);
                    chain.uses.push((kind, expr, name));
                    open = None;
                }
            }
            chain.end = next;
        }
        chain.uses.extend(open.map(|node| (RefKind::Read, expr, node)));
        chain.expr = expr;
        chain
    }

    fn member_of_chain(&mut self, base: ExprId, name: &str) -> ExprId {
        let name = self.names.intern(name);
        self.push_expr(Expr::Member { base, name })
    }

    /// The first name of a chain; it may be a member of something unknown.
    fn chain_head(&mut self, start: NodeId) -> ExprId {
        let previous = self.tree.node(start).previous;
        let behind =
            if previous == crate::parse::flat_tree::NONE { &[][..] } else { self.gap(previous, start) };
        let member = behind.ends_with(b"::") || behind.ends_with(b".") && !behind.ends_with(b"..");
        if !member {
            return self.expr(start);
        }
        let base = self.push_expr(Expr::Unknown);
        let text = self.name_text(start);
        self.member_of_chain(base, &text)
    }

    /// The arguments in a group of tokens.
    pub(super) fn token_args(&mut self, group: NodeId, depth: usize) -> ExprList {
        let mut args: Vec<ExprId> = Vec::new();
        if depth < DEPTH_CAP {
            let tokens: Vec<NodeId> = self.tree.children(group).collect();
            let mut start = 0;
            while start < tokens.len() && args.len() < ARGS_CAP {
                let mut end = start + 1;
                while end < tokens.len() && !self.gap(tokens[end - 1], tokens[end]).contains(&b',') {
                    end += 1;
                }
                let arg = self.token_arg(&tokens[start..end], depth);
                args.push(arg);
                start = end;
            }
        }
        let list = ExprList { start: self.flow.operands.len() as u32, len: args.len() as u32 };
        self.flow.operands.extend(args);
        list
    }

    fn token_arg(&mut self, tokens: &[NodeId], depth: usize) -> ExprId {
        let [first, rest @ ..] = tokens else { return self.push_expr(Expr::Unknown) };
        if let [value, ..] = rest
            && self.is_token_name(*first)
            && self.is_label(*first)
            && matches!(self.gap(*first, *value).first(), Some(b':' | b'='))
        {
            let text = self.name_text(*first);
            let value = self.token_arg(rest, depth + 1);
            let name = self.names.intern(&text);
            return self.push_expr(Expr::Named { name, value });
        }
        if self.is_token_name(*first) {
            let known = self.token_chains.get(first).copied();
            let (expr, end) = known.unwrap_or_else(|| {
                let chain = self.chain(*first, depth);
                (chain.expr, chain.end)
            });
            self.token_chains.insert(*first, (expr, end));
            if tokens.last() == Some(&end) {
                return expr;
            }
        } else if rest.is_empty()
            && self.tree.node(*first).named
            && !self.table.rule(self.tree, *first).unparsed_tokens
        {
            return self.expr(*first);
        }
        self.token_parts(tokens, depth).unwrap_or_else(|| self.push_expr(Expr::Unknown))
    }

    /// The parts of a path that a macro defines: `"users" / u64`. A division has no text.
    fn token_parts(&mut self, tokens: &[NodeId], depth: usize) -> Option<ExprId> {
        let mut parts: Vec<Vec<NodeId>> = vec![Vec::new()];
        for (at, &token) in tokens.iter().enumerate() {
            if at > 0 && self.gap(tokens[at - 1], token).trim_ascii() == b"/" {
                parts.push(Vec::new());
            }
            parts.last_mut()?.push(token);
        }
        if parts.len() < 2 || depth >= DEPTH_CAP {
            return None;
        }
        let mut items = Vec::new();
        for part in &parts {
            items.push(self.token_arg(part, depth + 1));
        }
        let is_text = |item: &ExprId| matches!(self.flow.expr(*item), Expr::Text(_));
        if !items.iter().any(is_text) {
            return None;
        }
        let list = ExprList { start: self.flow.operands.len() as u32, len: items.len() as u32 };
        self.flow.operands.extend(items);
        Some(self.push_expr(Expr::Sequence { kind: Sequence::Tuple, items: list }))
    }
}
