//! Walks, reads and compares real trees with every kind of file.

use orient_model::{RepoPath, Stamp};
use orient_walk::{
    Content, GitDirs, Listing, ReadFailure, Repo, RootDirectory, SkipReason, WalkError, WalkOptions, compare,
    list, to_native,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const LIMIT: u64 = 2 * 1024 * 1024;

/// A tree of files; a path that ends in `/` is an empty directory.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (path, text) in files {
        put(directory.path(), path, text.as_bytes());
    }
    directory
}

fn put(root: &Path, path: &str, bytes: &[u8]) {
    let full = root.join(path);
    fs::create_dir_all(full.parent().expect("a file has a directory")).expect("its directory");
    fs::write(full, bytes).expect("the file");
}

fn shown(listing: &Listing) -> (Vec<String>, Vec<String>) {
    let files = listing.files.iter().map(|entry| entry.path.display().into_owned()).collect();
    let skipped =
        listing.skipped.iter().map(|skip| format!("{}: {}", skip.path.display(), skip.reason)).collect();
    (files, skipped)
}

fn files(root: &Path) -> Vec<String> {
    shown(&list(root, &WalkOptions::default()).expect("a readable root")).0
}

fn read(root: &Path, path: &str) -> Result<Content, SkipReason> {
    let tree = RootDirectory::open(root).expect("the root opens");
    tree.read(&RepoPath::from(path), LIMIT).map_err(|unread| unread.reason)
}

/// Waits until the stamps of files written before can be trusted.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(150));
}

#[test]
fn a_project_file_is_kept_where_the_ignore_file_beside_it_hides_it() {
    let directory = tree(&[
        (".gitignore", "dist/\n"),
        ("pkg/.gitignore", "**/*.js\n**/package.json\n"),
        ("pkg/package.json", "{}"),
        ("pkg/built.js", ""),
        ("pkg/sub/package.json", "{}"),
        ("dist/package.json", "{}"),
    ]);
    let options = WalkOptions { kept: vec!["package.json".to_owned()], ..WalkOptions::default() };
    let (found, _) = shown(&list(directory.path(), &options).expect("a readable root"));
    assert_eq!(found, [".gitignore", "pkg/.gitignore", "pkg/package.json"]);
    assert_eq!(files(directory.path()), [".gitignore", "pkg/.gitignore"]);
}

#[test]
fn ignore_files_are_honoured_with_and_without_git() {
    let layout = [
        (".gitignore", "*.log\n/build/\n!keep.log\n"),
        (".orientignore", "private/\n"),
        (".ignore", "*.tmp\n"),
        ("a.log", ""),
        ("keep.log", ""),
        ("a.tmp", ""),
        ("build/x.c", ""),
        ("src/build/x.c", ""),
        ("src/.gitignore", "local.c\n"),
        ("src/local.c", ""),
        ("src/main.c", ""),
        (".hidden/x.c", ""),
        ("private/x.c", ""),
    ];
    let expected = [
        ".gitignore",
        ".hidden/x.c",
        ".ignore",
        ".orientignore",
        "keep.log",
        "src/.gitignore",
        "src/build/x.c",
        "src/main.c",
    ];
    let directory = tree(&layout);
    assert_eq!(files(directory.path()), expected);
    put(directory.path(), ".git/HEAD", b"ref: refs/heads/main\n");
    put(directory.path(), ".git/info/exclude", b".hidden/\n");
    let expected: Vec<&str> = expected.into_iter().filter(|path| *path != ".hidden/x.c").collect();
    assert_eq!(files(directory.path()), expected, "and info/exclude where there is git");
}

/// Makes an ignore file very large with comments only.
fn enlarge(root: &Path, path: &str) {
    let text = fs::read_to_string(root.join(path)).expect("it is there");
    put(root, path, (text + &"# so much to say\n".repeat(2000)).as_bytes());
}

#[test]
fn a_very_large_ignore_file_says_what_a_small_one_says() {
    let layout = [
        (".gitignore", "*.log\n/build/\n!keep.log\nnested/\n!/nested/\n"),
        (".orientignore", "private/\n!b.tmp\n"),
        (".ignore", "*.tmp\n"),
        ("a.log", ""),
        ("keep.log", ""),
        ("a.tmp", ""),
        ("b.tmp", ""),
        ("build/x.c", ""),
        ("src/build/x.c", ""),
        ("src/.gitignore", "local.c\n!again.log\n"),
        ("src/local.c", ""),
        ("src/again.log", ""),
        ("src/main.c", ""),
        ("nested/.git/HEAD", "ref: refs/heads/main\n"),
        ("nested/.git/info/exclude", "out.c\n"),
        ("nested/out.c", ""),
        ("nested/in.log", ""),
        (".hidden/x.c", ""),
        ("private/x.c", ""),
    ];
    let directory = tree(&layout);
    let root = directory.path();
    for with_git in [false, true] {
        if with_git {
            put(root, ".git/HEAD", b"ref: refs/heads/main\n");
            put(root, ".git/info/exclude", b".hidden/\n");
        }
        for (path, text) in layout.iter().filter(|(path, _)| path.ends_with("ignore")) {
            put(root, path, text.as_bytes());
        }
        let before = files(root);
        for large in ["src/.gitignore", ".orientignore", ".ignore", ".gitignore"] {
            enlarge(root, large);
            assert_eq!(files(root), before, "{large} {with_git}");
        }
    }
}

#[test]
fn twenty_thousand_patterns_cost_little_and_what_is_not_applied_is_said() {
    let patterns = |many: usize| {
        let lines: Vec<String> = (0..many).map(|n| format!("**/gen_{n}/**/*_{n}.out")).collect();
        lines.join("\n")
    };
    let directory = tree(&[("a/gen_7/b/x_7.out", ""), ("a/gen_7/b/x_8.out", ""), ("src/main.c", "")]);
    put(directory.path(), ".gitignore", patterns(20_000).as_bytes());
    let begun = std::time::Instant::now();
    let listing = list(directory.path(), &WalkOptions::default()).expect("a readable root");
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(shown(&listing).0, [".gitignore", "a/gen_7/b/x_8.out", "src/main.c"]);
    assert_eq!(listing.cut, []);
    let excludes = patterns(20_000).lines().map(str::to_owned).collect();
    put(directory.path(), ".gitignore", b"");
    let options = WalkOptions { excludes, ..WalkOptions::default() };
    let listing = list(directory.path(), &options).expect("a readable root");
    assert_eq!(shown(&listing).0, [".gitignore", "a/gen_7/b/x_8.out", "src/main.c"]);
    put(directory.path(), ".gitignore", patterns(200_000).as_bytes());
    let listing = list(directory.path(), &WalkOptions::default()).expect("a readable root");
    let root = directory.path().display();
    let said: Vec<String> = listing.cut.iter().map(ToString::to_string).collect();
    assert!(
        said.len() == 1 && said[0].starts_with(&format!("{root}/.gitignore has more patterns")),
        "{said:?}"
    );
}

#[test]
fn outside_of_git_rules_that_leave_out_everything_do_not_count() {
    let all = [".gitignore", "a.c", "out/.gitignore", "out/b.c"];
    let under = |rules: &str| {
        let directory = tree(&[
            (".gitignore", rules),
            ("a.c", "int a;\n"),
            ("out/.gitignore", "b.c\n"),
            ("out/b.c", "int b;\n"),
        ]);
        let without = files(directory.path());
        put(directory.path(), ".git/HEAD", b"ref: refs/heads/main\n");
        (without, files(directory.path()))
    };
    for everything in ["/*\n", "*\n!/debian/\n"] {
        let (without, with) = under(everything);
        assert_eq!((without, with.len()), (all.map(str::to_owned).to_vec(), 0), "{everything}");
    }
    let some = [".gitignore", "out/.gitignore"];
    for rules in ["*.c\n", "*\n!*/\n!.gitignore\n"] {
        let (without, with) = under(rules);
        assert_eq!((&without, without.as_slice()), (&with, some.map(str::to_owned).as_slice()), "{rules}");
    }
}

#[test]
fn ignore_files_above_the_root_do_not_count() {
    let directory = tree(&[(".gitignore", "*.c\n"), ("project/x.c", "")]);
    assert_eq!(files(&directory.path().join("project")), ["x.c"]);
}

#[test]
fn version_control_is_left_out_wherever_it_is() {
    let directory = tree(&[
        ("a/.git", "gitdir: elsewhere\n"),
        ("a/x.c", ""),
        (".hg/store", ""),
        (".svn/entries", ""),
        (".jj/repo", ""),
        ("nested/.git/HEAD", "x"),
        ("nested/y.c", ""),
        (".github/w.yml", ""),
    ]);
    assert_eq!(files(directory.path()), [".github/w.yml", "a/x.c", "nested/y.c"]);
}

#[test]
fn excludes_of_the_settings_win_and_a_bad_one_is_named() {
    let directory =
        tree(&[("a/x.js", ""), ("a/x.min.js", ""), ("gen/deep/y.c", ""), ("gen/keep.c", ""), ("z.c", "")]);
    let excludes = |patterns: &[&str]| WalkOptions {
        excludes: patterns.iter().map(|&pattern| pattern.to_owned()).collect(),
        ..WalkOptions::default()
    };
    let listing =
        list(directory.path(), &excludes(&["*.min.js", "/gen/*", "!/gen/keep.c"])).expect("a listing");
    assert_eq!(shown(&listing).0, ["a/x.js", "gen/keep.c", "z.c"]);
    match list(directory.path(), &excludes(&["a/[b"])) {
        Err(WalkError::Pattern { pattern, .. }) => assert_eq!(pattern, "a/[b"),
        other => panic!("expected a refused pattern, got {other:?}"),
    }
}

#[test]
fn a_root_that_is_no_directory_is_an_error() {
    let directory = tree(&[("file", "x")]);
    for wrong in ["file", "absent"] {
        let root = directory.path().join(wrong);
        assert!(matches!(list(&root, &WalkOptions::default()), Err(WalkError::Root { .. })));
        assert!(RootDirectory::open(&root).is_err());
    }
}

#[test]
fn oversized_files_are_listed_with_size_and_limit() {
    let directory = tree(&[("big.txt", &"x".repeat(2000)), ("small.txt", "x")]);
    let options = WalkOptions { max_file_size: 1024, ..WalkOptions::default() };
    let listing = list(directory.path(), &options).expect("a listing");
    let expected = vec!["big.txt: too large (1.9 KiB, limit 1.0 KiB)".to_owned()];
    assert_eq!(shown(&listing), (vec!["small.txt".to_owned()], expected));
    let grown = RootDirectory::open(directory.path())
        .expect("opens")
        .read(&"big.txt".into(), 1024)
        .expect_err("too large");
    assert_eq!(grown.reason, SkipReason::TooLarge { size: 2000, limit: 1024 });
}

#[test]
fn the_listing_does_not_depend_on_the_number_of_threads() {
    let paths: Vec<String> = (0..300).map(|n| format!("{}/{}/f{n}.c", n % 7, n % 13)).collect();
    let layout: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "x")).collect();
    let directory = tree(&layout);
    // The stamp of a directory becomes trusted with age; both listings are of old directories.
    settle();
    let with = |threads| {
        list(directory.path(), &WalkOptions { threads, ..WalkOptions::default() }).expect("a listing")
    };
    let one = with(1);
    assert_eq!(one.files.len(), 300);
    assert!(one.files.is_sorted_by(|a, b| a.path < b.path));
    assert_eq!(one, with(4));
}

#[test]
fn text_is_read_with_its_hash_whatever_its_encoding() {
    let directory = tree(&[("empty", ""), ("line", &"x".repeat(1_000_000))]);
    put(directory.path(), "latin", b"caf\xe9\n");
    put(directory.path(), "bin", b"\x7fELF\0\0");
    put(directory.path(), "wide", b"\xff\xfeh\0i\0");
    settle();
    let empty = read(directory.path(), "empty").expect("an empty file is text");
    assert_eq!((empty.bytes.len(), empty.decoded), (0, false));
    assert_eq!(read(directory.path(), "line").expect("one long line").bytes.len(), 1_000_000);
    let latin = read(directory.path(), "latin").expect("not UTF-8, still text");
    assert_eq!(latin.bytes, b"caf\xe9\n");
    assert_ne!(latin.hash, empty.hash);
    assert!(latin.stamp.is_trusted());
    let wide = read(directory.path(), "wide").expect("UTF-16");
    assert_eq!((wide.bytes.as_slice(), wide.decoded), (&b"hi"[..], true));
    let ReadFailure { reason, stamp } =
        RootDirectory::open(directory.path()).expect("opens").read(&"bin".into(), LIMIT).expect_err("binary");
    assert_eq!(reason, SkipReason::Binary);
    assert!(stamp.is_trusted(), "so that it is not opened again");
}

#[test]
fn a_file_just_written_is_looked_at_again() {
    let directory = tree(&[("a.c", "one")]);
    assert_eq!(read(directory.path(), "a.c").expect("text").stamp, Stamp::untrusted());
    settle();
    let content = read(directory.path(), "a.c").expect("text");
    let listing = list(directory.path(), &WalkOptions::default()).expect("a listing");
    assert_eq!(listing.files[0].stamp, content.stamp, "list and read agree on the stamp");
    assert_eq!(compare([("a.c".into(), content.stamp)], &listing).unchanged, 1);
    put(directory.path(), "a.c", b"two");
    let listing = list(directory.path(), &WalkOptions::default()).expect("a listing");
    assert_eq!(
        compare([("a.c".into(), content.stamp)], &listing).restamped.len(),
        1,
        "same size, other time"
    );
}

#[test]
fn a_path_out_of_the_tree_is_refused() {
    let directory = tree(&[("in/x", "x"), ("secret", "s")]);
    for path in ["../secret", "/etc/passwd", "x/../../secret", ""] {
        let refused = read(&directory.path().join("in"), path).expect_err("outside");
        assert!(matches!(refused, SkipReason::Unreadable(_)), "{path}: {refused:?}");
    }
    assert_eq!(read(directory.path(), "absent"), Err(SkipReason::Vanished));
    assert_eq!(read(directory.path(), "in"), Err(SkipReason::Vanished), "a directory where a file was");
    assert_eq!(read(directory.path(), "secret/x"), Err(SkipReason::Vanished), "a file where a directory was");
}

#[test]
fn a_repository_is_found_from_any_directory_or_file_in_it() {
    let directory =
        tree(&[("repo/.git/HEAD", "ref: refs/heads/main\n"), ("repo/a/b/x.c", ""), ("plain/y.c", "")]);
    let base = directory.path().canonicalize().expect("it exists");
    for start in ["repo", "repo/a/b", "repo/a/b/x.c"] {
        let repo = Repo::find(&base.join(start)).expect("found");
        assert_eq!(repo.root, base.join("repo"));
        let git = repo.git.expect("under git");
        assert_eq!((&git.git_dir, &git.common_dir), (&base.join("repo/.git"), &base.join("repo/.git")));
    }
    let plain = Repo::find(&base.join("plain/y.c")).expect("found");
    assert_eq!(plain, Repo { root: base.join("plain"), git: None });
    assert!(Repo::find(&base.join("absent")).is_err());
}

#[test]
fn worktrees_share_a_common_directory_and_know_each_other() {
    let directory = tree(&[
        ("main/.git/HEAD", "x"),
        ("main/.git/worktrees/side/HEAD", "x"),
        ("main/.git/worktrees/side/commondir", "../..\n"),
        ("main/.git/worktrees/gone/HEAD", "x"),
        ("main/.git/worktrees/gone/gitdir", "/nowhere/at/all/.git\n"),
        ("side/x.c", ""),
        ("empty/.git/nothing", ""),
    ]);
    let base = directory.path().canonicalize().expect("it exists");
    let git_dir = base.join("main/.git/worktrees/side");
    put(&base, "side/.git", format!("gitdir: {}\n", git_dir.display()).as_bytes());
    put(&git_dir, "gitdir", format!("{}\n", base.join("side/.git").display()).as_bytes());
    let side = Repo::find(&base.join("side")).expect("found");
    let main = Repo::find(&base.join("main")).expect("found");
    let common = base.join("main/.git");
    assert_eq!(side.git.as_ref().map(|git| (&git.git_dir, &git.common_dir)), Some((&git_dir, &common)));
    assert_eq!(side.siblings(), [base.join("main")]);
    assert_eq!(main.siblings(), [base.join("side")]);
    let empty = Repo::find(&base.join("empty")).expect("found");
    assert_eq!(empty.git, None, "a .git without HEAD is no repository");
    assert!(empty.siblings().is_empty());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn fifo(path: &Path) {
        let status = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
        assert!(status.success());
    }

    #[test]
    fn links_pipes_and_sockets_are_named_and_not_followed() {
        let outside = tree(&[("secret/s.c", "s")]);
        let directory = tree(&[("src/x.c", "")]);
        let root = directory.path();
        symlink(root, root.join("src/cycle")).expect("a link");
        symlink(outside.path().join("secret"), root.join("out")).expect("a link");
        symlink("x.c", root.join("src/same.c")).expect("a link");
        symlink("nowhere", root.join("broken")).expect("a link");
        fifo(&root.join("pipe"));
        let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).expect("a socket");
        let listing = list(root, &WalkOptions::default()).expect("a listing");
        let skipped = [
            "broken: symbolic link",
            "out: symbolic link",
            "pipe: pipe, socket or device",
            "socket: pipe, socket or device",
            "src/cycle: symbolic link",
            "src/same.c: symbolic link",
        ];
        assert_eq!(shown(&listing), (vec!["src/x.c".to_owned()], skipped.map(str::to_owned).to_vec()));
    }

    #[test]
    fn what_is_swapped_between_listing_and_reading_leads_nowhere() {
        let outside = tree(&[("s.c", "secret"), ("x.c", "secret")]);
        let directory = tree(&[("a/x.c", "x"), ("b/x.c", "x"), ("c.c", "x"), ("d.c", "x")]);
        let root = directory.path();
        assert_eq!(list(root, &WalkOptions::default()).expect("a listing").files.len(), 4);
        fs::remove_file(root.join("a/x.c")).expect("removed");
        symlink(outside.path().join("s.c"), root.join("a/x.c")).expect("a link");
        fs::remove_dir_all(root.join("b")).expect("removed");
        symlink(outside.path(), root.join("b")).expect("a link");
        fs::remove_file(root.join("c.c")).expect("removed");
        fifo(&root.join("c.c"));
        fs::remove_file(root.join("d.c")).expect("removed");
        assert_eq!(read(root, "a/x.c"), Err(SkipReason::Link));
        let swapped = read(root, "b/x.c").expect_err("the directory is a link now");
        assert!(matches!(swapped, SkipReason::Link | SkipReason::Vanished), "{swapped:?}");
        assert_eq!(read(root, "c.c"), Err(SkipReason::Special), "and does not hang");
        assert_eq!(read(root, "d.c"), Err(SkipReason::Vanished));
    }

    #[test]
    fn names_that_are_not_text_survive() {
        let directory = tree(&[]);
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9 \n.c");
        fs::create_dir(directory.path().join("d")).expect("a directory");
        fs::write(directory.path().join("d").join(name), "x").expect("a file");
        let listing = list(directory.path(), &WalkOptions::default()).expect("a listing");
        let path = &listing.files[0].path;
        assert_eq!(path.as_bytes(), b"d/caf\xe9 \n.c");
        let tree = RootDirectory::open(directory.path()).expect("opens");
        assert_eq!(tree.read(path, LIMIT).expect("read").bytes, b"x");
        assert!(directory.path().join(to_native(path).expect("a native form")).exists());
    }

    #[test]
    fn what_may_not_be_read_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tree(&[("locked/x.c", ""), ("closed.c", ""), ("open.c", "")]);
        let root = directory.path();
        for (path, mode) in [("locked", 0o000), ("closed.c", 0o000)] {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).expect("permissions");
        }
        let all_powerful = fs::File::open(root.join("closed.c")).is_ok();
        let listing = list(root, &WalkOptions::default()).expect("a listing");
        let closed = read(root, "closed.c");
        fs::set_permissions(root.join("locked"), fs::Permissions::from_mode(0o755)).expect("permissions");
        if all_powerful {
            return;
        }
        let (files, skipped) = shown(&listing);
        assert_eq!(files, ["closed.c", "open.c"]);
        assert_eq!(skipped, ["locked: cannot be read: permission denied"]);
        assert_eq!(closed, Err(SkipReason::Unreadable("permission denied".to_owned())));
    }

    #[test]
    fn a_file_that_keeps_growing_is_read_but_not_trusted() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let directory = tree(&[("log", "start\n")]);
        let (root, stop) = (directory.path().to_owned(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                use std::io::Write;
                let mut log = fs::OpenOptions::new().append(true).open(root.join("log")).expect("opens");
                while !stop.load(Ordering::Relaxed) {
                    let _ = log.write_all(b"more\n");
                }
            });
            for _ in 0..20 {
                match read(&root, "log") {
                    Ok(content) => assert_eq!(content.stamp, Stamp::untrusted()),
                    Err(reason) => assert!(matches!(reason, SkipReason::TooLarge { .. }), "{reason:?}"),
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn clones_and_worktrees_inside_of_a_repository_are_not_entered() {
    let directory = tree(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitmodules", "[submodule \"sub\"]\n\tpath = libs/sub\n\turl = ../sub\n"),
        ("a.py", ""),
        (".claude/worktrees/x/.git", "gitdir: /elsewhere/.git/worktrees/x\n"),
        (".claude/worktrees/x/a.py", ""),
        ("vendor/clone/.git/HEAD", "ref: refs/heads/main\n"),
        ("vendor/clone/b.py", ""),
        ("libs/sub/.git", "gitdir: ../../.git/modules/sub\n"),
        ("libs/sub/.gitmodules", "[submodule \"inner\"]\n\tpath = \"inner sub\"\n"),
        ("libs/sub/c.py", ""),
        ("libs/sub/inner sub/.git", "gitdir: ../../../.git/modules/inner\n"),
        ("libs/sub/inner sub/d.py", ""),
        ("libs/sub/other/.git", "gitdir: elsewhere\n"),
        ("libs/sub/other/e.py", ""),
    ]);
    let (found, skipped) = shown(&list(directory.path(), &WalkOptions::default()).expect("a readable root"));
    let own = [".gitmodules", "a.py", "libs/sub/.gitmodules", "libs/sub/c.py", "libs/sub/inner sub/d.py"];
    assert_eq!(found, own);
    let nested = [".claude/worktrees/x", "libs/sub/other", "vendor/clone"];
    assert_eq!(skipped, nested.map(|path| format!("{path}: nested repository")));
    let options = WalkOptions { nested_repositories: true, ..WalkOptions::default() };
    let (found, skipped) = shown(&list(directory.path(), &options).expect("a readable root"));
    assert!(found.contains(&"vendor/clone/b.py".to_owned()) && skipped.is_empty(), "{found:?} {skipped:?}");
}

#[test]
fn clones_in_a_directory_outside_of_git_are_what_there_is() {
    let directory = tree(&[
        ("one/.git/HEAD", ""),
        ("one/a.py", ""),
        ("one/worktrees/x/.git", "gitdir: elsewhere\n"),
        ("one/worktrees/x/a.py", ""),
        ("two/.git/HEAD", ""),
        ("two/b.py", ""),
    ]);
    let (found, skipped) = shown(&list(directory.path(), &WalkOptions::default()).expect("a readable root"));
    assert_eq!(found, ["one/a.py", "two/b.py"]);
    assert_eq!(skipped, ["one/worktrees/x: nested repository"]);
}

#[test]
fn a_nested_repository_is_found_out_again_once_that_changes() {
    let directory = tree(&[(".git/HEAD", ""), ("x/.git", "gitdir: elsewhere\n"), ("x/a.py", "")]);
    let fingerprint_now =
        || list(directory.path(), &WalkOptions::default()).expect("a readable root").fingerprint;
    settle();
    let fingerprint = fingerprint_now();
    assert!(fingerprint.is_reliable() && fingerprint.rule_files_unchanged());
    fs::remove_file(directory.path().join("x/.git")).expect("removed");
    assert!(!fingerprint.rule_files_unchanged(), "it is a directory like any other now");
    assert_eq!(files(directory.path()), ["x/a.py"]);
}

#[cfg(unix)]
#[test]
fn ignore_files_that_are_no_regular_files_are_not_applied_and_named() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("rules"), "*.c\n").expect("written");
    for name in [".gitignore", ".ignore", ".orientignore", "deep/.gitignore", ".git/info/exclude"] {
        for target in [outside.path().join("rules"), "/dev/zero".into(), "nowhere".into()] {
            let directory = tempfile::tempdir().expect("a directory");
            let root = directory.path();
            for inner in ["deep", ".git/info"] {
                fs::create_dir_all(root.join(inner)).expect("made");
            }
            fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
            for file in ["a.c", "deep/b.c"] {
                fs::write(root.join(file), "").expect("written");
            }
            symlink(&target, root.join(name)).expect("a link");
            let listing = list(root, &WalkOptions::default()).expect("a listing");
            let files: Vec<_> = listing.files.iter().map(|entry| entry.path.display().into_owned()).collect();
            assert_eq!(files, ["a.c", "deep/b.c"], "{name} to {}", target.display());
            let said: Vec<String> = listing.cut.iter().map(ToString::to_string).collect();
            assert_eq!(said.len(), 1, "{name}: {said:?}");
            assert!(said[0].contains("is not read") && said[0].contains(name), "{said:?}");
        }
    }
}

#[test]
fn a_git_directory_elsewhere_must_name_the_tree() {
    let directory = tempfile::tempdir().expect("a directory");
    let base = directory.path().canonicalize().expect("it is there");
    let git_directory = |name: &str| {
        let git = base.join(name);
        fs::create_dir_all(&git).expect("made");
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("written");
        git
    };
    let tree = base.join("tree");
    fs::create_dir_all(&tree).expect("made");
    let names = |git: &Path| {
        fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).expect("written");
        Repo::find(&tree).expect("found").git.map(|git| git.common_dir)
    };
    let private = git_directory("private/.git");
    assert_eq!(names(&private), None, "it does not name the tree");
    let refusal = GitDirs::find(&tree.join(".git")).expect_err("refused").to_string();
    assert!(refusal.contains("does not refer back"), "{refusal}");
    let module = git_directory("modules/tree");
    for config in
        ["[core]\n\tworktree = ../../tree\n", "[core]\n\tbare = false\n\tWorkTree = \"../../tree\"\n"]
    {
        fs::write(module.join("config"), config).expect("written");
        assert_eq!(names(&module), Some(module.clone()), "a submodule");
    }
    fs::write(module.join("config"), "[core]\n\tworktree = ../../other\n").expect("written");
    assert_eq!(names(&module), None, "the submodule of another tree");
    let linked = git_directory("private/.git/worktrees/tree");
    fs::write(linked.join("gitdir"), format!("{}\n", tree.join(".git").display())).expect("written");
    fs::write(linked.join("commondir"), "../..\n").expect("written");
    assert_eq!(names(&linked), Some(private.clone()), "a working tree");
    let claimed = git_directory("tree/claimed");
    fs::write(claimed.join("commondir"), private.as_os_str().as_encoded_bytes()).expect("written");
    assert_eq!(names(&claimed), None, "it claims to be a working tree of another repository");
    let inside = git_directory("tree/inside");
    assert_eq!(names(&inside), Some(inside.clone()), "a directory of the tree itself");
}
