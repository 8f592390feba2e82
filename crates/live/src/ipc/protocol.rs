//! The messages between a command and the watcher of its tree: fixed-length frames over a Unix socket.
//!
//! A request is 33 bytes: 32 bytes that identify the client's view of the tree ([`Engine::view_hash`]), then one byte with the
//! question. The watcher declines a client with other settings, another version or another view of the file system by closing
//! the connection. A command, which the watcher answers instead of the client, follows the request. While it works on a reply it sends heartbeats, so that a client stops waiting for a stopped process. A
//! reply starts with [`REPLY`]; its length follows from the question. All numbers are little-endian.
//!
//! Example: a command asks whether edges are up to date, and the watcher takes 60 ms to refresh the index.
//!
//! ```text
//! client   view: 32 bytes, ASK_GRAPH = 1
//! watcher  00                       heartbeat, sent when it accepts the connection
//! watcher  00                       heartbeat, 40 ms later
//! watcher  01                       the reply follows
//!          07 00 00 00 00 00 00 00  generation 7 is up to date
//!          2a 00 00 00 00 00 00 00  and is in the index file with inode 42
//!          01                       the stored tree manifest is up to date too
//! ```
//!
//! [`Engine::view_hash`]: orient_engine::Engine::view_hash

use orient_safefs::Directory;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The name of the socket. An incompatible protocol needs another name.
pub(super) const SOCKET: &str = "watcher.socket";
/// The file that holds the process ID of the watcher.
pub(super) const PROCESS_FILE: &str = "watcher.process";
/// The file that marks the watcher as unresponsive. Clients create it; a watcher that is alive removes it.
pub(super) const UNRESPONSIVE_FILE: &str = "watcher.silent";
/// How long either side waits for data that the other has ready.
pub(super) const IO_TIMEOUT: Duration = Duration::from_millis(500);
/// How long a request may take that has to refresh the index first. After that the client does a full scan.
pub(super) const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);
/// The length of a request: the client's view of the tree, and the question.
pub(super) const REQUEST_LENGTH: usize = 33;

/// Asks whether the facts of all files are up to date.
pub(super) const ASK_FACTS: u8 = 0;
/// Asks whether the graph is up to date too.
pub(super) const ASK_GRAPH: u8 = 1;
/// Asks for the process ID of the watcher.
pub(super) const ASK_PROCESS: u8 = 2;

/// Asks for the answer to a command. Four bytes with its length and the command follow, and the reply has the same form. The
/// contents are the business of the program: a watcher that does not know them closes the connection.
pub(super) const ASK_COMMAND: u8 = 3;
/// Asks a daemon to stop. The reply is one byte: 1 if it will.
pub(super) const ASK_STOP: u8 = 4;
/// Maximum length of a command or an answer. Longer ones are left to the client.
pub(super) const MAX_MESSAGE: usize = 16 << 20;
/// How long a client waits for an answer while the watcher shows that it is alive.
pub(super) const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);

/// A sign of life; any number of them precedes a reply.
pub(super) const HEARTBEAT: u8 = 0;
/// Introduces a reply.
pub(super) const REPLY: u8 = 1;
/// Time between two heartbeats.
pub(super) const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(40);

/// The reply to [`ASK_FACTS`] and [`ASK_GRAPH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreshnessReply {
    /// The generation that is up to date with every file.
    pub(super) generation: u64,
    /// The inode of the index file that holds it.
    pub(super) index_inode: u64,
    /// Whether the stored tree manifest is up to date too.
    pub(super) manifest_current: bool,
}

impl FreshnessReply {
    const LENGTH: usize = 17;

    pub(super) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&self.generation.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.index_inode.to_le_bytes());
        bytes[16] = u8::from(self.manifest_current);
        bytes
    }

    pub(super) fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        let number =
            |at: usize| bytes[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Self { generation: number(0), index_inode: number(8), manifest_current: bytes[16] != 0 }
    }
}

/// A message with its length before it; none if it is too long.
pub(super) fn framed(message: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(message.len()).ok().filter(|_| message.len() <= MAX_MESSAGE)?;
    Some([&length.to_le_bytes(), message].concat())
}

/// The length of a framed message with its length, once the length has arrived.
pub(super) fn framed_length(bytes: &[u8]) -> Option<usize> {
    let length: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
    Some(4 + u32::from_le_bytes(length) as usize)
}

/// Distinguishes a socket from a later one with the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SocketIdentity {
    inode: u64,
    /// Creation time in nanoseconds since the epoch.
    created: u128,
}

impl SocketIdentity {
    /// The identity of the socket in a directory, if there is one. A symbolic link does not count: it could redirect the
    /// question to another process.
    pub(super) fn of(directory: &Directory) -> Option<Self> {
        let socket = directory.entry(SOCKET).filter(|entry| entry.is_socket)?;
        let created = socket.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
        Some(Self { inode: socket.id.1, created })
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let inode = words.next()?.parse().ok()?;
        Some(Self { inode, created: words.next()?.parse().ok()? })
    }
}

impl std::fmt::Display for SocketIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} {}", self.inode, self.created)
    }
}

/// The process ID that the newest watcher of a directory recorded.
pub(super) fn recorded_process(directory: &Directory) -> Option<u32> {
    str::from_utf8(&directory.read(PROCESS_FILE, 16).ok()??).ok()?.trim().parse().ok()
}

/// A path through the descriptor of the directory. It follows no symbolic link, and it is short: a socket address has room for
/// about 100 bytes only.
pub(super) fn socket_path(directory: &Directory, name: &str) -> io::Result<PathBuf> {
    directory.descriptor_path(name).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_socket_identity_survives_a_round_trip() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let socket = directory.path().join(SOCKET);
        let own = Directory::open(directory.path()).expect("it is ours");
        assert_eq!(SocketIdentity::of(&own), None);
        let _listener = UnixListener::bind(&socket).expect("a socket");
        let identity = SocketIdentity::of(&own).expect("the socket exists");
        assert_eq!(SocketIdentity::parse(&identity.to_string()), Some(identity));
        assert_eq!(SocketIdentity::parse("12 cut"), None);
    }

    #[test]
    fn a_freshness_reply_survives_a_round_trip() {
        for reply in [
            FreshnessReply { generation: 1, index_inode: u64::MAX - 7, manifest_current: true },
            FreshnessReply { generation: 0x0102_0304_0506_0708, index_inode: 0, manifest_current: false },
        ] {
            assert_eq!(FreshnessReply::from_bytes(reply.to_bytes()), reply);
        }
    }
}
