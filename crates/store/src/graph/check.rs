//! Whether the graph is whole: what files gave, and the tables derived from that, say the same.

use crate::error::{AtPath, StoreError};
use crate::rows::FileId;
use crate::snapshot::Snapshot;
use crate::sql::{files, graphs, names, symbols};
use crate::{codec, idlist};

/// What the tables should hold if they say what the files gave.
#[derive(Default)]
pub(crate) struct Expected {
    graphs: u64,
    edges: u64,
    asks: u64,
}

impl Snapshot {
    /// What is wrong with the graph of a file, in words.
    pub(crate) fn check_graph(
        &self,
        file: FileId,
        expected: &mut Expected,
    ) -> Result<Option<String>, StoreError> {
        let Some(stored) = graphs::graph(&self.db, file.0).at(&self.path)? else { return Ok(None) };
        let decoded = codec::decode_graph(&stored.data)
            .and_then(|graph| Ok((graph.rows(file), idlist::decode_rising(&stored.asks)?)))
            .and_then(|decoded| idlist::decode_all(&stored.looked).map(|_| decoded));
        let Ok((edges, asks)) = decoded else {
            return Ok(Some("its graph cannot be read".to_owned()));
        };
        expected.graphs += 1;
        expected.edges += edges.len() as u64;
        expected.asks += asks.len() as u64;
        if graphs::owes(&self.db, file.0).at(&self.path)? {
            return Ok(None);
        }
        for edge in &edges {
            if graphs::find(&self.db, edge).at(&self.path)? != Some(edge.proof) {
                return Ok(Some("an edge of its graph is not in the table".to_owned()));
            }
            let source = self.file_of_node(edge.source)?;
            if source.is_none() || (edge.owner == 0) != (source == Some(file.0)) {
                return Ok(Some("an edge of its graph starts where it cannot".to_owned()));
            }
            if self.file_of_node(edge.target)?.is_none() {
                return Ok(Some("an edge of its graph leads nowhere".to_owned()));
            }
        }
        for &name in &asks {
            let known = names::by_id(&self.db, name).at(&self.path)?.is_some();
            if !known || !graphs::has_ask(&self.db, name, file.0).at(&self.path)? {
                return Ok(Some("a name it asks for is not in the table".to_owned()));
            }
        }
        Ok(None)
    }

    /// What is in the tables that no file gave, in words.
    pub(crate) fn check_left_over(&self, expected: &Expected) -> Result<Option<String>, StoreError> {
        let count = || {
            Ok::<_, rusqlite::Error>([
                (graphs::count_graphs(&self.db)?, expected.graphs, "graphs of files"),
                (graphs::count(&self.db)?, expected.edges, "edges"),
                (graphs::count_asks(&self.db)?, expected.asks, "names asked for"),
            ])
        };
        let wrong = count().at(&self.path)?.into_iter().find(|(found, expected, _)| found != expected);
        Ok(wrong.map(|(found, expected, what)| format!("{found} {what} where {expected} are expected")))
    }

    /// The file of a node, if both are there.
    fn file_of_node(&self, node: i64) -> Result<Option<i64>, StoreError> {
        let find = || match node {
            ..0 => Ok(files::brief(&self.db, -node)?.map(|file| file.id)),
            _ => Ok::<_, rusqlite::Error>(symbols::hit(&self.db, node)?.map(|symbol| symbol.file)),
        };
        find().at(&self.path)
    }
}
