//! The watcher's side of the socket: accepts commands, sends heartbeats, and replies whether the index is up to date.

use super::protocol::{
    ASK_COMMAND, ASK_GRAPH, ASK_PROCESS, ASK_STOP, FreshnessReply, HEARTBEAT, HEARTBEAT_INTERVAL, IO_TIMEOUT,
    MAX_MESSAGE, PROCESS_FILE, REFRESH_TIMEOUT, REPLY, REQUEST_LENGTH, SOCKET, UNRESPONSIVE_FILE, framed,
    socket_path,
};
use crate::watcher::WatcherCore;
use orient_engine::{RefreshDepth, RefreshOptions, RefreshReport};
use orient_safefs::{Access, Directory};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum number of open connections. Further clients get no reply and do a full scan.
const MAX_CONNECTIONS: usize = 32;

/// A listening socket and the thread that serves it. Dropping it closes the socket.
pub(crate) struct IpcServer {
    directory: Directory,
    /// Device and inode of our socket.
    socket: (u64, u64),
    /// When a client with our view of the tree last sent a request.
    last_request: Arc<Mutex<Instant>>,
    /// Dropped to stop the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl IpcServer {
    /// Listens on the socket of a tree. Without a socket, commands do a full scan, which is slower and nothing else.
    pub(crate) fn open(core: &Arc<WatcherCore>) -> Option<Self> {
        let directory = core.engine.own_directory().ok()?;
        let (listener, socket) = listen(&directory).ok()?;
        let (stop, stopped) = UnixStream::pair().ok()?;
        let core = core.clone();
        let last_request = Arc::new(Mutex::new(Instant::now()));
        let noted = last_request.clone();
        let own = directory.clone();
        let serve = move || serve(&core, &listener, &stopped, &own, &noted);
        let thread = std::thread::Builder::new().name("ipc".to_owned()).spawn(serve).ok();
        Some(Self { directory, socket, last_request, stop: Some(stop), thread })
    }

    /// Time since the last request; none if a newer watcher has replaced our socket, or it is gone.
    pub(crate) fn idle_time(&self) -> Option<Duration> {
        self.is_ours().then(|| self.last_request.lock().unwrap_or_else(PoisonError::into_inner).elapsed())
    }

    fn is_ours(&self) -> bool {
        self.directory.entry(SOCKET).is_some_and(|socket| socket.id == self.socket)
    }
}

impl Drop for IpcServer {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if self.is_ours() {
            let _ = self.directory.remove(SOCKET);
        }
    }
}

/// A client that waits for its reply.
struct Connection {
    stream: Arc<Mutex<UnixStream>>,
    thread: JoinHandle<()>,
}

/// Accepts clients, one thread each, and sends heartbeats to those that wait.
fn serve(
    core: &Arc<WatcherCore>,
    listener: &UnixListener,
    stopped: &UnixStream,
    directory: &Directory,
    last_request: &Arc<Mutex<Instant>>,
) {
    let mut connections: Vec<Connection> = Vec::new();
    while let Some(has_client) =
        wait(listener, stopped, (!connections.is_empty()).then_some(HEARTBEAT_INTERVAL))
    {
        connections.retain(|connection| !connection.thread.is_finished());
        for connection in &connections {
            send_heartbeat(&connection.stream);
        }
        if !has_client {
            continue;
        }
        let Ok((stream, _)) = listener.accept() else { continue };
        // The order matters. A client that marked us unresponsive before this heartbeat loses its mark on the next line; one
        // that does so later has received the heartbeat, and removes the mark itself.
        let _ = (&stream).write_all(&[HEARTBEAT]);
        let _ = directory.remove(UNRESPONSIVE_FILE);
        // Dropping the stream tells the client to do a full scan.
        if connections.len() < MAX_CONNECTIONS {
            connections.extend(handle(core, stream, last_request));
        }
    }
    for connection in connections {
        let _ = connection.thread.join();
    }
}

/// Starts a thread that replies to one client.
fn handle(
    core: &Arc<WatcherCore>,
    stream: UnixStream,
    last_request: &Arc<Mutex<Instant>>,
) -> Option<Connection> {
    let reading = stream.try_clone().ok()?;
    let stream = Arc::new(Mutex::new(stream));
    let (core, last_request, writing) = (core.clone(), last_request.clone(), stream.clone());
    let work = move || {
        if let Ok(true) = reply(&core, reading, &writing) {
            *last_request.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
    };
    let thread = std::thread::Builder::new().name("ipc reply".to_owned()).spawn(work).ok()?;
    Some(Connection { stream, thread })
}

/// Sends a heartbeat, unless the reply is being written.
fn send_heartbeat(stream: &Mutex<UnixStream>) {
    if let Ok(stream) = stream.try_lock() {
        let flags = rustix::net::SendFlags::DONTWAIT | rustix::net::SendFlags::NOSIGNAL;
        let _ = rustix::net::send(&*stream, &[HEARTBEAT], flags);
    }
}

/// Replaces the socket of the directory atomically: a client connects to the old watcher or to the new one.
fn listen(directory: &Directory) -> io::Result<(UnixListener, (u64, u64))> {
    let new = format!("{SOCKET}.{}", std::process::id());
    let _ = directory.remove(&new);
    let path = socket_path(directory, &new)?;
    let listener = UnixListener::bind(&path)?;
    // The directory is private, so nobody else can connect before the mode is set.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    let id = directory.entry(&new).ok_or(io::ErrorKind::NotFound)?.id;
    record_process(directory)?;
    directory.rename(&new, SOCKET)?;
    let _ = directory.remove(UNRESPONSIVE_FILE);
    Ok((listener, id))
}

/// Records our process ID beside the socket.
fn record_process(directory: &Directory) -> io::Result<()> {
    let new = format!("{PROCESS_FILE}.{}", std::process::id());
    let _ = directory.remove(&new);
    directory.file(&new, Access::Create)?.write_all(format!("{}\n", std::process::id()).as_bytes())?;
    directory.rename(&new, PROCESS_FILE)
}

/// Waits for a client or for the timeout; returns whether there is a client, or nothing if the server stops.
fn wait(listener: &UnixListener, stopped: &UnixStream, timeout: Option<Duration>) -> Option<bool> {
    let timeout = timeout
        .map(|time| Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() });
    let mut fds = [PollFd::new(listener, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
    while let Err(errno) = poll(&mut fds, timeout.as_ref()) {
        if errno != rustix::io::Errno::INTR {
            return None;
        }
    }
    fds[1].revents().is_empty().then(|| !fds[0].revents().is_empty())
}

/// Replies to one request; returns whether it asked about the index and came from a client with our view of the tree.
fn reply(core: &WatcherCore, mut stream: UnixStream, writing: &Mutex<UnixStream>) -> io::Result<bool> {
    stream.set_read_timeout(Some(IO_TIMEOUT))?;
    stream.set_write_timeout(Some(IO_TIMEOUT))?;
    let send = |reply: &[u8]| {
        let mut stream = writing.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(&[&[REPLY], reply].concat())
    };
    let mut request = [0; REQUEST_LENGTH];
    stream.read_exact(&mut request)?;
    let (view, question) = (&request[..REQUEST_LENGTH - 1], request[REQUEST_LENGTH - 1]);
    if core.engine.view_hash().is_none_or(|ours| ours != view) {
        return Ok(false);
    }
    let depth = match question {
        ASK_PROCESS => {
            send(&std::process::id().to_le_bytes())?;
            return Ok(false);
        }
        ASK_STOP => {
            send(&[u8::from(core.request_stop())])?;
            return Ok(false);
        }
        ASK_COMMAND => {
            let answer = core.commands.get().zip(read_message(&mut stream)?);
            let answer = answer.and_then(|(answer, command)| answer(&command));
            if let Some(answer) = answer.and_then(|answer| framed(&answer)) {
                send(&answer)?;
            }
            return Ok(true);
        }
        ASK_GRAPH => RefreshDepth::Graph,
        _ => RefreshDepth::Facts,
    };
    if let Some(reply) = freshness(core, depth) {
        send(&reply.to_bytes())?;
    }
    Ok(true)
}

/// Reads a framed message; none if it is too long.
fn read_message(stream: &mut UnixStream) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_MESSAGE {
        return Ok(None);
    }
    let mut message = Vec::new();
    stream.take(length as u64).read_to_end(&mut message)?;
    Ok((message.len() == length).then_some(message))
}

/// Reads all change notifications, refreshes the index, and returns the generation that is then up to date.
fn freshness(core: &WatcherCore, depth: RefreshDepth) -> Option<FreshnessReply> {
    let cancel = core.stop.clone();
    let options = RefreshOptions { depth, cancel, wait: Some(REFRESH_TIMEOUT), ..RefreshOptions::default() };
    if core.state().misses_events() {
        return None;
    }
    let refresh = core.catch_up(&options, &orient_engine::NoProgress).ok()?;
    let is_fresh = refresh.pending.is_empty() && !refresh.busy && !refresh.in_memory;
    let RefreshReport { generation, manifest_current, .. } = refresh;
    is_fresh.then(|| FreshnessReply { generation, index_inode: core.index_inode(), manifest_current })
}
