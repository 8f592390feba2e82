//! Parameters: bound in the function's scope, listed in its signature, sometimes members of their type.

use super::define::Draft;
use super::{Lowering, mark};
use crate::table::Rule;
use crate::tree::NodeId;
use crate::vocabulary::ExprRole;
use orient_model::{Atom, BindingKind, Modifier, Param, SymbolKind, Via};

impl<'t> Lowering<'t> {
    /// Binds the parameters under `list`; returns them as written.
    pub(super) fn params(&mut self, list: NodeId, scope: u32, symbol: Option<u32>) -> Vec<Param> {
        let mut params = Vec::new();
        let list_rule: &'t Rule = self.table.rule(self.tree, list);
        let single = list_rule.param || list_rule.expr == Some(ExprRole::Name);
        let children: Vec<NodeId> = if single { vec![list] } else { self.tree.named_children(list).collect() };
        for child in children {
            let rule: &'t Rule = self.table.rule(self.tree, child);
            if rule.comment || rule.attribute {
                continue;
            }
            let first = params.is_empty();
            self.param(child, rule, scope, symbol, first, &mut params);
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
        let ty = if rule.param { rule.ty.find(self.tree, id) } else { None };
        let default = rule.param.then(|| rule.value.find(self.tree, id)).flatten();
        let targets = if rule.param && !rule.name.is_empty() { rule.name.find_all(self.tree, id) } else { vec![id] };
        let ty_text = ty.map(|ty| self.phrase(ty));
        let ty_expr = ty.map(|ty| {
            self.mark(ty, mark::TYPE);
            self.expr(ty)
        });
        let value = default.map(|value| self.expr(value));
        let receiver = rule.receiver || (first && self.takes_self(symbol));
        let mut named = Vec::new();
        for target in targets {
            if target == id && rule.param && rule.name.is_empty() {
                continue;
            }
            named.extend(self.pattern(target));
        }
        if named.is_empty() && rule.param {
            let name = self.shown.intern(if rule.receiver { "self" } else { "" });
            params.push(Param { name, ty: ty_text, default: default.is_some(), variadic: rule.variadic });
        }
        for (node, name, via) in named {
            self.consume(node);
            let kind = if receiver { BindingKind::Receiver } else { BindingKind::Param };
            let binding = self.bind_name(scope, &name, kind, self.tree.node(node).start);
            let binding = &mut self.flow.bindings[binding];
            (binding.ty, binding.value, binding.via) = (ty_expr, value, via);
            let name_atom = self.shown.intern(&name);
            params.push(Param { name: name_atom, ty: ty_text, default: default.is_some(), variadic: rule.variadic });
            if via == Via::Value {
                self.promote(id, rule, &name, node, ty_text);
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

    /// A parameter that is also a member of the type: `constructor(private x)`, `class A(val x: Int)`.
    fn promote(&mut self, id: NodeId, rule: &'t Rule, name: &str, name_node: NodeId, ty: Option<Atom>) {
        let Some((kind, wanted)) = &rule.promote else { return };
        let words = self.header_words(id);
        if !wanted.is_empty() && !wanted.iter().any(|word| words.contains(&word.as_slice())) {
            return;
        }
        let mut owner = self.frame().symbol;
        while let Some(index) = owner {
            let Some(symbol) = self.outline.symbols.get(index as usize) else { return };
            if symbol.kind.is_type() {
                break;
            }
            owner = symbol.parent;
        }
        let Some(owner) = owner else { return };
        let draft = Draft { kind: *kind, name, qualifier: None, node: id, name_node, body: None, parent: Some(owner) };
        let member = self.add_symbol(draft, rule);
        self.outline.symbols[member as usize].returns = ty;
        // The name is visible as a parameter; the member's own binding would hide it from the body.
        if let Some(binding) = self.flow.bindings.pop()
            && let Some(scope) = self.flow.scopes.iter().position(|scope| scope.symbol == Some(owner))
        {
            self.flow.bindings.push(orient_model::Binding { scope: scope as u32, ..binding });
        }
    }

    /// A type parameter.
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
    }

    /// Whether a symbol that was given a function is a test by its attributes or name.
    pub(super) fn is_test(&self, symbol: u32) -> bool {
        let conventions = self.pack.conventions();
        let Some(symbol) = self.outline.symbols.get(symbol as usize) else { return false };
        if !symbol.kind.is_callable() && !symbol.kind.is_type() {
            return false;
        }
        if symbol.modifiers.contains(Modifier::Test) || symbol.kind == SymbolKind::Test {
            return true;
        }
        let by_attribute = conventions.test_attributes.as_ref().is_some_and(|pattern| {
            symbol.attributes.iter().any(|&attribute| pattern.is_match(self.shown.get(attribute)))
        });
        let by_name = symbol.kind.is_callable()
            && conventions.test_names.as_ref().is_some_and(|pattern| pattern.is_match(self.shown.get(symbol.name)));
        by_attribute || by_name
    }
}
