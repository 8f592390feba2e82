//! Answers describe the current files, or say that they do not.

use crate::sandbox::{Sandbox, text};
use std::fs;

fn index_text(tree: &Sandbox) -> String {
    let output = tree.run(&["index"]);
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

#[test]
fn the_first_question_indexes_and_later_ones_catch_up() {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n")]);
    tree.assert_output(&["symbols", "one"], "a.py:1  function one  def one()");
    tree.write("a.py", "\n\ndef one(): pass\n");
    tree.assert_output(&["symbols", "one"], "a.py:3  function one  def one()");
    fs::remove_file(tree.root().join("a.py")).expect("it is there");
    tree.assert_outcome(
        &["symbols", "one"],
        1,
        "
        no symbol is named `one` or similar
        note: no files found: the directory is empty, or .gitignore, .ignore, .orientignore or index.exclude exclude everything
        ",
    );
}

#[test]
fn index_says_what_it_did_and_what_it_left_out() {
    let tree =
        Sandbox::new(&[("a.py", "def one(): pass\n"), ("b.txt", "words\n"), ("big.txt", "xxxxxxxxxxxx\n")]);
    tree.write("logo.png", b"\0\x01\x02");
    tree.write(".gitignore", "ignored/\n");
    tree.write("ignored/x.py", "def hidden(): pass\n");
    tree.write(".orient.toml", "[index]\nmax_file_size = 40\n");
    tree.write("large.py", "def far_too_large_for_the_limit_of_forty(): pass\n");
    let said = index_text(&tree);
    assert!(said.contains("python"), "{said}");
    assert!(
        said.contains("skipped: 1 file, too large\n  large.py  too large (49 B, limit 40 B)\n"),
        "{said}"
    );
    assert!(said.contains("skipped: 1 file, binary\n  logo.png\n"), "{said}");
    assert!(!said.contains("ignored/"), "{said}");
    let again = index_text(&tree);
    assert!(again.contains(" in ") && !again.contains("parsed"), "{again}");
}

#[test]
fn status_says_where_the_index_is_and_what_is_in_it() {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n"), ("broken.py", "def f(:\n    pass\n")]);
    let said = text(&tree.run(&["status"]).stdout);
    assert!(said.contains(&format!("root        {}", tree.root().display())), "{said}");
    assert!(said.contains(&tree.store().display().to_string()), "{said}");
    assert!(said.contains("files       2 ("), "{said}");
    assert!(said.contains("parsed only in part: 1 file"), "{said}");
    assert!(said.contains("  broken.py:1  syntax not understood"), "{said}");
}

#[test]
fn without_a_refresh_the_answer_says_so() {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n")]);
    tree.assert_outcome(
        &["files", "--no-refresh"],
        5,
        "
        error: nothing is indexed here yet: run `orient index`
        help:  omit --no-refresh, or run `orient index`
        ",
    );
    index_text(&tree);
    tree.write("b.py", "");
    tree.assert_output(
        &["files", "--no-refresh"],
        "
        a.py
        note: answered from the index without checking the files (see --no-refresh)
        ",
    );
    tree.assert_output(&["files"], "a.py\nb.py");
}

#[test]
fn a_damaged_index_is_rebuilt_and_reported() {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n")]);
    index_text(&tree);
    let store = tree.json(&["status", "--json"])["data"]["store"].as_str().expect("a directory").to_owned();
    fs::write(format!("{store}/index.db"), "this is no database").expect("it can be written");
    let output = tree.run(&["symbols", "one"]);
    assert_eq!(text(&output.stdout), "a.py:1  function one  def one()\n");
    let remarks = text(&output.stderr);
    assert!(remarks.contains("damaged") && remarks.contains("has been rebuilt"), "{remarks}");
}

#[test]
fn the_dump_does_not_depend_on_history() {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n"), ("b.py", "class Two: pass\n")]);
    index_text(&tree);
    fs::rename(tree.root().join("a.py"), tree.root().join("c.py")).expect("it can be moved");
    tree.write("b.py", "class Two:\n    def three(self): pass\n");
    let caught_up = text(&tree.run(&["dump"]).stdout);
    let rebuilt = tree.run(&["index", "--rebuild"]);
    assert!(rebuilt.status.success());
    assert_eq!(text(&tree.run(&["dump"]).stdout), caught_up);
    assert!(caught_up.contains("three"), "{caught_up}");
}

#[test]
fn indexes_of_directories_that_are_gone_are_collected() {
    let tree = Sandbox::new(&[("sub/a.py", "def one(): pass\n")]);
    assert!(tree.run(&["index", "--root", "sub"]).status.success());
    tree.assert_output(&["gc"], "0 B freed");
    fs::remove_dir_all(tree.root().join("sub")).expect("it is there");
    let dry = text(&tree.run(&["gc", "--dry-run"]).stdout);
    assert!(
        dry.starts_with(
            "the index of TREE/sub, which no longer exists"
                .replace("TREE", &tree.root().display().to_string())
                .as_str()
        ),
        "{dry}"
    );
    assert!(dry.contains("would be freed"), "{dry}");
    assert!(text(&tree.run(&["gc"]).stdout).contains("which no longer exists"));
    tree.assert_output(&["gc"], "0 B freed");
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let files: Vec<(String, String)> =
        (0..50).map(|n| (format!("f{n}.py"), format!("def f{n}(): pass\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Sandbox::new(&files);
    let running: Vec<_> = (0..4)
        .map(|_| {
            let mut command = tree.command(&["symbols", "f7"]);
            command.stdout(std::process::Stdio::piped()).spawn().expect("the command starts")
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(text(&output.stdout), "f7.py:1  function f7  def f7()\n");
    }
}
