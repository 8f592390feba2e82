//! Damaged, incomplete and extreme repositories: a clear message, nothing lost, no panic.

use crate::fixture::{Stream, TestRepo};
use orient_history::{History, HistoryError, Oid, PathChange};
use orient_model::RepoPath;
use orient_walk::{Tree, WalkOptions};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn file(path: &str, text: &str) -> String {
    format!("M 644 inline {path}\ndata {}\n{text}\n", text.len())
}

/// Ten versions of two files.
fn small_history() -> TestRepo {
    let repo = TestRepo::new();
    let mut stream = Stream::default();
    let mut parents = Vec::new();
    for round in 0..10 {
        let lines: Vec<String> = (0..60).map(|n| format!("line {n} {}\n", round.min(n % 10))).collect();
        let files = file("a.txt", &lines.concat()) + &file("deep/b.txt", &format!("{round}\n"));
        parents = vec![stream.commit("main", &parents, &files)];
    }
    repo.import(&stream);
    repo
}

/// Asks everything, and returns how many commits the log of `a.txt` has.
fn ask_everything(root: &Path) -> Result<usize, HistoryError> {
    let mut history = History::open(root)?;
    let head = history.revision("main")?;
    let path = RepoPath::from("a.txt");
    let mut commits = 0;
    history.path_log(head, &path, &mut |history, id, _| {
        history.commit(&id)?;
        commits += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    history.line_log(head, &path, 3..9, &mut |_, _, _| Ok(ControlFlow::Continue(())))?;
    history.blame(head, &path, &BTreeSet::new())?;
    let pattern = regex::bytes::Regex::new("line 3").expect("a pattern");
    history.occurrences(head, pattern, &mut |_, _, _| Ok(ControlFlow::Continue(())))?;
    history.compare(None, &head)?;
    let tree = history.commit_tree(&head)?;
    let listed = tree.list(&WalkOptions::default(), None);
    listed.map_err(|error| HistoryError::Damaged(error.to_string()))?;
    Ok(commits)
}

/// The number of commits in the log of `a.txt`, which needs trees only.
fn commits_of_log(history: &mut History, head: Oid) -> usize {
    let mut commits = 0;
    let visit = &mut |_: &mut History, _: Oid, _: PathChange| {
        commits += 1;
        Ok(ControlFlow::Continue(()))
    };
    history.path_log(head, &RepoPath::from("a.txt"), visit).expect("trees suffice");
    commits
}

fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
    found.sort();
}

/// Replaces a file that git makes read-only.
fn overwrite(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).expect("it is there");
    std::fs::write(path, bytes).expect("writable");
}

#[test]
fn corrupt_packs_and_their_indexes_are_an_error_or_do_not_matter() {
    let repo = small_history();
    repo.git(&["repack", "-adq"]);
    repo.git(&["multi-pack-index", "write"]);
    repo.git(&["commit-graph", "write", "--reachable"]);
    assert_eq!(ask_everything(&repo.root).expect("intact"), 10);
    let mut files = Vec::new();
    files_below(&repo.root.join(".git/objects"), &mut files);
    assert!(files.len() >= 4, "a pack, its index, an index of packs and a commit graph");
    for path in files {
        let whole = std::fs::read(&path).expect("readable");
        let mut forms: Vec<Vec<u8>> =
            [0, 1, whole.len() / 2, whole.len() - 1].iter().map(|cut| whole[..*cut].to_vec()).collect();
        for at in (0..whole.len()).step_by(whole.len() / 8 + 1) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0xff;
            forms.push(flipped);
        }
        for form in forms {
            overwrite(&path, &form);
            if let Err(error) = ask_everything(&repo.root) {
                assert!(error.to_string().len() > 10, "it says what is wrong");
            }
        }
        overwrite(&path, &whole);
        assert_eq!(ask_everything(&repo.root).expect("intact again"), 10);
    }
}

#[test]
fn missing_object_is_named_and_questions_that_do_not_need_it_are_answered() {
    let repo = small_history();
    let old_blob = repo.git(&["rev-parse", "main~5:a.txt"]);
    let old_blob = old_blob.trim();
    unpack(&repo);
    let (dir, rest) = old_blob.split_at(2);
    std::fs::remove_file(repo.root.join(".git/objects").join(dir).join(rest)).expect("a loose object");
    let mut history = History::open(&repo.root).expect("a repository");
    let head = history.revision("main").expect("a commit");
    let error =
        history.blame(head, &RepoPath::from("a.txt"), &BTreeSet::new()).expect_err("a version is missing");
    assert!(matches!(&error, HistoryError::Damaged(text) if text.contains(old_blob)), "{error}");
    assert_eq!(commits_of_log(&mut history, head), 10);
    assert!(history.blame(head, &RepoPath::from("deep/b.txt"), &BTreeSet::new()).is_ok());
}

/// Makes every object loose.
fn unpack(repo: &TestRepo) {
    let mut packs = Vec::new();
    files_below(&repo.root.join(".git/objects/pack"), &mut packs);
    let aside = repo.root.with_file_name("packs");
    std::fs::create_dir(&aside).expect("writable");
    for path in packs {
        let to = aside.join(path.file_name().expect("a name"));
        std::fs::rename(&path, &to).expect("writable");
        if to.extension().is_some_and(|extension| extension == "pack") {
            let input = std::fs::File::open(&to).expect("readable");
            let done = std::process::Command::new("git")
                .args(["unpack-objects", "-q"])
                .current_dir(&repo.root)
                .stdin(input)
                .status();
            assert!(done.expect("git is installed").success());
        }
    }
}

#[test]
fn shallow_history_ends_at_its_boundary() {
    let repo = small_history();
    let shallow = repo.root.with_file_name("shallow");
    let source = format!("file://{}", repo.root.display());
    repo.git(&["clone", "-q", "--depth", "3", "-b", "main", &source, shallow.to_str().expect("text")]);
    assert_eq!(ask_everything(&shallow).expect("what there is"), 3);
    assert!(History::open(&shallow).expect("a repository").is_shallow());
}

#[test]
fn partial_clone_answers_what_trees_suffice_for() {
    let repo = small_history();
    let partial = repo.root.with_file_name("partial");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let source = format!("file://{}", repo.root.display());
    repo.git(&["clone", "-q", "--filter=blob:none", "-b", "main", &source, partial.to_str().expect("text")]);
    let mut history = History::open(&partial).expect("a repository");
    let head = history.revision("main").expect("a commit");
    assert_eq!(commits_of_log(&mut history, head), 10);
    let error =
        history.blame(head, &RepoPath::from("a.txt"), &BTreeSet::new()).expect_err("contents are missing");
    assert!(matches!(error, HistoryError::NotFetched(_)), "{error}");
}

#[test]
fn hundred_thousand_refs_are_all_found() {
    let repo = small_history();
    let ids: Vec<String> = repo.git(&["rev-list", "main"]).lines().map(str::to_owned).collect();
    let mut packed = format!("# pack-refs with: peeled fully-peeled sorted \n{} refs/heads/main\n", ids[0]);
    for number in 0..100_000 {
        let _ = writeln!(packed, "{} refs/heads/topic/{number:06}", ids[number % ids.len()]);
    }
    std::fs::write(repo.root.join(".git/packed-refs"), packed).expect("writable");
    std::fs::remove_file(repo.root.join(".git/refs/heads/main")).expect("now packed");
    let mut history = History::open(&repo.root).expect("a repository");
    let last = history.revision("topic/099999").expect("the last one");
    assert_eq!(last.to_string(), ids[99_999 % ids.len()]);
    assert_eq!(history.named_refs().len(), 100_001);
    assert_eq!(ask_everything(&repo.root).expect("readable"), 10);
    let root = history.revision(&ids[9]).expect("the first commit");
    let containing = history.containing_refs(&root).expect("readable").expect("ten commits");
    assert_eq!(containing.branches.len(), 100_001);
}

#[test]
fn merge_of_five_thousand_parents_is_read() {
    let repo = TestRepo::new();
    let mut stream = Stream::default();
    let first = stream.commit("main", &[], &file("a.txt", "one\ntwo\n"));
    let sides: Vec<u32> = (0..5000)
        .map(|n| stream.commit("side", &[first], &file(&format!("side/{n}.txt"), &format!("{n}\n"))))
        .collect();
    let changed = stream.commit("main", &[first], &file("a.txt", "one\nthree\n"));
    let parents: Vec<u32> = [changed].into_iter().chain(sides).collect();
    stream.commit("main", &parents, &file("side/77.txt", "77\n"));
    repo.import(&stream);
    let mut history = History::open(&repo.root).expect("a repository");
    let head = history.revision("main").expect("a commit");
    assert_eq!(history.parents(&head).expect("readable").len(), 5001);
    let log = |history: &mut History, path: &str| {
        let mut commits = 0;
        let visit = &mut |_: &mut History, _: Oid, _: PathChange| {
            commits += 1;
            Ok(ControlFlow::Continue(()))
        };
        history.path_log(head, &RepoPath::from(path), visit).expect("readable");
        commits
    };
    assert_eq!((log(&mut history, "a.txt"), log(&mut history, "side/77.txt")), (2, 1));
    let blamed =
        history.blame(head, &RepoPath::from("a.txt"), &BTreeSet::new()).expect("readable").expect("a file");
    assert_eq!(blamed.len(), 2);
    assert!(history.merge_renames(&head).is_ok());
}

#[test]
fn dates_before_1970_and_after_2100_and_invalid_text_are_kept() {
    let repo = TestRepo::new();
    let mut stream = Stream::default();
    let first = stream.signed_commit("main", &[], "A <a@b> 0 +0000", b"epoch\n", &file("a.txt", "1\n"));
    let later = stream.signed_commit(
        "main",
        &[first],
        "A <a@b> 4102444801 +1400",
        b"\xff\xfe no text \xc3\n",
        &file("a.txt", "2\n"),
    );
    stream.signed_commit(
        "main",
        &[later],
        "A <a@b> 1500000000 -1200",
        b"older than its parent\n",
        &file("a.txt", "3\n"),
    );
    repo.import(&stream);
    // Git itself writes no negative times; other programs do.
    let raw = repo.git(&["cat-file", "commit", "main"]).replace("1500000000 -1200", "-86400 +0000");
    std::fs::write(repo.root.join(".git/raw"), raw).expect("writable");
    let id = repo.git(&["hash-object", "-t", "commit", "-w", "--literally", ".git/raw"]);
    repo.git(&["update-ref", "refs/heads/main", id.trim()]);
    assert_eq!(times_of_log(&repo.root, "a.txt"), [-86_400, 4_102_444_801, 0]);
    let mut history = History::open(&repo.root).expect("a repository");
    let parent = history.revision("main~1").expect("a commit");
    let commit = history.commit(&parent).expect("readable");
    assert!(commit.message.contains("no text"), "what is text stays");
    assert_eq!(commit.committer.offset, 14 * 3600);
}

/// The times of the commits of a file.
fn times_of_log(root: &Path, path: &str) -> Vec<i64> {
    let mut history = History::open(root).expect("a repository");
    let head = history.revision("main").expect("a commit");
    let mut times = Vec::new();
    history
        .path_log(head, &RepoPath::from(path), &mut |history, id, _| {
            times.push(history.commit(&id)?.committer.seconds);
            Ok(ControlFlow::Continue(()))
        })
        .expect("readable");
    times
}

#[test]
fn grafts_and_replacements_change_the_history_as_in_git() {
    let repo = small_history();
    let short = |revision: &str| repo.git(&["rev-parse", revision]).trim().to_owned();
    let grafts = format!("{} {}\n", short("main~2"), short("main~6"));
    std::fs::create_dir_all(repo.root.join(".git/info")).expect("writable");
    std::fs::write(repo.root.join(".git/info/grafts"), grafts).expect("writable");
    assert_eq!(ask_everything(&repo.root).expect("readable"), 7, "three commits are skipped");
    std::fs::remove_file(repo.root.join(".git/info/grafts")).expect("it is there");
    repo.git(&["replace", "main~2", "main~6"]);
    assert_eq!(
        ask_everything(&repo.root).expect("readable"),
        6,
        "the replacement stands for the replaced commit"
    );
}

#[test]
fn every_question_works_with_sha256_and_alternates() {
    let repo = TestRepo::new();
    std::fs::remove_dir_all(repo.root.join(".git")).expect("it is there");
    repo.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    let mut stream = Stream::default();
    let first = stream.commit("main", &[], &file("a.txt", "line 3\n"));
    stream.commit("main", &[first], &file("a.txt", "line 3\nmore\n"));
    repo.import(&stream);
    assert_eq!(ask_everything(&repo.root).expect("readable"), 2);
    let shared = repo.root.with_file_name("shared");
    repo.git(&["clone", "-q", "--shared", "-b", "main", ".", shared.to_str().expect("text")]);
    assert_eq!(ask_everything(&shared).expect("readable"), 2);
}
