//! Replaces the socket on systems where nothing is watched: there is nobody to ask, and every command does a full scan.

use crate::watcher::WatcherCore;
use orient_engine::Engine;
pub use orient_engine::FullScan as WatcherClient;
use std::sync::Arc;
use std::time::Duration;

/// A server that cannot exist.
pub(crate) enum IpcServer {}

impl IpcServer {
    pub(crate) fn open(_core: &Arc<WatcherCore>) -> Option<Self> {
        None
    }

    pub(crate) fn idle_time(&self) -> Option<Duration> {
        match *self {}
    }
}

/// Always none.
pub fn watcher_process(_engine: &Engine) -> Option<u32> {
    None
}

/// Always none.
pub fn unresponsive_watcher(_engine: &Engine) -> Option<u32> {
    None
}

/// Always none.
pub fn forward_command(_engine: &Engine, _command: impl FnOnce() -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    None
}

/// Always none.
pub fn stop_daemon(_engine: &Engine) -> Option<bool> {
    None
}
