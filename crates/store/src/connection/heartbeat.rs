//! Telling a lock holder that makes progress from one that is stuck.
//!
//! For as long as a process holds a lock, one thread of it counts up in the lock file. Whoever waits for the lock watches the
//! count: a holder that was stopped, frozen, or lost its machine does not count. Only changes are looked at, never the clock, so
//! that a clock that was set, or that of another machine, makes no difference. Where the system tells the state of a process, a
//! stopped one is recognised at once, and one that is merely starved of processor or disk time is not taken for stuck.

use crate::connection::process_status::Process;
use orient_safefs::{Access, Folder};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a holder counts.
const BEAT: Duration = Duration::from_millis(40);
/// A holder that has not counted for so long is stuck.
const SILENCE: Duration = Duration::from_millis(150);
/// The same for a holder that waits for a disk: its count may wait there too.
const DISK_SILENCE: Duration = Duration::from_secs(2);
/// The file beside the lock that remembers a silent holder, so that only the first who waits has to find out.
const NOTE: &str = "lock.silent";

/// What stands in a lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) pid: u32,
    /// When the process began, as the system counts it; zero where it does not tell. Tells a process from a later one with
    /// the same number.
    started: u64,
    count: u64,
}

impl Record {
    /// Every record has the same length, so that one is always written over the other whole.
    const LENGTH: usize = 53;

    fn of_this_process() -> Self {
        let pid = std::process::id();
        Self { pid, started: Process::read(pid).map_or(0, |process| process.started), count: 0 }
    }

    fn write(self, mut file: &File) -> io::Result<()> {
        let Self { pid, started, count } = self;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(format!("{pid:<10} {started:<20} {count:<20}\n").as_bytes())
    }

    /// The record of a file; none where there is none yet, or it was written by another version.
    pub(crate) fn read(folder: &Folder, name: &str) -> Option<Self> {
        let bytes = folder.read(name, Self::LENGTH as u64).ok()??;
        let mut words = str::from_utf8(&bytes).ok()?.split_whitespace();
        let mut number = || words.next()?.parse::<u64>().ok();
        Some(Self { pid: u32::try_from(number()?).ok()?, started: number()?, count: number()? })
    }
}

/// Signs a lock file in the name of another process.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn sign_for(pid: u32, path: &Path) {
    let started = Process::read(pid).expect("it is there").started;
    let file = File::create(path).expect("it can be written");
    Record { pid, started, count: 0 }.write(&file).expect("it can be written");
}

/// A lock this process holds.
struct Held {
    id: u64,
    file: File,
    record: Record,
    /// Whether no other name leads to the file, so that it may be written.
    is_ours: bool,
}

/// The locks this process holds, and the thread that counts in their files.
#[derive(Default)]
struct Pulse {
    held: Vec<Held>,
    next: u64,
    is_beating: bool,
}

static PULSE: Mutex<Pulse> = Mutex::new(Pulse { held: Vec::new(), next: 0, is_beating: false });
static CHANGED: Condvar = Condvar::new();

fn pulse() -> MutexGuard<'static, Pulse> {
    PULSE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts in a lock file until dropped. The file is closed, and the lock given back, with the last count behind it: a count
/// never lands in the record of the next holder.
#[derive(Debug)]
pub(crate) struct Beating(u64);

impl Beating {
    /// Signs a lock file whose lock was just taken, and begins to count in it.
    pub(crate) fn begin(file: File) -> io::Result<Self> {
        let record = Record::of_this_process();
        // A file with a second name may be somebody else's: it is locked, and not written.
        let is_ours = Folder::is_sole_name(&file);
        if is_ours {
            file.set_len(0)?;
            record.write(&file)?;
        }
        let mut pulse = pulse();
        let id = pulse.next;
        pulse.next += 1;
        pulse.held.push(Held { id, file, record, is_ours });
        if !pulse.is_beating {
            // Without a thread the processor time we use is the only sign of life.
            let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(beat);
            pulse.is_beating = thread.is_ok();
        }
        CHANGED.notify_one();
        Ok(Self(id))
    }
}

impl Drop for Beating {
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
            // Whoever waits has other signs of life.
            let _ = held.record.write(&held.file);
        }
    }
}

/// Watches the holder of a lock while somebody waits for it.
#[derive(Debug)]
pub struct HolderWatch {
    /// Absent where the folder cannot be opened: then nothing is known of the holder.
    folder: Option<Folder>,
    /// What was seen last, and since when nothing has moved.
    seen: Option<(Record, Option<Process>, Instant)>,
}

impl HolderWatch {
    /// Watches the holder of the lock of a folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: Folder::open(folder).ok(), seen: None }
    }

    /// The same for a folder that is held open.
    pub(crate) fn of(folder: Folder) -> Self {
        Self { folder: Some(folder), seen: None }
    }

    /// The process that holds the lock and shows no sign of life; none while it does, or nobody can tell. A stopped process,
    /// and one that was found silent before and has not moved since, is named at once; any other after a short while of
    /// asking again and again.
    pub fn stuck(&mut self) -> Option<u32> {
        let record = Record::read(self.folder.as_ref()?, crate::connection::write_lock::WRITER)?;
        let process = Process::read(record.pid).filter(|process| process.started == record.started);
        self.judge(record, process, Instant::now()).then_some(record.pid)
    }

    fn judge(&mut self, record: Record, process: Option<Process>, now: Instant) -> bool {
        if process.is_some_and(Process::is_stopped) {
            return true;
        }
        let (before, since) = match self.seen {
            Some((seen, before, since)) if seen == record => (before, since),
            _ => {
                self.seen = Some((record, process, now));
                // Who found it silent before us has waited for us as well.
                return self.noted() == Some(record) && !process.is_some_and(Process::is_running);
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
        let most = if process.is_some_and(Process::waits_for_disk) { DISK_SILENCE } else { SILENCE };
        let silent = now.duration_since(since) >= most;
        if silent {
            self.remember(record);
        }
        silent
    }

    /// Where that fails, the next who waits finds out by itself.
    fn remember(&self, record: Record) {
        let Some(folder) = &self.folder else { return };
        let _ = folder.remove(NOTE);
        let _ = folder.file(NOTE, Access::Create).and_then(|note| record.write(&note));
    }

    /// The holder that was found silent before, if one was.
    fn noted(&self) -> Option<Record> {
        Record::read(self.folder.as_ref()?, NOTE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WriteLock;

    fn held() -> (tempfile::TempDir, WriteLock) {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = WriteLock::try_acquire(folder.path()).expect("it can be locked").expect("nobody has it");
        (folder, lock)
    }

    fn record(folder: &Path) -> Record {
        let folder = Folder::open(folder).expect("it is ours");
        Record::read(&folder, crate::connection::write_lock::WRITER).expect("it is signed")
    }

    #[test]
    fn whoever_holds_a_lock_counts_in_its_file() {
        let (folder, lock) = held();
        let first = record(folder.path());
        assert_eq!(first.pid, std::process::id());
        let until = Instant::now() + Duration::from_secs(10);
        while record(folder.path()).count == first.count {
            assert!(Instant::now() < until, "no count in ten seconds");
            std::thread::sleep(BEAT / 4);
        }
        drop(lock);
        let last = record(folder.path());
        std::thread::sleep(BEAT * 3);
        assert_eq!(record(folder.path()), last, "a lock that was given back is the next holder's");
        WriteLock::try_acquire(folder.path()).expect("it can be locked").expect("it was given back at once");
    }

    #[test]
    fn a_holder_that_counts_is_not_stuck_however_long_it_takes() {
        let (folder, _lock) = held();
        let mut watch = HolderWatch::new(folder.path());
        let until = Instant::now() + SILENCE * 3;
        while Instant::now() < until {
            assert_eq!(watch.stuck(), None);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn silence_is_judged_by_what_the_system_says_of_the_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = Record { pid: 7, started: 11, count: 3 };
        let process = |state, used| Some(Process { state, used, started: 11 });
        let begun = Instant::now();
        let judged = |looks: &[(Option<Process>, u64)]| {
            let _ = std::fs::remove_file(folder.path().join(NOTE));
            let mut watch = HolderWatch::new(folder.path());
            let judge = |(process, at): &(Option<Process>, u64)| {
                watch.judge(record, *process, begun + Duration::from_millis(*at))
            };
            looks.iter().map(judge).collect::<Vec<bool>>()
        };
        assert_eq!(judged(&[(process(b'T', 1), 0)]), [true], "stopped: at once");
        assert_eq!(
            judged(&[(process(b'S', 1), 0), (process(b'S', 1), 100), (process(b'S', 1), 150)]),
            [false, false, true]
        );
        assert_eq!(judged(&[(process(b'S', 1), 0), (process(b'S', 2), 150)]), [false, false], "it works");
        assert_eq!(
            judged(&[(process(b'R', 1), 0), (process(b'R', 1), 900)]),
            [false, false],
            "it is starved"
        );
        assert_eq!(judged(&[(process(b'D', 1), 0), (process(b'D', 1), 900)]), [false, false], "a slow disk");
        assert_eq!(judged(&[(process(b'D', 1), 0), (process(b'D', 1), 2000)]), [false, true], "a dead disk");
        assert_eq!(judged(&[(None, 0), (None, 150)]), [false, true], "a process we cannot see");
    }

    #[test]
    fn only_the_first_who_waits_has_to_find_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let record = Record { pid: 7, started: 11, count: 3 };
        let mut first = HolderWatch::new(folder.path());
        let begun = Instant::now();
        assert!(!first.judge(record, None, begun));
        assert!(first.judge(record, None, begun + SILENCE));
        assert!(HolderWatch::new(folder.path()).judge(record, None, begun), "it has not moved since");
        let moved = Record { count: 4, ..record };
        assert!(!HolderWatch::new(folder.path()).judge(moved, None, begun), "it was alive in between");
    }
}
