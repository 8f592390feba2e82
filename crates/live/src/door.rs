//! Where commands that come and go ask a watcher whether the index is right, in place of a look at all files.
//!
//! The door is a socket in the tree's own folder of the store: who may write there could spoil the index itself. The newest
//! watcher of a tree has it. Whoever asks says what it would make of the tree; a watcher with other settings, another
//! version, or another view of the file system is of no use and says so. While it works on an answer it gives signs of life
//! (`ALIVE`), so that nobody waits for one that was stopped; how it is asked stands in `neighbour.rs`.

use crate::keeper::Shared;
use crate::neighbour::NOTE;
use orient_engine::{Depth, Refresh, RefreshOptions};
use orient_safefs::{Access, Directory};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// The name of the socket. Another protocol has another name.
pub(crate) const NAME: &str = "watcher.socket";
/// The file that holds the number of the watcher's process.
const PROCESS: &str = "watcher.process";
/// How long either side waits for the other to say what it has ready.
pub(crate) const PROMPT: Duration = Duration::from_millis(500);
/// How long a question may take where there is something to catch up with. Beyond that the asker looks for itself.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// A view of a tree, as [`Engine::view`] gives it, and what is asked of whoever has the same.
pub(crate) const ASKED: usize = 33;
/// Asks whether what is in the files is right.
pub(crate) const FACTS: u8 = 0;
/// Asks whether what uses mean is right too.
pub(crate) const GRAPH: u8 = 1;
/// Asks who is there. The answer is the number of the process.
pub(crate) const WHO: u8 = 2;

/// A sign of life; any number of them comes before an answer.
pub(crate) const ALIVE: u8 = 0;
/// What comes next is the answer.
pub(crate) const ANSWER: u8 = 1;
/// How often a sign of life is given.
const BEAT: Duration = Duration::from_millis(40);
/// How many are answered at once; others look for themselves.
const MOST: usize = 32;

/// What a watcher vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The generation that is right about every file.
    pub(crate) generation: u64,
    /// The number of the file it is in.
    pub(crate) file: u64,
    /// Whether what it remembers of the tree as a whole is right too.
    pub(crate) remembered: bool,
}

impl Word {
    const LENGTH: usize = 17;

    fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&self.generation.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.file.to_le_bytes());
        bytes[16] = u8::from(self.remembered);
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        let number =
            |at: usize| bytes[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Self { generation: number(0), file: number(8), remembered: bytes[16] != 0 }
    }
}

/// An open door; closed when dropped.
pub(crate) struct Door {
    folder: Directory,
    file: (u64, u64),
    /// When somebody last asked whom we could help.
    asked: Arc<Mutex<Instant>>,
    /// Dropped to end.
    end: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Door {
    /// Opens the door of a tree; none where that is not possible, which costs others time and nothing else.
    pub(crate) fn open(shared: &Arc<Shared>) -> Option<Self> {
        let folder = shared.engine.own_folder().ok()?;
        let (listener, file) = listen(&folder).ok()?;
        let (end, ended) = UnixStream::pair().ok()?;
        let shared = shared.clone();
        let asked = Arc::new(Mutex::new(Instant::now()));
        let at = asked.clone();
        let own = folder.clone();
        let serve = move || serve(&shared, &listener, &ended, &own, &at);
        let thread = std::thread::Builder::new().name("door".to_owned()).spawn(serve).ok();
        Some(Self { folder, file, asked, end: Some(end), thread })
    }

    /// For how long nobody has asked; none where a newer watcher has the door, or it is gone.
    pub(crate) fn unasked(&self) -> Option<Duration> {
        self.is_ours().then(|| self.asked.lock().unwrap_or_else(PoisonError::into_inner).elapsed())
    }

    fn is_ours(&self) -> bool {
        self.folder.entry(NAME).is_some_and(|socket| socket.id == self.file)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if self.is_ours() {
            let _ = self.folder.remove(NAME);
        }
    }
}

/// One who asked, until it has its answer.
struct Visit {
    stream: Arc<Mutex<UnixStream>>,
    thread: JoinHandle<()>,
}

/// Takes in whoever asks, one thread each, and shows those who wait that we are alive.
fn serve(
    shared: &Arc<Shared>,
    listener: &UnixListener,
    ended: &UnixStream,
    folder: &Directory,
    asked: &Arc<Mutex<Instant>>,
) {
    let mut visits: Vec<Visit> = Vec::new();
    while let Some(knocked) = wait(listener, ended, (!visits.is_empty()).then_some(BEAT)) {
        visits.retain(|visit| !visit.thread.is_finished());
        for visit in &visits {
            show_life(&visit.stream);
        }
        if !knocked {
            continue;
        }
        let Ok((stream, _)) = listener.accept() else { continue };
        // The order counts: who noted our silence before this sign is forgotten below, who does so after it has seen it.
        let _ = (&stream).write_all(&[ALIVE]);
        let _ = folder.remove(NOTE);
        // Who hears nothing looks for itself.
        if visits.len() < MOST {
            visits.extend(visit(shared, stream, asked));
        }
    }
    for visit in visits {
        let _ = visit.thread.join();
    }
}

fn visit(shared: &Arc<Shared>, stream: UnixStream, asked: &Arc<Mutex<Instant>>) -> Option<Visit> {
    let reading = stream.try_clone().ok()?;
    let stream = Arc::new(Mutex::new(stream));
    let (shared, asked, speaking) = (shared.clone(), asked.clone(), stream.clone());
    let answer = move || {
        if let Ok(true) = answer(&shared, reading, &speaking) {
            *asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
    };
    let thread = std::thread::Builder::new().name("visit".to_owned()).spawn(answer).ok()?;
    Some(Visit { stream, thread })
}

/// Says that we are alive, unless the answer is on its way.
fn show_life(stream: &Mutex<UnixStream>) {
    if let Ok(stream) = stream.try_lock() {
        let flags = rustix::net::SendFlags::DONTWAIT | rustix::net::SendFlags::NOSIGNAL;
        let _ = rustix::net::send(&*stream, &[ALIVE], flags);
    }
}

/// Tells a socket from any that took its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    file: u64,
    /// When it was made, in nanoseconds.
    made: u128,
}

impl Key {
    /// The key of the socket of a folder; none where there is none. A link would let somebody else answer.
    pub(crate) fn of(folder: &Directory) -> Option<Self> {
        let socket = folder.entry(NAME).filter(|entry| entry.is_socket)?;
        let made = socket.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
        Some(Self { file: socket.id.1, made })
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let file = words.next()?.parse().ok()?;
        Some(Self { file, made: words.next()?.parse().ok()? })
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} {}", self.file, self.made)
    }
}

/// The process that opened the door of a folder last, as far as it says.
pub(crate) fn process_of(folder: &Directory) -> Option<u32> {
    str::from_utf8(&folder.read(PROCESS, 16).ok()??).ok()?.trim().parse().ok()
}

/// Puts a new socket in the place of any that was there; whoever asks finds one or the other.
fn listen(folder: &Directory) -> io::Result<(UnixListener, (u64, u64))> {
    let new = format!("{NAME}.{}", std::process::id());
    let _ = folder.remove(&new);
    let name = short(folder, &new)?;
    let listener = UnixListener::bind(&name)?;
    // Nobody else can enter the folder, whatever mode the socket began with.
    std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o600))?;
    let file = folder.entry(&new).ok_or(io::ErrorKind::NotFound)?.id;
    sign(folder)?;
    folder.rename(&new, NAME)?;
    let _ = folder.remove(NOTE);
    Ok((listener, file))
}

/// Says whose the door is about to be.
fn sign(folder: &Directory) -> io::Result<()> {
    let new = format!("{PROCESS}.{}", std::process::id());
    let _ = folder.remove(&new);
    folder.file(&new, Access::Create)?.write_all(format!("{}\n", std::process::id()).as_bytes())?;
    folder.rename(&new, PROCESS)
}

/// A name through the descriptor of the folder: it leads through no link, and it is short, since the name of a socket has
/// little room.
pub(crate) fn short(folder: &Directory, name: &str) -> io::Result<PathBuf> {
    folder.descriptor_path(name).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

/// Waits until somebody knocks, or for a while; says whether somebody did, and nothing when we are to end.
fn wait(listener: &UnixListener, ended: &UnixStream, most: Option<Duration>) -> Option<bool> {
    let timeout = most
        .map(|most| Timespec { tv_sec: most.as_secs().cast_signed(), tv_nsec: most.subsec_nanos().into() });
    let mut ends = [PollFd::new(listener, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
    while let Err(errno) = poll(&mut ends, timeout.as_ref()) {
        if errno != rustix::io::Errno::INTR {
            return None;
        }
    }
    ends[1].revents().is_empty().then(|| !ends[0].revents().is_empty())
}

/// Answers one question, and says whether it came from one whom we could help.
fn answer(shared: &Shared, mut stream: UnixStream, speaking: &Mutex<UnixStream>) -> io::Result<bool> {
    stream.set_read_timeout(Some(PROMPT))?;
    stream.set_write_timeout(Some(PROMPT))?;
    let say = |answer: &[u8]| {
        let mut stream = speaking.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(&[&[ANSWER], answer].concat())
    };
    let mut asked = [0; ASKED];
    stream.read_exact(&mut asked)?;
    let (view, question) = (&asked[..ASKED - 1], asked[ASKED - 1]);
    if shared.engine.view().is_none_or(|ours| ours != view) {
        return Ok(false);
    }
    let depth = match question {
        WHO => {
            say(&std::process::id().to_le_bytes())?;
            return Ok(false);
        }
        GRAPH => Depth::Graph,
        _ => Depth::Facts,
    };
    if let Some(word) = vouch(shared, depth) {
        say(&word.to_bytes())?;
    }
    Ok(true)
}

/// What can be said after every notice was read, and what they tell of was caught up with.
fn vouch(shared: &Shared, depth: Depth) -> Option<Word> {
    let cancel = shared.stop.clone();
    let options = RefreshOptions { depth, cancel, wait: Some(PATIENCE), ..RefreshOptions::default() };
    if shared.state().is_blind() {
        return None;
    }
    let refresh = shared.caught_up(&options, &orient_engine::Silent).ok()?;
    let right = refresh.pending.is_empty() && !refresh.busy && !refresh.in_memory;
    let Refresh { generation, remembered, .. } = refresh;
    right.then(|| Word { generation, file: shared.file(), remembered })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_as_it_went() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join(NAME);
        let own = Directory::open(folder.path()).expect("it is ours");
        assert_eq!(Key::of(&own), None);
        let _listener = UnixListener::bind(&socket).expect("a socket");
        let key = Key::of(&own).expect("it is there");
        assert_eq!(Key::parse(&key.to_string()), Some(key));
        assert_eq!(Key::parse("12 cut"), None);
    }

    #[test]
    fn a_word_comes_as_it_went() {
        for word in [
            Word { generation: 1, file: u64::MAX - 7, remembered: true },
            Word { generation: 0x0102_0304_0506_0708, file: 0, remembered: false },
        ] {
            assert_eq!(Word::from_bytes(word.to_bytes()), word);
        }
    }
}
