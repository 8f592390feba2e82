//! Colours, pipes, help.

use crate::sandbox::{Sandbox, text};
use std::process::Stdio;

fn tree() -> Sandbox {
    Sandbox::new(&[("a.py", "def one(): pass\n")])
}

#[test]
fn output_that_is_piped_has_no_colours() {
    let tree = tree();
    assert!(!tree.run(&["symbols", "one"]).stdout.contains(&0x1b));
    let coloured = text(&tree.run(&["symbols", "one", "--color", "always"]).stdout);
    assert_eq!(
        coloured,
        "\u{1b}[35ma.py:1\u{1b}[0m  \u{1b}[36mfunction\u{1b}[0m \u{1b}[1mone\u{1b}[0m\u{1b}[2m  def one()\u{1b}[0m\n"
    );
    assert!(!tree.run(&["symbols", "one", "--color", "never"]).stdout.contains(&0x1b));
}

#[test]
fn quiet_leaves_only_the_answer() {
    let tree = tree();
    let output = tree.run(&["files", "--limit", "1", "--no-refresh", "--quiet"]);
    assert_eq!(output.status.code(), Some(5), "errors are still said");
    assert!(tree.run(&["index", "-q"]).status.success());
    let output = tree.run(&["files", "--no-refresh", "--quiet"]);
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("a.py\n".into(), String::new()));
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_command_quietly() {
    let many: Vec<(String, String)> =
        (0..3000).map(|n| (format!("directory/file_with_a_long_name_{n:04}.txt"), String::new())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Sandbox::new(&many);
    let mut command = tree.command(&["files"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[test]
fn help_has_examples_for_every_command() {
    let tree = tree();
    let help = text(&tree.run(&["--help"]).stdout);
    assert!(help.starts_with("Code intelligence"), "{help}");
    assert!(help.contains("Exit codes:") && help.contains("time: "), "{help}");
    for command in ["index", "status", "files", "symbols", "outline", "show", "dump", "gc", "config"] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
        let own = text(&tree.run(&[command, "--help"]).stdout);
        assert!(own.contains("Examples:\n  orient "), "{own}");
        assert!(own.contains("--json"), "{own}");
    }
}

#[test]
fn without_a_command_the_help_is_shown() {
    let output = tree().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Usage: orient"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_index_leaves_what_was_committed() {
    let tree = tree();
    assert!(tree.run(&["index"]).status.success());
    for n in 0..2000 {
        tree.write(&format!("more/f{n}.py"), format!("def f{n}(): pass\n").repeat(50));
    }
    let mut child =
        tree.command(&["index", "--quiet"]).stderr(Stdio::piped()).spawn().expect("the command starts");
    std::thread::sleep(std::time::Duration::from_millis(150));
    let pid = child.id().to_string();
    let kill = std::process::Command::new("kill").args(["-INT", &pid]).status().expect("there is a kill");
    assert!(kill.success());
    let status = child.wait().expect("it ends");
    assert!(matches!(status.code(), Some(130 | 0)), "{status:?}");
    let answer = tree.json(&["files", "--no-refresh", "--json"]);
    let files = answer["data"]["files"].as_array().expect("a list").len();
    let expected = if status.code() == Some(130) { 1 } else { 2001 };
    assert_eq!(files, expected, "all of a change set or nothing of it");
}

#[test]
fn help_names_topics_commands_and_what_is_near() {
    let tree = tree();
    let of = |name| text(&tree.run(&["help", name]).stdout);
    assert!(of("time").contains("\n  blame "), "{}", of("time"));
    assert!(of("callers").contains("Usage: orient callers"), "{}", of("callers"));
    let unknown = tree.run(&["help", "usages"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        text(&unknown.stderr).contains("did you mean `orient help references`?"),
        "{}",
        text(&unknown.stderr)
    );
    assert_eq!(text(&tree.run(&["help"]).stdout), text(&tree.run(&["-h"]).stdout));
}
