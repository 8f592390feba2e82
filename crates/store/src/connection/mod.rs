//! Opening databases: paths and descriptors, locks, SQLite's VFS, and the connection pool.

pub(crate) mod database;
pub(crate) mod database_path;
pub(crate) mod descriptors;
pub(crate) mod heartbeat;
pub(crate) mod keepalive;
pub(crate) mod open;
pub(crate) mod pool;
pub(crate) mod process_status;
pub(crate) mod vfs;
pub(crate) mod write_lock;
