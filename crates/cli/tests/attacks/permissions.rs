//! Permissions of a store: private for every umask, and never in directories of other users.

use crate::attack;
use crate::sandbox::{Sandbox, Store};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

/// Runs everything with a umask; no other user must be able to read the store.
fn under_mask(mask: &str) {
    let sandbox = Sandbox::new(Store::Apart);
    let shell = format!("umask {mask}; exec \"$@\"");
    assert!(sandbox.run_in(&shell, &["index"]).ok);
    sandbox.assert_private();
    sandbox.write("new.py", "def added(): pass\n");
    assert!(sandbox.run_in(&shell, &["symbols", "added"]).ok);
    assert!(sandbox.agent_in(&shell).ok);
    sandbox.assert_private();
}

/// A directory of the store belongs to another user, who could read and change it: nothing must be written there.
fn of_another(choose: impl Fn(&Sandbox) -> PathBuf) {
    let sandbox = Sandbox::new(Store::Apart);
    let path = choose(&sandbox);
    if chown(&path, Some(12_345), None).is_err() {
        eprintln!("skipped: only the superuser can give a directory away");
        return;
    }
    let files = || {
        fs::read_dir(&path).expect("readable").flatten().map(|entry| entry.file_name()).collect::<Vec<_>>()
    };
    let before = files();
    let all = sandbox.run_everything();
    assert!(all[1].err.contains("belongs to another user (uid 12345)"), "{:?}", all[1]);
    assert_eq!(files(), before);
}

attack!(mask_000, "a mask that hides nothing: the store is closed to others", under_mask("000"));
attack!(mask_022, "the usual mask: the store is closed to others", under_mask("022"));
attack!(mask_077, "a strict mask: the store works", under_mask("077"));
attack!(left_open, "a store that an earlier version left open: closed on first use", {
    let sandbox = Sandbox::new(Store::Apart);
    assert!(sandbox.run(&["index"]).ok);
    let (repository, tree) = sandbox.directories();
    for directory in [&sandbox.store(), &repository, &tree] {
        for entry in fs::read_dir(directory).expect("readable").flatten() {
            if entry.path().is_file() {
                set_mode(&entry.path(), 0o644);
            }
        }
        set_mode(directory, 0o755);
    }
    sandbox.write("new.py", "def added(): pass\n");
    assert!(sandbox.run(&["symbols", "added"]).ok);
    sandbox.assert_private();
});
attack!(log_left_open, "the log of a writer that was killed, left open: closed on first use", {
    let sandbox = Sandbox::new(Store::Apart);
    let (_, tree) = sandbox.directories();
    for name in ["index.db-wal", "index.db-shm"] {
        fs::write(tree.join(name), "").expect("written");
        set_mode(&tree.join(name), 0o666);
    }
    assert!(sandbox.run(&["symbols", "total"]).ok);
    sandbox.assert_private();
});
attack!(open_to_all, "directories that everybody may write to: closed, and used", {
    let sandbox = Sandbox::new(Store::Apart);
    let (repository, tree) = sandbox.directories();
    for directory in [&repository, &tree, &sandbox.store()] {
        set_mode(directory, 0o777);
    }
    sandbox.run_everything();
    sandbox.assert_private();
});
attack!(
    shared_like_tmp,
    "a store in a directory that is shared like /tmp: that stays as it is, what is ours is closed",
    {
        let sandbox = Sandbox::new(Store::Apart);
        fs::create_dir(sandbox.store()).expect("made");
        fs::write(sandbox.store().join("of somebody else"), "").expect("written");
        set_mode(&sandbox.store(), 0o1777);
        sandbox.run_everything();
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o7777;
        assert_eq!(mode(&sandbox.store()), 0o1777);
        let (repository, tree) = sandbox.directories();
        assert_eq!((mode(&repository), mode(&tree), mode(&tree.join("index.db"))), (0o700, 0o700, 0o600));
    }
);
attack!(
    directories_of_the_user,
    "a store in a directory with files of the user: `gc` and the rest leave those as they are",
    {
        let sandbox = Sandbox::new(Store::Apart);
        fs::create_dir_all(sandbox.store().join("photos/summer")).expect("made");
        fs::write(sandbox.store().join("photos/root"), "/gone").expect("written");
        set_mode(&sandbox.store().join("photos"), 0o755);
        sandbox.run_everything();
        assert!(sandbox.store().join("photos/summer").is_dir());
        let mode = sandbox.store().join("photos").metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o755);
    }
);
attack!(tree_of_another, "the directory of the tree belongs to another user: not written to", {
    of_another(|sandbox| sandbox.directories().1);
});
attack!(repository_of_another, "the directory of the repository belongs to another user: not written to", {
    let sandbox = Sandbox::new(Store::Apart);
    let (repository, _) = sandbox.directories();
    if chown(&repository, Some(12_345), None).is_err() {
        eprintln!("skipped: only the superuser can give a directory away");
        return;
    }
    let before = fs::read(repository.join("cache.db")).expect("it is there");
    sandbox.run_everything();
    assert_eq!(fs::read(repository.join("cache.db")).expect("it is there"), before);
});
attack!(index_of_another, "the index belongs to another user: not read", {
    let sandbox = Sandbox::new(Store::Apart);
    let (_, tree) = sandbox.directories();
    if chown(tree.join("index.db"), Some(12_345), None).is_err() {
        eprintln!("skipped: only the superuser can give a file away");
        return;
    }
    sandbox.run_everything();
});
attack!(socket_is_private, "the socket of a watcher: only its user may speak to it", {
    let sandbox = Sandbox::new(Store::Apart);
    let (_, tree) = sandbox.directories();
    let (socket, seen) = (tree.join("watcher.socket"), sandbox.root().join("seen"));
    let shell = format!(
        "umask 000; \"$@\" & for try in $(seq 100); do test -S '{0}' && break; sleep 0.1; done; \
         stat -c %a '{0}' > '{1}'; kill $!; wait",
        socket.display(),
        seen.display()
    );
    sandbox.run_in(&shell, &["watch", "--quiet"]);
    assert_eq!(fs::read_to_string(seen).expect("written").trim(), "600");
});
