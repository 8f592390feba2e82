//! Questions about the history of a small repository.

use crate::sandbox::{Sandbox, text};

const PRICE: &str = "\
def price(item):
    total = item.count * item.cost
    if item.discount:
        total -= item.discount
    return total
";

/// A function that is added, documented, renamed, moved to another file and changed again, by two authors.
fn repository() -> Sandbox {
    let tree = Sandbox::new(&[("shop.py", PRICE), ("notes.txt", "one\n")]);
    let root = tree.root();
    let git = |args: &[&str]| orient_testkit::git(&root, args);
    let commit = |author: &str, message: &str| {
        git(&["add", "-A"]);
        git(&["-c", &format!("user.name={author}"), "commit", "-q", "-m", message]);
    };
    git(&["init", "-q", "-b", "main"]);
    commit("Ann", "add prices");
    tree.write("shop.py", format!("RATE = 3\n\n{PRICE}"));
    commit("Bob", "add a rate");
    tree.write("shop.py", format!("RATE = 3\n\n{}", PRICE.replace("def price(", "def price_of(")));
    commit("Bob", "rename price");
    tree.write("shop.py", "RATE = 3\n");
    tree.write("prices.py", PRICE.replace("def price(", "def price_of("));
    commit("Ann", "split prices off");
    tree.write(
        "prices.py",
        PRICE
            .replace("def price(item)", "def price_of(item, rate)")
            .replace("return total", "return total * rate"),
    );
    commit("Bob", "multiply by a rate");
    tree
}

fn subjects(answer: &serde_json::Value) -> Vec<&str> {
    let commits = answer["data"]["commits"].as_array().expect("a list");
    commits.iter().filter_map(|commit| commit["subject"].as_str()).collect()
}

#[test]
fn log_of_a_symbol_follows_renames_and_moves() {
    let tree = repository();
    let answer = tree.json(&["log", "price_of", "--json"]);
    assert_eq!(subjects(&answer), ["multiply by a rate", "split prices off", "rename price", "add prices"]);
    let commits = &answer["data"]["commits"];
    assert_eq!(commits[0]["change"], serde_json::json!(["signature", "body"]));
    assert_eq!((&commits[1]["change"][0], &commits[1]["was"]), (&"moved".into(), &"shop.py".into()));
    assert_eq!((&commits[2]["change"][0], &commits[2]["was"]), (&"renamed".into(), &"price".into()));
    assert_eq!(commits[3]["change"][0], "added");
    let first = tree.json(&["log", "price_of", "--first", "--json"]);
    assert_eq!(subjects(&first), ["add prices"]);
    let patch = text(&tree.run(&["log", "price_of", "--patch", "--limit", "1"]).stdout);
    assert!(patch.contains("-    return total\n") && patch.contains("+    return total * rate\n"), "{patch}");
    orient_testkit::git(&tree.root(), &["mv", "prices.py", "rates.py"]);
    orient_testkit::git(&tree.root(), &["commit", "-qm", "rename the file"]);
    let renamed = text(&tree.run(&["log", "price_of", "--patch", "--limit", "1"]).stdout);
    assert!(renamed.contains("rename the file  [file renamed] was prices.py"), "{renamed}");
}

#[test]
fn log_of_a_field_names_the_method_of_the_same_name() {
    let pool = "struct Pool {\n    size: usize,\n}\n\nimpl Pool {\n    fn size(&self) -> usize {\n        self.size\n    }\n}\n";
    let tree = Sandbox::new(&[("pool.rs", pool)]);
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "start"]] {
        orient_testkit::git(&tree.root(), args);
    }
    let answer = tree.json(&["log", "pool.rs#Pool.size", "--json"]).to_string();
    let note = "this is the field; the method of the same name is pool.rs#Pool.size~2";
    assert!(answer.contains(note), "{answer}");
}

#[test]
fn log_of_a_file_lines_and_everything_is_filtered() {
    let tree = repository();
    let answer = tree.json(&["log", "shop.py", "--json"]);
    assert_eq!(subjects(&answer), ["split prices off", "rename price", "add a rate", "add prices"]);
    assert_eq!(
        subjects(&tree.json(&["log", "shop.py", "--author", "ann", "--json"])),
        ["split prices off", "add prices"]
    );
    assert_eq!(
        subjects(&tree.json(&["log", "prices.py:5", "--json"])),
        ["multiply by a rate", "split prices off"]
    );
    assert_eq!(subjects(&tree.json(&["log", "--message", "rename", "--json"])), ["rename price"]);
    assert_eq!(subjects(&tree.json(&["log", "--path", "notes.txt", "--json"])), ["add prices"]);
    assert_eq!(subjects(&tree.json(&["log", "--limit", "2", "--json"])).len(), 2);
    // A file that is gone.
    tree.write("shop.py", "");
    std::fs::remove_file(tree.root().join("shop.py")).expect("it is there");
    assert_eq!(subjects(&tree.json(&["log", "shop.py", "--limit", "1", "--json"])), ["split prices off"]);
    tree.assert_outcome(
        &["log", "prices.py", "--since", "someday"],
        2,
        "
        error: `someday` is not a date
        help:  a date as `2026-03-31`, `2026-03` or `2026`, or an age as `30d`, `6w`, `3m` or `1y`
        ",
    );
}

#[test]
fn blame_counts_authors_and_uncommitted_lines() {
    let tree = repository();
    let committed = std::fs::read_to_string(tree.root().join("prices.py")).expect("readable");
    tree.write("prices.py", format!("# prices\n{committed}"));
    let answer = tree.json(&["blame", "prices.py", "--lines", "--json"]);
    let data = &answer["data"];
    assert_eq!((&data["lines"], &data["uncommitted"]), (&6.into(), &1.into()));
    assert_eq!((&data["authors"][0]["author"], &data["authors"][0]["lines"]), (&"Ann".into(), &3.into()));
    assert_eq!(data["by_line"][0]["commit"], serde_json::Value::Null);
    assert_eq!(data["by_line"][1]["author"], "Bob");
    let symbol = tree.json(&["blame", "price_of", "--json"]);
    assert_eq!((&symbol["data"]["lines"], &symbol["data"]["uncommitted"]), (&5.into(), &0.into()));
}

#[test]
fn introduced_names_the_first_commit_and_every_change() {
    let tree = repository();
    let answer = tree.json(&["introduced", "price_of", "--json"]);
    assert_eq!(answer["data"]["first"]["subject"], "rename price");
    assert_eq!(subjects(&answer), ["split prices off", "rename price"]);
    let regex = tree.json(&["introduced", "/price_of\\(item, \\w+/", "--json"]);
    assert_eq!(regex["data"]["first"]["subject"], "multiply by a rate");
    assert_eq!(tree.run(&["introduced", "never written"]).status.code(), Some(1));
    let broken = tree.run(&["introduced", "/(/"]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(text(&broken.stderr).contains("`/(/` is not a regular expression"));
}

#[test]
fn changes_of_a_range_are_told_by_symbols() {
    let tree = repository();
    let answer = tree.json(&["changes", "HEAD~2..HEAD", "--json"]);
    let change = &answer["data"]["changes"][0];
    assert_eq!((&change["symbol"], &change["was"]), (&"price_of".into(), &"shop.py#price_of".into()));
    assert_eq!(
        (&change["change"], &change["breaking"]),
        (&serde_json::json!(["moved", "body"]), &true.into())
    );
    let renamed = tree.json(&["changes", "HEAD~3..HEAD~2", "--json"]);
    assert_eq!(renamed["data"]["changes"][0]["change"], serde_json::json!(["renamed"]));
    tree.write("notes.txt", "two\n");
    let uncommitted = tree.json(&["changes", "HEAD", "--json"]);
    assert_eq!(uncommitted["data"]["other_files"], serde_json::json!(["notes.txt"]));
    tree.assert_outcome(
        &["changes", "mian..HEAD"],
        1,
        "
        error: there is no revision `mian`
        help:  did you mean `main`?
        ",
    );
}

#[test]
fn directory_without_git_is_named() {
    let tree = Sandbox::new(&[("a.py", "def f(): pass\n")]);
    let output = tree.run(&["log", "f"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is not in a git repository"));
}

#[test]
fn history_index_answers_by_question_by_activity_and_by_former_name() {
    let tree = repository();
    let before = tree.json(&["log", "price_of", "--json"]);
    let indexed = tree.json(&["index", "--history", "--json"]);
    assert_eq!(indexed["data"]["history"]["symbols"], 5);
    assert_eq!(tree.json(&["log", "price_of", "--json"])["data"], before["data"]);
    let commits = tree.json(&["commits", "total times rate", "--kind", "diff", "--json"]);
    let best = &commits["data"]["commits"][0];
    assert_eq!((&best["subject"], &best["path"]), (&"multiply by a rate".into(), &"prices.py".into()));
    assert!(best["hunk"].as_str().expect("a hunk").contains("+    return total * rate"), "{best}");
    let hotspots = tree.json(&["hotspots", "--json"]);
    assert_eq!(hotspots["data"]["files"][0]["path"], "shop.py");
    assert_eq!(hotspots["data"]["files"][0]["commits"], 4);
    for former in ["price", "shop.py#price", "shop.py#price_of"] {
        let run = tree.run(&["show", former]);
        let (shown, notes) = (text(&run.stdout), text(&run.stderr));
        assert!(shown.contains("def price_of(item, rate)"), "{former}: {shown}");
        assert!(notes.contains("is now `prices.py#price_of` since"), "{former}: {notes}");
    }
    let context = text(&tree.run(&["context", "price_of"]).stdout);
    assert!(context.contains("multiply by a rate"), "{context}");
}

#[test]
fn a_question_that_needs_the_history_index_extends_it_first() {
    let tree = repository();
    let hotspots = tree.json(&["hotspots", "--json"]);
    assert_eq!(hotspots["data"]["commits"], 5, "{hotspots}");
    assert!(!hotspots["notes"].to_string().contains("history"), "{hotspots}");
    tree.write("shop.py", "tax = 1\n");
    orient_testkit::git(&tree.root(), &["commit", "-q", "-am", "a flat tax"]);
    let commits = tree.json(&["commits", "flat tax", "--json"]);
    assert_eq!(commits["data"]["commits"][0]["subject"], "a flat tax");
    assert!(!commits["notes"].to_string().contains("history"), "{commits}");
    assert_eq!(tree.json(&["hotspots", "--json"])["data"]["commits"], 6);
}

#[test]
fn changes_name_the_users_and_tests_of_a_changed_contract() {
    let tree = Sandbox::new(&[
        (
            "shop.py",
            "def price(item):\n    return item.cost\n\ndef total(items):\n    return sum(price(i) for i in items)\n",
        ),
        ("test_shop.py", "from shop import total\n\ndef test_total():\n    assert total([]) == 0\n"),
    ]);
    let root = tree.root();
    orient_testkit::git(&root, &["init", "-q", "-b", "main"]);
    orient_testkit::git(&root, &["add", "-A"]);
    orient_testkit::git(&root, &["commit", "-q", "-m", "start"]);
    tree.write(
        "shop.py",
        "def price(item, rate=1):\n    return item.cost\n\ndef total(items):\n    return sum(price(i) for i in items)\n",
    );
    let answer = tree.json(&["changes", "HEAD", "--json"]);
    let change = &answer["data"]["changes"][0];
    assert_eq!((&change["symbol"], &change["breaking"]), (&"price".into(), &true.into()));
    assert_eq!(change["users"]["uses"][0]["within"], "total", "{change}");
    assert!(change["users"]["tests"][0].as_str().expect("a test").ends_with("test_total"), "{change}");
}

#[test]
fn a_name_of_the_past_says_that_a_history_index_would_help() {
    let tree = repository();
    let asked = || text(&tree.run(&["callers", "price"]).stderr);
    assert!(asked().contains("`orient index --history` finds former names"), "{}", asked());
    tree.run(&["index", "--history"]);
    assert!(asked().contains("is now `prices.py#price_of` since"), "{}", asked());
}

#[test]
fn a_repository_without_a_commit_is_told_apart_from_an_unknown_revision() {
    let tree = Sandbox::new(&[("a.py", "def f(): pass\n")]);
    orient_testkit::git(&tree.root(), &["init", "-q", "-b", "main"]);
    let told = text(&tree.run(&["changes", "HEAD"]).stderr);
    assert!(
        told.contains("the current branch has no commit yet") && !told.contains("did you mean"),
        "{told}"
    );
}
