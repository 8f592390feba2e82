//! Destructuring of literals: pairs the names of a pattern with the values beside it, `a, (b, *c) = x, (y, z)`.
//!
//! Example: `a, (b, *c) = x, (y, z)` gives `a` the value `x`, `b` the value `y`, and `c` the list `[z]`.

use super::Lowering;
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{Expr, ExprId, ExprList, Sequence, Wrapper};

/// Maximum nesting depth of patterns.
const NESTING_CAP: usize = 8;

fn is_list(kind: Sequence) -> bool {
    matches!(kind, Sequence::List | Sequence::Tuple)
}

impl Lowering<'_> {
    /// The names of a pattern, each with its own value, as far as both sides have the same shape.
    pub(super) fn destructure(
        &mut self,
        target: NodeId,
        value: ExprId,
        depth: usize,
        found: &mut Vec<(NodeId, ExprId)>,
    ) {
        let rule = self.table.rule(self.tree, target);
        if !(rule.pattern && matches!(rule.expr, Some(ExprRole::Sequence(kind)) if is_list(kind))) {
            found.push((target, value));
            return;
        }
        let Expr::Sequence { kind, items } = self.flow.expr(value) else { return };
        let items: Vec<ExprId> = self.flow.list(items).to_vec();
        let is_spread =
            |item: &ExprId| matches!(self.flow.expr(*item), Expr::Wrap { wrapper: Wrapper::Spread, .. });
        if !is_list(kind) || depth > NESTING_CAP || items.iter().any(is_spread) {
            return;
        }
        let names: Vec<NodeId> = self.tree.named_children(target).collect();
        let is_rest =
            |name: &NodeId| self.table.rule(self.tree, *name).expr == Some(ExprRole::Wrap(Wrapper::Spread));
        match names.iter().position(is_rest) {
            None if names.len() == items.len() => {
                for (&name, &item) in names.iter().zip(&items) {
                    self.destructure(name, item, depth + 1, found);
                }
            }
            Some(rest) if items.len() + 1 >= names.len() => {
                let (first, last) = (&names[..rest], &names[rest + 1..]);
                let (middle, ends) = items[rest..].split_at(items.len() - rest - last.len());
                for (&name, &item) in first.iter().zip(&items).chain(last.iter().zip(ends)) {
                    self.destructure(name, item, depth + 1, found);
                }
                let list = ExprList { start: self.flow.operands.len() as u32, len: middle.len() as u32 };
                self.flow.operands.extend(middle);
                let all = self.push_expr(Expr::Sequence { kind: Sequence::List, items: list });
                found.push((self.tree.named_children(names[rest]).next().unwrap_or(names[rest]), all));
            }
            _ => {}
        }
    }
}
