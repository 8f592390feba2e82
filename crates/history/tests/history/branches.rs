//! The files that a switch to another branch would write.

use crate::fixture::{TestRepo, git};
use orient_history::{History, Tip};
use std::path::Path;

/// `main` checked out, and two branches that diverged from it, the second later.
fn diverged() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.txt", "one\n");
    repo.write("deep/b.txt", "two\n");
    repo.write("deep/same/c.txt", "three\n");
    repo.commit("first");
    for (branch, seconds) in [("older", 1_000_000_000), ("newer", 1_100_000_000)] {
        repo.git(&["checkout", "-q", "-b", branch, "main"]);
        repo.write("deep/b.txt", &format!("{branch}\n"));
        repo.write(&format!("deep/{branch}/d.txt"), "four\n");
        std::fs::remove_file(repo.root.join("a.txt")).expect("it was there");
        repo.git(&["add", "-A"]);
        let (tree, parent) = (repo.git(&["write-tree"]), repo.git(&["rev-parse", "HEAD"]));
        let who = format!("A <a@b> {seconds} +0000");
        let commit = format!("tree {tree}parent {parent}author {who}\ncommitter {who}\n\n{branch}\n");
        repo.write(".git/commit", &commit);
        let commit = repo.git(&["hash-object", "-t", "commit", "-w", ".git/commit"]);
        repo.git(&["reset", "-q", "--hard", commit.trim()]);
    }
    repo.git(&["checkout", "-q", "main"]);
    repo
}

fn commits(root: &Path) -> Vec<String> {
    History::open(root)
        .and_then(|mut history| history.tips())
        .expect("a repository")
        .iter()
        .map(Tip::to_string)
        .collect()
}

fn commit_of(repo: &TestRepo, name: &str) -> String {
    repo.git(&["rev-parse", name]).trim().to_owned()
}

#[test]
fn tips_are_newest_first_without_the_current_branch() {
    let repo = diverged();
    let (older, newer) = (commit_of(&repo, "older"), commit_of(&repo, "newer"));
    assert_eq!(commits(&repo.root), [newer.clone(), older.clone()]);
    // Two branches with one commit are one tip, loose or packed.
    repo.git(&["branch", "again", "newer"]);
    repo.git(&["pack-refs", "--all"]);
    assert_eq!(commits(&repo.root), [newer, older]);
}

#[test]
fn remote_tips_are_the_default_branch_and_the_one_of_the_same_name() {
    let repo = diverged();
    let clone = repo.root.parent().expect("a parent").join("clone");
    git(&repo.root, &["clone", "-q", ".", clone.to_str().expect("a name")]);
    repo.write("a.txt", "later\n");
    repo.commit("later");
    repo.git(&["branch", "another"]);
    repo.git(&["checkout", "-q", "older"]);
    git(&clone, &["fetch", "-q"]);
    assert_eq!(
        commits(&clone),
        [commit_of(&repo, "main")],
        "not `origin/older`, which is neither the default nor the current branch"
    );
    git(&clone, &["checkout", "-q", "newer"]);
    assert_eq!(commits(&clone).len(), 2, "the local `main` and the remote one");
}

#[test]
fn incoming_files_are_those_of_git_diff() {
    let repo = diverged();
    for root in [repo.root.clone(), repo.root.join("deep")] {
        let mut history = History::open(&root).expect("a repository");
        for tip in history.tips().expect("two branches") {
            let incoming = history.incoming_files(&tip).expect("a healthy repository");
            let paths: Vec<String> = incoming.iter().map(|file| file.path.display().into_owned()).collect();
            let commit = tip.to_string();
            let args = ["diff", "--name-only", "--no-renames", "--relative", "--diff-filter=AM", "HEAD"];
            let differing = git(&root, &[&args[..], &[&commit]].concat());
            assert_eq!(paths, differing.lines().collect::<Vec<_>>());
            for file in &incoming {
                let name = format!("{commit}:./{}", file.path.display());
                assert_eq!(
                    *history.read(file).expect("its content"),
                    git(&root, &["show", &name]).as_bytes()
                );
                assert_eq!(file.replaces, file.path.as_bytes().ends_with(b"b.txt"));
            }
        }
    }
}

#[test]
fn branch_without_a_valid_commit_is_omitted() {
    let repo = diverged();
    repo.write(".git/refs/heads/broken", "0123456789012345678901234567890123456789\n");
    repo.write(".git/refs/heads/nonsense", "not a commit\n");
    assert_eq!(commits(&repo.root).len(), 2);
}

/// The names that git lists, in order.
fn listed(repo: &TestRepo, arguments: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = repo.git(arguments).lines().map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn branches_and_tags_that_contain_a_commit_are_those_that_git_lists() {
    let repo = diverged();
    repo.git(&["tag", "v1", "main"]);
    repo.git(&["tag", "--annotate", "--message", "signed", "v2", "newer"]);
    repo.git(&["pack-refs", "--all"]);
    let mut history = History::open(&repo.root).expect("a repository");
    for name in ["main", "older", "newer"] {
        let commit = history.revision(name).expect("a commit");
        let mut found = history.containing_refs(&commit).expect("readable").expect("few commits");
        let format = "--format=%(refname:short)";
        assert_eq!(found.branches, listed(&repo, &["branch", format, "--contains", name]), "{name}");
        if name == "main" {
            assert_eq!(found.tags.last().map(String::as_str), Some("v1"), "the fixture dates it last");
        }
        found.tags.sort();
        assert_eq!(found.tags, listed(&repo, &["tag", format, "--contains", name]), "{name}");
    }
}
