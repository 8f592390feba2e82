//! Questions to a provider: quickly answered or not at all, and never without a yes.

use crate::server::{Act, Calm, KEY, Request, Server, items, lists, settings, vector};
use orient_embed::TextEmbedding;
use orient_providers::{Plan, ProviderError, Questions, World, allow, forget};
use orient_settings::Embed;
use std::sync::Arc;
use std::time::Duration;

const QUESTION: &str = "where are retries handled";

fn plan(settings: &Embed) -> Plan {
    Plan::of(settings).expect("sound").expect("a provider")
}

#[test]
fn a_question_becomes_a_vector_over_one_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::new(lists, 4, []);
    let plan = plan(&settings("ollama", &server.url));
    let questions = Questions::new(Arc::new(Calm::default()));
    for _ in 0..3 {
        let (model, sum) = questions.ask(&plan, folder.path(), &|_| None, 4, QUESTION).expect("it answers");
        assert_eq!(
            (model.name.as_str(), sum),
            ("ollama/m/4", TextEmbedding::from_floats(&vector(QUESTION, 4)))
        );
    }
    let texts: Vec<_> = server.seen().iter().map(Request::texts).collect();
    assert_eq!(texts, vec![vec![QUESTION.to_owned()]; 3], "the question and nothing else");
}

#[test]
fn after_a_failure_the_provider_is_left_alone_for_a_while() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::new(lists, 4, vec![Act::Say(503, vec![], "{\"error\":\"loading\"}".into()); 2]);
    let plan = plan(&settings("ollama", &server.url));
    let world = Arc::new(Calm::default());
    let questions = Questions::new(world.clone());
    let ask = || questions.ask(&plan, folder.path(), &|_| None, 4, QUESTION);
    let error = ask().expect_err("it is loading").to_string();
    assert_eq!(error, "Ollama is not available: status 503: loading (tried 2 times)");
    let error = ask().expect_err("it rests").to_string();
    assert!(error.ends_with("loading (tried 2 times); it is left alone for a moment"), "{error}");
    assert_eq!(server.seen().len(), 2, "nothing was sent the second time");
    world.sleep(Duration::from_secs(31));
    ask().expect("it answers by now");
}

#[test]
fn no_connection_is_opened_without_a_yes_nor_after_it_was_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    // Not an address of this machine, as far as it looks, and yet ours to listen on.
    let server = Server::elsewhere(items, 4);
    let plan = plan(&settings("openai", &server.url));
    let questions = Questions::new(Arc::new(Calm::default()));
    let ask = || questions.ask(&plan, folder.path(), &|_| Some(KEY.to_owned()), 4, QUESTION);
    assert!(matches!(ask(), Err(ProviderError::NotAllowed { .. })));
    assert_eq!(server.connections(), 0);
    allow(folder.path(), &plan.terms()).expect("kept");
    ask().expect("allowed");
    assert_eq!((server.connections(), server.seen().len()), (1, 1));
    forget(folder.path()).expect("taken back");
    assert!(matches!(ask(), Err(ProviderError::NotAllowed { .. })), "although the connection is still open");
    assert_eq!((server.connections(), server.seen().len()), (1, 1));
}

#[test]
fn a_key_goes_along_once_it_may() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::new(items, 4, []);
    let plan = plan(&settings("vllm", &server.url));
    let questions = Questions::new(Arc::new(Calm::default()));
    let ask = || questions.ask(&plan, folder.path(), &|_| Some(KEY.to_owned()), 4, QUESTION).map(drop);
    ask().expect("this machine needs no yes");
    allow(folder.path(), &plan.terms()).expect("kept");
    ask().expect("it answers");
    let keys: Vec<bool> =
        server.seen().iter().map(|request| request.header("authorization").is_some()).collect();
    assert_eq!(keys, [false, true]);
}

#[test]
fn another_dimension_than_what_is_kept_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::new(lists, 5, []);
    let plan = plan(&settings("ollama", &server.url));
    let questions = Questions::new(Arc::new(Calm::default()));
    let error = questions.ask(&plan, folder.path(), &|_| None, 4, QUESTION).expect_err("five").to_string();
    assert_eq!(error, "Ollama sent an invalid response: a vector of 5 values where 4 were expected");
}
