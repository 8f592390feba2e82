//! The consistency check of the graph: whether the graphs of files and the derived tables agree.

use super::rows::StoredEdge;
use crate::codec::{self, id_list};
use crate::error::{AtPath, StoreError};
use crate::reader::snapshot::Snapshot;
use crate::rows::FileId;
use crate::sql::{edges, file_graphs, files, name_dependencies, names, symbols};

/// The expected totals of the derived tables.
#[derive(Default)]
pub(crate) struct Expected {
    graphs: u64,
    edges: u64,
    foreign: u64,
    names: u64,
}

impl Snapshot {
    /// What is wrong with the graph of a file.
    pub(crate) fn check_graph(
        &self,
        file: FileId,
        expected: &mut Expected,
    ) -> Result<Option<String>, StoreError> {
        let Some(stored) = file_graphs::graph(&self.db, file.0).at(&self.path)? else { return Ok(None) };
        let decoded = codec::decode_graph(&stored.data)
            .and_then(|graph| Ok((graph.rows(file), id_list::decode_ascending(&stored.names)?)))
            .and_then(|decoded| id_list::decode_all(&stored.files).map(|_| decoded))
            .and_then(|decoded| match stored.surface.as_slice() {
                [] => Ok(decoded),
                surface => codec::decode_surface(surface).map(|_| decoded),
            });
        let Ok((mut edges, names)) = decoded else {
            return Ok(Some("its graph cannot be read".to_owned()));
        };
        expected.graphs += 1;
        expected.edges += edges.len() as u64;
        expected.foreign += edges.iter().filter(|edge| edge.owner != 0).count() as u64;
        expected.names += names.len() as u64;
        if file_graphs::owes(&self.db, file.0).at(&self.path)? {
            return Ok(None);
        }
        edges.sort_unstable_by_key(StoredEdge::key);
        for edges in edges.chunk_by(|a, b| a.row_key() == b.row_key()) {
            let held = edges::row(&self.db, edges[0].row_key()).at(&self.path)?;
            let find = |edge: &StoredEdge| held.binary_search_by_key(&edge.key(), StoredEdge::key);
            if !edges.iter().all(|edge| find(edge).is_ok_and(|at| held[at] == *edge)) {
                return Ok(Some("an edge of its graph is missing in the table of edges".to_owned()));
            }
        }
        for edge in &edges {
            let source = self.file_of_node(edge.source)?;
            if source.is_none() || (edge.owner == 0) != (source == Some(file.0)) {
                return Ok(Some("an edge of its graph starts at a wrong node".to_owned()));
            }
            if self.file_of_node(edge.target)?.is_none() {
                return Ok(Some("the target of an edge of its graph does not exist".to_owned()));
            }
        }
        for &name in &names {
            let known = names::by_id(&self.db, name).at(&self.path)?.is_some();
            if !known || !name_dependencies::has(&self.db, name, file.0).at(&self.path)? {
                return Ok(Some("a name dependency is missing in its table".to_owned()));
            }
        }
        Ok(None)
    }

    /// What the derived tables contain that belongs to no file.
    pub(crate) fn check_left_over(&self, expected: &Expected) -> Result<Option<String>, StoreError> {
        let count = || {
            Ok::<_, rusqlite::Error>([
                (file_graphs::count_graphs(&self.db)?, expected.graphs, "graphs of files"),
                (edges::count(&self.db)?, expected.edges, "edges"),
                (edges::count_foreign(&self.db)?, expected.foreign, "foreign edges"),
                (name_dependencies::count(&self.db)?, expected.names, "name dependencies"),
            ])
        };
        let wrong = count().at(&self.path)?.into_iter().find(|(found, expected, _)| found != expected);
        Ok(wrong.map(|(found, expected, what)| format!("{found} {what} where {expected} are expected")))
    }

    /// The file of a node, if both exist.
    fn file_of_node(&self, node: i64) -> Result<Option<i64>, StoreError> {
        let find = || match node {
            ..0 => Ok(files::brief(&self.db, -node)?.map(|file| file.id)),
            _ => Ok::<_, rusqlite::Error>(symbols::hit(&self.db, node)?.map(|symbol| symbol.file)),
        };
        find().at(&self.path)
    }
}
