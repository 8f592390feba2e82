//! Vectors made anew, after a change of the built-in model: a few files at a time, while questions are answered.
//!
//! An index whose vectors another version made is answered from without them. Who writes to it first drops them; from then
//! on those that are there are of today, and a file without any has yet to get its own.

use crate::progress::{Cancel, Phase, Progress};
use crate::{Engine, EngineError, chunk_features};
use orient_model::ContentHash;
use orient_store::{FileId, FileRow, HolderWatch, Snapshot, StoreError, WriteLock, Writer};
use orient_walk::RootDirectory;
use std::time::Duration;

/// So many bytes of source are embedded between two change sets: each makes searchers read all vectors again.
const AT_ONCE: u64 = 64 << 20;
/// So many files are looked up at a time.
const FILES: usize = 256;
/// How long to wait for others who write.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a file gets.
type Given = (FileId, ContentHash, Vec<u8>);

impl Engine {
    /// Whether the index has files whose vectors have yet to be made.
    pub fn lacks_vectors(&self) -> Result<bool, EngineError> {
        let snapshot = self.snapshot()?;
        Ok(snapshot.store.embedder() != chunk_features::embedder()
            || !snapshot.store.without_vectors(FileId(0), 1)?.is_empty())
    }

    /// Makes the vectors that are missing, and says of how many chunks. What was made before an end is kept.
    pub fn renew_vectors(&self, cancel: &Cancel, progress: &dyn Progress) -> Result<u64, EngineError> {
        if self.memory.is_used() || !self.lacks_vectors()? {
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
            forget(&mut Writer::open(&self.place.index(), &lock)?)?;
            drop(lock);
            let mut given = Vec::new();
            let last = self.embed_some(after, cancel, progress, &mut given)?;
            let of_file = |(_, _, bytes): &Given| {
                chunk_features::read_vectors(bytes).map_or(0, |group| group.members() as u64)
            };
            chunks += given.iter().map(of_file).sum::<u64>();
            if !given.is_empty() {
                let lock = self.writer_lock(cancel)?;
                let mut writer = Writer::open(&self.place.index(), &lock)?;
                // Another version may have come between.
                if writer.embedder() == chunk_features::embedder() {
                    writer.put_vectors(&given)?;
                }
            }
            match last {
                Some(last) => after = last,
                None => return Ok(chunks),
            }
        }
    }

    /// Embeds files behind one, and says which was the last; none where there are no more.
    fn embed_some(
        &self,
        mut after: FileId,
        cancel: &Cancel,
        progress: &dyn Progress,
        given: &mut Vec<Given>,
    ) -> Result<Option<FileId>, EngineError> {
        let tree = RootDirectory::open(&self.repo.root)?;
        let mut bytes = 0;
        while bytes < AT_ONCE {
            // One for each group: whoever writes must not wait.
            let snapshot = self.snapshot()?;
            let files = snapshot.store.without_vectors(after, FILES)?;
            let Some(last) = files.last() else { return Ok(None) };
            after = last.id;
            for file in &files {
                if cancel.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
                let read = self.embed_file(&snapshot.store, &tree, file)?;
                progress.tick(u64::from(file.chunks), file.bytes);
                bytes += file.bytes;
                given.extend(read);
            }
        }
        Ok(Some(after))
    }

    /// The vectors of a file; none where it is no longer what was indexed: then it is indexed anew anyway.
    fn embed_file(
        &self,
        snapshot: &Snapshot,
        tree: &RootDirectory,
        file: &FileRow,
    ) -> Result<Option<Given>, EngineError> {
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
        let folder = &self.place.tree;
        let mut watch = HolderWatch::new(folder);
        let patient = |so_far| so_far < PATIENCE && !cancel.is_cancelled() && watch.stuck().is_none();
        let lock = WriteLock::acquire(folder, patient)?;
        lock.ok_or_else(|| EngineError::Busy { holder: WriteLock::holder(folder), waited: PATIENCE })
    }
}

/// Drops vectors that another version made, before anything of today is written beside them.
pub(crate) fn forget(writer: &mut Writer<'_>) -> Result<(), StoreError> {
    if writer.embedder() == chunk_features::embedder() {
        Ok(())
    } else {
        writer.forget_vectors(chunk_features::embedder())
    }
}
