//! All files and names of a repository in memory: resolution asks for them from many threads, and while an index is
//! loaded for the first time the database has no indexes yet.

use super::reader::ends_with;
use super::rows::NodeId;
use crate::names::interner::Interner;
use crate::rows::{FileId, SymbolId};
use orient_model::{ContentHash, Modifiers, Node, RepoPath, Role, SymbolKind};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

/// An indexed file, as far as resolution needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryFile {
    /// Its id.
    pub id: FileId,
    /// Where it is.
    pub path: RepoPath,
    /// Its language, where it has one.
    pub language: Option<Arc<str>>,
    /// What it is for.
    pub role: Role,
    /// The hash of its content.
    pub hash: Option<ContentHash>,
    /// Whether it says where modules are.
    pub manifest: bool,
}

/// A symbol by its name, as far as it can be told without its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// Its file.
    pub file: FileId,
    /// Its place in the outline.
    pub at: u32,
    /// What it is.
    pub kind: SymbolKind,
    /// What else its header says.
    pub modifiers: Modifiers,
}

/// What is noted of each file while it passes.
#[derive(Default)]
pub(crate) struct Noted {
    files: Vec<DirectoryFile>,
    /// The id of the first symbol of each of them.
    first: Vec<u32>,
    /// The name of each symbol, in the order of their ids, from 1.
    names: Vec<u32>,
    kinds: Vec<(SymbolKind, Modifiers)>,
}

impl Noted {
    pub(crate) fn file(&mut self, file: DirectoryFile, first_symbol: i64) {
        self.files.push(file);
        self.first
            .push(u32::try_from(first_symbol).expect("four thousand million symbols do not fit a machine"));
    }

    pub(crate) fn symbol(&mut self, name: i64, kind: SymbolKind, modifiers: Modifiers) {
        self.kinds.push((kind, modifiers));
        self.names.push(u32::try_from(name).expect("names are numbered with 32 bits"));
    }
}

/// All files and names of a repository, in memory.
pub struct Directory {
    /// By id.
    files: Vec<DirectoryFile>,
    first: Vec<u32>,
    /// Places in `files`, by path.
    by_path: Vec<u32>,
    /// The same by the hash of the path: resolution tries many paths, and most are none.
    by_hash: Vec<(u64, u32)>,
    /// The same by the last part of the path, then by path.
    by_name: Vec<u32>,
    manifests: Vec<FileId>,
    pub(crate) names: Arc<Interner>,
    /// For each name where its symbols start in `bearers`, and where the last ones end.
    starts: Vec<u32>,
    /// Ids of symbols by name, then by id.
    bearers: Vec<u32>,
    symbols: u32,
    /// The ids of the symbols in the store, where they are not those of this list.
    ids: Vec<i64>,
    /// What each symbol is, by id, from 1.
    kinds: Vec<(SymbolKind, Modifiers)>,
    /// Whether the order of ids is that of paths.
    in_order: bool,
}

impl Directory {
    pub(crate) fn new(noted: Noted, names: Arc<Interner>) -> Self {
        let Noted { files, first, names: of_symbols, kinds } = noted;
        let mut by_path: Vec<u32> = (0..files.len() as u32).collect();
        by_path.sort_by(|&a, &b| files[a as usize].path.cmp(&files[b as usize].path));
        let hashed = |(at, file): (u32, &DirectoryFile)| (FxBuildHasher.hash_one(&file.path), at);
        let mut by_hash: Vec<(u64, u32)> = (0..).zip(&files).map(hashed).collect();
        by_hash.sort_unstable();
        let mut by_name = by_path.clone();
        by_name.sort_by(|&a, &b| files[a as usize].path.file_name().cmp(files[b as usize].path.file_name()));
        let manifests = by_path.iter().map(|&at| &files[at as usize]);
        let manifests = manifests.filter(|file| file.manifest).map(|file| file.id).collect();
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
            manifests,
            names,
            starts,
            bearers,
            symbols,
            ids,
            kinds,
            in_order,
        }
    }

    /// The same where the symbols have other ids in the store.
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
    pub fn file(&self, id: FileId) -> Option<&DirectoryFile> {
        self.place(id).map(|at| &self.files[at])
    }

    /// All indexed files, by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &DirectoryFile> {
        self.by_path.iter().map(|&at| &self.files[at as usize])
    }

    /// The files directly in a folder, by path.
    pub fn folder(&self, folder: &[u8]) -> Vec<FileId> {
        let prefix = if folder.is_empty() { Vec::new() } else { [folder, b"/"].concat() };
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

    /// The files whose path is this, or ends so after a `/`, by path.
    pub fn ending(&self, path: &[u8]) -> Vec<FileId> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let file = |&at: &u32| &self.files[at as usize];
        let start = self.by_name.partition_point(|at| file(at).path.file_name() < name);
        let same = self.by_name[start..].iter().map(file).take_while(|file| file.path.file_name() == name);
        same.filter(|file| ends_with(&file.path, path)).map(|file| file.id).collect()
    }

    /// The files that say where modules are, by path.
    pub fn manifests(&self) -> &[FileId] {
        &self.manifests
    }

    /// Every symbol of a name in files of these languages, by path and place.
    pub fn named(&self, name: &str, languages: &[&str]) -> Vec<Bearer> {
        let Some(number) = self.names.find(name) else { return Vec::new() };
        let (start, end) = (self.starts[number as usize], self.starts[number as usize + 1]);
        let asked =
            |file: &DirectoryFile| file.language.as_deref().is_some_and(|own| languages.contains(&own));
        let (mut found, mut at) = (Vec::new(), 0);
        for &id in &self.bearers[start as usize..end as usize] {
            // Ids grow, and so do the files they belong to.
            at += self.first[at..].partition_point(|&first| first <= id) - 1;
            if asked(&self.files[at]) {
                found.push((at, id - self.first[at], self.kinds[id as usize - 1]));
            }
        }
        if !self.in_order {
            found.sort_by(|a, b| (&self.files[a.0].path, a.1).cmp(&(&self.files[b.0].path, b.1)));
        }
        let bearer = |(at, place, (kind, modifiers)): (usize, u32, _)| Bearer {
            file: self.files[at].id,
            at: place,
            kind,
            modifiers,
        };
        found.into_iter().map(bearer).collect()
    }

    /// The id of a node in resolution's own numbers, which are those of the files.
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
