//! When a command should leave a watcher behind, so that the next need not look at all files.

use crate::limits::probe;
use crate::watched_by;
use orient_engine::Engine;
use std::fs::File;
use std::io;
use std::path::Path;
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
        && engine.own_folder().is_ok_and(|folder| is_due(folder).unwrap_or(false))
}

fn is_due(folder: &Path) -> io::Result<bool> {
    let path = folder.join(NAME);
    let now = SystemTime::now();
    let called = path.metadata().and_then(|metadata| metadata.modified());
    // A time to come is no time at which one was called for.
    if called.is_ok_and(|called| now.duration_since(called).is_ok_and(|since| since < AGAIN)) {
        return Ok(false);
    }
    File::options().create(true).write(true).truncate(true).open(path)?.set_modified(now)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_is_called_for_once_in_a_while() {
        let folder = tempfile::tempdir().expect("a folder");
        let due = || is_due(folder.path()).expect("it can be written");
        assert!(due(), "never before");
        assert!(!due(), "just now");
        let called = |at| {
            let file = File::options().write(true).open(folder.path().join(NAME)).expect("it is there");
            file.set_modified(at).expect("set");
        };
        called(SystemTime::now() - AGAIN);
        assert!(due(), "long ago");
        called(SystemTime::now() + AGAIN);
        assert!(due(), "the clock was set back");
        assert!(is_due(&folder.path().join("gone")).is_err(), "nothing can be noted");
    }
}
