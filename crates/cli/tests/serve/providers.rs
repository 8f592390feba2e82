//! A server embeds new code with a provider in the background, and answers meanwhile.

use crate::fake_embedding_server::{Mood, Server};
use crate::sandbox::Sandbox;
use crate::stdio_client::{Stdio, ToolResult};
use serde_json::json;
use std::time::{Duration, Instant};

const QUESTION: &str = "pecuniary quantisation";
/// Generous timeout for a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

fn serving(url: &str) -> Stdio {
    let settings =
        [format!("embed.url={url}"), "embed.provider=ollama".to_owned(), "embed.model=m".to_owned()];
    let args: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    Stdio::with(Sandbox::new(), &args)
}

fn ask(server: &mut Stdio) -> ToolResult {
    server.call("search", &json!({ "query": QUESTION }))
}

/// Repeats a query until the answer contains a text.
#[track_caller]
fn ask_until(server: &mut Stdio, words: &str) -> ToolResult {
    let begun = Instant::now();
    loop {
        let said = ask(server);
        if said.text.contains(words) {
            return said;
        }
        assert!(begun.elapsed() < PATIENCE, "no `{words}`: {}", said.text);
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn code_is_embedded_in_the_background_and_changes_follow() {
    let model = Server::new();
    // The built-in model answers until the provider has embedded the code.
    model.mood(Mood::SilentAfter(1));
    let mut server = serving(&model.here());
    let said = ask(&mut server);
    assert!(said.text.contains("vectors: built-in model; 0 of "), "{}", said.text);
    let begun = Instant::now();
    while model.texts().len() < 2 {
        assert!(begun.elapsed() < PATIENCE, "it begins by itself");
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = ask(&mut server);
    assert!(said.text.contains("vectors: built-in model; 0 of "), "{}", said.text);
    drop(server);

    model.mood(Mood::Good);
    let mut server = serving(&model.here());
    ask_until(&mut server, "vectors: ollama/m");
    let before = model.texts().len();
    server.tree.write("shop/cart.py", "def total(items):\n    return sum(items) + 19\n");
    let begun = Instant::now();
    while !model.texts()[before..].iter().any(|text| text.contains("+ 19")) {
        assert!(begun.elapsed() < PATIENCE, "{:?}", &model.texts()[before..]);
        std::thread::sleep(Duration::from_millis(50));
    }
    let code = model.texts().split_off(before).into_iter().filter(|text| text.contains("def "));
    assert_eq!(code.count(), 1, "the rest was embedded before");
    ask_until(&mut server, "vectors: ollama/m");
}

#[test]
fn a_failing_provider_is_reported_and_skipped() {
    let model = Server::new();
    model.mood(Mood::Says(401, "{}"));
    let mut server = serving(&model.here());
    let said = ask_until(&mut server, "stopped for now: Ollama is not available: status 401");
    assert!(said.text.contains("vectors: built-in model; 0 of "), "{}", said.text);
    let before = model.connections();
    for _ in 0..5 {
        ask(&mut server);
    }
    assert_eq!(model.connections(), before);
}

#[test]
fn a_server_opens_no_connection_without_consent() {
    let model = Server::new();
    let mut server = serving(&model.elsewhere());
    let said = ask(&mut server);
    assert!(said.text.contains("vectors: built-in model; nothing was sent: ollama at "), "{}", said.text);
    // Longer than the background takes to start.
    std::thread::sleep(Duration::from_secs(5));
    ask(&mut server);
    assert_eq!(model.connections(), 0);
}
