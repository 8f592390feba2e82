//! What a definition is called: through declarators, qualified names and patterns.

use super::{Lowering, mark};
use crate::table::Rule;
use crate::tree::NodeId;
use crate::vocabulary::ExprRole;
use orient_model::{Sequence, Via};

/// Declarators are never nested deeper in code people write.
const UNWRAP_CAP: usize = 16;
/// Nor are patterns.
const PATTERN_CAP: usize = 12;

/// A name found at a definition, and what was met on the way to it.
pub(super) struct Naming {
    pub(super) node: NodeId,
    pub(super) name: String,
    pub(super) qualifier: Option<String>,
    /// The parameter list, where the declarator has one.
    pub(super) params: Option<NodeId>,
    pub(super) value: Option<NodeId>,
}

impl<'t> Lowering<'t> {
    /// The name under `id`, looking through declarators.
    pub(super) fn naming(&self, id: NodeId) -> Option<Naming> {
        let (mut at, mut params, mut value) = (id, None, None);
        for _ in 0..UNWRAP_CAP {
            let rule = self.table.rule(self.tree, at);
            if rule.unwrap.is_empty() {
                break;
            }
            params = params.or_else(|| rule.params.find(self.tree, at));
            value = value.or_else(|| rule.value.find(self.tree, at));
            at = rule.unwrap.find(self.tree, at)?;
        }
        let (name, qualifier) = self.split_name(at);
        (!name.is_empty()).then_some(Naming { node: at, name, qualifier, params, value })
    }

    /// The last name of a possibly qualified one, and what stands before it.
    fn split_name(&self, id: NodeId) -> (String, Option<String>) {
        let rule = self.table.rule(self.tree, id);
        if rule.expr == Some(ExprRole::Member)
            && let Some(last) = rule.name.find(self.tree, id)
        {
            let (name, inner) = self.split_name(last);
            let base = rule.base.find(self.tree, id).map(|base| self.type_name(base));
            let parts: Vec<String> = base.into_iter().chain(inner).filter(|part| !part.is_empty()).collect();
            return (name, (!parts.is_empty()).then(|| parts.join(".")));
        }
        if rule.expr == Some(ExprRole::Apply)
            && let Some(base) = rule.base.find(self.tree, id)
        {
            return self.split_name(base);
        }
        (self.name_text(id), None)
    }

    /// The bare name of a type as a container is called: `Server` for `*Server`, `Map<K, V>` and `pkg::Map`.
    pub(super) fn type_name(&self, id: NodeId) -> String {
        let mut at = id;
        for _ in 0..UNWRAP_CAP {
            let rule = self.table.rule(self.tree, at);
            let next = match rule.expr {
                Some(ExprRole::Name) => return self.name_text(at),
                Some(ExprRole::Member) => {
                    let base = rule.base.find(self.tree, at).map(|base| self.type_name(base));
                    let name = rule.name.find(self.tree, at).map(|name| self.name_text(name)).unwrap_or_default();
                    return base.filter(|base| !base.is_empty()).map_or(name.clone(), |base| format!("{base}.{name}"));
                }
                Some(ExprRole::Apply) => rule.base.find(self.tree, at),
                _ if !rule.ty.is_empty() => rule.ty.find(self.tree, at),
                _ if !rule.value.is_empty() => rule.value.find(self.tree, at),
                _ => None,
            };
            match next.or_else(|| self.tree.named_children(at).next()) {
                Some(next) => at = next,
                None => return self.name_text(at),
            }
        }
        String::new()
    }

    /// The names a pattern binds, each with the way it comes out of the value.
    pub(super) fn pattern(&mut self, id: NodeId) -> Vec<(NodeId, String, Via)> {
        let mut found = Vec::new();
        self.pattern_into(id, Via::Value, 0, &mut found);
        found
    }

    fn pattern_into(&mut self, id: NodeId, via: Via, depth: usize, found: &mut Vec<(NodeId, String, Via)>) {
        if depth > PATTERN_CAP {
            return;
        }
        let rule: &'t Rule = self.table.rule(self.tree, id);
        if !rule.unwrap.is_empty() {
            if let Some(naming) = self.naming(id) {
                found.push((naming.node, naming.name, via));
            }
            return;
        }
        match rule.expr {
            Some(ExprRole::Name) => {
                let name = self.name_text(id);
                found.push((id, name, via));
            }
            Some(ExprRole::Transparent | ExprRole::Wrap(_)) => {
                let inner = rule.value.find(self.tree, id).or_else(|| self.tree.named_children(id).next());
                if let Some(inner) = inner {
                    self.pattern_into(inner, via, depth + 1, found);
                }
            }
            Some(ExprRole::Sequence(kind)) if rule.pattern => {
                let children: Vec<NodeId> = self.tree.named_children(id).collect();
                for (index, child) in children.into_iter().enumerate() {
                    let via = self.part_of(via, kind, index as u32, child);
                    self.pattern_into(child, via, depth + 1, found);
                }
            }
            Some(ExprRole::Named) if rule.pattern => {
                if let Some(value) = rule.value.find(self.tree, id) {
                    self.pattern_into(value, via, depth + 1, found);
                }
            }
            _ if rule.pattern => {
                let parts = if rule.value.is_empty() {
                    self.tree.named_children(id).collect()
                } else {
                    rule.value.find_all(self.tree, id)
                };
                for part in parts {
                    self.pattern_into(part, Via::Unknown, depth + 1, found);
                }
            }
            _ => {}
        }
    }

    fn part_of(&mut self, via: Via, kind: Sequence, index: u32, child: NodeId) -> Via {
        if via != Via::Value {
            return Via::Unknown;
        }
        if kind != Sequence::Map {
            return Via::Item(index);
        }
        let rule = self.table.rule(self.tree, child);
        let key = if rule.expr == Some(ExprRole::Named) {
            rule.name.find(self.tree, child)
        } else {
            self.pattern_head(child)
        };
        key.map_or(Via::Unknown, |key| {
            let name = self.name_text(key);
            Via::Member(self.names.intern(crate::text::unquote(&name)))
        })
    }

    /// The name a simple entry of a map pattern stands for: `a` in `{ a }` and in `{ a = 1 }`.
    fn pattern_head(&self, id: NodeId) -> Option<NodeId> {
        let rule = self.table.rule(self.tree, id);
        match rule.expr {
            Some(ExprRole::Name) => Some(id),
            Some(ExprRole::Transparent) => {
                let inner = rule.value.find(self.tree, id).or_else(|| self.tree.named_children(id).next())?;
                let inner_rule = self.table.rule(self.tree, inner);
                (inner_rule.expr == Some(ExprRole::Name)).then_some(inner)
            }
            _ => None,
        }
    }

    /// Looks through parentheses and other transparent nodes.
    pub(super) fn through(&self, id: NodeId) -> NodeId {
        let mut at = id;
        for _ in 0..UNWRAP_CAP {
            let rule = self.table.rule(self.tree, at);
            if rule.expr != Some(ExprRole::Transparent) {
                break;
            }
            match rule.value.find(self.tree, at).or_else(|| self.tree.named_children(at).next()) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }

    /// Marks a declared name, so that the walk does not take it for a use.
    pub(super) fn consume(&mut self, id: NodeId) {
        let node = *self.tree.node(id);
        self.mark(id, mark::CONSUMED);
        // A qualified name at a definition: its last part is no use, the parts before it are.
        if node.after > id + 1
            && let Some(last) = self.table.rule(self.tree, id).name.find(self.tree, id)
        {
            self.consume(last);
        }
    }
}
