//! The graph in the dump: nodes by their handles, what each file gave rise to in the order of its lines' text.

use crate::query::definition::handle;
use crate::query::dump::Escaped;
use crate::{EngineError, Snapshot};
use orient_store::{FileId, NodeId};
use std::collections::HashMap;
use std::io::Write;

/// How many nodes are remembered before starting over.
const REMEMBERED: usize = 1 << 20;

/// The names of nodes in the dump.
#[derive(Default)]
pub(crate) struct Names(HashMap<NodeId, String>);

impl Names {
    /// What a node is called: the handle of a symbol, the path of a file.
    fn get(&mut self, snapshot: &Snapshot, node: NodeId) -> Result<String, EngineError> {
        if let Some(known) = self.0.get(&node) {
            return Ok(known.clone());
        }
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        let reader = snapshot.store.reader();
        let file = match reader.file_of(node)? {
            Some(file) => snapshot.store.file_by_id(file)?,
            None => None,
        };
        let Some(file) = file else { return Ok("missing".to_owned()) };
        let held = snapshot.outline(file)?;
        let path = held.file.path.display().into_owned();
        self.0.insert(NodeId::from(held.file.id), path);
        for ((at, &id), symbol) in (0..).zip(&held.ids).zip(&held.outline.symbols) {
            let name = handle(&held.file.path, &held.outline, at, symbol).to_string();
            self.0.insert(NodeId::from(id), name);
        }
        Ok(self.0.get(&node).cloned().unwrap_or_else(|| "missing".to_owned()))
    }
}

impl Snapshot {
    pub(crate) fn dump_graph(
        &self,
        out: &mut dyn Write,
        file: FileId,
        names: &mut Names,
    ) -> Result<(), EngineError> {
        let graph = self.store.reader().graph(file)?;
        let mut lines = Vec::with_capacity(graph.edges.len() + graph.outside.len() + graph.misses.len());
        for edge in &graph.edges {
            lines.push(format!(
                "edge\t{}\t{}\t{}\tline {}\t{}\t{}",
                Escaped(&names.get(self, edge.source)?),
                edge.kind.as_str(),
                Escaped(&names.get(self, edge.target)?),
                edge.line,
                edge.confidence.as_str(),
                edge.rule.as_str(),
            ));
        }
        for row in &graph.outside {
            lines.push(format!(
                "outside\t{}\t{}\t{}\t{}\tline {}",
                Escaped(&names.get(self, row.source)?),
                row.kind.as_str(),
                Escaped(&row.package),
                Escaped(&row.name),
                row.line,
            ));
        }
        for row in &graph.misses {
            lines.push(format!(
                "unresolved\t{}\t{}\t{}\tline {}\t{}",
                Escaped(&names.get(self, row.source)?),
                row.kind.as_str(),
                Escaped(&row.name),
                row.line,
                row.reason.as_str(),
            ));
        }
        if graph.failed {
            lines.push("issue\tthe resolver failed, a fault of ours".to_owned());
        }
        lines.sort_unstable();
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(())
    }
}
