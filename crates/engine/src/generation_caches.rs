//! The registry of in-memory caches that follow the generations of an index.
//!
//! Each cache belongs to a generation and moves to the next one through the change log, without the changed files.
//! When the index itself is replaced (a rebuild, a repair, a return from memory), generation numbers start over and
//! all caches are cleared together.

use crate::EngineError;
use crate::FileOutline;
use crate::change_log::ChangeLog;
use crate::query::outline_cache::OutlineCache;
use crate::query::search::{Corpus, CorpusCache, NameCache};
use crate::query::{FrameworkEvidence, ScopedFilesCache, SurfaceEdges, SymbolRoles, UnresolvedFiles};
use crate::refresh::PendingFactsSlot;
use crate::remote_embeddings::RemoteVectorCache;
use crate::workspace::{CrossingEdgeCache, IndexNumber, Projects};
use orient_store::{FileId, NameTable, Snapshot};
use std::sync::{Arc, Mutex, PoisonError};

/// All caches of one index; an engine shares them with its snapshots.
#[derive(Default)]
pub(crate) struct GenerationCaches {
    pub(crate) change_log: ChangeLog,
    pub(crate) pending_facts: PendingFactsSlot,
    pub(crate) remote_vectors: RemoteVectorCache,
    pub(crate) crossing_edges: CrossingEdgeCache,
    pub(crate) index_number: IndexNumber,
    pub(crate) scoped_files: ScopedFilesCache,
    outlines: OutlineCache,
    corpora: CorpusCache,
    names: NameCache,
    roles: LatestGeneration<SymbolRoles>,
    surface_edges: LatestGeneration<SurfaceEdges>,
    projects: LatestGeneration<Projects>,
    unresolved_files: LatestGeneration<UnresolvedFiles>,
    framework_evidence: LatestGeneration<Vec<FrameworkEvidence>>,
}

impl GenerationCaches {
    /// Clears all caches, because the index was replaced: generations of the new one may have the same numbers.
    pub(crate) fn clear(&self) {
        // Without `..`, so that a new cache cannot be forgotten here.
        let Self {
            change_log,
            pending_facts,
            remote_vectors,
            crossing_edges,
            index_number,
            scoped_files,
            outlines,
            corpora,
            names,
            roles,
            surface_edges,
            projects,
            unresolved_files,
            framework_evidence,
        } = self;
        change_log.clear();
        pending_facts.clear();
        remote_vectors.clear();
        crossing_edges.clear();
        index_number.renew();
        scoped_files.clear();
        outlines.clear();
        corpora.clear();
        names.clear();
        roles.clear();
        surface_edges.clear();
        projects.clear();
        unresolved_files.clear();
        framework_evidence.clear();
    }

    /// The outline of a file in a generation; calls `read` on a miss.
    pub(crate) fn outline(
        &self,
        generation: u64,
        file: FileId,
        read: impl FnOnce() -> Result<Option<FileOutline>, EngineError>,
    ) -> Result<Option<Arc<FileOutline>>, EngineError> {
        self.outlines.get(&self.change_log, generation, file, read)
    }

    /// The corpus of a snapshot.
    pub(crate) fn corpus(&self, snapshot: &Snapshot) -> Result<Arc<Corpus>, EngineError> {
        self.corpora.get(&self.change_log, snapshot)
    }

    /// The roles of symbols in a generation; calls `compute` on a miss.
    pub(crate) fn roles(
        &self,
        generation: u64,
        compute: impl FnOnce() -> Result<SymbolRoles, EngineError>,
    ) -> Result<Arc<SymbolRoles>, EngineError> {
        self.roles.get(generation, compute)
    }

    /// The edges that follow from the surface in a generation; calls `compute` on a miss.
    pub(crate) fn surface_edges(
        &self,
        generation: u64,
        compute: impl FnOnce() -> Result<SurfaceEdges, EngineError>,
    ) -> Result<Arc<SurfaceEdges>, EngineError> {
        self.surface_edges.get(generation, compute)
    }

    /// The projects of a generation with their packages; calls `read` on a miss.
    pub(crate) fn projects(
        &self,
        generation: u64,
        read: impl FnOnce() -> Result<Projects, EngineError>,
    ) -> Result<Arc<Projects>, EngineError> {
        self.projects.get(generation, read)
    }

    /// The files of a generation whose uses are not resolved; calls `read` on a miss.
    pub(crate) fn unresolved_files(
        &self,
        generation: u64,
        read: impl FnOnce() -> Result<UnresolvedFiles, EngineError>,
    ) -> Result<Arc<UnresolvedFiles>, EngineError> {
        self.unresolved_files.get(generation, read)
    }

    /// The frameworks that a generation shows signs of; calls `read` on a miss.
    pub(crate) fn framework_evidence(
        &self,
        generation: u64,
        read: impl FnOnce() -> Result<Vec<FrameworkEvidence>, EngineError>,
    ) -> Result<Arc<Vec<FrameworkEvidence>>, EngineError> {
        self.framework_evidence.get(generation, read)
    }

    /// All symbol names of a snapshot; `None` if the cache holds a later generation.
    pub(crate) fn names(&self, snapshot: &Snapshot) -> Result<Option<Arc<NameTable>>, EngineError> {
        self.names.get(snapshot, &self.change_log)
    }
}

/// A value that is computed from a whole generation; that of the generation that was queried last is kept.
struct LatestGeneration<T>(Mutex<Option<(u64, Arc<T>)>>);

impl<T> Default for LatestGeneration<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> LatestGeneration<T> {
    fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn get(
        &self,
        generation: u64,
        compute: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<Arc<T>, EngineError> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = cached.as_ref().filter(|(of, _)| *of == generation) {
            return Ok(Arc::clone(value));
        }
        let value = Arc::new(compute()?);
        *cached = Some((generation, Arc::clone(&value)));
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, NoProgress, OpenOptions, RefreshMode, RefreshOptions};
    use orient_settings::Settings;
    use std::fs;
    use std::sync::Arc;

    #[test]
    fn snapshots_share_the_caches_until_the_index_is_replaced() {
        let directory = tempfile::tempdir().expect("a directory");
        let (tree, store) = (directory.path().join("tree"), directory.path().join("store"));
        fs::create_dir(&tree).expect("created");
        fs::write(tree.join("a.py"), "def a(): pass\n").expect("written");
        let options = OpenOptions { store: Some(store), ..OpenOptions::default() };
        let engine = Engine::open(&tree, Settings::default(), &options).expect("it can be opened");
        let refresh = |mode| {
            let options = RefreshOptions { mode, ..RefreshOptions::default() };
            engine.refresh(&options, &NoProgress).expect("refreshed");
        };
        let corpus = || {
            let snapshot = engine.snapshot().expect("an index");
            snapshot.caches.corpus(&snapshot.store).expect("readable")
        };
        refresh(RefreshMode::CatchUp);
        let first = corpus();
        assert!(Arc::ptr_eq(&first, &corpus()), "the second snapshot uses the cached corpus");
        refresh(RefreshMode::Rebuild);
        let rebuilt = corpus();
        assert!(!Arc::ptr_eq(&first, &rebuilt), "a rebuild replaces the index");
        engine.caches.clear();
        assert!(!Arc::ptr_eq(&rebuilt, &corpus()), "cleared");
    }
}
