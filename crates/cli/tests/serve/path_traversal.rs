//! Path traversal: whatever path an argument contains, only files of the tree are read. The client searches every answer for the
//! secret.

use crate::attack;
use crate::sandbox::Sandbox;
use crate::stdio_client::Stdio;
use serde_json::{Value, json};

/// Checks that these calls return an error or nothing.
fn closed(tool: &str, arguments: &[Value]) {
    let mut server = Stdio::new();
    server.assert_alive();
    for one in arguments {
        let said = server.call(tool, one);
        assert!(said.error || !said.text.contains("def secret"), "{one}: {said:?}");
    }
    server.assert_alive();
}

/// Checks that none of these resources can be read.
fn no_resource(addresses: &[String]) {
    let mut server = Stdio::new();
    server.assert_alive();
    for uri in addresses {
        let answer = server.request("resources/read", &json!({ "uri": uri }));
        assert!(answer["error"].is_object(), "{uri}: {answer}");
    }
    server.assert_alive();
}

fn addresses(all: &[&str]) -> Vec<String> {
    all.iter().map(|&one| one.to_owned()).collect()
}

fn outside(server: &Stdio) -> String {
    server.tree.root().parent().expect("it has one").join("secret.py").display().to_string()
}

attack!(read_up, "`read` of ../secret.py: refused", closed("read", &[json!({ "target": "../secret.py" })]));
attack!(
    read_up_from_inside,
    "`read` of shop/../../secret.py: refused",
    closed("read", &[json!({ "target": "shop/../../secret.py" })])
);
attack!(read_up_with_lines, "`read` of ../secret.py:1-5 and of its lines: refused", {
    closed(
        "read",
        &[json!({ "target": "../secret.py:1-5" }), json!({ "target": "../secret.py", "lines": "1-5" })],
    );
});
attack!(read_absolute, "`read` of an absolute path outside: refused", {
    let mut server = Stdio::new();
    let path = outside(&server);
    assert!(server.call("read", &json!({ "target": path })).error);
    assert!(server.call("read", &json!({ "target": "/etc/passwd" })).error);
});
attack!(read_encoded, "`read` of encoded dots: refused", {
    closed(
        "read",
        &[
            json!({ "target": "%2e%2e/secret.py" }),
            json!({ "target": "..%2fsecret.py" }),
            json!({ "target": "..%252fsecret.py" }),
        ],
    );
});
attack!(read_dressed_up, "`read` with backslashes, doubled dots, NUL: refused", {
    closed(
        "read",
        &[
            json!({ "target": "..\\secret.py" }),
            json!({ "target": "....//secret.py" }),
            json!({ "target": "../secret.py\0.c" }),
            json!({ "target": "./../secret.py" }),
            json!({ "target": "shop//..//..//secret.py" }),
            json!({ "target": "~/secret.py" }),
        ],
    );
});
attack!(
    read_handle_outside,
    "`read` of a handle outside: refused",
    closed("read", &[json!({ "target": "../secret.py#secret" }), json!({ "target": "secret.py#secret" })])
);
#[cfg(unix)]
attack!(
    read_link,
    "`read` of a link that leads out: refused",
    closed(
        "read",
        &[
            json!({ "target": "link.py" }),
            json!({ "target": "link.py", "lines": "1-5" }),
            json!({ "target": "link.py#secret" })
        ]
    )
);
#[cfg(unix)]
attack!(
    read_through_link,
    "`read` through a directory that is a link: refused",
    closed(
        "read",
        &[json!({ "target": "linked/secret.py" }), json!({ "target": "linked/tree/../secret.py" })]
    )
);
attack!(
    outline_up,
    "an outline of .. : refused",
    closed(
        "read",
        &[
            json!({ "target": "..", "view": "outline" }),
            json!({ "target": "../", "view": "outline" }),
            json!({ "target": "/", "view": "outline" })
        ]
    )
);
attack!(
    search_up,
    "a search in .. : refused",
    closed(
        "search",
        &[
            json!({ "query": "secret", "path": ".." }),
            json!({ "query": "secret", "path": "../*" }),
            json!({ "query": "secret" })
        ]
    )
);
attack!(
    grep_up,
    "`grep` in .. : refused",
    closed(
        "grep",
        &[
            json!({ "pattern": "return", "paths": [".."] }),
            json!({ "pattern": "return", "paths": ["../secret.py"] }),
            json!({ "pattern": "SECRET", "paths": ["shop/../.."] })
        ]
    )
);
attack!(
    grep_absolute,
    "`grep` in absolute paths: refused",
    closed(
        "grep",
        &[
            json!({ "pattern": "root", "paths": ["/etc/passwd"] }),
            json!({ "pattern": "root", "paths": ["/"] })
        ]
    )
);
attack!(
    grep_by_glob,
    "`grep` by globs that lead up: nothing",
    closed(
        "grep",
        &[
            json!({ "pattern": "SECRET", "glob": ["../**"] }),
            json!({ "pattern": "SECRET", "glob": ["/../*"] })
        ]
    )
);
#[cfg(unix)]
attack!(grep_through_link, "`grep` through links: refused, or nothing", {
    closed(
        "grep",
        &[
            json!({ "pattern": "SECRET" }),
            json!({ "pattern": "SECRET", "paths": ["linked"] }),
            json!({ "pattern": "SECRET", "paths": ["link.py"] }),
            json!({ "pattern": "SECRET", "paths": ["linked/secret.py"] }),
        ],
    );
});
attack!(
    files_up,
    "a list of files of .. : refused",
    closed(
        "overview",
        &[
            json!({ "about": "files", "path": ".." }),
            json!({ "about": "files", "path": "../*" }),
            json!({ "about": "unused", "path": "../secret.py" })
        ]
    )
);
attack!(
    graph_up,
    "dependencies of paths outside: refused",
    closed(
        "graph",
        &[
            json!({ "relation": "deps", "symbol": "../secret.py" }),
            json!({ "relation": "rdeps", "symbol": ".." }),
            json!({ "relation": "impact", "symbol": "../secret.py" })
        ]
    )
);
attack!(diff_of_outside, "a diff that names files outside: nothing of them is read", {
    let mut server = Stdio::with(Sandbox::new(), &["--tools", "all"]);
    let diff = "--- a/../secret.py\n+++ b/../secret.py\n@@ -1,2 +1,2 @@\n-x\n+y\n";
    let said = server.call("impact", &json!({ "diff": diff }));
    assert!(!said.text.contains("def secret"), "{said:?}");
});
attack!(
    resource_up,
    "a resource above the root: refused",
    no_resource(&addresses(&[
        "orient://file/../secret.py",
        "orient://file/shop/../../secret.py",
        "orient://file/./../secret.py"
    ]))
);
attack!(
    resource_absolute,
    "a resource with an absolute path: refused",
    no_resource(&addresses(&[
        "orient://file//etc/passwd",
        "orient://file/%2Fetc%2Fpasswd",
        "orient://file/C:/x"
    ]))
);
attack!(
    resource_encoded,
    "a resource with encoded dots, once and twice: refused",
    no_resource(&addresses(&[
        "orient://file/%2e%2e/secret.py",
        "orient://file/%252e%252e/secret.py",
        "orient://file/..%2fsecret.py",
        "orient://file/%c0%ae%c0%ae/secret.py"
    ]))
);
attack!(
    resource_dressed_up,
    "a resource with backslashes, NUL, half a code: refused",
    no_resource(&addresses(&[
        "orient://file/..\\secret.py",
        "orient://file/shop/cart.py%00.c",
        "orient://file/%",
        "orient://file/%2"
    ]))
);
#[cfg(unix)]
attack!(
    resource_link,
    "a resource that is a link: refused",
    no_resource(&addresses(&["orient://file/link.py", "orient://file/linked/secret.py"]))
);
attack!(
    resource_of_another_kind,
    "addresses of other kinds: refused",
    no_resource(&addresses(&[
        "file:///etc/passwd",
        "http://localhost/",
        "orient://",
        "orient://store/index.db",
        "",
        "orient://symbol/../secret.py%23secret"
    ]))
);
attack!(completion_up, "completion of ../ : nothing", {
    let mut server = Stdio::new();
    for begun in ["../", "/etc/", "..%2f"] {
        let params = json!({ "ref": { "type": "ref/resource", "uri": "orient://file/{+path}" }, "argument": { "name": "path", "value": begun } });
        let answer = server.request("completion/complete", &params);
        assert_eq!(answer["result"]["completion"]["values"], json!([]), "{answer}");
    }
});
#[cfg(unix)]
attack!(file_swapped_for_link, "a file swapped for a link after it was indexed: its target is not read", {
    let mut server = Stdio::new();
    server.assert_alive();
    let path = server.tree.root().join("shop/parts.py");
    std::fs::remove_file(&path).expect("it is there");
    std::os::unix::fs::symlink(outside(&server), &path).expect("a link");
    for arguments in [json!({ "target": "shop/parts.py" }), json!({ "target": "part_7" })] {
        server.call("read", &arguments);
    }
    server.call("grep", &json!({ "pattern": "SECRET" }));
    server.request("resources/read", &json!({ "uri": "orient://file/shop/parts.py" }));
    server.assert_alive();
});
#[cfg(unix)]
attack!(
    directory_swapped_for_link,
    "a directory swapped for a link after it was indexed: nothing behind it is read",
    {
        let tree = Sandbox::new();
        tree.outside("twin/parts.py", "def part_7():\n    return \"TOP-SECRET-OUTSIDE\"\n");
        let mut server = Stdio::with(tree, &[]);
        server.assert_alive();
        let directory = server.tree.root().join("shop");
        std::fs::rename(&directory, server.tree.root().join("moved")).expect("it moves");
        std::os::unix::fs::symlink("../twin", &directory).expect("a link");
        server.call("read", &json!({ "target": "shop/parts.py" }));
        server.call("grep", &json!({ "pattern": "return", "paths": ["shop"] }));
        server.request("resources/read", &json!({ "uri": "orient://file/shop/parts.py" }));
        server.assert_alive();
    }
);
#[cfg(unix)]
attack!(
    links_that_race,
    "a file that turns into a link and back while it is read: the target is never read",
    {
        let mut server = Stdio::new();
        server.assert_alive();
        let (path, secret) = (server.tree.root().join("shop/parts.py"), outside(&server));
        let text = std::fs::read_to_string(&path).expect("it is there");
        let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let stopped = stop.clone();
        let racer = std::thread::spawn(move || {
            while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = std::fs::remove_file(&path);
                let _ = std::os::unix::fs::symlink(&secret, &path);
                let _ = std::fs::remove_file(&path);
                let _ = std::fs::write(&path, &text);
            }
        });
        for _ in 0..40 {
            server.call("read", &json!({ "target": "shop/parts.py", "lines": "1-5", "again": true }));
            server.call(
                "grep",
                &json!({ "pattern": "return", "paths": ["shop"], "max_tokens": 300, "again": true }),
            );
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        racer.join().expect("it ends");
        server.assert_alive();
    }
);
