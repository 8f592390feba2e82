//! Reads the symbol table from an index that is being changed, for changes of many files.

use super::reader::GraphReader;
use super::symbol_table::{InMemorySymbolTable, SymbolTableBuilder};
use crate::error::{AtPath, StoreError};
use crate::names::interner::Interner;
use crate::sql::{names, symbols};
use orient_model::{Modifiers, SymbolKind};
use std::collections::HashMap;
use std::sync::Arc;

/// A symbol while the table is read.
struct Gathered {
    file: i64,
    at: u32,
    id: i64,
    name: i64,
    kind: SymbolKind,
    modifiers: Modifiers,
}

impl GraphReader<'_> {
    /// The symbol table of all files: many threads can use it without waiting for the database. `None` if there are more
    /// than `most` symbols.
    pub fn symbol_table(&self, most: u64) -> Result<Option<InMemorySymbolTable>, StoreError> {
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
        let (mut noted, mut ids) = (SymbolTableBuilder::default(), Vec::with_capacity(rows.len()));
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
        Ok(Some(InMemorySymbolTable::new(noted, Arc::new(interner)).with_ids(ids)))
    }

    /// The names of symbols, renumbered, and the new number of each id.
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
            return Err(StoreError::damaged(self.path, "the name of a symbol is missing"));
        }
        Ok((interner, numbers))
    }
}
