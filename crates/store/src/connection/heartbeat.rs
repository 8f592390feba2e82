//! Heartbeats of lock holders: distinguishes a holder that makes progress from one that is stuck.
//!
//! While a process holds a lock, one of its threads increments a counter in the lock file. A waiting process watches the
//! counter: a holder that was stopped, frozen, or lost its machine does not increment it. Only changes matter, never the
//! clock, so wrong clocks make no difference. If the system provides the state of a process, a stopped process is recognised
//! at once, and one that lacks processor or disk time is not considered stuck.

use crate::connection::process_status::ProcessStatus;
use orient_safefs::{Access, Directory};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The interval of heartbeats.
const BEAT: Duration = Duration::from_millis(40);
/// A holder without a heartbeat for this long is stuck.
const SILENCE: Duration = Duration::from_millis(150);
/// The same for a holder that waits for a disk, where its heartbeat may wait as well.
const DISK_SILENCE: Duration = Duration::from_secs(2);
/// The file beside the lock that records a stuck holder, so that only the first waiting process has to find out.
const NOTE: &str = "lock.silent";

/// The content of a lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) pid: u32,
    /// The start time of the process as the system counts it; 0 if unknown. Distinguishes a process from a later one with
    /// the same pid.
    started: u64,
    count: u64,
}

impl Record {
    /// All records have the same length, so that one overwrites another completely.
    const LENGTH: usize = 53;

    fn of_this_process() -> Self {
        let pid = std::process::id();
        Self { pid, started: ProcessStatus::read(pid).map_or(0, |process| process.started), count: 0 }
    }

    fn write(self, mut file: &File) -> io::Result<()> {
        let Self { pid, started, count } = self;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{pid:<10} {started:<20} {count:<20}\n").as_bytes())
    }

    /// The record of a file; `None` if there is none yet or another version wrote it.
    pub(crate) fn read(directory: &Directory, name: &str) -> Option<Self> {
        let bytes = directory.read(name, Self::LENGTH as u64).ok()??;
        let mut words = str::from_utf8(&bytes).ok()?.split_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        Some(Self { pid: u32::try_from(number()?).ok()?, started: number()?, count: number()? })
    }
}

/// Writes the record of another process into a lock file.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn sign_for(pid: u32, path: &Path) {
    let started = ProcessStatus::read(pid).expect("it is there").started;
    let file = File::create(path).expect("it can be written");
    Record { pid, started, count: 0 }.write(&file).expect("it can be written");
}

/// A lock that this process holds.
struct HeldLock {
    id: u64,
    file: File,
    record: Record,
    /// Whether the file has no other hard link, so that it may be written.
    is_ours: bool,
}

/// The locks that this process holds, and the thread that writes their heartbeats.
#[derive(Default)]
struct Pulse {
    held: Vec<HeldLock>,
    next: u64,
    is_beating: bool,
}

static PULSE: Mutex<Pulse> = Mutex::new(Pulse { held: Vec::new(), next: 0, is_beating: false });
static CHANGED: Condvar = Condvar::new();

fn pulse() -> MutexGuard<'static, Pulse> {
    PULSE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes heartbeats into a lock file until dropped. The file is closed, and the lock released, after the last heartbeat: no
/// heartbeat lands in the record of the next holder.
#[derive(Debug)]
pub(crate) struct Heartbeat(u64);

impl Heartbeat {
    /// Writes the record of a lock that was just acquired and starts its heartbeats.
    pub(crate) fn begin(file: File) -> io::Result<Self> {
        let record = Record::of_this_process();
        // A file with another hard link may belong to somebody else: lock it, but do not write it.
        let is_ours = Directory::is_sole_name(&file);
        if is_ours {
            file.set_len(0)?;
            record.write(&file)?;
        }
        let mut pulse = pulse();
        let id = pulse.next;
        pulse.next += 1;
        pulse.held.push(HeldLock { id, file, record, is_ours });
        if !pulse.is_beating {
            // Without a thread, processor time is the only sign of life.
            let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(beat);
            pulse.is_beating = thread.is_ok();
        }
        CHANGED.notify_one();
        Ok(Self(id))
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        pulse().held.retain(|held| held.id != self.0);
    }
}

fn beat() {
    let mut pulse = pulse();
    loop {
        while pulse.held.is_empty() {
            pulse = CHANGED.wait(pulse).unwrap_or_else(PoisonError::into_inner);
        }
        pulse = CHANGED.wait_timeout(pulse, BEAT).unwrap_or_else(PoisonError::into_inner).0;
        for held in pulse.held.iter_mut().filter(|held| held.is_ours) {
            held.record.count = held.record.count.wrapping_add(1);
            // Waiting processes have other signs of life.
            let _ = held.record.write(&held.file);
        }
    }
}

/// Watches the holder of a lock for a waiting process.
#[derive(Debug)]
pub struct HolderWatch {
    /// `None` if the directory cannot be opened: nothing is known about the holder then.
    directory: Option<Directory>,
    /// The last record and process status, and the time of their last change.
    seen: Option<(Record, Option<ProcessStatus>, Instant)>,
}

impl HolderWatch {
    /// Watches the holder of the lock of a directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: Directory::open(directory).ok(), seen: None }
    }

    /// The same for an open directory.
    pub(crate) fn of(directory: Directory) -> Self {
        Self { directory: Some(directory), seen: None }
    }

    /// The process that holds the lock and is stuck; `None` while it is alive or its state is unknown. A stopped process,
    /// and one that was recorded as stuck and has not moved since, is returned at once, any other after repeated calls over
    /// a short time.
    pub fn stuck(&mut self) -> Option<u32> {
        let record = Record::read(self.directory.as_ref()?, crate::connection::write_lock::WRITER)?;
        let process = ProcessStatus::read(record.pid).filter(|process| process.started == record.started);
        self.judge(record, process, Instant::now()).then_some(record.pid)
    }

    fn judge(&mut self, record: Record, process: Option<ProcessStatus>, now: Instant) -> bool {
        if process.is_some_and(ProcessStatus::is_stopped) {
            return true;
        }
        let (before, since) = match self.seen {
            Some((seen, before, since)) if seen == record => (before, since),
            _ => {
                self.seen = Some((record, process, now));
                // Another waiting process has already found it stuck.
                return self.noted() == Some(record) && !process.is_some_and(ProcessStatus::is_running);
            }
        };
        let works = match (before, process) {
            (Some(before), Some(process)) => process.works_since(before),
            _ => false,
        };
        if works {
            self.seen = Some((record, process, now));
            return false;
        }
        let most = if process.is_some_and(ProcessStatus::waits_for_disk) { DISK_SILENCE } else { SILENCE };
        let silent = now.duration_since(since) >= most;
        if silent {
            self.remember(record);
        }
        silent
    }

    /// If this fails, the next waiting process finds out by itself.
    fn remember(&self, record: Record) {
        let Some(directory) = &self.directory else { return };
        let _ = directory.remove(NOTE);
        let _ = directory.file(NOTE, Access::Create).and_then(|note| record.write(&note));
    }

    /// The holder that was recorded as stuck, if any.
    fn noted(&self) -> Option<Record> {
        Record::read(self.directory.as_ref()?, NOTE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WriteLock;

    fn held() -> (tempfile::TempDir, WriteLock) {
        let directory = tempfile::tempdir().expect("a directory");
        let lock =
            WriteLock::try_acquire(directory.path()).expect("it can be locked").expect("nobody has it");
        (directory, lock)
    }

    fn record(directory: &Path) -> Record {
        let directory = Directory::open(directory).expect("it is ours");
        Record::read(&directory, crate::connection::write_lock::WRITER).expect("it is signed")
    }

    #[test]
    fn a_lock_holder_writes_heartbeats() {
        let (directory, lock) = held();
        let first = record(directory.path());
        assert_eq!(first.pid, std::process::id());
        let until = Instant::now() + Duration::from_secs(10);
        while record(directory.path()).count == first.count {
            assert!(Instant::now() < until, "no heartbeat in ten seconds");
            std::thread::sleep(BEAT / 4);
        }
        drop(lock);
        let last = record(directory.path());
        std::thread::sleep(BEAT * 3);
        assert_eq!(record(directory.path()), last, "no heartbeat after the lock was released");
        WriteLock::try_acquire(directory.path()).expect("it can be locked").expect("it was released at once");
    }

    #[test]
    fn a_holder_with_heartbeats_is_never_stuck() {
        let (directory, _lock) = held();
        let mut watch = HolderWatch::new(directory.path());
        let until = Instant::now() + SILENCE * 3;
        while Instant::now() < until {
            assert_eq!(watch.stuck(), None);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_missing_heartbeat_is_judged_by_the_process_status() {
        let directory = tempfile::tempdir().expect("a directory");
        let record = Record { pid: 7, started: 11, count: 3 };
        let process = |state, used| Some(ProcessStatus { state, used, started: 11 });
        let begun = Instant::now();
        let judged = |looks: &[(Option<ProcessStatus>, u64)]| {
            let _ = std::fs::remove_file(directory.path().join(NOTE));
            let mut watch = HolderWatch::new(directory.path());
            let judge = |(process, at): &(Option<ProcessStatus>, u64)| {
                watch.judge(record, *process, begun + Duration::from_millis(*at))
            };
            looks.iter().map(judge).collect::<Vec<bool>>()
        };
        assert_eq!(judged(&[(process(b'T', 1), 0)]), [true], "a stopped process is stuck at once");
        assert_eq!(
            judged(&[(process(b'S', 1), 0), (process(b'S', 1), 100), (process(b'S', 1), 150)]),
            [false, false, true]
        );
        assert_eq!(
            judged(&[(process(b'S', 1), 0), (process(b'S', 2), 150)]),
            [false, false],
            "it uses processor time"
        );
        assert_eq!(
            judged(&[(process(b'R', 1), 0), (process(b'R', 1), 900)]),
            [false, false],
            "it waits for a processor"
        );
        assert_eq!(judged(&[(process(b'D', 1), 0), (process(b'D', 1), 900)]), [false, false], "a slow disk");
        assert_eq!(judged(&[(process(b'D', 1), 0), (process(b'D', 1), 2000)]), [false, true], "a dead disk");
        assert_eq!(judged(&[(None, 0), (None, 150)]), [false, true], "a process without known status");
    }

    #[test]
    fn a_recorded_stuck_holder_is_recognised_at_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let record = Record { pid: 7, started: 11, count: 3 };
        let mut first = HolderWatch::new(directory.path());
        let begun = Instant::now();
        assert!(!first.judge(record, None, begun));
        assert!(first.judge(record, None, begun + SILENCE));
        assert!(
            HolderWatch::new(directory.path()).judge(record, None, begun),
            "no heartbeat since it was recorded"
        );
        let moved = Record { count: 4, ..record };
        assert!(
            !HolderWatch::new(directory.path()).judge(moved, None, begun),
            "it had a heartbeat in between"
        );
    }
}
