//! Tasks and their records survive the process, and belong to one client each.

use orient_model::ContentHash;
use orient_store::{ServedBatch, ServedRange, ServedSymbolRow, TaskStore};
use std::path::PathBuf;

fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().canonicalize().expect("it exists").join("tree").join("tasks.db");
    (directory, path)
}

fn open(path: &std::path::Path) -> TaskStore {
    TaskStore::open(path, true).expect("it opens").expect("it was created")
}

#[test]
fn nothing_is_created_unless_a_task_starts() {
    let (_directory, path) = place();
    assert!(TaskStore::open(&path, false).expect("no error").is_none());
    assert!(!path.exists());
    drop(open(&path));
    assert!(TaskStore::open(&path, false).expect("no error").is_some());
}

#[test]
fn a_client_has_one_active_task_and_clients_do_not_disturb_each_other() {
    let (_directory, path) = place();
    let store = open(&path);
    let first = store.insert("a", "", "one", 10).expect("inserted");
    let other = store.insert("b", "abc", "two", 11).expect("inserted");
    let second = store.insert("a", "", "three", 12).expect("inserted");
    let active = |client: &str| store.active(client).expect("read").map(|row| row.id);
    assert_eq!((active("a"), active("b"), active("c")), (Some(second), Some(other), None));
    store.activate(first, "a").expect("activated");
    assert_eq!(active("a"), Some(first));
    store.update(first, "ended", false, 13).expect("updated");
    assert_eq!(active("a"), None);
    let ids: Vec<u64> = store.newest(10).expect("read").iter().map(|row| row.id).collect();
    assert_eq!(ids, [second, other, first]);
    let row = store.task(other).expect("read").expect("it is there");
    assert_eq!((row.client.as_str(), row.base.as_str(), row.state.as_str()), ("b", "abc", "two"));
}

#[test]
fn the_record_is_read_back_after_a_restart_and_per_task() {
    let (_directory, path) = place();
    let content = Some(ContentHash([7; 16]));
    let (first, second) = {
        let store = open(&path);
        let first = store.insert("a", "", "", 1).expect("inserted");
        let batch = ServedBatch {
            kinds: "definitions".to_owned(),
            operation: "show".to_owned(),
            subject: "f".to_owned(),
            generation: 4,
            ranges: vec![ServedRange {
                path: "a.py".to_owned(),
                first: 1,
                last: 9,
                content,
                ..ServedRange::default()
            }],
            symbols: vec![ServedSymbolRow {
                handle: "a.py#f".to_owned(),
                path: "a.py".to_owned(),
                line: 1,
                content,
            }],
            directories: vec!["src".to_owned()],
        };
        store.record(first, &batch).expect("recorded");
        store.record(first, &batch).expect("recorded again");
        store.record_write(first, "a.py", None).expect("permitted");
        store.record_write(first, "a.py", content).expect("seen");
        (first, store.insert("a", "", "", 2).expect("inserted"))
    };
    let store = open(&path);
    let rows = store.served(first).expect("read");
    assert_eq!((rows.calls.len(), rows.ranges.len(), rows.symbols.len()), (2, 1, 1));
    assert_eq!((rows.ranges[0].generation, rows.ranges[0].content), (4, content));
    assert_eq!((rows.directories.len(), rows.written[0].content), (1, content));
    assert_eq!(store.served(second).expect("read"), orient_store::ServedRows::default());
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let (_directory, path) = place();
    drop(open(&path));
    std::fs::write(&path, b"this is no database, and longer than a header of one hundred bytes: ".repeat(4))
        .expect("written");
    assert!(TaskStore::open(&path, true).is_err());
}
