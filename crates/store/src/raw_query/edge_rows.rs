//! Fills the temporary tables that the views of edges and hits read.

use super::RankedHit;
use crate::codec;
use crate::error::unreadable;
use crate::graph::NodeId;
use crate::sql::file_graphs;
use rusqlite::{Connection, Result, params};
use std::cell::Cell;
use std::collections::HashMap;

/// Copies all edges into the temporary table; false if `goes_on` ended it.
pub(super) fn fill(db: &Connection, goes_on: impl Fn() -> bool) -> Result<bool> {
    let mut files: HashMap<i64, i64> = HashMap::new();
    let mut symbols = db.prepare("SELECT id, file FROM symbol")?;
    let mut rows = symbols.query([])?;
    while let Some(row) = rows.next()? {
        files.insert(row.get(0)?, row.get(1)?);
    }
    let mut insert = db.prepare("INSERT INTO temp.edge_row VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    let is_complete = Cell::new(true);
    let place = |node: NodeId| match node.0 {
        symbol if symbol > 0 => (Some(symbol), files.get(&symbol).copied()),
        file => (None, Some(-file)),
    };
    file_graphs::graphs(db, |_, data| {
        if !is_complete.get() || !goes_on() {
            is_complete.set(false);
            return Ok(());
        }
        let (edges, _) = codec::decode_edges(data).map_err(unreadable)?;
        for edge in edges {
            let ((source, source_file), (target, target_file)) = (place(edge.source), place(edge.target));
            insert.execute(params![
                source,
                source_file,
                target,
                target_file,
                edge.kind.as_str(),
                edge.line,
                edge.rule.as_str(),
                edge.confidence.as_str()
            ])?;
        }
        Ok(())
    })?;
    if is_complete.get() {
        db.execute_batch(
            "CREATE INDEX temp.edge_by_source ON edge_row (source); CREATE INDEX temp.edge_by_target ON edge_row (target);",
        )?;
    }
    Ok(is_complete.get())
}

/// Copies ranked results into the temporary table.
pub(super) fn fill_hits(db: &Connection, hits: &[RankedHit]) -> Result<()> {
    let mut insert = db.prepare("INSERT INTO temp.hit_row VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for (hit, rank) in hits.iter().zip(1..) {
        let symbol = hit.symbol.map(|symbol| symbol.0);
        insert.execute(params![rank, hit.score, symbol, hit.path, hit.first_line, hit.last_line])?;
    }
    Ok(())
}
