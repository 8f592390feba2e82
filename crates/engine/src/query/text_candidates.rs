//! Candidate files of a text search: the files in scope, without those that the trigram index rules out.

use crate::manifest::{ManifestHeader, SearchManifest, SearchedFile, TreeManifest};
use crate::skips::large_file_stamp;
use crate::{EngineError, Snapshot};
use orient_model::RepoPath;
use orient_store::{ExcludedFiles, FileId, ManifestKind, WriteLock, Writer};
use orient_text::TrigramQuery;
use orient_walk::{
    Fingerprint, RootDirectory, SearchFile, SearchFiles, SearchScope, Tree, parallel_chunks, to_native,
};
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files to search.
#[derive(Clone, Debug, Default)]
pub struct TextCandidates {
    /// The files, in the order of the requested paths, then by path.
    pub files: Vec<SearchFile>,
    /// Number of files in scope that cannot match and are left out.
    pub left_out: usize,
    /// Messages about what could not be read.
    pub errors: Vec<String>,
}

/// What is known about the freshness of the index.
pub struct Verification<'b> {
    /// Paths that may be stale in the index.
    pub pending: &'b [RepoPath],
    /// Whether the tree manifest is valid, so that the files are known without a walk.
    pub manifest_valid: bool,
}

/// Number of files that a thread checks at a time.
const FILES_PER_BATCH: usize = 256;

/// Up to this number of paths, single lookups are faster than decoding the whole manifest.
const MAX_SINGLE_LOOKUPS: usize = 1000;

/// Number of scopes whose files are kept.
const MAX_SCOPES: usize = 4;

/// The files in a scope of a tree that never changes.
pub(crate) struct ScopedFiles {
    /// Each with its id, if the index has it.
    files: Vec<(Option<FileId>, SearchFile)>,
    errors: Vec<String>,
}

impl ScopedFiles {
    /// The files that are not excluded.
    fn candidates(&self, is_excluded: impl Fn(&RepoPath, FileId) -> bool) -> TextCandidates {
        let stays =
            |(id, file): &&(Option<FileId>, SearchFile)| id.is_none_or(|id| !is_excluded(&file.path, id));
        let files: Vec<SearchFile> = self.files.iter().filter(stays).map(|(_, file)| file.clone()).collect();
        let left_out = self.files.len() - files.len();
        TextCandidates { files, left_out, errors: self.errors.clone() }
    }
}

/// The files of the scopes that were searched last in a tree that never changes: to list them takes longer than most searches.
#[derive(Default)]
pub(crate) struct ScopedFilesCache(Mutex<Vec<KnownScope>>);

struct KnownScope {
    scope: SearchScope,
    generation: u64,
    files: Arc<ScopedFiles>,
}

impl ScopedFilesCache {
    fn lock(&self) -> MutexGuard<'_, Vec<KnownScope>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn get(
        &self,
        scope: &SearchScope,
        generation: u64,
        list: impl FnOnce() -> Result<ScopedFiles, EngineError>,
    ) -> Result<Arc<ScopedFiles>, EngineError> {
        let is_same = |known: &&KnownScope| known.scope == *scope && known.generation == generation;
        let known = self.lock().iter().find(is_same).map(|known| Arc::clone(&known.files));
        if let Some(known) = known {
            return Ok(known);
        }
        let files = Arc::new(list()?);
        let mut scopes = self.lock();
        scopes.retain(|known| known.generation == generation);
        if scopes.len() >= MAX_SCOPES {
            scopes.remove(0);
        }
        scopes.push(KnownScope { scope: scope.clone(), generation, files: Arc::clone(&files) });
        Ok(files)
    }
}

impl TextCandidates {
    /// Every file in scope, without an index.
    pub fn all(tree: &dyn Tree, scope: &SearchScope) -> Result<Self, EngineError> {
        let SearchFiles { files, errors, .. } = tree.search_files(scope)?;
        Ok(Self { files, left_out: 0, errors })
    }
}

impl Snapshot {
    /// The files that cannot match a query for these trigrams.
    pub fn left_out(&self, query: &TrigramQuery) -> Result<ExcludedFiles, EngineError> {
        Ok(self.store.excluded_files(query)?)
    }

    /// Every file in scope. Needs no walk if all directories are as in the manifest: file contents may differ, but
    /// the set of files is the same.
    pub fn all_text_candidates(&self, scope: &SearchScope) -> Result<TextCandidates, EngineError> {
        if self.tree.id().is_none()
            && scope.is_plain(&self.root)
            && let Some(bytes) = self.store.manifest(ManifestKind::Tree)?
            && let Some(manifest) = TreeManifest::read(&bytes, self.manifest_key)
            && let tree = RootDirectory::open(&self.root)?
            && manifest.names_unchanged(&tree, scope.threads.max(1))
            && let Some(found) =
                self.read_search_manifest(manifest.head(), Some(&manifest), &ExcludedFiles::default())?
        {
            return Ok(found);
        }
        TextCandidates::all(&*self.tree, scope)
    }

    /// The files in a scope that may match, if the index was compared with the tree. Files that the index does not know, did not read or may be stale
    /// about always stay.
    pub fn candidates(
        &self,
        scope: &SearchScope,
        excluded: &ExcludedFiles,
        verification: &Verification<'_>,
    ) -> Result<TextCandidates, EngineError> {
        let pending: HashSet<&RepoPath> = verification.pending.iter().collect();
        let plain = self.tree.id().is_none()
            && verification.manifest_valid
            && pending.is_empty()
            && scope.is_plain(&self.root);
        if plain
            && let Some(head) = self.store.manifest_head(ManifestKind::Tree)?
            && let Some(head) = ManifestHeader::read(&head, self.manifest_key)
            && let Some(found) = self.read_search_manifest(head, None, excluded)?
        {
            return Ok(found);
        }
        if self.tree.id().is_some() {
            let known =
                self.caches.scoped_files.get(scope, self.generation(), || self.scoped_files(scope))?;
            return Ok(known.candidates(|path, id| excluded.contains(id) && !pending.contains(path)));
        }
        let SearchFiles { mut files, errors, fingerprint } = self.tree.search_files(scope)?;
        if plain && errors.is_empty() {
            self.write_search_manifest(&files, &fingerprint)?;
        }
        let before = files.len();
        let listed = self.store.listed()?.into_iter();
        let without: HashSet<RepoPath> = listed
            .filter(|file| excluded.contains(file.id) && !pending.contains(&file.path))
            .map(|file| file.path)
            .collect();
        files.retain(|file| !without.contains(&file.path));
        Ok(TextCandidates { left_out: before - files.len(), files, errors })
    }

    /// The files in a scope with their ids.
    fn scoped_files(&self, scope: &SearchScope) -> Result<ScopedFiles, EngineError> {
        let SearchFiles { files, errors, .. } = self.tree.search_files(scope)?;
        let listed = self.store.listed()?.into_iter();
        let ids: FxHashMap<RepoPath, FileId> = listed.map(|file| (file.path, file.id)).collect();
        let files = files.into_iter().map(|file| (ids.get(&file.path).copied(), file)).collect();
        Ok(ScopedFiles { files, errors })
    }

    /// Removes files that cannot match, when the index was not compared with the tree: a file's own stamp proves that
    /// its indexed trigrams are current. Returns the number removed.
    pub fn narrow(
        &self,
        files: &mut Vec<SearchFile>,
        excluded: &ExcludedFiles,
        threads: usize,
    ) -> Result<usize, EngineError> {
        let bytes = self.store.manifest(ManifestKind::Tree)?;
        let manifest = bytes.as_deref().and_then(|bytes| TreeManifest::read(bytes, self.manifest_key));
        let known = |path: &RepoPath| match &manifest {
            Some(manifest) => Ok(manifest.at(path)),
            None => self.store.listed_at(path).map(|listed| listed.map(|file| (file.id, file.stamp))),
        };
        let mut checks = Vec::with_capacity(files.len());
        for file in &*files {
            let stamp = known(&file.path)?.filter(|(id, _)| excluded.contains(*id)).map(|(_, stamp)| stamp);
            checks.push((file.path.as_bytes(), stamp, AtomicBool::new(false)));
        }
        let tree = RootDirectory::open(&self.root)?;
        parallel_chunks(&checks, FILES_PER_BATCH, threads, |some| {
            for (path, stamp, same) in some {
                let is = |stamp| tree.is_stamped(path, stamp);
                let is_same = stamp.is_some_and(|stamp| is(stamp) || is(large_file_stamp(stamp)));
                same.store(is_same, Ordering::Relaxed);
            }
            true
        });
        let same: Vec<bool> = checks.into_iter().map(|(.., same)| same.into_inner()).collect();
        let (before, mut same) = (files.len(), same.into_iter());
        files.retain(|_| same.next().is_none_or(|same| !same));
        Ok(before - files.len())
    }

    /// The candidates from the search manifest, without a walk; `None` if there is none. A few paths are looked up
    /// without the tree manifest.
    fn read_search_manifest(
        &self,
        head: ManifestHeader,
        manifest: Option<&TreeManifest<'_>>,
        excluded: &ExcludedFiles,
    ) -> Result<Option<TextCandidates>, EngineError> {
        let Some(bytes) = self.store.manifest(ManifestKind::Search)? else { return Ok(None) };
        let tree = RootDirectory::open(&self.root)?;
        let Some(search) = SearchManifest::read(&bytes, head, &tree) else { return Ok(None) };
        let mut left_out = 0;
        let mut stays = |file: &SearchedFile| {
            let stays = !matches!(file, SearchedFile::Known(id) if excluded.contains(*id));
            left_out += usize::from(!stays);
            stays
        };
        let searched: Vec<SearchedFile> = search.files().filter(|file| stays(file)).collect();
        let bytes = match manifest {
            None if searched.len() > MAX_SINGLE_LOOKUPS => self.store.manifest(ManifestKind::Tree)?,
            _ => None,
        };
        let read = bytes.as_deref().and_then(|bytes| TreeManifest::read(bytes, self.manifest_key));
        let names = manifest.or(read.as_ref()).map(TreeManifest::by_id);
        let mut files = Vec::with_capacity(searched.len());
        for file in searched {
            let path = match (file, &names) {
                (SearchedFile::Other(path), _) => Some(path),
                (SearchedFile::Known(id), Some(names)) => names.path(id),
                (SearchedFile::Known(id), None) => self.store.path_of(id)?,
            };
            // The manifest belongs to another tree.
            let Some(path) = path else { return Ok(None) };
            if let Some(shown) = to_native(&path) {
                files.push(SearchFile { path, shown, explicit: false });
            }
        }
        Ok(Some(TextCandidates { files, left_out, errors: Vec::new() }))
    }

    /// Stores the search manifest, if no other process is writing.
    fn write_search_manifest(
        &self,
        files: &[SearchFile],
        fingerprint: &Fingerprint,
    ) -> Result<(), EngineError> {
        let Some(bytes) = self.store.manifest(ManifestKind::Tree)? else { return Ok(()) };
        let Some(manifest) = TreeManifest::read(&bytes, self.manifest_key) else { return Ok(()) };
        let searched: Vec<RepoPath> = files.iter().map(|file| file.path.clone()).collect();
        if let Some(data) = manifest.search(&searched, fingerprint)
            && let Ok(Some(lock)) = WriteLock::acquire(&self.paths.tree, |_| false)
            && let Ok(mut writer) = Writer::open(&self.paths.index(), &lock)
        {
            // Failing costs only the speed-up.
            let _ = writer.put_manifest(ManifestKind::Search, &data);
        }
        Ok(())
    }
}
