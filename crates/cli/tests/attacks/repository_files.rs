//! Files of a repository and of its git directories that are swapped for something else: for a link that leads out of the tree, for what never
//! ends, for what never begins, for what is too large. Every command ends, within bounded memory, and says nothing of what is outside.

use crate::attack;
use crate::sandbox::{CommandOutput, Sandbox, Store};
use orient_testkit::git;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// In the file outside; no answer may contain it.
const SECRET: &str = "exclude_me_SECRET";
/// Ends a command that waits or takes too much: seconds, and kibibytes of address space.
const BOUNDED: &str = "ulimit -v 4000000; exec timeout -s KILL 60 \"$@\"";

/// The commands that are asked, which together open every file that is opened.
const QUESTIONS: &[&[&str]] = &[
    &["symbols", "total"],
    &["grep", "sum"],
    &["log", "cart.py"],
    &["blame", "cart.py"],
    &["commits", "second"],
    &["introduced", "return sum"],
    &["changes", "HEAD~1"],
    &["changes", "main@{1}"],
    &["symbols", "total", "--at", "HEAD~1"],
    &["impact", "--diff", "HEAD~1"],
    &["doctor", "--quick"],
    &["index", "--history"],
];

/// What a file is swapped for.
#[derive(Clone, Copy, Debug)]
enum Swap {
    /// A link to a file outside.
    Outside,
    /// A link to a device that never ends.
    Device,
    /// A named pipe without a writer.
    Pipe,
    /// Eight gigabytes of nothing.
    Hole,
    /// A directory.
    Directory,
}

const SWAPS: [Swap; 5] = [Swap::Outside, Swap::Device, Swap::Pipe, Swap::Hole, Swap::Directory];

fn swap(sandbox: &Sandbox, path: &Path, swap: Swap) {
    remove(path);
    fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("made");
    match swap {
        Swap::Outside => symlink(outside(sandbox), path).expect("a link"),
        Swap::Device => symlink("/dev/zero", path).expect("a link"),
        Swap::Pipe => {
            assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo starts").success());
        }
        Swap::Hole => fs::File::create(path).and_then(|file| file.set_len(8 << 30)).expect("a hole"),
        Swap::Directory => fs::create_dir(path).expect("a directory"),
    }
}

fn remove(path: &Path) {
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path).expect("removed");
    } else if path.symlink_metadata().is_ok() {
        fs::remove_file(path).expect("removed");
    }
}

fn outside(sandbox: &Sandbox) -> PathBuf {
    sandbox.root().with_file_name("secret")
}

/// A repository that has every file that git makes and we read: two commits, in a pack and loose, refs of both forms, alternates, grafts,
/// ignore files, submodules, settings, configurations of clients.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new(Store::Apart);
    fs::write(outside(&sandbox), format!("{SECRET}\n")).expect("a file outside");
    let root = sandbox.root();
    let git = |arguments: &[&str]| git(&root, arguments);
    git(&["init", "-q", "-b", "main"]);
    sandbox.write(".gitmodules", "[submodule \"a\"]\n\tpath = inner\n");
    for name in [".gitignore", ".ignore", ".orientignore", ".rgignore"] {
        sandbox.write(name, "*.log\n");
    }
    sandbox.write(".orient.toml", "[index]\nmax_file_size = \"1MiB\"\n");
    sandbox.write(".mcp.json", "{}\n");
    sandbox.write(".gitattributes", "*.py text\n");
    sandbox.write(".mailmap", "A U Thor <a@b>\n");
    fs::create_dir_all(root.join("inner/.git")).expect("made");
    fs::write(root.join("inner/.git/HEAD"), "ref: refs/heads/main\n").expect("written");
    git(&["add", "cart.py", ".gitignore", ".gitmodules", ".mailmap"]);
    git(&["commit", "-q", "-m", "first"]);
    git(&["tag", "v1"]);
    git(&["gc", "-q"]);
    sandbox.write("cart.py", "def total(items):\n    # second\n    return sum(items)\n");
    git(&["commit", "-q", "-a", "-m", "second"]);
    git(&["worktree", "add", "-q", "--detach", "../side"]);
    let spare = root.with_file_name("spare");
    fs::create_dir_all(spare.join("pack")).expect("made");
    let info = |name: &str, text: &str| {
        let path = root.join(".git").join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text).expect("written");
    };
    info("objects/info/alternates", &format!("{}\n", spare.display()));
    info("info/grafts", "");
    info("info/attributes", "");
    info("info/exclude", "*.tmp\n");
    sandbox
}

/// The files of the repository that the questions open, by their paths from its root: recorded where they are opened.
fn opened_files(sandbox: &Sandbox) -> BTreeSet<PathBuf> {
    let record = sandbox.root().with_file_name("opened");
    let shell = format!("export TEST_OPENED_FILES='{}'; {BOUNDED}", record.display());
    for question in QUESTIONS {
        sandbox.run_in(&shell, question);
    }
    let text = fs::read_to_string(&record).expect("files were opened");
    let inside = |line: &str| Path::new(line).strip_prefix(sandbox.root()).ok().map(Path::to_owned);
    text.lines().filter_map(inside).collect()
}

/// Asks everything, in bounded time and memory. Returns what was said.
fn ask_everything(sandbox: &Sandbox, what: &str) -> Vec<CommandOutput> {
    let ask = |question: &&[&str]| {
        let output = sandbox.run_in(BOUNDED, question);
        let text = format!("{} {}", output.out, output.err);
        assert!(!output.is_killed, "{what}: {question:?}: {output:?}");
        assert!(!text.contains(SECRET), "{what}: {question:?} says what is outside: {output:?}");
        assert!(!text.contains("damaged ("), "{what}: {question:?} finds damage: {output:?}");
        output
    };
    QUESTIONS.iter().map(ask).collect()
}

/// Swaps every file that is opened, except those that `is_wanted` leaves to another test.
fn swap_each(is_wanted: impl Fn(&Path) -> bool, at_least: usize) {
    let sandbox = repository();
    let files: Vec<PathBuf> = opened_files(&sandbox).into_iter().filter(|path| is_wanted(path)).collect();
    assert!(files.len() >= at_least, "too few files are opened: {files:?}");
    for (number, file) in files.iter().enumerate() {
        let path = sandbox.root().join(file);
        let kept = path.with_file_name("kept-aside");
        fs::rename(&path, &kept).expect("it was opened");
        // Each file is swapped for two things, and all of them in turn: one run asks a dozen questions.
        for offset in [0, 2] {
            let what = SWAPS[(number + offset) % SWAPS.len()];
            swap(&sandbox, &path, what);
            ask_everything(&sandbox, &format!("{what:?} for {}", file.display()));
        }
        remove(&path);
        fs::rename(&kept, &path).expect("put back");
    }
    let answers = ask_everything(&sandbox, "nothing");
    assert!(answers.iter().all(|answer| answer.ok), "all is well again: {answers:?}");
}

fn is_git_file(path: &Path) -> bool {
    path.starts_with(".git")
}

attack!(
    every_file_of_the_tree,
    "each file of a tree that is opened, swapped for a link, a pipe, a device, a hole",
    {
        swap_each(|path| !is_git_file(path), 8);
    }
);
attack!(every_file_of_git, "each file of a git directory that is opened, swapped for the same", {
    swap_each(|path| is_git_file(path) && !path.starts_with(".git/objects"), 10);
});
attack!(
    every_file_with_objects,
    "each object, pack and list of alternates that is opened, swapped for the same",
    {
        swap_each(|path| path.starts_with(".git/objects"), 4);
    }
);

/// A repository with a secret in its history, beside the sandbox's.
fn other_repository(sandbox: &Sandbox) -> PathBuf {
    let other = sandbox.root().with_file_name("other");
    fs::create_dir_all(&other).expect("made");
    fs::write(other.join("notes.py"), format!("{SECRET} = 1\n")).expect("written");
    git(&other, &["init", "-q", "-b", "main"]);
    git(&other, &["add", "-A"]);
    git(&other, &["commit", "-q", "-m", SECRET]);
    other
}

/// Redirects the repository to the other one, and asks for what only that one has.
fn redirected(redirect: impl FnOnce(&Path, &Path)) {
    let sandbox = repository();
    let other = other_repository(&sandbox);
    redirect(&sandbox.root().join(".git"), &other.join(".git"));
    let answers = ask_everything(&sandbox, "another repository");
    assert!(answers[0].ok && answers[1].ok, "the tree is answered: {answers:?}");
    for arguments in [&["commits", SECRET][..], &["log", "notes.py"], &["symbols", "x", "--at", "HEAD"]] {
        let answer = sandbox.run_in(BOUNDED, arguments);
        assert!(!answer.ok && answer.err.contains("the history is not read"), "{arguments:?}: {answer:?}");
        assert!(!answer.out.contains("notes.py"), "{arguments:?}: {answer:?}");
    }
}

attack!(git_is_a_link, "`.git` is a link to another repository: its history is not answered", {
    redirected(|git, other| {
        remove(git);
        symlink(other, git).expect("a link");
    });
});
attack!(
    git_names_another,
    "`.git` names another repository, which does not name it: its history is not answered",
    {
        redirected(|git, other| {
            remove(git);
            fs::write(git, format!("gitdir: {}\n", other.display())).expect("written");
        });
    }
);
attack!(git_shares_another, "`commondir` names a repository of which this is no working tree: refused", {
    redirected(|git, other| {
        fs::write(git.join("commondir"), other.as_os_str().as_encoded_bytes()).expect("written");
    });
});
attack!(objects_are_a_link, "`objects` is a link to those of another repository: refused", {
    redirected(|git, other| {
        remove(&git.join("objects"));
        symlink(other.join("objects"), git.join("objects")).expect("a link");
        fs::copy(other.join("refs/heads/main"), git.join("refs/heads/main")).expect("copied");
    });
});
attack!(packs_are_a_link, "`objects/pack` is a link to that of another repository: refused", {
    redirected(|git, other| {
        remove(&git.join("objects/pack"));
        symlink(other.join("objects"), git.join("objects/pack")).expect("a link");
    });
});
attack!(refs_are_a_link, "`refs` is a link to those of another repository: refused", {
    redirected(|git, other| {
        remove(&git.join("refs"));
        symlink(other.join("refs"), git.join("refs")).expect("a link");
    });
});
attack!(
    one_object_is_a_link,
    "an object is a link to one of another repository: its content is not answered",
    {
        let sandbox = repository();
        let other = other_repository(&sandbox);
        let id = |root: &Path, of: &str| git(root, &["rev-parse", of]).trim().to_owned();
        let object = |root: &Path, id: &str| root.join(".git/objects").join(&id[..2]).join(&id[2..]);
        let (ours, theirs) = (id(&sandbox.root(), "main"), id(&other, "main"));
        let path = object(&sandbox.root(), &ours);
        remove(&path);
        symlink(object(&other, &theirs), &path).expect("a link");
        ask_everything(&sandbox, "a linked object");
    }
);
attack!(
    worktrees_keep_working,
    "working trees and submodules, which name each other: their history is answered",
    {
        let sandbox = repository();
        let side = sandbox.root().with_file_name("side");
        let shell = format!("cd '{}'; {BOUNDED}", side.display());
        let answer = sandbox.run_in(&shell, &["log", "cart.py"]);
        assert!(answer.ok && answer.out.contains("second"), "{answer:?}");
        let other = other_repository(&sandbox);
        let added = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", "--force"];
        let other = other.display().to_string();
        git(&sandbox.root(), &[&added[..], &[&other, "module"]].concat());
        let shell = format!("cd '{}'; {BOUNDED}", sandbox.root().join("module").display());
        let answer = sandbox.run_in(&shell, &["log", "notes.py"]);
        assert!(answer.ok && answer.out.contains(SECRET), "its own history: {answer:?}");
    }
);
