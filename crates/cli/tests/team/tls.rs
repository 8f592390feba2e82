//! TLS: between clients and nodes, and between nodes and the database.

use crate::database::python;
use crate::server::{Team, team, text};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/team/tls_test_certificate.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/team/tls_test_key.pem");

const LIBRARY: &[(&str, &str)] = &[("lib.py", "def shared_name():\n    return 1\n")];

/// Asks a server for a name; with a certificate, only that one is trusted.
fn ask(team: &Team, url: &str, token: &str, trusted: Option<&str>) -> (String, String) {
    let remote = format!("remote.url={url}");
    let root = team.path("own");
    let root = root.to_str().expect("a name");
    let mut command = team.command(&["--root", root, "--set", &remote, "symbols", "shared_name"]);
    if let Some(trusted) = trusted {
        command.env("SSL_CERT_FILE", trusted);
    }
    let output = command.env("ORIENT_TEAM_TOKEN", token).output().expect("it runs");
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_node_with_a_certificate_is_asked_over_tls_by_clients_that_trust_it() {
    let team = team!();
    team.commit("own", &[("mine.py", "def shared_name():\n    return 2\n")]);
    team.publish("library", LIBRARY);
    let token = team.token(&["library"]);
    let node = team.serve_more(&["--tls-cert", CERTIFICATE, "--tls-key", KEY]);
    let port = node.address().rsplit(':').next().expect("a port").to_owned();
    let (https, http) = (format!("https://localhost:{port}"), format!("http://localhost:{port}"));
    let (out, notes) = ask(&team, &https, &token, Some(CERTIFICATE));
    assert!(out.contains("library/lib.py"), "{out}{notes}");
    for (url, trusted) in [(&https, None), (&http, Some(CERTIFICATE))] {
        let (out, notes) = ask(&team, url, &token, trusted);
        assert!(out.contains("mine.py") && !out.contains("library/lib.py"), "{url} {trusted:?}: {out}");
        assert!(notes.contains("this machine only"), "{notes}");
    }
}

#[test]
fn a_certificate_that_cannot_be_used_is_refused_at_the_start() {
    let team = team!();
    let run = |arguments: &[&str]| {
        let output = team.run(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
        assert!(!output.status.success());
        text(&output.stderr)
    };
    assert!(run(&["--tls-cert", CERTIFICATE]).contains("--tls-key"));
    assert!(run(&["--tls-cert", KEY, "--tls-key", KEY]).contains("cannot be used for TLS"));
    assert!(run(&["--tls-cert", "/no/such/file", "--tls-key", KEY]).contains("cannot be used for TLS"));
}

/// A server that speaks TLS and passes everything on to the database; PostgreSQL itself is built without TLS in the wheel.
struct Proxy {
    child: Child,
    port: String,
}

impl Proxy {
    fn start(socket: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/team/tls_proxy.py");
        let mut command = Command::new(python().expect("the database has started"));
        let mut child = command
            .args([script, CERTIFICATE, KEY, socket])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut port = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut port).expect("a port");
        Self { child, port: port.trim().to_owned() }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_database_is_reached_over_tls_and_only_if_its_certificate_is_right() {
    let team = team!();
    team.publish("library", LIBRARY);
    let address = &team.database.address;
    let (base, host) = address.split_once("?host=").expect("the address of a socket");
    let (user, name) =
        base.strip_prefix("postgresql://").and_then(|rest| rest.split_once("@/")).expect("a user");
    let proxy = Proxy::start(&format!("{}/.s.PGSQL.5432", host.replace("%2F", "/")));
    let status = |host: &str, parameters: &str| {
        let address = format!("postgres://{user}@{host}:{}/{name}?{parameters}", proxy.port);
        let mut command = team.command(&["team", "status"]);
        let output =
            command.env("ORIENT_TEAM_DATABASE", address).env("SSL_CERT_FILE", "/no/such/file").output();
        let output = output.expect("it runs");
        (output.status.success(), text(&output.stderr))
    };
    let verified = format!("sslmode=verify-full&sslrootcert={CERTIFICATE}");
    assert!(status("localhost", &verified).0, "{}", status("localhost", &verified).1);
    assert!(status("localhost", "sslmode=require").0, "encrypted, whatever the certificate says");
    assert!(!status("127.0.0.2", &verified).0, "the certificate is that of another host");
    assert!(!status("localhost", "sslmode=verify-full").0, "nobody trusts the certificate");
    assert!(!status("localhost", "sslmode=disable").0, "the server wants TLS");
    assert!(status("localhost", "sslmode=verify-ca").1.contains("verify-full"));
}
