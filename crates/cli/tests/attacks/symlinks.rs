//! Symbolic links planted in a store inside a hostile repository: at every level, in place of every file. None is followed, every
//! query is answered, and the store is repaired where possible.

use crate::attack;
use crate::sandbox::{Sandbox, Store};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

/// The directory of the store in which a trap is planted.
#[derive(Clone, Copy)]
enum Level {
    Store,
    Repository,
    Tree,
}
use Level::{Repository, Tree};

/// What is planted.
#[derive(Clone, Copy)]
enum Trap {
    /// A link to a file outside.
    ToFile,
    /// A dangling link.
    ToNothing,
    /// A link to a directory outside.
    ToDirectory,
    /// A hard link to a file outside.
    Hard,
    /// A named pipe without a reader.
    Pipe,
    /// A directory.
    Directory,
}
use Trap::{Directory, Hard, Pipe, ToDirectory, ToFile, ToNothing};

/// Plants a trap in a store that is in use and in a new one, then runs everything.
fn planted(level: Level, name: &str, trap: Trap) {
    for used in [true, false] {
        let sandbox = Sandbox::new(Store::Inside);
        let (repository, tree) = sandbox.directories();
        if !used {
            fs::remove_dir_all(sandbox.store()).expect("it was made");
            fs::create_dir_all(&tree).expect("made");
        }
        let directory: PathBuf = match level {
            Level::Store => sandbox.store(),
            Repository => repository,
            Tree => tree,
        };
        let path = directory.join(name);
        let _ = fs::remove_file(&path);
        plant(&sandbox, &path, trap);
        sandbox.run_everything();
    }
}

/// Plants a trap among the log files, then runs everything, including a rotation.
fn planted_log(name: &str, trap: Trap) {
    let sandbox = Sandbox::new(Store::Inside);
    let directory = sandbox.store().join("log");
    fs::create_dir_all(&directory).expect("made");
    fs::write(directory.join("orient.log"), "x".repeat(4 << 20)).expect("written");
    let path = directory.join(name);
    let _ = fs::remove_file(&path);
    plant(&sandbox, &path, trap);
    sandbox.run_everything();
    let log = fs::symlink_metadata(directory.join("orient.log")).expect("it was made");
    assert!(log.is_file() && (1..1 << 20).contains(&log.len()), "the agent's calls are logged: {log:?}");
}

/// Replaces a directory of the store by a link to its moved content.
fn replaced(level: Level) {
    let sandbox = Sandbox::new(Store::Inside);
    let (repository, tree) = sandbox.directories();
    let path = match level {
        Level::Store => sandbox.store(),
        Repository => repository,
        Tree => tree,
    };
    fs::remove_dir_all(&path).expect("it was made");
    plant(&sandbox, &path, ToDirectory);
    let all = sandbox.run_everything();
    let told = |text: &str| text.contains("is a symbolic link, and links are not followed here");
    assert!(told(&all[1].err), "the user is told: {:?}", all[1]);
    assert!(told(&all[3].out) || told(&all[3].err), "an agent is told: {:?}", all[3]);
}

fn plant(sandbox: &Sandbox, path: &std::path::Path, trap: Trap) {
    match trap {
        ToFile => symlink(sandbox.victim(), path).expect("a link"),
        ToNothing => symlink(sandbox.nothing(), path).expect("a link"),
        ToDirectory => symlink(sandbox.victim_directory(), path).expect("a link"),
        Hard => fs::hard_link(sandbox.victim(), path).expect("a link"),
        Directory => fs::create_dir(path).expect("a directory"),
        Pipe => assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo is there").success()),
    }
}

attack!(store_is_a_link, "the store is a link to a directory outside: not entered", replaced(Level::Store));
attack!(repository_is_a_link, "the directory of the repository is a link: not entered", replaced(Repository));
attack!(tree_is_a_link, "the directory of the tree is a link: not entered", replaced(Tree));
attack!(root_is_a_link, "`root` is a link: its target keeps its bytes", planted(Tree, "root", ToFile));
attack!(root_leads_nowhere, "`root` is a link to nothing: nothing is made", planted(Tree, "root", ToNothing));
attack!(root_is_hard, "`root` is another name of a file: that keeps its bytes", planted(Tree, "root", Hard));
attack!(root_is_a_pipe, "`root` is a pipe: nobody waits for it", planted(Tree, "root", Pipe));
attack!(lock_is_a_link, "`lock` is a link: its target keeps its bytes", planted(Tree, "lock", ToFile));
attack!(lock_leads_nowhere, "`lock` is a link to nothing: nothing is made", planted(Tree, "lock", ToNothing));
attack!(lock_is_hard, "`lock` is another name of a file: that keeps its bytes", planted(Tree, "lock", Hard));
attack!(lock_is_a_pipe, "`lock` is a pipe: nobody waits for it", planted(Tree, "lock", Pipe));
attack!(lock_is_a_directory, "`lock` is a directory: answered from memory", planted(Tree, "lock", Directory));
attack!(open_lock_is_a_link, "`open.lock` is a link: not followed", planted(Tree, "open.lock", ToFile));
attack!(
    open_lock_leads_nowhere,
    "`open.lock` leads nowhere: nothing is made",
    planted(Tree, "open.lock", ToNothing)
);
attack!(
    index_is_a_link,
    "`index.db` is a link: created again in its place",
    planted(Tree, "index.db", ToFile)
);
attack!(
    index_leads_nowhere,
    "`index.db` leads nowhere: created again in its place",
    planted(Tree, "index.db", ToNothing)
);
attack!(
    index_is_hard,
    "`index.db` is another name of a file: created again in its place",
    planted(Tree, "index.db", Hard)
);
attack!(index_is_a_pipe, "`index.db` is a pipe: created again in its place", planted(Tree, "index.db", Pipe));
attack!(
    index_is_a_directory,
    "`index.db` is a directory: answered from memory",
    planted(Tree, "index.db", Directory)
);
attack!(log_is_a_link, "`index.db-wal` is a link: not followed", planted(Tree, "index.db-wal", ToFile));
attack!(
    log_leads_nowhere,
    "`index.db-wal` leads nowhere: nothing is made",
    planted(Tree, "index.db-wal", ToNothing)
);
attack!(
    log_is_hard,
    "`index.db-wal` is another name of a file: not written",
    planted(Tree, "index.db-wal", Hard)
);
attack!(shared_is_a_link, "`index.db-shm` is a link: not followed", planted(Tree, "index.db-shm", ToFile));
attack!(
    shared_leads_nowhere,
    "`index.db-shm` leads nowhere: nothing is made",
    planted(Tree, "index.db-shm", ToNothing)
);
attack!(
    shared_is_hard,
    "`index.db-shm` is another name of a file: not written",
    planted(Tree, "index.db-shm", Hard)
);
attack!(
    journal_is_a_link,
    "`index.db-journal` is a link: not followed",
    planted(Tree, "index.db-journal", ToFile)
);
attack!(
    cache_is_a_link,
    "`cache.db` is a link: created again in its place",
    planted(Repository, "cache.db", ToFile)
);
attack!(
    cache_leads_nowhere,
    "`cache.db` leads nowhere: created again",
    planted(Repository, "cache.db", ToNothing)
);
attack!(
    cache_is_hard,
    "`cache.db` is another name of a file: created again",
    planted(Repository, "cache.db", Hard)
);
attack!(
    cache_log_is_a_link,
    "`cache.db-wal` is a link: not followed",
    planted(Repository, "cache.db-wal", ToFile)
);
attack!(
    cache_log_is_hard,
    "`cache.db-wal` is another name of a file: not written",
    planted(Repository, "cache.db-wal", Hard)
);
attack!(
    cache_shared_is_a_link,
    "`cache.db-shm` is a link: not followed",
    planted(Repository, "cache.db-shm", ToFile)
);
attack!(
    cache_lock_is_a_link,
    "`open.lock` of the cache is a link: not followed",
    planted(Repository, "open.lock", ToFile)
);
attack!(
    socket_is_a_link,
    "the socket of the watcher is a link: replaced",
    planted(Tree, "watcher.socket", ToFile)
);
attack!(
    socket_leads_nowhere,
    "the socket of the watcher leads nowhere: replaced",
    planted(Tree, "watcher.socket", ToNothing)
);
attack!(seal_is_a_link, "`index.db-seal` is a link: replaced", {
    planted(Tree, "index.db-seal", ToFile);
});
attack!(seal_leads_nowhere, "`index.db-seal` leads nowhere: replaced", {
    planted(Tree, "index.db-seal", ToNothing);
});
attack!(seal_is_hard, "`index.db-seal` is another name of a file: replaced", {
    planted(Tree, "index.db-seal", Hard);
});
attack!(seal_is_a_pipe, "`index.db-seal` is a pipe: nobody waits for it", {
    planted(Tree, "index.db-seal", Pipe);
});
attack!(silence_is_a_link, "`lock.silent` is a link: not followed", {
    planted(Tree, "lock.silent", ToFile);
});
attack!(process_is_a_link, "`watcher.process` is a link: replaced", {
    planted(Tree, "watcher.process", ToFile);
});
attack!(process_is_hard, "`watcher.process` is another name of a file: replaced", {
    planted(Tree, "watcher.process", Hard);
});
attack!(watcher_silence_is_a_link, "`watcher.silent` is a link: not followed", {
    planted(Tree, "watcher.silent", ToFile);
});
attack!(call_is_a_link, "`watcher.called` is a link: not followed", {
    planted(Tree, "watcher.called", ToFile);
});
attack!(consent_is_a_link, "`embed-allowed.toml` is a link: read by nobody, replaced by a new one", {
    planted(Tree, "embed-allowed.toml", ToFile);
});
attack!(log_directory_is_a_link, "`log`, the directory of the logs, is a link: not entered", {
    planted(Level::Store, "log", ToDirectory);
});
attack!(log_file_is_a_link, "`log/orient.log` is a link: replaced", planted_log("orient.log", ToFile));
attack!(log_file_leads_nowhere, "`log/orient.log` leads nowhere: replaced", {
    planted_log("orient.log", ToNothing);
});
attack!(log_file_is_hard, "`log/orient.log` is another name of a file: replaced", {
    planted_log("orient.log", Hard);
});
attack!(log_file_is_a_pipe, "`log/orient.log` is a pipe: nobody waits for it", {
    planted_log("orient.log", Pipe);
});
attack!(log_lock_is_a_link, "`log/orient.log.lock` is a link, and the log is full: not followed", {
    planted_log("orient.log.lock", ToFile);
});
attack!(receipts_are_a_link, "`setup.json` is a link, and a client is set up: replaced", {
    let sandbox = Sandbox::new(Store::Inside);
    fs::create_dir_all(sandbox.store()).expect("made");
    plant(&sandbox, &sandbox.store().join("setup.json"), ToFile);
    sandbox.run(&["setup", "claude-code", "--scope", "project", "--yes"]);
    sandbox.assert_unharmed();
});
attack!(client_is_a_link, "the configuration of a client in the project is a link: left alone", {
    let sandbox = Sandbox::new(Store::Default);
    symlink(sandbox.nothing(), sandbox.root().join(".mcp.json")).expect("a link");
    symlink(sandbox.victim_directory(), sandbox.root().join(".cursor")).expect("a link");
    for client in ["claude-code", "cursor"] {
        let output = sandbox.run(&["setup", client, "--scope", "project", "--yes"]);
        assert!(!output.ok && output.out.contains("symbolic link"), "{output:?}");
    }
    sandbox.assert_unharmed();
});
attack!(collected_through_a_link, "`gc` of a store with links to directories outside: nothing is removed", {
    let sandbox = Sandbox::new(Store::Inside);
    let (repository, tree) = sandbox.directories();
    // Garbage collection removes the directory of a deleted tree; here it is a link to the outside.
    fs::write(tree.join("root"), "/gone/for/good").expect("written");
    symlink(sandbox.victim_directory(), tree.join("more")).expect("a link");
    symlink(sandbox.victim_directory(), repository.join("other-0123abcd")).expect("a link");
    symlink(sandbox.victim_directory(), sandbox.store().join("another-0123abcd")).expect("a link");
    assert!(sandbox.run(&["gc"]).ok);
    sandbox.assert_unharmed();
});
