//! Reads the graph and what resolution needs, from a snapshot or within a change set.

use super::rows::{EdgeRow, FileGraph, NodeId, StoredEdge, UnlinkedReferences};
use super::symbol_table::{IndexedFile, SymbolEntry};
use crate::codec::{self, id_list};
use crate::error::{AtPath, StoreError};
use crate::rows::{FileId, FileRow, SymbolId};
use crate::sql::{edges, file_graphs, files, meta, name_dependencies, names, symbols};
use orient_model::{Outline, RepoPath, Surface, SymbolKind};
use rusqlite::Connection;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

/// What the graph of a file depends on besides its own content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Name dependencies: the ids of the names that resolution looked up, sorted.
    names: Vec<i64>,
    /// File dependencies: the other files that resolution read, sorted.
    files: Vec<i64>,
}

impl Dependencies {
    /// Whether resolution looked up a name.
    pub fn has_name(&self, name: i64) -> bool {
        self.names.binary_search(&name).is_ok()
    }

    /// Whether resolution read a file.
    pub fn has_file(&self, file: FileId) -> bool {
        self.files.binary_search(&file.0).is_ok()
    }
}

/// A reader of one generation, or of a change set in progress.
#[derive(Clone, Copy)]
pub struct GraphReader<'d> {
    pub(crate) db: &'d Connection,
    pub(crate) path: &'d Path,
}

impl GraphReader<'_> {
    /// The file at a path.
    pub fn file(&self, path: &RepoPath) -> Result<Option<FileRow>, StoreError> {
        files::by_path(self.db, path).at(self.path)
    }

    /// An indexed file; `None` if it was not indexed.
    pub fn indexed(&self, file: FileId) -> Result<Option<IndexedFile>, StoreError> {
        files::indexed(self.db, file.0).at(self.path)
    }

    /// The indexed file at a path.
    pub fn indexed_at(&self, path: &RepoPath) -> Result<Option<IndexedFile>, StoreError> {
        files::indexed_at(self.db, path).at(self.path)
    }

    /// The files that are owed resolution, by id.
    pub fn owed(&self) -> Result<Vec<FileId>, StoreError> {
        Ok(file_graphs::owed(self.db).at(self.path)?.into_iter().map(FileId).collect())
    }

    /// The indexed files in a directory and below, by path.
    pub fn indexed_under(&self, directory: &[u8]) -> Result<Vec<IndexedFile>, StoreError> {
        let mut found = Vec::new();
        files::each_indexed(self.db, &inside(directory), |file| found.push(file)).at(self.path)?;
        Ok(found)
    }

    /// The indexed files directly in a directory, by path.
    pub fn files_in_directory(&self, directory: &[u8]) -> Result<Vec<FileId>, StoreError> {
        let (mut from, to) = inside(directory);
        let depth = from.len();
        let mut found = Vec::new();
        loop {
            let deeper = files::ids_between(self.db, &from, &to, |id, path| {
                let rest = &path[depth.min(path.len())..];
                match rest.iter().position(|&byte| byte == b'/') {
                    None => found.push(FileId(id)),
                    // Skip the files of a subdirectory.
                    Some(slash) => return Some(path[..depth + slash].to_vec()),
                }
                None
            });
            let Some(mut directory) = deeper.at(self.path)? else { return Ok(found) };
            directory.push(b'/' + 1);
            from = directory;
        }
    }

    /// The indexed files whose path equals this or ends with it after a `/`, by path.
    pub fn files_ending_with(&self, path: &[u8]) -> Result<Vec<FileId>, StoreError> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let files = files::by_name(self.db, name).at(self.path)?;
        let ending = files.into_iter().filter(|(_, full)| ends_with(full, path));
        Ok(ending.map(|(id, _)| FileId(id)).collect())
    }

    /// The project files, by path.
    pub fn project_files(&self) -> Result<Vec<FileId>, StoreError> {
        Ok(files::project_files(self.db).at(self.path)?.into_iter().map(FileId).collect())
    }

    /// The outline of a file; `None` if it was not indexed.
    pub fn outline(&self, file: FileId) -> Result<Option<Outline>, StoreError> {
        let outline = files::outline_data(self.db, file.0, codec::decode_outline).at(self.path)?;
        outline.transpose().map_err(|error| self.damaged(error.to_string()))
    }

    /// The ids of the symbols of a file, in the order of its outline.
    pub fn symbol_ids(&self, file: FileId) -> Result<Vec<SymbolId>, StoreError> {
        let Some(ids) = files::outline_ids(self.db, file.0).at(self.path)? else { return Ok(Vec::new()) };
        let (bytes, count) = ids.symbols;
        let ids = id_list::decode(&bytes, count).map_err(|error| self.damaged(error.to_string()))?;
        Ok(ids.into_iter().map(SymbolId).collect())
    }

    /// All symbols with a name in files of these languages, by path and index.
    pub fn symbols_named(&self, name: &str, languages: &[&str]) -> Result<Vec<SymbolEntry>, StoreError> {
        let read = || {
            let mut found = Vec::new();
            let Some(name) = names::by_text(self.db, name)? else { return Ok(found) };
            symbols::hits_by_name(self.db, name, |hit| {
                let (file, at) = (FileId(hit.file), hit.at);
                found.push(SymbolEntry { file, at, kind: hit.kind, modifiers: hit.modifiers });
                Ok(())
            })?;
            let asked = self.ids_of(languages)?;
            let mut paths = HashMap::new();
            for &SymbolEntry { file, .. } in &found {
                if let Entry::Vacant(slot) = paths.entry(file) {
                    let brief = files::brief(self.db, file.0)?;
                    slot.insert(brief.filter(|brief| brief.lang.is_some_and(|lang| asked.contains(&lang))));
                }
            }
            found.retain(|bearer| paths[&bearer.file].is_some());
            let path = |bearer: &SymbolEntry| paths[&bearer.file].as_ref().map(|brief| &brief.path);
            found.sort_unstable_by(|a, b| (path(a), a.at).cmp(&(path(b), b.at)));
            Ok::<_, rusqlite::Error>(found)
        };
        read().at(self.path)
    }

    /// The edges to a node, by source, kind and line.
    pub fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, StoreError> {
        self.rows(edges::incoming(self.db, node.0))
    }

    /// The edges from a node that were found in another file, by kind and line.
    pub fn foreign_edges_from(&self, node: NodeId) -> Result<Vec<EdgeRow>, StoreError> {
        self.rows(edges::from_foreign(self.db, node.0))
    }

    /// The graph of a file.
    pub fn graph(&self, file: FileId) -> Result<FileGraph, StoreError> {
        let graph = file_graphs::graph_data(self.db, file.0, codec::decode_graph).at(self.path)?;
        let graph = graph.transpose().map_err(|error| self.damaged(error.to_string()))?;
        Ok(graph.unwrap_or_default())
    }

    /// What the files say about the surface of the program, by file; files that say nothing are left out.
    pub fn surfaces(&self) -> Result<Vec<(FileId, Surface<NodeId>)>, StoreError> {
        let mut found = Vec::new();
        let see =
            |file, bytes: &[u8]| found.push(codec::decode_surface(bytes).map(|one| (FileId(file), one)));
        file_graphs::surfaces(self.db, see).at(self.path)?;
        let found: Result<Vec<_>, codec::CodecError> = found.into_iter().collect();
        found.map_err(|error| self.damaged(error.to_string()))
    }

    /// What one file says about the surface of the program.
    pub fn surface(&self, file: FileId) -> Result<Surface<NodeId>, StoreError> {
        let stored = file_graphs::graph(self.db, file.0).at(self.path)?;
        match stored.map(|graph| graph.surface).as_deref() {
            None | Some([]) => Ok(Surface::default()),
            Some(bytes) => codec::decode_surface(bytes).map_err(|error| self.damaged(error.to_string())),
        }
    }

    /// The references to a name in a file that lead to no symbol, by source.
    pub fn references_to(&self, file: FileId, name: &str) -> Result<UnlinkedReferences, StoreError> {
        let read = |bytes: &[u8]| codec::decode_references_to(bytes, name);
        let found = file_graphs::graph_data(self.db, file.0, read).at(self.path)?;
        let found = found.transpose().map_err(|error| self.damaged(error.to_string()))?;
        Ok(found.unwrap_or_default())
    }

    /// The files that depend on a name.
    pub fn dependents_of_name(&self, name: &str) -> Result<Vec<FileId>, StoreError> {
        let Some(name) = names::by_text(self.db, name).at(self.path)? else { return Ok(Vec::new()) };
        Ok(name_dependencies::dependents(self.db, name).at(self.path)?.into_iter().map(FileId).collect())
    }

    /// What the graph of a file depends on besides its own content.
    pub fn depends(&self, file: FileId) -> Result<Dependencies, StoreError> {
        let read = |names: &[u8], files: &[u8]| {
            Ok(Dependencies { names: id_list::decode_ascending(names)?, files: id_list::decode_all(files)? })
        };
        let found = file_graphs::depends(self.db, file.0, read).at(self.path)?;
        let found = found.transpose().map_err(|error: codec::CodecError| self.damaged(error.to_string()))?;
        Ok(found.unwrap_or_default())
    }

    /// The files that depend on a file for which `wanted` returns true. Reads the dependencies of all files.
    pub fn dependents_of_files(&self, wanted: impl Fn(FileId) -> bool) -> Result<Vec<FileId>, StoreError> {
        let (mut found, mut fault) = (Vec::new(), false);
        file_graphs::each_file_dependencies(self.db, |file, files| match id_list::decode_all(files) {
            Ok(files) if files.iter().any(|&id| wanted(FileId(id))) => found.push(FileId(file)),
            Ok(_) => {}
            Err(_) => fault = true,
        })
        .at(self.path)?;
        if fault { Err(self.damaged("the file dependencies of a file cannot be read")) } else { Ok(found) }
    }

    /// The id of a name.
    pub fn name_id(&self, name: &str) -> Result<Option<i64>, StoreError> {
        names::by_text(self.db, name).at(self.path)
    }

    /// Passes the file and the kind of each symbol with a name in files of these languages to `see`, until it returns false.
    pub fn each_kind(
        &self,
        name: &str,
        languages: &[&str],
        mut see: impl FnMut(FileId, SymbolKind) -> bool,
    ) -> Result<(), StoreError> {
        let mut read = || {
            let Some(name) = names::by_text(self.db, name)? else { return Ok(()) };
            let asked = self.ids_of(languages)?;
            symbols::kinds_by_name(self.db, name, |file, lang, kind| {
                !lang.is_some_and(|lang| asked.contains(&lang)) || see(FileId(file), kind)
            })
        };
        read().at(self.path)
    }

    /// The ids of languages.
    fn ids_of(&self, languages: &[&str]) -> rusqlite::Result<Vec<i64>> {
        let asked = |(_, name): &(i64, String)| languages.contains(&name.as_str());
        Ok(meta::langs(self.db)?.into_iter().filter(asked).map(|(id, _)| id).collect())
    }

    /// The files of these languages that depend on a name.
    pub fn dependents_of_name_in(&self, name: &str, languages: &[&str]) -> Result<Vec<FileId>, StoreError> {
        let read = || {
            let Some(name) = names::by_text(self.db, name)? else { return Ok(Vec::new()) };
            let asked = self.ids_of(languages)?;
            let files = name_dependencies::dependents_with_language(self.db, name)?.into_iter();
            let files = files.filter(|(_, lang)| asked.contains(lang));
            Ok::<_, rusqlite::Error>(files.map(|(file, _)| FileId(file)).collect())
        };
        read().at(self.path)
    }

    /// The file of a node; `None` if there is no such node.
    pub fn file_of(&self, node: NodeId) -> Result<Option<FileId>, StoreError> {
        match node.symbol() {
            None => Ok(node.file()),
            Some(symbol) => Ok(symbols::hit(self.db, symbol.0).at(self.path)?.map(|hit| FileId(hit.file))),
        }
    }

    /// Sorts edges; of edges that several files found, keeps the one with the highest confidence.
    fn rows(&self, stored: rusqlite::Result<Vec<StoredEdge>>) -> Result<Vec<EdgeRow>, StoreError> {
        let mut rows = Vec::new();
        for edge in stored.at(self.path)? {
            rows.push(edge.row().ok_or_else(|| self.damaged("an edge of an unknown kind"))?);
        }
        let key = |row: &EdgeRow| (row.source, row.kind, row.line, row.target);
        rows.sort_unstable_by_key(|row| (key(row), row.confidence, row.rule));
        rows.dedup_by_key(|row| key(row));
        Ok(rows)
    }

    fn damaged(&self, detail: impl Into<String>) -> StoreError {
        StoreError::damaged(self.path, detail)
    }
}

/// Whether a path equals this or ends with it after a `/`.
pub(super) fn ends_with(path: &RepoPath, end: &[u8]) -> bool {
    let before = path.as_bytes().strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
}

/// The bounds of all paths in a directory and below.
fn inside(directory: &[u8]) -> (Vec<u8>, Vec<u8>) {
    if directory.is_empty() {
        // Longer than any path, so that every path sorts before.
        return (Vec::new(), vec![0xff; 1 << 13]);
    }
    let with = |end| [directory, &[end]].concat();
    (with(b'/'), with(b'/' + 1))
}
