//! Repositories that are not there, damaged, of another kind, or made to do harm.

use crate::support::{Made, changes, paths};
use orient_history::HistoryError;
use std::path::{Path, PathBuf};

fn objects(made: &Made) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut waiting = vec![made.root.join(".git/objects")];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() { waiting.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// Files of objects are read-only.
fn put(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).expect("it is there");
    std::fs::write(path, bytes).expect("writable");
}

#[test]
fn outside_of_a_repository_that_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(changes(folder.path(), "HEAD"), Err(HistoryError::NoRepository(_))));
    let made = Made::new();
    let error = changes(&made.root, "HEAD").expect_err("there is no commit yet");
    assert!(matches!(error, HistoryError::Unknown { .. }), "{error}");
}

#[test]
fn kinds_of_repositories_that_are_not_read_are_named() {
    let made = Made::new();
    std::fs::remove_dir_all(made.root.join(".git")).expect("it is there");
    made.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    made.write("a", "a");
    made.commit("first");
    let error = changes(&made.root, "main").expect_err("another hash");
    assert!(error.to_string().contains("SHA-256"), "{error}");
    std::fs::create_dir(made.root.join(".git/reftable")).expect("writable");
    let error = changes(&made.root, "main").expect_err("another form of names");
    assert!(error.to_string().contains("reftable"), "{error}");
}

#[test]
fn nothing_a_repository_names_is_run_or_read() {
    let made = Made::new();
    made.write("a.txt", "a\n");
    made.write(".gitattributes", "*.txt filter=evil diff=evil\n");
    made.git(&["add", "-A"]);
    made.git(&["commit", "-q", "-m", "first"]);
    let trap = made.root.with_file_name("sprung");
    let run = format!("touch {}", trap.display());
    for hook in ["post-checkout", "fsmonitor-watchman", "post-index-change"] {
        let path = made.root.join(".git/hooks").join(hook);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(&path, format!("#!/bin/sh\n{run}\n")).expect("writable");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
        }
    }
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {run}\n\tpager = {run}\n[filter \"evil\"]\n\tclean = {run}\n\
         \tsmudge = {run}\n[diff \"evil\"]\n\tcommand = {run}\n\ttextconv = {run}\n[include]\n\tpath = /dev/zero\n"
    );
    std::fs::write(made.root.join(".git/config"), config).expect("writable");
    made.write("a.txt", "b\n");
    assert_eq!(paths(&made.root, "HEAD"), ["a.txt"]);
    assert!(!trap.exists());
}

#[cfg(unix)]
#[test]
fn names_that_are_links_rings_or_devices_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let made = Made::new();
    made.write("a.txt", "a\n");
    made.commit("first");
    let heads = made.root.join(".git/refs/heads");
    std::fs::write(heads.join("ring"), "ref: refs/heads/gnir\n").expect("writable");
    std::fs::write(heads.join("gnir"), "ref: refs/heads/ring\n").expect("writable");
    std::fs::write(heads.join("out"), "ref: ../../../../etc/passwd\n").expect("writable");
    symlink("/dev/zero", heads.join("endless")).expect("writable");
    symlink("/etc/passwd", heads.join("secret")).expect("writable");
    std::fs::write(made.root.join(".git/objects/info/alternates"), "/dev\n/\n../objects\n")
        .expect("writable");
    for name in ["ring", "out", "endless", "secret", "../HEAD", "/etc/passwd"] {
        let error = changes(&made.root, name).expect_err("no commit");
        assert!(!error.to_string().contains("root:"), "{name}: {error}");
    }
    assert!(paths(&made.root, "main").is_empty());
}

#[test]
fn a_damaged_object_is_an_error_and_no_more() {
    let made = Made::new();
    for round in 0..4 {
        let lines: Vec<String> = (0..200).map(|n| (n * round).to_string()).collect();
        made.write("a.txt", &lines.join("\n"));
        made.commit("round");
    }
    for pack in [false, true] {
        if pack {
            made.git(&["gc", "-q"]);
        }
        for path in objects(&made) {
            let whole = std::fs::read(&path).expect("readable");
            for cut in [0, whole.len() / 2, whole.len().saturating_sub(1)] {
                put(&path, &whole[..cut]);
                drop(changes(&made.root, "HEAD~2"));
            }
            for at in (0..whole.len()).step_by(whole.len() / 12 + 1) {
                let mut other = whole.clone();
                other[at] ^= 0xff;
                put(&path, &other);
                drop(changes(&made.root, "HEAD~2"));
            }
            put(&path, &whole);
        }
        assert_eq!(paths(&made.root, "HEAD~2"), ["a.txt"]);
    }
    std::fs::write(made.root.join(".git/index"), b"DIRC\0\0\0\x04\xff\xff\xff\xff").expect("writable");
    assert_eq!(paths(&made.root, "HEAD~2"), ["a.txt"]);
}
