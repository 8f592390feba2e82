//! The web pages of a node: what a person with a token sees of many repositories.

use crate::server::{NodeProcess, request, team};

const LIBRARY: &[(&str, &str)] =
    &[("src/lib.py", "def shared_name():\n    return helper()\n\n\ndef helper():\n    return 1\n")];
const OTHER: &[(&str, &str)] = &[("other.py", "def shared_name():\n    return 2\n")];

/// Asks for a page as a browser does, with a cookie; returns status, head and page.
fn page(node: &NodeProcess, path: &str, cookie: &str) -> (u16, String, String) {
    // The header of the test client asks for JSON as well; that of a browser counts.
    let headers = format!("Accept: text/html\r\nCookie: {cookie}");
    request(node.address(), "GET", path, &headers, "").expect("it answers")
}

fn header<'h>(head: &'h str, name: &str) -> &'h str {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
    line.and_then(|line| line.split_once(": ")).map_or("", |(_, value)| value)
}

#[test]
fn a_person_signs_in_and_explores_the_repositories_of_its_token() {
    let team = team!();
    team.publish("acme/library", LIBRARY);
    team.publish("other", OTHER);
    team.publish("secret", &[("secret.py", "def shared_name():\n    return 3\n")]);
    let token = team.token(&["acme/library", "other"]);
    let node = team.serve();
    let (status, _, form) = page(&node, "/", "");
    assert!(status == 401 && form.contains("action=\"/login\""), "{status} {form}");
    let login = |token: &str| {
        request(node.address(), "POST", "/login", "", &format!("token={token}&next=/search?q=helper"))
            .expect("it answers")
    };
    assert_eq!(login("ort_wrong").0, 401);
    let (status, head, _) = login(&token);
    let cookie = header(&head, "set-cookie").split(';').next().unwrap_or_default().to_owned();
    assert_eq!((status, header(&head, "location")), (303, "/search?q=helper"));
    assert!(head.contains("HttpOnly; SameSite=Strict"), "{head}");

    let (status, _, list) = page(&node, "/", &cookie);
    assert!(
        status == 200
            && list.contains("href=\"/r/acme/library/-/\"")
            && list.contains("href=\"/r/other/-/\""),
        "{list}"
    );
    assert!(!list.contains("secret"), "{list}");
    let (_, _, hits) = page(&node, "/search?q=shared_name&mode=names", &cookie);
    assert!(hits.contains("acme/library/src/lib.py") && hits.contains("other/other.py"), "{hits}");
    assert!(!hits.contains("secret"), "{hits}");
    let (status, head, _) = page(&node, "/code/acme/library/src/lib.py", &cookie);
    assert_eq!((status, header(&head, "location")), (303, "/r/acme/library/-/code/src/lib.py"));

    for (path, part) in [
        ("/r/acme/library/-/", "href=\"/r/acme/library/-/code/src\""),
        ("/r/acme/library/-/code/src/lib.py", "href=\"/r/acme/library/-/code/src/lib.py"),
        ("/r/acme/library/-/graph?symbol=helper", "shared_name"),
        ("/r/acme/library/-/map", "src"),
        ("/r/acme/library/-/search?q=helper", "href=\"/r/acme/library/-/code/src/lib.py"),
        ("/r/acme/library/-/card?symbol=helper", "def helper"),
        ("/search?q=+", "2 repositories"),
        ("/help", "Keys and syntax"),
    ] {
        let (status, _, page) = page(&node, path, &cookie);
        assert!(status == 200 && page.contains(part), "{path}: {status} {page}");
        assert!(
            !page.contains("href=\"/code/") && !page.contains("href=\"/graph"),
            "{path} leads elsewhere: {page}"
        );
        for checkout in ["Blame", "-/change", "Revision"] {
            assert!(!page.contains(checkout), "{path} offers what needs a checkout: {checkout}");
        }
    }
    for path in [
        "/r/acme/library/-/status",
        "/r/acme/library/-/change",
        "/r/secret/-/",
        "/r/secret/-/code/secret.py",
        "/code/secret/secret.py",
        "/r/none/-/",
        "/none",
    ] {
        assert_eq!(page(&node, path, &cookie).0, 404, "{path}");
    }
    let (status, _, _) = request(node.address(), "GET", "/v1/repositories", &format!("Cookie: {cookie}"), "")
        .expect("it answers");
    assert_eq!(status, 401, "a cookie is for pages only");
    team.succeeds(&["tokens", "revoke", "1"]);
    assert_eq!(page(&node, "/", &cookie).0, 401, "a revoked token is refused at once");
    let asked = team.database.sql(
        "SELECT count(*) FROM orient.audit WHERE operation = 'page' AND 'acme/library' = ANY(repositories)",
    );
    assert!(asked.parse::<u32>().is_ok_and(|asked| asked >= 6), "{asked}");
}
