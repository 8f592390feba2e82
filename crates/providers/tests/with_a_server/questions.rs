//! Questions to a provider: quickly answered or not at all, and never without a yes.

use crate::server::{Act, Calm, KEY, Request, Server, items, lists, settings, vector};
use orient_embed::TextEmbedding;
use orient_providers::{Plan, ProviderError, Purpose, QueryClient, Runtime, allow, forget};
use orient_settings::Embed;
use std::sync::Arc;
use std::time::Duration;

const QUESTION: &str = "where are retries handled";

fn plan(settings: &Embed) -> Plan {
    Plan::from_settings(settings).expect("sound").expect("a provider")
}

#[test]
fn queries_share_one_connection() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(lists, 4, []);
    let plan = plan(&settings("ollama", &server.url));
    let questions = QueryClient::new(Arc::new(Calm::default()));
    for _ in 0..3 {
        let (model, sum) =
            questions.embed_query(&plan, directory.path(), &|_| None, 4, QUESTION).expect("it answers");
        assert_eq!(
            (model.name.as_str(), sum),
            ("ollama/m/4", TextEmbedding::from_floats(&vector(QUESTION, 4)))
        );
    }
    let texts: Vec<_> = server.seen().iter().map(Request::texts).collect();
    assert_eq!(texts, vec![vec![QUESTION.to_owned()]; 3], "the question and nothing else");
}

#[test]
fn failure_opens_the_circuit_breaker() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(lists, 4, vec![Act::Say(503, vec![], "{\"error\":\"loading\"}".into()); 2]);
    let plan = plan(&settings("ollama", &server.url));
    let runtime = Arc::new(Calm::default());
    let questions = QueryClient::new(runtime.clone());
    let ask = || questions.embed_query(&plan, directory.path(), &|_| None, 4, QUESTION);
    let error = ask().expect_err("it is loading").to_string();
    assert_eq!(error, "Ollama is not available: status 503: loading (tried 2 times)");
    let error = ask().expect_err("it rests").to_string();
    assert!(error.ends_with("loading (tried 2 times); not tried again for a moment"), "{error}");
    assert_eq!(server.seen().len(), 2, "nothing was sent the second time");
    runtime.sleep(Duration::from_secs(31));
    ask().expect("it answers by now");
}

#[test]
fn no_connection_without_consent() {
    let directory = tempfile::tempdir().expect("a directory");
    // Not an address of this machine, as far as it looks, and yet ours to listen on.
    let server = Server::elsewhere(items, 4);
    let plan = plan(&settings("openai", &server.url));
    let questions = QueryClient::new(Arc::new(Calm::default()));
    let ask = || questions.embed_query(&plan, directory.path(), &|_| Some(KEY.to_owned()), 4, QUESTION);
    assert!(matches!(ask(), Err(ProviderError::NotAllowed { .. })));
    assert_eq!(server.connections(), 0);
    allow(directory.path(), Purpose::Embedding, &plan.terms()).expect("kept");
    ask().expect("allowed");
    assert_eq!((server.connections(), server.seen().len()), (1, 1));
    forget(directory.path(), Purpose::Embedding).expect("taken back");
    assert!(matches!(ask(), Err(ProviderError::NotAllowed { .. })), "although the connection is still open");
    assert_eq!((server.connections(), server.seen().len()), (1, 1));
}

#[test]
fn key_is_sent_only_with_consent() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(items, 4, []);
    let plan = plan(&settings("vllm", &server.url));
    let questions = QueryClient::new(Arc::new(Calm::default()));
    let ask =
        || questions.embed_query(&plan, directory.path(), &|_| Some(KEY.to_owned()), 4, QUESTION).map(drop);
    ask().expect("this machine needs no yes");
    allow(directory.path(), Purpose::Embedding, &plan.terms()).expect("kept");
    ask().expect("it answers");
    let keys: Vec<bool> =
        server.seen().iter().map(|request| request.header("authorization").is_some()).collect();
    assert_eq!(keys, [false, true]);
}

#[test]
fn dimension_mismatch_is_an_error() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::new(lists, 5, []);
    let plan = plan(&settings("ollama", &server.url));
    let questions = QueryClient::new(Arc::new(Calm::default()));
    let error =
        questions.embed_query(&plan, directory.path(), &|_| None, 4, QUESTION).expect_err("five").to_string();
    assert_eq!(error, "Ollama sent an invalid response: a vector of 5 values instead of 4");
}
