//! The symbol table: all files and names of a repository in memory. Resolution uses it from many threads, and during a bulk
//! load the database has no indexes yet.

use super::reader::ends_with;
use super::rows::NodeId;
use crate::names::interner::Interner;
use crate::rows::{FileId, SymbolId};
use orient_model::{ContentHash, Modifiers, Node, RepoPath, Role, SymbolKind};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

/// An indexed file, with what resolution needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Its id.
    pub id: FileId,
    /// The path.
    pub path: RepoPath,
    /// Its language, if it has one.
    pub language: Option<Arc<str>>,
    /// Its role.
    pub role: Role,
    /// The hash of its content.
    pub hash: Option<ContentHash>,
    /// Whether it is a project file.
    pub is_project_file: bool,
}

/// A symbol that is found by its name, without reading its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolEntry {
    /// Its file.
    pub file: FileId,
    /// Its index in the outline.
    pub at: u32,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its modifiers.
    pub modifiers: Modifiers,
}

/// Collects files and symbols for a [`InMemorySymbolTable`].
#[derive(Default)]
pub(crate) struct SymbolTableBuilder {
    files: Vec<IndexedFile>,
    /// The id of the first symbol of each file.
    first: Vec<u32>,
    /// The name of each symbol, in the order of ids, from 1.
    names: Vec<u32>,
    kinds: Vec<(SymbolKind, Modifiers)>,
}

impl SymbolTableBuilder {
    pub(crate) fn file(&mut self, file: IndexedFile, first_symbol: i64) {
        self.files.push(file);
        self.first
            .push(u32::try_from(first_symbol).expect("four thousand million symbols do not fit a machine"));
    }

    pub(crate) fn symbol(&mut self, name: i64, kind: SymbolKind, modifiers: Modifiers) {
        self.kinds.push((kind, modifiers));
        self.names.push(u32::try_from(name).expect("names are numbered with 32 bits"));
    }
}

/// All files and names of a repository.
pub struct InMemorySymbolTable {
    /// By id.
    files: Vec<IndexedFile>,
    first: Vec<u32>,
    /// Indexes into `files`, by path.
    by_path: Vec<u32>,
    /// The same by the hash of the path: resolution tries many paths, most of which do not exist.
    by_hash: Vec<(u64, u32)>,
    /// The same by file name, then by path.
    by_name: Vec<u32>,
    project_files: Vec<FileId>,
    pub(crate) names: Arc<Interner>,
    /// For each name the start of its symbols in `bearers`; the last element is the end.
    starts: Vec<u32>,
    /// Ids of symbols by name, then by id.
    bearers: Vec<u32>,
    symbols: u32,
    /// The ids of the symbols in the index, if they differ from those of this table.
    ids: Vec<i64>,
    /// The kind and modifiers of each symbol, by id, from 1.
    kinds: Vec<(SymbolKind, Modifiers)>,
    /// Whether ids are in the order of paths.
    in_order: bool,
}

impl InMemorySymbolTable {
    pub(crate) fn new(noted: SymbolTableBuilder, names: Arc<Interner>) -> Self {
        let SymbolTableBuilder { files, first, names: of_symbols, kinds } = noted;
        let mut by_path: Vec<u32> = (0..files.len() as u32).collect();
        by_path.sort_by(|&a, &b| files[a as usize].path.cmp(&files[b as usize].path));
        let hashed = |(at, file): (u32, &IndexedFile)| (FxBuildHasher.hash_one(&file.path), at);
        let mut by_hash: Vec<(u64, u32)> = (0..).zip(&files).map(hashed).collect();
        by_hash.sort_unstable();
        let mut by_name = by_path.clone();
        by_name.sort_by(|&a, &b| files[a as usize].path.file_name().cmp(files[b as usize].path.file_name()));
        let project_files = by_path.iter().map(|&at| &files[at as usize]);
        let project_files = project_files.filter(|file| file.is_project_file).map(|file| file.id).collect();
        let mut starts = vec![0u32; names.len() + 2];
        for &name in &of_symbols {
            starts[name as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut bearers = vec![0; of_symbols.len()];
        let mut next = starts.clone();
        for (id, &name) in (1..).zip(&of_symbols) {
            bearers[next[name as usize] as usize] = id;
            next[name as usize] += 1;
        }
        let in_order = by_path.is_sorted();
        let symbols = of_symbols.len() as u32;
        let ids = Vec::new();
        Self {
            files,
            first,
            by_path,
            by_hash,
            by_name,
            project_files,
            names,
            starts,
            bearers,
            symbols,
            ids,
            kinds,
            in_order,
        }
    }

    /// The same with other symbol ids in the index.
    pub(crate) fn with_ids(self, ids: Vec<i64>) -> Self {
        Self { ids, ..self }
    }

    /// The indexed file at a path.
    pub fn file_at(&self, path: &RepoPath) -> Option<FileId> {
        let hash = FxBuildHasher.hash_one(path);
        let first = self.by_hash.partition_point(|&(known, _)| known < hash);
        let alike = self.by_hash[first..].iter().take_while(|&&(known, _)| known == hash);
        alike.map(|&(_, at)| &self.files[at as usize]).find(|file| file.path == *path).map(|file| file.id)
    }

    /// The indexed file with an id.
    pub fn file(&self, id: FileId) -> Option<&IndexedFile> {
        self.place(id).map(|at| &self.files[at])
    }

    /// All indexed files, by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &IndexedFile> {
        self.by_path.iter().map(|&at| &self.files[at as usize])
    }

    /// The files directly in a directory, by path.
    pub fn files_in_directory(&self, directory: &[u8]) -> Vec<FileId> {
        let prefix = if directory.is_empty() { Vec::new() } else { [directory, b"/"].concat() };
        let path = |at: u32| self.files[at as usize].path.as_bytes();
        let mut at = self.by_path.partition_point(|&file| path(file) < prefix.as_slice());
        let mut found = Vec::new();
        while let Some(&file) = self.by_path.get(at) {
            let Some(rest) = path(file).strip_prefix(prefix.as_slice()) else { break };
            match rest.iter().position(|&byte| byte == b'/') {
                None => {
                    found.push(self.files[file as usize].id);
                    at += 1;
                }
                Some(slash) => {
                    let mut beyond = path(file)[..prefix.len() + slash].to_vec();
                    beyond.push(b'/' + 1);
                    at += self.by_path[at..].partition_point(|&file| path(file) < beyond.as_slice());
                }
            }
        }
        found
    }

    /// The files whose path equals this or ends with it after a `/`, by path.
    pub fn files_ending_with(&self, path: &[u8]) -> Vec<FileId> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let file = |&at: &u32| &self.files[at as usize];
        let start = self.by_name.partition_point(|at| file(at).path.file_name() < name);
        let same = self.by_name[start..].iter().map(file).take_while(|file| file.path.file_name() == name);
        same.filter(|file| ends_with(&file.path, path)).map(|file| file.id).collect()
    }

    /// The project files, by path.
    pub fn project_files(&self) -> &[FileId] {
        &self.project_files
    }

    /// All symbols with a name in files of these languages, by path and index.
    pub fn symbols_named(&self, name: &str, languages: &[&str]) -> Vec<SymbolEntry> {
        let Some(number) = self.names.find(name) else { return Vec::new() };
        let (start, end) = (self.starts[number as usize], self.starts[number as usize + 1]);
        let asked = |file: &IndexedFile| file.language.as_deref().is_some_and(|own| languages.contains(&own));
        let (mut found, mut at) = (Vec::new(), 0);
        for &id in &self.bearers[start as usize..end as usize] {
            // Ids ascend, and so do the files they belong to.
            at += self.first[at..].partition_point(|&first| first <= id) - 1;
            if asked(&self.files[at]) {
                found.push((at, id - self.first[at], self.kinds[id as usize - 1]));
            }
        }
        if !self.in_order {
            found.sort_by(|a, b| (&self.files[a.0].path, a.1).cmp(&(&self.files[b.0].path, b.1)));
        }
        let bearer = |(at, place, (kind, modifiers)): (usize, u32, _)| SymbolEntry {
            file: self.files[at].id,
            at: place,
            kind,
            modifiers,
        };
        found.into_iter().map(bearer).collect()
    }

    /// The id of a node of the resolver, whose file numbers are file ids.
    pub fn node(&self, node: Node) -> Option<NodeId> {
        let at = self.place(FileId(i64::from(node.file)))?;
        let Some(symbol) = node.symbol else { return Some(NodeId::from(self.files[at].id)) };
        let id = self.first[at].checked_add(symbol)?;
        let end = self.first.get(at + 1).copied().unwrap_or(self.symbols + 1);
        let stored = self.ids.get((id as usize).checked_sub(1)?).copied().unwrap_or(i64::from(id));
        (id < end).then(|| NodeId::from(SymbolId(stored)))
    }

    fn place(&self, id: FileId) -> Option<usize> {
        self.files.binary_search_by_key(&id, |file| file.id).ok()
    }
}
