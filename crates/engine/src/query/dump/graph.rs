//! The graph in the dump: edges, external and unresolved references of each file, with nodes as handles.

use super::format::Escaped;
use crate::query::definition::handle;
use crate::{EngineError, Snapshot};
use orient_model::{Place, Slot};
use orient_store::{FileId, NodeId};
use std::collections::HashMap;
use std::io::Write;

/// Maximum number of cached node names.
const MAX_CACHED_NAMES: usize = 1 << 20;

/// Cached names of nodes.
#[derive(Default)]
pub(super) struct NodeNames(HashMap<NodeId, String>);

impl NodeNames {
    /// The name of a node: the handle of a symbol, the path of a file.
    fn get(&mut self, snapshot: &Snapshot, node: NodeId) -> Result<String, EngineError> {
        if let Some(known) = self.0.get(&node) {
            return Ok(known.clone());
        }
        if self.0.len() >= MAX_CACHED_NAMES {
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
    pub(super) fn dump_graph(
        &self,
        out: &mut dyn Write,
        file: FileId,
        names: &mut NodeNames,
    ) -> Result<(), EngineError> {
        let graph = self.store.reader().graph(file)?;
        let mut lines = Vec::with_capacity(graph.edges.len() + graph.external.len() + graph.unresolved.len());
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
        for row in &graph.external {
            lines.push(format!(
                "outside\t{}\t{}\t{}\t{}\tline {}",
                Escaped(&names.get(self, row.source)?),
                row.kind.as_str(),
                Escaped(&row.package),
                Escaped(&row.name),
                row.line,
            ));
        }
        for row in &graph.unresolved {
            lines.push(format!(
                "unresolved\t{}\t{}\t{}\tline {}\t{}",
                Escaped(&names.get(self, row.source)?),
                row.kind.as_str(),
                Escaped(&row.name),
                row.line,
                row.reason.as_str(),
            ));
        }
        self.dump_surface(file, names, &mut lines)?;
        if graph.failed {
            lines.push("issue\tthe resolver failed, a fault of ours".to_owned());
        }
        lines.sort_unstable();
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(())
    }

    fn dump_surface(
        &self,
        file: FileId,
        names: &mut NodeNames,
        lines: &mut Vec<String>,
    ) -> Result<(), EngineError> {
        let surface = self.store.reader().surface(file)?;
        let mut place = |place: Place<NodeId>| {
            let name = names.get(self, place.node)?;
            Ok::<_, EngineError>(format!("{}\t{:?}", Escaped(&name), place.slot))
        };
        for router in &surface.routers {
            let (at, prefix) = (place(router.place)?, Escaped(&router.prefix).to_string());
            lines.push(format!("router\t{at}\t{}\t{prefix}\tapplication {}", router.framework, router.app));
        }
        for link in &surface.links {
            let (child, parent) = (place(link.child)?, place(link.parent)?);
            let prefix = Escaped(&link.prefix).to_string();
            lines.push(format!(
                "router\t{child}\tbelow\t{parent}\t{prefix}\t{}\t{}",
                link.same, link.replaces
            ));
        }
        for route in &surface.routes {
            let at = route.place.map(&mut place).transpose()?.unwrap_or_default();
            let node = |node| Place { node, slot: Slot::Value };
            let handler = route.handler.map(|found| place(node(found))).transpose()?.unwrap_or_default();
            lines.push(format!(
                "route\t{}\t{}\t{}\t{at}\t{handler}\t{}\t{}\tline {}\t{}",
                route.framework,
                Escaped(&route.method),
                Escaped(&route.path),
                Escaped(&route.text),
                Escaped(&route.middleware.join(" ")),
                route.line,
                route.proven,
            ));
        }
        for entry in &surface.entries {
            let node = |node| Place { node, slot: Slot::Value };
            let symbol = entry.symbol.map(|found| place(node(found))).transpose()?.unwrap_or_default();
            lines.push(format!(
                "surface\t{}\t{}\t{}\t{}\t{symbol}\t{}\t{}\tline {}\t{}",
                entry.kind.as_str(),
                Escaped(&entry.name),
                entry.role.as_str(),
                entry.framework,
                Escaped(&entry.text),
                place(node(entry.from))?,
                entry.line,
                entry.proven,
            ));
        }
        Ok(())
    }
}
