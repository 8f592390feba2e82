//! Type narrowing: the regions in which a test of a variable's type has a known outcome.
//!
//! Example: in `if ($n instanceof Leaf) { $n->leaf(); } $n->next();` the variable is a `Leaf` between the braces. In
//! `if (!$n instanceof Leaf) { return; } $n->leaf();` it is a `Leaf` after the braces, up to the end of the block around the statement,
//! because what is between them never gets there. Which types the variable can have there, resolution finds out: in
//! `if (shape.kind === "circle")`, those whose `kind` may be that.

use super::{Lowering, mark};
use crate::node_table::{NarrowingWords, Rule};
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{Atom, Binding, Expr, ExprId, ExprList, Literal, Narrowing, Sequence, TypeTest};
use rustc_hash::FxHashMap;

/// Maximum depth of a condition.
const DEEP: usize = 16;
/// Maximum number of arguments of a function that may test one of them.
const MAX_GUARD_ARGUMENTS: usize = 3;

/// A variable whose type is tested, with the outcome.
#[derive(Clone, Copy)]
struct Tested {
    name: Atom,
    test: TypeTest,
    by: ExprId,
}

/// What the parts of a condition say together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joined {
    /// Both hold.
    All,
    /// One of them holds.
    Any,
}

impl Lowering<'_> {
    /// Notes what a condition, a logical operator, a statement with cases or an assertion says about the types of variables.
    pub(super) fn narrow(&mut self, id: NodeId, rule: &Rule) {
        let table = self.table;
        let Some(words) = &table.narrowing else { return };
        let node = *self.tree.node(id);
        if let Some(subject) = rule.subject.find(self.tree, id) {
            self.narrow_cases(words, subject, &rule.cases.find_all(self.tree, id));
            return;
        }
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
        if let Some(&condition) = parts.first()
            && self.has_operator(id, &words.assertions)
        {
            let holds = self.tested(words, condition, true, 0);
            self.narrow_from(&holds, node.end, self.block_end(id));
            return;
        }
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

    /// What the cases of a statement say about its subject. A case without statements continues with the next one.
    fn narrow_cases(&mut self, words: &NarrowingWords, subject: NodeId, cases: &[NodeId]) {
        let mut pending: Option<Tested> = None;
        for &case in cases {
            let Some(value) = self.table.rule(self.tree, case).value.find(self.tree, case) else { continue };
            let Some(one) = self.compared(words, subject, value) else { return };
            let tested = match pending {
                Some(before) => self.either(before, one),
                None => Some(one),
            };
            let is_empty = self.tree.named_children(case).count() < 2;
            if let Some(tested) = tested.filter(|_| !is_empty) {
                let (start, end) = (self.tree.node(value).end, self.tree.node(case).end);
                self.narrow_from(&[tested], start, end);
            }
            pending = tested.filter(|_| is_empty);
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
                name.zip(ty).map(|(name, by)| Tested { name, test: TypeTest::Is, by }).into_iter().collect()
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

    /// Where the block around a statement ends; the end of the scope if there is none.
    fn block_end(&self, statement: NodeId) -> u32 {
        let block = self.tree.get(statement).and_then(|statement| self.tree.get(statement.parent));
        let scope = self.flow.scopes.get(self.frame().scope as usize);
        block.map(|block| block.end).or(scope.map(|scope| scope.end)).unwrap_or(0)
    }

    fn narrow_in(&mut self, tested: &[Tested], region: NodeId) {
        let node = self.tree.node(region);
        let (start, end) = (node.start, node.end);
        self.narrow_from(tested, start, end);
    }

    fn narrow_from(&mut self, tested: &[Tested], start: u32, end: u32) {
        let scope = self.frame().scope;
        let all =
            tested.iter().map(|&Tested { name, test, by }| Narrowing { name, scope, test, by, start, end });
        self.flow.narrowings.extend(all);
    }

    /// The variables whose type is known if a condition holds, or if it fails.
    fn tested(&mut self, words: &NarrowingWords, id: NodeId, holds: bool, depth: usize) -> Vec<Tested> {
        if depth > DEEP {
            return Vec::new();
        }
        let rule = self.table.rule(self.tree, id);
        if rule.expr == Some(ExprRole::Call) {
            return self.tested_by_call(words, id, holds);
        }
        let parts: Vec<NodeId> = self.tree.named_children(id).collect();
        match parts[..] {
            [first, last] if self.has_operator(id, &words.tests) => {
                let (name, by) = (self.tested_variable(first), self.tested_type(last));
                name.zip(by).map(|(name, by)| outcome(name, TypeTest::Is, by, holds)).into_iter().collect()
            }
            [first, last] if self.has_operator(id, &words.membership) => {
                let member = self.constant_expr(first);
                let (name, by) =
                    (self.tested_variable(last), member.and_then(|expr| self.member_of_any_value(expr)));
                name.zip(by).map(|(name, by)| outcome(name, TypeTest::Has, by, holds)).into_iter().collect()
            }
            [first, last] if self.has_operator(id, &words.equal) || self.has_operator(id, &words.unequal) => {
                let holds = holds != self.has_operator(id, &words.unequal);
                let compared =
                    self.compared(words, first, last).or_else(|| self.compared(words, last, first));
                compared.map(|one| outcome(one.name, one.test, one.by, holds)).into_iter().collect()
            }
            [first, last] if self.has_operator(id, &words.and) => {
                self.joined(words, (first, last), holds, depth, if holds { Joined::All } else { Joined::Any })
            }
            [first, last] if self.has_operator(id, &words.or) => {
                self.joined(words, (first, last), holds, depth, if holds { Joined::Any } else { Joined::All })
            }
            [only] if self.has_operator(id, &words.not) => self.tested(words, only, !holds, depth + 1),
            [only] if matches!(rule.expr, None | Some(ExprRole::Transparent)) => {
                self.tested(words, only, holds, depth + 1)
            }
            _ => Vec::new(),
        }
    }

    /// What two conditions say together, each with this outcome.
    fn joined(
        &mut self,
        words: &NarrowingWords,
        (first, last): (NodeId, NodeId),
        holds: bool,
        depth: usize,
        joined: Joined,
    ) -> Vec<Tested> {
        let mut left = self.tested(words, first, holds, depth + 1);
        let right = self.tested(words, last, holds, depth + 1);
        if joined == Joined::All {
            left.extend(right);
            return left;
        }
        match (&left[..], &right[..]) {
            (&[one], &[other]) => self.either(one, other).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// One of several types or constants, if both tests are of the same variable and member.
    fn either(&mut self, one: Tested, other: Tested) -> Option<Tested> {
        if one.name != other.name || one.test != other.test {
            return None;
        }
        let by = match (one.test, self.flow.expr(one.by), self.flow.expr(other.by)) {
            (TypeTest::Is, ..) => self.any_of(one.by, other.by),
            (TypeTest::Has, Expr::Named { name, value }, Expr::Named { name: same, value: more })
                if name == same =>
            {
                let value = self.any_of(value, more);
                self.push_expr(Expr::Named { name, value })
            }
            _ => return None,
        };
        Some(Tested { by, ..one })
    }

    fn any_of(&mut self, one: ExprId, other: ExprId) -> ExprId {
        let mut all = Vec::new();
        for expr in [one, other] {
            match self.flow.expr(expr) {
                Expr::Either(list) => all.extend_from_slice(self.flow.list(list)),
                _ => all.push(expr),
            }
        }
        let list = ExprList { start: self.flow.operands.len() as u32, len: all.len() as u32 };
        self.flow.operands.extend(all);
        self.push_expr(Expr::Either(list))
    }

    /// What a call says about the types of its arguments.
    fn tested_by_call(&mut self, words: &NarrowingWords, id: NodeId, holds: bool) -> Vec<Tested> {
        // Functions among the arguments are not lowered yet.
        let given = self.table.rule(self.tree, id).args.find_all(self.tree, id);
        let mut given = given.into_iter().flat_map(|list| self.tree.named_children(list));
        let is_plain = given.all(|arg| {
            let role = self.table.rule(self.tree, self.argument_value(arg)).expr;
            matches!(role, Some(ExprRole::Name | ExprRole::Member | ExprRole::Sequence(_)))
        });
        if !is_plain || !words.guards && words.test_functions.is_empty() {
            return Vec::new();
        }
        let by = self.expr(id);
        let Expr::Call { callee, args } = self.flow.expr(by) else { return Vec::new() };
        let args = self.flow.list(args).to_vec();
        let variable = |expr: &ExprId| match self.flow.expr(*expr) {
            Expr::Name(name) => Some(name),
            _ => None,
        };
        let is_test = matches!(self.flow.expr(callee), Expr::Name(name)
            if words.test_functions.iter().any(|known| known == self.names.get(name).as_bytes()));
        if let (true, &[value, ty]) = (is_test, &args[..]) {
            let Some(name) = variable(&value) else { return Vec::new() };
            // A tuple of types means one of them.
            let by = match self.flow.expr(ty) {
                Expr::Sequence { kind: Sequence::Tuple, items } => self.push_expr(Expr::Either(items)),
                _ => ty,
            };
            return vec![outcome(name, TypeTest::Is, by, holds)];
        }
        if !words.guards || args.len() > MAX_GUARD_ARGUMENTS {
            return Vec::new();
        }
        let names = args.iter().filter_map(variable);
        names.map(|name| outcome(name, TypeTest::Passes, by, holds)).collect()
    }

    /// What the comparison of an expression with a constant says if they are equal.
    fn compared(&mut self, words: &NarrowingWords, id: NodeId, constant: NodeId) -> Option<Tested> {
        let mut id = id;
        while self.table.rule(self.tree, id).expr == Some(ExprRole::Transparent)
            && let Some(inner) = self.tree.named_children(id).next()
        {
            id = inner;
        }
        let test = TypeTest::Has;
        if self.has_operator(id, &words.type_of) {
            let variable = self.tree.named_children(id).next()?;
            let name = self.tested_variable(variable)?;
            let text = self.constant_expr(constant)?;
            let Expr::Text(ty) = self.flow.expr(text) else { return None };
            let is_listed = words.type_names.iter().any(|known| known == self.names.get(ty).as_bytes());
            let by = is_listed.then(|| self.push_expr(Expr::Name(ty)))?;
            return Some(Tested { name, test: TypeTest::Is, by });
        }
        if self.table.rule(self.tree, id).expr != Some(ExprRole::Member) {
            return None;
        }
        let value = self.constant_expr(constant)?;
        let expr = self.expr(id);
        let Expr::Member { base, name: member } = self.flow.expr(expr) else { return None };
        let Expr::Name(name) = self.flow.expr(base) else { return None };
        let by = self.push_expr(Expr::Named { name: member, value });
        Some(Tested { name, test, by })
    }

    /// A constant that a member may have: a text, a number, or a named one.
    fn constant_expr(&mut self, id: NodeId) -> Option<ExprId> {
        let id = self.argument_value(id);
        let expr = self.expr(id);
        match self.flow.expr(expr) {
            Expr::Text(_) | Expr::Member { .. } => Some(expr),
            Expr::Literal(Literal::Integer) => Some(self.constant(id, expr)),
            _ => None,
        }
    }

    /// A member with this name and any value.
    fn member_of_any_value(&mut self, name: ExprId) -> Option<ExprId> {
        let Expr::Text(name) = self.flow.expr(name) else { return None };
        let value = self.push_expr(Expr::Unknown);
        Some(self.push_expr(Expr::Named { name, value }))
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
        let role = self.table.rule(self.tree, id).expr;
        let Some(prefix) = self.table.variable_prefix.as_deref() else {
            return matches!(role, Some(ExprRole::Name | ExprRole::Member)).then(|| self.expr(id));
        };
        if role != Some(ExprRole::Name) || self.tree.bytes(id).starts_with(prefix.as_bytes()) {
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

    /// Ends each region where its variable gets another value.
    pub(super) fn end_narrowings(&mut self) {
        let flow = &mut self.flow;
        if flow.narrowings.is_empty() {
            return;
        }
        let mut places: Vec<(u32, Option<u32>, Atom)> = Vec::new();
        // The value that it gets still means what it was.
        let bound = |binding: &Binding| (binding.visible_from, Some(binding.scope), binding.name);
        places.extend(flow.bindings.iter().map(bound));
        for &(target, until) in &self.assigned_until {
            if let Expr::Name(name) = flow.expr(target) {
                places.push((until, None, name));
            }
        }
        places.sort_unstable();
        let mut set: FxHashMap<Atom, Vec<(u32, Option<u32>)>> = FxHashMap::default();
        for (at, scope, name) in places {
            set.entry(name).or_default().push((at, scope));
        }
        for narrowing in &mut flow.narrowings {
            // What an inner scope binds is another variable.
            let is_same = |scope: Option<u32>| scope.is_none_or(|scope| scope == narrowing.scope);
            let places = set.get(&narrowing.name).map_or(&[][..], Vec::as_slice);
            let inside = &places[places.partition_point(|&(at, _)| at < narrowing.start)..];
            let inside = inside.iter().take_while(|&&(at, _)| at < narrowing.end);
            let first = inside.filter(|&&(_, scope)| is_same(scope)).map(|&(at, _)| at).next();
            narrowing.end = first.unwrap_or(narrowing.end);
        }
        flow.narrowings.retain(|one| one.start < one.end);
        flow.narrowings.sort_by_key(|one| (one.start, std::cmp::Reverse(one.end)));
    }
}

fn outcome(name: Atom, test: TypeTest, by: ExprId, holds: bool) -> Tested {
    Tested { name, test: if holds { test } else { test.negated() }, by }
}
