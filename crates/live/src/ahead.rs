//! What other branches hold, read while there is nothing else to do: a switch to one of them then finds its files read.

use crate::keeper::Shared;
use orient_engine::{PARSER_STACK_BYTES, Prefetcher};
use orient_history::{History, Tip};
use orient_model::RepoPath;

/// How much is read of one branch at most. One that is further away takes its time anyway.
const MOST_FILES: usize = 5000;
const MOST_BYTES: usize = 64 << 20;

impl Shared {
    /// Reads the newest branches that were not read before, until something changes. Says whether it came to its end, which
    /// it also does where there is nothing that could be read.
    pub(crate) fn read_ahead(&self) -> bool {
        let reading = || {
            give_way();
            self.read_branches().unwrap_or(true)
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("ahead".to_owned()).stack_size(PARSER_STACK_BYTES);
            thread.spawn_scoped(scope, reading).is_ok_and(|thread| thread.join().unwrap_or(true))
        })
    }

    fn read_branches(&self) -> Option<bool> {
        let mut history = History::open(self.engine.root()).ok()?;
        let tips = history.tips().ok()?;
        let mut ahead = self.engine.prefetcher()?;
        for tip in tips.iter().take(self.options.branches) {
            if !ahead.has_whole(tip.id()) && !self.read_branch(&mut history, &mut ahead, tip)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Reads one branch; false where something else came between.
    fn read_branch(&self, history: &mut History, ahead: &mut Prefetcher<'_>, tip: &Tip) -> Option<bool> {
        let files = history.incoming_files(tip).ok()?;
        let paths: Vec<RepoPath> = files.iter().map(|file| file.path.clone()).collect();
        let indexed = self.engine.are_indexed(&paths).ok()?;
        // What is not in the index although it is there was left out of it, and will be again.
        let wanted = files.iter().zip(indexed).filter(|(file, indexed)| *indexed || !file.replaces);
        let mut bytes = 0;
        for (file, _) in wanted.take(MOST_FILES) {
            if self.has_other_work() {
                ahead.keep();
                return Some(false);
            }
            // One that is not here, as in a clone that fetches files when git needs them, is left to the switch.
            let Ok(content) = history.read(file) else { continue };
            bytes += content.len();
            if bytes > MOST_BYTES {
                break;
            }
            ahead.read(&file.path, content.to_vec());
        }
        ahead.keep_whole(tip.id());
        Some(true)
    }

    fn has_other_work(&self) -> bool {
        let mut state = self.state();
        state.drain();
        self.stop.is_cancelled() || !state.dirty.is_empty() || !state.working.is_empty()
    }
}

/// Leaves the machine to whoever else wants it.
#[cfg(target_os = "linux")]
fn give_way() {
    // Where that is refused, it reads with the same right as the rest.
    let _ = rustix::process::nice(10);
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}
