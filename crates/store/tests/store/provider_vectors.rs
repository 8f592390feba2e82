//! Vectors of other models: kept by text and model, found again whatever happens to the index, and given back in the end.
#![allow(clippy::unwrap_used, reason = "a test fails where it must not")]

use crate::support::{hash, outline};
use orient_model::ContentHash;
use orient_store::{Cache, CacheKey, CacheState, CachedFacts, encode_outline};
use std::collections::HashSet;

fn vectors(cache: &mut Cache, model: i64) -> Vec<(ContentHash, Vec<u8>)> {
    let mut all = Vec::new();
    cache.each_embedded(model, |text, vector| all.push((text, vector.to_vec())));
    all
}

#[test]
fn a_vector_is_of_one_text_and_one_model() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let mut cache = Cache::open(&path);
    assert_eq!(cache.embed_model("ollama/m", 0), None);
    let one = cache.put_embed_model("ollama/m", 0, "ollama/m/3-1", 3).unwrap();
    let two = cache.put_embed_model("ollama/n", 0, "ollama/n/3-1", 3).unwrap();
    assert!(cache.put_embedded(one.id, &[(hash("a"), vec![1, 2, 3]), (hash("b"), vec![4, 5, 6])], 10));
    let last = cache.last_embedded();
    assert!(cache.put_embedded(two.id, &[(hash("a"), vec![7, 8, 9])], 10));
    assert!(cache.last_embedded() > last);
    drop(cache);
    let mut cache = Cache::open(&path);
    assert_eq!(cache.state(), &CacheState::Ready);
    assert_eq!(vectors(&mut cache, one.id), [(hash("a"), vec![1, 2, 3]), (hash("b"), vec![4, 5, 6])]);
    assert_eq!(vectors(&mut cache, two.id), [(hash("a"), vec![7, 8, 9])]);
    assert_eq!(cache.embedded(one.id), HashSet::from([hash("a"), hash("b")]));
    // A text that was embedded twice keeps what it had.
    assert!(cache.put_embedded(two.id, &[(hash("a"), vec![0, 0, 0])], 10));
    assert_eq!(vectors(&mut cache, two.id), [(hash("a"), vec![7, 8, 9])]);
}

#[test]
fn the_model_that_was_asked_last_counts() {
    let directory = tempfile::tempdir().unwrap();
    let mut cache = Cache::open(&directory.path().join("cache.db"));
    let small = cache.put_embed_model("ollama/m", 0, "ollama/m/3-1", 3).unwrap();
    let large = cache.put_embed_model("ollama/m", 0, "ollama/m/4-1", 4).unwrap();
    assert_ne!(small.id, large.id);
    assert_eq!(cache.embed_model("ollama/m", 0), Some(large));
    assert_eq!(cache.embed_model("ollama/m", 3), None, "nobody asked for three values");
    assert_eq!(cache.put_embed_model("ollama/m", 0, "ollama/m/3-1", 3), Some(small.clone()));
    assert_eq!(cache.embed_model("ollama/m", 0), Some(small));
}

#[test]
fn texts_of_files_come_back_in_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let mut cache = Cache::open(&directory.path().join("cache.db"));
    let texts = vec![hash("b"), hash("a"), hash("b")];
    cache.put_embed_texts(&[(hash("file"), texts.clone())], 1);
    assert_eq!(cache.embed_texts(&hash("file")), Some(texts));
    assert_eq!(cache.embed_texts(&hash("other")), None);
}

#[test]
fn what_no_file_says_any_more_goes_after_its_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut cache = Cache::open(&directory.path().join("cache.db"));
    let model = cache.put_embed_model("ollama/m", 0, "m", 1).unwrap().id;
    cache.put_embed_texts(&[(hash("used"), vec![hash("a")]), (hash("gone"), vec![hash("a"), hash("b")])], 5);
    assert!(cache.put_embedded(
        model,
        &[(hash("a"), vec![1]), (hash("b"), vec![2]), (hash("c"), vec![3])],
        5
    ));
    assert!(cache.put_embedded(model, &[(hash("young"), vec![4])], 9));
    let used = |file: &ContentHash| *file == hash("used");
    assert_eq!(cache.prune_embedded(5, false, used), 0, "all of it is too young");
    assert_eq!(cache.prune_embedded(6, true, used), 2);
    assert_eq!(cache.embedded(model).len(), 4, "they were only counted");
    assert_eq!(cache.prune_embedded(6, false, used), 2);
    assert_eq!(cache.embedded(model), HashSet::from([hash("a"), hash("young")]));
    assert_eq!((cache.embed_texts(&hash("gone")), cache.prune_embedded(6, false, used)), (None, 0));
}

#[test]
fn a_cache_of_before_gets_what_it_lacks_and_keeps_what_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let (key, facts) = (CacheKey::new(hash("x"), 7), encode_outline(&outline("class A")));
    let facts = CachedFacts { outline: facts.clone(), flow: facts };
    Cache::open(&path).put_many([(key, &facts)], 1);
    let db = rusqlite::Connection::open(&path).unwrap();
    db.execute_batch("DROP TABLE embed_model; DROP TABLE embed_file; DROP TABLE embed_text").unwrap();
    drop(db);
    let mut cache = Cache::open(&path);
    let model = cache.put_embed_model("ollama/m", 0, "m", 1).unwrap().id;
    assert!(cache.put_embedded(model, &[(hash("a"), vec![1])], 1));
    assert_eq!(cache.get(&key), Some(facts));
    assert_eq!(cache.state(), &CacheState::Ready);
}

#[test]
fn who_cannot_keep_a_vector_says_so() {
    let mut off = Cache::off();
    assert_eq!(off.put_embed_model("ollama/m", 0, "m", 1), None);
    assert!(!off.put_embedded(1, &[(hash("a"), vec![1])], 1));
}
