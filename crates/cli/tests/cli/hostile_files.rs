//! A hostile tree: everything in it is either indexed or reported with the reason why not.

use crate::sandbox::{Sandbox, text};
use std::fs::{self, File};

/// A megabyte on one line, with a definition at its end.
fn long_line() -> String {
    format!("var data = \"{}\"; function late() {{}}", "a".repeat(1 << 20))
}

/// Brackets ten thousand deep, and a definition below.
fn deep() -> String {
    format!("var deep = {}{};\nfunction below() {{}}\n", "[".repeat(10_000), "]".repeat(10_000))
}

#[test]
fn what_is_hostile_is_indexed_or_named() {
    let tree =
        Sandbox::new(&[("line.js", &long_line()), ("deep.js", &deep()), ("plain.py", "def plain(): pass\n")]);
    tree.write("latin.py", b"# caf\xe9 \xff\ndef latin(): pass\n");
    tree.write("nul.py", b"def nul(): pass\n\0");
    let huge = File::create(tree.root().join("huge.json")).expect("a new file");
    huge.set_len(100 << 20).expect("room for a hole");
    let said = tree.run(&["index"]);
    assert_eq!(said.status.code(), Some(0), "{}", text(&said.stderr));
    tree.assert_output(
        &["files", "--skipped"],
        "
        huge.json  too large (100.0 MiB, limit 2.0 MiB)
        nul.py  binary
        ",
    );
    for (name, path) in
        [("late", "line.js"), ("below", "deep.js"), ("plain", "plain.py"), ("latin", "latin.py")]
    {
        let found = text(&tree.run(&["symbols", name]).stdout);
        assert!(found.starts_with(&format!("{path}:")) && found.contains(name), "{name}: {found}");
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_in_circles_lead_nowhere() {
        let tree = Sandbox::new(&[("src/a.py", "def a(): pass\n")]);
        symlink("..", tree.root().join("src/up")).expect("a link");
        symlink("round", tree.root().join("round")).expect("a link");
        symlink("src", tree.root().join("same")).expect("a link");
        tree.assert_output(
            &["files", "--skipped"],
            "
            round  symbolic link
            same  symbolic link
            src/up  symbolic link
            ",
        );
        tree.assert_output(&["files"], "src/a.py");
    }

    /// Names, headings and comments with terminal control sequences, in every command that prints them.
    #[test]
    fn nothing_of_the_tree_steers_a_terminal() {
        let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}\u{202e}\u{200b}\u{2066}";
        let python =
            format!("def first(x='{evil}'):\n    # {evil}\n    return second()\n\ndef second():\n    pass\n");
        let tree = Sandbox::new(&[
            (&format!("a{evil}\n.py"), &python),
            ("evil.md", &format!("# Heading {evil}\n\ntext {evil}\n")),
            ("evil.yaml", &format!("key: '{evil}'\n")),
            ("evil.test.js", &format!("test('title {evil}', () => {{ first(); }});\n")),
        ]);
        let nowhere = format!("no{evil}where");
        let commands: &[&[&str]] = &[
            &["files"],
            &["files", "--long"],
            &["files", &nowhere],
            &["files", &nowhere, "--json"],
            &["symbols", "first"],
            &["symbols", "first", "--json"],
            &["symbols", "--kind", "heading", "--kind", "test", "--kind", "key"],
            &["symbols", &nowhere],
            &["outline", "."],
            &["show", "first"],
            &["show", "evil.md"],
            &["show", &nowhere],
            &["search", "heading title"],
            &["context", "first"],
            &["callers", "second"],
            &["references", "second"],
            &["impact", "second"],
            &["trace", "first", "second"],
            &["unused"],
            &["deps"],
            &["edges"],
            &["map"],
            &["status"],
            &["dump"],
        ];
        let steers = |c: char| {
            (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{200b}' | '\u{202e}' | '\u{2066}')
        };
        for command in commands {
            let said = tree.run(command);
            let said = text(&said.stdout) + &text(&said.stderr);
            assert!(!said.contains(steers), "{command:?}: {said:?}");
        }
    }

    #[test]
    fn what_may_not_be_read_is_named() {
        let tree =
            Sandbox::new(&[("closed.py", "def closed(): pass\n"), ("locked/x.py", ""), ("open.py", "")]);
        let set = |path: &std::path::Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
        };
        set(&tree.root().join("closed.py"), 0o000);
        set(&tree.root().join("locked"), 0o000);
        let said = tree.unprivileged(&["files", "--skipped"]).output();
        let said = said.expect("the command starts");
        set(&tree.root().join("locked"), 0o755);
        let said = text(&said.stdout) + &text(&said.stderr);
        assert!(said.contains("closed.py  cannot be read: permission denied"), "{said}");
        assert!(said.contains("locked  cannot be read: permission denied"), "{said}");
    }
}
