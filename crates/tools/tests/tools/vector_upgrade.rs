//! An open tree recomputes vectors of another version of the built-in model in the background.

use orient_engine::{Cancel, Engine, Freshness, FullScan, NoProgress};
use orient_settings::Override;
use orient_store::{WriteLock, Writer};
use orient_tools::{BackgroundEmbedding, OPERATIONS, OpenTree, Session, SessionOptions, TextWriter};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn search(host: &OpenTree) -> String {
    let cancel = Cancel::default();
    let session = Session::for_tree(host, &NoProgress, &cancel);
    let tool = OPERATIONS.iter().find(|tool| tool.name == "search").expect("it is in the table");
    let reply = tool.call(&session, json!({ "query": "sell things" })).expect("an answer");
    let mut bytes = Vec::new();
    reply.json(&mut bytes).expect("memory takes everything");
    let mut text = String::new();
    reply.text(&mut TextWriter::new(&mut text)).expect("a string takes everything");
    text + &String::from_utf8(bytes).expect("JSON is text")
}

/// Marks the vectors of the index as those of another model version.
fn outdate_vectors(engine: &Engine) {
    let lock =
        WriteLock::try_acquire(&engine.store_paths().tree).expect("a lock").expect("nobody else has it");
    let mut writer = Writer::open(&engine.store_paths().index(), &lock).expect("an index");
    writer.forget_vectors(1).expect("writable");
}

#[test]
fn vectors_are_recomputed_in_the_background_while_search_works() {
    let directory = TempDir::new().expect("a temporary directory");
    let root = directory.path().join("tree");
    std::fs::create_dir(&root).expect("a new directory");
    std::fs::write(root.join("shop.py"), "def sell(things):\n    return things.pop()\n").expect("a new file");
    let store = directory.path().join("store").display().to_string();
    let overrides = vec![Override { key: "store.dir".into(), value: store, flag: "test".into() }];
    let setup = SessionOptions { start: root.clone(), directory: root, overrides, force: 0, refresh: true };
    let freshness = |_: &Arc<Engine>, _: &_| -> Arc<dyn Freshness> { Arc::new(FullScan) };
    let host = OpenTree::open(setup, freshness).expect("a tree");
    let note = "chunks have no vectors of this version";
    assert!(!search(&host).contains(note));
    outdate_vectors(host.engine());
    let answer = search(&host);
    assert!(answer.contains("shop.py") && answer.contains(note), "{answer}");
    let background = BackgroundEmbedding::start(&host).expect("a thread");
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        let answer = search(&host);
        assert!(answer.contains("shop.py"), "search works: {answer}");
        if !answer.contains(note) {
            break;
        }
        assert!(Instant::now() < until, "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(background);
}
