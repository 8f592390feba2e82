//! Imports by calls: `const fs = require("fs")`.

use super::Lowering;
use crate::facts::display_text;
use crate::node_table::CallImport;
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{BindingKind, Import, ImportKind, Literal, Modifiers, Visibility};

impl Lowering<'_> {
    /// Binds a name to the imported module that is its value, or to a member of that module.
    pub(super) fn require(&mut self, name: &str, value: NodeId, node: NodeId) -> bool {
        let Some((module, member)) = self.required_module(value) else { return false };
        self.add_required(&module, member.as_deref(), name, node);
        true
    }

    /// The module that a value is, and the member of it that is accessed directly.
    pub(super) fn required_module(&mut self, value: NodeId) -> Option<(String, Option<String>)> {
        if self.table.calls.is_empty() {
            return None;
        }
        let mut at = self.through(value);
        let mut member = None;
        let rule = self.table.rule(self.tree, at);
        if rule.expr == Some(ExprRole::Member) {
            member = Some(self.name_text(rule.name.find(self.tree, at)?));
            at = self.through(rule.base.find(self.tree, at)?);
        }
        let rule = self.table.rule(self.tree, at);
        if rule.expr == Some(ExprRole::Await) {
            at = self.through(self.tree.named_children(at).next()?);
        }
        let rule = self.table.rule(self.tree, at);
        if rule.expr != Some(ExprRole::Call) {
            return None;
        }
        let callee = rule.callee.find(self.tree, at).or_else(|| rule.name.find(self.tree, at))?;
        let call = self.table.calls.get(&self.name_text(callee))?;
        if call.import != Some(CallImport::Value) {
            return None;
        }
        let args = rule.args.find(self.tree, at)?;
        let first = self.tree.named_children(args).next()?;
        if self.table.rule(self.tree, first).expr != Some(ExprRole::Literal(Literal::String)) {
            return None;
        }
        self.required.insert(at);
        Some((display_text::unquote(&display_text::lossy(self.tree.bytes(first))).to_owned(), member))
    }

    pub(super) fn add_required(&mut self, module: &str, item: Option<&str>, name: &str, node: NodeId) {
        let kind = if item.is_some() { ImportKind::Item } else { ImportKind::Module };
        let index = self.push_required(kind, module, item, Some(name), node, false);
        self.bind_name(self.frame().scope, name, BindingKind::Import(index), self.tree.node(node).start);
    }

    pub(super) fn push_required(
        &mut self,
        kind: ImportKind,
        module: &str,
        item: Option<&str>,
        name: Option<&str>,
        node: NodeId,
        reexport: bool,
    ) -> u32 {
        let at = self.tree.node(node);
        let import = Import {
            kind,
            module: self.shown.intern(module),
            name: item.map(|item| self.shown.intern(item)),
            alias: name.map(|name| self.shown.intern(name)),
            reexport,
            visibility: if reexport { Visibility::Public } else { Visibility::Private },
            modifiers: Modifiers::default(),
            scope: self.frame().scope,
            at: at.start,
            line: at.row + 1,
        };
        self.outline.imports.push(import);
        self.outline.imports.len() as u32 - 1
    }
}
