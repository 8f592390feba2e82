//! An index that is damaged while a server has it open: the next answers are correct, one of them reports the damage, and the server
//! repairs it without a restart.

use crate::stdio_client::Stdio;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Tool calls, and what each answer must contain.
const QUESTIONS: &[(&str, &str, &str)] = &[
    ("graph", r#"{"relation": "callers", "symbol": "total"}"#, "shop/cart.py:6"),
    ("search", r#"{"query": "total", "again": true}"#, "def total"),
    ("read", r#"{"target": "total", "again": true}"#, "def total"),
    ("grep", r#"{"pattern": "def total", "again": true}"#, "shop/cart.py"),
];

/// The index file of a store with one tree.
pub(crate) fn index(store: &Path) -> PathBuf {
    let directories = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).expect("a directory").flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let trees = directories(store).iter().flat_map(|repository| directories(repository)).collect::<Vec<_>>();
    let [tree] = &trees[..] else { panic!("one tree is expected: {trees:?}") };
    tree.join("index.db")
}

/// Overwrites a file in place, since the server has it mapped.
pub(crate) fn write_in_place(path: &Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().write(true).open(path).expect("it is there");
    file.write_all(bytes).and_then(|()| file.set_len(bytes.len() as u64)).expect("written");
}

/// Makes all calls; returns the tool and the text of each.
fn ask(server: &mut Stdio) -> Vec<(&'static str, String)> {
    let mut said = Vec::new();
    for (tool, arguments, expected) in QUESTIONS {
        let arguments = serde_json::from_str(arguments).expect("JSON");
        let answer = server.call(tool, &arguments);
        assert!(!answer.error && answer.text.contains(expected), "{tool}: {}", answer.text);
        said.push((*tool, answer.text));
    }
    said
}

/// The tool whose answer reports the damage.
pub(crate) fn notices(server: &mut Stdio) -> Option<&'static str> {
    ask(server).into_iter().find(|(_, text)| text.contains("damaged")).map(|(tool, _)| tool)
}

/// Damages the index of a running server, and makes all calls again.
fn survives(damage: impl Fn(&mut Vec<u8>)) {
    let mut server = Stdio::new();
    assert_eq!(notices(&mut server), None);
    let path = index(&server.tree.store());
    let mut bytes = fs::read(&path).expect("it is there");
    damage(&mut bytes);
    write_in_place(&path, &bytes);
    assert!(notices(&mut server).is_some(), "an answer says so");
    assert_eq!(notices(&mut server), None, "once");
    server.tree.write("shop/new.py", "def added():\n    pass\n");
    let said = server.call("read", &json!({ "target": "added" }));
    assert!(said.text.contains("def added"), "the index follows changes again: {}", said.text);
}

#[test]
fn a_server_survives_zeros_in_every_other_page() {
    survives(|bytes| {
        for page in bytes.chunks_mut(4096).skip(1).step_by(2) {
            page.fill(0);
        }
    });
}

#[test]
fn a_server_survives_a_flipped_bit_in_every_page() {
    survives(|bytes| {
        for page in bytes.chunks_mut(4096).skip(1) {
            page[1000] ^= 1;
        }
    });
}

#[test]
fn a_server_survives_a_truncated_index() {
    survives(|bytes| bytes.truncate(bytes.len() / 8192 * 4096));
}
