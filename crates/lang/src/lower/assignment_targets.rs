//! Names whose spelling decides what they are (`@x`, `$x`, `X`): what an assignment to one declares, and which bare names are
//! calls.

use super::declarations::DeclarationParts;
use super::definitions::SymbolDraft;
use super::{Lowering, mark};
use crate::node_table::{CallRule, Rule, Target};
use crate::parse::flat_tree::{NONE, NodeId};
use crate::schema::vocabulary::ExprRole;
use orient_model::{
    Atom, BindingKind, Expr, ExprId, ExprList, RefKind, Relation, ScopeKind, SymbolKind, Via,
};

/// The owner of names outside of all types.
const EVERYWHERE: u32 = u32::MAX;
/// Maximum number of nested blocks to look through.
const NESTING_CAP: usize = 500;

impl<'t> Lowering<'t> {
    /// Declares the target of an assignment if its spelling decides what it is. Returns whether a symbol was entered, or none
    /// if the spelling does not decide.
    pub(super) fn marked_target(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        target: NodeId,
        parts: DeclarationParts,
    ) -> Option<bool> {
        let target_rule = self.table.rule(self.tree, target);
        if target_rule.pattern {
            let items: Vec<NodeId> = self.tree.named_children(target).collect();
            let count = items.len();
            for (index, &item) in items.iter().enumerate() {
                if let Some(Target::Here(kind)) = self.table.rule(self.tree, item).assignment_target {
                    let (value, via) = self.item_of(parts.value, count, index as u32);
                    self.declare_here(
                        id,
                        rule,
                        kind,
                        item,
                        DeclarationParts { value: None, count: 2, ..parts },
                    );
                    if let Some(binding) = self.flow.bindings.last_mut() {
                        (binding.value, binding.via) = (value, via);
                    }
                }
            }
            for (node, name, via) in self.pattern(target) {
                let (value, via) = match via {
                    Via::Item(index) => self.item_of(parts.value, count, index),
                    _ => (parts.value.map(|value| self.expr(value)), via),
                };
                self.marked_part(id, rule, node, &name, value, via);
            }
            return Some(false);
        }
        match target_rule.assignment_target? {
            Target::Local => {
                let name = self.name_text(target);
                let function =
                    parts.value.map(|value| self.through(value)).is_some_and(|value| self.is_unnamed(value));
                let atom = self.names.intern(&name);
                if self.is_variable(self.frame().scope, atom) {
                    self.assign_to(target, parts, id);
                } else if function {
                    self.locals.insert((self.frame().scope, atom));
                    return None;
                } else {
                    let value = parts.value.map(|value| self.expr(value));
                    self.bind_variable(target, &name, value, Via::Value);
                }
                Some(false)
            }
            Target::Member => {
                self.assign_to(target, parts, id);
                Some(false)
            }
            Target::Here(kind) => Some(self.declare_here(id, rule, kind, target, parts)),
            Target::Global(kind) => {
                self.assign_to(target, parts, id);
                self.declare_global(id, rule, kind, target);
                Some(false)
            }
        }
    }

    /// Declares one of several names that share a value.
    fn marked_part(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        node: NodeId,
        name: &str,
        value: Option<ExprId>,
        via: Via,
    ) {
        let atom = self.names.intern(name);
        let parts = DeclarationParts { ty: None, ty_expr: None, value: None, count: 1 };
        match self.table.rule(self.tree, node).assignment_target {
            Some(Target::Local) | None if !self.is_variable(self.frame().scope, atom) => {
                self.bind_variable(node, name, value, via);
                return;
            }
            Some(Target::Global(kind)) => {
                self.assign_to(node, parts, id);
                self.declare_global(id, rule, kind, node);
            }
            _ => self.assign_to(node, parts, id),
        }
        if let Some(assign) = self.flow.assigns.last_mut() {
            (assign.value, assign.via) = (value, via);
        }
    }

    fn bind_variable(&mut self, node: NodeId, name: &str, value: Option<ExprId>, via: Via) {
        self.consume(node);
        let scope = self.frame().scope;
        let binding = self.bind_name(scope, name, BindingKind::Local, self.tree.node(node).start);
        let binding = &mut self.flow.bindings[binding];
        (binding.value, binding.via) = (value, via);
    }

    fn declare_here(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        kind: SymbolKind,
        target: NodeId,
        parts: DeclarationParts,
    ) -> bool {
        let made = parts
            .value
            .map(|value| self.through(value))
            .and_then(|value| Some((value, self.made_by(value)?)));
        if let Some((value, call)) = made {
            return self.declare_made(id, rule, target, value, call);
        }
        let Some(naming) = self.naming(target) else { return false };
        let before = self.outline.symbols.len();
        let entered = self.declare_one(id, rule, kind, naming, parts, 0);
        // Modifiers of the members in this section apply to functions only.
        if let Some(symbol) = self.outline.symbols.get_mut(before).filter(|symbol| symbol.kind == kind) {
            symbol.visibility = self.table.default_visibility;
        }
        entered
    }

    fn declare_global(&mut self, id: NodeId, rule: &'t Rule, kind: SymbolKind, target: NodeId) {
        let name = self.name_text(target);
        let atom = self.shown.intern(&name);
        if self.members.insert((EVERYWHERE, atom)) {
            let draft = SymbolDraft {
                kind,
                name: &name,
                qualifier: None,
                node: id,
                name_node: target,
                body: None,
                parent: None,
            };
            let symbol = self.add_symbol(draft, rule);
            self.outline.symbols[symbol as usize].visibility = self.table.default_visibility;
            if let Some(binding) = self.flow.bindings.last_mut() {
                binding.scope = 0;
            }
        }
    }

    /// The rule of the pack for a call that creates a type.
    fn made_by(&self, value: NodeId) -> Option<CallRule> {
        let rule = self.table.rule(self.tree, value);
        if !self.table.has_dotted_calls || rule.expr != Some(ExprRole::Call) {
            return None;
        }
        self.dotted_call(value, rule).filter(|call| call.creates_type.is_some())
    }

    /// The rule of the pack for a call, by the qualified name of the callee.
    pub(super) fn dotted_call(&self, id: NodeId, rule: &Rule) -> Option<CallRule> {
        let (base, name) = (rule.base.find(self.tree, id)?, rule.name.find(self.tree, id)?);
        let called = format!("{}.{}", self.type_name(base), self.name_text(name));
        self.table.calls.get(&called).copied()
    }

    /// `Point = Struct.new(:x, :y) do … end`: a type that takes the name it is assigned to.
    fn declare_made(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        target: NodeId,
        value: NodeId,
        call: CallRule,
    ) -> bool {
        let value_rule: &'t Rule = self.table.rule(self.tree, value);
        let block = value_rule.body.find(self.tree, value);
        let body = block.and_then(|block| self.table.rule(self.tree, block).body.find(self.tree, block));
        let Some(naming) = self.naming(target) else { return false };
        let kind = call.creates_type.unwrap_or(SymbolKind::Class);
        let (name, qualifier) = (naming.name, naming.qualifier);
        let parent = self.frame().symbol;
        let draft = SymbolDraft { kind, name: &name, qualifier, node: id, name_node: target, body, parent };
        let symbol = self.add_symbol(draft, rule);
        self.consume(target);
        self.made.insert(value);
        self.push_symbol(id, symbol);
        for arg in self.call_args(value, value_rule) {
            if call.define.is_some() && self.is_string(arg) {
                self.member_by_call(arg, call, symbol, value_rule);
            } else if call.inherits_arguments
                && matches!(self.table.rule(self.tree, arg).expr, Some(ExprRole::Name | ExprRole::Member))
            {
                self.add_base(arg, Relation::Extends, symbol);
            }
        }
        if let Some(block) = block {
            self.made.insert(block);
            self.claims.insert(block, symbol);
        }
        true
    }

    fn member_by_call(&mut self, arg: NodeId, call: CallRule, owner: u32, rule: &'t Rule) {
        let name = self.string_at(arg);
        let kind = call.define.unwrap_or(SymbolKind::Property);
        let draft = SymbolDraft {
            kind,
            name: &name,
            qualifier: None,
            node: arg,
            name_node: arg,
            body: None,
            parent: Some(owner),
        };
        let member = self.add_symbol(draft, rule);
        self.outline.symbols[member as usize].modifiers.0 |= call.modifiers.0;
        // Its scope does not exist yet.
        self.flow.bindings.pop();
    }

    /// The arguments of a call, with the items of a spread list.
    pub(super) fn call_args(&self, id: NodeId, rule: &Rule) -> Vec<NodeId> {
        let Some(list) = rule.args.find(self.tree, id) else { return Vec::new() };
        let mut args = Vec::new();
        for arg in self.tree.named_children(list) {
            let arg = self.through(arg);
            let inner = match self.table.rule(self.tree, arg).expr {
                Some(ExprRole::Wrap(_)) => self.tree.named_children(arg).next().unwrap_or(arg),
                _ => arg,
            };
            if matches!(self.table.rule(self.tree, inner).expr, Some(ExprRole::Sequence(_))) {
                args.extend(self.tree.named_children(inner));
            } else {
                args.push(arg);
            }
        }
        args
    }

    /// Whether a variable of this name is visible: blocks see the variables around them, functions do not.
    fn is_variable(&self, scope: u32, name: Atom) -> bool {
        let mut at = scope;
        for _ in 0..NESTING_CAP {
            if self.locals.contains(&(at, name)) {
                return true;
            }
            let scope = &self.flow.scopes[at as usize];
            if matches!(scope.kind, ScopeKind::Type | ScopeKind::Module) || self.gates.contains(&at) {
                return false;
            }
            match scope.parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        false
    }

    /// Turns a name without a variable into a call without arguments.
    pub(super) fn bare_call(&mut self, id: NodeId, rule: &'t Rule) -> bool {
        if self.has(id, mark::CONSUMED | mark::WRITE) || self.is_absent(id) || self.is_called(id) {
            return false;
        }
        if rule.expr == Some(ExprRole::Name) {
            let name = self.name_text(id);
            let atom = self.names.intern(&name);
            if self.is_variable(self.frame().scope, atom) {
                return false;
            }
        }
        let expr = self.expr(id);
        let callee = self.push_expr(self.flow.expr(expr));
        let args = ExprList { start: self.flow.operands.len() as u32, len: 0 };
        self.flow.exprs[expr.0 as usize] = Expr::Call { callee, args };
        self.add_reference(RefKind::Call, expr, id);
        if let Some(&call) = self.table.calls.get(&self.name_text(id)) {
            self.declaring_call(id, rule, call);
        }
        true
    }

    /// `f(x:)`: an entry without a value takes the value of the variable or method with its name.
    pub(super) fn shorthand(&mut self, id: NodeId, name_node: NodeId) {
        let entry = self.expr(id);
        let Expr::Named { name, value } = self.flow.expr(entry) else { return };
        let mut read = Expr::Name(name);
        let mut kind = RefKind::Read;
        if !self.is_variable(self.frame().scope, name) {
            let callee = self.push_expr(read);
            let args = ExprList { start: self.flow.operands.len() as u32, len: 0 };
            (read, kind) = (Expr::Call { callee, args }, RefKind::Call);
        }
        self.flow.exprs[value.0 as usize] = read;
        self.add_reference(kind, value, name_node);
    }

    /// Whether a name is the callee of the enclosing call.
    fn is_called(&self, id: NodeId) -> bool {
        let parent = self.tree.node(id).parent;
        if parent == NONE {
            return false;
        }
        let rule = self.table.rule(self.tree, parent);
        rule.expr == Some(ExprRole::Call) && rule.name.find(self.tree, parent) == Some(id)
    }

    /// The type that a call instantiates: `Foo` in `Foo.new`.
    pub(super) fn made_type(&self, id: NodeId, rule: &Rule) -> Option<NodeId> {
        if self.table.factory_methods.is_empty() {
            return None;
        }
        let (base, name) = (rule.base.find(self.tree, id)?, rule.name.find(self.tree, id)?);
        if !self.table.factory_methods.contains(&self.name_text(name)) {
            return None;
        }
        let known = match self.table.rule(self.tree, base).expr {
            Some(ExprRole::Name | ExprRole::Member) => self.type_name(base),
            _ => return None,
        };
        known.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase)).then_some(base)
    }

    /// `private :a, def b; end`: applies a call's visibility and modifiers to the members that its arguments name or define.
    pub(super) fn qualify_by_call(&mut self, id: NodeId, args: &[NodeId], call: CallRule) {
        let owner = self.frame().symbol;
        for &arg in args {
            if !self.is_string(arg) {
                continue;
            }
            let name = self.string_at(arg);
            let symbols = self.outline.symbols.iter_mut().rev();
            let wanted = |symbol: &&mut orient_model::Symbol| {
                symbol.parent == owner && self.shown.get(symbol.name) == name
            };
            if let Some(symbol) = symbols.take(10_000).find(wanted) {
                symbol.visibility = call.sets_visibility.unwrap_or(symbol.visibility);
                symbol.modifiers.0 |= call.modifiers.0;
            }
        }
        let frame = self.frame();
        let after = self.tree.node(id).after;
        self.frames.push(super::Frame {
            after,
            call_visibility: call.sets_visibility.or(frame.call_visibility),
            adds: frame.adds.with(call.modifiers),
            ..frame
        });
    }
}
