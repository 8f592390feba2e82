//! Which files a text search must look at: those of its scope, less what the trigrams of the index rule out.

use crate::manifest::tree_manifest::{Head, SearchSheet, Searched, TreeSheet};
use crate::refresh::plan::veiled;
use crate::{EngineError, Snapshot};
use orient_model::RepoPath;
use orient_store::{ExcludedFiles, ManifestKind, WriteLock, Writer};
use orient_text::TrigramQuery;
use orient_walk::{
    Fingerprint, RootDirectory, SearchFile, SearchFiles, SearchScope, list_search_files, parallel_chunks,
    to_native,
};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What there is to search.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The files, in the order of the paths asked for, then by path.
    pub files: Vec<SearchFile>,
    /// How many files of the scope cannot match and are left out.
    pub left_out: usize,
    /// What could not be read, in words.
    pub errors: Vec<String>,
}

/// Whether the index is known to be right, as far as somebody compared it with the tree.
pub struct Basis<'b> {
    /// Paths the index may be wrong about.
    pub pending: &'b [RepoPath],
    /// Whether what the index remembers of the tree as a whole is right too, so that no walk is needed to know which
    /// files there are.
    pub remembered: bool,
}

/// How many files a thread takes at once.
const AT_ONCE: usize = 256;

/// So many names are looked up one by one before reading all of them would be quicker.
const FEW_NAMES: usize = 1000;

impl Candidates {
    /// Every file of a scope, without a look at any index.
    pub fn all(root: &Path, scope: &SearchScope) -> Result<Self, EngineError> {
        let SearchFiles { files, errors, .. } = list_search_files(root, scope)?;
        Ok(Self { files, left_out: 0, errors })
    }
}

impl Snapshot {
    /// The files in which nothing can match what asks for these trigrams.
    pub fn excluded_files(&self, query: &TrigramQuery) -> Result<ExcludedFiles, EngineError> {
        Ok(self.store.excluded_files(query)?)
    }

    /// Every file of a scope. No walk is needed where all folders are as they are remembered: whatever became of the
    /// files, there are no others.
    pub fn everything(&self, scope: &SearchScope) -> Result<Candidates, EngineError> {
        if scope.is_plain(&self.root)
            && let Some(bytes) = self.store.manifest(ManifestKind::Tree)?
            && let Some(sheet) = TreeSheet::read(&bytes, self.sheet_key)
            && let tree = RootDirectory::open(&self.root)?
            && sheet.names_stand(&tree, scope.threads.max(1))
            && let Some(found) = self.recalled(sheet.head(), Some(&sheet), &ExcludedFiles::default())?
        {
            return Ok(found);
        }
        Candidates::all(&self.root, scope)
    }

    /// The files of a plain scope without those that are left out. Files the index does not know, has not read, or may
    /// be wrong about always stay.
    pub fn candidates(
        &self,
        scope: &SearchScope,
        out: &ExcludedFiles,
        basis: &Basis<'_>,
    ) -> Result<Candidates, EngineError> {
        let pending: HashSet<&RepoPath> = basis.pending.iter().collect();
        let plain = basis.remembered && pending.is_empty() && scope.is_plain(&self.root);
        if plain
            && let Some(head) = self.store.manifest_head(ManifestKind::Tree)?
            && let Some(head) = Head::read(&head, self.sheet_key)
            && let Some(found) = self.recalled(head, None, out)?
        {
            return Ok(found);
        }
        let SearchFiles { mut files, errors, fingerprint } = list_search_files(&self.root, scope)?;
        if plain && errors.is_empty() {
            self.remember(&files, &fingerprint)?;
        }
        let before = files.len();
        let listed = self.store.listed()?.into_iter();
        let without: HashSet<RepoPath> = listed
            .filter(|file| out.contains(file.id) && !pending.contains(&file.path))
            .map(|file| file.path)
            .collect();
        files.retain(|file| !without.contains(&file.path));
        Ok(Candidates { left_out: before - files.len(), files, errors })
    }

    /// Takes those away from some files that are left out, where nobody compared the index with the tree: a file's own
    /// stamp tells whether its trigrams are those of its content now. Says how many were taken away.
    pub fn narrow(
        &self,
        files: &mut Vec<SearchFile>,
        out: &ExcludedFiles,
        threads: usize,
    ) -> Result<usize, EngineError> {
        let bytes = self.store.manifest(ManifestKind::Tree)?;
        let sheet = bytes.as_deref().and_then(|bytes| TreeSheet::read(bytes, self.sheet_key));
        let known = |path: &RepoPath| match &sheet {
            Some(sheet) => Ok(sheet.at(path)),
            None => self.store.listed_at(path).map(|listed| listed.map(|file| (file.id, file.stamp))),
        };
        let mut looks = Vec::with_capacity(files.len());
        for file in &*files {
            let stamp = known(&file.path)?.filter(|(id, _)| out.contains(*id)).map(|(_, stamp)| stamp);
            looks.push((file.path.as_bytes(), stamp, AtomicBool::new(false)));
        }
        let tree = RootDirectory::open(&self.root)?;
        parallel_chunks(&looks, AT_ONCE, threads, |some| {
            for (path, stamp, same) in some {
                let is = |stamp| tree.is_stamped(path, stamp);
                let is_same = stamp.is_some_and(|stamp| is(stamp) || is(veiled(stamp)));
                same.store(is_same, Ordering::Relaxed);
            }
            true
        });
        let same: Vec<bool> = looks.into_iter().map(|(.., same)| same.into_inner()).collect();
        let (before, mut same) = (files.len(), same.into_iter());
        files.retain(|_| same.next().is_none_or(|same| !same));
        Ok(before - files.len())
    }

    /// The same from what is remembered, without a walk; none where nothing is. The sheet of the tree is not needed to
    /// name a few.
    fn recalled(
        &self,
        head: Head,
        sheet: Option<&TreeSheet<'_>>,
        out: &ExcludedFiles,
    ) -> Result<Option<Candidates>, EngineError> {
        let Some(bytes) = self.store.manifest(ManifestKind::Search)? else { return Ok(None) };
        let tree = RootDirectory::open(&self.root)?;
        let Some(search) = SearchSheet::read(&bytes, head, &tree) else { return Ok(None) };
        let mut left_out = 0;
        let mut stays = |file: &Searched| {
            let stays = !matches!(file, Searched::Known(id) if out.contains(*id));
            left_out += usize::from(!stays);
            stays
        };
        let searched: Vec<Searched> = search.files().filter(|file| stays(file)).collect();
        let bytes = match sheet {
            None if searched.len() > FEW_NAMES => self.store.manifest(ManifestKind::Tree)?,
            _ => None,
        };
        let read = bytes.as_deref().and_then(|bytes| TreeSheet::read(bytes, self.sheet_key));
        let names = sheet.or(read.as_ref()).map(TreeSheet::by_id);
        let mut files = Vec::with_capacity(searched.len());
        for file in searched {
            let path = match (file, &names) {
                (Searched::Other(path), _) => Some(path),
                (Searched::Known(id), Some(names)) => names.path(id),
                (Searched::Known(id), None) => self.store.path_of(id)?,
            };
            // What was remembered of some other tree is of no use.
            let Some(path) = path else { return Ok(None) };
            if let Some(shown) = to_native(&path) {
                files.push(SearchFile { path, shown, explicit: false });
            }
        }
        Ok(Some(Candidates { files, left_out, errors: Vec::new() }))
    }

    /// Notes which files a plain search looks at, if nobody else is writing.
    fn remember(&self, files: &[SearchFile], fingerprint: &Fingerprint) -> Result<(), EngineError> {
        let Some(bytes) = self.store.manifest(ManifestKind::Tree)? else { return Ok(()) };
        let Some(sheet) = TreeSheet::read(&bytes, self.sheet_key) else { return Ok(()) };
        let searched: Vec<RepoPath> = files.iter().map(|file| file.path.clone()).collect();
        if let Some(data) = sheet.search(&searched, fingerprint)
            && let Ok(Some(lock)) = WriteLock::acquire(&self.place.tree, |_| false)
            && let Ok(mut writer) = Writer::open(&self.place.index(), &lock)
        {
            // It would only have saved time.
            let _ = writer.put_manifest(ManifestKind::Search, &data);
        }
        Ok(())
    }
}
