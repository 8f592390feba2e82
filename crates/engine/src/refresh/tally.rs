//! Counts of a refresh while it runs.

use crate::manifest::ManifestBuilder;
use crate::refresh::graph::ResolveOutcome;
use crate::refresh::read_file::FactsOrigin;
use orient_model::RepoPath;
use orient_store::{ChangeSet, ChangeSummary, ManifestEntry, StoreError};

/// Counts of a refresh.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefreshTally {
    pub(crate) parsed: usize,
    pub(crate) from_cache: usize,
    pub(crate) skipped: usize,
    pub(crate) unchanged: usize,
    pub(crate) gone: usize,
    pub(crate) bytes: u64,
    pub(crate) pending: Vec<RepoPath>,
    /// Files whose parser gave up.
    pub(crate) limited: usize,
    /// Whether the tree manifest was written.
    pub(crate) manifest_written: bool,
    pub(crate) graph: ResolveOutcome,
    /// Files that are still to be resolved.
    pub(crate) owed: u64,
}

impl RefreshTally {
    /// Commits a change set.
    pub(super) fn commit(
        &mut self,
        set: ChangeSet<'_>,
        manifest: Option<&ManifestBuilder>,
    ) -> Result<ChangeSummary, StoreError> {
        let _span = tracing::debug_span!("write").entered();
        match manifest {
            Some(manifest) => set.commit_with(|files| self.encode_manifest(files, Some(manifest))),
            None => set.commit(),
        }
    }

    /// The tree manifest, if the index now holds the whole tree.
    pub(super) fn encode_manifest(
        &mut self,
        files: &[ManifestEntry],
        manifest: Option<&ManifestBuilder>,
    ) -> Option<Vec<u8>> {
        let bytes = manifest.filter(|_| self.pending.is_empty()).and_then(|manifest| manifest.encode(files));
        self.manifest_written = bytes.is_some();
        bytes
    }

    /// Counts where the facts of a file come from.
    pub(super) fn count(&mut self, origin: &FactsOrigin) {
        match origin {
            FactsOrigin::Extracted { .. } => self.parsed += 1,
            FactsOrigin::Cached(_) => self.from_cache += 1,
        }
    }
}
