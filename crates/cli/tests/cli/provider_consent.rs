//! Embedding providers: chosen by settings, used only with consent, and never sent another provider's key.

use crate::fake_embedding_server::read_request;
use crate::sandbox::{Sandbox, holds, text};
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Mutex};

const KEY: &str = "sk-77aa-never-to-be-seen";

/// A server with the protocol of `OpenAI` and three-dimensional vectors, which records what it receives.
struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(&stream, &shared);
            }
        });
        Self { port, seen }
    }

    /// A URL that does not look local.
    fn elsewhere(&self) -> String {
        format!("http://0.0.0.0:{}", self.port)
    }

    fn here(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("nobody panicked").clone()
    }
}

fn serve(mut stream: &TcpStream, seen: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    while let Some((head, body)) = read_request(&mut reader) {
        seen.lock().expect("nobody panicked").push(head + &text(&body));
        let answer = r#"{"data":[{"index":0,"embedding":[0.5,-1,0.25]}]}"#;
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", answer.len());
        if stream.write_all(format!("{head}{answer}").as_bytes()).is_err() {
            return;
        }
    }
}

fn chosen(provider: &str, url: &str) -> String {
    format!("[embed]\nprovider = '{provider}'\nmodel = 'm'\nurl = '{url}'\n")
}

/// Runs the command with a key in the environment.
fn with_key(tree: &Sandbox, args: &[&str]) -> Output {
    tree.command(args).env("OPENAI_API_KEY", KEY).output().expect("the command starts")
}

#[test]
fn the_built_in_model_is_the_default_and_sends_nothing() {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n")]);
    tree.assert_output(
        &["embed"],
        "
        provider    built-in
        model       orient-embed-1
        dimensions  256
        ",
    );
    let answer = tree.json(&["embed", "test", "--json"]);
    assert_eq!(answer["data"]["provider"], "built-in");
    assert!(answer["data"]["test"]["next_ms"].is_u64(), "{answer}");
    tree.assert_outcome(
        &["embed", "allow"],
        2,
        "
        error: nothing to allow: the built-in model sends no code
        help:  choose a provider first, for example with `provider = \"ollama\"` under [embed] in the settings
        ",
    );
}

/// The path of the user's settings.
const USER_FILE: &str = "../home/.config/orient/config.toml";

#[test]
fn a_repository_cannot_choose_a_provider() {
    let server = Server::new();
    for url in [server.elsewhere(), server.here()] {
        let tree = Sandbox::new(&[("a.py", "x = 1\n"), (".orient.toml", &chosen("openai", &url))]);
        for action in ["status", "test", "run"] {
            with_key(&tree, &["embed", action]);
        }
        let output = with_key(&tree, &["embed", "status"]);
        assert!(text(&output.stdout).starts_with("provider    built-in"), "{}", text(&output.stdout));
        let said = text(&output.stderr);
        assert!(said.contains("embed.model, embed.provider and 1 more are ignored in "), "{said}");
        assert_eq!(with_key(&tree, &["embed", "allow"]).status.code(), Some(2), "there is nothing to allow");
    }
    assert!(server.seen().is_empty());
}

#[test]
fn a_yes_that_came_with_a_repository_does_not_count() {
    let server = Server::new();
    let tree = Sandbox::new(&[("a.py", "x = 1\n")]);
    tree.write(USER_FILE, chosen("openai", &server.elsewhere()));
    // The user's store is inside the repository, whose author may have created one before.
    let run = |args: &[&str]| {
        let mut command = tree.command(args);
        command.env("ORIENT_STORE", tree.root().join(".store")).env("OPENAI_API_KEY", KEY);
        command.output().expect("the command starts")
    };
    let status: serde_json::Value =
        serde_json::from_slice(&run(&["status", "--json"]).stdout).expect("an answer");
    let directory = status["data"]["store"].as_str().expect("a path");
    assert!(directory.starts_with(&tree.root().display().to_string()), "{directory}");
    let url = format!("{}/v1/embeddings", server.elsewhere());
    let yes = format!("provider = 'openai'\nurl = '{url}'\nmodel = 'm'\n");
    std::fs::write(format!("{directory}/embed-allowed.toml"), yes).expect("written");
    let output = run(&["embed", "test"]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        text(&output.stderr),
        format!(
            "error: nothing was sent: openai at {url} with m has not been allowed for this project\n\
             help:  `orient embed allow` allows it for this project; `orient embed forget` revokes it\n"
        )
    );
    assert!(server.seen().is_empty());
    assert_eq!(run(&["embed", "allow"]).status.code(), Some(0));
    assert_eq!(run(&["embed", "test"]).status.code(), Some(0));
    assert!(!server.seen().is_empty());
}

#[test]
fn a_yes_holds_until_something_changes_or_it_is_taken_back() {
    let server = Server::new();
    let tree = Sandbox::new(&[("a.py", "x = 1\n"), (USER_FILE, &chosen("openai", &server.elsewhere()))]);
    let output = with_key(&tree, &["embed", "allow"]);
    let said = text(&output.stdout).replace(&server.port.to_string(), "PORT");
    assert_eq!(
        said,
        "\
allowed for this project: code may be sent to http://0.0.0.0:PORT/v1/embeddings
provider    openai
model       m
dimensions  unknown before the first response
url         http://0.0.0.0:PORT/v1/embeddings
key         OPENAI_API_KEY: set
consent     given
limits      256 texts per request, 4 concurrent requests, timeout 60 s
fallback    orient-embed-1
not encrypted: others on the network can read the code and the key
"
    );
    assert!(server.seen().is_empty(), "a yes is no request");
    let output = with_key(&tree, &["embed", "test", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an answer");
    assert_eq!(answer["data"]["dimensions"], 3, "{answer}");
    assert!(answer["data"]["test"]["first_ms"].is_u64(), "{answer}");
    assert!(server.seen().iter().all(|request| !request.contains("x = 1")), "a test sends no code");
    let before = server.seen().len();
    tree.write(USER_FILE, chosen("openai", &server.elsewhere()).replace("'m'", "'n'"));
    assert_eq!(with_key(&tree, &["embed", "test"]).status.code(), Some(4));
    let status = text(&with_key(&tree, &["embed", "status"]).stdout);
    assert!(status.contains("consent     missing (given for openai at http://0.0.0.0:"), "{status}");
    tree.write(USER_FILE, chosen("openai", &server.elsewhere()));
    assert_eq!(with_key(&tree, &["embed", "test"]).status.code(), Some(0));
    assert!(
        text(&with_key(&tree, &["embed", "forget"]).stdout)
            .starts_with("consent revoked: no code will be sent")
    );
    assert_eq!(with_key(&tree, &["embed", "test"]).status.code(), Some(4));
    assert!(server.seen().len() > before);
}

#[test]
fn a_provider_on_this_machine_needs_no_yes_and_gets_no_key() {
    let server = Server::new();
    let tree = Sandbox::new(&[("a.py", "x = 1\n"), (USER_FILE, &chosen("openai", &server.here()))]);
    let status = text(&with_key(&tree, &["embed", "status"]).stdout);
    assert!(status.contains("consent     not needed: nothing leaves this machine"), "{status}");
    // A proxy would redirect it.
    let mut command = tree.command(&["embed", "test"]);
    let output = command
        .env("OPENAI_API_KEY", KEY)
        .env("http_proxy", "http://192.0.2.1:9")
        .env("ALL_PROXY", "http://192.0.2.1:9");
    assert_eq!(output.output().expect("the command starts").status.code(), Some(0));
    let requests = server.seen();
    assert!(!requests.is_empty() && requests.iter().all(|request| !request.contains(KEY)));
    with_key(&tree, &["embed", "allow"]);
    with_key(&tree, &["embed", "test"]);
    assert!(server.seen().last().expect("a request").contains(KEY), "with a yes it does");
}

#[test]
fn no_key_is_printed_or_kept() {
    let server = Server::new();
    let tree = Sandbox::new(&[("a.py", "x = 1\n"), (USER_FILE, &chosen("openai", &server.elsewhere()))]);
    let mut said = Vec::new();
    for action in ["status", "test", "allow", "status", "test", "forget"] {
        for form in [&["embed", action][..], &["embed", action, "--json"]] {
            let output = with_key(&tree, form);
            said.extend([output.stdout, output.stderr].concat());
        }
    }
    for other in [&["config"][..], &["config", "--json"], &["status"], &["dump"]] {
        let output = with_key(&tree, other);
        said.extend([output.stdout, output.stderr].concat());
    }
    assert!(server.seen().iter().any(|request| request.contains(KEY)), "it was used");
    let part = &KEY.as_bytes()[3..12];
    assert!(!holds(&said, part), "{}", text(&said));
    Sandbox::assert_nowhere(tree.store(), part);
}

#[test]
fn wrong_settings_and_silent_providers_say_what_to_do() {
    let tree = Sandbox::new(&[("a.py", "x = 1\n")]);
    tree.assert_outcome(
        &["embed", "--set", "embed.provider=olama"],
        2,
        "
        error: unknown provider `olama`; did you mean `ollama`?
        ",
    );
    let free = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a port");
    let url = format!("embed.url=http://{free}");
    let output = tree.run(&["embed", "test", "--set", "embed.provider=ollama", "--set", &url]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.starts_with("error: Ollama is not available: the connection to 127.0.0.1 failed"), "{said}");
    assert!(said.contains("until it responds, the built-in model is used"), "{said}");
}
