//! Keeps the index of a tree up to date while its files change: a watcher, and a way for other processes to ask it.
//!
//! The kernel queues a change notification before the system call that made the change returns. A process that has read the
//! queue to its end has therefore seen every earlier change, and knows without a look at the files whether the index is up to
//! date. Where this guarantee does not hold (another operating system, a network file system, an exhausted limit), every
//! query does a full scan instead. It knows neither queries nor answers: a command that is sent to
//! the watcher is bytes to it.

mod background;
mod background_progress;
mod catch_up;
mod daemon_spawn;
mod dirty_paths;
mod facts_ready;
#[cfg_attr(target_os = "linux", path = "ipc/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "ipc/unsupported.rs")]
mod ipc;
mod prefetch;
mod refresh_lock;
#[cfg_attr(target_os = "linux", path = "watch/inotify.rs")]
#[cfg_attr(not(target_os = "linux"), path = "watch/unsupported.rs")]
mod watch;
mod watch_limits;
mod watch_state;
mod watcher;

pub use daemon_spawn::should_spawn_daemon;
pub use ipc::{WatcherClient, forward_command, stop_daemon, unresponsive_watcher, watcher_process};
pub use prefetch::lower_priority;
pub use watch_limits::{Unwatchable, WatchLimits, probe};
pub use watcher::{BackgroundRefresh, CommandHandler, RefreshListener, WatchOptions, Watcher};
