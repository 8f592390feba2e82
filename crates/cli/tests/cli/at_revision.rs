//! `--at REV`: every question about the tree, answered for a commit.

use crate::sandbox::{Sandbox, text};

/// A repository with five states: the tree grows, files are renamed and deleted, rules and settings change.
fn repository() -> Sandbox {
    let tree = Sandbox::new(&[
        (
            "app.py",
            "from lib.price import price\n\n\ndef total(items):\n    return sum(price(i) for i in items)\n",
        ),
        ("lib/price.py", "def price(item):\n    return item.cost\n"),
        ("lib/__init__.py", ""),
        ("notes.md", "# Notes\n\nThe old word.\n"),
    ]);
    let root = tree.root();
    let git = |args: &[&str]| orient_testkit::git(&root, args);
    let commit = |message: &str| {
        git(&["add", "-A", "-f"]);
        git(&["commit", "-q", "-m", message]);
    };
    git(&["init", "-q", "-b", "main"]);
    commit("add prices");
    tree.write(
        "lib/price.py",
        "def price(item, rate=1):\n    return item.cost * rate\n\n\ndef unused():\n    pass\n",
    );
    tree.write("gen/out.py", "GENERATED = 1\n");
    commit("add a rate");
    git(&["mv", "lib/price.py", "lib/prices.py"]);
    tree.write(
        "app.py",
        "from lib.prices import price\n\n\ndef total(items):\n    return sum(price(i) for i in items)\n",
    );
    git(&["rm", "-q", "notes.md"]);
    commit("rename the module");
    tree.write(".gitignore", "gen/\n*.log\n");
    tree.write("deep/er/.orientignore", "hidden.py\n");
    tree.write("deep/er/hidden.py", "HIDDEN = 1\n");
    tree.write("deep/er/seen.py", "SEEN = 1\n");
    tree.write("trace.log", "tracked and ignored\n");
    commit("ignore what is generated");
    tree.write(".orient.toml", "[index]\nexclude = [\"deep/\"]\nmax_file_size = \"100\"\n");
    tree.write(
        "big.py",
        "X = 1  # a long line that is longer than the limit of a hundred bytes, so that it is skipped ....\n",
    );
    commit("narrow the index");
    // The working tree differs from every commit.
    tree.write("app.py", "def total(items):\n    return NEW\n");
    tree.write("untracked.py", "UNTRACKED = 1\n");
    tree
}

const STATES: [&str; 5] = ["HEAD~4", "HEAD~3", "HEAD~2", "HEAD~1", "HEAD"];

/// The dump of an index that is built from a checkout of a revision.
fn dump_of_checkout(tree: &Sandbox, revision: &str) -> String {
    let directory = tree.root().with_file_name(revision.replace('~', "-"));
    let path = directory.to_str().expect("UTF-8");
    orient_testkit::git(&tree.root(), &["worktree", "add", "-q", "--detach", path, revision]);
    let store = tree.root().with_file_name("other-store");
    let output = tree.run(&["dump", "--root", path, "--store", store.to_str().expect("UTF-8")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    std::fs::remove_dir_all(store).expect("it was made");
    text(&output.stdout)
}

#[test]
fn a_dump_at_a_revision_equals_that_of_an_index_built_from_its_checkout() {
    let tree = repository();
    let expected: Vec<String> = STATES.iter().map(|revision| dump_of_checkout(&tree, revision)).collect();
    let dump = |revision: &str| text(&tree.run(&["dump", "--at", revision]).stdout);
    // Without an index of the working tree, then from it, then from those of other commits, forwards and backwards.
    assert_eq!(dump("HEAD~2"), expected[2]);
    assert!(tree.run(&["index"]).status.success());
    let working = text(&tree.run(&["dump"]).stdout);
    for at in [0, 1, 2, 3, 4, 3, 0] {
        assert_eq!(dump(STATES[at]), expected[at], "{}", STATES[at]);
    }
    assert_eq!(text(&tree.run(&["dump"]).stdout), working, "the index of the working tree is another");
    assert!(expected[1] != expected[2] && expected[3] != expected[4]);
}

#[test]
fn every_question_reads_the_files_of_the_revision() {
    let tree = repository();
    let out = |args: &[&str]| text(&tree.run(args).stdout);
    assert!(out(&["show", "price", "--at", "HEAD~4"]).contains("return item.cost\n"));
    assert!(out(&["show", "price", "--at", "HEAD~3"]).contains("item.cost * rate"));
    assert_eq!(out(&["grep", "old word", "--at", "HEAD~4"]), "notes.md:The old word.\n");
    assert_eq!(out(&["grep", "old word", "--at", "HEAD"]), "");
    assert_eq!(out(&["grep", "-l", "price", "lib", "--at", "HEAD~4"]), "lib/price.py\n");
    assert_eq!(out(&["grep", "-l", "UNTRACKED|GENERATED", "--at", "HEAD~1"]), "", "ignored or not committed");
    assert_eq!(out(&["grep", "-l", "GENERATED", "--no-ignore", "--at", "HEAD~1"]), "gen/out.py\n");
    assert!(out(&["callers", "price", "--at", "HEAD~4"]).contains("app.py:5"));
    assert!(out(&["outline", "lib/price.py", "--at", "HEAD~4"]).contains("price(item)"));
    assert!(out(&["search", "price", "--at", "HEAD~4"]).contains("lib/price.py"));
    assert!(out(&["context", "price of an item", "--at", "HEAD~4"]).contains("return item.cost"));
    assert!(out(&["find", "price($A)", "--lang", "python", "--at", "HEAD~4"]).contains("price(i)"));
    assert!(out(&["unused", "--at", "HEAD~3"]).contains("unused"));
    let files = |revision: &str| out(&["files", "--at", revision]);
    assert!(files("HEAD~4").contains("notes.md") && !files("HEAD").contains("notes.md"));
    let rows = tree.json(&["query", "--json", "--at", "HEAD~4", "SELECT count(*) FROM files"]);
    assert_eq!(rows["count(*)"], 4);
    assert!(out(&["show", "total"]).contains("return NEW"), "without `--at`, the working tree");
}

#[test]
fn an_answer_names_the_revision_it_describes() {
    let tree = repository();
    let id = orient_testkit::git(&tree.root(), &["rev-parse", "HEAD~3"]);
    let answer = tree.json(&["symbols", "price", "--at", "HEAD~3", "--json"]);
    assert_eq!(answer["at"]["commit"].as_str(), id.get(..10));
    assert_eq!(answer["at"]["subject"], "add a rate");
    assert!(answer["at"]["date"].as_str().is_some_and(|date| date.len() == 10), "{answer}");
    let notes = text(&tree.run(&["symbols", "price", "--at", "HEAD~3"]).stderr);
    assert!(notes.contains(&format!("at: {}", &id[..10])), "{notes}");
    assert!(tree.json(&["symbols", "price", "--json"]).get("at").is_none());
}

#[test]
fn a_revision_is_anything_that_names_a_commit() {
    let tree = repository();
    let root = tree.root();
    orient_testkit::git(&root, &["tag", "-a", "v1", "-m", "one", "HEAD~4"]);
    orient_testkit::git(&root, &["branch", "old", "HEAD~4"]);
    let id = orient_testkit::git(&root, &["rev-parse", "--short", "HEAD~4"]);
    let expected = text(&tree.run(&["dump", "--at", "HEAD~4"]).stdout);
    for revision in ["v1", "old", "refs/heads/old", id.trim(), "HEAD@{4}", "main~4"] {
        assert_eq!(text(&tree.run(&["dump", "--at", revision]).stdout), expected, "{revision}");
    }
}

#[test]
fn errors_say_what_to_type() {
    let tree = repository();
    let error = |args: &[&str]| {
        let output = tree.run(args);
        assert!(!output.status.success(), "{args:?}");
        text(&output.stderr)
    };
    let unknown = error(&["show", "price", "--at", "mian"]);
    assert!(unknown.contains("no revision `mian`") && unknown.contains("did you mean `main`"), "{unknown}");
    assert!(error(&["gc", "--at", "HEAD"]).contains("`--at` does not apply to `gc`"));
    assert!(error(&["watch", "--at", "HEAD"]).contains("`--at` does not apply to `watch`"));
    assert!(
        error(&["impact", "--diff", "HEAD~1", "--at", "HEAD~2"]).contains("compared with the working tree")
    );
    let plain = Sandbox::new(&[("a.py", "A = 1\n")]);
    let output = plain.run(&["show", "A", "--at", "HEAD"]);
    assert!(text(&output.stderr).contains("is not in a git repository"), "{}", text(&output.stderr));
}

#[test]
fn a_commit_that_was_not_fetched_is_reported() {
    let tree = repository();
    let clone = tree.root().with_file_name("clone");
    let (from, to) = (format!("file://{}", tree.root().display()), clone.display().to_string());
    orient_testkit::git(&tree.root(), &["clone", "-q", "--depth", "1", &from, &to]);
    let output = tree.run(&["show", "price", "--root", &to, "--at", "HEAD~1"]);
    let error = text(&output.stderr);
    assert!(!output.status.success() && error.contains("shallow"), "{error}");
}

#[test]
fn indexes_of_commits_are_kept_within_a_limit_and_removed_by_gc() {
    let tree = repository();
    let kept = || {
        let repository =
            std::fs::read_dir(tree.store()).expect("a store").flatten().find(|entry| entry.path().is_dir());
        let trees = std::fs::read_dir(repository.expect("a repository").path()).expect("its trees").flatten();
        trees
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("commit-"))
            .map(|entry| entry.path())
            .collect::<Vec<_>>()
    };
    for revision in STATES {
        assert!(tree.run(&["files", "--at", revision]).status.success());
    }
    assert_eq!(kept().len(), 5, "all were used within the last minute");
    // As if they were last used an hour ago.
    let earlier = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    for directory in kept() {
        let file = std::fs::File::options().write(true).open(directory.join("tree")).expect("its id");
        file.set_modified(earlier).expect("its time");
    }
    assert!(tree.run(&["gc"]).status.success());
    assert_eq!(kept().len(), 5, "they are within the limit");
    assert!(tree.run(&["gc", "--set", "store.commits=1"]).status.success());
    assert_eq!(kept().len(), 0);
    assert!(text(&tree.run(&["show", "price", "--at", "HEAD~4"]).stdout).contains("item.cost"), "made again");
}
