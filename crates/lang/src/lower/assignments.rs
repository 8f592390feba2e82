//! Assignments: to variables, to members, and those that give a name to a function or object literal.

use super::assigned_exports::ObjectContainer;
use super::declarations::DeclarationParts;
use super::definitions::SymbolDraft;
use super::{Lowering, mark};
use crate::node_table::Rule;
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{Assign, Modifier, SymbolKind, Via, Visibility};

/// The destination of an assigned function or object literal.
struct Destination {
    name_node: NodeId,
    name: String,
    /// The container of the name, as written; empty for a bare name.
    base: String,
    /// The receiver.
    own: bool,
    place: ObjectContainer,
}

impl<'t> Lowering<'t> {
    /// Lowers an assignment to something that exists.
    pub(super) fn assign(&mut self, id: NodeId, rule: &'t Rule) {
        let Some(target) = rule.name.find(self.tree, id) else { return };
        let value = rule.value.find(self.tree, id);
        if let Some(value) = value.filter(|_| !rule.assigns_existing)
            && let Some(destination) = self.destination(target)
        {
            let inner = self.through(value);
            if self.is_unnamed(inner) && !self.claims.contains_key(&inner) {
                self.assign_function(id, rule, &destination, inner);
            } else {
                self.export_assigned(id, rule, target, value);
            }
            if self.is_object(inner) && !destination.base.is_empty() {
                self.objects.insert(inner, destination.place);
            }
        }
        let via = rule.bind.unwrap_or_default();
        self.assign_all(target, DeclarationParts { ty: None, ty_expr: None, value, count: 1 }, id, via);
    }

    /// Assigns to each name of a pattern.
    fn assign_all(&mut self, target: NodeId, parts: DeclarationParts, id: NodeId, via: Via) {
        if self.table.rule(self.tree, target).expr == Some(ExprRole::Run) {
            return self.assign_run(target, parts, id);
        }
        if !self.table.rule(self.tree, target).pattern {
            self.assign_to(target, parts, id);
            if let Some(assign) = self.flow.assigns.last_mut().filter(|_| via != Via::Value) {
                assign.via = via;
            }
            return;
        }
        for (node, _, inner) in self.pattern(target) {
            self.assign_to(node, parts, id);
            if let Some(assign) = self.flow.assigns.last_mut() {
                assign.via = if via == Via::Value { inner } else { Via::Unknown };
            }
        }
    }

    /// Assigns to several targets, each with its own value if there are as many.
    fn assign_run(&mut self, target: NodeId, parts: DeclarationParts, id: NodeId) {
        let targets: Vec<NodeId> = self.tree.named_children(target).collect();
        let values: Vec<NodeId> = match parts.value {
            Some(value) if self.table.rule(self.tree, value).expr == Some(ExprRole::Run) => {
                self.tree.named_children(value).collect()
            }
            value => value.into_iter().collect(),
        };
        for (index, &target) in targets.iter().enumerate() {
            let target = self.through(target);
            if self.tree.bytes(target) == b"_" || self.table.rule(self.tree, target).bind.is_some() {
                self.consume(target);
                continue;
            }
            let own = values.len() == targets.len();
            let value = if own { values.get(index).copied() } else { parts.value };
            self.assign_to(target, DeclarationParts { value, ..parts }, id);
            if let Some(assign) = self.flow.assigns.last_mut().filter(|_| !own) {
                assign.via = Via::Item(index as u32);
            }
        }
    }

    /// The destination of an assignment; none for an element of a list or a computed member.
    fn destination(&self, target: NodeId) -> Option<Destination> {
        let rule = self.table.rule(self.tree, target);
        let (name_node, base_node) = match rule.expr {
            Some(ExprRole::Name) => (target, None),
            Some(ExprRole::Member) => (rule.name.find(self.tree, target)?, rule.base.find(self.tree, target)),
            _ => return None,
        };
        let name = self.name_text(name_node);
        let base = base_node.map(|base| self.type_name(base)).unwrap_or_default();
        let own = base_node
            .is_some_and(|base| self.table.rule(self.tree, base).expr == Some(ExprRole::SelfRef))
            || self.table.self_names.contains(&base);
        let targets = &self.table.export_objects;
        let whole = targets.contains(&format!("{base}.{name}"));
        let exported = whole || targets.contains(&base);
        let path = base.strip_suffix(".prototype").unwrap_or(&base);
        let path =
            targets.iter().find_map(|t| path.strip_prefix(t.as_str())?.strip_prefix('.')).unwrap_or(path);
        let path = if exported || own { "" } else { path };
        // `Foo.prototype = { … }`: the functions in the object are methods of `Foo`.
        let inside = match (path, name.as_str()) {
            _ if whole => String::new(),
            (path, "prototype") if !base.is_empty() => path.to_owned(),
            ("", name) => name.to_owned(),
            (path, name) => format!("{path}.{name}"),
        };
        let place = ObjectContainer { path: inside, exported: whole };
        let base = if exported || own || !path.is_empty() { base } else { String::new() };
        Some(Destination { name_node, name, base, own, place })
    }

    /// `Foo.prototype.bar = function () {}`: a function named by its destination.
    fn assign_function(&mut self, id: NodeId, rule: &'t Rule, to: &Destination, claimed: NodeId) {
        let function: &'t Rule = self.table.rule(self.tree, claimed);
        let targets = &self.table.export_objects;
        let whole = to.place.exported;
        let exported = whole || targets.contains(&to.base);
        let mut name = to.name.clone();
        if whole && let Some(own) = function.name.find(self.tree, claimed) {
            name = self.name_text(own);
        }
        let path = to.base.strip_suffix(".prototype").unwrap_or(&to.base);
        let path =
            targets.iter().find_map(|t| path.strip_prefix(t.as_str())?.strip_prefix('.')).unwrap_or(path);
        let qualifier = (!exported && !to.own && !path.is_empty()).then(|| path.to_owned());
        let kind = function.symbol.unwrap_or(SymbolKind::Function);
        let member = qualifier.is_some() || to.own;
        let kind = if member && kind == SymbolKind::Function { SymbolKind::Method } else { kind };
        let body = function.body.find(self.tree, claimed);
        let owner = if to.own { self.type_around() } else { None };
        if let Some(owner) = owner
            && self.has_member(owner, &name)
        {
            return;
        }
        let parent = owner.or(self.frame().symbol);
        let draft =
            SymbolDraft { kind, name: &name, qualifier, node: id, name_node: to.name_node, body, parent };
        let symbol = self.add_symbol(draft, rule);
        if to.own && !self.conventions.private_names.as_ref().is_some_and(|private| private.is_match(&name)) {
            self.outline.symbols[symbol as usize].visibility = self.table.default_member_visibility;
        }
        if exported {
            let symbol = &mut self.outline.symbols[symbol as usize];
            symbol.modifiers.insert(Modifier::Exported);
            symbol.visibility = Visibility::Public;
        }
        if whole {
            self.add_export(id, &name, "default");
        }
        self.place_binding(to, owner);
        self.claims.insert(claimed, symbol);
    }

    /// Binds the name of the destination if it is visible as a bare name: a field is, in its type; other members are not.
    fn place_binding(&mut self, to: &Destination, owner: Option<u32>) {
        if to.base.is_empty() {
            self.consume(to.name_node);
            return;
        }
        let binding = self.flow.bindings.pop();
        if let Some(owner) = owner
            && let Some(mut binding) = binding
            && let Some(&scope) = self.type_scopes.get(&owner)
        {
            binding.scope = scope;
            self.flow.bindings.push(binding);
        }
    }

    pub(super) fn assign_to(&mut self, target: NodeId, parts: DeclarationParts, id: NodeId) {
        self.mark(target, mark::WRITE);
        let via = if parts.count > 1 { Via::Unknown } else { Via::Value };
        let value = parts.value.map(|value| self.expr(value));
        let at = self.tree.node(target).start;
        let scope = self.frame().scope;
        let target_expr = self.expr(target);
        self.note_assigned(target_expr, at, parts.value);
        self.flow.assigns.push(Assign { target: target_expr, value, ty: parts.ty_expr, via, scope, at });
        if self.table.self_assignment_declares_field {
            self.self_field(target, parts, id);
        }
    }
}
