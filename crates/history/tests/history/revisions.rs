//! What a revision stands for.

use crate::support::{Made, agree, changes, git, paths};
use orient_history::HistoryError;

/// Two branches that were merged, with a commit on each side and one behind.
fn merged() -> Made {
    let made = Made::new();
    made.write("a.txt", "one\n");
    made.commit("first");
    made.git(&["tag", "v1.0"]);
    made.git(&["checkout", "-q", "-b", "side"]);
    made.write("side.txt", "side\n");
    made.commit("side");
    made.git(&["checkout", "-q", "main"]);
    made.write("main.txt", "main\n");
    made.commit("main");
    made.git(&["merge", "-q", "--no-ff", "-m", "merged", "side"]);
    made.git(&["tag", "-a", "v2.0", "-m", "annotated"]);
    made.write("b/deep/c.txt", "c\n");
    made.commit("behind");
    made
}

#[test]
fn parents_of_merges_are_those_git_counts() {
    let made = merged();
    let revisions = [
        "HEAD",
        "@",
        "HEAD~1",
        "HEAD^",
        "HEAD~2",
        "HEAD~3",
        "HEAD^^2",
        "HEAD~1^2",
        "HEAD~1^1",
        "@~",
        "main",
        "side",
        "v1.0",
        "v2.0",
        "v2.0^{}",
        "v2.0^{commit}",
        "v2.0~1",
        "heads/main",
        "refs/tags/v2.0",
        "HEAD^0",
    ];
    for revision in revisions {
        agree(&made.root, revision);
    }
    assert_eq!(paths(&made.root, "HEAD~1^2"), ["b/deep/c.txt", "main.txt"]);
    assert_eq!(paths(&made.root, "HEAD~1^1"), ["b/deep/c.txt", "side.txt"]);
}

#[test]
fn a_commit_is_known_by_its_first_digits_and_by_what_describe_prints() {
    let made = merged();
    let whole = made.git(&["rev-parse", "HEAD~1"]);
    for digits in [whole.trim(), &whole[..7], &whole[..12].to_uppercase()] {
        agree(&made.root, digits);
    }
    agree(&made.root, made.git(&["describe", "HEAD"]).trim());
    made.git(&["gc", "-q"]);
    agree(&made.root, &whole[..7]);
}

#[test]
fn three_dots_mean_where_two_histories_parted() {
    let made = merged();
    made.git(&["checkout", "-q", "-b", "work", "v2.0"]);
    made.write("work.txt", "work\n");
    made.commit("work");
    let base = made.git(&["merge-base", "main", "HEAD"]);
    assert_eq!(paths(&made.root, "main..."), agree(&made.root, base.trim()));
    assert_eq!(paths(&made.root, "main..."), ["work.txt"]);
    assert_eq!(paths(&made.root, "main...HEAD"), ["work.txt"]);
    assert_eq!(paths(&made.root, "main.."), agree(&made.root, "main"));
    // Criss-cross and clocks that go wrong do not mislead.
    made.git(&["merge", "-q", "-m", "x", "main"]);
    made.git(&["checkout", "-q", "main"]);
    made.write("later.txt", "1\n");
    made.commit("later");
    made.git(&["checkout", "-q", "work"]);
    let base = made.git(&["merge-base", "main", "HEAD"]);
    assert_eq!(paths(&made.root, "main..."), agree(&made.root, base.trim()));
    made.git(&["checkout", "-q", "--orphan", "other"]);
    made.commit("alone");
    let error = changes(&made.root, "main...").expect_err("they share nothing");
    assert!(error.to_string().contains("no commit in common"), "{error}");
}

#[test]
fn an_unknown_revision_is_answered_with_names_that_are_near() {
    let made = merged();
    made.git(&["branch", "feature/login"]);
    for (typed, meant) in [("mian", "main"), ("v1.1", "v1.0"), ("login", "feature/login"), ("HAED", "HEAD")] {
        match changes(&made.root, typed) {
            Err(HistoryError::Unknown { revision, near }) => {
                assert_eq!(revision, typed);
                assert!(near.iter().any(|name| name == meant), "{typed}: {near:?}");
            }
            other => panic!("{typed}: {other:?}"),
        }
    }
    for typed in ["HEAD~99", "v1.0..side", "HEAD@{1}", "HEAD:a.txt", "HEAD^{tree}", "main^7"] {
        let error = changes(&made.root, typed).expect_err("it names no commit");
        assert!(matches!(error, HistoryError::Unusable { .. }), "{typed}: {error}");
    }
    let digits = made.git(&["rev-parse", "HEAD:a.txt"]);
    assert!(changes(&made.root, digits.trim()).is_err(), "a file is no commit");
}

#[test]
fn branches_of_others_are_known_by_their_short_names() {
    let made = merged();
    let copy = made.root.with_file_name("copy");
    git(&made.root, &["clone", "-q", ".", copy.to_str().expect("text")]);
    std::fs::write(copy.join("new.txt"), "new\n").expect("writable");
    for revision in ["origin/side", "origin", "origin/HEAD", "v1.0"] {
        agree(&copy, revision);
    }
}
