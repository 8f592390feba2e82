//! How short-lived commands ask the watcher of a tree for an answer, or whether the index is up to date, instead of opening the index and
//! doing a full scan.
//!
//! The watcher listens on a Unix socket in the tree's own directory of the store: any process that can write there could corrupt the
//! index anyway. The newest watcher of a tree owns the socket. `protocol` defines the messages and has a worked example.

mod client;
mod protocol;
mod server;

pub use client::{WatcherClient, forward_command, stop_daemon, unresponsive_watcher, watcher_process};
pub(crate) use server::IpcServer;
