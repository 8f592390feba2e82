//! Settings: where they come from and what happens to wrong ones.

use crate::tree::{Tree, text};

#[test]
fn config_prints_every_value_and_its_origin() {
    let tree = Tree::new(&[(".orient.toml", "[index]\nexclude = ['gen/']\n")]);
    let mut command = tree.command(&["config", "--set", "limits.memory=1GiB"]);
    let output = command.env("ORIENT_INDEX_THREADS", "2").output().expect("the command starts");
    let said = text(&output.stdout).replace(&tree.root().display().to_string(), "TREE");
    let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.contains(&vec!["index.exclude", "[\"gen/\"]", "TREE/.orient.toml:2"]), "{said}");
    assert!(lines.contains(&vec!["index.threads", "2", "ORIENT_INDEX_THREADS"]), "{said}");
    assert!(lines.contains(&vec!["limits.memory", "\"1GiB\"", "--set", "limits.memory"]), "{said}");
    assert!(lines.contains(&vec!["index.max_file_size", "\"2MiB\"", "default"]), "{said}");
}

#[test]
fn one_setting_can_be_explained() {
    Tree::new(&[]).assert_output(
        &["config", "index.threads", "--explain"],
        "
        index.threads  0  default
          How many threads read and parse; 0 means one for each core.
          ORIENT_INDEX_THREADS
        ",
    );
}

#[test]
fn a_wrong_setting_stops_every_command() {
    let tree = Tree::new(&[(".orient.toml", "[index]\nexlude = ['gen/']\nthreads = 'many'\n")]);
    tree.assert_outcome(
        &["files"],
        2,
        "
        error: TREE/.orient.toml:2: unknown setting `index.exlude`; did you mean `index.exclude`?
               TREE/.orient.toml:3: index.threads: \"many\" is not a whole number; write for example threads = 4
        ",
    );
}

#[test]
fn a_setting_of_the_command_line_needs_a_value() {
    Tree::new(&[]).assert_outcome(
        &["files", "--set", "index.threads"],
        2,
        "
        error: --set index.threads: a setting is made with SECTION.KEY=VALUE, for example --set index.threads=2
        ",
    );
}

#[test]
fn excluded_files_are_not_there() {
    let tree = Tree::new(&[("a.py", ""), ("gen/b.py", "")]);
    tree.assert_output(&["files", "--set", "index.exclude=gen/"], "a.py");
    tree.assert_output(&["files", "--quiet"], "a.py\ngen/b.py");
}

#[test]
fn a_language_can_be_given_to_files_that_do_not_tell() {
    let tree = Tree::new(&[("a.script", "def one(): pass\n")]);
    tree.assert_output(
        &["symbols", "one", "--set", "index.languages=*.script=python"],
        "a.script:1  function one  def one()",
    );
    let output = tree.run(&["symbols", "one", "--set", "index.languages=*.script=pyton"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("index.languages") && said.contains("pyton"), "{said}");
}
