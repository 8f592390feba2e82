//! Who may read and write a store, whatever the mask, whoever made its folders.

use crate::attack;
use crate::sandbox::{Field, Store};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

/// Everything is done under a mask; nobody else can read what is kept.
fn under_mask(mask: &str) {
    let field = Field::new(Store::Apart);
    let shell = format!("umask {mask}; exec \"$@\"");
    assert!(field.run_in(&shell, &["index"]).ok);
    field.assert_private();
    field.write("new.py", "def added(): pass\n");
    assert!(field.run_in(&shell, &["symbols", "added"]).ok);
    assert!(field.agent_in(&shell).ok);
    field.assert_private();
}

/// A folder of the store belongs to somebody else, who could read and change what is kept: nothing is written there.
fn of_another(choose: impl Fn(&Field) -> PathBuf) {
    let field = Field::new(Store::Apart);
    let path = choose(&field);
    if chown(&path, Some(12_345), None).is_err() {
        eprintln!("skipped: only the superuser can give a folder away");
        return;
    }
    let files = || {
        fs::read_dir(&path).expect("readable").flatten().map(|entry| entry.file_name()).collect::<Vec<_>>()
    };
    let before = files();
    let all = field.everything();
    assert!(all[1].err.contains("belongs to another user (number 12345)"), "{:?}", all[1]);
    assert_eq!(files(), before);
}

attack!(mask_000, "a mask that hides nothing: the store is closed to others", under_mask("000"));
attack!(mask_022, "the usual mask: the store is closed to others", under_mask("022"));
attack!(mask_077, "a strict mask: the store works", under_mask("077"));
attack!(left_open, "a store that an earlier version left open: closed on first use", {
    let field = Field::new(Store::Apart);
    assert!(field.run(&["index"]).ok);
    let (repository, tree) = field.folders();
    for folder in [&field.store(), &repository, &tree] {
        for entry in fs::read_dir(folder).expect("readable").flatten() {
            if entry.path().is_file() {
                set_mode(&entry.path(), 0o644);
            }
        }
        set_mode(folder, 0o755);
    }
    field.write("new.py", "def added(): pass\n");
    assert!(field.run(&["symbols", "added"]).ok);
    field.assert_private();
});
attack!(log_left_open, "the log of a writer that was killed, left open: closed on first use", {
    let field = Field::new(Store::Apart);
    let (_, tree) = field.folders();
    for name in ["index.db-wal", "index.db-shm"] {
        fs::write(tree.join(name), "").expect("written");
        set_mode(&tree.join(name), 0o666);
    }
    assert!(field.run(&["symbols", "total"]).ok);
    field.assert_private();
});
attack!(open_to_all, "folders that everybody may write to: closed, and used", {
    let field = Field::new(Store::Apart);
    let (repository, tree) = field.folders();
    for folder in [&repository, &tree, &field.store()] {
        set_mode(folder, 0o777);
    }
    field.everything();
    field.assert_private();
});
attack!(
    shared_like_tmp,
    "a store in a folder that is shared like /tmp: that stays as it is, what is ours is closed",
    {
        let field = Field::new(Store::Apart);
        fs::create_dir(field.store()).expect("made");
        fs::write(field.store().join("of somebody else"), "").expect("written");
        set_mode(&field.store(), 0o1777);
        field.everything();
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o7777;
        assert_eq!(mode(&field.store()), 0o1777);
        let (repository, tree) = field.folders();
        assert_eq!((mode(&repository), mode(&tree), mode(&tree.join("index.db"))), (0o700, 0o700, 0o600));
    }
);
attack!(
    folders_of_the_user,
    "a store in a folder with files of the user: `gc` and the rest leave those as they are",
    {
        let field = Field::new(Store::Apart);
        fs::create_dir_all(field.store().join("photos/summer")).expect("made");
        fs::write(field.store().join("photos/root"), "/gone").expect("written");
        set_mode(&field.store().join("photos"), 0o755);
        field.everything();
        assert!(field.store().join("photos/summer").is_dir());
        let mode = field.store().join("photos").metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o755);
    }
);
attack!(tree_of_another, "the folder of the tree belongs to another user: not written to", {
    of_another(|field| field.folders().1);
});
attack!(repository_of_another, "the folder of the repository belongs to another user: not written to", {
    let field = Field::new(Store::Apart);
    let (repository, _) = field.folders();
    if chown(&repository, Some(12_345), None).is_err() {
        eprintln!("skipped: only the superuser can give a folder away");
        return;
    }
    let before = fs::read(repository.join("cache.db")).expect("it is there");
    field.everything();
    assert_eq!(fs::read(repository.join("cache.db")).expect("it is there"), before);
});
attack!(index_of_another, "the index belongs to another user: not read", {
    let field = Field::new(Store::Apart);
    let (_, tree) = field.folders();
    if chown(tree.join("index.db"), Some(12_345), None).is_err() {
        eprintln!("skipped: only the superuser can give a file away");
        return;
    }
    field.everything();
});
attack!(socket_is_private, "the socket of a watcher: only its user may speak to it", {
    let field = Field::new(Store::Apart);
    let (_, tree) = field.folders();
    let (socket, seen) = (tree.join("watcher.socket"), field.root().join("seen"));
    let shell = format!(
        "umask 000; \"$@\" & for try in $(seq 100); do test -S '{0}' && break; sleep 0.1; done; \
         stat -c %a '{0}' > '{1}'; kill $!; wait",
        socket.display(),
        seen.display()
    );
    field.run_in(&shell, &["watch", "--quiet"]);
    assert_eq!(fs::read_to_string(seen).expect("written").trim(), "600");
});
