//! Cyclomatic complexity, cognitive complexity and nesting of functions, in one pass over the flat tree.
//!
//! Cyclomatic complexity counts decisions. Cognitive complexity follows Campbell's white paper of that name: a break in the flow
//! costs 1, and 1 more for each level of nesting around it; `else if` continues a branch; a run of equal operators costs 1.
//!
//! Example: in `for x in xs { if x.a && x.b { f() } else { g() } }` the decisions are `for`, `if` and `&&`, so that the
//! cyclomatic complexity is 4. `for` costs 1, `if` 2 because it is nested, `else` 1 and `&&` 1: the cognitive complexity is 5.

use super::Lowering;
use crate::node_table::FlowBreak;
use crate::parse::flat_tree::{NONE, NodeId};
use orient_model::{Complexity, ScopeKind};

/// What the nodes of a subtree count for.
#[derive(Clone, Copy)]
struct Region {
    /// The first node after it.
    after: NodeId,
    /// The function.
    symbol: Option<u32>,
    /// The nesting inside of the function.
    nesting: u32,
}

impl Lowering<'_> {
    /// Measures every function that has a body and a name.
    pub(super) fn measure_complexity(&mut self) {
        if self.table.flow_breaks.is_empty() {
            return;
        }
        let mut scopes: Vec<(NodeId, u32, Option<u32>)> =
            self.functions.iter().map(|(&node, &(scope, symbol))| (node, scope, symbol)).collect();
        scopes.sort_unstable();
        let mut scopes = scopes.into_iter().peekable();
        let mut regions = vec![Region { after: NONE, symbol: None, nesting: 0 }];
        for id in 0..self.tree.nodes.len() as NodeId {
            while regions.last().is_some_and(|region| region.after <= id) {
                regions.pop();
            }
            let Some(&around) = regions.last() else { return };
            if let Some((_, scope, symbol)) = scopes.next_if(|(node, ..)| *node == id) {
                regions.extend(self.region_of_scope(id, scope, symbol, around));
                continue;
            }
            let Some(symbol) = around.symbol else { continue };
            let Some(flow_break) = self.flow_break(id) else { continue };
            let nests = self.count(symbol, id, flow_break, around.nesting);
            if nests {
                let inside =
                    Region { after: self.tree.node(id).after, nesting: around.nesting + 1, ..around };
                self.note_nesting(symbol, inside.nesting);
                regions.push(inside);
            }
        }
    }

    fn flow_break(&self, id: NodeId) -> Option<FlowBreak> {
        self.table.flow_breaks.get(self.tree.node(id).kind as usize).copied().flatten()
    }

    /// What the nodes of a function or type count for; `None` for a block.
    fn region_of_scope(
        &mut self,
        id: NodeId,
        scope: u32,
        symbol: Option<u32>,
        around: Region,
    ) -> Option<Region> {
        let after = self.tree.node(id).after;
        let kind = self.flow.scopes.get(scope as usize)?.kind;
        match (kind, symbol) {
            (ScopeKind::Function, Some(symbol)) => {
                let defined = &mut self.outline.symbols[symbol as usize];
                if defined.body.is_some() {
                    defined.complexity = Some(Complexity { cyclomatic: 1, cognitive: 0, nesting: 0 });
                }
                Some(Region { after, symbol: defined.complexity.map(|_| symbol), nesting: 0 })
            }
            (ScopeKind::Function, None) => {
                let nesting = around.nesting + 1;
                if let Some(symbol) = around.symbol {
                    self.note_nesting(symbol, nesting);
                }
                Some(Region { after, nesting, ..around })
            }
            (ScopeKind::Type, _) => Some(Region { after, symbol: None, nesting: 0 }),
            _ => None,
        }
    }

    fn note_nesting(&mut self, symbol: u32, nesting: u32) {
        if let Some(complexity) = &mut self.outline.symbols[symbol as usize].complexity {
            complexity.nesting = complexity.nesting.max(nesting);
        }
    }

    /// Adds a break in the flow to a function. Returns whether its parts are nested deeper.
    fn count(&mut self, symbol: u32, id: NodeId, flow_break: FlowBreak, nesting: u32) -> bool {
        let node = self.tree.node(id);
        let continues = self
            .tree
            .get(node.previous)
            .is_some_and(|_| self.flow_break(node.previous) == Some(FlowBreak::Otherwise));
        let (decisions, cost) = match flow_break {
            FlowBreak::Branch if continues => (1, 1),
            FlowBreak::Branch => (1, 1 + nesting),
            FlowBreak::FurtherBranch => (1, 1),
            FlowBreak::Switch => (0, 1 + nesting),
            FlowBreak::Case => (u32::from(!self.is_default_case(id)), 0),
            FlowBreak::Otherwise => (0, u32::from(!self.leads_to_a_branch(id))),
            FlowBreak::Operator => (1, u32::from(!self.continues_a_run(id))),
        };
        if let Some(complexity) = &mut self.outline.symbols[symbol as usize].complexity {
            complexity.cyclomatic += decisions;
            complexity.cognitive += cost;
        }
        matches!(flow_break, FlowBreak::Branch | FlowBreak::Switch) && !continues
    }

    fn is_default_case(&self, case: NodeId) -> bool {
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let text = self.tree.bytes(case);
        let begins = |start: &Vec<u8>| {
            text.strip_prefix(start.as_slice()).is_some_and(|rest| !rest.first().is_some_and(word))
        };
        self.table.default_cases.iter().any(begins)
    }

    /// Whether an `else` belongs to an `else if`, which counts as a branch, or to the last case of a switch.
    fn leads_to_a_branch(&self, otherwise: NodeId) -> bool {
        let node = self.tree.node(otherwise);
        let next = self.tree.get(node.after).filter(|next| next.parent == node.parent);
        next.is_some() && self.flow_break(node.after) == Some(FlowBreak::Branch)
            || self
                .tree
                .get(node.parent)
                .is_some_and(|_| self.flow_break(node.parent) == Some(FlowBreak::Case))
    }

    /// Whether the expression around that of an operator has the same operator.
    fn continues_a_run(&self, operator: NodeId) -> bool {
        let expression = self.tree.node(operator).parent;
        let Some(around) = self.tree.get(expression).map(|node| node.parent) else { return false };
        self.tree.get(around).is_some()
            && self
                .tree
                .children(around)
                .any(|child| self.tree.node(child).kind == self.tree.node(operator).kind)
    }
}
