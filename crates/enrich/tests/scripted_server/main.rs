//! A language server for tests: it does what its first argument says, well or badly. A definition is said to be in the same file, on line 0, at the
//! character that was asked about.

use orient_enrich::{Incoming, read_message};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufReader, Stdin, Write};
use std::process::exit;
use std::time::Duration;

struct Script {
    behaviour: String,
    /// A file that the test reads.
    record: String,
    answered: u32,
    input: BufReader<Stdin>,
    /// Messages that arrived while a reply was awaited.
    early: VecDeque<Incoming>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let behaviour = arguments.next().unwrap_or_default();
    let record = arguments.next().unwrap_or_default();
    if behaviour == "garbage" {
        let _ = std::io::stdout().write_all(b"Welcome to the server!\nIt speaks prose.\n\n");
        sleep_forever();
    }
    if behaviour == "fails" {
        let _ = std::io::stderr().write_all(b"no project here\n");
        exit(1);
    }
    let mut script = Script {
        behaviour,
        record,
        answered: 0,
        input: BufReader::new(std::io::stdin()),
        early: VecDeque::new(),
    };
    while let Some(message) = script.early.pop_front().or_else(|| script.read()) {
        script.handle(message);
    }
}

impl Script {
    fn is(&self, behaviour: &str) -> bool {
        self.behaviour == behaviour
    }

    fn read(&mut self) -> Option<Incoming> {
        let body = read_message(&mut self.input).ok()??;
        Some(Incoming::parse(&body).expect("the client sends messages"))
    }

    fn handle(&mut self, message: Incoming) {
        match message {
            Incoming::Request { id, method, params } => match method.as_str() {
                "initialize" => self.initialize(&id),
                "shutdown" => send(&json!({ "jsonrpc": "2.0", "id": id, "result": null })),
                _ => self.answer(&id, &method, &params),
            },
            Incoming::Notification { method, params } => self.notice(&method, &params),
            Incoming::Response { .. } => {}
        }
    }

    fn initialize(&mut self, id: &Value) {
        match self.behaviour.as_str() {
            "mute" => sleep_forever(),
            "huge" => {
                let _ = std::io::stdout().write_all(b"Content-Length: 99999999999\r\n\r\n{}");
                sleep_forever();
            }
            _ => {}
        }
        let provides = if self.is("useless") { json!({}) } else { json!({ "definitionProvider": true }) };
        let version = if self.is("newer") { "9.9.9" } else { "1.2.3" };
        let result =
            json!({ "capabilities": provides, "serverInfo": { "name": "scripted", "version": version } });
        send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        if self.is("asks") {
            self.ask_client();
        }
    }

    /// Asks the client for settings and for an edit; ends if the client edits.
    fn ask_client(&mut self) {
        let edit = json!({ "edit": { "changes": {} } });
        for (id, method, params) in [
            (100, "workspace/configuration", json!({ "items": [{}, {}] })),
            (101, "workspace/applyEdit", edit),
            (102, "client/registerCapability", json!({})),
            (103, "some/unknownMethod", json!({})),
        ] {
            send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
            let result = loop {
                match self.read().expect("the client replies") {
                    Incoming::Response { id: answered, result } if answered == id => break result,
                    other => self.early.push_back(other),
                }
            };
            let is_right = match id {
                100 => result == Ok(json!([null, null])),
                101 => result.is_ok_and(|result| result["applied"] == false),
                102 => result == Ok(Value::Null),
                _ => result.is_err_and(|(code, _)| code == -32601),
            };
            assert!(is_right, "{method}");
        }
    }

    fn notice(&mut self, method: &str, params: &Value) {
        match (method, self.behaviour.as_str()) {
            ("exit", _) => exit(0),
            ("textDocument/didOpen", "dies") => exit(7),
            ("textDocument/didOpen", "dies-once") if !std::path::Path::new(&self.record).exists() => {
                std::fs::write(&self.record, "died").expect("recorded");
                exit(7);
            }
            ("textDocument/didOpen", "stubborn") => sleep_forever(),
            ("textDocument/didOpen", "eats") => {
                let eaten = vec![1_u8; 400 << 20];
                std::thread::sleep(Duration::from_mins(1));
                assert_eq!(eaten[eaten.len() / 2], 1);
            }
            ("$/cancelRequest", _) => {
                let known = std::fs::read_to_string(&self.record).unwrap_or_default();
                std::fs::write(&self.record, format!("{known}{} ", params["id"])).expect("recorded");
            }
            _ => {}
        }
    }

    fn answer(&mut self, id: &Value, method: &str, params: &Value) {
        self.answered += 1;
        let mut target = json!({ "line": 0, "character": params["position"]["character"] });
        let mut uri = params["textDocument"]["uri"].clone();
        match self.behaviour.as_str() {
            "silent" => return,
            "knows-nothing" => return send(&json!({ "jsonrpc": "2.0", "id": id, "result": [] })),
            "modified" if self.answered == 1 => {
                let error = json!({ "code": -32801, "message": "content modified" });
                return send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
            "declines" => {
                let error = json!({ "code": -32603, "message": "internal\nerror" });
                return send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
            "noisy" => {
                for number in 0..2000 {
                    let params = json!({ "type": 3, "message": "x".repeat(200) });
                    send(&json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": params }));
                    send(
                        &json!({ "jsonrpc": "2.0", "id": number, "method": "workspace/configuration", "params": { "items": [] } }),
                    );
                }
            }
            "environment" => {
                let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
                let here = std::env::current_dir().expect("a directory");
                std::fs::write(&self.record, format!("{}\n{}", here.display(), names.join(" ")))
                    .expect("recorded");
            }
            "child" => {
                #[expect(clippy::zombie_processes, reason = "the test looks for what is left running")]
                let child = std::process::Command::new("sleep").arg("1000").spawn().expect("started");
                target["character"] = json!(child.id());
            }
            "elsewhere" => uri = json!("file:///etc/../etc/passwd"),
            _ => {}
        }
        assert!(method.starts_with("textDocument/"), "{method}");
        let result = json!([{ "uri": uri, "range": { "start": target, "end": target } }]);
        send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }
}

fn send(message: &Value) {
    let body = message.to_string();
    let mut out = std::io::stdout().lock();
    // The client may be gone.
    let _ = write!(out, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| out.flush());
}

fn sleep_forever() -> ! {
    loop {
        std::thread::sleep(Duration::from_mins(1));
    }
}
