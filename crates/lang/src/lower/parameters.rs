//! Parameters: bound in the function's scope, listed in its signature, and sometimes members of their type.

use super::definitions::SymbolDraft;
use super::{Lowering, mark};
use crate::node_table::Rule;
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{Atom, BindingKind, Expr, Modifier, Param, SymbolKind, Via, Visibility, Wrapper};

impl<'t> Lowering<'t> {
    /// Binds the parameters under `list`; returns them as written.
    pub(super) fn params(&mut self, list: NodeId, scope: u32, symbol: Option<u32>) -> Vec<Param> {
        let mut params = Vec::new();
        let list_rule: &'t Rule = self.table.rule(self.tree, list);
        let single = list_rule.param || list_rule.expr == Some(ExprRole::Name);
        let children: Vec<NodeId> = if single {
            vec![list]
        } else if list_rule.params.is_empty() {
            self.tree.named_children(list).collect()
        } else {
            list_rule.params.find_all(self.tree, list)
        };
        for child in children {
            let rule: &'t Rule = self.table.rule(self.tree, child);
            if rule.comment
                || rule.attribute
                || rule.empty_texts.iter().any(|text| text == self.tree.bytes(child))
            {
                continue;
            }
            let first = params.is_empty();
            self.param(child, rule, scope, symbol, first, &mut params);
        }
        let token = self.table.variadic_token.as_bytes();
        if !token.is_empty()
            && !single
            && self.tree.children(list).any(|child| self.tree.bytes(child) == token)
        {
            let name = self.shown.intern("");
            params.push(Param { name, ty: None, default: false, variadic: true });
        }
        params
    }

    fn param(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        scope: u32,
        symbol: Option<u32>,
        first: bool,
        params: &mut Vec<Param>,
    ) {
        let before = params.len();
        let ty = if rule.param { rule.ty.find(self.tree, id) } else { None };
        let default = rule.param.then(|| rule.value.find(self.tree, id)).flatten();
        let targets =
            if rule.param && !rule.name.is_empty() { rule.name.find_all(self.tree, id) } else { vec![id] };
        let declared =
            targets.first().filter(|_| rule.param && ty.is_some()).and_then(|&target| self.naming(target));
        let ty_text = ty.map(|ty| match (&declared, targets.first()) {
            (Some(naming), _) => self.type_phrase(ty, naming.declarator),
            // A declarator without a name.
            (None, Some(&target)) if target != id => self.phrase(id),
            _ => self.phrase(ty),
        });
        let ty_expr = ty.map(|ty| {
            self.mark(ty, mark::TYPE);
            let ty = self.expr(ty);
            declared.map_or(ty, |naming| self.wrapped(ty, &naming.wraps))
        });
        let value = default.map(|value| self.expr(value));
        let optional = default.is_some() || rule.optional;
        let variadic = rule.variadic || self.says_variadic(id, rule);
        let ty_expr = match ty_expr {
            Some(inner) if variadic && self.table.variadic_is_list => {
                Some(self.push_expr(Expr::Wrap { wrapper: Wrapper::Array, inner }))
            }
            ty_expr => ty_expr,
        };
        let receiver = rule.receiver || (first && self.takes_self(symbol));
        let mut named = Vec::new();
        for target in targets {
            if target == id && rule.param && rule.name.is_empty() {
                continue;
            }
            let target_rule = self.table.rule(self.tree, target);
            let variadic = variadic || target_rule.variadic;
            let own = target_rule.expr == Some(ExprRole::SelfRef);
            let found = self.pattern(target);
            if own || found.len() > 1 || found.iter().any(|(_, _, via)| *via != Via::Value) {
                // A destructured parameter is one parameter, however many names it binds.
                let name = self.phrase(target);
                params.push(Param { name, ty: ty_text, default: optional, variadic });
            } else {
                let shown: Vec<Atom> = found.iter().map(|(_, name, _)| self.shown.intern(name)).collect();
                params.extend(shown.into_iter().map(|name| Param {
                    name,
                    ty: ty_text,
                    default: optional,
                    variadic,
                }));
            }
            named.extend(found);
        }
        if params.len() == before && rule.param {
            let name = self.shown.intern(if rule.receiver { "self" } else { "" });
            params.push(Param { name, ty: ty_text, default: optional, variadic });
        }
        self.mark_function(id, rule, symbol.filter(|_| first));
        for (node, name, via) in named {
            self.consume(node);
            let kind = if receiver { BindingKind::Receiver } else { BindingKind::Param };
            let binding = self.bind_name(scope, &name, kind, self.tree.node(node).start);
            let binding = &mut self.flow.bindings[binding];
            (binding.ty, binding.value, binding.via) = (ty_expr, value, via);
            if via == Via::Value {
                self.promote(id, rule, &name, node, ty_text);
            }
        }
    }

    /// Whether a word in or before the parameter makes it variadic.
    fn says_variadic(&self, id: NodeId, rule: &Rule) -> bool {
        if rule.variadic_words.is_empty() {
            return false;
        }
        let mut words = self.header_words(id);
        let previous = self.tree.node(id).previous;
        if previous != crate::parse::flat_tree::NONE && self.table.rule(self.tree, previous).holds_modifiers {
            self.words_in(previous, &mut words);
        }
        rule.variadic_words.iter().any(|word| words.contains(&word.as_slice()))
    }

    /// Binds the receiver, if it is separate from the parameters; its type arguments declare type parameters.
    pub(super) fn owner(&mut self, list: NodeId, scope: u32, symbol: u32) {
        let before = self.flow.bindings.len();
        self.params(list, scope, Some(symbol));
        for binding in &mut self.flow.bindings[before..] {
            binding.kind = BindingKind::Receiver;
        }
        let inside = list..self.tree.node(list).after;
        let generic =
            inside.into_iter().find(|&node| self.table.rule(self.tree, node).expr == Some(ExprRole::Apply));
        let args = generic.and_then(|node| self.table.rule(self.tree, node).args.find(self.tree, node));
        for arg in args.map(|args| self.tree.named_children(args).collect::<Vec<_>>()).unwrap_or_default() {
            let arg = self.only_name(arg);
            let name = self.name_text(arg);
            self.consume(arg);
            self.bind_name(scope, &name, BindingKind::TypeParam, self.tree.node(arg).start);
        }
    }

    /// Binds named results as variables of the function.
    pub(super) fn named_results(&mut self, returns: NodeId, scope: u32) {
        if !self.tree.named_children(returns).any(|child| self.table.rule(self.tree, child).param) {
            return;
        }
        let before = self.flow.bindings.len();
        self.params(returns, scope, None);
        for binding in &mut self.flow.bindings[before..] {
            binding.kind = BindingKind::Local;
        }
    }

    /// The name that a node consists of, if it contains nothing else.
    fn only_name(&self, id: NodeId) -> NodeId {
        let mut at = id;
        while let Some(child) = self.tree.named_children(at).next() {
            at = child;
        }
        at
    }

    /// Modifiers of a function by the words of its first parameter: `this` makes it an extension.
    fn mark_function(&mut self, id: NodeId, rule: &Rule, symbol: Option<u32>) {
        let Some(symbol) = symbol.filter(|_| !rule.first_param_modifiers.is_empty()) else { return };
        let words = self.header_words(id);
        for (word, modifier) in &rule.first_param_modifiers {
            if words.contains(&word.as_slice()) {
                self.outline.symbols[symbol as usize].modifiers.insert(*modifier);
            }
        }
    }

    fn takes_self(&self, symbol: Option<u32>) -> bool {
        self.table.first_param_is_self
            && symbol.and_then(|symbol| self.outline.symbols.get(symbol as usize)).is_some_and(|symbol| {
                matches!(symbol.kind, SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Property)
                    && !symbol.modifiers.contains(Modifier::Static)
            })
    }

    /// Adds the member that a parameter also declares: `constructor(private x)`, `class A(val x: Int)`.
    fn promote(&mut self, id: NodeId, rule: &'t Rule, name: &str, name_node: NodeId, ty: Option<Atom>) {
        let kind = match (&rule.parameter_property, self.promoting) {
            (Some((kind, wanted)), _) => {
                let words = self.header_words(id);
                if !wanted.is_empty() && !wanted.iter().any(|word| words.contains(&word.as_slice())) {
                    return;
                }
                *kind
            }
            (None, Some(kind)) => kind,
            (None, None) => return,
        };
        let mut owner = self.frame().symbol;
        while let Some(index) = owner {
            let Some(symbol) = self.outline.symbols.get(index as usize) else { return };
            if rule.parameter_property_direct && !symbol.kind.is_type() {
                return;
            }
            if symbol.kind.is_type() {
                break;
            }
            owner = symbol.parent;
        }
        let Some(owner) = owner else { return };
        let name = self.unmarked(name);
        let draft =
            SymbolDraft { kind, name, qualifier: None, node: id, name_node, body: None, parent: Some(owner) };
        let member = self.add_symbol(draft, rule);
        self.outline.symbols[member as usize].returns = ty;
        if rule.parameter_property.is_none() {
            self.outline.symbols[member as usize].visibility = Visibility::Public;
        }
        // The name is visible as the parameter; a binding of the member would hide that from the body.
        if let Some(binding) = self.flow.bindings.pop()
            && let Some(&scope) = self.type_scopes.get(&owner)
        {
            let ty = self.flow.bindings.last().and_then(|param| param.ty);
            self.flow.bindings.push(orient_model::Binding { scope, ty, ..binding });
        }
    }

    /// Marks the name of a parameter that is not bound, as in the type of a function: it is no reference.
    pub(super) fn unbound_param(&mut self, id: NodeId, rule: &Rule) {
        for target in rule.name.find_all(self.tree, id) {
            if self.is_simple(target)
                && let Some(naming) = self.naming(target)
            {
                self.consume(naming.node);
            }
        }
    }

    /// Binds the types of numbered fields to their numbers in the scope of the type.
    pub(super) fn positional_fields(&mut self, id: NodeId) {
        let is_type = |&child: &NodeId| {
            let rule = self.table.rule(self.tree, child);
            !(rule.comment || rule.attribute || rule.holds_modifiers)
        };
        let fields: Vec<NodeId> = self.tree.named_children(id).filter(is_type).collect();
        let scope = self.frame().scope;
        for (number, ty) in fields.into_iter().enumerate() {
            self.mark(ty, mark::TYPE);
            let ty_expr = self.expr(ty);
            let binding =
                self.bind_name(scope, &number.to_string(), BindingKind::Local, self.tree.node(ty).start);
            self.flow.bindings[binding].ty = Some(ty_expr);
        }
    }

    /// Binds a type parameter.
    pub(super) fn type_param(&mut self, id: NodeId, rule: &Rule) {
        let name = rule.name.find(self.tree, id).unwrap_or(id);
        let text = self.name_text(name);
        self.consume(name);
        let scope = self.frame().scope;
        let binding = self.bind_name(scope, &text, BindingKind::TypeParam, self.tree.node(name).start);
        if let Some(bound) = rule.ty.find(self.tree, id) {
            self.mark(bound, mark::TYPE);
            self.flow.bindings[binding].ty = Some(self.expr(bound));
        }
        if let Some(default) = rule.value.find(self.tree, id) {
            self.mark(default, mark::TYPE);
            self.flow.bindings[binding].value = Some(self.expr(default));
        }
    }

    /// Adds the bounds of a type parameter that are separate from it: `where T : Base`.
    pub(super) fn bounds(&mut self, id: NodeId, rule: &Rule) {
        let Some(name) = rule.name.find(self.tree, id) else { return };
        let scope = self.frame().scope;
        let text = self.name_text(name);
        let name = self.names.intern(&text);
        let Some(ty) = self.bound_type(id, rule) else { return };
        let known = self.flow.bindings.iter_mut().rev().take_while(|binding| binding.scope >= scope);
        let mut params =
            known.filter(|binding| binding.kind == BindingKind::TypeParam && binding.scope == scope);
        if let Some(binding) = params.find(|binding| binding.name == name) {
            binding.ty = binding.ty.or(Some(ty));
        }
    }
}
