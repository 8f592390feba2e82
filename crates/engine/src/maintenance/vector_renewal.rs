//! Vector renewal: recomputes vectors after a change of the built-in model, a few files at a time, while queries
//! continue.
//!
//! Queries ignore vectors of another version. The first writer drops them; from then on all stored vectors are
//! current, and a file without vectors is still to be renewed.

use crate::progress::{Cancel, Phase, Progress};
use crate::refresh::drop_outdated_vectors;
use crate::{Engine, EngineError, chunk_features};
use orient_model::ContentHash;
use orient_store::{FileId, FileRow, HolderWatch, Snapshot, WriteLock, Writer};
use orient_walk::TreeReader;
use std::time::Duration;

/// Bytes of source embedded between two commits. Each commit makes readers load all vectors again.
const BYTES_PER_COMMIT: u64 = 64 << 20;
/// Number of files looked up at a time.
const FILES_PER_BATCH: usize = 256;
/// How long to wait for another writer.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The vectors of a file, with the content they were computed from.
type FileVectors = (FileId, ContentHash, Vec<u8>);

impl Engine {
    /// Whether some files of the index have no current vectors.
    pub fn lacks_vectors(&self) -> Result<bool, EngineError> {
        let snapshot = self.snapshot()?;
        Ok(snapshot.store.embedder() != chunk_features::embedder()
            || !snapshot.store.without_vectors(FileId(0), 1)?.is_empty())
    }

    /// Computes missing vectors; returns the number of chunks. Vectors computed before a cancellation are kept.
    pub fn renew_vectors(&self, cancel: &Cancel, progress: &dyn Progress) -> Result<u64, EngineError> {
        if self.in_memory_index.is_used() || !self.lacks_vectors()? {
            return Ok(0);
        }
        progress.phase(Phase::Embedding, 0, 0);
        let done = self.renew(cancel, progress);
        progress.done();
        done
    }

    fn renew(&self, cancel: &Cancel, progress: &dyn Progress) -> Result<u64, EngineError> {
        let (mut chunks, mut after) = (0, FileId(0));
        loop {
            let lock = self.writer_lock(cancel)?;
            drop_outdated_vectors(&mut Writer::open(&self.paths.index(), &lock)?)?;
            drop(lock);
            let mut vectors = Vec::new();
            let last = self.embed_some(after, cancel, progress, &mut vectors)?;
            let of_file = |(_, _, bytes): &FileVectors| {
                chunk_features::read_vectors(bytes).map_or(0, |group| group.members() as u64)
            };
            chunks += vectors.iter().map(of_file).sum::<u64>();
            if !vectors.is_empty() {
                let lock = self.writer_lock(cancel)?;
                let mut writer = Writer::open(&self.paths.index(), &lock)?;
                // Another version may have written in between.
                if writer.embedder() == chunk_features::embedder() {
                    writer.put_vectors(&vectors)?;
                }
            }
            match last {
                Some(last) => after = last,
                None => return Ok(chunks),
            }
        }
    }

    /// Embeds files with ids above `after`; returns the last id, or `None` if there are no more.
    fn embed_some(
        &self,
        mut after: FileId,
        cancel: &Cancel,
        progress: &dyn Progress,
        vectors: &mut Vec<FileVectors>,
    ) -> Result<Option<FileId>, EngineError> {
        let tree = self.tree.open()?;
        let mut bytes = 0;
        while bytes < BYTES_PER_COMMIT {
            // One snapshot per batch, so that writers do not wait.
            let snapshot = self.snapshot()?;
            let files = snapshot.store.without_vectors(after, FILES_PER_BATCH)?;
            let Some(last) = files.last() else { return Ok(None) };
            after = last.id;
            for file in &files {
                if cancel.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                let read = self.embed_file(&snapshot.store, &*tree, file)?;
                progress.tick(u64::from(file.chunks), file.bytes);
                bytes += file.bytes;
                vectors.extend(read);
            }
        }
        Ok(Some(after))
    }

    /// The vectors of a file; `None` if its content changed, because a refresh will index it again.
    fn embed_file(
        &self,
        snapshot: &Snapshot,
        tree: &dyn TreeReader,
        file: &FileRow,
    ) -> Result<Option<FileVectors>, EngineError> {
        let Ok(content) = tree.read(&file.path, self.settings.index.max_file_size.bytes()) else {
            return Ok(None);
        };
        if file.hash != Some(content.hash) {
            return Ok(None);
        }
        let Some(outline) = snapshot.outline(file.id)? else { return Ok(None) };
        Ok(Some((file.id, content.hash, chunk_features::vectors(&file.path, &outline, &content.bytes))))
    }

    fn writer_lock(&self, cancel: &Cancel) -> Result<WriteLock, EngineError> {
        let directory = &self.paths.tree;
        let mut watch = HolderWatch::new(directory);
        let patient = |so_far| so_far < MAX_WAIT && !cancel.is_cancelled() && watch.stuck().is_none();
        let lock = WriteLock::acquire(directory, patient)?;
        lock.ok_or_else(|| EngineError::Busy { holder: WriteLock::holder(directory), waited: MAX_WAIT })
    }
}
