//! Signed notifications of a repository's host.

use crate::server::{NodeProcess, team};
use ring::hmac;
use std::fmt::Write;

fn signature(secret: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mut text = "X-Hub-Signature-256: sha256=".to_owned();
    for byte in hmac::sign(&key, body.as_bytes()).as_ref() {
        write!(text, "{byte:02x}").expect("text");
    }
    text
}

fn notify(node: &NodeProcess, repository: &str, proof: &str, body: &str) -> (u16, String) {
    node.request_with("POST", &format!("/v1/hooks/{repository}"), proof, body)
}

#[test]
fn a_signed_notification_asks_for_a_comparison_with_the_source() {
    let team = team!();
    team.publish("acme/shop", &[("a.py", "def before():\n    pass\n")]);
    team.publish("other", &[("b.py", "def other():\n    pass\n")]);
    let node = team.serve();
    let secret = team.succeeds(&["webhook", "acme/shop"]);
    let jobs = || {
        team.database.sql(
            "SELECT string_agg(r.name, ',') FROM orient.job j JOIN orient.branch b ON b.id = j.branch \
             JOIN orient.repository r ON r.id = b.repository",
        )
    };
    let body = r#"{"ref":"refs/heads/main"}"#;
    assert_eq!(notify(&node, "acme/shop", &signature(&secret, body), body).0, 202);
    assert_eq!(jobs(), "acme/shop");
    team.work();
    assert_eq!(notify(&node, "acme/shop", &format!("X-Gitlab-Token: {secret}"), body).0, 202);
    assert_eq!(jobs(), "acme/shop");
    team.work();
    let renewed = team.succeeds(&["webhook", "acme/shop"]);
    let refused = notify(&node, "missing", &signature(&secret, body), body);
    assert_eq!(refused.0, 403);
    let proofs = [
        signature(&secret, body),
        signature(&renewed, "{}"),
        signature("", body),
        format!("X-Gitlab-Token: {secret}"),
        "X-Gitlab-Token: ".to_owned(),
        "X-Hub-Signature-256: sha256=".to_owned(),
        "Authorization: Bearer x".to_owned(),
    ];
    for proof in &proofs {
        for repository in ["acme/shop", "other", "missing", "a/../b"] {
            assert_eq!(notify(&node, repository, proof, body), refused, "{repository} {proof}");
        }
    }
    assert_eq!(
        notify(&node, "other", &signature(&renewed, body), body),
        refused,
        "a secret is for one repository"
    );
    assert_eq!(jobs(), "", "nothing was asked for");
    assert!(!team.run(&["webhook", "missing"]).status.success());
}
