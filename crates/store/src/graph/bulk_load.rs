//! The graph during a bulk load: each file's graph is written at once, the derived tables at the end, in key order.

use super::prepared_graph::PreparedGraph;
use super::rows::StoredEdge;
use super::symbol_table::InMemorySymbolTable;
use crate::codec;
use crate::error::unreadable;
use crate::names::interner::Interner;
use crate::sql::{edges, file_graphs, name_dependencies, names};
use rusqlite::{Connection, Result};
use std::sync::Arc;

/// The number of edges that are sorted in memory at a time.
const AT_A_TIME: u64 = 4 << 20;
/// The number of targets that share a counter.
const BUCKET: usize = 1 << 10;

/// What is kept in memory during the load.
pub(crate) struct GraphLoad {
    known: Arc<Interner>,
    /// Names that are looked up but belong to no symbol, numbered after the others.
    asked: Interner,
    /// Name dependencies: names and the files that depend on them.
    names: Vec<(u32, u32)>,
    /// The number of edges to each [`BUCKET`] of nodes, files first.
    counts: Vec<u64>,
    /// The offset of the lowest node among the buckets.
    files: i64,
    /// The number of files that remain owed.
    pub(crate) owed: u64,
}

impl GraphLoad {
    pub(crate) fn new(directory: &InMemorySymbolTable, next_file: i64, next_symbol: i64) -> Self {
        let nodes = usize::try_from(next_file + next_symbol).unwrap_or_default();
        Self {
            known: Arc::clone(&directory.names),
            asked: Interner::new(),
            names: Vec::new(),
            counts: vec![0; nodes / BUCKET + 1],
            files: next_file,
            owed: 0,
        }
    }

    /// The number that the next new name gets.
    pub(crate) fn next_name(&self) -> i64 {
        self.known.next() + self.asked.next() - 1
    }

    pub(crate) fn put(&mut self, db: &Connection, put: &PreparedGraph) -> Result<()> {
        if put.owed {
            self.owed += u64::from(file_graphs::owe(db, put.file.0)?);
        }
        let Some(data) = &put.data else { return Ok(()) };
        let mut names = Vec::with_capacity(put.names.len());
        for name in &put.names {
            names.push(self.name(db, name)?);
        }
        names.sort_unstable();
        let file = u32::try_from(put.file.0).expect("files are numbered with 32 bits in a load");
        self.names.extend(names.iter().map(|&name| (name.cast_unsigned() as u32, file)));
        for edge in &put.graph.edges {
            let bucket = self.bucket(edge.target.0);
            self.counts[bucket] += 1;
        }
        let names = codec::id_list::encode_ascending(&names);
        file_graphs::put_graph(db, put.file.0, &names, &put.files, data.as_bytes(), &put.surface)
    }

    fn name(&mut self, db: &Connection, text: &str) -> Result<i64> {
        if let Some(known) = self.known.find(text) {
            return Ok(i64::from(known));
        }
        let (number, new) = self.asked.intern(text);
        if new {
            names::Appending::to(db)?.put(text)?;
        }
        Ok(self.known.next() - 1 + number)
    }

    fn bucket(&self, target: i64) -> usize {
        usize::try_from(target + self.files).unwrap_or_default() / BUCKET
    }

    /// Fills the derived tables.
    pub(crate) fn finish(mut self, db: &Connection) -> Result<()> {
        name_dependencies::append(db, &mut self.names)?;
        drop(std::mem::take(&mut self.names));
        let mut from = 0;
        while from < self.counts.len() {
            let (mut to, mut edges) = (from, 0);
            while to < self.counts.len() && (edges == 0 || edges + self.counts[to] <= AT_A_TIME) {
                edges += self.counts[to];
                to += 1;
            }
            if edges > 0 {
                self.put_edges(db, from..to, edges)?;
            }
            from = to;
        }
        Ok(())
    }

    /// Writes the edges to a range of buckets.
    fn put_edges(&self, db: &Connection, buckets: std::ops::Range<usize>, count: u64) -> Result<()> {
        let mut rows: Vec<StoredEdge> = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
        file_graphs::graphs(db, |file, data| {
            let (edges, own) = codec::decode_edges(data).map_err(unreadable)?;
            for (at, edge) in edges.iter().enumerate() {
                if buckets.contains(&self.bucket(edge.target.0)) {
                    rows.push(StoredEdge::new(edge, if at < own { 0 } else { file }));
                }
            }
            Ok(())
        })?;
        rows.sort_unstable_by_key(StoredEdge::key);
        edges::append(db, &rows)
    }
}
