//! The command's side of the socket: asks the watcher for the answer, or whether the index is up to date, and does a full scan
//! otherwise. A watcher that gives no sign of life is marked unresponsive, so that only the first command waits for it.

use super::protocol::{
    self, ASK_COMMAND, ASK_FACTS, ASK_GRAPH, ASK_PROCESS, ASK_STOP, COMMAND_TIMEOUT, FreshnessReply,
    HEARTBEAT, IO_TIMEOUT, MAX_MESSAGE, REFRESH_TIMEOUT, REQUEST_LENGTH, SOCKET, SocketIdentity,
    UNRESPONSIVE_FILE, framed, framed_length,
};
use orient_engine::{
    Engine, EngineError, Freshness, ProcessStatus, Progress, RefreshDepth, RefreshMode, RefreshOptions,
    RefreshReport,
};
use orient_safefs::{Access, Directory};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// A watcher that sends no heartbeat for this long is unresponsive if its process does not use the CPU either.
const SILENCE_TIMEOUT: Duration = Duration::from_millis(150);
/// A watcher that sends no heartbeat for this long is unresponsive even if its process uses the CPU.
const STARVATION_TIMEOUT: Duration = Duration::from_secs(2);

/// Asks the watcher of a tree if there is one, and does a full scan otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatcherClient;

impl Freshness for WatcherClient {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<RefreshReport, EngineError> {
        match ask(engine, options.depth).filter(|_| options.mode == RefreshMode::CatchUp) {
            Some(refresh) => Ok(refresh),
            None => engine.refresh(options, progress),
        }
    }
}

fn ask(engine: &Engine, depth: RefreshDepth) -> Option<RefreshReport> {
    let question = if depth == RefreshDepth::Graph { ASK_GRAPH } else { ASK_FACTS };
    let reply = request_fixed(engine, question, REFRESH_TIMEOUT + IO_TIMEOUT)?;
    let FreshnessReply { generation, index_inode, manifest_current } = FreshnessReply::from_bytes(reply);
    // The watcher must mean the index that we read.
    let is_our_index =
        engine.store_paths().index().metadata().is_ok_and(|metadata| metadata.ino() == index_inode);
    let has_generation = engine.generation().is_some_and(|ours| ours >= generation);
    // A later generation has its own tree manifest.
    let manifest_current = manifest_current && engine.generation() == Some(generation);
    (is_our_index && has_generation).then(|| RefreshReport {
        generation,
        manifest_current,
        ..RefreshReport::default()
    })
}

/// The process ID of the watcher that commands about this tree can ask; none if there is no watcher, or none that sees the tree
/// as this engine does.
pub fn watcher_process(engine: &Engine) -> Option<u32> {
    request_fixed(engine, ASK_PROCESS, IO_TIMEOUT).map(u32::from_le_bytes)
}

/// The answer of the watcher of this tree to a command; none if there is no watcher, or it does not answer this command.
///
/// The command is encoded only once a watcher has accepted the connection.
pub fn forward_command(engine: &Engine, command: impl FnOnce() -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let length = |bytes: &[u8]| framed_length(bytes).filter(|length| *length <= 4 + MAX_MESSAGE);
    let details = || framed(&command()?);
    let mut reply = request(engine, ASK_COMMAND, details, COMMAND_TIMEOUT, length)?;
    reply.drain(..4);
    Some(reply)
}

/// Asks the daemon of this tree to stop; returns whether it will, and none if there is no watcher. A server does not stop.
pub fn stop_daemon(engine: &Engine) -> Option<bool> {
    request_fixed(engine, ASK_STOP, IO_TIMEOUT).map(|[stops]: [u8; 1]| stops == 1)
}

/// The process ID of a watcher of this tree that did not respond to the last request.
pub fn unresponsive_watcher(engine: &Engine) -> Option<u32> {
    let directory = Directory::open(&engine.store_paths().tree).ok()?;
    let socket = SocketIdentity::of(&directory)?;
    (unresponsive_socket(&directory).as_ref() == Some(&socket))
        .then(|| protocol::recorded_process(&directory))?
}

/// Sends a request whose reply has a fixed length.
fn request_fixed<const LENGTH: usize>(
    engine: &Engine,
    question: u8,
    timeout: Duration,
) -> Option<[u8; LENGTH]> {
    request(engine, question, || Some(Vec::new()), timeout, |_| Some(LENGTH))?.try_into().ok()
}

/// Sends a request to the watcher of a tree and waits for the reply, whose beginning tells its length.
fn request(
    engine: &Engine,
    question: u8,
    details: impl FnOnce() -> Option<Vec<u8>>,
    timeout: Duration,
    length: impl Fn(&[u8]) -> Option<usize>,
) -> Option<Vec<u8>> {
    let directory = &Directory::open(&engine.store_paths().tree).ok()?;
    let socket = SocketIdentity::of(directory)?;
    if unresponsive_socket(directory).as_ref() == Some(&socket) {
        return None;
    }
    let mut request = [question; REQUEST_LENGTH];
    request[..REQUEST_LENGTH - 1].copy_from_slice(&engine.view_hash()?);
    let mut stream = match connect(directory) {
        Ok(stream) => stream,
        Err(error) => {
            // The backlog is full: the watcher accepts nobody.
            if error.kind() == io::ErrorKind::WouldBlock {
                mark_unresponsive(directory, &socket);
            }
            return None;
        }
    };
    stream.write_all(&[&request[..], &details()?].concat()).ok()?;
    let process = || protocol::recorded_process(directory).and_then(ProcessStatus::read);
    match receive(&mut stream, timeout, process, length) {
        Received::Reply(reply) => Some(reply),
        Received::Declined => None,
        Received::Silence => {
            mark_unresponsive(directory, &socket);
            // A heartbeat may have arrived before the watcher could see the mark: then it does not remove it.
            if is_readable(&stream, Duration::ZERO) {
                let _ = directory.remove(UNRESPONSIVE_FILE);
            }
            None
        }
    }
}

/// The outcome of a request.
#[derive(Debug, PartialEq, Eq)]
enum Received {
    Reply(Vec<u8>),
    /// The watcher is alive, but closed the connection or was too slow.
    Declined,
    /// The watcher gave no sign of life.
    Silence,
}

/// Reads heartbeats until the reply arrives.
fn receive(
    stream: &mut UnixStream,
    timeout: Duration,
    process: impl Fn() -> Option<ProcessStatus>,
    length: impl Fn(&[u8]) -> Option<usize>,
) -> Received {
    let begun = Instant::now();
    let (mut last_read, before) = (begun, process());
    let mut received = Vec::new();
    let mut bytes = vec![0; 1 << 16];
    loop {
        if begun.elapsed() > timeout {
            return Received::Declined;
        }
        if before.is_some_and(ProcessStatus::is_stopped)
            && last_read == begun
            && !is_readable(stream, Duration::ZERO)
        {
            return Received::Silence;
        }
        if !is_readable(stream, SILENCE_TIMEOUT.saturating_sub(last_read.elapsed())) {
            let works = matches!((before, process()), (Some(before), Some(now)) if now.works_since(before));
            if last_read.elapsed() >= STARVATION_TIMEOUT || !works {
                return Received::Silence;
            }
            std::thread::sleep(SILENCE_TIMEOUT / 10);
            continue;
        }
        match stream.read(&mut bytes) {
            Ok(0) => return Received::Declined,
            Ok(count) => received.extend_from_slice(&bytes[..count]),
            Err(error) if is_transient(&error) => continue,
            Err(_) => return Received::Declined,
        }
        last_read = Instant::now();
        if received.first() == Some(&HEARTBEAT) {
            let heartbeats = received.iter().position(|byte| *byte != HEARTBEAT).unwrap_or(received.len());
            received.drain(..heartbeats);
        }
        let Some((_, reply)) = received.split_first() else { continue };
        if let Some(reply) = length(reply).and_then(|length| reply.get(..length)) {
            return Received::Reply(reply.to_vec());
        }
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Waits until there is something to read; returns whether there is.
fn is_readable(stream: &UnixStream, timeout: Duration) -> bool {
    let timeout =
        Timespec { tv_sec: timeout.as_secs().cast_signed(), tv_nsec: timeout.subsec_nanos().into() };
    let mut fds = [PollFd::new(stream, PollFlags::IN)];
    poll(&mut fds, Some(&timeout)).is_ok_and(|ready| ready > 0)
}

/// Connects without blocking: a stopped watcher accepts nobody.
fn connect(directory: &Directory) -> io::Result<UnixStream> {
    let path = protocol::socket_path(directory, SOCKET)?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(UnixStream::from(socket))
}

/// The socket of the watcher that is marked unresponsive, if any.
fn unresponsive_socket(directory: &Directory) -> Option<SocketIdentity> {
    SocketIdentity::parse(str::from_utf8(&directory.read(UNRESPONSIVE_FILE, 64).ok()??).ok()?)
}

/// Marks a watcher unresponsive. If this fails, the next command waits for it too.
fn mark_unresponsive(directory: &Directory, socket: &SocketIdentity) {
    let _ = directory.remove(UNRESPONSIVE_FILE);
    let _ = directory
        .file(UNRESPONSIVE_FILE, Access::Create)
        .and_then(|mut file| file.write_all(socket.to_string().as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::super::protocol::REPLY;
    use super::*;

    fn received(bytes: &[u8], then_closes: bool, timeout: Duration) -> Received {
        let (mut ours, mut theirs) = UnixStream::pair().expect("a pair");
        ours.set_nonblocking(true).expect("set");
        theirs.write_all(bytes).expect("there is room");
        let kept = (!then_closes).then_some(theirs);
        let received = receive(&mut ours, timeout, || None, |_| Some(2));
        drop(kept);
        received
    }

    #[test]
    fn heartbeats_precede_the_reply() {
        let long = Duration::from_secs(5);
        assert_eq!(received(&[HEARTBEAT, REPLY, 7, 0], false, long), Received::Reply(vec![7, 0]));
        assert_eq!(received(&[REPLY, 0, 9], false, long), Received::Reply(vec![0, 9]));
        assert_eq!(received(&[HEARTBEAT, HEARTBEAT], true, long), Received::Declined);
        assert_eq!(received(&[HEARTBEAT], false, Duration::ZERO), Received::Declined);
    }

    #[test]
    fn silence_ends_the_wait_before_the_timeout() {
        let begun = Instant::now();
        assert_eq!(received(&[], false, Duration::from_secs(5)), Received::Silence);
        assert_eq!(received(&[HEARTBEAT], false, Duration::from_secs(5)), Received::Silence);
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    }
}
