//! The daemon: it answers commands, byte for byte as they answer themselves.

use crate::sandbox::{Sandbox, text};
use std::fs;

const FILES: &[(&str, &str)] = &[
    (
        "src/shop.py",
        "class Cart:\n    \"\"\"Holds items.\"\"\"\n    def add(self, item):\n        return check(item)\n\n\ndef check(item):\n    return item\n",
    ),
    ("src/main.py", "from shop import Cart\n\n\ndef main():\n    Cart().add(1)\n"),
    ("README.md", "# Shop\n\nA cart holds items.\n"),
];

const COMMANDS: &[&[&str]] = &[
    &["symbols", "Cart"],
    &["symbols", "--kind", "function", "--json"],
    &["callers", "check"],
    &["callers", "check", "--json"],
    &["show", "Cart.add"],
    &["search", "where are items added"],
    &["search", "cart", "--json"],
    &["map"],
    &["impact", "check"],
    &["outline", "src/shop.py"],
    &["references", "Cart", "--color", "always"],
    &["files", "--long"],
    &["files", "--tree", "--quiet"],
    &["symbols", "no_such_name"],
    &["show", "no_such_name"],
    &["symbols", "Cart", "--kind", "nonsense", "--json"],
];

/// The output, the notes and the exit code of a command.
fn outcome(tree: &Sandbox, args: &[&str]) -> (String, String, Option<i32>) {
    let output = tree.run(args);
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

/// The number of commands that the daemon has answered.
fn answered(tree: &Sandbox) -> usize {
    let log = fs::read_to_string(tree.store().join("log/orient.log")).unwrap_or_default();
    log.lines().filter(|line| line.contains("tool_call")).count()
}

#[test]
fn a_daemon_answers_as_the_command_itself_would() {
    let tree = Sandbox::new(FILES);
    let own: Vec<_> = COMMANDS.iter().map(|args| outcome(&tree, args)).collect();
    let started = outcome(&tree, &["daemon", "start"]);
    assert!(started.0.starts_with("started, process "), "{started:?}");
    assert!(outcome(&tree, &["daemon", "start"]).0.starts_with("was running"));
    for (args, own) in COMMANDS.iter().zip(own) {
        let before = answered(&tree);
        assert_eq!(outcome(&tree, args), own, "orient {}", args.join(" "));
        assert_eq!(answered(&tree), before + 1, "the daemon answers orient {}", args.join(" "));
    }
    let stopped = outcome(&tree, &["daemon", "stop"]);
    assert_eq!((stopped.0.as_str(), stopped.2), ("stopped\n", Some(0)), "{stopped:?}");
    assert_eq!(outcome(&tree, &["daemon"]), ("not running\n".to_owned(), String::new(), Some(1)));
    assert_eq!(outcome(&tree, &["daemon", "stop"]).0, "was not running\n");
}

#[test]
fn a_daemon_sees_a_change_at_once_and_relative_paths_start_from_the_commands_directory() {
    let tree = Sandbox::new(FILES);
    assert!(outcome(&tree, &["daemon", "start"]).0.starts_with("started"));
    tree.write("src/late.py", "def late():\n    pass\n");
    assert!(outcome(&tree, &["symbols", "late"]).0.starts_with("src/late.py:1"), "it was written before");
    let output = tree.command(&["outline", "late.py"]).current_dir(tree.root().join("src")).output();
    assert!(text(&output.expect("it starts").stdout).contains("late"));
    assert_eq!(outcome(&tree, &["daemon", "stop"]).0, "stopped\n");
}

#[test]
fn commands_with_other_settings_answer_themselves() {
    let tree = Sandbox::new(FILES);
    assert!(outcome(&tree, &["daemon", "start"]).0.starts_with("started"));
    let before = answered(&tree);
    let other = ["symbols", "Cart", "--set", "watch.branches=7"];
    assert_eq!(outcome(&tree, &other).2, Some(0));
    assert_eq!(outcome(&tree, &["symbols", "Cart", "--no-refresh"]).2, Some(0));
    assert_eq!(answered(&tree), before);
    assert_eq!(outcome(&tree, &["daemon", "stop"]).0, "stopped\n");
}

#[test]
fn a_server_answers_commands_but_cannot_be_stopped_by_one() {
    let tree = Sandbox::new(FILES);
    assert_eq!(outcome(&tree, &["index", "-q"]).2, Some(0));
    let mut server = tree.command(&["watch", "-q"]).spawn().expect("it starts");
    while outcome(&tree, &["daemon", "status"]).2 != Some(0) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let refused = outcome(&tree, &["daemon", "stop"]);
    assert!(refused.1.contains("stop it where it was started"), "{refused:?}");
    assert!(outcome(&tree, &["symbols", "Cart"]).0.starts_with("src/shop.py:1"));
    assert_eq!(answered(&tree), 1);
    server.kill().and_then(|()| server.wait()).expect("it runs");
}
