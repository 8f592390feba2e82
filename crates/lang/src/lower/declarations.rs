//! Declarations of values: fields, constants, variables, locals, bound patterns, and the results of functions.
//!
//! Example: `x, err := load(path)` binds two locals to one value. The flow gets the expression `load(path)` once, and the
//! bindings `x` via item 0 and `err` via item 1 of it, so that resolution can take the second result type for `err`.

use super::definition_names::DefinitionName;
use super::definitions::SymbolDraft;
use super::{Lowering, mark};
use crate::node_table::Rule;
use crate::parse::flat_tree::{NONE, NodeId};
use crate::schema::vocabulary::ExprRole;
use orient_model::{
    Assign, BindingKind, Expr, ExprId, Modifier, RefKind, Return, ScopeKind, Sequence, SymbolKind, Via,
    Wrapper,
};

/// The parts of a declaration that all its names share.
#[derive(Clone, Copy)]
pub(super) struct DeclarationParts {
    pub(super) ty: Option<NodeId>,
    pub(super) ty_expr: Option<ExprId>,
    pub(super) value: Option<NodeId>,
    /// The number of names that share the value.
    pub(super) count: usize,
}

impl<'t> Lowering<'t> {
    /// Lowers a declaration of one or more values. True if it became a symbol and was entered.
    pub(super) fn declare(&mut self, id: NodeId, rule: &'t Rule, kind: SymbolKind) -> bool {
        let value = rule.value.find(self.tree, id);
        let claimed = value.map(|value| self.through(value)).filter(|&value| self.is_unnamed(value));
        if rule.only_in_type && !self.in_type() {
            return false;
        }
        if rule.only_if_function && claimed.is_none() {
            self.name_object(id, rule, value);
            return false;
        }
        let ty =
            rule.ty.find(self.tree, id).or_else(|| self.wrapper_type(id)).filter(|&ty| !self.is_absent(ty));
        let targets = rule.name.find_all(self.tree, id);
        let ty_expr = ty.map(|ty| {
            self.mark(ty, mark::TYPE);
            self.expr(ty)
        });
        let parts = DeclarationParts { ty, ty_expr, value, count: targets.len() };
        let mut entered = false;
        for (index, target) in targets.into_iter().enumerate() {
            if self.table.has_bare_calls
                && let Some(opened) = self.marked_target(id, rule, target, parts)
            {
                entered |= opened;
                continue;
            }
            let simple = self.is_simple(target) || (!rule.rebind && self.is_type_path(target));
            if rule.rebind && !simple && !self.table.rule(self.tree, target).pattern {
                self.assign_to(target, parts, id);
                continue;
            }
            let (inner, own) = self.unwrapped(target);
            if inner != target && self.table.rule(self.tree, inner).pattern {
                self.declare_pattern(
                    id,
                    rule,
                    kind,
                    inner,
                    DeclarationParts { value: own.or(parts.value), ..parts },
                );
            } else if simple && let Some(naming) = self.naming(target) {
                entered |= self.declare_one(id, rule, kind, naming, parts, index);
            } else {
                self.declare_pattern(id, rule, kind, target, parts);
            }
        }
        entered
    }

    /// The declared type in a wrapper: `private final Foo a, b;`.
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
    pub(super) fn is_simple(&self, id: NodeId) -> bool {
        let rule = self.table.rule(self.tree, id);
        matches!(rule.expr, Some(ExprRole::Name | ExprRole::Literal(_)))
            || !rule.inner_declarator.is_empty()
            || (rule.expr.is_none() && !rule.pattern)
    }

    /// Whether a target is a type whose name is also the name of the declared value.
    fn is_type_path(&self, id: NodeId) -> bool {
        let rule = self.table.rule(self.tree, id);
        matches!(rule.expr, Some(ExprRole::Apply | ExprRole::Path))
            || rule.expr == Some(ExprRole::Member) && rule.reference == Some(RefKind::Type)
    }

    /// Whether a node is an anonymous definition.
    pub(super) fn is_unnamed(&self, id: NodeId) -> bool {
        let rule = self.table.rule(self.tree, id);
        rule.symbol.is_some()
            && rule.fixed_name.is_none()
            && rule.default_name.is_none()
            && (rule.inner_name || rule.name.find(self.tree, id).is_none())
            && (!rule.needs_body || rule.body.find(self.tree, id).is_some())
    }

    pub(super) fn declare_one(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        kind: SymbolKind,
        naming: DefinitionName,
        parts: DeclarationParts,
        index: usize,
    ) -> bool {
        let DefinitionName { node, name, qualifier, params, value, wraps, declarator } = naming;
        let ty_expr = parts.ty_expr.map(|ty| self.wrapped(ty, &wraps));
        let (own, count) = (value.is_some(), parts.count);
        let value = value.or(parts.value);
        // Its own value is not shared with the other names.
        let (parts, index) = if own {
            (DeclarationParts { ty_expr, count: 1, ..parts }, 0)
        } else {
            (DeclarationParts { ty_expr, ..parts }, index)
        };
        let callable = rule.callable_kind.is_some()
            && params.is_some_and(|params| {
                !(rule.most_vexing_parse && self.is_local(rule) && self.could_be_values(params))
            });
        let value_claim = value.map(|value| self.through(value)).filter(|&value| self.is_unnamed(value));
        let type_claim = parts.ty.filter(|&ty| self.is_unnamed(ty) && !self.claims.contains_key(&ty));
        let claimed = value_claim.or(type_claim);
        if let Some(value) = value
            && self.require(&name, value, node)
        {
            self.consume(node);
            return false;
        }
        let local = self.is_local(rule) && claimed.is_none() && rule.local_kind.is_none() && !callable;
        if local {
            if let Some(params) = params.filter(|_| rule.most_vexing_parse && wraps.is_empty()) {
                self.construct_by_params(params, parts);
            }
            self.local(&name, node, rule, parts, value, index);
            return false;
        }
        if rule.rebind && self.is_bound_here(&name) {
            self.assign_to(node, parts, id);
            return false;
        }
        self.consume(node);
        let said = rule.qualifier.find(self.tree, id).map(|ty| self.type_name(ty));
        let qualifier = said.or_else(|| qualifier.filter(|_| self.member_of().is_none()));
        let words = self.header_words(id);
        let kind = if callable { rule.callable_kind.unwrap_or(kind) } else { kind };
        // An anonymous type takes the name of its alias; a variable of such a type stays a variable.
        let named = value_claim.or(type_claim.filter(|_| kind == SymbolKind::TypeAlias));
        let kind = named.and_then(|node| self.table.rule(self.tree, node).symbol).unwrap_or(kind);
        let pointer = wraps.contains(&Wrapper::Pointer);
        let said = !pointer && rule.constant_words.iter().any(|word| words.contains(&word.as_slice()));
        let constant =
            said || self.conventions.constant_names.as_ref().is_some_and(|pattern| pattern.is_match(&name));
        let by_part = rule.kinds_by_part.iter().find(|(part, _)| part.find(self.tree, id).is_some());
        let kind = by_part.map_or_else(|| self.kind_here(rule, kind, &name, &words), |(_, kind)| *kind);
        let constant = constant && kind == SymbolKind::Variable || said && kind == SymbolKind::Field;
        let kind = if constant { SymbolKind::Constant } else { kind };
        let body = claimed.and_then(|node| self.table.rule(self.tree, node).body.find(self.tree, node));
        let body = body.or_else(|| rule.body.find(self.tree, id));
        let body = body.or_else(|| {
            value.filter(|_| claimed.is_none()).and_then(|value| self.object_with_members(value))
        });
        let draft = SymbolDraft {
            kind,
            name: &name,
            qualifier,
            node: id,
            name_node: node,
            body,
            parent: self.frame().symbol,
        };
        let symbol = self.add_symbol(draft, rule);
        self.hoisted(rule);
        self.finish_value(symbol, parts, value, index, declarator);
        self.component_by_call(symbol, value);
        if let Some(claimed) = claimed {
            self.claims.insert(claimed, symbol);
        } else if let Some(ty) = parts.ty {
            self.mark(ty, mark::BESIDE);
        }
        if let Some(params) = params.filter(|_| callable) {
            self.without_definition(symbol);
            let outer_scope = self.frame().scope;
            let scope = self.push_scope(id, ScopeKind::Function, Some(symbol));
            self.adopt_type_params(id, outer_scope, scope);
            let params = self.params(params, scope, Some(symbol));
            self.outline.symbols[symbol as usize].params = params;
            return true;
        }
        // The declaration calls the wrapper around a function; the function itself does not.
        let handed_on = value_claim.is_some() && value_claim != value && self.in_function();
        if count == 1 && !(handed_on && value.is_some_and(|value| self.is_call(value))) {
            self.push_symbol(id, symbol);
        }
        count == 1
    }

    fn is_call(&self, id: NodeId) -> bool {
        self.table.rule(self.tree, id).expr == Some(ExprRole::Call)
    }

    /// Whether unnamed parameters could be values: `Lock lock(mutex);`.
    fn could_be_values(&self, params: NodeId) -> bool {
        let mut some = false;
        for param in self.tree.named_children(params) {
            let rule = self.table.rule(self.tree, param);
            if rule.comment {
                continue;
            }
            some = true;
            let ty = rule.ty.find(self.tree, param).map(|ty| self.table.rule(self.tree, ty));
            let named =
                ty.is_some_and(|ty| !ty.skip && matches!(ty.expr, Some(ExprRole::Name | ExprRole::Member)));
            // Parentheses after the name of a type may be those of a call.
            let name = rule.name.find(self.tree, param);
            let called = name.is_none_or(|name| self.naming(name).is_none());
            if !rule.param || !called || !named {
                return false;
            }
        }
        some
    }

    /// Adds the construction that looks like a declaration of a function: `Lock guard(mutex);`.
    fn construct_by_params(&mut self, params: NodeId, parts: DeclarationParts) {
        let (Some(node), Some(ty)) = (parts.ty, parts.ty_expr) else { return };
        let args: Vec<NodeId> = self.tree.named_children(params).collect();
        let args: Vec<ExprId> = args
            .into_iter()
            .filter_map(|param| self.table.rule(self.tree, param).ty.find(self.tree, param))
            .map(|arg| self.expr(arg))
            .collect();
        let list = orient_model::ExprList { start: self.flow.operands.len() as u32, len: args.len() as u32 };
        self.flow.operands.extend(args);
        let made = self.push_expr(Expr::New { ty, args: list });
        self.add_reference(RefKind::Construct, made, node);
    }

    /// Marks a function without a body as a declaration, unless its header says otherwise.
    fn without_definition(&mut self, symbol: u32) {
        let modifiers = &mut self.outline.symbols[symbol as usize].modifiers;
        if !modifiers.contains(Modifier::Abstract) && !modifiers.contains(Modifier::Default) {
            modifiers.insert(Modifier::Declaration);
        }
    }

    /// Sets the declared type and value of a symbol, in the outline and in its binding.
    fn finish_value(
        &mut self,
        symbol: u32,
        parts: DeclarationParts,
        value: Option<NodeId>,
        index: usize,
        declarator: (NodeId, NodeId),
    ) {
        if let Some(ty) =
            parts.ty.filter(|&ty| self.table.rule(self.tree, ty).body.find(self.tree, ty).is_none())
        {
            let text = self.type_phrase(ty, declarator);
            self.outline.symbols[symbol as usize].returns = Some(text);
        }
        let binding = self.flow.bindings.len() - 1;
        self.flow.bindings[binding].ty = parts.ty_expr;
        let (value, via) = self.value_of(value, parts.count, index);
        self.flow.bindings[binding].value = value;
        self.flow.bindings[binding].via = via;
        // The type of a variable that holds a function is not the function's result type.
        let is_function = self.outline.symbols[symbol as usize].kind.is_callable();
        let known = parts.ty_expr.filter(|&ty| self.flow.expr(ty) != Expr::Unknown);
        if let (true, Some(ty), Some(value)) = (is_function, known, value) {
            let value = self.push_expr(Expr::Cast { value, ty });
            self.flow.bindings[binding].ty = None;
            self.flow.bindings[binding].value = Some(value);
        }
    }

    /// The value for the `index`-th of `count` names.
    fn value_of(&mut self, value: Option<NodeId>, count: usize, index: usize) -> (Option<ExprId>, Via) {
        let Some(value) = value else { return (None, Via::Value) };
        let expr = self.expr(value);
        let expr = if self.table.rebinds { self.constant(value, expr) } else { expr };
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

    /// The value of the name at an index of a pattern. A pattern of one name destructures its value as well.
    pub(super) fn item_of(
        &mut self,
        value: Option<NodeId>,
        count: usize,
        index: u32,
    ) -> (Option<ExprId>, Via) {
        match self.value_of(value, count, index as usize) {
            (Some(whole), Via::Value)
                if count == 1 && value.is_some_and(|value| self.expr(value) == whole) =>
            {
                (Some(whole), Via::Item(index))
            }
            found => found,
        }
    }

    /// Whether a declaration here is visible in a function or block only.
    fn is_local(&self, rule: &Rule) -> bool {
        self.in_function()
            || !rule.hoist && self.flow.scopes[self.frame().scope as usize].kind == ScopeKind::Block
    }

    /// The scope in which a declaration binds its names.
    fn scope_for(&self, rule: &Rule) -> u32 {
        let mut at = self.frame().scope;
        while rule.hoist && self.flow.scopes[at as usize].kind == ScopeKind::Block {
            at = self.flow.scopes[at as usize].parent.unwrap_or(0);
        }
        at
    }

    fn hoisted(&mut self, rule: &Rule) {
        let scope = self.scope_for(rule);
        if let Some(binding) = self.flow.bindings.last_mut().filter(|_| rule.hoist) {
            binding.scope = scope;
        }
    }

    fn local(
        &mut self,
        name: &str,
        node: NodeId,
        rule: &Rule,
        parts: DeclarationParts,
        value: Option<NodeId>,
        index: usize,
    ) {
        self.consume(node);
        let scope = self.scope_for(rule);
        let binding = self.bind_name(scope, name, BindingKind::Local, self.tree.node(node).start);
        let visible_from = self.visible_from(node, value);
        let (value, via) = self.value_of(value, parts.count, index);
        let binding = &mut self.flow.bindings[binding];
        (binding.ty, binding.value, binding.via) = (parts.ty_expr, value, via);
        binding.visible_from = visible_from;
    }

    fn declare_pattern(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        kind: SymbolKind,
        target: NodeId,
        parts: DeclarationParts,
    ) {
        let names = self.pattern(target);
        let count = names.len();
        let mut apart = Vec::new();
        if let Some(value) = parts.value.filter(|_| rule.rebind) {
            let value = self.expr(value);
            self.destructure(target, value, 0, &mut apart);
        }
        let required = parts.value.and_then(|value| self.required_module(value));
        for (node, name, via) in names {
            self.consume(node);
            if let Some(module) = &required
                && let Via::Member(member) = via
            {
                let member = self.names.get(member).to_owned();
                self.add_required(&module.0, Some(&member), &name, node);
                continue;
            }
            let (value, direct) = match via {
                Via::Item(index) => self.item_of(parts.value, count, index),
                _ => (parts.value.map(|value| self.expr(value)), via),
            };
            let via = if matches!(via, Via::Item(_)) { direct } else { via };
            let own = apart.iter().find(|(known, _)| *known == node).map(|&(_, value)| value);
            let (value, via) = own.map_or((value, via), |own| (Some(own), Via::Value));
            if let (Some(base), Via::Member(member)) = (value, via) {
                self.taken_out(base, member, node);
            }
            let scope = self.scope_for(rule);
            if self.is_local(rule) {
                let at = self.tree.node(node).start;
                let visible_from = self.visible_from(node, parts.value);
                let binding = self.bind_name(scope, &name, BindingKind::Local, at);
                self.flow.bindings[binding].visible_from = visible_from;
            } else if rule.rebind && self.is_bound_here(&name) {
                let target = self.expr(node);
                let at = self.tree.node(node).start;
                self.note_assigned(target, at, parts.value);
                self.flow.assigns.push(Assign { target, value, ty: None, via, scope, at });
                continue;
            } else {
                let words = self.header_words(id);
                let constant = rule.constant_words.iter().any(|word| words.contains(&word.as_slice()));
                let kind = self.kind_here(rule, kind, &name, &words);
                let kind = if kind == SymbolKind::Variable && constant { SymbolKind::Constant } else { kind };
                let parent = self.frame().symbol;
                self.add_symbol(
                    SymbolDraft {
                        kind,
                        name: &name,
                        qualifier: None,
                        node: id,
                        name_node: node,
                        body: None,
                        parent,
                    },
                    rule,
                );
                self.hoisted(rule);
            }
            if let Some(binding) = self.flow.bindings.last_mut() {
                (binding.value, binding.via) = (value, via);
            }
        }
    }

    fn is_bound_here(&mut self, name: &str) -> bool {
        let scope = self.frame().scope;
        let atom = self.names.intern(name);
        self.bound.contains(&(scope, atom))
    }

    /// Binds the names of a statement: a loop, `with`, `catch`, a short declaration, a pattern of a match.
    pub(super) fn bind(&mut self, id: NodeId, rule: &'t Rule, via: Via) {
        if !self.has_word(id, rule) {
            self.assign(id, rule);
            return;
        }
        let ty_expr = self.bound_type(id, rule);
        let value = rule.value.find(self.tree, id);
        let targets = rule.name.find_all(self.tree, id);
        let mut names = Vec::new();
        for target in targets {
            names.extend(self.pattern(target));
        }
        let count = names.len();
        for (index, (node, name, inner)) in names.into_iter().enumerate() {
            self.consume(node);
            let claimed =
                value.map(|value| self.through(value)).filter(|&value| count == 1 && self.is_unnamed(value));
            if let Some(claimed) = claimed {
                self.local_function(id, rule, &name, node, claimed);
                continue;
            }
            let (expr, item) = match (via, inner) {
                // The second of two names is the element; the value does not determine the first.
                (Via::Item(second), Via::Item(index)) => {
                    let via = if index == second { Via::Element } else { Via::Unknown };
                    (value.map(|value| self.expr(value)), via)
                }
                // A single name: the key of a collection, or what a channel delivers.
                (Via::Item(_), _) if count == 1 => (value.map(|value| self.expr(value)), Via::Delivered),
                (Via::Item(_), _) => (value.map(|value| self.expr(value)), Via::Unknown),
                (Via::Value, Via::Item(index)) => self.item_of(value, count, index),
                (Via::Value, Via::Value) => self.value_of(value, count, index),
                (Via::Value, inner) => (value.map(|value| self.expr(value)), inner),
                (via, Via::Value) => (value.map(|value| self.expr(value)), via),
                // A part of each element: `for (key, value) in pairs`.
                (Via::Element, inner) => {
                    let whole = value.map(|value| self.expr(value));
                    let each = |inner| Expr::Wrap { wrapper: Wrapper::Spread, inner };
                    (whole.map(|whole| self.push_expr(each(whole))), inner)
                }
                _ => (value.map(|value| self.expr(value)), Via::Unknown),
            };
            let scope = self.frame().scope;
            let binding = self.bind_name(scope, &name, BindingKind::Local, self.tree.node(node).start);
            let visible_from = self.visible_from(node, value);
            let binding = &mut self.flow.bindings[binding];
            (binding.ty, binding.value, binding.via) = (ty_expr, expr, item);
            binding.visible_from = visible_from;
        }
    }

    /// The declared type of the bound names; several types are alternatives.
    pub(super) fn bound_type(&mut self, id: NodeId, rule: &Rule) -> Option<ExprId> {
        let types: Vec<NodeId> = rule
            .ty
            .find_all(self.tree, id)
            .into_iter()
            .filter(|&ty| self.tree.node(ty).named && !self.is_absent(ty))
            .collect();
        let exprs: Vec<ExprId> = types
            .into_iter()
            .map(|ty| {
                self.mark(ty, mark::TYPE);
                self.expr(ty)
            })
            .collect();
        if let [] | [_] = exprs[..] {
            return exprs.first().copied();
        }
        let list = orient_model::ExprList { start: self.flow.operands.len() as u32, len: exprs.len() as u32 };
        self.flow.operands.extend(exprs);
        Some(self.push_expr(Expr::Either(list)))
    }

    /// Makes an anonymous function assigned to a local variable a symbol of that name.
    fn local_function(&mut self, id: NodeId, rule: &'t Rule, name: &str, node: NodeId, claimed: NodeId) {
        let function = self.table.rule(self.tree, claimed);
        let kind = function.symbol.unwrap_or(SymbolKind::Function);
        let body = function.body.find(self.tree, claimed);
        let parent = self.frame().symbol;
        let symbol = self.add_symbol(
            SymbolDraft { kind, name, qualifier: None, node: id, name_node: node, body, parent },
            rule,
        );
        self.claims.insert(claimed, symbol);
    }

    /// `self.x = …` declares a field of the enclosing type, the first time.
    pub(super) fn self_field(&mut self, target: NodeId, parts: DeclarationParts, id: NodeId) {
        let rule = self.table.rule(self.tree, target);
        let (name_node, receiver) = match rule.expr {
            Some(ExprRole::Member) => (rule.name.find(self.tree, target), rule.base.find(self.tree, target)),
            Some(ExprRole::Own) => (Some(target), Some(target)),
            _ => return,
        };
        let marked = rule.modifiers;
        let (Some(name_node), Some(receiver)) = (name_node, receiver) else { return };
        let receiver_rule = self.table.rule(self.tree, receiver);
        let is_self = matches!(receiver_rule.expr, Some(ExprRole::SelfRef | ExprRole::Own))
            || self.table.self_names.contains(&self.name_text(receiver));
        let Some(owner) = self.type_around().filter(|_| is_self) else { return };
        let name = self.name_text(name_node);
        if self.has_member(owner, &name) {
            return;
        }
        let rule = self.table.rule(self.tree, id);
        let draft = SymbolDraft {
            kind: SymbolKind::Field,
            name: &name,
            qualifier: None,
            node: id,
            name_node,
            body: None,
            parent: Some(owner),
        };
        let symbol = self.add_symbol(draft, rule);
        self.outline.symbols[symbol as usize].modifiers.0 |= marked.0;
        if let Some(ty) = parts.ty {
            let text = self.phrase(ty);
            self.outline.symbols[symbol as usize].returns = Some(text);
        }
        if let Some(mut binding) = self.flow.bindings.pop()
            && let Some(&scope) = self.type_scopes.get(&owner)
        {
            binding.scope = scope;
            binding.ty = parts.ty_expr;
            binding.value = parts.value.map(|value| self.expr(value));
            self.flow.bindings.push(binding);
        }
    }

    /// Whether a type already has a member of this name.
    pub(super) fn has_member(&mut self, owner: u32, name: &str) -> bool {
        let atom = self.shown.intern(name);
        self.members.contains(&(owner, atom))
    }

    pub(super) fn type_around(&self) -> Option<u32> {
        let mut at = self.frame().symbol;
        while let Some(index) = at {
            let symbol = self.outline.symbols.get(index as usize)?;
            if symbol.kind.is_type() || symbol.kind == SymbolKind::Module && self.table.has_bare_calls {
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
        let value = if rule.value.is_empty() {
            self.tree.named_children(id).next()
        } else {
            rule.value.find(self.tree, id)
        };
        if let Some(value) = value.filter(|&value| !self.has(value, mark::DONE)) {
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
