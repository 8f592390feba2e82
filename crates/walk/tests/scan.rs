//! Streaming the files of a search yields the same files as listing all of them, wherever it stops.

use orient_walk::{SearchFile, SearchFileStream, SearchScope, WalkError, list_search_files};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn tree() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().canonicalize().expect("it is there");
    for (path, text) in [
        ("a.c", ""),
        ("a/b.c", ""),
        ("a/b/c.h", ""),
        ("a/b/.hidden.c", ""),
        ("a/b0", ""),
        ("a-b/x.py", ""),
        ("a.d/e.c", ""),
        ("a.d/made.o", ""),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", "*.o\n/z/out/\n"),
        (".hidden/x.c", ""),
        ("empty/.keep", ""),
        ("z/.ignore", "!made.o\n*.txt\n"),
        ("z/made.o", ""),
        ("z/a.txt", ""),
        ("z/out/b.c", ""),
        ("z/deep/er/c.c", ""),
        ("ö/größe.c", ""),
    ] {
        let full = root.join(path);
        std::fs::create_dir_all(full.parent().expect("a file has a directory")).expect("its directory");
        std::fs::write(full, text).expect("the file");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join("a"), root.join("z/link")).expect("a link");
        std::os::unix::fs::symlink(root.join("a.c"), root.join("z/link.c")).expect("a link");
    }
    (directory, root)
}

fn scopes(root: &Path) -> Vec<SearchScope> {
    let at = |paths: &[&str]| SearchScope {
        base: root.to_owned(),
        paths: paths.iter().map(PathBuf::from).collect(),
        threads: 2,
        ..SearchScope::default()
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    vec![
        at(&[]),
        at(&["a"]),
        at(&["z", "a", "a.c", "z"]),
        at(&["./z/../a", "a/b/"]),
        at(&["a.c"]),
        at(&["gone", "a"]),
        SearchScope { hidden: true, ..at(&[]) },
        SearchScope { no_ignore: true, hidden: true, ..at(&["z", "a.d"]) },
        SearchScope { globs: texts(&["*.c", "!a/**"]), ..at(&[]) },
        SearchScope { iglobs: texts(&["*.C"]), ..at(&["a"]) },
        SearchScope { types: texts(&["py", "h"]), ..at(&[]) },
        SearchScope { types_not: texts(&["c"]), ..at(&["a", "z"]) },
        SearchScope { max_depth: Some(2), ..at(&[]) },
        SearchScope { excludes: texts(&["/a/b/"]), ..at(&["a", "z"]) },
        SearchScope { base: root.join("a"), ..at(&[]) },
        SearchScope { base: root.join("a"), ..at(&["../z", "b"]) },
    ]
}

#[test]
fn one_by_one_gives_what_all_at_once_gives() {
    let (_directory, root) = tree();
    for scope in scopes(&root) {
        let all = list_search_files(&root, &scope).expect("a readable tree");
        for first in 0..=all.files.len() + 1 {
            let mut scan = SearchFileStream::begin(&root, &scope).expect("a readable tree");
            let mut found: Vec<SearchFile> = scan.by_ref().take(first).collect();
            found.append(&mut scan.rest());
            assert_eq!(found, all.files, "{first} of {scope:?}");
            assert_eq!(scan.take_errors(), all.errors, "{scope:?}");
        }
    }
}

#[test]
fn a_very_large_ignore_file_says_what_a_small_one_says() {
    let (_directory, root) = tree();
    let found = |scope: &SearchScope| {
        let all = list_search_files(&root, scope).expect("a readable tree");
        let by_one: Vec<SearchFile> =
            SearchFileStream::begin(&root, scope).expect("a readable tree").collect();
        assert_eq!(by_one, all.files, "{scope:?}");
        all.files
    };
    let before: Vec<_> = scopes(&root).iter().map(found).collect();
    for rules in ["z/.ignore", ".gitignore"] {
        let small = std::fs::read_to_string(root.join(rules)).expect("it is there");
        std::fs::write(root.join(rules), small + &"# so much to say\n".repeat(2000)).expect("written");
        for (scope, before) in scopes(&root).iter().zip(&before) {
            assert_eq!(&found(scope), before, "{rules} {scope:?}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_told_before_the_walk() {
    let (_directory, root) = tree();
    let scope = SearchScope { base: root.clone(), ..SearchScope::default() };
    let bad = [
        SearchScope { globs: vec!["a{".to_owned()], ..scope.clone() },
        SearchScope { types: vec!["klingon".to_owned()], ..scope.clone() },
        SearchScope { types_add: vec!["no definition".to_owned()], ..scope.clone() },
    ];
    for scope in bad {
        assert!(matches!(SearchFileStream::begin(&root, &scope), Err(WalkError::Filter { .. })), "{scope:?}");
    }
    let outside = SearchScope { paths: vec!["..".into()], ..scope };
    assert!(matches!(SearchFileStream::begin(&root, &outside), Err(WalkError::Outside { .. })));
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_read_is_told_once() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, root) = tree();
    let closed = root.join("a/b");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).expect("it is ours");
    let scope = SearchScope { base: root.clone(), paths: vec!["a".into()], ..SearchScope::default() };
    let all = list_search_files(&root, &scope).expect("the rest is readable");
    for first in 0..4 {
        let mut scan = SearchFileStream::begin(&root, &scope).expect("the rest is readable");
        let mut found: Vec<SearchFile> = scan.by_ref().take(first).collect();
        found.append(&mut scan.rest());
        // Root may read everything.
        assert_eq!((found, scan.take_errors()), (all.files.clone(), all.errors.clone()));
    }
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}
