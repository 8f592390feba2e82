//! Attributes of elements in markup: the properties of a component, and the classes and ids that style sheets select.

use super::Lowering;
use crate::node_table::Rule;
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{Expr, RefKind, Reference};

/// Maximum length of the name of a class or an id.
const NAME_CAP: usize = 120;

/// Replaces the interpolated parts of a literal. No selector name contains it.
const COMPUTED: u8 = b'$';

impl<'t> Lowering<'t> {
    /// Adds the uses that an attribute of an element makes.
    pub(super) fn element_attribute(&mut self, id: NodeId, rule: &'t Rule) {
        let Some(name) = rule.name.find(self.tree, id) else { return };
        let text = self.name_text(name);
        if let Some(&(_, mark)) = rule.selector_attributes.iter().find(|(attribute, _)| *attribute == text)
            && let Some(value) = rule.value.find(self.tree, id)
        {
            self.selected_names(value, mark);
        }
        self.property(id, name, &text);
    }

    /// An attribute of a component's element is a use of a property: a write, since the element gives it a value.
    fn property(&mut self, id: NodeId, name: NodeId, text: &str) {
        let element = self.tree.node(id).parent;
        if self.tree.get(element).is_none() {
            return;
        }
        let rule: &'t Rule = self.table.rule(self.tree, element);
        let Some(ty) = rule.ty.find(self.tree, element).filter(|_| rule.expr == Some(ExprRole::New)) else {
            return;
        };
        if rule.only_if_capitalised && self.is_plain_element(ty) {
            return;
        }
        let (base, name_text) = (self.expr(element), self.names.intern(text));
        let expr = self.push_expr(Expr::Member { base, name: name_text });
        self.add_reference(RefKind::Write, expr, name);
    }

    /// The names in the texts of a value: those that it may evaluate to, and the keys of maps, whose values are conditions.
    fn selected_names(&mut self, value: NodeId, mark: char) {
        let (mut id, after) = (value, self.tree.node(value).after);
        let mut unselected: Vec<NodeId> = Vec::new();
        while id < after {
            let rule: &'t Rule = self.table.rule(self.tree, id);
            let role = rule.role(self.tree, id);
            // An operator that chooses nothing compares, or computes a part of a name.
            let is_computed = role.is_none() && !rule.roles.is_empty() || role == Some(ExprRole::Joined);
            if rule.skip || rule.comment || is_computed || unselected.contains(&id) {
                id = self.tree.node(id).after;
                continue;
            }
            match role {
                Some(ExprRole::Literal(_)) if self.is_string(id) => self.selected_words(id, mark),
                Some(ExprRole::Either) => {
                    let chosen = rule.value.find_each(self.tree, id);
                    if !chosen.is_empty() {
                        unselected.extend(self.tree.named_children(id).filter(|one| !chosen.contains(one)));
                    }
                }
                Some(ExprRole::Named) => {
                    unselected.extend(rule.value.find(self.tree, id));
                    if let Some(key) = rule.name.find(self.tree, id).filter(|&key| !self.is_string(key)) {
                        self.selected_words(key, mark);
                    }
                }
                _ => {}
            }
            id += 1;
        }
    }

    /// The words of a text as references; a word that is partly computed is none.
    fn selected_words(&mut self, id: NodeId, mark: char) {
        let node = *self.tree.node(id);
        let mut text = self.tree.bytes(id).to_vec();
        for child in self.tree.named_children(id) {
            let part = self.tree.node(child);
            // What is inserted into a text has parts of its own.
            if part.after > child + 1 {
                text[(part.start - node.start) as usize..(part.end - node.start) as usize].fill(COMPUTED);
            }
        }
        let mut at = 0;
        for word in text.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`')) {
            let start = at;
            at += word.len() + 1;
            if is_selected_name(word) {
                let name = self.names.intern(&format!("{mark}{}", String::from_utf8_lossy(word)));
                let expr = self.push_expr(Expr::Name(name));
                let frame = self.frame();
                let lines = memchr::memchr_iter(b'\n', &text[..start]).count() as u32;
                self.flow.references.push(Reference {
                    kind: RefKind::Read,
                    expr,
                    at: node.start + start as u32,
                    line: node.row + 1 + lines,
                    scope: frame.scope,
                    symbol: frame.symbol,
                    apart: 0,
                });
            }
        }
    }
}

/// Whether a word can be the name of a class or an id.
fn is_selected_name(word: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || *byte >= 0x80;
    word.first().is_some_and(|first| !first.is_ascii_digit())
        && word.len() <= NAME_CAP
        && word.iter().all(plain)
}
