//! Ignore files of any size: their cost, and the report if some patterns are not applied.

use crate::sandbox::{Sandbox, text};
use std::time::{Duration, Instant};

/// Limit for a command on a busy machine; compiling all patterns took more than ten seconds.
const SOON: Duration = Duration::from_secs(4);

fn patterns(count: usize) -> String {
    let lines: Vec<String> = (0..count).map(|number| format!("**/gen_{number}/**/*_{number}.py")).collect();
    lines.join("\n")
}

fn tree(rules: &str, count: usize) -> Sandbox {
    let tree = Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("src/main.py", "def kept(): pass\n"),
        ("a/gen_7/b/x_7.py", "def left_out(): pass\n"),
        ("a/gen_7/b/x_8.py", "def kept_too(): pass\n"),
    ]);
    tree.write(rules, patterns(count));
    tree
}

#[test]
fn twenty_thousand_patterns_do_not_slow_commands_down() {
    for rules in [".gitignore", ".orientignore", "a/.ignore"] {
        // Below the root, the limit is lower.
        let tree = tree(rules, if rules.starts_with('a') { 4_000 } else { 20_000 });
        assert!(tree.run(&["index"]).status.success());
        let ask = |args: &[&str], expected: &str| {
            let begun = Instant::now();
            assert_eq!(text(&tree.run(args).stdout), expected, "{rules} {args:?}");
            assert!(begun.elapsed() < SOON, "{rules} {args:?}: {:?}", begun.elapsed());
        };
        ask(&["symbols", "kept_too"], "a/gen_7/b/x_8.py:1  function kept_too  def kept_too()\n");
        ask(&["grep", "-l", "def", "a", "src"], "a/gen_7/b/x_8.py\nsrc/main.py\n");
        tree.write("src/main.py", "\ndef kept(): pass\n");
        ask(&["symbols", "kept"], "src/main.py:2  function kept  def kept()\n");
    }
}

#[test]
fn patterns_that_are_not_applied_are_named() {
    let tree = tree(".gitignore", 200_000);
    let said = text(&tree.run(&["symbols", "kept"]).stderr);
    let expected = ".gitignore has more patterns than are applied (";
    assert!(said.contains(expected), "{said}");
    // The status reports it even without a new walk.
    for _ in 0..2 {
        let status = tree.run(&["status"]);
        let said = text(&status.stdout) + &text(&status.stderr);
        assert!(said.contains(expected), "{said}");
    }
}
