//! Many concurrent clients while files change: no error, and every answer equals that of a new index.

use crate::http_client::HttpServer;
use crate::sandbox::Sandbox;
use crate::stdio_client::metadata;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;
const LASTS: Duration = Duration::from_secs(4);
const CALM: Duration = Duration::from_millis(150);
const PATIENCE: Duration = Duration::from_mins(1);
const PARTS: usize = 24;
const STATES: usize = 5;

/// Changes a tree from the previous state to this one; the states form a cycle.
fn go_to(tree: &Sandbox, state: usize) {
    let at = |path: &str| tree.root().join(path);
    let part = |number: usize, above: &str| {
        let next = (number + 1) % PARTS;
        let text = format!(
            "{above}from load.part_{next} import step_{next}\n\n\ndef step_{number}():\n    return step_{next}()\n"
        );
        tree.write(&format!("load/part_{number}.py"), &text);
    };
    match state {
        0 => {
            let _ = std::fs::remove_file(at("load/more.py"));
            let _ = std::fs::remove_file(at("load/moved.py"));
            tree.write("load/__init__.py", "");
            (0..PARTS).for_each(|number| part(number, ""));
        }
        1 => part(3, "# every line moves\n"),
        2 => tree.write("load/more.py", "from load.part_5 import step_5\n\n\ndef more():\n    step_5()\n"),
        3 => std::fs::rename(at("load/part_8.py"), at("load/moved.py")).expect("it is there"),
        _ => std::fs::remove_file(at("load/part_11.py")).expect("it is there"),
    }
}

/// The calls of each client: symbols, callers, source.
fn questions() -> Vec<Value> {
    let about = |number: usize| {
        let name = format!("step_{number}");
        let call = |tool: &str, arguments: Value| json!({ "name": tool, "arguments": arguments });
        [
            call("search", json!({ "query": name, "again": true })),
            call("graph", json!({ "relation": "callers", "symbol": name, "again": true })),
            call("read", json!({ "target": name, "again": true })),
        ]
    };
    (0..PARTS).flat_map(about).collect()
}

/// The part of an answer that depends on the files alone; none if the server reports pending files.
fn ask(web: &HttpServer, session: &str, question: &Value) -> Option<String> {
    let answer = web.ask(session, "tools/call", question);
    let structured = metadata(answer["result"]["content"][0]["text"].as_str().unwrap_or_default());
    assert!(structured["text"].is_string(), "no answer to {question}: {answer}");
    structured.get("pending").is_none().then(|| {
        json!([answer["result"]["isError"], structured["text"], structured["total"], structured["complete"]])
            .to_string()
    })
}

/// The answers of a new index in a state.
fn expected(state: usize, questions: &[Value]) -> Vec<String> {
    let web = HttpServer::new();
    (0..=state).for_each(|state| go_to(&web.tree, state));
    let session = web.session();
    questions.iter().map(|question| ask(&web, &session, question).expect("nothing changes")).collect()
}

fn dump(root: &Path, store: &Path, refresh: bool) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orient"));
    command.arg("dump").arg("--root").arg(root).arg("--store").arg(store).arg("--quiet");
    if !refresh {
        command.arg("--no-refresh");
    }
    command.output().expect("it starts").stdout
}

#[test]
fn concurrent_clients_get_correct_answers_while_files_change() {
    let questions = questions();
    let right: Vec<Vec<String>> = (0..STATES).map(|state| expected(state, &questions)).collect();
    assert!(right.windows(2).all(|two| two[0] != two[1]), "every change shows in some answer");
    let web = HttpServer::new();
    go_to(&web.tree, 0);
    // Twice the number of the current state, plus one while files change.
    let moment = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let checked = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (web, moment, stop, checked) = (&web, &moment, &stop, &checked);
            let (questions, right) = (&questions, &right);
            scope.spawn(move || {
                let session = web.session();
                for at in (client * 5..).map(|at| at % questions.len()) {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let before = moment.load(Ordering::SeqCst);
                    let answer = ask(web, &session, &questions[at]);
                    let calm = before.is_multiple_of(2) && moment.load(Ordering::SeqCst) == before;
                    if let (true, Some(answer)) = (calm, answer) {
                        assert_eq!(answer, right[before / 2 % STATES][at], "{} in {before}", questions[at]);
                        checked.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
        let begun = Instant::now();
        let mut number = 0;
        // Every state is queried, even on a slow machine.
        while begun.elapsed() < LASTS || number < 2 * STATES {
            let (calm, before) = (Instant::now(), checked.load(Ordering::SeqCst));
            // On a busy machine, wait until every client has an answer for this state.
            while calm.elapsed() < CALM || checked.load(Ordering::SeqCst) < before + CLIENTS {
                if calm.elapsed() > PATIENCE {
                    stop.store(true, Ordering::SeqCst);
                    panic!("no answers about state {number}");
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            number += 1;
            moment.store(2 * number - 1, Ordering::SeqCst);
            go_to(&web.tree, number % STATES);
            moment.store(2 * number, Ordering::SeqCst);
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert!(checked.load(Ordering::SeqCst) >= 2 * STATES * CLIENTS, "{checked:?} answers were compared");
    let session = web.session();
    while ask(&web, &session, &questions[0]).is_none() {}
    let served = dump(&web.tree.root(), &web.tree.store(), false);
    let rebuilt = dump(&web.tree.root(), &web.tree.store().with_file_name("rebuilt"), true);
    assert!(!served.is_empty() && served == rebuilt, "the index differs from one built from scratch");
}
