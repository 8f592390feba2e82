//! Decides when a command starts a daemon, so that later commands need no full scan.

use crate::watch_limits::probe;
use crate::watcher_process;
use orient_engine::Engine;
use orient_safefs::{Access, Directory};
use std::io;
use std::time::{Duration, SystemTime};

/// The file whose modification time says when a daemon was last started.
const SPAWN_FILE: &str = "watcher.called";
/// Minimum time between two starts: a daemon that cannot watch, or that the user ended, must not come back at once.
const MIN_INTERVAL: Duration = Duration::from_mins(10);

/// Whether to start a daemon: the tree can be watched, nobody watches it, and none was started recently. Records a start if so.
pub fn should_spawn_daemon(engine: &Engine) -> bool {
    probe(engine.root()).is_none()
        && watcher_process(engine).is_none()
        && engine.own_directory().is_ok_and(|directory| is_due(&directory).unwrap_or(false))
}

fn is_due(directory: &Directory) -> io::Result<bool> {
    let now = SystemTime::now();
    let last = directory.entry(SPAWN_FILE).and_then(|entry| entry.modified);
    // A time in the future comes from a clock that was set back: it does not count.
    if last.is_some_and(|last| now.duration_since(last).is_ok_and(|since| since < MIN_INTERVAL)) {
        return Ok(false);
    }
    directory.file(SPAWN_FILE, Access::Write)?.set_modified(now)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_starts_at_most_once_per_interval() {
        let temporary = tempfile::tempdir().expect("a temporary directory");
        let directory = Directory::open(temporary.path()).expect("it is ours");
        let due = || is_due(&directory).expect("it can be written");
        assert!(due(), "never before");
        assert!(!due(), "just now");
        let set_last = |at| {
            let file = directory.file(SPAWN_FILE, Access::Write).expect("it is there");
            file.set_modified(at).expect("set");
        };
        set_last(SystemTime::now() - MIN_INTERVAL);
        assert!(due(), "long ago");
        set_last(SystemTime::now() + MIN_INTERVAL);
        assert!(due(), "the clock was set back");
        temporary.close().expect("removed");
        assert!(is_due(&directory).is_err(), "a start cannot be recorded");
    }
}
