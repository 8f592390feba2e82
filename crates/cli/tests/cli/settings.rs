//! Settings: their sources, and errors in them.

use crate::sandbox::{Sandbox, text};

#[test]
fn config_prints_every_value_and_its_origin() {
    let tree = Sandbox::new(&[(".orient.toml", "[index]\nexclude = ['gen/']\n")]);
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
    Sandbox::new(&[]).assert_output(
        &["config", "index.threads", "--explain"],
        "
        index.threads  0  default
          Number of threads that read and parse files; 0 means one per core.
          ORIENT_INDEX_THREADS
        ",
    );
}

/// The path of the user's settings.
const USER_FILE: &str = "../home/.config/orient/config.toml";

#[test]
fn what_a_repository_may_not_set_is_ignored_and_said_to_be() {
    let tree = Sandbox::new(&[
        ("a.py", ""),
        (".orient.toml", "[store]\ndir = 'inside'\n[index]\nmax_file_size = '1GiB'\n"),
    ]);
    let summary = "index.max_file_size, store.dir are ignored in TREE/.orient.toml: only the user may set them, in \
                   HOME/.config/orient/config.toml; `orient config` shows why";
    let neutral = |text: String| {
        let home = tree.root().with_file_name("home").display().to_string();
        text.replace(&tree.root().display().to_string(), "TREE").replace(&home, "HOME")
    };
    // A short note with every command.
    for command in [&["files"][..], &["symbols", "x"], &["grep", "x"], &["status"], &["doctor", "--quick"]] {
        let said = neutral(text(&tree.run(command).stderr));
        assert!(said.contains(&format!("note: {summary}")), "{command:?}: {said}");
    }
    // All details in `config`.
    let why = "TREE/.orient.toml:2: a repository may not set store.dir; to set it, write it to \
               HOME/.config/orient/config.toml or set ORIENT_STORE_DIR";
    let said = neutral(text(&tree.run(&["config"]).stderr));
    assert!(said.contains(&format!("note: {why}")), "{said}");
    let said = neutral(text(&tree.run(&["doctor"]).stdout));
    assert!(said.contains(&why.replacen(": ", " is ignored: ", 1)), "{said}");
    let ignored = tree.json(&["config", "--json"])["data"]["ignored"].clone();
    assert_eq!(ignored[0]["key"], "store.dir", "{ignored}");
    assert!(!tree.root().join("inside").exists());
}

#[test]
fn a_repository_with_wrong_settings_stops_no_command() {
    let cases =
        ["[index]\nexlude = ['gen/']\n", "not toml [", "[index]\nlanguages = { '*.x' = 'klingon' }\n"];
    for settings in cases {
        let tree = Sandbox::new(&[("a.py", ""), (".orient.toml", settings)]);
        let output = tree.run(&["files", "*.py"]);
        assert_eq!(
            (output.status.code(), text(&output.stdout)),
            (Some(0), "a.py\n".to_owned()),
            "{settings}"
        );
        assert!(text(&output.stderr).contains("`orient config` shows why"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_wrong_setting_of_the_user_stops_every_command() {
    let tree = Sandbox::new(&[(USER_FILE, "[index]\nexlude = ['gen/']\nthreads = 'many'\n")]);
    tree.assert_outcome(
        &["files"],
        2,
        "
        error: HOME/.config/orient/config.toml:2: unknown setting `index.exlude`; did you mean `index.exclude`?
               HOME/.config/orient/config.toml:3: index.threads: \"many\" is not an integer; example: threads = 4
        ",
    );
}

#[test]
fn a_setting_of_the_command_line_needs_a_value() {
    Sandbox::new(&[]).assert_outcome(
        &["files", "--set", "index.threads"],
        2,
        "
        error: --set index.threads: expected SECTION.KEY=VALUE, for example --set index.threads=2
        ",
    );
}

#[test]
fn excluded_files_are_not_there() {
    let tree = Sandbox::new(&[("a.py", ""), ("gen/b.py", "")]);
    tree.assert_output(&["files", "--set", "index.exclude=gen/"], "a.py");
    tree.assert_output(&["files", "--quiet"], "a.py\ngen/b.py");
}

#[test]
fn a_language_can_be_given_to_files_that_do_not_tell() {
    let tree = Sandbox::new(&[("a.script", "def one(): pass\n")]);
    tree.assert_output(
        &["symbols", "one", "--set", "index.languages=*.script=python"],
        "a.script:1  function one  def one()",
    );
    let output = tree.run(&["symbols", "one", "--set", "index.languages=*.script=pyton"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("index.languages") && said.contains("pyton"), "{said}");
}
