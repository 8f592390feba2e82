//! Which directories and files are used, and what becomes of those that others could read.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where it must not")]

use orient_safefs::{Access, Directory, UnsafePath, UnsafeReason};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn mode(path: impl AsRef<Path>) -> u32 {
    path.as_ref().metadata().unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A temporary directory, and its real path.
fn place() -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let path = directory.path().canonicalize().unwrap();
    (directory, path)
}

fn reason<T>(result: std::io::Result<T>) -> Option<UnsafeReason> {
    UnsafePath::of(&result.err().unwrap()).map(|unsafe_path| unsafe_path.reason)
}

#[test]
fn what_is_made_is_closed_to_others() {
    let (_held, top) = place();
    let directory = Directory::create(&top.join("a/b")).unwrap();
    assert_eq!((mode(top.join("a")), mode(top.join("a/b"))), (0o700, 0o700));
    directory.replace("note", b"words").unwrap();
    directory.file("lock", Access::Write).unwrap();
    assert_eq!((mode(top.join("a/b/note")), mode(top.join("a/b/lock"))), (0o600, 0o600));
    assert_eq!(directory.read("note", 3).unwrap().as_deref(), Some(&b"wor"[..]));
    assert_eq!(directory.read("none", 3).unwrap(), None);
    assert_eq!(directory.names().unwrap(), ["lock", "note"]);
}

#[test]
fn what_was_open_to_others_is_closed() {
    let (_held, top) = place();
    fs::write(top.join("read"), "").unwrap();
    fs::write(top.join("checked"), "").unwrap();
    for path in ["", "read", "checked"] {
        set_mode(top.join(path), 0o755);
    }
    let directory = Directory::open(&top).unwrap();
    directory.file("read", Access::Read).unwrap();
    directory.checked("checked").unwrap().unwrap();
    assert_eq!((mode(&top), mode(top.join("read")), mode(top.join("checked"))), (0o700, 0o700, 0o700));
}

#[test]
fn a_shared_directory_is_closed_only_where_all_in_it_is_ours() {
    let (_held, top) = place();
    set_mode(&top, 0o755);
    fs::write(top.join("ours-1"), "").unwrap();
    fs::write(top.join("theirs"), "").unwrap();
    let directory = Directory::shared(&top).unwrap();
    directory.make_private(|name| name.starts_with("ours")).unwrap();
    assert_eq!(mode(&top), 0o755);
    fs::remove_file(top.join("theirs")).unwrap();
    directory.make_private(|name| name.starts_with("ours")).unwrap();
    assert_eq!(mode(&top), 0o700);
}

#[test]
fn links_are_refused_wherever_they_are() {
    let (_held, top) = place();
    fs::create_dir_all(top.join("real/below")).unwrap();
    fs::write(top.join("real/file"), "words").unwrap();
    symlink("real", top.join("link")).unwrap();
    symlink("file", top.join("real/link")).unwrap();
    for path in ["link", "link/below", "link/missing"] {
        assert_eq!(reason(Directory::open(&top.join(path))), Some(UnsafeReason::Link), "{path}");
        assert_eq!(reason(Directory::create(&top.join(path))), Some(UnsafeReason::Link), "{path}");
    }
    assert_eq!(reason(Directory::open(&top.join("real/file"))), Some(UnsafeReason::NotADirectory));
    assert!(!top.join("real/missing").exists());
    let directory = Directory::open(&top.join("real")).unwrap();
    for access in [Access::Read, Access::Write] {
        assert_eq!(reason(directory.file("link", access)), Some(UnsafeReason::Link));
        assert_eq!(reason(directory.file("below", access)), Some(UnsafeReason::NotAFile));
    }
    assert_eq!(reason(directory.checked("link")), Some(UnsafeReason::Link));
    directory.replace("link", b"new").unwrap();
    assert_eq!(fs::read_to_string(top.join("real/file")).unwrap(), "words", "the link was replaced");
}

#[test]
fn a_file_with_other_names_keeps_its_mode() {
    let (_held, top) = place();
    fs::write(top.join("victim"), "words").unwrap();
    set_mode(top.join("victim"), 0o644);
    let directory = Directory::create(&top.join("own")).unwrap();
    fs::hard_link(top.join("victim"), top.join("own/lock")).unwrap();
    let file = directory.file("lock", Access::Write).unwrap();
    assert!(!Directory::is_sole_name(&file));
    assert_eq!(reason(directory.checked("lock")), Some(UnsafeReason::Linked));
    assert_eq!(mode(top.join("victim")), 0o644);
}

#[test]
fn a_directory_stays_the_one_that_was_opened() {
    let (_held, top) = place();
    let directory = Directory::create(&top.join("own")).unwrap();
    assert!(directory.is_in_place());
    fs::rename(top.join("own"), top.join("moved")).unwrap();
    fs::create_dir(top.join("other")).unwrap();
    symlink("other", top.join("own")).unwrap();
    assert!(!directory.is_in_place());
    directory.replace("note", b"words").unwrap();
    directory.probe().unwrap();
    assert_eq!(fs::read_dir(top.join("other")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(top.join("moved")).unwrap().count(), 1);
    if let Some(name) = directory.descriptor_path("note") {
        assert_eq!(fs::read_to_string(name).unwrap(), "words");
    }
}

#[test]
fn a_directory_of_another_user_is_refused() {
    let (_held, top) = place();
    if std::os::unix::fs::chown(&top, Some(12_345), None).is_err() {
        eprintln!("skipped: only the superuser can give a directory away");
        return;
    }
    assert_eq!(reason(Directory::open(&top)), Some(UnsafeReason::Owner(12_345)));
    assert!(Directory::existing(&top).is_ok(), "it may be passed through");
}
