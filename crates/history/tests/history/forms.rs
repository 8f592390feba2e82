//! However git keeps a repository, and whatever lies in the working tree.

use crate::support::{Made, agree, changes, git, known, paths};
use orient_history::History;
use orient_model::RepoPath;

/// A history in which files come, go, grow and change.
fn grown() -> Made {
    let made = Made::new();
    let mut state = 7_u64;
    for round in 0..12 {
        for file in 0..15 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let path = format!("d{}/e{}/f{file}.txt", file % 3, file % 2);
            match (state >> 33) % 5 {
                0 => drop(std::fs::remove_file(made.root.join(&path))),
                1 | 2 => {
                    let lines: Vec<String> = (1..300).map(|n| ((state >> 40) % n).to_string()).collect();
                    made.write(&path, &lines.join("\n"));
                }
                _ => {}
            }
        }
        made.write("always.txt", &format!("{round}\n"));
        made.commit(&format!("round {round}"));
    }
    made
}

fn agree_everywhere(made: &Made) {
    for back in 0..12 {
        agree(&made.root, &format!("HEAD~{back}"));
    }
}

#[test]
fn loose_and_packed_objects_and_names_are_read() {
    let made = grown();
    agree_everywhere(&made);
    made.git(&["branch", "kept", "HEAD~5"]);
    made.git(&["pack-refs", "--all"]);
    made.git(&["repack", "-adfq", "--depth=50", "--window=50"]);
    agree_everywhere(&made);
    agree(&made.root, "kept");
    // A part packed, a part not, one pack with references by name.
    made.write("always.txt", "more\n");
    made.commit("more");
    agree_everywhere(&made);
    made.git(&["-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq"]);
    agree_everywhere(&made);
}

#[test]
fn edits_in_the_working_tree_count_whether_git_has_seen_them_or_not() {
    let made = grown();
    made.write("untracked.txt", "new\n");
    made.write(".gitignore", "ignored.txt\n");
    made.write("ignored.txt", "ignored\n");
    made.write("always.txt", "edited\n");
    made.git(&["add", "always.txt"]);
    made.write("always.txt", "edited again\n");
    std::fs::write(made.root.join("naïve name.txt"), "x\n").expect("writable");
    made.git(&["config", "core.quotePath", "false"]);
    agree_everywhere(&made);
    // Touched, not changed; changed back.
    let before = std::fs::read(made.root.join("d0/e0/f0.txt"));
    made.write("d0/e0/f0.txt", "other\n");
    agree_everywhere(&made);
    if let Ok(bytes) = before {
        std::fs::write(made.root.join("d0/e0/f0.txt"), bytes).expect("writable");
        agree_everywhere(&made);
    }
}

#[test]
fn a_file_git_has_looked_at_is_not_read() {
    let made = grown();
    // The list is written a second after the files, so that it vouches for them.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    made.git(&["update-index", "--refresh"]);
    made.write("note.txt", "so that the list is written\n");
    made.git(&["add", "note.txt"]);
    let files = known(&made.root);
    let path = RepoPath::from("always.txt");
    let at = files.iter().position(|(known, _)| *known == path).expect("it is known");
    // Who says by its stamp that nothing has changed is believed: what is on disk now is not looked at.
    made.write("always.txt", "changed behind the back\n");
    let mut history = History::open(&made.root).expect("a repository");
    assert!(!history.changes("HEAD", &files, false).expect("known").contains_key(&path));
    let mut doubted = files.clone();
    doubted[at].1.mtime_ns += 1;
    assert!(history.changes("HEAD", &doubted, false).expect("known").contains_key(&path));
}

#[test]
fn a_worktree_has_its_own_head_and_shares_the_rest() {
    let made = grown();
    let other = made.root.with_file_name("other");
    made.git(&["worktree", "add", "-q", "-b", "aside", other.to_str().expect("text"), "HEAD~4"]);
    std::fs::write(other.join("here.txt"), "only here\n").expect("writable");
    assert_eq!(agree(&other, "HEAD"), ["here.txt"]);
    agree(&other, "main");
    agree(&other, "HEAD~2");
    made.git(&["gc", "-q"]);
    agree(&other, "main");
}

#[test]
fn a_folder_of_a_repository_is_compared_with_that_folder() {
    let made = grown();
    made.write("d1/new.txt", "new\n");
    for folder in ["d0", "d1", "d1/e0", "d2"] {
        let folder = made.root.join(folder);
        if folder.is_dir() {
            agree(&folder, "HEAD~6");
        }
    }
    assert!(paths(&made.root.join("d1"), "HEAD").contains(&"new.txt".to_owned()));
}

#[test]
fn borrowed_objects_cut_histories_and_newer_lists_are_read() {
    let made = grown();
    let near = |name: &str| made.root.with_file_name(name);
    let text = |path: &std::path::Path| path.to_str().expect("text").to_owned();
    let shared = near("shared");
    made.git(&["clone", "-q", "--shared", ".", &text(&shared)]);
    agree(&shared, "HEAD~6");
    let shallow = near("shallow");
    made.git(&["clone", "-q", "--depth", "3", &format!("file://{}", text(&made.root)), &text(&shallow)]);
    agree(&shallow, "HEAD~2");
    let error = changes(&shallow, "HEAD~3").expect_err("it was cut there");
    assert!(error.to_string().contains("does not go back so far"), "{error}");
    made.git(&["update-index", "--index-version", "4"]);
    made.write("always.txt", "four\n");
    agree_everywhere(&made);
}

#[test]
fn changed_lines_are_those_git_marks() {
    let made = Made::new();
    made.write("a.c", "int f() {\n  return 1;\n}\n\nint g() {\n  return 2;\n}\n");
    made.write("gone.c", "int h();\n");
    made.commit("first");
    made.write("a.c", "int f() {\n  return 7;\n}\n\nint g() {\n}\nint k();\n");
    made.write("new.c", "one\ntwo\n");
    std::fs::remove_file(made.root.join("gone.c")).expect("it is there");
    let found = changes(&made.root, "HEAD").expect("known");
    let of = |path: &str| &found[&RepoPath::from(path)];
    assert_eq!((&of("a.c").lines[..], &of("a.c").gaps[..]), (&[2, 7][..], &[3, 6][..]));
    assert_eq!(of("new.c").lines, [1, 2]);
    assert!(of("gone.c").removed && !of("a.c").removed);
}

#[test]
fn other_line_ends_are_no_change() {
    let made = Made::new();
    made.write("a.txt", "one\ntwo\n");
    made.commit("first");
    made.write("a.txt", "one\r\ntwo\r\n");
    assert!(paths(&made.root, "HEAD").is_empty());
    made.write("a.txt", "one\r\nTWO\r\n");
    let found = changes(&made.root, "HEAD").expect("known");
    assert_eq!(found[&RepoPath::from("a.txt")].lines, [2]);
}

#[test]
fn links_and_other_repositories_inside_are_left_out() {
    let made = Made::new();
    let inner = made.root.join("inner");
    std::fs::create_dir(&inner).expect("writable");
    git(&inner, &["init", "-q", "-b", "main"]);
    std::fs::write(inner.join("x.txt"), "x\n").expect("writable");
    git(&inner, &["add", "-A"]);
    git(&inner, &["commit", "-q", "-m", "inner"]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.txt", made.root.join("link.txt")).expect("writable");
    made.write("a.txt", "a\n");
    made.git(&["-c", "advice.addEmbeddedRepo=false", "add", "-A"]);
    made.git(&["commit", "-q", "-m", "first"]);
    assert!(!paths(&made.root, "HEAD").iter().any(|path| path.contains("link") || path == "a.txt"));
}
