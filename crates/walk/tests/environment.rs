//! Dependence on the user's environment: global excludes and the home directory. Each test runs itself again in a
//! separate process, because the environment of this one cannot be changed safely.

use orient_walk::{Repo, WalkOptions, check_root, list};
use std::path::Path;
use std::process::Command;

const PLAYED: &str = "ORIENT_WALK_TEST_ROOT";

/// Runs the named test again with `home` as the home directory and `root` as the tree.
fn again(test: &str, home: &Path, root: &Path) {
    let this = std::env::current_exe().expect("the test binary");
    let output = Command::new(this)
        .args([test, "--exact", "--nocapture"])
        .env("HOME", home)
        .env("USERPROFILE", home)
        .env_remove("XDG_CONFIG_HOME")
        .env(PLAYED, root)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn played() -> Option<std::path::PathBuf> {
    std::env::var_os(PLAYED).map(Into::into)
}

#[test]
fn global_excludes_are_honoured() {
    if let Some(root) = played() {
        let listing = list(&root, &WalkOptions::default()).expect("a listing");
        let paths: Vec<_> = listing.files.iter().map(|entry| entry.path.display().into_owned()).collect();
        assert_eq!(paths, ["a.c"]);
        return;
    }
    let home = tempfile::tempdir().expect("a home");
    std::fs::create_dir_all(home.path().join(".config/git")).expect("its settings");
    std::fs::write(home.path().join(".config/git/ignore"), "*.swp\n").expect("its excludes");
    let root = tempfile::tempdir().expect("a tree");
    for name in ["a.c", "a.c.swp"] {
        std::fs::write(root.path().join(name), "").expect("a file");
    }
    again("global_excludes_are_honoured", home.path(), root.path());
}

#[test]
fn a_home_directory_is_refused_even_under_git_but_a_directory_in_it_is_not() {
    if let Some(home) = played() {
        let refusal = check_root(&home).expect_err("it is home");
        assert!(refusal.to_string().contains("your home directory"), "{refusal}");
        assert!(check_root(home.parent().expect("a directory around it")).is_err());
        let repo = Repo::find(&home.join("notes")).expect("found");
        assert_eq!(repo, Repo { root: home.join("notes"), git: None });
        assert!(check_root(&repo.root).is_ok());
        return;
    }
    let home = tempfile::tempdir().expect("a home");
    let home = home.path().canonicalize().expect("it exists");
    std::fs::create_dir_all(home.join(".git")).expect("dotfiles under git");
    std::fs::write(home.join(".git/HEAD"), "ref: refs/heads/main\n").expect("its head");
    std::fs::create_dir_all(home.join("notes")).expect("a directory in it");
    again("a_home_directory_is_refused_even_under_git_but_a_directory_in_it_is_not", &home, &home);
}
