//! Keeps the index of a tree fresh while its files change: a watcher that works ahead of the questions.
//!
//! The kernel queues the notice of a change before the call that made it returns. Whoever has read the queue to its end
//! has therefore seen every change made before, and knows without a look at the files whether the index is right. Where
//! that does not hold (another system, a network file system, limits reached) all files are compared for each question.
//! Knows neither questions nor answers.

mod activity;
mod ahead;
mod attend;
mod dirty;
#[cfg_attr(not(target_os = "linux"), path = "no_door.rs")]
mod door;
mod keeper;
mod known;
mod limits;
#[cfg(target_os = "linux")]
mod neighbour;
mod state;
mod summon;
mod turn;
#[cfg_attr(target_os = "linux", path = "inotify.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unwatched.rs")]
mod watch;

#[cfg(not(target_os = "linux"))]
pub use door::{Neighbour, silent_watcher, watched_by};
pub use keeper::{Live, LiveOptions, Seen, Watcher};
pub use limits::{Limits, Unwatchable, probe};
#[cfg(target_os = "linux")]
pub use neighbour::{Neighbour, silent_watcher, watched_by};
pub use summon::calls_for_watcher;
