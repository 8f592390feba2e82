//! Clones and worktrees inside a repository are separate projects; submodules are part of it.

use crate::sandbox::{Sandbox, text};
use orient_testkit::git;

/// A repository with a worktree and a clone of itself inside, and a submodule.
fn nested() -> Sandbox {
    let tree = Sandbox::new(&[("src/a.py", "def first():\n    pass\n")]);
    let root = tree.root();
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "first"]);
    git(&root, &["worktree", "add", "-q", ".claude/worktrees/x", "-b", "x"]);
    git(&root, &["clone", "-q", ".", "vendor/clone"]);
    git(&root, &["clone", "-q", ".", "libs/sub"]);
    tree.write(".gitmodules", "[submodule \"sub\"]\n\tpath = libs/sub\n\turl = ../elsewhere\n");
    tree
}

#[test]
fn a_worktree_inside_does_not_make_every_name_ambiguous() {
    let tree = nested();
    tree.write("libs/sub/src/a.py", "def of_the_submodule():\n    pass\n");
    tree.assert_output(&["symbols", "first"], "src/a.py:1  function first  def first()");
    tree.assert_output(
        &["symbols", "of_the_submodule"],
        "libs/sub/src/a.py:1  function of_the_submodule  def of_the_submodule()",
    );
}

#[test]
fn what_was_left_out_is_told_by_status_and_by_files() {
    let tree = nested();
    let status = text(&tree.run(&["status"]).stdout);
    let told = "skipped: 2 directories, nested repository\n  .claude/worktrees/x\n  vendor/clone\n";
    assert!(status.contains(told), "{status}");
    tree.assert_outcome(
        &["files", "vendor/clone"],
        1,
        "
        note: `vendor/clone` is not indexed: nested repository; `index.nested_repositories = true` in your user settings includes it; or use it as --root
        ",
    );
    tree.assert_outcome(
        &["files", "vendor/clone/src"],
        1,
        "
        error: `vendor/clone/src` is not indexed: `vendor/clone` is skipped (nested repository)
        help:  `index.nested_repositories = true` in your user settings includes it; or use it as --root
        ",
    );
    let shown = text(&tree.run(&["show", "vendor/clone/src/a.py:1"]).stderr);
    assert!(shown.contains("`vendor/clone` is skipped (nested repository)"), "{shown}");
    let answer = tree.json(&["symbols", "first", "--json"]);
    assert_eq!(answer["complete"], true, "it is left out by design: {answer}");
}

#[test]
fn a_setting_includes_them() {
    let tree = nested();
    tree.run(&["index"]);
    let set = ["symbols", "first", "--set", "index.nested_repositories=true"];
    let found = text(&tree.run(&set).stdout);
    for path in [".claude/worktrees/x/src/a.py:1", "vendor/clone/src/a.py:1", "libs/sub/src/a.py:1"] {
        assert!(found.contains(path), "{found}");
    }
    tree.assert_output(&["files", "src"], "src/a.py");
}

#[test]
fn a_text_search_has_the_files_of_ripgrep() {
    let tree = nested();
    tree.write("vendor/clone/src/b.py", "rare_word_here = 1\n");
    for _ in 0..3 {
        tree.assert_output(&["grep", "rare_word_here"], "vendor/clone/src/b.py:rare_word_here = 1");
        tree.assert_output(
            &["grep", "-l", "def first"],
            "libs/sub/src/a.py\nsrc/a.py\nvendor/clone/src/a.py",
        );
    }
    // A text search finds a change there although the index does not contain it.
    tree.write("vendor/clone/src/b.py", "other_word_here = 1\n");
    tree.write("vendor/clone/src/c.py", "other_word_here = 2\n");
    tree.assert_output(
        &["grep", "-c", "other_word_here"],
        "vendor/clone/src/b.py:1\nvendor/clone/src/c.py:1",
    );
}
