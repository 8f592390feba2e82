//! Whatever a configuration says: an edit changes our entry and nothing else, and can be taken back to the byte.

use orient_setup::{
    CLIENTS, Client, Entry, Format, NAME, Planned, Refusal, Scope, Surroundings, System, plan, registered,
    snippet, undo,
};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn client(id: &str) -> &'static Client {
    Client::by_id(id).expect("a client of the table")
}

fn entry() -> Entry {
    Entry::of("/opt/o r\\i\"ent")
}

/// Sets up and hands back the new text, after checking that undoing gives the old one.
fn set_up(client: &Client, before: &str) -> String {
    let Ok(Planned::Edit { text, receipt }) = plan(client, before, &entry()) else {
        panic!("{}: no edit of {before:?}", client.id)
    };
    assert_eq!(undo(client, &text, Some(&receipt)), Ok(Some(before.to_owned())), "{}: {text}", client.id);
    assert!(registered(client, &text).expect("readable").expect("there").is(&entry()));
    assert_eq!(plan(client, &text, &entry()), Ok(Planned::Same), "a second time changes nothing");
    text
}

#[test]
fn a_new_configuration_is_what_the_client_wants() {
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
        assert_eq!(snippet(client(id), &Entry::of("orient")), text, "{id}");
    }
}

#[test]
fn an_entry_goes_behind_the_others_and_keeps_their_style() {
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
fn another_entry_of_our_name_is_replaced_and_comes_back() {
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
fn without_a_receipt_only_our_entry_goes() {
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
fn what_is_broken_or_unusual_is_left_alone() {
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
        let refusal = plan(client(id), text, &entry()).expect_err(text);
        let says_what_to_do = ["mend it", "by hand"].iter().any(|what| refusal.to_string().contains(what));
        assert!(says_what_to_do, "{refusal}");
    }
    let broken = plan(client("cursor"), "{\n  \"a\": 1\n  \"b\": 2\n}", &entry());
    assert_eq!(broken, Err(Refusal::Broken { line: 3, what: "a comma is missing".to_owned() }));
}

#[test]
fn the_table_is_sound() {
    let around = |system| Surroundings {
        project: "/p".into(),
        home: "/h".into(),
        xdg_config: None,
        app_data: Some("/h/AppData/Roaming".into()),
        system,
    };
    let mut ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CLIENTS.len());
    for client in CLIENTS {
        for system in [System::Unix, System::Mac, System::Windows] {
            for scope in client.scopes() {
                let file = client.file(scope, &around(system), |_| false).expect("a place");
                let base = if scope == Scope::Project { "/p" } else { "/h" };
                assert!(file.starts_with(base) && file.extension().is_some(), "{}: {file:?}", client.id);
            }
        }
        assert!(!client.is_there(&around(System::Unix), |_| false));
    }
    let vscode = |system| client("vscode").file(Scope::User, &around(system), |_| false);
    assert_eq!(vscode(System::Unix), Some(PathBuf::from("/h/.config/Code/User/mcp.json")));
    assert_eq!(vscode(System::Mac), Some("/h/Library/Application Support/Code/User/mcp.json".into()));
    let jsonc = |path: &Path| path.extension().is_some_and(|extension| extension == "jsonc");
    assert_eq!(
        client("opencode").file(Scope::Project, &around(System::Unix), jsonc),
        Some("/p/opencode.jsonc".into())
    );
    assert_eq!(client("windsurf").file(Scope::Project, &around(System::Unix), |_| true), None);
}

/// What may stand between two parts of a document.
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

/// Whatever happens, an edit can be taken back, and what is refused is refused with words.
fn comes_back(client: &Client, before: &str) {
    match plan(client, before, &entry()) {
        Ok(Planned::Edit { .. }) => {
            let after = set_up(client, before);
            let without = undo(client, &after, None);
            if let Ok(Some(without)) = without {
                assert_eq!(registered(client, &without), Ok(None), "{after}");
            }
        }
        Ok(Planned::Same) => {}
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_document_comes_back_to_the_byte(before in document(), at in 0..CLIENTS.len()) {
        let client = &CLIENTS[at];
        if client.format == Format::Json {
            comes_back(client, &before);
        }
    }

    #[test]
    fn any_tables_come_back_to_the_byte(before in tables()) {
        comes_back(client("codex"), &before);
    }

    #[test]
    fn any_text_at_all_is_edited_well_or_left_alone(before in "[\\[\\]{}\",:=a\\\\/*\n #\u{feff}é]{0,30}", at in 0..CLIENTS.len()) {
        comes_back(&CLIENTS[at], &before);
    }

    #[test]
    fn all_else_means_the_same(before in document()) {
        let plain: Result<serde_json::Value, _> = serde_json::from_str(&before);
        if let (Ok(mut was), Ok(Planned::Edit { text, .. })) = (plain, plan(client("cursor"), &before, &entry())) {
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
