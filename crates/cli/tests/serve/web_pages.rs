//! The web pages of a real server: the gate in front of them, their headers, compression, caching and events.

use crate::http_client::{HttpResponse, HttpServer};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const BROWSER: (&str, &str) = ("Accept", "text/html,application/xhtml+xml");

fn get(server: &HttpServer, path: &str, headers: &[(&str, &str)]) -> HttpResponse {
    let headers: Vec<(&str, &str)> = [BROWSER].into_iter().chain(headers.iter().copied()).collect();
    server.request("GET", path, &headers, "")
}

/// Waits for the first index: until then, every page says that it is being built.
fn indexed(server: &HttpServer) -> HttpResponse {
    for _ in 0..200 {
        let page = get(server, "/", &[]);
        if page.status != 503 {
            return page;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("there is no index");
}

#[test]
fn every_page_is_confined_by_its_headers() {
    let server = HttpServer::new();
    assert_eq!(indexed(&server).status, 200);
    for path in [
        "/",
        "/search?q=x",
        "/code/",
        "/graph",
        "/map",
        "/change",
        "/status",
        "/help",
        "/no/such/page",
        "/assets/none.js",
    ] {
        let page = get(&server, path, &[]);
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
             base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(page.head.contains(header), "{path}: {}", page.head);
        }
    }
    server.assert_alive();
}

#[test]
fn the_gate_is_in_front_of_every_page() {
    let server = HttpServer::new();
    for path in ["/", "/search?q=x", "/code/", "/events", "/login", "/assets/x", "/anything"] {
        assert_eq!(get(&server, path, &[("Host", "evil.example")]).status, 403, "{path}");
        assert_eq!(get(&server, path, &[("Origin", "https://evil.example")]).status, 403, "{path}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(server.request(method, "/code/", &[], "{}").status, 405, "{method}");
    }
}

#[test]
fn a_browser_signs_in_once() {
    let server = HttpServer::with(&[], Some(TOKEN));
    let asked = get(&server, "/code/?x=%22%3E%3Cscript%3E", &[]);
    assert_eq!(asked.status, 401);
    assert!(asked.body.contains("name=\"token\"") && !asked.body.contains("\"><script>"), "{}", asked.body);
    assert_eq!(server.request("GET", "/code/", &[], "").status, 401, "programs get no form");
    let form = [BROWSER, ("Content-Type", "application/x-www-form-urlencoded")];
    let wrong = server.request("POST", "/login", &form, "token=wrong&next=%2Fcode%2F");
    assert!(wrong.status == 401 && !wrong.head.contains("set-cookie"), "{wrong:?}");
    let right = server.request("POST", "/login", &form, &format!("token={TOKEN}&next=%2Fcode%2F"));
    assert_eq!(right.status, 303);
    assert!(
        right.head.contains("location: /code/") && right.head.contains("; httponly; samesite=strict"),
        "{}",
        right.head
    );
    let cookie = right.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    let cookie = cookie.split(';').next().expect("a value");
    assert!(!cookie.contains(TOKEN));
    assert_ne!(get(&server, "/code/", &[("Cookie", cookie)]).status, 401);
    for path in ["/mcp", "/metrics"] {
        assert_eq!(
            server.request("POST", path, &[("Cookie", cookie)], "{}").status,
            401,
            "{path} needs the token itself"
        );
    }
    let elsewhere =
        server.request("POST", "/login", &form, &format!("token={TOKEN}&next=%2F%2Fevil.example"));
    assert!(elsewhere.head.contains("location: /\r\n"), "{}", elsewhere.head);
}

#[test]
fn pages_are_compressed_and_not_sent_twice() {
    let server = HttpServer::new();
    let page = indexed(&server);
    let tag = page.head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned();
    assert_eq!(get(&server, "/", &[("If-None-Match", &tag)]).status, 304);
    let packed = get(&server, "/", &[("Accept-Encoding", "gzip")]);
    assert!(packed.head.contains("content-encoding: gzip"), "{}", packed.head);
    let style = page
        .body
        .split("href=\"/assets/")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a style sheet");
    let style = get(&server, &format!("/assets/{style}"), &[]);
    assert!(style.status == 200 && style.head.contains("immutable"), "{}", style.head);
}

#[test]
fn events_tell_the_generation_of_the_index() {
    let server = HttpServer::new();
    indexed(&server);
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
    let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(request.as_bytes()).expect("it is sent");
    let (mut text, mut part) = (String::new(), [0; 4096]);
    while !text.contains("generation=") {
        let read = stream.read(&mut part).expect("an event");
        assert!(read > 0, "the stream ended: {text}");
        text.push_str(&String::from_utf8_lossy(&part[..read]));
    }
    assert!(text.to_ascii_lowercase().contains("content-type: text/event-stream"), "{text}");
    assert!(text.contains("event: index") && text.contains("pending=0"), "{text}");
}
