//! A file that is only appended to and starts over when it is full. Several processes write to the same one.
//!
//! Each line is one write to a descriptor in append mode, so lines of different processes do not mix. A full file is renamed:
//! `orient.log` becomes `orient.log.1`, that becomes `orient.log.2`, and the one before is gone. The holder of the lock
//! beside it renames; nobody waits for that. Before each line every process looks which file has the name, so it notices that
//! another one renamed it.
//!
//! Example: A and B have `orient.log` open and it is full. A takes the lock, sees that it is still full and renames it. B
//! was about to write: its line ends up in `orient.log.1`, whole. Before its next line B sees that `orient.log` is another
//! file, and opens that.

use crate::FILE;
use orient_safefs::{Access, Directory, UnsafePath, UnsafeReason};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// When a file is full.
const LIMIT: u64 = 4 << 20;
/// How many files there are at most.
pub(crate) const KEPT: usize = 3;
/// Held by the process that renames.
const LOCK: &str = "orient.log.lock";
/// How long nothing is tried after a failure: a full disk stays full for a while.
const PAUSE: Duration = Duration::from_secs(5);

/// The name of the file after `age` rotations.
pub(crate) fn name(age: usize) -> String {
    if age == 0 { FILE.to_owned() } else { format!("{FILE}.{age}") }
}

/// The files of a log, as one process writes them.
pub(crate) struct RotatingFile {
    path: PathBuf,
    limit: u64,
    /// The directory and the file, once both are open.
    directory: Option<Directory>,
    current: Option<Current>,
    /// Whether the last line was not written to its end.
    torn: bool,
    /// Before then nothing is tried.
    paused: Option<Instant>,
}

struct Current {
    file: File,
    id: (u64, u64),
}

impl RotatingFile {
    /// The log in a directory, which is made when the first line is written.
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            limit: LIMIT,
            directory: None,
            current: None,
            torn: false,
            paused: None,
        }
    }

    /// Appends a line. Where that fails, it and those that follow shortly are dropped.
    pub(crate) fn append(&mut self, line: &str) {
        if self.paused.is_some_and(|until| Instant::now() < until) {
            return;
        }
        // A directory that was removed and made again is opened again.
        let written = self.try_append(line).or_else(|_| {
            (self.directory, self.current) = (None, None);
            self.try_append(line)
        });
        self.paused = written.is_err().then(|| Instant::now() + PAUSE);
    }

    fn try_append(&mut self, line: &str) -> io::Result<()> {
        let directory = match &self.directory {
            Some(directory) => directory.clone(),
            None => self.directory.insert(Directory::create(&self.path)?).clone(),
        };
        let added = line.len() as u64 + 1;
        let mut entry = directory.entry(FILE);
        if entry.is_some_and(|entry| entry.bytes > 0 && entry.bytes + added > self.limit) {
            self.current = None;
            rotate(&directory, added, self.limit)?;
            entry = directory.entry(FILE);
        }
        // The process that rotates is stuck: a log must not fill the disk.
        if entry.is_some_and(|entry| entry.bytes > 2 * self.limit) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // Where files have no numbers, nobody can tell whether it is the same.
        let id = entry.map(|entry| entry.id).filter(|id| *id != (0, 0));
        let mut current = match self.current.take() {
            Some(current) if Some(current.id) == id => current,
            _ => {
                let file = open(&directory, FILE, Access::Append)?;
                Current { file, id: directory.entry(FILE).map(|entry| entry.id).unwrap_or_default() }
            }
        };
        let torn = if self.torn { "\n" } else { "" };
        self.torn = true;
        current.file.write_all(format!("{torn}{line}").as_bytes())?;
        self.torn = false;
        self.current = Some(current);
        Ok(())
    }
}

/// Opens a file of the log. What has its name and is no plain file of ours alone, such as a link, is removed; what it leads to is
/// not touched.
fn open(directory: &Directory, name: &str, access: Access) -> io::Result<File> {
    let planted = |error: &io::Error| {
        let why = UnsafePath::of(error).map(|unsafe_path| unsafe_path.reason);
        matches!(why, Some(UnsafeReason::Link | UnsafeReason::NotAFile | UnsafeReason::Linked))
    };
    match directory.file(name, access) {
        Ok(file) if Directory::is_sole_name(&file) => return Ok(file),
        Ok(_) => {}
        Err(error) if planted(&error) => {}
        Err(error) => return Err(error),
    }
    directory.remove(name)?;
    directory.file(name, access)
}

/// Makes room for a line, unless another process is about to.
fn rotate(directory: &Directory, added: u64, limit: u64) -> io::Result<()> {
    let lock = open(directory, LOCK, Access::Write)?;
    if lock.try_lock().is_err() {
        return Ok(());
    }
    // Another one may have done it since we looked.
    if directory.entry(FILE).is_none_or(|entry| entry.bytes + added <= limit) {
        return Ok(());
    }
    for age in (0..KEPT - 1).rev() {
        match directory.rename(&name(age), &name(age + 1)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    fn small(path: &Path, limit: u64) -> RotatingFile {
        RotatingFile { limit, ..RotatingFile::new(path) }
    }

    fn read(path: &Path, age: usize) -> Option<String> {
        fs::read_to_string(path.join(name(age))).ok()
    }

    #[test]
    fn a_full_file_makes_room_and_three_are_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut log = small(directory.path(), 20);
        for line in
            ["one 456\n", "two 456\n", "three 6\n", "four 56\n", "five 56\n", "six 456\n", "seven 6\n"]
        {
            log.append(line);
        }
        assert_eq!(read(directory.path(), 0).as_deref(), Some("seven 6\n"));
        assert_eq!(read(directory.path(), 1).as_deref(), Some("five 56\nsix 456\n"));
        assert_eq!(read(directory.path(), 2).as_deref(), Some("three 6\nfour 56\n"));
        assert_eq!(read(directory.path(), 3), None, "the oldest is gone");
        log.append(&format!("{}\n", "x".repeat(50)));
        assert_eq!(
            read(directory.path(), 0).expect("written").len(),
            51,
            "a long line has a file of its own"
        );
    }

    #[test]
    fn writers_beside_each_other_lose_and_mix_nothing() {
        const WRITERS: usize = 4;
        const LINES: usize = 300;
        let directory = tempfile::tempdir().expect("a directory");
        let line = |writer: usize, number: usize| format!("{writer} {number:04} {}\n", "x".repeat(90));
        // All lines fit into the files that are kept, and none of them holds more than half.
        let limit = (WRITERS * LINES * line(0, 0).len() / 2) as u64;
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let mut log = small(directory.path(), limit);
                scope.spawn(move || {
                    for number in 0..LINES {
                        log.append(&line(writer, number));
                    }
                });
            }
        });
        let texts: Vec<String> = (0..KEPT).filter_map(|age| read(directory.path(), age)).collect();
        assert!(texts.len() > 1, "it was rotated");
        let found: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
        let expected: BTreeSet<String> = (0..WRITERS)
            .flat_map(|writer| (0..LINES).map(move |number| line(writer, number).trim_end().to_owned()))
            .collect();
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().all(|line| expected.contains(*line)), "every line is whole");
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), expected.len(), "and there once");
    }

    #[test]
    fn a_process_follows_a_rotation_by_another() {
        let directory = tempfile::tempdir().expect("a directory");
        let (mut one, mut two) = (small(directory.path(), 20), small(directory.path(), 20));
        one.append("one 456\n");
        two.append("two 456\n");
        one.append("three 6\n");
        two.append("four\n");
        assert_eq!(read(directory.path(), 0).as_deref(), Some("three 6\nfour\n"));
        assert_eq!(read(directory.path(), 1).as_deref(), Some("one 456\ntwo 456\n"));
    }

    #[test]
    fn a_stuck_rotation_neither_blocks_nor_fills_the_disk() {
        let directory = tempfile::tempdir().expect("a directory");
        let lock = File::create(directory.path().join(LOCK)).expect("a file");
        lock.lock().expect("nobody else holds it");
        let mut log = small(directory.path(), 100);
        for _ in 0..1000 {
            log.append("twenty characters..\n");
            log.paused = None;
        }
        let bytes = read(directory.path(), 0).expect("written").len();
        assert!((100..=220).contains(&bytes), "{bytes}");
        drop(lock);
        log.append("after\n");
        assert_eq!(read(directory.path(), 0).as_deref(), Some("after\n"));
    }

    #[test]
    fn a_log_that_was_removed_is_made_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        let mut log = RotatingFile::new(&path);
        log.append("one\n");
        fs::remove_file(path.join(FILE)).expect("removed");
        log.append("two\n");
        assert_eq!(read(&path, 0).as_deref(), Some("two\n"));
        fs::remove_dir_all(&path).expect("removed");
        log.append("three\n");
        assert_eq!(read(&path, 0).as_deref(), Some("three\n"));
    }

    #[test]
    fn a_failure_is_silent_and_not_tried_again_at_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("log");
        fs::write(&path, "in the way").expect("written");
        let mut log = RotatingFile::new(&path);
        log.append("one\n");
        assert!(log.paused.is_some());
        fs::remove_file(&path).expect("removed");
        log.append("two\n");
        assert!(!path.exists(), "it waits");
        log.paused = None;
        log.append("three\n");
        assert_eq!(read(&path, 0).as_deref(), Some("three\n"));
    }

    #[cfg(unix)]
    mod planted {
        use super::*;
        use std::os::unix::fs::{PermissionsExt, symlink};

        #[test]
        fn a_link_in_the_place_of_the_file_is_replaced_and_not_followed() {
            let directory = tempfile::tempdir().expect("a directory");
            let victim = directory.path().join("victim");
            fs::write(&victim, "mine").expect("written");
            for hard in [false, true] {
                let path = directory.path().join(if hard { "hard" } else { "soft" });
                fs::create_dir(&path).expect("made");
                let planted = path.join(FILE);
                if hard { fs::hard_link(&victim, planted) } else { symlink(&victim, planted) }
                    .expect("a link");
                RotatingFile::new(&path).append("one\n");
                assert_eq!(read(&path, 0).as_deref(), Some("one\n"));
                assert_eq!(fs::read_to_string(&victim).expect("there"), "mine");
            }
        }

        #[test]
        fn a_link_in_the_place_of_the_directory_is_refused() {
            let directory = tempfile::tempdir().expect("a directory");
            let outside = directory.path().join("outside");
            fs::create_dir(&outside).expect("made");
            symlink(&outside, directory.path().join("log")).expect("a link");
            RotatingFile::new(&directory.path().join("log")).append("one\n");
            assert_eq!(fs::read_dir(&outside).expect("readable").count(), 0);
        }

        #[test]
        fn only_the_user_may_read_it() {
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("store/log");
            small(&path, 1).append("one\n");
            small(&path, 1).append("two\n");
            let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o700);
            for entry in fs::read_dir(&path).expect("readable").flatten() {
                assert_eq!(mode(&entry.path()), 0o600, "{}", entry.path().display());
            }
        }
    }
}
