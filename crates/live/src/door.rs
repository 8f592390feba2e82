//! Where commands that come and go ask a watcher whether the index is right, in place of a look at all files.
//!
//! The door is a socket in the tree's own folder of the store: who may write there could spoil the index itself. The newest
//! watcher of a tree has it. Whoever asks says what it would make of the tree; a watcher with other settings, another
//! version, or another view of the file system is of no use and says so. Without an answer the asker looks for itself.

use crate::keeper::Shared;
use orient_engine::{Depth, Engine, EngineError, Keeper, Mode, Progress, Refresh, RefreshOptions};
use orient_safefs::Folder;
use rustix::event::{PollFd, PollFlags, poll};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The name of the socket.
const NAME: &str = "watcher";
/// How long either side waits for the other to say what it has ready.
const PROMPT: Duration = Duration::from_millis(500);
/// How long a question may take where there is something to catch up with. Beyond that the asker looks for itself.
const PATIENCE: Duration = Duration::from_secs(5);
/// A view of a tree, as [`Engine::view`] gives it, and what is asked of whoever has the same.
const ASKED: usize = 33;
/// Asks whether what is in the files is right.
const FACTS: u8 = 0;
/// Asks whether what uses mean is right too.
const GRAPH: u8 = 1;
/// Asks who is there. The answer is the number of the process.
const WHO: u8 = 2;

/// What a watcher vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    /// The generation that is right about every file.
    generation: u64,
    /// The number of the file it is in.
    file: u64,
    /// Whether what it remembers of the tree as a whole is right too.
    remembered: bool,
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

    fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        let number =
            |at: usize| bytes[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Self { generation: number(0), file: number(8), remembered: bytes[16] != 0 }
    }
}

/// An open door; closed when dropped.
pub(crate) struct Door {
    folder: Folder,
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
        let serve = move || {
            while wait(&listener, &ended) {
                if let Ok((stream, _)) = listener.accept() {
                    // Who hears nothing looks for itself.
                    if let Ok(true) = answer(&shared, stream) {
                        *at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    }
                }
            }
        };
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

/// Puts a new socket in the place of any that was there; whoever asks finds one or the other.
fn listen(folder: &Folder) -> io::Result<(UnixListener, (u64, u64))> {
    let new = format!("{NAME}.{}", std::process::id());
    let _ = folder.remove(&new);
    let name = short(folder, &new)?;
    let listener = UnixListener::bind(&name)?;
    // Nobody else can enter the folder, whatever mode the socket began with.
    std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o600))?;
    let file = folder.entry(&new).ok_or(io::ErrorKind::NotFound)?.id;
    folder.rename(&new, NAME)?;
    Ok((listener, file))
}

/// A name through the descriptor of the folder: it leads through no link, and it is short, since the name of a socket has
/// little room.
fn short(folder: &Folder, name: &str) -> io::Result<PathBuf> {
    folder.name_of(name).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

/// Waits until somebody knocks; says whether we go on.
fn wait(listener: &UnixListener, ended: &UnixStream) -> bool {
    let mut ends = [PollFd::new(listener, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
    while let Err(errno) = poll(&mut ends, None) {
        if errno != rustix::io::Errno::INTR {
            return false;
        }
    }
    ends[1].revents().is_empty()
}

/// Answers one question, and says whether it came from one whom we could help.
fn answer(shared: &Shared, mut stream: UnixStream) -> io::Result<bool> {
    stream.set_read_timeout(Some(PROMPT))?;
    stream.set_write_timeout(Some(PROMPT))?;
    let mut asked = [0; ASKED];
    stream.read_exact(&mut asked)?;
    let (view, question) = (&asked[..ASKED - 1], asked[ASKED - 1]);
    if shared.engine.view().is_none_or(|ours| ours != view) {
        return Ok(false);
    }
    let depth = match question {
        WHO => {
            stream.write_all(&std::process::id().to_le_bytes())?;
            return Ok(false);
        }
        GRAPH => Depth::Graph,
        _ => Depth::Facts,
    };
    if let Some(word) = vouch(shared, depth) {
        stream.write_all(&word.to_bytes())?;
    }
    Ok(true)
}

/// What can be said after every notice was read, and what they tell of was caught up with.
fn vouch(shared: &Shared, depth: Depth) -> Option<Word> {
    let options = RefreshOptions { depth, wait: Some(PATIENCE), ..RefreshOptions::default() };
    if shared.state().is_blind() {
        return None;
    }
    let refresh = shared.caught_up(&options, &orient_engine::Silent).ok()?;
    let right = refresh.pending.is_empty() && !refresh.busy && !refresh.in_memory;
    let Refresh { generation, remembered, .. } = refresh;
    right.then(|| Word { generation, file: shared.file(), remembered })
}

/// Asks the watcher of a tree where there is one, and else compares the files with the index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Neighbour;

impl Keeper for Neighbour {
    fn catch_up(
        &self,
        engine: &Engine,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError> {
        match ask(engine, options.depth).filter(|_| options.mode == Mode::CatchUp) {
            Some(refresh) => Ok(refresh),
            None => engine.refresh(options, progress),
        }
    }
}

fn ask(engine: &Engine, depth: Depth) -> Option<Refresh> {
    let question = if depth == Depth::Graph { GRAPH } else { FACTS };
    let heard = put(engine, question, PATIENCE + PROMPT)?;
    let Word { generation, file, remembered } = Word::from_bytes(heard);
    // The index it speaks of is the one we read from.
    let same = engine.place().index().metadata().is_ok_and(|metadata| metadata.ino() == file);
    let there = engine.generation().is_some_and(|ours| ours >= generation);
    // A later generation comes with another sheet.
    let remembered = remembered && engine.generation() == Some(generation);
    (same && there).then(|| Refresh { generation, remembered, ..Refresh::default() })
}

/// The process of the watcher that commands about this tree can ask; none where nobody is there, or nobody who sees the
/// tree as this engine does.
pub fn watched_by(engine: &Engine) -> Option<u32> {
    put(engine, WHO, PROMPT).map(u32::from_le_bytes)
}

/// Puts a question at the door of a tree.
fn put<const LENGTH: usize>(engine: &Engine, question: u8, patience: Duration) -> Option<[u8; LENGTH]> {
    let folder = Folder::open(&engine.place().tree).ok()?;
    // A link would let somebody else answer.
    folder.entry(NAME).filter(|socket| socket.is_socket)?;
    let mut stream = UnixStream::connect(short(&folder, NAME).ok()?).ok()?;
    stream.set_read_timeout(Some(patience)).ok()?;
    stream.set_write_timeout(Some(PROMPT)).ok()?;
    let mut asked = [question; ASKED];
    asked[..ASKED - 1].copy_from_slice(&engine.view()?);
    stream.write_all(&asked).ok()?;
    let mut heard = [0; LENGTH];
    stream.read_exact(&mut heard).ok()?;
    Some(heard)
}

#[cfg(test)]
mod tests {
    use super::*;

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
