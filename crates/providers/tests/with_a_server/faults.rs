//! Providers as they are on a bad day. Whatever they do, there is an error that says so, and nothing is made up.

use crate::server::{Act, Calm, Server, connect, items, settings, vector};
use orient_embed::{EmbedError, Embedder, Role, TextEmbedding};
use orient_providers::Provider;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A provider whose server follows the script, in a runtime without waiting.
fn on_a_bad_day(script: Vec<Act>) -> (Server, Provider, Arc<Calm>) {
    let directory = tempfile::tempdir().expect("a directory");
    let (server, runtime) = (Server::new(items, 4, script), Arc::new(Calm::default()));
    let provider = connect(&settings("voyage", &server.url), directory.path(), Some(4), &runtime);
    (server, provider.expect("connected"), runtime)
}

fn say(status: u16, body: &str) -> Act {
    Act::Say(status, vec![], body.to_owned())
}

#[expect(clippy::unnecessary_wraps, reason = "what a provider's answers are compared with")]
fn good(text: &str) -> Result<Vec<TextEmbedding>, EmbedError> {
    Ok(vec![TextEmbedding::from_floats(&vector(text, 4))])
}

/// What is said of a passage, and how long was waited in all.
#[track_caller]
fn outcome(script: Vec<Act>) -> (Result<Vec<TextEmbedding>, EmbedError>, Vec<u128>, usize) {
    let (server, provider, runtime) = on_a_bad_day(script);
    let outcome = provider.embed(&["a"], Role::Passage);
    let slept = runtime.slept.lock().expect("one thread").iter().map(Duration::as_millis).collect();
    (outcome, slept, server.seen().len())
}

#[test]
fn rate_limited_request_is_retried_after_retry_after() {
    let limited = |headers| Act::Say(429, headers, "{\"error\":{\"message\":\"slow down\"}}".into());
    let (sums, slept, requests) = outcome(vec![limited(vec![("retry-after", "7".into())])]);
    assert_eq!((sums, slept, requests), (good("a"), vec![7000], 2));
    let (sums, slept, _) = outcome(vec![limited(vec![("retry-after-ms", "300".into())])]);
    assert_eq!((sums, slept), (good("a"), vec![300]));
    let (sums, slept, _) = outcome(vec![limited(vec![]), limited(vec![])]);
    // Besides our own pauses there is the pace of this provider: one request in 40 ms at most, long over by then.
    assert_eq!((sums, slept), (good("a"), vec![250, 500]));
}

#[test]
fn overlong_retry_after_is_an_error() {
    let day = Act::Say(429, vec![("retry-after", "86400".into())], "{\"detail\":\"quota used up\"}".into());
    let (sums, slept, _) = outcome(vec![day]);
    let error = sums.expect_err("nobody waits a day").to_string();
    assert_eq!(error, "Voyage is not available: status 429: quota used up; it asks to wait 86400 s");
    assert!(slept.is_empty());
}

#[test]
fn server_errors_are_retried_with_backoff() {
    let (sums, slept, requests) = outcome(vec![say(500, "oops"), say(502, ""), say(529, "overloaded")]);
    assert_eq!((sums, slept, requests), (good("a"), vec![250, 500, 1000], 4));
    let (sums, slept, requests) = outcome(vec![say(500, "oops"); 9]);
    let error = sums.expect_err("it never worked");
    assert_eq!(error.to_string(), "Voyage is not available: status 500: oops (tried 6 times)");
    assert_eq!((slept, requests), (vec![250, 500, 1000, 2000, 4000], 6));
}

#[test]
fn query_gives_up_early() {
    let (server, provider, _) = on_a_bad_day(vec![say(500, "oops"); 9]);
    provider.embed(&["a"], Role::Query).expect_err("it never worked");
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn permanent_errors_are_not_retried() {
    let refusals = [
        (say(401, "{}"), "the key in VOYAGE_API_KEY is not accepted"),
        (say(403, "{}"), "the key in VOYAGE_API_KEY is not accepted"),
        (say(404, "{}"), "the model `m` does not exist"),
        (say(400, "{\"error\":\"unknown field\"}"), "status 400: unknown field"),
        (say(200, "<html>hello</html>"), "unexpected JSON"),
        (say(200, "{\"data\":[]}"), "0 vectors for 1 texts"),
        (say(200, "{\"data\":[{\"embedding\":[1,2,3]}]}"), "a vector of 3 values instead of 4"),
        (say(200, "{\"data\":[{\"embedding\":[1,2,3,NaN]}]}"), "unexpected JSON"),
        (say(200, "{\"data\":[{\"embedding\":[1,2,3,1e39]}]}"), "number out of range"),
        (say(200, "{\"data\":[{\"embedding\":[1,2,3,4],\"index\":5}]}"), "a text that was not sent"),
        (Act::Endless, "the response is too large"),
    ];
    for (act, words) in refusals {
        let (sums, slept, requests) = outcome(vec![act.clone()]);
        let error = sums.expect_err(words).to_string();
        assert!(error.contains(words), "{act:?}: {error}");
        assert_eq!((slept, requests), (vec![], 1), "{act:?}");
    }
}

#[test]
fn missing_vectors_are_an_error() {
    let (_server, provider, _) =
        on_a_bad_day(vec![say(200, "{\"data\":[{\"index\":0,\"embedding\":[1,2,3,4]}]}")]);
    let error = provider.embed(&["a", "b"], Role::Passage).expect_err("one is missing").to_string();
    assert_eq!(error, "Voyage sent an invalid response: 1 vectors for 2 texts");
}

#[test]
fn broken_connection_is_retried() {
    for act in [Act::Cut, Act::HangUp] {
        let (sums, slept, requests) = outcome(vec![act.clone(), act.clone()]);
        assert_eq!((sums, slept, requests), (good("a"), vec![250, 500], 3), "{act:?}");
    }
}

#[test]
fn slow_server_times_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let slow = vec![Act::Slow(Duration::from_secs(3)); 2];
    let (server, runtime) = (Server::new(items, 4, slow), Arc::new(Calm::default()));
    let chosen = orient_settings::Embed { timeout: 1, ..settings("voyage", &server.url) };
    let provider = connect(&chosen, directory.path(), Some(4), &runtime).expect("connected");
    let begun = Instant::now();
    let error = provider.embed(&["a"], Role::Query).expect_err("it is too slow").to_string();
    assert_eq!(error, "Voyage is not available: no response within 1 s (tried 2 times)");
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
}

#[test]
fn unreachable_server_is_an_error() {
    let directory = tempfile::tempdir().expect("a directory");
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let (gone, runtime) = (format!("http://127.0.0.1:{port}"), Arc::default());
    let error =
        connect(&settings("ollama", &gone), directory.path(), None, &runtime).expect_err("nobody is there");
    let error = error.to_string();
    assert!(error.starts_with("Ollama is not available: the connection to 127.0.0.1 failed"), "{error}");
}

#[test]
fn oversized_request_is_halved_and_long_text_truncated() {
    let too_long = || say(400, "{\"error\":{\"message\":\"maximum context length is 8192 tokens\"}}");
    let (server, provider, _) = on_a_bad_day(vec![say(413, "")]);
    let texts = ["a", "b", "c", "d"];
    let sums: Vec<TextEmbedding> =
        texts.iter().map(|text| TextEmbedding::from_floats(&vector(text, 4))).collect();
    assert_eq!(provider.embed(&texts, Role::Passage), Ok(sums));
    let sent: Vec<usize> = server.seen().iter().map(|request| request.texts().len()).collect();
    assert_eq!(sent, [4, 2, 2]);
    let (server, provider, _) = on_a_bad_day(vec![too_long(), too_long()]);
    let long = "ö".repeat(4_000);
    provider.embed(&[&long], Role::Passage).expect("a quarter of it fits");
    let sent: Vec<usize> = server.seen().iter().map(|request| request.texts()[0].len()).collect();
    assert_eq!(sent, [8000, 4000, 2000]);
    let (server, provider, _) = on_a_bad_day(vec![too_long(); 40]);
    provider.embed(&["short"], Role::Passage).expect_err("there is nothing left to cut");
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn redirects_are_not_followed() {
    let elsewhere = Server::new(items, 4, []);
    for status in [301, 302, 303, 307, 308] {
        let location = vec![("location", format!("{}/v1/embeddings", elsewhere.url))];
        let (server, provider, _) = on_a_bad_day(vec![Act::Say(status, location, String::new())]);
        let error = provider.embed(&["a"], Role::Passage).expect_err("it is not followed").to_string();
        assert!(error.contains("redirects are not followed"), "{error}");
        assert_eq!(server.seen().len(), 1);
    }
    assert!(elsewhere.seen().is_empty(), "{:?}", elsewhere.seen());
}

#[test]
fn cancellation_ends_a_request() {
    let (server, provider, runtime) = on_a_bad_day(vec![]);
    runtime.stopped.store(true, Ordering::SeqCst);
    let error = provider.embed(&["a"], Role::Passage).expect_err("stopped").to_string();
    assert_eq!(error, "Voyage is not available: stopped");
    assert!(server.seen().is_empty());
}
