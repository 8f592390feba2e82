//! When a command should leave a watcher behind, so that the next need not look at all files.

use crate::limits::probe;
use crate::watched_by;
use orient_engine::Engine;
use orient_safefs::{Access, Directory};
use std::io;
use std::time::{Duration, SystemTime};

/// The file whose time says when a watcher was last called for.
const NAME: &str = "watcher.called";
/// For so long none is called for again: one that could not watch, or was ended by the user, is not to come back at once.
const AGAIN: Duration = Duration::from_mins(10);

/// Whether to start a watcher for the commands to come: the tree can be watched, nobody does, and none was called for
/// lately. Notes that one is called for now.
pub fn calls_for_watcher(engine: &Engine) -> bool {
    probe(engine.root()).is_none()
        && watched_by(engine).is_none()
        && engine.own_folder().is_ok_and(|folder| is_due(&folder).unwrap_or(false))
}

fn is_due(folder: &Directory) -> io::Result<bool> {
    let now = SystemTime::now();
    let called = folder.entry(NAME).and_then(|called| called.modified);
    // A time to come is no time at which one was called for.
    if called.is_some_and(|called| now.duration_since(called).is_ok_and(|since| since < AGAIN)) {
        return Ok(false);
    }
    folder.file(NAME, Access::Write)?.set_modified(now)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_is_called_for_once_in_a_while() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = Directory::open(temporary.path()).expect("it is ours");
        let due = || is_due(&folder).expect("it can be written");
        assert!(due(), "never before");
        assert!(!due(), "just now");
        let called = |at| {
            let file = folder.file(NAME, Access::Write).expect("it is there");
            file.set_modified(at).expect("set");
        };
        called(SystemTime::now() - AGAIN);
        assert!(due(), "long ago");
        called(SystemTime::now() + AGAIN);
        assert!(due(), "the clock was set back");
        temporary.close().expect("removed");
        assert!(is_due(&folder).is_err(), "nothing can be noted");
    }
}
