//! The tree of a commit is what a walk of its checkout finds, whatever the ignore files of the commit say.

use orient_history::{CommitTree, History};
use orient_model::RepoPath;
use orient_testkit::git;
use orient_walk::{PathKind, SearchScope, Tree, TreeReader, WalkOptions, WorkingTree};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A repository, and a place for checkouts of its commits.
struct Fixture {
    directory: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self { directory: TempDir::new().expect("a temporary directory") };
        fs::create_dir(fixture.root()).expect("a new directory");
        git(&fixture.root(), &["init", "-q", "-b", "main"]);
        fixture
    }

    fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().expect("it exists").join("repository")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    /// Commits every file, ignored or not.
    fn commit(&self) {
        git(&self.root(), &["add", "-A", "-f"]);
        git(&self.root(), &["commit", "-q", "--allow-empty", "-m", "a state"]);
    }

    fn tree(&self, revision: &str) -> CommitTree {
        let mut history = History::open(&self.root()).expect("a repository");
        let id = history.revision(revision).expect("a commit");
        history.commit_tree(&id).expect("a tree")
    }

    /// A new checkout of a revision.
    fn checkout(&self, revision: &str) -> PathBuf {
        let name = git(&self.root(), &["rev-parse", revision]);
        let path = self.directory.path().canonicalize().expect("it exists").join(name.trim());
        git(&self.root(), &["worktree", "add", "-q", "--detach", path.to_str().expect("UTF-8"), revision]);
        path
    }
}

fn options() -> WalkOptions {
    WalkOptions {
        max_file_size: 200,
        excludes: vec!["/left_out/".to_owned()],
        kept: vec!["package.json".to_owned()],
        ..WalkOptions::default()
    }
}

type Sizes = Vec<(String, u64)>;
type Reasons = Vec<(String, String)>;

/// The listing without stamps: paths, sizes and reasons.
fn listed(tree: &dyn Tree) -> (Sizes, Reasons) {
    let listing = tree.list(&options(), None).expect("it is listed");
    let files = listing.files.iter().map(|file| (file.path.display().into_owned(), file.stamp.size));
    let skipped =
        listing.skipped.iter().map(|skip| (skip.path.display().into_owned(), skip.reason.to_string()));
    (files.collect(), skipped.collect())
}

/// What searches with several flags would read.
fn searched(tree: &dyn Tree, root: &Path) -> Vec<Vec<PathBuf>> {
    let plain = || SearchScope { base: root.to_owned(), threads: 1, ..SearchScope::default() };
    let text = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let scopes = [
        plain(),
        SearchScope { hidden: true, ..plain() },
        SearchScope { no_ignore: true, ..plain() },
        SearchScope { no_ignore_vcs: true, excludes: text(&["*.js"]), ..plain() },
        SearchScope { globs: text(&["*.py", "!b*"]), ..plain() },
        SearchScope { types: text(&["py"]), max_depth: Some(2), ..plain() },
        SearchScope { types_not: text(&["py"]), max_file_size: Some(20), ..plain() },
    ];
    let shown = |scope: SearchScope| {
        let found = tree.search_files(&scope).expect("it is listed");
        assert_eq!(found.errors, Vec::<String>::new());
        // The `.git` of a worktree is a file, and belongs to no commit.
        found.files.into_iter().map(|file| file.shown).filter(|shown| !shown.ends_with(".git")).collect()
    };
    scopes.into_iter().map(shown).collect()
}

fn assert_equals_checkout(fixture: &Fixture, revision: &str) {
    let (stored, checkout) = (fixture.tree(revision), fixture.checkout(revision));
    let walked = WorkingTree::new(checkout.clone());
    assert_eq!(listed(&stored), listed(&walked));
    assert_eq!(searched(&stored, &fixture.root()), searched(&walked, &checkout));
}

const DIRECTORIES: [&str; 7] = ["", "a/", "a/b/", "a/b/c/", ".hidden/", "left_out/", "build/"];
const NAMES: [&str; 10] = [
    "a.py",
    "b.py",
    "c.js",
    "build",
    ".env",
    "package.json",
    ".gitignore",
    ".ignore",
    ".rgignore",
    ".orientignore",
];
const LINES: [&str; 14] = [
    "*.py",
    "!a.py",
    "/a",
    "b/",
    "build",
    "/build/",
    "package.json",
    "*",
    "!*/",
    "!*.js",
    ".*",
    "!.env",
    "a/b",
    "# note",
];

fn files() -> impl Strategy<Value = Vec<(String, String)>> {
    let file =
        (0..DIRECTORIES.len(), 0..NAMES.len(), prop::collection::vec(0..LINES.len(), 0..4), any::<bool>());
    let file = file.prop_map(|(directory, name, lines, is_long)| {
        let path = format!("{}{}", DIRECTORIES[directory], NAMES[name]);
        let text: String = lines.into_iter().flat_map(|line| [LINES[line], "\n"]).collect();
        let is_rule_file = NAMES[name].ends_with("ignore");
        (path, if is_long && !is_rule_file { "long ".repeat(60) } else { text })
    });
    prop::collection::vec(file, 0..16)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_commit_lists_what_a_walk_of_its_checkout_lists(files in files()) {
        let fixture = Fixture::new();
        for (path, text) in &files {
            // `build` is a file in some directories and a directory in others.
            if !fixture.root().join(path).is_dir() && path.matches("build").count() < 2 {
                let parent = fixture.root().join(path).parent().map(Path::to_owned).expect("below the root");
                if fs::create_dir_all(&parent).is_ok() {
                    fixture.write(path, text);
                }
            }
        }
        fixture.commit();
        assert_equals_checkout(&fixture, "HEAD");
    }
}

#[cfg(unix)]
#[test]
fn links_and_submodules_are_not_followed_and_modes_do_not_matter() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    fixture.write("src/a.py", "A = 1\n");
    fixture.write("tool.sh", "echo\n");
    std::os::unix::fs::symlink("src", fixture.root().join("link")).expect("a link");
    fixture.commit();
    fs::set_permissions(fixture.root().join("tool.sh"), fs::Permissions::from_mode(0o755)).expect("its mode");
    git(&fixture.root(), &["update-index", "--add", "--cacheinfo", "160000", &"1".repeat(40), "module"]);
    git(&fixture.root(), &["add", "tool.sh"]);
    git(&fixture.root(), &["commit", "-q", "-m", "a mode and a submodule"]);
    assert_equals_checkout(&fixture, "HEAD");
    assert_equals_checkout(&fixture, "HEAD~1");
    let tree = fixture.tree("HEAD");
    assert_eq!(listed(&tree).1, [("link".to_owned(), "symbolic link".to_owned())]);
    for (path, kind) in [
        ("", Some(PathKind::Directory)),
        ("src", Some(PathKind::Directory)),
        ("src/a.py", Some(PathKind::File)),
        ("link", Some(PathKind::Other)),
        ("module", Some(PathKind::Other)),
        ("none", None),
    ] {
        // Before and after the entries are listed.
        assert_eq!(tree.kind(&RepoPath::from(path)), kind, "{path}");
        assert_eq!(fixture.tree("HEAD").kind(&RepoPath::from(path)), kind, "{path}");
    }
}

#[test]
fn files_are_read_from_the_commit_and_equal_contents_have_equal_stamps() {
    let fixture = Fixture::new();
    fixture.write("a.py", "first\n");
    fixture.write("same.py", "same\n");
    fixture.commit();
    fixture.write("a.py", "second\n");
    fixture.write("b.py", "first\n");
    fixture.commit();
    fixture.write("a.py", "not committed\n");
    let (old, new) = (fixture.tree("HEAD~1"), fixture.tree("HEAD"));
    let text = |reader: &dyn TreeReader, path: &str| {
        reader.read(&RepoPath::from(path), 100).map(|content| (content.bytes, content.stamp))
    };
    let (old_files, new_files) = (old.open().expect("it opens"), new.open().expect("it opens"));
    let first = text(&*old_files, "a.py").expect("text");
    assert_eq!(first.0, b"first\n");
    assert_eq!(text(&*new_files, "a.py").expect("text").0, b"second\n");
    assert_eq!(text(&*new_files, "b.py").expect("text"), first, "the same content and the same stamp");
    assert!(text(&*old_files, "b.py").is_err());
    let stamps = |tree: &CommitTree| tree.list(&options(), None).expect("it is listed").files;
    assert_eq!(stamps(&old)[0].stamp, first.1, "listed and read with the same stamp");
    assert_eq!(new.differing_paths(old.id().expect("an id")), Some(2), "a.py and b.py");
    assert_eq!(new.differing_paths(&[]), Some(3), "all of them differ from nothing");
}

/// Whether the content of a file in `HEAD~1` is known to be that of the working file, without reading either.
fn is_known_to_be_same(fixture: &Fixture, path: &str) -> bool {
    let files = WorkingTree::new(fixture.root()).list(&options(), None).expect("it is listed").files;
    let working = files.iter().find(|file| file.path == RepoPath::from(path)).expect("a working file").stamp;
    let tree = fixture.tree("HEAD~1");
    let reader = tree.open().expect("it opens");
    let stamp = reader.stamp_if_same(&RepoPath::from(path), &working);
    if let Some(stamp) = stamp {
        let read = reader.read(&RepoPath::from(path), 100).expect("text");
        assert_eq!(stamp, read.stamp);
        assert_eq!(read.bytes, fs::read(fixture.root().join(path)).expect("a working file"));
    }
    stamp.is_some()
}

/// Dates a file back, since nothing is concluded about one that changed in the second in which git wrote its index.
fn write_an_hour_ago(fixture: &Fixture, path: &str, text: &str) {
    fixture.write(path, text);
    let file = fs::File::options().write(true).open(fixture.root().join(path)).expect("a file");
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(1)).expect("its time");
}

#[test]
fn a_working_file_that_git_saw_with_the_content_of_the_commit_need_not_be_read() {
    let fixture = Fixture::new();
    write_an_hour_ago(&fixture, "same.py", "same\n");
    write_an_hour_ago(&fixture, "changed.py", "first\n");
    write_an_hour_ago(&fixture, "edited.py", "text\n");
    fixture.commit();
    write_an_hour_ago(&fixture, "changed.py", "other\n");
    fixture.commit();
    fixture.write("edited.py", "mine\n");
    assert!(is_known_to_be_same(&fixture, "same.py"));
    assert!(!is_known_to_be_same(&fixture, "changed.py"), "another commit changed it");
    assert!(!is_known_to_be_same(&fixture, "edited.py"), "it is not what git saw");
}

#[test]
fn a_working_file_that_git_converts_is_read() {
    let fixture = Fixture::new();
    write_an_hour_ago(&fixture, ".gitattributes", "*.txt eol=crlf\n");
    write_an_hour_ago(&fixture, "lines.txt", "one\r\ntwo\r\n");
    write_an_hour_ago(&fixture, "plain.py", "one\n");
    fixture.commit();
    fixture.commit();
    assert!(!is_known_to_be_same(&fixture, "lines.txt"), "the blob has other line ends");
    assert!(is_known_to_be_same(&fixture, "plain.py"));
    write_an_hour_ago(&fixture, "sub/.gitattributes", "*.py filter=swap\n");
    fixture.commit();
    assert!(!is_known_to_be_same(&fixture, "plain.py"), "a filter may keep the size");
}
