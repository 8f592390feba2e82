//! Logs, blame and the pickaxe, compared with git itself on generated histories.

use crate::fixture::{Stream, TestRepo, git};
use orient_history::ChangeKind::{Added, Copied, Deleted, Renamed};
use orient_history::{ChangeKind, History};
use orient_model::RepoPath;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

fn blame_of(root: &Path, path: &str) -> Vec<String> {
    let mut history = History::open(root).expect("a repository");
    let head = history.revision("HEAD").expect("a commit");
    let ranges =
        history.blame(head, &RepoPath::from(path), &BTreeSet::new()).expect("readable").expect("a file");
    ranges.iter().flat_map(|range| (0..range.count).map(|_| range.commit.to_string())).collect()
}

fn git_blame(root: &Path, path: &str) -> Vec<String> {
    let text = git(root, &["blame", "-s", "-l", "--root", "--abbrev=40", "HEAD", "--", path]);
    text.lines().filter_map(|line| line.split(' ').next()).map(|id| id[..40].to_owned()).collect()
}

fn log_of(root: &Path, path: &str) -> Vec<(String, ChangeKind)> {
    let mut history = History::open(root).expect("a repository");
    let head = history.revision("HEAD").expect("a commit");
    let mut found = Vec::new();
    let visit = &mut |_: &mut History, id: orient_history::Oid, change: orient_history::PathChange| {
        found.push((id.to_string(), change.kind));
        Ok(ControlFlow::Continue(()))
    };
    history.path_log(head, &RepoPath::from(path), visit).expect("readable");
    found
}

fn pickaxe_of(root: &Path, needle: &str) -> BTreeSet<String> {
    let mut history = History::open(root).expect("a repository");
    let head = history.revision("HEAD").expect("a commit");
    let pattern = regex::bytes::Regex::new(&regex::escape(needle)).expect("a pattern");
    let mut found = BTreeSet::new();
    let visit = &mut |_: &mut History, id: orient_history::Oid, _: Vec<orient_history::OccurrenceChange>| {
        found.insert(id.to_string());
        Ok(ControlFlow::Continue(()))
    };
    history.occurrences(head, pattern, visit).expect("readable");
    found
}

fn ids(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_owned).collect()
}

/// An edit of a file: lines are inserted, deleted or moved, the file is renamed, or a branch is merged.
#[derive(Clone, Debug)]
enum Edit {
    Insert(usize, usize),
    Delete(usize, usize),
    Rename(u8),
    Branch(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => (0..60_usize, 1..6_usize).prop_map(|(at, count)| Edit::Insert(at, count)),
        3 => (0..60_usize, 1..6_usize).prop_map(|(at, count)| Edit::Delete(at, count)),
        1 => (0..4_u8).prop_map(Edit::Rename),
        2 => (0..60_usize).prop_map(Edit::Branch),
    ]
}

/// Applies edits, one commit each, and returns the repository with the current path. Commits are a minute apart, and every
/// line is unique, so that there is one shortest diff.
fn history(edits: &[Edit]) -> (TestRepo, String) {
    let repo = TestRepo::new();
    let mut lines: Vec<String> = (0..30).map(|n| format!("line {n}")).collect();
    let (mut path, mut next) = ("a.txt".to_owned(), 30);
    let mut time = 1_600_000_000;
    let mut commit = |message: &str| {
        time += 60;
        let date = format!("{time} +0000");
        repo.git(&["add", "-A"]);
        repo.git(&[
            "-c",
            &format!("user.name=A{}", time % 7),
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            message,
            "--date",
            &date,
        ]);
        let command = format!(
            "GIT_COMMITTER_DATE='{date}' git commit -q --amend --allow-empty --no-edit --date '{date}'"
        );
        let mut shell = std::process::Command::new("sh");
        let identity = [("GIT_COMMITTER_NAME", "c"), ("GIT_COMMITTER_EMAIL", "c@example.com")];
        assert!(
            shell
                .args(["-c", &command])
                .current_dir(&repo.root)
                .envs(identity)
                .status()
                .expect("git runs")
                .success()
        );
    };
    let mut insert = |lines: &mut Vec<String>, at: usize, count: usize| {
        for _ in 0..count {
            let at = at.min(lines.len());
            lines.insert(at, format!("line {next}"));
            next += 1;
        }
    };
    repo.write(&path, &(lines.join("\n") + "\n"));
    commit("first");
    for edit in edits {
        match *edit {
            Edit::Insert(at, count) => insert(&mut lines, at, count),
            Edit::Delete(at, count) => {
                let start = at.min(lines.len().saturating_sub(8));
                let end = (start + count).min(lines.len().saturating_sub(7)).max(start);
                lines.drain(start..end);
            }
            Edit::Rename(number) => {
                let to = format!("dir{number}/b{number}.txt");
                if to != path {
                    std::fs::remove_file(repo.root.join(&path)).expect("it is there");
                    path = to;
                }
            }
            Edit::Branch(at) => {
                // One side changes the start of the file, the other its end.
                repo.git(&["checkout", "-q", "-b", "side"]);
                let mut other = lines.clone();
                let end = other.len();
                insert(&mut other, end, 2);
                repo.write(&path, &(other.join("\n") + "\n"));
                commit("side");
                repo.git(&["checkout", "-q", "main"]);
                insert(&mut lines, at.min(5), 1);
                repo.write(&path, &(lines.join("\n") + "\n"));
                commit("main");
                repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
                repo.git(&["branch", "-q", "-D", "side"]);
                let text = std::fs::read_to_string(repo.root.join(&path)).expect("merged");
                lines = text.lines().map(str::to_owned).collect();
                continue;
            }
        }
        repo.write(&path, &(lines.join("\n") + "\n"));
        commit("edit");
    }
    (repo, path)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 8, ..ProptestConfig::default() })]

    #[test]
    fn blame_log_and_pickaxe_equal_git(edits in proptest::collection::vec(edit(), 1..10), needle in 0..60_u32) {
        let (repo, path) = history(&edits);
        prop_assert_eq!(blame_of(&repo.root, &path), git_blame(&repo.root, &path));
        let ours: BTreeSet<String> = log_of(&repo.root, &path).into_iter().map(|(id, _)| id).collect();
        let gits = ids(&repo.git(&["log", "--follow", "--format=%H", "--", &path]));
        prop_assert_eq!(ours, gits);
        let needle = format!("line {needle}\n");
        let gits = ids(&repo.git(&["log", "--format=%H", &format!("-S{needle}")]));
        prop_assert_eq!(pickaxe_of(&repo.root, &needle), gits);
    }
}

#[test]
fn log_of_a_path_follows_renames_copies_and_deletions() {
    let repo = TestRepo::new();
    let text = (0..40).map(|n| format!("some line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    repo.write("old/a.c", &text);
    repo.commit("added");
    repo.git(&["mv", "old", "new"]);
    repo.write("new/a.c", &text.replace("line 7", "LINE 7"));
    repo.commit("renamed with a change");
    repo.write("copy.c", &text);
    repo.commit("copied");
    std::fs::remove_file(repo.root.join("new/a.c")).expect("it is there");
    repo.commit("deleted");
    repo.write("new/a.c", "entirely different\n");
    repo.commit("added again");
    let kinds: Vec<ChangeKind> = log_of(&repo.root, "new/a.c").into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [Added, Deleted, Renamed, Added]);
    let kinds: Vec<ChangeKind> = log_of(&repo.root, "copy.c").into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [Copied, Renamed, Added]);
}

#[test]
fn of_files_with_equal_content_the_one_from_the_same_directory_was_renamed() {
    let repo = TestRepo::new();
    for package in ["zinc", "iron", "gold"] {
        repo.write(&format!("{package}/LICENSE"), "Do as you like.\n");
        repo.commit(package);
    }
    std::fs::create_dir(repo.root.join("crates")).expect("a directory");
    for package in ["zinc", "iron", "gold"] {
        repo.git(&["mv", package, &format!("crates/{package}")]);
    }
    repo.commit("all moved");
    for package in ["zinc", "iron", "gold"] {
        let path = format!("crates/{package}/LICENSE");
        let log = log_of(&repo.root, &path);
        let subject = repo.git(&["log", "-1", "--format=%s", &log[1].0]);
        assert_eq!(subject.trim(), package, "the commit before the move of {path}");
    }
}

#[test]
fn file_renamed_on_one_branch_is_followed_on_both() {
    let repo = TestRepo::new();
    let text = (0..40).map(|n| format!("some line {n}")).collect::<Vec<_>>().join("\n") + "\n";
    repo.write("a.c", &text);
    repo.commit("first");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("a.c", &text.replace("line 3\n", "line three\n"));
    repo.commit("side keeps the name");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["mv", "a.c", "b.c"]);
    repo.commit("renamed");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    assert_eq!(log_of(&repo.root, "b.c").len(), 3);
    assert_eq!(blame_of(&repo.root, "b.c"), git_blame(&repo.root, "b.c"));
}

#[test]
fn line_log_equals_git_log_l() {
    let repo = TestRepo::new();
    let mut lines: Vec<String> = (1..=20).map(|n| format!("line {n}")).collect();
    let write = |lines: &[String], message: &str| {
        repo.write("a.txt", &(lines.join("\n") + "\n"));
        repo.commit(message);
    };
    write(&lines, "first");
    lines[9] = "line ten".to_owned();
    write(&lines, "inside");
    lines.insert(0, "top".to_owned());
    write(&lines, "above");
    lines.push("bottom".to_owned());
    write(&lines, "below");
    lines.remove(10);
    write(&lines, "deleted inside");
    for (first, last) in [(9, 12), (1, 2), (20, 21), (5, 20), (3, 4)] {
        let range = format!("-L{first},{last}:a.txt");
        let gits = ids(&repo.git(&["log", "-s", "--format=%H", &range]));
        let mut history = History::open(&repo.root).expect("a repository");
        let head = history.revision("HEAD").expect("a commit");
        let mut ours = BTreeSet::new();
        let visit = &mut |_: &mut History, id: orient_history::Oid, _: orient_history::PathChange| {
            ours.insert(id.to_string());
            Ok(ControlFlow::Continue(()))
        };
        history.line_log(head, &RepoPath::from("a.txt"), first..last + 1, visit).expect("readable");
        assert_eq!(ours, gits, "{range}");
    }
}

#[test]
fn mailmap_unifies_names_and_malformed_commits_are_read() {
    let repo = TestRepo::new();
    repo.write(".mailmap", "Proper Name <proper@example.com> <old@example.com>\n");
    repo.write("a.txt", "a\n");
    repo.git(&["add", "-A"]);
    repo.git(&["-c", "user.name=nick", "-c", "user.email=old@example.com", "commit", "-q", "-m", "first"]);
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let parent = repo.git(&["rev-parse", "HEAD"]);
    let mut bytes = format!("tree {}\nparent {}\n", tree.trim(), parent.trim()).into_bytes();
    bytes.extend_from_slice(
        b"author \xff\xfe <x> -5 +0000\ncommitter y <y> 99999999999 +0000\n\n\xff subject\n",
    );
    std::fs::write(repo.root.join(".git/raw"), bytes).expect("writable");
    let id = repo.git(&["hash-object", "-t", "commit", "-w", "--literally", ".git/raw"]);
    repo.git(&["update-ref", "refs/heads/main", id.trim()]);
    let mut history = History::open(&repo.root).expect("a repository");
    let head = history.revision("HEAD").expect("a commit");
    let commit = history.commit(&head).expect("readable");
    assert_eq!((commit.author.seconds, commit.committer.seconds), (-5, 99_999_999_999));
    assert!(commit.subject().ends_with("subject"));
    let first = history.commit(&commit.parents[0]).expect("readable");
    assert_eq!(first.author.name, "Proper Name");
}

#[test]
fn reformatting_commit_is_ignored_as_git_does() {
    let repo = TestRepo::new();
    repo.write("a.py", "def total(items):\n  count = len(items)\n  return count * 2\n");
    repo.commit("first");
    repo.write("a.py", "def total(items):\n  count = len(items)\n  return count * 3\n");
    repo.commit("second");
    repo.write("a.py", "def total( items ):\n    count = len( items )\n    return count * 3\n\nMORE = 1\n");
    repo.commit("reformat");
    let reformatted = repo.git(&["rev-parse", "HEAD"]);
    repo.write(".git-blame-ignore-revs", &format!("# layout only\n{reformatted}"));
    repo.commit("ignore it");
    let expected =
        repo.git(&["blame", "-s", "-l", "--root", "--ignore-revs-file", ".git-blame-ignore-revs", "a.py"]);
    let expected: Vec<&str> = expected.lines().filter_map(|line| line.get(..40)).collect();
    let mut history = History::open(&repo.root).expect("a repository");
    let head = history.revision("HEAD").expect("a commit");
    let ignored = history.ignored_revisions(head).expect("readable");
    assert_eq!(ignored.len(), 1);
    let ranges = history.blame(head, &RepoPath::from("a.py"), &ignored).expect("readable").expect("a file");
    let found: Vec<String> =
        ranges.iter().flat_map(|range| (0..range.count).map(|_| range.commit.to_string())).collect();
    assert_eq!(found, expected);
}

#[test]
fn change_of_the_mode_alone_is_listed_as_git_does() {
    let repo = TestRepo::new();
    repo.write("run.sh", "echo one\n");
    repo.commit("first");
    repo.git(&["update-index", "--chmod=+x", "run.sh"]);
    repo.git(&["commit", "-q", "-m", "executable"]);
    let kinds: Vec<ChangeKind> = log_of(&repo.root, "run.sh").into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [ChangeKind::Mode, Added]);
    let gits = ids(&repo.git(&["log", "--follow", "--format=%H", "--", "run.sh"]));
    assert_eq!(log_of(&repo.root, "run.sh").into_iter().map(|(id, _)| id).collect::<BTreeSet<_>>(), gits);
    assert_eq!(blame_of(&repo.root, "run.sh"), git_blame(&repo.root, "run.sh"));
}

/// The file is renamed twice and rewritten while a branch from before changes it under its first name. Where that branch is merged, nothing is
/// similar any more.
#[test]
fn old_name_is_followed_on_a_branch_that_left_before_the_renames() {
    let repo = TestRepo::new();
    let text = |word: &str| (0..40).map(|n| format!("{word} {n}\n")).collect::<Vec<_>>().concat();
    let file = |path: &str, text: &str| format!("M 644 inline {path}\ndata {}\n{text}\n", text.len());
    let mut stream = Stream::default();
    let first = stream.commit("main", &[], &file("first.txt", &text("old")));
    let side = stream.commit("side", &[first], &file("first.txt", &(text("old") + "from the side\n")));
    let renamed = stream.commit("main", &[first], "R first.txt second.txt\n");
    let renamed = stream.commit("main", &[renamed], "R second.txt third.txt\n");
    let new = stream.commit("main", &[renamed], &file("third.txt", &text("entirely new")));
    stream.commit("main", &[new, side], "");
    repo.import(&stream);
    let side = repo.git(&["rev-parse", "side"]);
    let found: Vec<String> = log_of(&repo.root, "third.txt").into_iter().map(|(id, _)| id).collect();
    assert!(found.iter().any(|id| id == side.trim()), "the commit of the branch is found");
    assert_eq!(found.len(), 5, "and each commit once");
}
