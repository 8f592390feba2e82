//! Resolution of revisions.

use crate::fixture::{TestRepo, assert_same_as_git, changes, git, paths};
use orient_history::HistoryError;

/// A merge of two branches with a commit on each side and one after it.
fn merged() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("a.txt", "one\n");
    repo.commit("first");
    repo.git(&["tag", "v1.0"]);
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("side.txt", "side\n");
    repo.commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("main.txt", "main\n");
    repo.commit("main");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merged", "side"]);
    repo.git(&["tag", "-a", "v2.0", "-m", "annotated"]);
    repo.write("b/deep/c.txt", "c\n");
    repo.commit("behind");
    repo
}

#[test]
fn parent_operators_match_git() {
    let repo = merged();
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
        assert_same_as_git(&repo.root, revision);
    }
    assert_eq!(paths(&repo.root, "HEAD~1^2"), ["b/deep/c.txt", "main.txt"]);
    assert_eq!(paths(&repo.root, "HEAD~1^1"), ["b/deep/c.txt", "side.txt"]);
}

#[test]
fn abbreviated_ids_and_describe_output_resolve() {
    let repo = merged();
    let whole = repo.git(&["rev-parse", "HEAD~1"]);
    for digits in [whole.trim(), &whole[..7], &whole[..12].to_uppercase()] {
        assert_same_as_git(&repo.root, digits);
    }
    assert_same_as_git(&repo.root, repo.git(&["describe", "HEAD"]).trim());
    repo.git(&["gc", "-q"]);
    assert_same_as_git(&repo.root, &whole[..7]);
}

#[test]
fn three_dots_mean_the_merge_base() {
    let repo = merged();
    repo.git(&["checkout", "-q", "-b", "work", "v2.0"]);
    repo.write("work.txt", "work\n");
    repo.commit("work");
    let base = repo.git(&["merge-base", "main", "HEAD"]);
    assert_eq!(paths(&repo.root, "main..."), assert_same_as_git(&repo.root, base.trim()));
    assert_eq!(paths(&repo.root, "main..."), ["work.txt"]);
    assert_eq!(paths(&repo.root, "main...HEAD"), ["work.txt"]);
    assert_eq!(paths(&repo.root, "main.."), assert_same_as_git(&repo.root, "main"));
    // A criss-cross merge.
    repo.git(&["merge", "-q", "-m", "x", "main"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("later.txt", "1\n");
    repo.commit("later");
    repo.git(&["checkout", "-q", "work"]);
    let base = repo.git(&["merge-base", "main", "HEAD"]);
    assert_eq!(paths(&repo.root, "main..."), assert_same_as_git(&repo.root, base.trim()));
    repo.git(&["checkout", "-q", "--orphan", "other"]);
    repo.commit("alone");
    let error = changes(&repo.root, "main...").expect_err("unrelated histories");
    assert!(error.to_string().contains("no common ancestor"), "{error}");
}

#[test]
fn unknown_revision_suggests_similar_names() {
    let repo = merged();
    repo.git(&["branch", "feature/login"]);
    for (typed, meant) in [("mian", "main"), ("v1.1", "v1.0"), ("login", "feature/login"), ("HAED", "HEAD")] {
        match changes(&repo.root, typed) {
            Err(HistoryError::Unknown { revision, near }) => {
                assert_eq!(revision, typed);
                assert!(near.iter().any(|name| name == meant), "{typed}: {near:?}");
            }
            other => panic!("{typed}: {other:?}"),
        }
    }
    for typed in [
        "HEAD~99",
        "v1.0..side",
        "HEAD@{99}",
        "HEAD@{yesterday}",
        "main@{upstream}",
        "HEAD:a.txt",
        "HEAD^{tree}",
        "main^7",
    ] {
        let error = changes(&repo.root, typed).expect_err("not a commit");
        assert!(matches!(error, HistoryError::Unusable { .. }), "{typed}: {error}");
    }
    let digits = repo.git(&["rev-parse", "HEAD:a.txt"]);
    assert!(changes(&repo.root, digits.trim()).is_err(), "a blob is not a commit");
}

#[test]
fn remote_branches_resolve_by_short_name() {
    let repo = merged();
    let copy = repo.root.with_file_name("copy");
    git(&repo.root, &["clone", "-q", ".", copy.to_str().expect("text")]);
    std::fs::write(copy.join("new.txt"), "new\n").expect("writable");
    for revision in ["origin/side", "origin", "origin/HEAD", "v1.0"] {
        assert_same_as_git(&copy, revision);
    }
}

#[test]
fn reflog_and_upstream_expressions_match_git() {
    let repo = merged();
    for revision in
        ["HEAD@{0}", "HEAD@{1}", "HEAD@{3}", "@{1}", "main@{0}", "main@{1}", "@{-1}", "@{-2}", "main@{1}~1"]
    {
        assert_same_as_git(&repo.root, revision);
    }
    let copy = repo.root.with_file_name("copy");
    git(&repo.root, &["clone", "-q", ".", copy.to_str().expect("text")]);
    git(&copy, &["commit", "-q", "--allow-empty", "-m", "ahead"]);
    for revision in ["@{upstream}", "main@{u}", "@{u}~1"] {
        assert_same_as_git(&copy, revision);
    }
}
