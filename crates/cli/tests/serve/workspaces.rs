//! Several roots over MCP: those of the command line, and those of the client.

use crate::sandbox::Sandbox;
use crate::stdio_client::Stdio;
use serde_json::json;

fn library() -> tempfile::TempDir {
    let other = tempfile::Builder::new().prefix("library").tempdir().expect("a directory");
    std::fs::write(other.path().join("money.py"), "def round_price(value):\n    return value\n")
        .expect("written");
    other
}

#[test]
fn a_server_with_two_roots_answers_for_both() {
    let other = library();
    let name = other.path().file_name().expect("a name").to_string_lossy().into_owned();
    let path = other.path().to_str().expect("UTF-8").to_owned();
    let mut server = Stdio::with(Sandbox::new(), &["--root", &path]);
    let said = server.call("search", &json!({ "query": "round_price" }));
    assert!(said.text.contains(&format!("{name}/money.py")), "{}", said.text);
    let said = server.call("read", &json!({ "target": format!("{name}/money.py") }));
    assert!(said.text.contains("round_price"), "{}", said.text);
    let said = server.call("graph", &json!({ "relation": "callers", "symbol": "total" }));
    assert!(said.text.contains("/shop/cart.py:6"), "{}", said.text);
}

#[test]
fn all_roots_of_a_client_are_served() {
    let (other, tree) = (library(), Sandbox::new());
    let name = other.path().file_name().expect("a name").to_string_lossy().into_owned();
    let (root, inside) = (tree.root(), tree.root().join("shop"));
    // A directory inside of another root is a part of it.
    let mut server = Stdio::with_client_roots(tree, &[&root, &inside, other.path()]);
    let said = server.call("search", &json!({ "query": "round_price" }));
    assert!(said.text.contains(&format!("{name}/money.py")), "{}", said.text);
    let said = server.call("graph", &json!({ "relation": "callers", "symbol": "total" }));
    assert!(said.text.contains("/shop/cart.py:6"), "{}", said.text);
}
