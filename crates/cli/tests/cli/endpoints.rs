//! Endpoints of web frameworks, and questions about the graph that lead through them.

use crate::sandbox::{Sandbox, text};

/// A service: `main` builds the router, and another file registers the handlers on a group of it.
fn service() -> Sandbox {
    Sandbox::new(&[
        ("go.mod", "module example.com/service\n"),
        (
            "main.go",
            "package main\n\nimport \"example.com/service/internal\"\n\nfunc main() {\n\tinternal.BuildRouter().Run()\n}\n",
        ),
        (
            "internal/router.go",
            "package internal\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc BuildRouter() *gin.Engine {\n\tr := gin.Default()\n\tRegisterRoutes(r.Group(\"/api\"))\n\treturn r\n}\n",
        ),
        (
            "internal/auth.go",
            "package internal\n\nimport \"github.com/gin-gonic/gin\"\n\nfunc RegisterRoutes(g *gin.RouterGroup) {\n\tg.POST(\"/auth\", Limit, HandleAuth)\n\tg.GET(\"/users/:id\", handleUser)\n}\n\nfunc HandleAuth(c *gin.Context) {}\n\nfunc handleUser(c *gin.Context) {}\n\nfunc Limit(c *gin.Context) {}\n",
        ),
    ])
}

#[test]
fn an_endpoint_has_its_full_path_and_handler() {
    let tree = service();
    tree.assert_output(
        &["endpoints"],
        "
        2 endpoints
        POST   /api/auth  function HandleAuth internal/auth.go:10  registered internal/auth.go:6  through Limit  [gin]
        GET    /api/users/:id  function handleUser internal/auth.go:12  registered internal/auth.go:7  [gin]
        ",
    );
    tree.assert_output(
        &["endpoints", "--path", "/api/users/42", "--method", "get"],
        "
        1 endpoint
        GET    /api/users/:id  function handleUser internal/auth.go:12  registered internal/auth.go:7  [gin]
        ",
    );
    assert_eq!(tree.run(&["endpoints", "--framework", "flask"]).status.code(), Some(1));
    let json = text(&tree.run(&["endpoints", "--handler", "HandleAuth", "--json"]).stdout);
    assert!(json.contains("\"path\":\"/api/auth\"") || json.contains("\"path\": \"/api/auth\""), "{json}");
}

#[test]
fn a_trace_leads_through_the_framework() {
    let tree = service();
    tree.assert_output(
        &["trace", "main", "HandleAuth"],
        "
        1 path from main to HandleAuth
        1: 3 calls
          main.go:6  function main  calls
            internal/router.go:7  function BuildRouter  calls
              internal/auth.go:6  function RegisterRoutes  registers
                internal/auth.go:10  function HandleAuth
        ",
    );
    tree.assert_output(
        &["callers", "HandleAuth"],
        "
        1 verified caller of HandleAuth (internal/auth.go:10), 0 name-only candidates
        internal/auth.go:6  function RegisterRoutes [router]  registers
        ",
    );
    let unused = text(&tree.run(&["unused"]).stdout);
    assert!(!unused.contains("handleUser"), "{unused}");
}

#[test]
fn an_edit_of_the_prefix_changes_the_endpoints_of_another_file() {
    let tree = service();
    tree.run(&["endpoints"]);
    let router = tree.root().join("internal/router.go");
    let before = std::fs::read_to_string(&router).expect("it is there");
    std::fs::write(&router, before.replace("/api", "/v2")).expect("it can be written");
    let after = text(&tree.run(&["endpoints"]).stdout);
    assert!(after.contains("POST   /v2/auth") && !after.contains("/api"), "{after}");
}
