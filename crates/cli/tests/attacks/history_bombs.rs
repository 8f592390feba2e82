//! Git bombs: histories of a few kilobytes whose commits describe billions of files, lines or bytes, or that never end. The current commit is
//! harmless. Every question ends within bounded memory, and says which commit it did not read as a whole.

use crate::attack;
use crate::sandbox::{CommandOutput, Sandbox, Store};
use orient_testkit::git;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Less memory than any of the bombs would take, and a fraction of the time. `limits.memory` is that of a small machine.
const BOUNDED: &str = "ulimit -v 2500000; export ORIENT_LIMITS_MEMORY=64MiB; exec timeout -s KILL 120 \"$@\"";

/// A repository with two commits.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new(Store::Apart);
    let root = sandbox.root();
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "first"]);
    sandbox.write("cart.py", "def total(items):\n    # second\n    return sum(items)\n");
    git(&root, &["commit", "-q", "-a", "-m", "second"]);
    sandbox
}

/// Runs git with an input; returns its output without the line end.
fn git_with(root: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut git = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git is installed");
    git.stdin.take().expect("a pipe").write_all(input).expect("git reads it");
    let output = git.wait_with_output().expect("it ends");
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A tree with ten entries that each lead to ten entries, and so on.
fn tree_of_trees(root: &Path, levels: u32, name: &str) -> String {
    let blob = git_with(root, &["hash-object", "-w", "--stdin"], b"x\n");
    let entries = |mode: &str, kind: &str, id: &str| {
        let line = |n: u32| format!("{mode} {kind} {id}\t{name}{n}\n");
        (0..10).map(line).collect::<String>()
    };
    let mut tree = git_with(root, &["mktree"], entries("100644", "blob", &blob).as_bytes());
    for _ in 0..levels {
        tree = git_with(root, &["mktree"], entries("040000", "tree", &tree).as_bytes());
    }
    tree
}

/// Commits trees one after another, the last one being that of the current commit. Returns the ids.
fn commit_trees(root: &Path, trees: &[&str], message: &str) -> Vec<String> {
    let mut parent = git(root, &["rev-parse", "HEAD"]).trim().to_owned();
    let clean = git(root, &["rev-parse", "HEAD^{tree}"]).trim().to_owned();
    let mut ids = Vec::new();
    for tree in trees.iter().copied().chain([clean.as_str()]) {
        let made = ["-c", "user.name=A", "-c", "user.email=a@b", "commit-tree", "-p", &parent, tree];
        parent = git_with(root, &made, message.as_bytes());
        ids.push(parent.clone());
    }
    git(root, &["update-ref", "refs/heads/main", &parent]);
    ids
}

/// Asks a question about history; it must end by itself.
fn ask(sandbox: &Sandbox, question: &[&str]) -> CommandOutput {
    let output = sandbox.run_in(BOUNDED, question);
    assert!(!output.is_killed, "{question:?}: {output:?}");
    output
}

/// Whether an answer names a commit of which it does not know everything.
fn names(output: &CommandOutput, commits: &[String]) -> bool {
    commits.iter().any(|id| output.err.contains(&id[..10]) || output.out.contains(&id[..10]))
}

/// Asks everything about a history with a bomb; `partial` are the questions whose answers must say that they are not whole.
fn with_bomb(sandbox: &Sandbox, bomb: &[String]) {
    let questions: [&[&str]; 9] = [
        &["log", "cart.py"],
        &["blame", "cart.py"],
        &["introduced", "return sum"],
        &["commits", "bomb"],
        &["changes", &bomb[0]],
        &["changes", "HEAD~1..HEAD"],
        &["symbols", "total", "--at", &bomb[0]],
        &["impact", "--diff", &bomb[0]],
        &["index", "--history"],
    ];
    for question in questions {
        let output = ask(sandbox, question);
        assert!(names(&output, bomb), "{question:?} names no commit: {output:?}");
        let is_said = ["not everything of these commits", "than fit into the memory of a question"];
        let is_partial = is_said.iter().any(|said| output.err.contains(said) || output.out.contains(said));
        assert!(is_partial, "{question:?} says that it is whole: {output:?}");
    }
    let whole = ask(sandbox, &["log", "cart.py"]);
    assert!(whole.out.contains("first") && whole.out.contains("second"), "the rest is answered: {whole:?}");
    let found = ask(sandbox, &["symbols", "total"]);
    assert!(found.ok && found.out.contains("def total"), "{found:?}");
}

attack!(
    tree_of_a_billion_files,
    "a tree of trees with a billion files, in a commit of a few kilobytes: bounded, and named",
    {
        let sandbox = repository();
        let tree = tree_of_trees(&sandbox.root(), 8, "d");
        let ids = commit_trees(&sandbox.root(), &[&tree], "bomb");
        with_bomb(&sandbox, &ids);
    }
);
attack!(paths_of_megabytes, "a tree of trees whose names are sixty kilobytes long: bounded, and named", {
    let sandbox = repository();
    let tree = tree_of_trees(&sandbox.root(), 4, &"n".repeat(60_000));
    let ids = commit_trees(&sandbox.root(), &[&tree], "bomb");
    with_bomb(&sandbox, &ids);
});
attack!(
    a_hundred_million_lines,
    "an old version of a file with fifty million lines: not compared line by line",
    {
        let sandbox = repository();
        let root = sandbox.root();
        let version = |bytes: Vec<u8>| {
            let blob = git_with(&root, &["hash-object", "-w", "--stdin"], &bytes);
            git_with(&root, &["mktree"], format!("100644 blob {blob}\tcart.py\n").as_bytes())
        };
        let trees = [version(vec![b'\n'; 50_000_000]), version(b"a\n".repeat(25_000_000))];
        let ids = commit_trees(&root, &[&trees[0], &trees[1]], "bomb");
        for question in [&["log", "cart.py"][..], &["introduced", "return sum"], &["index", "--history"]] {
            assert!(ask(&sandbox, question).ok, "{question:?}");
        }
        let blame = ask(&sandbox, &["blame", "cart.py"]);
        assert!(blame.ok && names(&blame, &ids) && blame.err.contains("not everything"), "{blame:?}");
    }
);
attack!(messages_of_megabytes, "forty commits with messages of sixty megabytes: cut", {
    let sandbox = repository();
    let root = sandbox.root();
    let clean = git(&root, &["rev-parse", "HEAD^{tree}"]).trim().to_owned();
    let trees = vec![clean.as_str(); 39];
    commit_trees(&root, &trees, &format!("bomb {}", "m".repeat(60_000_000)));
    for question in [&["log", "cart.py"][..], &["commits", "bomb"], &["index", "--history"]] {
        let output = ask(&sandbox, question);
        assert!(output.ok && output.out.len() < 1 << 20, "{question:?}: {} bytes", output.out.len());
    }
});
attack!(
    blobs_that_expand,
    "twenty old versions that each expand from a kilobyte to eight megabytes: bounded memory",
    {
        let sandbox = repository();
        let root = sandbox.root();
        let mut trees = Vec::new();
        for number in 0..4 {
            let mut lines = String::new();
            for file in 0..5 {
                let mut bytes = vec![b'x'; 8 << 20];
                bytes[..8].copy_from_slice(format!("{number:04}{file:04}").as_bytes());
                let blob = git_with(&root, &["hash-object", "-w", "--stdin"], &bytes);
                lines.extend(["100644 blob ", &blob, &format!("\tf{number}_{file}.py\n")]);
            }
            trees.push(git_with(&root, &["mktree"], lines.as_bytes()));
        }
        commit_trees(&root, &trees.iter().map(String::as_str).collect::<Vec<_>>(), "bomb");
        for question in [&["log", "cart.py"][..], &["blame", "cart.py"], &["commits", "bomb"]] {
            ask(&sandbox, question);
        }
    }
);

/// Makes the two commits each other's parents, and asks everything.
fn own_ancestors(redirect: impl FnOnce(&Path, &str, &str)) {
    let sandbox = repository();
    let root = sandbox.root();
    let id = |revision: &str| git(&root, &["rev-parse", revision]).trim().to_owned();
    let (second, first) = (id("HEAD"), id("HEAD~1"));
    redirect(&root, &second, &first);
    let questions: [&[&str]; 10] = [
        &["log", "cart.py"],
        &["log", "total"],
        &["log", "cart.py:1"],
        &["introduced", "return sum"],
        &["commits", "first"],
        &["changes", "HEAD~1"],
        &["changes", "HEAD~7..."],
        &["changes", "HEAD~999999..HEAD"],
        &["index", "--history"],
        &["hotspots"],
    ];
    for question in questions {
        ask(&sandbox, question);
    }
    let blame = ask(&sandbox, &["blame", "cart.py"]);
    assert!(blame.ok && blame.err.contains("its own ancestor"), "{blame:?}");
}

attack!(
    grafts_in_a_circle,
    "`info/grafts` makes a commit its own ancestor: every question ends, and blame names the commit",
    {
        own_ancestors(|root, second, first| {
            fs::create_dir_all(root.join(".git/info")).expect("made");
            let grafts = format!("{second} {first}\n{first} {second}\n");
            fs::write(root.join(".git/info/grafts"), grafts).expect("written");
        });
    }
);
attack!(
    replacements_in_a_circle,
    "`refs/replace` makes a commit its own ancestor: every question ends, and blame names the commit",
    {
        own_ancestors(|root, second, first| {
            let text = git(root, &["cat-file", "commit", first]);
            let (tree, rest) = text.split_once('\n').expect("a header");
            let text = format!("{tree}\nparent {second}\n{rest}");
            let other = git_with(root, &["hash-object", "-w", "-t", "commit", "--stdin"], text.as_bytes());
            git(root, &["update-ref", &format!("refs/replace/{first}"), &other]);
        });
    }
);
attack!(
    forged_objects_in_a_circle,
    "an object that is not what its name says makes a commit its own ancestor: every question ends",
    {
        own_ancestors(|root, second, first| {
            let path = |id: &str| root.join(".git/objects").join(&id[..2]).join(&id[2..]);
            let text = git(root, &["cat-file", "commit", first]);
            let (tree, rest) = text.split_once('\n').expect("a header");
            let text = format!("{tree}\nparent {second}\n{rest}");
            let other = git_with(root, &["hash-object", "-w", "-t", "commit", "--stdin"], text.as_bytes());
            fs::remove_file(path(first)).expect("a loose object");
            fs::copy(path(&other), path(first)).expect("forged");
        });
    }
);
