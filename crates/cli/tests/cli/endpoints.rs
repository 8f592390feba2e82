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

#[test]
fn a_trace_leads_through_the_top_level_code_of_imported_modules() {
    let tree = Sandbox::new(&[
        (
            "server.js",
            "const express = require('express');\nconst routes = require('./routes');\n\nconst app = express();\napp.use('/api', routes);\napp.listen(3000);\n",
        ),
        (
            "routes.js",
            "const { Router } = require('express');\nconst { list } = require('./users');\n\nconst router = Router();\nrouter.get('/users', list);\nmodule.exports = router;\n",
        ),
        ("users.js", "exports.list = function list(req, res) { load(); };\n\nfunction load() {}\n"),
    ]);
    tree.assert_output(
        &["trace", "-", "load"],
        "
        1 path from the entry points to load
        1: 3 calls
          server.js:2  top level  runs
            routes.js:5  top level  registers
              users.js:1  function list  calls
                users.js:3  function load
        ",
    );
}

#[test]
fn a_trace_leads_through_commands_that_are_kept_in_variables() {
    let tree = Sandbox::new(&[
        ("go.mod", "module example.com/shop\n\nrequire github.com/spf13/cobra v1.8.0\n"),
        ("main.go", "package main\n\nimport \"example.com/shop/cmd\"\n\nfunc main() {\n\tcmd.Execute()\n}\n"),
        (
            "cmd/root.go",
            "package cmd\n\nimport \"github.com/spf13/cobra\"\n\nvar rootCmd = &cobra.Command{Use: \"shop\"}\n\nfunc Execute() {\n\trootCmd.Execute()\n}\n",
        ),
        (
            "cmd/serve.go",
            "package cmd\n\nimport \"github.com/spf13/cobra\"\n\nvar serveCmd = &cobra.Command{\n\tUse: \"serve\",\n\tRun: func(cmd *cobra.Command, args []string) {\n\t\tstart()\n\t},\n}\n\nfunc init() {\n\trootCmd.AddCommand(serveCmd)\n}\n\nfunc start() {}\n",
        ),
    ]);
    tree.assert_output(
        &["trace", "main", "start"],
        "
        1 path from main to start
        1: 4 calls, probable
          main.go:6  function main  calls
            cmd/root.go:8  function Execute  runs probable: value
              cmd/root.go:5  variable rootCmd  registers probable: framework
                cmd/serve.go:8  variable serveCmd  calls
                  cmd/serve.go:16  function start
        ",
    );
}

#[test]
fn a_trace_leads_from_an_application_to_the_controllers_that_it_finds() {
    let tree = Sandbox::new(&[
        (
            "src/shop/Shop.java",
            "package shop;\n\nimport org.springframework.boot.SpringApplication;\n\npublic class Shop {\n    public static void main(String[] args) {\n        SpringApplication.run(Shop.class, args);\n    }\n}\n",
        ),
        (
            "src/shop/web/Orders.java",
            "package shop.web;\n\nimport org.springframework.web.bind.annotation.*;\n\n@RestController\npublic class Orders {\n    @GetMapping(\"/orders\")\n    public String list() { return \"\"; }\n}\n",
        ),
    ]);
    tree.assert_output(
        &["trace", "-", "Orders.list"],
        "
        1 path from the entry points to Orders.list
        1: 2 calls, probable
          src/shop/Shop.java:7  method Shop.main  registers probable: framework
            src/shop/web/Orders.java:8  top level  registers
              src/shop/web/Orders.java:8  method Orders.list
        ",
    );
}

#[test]
fn a_request_leads_to_the_handler_of_its_endpoint_in_another_language() {
    let tree = Sandbox::new(&[
        (
            "api/app.py",
            "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get(\"/api/orders/<int:id>\")\ndef order(id):\n    return {}\n",
        ),
        (
            "web/orders.ts",
            "export async function show(id: number) {\n  return fetch(`/api/orders/${id}`);\n}\n",
        ),
    ]);
    tree.assert_output(
        &["callers", "order"],
        "
        2 verified callers of order (api/app.py:7), 0 name-only candidates
        api/app.py:6  top level  registers
        web/orders.ts:2  function show [client]  requests probable: endpoint
        ",
    );
    let way = text(&tree.run(&["trace", "show", "order"]).stdout);
    assert!(way.contains("function show  requests"), "{way}");
}

#[test]
fn a_program_starts_at_a_module_that_only_tests_import() {
    let tree = Sandbox::new(&[
        (
            "app/main.py",
            "from fastapi import FastAPI\n\nfrom app.items import router\n\napp = FastAPI()\napp.include_router(router)\n",
        ),
        (
            "app/items.py",
            "from fastapi import APIRouter\n\nrouter = APIRouter()\n\n\n@router.get('/items')\ndef list_items():\n    return []\n",
        ),
        ("tests/test_items.py", "from app.main import app\n\n\ndef test_items():\n    assert app\n"),
    ]);
    let told = text(&tree.run(&["trace", "-", "list_items", "--paths", "1"]).stdout);
    assert!(told.contains("app/main.py"), "{told}");
}

#[test]
fn a_described_operation_is_handled_by_the_only_function_that_has_its_name() {
    let tree = Sandbox::new(&[
        (
            "openapi.yaml",
            "openapi: 3.0.0\npaths:\n  /pets:\n    get:\n      operationId: listPets\n    post:\n      operationId: addPet\n",
        ),
        ("pets.py", "def list_pets():\n    return []\n\n\ndef add_pet():\n    return 1\n"),
        ("other.py", "def add_pet():\n    return 2\n"),
    ]);
    let answer = tree.json(&["endpoints", "--json"]);
    let endpoints = answer["data"]["endpoints"].as_array().expect("a list").clone();
    let handler = |method: &str| {
        let found = endpoints.iter().find(|one| one["method"] == method).expect("an endpoint").clone();
        found["handler"]["handle"].as_str().map(str::to_owned)
    };
    assert_eq!(handler("GET").as_deref(), Some("pets.py#list_pets"));
    assert_eq!(handler("POST"), None, "two functions have the name");
}

#[test]
fn a_request_beside_an_endpoint_that_it_reaches_means_no_other() {
    let server = "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get('/items')\ndef items():\n    return []\n";
    let script = "import requests\n\n\ndef load():\n    return requests.get('http://localhost/items')\n";
    let tree = Sandbox::new(&[
        ("one.py", server),
        ("two.py", &format!("{server}\n\n{script}")),
        ("client.py", script),
    ]);
    let told = text(&tree.run(&["endpoints"]).stdout);
    let requested: Vec<&str> = told.lines().filter(|line| line.contains("requested")).collect();
    assert_eq!(requested.len(), 2, "{told}");
    assert!(!requested[0].contains("two.py:15") && requested[0].contains("client.py:5"), "{told}");
    assert!(requested[1].contains("two.py:15") && requested[1].contains("client.py:5"), "{told}");
}
