//! Asking the watcher of a tree whether the index is right. Where nobody answers in time, the command looks for itself; a
//! watcher that shows no sign of life is remembered, so that only the first command waits for it.

use crate::door::{self, Key, Word};
use orient_engine::{
    Depth, Engine, EngineError, Keeper, Mode, ProcessStatus, Progress, Refresh, RefreshOptions,
};
use orient_safefs::{Access, Directory};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// A watcher that has said nothing for so long shows no sign of life.
const SILENCE: Duration = Duration::from_millis(150);
/// Nor does one whose process was at work all the time: it may be short of processor time, but not for ever.
const STARVED: Duration = Duration::from_secs(2);
/// The file beside the socket that remembers a silent watcher. Who is asked again removes it.
pub(crate) const NOTE: &str = "watcher.silent";

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
    let question = if depth == Depth::Graph { door::GRAPH } else { door::FACTS };
    let heard = put(engine, question, door::PATIENCE + door::PROMPT)?;
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
    put(engine, door::WHO, door::PROMPT).map(u32::from_le_bytes)
}

/// The process of a watcher of this tree that did not answer when it was last asked.
pub fn silent_watcher(engine: &Engine) -> Option<u32> {
    let folder = Directory::open(&engine.place().tree).ok()?;
    let key = Key::of(&folder)?;
    (noted(&folder).as_ref() == Some(&key)).then(|| door::process_of(&folder))?
}

/// Puts a question at the door of a tree.
fn put<const LENGTH: usize>(engine: &Engine, question: u8, patience: Duration) -> Option<[u8; LENGTH]> {
    let folder = &Directory::open(&engine.place().tree).ok()?;
    let key = Key::of(folder)?;
    if noted(folder).as_ref() == Some(&key) {
        return None;
    }
    let mut asked = [question; door::ASKED];
    asked[..door::ASKED - 1].copy_from_slice(&engine.view()?);
    let mut stream = match connect(folder) {
        Ok(stream) => stream,
        Err(error) => {
            // So many wait to be heard that there is no room for one more.
            if error.kind() == io::ErrorKind::WouldBlock {
                note(folder, &key);
            }
            return None;
        }
    };
    stream.write_all(&asked).ok()?;
    let heard = listen(&mut stream, patience, || door::process_of(folder).and_then(ProcessStatus::read));
    if let Heard::Silence = heard {
        note(folder, &key);
        // It may have spoken before it could find the note: then it is ours to remove.
        if waited_for(&stream, Duration::ZERO) {
            let _ = folder.remove(NOTE);
        }
    }
    match heard {
        Heard::Answer(answer) => Some(answer),
        Heard::Nothing | Heard::Silence => None,
    }
}

/// What came back.
#[derive(Debug, PartialEq, Eq)]
enum Heard<const LENGTH: usize> {
    Answer([u8; LENGTH]),
    /// There is somebody, who has no answer for us, or none in time.
    Nothing,
    /// There is no sign of life.
    Silence,
}

/// Reads signs of life until an answer comes.
fn listen<const LENGTH: usize>(
    stream: &mut UnixStream,
    patience: Duration,
    process: impl Fn() -> Option<ProcessStatus>,
) -> Heard<LENGTH> {
    let begun = Instant::now();
    let (mut heard_at, before) = (begun, process());
    let mut heard = Vec::with_capacity(LENGTH + 1);
    loop {
        if begun.elapsed() > patience {
            return Heard::Nothing;
        }
        if before.is_some_and(ProcessStatus::is_stopped)
            && heard_at == begun
            && !waited_for(stream, Duration::ZERO)
        {
            return Heard::Silence;
        }
        if !waited_for(stream, SILENCE.saturating_sub(heard_at.elapsed())) {
            let works = matches!((before, process()), (Some(before), Some(now)) if now.works_since(before));
            if heard_at.elapsed() >= STARVED || !works {
                return Heard::Silence;
            }
            std::thread::sleep(SILENCE / 10);
            continue;
        }
        let mut bytes = [0; 64];
        match stream.read(&mut bytes) {
            Ok(0) => return Heard::Nothing,
            Ok(count) => heard.extend_from_slice(&bytes[..count]),
            Err(error) if is_passing(&error) => continue,
            Err(_) => return Heard::Nothing,
        }
        heard_at = Instant::now();
        let first = heard.iter().position(|byte| *byte != door::ALIVE).unwrap_or(heard.len());
        heard.drain(..first);
        if let Some(answer) = heard.get(1..=LENGTH).and_then(|answer| answer.try_into().ok()) {
            return Heard::Answer(answer);
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Waits until there is something to read; says whether there is.
fn waited_for(stream: &UnixStream, most: Duration) -> bool {
    let timeout = Timespec { tv_sec: most.as_secs().cast_signed(), tv_nsec: most.subsec_nanos().into() };
    let mut ends = [PollFd::new(stream, PollFlags::IN)];
    poll(&mut ends, Some(&timeout)).is_ok_and(|ready| ready > 0)
}

/// Connects without ever waiting: a watcher that was stopped does not take anybody in.
fn connect(folder: &Directory) -> io::Result<UnixStream> {
    let name = door::short(folder, door::NAME)?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(name)?)?;
    Ok(UnixStream::from(socket))
}

/// The watcher that did not answer, if one is remembered.
fn noted(folder: &Directory) -> Option<Key> {
    Key::parse(str::from_utf8(&folder.read(NOTE, 64).ok()??).ok()?)
}

/// Where that fails, the next command waits too.
fn note(folder: &Directory, key: &Key) {
    let _ = folder.remove(NOTE);
    let _ = folder.file(NOTE, Access::Create).and_then(|mut note| note.write_all(key.to_string().as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(says: &[u8], then_closes: bool, patience: Duration) -> Heard<2> {
        let (mut ours, mut theirs) = UnixStream::pair().expect("a pair");
        ours.set_nonblocking(true).expect("set");
        theirs.write_all(says).expect("there is room");
        let kept = (!then_closes).then_some(theirs);
        let heard = listen(&mut ours, patience, || None);
        drop(kept);
        heard
    }

    #[test]
    fn signs_of_life_come_before_an_answer() {
        let long = Duration::from_secs(5);
        assert_eq!(heard(&[door::ALIVE, door::ANSWER, 7, 0], false, long), Heard::Answer([7, 0]));
        assert_eq!(heard(&[door::ANSWER, 0, 9], false, long), Heard::Answer([0, 9]));
        assert_eq!(heard(&[door::ALIVE, door::ALIVE], true, long), Heard::Nothing);
        assert_eq!(heard(&[door::ALIVE], false, Duration::ZERO), Heard::Nothing);
    }

    #[test]
    fn silence_ends_the_wait_soon() {
        let begun = Instant::now();
        assert_eq!(heard(&[], false, Duration::from_secs(5)), Heard::Silence);
        assert_eq!(heard(&[door::ALIVE], false, Duration::from_secs(5)), Heard::Silence);
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    }
}
