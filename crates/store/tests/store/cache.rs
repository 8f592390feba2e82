//! The cache: facts come back as they went in, and nothing that happens to it is an error.
#![allow(clippy::unwrap_used, reason = "a test fails where it must not")]

use crate::support::{hash, outline};
use orient_model::{Expr, ExprId, ExprList, Facts, Flow};
use orient_store::{
    Cache, CacheKey, CacheState, CachedFacts, CodecError, PreparedFile, decode_flow, decode_outline,
    encode_flow, encode_outline,
};
use std::fs;

fn facts(text: &str) -> Facts {
    let mut flow = Flow::default();
    let name = flow.strings.push("größe");
    flow.exprs =
        vec![Expr::Name(name), Expr::Call { callee: ExprId(0), args: ExprList { start: 0, len: 1 } }];
    flow.operands = vec![ExprId(0)];
    Facts { outline: outline(text), flow }
}

fn encoded(facts: &Facts) -> CachedFacts {
    CachedFacts { outline: encode_outline(&facts.outline), flow: encode_flow(&facts.flow) }
}

fn key(text: &str) -> CacheKey {
    CacheKey::new(hash(text), 7)
}

#[test]
fn facts_come_back_as_they_went_in() {
    for text in ["", "class A", "class Größe\n  method run @a(b)\nnote\nfunction run :B"] {
        let facts = facts(text);
        let CachedFacts { outline, flow } = encoded(&facts);
        assert_eq!(decode_outline(outline.as_bytes()), Ok(facts.outline.clone()));
        assert_eq!(decode_flow(flow.as_bytes()), Ok(facts.flow));
        assert_eq!(PreparedFile::from_encoded(outline).unwrap().0.symbols(), facts.outline.symbols.len());
    }
}

#[test]
fn bytes_of_something_else_are_refused() {
    let CachedFacts { outline, flow } = encoded(&facts(&"class A\n  method run\n".repeat(50)));
    assert_eq!(decode_flow(outline.as_bytes()), Err(CodecError));
    assert_eq!(decode_outline(flow.as_bytes()), Err(CodecError));
    assert_eq!(decode_outline(&[]), Err(CodecError));
    let whole = outline.as_bytes();
    for at in 0..whole.len() {
        let mut flipped = whole.to_vec();
        flipped[at] ^= 0x10;
        let read = decode_outline(&flipped);
        assert!(read == Err(CodecError) || read == decode_outline(whole), "byte {at} of {}", whole.len());
        assert_eq!(decode_outline(&whole[..at]), Err(CodecError), "{at} bytes of {}", whole.len());
    }
}

#[test]
fn what_was_put_is_found_by_content_and_version() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("repo/cache.db");
    let stored = encoded(&facts("class A"));
    let mut cache = Cache::open(&path);
    cache.put_many([(key("a"), &stored), (key("a"), &stored)], 1);
    drop(cache);
    let mut cache = Cache::open(&path);
    assert_eq!((cache.entries(), cache.state()), (1, &CacheState::Ready));
    assert_eq!(cache.get(&key("a")).as_ref(), Some(&stored));
    assert_eq!(cache.get_outline(&key("a")), Some(stored.outline));
    assert!(cache.has(&key("a")) && !cache.has(&key("b")));
    assert_eq!(cache.get(&CacheKey::new(hash("a"), 8)), None, "another version read it");
    assert_eq!(key("a").content(), hash("a"));
}

#[test]
fn what_nobody_uses_is_removed_and_its_space_given_back() {
    let directory = tempfile::tempdir().unwrap();
    let mut cache = Cache::open(&directory.path().join("cache.db"));
    let made: Vec<_> =
        (0..2000).map(|n| (key(&n.to_string()), encoded(&facts(&format!("class A{n}"))))).collect();
    cache.put_many(made.iter().map(|(key, facts)| (*key, facts)), 1);
    cache.touch(made.iter().take(20).map(|(key, _)| *key), 9);
    let pruned = cache.prune(|_, day| day >= 5);
    assert_eq!((pruned.entries, pruned.kept), (1980, 20));
    assert!(pruned.bytes > 0);
    assert!(cache.has(&made[0].0) && !cache.has(&made[100].0));
}

#[test]
fn that_all_of_something_is_known_holds_until_something_is_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let stored = encoded(&facts("class A"));
    let mut cache = Cache::open(&path);
    cache.put_many([(key("a"), &stored)], 1);
    cache.record_commit(b"a commit");
    cache.record_commit(b"a commit");
    cache.prune(|_, _| true);
    let mut cache = Cache::open(&path);
    assert!(cache.has_commit(b"a commit") && !cache.has_commit(b"another"));
    cache.prune(|_, _| false);
    assert!(!cache.has_commit(b"a commit"));
}

#[test]
fn a_damaged_cache_starts_empty() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let stored = encoded(&facts("class A"));
    for damage in [&b"garbage"[..], &[0; 5000], b"SQLite format 3\0"] {
        fs::write(&path, damage).unwrap();
        let mut cache = Cache::open(&path);
        assert_eq!((cache.entries(), cache.state()), (0, &CacheState::Recreated));
        cache.put_many([(key("a"), &stored)], 1);
        assert!(cache.has(&key("a")));
        drop(cache);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_cache_damaged_while_in_use_costs_a_miss() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let made: Vec<_> =
        (0..500).map(|n| (key(&n.to_string()), encoded(&facts(&format!("class A{n}"))))).collect();
    let mut cache = Cache::open(&path);
    cache.put_many(made.iter().map(|(key, facts)| (*key, facts)), 1);
    drop(cache);
    let length = fs::metadata(&path).unwrap().len() as usize;
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..length].fill(0x77);
    fs::write(&path, bytes).unwrap();
    let mut cache = Cache::open(&path);
    for (key, facts) in &made {
        let _ = cache.get(key);
        cache.put_many([(*key, facts)], 1);
        assert_eq!(cache.get(key).as_ref(), Some(facts), "it works again");
    }
}

#[test]
fn a_cache_that_cannot_exist_is_off() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "").unwrap();
    let mut cache = Cache::open(&directory.path().join("file/cache.db"));
    assert!(matches!(cache.state(), CacheState::Off(_)));
    cache.put_many([(key("a"), &encoded(&facts("")))], 1);
    assert_eq!((cache.get(&key("a")), cache.entries(), cache.bytes()), (None, 0, 0));
    assert!(matches!(Cache::off().state(), CacheState::Off(_)));
}

#[cfg(unix)]
#[test]
fn a_cache_that_cannot_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let stored = encoded(&facts("class A"));
    Cache::open(&path).put_many([(key("a"), &stored)], 1);
    let protect = |mode, file_mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(file_mode)).unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode)).unwrap();
    };
    protect(0o555, 0o444);
    let mut cache = Cache::open(&path);
    cache.put_many([(key("b"), &stored)], 1);
    let found = cache.get(&key("a"));
    drop(cache);
    protect(0o755, 0o644);
    assert_eq!(found, Some(stored));
}

#[test]
fn two_processes_share_a_cache() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut cache = Cache::open(&path);
                for n in 0..25 {
                    cache.put_many([(key(&format!("{thread} {n}")), &encoded(&facts("class A")))], 1);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(Cache::open(&path).entries(), 100);
}

#[test]
fn a_damaged_page_costs_the_facts_and_not_the_vectors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let mut cache = Cache::open(&path);
    let made: Vec<_> =
        (0..2000).map(|n| (key(&n.to_string()), encoded(&facts(&format!("class A{n}"))))).collect();
    let model = cache.put_embed_model("provider/model", 0, "model", 2).expect("it can be written").id;
    assert!(cache.put_embedded(model, &[(hash("text"), vec![1, 2])], 1));
    cache.put_many(made.iter().map(|(key, facts)| (*key, facts)), 1);
    drop(cache);
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len() - 100;
    bytes[end] ^= 1;
    fs::write(&path, bytes).unwrap();
    let mut cache = Cache::open(&path);
    for (key, facts) in &made {
        assert!(cache.get(key).is_none_or(|found| found == *facts), "never another's facts");
    }
    assert_eq!((cache.entries(), cache.state()), (0, &CacheState::Recreated));
    assert_eq!(cache.embedded(model).len(), 1, "vectors may have cost money");
}
