//! What a switch to another branch would write.

use crate::support::{Made, git};
use orient_history::{History, Tip};
use std::path::Path;

/// `main` checked out, and two branches that parted from it, the second later.
fn parted() -> Made {
    let made = Made::new();
    made.write("a.txt", "one\n");
    made.write("deep/b.txt", "two\n");
    made.write("deep/same/c.txt", "three\n");
    made.commit("first");
    for (branch, seconds) in [("older", 1_000_000_000), ("newer", 1_100_000_000)] {
        made.git(&["checkout", "-q", "-b", branch, "main"]);
        made.write("deep/b.txt", &format!("{branch}\n"));
        made.write(&format!("deep/{branch}/d.txt"), "four\n");
        std::fs::remove_file(made.root.join("a.txt")).expect("it was there");
        made.git(&["add", "-A"]);
        let (tree, parent) = (made.git(&["write-tree"]), made.git(&["rev-parse", "HEAD"]));
        let who = format!("A <a@b> {seconds} +0000");
        let commit = format!("tree {tree}parent {parent}author {who}\ncommitter {who}\n\n{branch}\n");
        made.write(".git/commit", &commit);
        let commit = made.git(&["hash-object", "-t", "commit", "-w", ".git/commit"]);
        made.git(&["reset", "-q", "--hard", commit.trim()]);
    }
    made.git(&["checkout", "-q", "main"]);
    made
}

fn commits(root: &Path) -> Vec<String> {
    History::open(root)
        .and_then(|mut history| history.tips())
        .expect("a repository")
        .iter()
        .map(Tip::to_string)
        .collect()
}

fn commit_of(made: &Made, name: &str) -> String {
    made.git(&["rev-parse", name]).trim().to_owned()
}

#[test]
fn branches_come_newest_first_without_the_one_that_is_checked_out() {
    let made = parted();
    let (older, newer) = (commit_of(&made, "older"), commit_of(&made, "newer"));
    assert_eq!(commits(&made.root), [newer.clone(), older.clone()]);
    // Two names for one commit are one place to go to, however names are kept.
    made.git(&["branch", "again", "newer"]);
    made.git(&["pack-refs", "--all"]);
    assert_eq!(commits(&made.root), [newer, older]);
}

#[test]
fn of_other_repositories_their_first_branch_counts_and_the_one_of_the_same_name() {
    let made = parted();
    let clone = made.root.parent().expect("a folder").join("clone");
    git(&made.root, &["clone", "-q", ".", clone.to_str().expect("a name")]);
    made.write("a.txt", "later\n");
    made.commit("later");
    made.git(&["branch", "another"]);
    made.git(&["checkout", "-q", "older"]);
    git(&clone, &["fetch", "-q"]);
    assert_eq!(
        commits(&clone),
        [commit_of(&made, "main")],
        "not `origin/older`, which is nobody's choice yet"
    );
    git(&clone, &["checkout", "-q", "newer"]);
    assert_eq!(commits(&clone).len(), 2, "`main` here, and as it is there");
}

#[test]
fn what_a_switch_writes_is_what_git_says_differs() {
    let made = parted();
    for root in [made.root.clone(), made.root.join("deep")] {
        let mut history = History::open(&root).expect("a repository");
        for tip in history.tips().expect("two branches") {
            let brought = history.brought_by(&tip).expect("a healthy repository");
            let paths: Vec<String> = brought.iter().map(|file| file.path.display().into_owned()).collect();
            let commit = tip.to_string();
            let args = ["diff", "--name-only", "--no-renames", "--relative", "--diff-filter=AM", "HEAD"];
            let differing = git(&root, &[&args[..], &[&commit]].concat());
            assert_eq!(paths, differing.lines().collect::<Vec<_>>());
            for file in &brought {
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
fn a_branch_that_leads_nowhere_is_left_out() {
    let made = parted();
    made.write(".git/refs/heads/broken", "0123456789012345678901234567890123456789\n");
    made.write(".git/refs/heads/nonsense", "not a commit\n");
    assert_eq!(commits(&made.root).len(), 2);
}
