//! Exports by assignment (`module.exports = …`), and the containers of functions in object literals.

use super::Lowering;
use super::definitions::SymbolDraft;
use crate::facts::display_text;
use crate::node_table::Rule;
use crate::parse::flat_tree::{NONE, NodeId};
use crate::schema::vocabulary::ExprRole;
use orient_model::{ImportKind, Modifier, Sequence, SymbolKind, Visibility, Wrapper};
use std::collections::{HashMap, HashSet};

/// The container of the functions in an object literal, if it is no symbol.
#[derive(Clone, Default)]
pub(super) struct ObjectContainer {
    /// Names of the containers, joined by dots.
    pub(super) path: String,
    /// Whether they are exported.
    pub(super) exported: bool,
}

impl<'t> Lowering<'t> {
    pub(super) fn is_object(&self, id: NodeId) -> bool {
        self.table.rule(self.tree, id).expr == Some(ExprRole::Sequence(Sequence::Map))
    }

    /// The object literal that a value is, if its members are symbols.
    pub(super) fn object_with_members(&self, value: NodeId) -> Option<NodeId> {
        let object = self.through(value);
        (self.is_object(object) && self.table.rule(self.tree, object).scope.is_some()).then_some(object)
    }

    /// An object literal under a key: the functions in it belong to that key.
    pub(super) fn name_object(&mut self, id: NodeId, rule: &Rule, value: Option<NodeId>) {
        let Some(object) = value.map(|value| self.through(value)).filter(|&value| self.is_object(value))
        else {
            return;
        };
        let Some(key) = rule.name.find(self.tree, id).and_then(|key| self.naming(key)) else { return };
        let around =
            self.objects.get(&self.tree.node(id).parent).map(|place| place.path.clone()).unwrap_or_default();
        let path = if around.is_empty() { key.name } else { format!("{around}.{}", key.name) };
        self.objects.insert(
            object,
            ObjectContainer { path: display_text::cut(&path, display_text::PHRASE_CAP), exported: false },
        );
    }

    /// The container of a symbol that is not its parent, and whether it is exported there.
    pub(super) fn place_of(&self, draft: &SymbolDraft<'_>) -> (Option<String>, bool) {
        match (self.objects.get(&self.tree.node(draft.node).parent), &draft.qualifier) {
            (Some(place), None) => (Some(place.path.clone()), place.exported),
            (_, qualifier) => (qualifier.clone(), false),
        }
    }

    /// `module.exports = …` and `exports.x = …`, unless the value is an anonymous function.
    pub(super) fn export_assigned(&mut self, id: NodeId, rule: &'t Rule, target: NodeId, value: NodeId) {
        if self.table.export_objects.is_empty() {
            return;
        }
        let target_rule = self.table.rule(self.tree, target);
        let (Some(base), Some(name_node)) =
            (target_rule.base.find(self.tree, target), target_rule.name.find(self.tree, target))
        else {
            return;
        };
        let (base, name) = (self.type_name(base), self.name_text(name_node));
        if self.table.export_objects.contains(&format!("{base}.{name}")) {
            self.export_whole(id, value);
        } else if self.table.export_objects.contains(&base) && !self.export_named(id, value, &name) {
            self.exported_value(id, rule, value, &name, name_node);
        }
    }

    fn export_whole(&mut self, id: NodeId, value: NodeId) {
        let inner = self.through(value);
        if let Some((module, member)) = self.required_module(value) {
            match member {
                Some(member) => {
                    self.push_required(ImportKind::Item, &module, Some(&member), Some("default"), id, true)
                }
                None => self.push_required(ImportKind::Wildcard, &module, None, None, id, true),
            };
        } else if self.is_object(inner) {
            let entries: Vec<NodeId> = self.tree.named_children(inner).collect();
            for entry in entries {
                self.export_entry(entry);
            }
        } else if let Some(&symbol) = self.claims.get(&inner) {
            let name = self.shown.get(self.outline.symbols[symbol as usize].name).to_owned();
            self.add_export(id, &name, "default");
        } else {
            let named = self.table.rule(self.tree, inner).expr == Some(ExprRole::Name);
            let name = if named { self.name_text(inner) } else { self.declared_with(id).unwrap_or_default() };
            self.add_export(id, &name, "default");
        }
    }

    /// The variable that is assigned the same value: `var app = module.exports = create()`.
    fn declared_with(&self, id: NodeId) -> Option<String> {
        let mut at = self.tree.node(id).parent;
        while at != NONE && self.table.rule(self.tree, at).assign {
            at = self.tree.node(at).parent;
        }
        let rule = self
            .tree
            .get(at)
            .map(|_| self.table.rule(self.tree, at))
            .filter(|rule| rule.declare.is_some())?;
        rule.name.find(self.tree, at).filter(|&name| self.is_simple(name)).map(|name| self.name_text(name))
    }

    /// One entry of an exported object.
    fn export_entry(&mut self, entry: NodeId) {
        let rule: &'t Rule = self.table.rule(self.tree, entry);
        match rule.expr {
            Some(ExprRole::Name) => {
                let name = self.name_text(entry);
                self.add_export(entry, &name, &name);
            }
            Some(ExprRole::Named) => {
                let (Some(key), Some(value)) =
                    (rule.name.find(self.tree, entry), rule.value.find(self.tree, entry))
                else {
                    return;
                };
                let key = self.name_text(key);
                let key = display_text::unquote(&key).to_owned();
                let inner = self.through(value);
                if !self.is_unnamed(inner) && !self.export_named(entry, value, &key) {
                    self.add_export(entry, "", &key);
                }
            }
            Some(ExprRole::Wrap(Wrapper::Spread)) => {
                let inner = self.tree.named_children(entry).next();
                if let Some((module, None)) = inner.and_then(|inner| self.required_module(inner)) {
                    self.push_required(ImportKind::Wildcard, &module, None, None, entry, true);
                }
            }
            _ => {}
        }
    }

    /// Exports a module, a name or a named function under a public name; false for any other value.
    fn export_named(&mut self, id: NodeId, value: NodeId, public: &str) -> bool {
        let inner = self.through(value);
        if let Some((module, member)) = self.required_module(value) {
            let kind = if member.is_some() { ImportKind::Item } else { ImportKind::Module };
            self.push_required(kind, &module, member.as_deref(), Some(public), id, true);
        } else if self.table.rule(self.tree, inner).expr == Some(ExprRole::Name) {
            let name = self.name_text(inner);
            self.add_export(id, &name, public);
        } else if let Some(&symbol) = self.claims.get(&inner) {
            let name = self.shown.get(self.outline.symbols[symbol as usize].name).to_owned();
            self.add_export(id, &name, public);
        } else {
            return false;
        }
        true
    }

    /// `exports.VERSION = "1"`: a variable that only other files see by its bare name.
    fn exported_value(&mut self, id: NodeId, rule: &'t Rule, value: NodeId, name: &str, name_node: NodeId) {
        let inner = self.through(value);
        let followed = self.table.rule(self.tree, inner).expr.is_some();
        self.add_export(id, "", name);
        if !followed || self.frame().symbol.is_some() || self.in_function() {
            return;
        }
        let kind = SymbolKind::Variable;
        let draft =
            SymbolDraft { kind, name, qualifier: None, node: id, name_node, body: None, parent: None };
        let symbol = self.add_symbol(draft, rule);
        self.flow.bindings.pop();
        let symbol = &mut self.outline.symbols[symbol as usize];
        symbol.modifiers.insert(Modifier::Exported);
        symbol.visibility = Visibility::Public;
    }

    /// Marks a variable as a component if the call that creates its value says so.
    pub(super) fn component_by_call(&mut self, symbol: u32, value: Option<NodeId>) {
        let Some(value) = value else { return };
        let Some(call) = self.call_rule(value, self.table.rule(self.tree, value)) else { return };
        let symbol = &mut self.outline.symbols[symbol as usize];
        if call.component && self.shown.get(symbol.name).starts_with(char::is_uppercase) {
            symbol.modifiers.insert(Modifier::Component);
        }
    }

    /// If only exports are public: marks exported symbols, and makes all others private.
    pub(super) fn settle_exports(&mut self) {
        if !self.table.unexported_is_private {
            return;
        }
        // Exported by its own name, as the default.
        let mut named: HashMap<&str, (bool, bool)> = HashMap::new();
        for export in &self.outline.exports {
            let (name, public) = (self.shown.get(export.name), self.shown.get(export.public));
            let (own, default) = named.entry(name).or_default();
            *own |= public == name;
            *default |= public == "default";
        }
        let mut closed: HashSet<Option<u32>> = HashSet::new();
        if !self.outline.imports.is_empty() || !self.outline.exports.is_empty() {
            closed.insert(None);
        }
        for symbol in &mut self.outline.symbols {
            let top = symbol.parent.is_none() && symbol.qualifier.is_none();
            if let Some(&(own, default)) = named.get(self.shown.get(symbol.name)).filter(|_| top) {
                if own || default {
                    symbol.modifiers.insert(Modifier::Exported);
                }
                symbol.visibility = Visibility::Public;
                if default {
                    symbol.modifiers.insert(Modifier::Default);
                }
            }
            if symbol.modifiers.contains(Modifier::Exported) {
                closed.insert(symbol.parent);
            }
        }
        let modules: Vec<bool> =
            self.outline.symbols.iter().map(|symbol| symbol.kind == SymbolKind::Module).collect();
        for symbol in &mut self.outline.symbols {
            let level = symbol.parent.is_none_or(|parent| modules[parent as usize]);
            let inner = level && symbol.qualifier.is_none() && closed.contains(&symbol.parent);
            // An ambient module is visible by its name everywhere.
            let ambient =
                symbol.kind == SymbolKind::Module && symbol.modifiers.contains(Modifier::Declaration);
            let renamed = symbol.parent.is_none() && named.contains_key(self.shown.get(symbol.name));
            if inner && !ambient && !renamed && !symbol.modifiers.contains(Modifier::Exported) {
                symbol.visibility = Visibility::Private;
            }
        }
    }
}
