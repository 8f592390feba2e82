//! Operations called with JSON arguments, as by programs.

use orient_engine::{Cancel, NoProgress};
use orient_settings::Override;
use orient_tools::{Code, OPERATIONS, Operation, Session, SessionOptions, TextWriter, ToolError};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Calls an operation on a small tree; returns the text and the JSON form of the answer.
fn ask(name: &str, arguments: Value) -> Result<(String, Value), ToolError> {
    let directory = TempDir::new().expect("a temporary directory");
    let root = directory.path().join("tree");
    std::fs::create_dir(&root).expect("a new directory");
    std::fs::write(root.join("a.py"), "def one(): pass\n").expect("a new file");
    let store = directory.path().join("store").display().to_string();
    let setup = SessionOptions {
        start: root.clone(),
        directory: root,
        overrides: vec![Override { key: "store.dir".into(), value: store, flag: "test".into() }],
        force: 0,
        refresh: true,
    };
    let cancel = Cancel::default();
    let session = Session::open(setup, &NoProgress, &cancel)?;
    let reply = tool(name).call(&session, arguments)?;
    let (mut text, mut bytes) = (String::new(), Vec::new());
    reply.text(&mut TextWriter::new(&mut text)).expect("a string takes everything");
    reply.json(&mut bytes).expect("memory takes everything");
    Ok((text, serde_json::from_slice(&bytes).expect("JSON")))
}

fn tool(name: &str) -> &'static Operation {
    OPERATIONS.iter().find(|tool| tool.name == name).expect("it is in the table")
}

#[test]
fn json_arguments_work_like_command_line_arguments() {
    let (text, answer) =
        ask("symbols", json!({ "name": "one", "kind": ["function"], "in": "a.py" })).expect("an answer");
    assert_eq!(text, "a.py:1  function one  def one()\n");
    assert_eq!(answer["data"]["symbols"][0]["handle"], "a.py#one");
}

#[test]
fn optional_arguments_can_be_omitted() {
    for tool in OPERATIONS.iter().filter(|tool| tool.input_schema()["required"].is_null()) {
        match ask(tool.name, json!({})) {
            Ok((_, answer)) => assert_eq!(answer["complete"], true, "{}", tool.name),
            // A language server is not installed, or not allowed.
            Err(error) if matches!(error.code(), Code::NotFound | Code::NotAllowed) => {
                assert_eq!(tool.name, "enrich", "{error}");
            }
            Err(error) => assert_eq!(error.code(), Code::BadArgument, "{}: {error}", tool.name),
        }
    }
}

#[test]
fn an_unknown_argument_is_an_error_with_a_suggestion() {
    let error = ask("symbols", json!({ "nmae": "one" })).expect_err("there is none");
    assert_eq!((error.message(), error.help()), ("`symbols` has no argument `nmae`", "did you mean `name`?"));
    let error = ask("symbols", json!({ "limit": "many" })).expect_err("not a number");
    assert_eq!(error.code(), Code::BadArgument);
    let error = ask("show", json!({})).expect_err("nothing to show");
    assert_eq!(error.message(), "`symbol` is missing");
}
