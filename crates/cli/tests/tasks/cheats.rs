//! Ways to get past the rules without having read the code. None succeeds.

use crate::shop::{REQUEST, Shop};
use std::process::Stdio;

/// Submits, which must be refused for the reason, and must not change the phase.
#[track_caller]
fn refused(shop: &Shop, args: &[&str], reason: &str) {
    let before = shop.phase();
    let said = shop.refused(args);
    assert!(said.contains(reason), "{args:?} should be refused because of `{reason}`:\n{said}");
    assert_eq!(shop.phase(), before, "{args:?}");
}

fn exploring() -> Shop {
    let shop = Shop::new();
    shop.start();
    shop
}

#[test]
fn claims_of_what_was_never_shown_are_refused() {
    let shop = exploring();
    refused(&shop, &["task", "submit", "--symbol", "hidden"], "was not shown in this task");
    refused(&shop, &["task", "submit", "--symbol", "no_such_symbol"], "was not shown in this task");
    refused(&shop, &["task", "submit", "--entry-point", "main"], "was not shown in this task");
    refused(&shop, &["task", "submit", "--file", "shop/secret.py"], "was not read in this task");
    refused(&shop, &["task", "submit", "--file", "no/such/file.py"], "was not read in this task");
    refused(&shop, &["task", "submit", "--pattern", "push_again"], "was not read in this task");
    refused(&shop, &["task", "submit", "--pattern", "shop/secret.py:1"], "was not read in this task");
    refused(&shop, &["task", "frame", "--symbol", "send"], "was not shown in this task");
    // A list of uses names the symbol and does not show its file.
    shop.ok(&["callers", "push"]);
    refused(&shop, &["task", "submit", "--file", "shop/retry.py"], "was not read in this task");
    refused(&shop, &["task", "submit", "--pattern", "push_again"], "was not read in this task");
}

#[test]
fn quotations_must_be_the_users_words() {
    let shop = exploring();
    let slot = |text: &str| format!("observed_issue: {text}");
    for (value, reason) in [
        ("it crashes | crashes always", "does not occur in the request"),
        ("it crashes | cras", "does not occur in the request"),
        ("it crashes | e", "does not occur in the request"),
        ("it crashes | ", "needs a value and a quotation"),
        (" | crash", "needs a value and a quotation"),
        ("colours of the menu | network", "says something else than its quotation"),
    ] {
        refused(&shop, &["task", "frame", "--slot", &slot(value)], reason);
    }
}

#[test]
fn the_parts_must_fit_together() {
    let shop = exploring();
    shop.explore();
    shop.ok(&["show", "shop/menu.py"]);
    shop.ok(&["show", "colours"]);
    refused(
        &shop,
        &["task", "submit", "--symbol", "send", "--entry-point", "colours"],
        "no call or use leads",
    );
    refused(&shop, &["task", "submit", "--symbol", "send", "--symbol", "send"], "is listed twice");
    let twice = ["task", "submit", "--file", "shop/upload.py", "--file", "shop/upload.py"];
    refused(&shop, &twice, "is listed twice");
    refused(&shop, &["task", "submit", "--pattern", "push_again"], "without files");
    let irrelevant = [
        "task",
        "frame",
        "--slot",
        "target_feature: uploads | Uploads of empty files",
        "--symbol",
        "colours",
    ];
    refused(&shop, &irrelevant, "nothing to do with the target");
}

#[test]
fn stale_evidence_is_refused_until_it_is_read_again() {
    let shop = exploring();
    shop.explore();
    let changed = "def send(path):\n    return push(read(path))\n\n\ndef read(path):\n    return \"\"\n\n\ndef push(data):\n    return 2\n";
    shop.write("shop/upload.py", changed);
    refused(&shop, Shop::UNDERSTOOD, "has changed since it was shown");
    refused(&shop, &["task", "submit", "--file", "shop/upload.py"], "has changed since it was shown");
    shop.explore();
    shop.ok(Shop::UNDERSTOOD);
    assert_eq!(shop.phase(), "ready");
}

#[test]
fn evidence_of_another_task_or_client_is_refused() {
    let mut shop = exploring();
    shop.explore();
    shop.start();
    refused(&shop, Shop::UNDERSTOOD, "was not shown in this task");
    shop.client = "codex";
    shop.start();
    shop.explore();
    shop.client = "claude-code";
    refused(&shop, Shop::UNDERSTOOD, "was not shown in this task");
    // Forged numbers.
    refused(&shop, &["task", "resume", "3"], "belongs to the client codex");
    refused(&shop, &["task", "export", "3"], "belongs to the client codex");
    refused(&shop, &["task", "resume", "99"], "there is no task 99");
    refused(&shop, &["task", "resume", "1; DROP TABLE task"], "is not the number of a task");
}

#[test]
fn what_nobody_could_read_is_no_evidence() {
    let shop = exploring();
    let discarded = shop.command(&["show", "send"]).stdout(Stdio::null()).status().expect("it runs");
    assert!(discarded.success());
    refused(&shop, &["task", "submit", "--symbol", "send"], "was not shown in this task");
    // The plan names symbols and files; it does not show them.
    shop.ok(&["task", "plan"]);
    shop.ok(&["plan", REQUEST]);
    refused(
        &shop,
        &["task", "submit", "--symbol", "send", "--file", "shop/upload.py"],
        "was not shown in this task",
    );
    // Text of the repository that looks like a location.
    shop.ok(&["show", "shop/menu.py"]);
    refused(&shop, &["task", "submit", "--pattern", "shop/secret.py:1"], "was not read in this task");
    shop.ok(&["grep", "secret"]);
    refused(&shop, &["task", "submit", "--file", "shop/secret.py"], "was not read in this task");
}

#[test]
fn a_renamed_file_was_not_read() {
    let shop = exploring();
    shop.explore();
    std::fs::rename(shop.root().join("shop/upload.py"), shop.root().join("shop/moved.py")).expect("renamed");
    refused(&shop, &["task", "submit", "--file", "shop/moved.py"], "was not read in this task");
    refused(&shop, &["task", "submit", "--symbol", "shop/moved.py#send"], "was not shown in this task");
}

#[test]
fn phases_cannot_be_skipped() {
    let shop = exploring();
    shop.explore();
    refused(
        &shop,
        &["task", "submit", "--verdict", "1 confirmed shop/upload.py:1"],
        "in the phase exploration",
    );
    let guess = ["task", "submit", "--reason", "architecture_unknown", "--hypothesis", "x"];
    refused(&shop, &guess, "in the phase exploration");
    refused(&shop, &["task", "add", "shop/upload.py"], "in the phase exploration");
    shop.ok(&["task", "submit", "--symbol", "send", "--file", "shop/upload.py"]);
    let wrong = ["task", "submit", "--reason", "no_similar_things", "--hypothesis", "x"];
    refused(&shop, &wrong, "is none of");
    refused(&shop, &guess, "no search by meaning was made");
    shop.ok(&["search", "empty upload"]);
    let empty = ["task", "submit", "--reason", "architecture_unknown", "--hypothesis", " "];
    refused(&shop, &empty, "there is no hypothesis");
    shop.ok(&guess);
    for (verdict, reason) in [
        ("1 confirmed no/such/file.py:1", "was not shown"),
        ("1 confirmed shop/upload.py", "names no line"),
        ("1 confirmed shop/upload.py:9999", "was not shown"),
        ("1 open shop/upload.py:1", "neither confirmed nor refuted"),
        ("2 confirmed shop/upload.py:1", "no open hypothesis 2"),
    ] {
        refused(&shop, &["task", "submit", "--verdict", verdict], reason);
    }
}

#[test]
fn a_ready_or_ended_task_takes_no_claims_either() {
    let shop = Shop::new();
    shop.ready();
    refused(&shop, &["task", "add", "shop/secret.py"], "was not read in this task");
    refused(&shop, &["task", "finish", "--outcome", "reverted"], "git says whether");
    shop.ok(&["task", "finish", "--outcome", "abandoned"]);
    shop.refused(&["task", "submit", "--symbol", "send"]);
    refused(&shop, &["task", "resume", "1"], "the task has ended");
}
