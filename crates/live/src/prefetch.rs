//! Work while idle: extracts the facts of files on other branches, so that a switch to such a branch finds them cached, and
//! indexes the history.

use crate::watcher::WatcherCore;
use orient_engine::{PARSER_STACK_BYTES, Prefetcher};
use orient_history::{History, Tip};
use orient_model::RepoPath;
use std::ops::ControlFlow;

/// Maximum number of files per branch. A branch that differs more takes its time anyway.
const MAX_FILES: usize = 5000;
/// Maximum number of bytes per branch.
const MAX_BYTES: usize = 64 << 20;

impl WatcherCore {
    /// Prefetches the newest branches and indexes the history until something changes; returns whether it completed. Without
    /// a readable repository there is nothing to do.
    pub(crate) fn work_while_idle(&self) -> bool {
        let work = || {
            lower_priority();
            self.prefetch_newest().unwrap_or(true) && self.index_history().unwrap_or(true)
        };
        std::thread::scope(|scope| {
            let thread =
                std::thread::Builder::new().name("prefetch".to_owned()).stack_size(PARSER_STACK_BYTES);
            thread.spawn_scoped(scope, work).is_ok_and(|thread| thread.join().unwrap_or(true))
        })
    }

    fn prefetch_newest(&self) -> Option<bool> {
        let mut history = History::open(self.engine.root()).ok()?;
        let tips = history.tips().ok()?;
        let mut ahead = self.engine.prefetcher()?;
        for tip in tips.iter().take(self.options.prefetch_branches) {
            if !ahead.has_commit(tip.id()) && !self.prefetch_branch(&mut history, &mut ahead, tip)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Indexes the history; returns false if other work interrupted it.
    fn index_history(&self) -> Option<bool> {
        let limits = self.options.history?;
        let mut history = History::open(self.engine.root()).ok()?;
        let mut is_complete = true;
        let indexed = orient_timeline::index_history(&self.engine, &mut history, limits, &mut |_, _, _| {
            is_complete = !self.has_other_work();
            if is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if indexed.is_err() {
            // Questions about history read git where the index ends, and report what is wrong there.
            tracing::debug!("the history index is incomplete");
        }
        Some(is_complete)
    }

    /// Prefetches one branch; returns false if other work interrupted it.
    fn prefetch_branch(&self, history: &mut History, ahead: &mut Prefetcher<'_>, tip: &Tip) -> Option<bool> {
        let files = history.incoming_files(tip).ok()?;
        let paths: Vec<RepoPath> = files.iter().map(|file| file.path.clone()).collect();
        let indexed = self.engine.are_indexed(&paths).ok()?;
        // A file that exists but is not in the index is excluded from it, and will be excluded after the switch.
        let wanted = files.iter().zip(indexed).filter(|(file, indexed)| *indexed || !file.replaces);
        let mut bytes = 0;
        for (file, _) in wanted.take(MAX_FILES) {
            if self.has_other_work() {
                ahead.keep();
                return Some(false);
            }
            // A partial clone lacks objects until git fetches them: the switch indexes those files.
            let Ok(content) = history.read(file) else { continue };
            bytes += content.len();
            if bytes > MAX_BYTES {
                break;
            }
            ahead.read(&file.path, content.to_vec());
        }
        ahead.record_commit(tip.id());
        Some(true)
    }

    fn has_other_work(&self) -> bool {
        let mut state = self.state();
        state.drain();
        self.stop.is_cancelled() || !state.dirty.is_empty() || !state.in_progress.is_empty()
    }
}

/// Lowers the priority of this thread and of those that it starts.
#[cfg(target_os = "linux")]
pub fn lower_priority() {
    // If that fails, the thread runs with normal priority.
    let _ = rustix::process::nice(10);
}

/// Lowers the priority of this thread and of those that it starts: not on this system.
#[cfg(not(target_os = "linux"))]
pub fn lower_priority() {}
