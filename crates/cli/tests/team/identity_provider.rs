//! Access tokens of an identity provider: who they let in, and what they do not reveal.

use crate::server::{NodeProcess, Team};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const ISSUER: &str = "https://login.example.com/realms/acme";
const RESOURCE: &str = "https://code.example.com/mcp";
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource/mcp";

/// Keys that are fetched because a token names an unknown one are fetched at most this often.
const KEY_INTERVAL: Duration = Duration::from_secs(5);

/// The key of an identity provider.
enum SigningKey {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
}

impl SigningKey {
    fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_der(include_bytes!("rsa_test_key.der")).expect("a key"))
    }

    fn p256() -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        Self::P256(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).expect("a key"))
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::P256(_) => "ES256",
        }
    }

    /// The public key, as the provider publishes it.
    fn public(&self, id: &str) -> Value {
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::Rsa(key) => {
                let RsaPublicKeyComponents { n, e } = RsaPublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": id, "n": encode(&n), "e": encode(&e) })
            }
            Self::P256(key) => {
                let point = key.public_key().as_ref();
                json!({ "kty": "EC", "crv": "P-256", "kid": id, "x": encode(&point[1..33]), "y": encode(&point[33..]) })
            }
        }
    }

    /// A token with a header and claims of any kind.
    fn sign(&self, header: &Value, claims: &Value) -> String {
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let (message, random) = (format!("{}.{}", encode(header), encode(claims)), SystemRandom::new());
        let signature = match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature).expect("it signs");
                signature
            }
            Self::P256(key) => key.sign(&random, message.as_bytes()).expect("it signs").as_ref().to_vec(),
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// A valid token of a person.
    fn token(&self, id: &str, person: &str, groups: &[&str]) -> String {
        self.sign(&json!({ "alg": self.algorithm(), "kid": id }), &claims(person, groups))
    }
}

fn seconds_from_now(seconds: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    now.as_secs().cast_signed() + seconds
}

fn claims(person: &str, groups: &[&str]) -> Value {
    json!({ "iss": ISSUER, "aud": RESOURCE, "sub": person, "exp": seconds_from_now(300), "groups": groups })
}

/// A team whose nodes trust an identity provider with a key file.
struct Federated {
    team: Team,
    keys: PathBuf,
}

impl Federated {
    fn new() -> Option<Self> {
        let team = Team::new()?;
        team.publish("own", &[("own.py", "def visible():\n    return 1\n")]);
        team.publish("zanzibar", &[("zanzibar.py", "def zanzibar():\n    return 1\n")]);
        let keys = team.path("keys.json");
        Some(Self { team, keys })
    }

    fn publish_keys(&self, keys: &[Value]) {
        std::fs::write(&self.keys, json!({ "keys": keys }).to_string()).expect("a file");
    }

    fn serve(&self) -> NodeProcess {
        self.serve_with_keys(self.keys.to_str().expect("a name"))
    }

    fn serve_with_keys(&self, keys: &str) -> NodeProcess {
        let provider = ["--oauth-issuer", ISSUER, "--oauth-resource", RESOURCE, "--oauth-keys", keys];
        self.team.serve_more(&provider)
    }
}

fn status(node: &NodeProcess, token: &str) -> u16 {
    node.request("GET", "/v1/repositories", Some(token), "").0
}

fn repositories(node: &NodeProcess, token: &str) -> Vec<String> {
    let (status, body) = node.request("GET", "/v1/repositories", Some(token), "");
    assert_eq!(status, 200, "{body}");
    let listed: Value = serde_json::from_str(&body).expect("JSON");
    let names = listed["repositories"].as_array().expect("a list").iter();
    names.filter_map(|line| line["name"].as_str()).map(str::to_owned).collect()
}

#[test]
fn groups_of_a_person_decide_what_it_may_read() {
    let Some(federated) = Federated::new() else { return };
    let (team, key) = (&federated.team, SigningKey::rsa());
    federated.publish_keys(&[key.public("k1")]);
    let node = federated.serve();
    let anna = key.token("k1", "anna", &["backend", "everyone"]);
    assert_eq!(repositories(&node, &anna), [""; 0], "no group may read anything yet");
    assert_eq!(node.call(&anna, "symbols", None, &json!({ "name": "visible" })).0, 404);
    team.succeeds(&["groups", "grant", "backend", "--repository", "own"]);
    assert_eq!(repositories(&node, &anna), ["own"], "at once");
    assert_eq!(
        repositories(&node, &key.token("k1", "anna", &["everyone"])),
        [""; 0],
        "by the groups of the token"
    );
    assert_eq!(repositories(&node, &key.token("k1", "carl", &["backend"])), ["own"]);
    let found = node.data(&anna, "symbols", None, &json!({ "name": "visible" }));
    assert_eq!(found["symbols"][0]["path"], "own/own.py");
    let hidden = |name: &str| {
        let (status, answer) = node.call(&anna, "symbols", Some(name), &json!({ "name": "zanzibar" }));
        (status, answer.to_string().replace(name, "*"))
    };
    assert_eq!(hidden("zanzibar"), hidden("missing0"));
    assert_eq!(team.succeeds(&["groups"]), "backend  own");
    team.succeeds(&["groups", "grant", "admins", "--all"]);
    assert_eq!(repositories(&node, &key.token("k1", "root", &["admins"])), ["own", "zanzibar"]);
    team.succeeds(&["groups", "withdraw", "backend"]);
    assert_eq!(repositories(&node, &anna), [""; 0], "at once");
    let audited = team.database.sql("SELECT DISTINCT name FROM orient.audit WHERE operation = 'symbols'");
    assert_eq!(audited, "anna");
    let listed = team.succeeds(&["tokens"]);
    let line = listed.lines().find(|line| line.contains("groups backend, everyone")).expect("anna");
    team.succeeds(&["tokens", "revoke", line.split(' ').next().expect("a number")]);
    assert_eq!((status(&node, &anna), status(&node, &key.token("k1", "anna", &["admins"]))), (401, 401));
    assert_eq!(status(&node, &key.token("k1", "carl", &["backend"])), 200);
}

#[test]
fn a_token_that_does_not_count_is_rejected_like_any_other() {
    let Some(federated) = Federated::new() else { return };
    let (key, stranger) = (SigningKey::p256(), SigningKey::p256());
    federated.team.succeeds(&["groups", "grant", "admins", "--all"]);
    federated.publish_keys(&[key.public("k1")]);
    let node = federated.serve();
    let header = json!({ "alg": "ES256", "kid": "k1" });
    let with = |claim: &str, value: Value| {
        let mut claims = claims("anna", &["admins"]);
        claims[claim] = value;
        key.sign(&header, &claims)
    };
    let valid = key.token("k1", "anna", &["admins"]);
    assert_eq!(status(&node, &valid), 200);
    let parts: Vec<&str> = valid.split('.').collect();
    let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
    let wrong = [
        ("expired", with("exp", json!(seconds_from_now(-3600)))),
        ("without an end", with("exp", Value::Null)),
        ("for another server", with("aud", json!("https://other.example.com/mcp"))),
        ("for a part of the address", with("aud", json!("https://code.example.com"))),
        ("of another issuer", with("iss", json!("https://login.example.com/realms/other"))),
        ("not valid yet", with("nbf", json!(seconds_from_now(3600)))),
        ("without a signature", format!("{none}.{}.", parts[1])),
        ("unsigned with one", format!("{none}.{}.{}", parts[1], parts[2])),
        (
            "of another algorithm",
            key.sign(&json!({ "alg": "HS256", "kid": "k1" }), &claims("anna", &["admins"])),
        ),
        ("of an unknown key", key.token("k9", "anna", &["admins"])),
        ("of a stranger", stranger.token("k1", "anna", &["admins"])),
        (
            "with changed claims",
            format!(
                "{}.{}.{}",
                parts[0],
                with("sub", json!("eve")).split('.').nth(1).expect("claims"),
                parts[2]
            ),
        ),
        ("no token at all", "a.b.c".to_owned()),
        ("an unknown token of ours", "ort_wrong".to_owned()),
    ];
    let answer = |token: &str| node.request_with_head("GET", "/v1/repositories", Some(token), "");
    let (code, head, body) = answer("ort_wrong");
    let challenge = format!(
        "www-authenticate: Bearer error=\"invalid_token\", resource_metadata=\"https://code.example.com{WELL_KNOWN}\""
    );
    assert!(code == 401 && head.contains(&challenge), "{head}");
    for (what, token) in &wrong {
        let (other_code, other_head, other_body) = answer(token);
        assert_eq!((code, &body), (other_code, &other_body), "{what}");
        assert!(other_head.contains(&challenge), "{what}: {other_head}");
    }
    assert_eq!(status(&node, &federated.team.token(&["own"])), 200, "tokens of ours count too");
}

#[test]
fn clients_find_the_identity_provider_and_no_more() {
    let Some(federated) = Federated::new() else { return };
    let node = federated.serve();
    let (code, head, _) = node.request_with_head("POST", "/mcp", None, "{}");
    let challenge =
        format!("www-authenticate: Bearer resource_metadata=\"https://code.example.com{WELL_KNOWN}\"");
    assert!(code == 401 && head.contains(&challenge), "{head}");
    for path in [WELL_KNOWN, "/.well-known/oauth-protected-resource"] {
        let (code, body) = node.request("GET", path, None, "");
        let metadata: Value = serde_json::from_str(&body).expect("JSON");
        let expected = (200, &json!(RESOURCE), &json!([ISSUER]), &json!(["header"]));
        let found = (
            &metadata["resource"],
            &metadata["authorization_servers"],
            &metadata["bearer_methods_supported"],
        );
        assert_eq!((code, found.0, found.1, found.2), expected);
    }
    assert_eq!(node.request("GET", "/.well-known/oauth-protected-resource/v1", None, "").0, 401);
    let without = federated.team.serve();
    assert_eq!(without.request("GET", WELL_KNOWN, None, "").0, 401);
}

#[test]
fn keys_are_fetched_again_when_the_provider_has_new_ones() {
    let Some(federated) = Federated::new() else { return };
    federated.team.succeeds(&["groups", "grant", "admins", "--all"]);
    let (old, new) = (SigningKey::p256(), SigningKey::rsa());
    let (address, replace) = key_server(json!({ "keys": [old.public("old")] }));
    let node = federated.serve_with_keys(&format!("http://{address}/keys"));
    assert_eq!(status(&node, &old.token("old", "anna", &["admins"])), 200);
    replace.send(json!({ "keys": [new.public("new")] })).expect("it runs");
    std::thread::sleep(KEY_INTERVAL);
    assert_eq!(status(&node, &new.token("new", "anna", &["admins"])), 200);
    assert_eq!(status(&node, &old.token("old", "anna", &["admins"])), 401, "it is withdrawn");
    replace.send(Value::Null).expect("it runs");
    std::thread::sleep(KEY_INTERVAL);
    assert_eq!(status(&node, &new.token("other", "anna", &["admins"])), 401);
    assert_eq!(status(&node, &new.token("new", "anna", &["admins"])), 200, "known keys outlive a failure");
}

/// A server of keys, which may be replaced; `null` makes it fail.
fn key_server(mut keys: Value) -> (String, std::sync::mpsc::Sender<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let (replace, replaced) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            keys = replaced.try_iter().last().unwrap_or(keys);
            let _ = stream.read(&mut [0; 4096]);
            let (status, body) =
                if keys.is_null() { ("500 Error", String::new()) } else { ("200 OK", keys.to_string()) };
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    (address, replace)
}
