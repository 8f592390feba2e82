//! Type narrowing: where a type test holds, the tested variable has that type.
//!
//! A test adds a binding of the variable where it begins to hold, and one with the former meaning where it ends. Resolution takes the last
//! binding before a use, so it needs to know nothing of tests.
//!
//! Example: in `if ($n instanceof Leaf) { $n->leaf(); } $n->next();` the variable is a `Leaf` between the braces and what it was before
//! after them. In `if (!$n instanceof Leaf) { return; } $n->leaf();` it is a `Leaf` after the braces, up to the end of the block around the
//! statement, because what is between them never gets there.

use super::{Lowering, mark};
use crate::node_table::{NarrowingWords, Rule};
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{Atom, Binding, BindingKind, Expr, ExprId, ExprList, Via};

/// Maximum depth of a condition.
const DEEP: usize = 16;

/// A variable with a tested type.
struct Tested {
    name: Atom,
    types: Vec<ExprId>,
}

/// A region in which a variable has a tested type.
pub(super) struct Narrowing {
    scope: u32,
    name: Atom,
    ty: ExprId,
    start: u32,
    /// None if it holds until the end of the function.
    end: Option<u32>,
}

impl Lowering<'_> {
    /// Notes what a condition, a logical operator or an assertion says about the types of variables.
    pub(super) fn narrow(&mut self, id: NodeId, rule: &Rule) {
        let table = self.table;
        let Some(words) = &table.narrowing else { return };
        let node = *self.tree.node(id);
        if let Some(condition) = rule.condition.find(self.tree, id) {
            let (holds, fails) =
                (self.tested(words, condition, true, 0), self.tested(words, condition, false, 0));
            let taken = rule.narrowed.find_all(self.tree, id);
            let otherwise = rule.otherwise.find_all(self.tree, id);
            let leaves = otherwise.is_empty() && taken.last().is_some_and(|&body| self.leaves(words, body));
            for region in taken {
                self.narrow_in(&holds, region);
            }
            for region in otherwise {
                self.narrow_in(&fails, region);
            }
            if leaves {
                self.narrow_from(&fails, node.end, self.block_end(id));
            }
            return;
        }
        let parts: Vec<NodeId> = self.tree.named_children(id).collect();
        let [first, .., last] = parts[..] else { return };
        if self.has_operator(id, &words.and) {
            let holds = self.tested(words, first, true, 0);
            self.narrow_in(&holds, last);
        } else if self.has_operator(id, &words.or) {
            let fails = self.tested(words, first, false, 0);
            self.narrow_in(&fails, last);
        } else {
            let callee = self.tree.bytes(parts[parts.len() - 2]).trim_ascii_start();
            let tested = self.asserted(words, callee, last);
            self.narrow_from(&tested, node.end, self.block_end(node.parent));
        }
    }

    /// What a call of a function or method says about the types of variables, if it returns.
    fn asserted(&mut self, words: &NarrowingWords, callee: &[u8], arguments: NodeId) -> Vec<Tested> {
        let is_one_of = |list: &[Vec<u8>]| list.iter().any(|known| known == callee);
        let mut given = self.tree.named_children(arguments);
        let (first, second) = (given.next(), given.next());
        match (first, second) {
            (Some(condition), _) if is_one_of(&words.assertions) => self.tested(words, condition, true, 0),
            (Some(condition), _) if is_one_of(&words.denials) => self.tested(words, condition, false, 0),
            (Some(ty), Some(value)) if is_one_of(&words.type_assertions) => {
                let (ty, value) = (self.argument_value(ty), self.argument_value(value));
                // `Leaf::class` is a value; its first part is the type.
                let base = self.table.rule(self.tree, ty).base.find(self.tree, ty);
                let (name, ty) = (self.tested_variable(value), base.and_then(|base| self.tested_type(base)));
                name.zip(ty).map(|(name, ty)| Tested { name, types: vec![ty] }).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The expression of an argument.
    fn argument_value(&self, mut id: NodeId) -> NodeId {
        while matches!(self.table.rule(self.tree, id).expr, None | Some(ExprRole::Transparent))
            && let [only] = self.tree.named_children(id).collect::<Vec<_>>()[..]
        {
            id = only;
        }
        id
    }

    /// Where the block around a statement ends; none if the function ends there.
    fn block_end(&self, statement: NodeId) -> Option<u32> {
        let block = self.tree.get(statement).and_then(|statement| self.tree.get(statement.parent))?;
        let function = self.flow.scopes.get(self.frame().scope as usize)?;
        Some(block.end).filter(|&end| end < function.end)
    }

    fn narrow_in(&mut self, tested: &[Tested], region: NodeId) {
        let node = self.tree.node(region);
        let (start, end) = (node.start, node.end);
        self.narrow_from(tested, start, Some(end));
    }

    fn narrow_from(&mut self, tested: &[Tested], start: u32, end: Option<u32>) {
        let scope = self.frame().scope;
        for one in tested {
            let ty = if let [only] = one.types[..] {
                only
            } else {
                let list = ExprList { start: self.flow.operands.len() as u32, len: one.types.len() as u32 };
                self.flow.operands.extend(&one.types);
                self.push_expr(Expr::Either(list))
            };
            self.narrowings.push(Narrowing { scope, name: one.name, ty, start, end });
        }
    }

    /// The variables whose type is known if a condition holds, or if it fails.
    fn tested(&mut self, words: &NarrowingWords, id: NodeId, holds: bool, depth: usize) -> Vec<Tested> {
        let parts: Vec<NodeId> = self.tree.named_children(id).collect();
        if depth > DEEP {
            return Vec::new();
        }
        match parts[..] {
            [first, last] if self.has_operator(id, &words.tests) && holds => {
                let types = self.tested_type(last);
                let name = self.tested_variable(first);
                name.zip(types).map(|(name, ty)| Tested { name, types: vec![ty] }).into_iter().collect()
            }
            [first, last] if self.has_operator(id, if holds { &words.and } else { &words.or }) => {
                let mut both = self.tested(words, first, holds, depth + 1);
                both.extend(self.tested(words, last, holds, depth + 1));
                both
            }
            [first, last] if self.has_operator(id, &words.or) => {
                // One of several types, if both sides test the same variable.
                let left = self.tested(words, first, holds, depth + 1);
                let right = self.tested(words, last, holds, depth + 1);
                match (&left[..], &right[..]) {
                    ([one], [other]) if one.name == other.name => {
                        vec![Tested { name: one.name, types: [&one.types[..], &other.types[..]].concat() }]
                    }
                    _ => Vec::new(),
                }
            }
            [only] if self.has_operator(id, &words.not) => self.tested(words, only, !holds, depth + 1),
            [only] if self.table.rule(self.tree, id).expr == Some(ExprRole::Transparent) => {
                self.tested(words, only, holds, depth + 1)
            }
            [only] if self.table.rule(self.tree, id).expr.is_none() => {
                self.tested(words, only, holds, depth + 1)
            }
            _ => Vec::new(),
        }
    }

    /// The variable that is tested: `$x`, or `($x = f())`.
    fn tested_variable(&mut self, id: NodeId) -> Option<Atom> {
        let rule = self.table.rule(self.tree, id);
        if rule.rebind {
            let target = rule.name.find(self.tree, id)?;
            return self.tested_variable(target);
        }
        if rule.expr == Some(ExprRole::Transparent) {
            let inner = self.tree.named_children(id).next()?;
            return self.tested_variable(inner);
        }
        if rule.expr != Some(ExprRole::Name) {
            return None;
        }
        let expr = self.expr(id);
        match self.flow.expr(expr) {
            Expr::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The type that is tested for; a variable that holds a type says nothing.
    fn tested_type(&mut self, id: NodeId) -> Option<ExprId> {
        let prefix = self.table.variable_prefix.as_deref().unwrap_or("\0");
        if self.table.rule(self.tree, id).expr != Some(ExprRole::Name)
            || self.tree.bytes(id).starts_with(prefix.as_bytes())
        {
            return None;
        }
        self.mark(id, mark::TYPE);
        Some(self.expr(id))
    }

    fn has_operator(&self, id: NodeId, words: &[Vec<u8>]) -> bool {
        let mut tokens = self.tree.children(id).filter(|&child| !self.tree.node(child).named);
        tokens.any(|token| words.iter().any(|word| word == self.tree.bytes(token)))
    }

    /// Whether what follows a statement is not reached from it.
    fn leaves(&self, words: &NarrowingWords, id: NodeId) -> bool {
        if words.exits.contains(&self.tree.node(id).kind) {
            return true;
        }
        let comment = |at: &NodeId| self.table.rule(self.tree, *at).comment;
        let last = self.tree.named_children(id).filter(|at| !comment(at)).last();
        let rule = self.table.rule(self.tree, id);
        let is_plain = rule.symbol.is_none() && rule.declare.is_none() && rule.condition.is_empty();
        is_plain && (rule.expr.is_none() || rule.wrapper) && last.is_some_and(|last| self.leaves(words, last))
    }

    /// Adds the bindings that narrowed variables have.
    pub(super) fn bind_narrowed(&mut self) {
        let mut narrowings = std::mem::take(&mut self.narrowings);
        narrowings.sort_by_key(|one| (one.start, std::cmp::Reverse(one.end.unwrap_or(u32::MAX))));
        for Narrowing { scope, name, ty, start, end } in narrowings {
            let same = |binding: &&Binding| binding.scope == scope && binding.name == name;
            let mut known = self.flow.bindings.iter().filter(same);
            let before = known.rfind(|binding| binding.at <= start).copied();
            let is_set_inside = |end: u32| {
                let mut set = self.flow.bindings.iter().filter(same);
                set.any(|binding| binding.at > start && binding.at < end)
            };
            let restores = end.filter(|&end| !is_set_inside(end));
            let kind = BindingKind::Local;
            let (value, via) = (None, Via::Value);
            self.insert_binding(Binding {
                scope,
                name,
                kind,
                ty: Some(ty),
                value,
                via,
                at: start,
                visible_from: start,
            });
            if let Some(at) = restores {
                let restored = match before {
                    Some(before) => Binding { kind, at, visible_from: at, ..before },
                    None => Binding { scope, name, kind, ty: None, value, via, at, visible_from: at },
                };
                self.insert_binding(restored);
            }
        }
    }

    /// Inserts a binding before the later ones of its name.
    fn insert_binding(&mut self, binding: Binding) {
        let later =
            |one: &Binding| one.scope == binding.scope && one.name == binding.name && one.at > binding.at;
        let at = self.flow.bindings.iter().position(later).unwrap_or(self.flow.bindings.len());
        self.flow.bindings.insert(at, binding);
    }
}
