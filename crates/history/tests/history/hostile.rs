//! Missing, corrupt, unsupported and malicious repositories.

use crate::fixture::{TestRepo, changes, paths};
use orient_history::HistoryError;
use std::path::{Path, PathBuf};

fn objects(repo: &TestRepo) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut stack = vec![repo.root.join(".git/objects")];
    while let Some(dir) = stack.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() { stack.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// Replaces an object file, which git makes read-only.
fn overwrite(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).expect("it is there");
    std::fs::write(path, bytes).expect("writable");
}

#[test]
fn no_repository_and_no_commit_are_errors() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    assert!(matches!(changes(dir.path(), "HEAD"), Err(HistoryError::NoRepository(_))));
    let repo = TestRepo::new();
    let error = changes(&repo.root, "HEAD").expect_err("there is no commit yet");
    assert!(matches!(error, HistoryError::Unusable { .. }), "{error}");
}

#[test]
fn unsupported_formats_are_named() {
    let repo = TestRepo::new();
    std::fs::remove_dir_all(repo.root.join(".git")).expect("it is there");
    repo.git(&["init", "-q", "-b", "main"]);
    std::fs::create_dir(repo.root.join(".git/reftable")).expect("writable");
    let error = changes(&repo.root, "main").expect_err("another form of names");
    assert!(error.to_string().contains("reftable"), "{error}");
}

#[test]
fn hooks_filters_and_includes_are_never_run_or_read() {
    let repo = TestRepo::new();
    repo.write("a.txt", "a\n");
    repo.write(".gitattributes", "*.txt filter=evil diff=evil\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "first"]);
    let trap = repo.root.with_file_name("sprung");
    let run = format!("touch {}", trap.display());
    for hook in ["post-checkout", "fsmonitor-watchman", "post-index-change"] {
        let path = repo.root.join(".git/hooks").join(hook);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
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
    std::fs::write(repo.root.join(".git/config"), config).expect("writable");
    repo.write("a.txt", "b\n");
    assert_eq!(paths(&repo.root, "HEAD"), ["a.txt"]);
    assert!(!trap.exists());
}

#[cfg(unix)]
#[test]
fn refs_that_are_cycles_links_or_devices_do_not_resolve() {
    use std::os::unix::fs::symlink;
    let repo = TestRepo::new();
    repo.write("a.txt", "a\n");
    repo.commit("first");
    let heads = repo.root.join(".git/refs/heads");
    std::fs::write(heads.join("ring"), "ref: refs/heads/gnir\n").expect("writable");
    std::fs::write(heads.join("gnir"), "ref: refs/heads/ring\n").expect("writable");
    std::fs::write(heads.join("out"), "ref: ../../../../etc/passwd\n").expect("writable");
    symlink("/dev/zero", heads.join("endless")).expect("writable");
    symlink("/etc/passwd", heads.join("secret")).expect("writable");
    std::fs::write(repo.root.join(".git/objects/info/alternates"), "/dev\n/\n").expect("writable");
    for name in ["ring", "out", "endless", "secret", "../HEAD", "/etc/passwd"] {
        let error = changes(&repo.root, name).expect_err("no commit");
        assert!(!error.to_string().contains("root:"), "{name}: {error}");
    }
    assert!(paths(&repo.root, "main").is_empty());
}

#[test]
fn cyclic_alternates_are_an_error() {
    let repo = TestRepo::new();
    repo.write("a.txt", "a\n");
    repo.commit("first");
    std::fs::write(repo.root.join(".git/objects/info/alternates"), "../objects\n").expect("writable");
    let error = changes(&repo.root, "main").expect_err("a cycle");
    assert!(matches!(error, HistoryError::Damaged(_)), "{error}");
}

#[test]
fn corrupt_objects_never_panic() {
    let repo = TestRepo::new();
    for round in 0..4 {
        let lines: Vec<String> = (0..200).map(|n| (n * round).to_string()).collect();
        repo.write("a.txt", &lines.join("\n"));
        repo.commit("round");
    }
    for pack in [false, true] {
        if pack {
            repo.git(&["gc", "-q"]);
        }
        for path in objects(&repo) {
            let whole = std::fs::read(&path).expect("readable");
            for cut in [0, whole.len() / 2, whole.len().saturating_sub(1)] {
                overwrite(&path, &whole[..cut]);
                drop(changes(&repo.root, "HEAD~2"));
            }
            for at in (0..whole.len()).step_by(whole.len() / 12 + 1) {
                let mut flipped = whole.clone();
                flipped[at] ^= 0xff;
                overwrite(&path, &flipped);
                drop(changes(&repo.root, "HEAD~2"));
            }
            overwrite(&path, &whole);
        }
        assert_eq!(paths(&repo.root, "HEAD~2"), ["a.txt"]);
    }
    std::fs::write(repo.root.join(".git/index"), b"DIRC\0\0\0\x04\xff\xff\xff\xff").expect("writable");
    assert_eq!(paths(&repo.root, "HEAD~2"), ["a.txt"]);
}
