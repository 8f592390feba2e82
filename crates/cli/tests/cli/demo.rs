//! `orient demo`: an application to try the examples on.

use crate::sandbox::{Sandbox, text};

#[test]
fn a_demo_is_an_application_with_its_history() {
    let tree = Sandbox::new(&[]);
    let output = tree.run(&["demo", "parcel"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(said.contains("a parcel-delivery application") && said.contains("5 commits"), "{said}");
    let demo = tree.root().join("parcel");
    // What the documents show depends on these ids.
    let ids = orient_testkit::git(&demo, &["log", "--format=%h %an %s"]);
    assert_eq!(ids.lines().count(), 5, "{ids}");
    assert_eq!(orient_testkit::git(&demo, &["status", "--porcelain"]), "");
    // Each question that is recommended has an answer.
    for line in said.lines().filter(|line| line.contains("  orient ")) {
        let command = line.trim().split("  #").next().unwrap_or_default().trim();
        let words: Vec<&str> = command
            .split('"')
            .enumerate()
            .flat_map(|(at, part)| if at % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
            .skip(1)
            .chain(["--root", "parcel"])
            .collect();
        let answer = tree.run(&words);
        assert!(answer.status.success(), "{command}: {}", text(&answer.stderr));
    }
}

#[test]
fn a_demo_never_writes_into_what_exists() {
    let tree = Sandbox::new(&[("parcel/mine.txt", "mine\n")]);
    let output = tree.run(&["demo", "parcel"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is no empty directory"), "{}", text(&output.stderr));
    assert!(!tree.root().join("parcel/README.md").exists());
}
