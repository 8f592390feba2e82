//! The graph of a program as it runs: calls, and the code that runs because a module is loaded.
//!
//! Importing a module runs its top-level code, which initialises its variables; a main function runs after the top-level code of its own
//! file; and who uses a variable may run the functions that its initialiser mentions (`var serve = &Command{Run: func…}`). These `runs`
//! edges are derived from stored ones, for questions that lead from the start of a program to something in it.

use super::entry_point::{self, EntryPoint};
use super::traversal::{Edges, WithDispatch};
use crate::{EdgeRow, EngineError, GraphView, NodeId, NodeOrder};
use orient_model::{Confidence, EdgeKind, Modifiers, Rule, SymbolKind};
use std::collections::BTreeMap;

/// A graph extended with dispatch and with what the loading of modules runs.
#[derive(Clone, Copy)]
pub struct ProgramGraph<'v, 's>(pub &'v GraphView<'s>);

impl Edges for ProgramGraph<'_, '_> {
    type Error = EngineError;
    type Order = NodeOrder;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let mut edges = WithDispatch(self.0).incoming(node)?;
        if node.symbol().is_none() {
            self.add_importers(node, &mut edges)?;
        } else if self.is_variable(node)? {
            self.add_users(node, &mut edges)?;
        }
        Ok(edges)
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let mut edges = WithDispatch(self.0).outgoing(node)?;
        self.add_used_variables(&mut edges)?;
        if node.symbol().is_none() {
            self.add_loaded(node, &mut edges)?;
        } else if self.is_main(node)? {
            edges.push(self.own_file(node)?);
        }
        Ok(edges)
    }

    fn order(&self, node: NodeId) -> Result<NodeOrder, EngineError> {
        self.0.order(node)
    }
}

/// The edge for code that runs.
fn runs(source: NodeId, target: NodeId, line: u32, confidence: Confidence, rule: Rule) -> EdgeRow {
    EdgeRow { source, kind: EdgeKind::Runs, target, line, confidence, rule }
}

impl ProgramGraph<'_, '_> {
    /// Whether a node is a variable at the top of a file or type, whose initialiser may mention functions.
    fn is_variable(self, node: NodeId) -> Result<bool, EngineError> {
        use SymbolKind::{Constant, Field, Variable};
        Ok(self.0.kind(node)?.is_some_and(|kind| matches!(kind, Constant | Field | Variable)))
    }

    fn is_main(self, node: NodeId) -> Result<bool, EngineError> {
        let Some(kind) = self.0.kind(node)?.filter(|&kind| kind == SymbolKind::Function) else {
            return Ok(false);
        };
        let entry = entry_point::of_header(&self.0.name(node)?, kind, Modifiers::default(), []);
        Ok(entry == Some(EntryPoint::Main))
    }

    /// A main function runs after the top-level code of its file.
    fn own_file(self, main: NodeId) -> Result<EdgeRow, EngineError> {
        let described = self.0.describe(main)?;
        let file = NodeId::from(described.file.id);
        Ok(runs(main, file, described.line(), Confidence::Probable, Rule::Scope))
    }

    /// What runs the top-level code of a file: the files that import it or something of it, and its main function.
    fn add_importers(self, file: NodeId, edges: &mut Vec<EdgeRow>) -> Result<(), EngineError> {
        let mut importers: BTreeMap<NodeId, EdgeRow> = BTreeMap::new();
        for inside in self.0.members(file)? {
            for edge in self.0.incoming(inside)? {
                if edge.kind != EdgeKind::Imports || edge.source == file {
                    continue;
                }
                let run = runs(edge.source, file, edge.line, edge.confidence, Rule::Import);
                let known = importers.entry(edge.source).or_insert(run);
                if (run.confidence, run.line) < (known.confidence, known.line) {
                    *known = run;
                }
            }
            if inside != file && self.is_main(inside)? {
                edges.push(self.own_file(inside)?);
            }
        }
        edges.extend(importers.into_values());
        Ok(())
    }

    /// What uses a variable: its initialiser runs when its file is loaded, and functions in it may run wherever it is used.
    fn add_users(self, variable: NodeId, edges: &mut Vec<EdgeRow>) -> Result<(), EngineError> {
        let mut users: Vec<EdgeRow> = Vec::new();
        for edge in self.0.incoming(variable)? {
            let is_new = users.iter().all(|known| known.source != edge.source);
            if edge.kind == EdgeKind::References && edge.source != variable && is_new {
                let confidence = edge.confidence.max(Confidence::Probable);
                users.push(runs(edge.source, variable, edge.line, confidence, Rule::Value));
            }
        }
        if self.0.is_top_level(variable)? {
            let described = self.0.describe(variable)?;
            let file = NodeId::from(described.file.id);
            users.retain(|edge| edge.source != file);
            users.push(runs(file, variable, described.line(), Confidence::Exact, Rule::Scope));
        }
        edges.append(&mut users);
        Ok(())
    }

    /// The variables among what is referred to that lead further.
    fn add_used_variables(self, edges: &mut Vec<EdgeRow>) -> Result<(), EngineError> {
        let mut found: Vec<EdgeRow> = Vec::new();
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::References) {
            let is_new = found.iter().all(|known| known.target != edge.target);
            if is_new && self.is_variable(edge.target)? && self.leads_on(edge.target)? {
                let confidence = edge.confidence.max(Confidence::Probable);
                found.push(runs(edge.source, edge.target, edge.line, confidence, Rule::Value));
            }
        }
        edges.append(&mut found);
        Ok(())
    }

    /// What the top-level code of a file loads: the files that it imports, and its own variables.
    fn add_loaded(self, file: NodeId, edges: &mut Vec<EdgeRow>) -> Result<(), EngineError> {
        let mut loaded: BTreeMap<NodeId, EdgeRow> = BTreeMap::new();
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Imports) {
            let target = NodeId::from(self.0.file_of(edge.target)?.id);
            if target != file {
                let run = runs(file, target, edge.line, edge.confidence, Rule::Import);
                loaded.entry(target).or_insert(run);
            }
        }
        edges.extend(loaded.into_values());
        for inside in self.0.members(file)?.into_iter().skip(1) {
            if self.is_variable(inside)? && self.0.is_top_level(inside)? && self.leads_on(inside)? {
                let line = self.0.describe(inside)?.line();
                edges.push(runs(file, inside, line, Confidence::Exact, Rule::Scope));
            }
        }
        Ok(())
    }

    fn leads_on(self, variable: NodeId) -> Result<bool, EngineError> {
        use EdgeKind::{Calls, Constructs, Passes, Registers};
        let leads = |edge: &EdgeRow| matches!(edge.kind, Calls | Constructs | Passes | Registers);
        Ok(self.0.outgoing(variable)?.iter().any(leads))
    }
}
