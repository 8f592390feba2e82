//! The consistency check of an index: pages, seal, and whether rows, outlines and graphs agree.

use crate::codec::{self, id_list};
use crate::connection::database_path::DatabasePath;
use crate::error::{AtPath, StoreError};
use crate::graph::Expected;
use crate::integrity::damaged_files;
use crate::integrity::seal;
use crate::reader::snapshot::Snapshot;
use crate::rows::FileRow;
use crate::sql::{files, meta, names, symbols};
use crate::writer::prepared_file::{NONE, OutlineSummary};

/// The maximum number of reported faults. A damaged index has many.
const MOST: usize = 20;

impl Snapshot {
    /// Checks everything; returns a description of each fault. Takes as long as reading the whole file.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let wrong = self.check_all()?;
        if let Some(first) = wrong.first().filter(|_| !self.is_in_memory()) {
            damaged_files::report_at(&self.path, first);
        }
        Ok(wrong)
    }

    fn check_all(&self) -> Result<Vec<String>, StoreError> {
        // The index may have been removed while this connection is open.
        if !self.is_in_memory()
            && let Ok(place) = DatabasePath::at(&self.path)
            && let Some(what) = seal::examine(&place)?
        {
            return Ok(vec![what]);
        }
        let mut wrong = meta::check(&self.db).at(&self.path)?;
        if !wrong.is_empty() {
            return Ok(wrong);
        }
        self.check_trigrams(&mut wrong)?;
        let (mut all, mut expected) = (Vec::new(), Expected::default());
        self.each_file(|file| all.push(file))?;
        for file in &all {
            if wrong.len() >= MOST {
                break;
            }
            let faults = [self.check_file(file)?, self.check_graph(file.id, &mut expected)?];
            wrong.extend(faults.iter().flatten().map(|fault| format!("{}: {fault}", file.path.display())));
        }
        if wrong.is_empty() {
            wrong.extend(self.check_left_over(&expected)?);
        }
        Ok(wrong)
    }

    fn check_file(&self, file: &FileRow) -> Result<Option<String>, StoreError> {
        let Some(stored) = files::outline(&self.db, file.id.0).at(&self.path)? else {
            return Ok((file.symbols > 0 || file.chunks > 0).then(|| "its outline is missing".to_owned()));
        };
        let decoded = codec::decode_outline(&stored.data).and_then(|outline| {
            let ids = id_list::decode(&stored.symbols, file.symbols as usize)?;
            Ok((outline, ids, id_list::decode(&stored.chunks, file.chunks as usize)?))
        });
        let Ok((outline, ids, chunk_ids)) = decoded else {
            return Ok(Some("its outline cannot be read".to_owned()));
        };
        let digest = OutlineSummary::of(&outline);
        if digest.symbols.len() != ids.len() || digest.chunks.len() != chunk_ids.len() {
            return Ok(Some("the number of its ids differs from its outline".to_owned()));
        }
        for (at, (symbol, &id)) in digest.symbols.iter().zip(&ids).enumerate() {
            let row = symbols::by_id(&self.db, crate::SymbolId(id)).at(&self.path)?;
            let fits = row.is_some_and(|row| {
                (row.file, row.at as usize, row.kind) == (file.id.0, at, symbol.kind)
                    && row.parent == (symbol.parent != NONE).then(|| ids[symbol.parent as usize])
                    && (row.first_line, row.last_line) == (symbol.first_line, symbol.last_line)
            });
            let named = row.is_some_and(|row| {
                names::by_id(&self.db, row.name)
                    .is_ok_and(|name| name.as_deref() == Some(digest.name(symbol.name)))
            });
            if !fits || !named {
                return Ok(Some(format!("the row of symbol {at} contradicts the outline")));
            }
        }
        for (at, &id) in chunk_ids.iter().enumerate() {
            let row = self.chunk(crate::ChunkId(id))?;
            if row.is_none_or(|row| (row.file, row.at as usize) != (file.id, at)) {
                return Ok(Some(format!("the row of chunk {at} contradicts the outline")));
            }
        }
        Ok(None)
    }
}
