//! Expressions: lowers the nodes that determine what a name means.
//!
//! Example: `open(path).lines[0]` becomes `Index { base: Member { base: Call { Name(open), [Name(path)] }, lines }, key: 0 }`;
//! equal expressions of a file share one id.

use super::Lowering;
use crate::facts::{display_text, string_text};
use crate::node_table::Rule;
use crate::parse::flat_tree::{NONE, NodeId};
use crate::schema::vocabulary::ExprRole;
use orient_model::{Expr, ExprId, ExprList, Literal, RECEIVER_LABEL, Sequence, Wrapper};

/// Maximum nesting depth; code written by people stays far below.
const DEPTH_CAP: usize = 200;
/// Maximum number of items of a list literal: a table of data need not become facts.
const ITEMS_CAP: usize = 64;
/// Maximum length of a string literal, in bytes.
const STRING_CAP: usize = 80;

impl<'t> Lowering<'t> {
    /// The expression of a node.
    pub(super) fn expr(&mut self, id: NodeId) -> ExprId {
        self.expr_at(id, 0)
    }

    fn expr_at(&mut self, id: NodeId, depth: usize) -> ExprId {
        let known = self.exprs[id as usize];
        if known != NONE {
            return ExprId(known);
        }
        if depth > DEPTH_CAP {
            self.too_deep = true;
            return self.push_expr(Expr::Unknown);
        }
        let rule: &'t Rule = self.table.rule(self.tree, id);
        let mention = rule.needs_body && rule.body.find(self.tree, id).is_none();
        let expr = if (rule.symbol.is_some()
            || rule.declare.is_some() && rule.only_if_function && self.holds_function(id, rule))
            && !mention
        {
            // The symbol or scope of the function is known only after the walk has passed it.
            let function = if rule.symbol.is_some() { id } else { self.function_of(id, rule) };
            self.named_function(rule, function, id, depth)
        } else {
            match rule.role(self.tree, id) {
                Some(role) => self.lower_role(id, rule, role, depth),
                None => self.only_child(id, depth),
            }
        };
        let expr = match expr {
            Ok(id) => id,
            Err(expr) => self.push_expr(expr),
        };
        self.exprs[id as usize] = expr.0;
        expr
    }

    fn holds_function(&self, id: NodeId, rule: &Rule) -> bool {
        rule.value.find(self.tree, id).is_some_and(|value| self.is_unnamed(self.through(value)))
    }

    fn function_of(&self, id: NodeId, rule: &Rule) -> NodeId {
        rule.value.find(self.tree, id).map_or(id, |value| self.through(value))
    }

    /// A function value; in an object literal it is an entry under its name.
    fn named_function(
        &mut self,
        rule: &Rule,
        function: NodeId,
        id: NodeId,
        depth: usize,
    ) -> Result<ExprId, Expr> {
        if function == id {
            let in_map = self.tree.get(self.tree.node(id).parent).is_some_and(|_| {
                let parent = self.tree.node(id).parent;
                self.table.rule(self.tree, parent).expr == Some(ExprRole::Sequence(Sequence::Map))
            });
            if !in_map {
                return Err(Expr::Lambda(function));
            }
            let Some(naming) = rule.name.find(self.tree, id).and_then(|name| self.naming(name)) else {
                return Err(Expr::Lambda(function));
            };
            let value = self.push_expr(Expr::Lambda(function));
            return Err(Expr::Named { name: self.names.intern(&naming.name), value });
        }
        let value = self.expr_at(function, depth + 1);
        let name = rule.name.find(self.tree, id).map(|name| self.name_text(name)).unwrap_or_default();
        Err(Expr::Named { name: self.names.intern(display_text::unquote(&name)), value })
    }

    fn lower_role(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        role: ExprRole,
        depth: usize,
    ) -> Result<ExprId, Expr> {
        let tree = self.tree;
        Err(match role {
            ExprRole::Name => self.lower_name(id),
            ExprRole::SelfRef => self.lower_receiver(id, rule, Expr::SelfRef),
            ExprRole::SuperRef => self.lower_receiver(id, rule, Expr::SuperRef),
            ExprRole::Delegated => {
                let base = self.part(id, &rule.value, 0, depth);
                let name = self.names.intern(rule.fixed_name.as_deref().unwrap_or_default());
                let callee = self.push_expr(Expr::Member { base, name });
                Expr::Call { callee, args: ExprList::default() }
            }
            ExprRole::Own => {
                let name = self.name_text(id);
                let base = self.push_expr(Expr::SelfRef);
                Expr::Member { base, name: self.names.intern(&name) }
            }
            // The target of an assignment is no call even if it looks like one: `a.b = c`.
            ExprRole::Call if self.has(id, super::mark::WRITE) && rule.args.find(tree, id).is_none() => {
                return self.lower_role(id, rule, ExprRole::Member, depth);
            }
            ExprRole::Member => return self.lower_member(id, rule, depth),
            ExprRole::Call if let Some(ty) = self.made_type(id, rule) => {
                let ty = self.expr_at(ty, depth + 1);
                let args = self.args(id, rule, depth);
                Expr::New { ty, args }
            }
            ExprRole::Call => {
                let callee = self.callee(id, rule, depth);
                let callee = self.applied(id, rule, callee, depth);
                let args = self.args(id, rule, depth);
                Expr::Call { callee, args }
            }
            ExprRole::New => {
                let Some(ty) = rule.ty.find(tree, id) else { return Err(Expr::Unknown) };
                let ty = self.expr_at(ty, depth + 1);
                let ty = self.applied(id, rule, ty, depth);
                let args = self.args(id, rule, depth);
                Expr::New { ty, args }
            }
            ExprRole::Index => {
                let base = self.part(id, &rule.base, 0, depth);
                let key = self.part(id, &rule.value, 1, depth);
                let key = match rule.value.find(tree, id).filter(|_| self.table.rebinds) {
                    Some(node) => self.constant(node, key),
                    None => key,
                };
                Expr::Index { base, key }
            }
            ExprRole::Await => Expr::Await(self.part(id, &rule.value, 0, depth)),
            ExprRole::Cast => return self.lower_cast(id, rule, depth),
            ExprRole::Apply => {
                let base = self.part(id, &rule.base, 0, depth);
                let args = self.args(id, rule, depth);
                if args.len == 0 {
                    return Ok(base);
                }
                Expr::Apply { base, args }
            }
            ExprRole::Wrap(wrapper) => {
                let whole = Expr::Wrap { wrapper, inner: self.part(id, &rule.value, 0, depth) };
                match rule.params.find(tree, id).filter(|_| wrapper == Wrapper::FunctionType) {
                    Some(params) => self.function_type(whole, params, depth),
                    None => whole,
                }
            }
            ExprRole::Either => return self.lower_either(id, rule, depth),
            ExprRole::Run => {
                let items: Vec<NodeId> =
                    tree.named_children(id).filter(|&c| !self.table.rule(tree, c).comment).collect();
                if let [only] = items[..] {
                    return Ok(self.expr_at(only, depth + 1));
                }
                Expr::Sequence { kind: Sequence::Tuple, items: self.list(&items, depth) }
            }
            ExprRole::Path => self.path(id, rule, depth),
            ExprRole::Sequence(kind) => {
                let items: Vec<NodeId> =
                    tree.named_children(id).filter(|&c| !self.table.rule(tree, c).comment).collect();
                Expr::Sequence { kind, items: self.list(&items, depth) }
            }
            ExprRole::Record => self.lower_record(id, depth),
            ExprRole::Named => return self.lower_named(id, rule, depth),
            ExprRole::Literal(Literal::String) => self.lower_string(id),
            ExprRole::Literal(literal) => self.lower_literal(id, rule, literal),
            ExprRole::Transparent => return self.lower_inner(id, rule, depth),
            ExprRole::Joined if self.has_text(id, depth) => self.lower_joined(id, depth),
            ExprRole::Joined | ExprRole::Opaque => Expr::Unknown,
        })
    }

    /// The receiver, or the one that its label selects.
    fn lower_receiver(&mut self, id: NodeId, rule: &Rule, receiver: Expr) -> Expr {
        let Some(label) = rule.label.find(self.tree, id) else { return receiver };
        let name = format!("{RECEIVER_LABEL}{}", self.name_text(label));
        let base = self.push_expr(receiver);
        Expr::Member { base, name: self.names.intern(&name) }
    }

    /// A literal, with the type that the end of its text says: `1L`.
    fn lower_literal(&mut self, id: NodeId, rule: &Rule, literal: Literal) -> Expr {
        let text = self.tree.bytes(id);
        let types = if text.contains(&b'.') { &rule.fraction_types } else { &rule.suffix_types };
        let types = if types.is_empty() { &rule.suffix_types } else { types };
        let Some((_, ty)) = types.iter().find(|(suffix, _)| text.ends_with(suffix)) else {
            return Expr::Literal(literal);
        };
        let value = self.push_expr(Expr::Literal(literal));
        let name = self.names.intern(ty);
        let ty = self.push_expr(Expr::Name(name));
        Expr::Cast { value, ty }
    }

    /// A number that may be an index keeps its text, like a string.
    pub(super) fn constant(&mut self, node: NodeId, expr: ExprId) -> ExprId {
        if self.flow.expr(expr) != Expr::Literal(Literal::Integer) {
            return expr;
        }
        let name = self.name_text(node);
        let name = self.names.intern(&display_text::cut(&name, STRING_CAP));
        self.push_expr(Expr::Named { name, value: expr })
    }

    /// `a.b`: a name after its base, which may be omitted.
    fn lower_member(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> Result<ExprId, Expr> {
        let tree = self.tree;
        let Some(name) = rule.name.find(tree, id) else { return self.only_child(id, depth) };
        let Some(base) = rule.base.find(tree, id) else {
            let plain = self.table.rule(tree, name).expr.is_none();
            let root = self.table.global_prefix.as_str();
            let is_path = self.table.rule(tree, name).expr == Some(ExprRole::Member);
            if !root.is_empty() && !is_path && self.tree.bytes(id).starts_with(root.as_bytes()) {
                let name = format!("{root}{}", self.name_text(name));
                return Err(Expr::Name(self.names.intern(&name)));
            }
            if plain {
                let name = self.name_text(name);
                return Err(Expr::Name(self.names.intern(&name)));
            }
            return Ok(self.expr_at(name, depth + 1));
        };
        let mut base = self.expr_at(base, depth + 1);
        if rule.is_path
            && let Expr::Name(root) = self.flow.expr(base)
            && self.variables.contains(&root)
        {
            base = self.push_expr(Expr::Wrap { wrapper: Wrapper::PathRoot, inner: base });
        }
        Err(self.member_of_base(base, name, depth))
    }

    /// The expression inside a transparent node: parentheses, a parameter's type.
    fn lower_inner(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> Result<ExprId, Expr> {
        let tree = self.tree;
        let ty = if rule.param { rule.ty.find(tree, id) } else { None };
        let inner = ty
            .or_else(|| rule.value.find(tree, id))
            .or_else(|| tree.named_children(id).find(|&c| !self.table.rule(tree, c).comment));
        inner.map(|inner| self.expr_at(inner, depth + 1)).ok_or(Expr::Unknown)
    }

    /// Whether a string is among the parts of a concatenation.
    fn has_text(&self, id: NodeId, depth: usize) -> bool {
        depth < 64
            && self.tree.named_children(id).any(|part| {
                match self.table.rule(self.tree, part).role(self.tree, part) {
                    Some(ExprRole::Literal(Literal::String)) => true,
                    Some(ExprRole::Opaque | ExprRole::Joined | ExprRole::Transparent) => {
                        self.has_text(part, depth + 1)
                    }
                    _ => false,
                }
            })
    }

    /// The type of a function, applied to its parameter types.
    fn function_type(&mut self, whole: Expr, params: NodeId, depth: usize) -> Expr {
        let mut types = Vec::new();
        for param in self.tree.named_children(params).take(ITEMS_CAP) {
            let rule: &'t Rule = self.table.rule(self.tree, param);
            if rule.comment || !(rule.param || rule.expr.is_some()) {
                continue;
            }
            if !rule.param {
                types.push(self.expr_at(param, depth + 1));
                continue;
            }
            let ty = match rule.ty.find(self.tree, param) {
                Some(ty) => self.expr_at(ty, depth + 1),
                None => self.push_expr(Expr::Unknown),
            };
            let name = rule.name.find(self.tree, param);
            let rest = name.is_some_and(|name| {
                self.table.rule(self.tree, name).expr == Some(ExprRole::Wrap(Wrapper::Spread))
            });
            types.push(if rest {
                self.push_expr(Expr::Wrap { wrapper: Wrapper::Spread, inner: ty })
            } else {
                ty
            });
        }
        if types.is_empty() {
            return whole;
        }
        let base = self.push_expr(whole);
        let args = ExprList { start: self.flow.operands.len() as u32, len: types.len() as u32 };
        self.flow.operands.extend(types);
        Expr::Apply { base, args }
    }

    /// A path of sibling names, the last with its type arguments.
    fn path(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> Expr {
        let mut chain: Option<ExprId> = None;
        for name in self.path_names(id) {
            chain = Some(match chain {
                None => self.expr_at(name, depth + 1),
                Some(base) => {
                    let name = self.name_text(name);
                    let name = self.names.intern(&name);
                    self.push_expr(Expr::Member { base, name })
                }
            });
        }
        let Some(base) = chain else { return Expr::Unknown };
        if rule.args.find(self.tree, id).is_none() {
            return self.flow.expr(base);
        }
        let args = self.args(id, rule, depth);
        Expr::Apply { base, args }
    }

    pub(super) fn path_names(&self, id: NodeId) -> Vec<NodeId> {
        let is_name = |child: &NodeId| self.table.rule(self.tree, *child).expr == Some(ExprRole::Name);
        self.tree.named_children(id).filter(is_name).take(DEPTH_CAP).collect()
    }

    /// `base.name`, where the name may be a path itself: `a::(b::c<T>)`.
    fn member_of_base(&mut self, base: ExprId, name: NodeId, depth: usize) -> Expr {
        let rule: &'t Rule = self.table.rule(self.tree, name);
        if depth < DEPTH_CAP {
            match (rule.expr, rule.base.find(self.tree, name), rule.name.find(self.tree, name)) {
                (Some(ExprRole::Member), Some(inner), Some(last)) => {
                    let inner = self.member_of_base(base, inner, depth + 1);
                    let base = self.push_expr(inner);
                    return self.member_of_base(base, last, depth + 1);
                }
                (Some(ExprRole::Apply), Some(inner), _) => {
                    let inner = self.member_of_base(base, inner, depth + 1);
                    let base = self.push_expr(inner);
                    let args = self.args(name, rule, depth + 1);
                    return Expr::Apply { base, args };
                }
                _ => {}
            }
        }
        let name = self.name_text(name);
        Expr::Member { base, name: self.names.intern(&name) }
    }

    fn lower_either(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> Result<ExprId, Expr> {
        let items =
            if rule.value.is_empty() { self.alternatives(id) } else { rule.value.find_each(self.tree, id) };
        if let [only] = items[..] {
            return Ok(self.expr_at(only, depth + 1));
        }
        Err(Expr::Either(self.list(&items, depth)))
    }

    /// A type that lists its fields: an object whose entries have the types of the fields.
    fn lower_record(&mut self, id: NodeId, depth: usize) -> Expr {
        let mut fields = Vec::new();
        for child in self.tree.named_children(id) {
            let is_list = self.table.rule(self.tree, child).name.is_empty();
            if is_list {
                fields.extend(self.tree.named_children(child));
            } else {
                fields.push(child);
            }
        }
        let unknown = self.push_expr(Expr::Unknown);
        let mut items = Vec::new();
        for field in fields.into_iter().take(ITEMS_CAP) {
            let rule: &'t Rule = self.table.rule(self.tree, field);
            let Some(ty) = rule.ty.find(self.tree, field) else { continue };
            let ty = self.expr_at(ty, depth + 1);
            let value = self.push_expr(Expr::Cast { value: unknown, ty });
            for name in rule.name.find_all(self.tree, field) {
                let name = self.name_text(name);
                let name = self.names.intern(&display_text::cut(&name, STRING_CAP));
                items.push(self.push_expr(Expr::Named { name, value }));
            }
        }
        let list = ExprList { start: self.flow.operands.len() as u32, len: items.len() as u32 };
        self.flow.operands.extend(items);
        Expr::Sequence { kind: Sequence::Map, items: list }
    }

    fn lower_named(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> Result<ExprId, Expr> {
        let name = rule.name.find(self.tree, id).map(|name| self.name_text(name)).unwrap_or_default();
        let value = self.part(id, &rule.value, 1, depth);
        if name.is_empty() {
            return Ok(value);
        }
        Err(Expr::Named {
            name: self.names.intern(&display_text::cut(display_text::unquote(&name), STRING_CAP)),
            value,
        })
    }

    /// The alternatives of a chain, which grammars nest: `a | b | c`.
    fn alternatives(&self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut pending) = (Vec::new(), vec![id]);
        while let Some(at) = pending.pop() {
            let rule = self.table.rule(self.tree, at);
            let inner = self.tree.node(at).kind == self.tree.node(id).kind
                && rule.role(self.tree, at) == Some(ExprRole::Either);
            if inner && found.len() < ITEMS_CAP {
                let first = pending.len();
                pending.extend(self.tree.named_children(at).filter(|&c| !self.table.rule(self.tree, c).skip));
                pending[first..].reverse();
            } else {
                found.push(at);
            }
        }
        found
    }

    fn lower_cast(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> Result<ExprId, Expr> {
        let value = self.part(id, &rule.value, 0, depth);
        if !rule.ty.is_empty() && rule.ty.find(self.tree, id).is_none() {
            return Ok(value);
        }
        let ty = self.part(id, &rule.ty, 1, depth);
        Err(Expr::Cast { value, ty })
    }

    /// A string that may be a name, a path or what a program is told by keeps its text; prose is just a string.
    fn lower_string(&mut self, id: NodeId) -> Expr {
        let content = display_text::lossy(self.tree.bytes(id));
        match string_text::meaning(display_text::unquote(&content), STRING_CAP) {
            Some(text) => Expr::Text(self.names.intern(&text)),
            None => Expr::Literal(Literal::String),
        }
    }

    /// A concatenation keeps the texts of its literals if they may be a path; `{?}` stands for the other parts.
    fn lower_joined(&mut self, id: NodeId, depth: usize) -> Expr {
        let mut text = String::new();
        self.join_parts(id, depth, &mut text);
        let is_path = text.contains('/') && text.len() <= STRING_CAP && !text.contains(char::is_whitespace);
        if is_path { Expr::Text(self.names.intern(&text)) } else { Expr::Literal(Literal::String) }
    }

    fn join_parts(&self, id: NodeId, depth: usize, text: &mut String) {
        for part in self.tree.named_children(id) {
            match self.table.rule(self.tree, part).role(self.tree, part) {
                Some(ExprRole::Literal(Literal::String)) => {
                    text.push_str(display_text::unquote(&display_text::lossy(self.tree.bytes(part))));
                }
                Some(ExprRole::Joined | ExprRole::Transparent) if depth < 64 && text.len() <= STRING_CAP => {
                    self.join_parts(part, depth + 1, text);
                }
                _ => text.push_str("{?}"),
            }
        }
    }

    fn lower_name(&mut self, id: NodeId) -> Expr {
        let name = self.name_text(id);
        if self.table.super_names.contains(&name) {
            return Expr::SuperRef;
        }
        if self.table.self_names.contains(&name) && !self.table.first_param_is_self {
            return Expr::SelfRef;
        }
        Expr::Name(self.names.intern(&name))
    }

    /// The callee: `callee`, or `base` and `name` if the grammar separates them.
    fn callee(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> ExprId {
        if let Some(same) = self.continued(id, rule) {
            let inner = self.table.rule(self.tree, same);
            let callee = self.callee(same, inner, depth + 1);
            return self.applied(same, inner, callee, depth);
        }
        if let Some(callee) = rule.callee.find(self.tree, id) {
            return self.expr_at(callee, depth + 1);
        }
        let Some(name_node) = rule.name.find(self.tree, id) else { return self.push_expr(Expr::Unknown) };
        let Some(base) = rule.base.find(self.tree, id) else { return self.expr_at(name_node, depth + 1) };
        let base = self.expr_at(base, depth + 1);
        let name = self.name_text(name_node);
        let name = self.names.intern(&name);
        self.push_expr(Expr::Member { base, name })
    }

    /// The callee or constructed type, with the type arguments beside it.
    fn applied(&mut self, id: NodeId, rule: &'t Rule, base: ExprId, depth: usize) -> ExprId {
        let Some(list) = rule.type_args.find(self.tree, id) else { return base };
        let items: Vec<NodeId> = self.tree.named_children(list).collect();
        let args = self.list(&items, depth);
        self.push_expr(Expr::Apply { base, args })
    }

    /// The call to which a call only adds a last argument: `f(1)` in `f(1) { … }`.
    pub(super) fn continued(&self, id: NodeId, rule: &Rule) -> Option<NodeId> {
        rule.trailing_argument.find(self.tree, id)?;
        let same = rule.callee.find(self.tree, id)?;
        let inner = self.table.rule(self.tree, same);
        (inner.expr == Some(ExprRole::Call)
            && !inner.trailing_argument.is_empty()
            && inner.trailing_argument.find(self.tree, same).is_none())
        .then_some(same)
    }

    fn args(&mut self, id: NodeId, rule: &'t Rule, depth: usize) -> ExprList {
        let found = rule.args.find_all(self.tree, id);
        if let &[args] = found.as_slice()
            && self.table.rule(self.tree, args).unparsed_tokens
        {
            return self.token_args(args, depth);
        }
        let mut items: Vec<NodeId> = Vec::new();
        let before = self
            .continued(id, rule)
            .map(|same| self.table.rule(self.tree, same).args.find_all(self.tree, same));
        for args in before.into_iter().flatten().chain(found) {
            let args_rule = self.table.rule(self.tree, args);
            let is_spread = rule.spreads_list && matches!(args_rule.expr, Some(ExprRole::Sequence(_)));
            if (args_rule.expr.is_some() || args_rule.symbol.is_some()) && !is_spread {
                items.push(args);
            } else {
                items.extend(
                    self.tree.named_children(args).filter(|&c| !self.table.rule(self.tree, c).comment),
                );
            }
        }
        // A block after the arguments is one more argument.
        let block =
            rule.body.find(self.tree, id).filter(|&block| self.is_unnamed(block) && !items.contains(&block));
        items.extend(block);
        self.list(&items, depth)
    }

    fn part(&mut self, id: NodeId, spec: &crate::node_table::NodePath, nth: usize, depth: usize) -> ExprId {
        let node =
            if spec.is_empty() { self.tree.named_children(id).nth(nth) } else { spec.find(self.tree, id) };
        match node {
            Some(node) => self.expr_at(node, depth + 1),
            None => self.push_expr(Expr::Unknown),
        }
    }

    fn list(&mut self, items: &[NodeId], depth: usize) -> ExprList {
        let exprs: Vec<ExprId> =
            items.iter().take(ITEMS_CAP).map(|&item| self.expr_at(item, depth + 1)).collect();
        let list = ExprList { start: self.flow.operands.len() as u32, len: exprs.len() as u32 };
        self.flow.operands.extend(exprs);
        list
    }

    /// A node without a role is equivalent to its only child, if it has just one.
    fn only_child(&mut self, id: NodeId, depth: usize) -> Result<ExprId, Expr> {
        let mut children = self.tree.named_children(id).filter(|&c| !self.table.rule(self.tree, c).comment);
        match (children.next(), children.next()) {
            (Some(only), None) => Ok(self.expr_at(only, depth + 1)),
            _ => Err(Expr::Unknown),
        }
    }
}
