//! Values with names: fields, constants, variables, locals, assignments, and what leaves a function.

use super::define::Draft;
use super::naming::Naming;
use super::{Lowering, mark};
use crate::table::{CallImport, Rule};
use crate::tree::{NONE, NodeId};
use crate::vocabulary::ExprRole;
use orient_model::{
    Assign, BindingKind, Expr, ExprId, Import, ImportKind, Modifier, Modifiers, Return, ScopeKind, Sequence, SymbolKind,
    Via, Visibility,
};

/// What a declaration says of all its names.
#[derive(Clone, Copy)]
struct Parts {
    ty: Option<NodeId>,
    ty_expr: Option<ExprId>,
    value: Option<NodeId>,
    /// How many names share the value.
    count: usize,
}

impl<'t> Lowering<'t> {
    /// A declaration of one or more values. True when it became a symbol that was entered.
    pub(super) fn declare(&mut self, id: NodeId, rule: &'t Rule, kind: SymbolKind) -> bool {
        let value = rule.value.find(self.tree, id);
        let claimed = value.map(|value| self.through(value)).filter(|&value| self.is_unnamed(value));
        if rule.if_function && claimed.is_none() {
            return false;
        }
        let ty = rule.ty.find(self.tree, id).or_else(|| self.wrapper_type(id));
        let targets = rule.name.find_all(self.tree, id);
        let ty_expr = ty.map(|ty| {
            self.mark(ty, mark::TYPE);
            self.expr(ty)
        });
        let parts = Parts { ty, ty_expr, value, count: targets.len() };
        let mut entered = false;
        for (index, target) in targets.into_iter().enumerate() {
            let simple = self.is_simple(target);
            if rule.rebind && !simple && !self.table.rule(self.tree, target).pattern {
                self.assign_to(target, parts, id);
                continue;
            }
            if simple && let Some(naming) = self.naming(target) {
                entered |= self.declare_one(id, rule, kind, naming, parts, index);
            } else {
                self.declare_pattern(id, rule, kind, target, parts);
            }
        }
        entered
    }

    /// The declared type that stands in a wrapper: `private final Foo a, b;`.
    fn wrapper_type(&self, id: NodeId) -> Option<NodeId> {
        let mut at = self.tree.node(id).parent;
        while at != NONE {
            let rule = self.table.rule(self.tree, at);
            if !rule.wrapper {
                return None;
            }
            if let Some(ty) = rule.ty.find(self.tree, at) {
                return Some(ty);
            }
            at = self.tree.node(at).parent;
        }
        None
    }

    /// Whether a target is one name, possibly inside declarators.
    fn is_simple(&self, id: NodeId) -> bool {
        let rule = self.table.rule(self.tree, id);
        matches!(rule.expr, Some(ExprRole::Name)) || !rule.unwrap.is_empty() || (rule.expr.is_none() && !rule.pattern)
    }

    /// Whether a node defines something but has no name of its own.
    pub(super) fn is_unnamed(&self, id: NodeId) -> bool {
        let rule = self.table.rule(self.tree, id);
        rule.symbol.is_some()
            && rule.name_text.is_none()
            && rule.name.find(self.tree, id).is_none()
            && (!rule.needs_body || rule.body.find(self.tree, id).is_some())
    }

    fn declare_one(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        kind: SymbolKind,
        naming: Naming,
        parts: Parts,
        index: usize,
    ) -> bool {
        let Naming { node, name, qualifier, params, value } = naming;
        let value = value.or(parts.value);
        let callable = params.is_some() && rule.callable.is_some();
        let claimed = [value.map(|v| self.through(v)), parts.ty].into_iter().flatten().find(|&v| self.is_unnamed(v));
        if let Some(value) = value
            && self.require(&name, value, node)
        {
            self.consume(node);
            return false;
        }
        let local = self.in_function() && claimed.is_none() && rule.local.is_none() && !callable;
        if local {
            self.local(&name, node, parts, value, index);
            return false;
        }
        if rule.rebind && self.is_bound_here(&name) {
            self.assign_to(node, parts, id);
            return false;
        }
        self.consume(node);
        let words = self.header_words(id);
        let kind = if callable { rule.callable.unwrap_or(kind) } else { kind };
        let kind = claimed.and_then(|node| self.table.rule(self.tree, node).symbol).unwrap_or(kind);
        let constant = rule.constant.iter().any(|word| words.contains(&word.as_slice()))
            || self.pack.conventions().constant.as_ref().is_some_and(|pattern| pattern.is_match(&name));
        let kind = self.kind_here(rule, kind, &name, &words);
        let kind = if kind == SymbolKind::Variable && constant { SymbolKind::Constant } else { kind };
        let body = claimed.and_then(|node| self.table.rule(self.tree, node).body.find(self.tree, node));
        let draft = Draft { kind, name: &name, qualifier, node: id, name_node: node, body, parent: self.frame().symbol };
        let symbol = self.add_symbol(draft, rule);
        self.finish_value(symbol, parts, value, index);
        if let Some(claimed) = claimed {
            self.claims.insert(claimed, symbol);
        }
        if let Some(params) = params.filter(|_| callable) {
            let scope = self.push_scope(id, ScopeKind::Function, Some(symbol));
            let params = self.params(params, scope, Some(symbol));
            self.outline.symbols[symbol as usize].params = params;
            return true;
        }
        if parts.count == 1 {
            self.push_symbol(id, symbol);
        }
        parts.count == 1
    }

    /// Declared type and value of a symbol, in its outline and in its binding.
    fn finish_value(&mut self, symbol: u32, parts: Parts, value: Option<NodeId>, index: usize) {
        if let Some(ty) = parts.ty {
            let text = self.phrase(ty);
            self.outline.symbols[symbol as usize].returns = Some(text);
        }
        let binding = self.flow.bindings.len() - 1;
        self.flow.bindings[binding].ty = parts.ty_expr;
        let (value, via) = self.value_of(value, parts.count, index);
        self.flow.bindings[binding].value = value;
        self.flow.bindings[binding].via = via;
    }

    /// The value for the `index`-th of `count` names.
    fn value_of(&mut self, value: Option<NodeId>, count: usize, index: usize) -> (Option<ExprId>, Via) {
        let Some(value) = value else { return (None, Via::Value) };
        let expr = self.expr(value);
        let Expr::Sequence { kind: Sequence::Tuple, items } = self.flow.expr(expr) else {
            return (Some(expr), if count > 1 { Via::Item(index as u32) } else { Via::Value });
        };
        if items.len as usize == count && count > 0 {
            return (self.flow.list(items).get(index).copied(), Via::Value);
        }
        match self.flow.list(items) {
            [only] => (Some(*only), if count > 1 { Via::Item(index as u32) } else { Via::Value }),
            _ => (Some(expr), Via::Value),
        }
    }

    fn local(&mut self, name: &str, node: NodeId, parts: Parts, value: Option<NodeId>, index: usize) {
        self.consume(node);
        let scope = self.frame().scope;
        let binding = self.bind_name(scope, name, BindingKind::Local, self.tree.node(node).start);
        let (value, via) = self.value_of(value, parts.count, index);
        let binding = &mut self.flow.bindings[binding];
        (binding.ty, binding.value, binding.via) = (parts.ty_expr, value, via);
    }

    fn declare_pattern(&mut self, id: NodeId, rule: &'t Rule, kind: SymbolKind, target: NodeId, parts: Parts) {
        let names = self.pattern(target);
        let count = names.len();
        let required = parts.value.and_then(|value| self.required_module(value));
        for (node, name, via) in names {
            self.consume(node);
            if let Some(module) = &required
                && let Via::Member(member) = via
            {
                let member = self.names.get(member).to_owned();
                self.add_required(module, Some(&member), &name, node);
                continue;
            }
            let (value, direct) = match via {
                Via::Item(index) => self.value_of(parts.value, count, index as usize),
                _ => (parts.value.map(|value| self.expr(value)), via),
            };
            let via = if matches!(via, Via::Item(_)) { direct } else { via };
            let scope = self.frame().scope;
            if self.in_function() {
                let at = self.tree.node(node).start;
                self.bind_name(scope, &name, BindingKind::Local, at);
            } else if rule.rebind && self.is_bound_here(&name) {
                continue;
            } else {
                let words = self.header_words(id);
                let constant = rule.constant.iter().any(|word| words.contains(&word.as_slice()));
                let kind = self.kind_here(rule, kind, &name, &words);
                let kind = if kind == SymbolKind::Variable && constant { SymbolKind::Constant } else { kind };
                let parent = self.frame().symbol;
                self.add_symbol(Draft { kind, name: &name, qualifier: None, node: id, name_node: node, body: None, parent }, rule);
            }
            if let Some(binding) = self.flow.bindings.last_mut() {
                (binding.value, binding.via) = (value, via);
            }
        }
    }

    fn is_bound_here(&mut self, name: &str) -> bool {
        let scope = self.frame().scope;
        let atom = self.names.intern(name);
        self.flow.bindings.iter().rev().take(5000).any(|binding| binding.scope == scope && binding.name == atom)
    }

    /// A module brought in as the value of a call: `const fs = require("fs")`.
    fn require(&mut self, name: &str, value: NodeId, node: NodeId) -> bool {
        let Some(module) = self.required_module(value) else { return false };
        self.add_required(&module, None, name, node);
        true
    }

    fn required_module(&self, value: NodeId) -> Option<String> {
        if self.table.calls.is_empty() {
            return None;
        }
        let value = self.through(value);
        let rule = self.table.rule(self.tree, value);
        if rule.expr != Some(ExprRole::Call) {
            return None;
        }
        let callee = rule.callee.find(self.tree, value).or_else(|| rule.name.find(self.tree, value))?;
        let call = self.table.calls.get(&self.name_text(callee))?;
        if call.import != Some(CallImport::Value) {
            return None;
        }
        let args = rule.args.find(self.tree, value)?;
        let first = self.tree.named_children(args).next()?;
        let literal = matches!(self.table.rule(self.tree, first).expr, Some(ExprRole::Literal(orient_model::Literal::String)));
        literal.then(|| crate::text::unquote(&crate::text::lossy(self.tree.bytes(first))).to_owned())
    }

    fn add_required(&mut self, module: &str, item: Option<&str>, name: &str, node: NodeId) {
        let at = self.tree.node(node);
        let import = Import {
            kind: if item.is_some() { ImportKind::Item } else { ImportKind::Module },
            module: self.shown.intern(module),
            name: item.map(|item| self.shown.intern(item)),
            alias: Some(self.shown.intern(name)),
            reexport: false,
            visibility: Visibility::Private,
            modifiers: Modifiers::default(),
            scope: self.frame().scope,
            at: at.start,
            line: at.row + 1,
        };
        self.outline.imports.push(import);
        let index = self.outline.imports.len() as u32 - 1;
        self.bind_name(self.frame().scope, name, BindingKind::Import(index), at.start);
    }

    /// Names bound by a statement: loops, `with`, `catch`, short declarations, patterns of a match.
    pub(super) fn bind(&mut self, id: NodeId, rule: &'t Rule, via: Via) {
        let ty = rule.ty.find(self.tree, id);
        let ty_expr = ty.map(|ty| {
            self.mark(ty, mark::TYPE);
            self.expr(ty)
        });
        let value = rule.value.find(self.tree, id);
        let targets = rule.name.find_all(self.tree, id);
        let mut names = Vec::new();
        for target in targets {
            names.extend(self.pattern(target));
        }
        let count = names.len();
        for (index, (node, name, inner)) in names.into_iter().enumerate() {
            self.consume(node);
            let claimed = value.map(|value| self.through(value)).filter(|&value| count == 1 && self.is_unnamed(value));
            if let Some(claimed) = claimed {
                self.local_function(id, rule, &name, node, claimed);
                continue;
            }
            let (expr, item) = match (via, inner) {
                (Via::Value, Via::Item(index)) => self.value_of(value, count, index as usize),
                (Via::Value, Via::Value) => self.value_of(value, count, index),
                (Via::Value, inner) => (value.map(|value| self.expr(value)), inner),
                (via, Via::Value) => (value.map(|value| self.expr(value)), via),
                _ => (value.map(|value| self.expr(value)), Via::Unknown),
            };
            let scope = self.frame().scope;
            let binding = self.bind_name(scope, &name, BindingKind::Local, self.tree.node(node).start);
            let binding = &mut self.flow.bindings[binding];
            (binding.ty, binding.value, binding.via) = (ty_expr, expr, item);
        }
    }

    /// A function without a name put into a local variable: it is a symbol of that name.
    fn local_function(&mut self, id: NodeId, rule: &'t Rule, name: &str, node: NodeId, claimed: NodeId) {
        let function = self.table.rule(self.tree, claimed);
        let kind = function.symbol.unwrap_or(SymbolKind::Function);
        let body = function.body.find(self.tree, claimed);
        let parent = self.frame().symbol;
        let symbol = self.add_symbol(Draft { kind, name, qualifier: None, node: id, name_node: node, body, parent }, rule);
        self.claims.insert(claimed, symbol);
    }

    /// An assignment to something that exists.
    pub(super) fn assign(&mut self, id: NodeId, rule: &'t Rule) {
        let Some(target) = rule.name.find(self.tree, id) else { return };
        let value = rule.value.find(self.tree, id);
        let claimed = value.map(|value| self.through(value)).filter(|&value| self.is_unnamed(value));
        if let Some(claimed) = claimed {
            self.assign_function(id, rule, target, claimed);
        }
        self.assign_to(target, Parts { ty: None, ty_expr: None, value, count: 1 }, id);
    }

    /// `Foo.prototype.bar = function () {}`: a function named by where it goes.
    fn assign_function(&mut self, id: NodeId, rule: &'t Rule, target: NodeId, claimed: NodeId) {
        let function: &'t Rule = self.table.rule(self.tree, claimed);
        let target_rule = self.table.rule(self.tree, target);
        let name_node = match target_rule.expr {
            Some(ExprRole::Name) => target,
            Some(ExprRole::Member) => match target_rule.name.find(self.tree, target) {
                Some(name) => name,
                None => return,
            },
            _ => return,
        };
        let name = self.name_text(name_node);
        let base = target_rule.base.find(self.tree, target).map(|base| self.type_name(base)).unwrap_or_default();
        let exported = self.table.export_targets.contains(&base) || self.table.export_targets.contains(&format!("{base}.{name}"));
        let own = self.table.self_names.contains(&base) || base == "this";
        let qualifier = base.strip_suffix(".prototype").unwrap_or(&base);
        let qualifier = (!exported && !own && !qualifier.is_empty()).then(|| qualifier.to_owned());
        let kind = function.symbol.unwrap_or(SymbolKind::Function);
        let kind = if qualifier.is_some() && kind == SymbolKind::Function { SymbolKind::Method } else { kind };
        let body = function.body.find(self.tree, claimed);
        let parent = self.frame().symbol;
        let draft = Draft { kind, name: &name, qualifier, node: id, name_node, body, parent };
        let symbol = self.add_symbol(draft, rule);
        if exported {
            self.outline.symbols[symbol as usize].modifiers.insert(Modifier::Exported);
            self.outline.symbols[symbol as usize].visibility = Visibility::Public;
        }
        if base.is_empty() {
            self.consume(name_node);
        } else {
            // A member's name is not visible as a bare name.
            self.flow.bindings.pop();
        }
        self.claims.insert(claimed, symbol);
    }

    fn assign_to(&mut self, target: NodeId, parts: Parts, id: NodeId) {
        self.mark(target, mark::WRITE);
        let via = if parts.count > 1 { Via::Unknown } else { Via::Value };
        let value = parts.value.map(|value| self.expr(value));
        let at = self.tree.node(target).start;
        let scope = self.frame().scope;
        let target_expr = self.expr(target);
        self.flow.assigns.push(Assign { target: target_expr, value, ty: parts.ty_expr, via, scope, at });
        if self.table.self_assign_declares {
            self.self_field(target, parts, id);
        }
    }

    /// `self.x = …` declares a field of the type around, the first time.
    fn self_field(&mut self, target: NodeId, parts: Parts, id: NodeId) {
        let rule = self.table.rule(self.tree, target);
        let (name_node, receiver) = match rule.expr {
            Some(ExprRole::Member) => (rule.name.find(self.tree, target), rule.base.find(self.tree, target)),
            _ => return,
        };
        let (Some(name_node), Some(receiver)) = (name_node, receiver) else { return };
        let receiver_rule = self.table.rule(self.tree, receiver);
        let is_self = receiver_rule.expr == Some(ExprRole::SelfRef)
            || self.table.self_names.contains(&self.name_text(receiver));
        let Some(owner) = self.type_around().filter(|_| is_self) else { return };
        let name = self.name_text(name_node);
        let known = self.outline.symbols.iter().any(|s| s.parent == Some(owner) && self.shown.get(s.name) == name);
        if known {
            return;
        }
        let rule = self.table.rule(self.tree, id);
        let draft =
            Draft { kind: SymbolKind::Field, name: &name, qualifier: None, node: id, name_node, body: None, parent: Some(owner) };
        let symbol = self.add_symbol(draft, rule);
        if let Some(ty) = parts.ty {
            let text = self.phrase(ty);
            self.outline.symbols[symbol as usize].returns = Some(text);
        }
        if let Some(mut binding) = self.flow.bindings.pop()
            && let Some(scope) = self.flow.scopes.iter().position(|s| s.symbol == Some(owner) && s.kind == ScopeKind::Type)
        {
            binding.scope = scope as u32;
            binding.ty = parts.ty_expr;
            binding.value = parts.value.map(|value| self.expr(value));
            self.flow.bindings.push(binding);
        }
    }

    pub(super) fn type_around(&self) -> Option<u32> {
        let mut at = self.frame().symbol;
        while let Some(index) = at {
            let symbol = self.outline.symbols.get(index as usize)?;
            if symbol.kind.is_type() {
                return Some(index);
            }
            at = symbol.parent;
        }
        None
    }

    /// `return x`, `yield x`.
    pub(super) fn returned(&mut self, id: NodeId, rule: &Rule) {
        let scope = self.frame().function;
        if scope == NONE {
            return;
        }
        if rule.yielded
            && let Some(symbol) = self.flow.scopes[scope as usize].symbol
            && let Some(symbol) = self.outline.symbols.get_mut(symbol as usize)
        {
            symbol.modifiers.insert(Modifier::Generator);
        }
        let value = if rule.value.is_empty() { self.tree.named_children(id).next() } else { rule.value.find(self.tree, id) };
        if let Some(value) = value {
            let value = self.expr(value);
            self.flow.returns.push(Return { scope, value, yields: rule.yielded });
        }
    }

    /// `global x`, `nonlocal x`.
    pub(super) fn outer(&mut self, id: NodeId, rule: &Rule) {
        let scope = self.frame().scope;
        let names = if rule.name.is_empty() {
            self.tree.named_children(id).collect()
        } else {
            rule.name.find_all(self.tree, id)
        };
        for node in names {
            let name = self.name_text(node);
            self.consume(node);
            self.bind_name(scope, &name, BindingKind::Outer, self.tree.node(node).start);
        }
    }
}
