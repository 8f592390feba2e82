//! `explain` in words: by the user's own model, only with consent, and only what the evidence supports.

use crate::fake_embedding_server::read_request;
use crate::sandbox::{Sandbox, text};
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const KEY: &str = "sk-88bb-never-to-be-seen";

/// A server with the chat protocol of `OpenAI` that always writes the same text, and records what it receives.
struct Model {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Model {
    fn writes(status: u16, written: &'static str) -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(&stream, &shared, status, written);
            }
        });
        Self { port, seen }
    }

    fn settings(&self, host: &str) -> String {
        let port = self.port;
        format!("[explain]\nprovider = 'openai-compatible'\nmodel = 'm'\nurl = 'http://{host}:{port}'\n")
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("nobody panicked").clone()
    }
}

fn answer(mut stream: &TcpStream, seen: &Mutex<Vec<String>>, status: u16, written: &str) {
    let Some((head, body)) = read_request(&mut BufReader::new(stream)) else { return };
    seen.lock().expect("nobody panicked").push(head + &text(&body));
    let body = serde_json::json!({ "choices": [{ "message": { "role": "assistant", "content": written } }] });
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// The path of the user's settings.
const USER_FILE: &str = "../home/.config/orient/config.toml";

const WRITTEN: &str = "# Overview\n\nThe program starts in `main` [cmd/main.go:5]. It is written with great care. \
It stores everything in Redis [cache/redis.go:7]. Then `Serve` loads the data [api/server.go:5, nowhere.go:1].";

fn shop() -> Sandbox {
    Sandbox::new(&[
        ("go.mod", "module shop\n"),
        ("cmd/main.go", "package main\n\nimport \"shop/api\"\n\nfunc main() { api.Serve() }\n"),
        ("api/server.go", "package api\n\nimport \"shop/store\"\n\nfunc Serve() { store.Load() }\n"),
        (
            "store/store.go",
            "package store\n\n// Load reads with ghp_Zx81kQpL0vTn5RwYb3CdEf7GhJ2MsUa9WoXi.\nfunc Load() { println(\"inside of a body\") }\n",
        ),
    ])
}

#[test]
fn a_model_of_the_user_writes_with_consent_and_unproven_claims_are_dropped() {
    let (model, tree) = (Model::writes(200, WRITTEN), shop());
    let plain = text(&tree.run(&["explain"]).stdout);
    tree.write(USER_FILE, model.settings("0.0.0.0"));
    let refused = tree.run(&["explain"]);
    assert_eq!(text(&refused.stdout), plain, "without consent, the answer without a model");
    assert!(
        text(&refused.stderr).contains("nothing was sent: openai-compatible at http://0.0.0.0:"),
        "{}",
        text(&refused.stderr)
    );
    assert_eq!(model.seen(), [""; 0]);
    let allowed = text(&tree.run(&["explain", "--allow"]).stdout);
    assert!(
        allowed.contains("may be sent to openai-compatible at http://0.0.0.0:")
            && allowed.contains("signatures"),
        "{allowed}"
    );
    let run = tree
        .command(&["explain"])
        .env("OPENAI_COMPATIBLE_API_KEY", KEY)
        .output()
        .expect("the command starts");
    let said = text(&run.stdout);
    let words =
        "The program starts in `main` [cmd/main.go:5].\nThen `Serve` loads the data [api/server.go:5].\n";
    assert!(said.contains(words) && said.contains("layers, the highest first"), "{said}");
    assert!(!said.contains("Redis") && !said.contains("great care") && !said.contains("nowhere"), "{said}");
    assert!(
        text(&run.stderr).contains("in words by openai-compatible at http://0.0.0.0:")
            && text(&run.stderr).contains("2 claims without evidence dropped"),
        "{}",
        text(&run.stderr)
    );
    let [sent] = &model.seen()[..] else { panic!("one request: {:?}", model.seen()) };
    assert!(sent.starts_with("POST /v1/chat/completions ") && sent.contains(KEY), "{sent}");
    assert!(
        sent.contains("store/store.go:4 function Load") && !sent.contains("inside of a body"),
        "no bodies: {sent}"
    );
    assert!(!sent.contains("ghp_Zx81kQpL0vTn5RwYb3CdEf7GhJ2MsUa9WoXi"), "credentials are redacted: {sent}");
    tree.run(&["explain", "--forget"]);
    assert_eq!(text(&tree.run(&["explain"]).stdout), plain);
    assert_eq!(model.seen().len(), 1);
}

#[test]
fn a_local_model_needs_no_consent_and_gets_no_key_and_a_failing_one_leaves_the_answer() {
    let (model, tree) = (Model::writes(200, WRITTEN), shop());
    let plain = text(&tree.run(&["explain"]).stdout);
    tree.write(USER_FILE, model.settings("127.0.0.1"));
    let run = tree
        .command(&["explain"])
        .env("OPENAI_COMPATIBLE_API_KEY", KEY)
        .output()
        .expect("the command starts");
    assert!(text(&run.stdout).contains("[cmd/main.go:5]."), "{}", text(&run.stdout));
    assert!(!model.seen()[0].contains(KEY), "{:?}", model.seen());
    assert_eq!(text(&tree.run(&["explain", "--no-model"]).stdout), plain);
    assert!(text(&tree.run(&["explain", "--format", "mermaid"]).stdout).starts_with("flowchart"));
    assert_eq!(model.seen().len(), 1);
    let broken = Model::writes(400, "no");
    tree.write(USER_FILE, broken.settings("127.0.0.1"));
    let run = tree.run(&["explain"]);
    assert_eq!(text(&run.stdout), plain);
    assert!(text(&run.stderr).contains("not put into words"), "{}", text(&run.stderr));
}

#[test]
fn a_repository_cannot_choose_the_model_that_explains_it() {
    let model = Model::writes(200, WRITTEN);
    let tree =
        Sandbox::new(&[("a.py", "def main(): pass\n"), (".orient.toml", &model.settings("127.0.0.1"))]);
    tree.run(&["explain"]);
    assert_eq!(model.seen(), [""; 0]);
}
