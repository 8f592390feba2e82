//! Loose and packed objects, worktrees, alternates, shallow clones, and edits in the working tree.

use crate::fixture::{TestRepo, assert_same_as_git, changes, git, indexed_files, paths};
use orient_history::History;
use orient_model::RepoPath;

/// A history in which files are added, deleted and changed.
fn random_history() -> TestRepo {
    let repo = TestRepo::new();
    let mut state = 7_u64;
    for round in 0..12 {
        for file in 0..15 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let path = format!("d{}/e{}/f{file}.txt", file % 3, file % 2);
            match (state >> 33) % 5 {
                0 => drop(std::fs::remove_file(repo.root.join(&path))),
                1 | 2 => {
                    let lines: Vec<String> = (1..300).map(|n| ((state >> 40) % n).to_string()).collect();
                    repo.write(&path, &lines.join("\n"));
                }
                _ => {}
            }
        }
        repo.write("always.txt", &format!("{round}\n"));
        repo.commit(&format!("round {round}"));
    }
    repo
}

fn assert_all_same_as_git(repo: &TestRepo) {
    for back in 0..12 {
        assert_same_as_git(&repo.root, &format!("HEAD~{back}"));
    }
}

#[test]
fn loose_and_packed_objects_and_refs_are_read() {
    let repo = random_history();
    assert_all_same_as_git(&repo);
    repo.git(&["branch", "kept", "HEAD~5"]);
    repo.git(&["pack-refs", "--all"]);
    repo.git(&["repack", "-adfq", "--depth=50", "--window=50"]);
    assert_all_same_as_git(&repo);
    assert_same_as_git(&repo.root, "kept");
    // Partly packed; then one packfile with ref deltas.
    repo.write("always.txt", "more\n");
    repo.commit("more");
    assert_all_same_as_git(&repo);
    repo.git(&["-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq"]);
    assert_all_same_as_git(&repo);
}

#[test]
fn staged_and_unstaged_edits_are_changes() {
    let repo = random_history();
    repo.write("untracked.txt", "new\n");
    repo.write(".gitignore", "ignored.txt\n");
    repo.write("ignored.txt", "ignored\n");
    repo.write("always.txt", "edited\n");
    repo.git(&["add", "always.txt"]);
    repo.write("always.txt", "edited again\n");
    std::fs::write(repo.root.join("naïve name.txt"), "x\n").expect("writable");
    repo.git(&["config", "core.quotePath", "false"]);
    assert_all_same_as_git(&repo);
    // Edited, then restored.
    let before = std::fs::read(repo.root.join("d0/e0/f0.txt"));
    repo.write("d0/e0/f0.txt", "other\n");
    assert_all_same_as_git(&repo);
    if let Ok(bytes) = before {
        std::fs::write(repo.root.join("d0/e0/f0.txt"), bytes).expect("writable");
        assert_all_same_as_git(&repo);
    }
}

#[test]
fn file_with_the_stamp_of_the_git_index_is_not_read() {
    let repo = random_history();
    // The index is written a second after the files, so that its stamps are trusted.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    repo.git(&["update-index", "--refresh"]);
    repo.write("note.txt", "makes git write the index\n");
    repo.git(&["add", "note.txt"]);
    let files = indexed_files(&repo.root);
    let path = RepoPath::from("always.txt");
    let at = files.iter().position(|(known, _)| *known == path).expect("indexed");
    // The stamp is the one git saw, so the content on disk is not read.
    repo.write("always.txt", "changed without a new stamp\n");
    let mut history = History::open(&repo.root).expect("a repository");
    assert!(!history.changes("HEAD", &files, false).expect("known").contains_key(&path));
    let mut restamped = files.clone();
    restamped[at].1.mtime_ns += 1;
    assert!(history.changes("HEAD", &restamped, false).expect("known").contains_key(&path));
}

#[test]
fn worktree_has_its_own_head() {
    let repo = random_history();
    let other = repo.root.with_file_name("other");
    repo.git(&["worktree", "add", "-q", "-b", "aside", other.to_str().expect("text"), "HEAD~4"]);
    std::fs::write(other.join("here.txt"), "only here\n").expect("writable");
    assert_eq!(assert_same_as_git(&other, "HEAD"), ["here.txt"]);
    assert_same_as_git(&other, "main");
    assert_same_as_git(&other, "HEAD~2");
    repo.git(&["gc", "-q"]);
    assert_same_as_git(&other, "main");
}

#[test]
fn subdirectory_is_compared_with_its_subtree() {
    let repo = random_history();
    repo.write("d1/new.txt", "new\n");
    for dir in ["d0", "d1", "d1/e0", "d2"] {
        let dir = repo.root.join(dir);
        if dir.is_dir() {
            assert_same_as_git(&dir, "HEAD~6");
        }
    }
    assert!(paths(&repo.root.join("d1"), "HEAD").contains(&"new.txt".to_owned()));
}

#[test]
fn alternates_shallow_clones_and_index_version_4_are_read() {
    let repo = random_history();
    let near = |name: &str| repo.root.with_file_name(name);
    let text = |path: &std::path::Path| path.to_str().expect("text").to_owned();
    let shared = near("shared");
    repo.git(&["clone", "-q", "--shared", ".", &text(&shared)]);
    assert_same_as_git(&shared, "HEAD~6");
    let shallow = near("shallow");
    repo.git(&["clone", "-q", "--depth", "3", &format!("file://{}", text(&repo.root)), &text(&shallow)]);
    assert_same_as_git(&shallow, "HEAD~2");
    let error = changes(&shallow, "HEAD~3").expect_err("the clone is shallow");
    assert!(error.to_string().contains("the history is shorter"), "{error}");
    repo.git(&["update-index", "--index-version", "4"]);
    repo.write("always.txt", "four\n");
    assert_all_same_as_git(&repo);
}

#[test]
fn sha256_multi_pack_indexes_and_replaced_commits_are_read() {
    let repo = TestRepo::new();
    std::fs::remove_dir_all(repo.root.join(".git")).expect("it is there");
    repo.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    for round in 0..4 {
        repo.write("a.txt", &format!("{round}\n"));
        repo.commit("round");
        repo.git(&["repack", "-q"]);
    }
    assert_eq!(assert_same_as_git(&repo.root, "HEAD~2"), ["a.txt"]);
    let repo = random_history();
    repo.git(&["repack", "-q"]);
    repo.write("always.txt", "more\n");
    repo.commit("more");
    repo.git(&["repack", "-q"]);
    repo.git(&["multi-pack-index", "write"]);
    assert_all_same_as_git(&repo);
    repo.git(&["replace", "HEAD~3", "HEAD~6"]);
    assert_same_as_git(&repo.root, "HEAD~3");
    assert_same_as_git(&repo.root, "HEAD~5");
}

#[test]
fn object_that_a_partial_clone_lacks_is_named() {
    let repo = random_history();
    let partial = repo.root.with_file_name("partial");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let source = format!("file://{}", repo.root.display());
    repo.git(&["clone", "-q", "--filter=blob:none", &source, partial.to_str().expect("text")]);
    let files = indexed_files(&partial);
    let mut history = History::open(&partial).expect("a repository");
    let error = history.changes("HEAD~6", &files, true).expect_err("old blobs were not fetched");
    assert!(error.to_string().contains("the clone is partial"), "{error}");
}

#[test]
fn changed_lines_and_deletions_are_reported() {
    let repo = TestRepo::new();
    repo.write("a.c", "int f() {\n  return 1;\n}\n\nint g() {\n  return 2;\n}\n");
    repo.write("gone.c", "int h();\n");
    repo.commit("first");
    repo.write("a.c", "int f() {\n  return 7;\n}\n\nint g() {\n}\nint k();\n");
    repo.write("new.c", "one\ntwo\n");
    std::fs::remove_file(repo.root.join("gone.c")).expect("it is there");
    let found = changes(&repo.root, "HEAD").expect("known");
    let of = |path: &str| &found[&RepoPath::from(path)];
    assert_eq!((&of("a.c").lines[..], &of("a.c").deletions[..]), (&[2, 7][..], &[3, 6][..]));
    assert_eq!(of("new.c").lines, [1, 2]);
    assert!(of("gone.c").removed && !of("a.c").removed);
}

#[test]
fn crlf_line_ends_are_not_a_change() {
    let repo = TestRepo::new();
    repo.write("a.txt", "one\ntwo\n");
    repo.commit("first");
    repo.write("a.txt", "one\r\ntwo\r\n");
    assert!(paths(&repo.root, "HEAD").is_empty());
    repo.write("a.txt", "one\r\nTWO\r\n");
    let found = changes(&repo.root, "HEAD").expect("known");
    assert_eq!(found[&RepoPath::from("a.txt")].lines, [2]);
}

#[test]
fn symbolic_links_and_submodules_are_omitted() {
    let repo = TestRepo::new();
    let inner = repo.root.join("inner");
    std::fs::create_dir(&inner).expect("writable");
    git(&inner, &["init", "-q", "-b", "main"]);
    std::fs::write(inner.join("x.txt"), "x\n").expect("writable");
    git(&inner, &["add", "-A"]);
    git(&inner, &["commit", "-q", "-m", "inner"]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.txt", repo.root.join("link.txt")).expect("writable");
    repo.write("a.txt", "a\n");
    repo.git(&["-c", "advice.addEmbeddedRepo=false", "add", "-A"]);
    repo.git(&["commit", "-q", "-m", "first"]);
    assert!(!paths(&repo.root, "HEAD").iter().any(|path| path.contains("link") || path == "a.txt"));
}
