//! Output on a terminal: colours, links, highlighted source, a pager; and none of it in a pipe.

#![cfg(target_os = "linux")]

use crate::sandbox::{Sandbox, text};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

/// Runs a command on a terminal with this many lines. Returns everything that was displayed.
fn on_terminal(command: &mut Command, rows: u16) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).expect("granted");
    unlockpt(&master).expect("unlocked");
    let name = ptsname(&master, Vec::new()).expect("a name");
    let slave = File::options().read(true).write(true).open(name.to_str().expect("text")).expect("opens");
    tcsetwinsize(&slave, Winsize { ws_row: rows, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).expect("sized");
    let end = || Stdio::from(slave.try_clone().expect("another handle"));
    let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("the command starts");
    // Our own handles must be closed, or the terminal never ends.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(slave);
    let (mut shown, mut master) = (Vec::new(), File::from(master));
    let mut buffer = [0; 4096];
    // Reading fails once the other end is closed.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
    }
    assert!(child.wait().expect("it ends").success());
    text(&shown).replace("\r\n", "\n")
}

fn tree() -> Sandbox {
    Sandbox::new(&[("a.py", "def one(x):\n    return \"t\"  # why\n")])
}

#[test]
fn on_a_terminal_places_are_links_and_source_is_painted() {
    let tree = tree();
    assert!(tree.run(&["index", "-q"]).status.success());
    let shown = on_terminal(tree.command(&["show", "one"]).env("TERM", "xterm"), 40);
    let address = format!("\u{1b}]8;;file://{}/a.py\u{1b}\\", tree.root().display());
    assert!(shown.starts_with(&address), "{shown:?}");
    assert!(shown.contains("\u{1b}[35mdef\u{1b}[0m one(x):"), "{shown:?}");
    assert!(
        shown.contains("\u{1b}[32m\"t\"\u{1b}[0m") && shown.contains("\u{1b}[2m# why\u{1b}[0m"),
        "{shown:?}"
    );
    let piped = text(&tree.run(&["show", "one"]).stdout);
    assert_eq!(piped, "a.py:1-2  function one\n1  def one(x):\n2      return \"t\"  # why\n");
}

#[test]
fn colours_can_be_disabled() {
    let tree = tree();
    assert!(tree.run(&["index", "-q"]).status.success());
    let shown = on_terminal(tree.command(&["show", "one"]).env("TERM", "xterm").env("NO_COLOR", "1"), 40);
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    let dumb = on_terminal(tree.command(&["show", "one"]).env("TERM", "dumb"), 40);
    assert!(!dumb.contains('\u{1b}'), "{dumb:?}");
}

#[test]
fn only_what_is_longer_than_the_screen_is_paged() {
    let many: Vec<String> = (0..30).map(|number| format!("f{number:02}.txt")).collect();
    let files: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
    let tree = Sandbox::new(&files);
    assert!(tree.run(&["index", "-q"]).status.success());
    let page = |args: &[&str], rows| {
        let mut command = tree.command(args);
        command.env("TERM", "xterm").env("PAGER", "sed s/^/paged:/");
        on_terminal(&mut command, rows)
    };
    let all = ["files", "--limit", "0", "--color", "never"];
    assert_eq!(page(&all, 10).matches("paged:").count(), 30);
    assert_eq!(page(&all, 60).matches("paged:").count(), 0);
    assert_eq!(page(&[&all[..], &["--no-pager"]].concat(), 10).matches("paged:").count(), 0);
    assert_eq!(page(&["files", "--limit", "2", "--color", "never"], 10).matches("paged:").count(), 0);
}
