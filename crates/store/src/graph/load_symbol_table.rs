//! All files and names of an index that is being changed, read into memory: for changes that concern many files.

use super::reader::Reader;
use super::symbol_table::{Directory, Noted};
use crate::error::{AtPath, StoreError};
use crate::names::interner::Interner;
use crate::sql::{names, symbols};
use orient_model::{Modifiers, SymbolKind};
use std::collections::HashMap;
use std::sync::Arc;

/// A symbol as it is gathered.
struct Gathered {
    file: i64,
    at: u32,
    id: i64,
    name: i64,
    kind: SymbolKind,
    modifiers: Modifiers,
}

impl Reader<'_> {
    /// All files and names, in memory: many threads can ask at once, and nobody waits for the database. None where that is
    /// more than `most` symbols.
    pub fn directory(&self, most: u64) -> Result<Option<Directory>, StoreError> {
        if symbols::count(self.db).at(self.path)? > most {
            return Ok(None);
        }
        let mut files = self.indexed_under(b"")?;
        files.sort_unstable_by_key(|file| file.id);
        let mut rows = Vec::new();
        symbols::bearers(self.db, |hit, name| {
            let (file, at, id, kind, modifiers) = (hit.file, hit.at, hit.id, hit.kind, hit.modifiers);
            rows.push(Gathered { file, at, id, name, kind, modifiers });
        })
        .at(self.path)?;
        rows.sort_unstable_by_key(|row| (row.file, row.at));
        let (interner, numbers) = self.interned(&rows)?;
        let (mut noted, mut ids) = (Noted::default(), Vec::with_capacity(rows.len()));
        let mut rows = rows.into_iter().peekable();
        for file in files {
            let id = file.id.0;
            noted.file(file, i64::from(ids.len() as u32) + 1);
            while rows.next_if(|row| row.file < id).is_some() {}
            while let Some(row) = rows.next_if(|row| row.file == id) {
                let name = numbers.get(&row.name).copied().unwrap_or_default();
                noted.symbol(name, row.kind, row.modifiers);
                ids.push(row.id);
            }
        }
        Ok(Some(Directory::new(noted, Arc::new(interner)).with_ids(ids)))
    }

    /// The names that symbols bear, numbered anew, and the number of each id.
    fn interned(&self, rows: &[Gathered]) -> Result<(Interner, HashMap<i64, i64>), StoreError> {
        let mut numbers: HashMap<i64, i64> = rows.iter().map(|row| (row.name, 0)).collect();
        let mut interner = Interner::new();
        names::scan(self.db, |id, text| {
            if let Some(number) = numbers.get_mut(&id) {
                *number = interner.intern(text).0;
            }
        })
        .at(self.path)?;
        if numbers.values().any(|&number| number == 0) {
            return Err(StoreError::damaged(self.path, "a symbol whose name is not there"));
        }
        Ok((interner, numbers))
    }
}
