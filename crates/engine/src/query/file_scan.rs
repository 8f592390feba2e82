//! Reads many files in parallel and computes something from each.

use crate::refresh::PARSER_STACK_BYTES;
use crate::{Cancel, EngineError, Snapshot};
use orient_store::FileRow;
use orient_walk::SkipReason;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

impl Snapshot {
    /// Calls `each` with the current text of every file, on many threads, and returns the results in the order of the
    /// files: for a file that cannot be read, the reason. Stops early with an error when `cancel` is set.
    pub fn scan_files<T: Send>(
        &self,
        files: &[FileRow],
        threads: usize,
        cancel: &Cancel,
        each: impl Fn(&FileRow, &[u8]) -> T + Sync,
    ) -> Result<Vec<Result<T, SkipReason>>, EngineError> {
        let tree = self.tree.open()?;
        let (next, max) = (AtomicUsize::new(0), self.max_file_size);
        let done: Mutex<Vec<(usize, Result<T, SkipReason>)>> = Mutex::new(Vec::with_capacity(files.len()));
        let work = || {
            let mut own = Vec::new();
            while !cancel.is_cancelled() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(at) else { break };
                let read = tree.read(&file.path, max);
                own.push((
                    at,
                    read.map(|content| each(file, &content.bytes)).map_err(|unread| unread.reason),
                ));
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
        };
        std::thread::scope(|scope| -> Result<(), EngineError> {
            for _ in 0..threads.clamp(1, files.len().max(1)) {
                std::thread::Builder::new()
                    .name("scan".to_owned())
                    .stack_size(PARSER_STACK_BYTES)
                    .spawn_scoped(scope, work)?;
            }
            Ok(())
        })?;
        if cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }
}
