//! Each provider as it is spoken to: what it is sent, and what its answers become.

use crate::server::{KEY, Server, Shape, connect, items, items_turned, lists, settings, typed, vector};
use orient_embed::{Embedder, Role, TextEmbedding};
use orient_providers::KINDS;
use std::sync::Arc;

/// Where each provider of the table is spoken to, and how it answers.
fn manner(provider: &str) -> (&'static str, Shape) {
    match provider {
        "ollama" => ("/api/embed", lists),
        "nomic" => ("/v1/embedding/text", lists),
        "cohere" => ("/v2/embed", typed),
        "voyage" => ("/v1/embeddings", items_turned),
        _ => ("/v1/embeddings", items),
    }
}

fn sums(texts: &[&str], dimension: usize) -> Vec<TextEmbedding> {
    texts.iter().map(|text| TextEmbedding::from_floats(&vector(text, dimension))).collect()
}

#[test]
fn every_provider_returns_one_vector_per_text_in_order() {
    let directory = tempfile::tempdir().expect("a directory");
    for kind in KINDS {
        let (path, shape) = manner(kind.name);
        let server = Server::new(shape, 8, []);
        let provider = connect(&settings(kind.name, &server.url), directory.path(), None, &Arc::default());
        let provider = provider.unwrap_or_else(|error| panic!("{}: {error}", kind.name));
        assert_eq!(provider.dimension(), 8, "{}", kind.name);
        assert_eq!(provider.model().to_string(), format!("{}/m/8-1", kind.name));
        let texts = ["fn one()", "fn two()", "größe"];
        assert_eq!(provider.embed(&texts, Role::Passage), Ok(sums(&texts, 8)), "{}", kind.name);
        let seen = server.seen();
        assert_eq!(seen.len(), 2, "one to learn the dimension, one for all texts");
        assert_eq!(seen[1].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert_eq!((seen[1].path.as_str(), &seen[1].body["model"]), (path, &"m".into()));
    }
}

#[test]
fn queries_and_passages_are_distinguished_if_supported() {
    let directory = tempfile::tempdir().expect("a directory");
    let expected = [
        ("voyage", "input_type", "query", "document"),
        ("nomic", "task_type", "search_query", "search_document"),
        ("cohere", "input_type", "search_query", "search_document"),
    ];
    for (name, field, query, passage) in expected {
        let server = Server::new(manner(name).1, 4, []);
        let provider = connect(&settings(name, &server.url), directory.path(), Some(4), &Arc::default());
        let provider = provider.unwrap_or_else(|error| panic!("{name}: {error}"));
        provider.embed(&["a"], Role::Query).expect("it answers");
        provider.embed(&["a"], Role::Passage).expect("it answers");
        let said: Vec<_> = server.seen().iter().map(|request| request.body[field].clone()).collect();
        assert_eq!(said, [query, passage], "{name}");
    }
}

#[test]
fn prompt_prefix_is_sent() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(lists, 4, []);
    let mut chosen = settings("ollama", &server.url);
    chosen.model = None;
    let provider = connect(&chosen, directory.path(), Some(4), &Arc::default()).expect("connected");
    provider.embed(&["fn one()"], Role::Passage).expect("it answers");
    provider.embed(&["where is one"], Role::Query).expect("it answers");
    let texts: Vec<_> = server.seen().iter().flat_map(crate::server::Request::texts).collect();
    assert_eq!(texts, ["search_document: fn one()", "search_query: where is one"]);
}

#[test]
fn requests_respect_limits_and_skip_blank_texts() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(items, 4, []);
    let chosen = orient_settings::Embed { batch: 2, ..settings("vllm", &server.url) };
    let provider = connect(&chosen, directory.path(), Some(4), &Arc::default()).expect("connected");
    let long = "x".repeat(70_000);
    let texts = ["a", " \n", "b", "c", &long, "d"];
    let vectors = provider.embed(&texts, Role::Passage).expect("it answers");
    assert_eq!(vectors[1], TextEmbedding::from_floats(&[0.0; 4]));
    assert_eq!(vectors[5], TextEmbedding::from_floats(&vector("d", 4)));
    let sent: Vec<Vec<usize>> =
        server.seen().iter().map(|request| request.texts().iter().map(String::len).collect()).collect();
    assert_eq!(sent, [vec![1, 1], vec![1], vec![70_000], vec![1]]);
}

#[test]
fn requested_dimension_is_enforced() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(items, 4, []);
    let chosen = orient_settings::Embed { dimensions: 4, ..settings("openai-compatible", &server.url) };
    let provider = connect(&chosen, directory.path(), None, &Arc::default()).expect("connected");
    assert!(server.seen().is_empty(), "nothing to find out");
    provider.embed(&["a"], Role::Passage).expect("it answers");
    assert_eq!(server.seen()[0].body["dimensions"], 4);
    let other = orient_settings::Embed { dimensions: 5, ..chosen };
    let provider = connect(&other, directory.path(), None, &Arc::default()).expect("connected");
    let error = provider.embed(&["a"], Role::Passage).expect_err("the server has four").to_string();
    assert!(error.ends_with("a vector of 4 values instead of 5"), "{error}");
}
