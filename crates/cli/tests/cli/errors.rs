//! Errors say what is wrong and what to type instead; exit codes are for scripts.

use crate::sandbox::Sandbox;

fn small() -> Sandbox {
    Sandbox::new(&[("src/server.py", "class Server:\n    pass\n"), ("src/client.py", "x = 1\n")])
}

#[test]
fn wrong_words_are_answered_with_the_nearest() {
    let tree = small();
    tree.assert_outcome(
        &["symbols", "Server", "--kind", "clas"],
        2,
        "
        error: unknown kind `clas`
        help:  did you mean `class`?
        ",
    );
    tree.assert_outcome(
        &["files", "--lang", "pyton"],
        2,
        "
        error: unknown language `pyton` in this index
        help:  did you mean `python`?
        ",
    );
    tree.assert_outcome(
        &["outline", "src/srever.py"],
        1,
        "
        error: the index has no file or directory `src/srever.py`
        help:  did you mean `src/server.py`?
        ",
    );
    // The end of one path is enough.
    tree.assert_outcome(&["outline", "client.py"], 0, "src/client.py  python, 1 line\n  1  variable x = 1\n");
}

#[test]
fn an_unknown_command_is_answered_with_the_one_that_was_meant() {
    for (typed, meant) in [("serach", "search"), ("overview", "map"), ("read", "show"), ("setpu", "setup")] {
        let help = format!("error: there is no command `{typed}`\nhelp:  did you mean `orient {meant}`?\n");
        small().assert_outcome(&[typed], 2, &help);
    }
}

#[test]
fn an_invalid_line_is_an_error_in_json_with_json() {
    let tree = small();
    for line in [&["serach", "--json"][..], &["symbols", "--json", "--no-such-flag"], &["show", "--json"]] {
        let said = tree.run(line);
        let error: serde_json::Value = serde_json::from_slice(&said.stderr).expect("JSON");
        assert_eq!((error["code"].as_str(), said.status.code()), (Some("bad_argument"), Some(2)), "{error}");
    }
}

#[test]
fn a_question_without_a_name_says_what_to_give() {
    small().assert_outcome(
        &["symbols"],
        2,
        "
        error: a name or a filter is required
        help:  for example `orient symbols Server`, or `orient symbols --kind class`
        ",
    );
}

#[test]
fn unknown_commands_and_flags_are_named_with_the_nearest() {
    let tree = small();
    for (args, near) in [(["symbls", "x"], "symbols"), (["files", "--lnog"], "--long")] {
        let output = tree.run(&args);
        let said = crate::sandbox::text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(near), "{said}");
    }
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let tree = small();
    let output = tree.run(&["status", "--root", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    let said = crate::sandbox::text(&output.stderr);
    assert!(said.starts_with("error: cannot read the directory ") && said.contains("nowhere"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_home_directory_is_refused_until_asked_twice() {
    let tree = small();
    let home = |args: &[&str]| {
        let mut command = tree.command(args);
        command.env("HOME", tree.root()).output().expect("the command starts")
    };
    for args in [&["files"][..], &["files", "--force"]] {
        let output = home(args);
        let said = crate::sandbox::text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("your home directory") && said.contains("--force --force"), "{said}");
    }
    assert_eq!(home(&["files", "--force", "--force"]).status.code(), Some(0));
}

#[test]
fn a_file_that_was_not_read_says_why() {
    let tree = small();
    tree.write("logo.png", b"\0\x01\x02");
    tree.assert_outcome(&["outline", "logo.png"], 1, "error: `logo.png` is not indexed: binary");
    tree.assert_output(&["files", "--skipped"], "logo.png  binary");
}

#[test]
fn lines_that_are_not_there_are_named() {
    let tree = small();
    tree.assert_outcome(
        &["show", "src/server.py", "--lines", "90-99"],
        1,
        "error: src/server.py has only 2 lines",
    );
    let output = tree.run(&["show", "src/server.py", "--lines", "9-1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(crate::sandbox::text(&output.stderr).contains("use 1-9"));
}
