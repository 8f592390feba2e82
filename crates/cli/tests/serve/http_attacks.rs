//! Attacks over HTTP: web pages that reach a local server, clients without a token, requests that exhaust resources.

use crate::attack;
use crate::http_client::{HttpServer, command};
use crate::sandbox::Sandbox;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Checks that an `initialize` request with these headers is rejected with a status.
fn rejected(headers: &[(&str, &str)], status: u16) {
    let web = HttpServer::new();
    assert_eq!(web.initialize(headers).status, status);
    web.assert_alive();
}

/// Checks that a request with these headers is unauthorised if a token is set.
fn unauthorized(path: &str, headers: &[(&str, &str)]) {
    let web = HttpServer::with(&[], Some(TOKEN));
    let reply = web.request("POST", path, headers, "{}");
    assert_eq!(reply.status, 401, "{reply:?}");
    assert!(reply.head.contains("www-authenticate: bearer"), "{reply:?}");
}

/// Checks that a server does not start.
fn refuses_to_start(arguments: &[&str], token: Option<&str>, because: &str) {
    let tree = Sandbox::new();
    let mut command = command(&tree, arguments);
    if let Some(token) = token {
        command.env("ORIENT_TOKEN", token);
    }
    let done = command.stderr(Stdio::piped()).output().expect("it starts and ends");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains(because), "{said}");
}

/// Checks that the health check answers within 0.1 s in most of ten attempts.
fn answers_quickly(web: &HttpServer) {
    let took = (0..10).map(|_| {
        let asked = Instant::now();
        web.assert_alive();
        asked.elapsed()
    });
    let mut took: Vec<Duration> = took.collect();
    took.sort_unstable();
    assert!(took[5] < Duration::from_millis(100) && took[9] < Duration::from_secs(1), "{took:?}");
}

attack!(end_of_a_session, "a client ends its session: 204, and it is over", {
    let server = HttpServer::new();
    let session = server.session();
    let headers = [("Mcp-Session-Id", session.as_str())];
    assert_eq!(server.request("DELETE", "/mcp", &headers, "").status, 204);
    let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" }).to_string();
    assert_eq!(server.request("POST", "/mcp", &headers, &body).status, 404);
});
attack!(foreign_host, "a foreign host, as after rebinding: 403", rejected(&[("Host", "evil.example")], 403));
attack!(foreign_host_with_our_port, "a foreign host with our port: 403", {
    let web = HttpServer::new();
    let port = web.address.rsplit_once(':').expect("a port").1;
    assert_eq!(web.initialize(&[("Host", &format!("evil.example:{port}"))]).status, 403);
    assert_eq!(web.initialize(&[("Host", &format!("127.0.0.1.evil.example:{port}"))]).status, 403);
});
attack!(
    host_that_ends_like_ours,
    "a host that ends or begins like ours: 403",
    rejected(&[("Host", "localhost.evil.example")], 403)
);
attack!(no_host, "no host at all: 400", {
    let web = HttpServer::new();
    assert_eq!(web.raw(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n").status, 400);
    web.assert_alive();
});
attack!(two_hosts, "two hosts, one of them ours: 400", {
    let web = HttpServer::new();
    let request = format!(
        "GET /metrics HTTP/1.1\r\nHost: {}\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        web.address
    );
    assert_eq!(web.raw(request.as_bytes()).status, 400);
});
attack!(host_in_the_address, "a foreign host in the address and ours in the header: 403", {
    let web = HttpServer::new();
    let request = format!(
        "GET http://evil.example/metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        web.address
    );
    assert_eq!(web.raw(request.as_bytes()).status, 403);
});
attack!(
    foreign_origin,
    "a web page of another site: 403",
    rejected(&[("Origin", "http://evil.example")], 403)
);
attack!(null_origin, "a web page that hides where it is from: 403", rejected(&[("Origin", "null")], 403));
attack!(
    local_origin,
    "a web page of another server on this machine: 403",
    rejected(&[("Origin", "http://localhost:3000")], 403)
);
attack!(origin_of_health, "a web page that asks for health and metrics: 403", {
    let web = HttpServer::new();
    for path in ["/healthz", "/metrics"] {
        assert_eq!(web.request("GET", path, &[("Origin", "http://evil.example")], "").status, 403);
    }
});
attack!(preflight, "a browser's preflight from another site: no leave is given", {
    let web = HttpServer::new();
    let reply = web.request(
        "OPTIONS",
        "/mcp",
        &[("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")],
        "",
    );
    assert!(reply.status == 403 && !reply.head.contains("access-control-allow"), "{reply:?}");
});
attack!(simple_request, "a form's request that needs no preflight: not read as a message", {
    let web = HttpServer::new();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let reply = web.request("POST", "/mcp", &[("Content-Type", "text/plain")], &body);
    assert!(reply.status >= 400, "{reply:?}");
});
attack!(no_token, "no token where one is needed: 401", unauthorized("/mcp", &[]));
attack!(
    wrong_token,
    "a wrong token: 401",
    unauthorized("/mcp", &[("Authorization", "Bearer 0123456789abcdef0123456789abcdeF")])
);
attack!(
    half_a_token,
    "the beginning of the token: 401",
    unauthorized("/mcp", &[("Authorization", "Bearer 0123456789abcdef")])
);
attack!(
    token_as_password,
    "the token by another scheme: 401",
    unauthorized("/mcp", &[("Authorization", "Basic 0123456789abcdef0123456789abcdef")])
);
attack!(
    token_in_the_address,
    "the token in the address: 401",
    unauthorized("/mcp?token=0123456789abcdef0123456789abcdef", &[])
);
attack!(metrics_without_token, "metrics without the token: 401", unauthorized("/metrics", &[]));
attack!(
    open_to_all_without_token,
    "listening to other machines without a token: the server does not start",
    {
        refuses_to_start(&["--listen", "0.0.0.0:0"], None, "a token is required");
    }
);
attack!(short_token, "a token that can be guessed: the server does not start", {
    refuses_to_start(&["--listen", "0.0.0.0:0"], Some("hunter2"), "shorter than 16");
});
attack!(too_large, "a body of five megabytes: 413", {
    let web = HttpServer::new();
    assert_eq!(web.request("POST", "/mcp", &[], &"x".repeat(5 << 20)).status, 413);
    web.assert_alive();
});
attack!(too_large_in_pieces, "five megabytes in pieces, without a length: 413", {
    let web = HttpServer::new();
    let mut request = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", web.address).into_bytes();
    for _ in 0..80 {
        request.extend_from_slice(b"10000\r\n");
        request.resize(request.len() + 0x10000, b'x');
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    let status = web.raw(&request).status;
    // The server may close the connection before the response is read.
    assert!(status == 413 || status == 0, "{status}");
    web.assert_alive();
});
attack!(claims_to_be_large, "a length of a terabyte: turned away without reading", {
    let web = HttpServer::new();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 1099511627776\r\nConnection: close\r\n\r\n",
        web.address
    );
    assert_eq!(web.raw(request.as_bytes()).status, 413);
    web.assert_alive();
});
attack!(
    length_and_pieces,
    "a length and pieces at once, as for smuggling: one of them counts, nothing is smuggled",
    {
        let web = HttpServer::new();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {0}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            web.address
        );
        let reply = web.raw(request.as_bytes());
        assert!(reply.status >= 400 && !reply.body.contains("orient_tool"), "{reply:?}");
        web.assert_alive();
    }
);
attack!(many_headers, "ten thousand headers: turned away", {
    let web = HttpServer::new();
    let headers: Vec<String> = (0..10_000).map(|number| format!("X-{number}: y\r\n")).collect();
    let headers = headers.concat();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", web.address);
    let status = web.raw(request.as_bytes()).status;
    assert!(status == 0 || status == 431 || status == 400, "{status}");
    web.assert_alive();
});
attack!(not_http, "bytes that are no HTTP: turned away", {
    let web = HttpServer::new();
    assert!([0, 400].contains(&web.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").status));
    web.assert_alive();
});
attack!(not_json_over_http, "a body that is no JSON: refused", {
    let web = HttpServer::new();
    for body in ["{", "[]", "42", "", "\u{0}"] {
        let reply = web.request("POST", "/mcp", &[], body);
        assert!(reply.status >= 400, "{body}: {reply:?}");
        let is_json = serde_json::from_str::<serde_json::Value>(body).is_ok();
        assert!(is_json || reply.status == 400, "{body}: {reply:?}");
    }
    web.assert_alive();
});
attack!(session_made_up, "a session nobody began: refused", {
    let web = HttpServer::new();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    for session in ["x", "../../etc", "00000000-0000-0000-0000-000000000000"] {
        let reply = web.request("POST", "/mcp", &[("Mcp-Session-Id", session)], &body);
        assert!((400..500).contains(&reply.status), "{reply:?}");
    }
});
attack!(path_in_the_address, "paths in the address: nothing is there", {
    let web = HttpServer::new();
    for path in [
        "/../secret.py",
        "/mcp/../../secret.py",
        "/%2e%2e/secret.py",
        "/etc/passwd",
        "/shop/cart.py",
        "//evil.example/",
    ] {
        let reply = web.request("GET", path, &[], "");
        assert!(reply.status >= 400, "{path}: {reply:?}");
    }
    web.assert_alive();
});
attack!(odd_methods, "methods that make no sense: refused", {
    let web = HttpServer::new();
    for method in ["PUT", "PATCH", "TRACE", "CONNECT", "HACK"] {
        let reply = web.request(method, "/mcp", &[], "");
        assert!(reply.status >= 400 || reply.status == 0, "{method}: {reply:?}");
    }
    web.assert_alive();
});
attack!(
    connections_that_wait,
    "six hundred connections that say half a word: the health check answers at once",
    {
        let web = HttpServer::new();
        web.assert_alive();
        let mut idle: Vec<TcpStream> =
            (0..600).filter_map(|_| TcpStream::connect(&web.address).ok()).collect();
        for stream in &mut idle {
            let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le");
        }
        answers_quickly(&web);
        let sessions: Vec<String> = (0..3).map(|_| web.session()).collect();
        assert_eq!(sessions.len(), 3, "clients get in as well");
    }
);
attack!(
    bodies_that_never_come,
    "six hundred requests without their bodies: the health check answers at once",
    {
        let web = HttpServer::new();
        web.assert_alive();
        let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", web.address);
        let mut slow: Vec<TcpStream> =
            (0..600).filter_map(|_| TcpStream::connect(&web.address).ok()).collect();
        for stream in &mut slow {
            let _ = stream.write_all(head.as_bytes());
        }
        answers_quickly(&web);
    }
);
attack!(sessions_without_end, "three hundred sessions that are left: new clients get in, busy ones stay", {
    let web = HttpServer::new();
    let busy = web.session();
    let call = |session: &str| {
        let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {} }).to_string();
        web.request("POST", "/mcp", &[("Mcp-Session-Id", session)], &body).status
    };
    assert_eq!(call(&busy), 200);
    let left: Vec<String> = (0..300).map(|_| web.session()).collect();
    assert_eq!(call(&busy), 200, "one that was used stays");
    assert_eq!(call(&left[299]), 200, "the newest stays");
    assert_eq!(call(&left[0]), 404, "the oldest that was never used made room");
    web.assert_alive();
});
attack!(secret_over_http, "the paths of the other attacks over HTTP: the secret is not there", {
    let web = HttpServer::new();
    let session = web.session();
    for target in ["../secret.py", "/etc/passwd", "link.py", "linked/secret.py"] {
        let answer =
            web.ask(&session, "tools/call", &json!({ "name": "read", "arguments": { "target": target } }));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    // Over HTTP, a client does not choose the directory.
    assert!(web.tree.root().exists());
});
attack!(half_a_request, "a request that ends in the middle: left aside", {
    let web = HttpServer::new();
    let mut stream = TcpStream::connect(&web.address).expect("it listens");
    stream
        .write_all(
            format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", web.address)
                .as_bytes(),
        )
        .expect("it reads");
    stream.shutdown(std::net::Shutdown::Write).expect("half is closed");
    let mut rest = String::new();
    let _ = stream.read_to_string(&mut rest);
    web.assert_alive();
});
