//! An edit changes our entry and nothing else, whatever the configuration contains, and can be undone byte for byte.

use orient_setup::{
    CLIENTS, Client, ConfigDirs, EditError, Format, NAME, Os, Plan, Scope, ServerEntry, TextEdit, plan,
    registered, snippet, undo,
};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn client(id: &str) -> &'static Client {
    Client::by_id(id).expect("a client of the table")
}

fn entry() -> ServerEntry {
    ServerEntry::new("/opt/o r\\i\"ent")
}

/// Adds our entry and checks that undoing restores the old text and that a second run changes nothing.
fn set_up(client: &Client, before: &str) -> String {
    let Ok(Plan::Edit { text, edit }) = plan(client, before, &entry()) else {
        panic!("{}: no edit of {before:?}", client.id)
    };
    assert_eq!(undo(client, &text, Some(&edit)), Ok(Some(before.to_owned())), "{}: {text}", client.id);
    assert_eq!(registered(client, &text), Ok(Some(entry())));
    assert_eq!(plan(client, &text, &entry()), Ok(Plan::UpToDate), "a second run changes nothing");
    text
}

#[test]
fn new_configuration_has_the_fields_the_client_expects() {
    let cases = [
        (
            "claude-code",
            "{\n  \"mcpServers\": {\n    \"orient\": {\n      \"type\": \"stdio\",\n      \"command\": \"orient\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        ),
        (
            "opencode",
            "{\n  \"mcp\": {\n    \"orient\": {\n      \"type\": \"local\",\n      \"command\": [\"orient\", \"mcp\"],\n      \"enabled\": true\n    }\n  }\n}\n",
        ),
        ("codex", "[mcp_servers.orient]\ncommand = \"orient\"\nargs = [\"mcp\"]\n"),
    ];
    for (id, text) in cases {
        assert_eq!(snippet(client(id), &ServerEntry::new("orient")), text, "{id}");
    }
}

#[test]
fn entry_is_appended_in_the_style_of_the_others() {
    let cursor = client("cursor");
    let before = "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"a\": { \"command\": \"x\" } // the first\n\t},\n\t\"z\": [1, 2]\n}";
    let after = set_up(cursor, before);
    assert!(
        after.contains("\"a\": { \"command\": \"x\" }, // the first\n\t\t\"orient\": {\n\t\t\t\"command\""),
        "{after}"
    );
    let trailing = set_up(cursor, "{\r\n  \"mcpServers\": {\r\n    \"a\": {},\r\n  },\r\n}\r\n");
    assert!(
        trailing.contains("\"a\": {},\r\n    \"orient\": {\r\n") && trailing.contains("]\r\n    },\r\n  },"),
        "{trailing}"
    );
    assert!(!trailing.replace("\r\n", "").contains('\n'));
    let flat = set_up(cursor, "{\"mcpServers\":{\"a\":{}}}");
    assert!(flat.starts_with("{\"mcpServers\":{\"a\":{}, \"orient\": { \"command\": "), "{flat}");
}

#[test]
fn existing_entry_is_replaced_and_restored() {
    for (id, before) in [
        ("cursor", "{ \"mcpServers\": { \"orient\": { \"command\": \"old\", \"args\": [] } } }\n"),
        (
            "zed",
            "{\n  \"context_servers\": {\n    \"orient\": {\n      \"command\": \"old\",\n      \"env\": {}\n    },\n    \"b\": {}\n  }\n}\n",
        ),
        (
            "codex",
            "a = 1\n\n[mcp_servers.orient]\ncommand = \"old\"\n\n[mcp_servers.orient.env]\nX = \"1\"\n\n# next\n[mcp_servers.b]\ncommand = \"b\"\n",
        ),
    ] {
        let after = set_up(client(id), before);
        assert!(!after.contains("old"), "{after}");
        assert_eq!(after.contains("\"b\""), before.contains("\"b\""), "{after}");
    }
}

#[test]
fn undo_without_the_edit_removes_only_our_entry() {
    let after = set_up(client("cursor"), "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n");
    let edited = after.replace("\"a\": {}", "\"a\": {},\n    \"b\": {}");
    let without = undo(client("cursor"), &edited, None).expect("readable").expect("it was there");
    assert_eq!(without, "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"b\": {}\n  }\n}\n");
    let toml = "[mcp_servers.orient]\ncommand = \"orient\"\nargs = [\"mcp\"]\n\n# about b\n[mcp_servers.b]\ncommand = \"b\"\n";
    let without = undo(client("codex"), toml, None).expect("readable").expect("it was there");
    assert_eq!(without, "\n# about b\n[mcp_servers.b]\ncommand = \"b\"\n");
    assert_eq!(undo(client("cursor"), "{}", None), Ok(None));
}

#[test]
fn malformed_or_unsupported_files_are_refused() {
    for (id, text) in [
        ("cursor", "{ \"mcpServers\": "),
        ("cursor", "[]"),
        ("cursor", "{ \"mcpServers\": [] }"),
        ("cursor", "{ \"mcpServers\": {}, \"mcpServers\": {} }"),
        ("codex", "a = = 1\n"),
        ("codex", "mcp_servers = 3\n"),
        ("codex", "mcp_servers = { b = { command = \"b\" } }\n"),
        ("codex", "mcp_servers.orient.command = \"old\"\n"),
    ] {
        let error = plan(client(id), text, &entry()).expect_err(text);
        let says_what_to_do = ["fix the file", "by hand"].iter().any(|what| error.to_string().contains(what));
        assert!(says_what_to_do, "{error}");
    }
    let broken = plan(client("cursor"), "{\n  \"a\": 1\n  \"b\": 2\n}", &entry());
    let message = "expected comma".to_owned();
    assert_eq!(broken, Err(EditError::Malformed { line: 2, column: 9, message }));
    let broken = plan(client("codex"), "a = 1\nb = [1,\n", &entry()).expect_err("no closing bracket");
    assert!(matches!(broken, EditError::Malformed { line: 2.., .. }), "{broken}");
}

#[test]
fn syntax_outside_json_with_comments_is_refused() {
    for text in [
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "[1",
        "[1 2]",
        "[{} {}]",
        "{a:1}",
        "{\"a\" 1}",
        "\"open",
        "{} {}",
        "tru",
        "{\"a\":1,,}",
        "[,]",
        "/* open",
        "\"\\q\"",
        "\"\\u12\"",
        "01x",
        "+1",
        "'a'",
        "\"\\",
        "{\"a\": 0x1}",
    ] {
        let error = registered(client("cursor"), text).expect_err(text);
        assert!(matches!(error, EditError::Malformed { line: 1, .. }), "{text:?}: {error}");
    }
}

#[test]
fn deep_nesting_is_refused_without_overflowing_the_stack() {
    let depth = 100_000;
    let inputs = [
        ("cursor", "[".repeat(depth)),
        ("cursor", "{\"a\":".repeat(depth)),
        ("cursor", format!("{}{}", "[".repeat(depth), "]".repeat(depth))),
        ("codex", format!("a = {}{}", "[".repeat(depth), "]".repeat(depth))),
        ("codex", format!("a = {}1{}", "{ a = ".repeat(depth), "}".repeat(depth))),
        ("codex", format!("{}a = 1", "a.".repeat(depth))),
        ("codex", format!("[{}a]", "a.".repeat(depth))),
    ];
    for (id, text) in inputs {
        let error = plan(client(id), &text, &entry()).expect_err("too deep");
        assert!(matches!(error, EditError::Malformed { .. }), "{id}: {error}");
    }
}

#[test]
fn files_without_values_are_filled() {
    for text in ["", " \n", "\u{feff}", "\u{feff}\r\n", "// note", "// note\n", "/* note */\n\n"] {
        let after = set_up(client("cursor"), text);
        assert!(after.starts_with(text), "{after:?}");
    }
    for text in ["", "\n", "\u{feff}", "# note", "# note\r\n"] {
        let after = set_up(client("codex"), text);
        assert!(after.starts_with(text) && after.contains("[mcp_servers.orient]"), "{after:?}");
    }
}

#[test]
fn duplicate_keys_outside_the_path_are_kept() {
    let after = set_up(client("cursor"), "{\n  \"a\": 1,\n  \"a\": 2\n}\n");
    assert!(after.contains("\"a\": 1,\n  \"a\": 2,\n"), "{after}");
    let twice = plan(client("codex"), "[a]\n[a]\n", &entry()).expect_err("TOML forbids duplicate keys");
    assert!(matches!(twice, EditError::Malformed { line: 2, .. }), "{twice}");
}

#[test]
fn removal_keeps_the_comments_around_our_entry() {
    for (before, expected) in [
        (
            "{\"mcpServers\": {\n  \"a\": {}, // first\n  \"orient\": {\"command\": \"x\"}\n}}",
            "{\"mcpServers\": {\n  \"a\": {} // first\n  \n}}",
        ),
        ("{\"mcpServers\": {/* ours */ \"orient\": {}}}", "{\"mcpServers\": {/* ours */ }}"),
        ("{\"mcpServers\": {\"orient\": {} /* , */, \"b\": 1}}", "{\"mcpServers\": { /* , */ \"b\": 1}}"),
        ("{\"mcpServers\": { \"orient\": {}, }}", "{\"mcpServers\": {}}"),
        ("{\"mcpServers\": {\"a\": 1, \"orient\": {},}}", "{\"mcpServers\": {\"a\": 1,}}"),
    ] {
        assert_eq!(undo(client("cursor"), before, None), Ok(Some(expected.to_owned())));
    }
}

#[test]
fn tables_between_ours_are_kept() {
    let before =
        "[mcp_servers.orient]\ncommand = \"old\"\n[tool]\na = 1\n[mcp_servers.orient.env]\nX = \"1\"\n[b]\n";
    assert_eq!(undo(client("codex"), before, None), Ok(Some("[tool]\na = 1\n[b]\n".to_owned())));
    let after = set_up(client("codex"), before);
    assert!(after.ends_with("[tool]\na = 1\n[b]\n") && !after.contains("env"), "{after}");
}

#[test]
fn an_edit_found_in_another_entry_is_not_reverted_there() {
    let edit = TextEdit { at: 999, inserted: "\"x\"".to_owned(), replaced: "\"old\"".to_owned() };
    let text = "{\"mcpServers\": {\"a\": \"x\", \"orient\": {\"command\": \"y\"}}}";
    let without = undo(client("cursor"), text, Some(&edit));
    assert_eq!(without, Ok(Some("{\"mcpServers\": {\"a\": \"x\"}}".to_owned())));
}

#[test]
fn client_table_is_consistent() {
    let dirs = |os| ConfigDirs {
        project: "/p".into(),
        home: "/h".into(),
        xdg_config: None,
        app_data: Some("/h/AppData/Roaming".into()),
        os,
    };
    let mut ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CLIENTS.len());
    for client in CLIENTS {
        for os in [Os::Unix, Os::Mac, Os::Windows] {
            for scope in client.scopes() {
                let file = client.config_file(scope, &dirs(os), |_| false).expect("a file");
                let base = if scope == Scope::Project { "/p" } else { "/h" };
                assert!(file.starts_with(base) && file.extension().is_some(), "{}: {file:?}", client.id);
            }
        }
        assert!(!client.is_installed(&dirs(Os::Unix), |_| false));
    }
    let vscode = |os| client("vscode").config_file(Scope::User, &dirs(os), |_| false);
    assert_eq!(vscode(Os::Unix), Some(PathBuf::from("/h/.config/Code/User/mcp.json")));
    assert_eq!(vscode(Os::Mac), Some("/h/Library/Application Support/Code/User/mcp.json".into()));
    let jsonc = |path: &Path| path.extension().is_some_and(|extension| extension == "jsonc");
    assert_eq!(
        client("opencode").config_file(Scope::Project, &dirs(Os::Unix), jsonc),
        Some("/p/opencode.jsonc".into())
    );
    assert_eq!(client("windsurf").config_file(Scope::Project, &dirs(Os::Unix), |_| true), None);
}

/// White space and comments between two tokens.
fn space() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        2 => Just(" ".to_owned()),
        2 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just(" // note }\n".to_owned()),
        1 => Just("/* { */".to_owned()),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("mcpServers".to_owned()),
        Just("servers".to_owned()),
        Just("mcp".to_owned()),
        Just("context_servers".to_owned()),
        Just(NAME.to_owned()),
        Just("command".to_owned()),
        "[a-z\\\\\"é]{0,4}".prop_map(|key| key.replace('\\', "\\\\").replace('"', "\\\"")),
    ]
}

/// JSON with comments, trailing commas and all kinds of space.
fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("true".to_owned()),
        Just("\"orient\"".to_owned()),
        Just("{}".to_owned()),
        Just("[]".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let member = (space(), key(), space(), inner.clone(), space())
            .prop_map(|(a, key, b, value, c)| format!("{a}\"{key}\":{b}{value}{c}"));
        let item = (space(), inner, space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let comma = prop_oneof![3 => Just(""), 1 => Just(",")];
        prop_oneof![
            4 => (prop::collection::vec(member, 0..4), comma.clone(), space()).prop_map(|(members, comma, end)| {
                let comma = if members.is_empty() { "" } else { comma };
                format!("{{{}{comma}{end}}}", members.join(","))
            }),
            1 => prop::collection::vec(item, 0..3).prop_map(|items| format!("[{}]", items.join(","))),
        ]
    })
}

/// Lines of TOML.
fn tables() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("a = 1".to_owned()),
        Just("b.c = \"x\"".to_owned()),
        Just("# note [x]".to_owned()),
        Just(String::new()),
        Just("[tool]".to_owned()),
        Just("[mcp_servers.other]".to_owned()),
        Just("command = \"y\"".to_owned()),
        Just("[mcp_servers.orient]".to_owned()),
        Just("args = [\n  \"1\", # one\n]".to_owned()),
        Just("[mcp_servers.orient.env]".to_owned()),
        Just("text = \"\"\"\n[mcp_servers.orient]\n\"\"\"".to_owned()),
        Just("mcp_servers = {}".to_owned()),
        Just("[[list]]".to_owned()),
    ];
    let newline = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec(line, 0..10), newline, any::<bool>()).prop_map(|(lines, newline, end)| {
        let text = lines.join(newline);
        if end { text + newline } else { text }
    })
}

/// Every edit can be undone, and every error has a message.
fn check_round_trip(client: &Client, before: &str) {
    match plan(client, before, &entry()) {
        Ok(Plan::Edit { .. }) => {
            let after = set_up(client, before);
            let without = undo(client, &after, None);
            if let Ok(Some(without)) = without {
                assert_eq!(registered(client, &without), Ok(None), "{after}");
            }
        }
        Ok(Plan::UpToDate) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn json_edits_are_undone_exactly(before in document(), at in 0..CLIENTS.len()) {
        let client = &CLIENTS[at];
        if client.format == Format::Json {
            check_round_trip(client, &before);
        }
    }

    #[test]
    fn toml_edits_are_undone_exactly(before in tables()) {
        check_round_trip(client("codex"), &before);
    }

    #[test]
    fn arbitrary_text_is_edited_correctly_or_refused(before in "[\\[\\]{}\",:=a\\\\/*\n #\u{feff}é]{0,30}", at in 0..CLIENTS.len()) {
        check_round_trip(&CLIENTS[at], &before);
    }

    #[test]
    fn other_toml_values_stay_the_same(before in tables()) {
        let parsed: Result<toml::Table, _> = before.parse();
        if let (Ok(mut was), Ok(Plan::Edit { text, .. })) = (parsed, plan(client("codex"), &before, &entry())) {
            let is: toml::Table = text.parse().expect("still TOML");
            let ours = is["mcp_servers"][NAME].clone();
            let servers = was.entry("mcp_servers").or_insert_with(|| toml::Table::new().into());
            servers.as_table_mut().expect("it was edited").insert(NAME.to_owned(), ours);
            prop_assert_eq!(was, is);
        }
    }

    #[test]
    fn other_json_values_stay_the_same(before in document()) {
        let plain: Result<serde_json::Value, _> = serde_json::from_str(&before);
        if let (Ok(mut was), Ok(Plan::Edit { text, .. })) = (plain, plan(client("cursor"), &before, &entry())) {
            let is: serde_json::Value = serde_json::from_str(&text).expect("still plain JSON");
            let ours = is.pointer("/mcpServers/orient").expect("our entry").clone();
            was.as_object_mut()
                .expect("it was edited")
                .entry("mcpServers")
                .or_insert_with(|| serde_json::json!({}))
                .as_object_mut()
                .expect("it was edited")
                .insert(NAME.to_owned(), ours);
            prop_assert_eq!(was, is);
        }
    }
}
