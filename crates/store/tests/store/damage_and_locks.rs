//! What goes wrong with files and processes: killed writers, damage, other versions, directories that cannot be written.
#![allow(clippy::unwrap_used, reason = "a test fails where it must not")]

use crate::support::{Place, copy_store, file, listing, put, remove};
use orient_store::{
    BulkWriter, ConnectionPool, FORMAT, Snapshot, StoreError, WriteLock, Writer, copy_index, damage,
};
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Set in the child processes of the tests that kill.
const CHILD: &str = "ORIENT_STORE_TEST_CHILD";

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

/// Enough files for several pages of everything.
fn large() -> Place {
    let place = Place::new();
    place.load(
        (0..300).map(|n| file(&format!("f{n}.x"), &format!("class C{n}\n  method run{n}\n  method stop"))),
    );
    place
}

/// Opens and reads everything: the first error, or none.
fn read_all(path: &Path) -> Result<(), StoreError> {
    let snapshot = Snapshot::open(path)?;
    let faults = snapshot.check()?;
    assert!(faults.len() <= 21);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(StoreError::Damaged { path: path.into(), detail: faults[0].clone() })
    }
}

#[test]
fn no_file_is_no_index() {
    let place = Place::new();
    assert!(matches!(Snapshot::open(&place.path()), Err(StoreError::Missing { .. })));
    let lock = place.lock();
    assert!(matches!(Writer::open(&place.path(), &lock), Err(StoreError::Missing { .. })));
}

#[test]
fn a_file_cut_short_anywhere_is_damaged() {
    let whole = large();
    let length = fs::metadata(whole.path()).unwrap().len();
    for keep in [0, 1, 50, 99, 100, 511, 4096, length / 2, length - 4096, length - 1] {
        let place = Place::new();
        copy_store(whole.directory.path(), place.directory.path());
        fs::OpenOptions::new().write(true).open(place.path()).unwrap().set_len(keep).unwrap();
        let error = Snapshot::open(&place.path()).err().unwrap_or_else(|| panic!("{keep} bytes are enough?"));
        assert!(matches!(error, StoreError::Damaged { .. }), "{keep}: {error}");
        let lock = place.lock();
        assert!(matches!(Writer::open(&place.path(), &lock), Err(StoreError::Damaged { .. })));
    }
}

#[test]
fn other_files_in_its_place_are_damage() {
    let place = Place::new();
    for content in [&b""[..], b"garbage", &[0x5a; 10_000], b"SQLite format 3\0 but no more than that"] {
        fs::write(place.path(), content).unwrap();
        assert!(matches!(Snapshot::open(&place.path()), Err(StoreError::Damaged { .. })));
    }
}

#[test]
fn flipped_bytes_in_the_header_are_damage() {
    let whole = large();
    for at in [0, 7, 15, 16, 17, 18, 19, 21, 68, 70, 71] {
        let place = Place::new();
        copy_store(whole.directory.path(), place.directory.path());
        let mut byte = [0];
        let mut file = fs::File::open(place.path()).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.read_exact(&mut byte).unwrap();
        overwrite(&place.path(), at, &[byte[0] ^ 0xff]);
        let error = read_all(&place.path()).expect_err("a reader must notice");
        assert!(matches!(error, StoreError::Damaged { .. }), "byte {at}: {error:?}");
    }
}

#[test]
fn overwritten_pages_are_noticed_unless_nothing_was_there_and_never_crash() {
    let whole = large();
    let length = fs::metadata(whole.path()).unwrap().len();
    let expected = listing(&whole.open());
    for page in 0..length / 4096 {
        let place = Place::new();
        copy_store(whole.directory.path(), place.directory.path());
        overwrite(&place.path(), page * 4096 + 100, &[0xa5; 700]);
        match read_all(&place.path()) {
            Err(StoreError::Damaged { .. }) => {}
            Ok(()) if listing(&place.open()) == expected => {}
            other => panic!("page {page}: {other:?}"),
        }
        let lock = place.lock();
        if let Ok(mut writer) = Writer::open(&place.path(), &lock) {
            let done = writer.apply((0..300).map(|n| put(&format!("f{n}.x"), "function other")));
            assert!(matches!(done, Ok(_) | Err(StoreError::Damaged { .. })), "page {page}: {done:?}");
        }
    }
}

#[test]
fn a_damaged_index_is_replaced_by_a_new_load() {
    let place = large();
    overwrite(&place.path(), 0, &[0; 4096]);
    assert!(Snapshot::open(&place.path()).is_err());
    place.load([file("a.x", "function a")]);
    assert_eq!(place.open().known().unwrap().len(), 1);
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let place = Place::with(&[("a.x", "function a")]);
    overwrite(&place.path(), 60, &(FORMAT + 7).to_be_bytes());
    let before = fs::read(place.path()).unwrap();
    let error = Snapshot::open(&place.path()).err().expect("refused");
    let said = error.to_string();
    assert!(
        said.contains(&format!("format {}", FORMAT + 7)) && said.contains(&format!("up to format {FORMAT}")),
        "{said}"
    );
    assert!(said.contains("--store"), "it says what to do: {said}");
    let lock = place.lock();
    assert!(matches!(Writer::open(&place.path(), &lock), Err(StoreError::Newer { .. })));
    assert!(matches!(BulkWriter::create(&place.path(), &lock, 1, 0), Err(StoreError::Newer { .. })));
    assert_eq!(fs::read(place.path()).unwrap(), before);
}

#[test]
fn an_older_format_without_a_migration_is_outdated_and_can_be_rebuilt() {
    let place = Place::with(&[("a.x", "function a")]);
    let db = rusqlite::Connection::open(place.path()).unwrap();
    db.pragma_update(None, "user_version", 0).unwrap();
    db.close().unwrap();
    assert!(matches!(Snapshot::open(&place.path()), Err(StoreError::Outdated { found: 0, .. })));
    let lock = place.lock();
    assert!(matches!(Writer::open(&place.path(), &lock), Err(StoreError::Outdated { .. })));
    drop(lock);
    place.load([file("b.x", "function b")]);
    assert_eq!(place.open().known().unwrap().len(), 1);
}

#[test]
fn kept_connections_see_what_was_written_and_notice_that_the_file_is_another() {
    let place = Place::with(&[("a.x", "function a")]);
    let readers = ConnectionPool::default();
    let open = || readers.open(&place.path()).unwrap();
    let (first, second) = (open(), open());
    drop((first, second));
    for n in 0..3 {
        place.apply([put(&format!("new{n}.x"), "function new")]);
        assert_eq!(listing(&open()), listing(&place.open()), "after change {n}");
    }
    let old = open();
    let before = listing(&old);
    place.load([file("other.x", "function other")]);
    assert_eq!(listing(&open()), listing(&place.open()), "the index was rebuilt");
    assert_eq!(listing(&old), before, "who reads goes on with what there was");
    drop(old);
    assert_eq!(listing(&open()), listing(&place.open()));
    fs::remove_file(place.path()).unwrap();
    assert!(matches!(readers.open(&place.path()), Err(StoreError::Missing { .. })));
}

#[test]
fn a_kept_connection_is_not_used_for_another_format() {
    let place = Place::with(&[("a.x", "function a")]);
    let readers = ConnectionPool::default();
    drop(readers.open(&place.path()).unwrap());
    let db = rusqlite::Connection::open(place.path()).unwrap();
    db.pragma_update(None, "user_version", FORMAT + 1).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    assert!(matches!(readers.open(&place.path()), Err(StoreError::Newer { .. })));
}

#[test]
fn a_load_that_ends_early_leaves_the_old_index_and_no_rubbish() {
    let place = Place::with(&[("a.x", "function a")]);
    let before = listing(&place.open());
    let lock = place.lock();
    let mut bulk = BulkWriter::create(&place.path(), &lock, 1, 0).unwrap();
    bulk.put(&file("b.x", "function b")).unwrap();
    drop(bulk);
    fs::write(place.directory.path().join("index.db.new-1"), "half of a load that was killed").unwrap();
    assert_eq!(listing(&place.open()), before);
    drop(lock);
    place.load([file("b.x", "function b")]);
    let names: Vec<_> =
        fs::read_dir(place.directory.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("new-")), "{names:?}");
}

#[test]
fn a_log_of_the_old_index_never_reaches_the_new_one() {
    let place = large();
    let reader = place.open();
    let lock = place.lock();
    let mut writer = Writer::open(&place.path(), &lock).unwrap();
    writer.apply([put("late.x", "function late")]).unwrap();
    let before = listing(&reader);
    let mut bulk = BulkWriter::create(&place.path(), &lock, 1, 0).unwrap();
    bulk.put(&file("new.x", "function new")).unwrap();
    bulk.publish().unwrap();
    drop(writer);
    assert_eq!(listing(&reader), before);
    assert_eq!(place.open().known().unwrap().len(), 1);
    drop(reader);
    assert!(read_all(&place.path()).is_ok());
    drop(lock);
    place.apply([put("newer.x", "function newer")]);
    assert_eq!(place.open().known().unwrap().len(), 2);
}

#[test]
fn a_sibling_starts_from_a_copy_and_goes_its_own_way() {
    let (old, new) = (large(), Place::new());
    old.apply([put("late.x", "function late")]);
    let reader = old.open();
    copy_index(&old.path(), &new.path(), &new.lock()).unwrap();
    assert_eq!(listing(&new.open()), listing(&reader));
    let reader = new.open();
    assert_eq!(new.apply([remove("late.x")]).generation, 3, "a reader does not keep the first writer out");
    assert_eq!((reader.generation(), old.open().generation()), (2, 2));
    assert!(matches!(
        copy_index(&new.directory.path().join("none"), &new.path(), &new.lock()),
        Err(StoreError::Missing { .. })
    ));
    assert_eq!(new.open().generation(), 3);
}

#[test]
fn the_second_writer_waits_for_the_first() {
    let place = Place::with(&[("a.x", "function a")]);
    let first = place.lock();
    assert!(WriteLock::try_acquire(place.directory.path()).unwrap().is_none());
    assert_eq!(WriteLock::holder(place.directory.path()), Some(std::process::id()));
    let directory = place.directory.path().to_path_buf();
    let (waiting, waits) = mpsc::channel();
    let second = std::thread::spawn(move || {
        let lock =
            WriteLock::acquire(&directory, |_| waiting.send(()).is_ok()).unwrap().expect("it never gives up");
        Writer::open(&directory.join("index.db"), &lock)
            .unwrap()
            .apply([put("b.x", "function b")])
            .unwrap()
            .generation
    });
    waits.recv_timeout(Duration::from_secs(10)).expect("it tells that it waits");
    let done = Writer::open(&place.path(), &first).unwrap().apply([put("c.x", "function c")]).unwrap();
    assert_eq!(done.generation, 2);
    drop(first);
    assert_eq!(second.join().unwrap(), 3);
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(&[("a.x", "function a")]);
    place.apply([put("b.x", "function b")]);
    let expected = listing(&place.open());
    let odd = place.directory.path().join("odd %41?#& directory");
    fs::create_dir(&odd).unwrap();
    fs::copy(place.path(), odd.join("index.db")).unwrap();
    let protect = |mode| fs::set_permissions(&odd, fs::Permissions::from_mode(mode)).unwrap();
    protect(0o555);
    let writable = fs::write(odd.join("probe"), "").is_ok();
    let answer = Snapshot::open(&odd.join("index.db")).map(|snapshot| listing(&snapshot));
    let copy = Writer::in_memory_copy(&odd.join("index.db"))
        .map(|mut writer| writer.apply([remove("a.x")]).unwrap());
    let lock = WriteLock::try_acquire(&odd);
    protect(0o755);
    assert_eq!(answer.unwrap(), expected);
    assert_eq!(copy.unwrap().removed, 1);
    assert!(
        writable || matches!(lock, Err(StoreError::Unusable { .. })),
        "only an all-powerful user may write there"
    );
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_file_is_damage_and_never_followed() {
    for name in ["index.db", "index.db-wal", "index.db-shm", "index.db-journal"] {
        for hard in [false, true] {
            let (place, outside) = (Place::with(&[("a.x", "function a")]), tempfile::tempdir().unwrap());
            let (victim, planted) = (outside.path().join("victim"), place.directory.path().join(name));
            fs::write(&victim, "x".repeat(28_000)).unwrap();
            let _ = fs::remove_file(&planted);
            if hard {
                fs::hard_link(&victim, &planted).unwrap();
            } else {
                std::os::unix::fs::symlink(&victim, &planted).unwrap();
            }
            assert!(matches!(Snapshot::open(&place.path()), Err(StoreError::Damaged { .. })), "{name}");
            let lock = place.lock();
            assert!(matches!(Writer::open(&place.path(), &lock), Err(StoreError::Damaged { .. })), "{name}");
            drop(lock);
            place.load([file("b.x", "function b")]);
            place.apply([put("c.x", "function c")]);
            assert_eq!(place.open().known().unwrap().len(), 2, "{name}: a new load takes its place");
            assert_eq!(fs::read_to_string(&victim).unwrap(), "x".repeat(28_000), "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn all_files_are_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(&[("a.x", "function a")]);
    let reader = place.open();
    place.apply([put("b.x", "function b")]);
    let mut names = Vec::new();
    for entry in fs::read_dir(place.directory.path()).unwrap().flatten() {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["index.db", "index.db-seal", "index.db-shm", "index.db-wal", "lock", "open.lock"]);
    drop(reader);
}

/// What the killed processes do: change sets without end, and now and then a whole new load.
fn write_without_end(directory: &Path) -> ! {
    let path = directory.join("index.db");
    for round in 0.. {
        let lock = WriteLock::acquire(directory, |_| true).unwrap().unwrap();
        let text = format!("class Round{round}\n  method run\n  method stop{}", round % 3);
        if round % 7 == 0 {
            let mut bulk = BulkWriter::create(&path, &lock, 1, 0).unwrap();
            (0..40).for_each(|n| bulk.put(&file(&format!("f{n}.x"), &text)).unwrap());
            bulk.publish().unwrap();
        } else {
            let mut writer = Writer::open(&path, &lock).unwrap();
            for _ in 0..3 {
                writer.apply((0..40).map(|n| put(&format!("f{n}.x"), &text))).unwrap();
            }
        }
    }
    unreachable!("it is killed before")
}

/// The locks that this process holds on a file.
#[cfg(target_os = "linux")]
fn locks_on(path: &Path) -> usize {
    use std::os::unix::fs::MetadataExt;
    let (process, inode) = (std::process::id().to_string(), fs::metadata(path).unwrap().ino().to_string());
    let is_ours = |line: &&str| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.get(4) == Some(&process.as_str())
            && words.get(5).is_some_and(|id| id.rsplit(':').next() == Some(&inode))
    };
    fs::read_to_string("/proc/locks").unwrap().lines().filter(is_ours).count()
}

#[test]
#[cfg(target_os = "linux")]
fn opening_a_database_once_more_keeps_the_locks_of_its_readers() {
    let place = Place::with(&[("a.x", "function a")]);
    let reader = place.open();
    assert_eq!(locks_on(&place.path()), 1, "SQLite's, which tells other processes that the log is in use");
    drop(place.open());
    assert_eq!(locks_on(&place.path()), 1);
    drop(reader);
    assert_eq!(locks_on(&place.path()), 0);
}

#[test]
fn a_writer_killed_at_any_moment_leaves_the_last_committed_generation() {
    if let Some(directory) = std::env::var_os(CHILD) {
        write_without_end(Path::new(&directory));
    }
    let place = Place::new();
    place.load((0..40).map(|n| file(&format!("f{n}.x"), "class Start")));
    let mut before = 1;
    for round in 0..25 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "damage_and_locks::a_writer_killed_at_any_moment_leaves_the_last_committed_generation",
                "--nocapture",
            ])
            .env(CHILD, place.directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(30 + (round * 37) % 110));
        child.kill().unwrap();
        child.wait().unwrap();
        let snapshot = place.open();
        assert!(snapshot.generation() >= before, "{} after {before}", snapshot.generation());
        before = snapshot.generation();
        assert_eq!(snapshot.check().unwrap(), [""; 0]);
        let outlines: Vec<_> = snapshot
            .known()
            .unwrap()
            .iter()
            .map(|known| {
                let file = snapshot.file(&known.path).unwrap().unwrap();
                snapshot.outline(file.id).unwrap().unwrap()
            })
            .collect();
        assert_eq!(outlines.len(), 40);
        assert!(
            outlines.windows(2).all(|pair| pair[0] == pair[1]),
            "a change set is seen wholly or not at all"
        );
    }
    assert!(before > 1, "the children got to write something");
    place.apply([put("after.x", "function after")]);
}

#[test]
fn reading_a_page_detects_a_flipped_bit() {
    let whole = large();
    let expected = listing(&whole.open());
    let length = fs::metadata(whole.path()).unwrap().len();
    for (number, at) in (0..length).step_by(1777).enumerate() {
        let place = Place::new();
        copy_store(whole.directory.path(), place.directory.path());
        // Without a seal nothing but the checksum of the page can tell.
        fs::remove_file(place.directory.path().join("index.db-seal")).unwrap();
        let mut bytes = fs::read(place.path()).unwrap();
        bytes[usize::try_from(at).unwrap()] ^= 1 << (number % 8);
        fs::write(place.path(), bytes).unwrap();
        match Snapshot::open(&place.path()) {
            Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "byte {at}: {error}"),
            Ok(snapshot) => {
                assert_ne!(
                    snapshot.check().unwrap_or_else(|error| vec![error.to_string()]),
                    [""; 0],
                    "byte {at}"
                );
                assert!(damage(&place.path()).is_some(), "byte {at} is remembered");
            }
        }
    }
    assert_eq!(listing(&whole.open()), expected);
}

/// An index with a log that somebody keeps open, and a copy of all its files before the last changes.
fn with_a_log() -> (Place, Place, Snapshot) {
    let place = large();
    let reader = place.open();
    place.apply([put("late.x", "function late")]);
    let before = Place::new();
    copy_store(place.directory.path(), before.directory.path());
    place.apply((0..50).map(|n| put(&format!("f{n}.x"), "function other")));
    (place, before, reader)
}

#[test]
fn files_of_different_times_are_damage() {
    for taken in ["index.db", "index.db-wal"] {
        let (place, before, reader) = with_a_log();
        drop(reader);
        let copy = Place::new();
        copy_store(place.directory.path(), copy.directory.path());
        assert_eq!(listing(&copy.open()), listing(&place.open()), "a copy of all files is an index like any");
        if taken == "index.db" {
            // The first copy and the last differ by what was moved from the log.
            orient_store::checkpoint_wal(&copy.path());
        }
        let from = before.directory.path().join(taken);
        fs::copy(from, copy.directory.path().join(taken)).unwrap();
        let error = Snapshot::open(&copy.path()).err().expect("noticed");
        assert!(matches!(error, StoreError::Damaged { .. }), "{taken}: {error}");
        assert!(Writer::open(&copy.path(), &copy.lock()).is_err(), "{taken}: nobody writes to it");
    }
    let (place, _, reader) = with_a_log();
    let copy = Place::new();
    copy_store(place.directory.path(), copy.directory.path());
    drop(reader);
    fs::remove_file(copy.directory.path().join("index.db-wal")).unwrap();
    assert!(matches!(Snapshot::open(&copy.path()), Err(StoreError::Damaged { .. })), "its log is missing");
}

#[test]
fn shared_memory_that_was_overwritten_hides_nothing() {
    for page in 0..8 {
        let (place, _, reader) = with_a_log();
        let expected = listing(&place.open());
        let shared = place.directory.path().join("index.db-shm");
        overwrite(&shared, page * 4096, &[0x5a; 4096]);
        match Snapshot::open(&place.path()) {
            Ok(snapshot) => assert_eq!(listing(&snapshot), expected, "page {page}"),
            Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "page {page}: {error}"),
        }
        drop(reader);
    }
}

#[test]
fn an_index_that_is_cut_short_while_it_is_read_is_damaged() {
    let place = large();
    let readers = ConnectionPool::default();
    let expected = listing(&readers.open(&place.path()).unwrap());
    let length = fs::metadata(place.path()).unwrap().len();
    fs::remove_file(place.directory.path().join("index.db-seal")).unwrap();
    fs::OpenOptions::new().write(true).open(place.path()).unwrap().set_len(length / 2).unwrap();
    let read = readers.open(&place.path()).and_then(|snapshot| snapshot.check());
    assert!(!matches!(read.as_deref(), Ok([])), "half of it is gone");
    place.load(
        (0..300).map(|n| file(&format!("f{n}.x"), &format!("class C{n}\n  method run{n}\n  method stop"))),
    );
    assert_eq!(listing(&readers.open(&place.path()).unwrap()).len(), expected.len());
    assert!(readers.take_replaced(), "what is kept of the old file is of no use");
}
