//! Proofs of a webhook: that a notification comes from someone who knows the secret of a repository.

use axum::http::HeaderMap;
use ring::{digest, hmac};

/// The signature of the body that GitHub and its relatives send: HMAC-SHA256 in hexadecimal form.
const SIGNATURE: &str = "x-hub-signature-256";
/// The secret itself, as GitLab sends it.
const TOKEN: &str = "x-gitlab-token";

/// Whether a request proves that its sender knows a secret. Takes the same time for a wrong secret and a right one.
pub(crate) fn is_proven(headers: &HeaderMap, body: &[u8], secret: &[u8]) -> bool {
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(signature) = value(SIGNATURE) {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let given = signature.strip_prefix("sha256=").and_then(bytes_of_hex).unwrap_or_default();
        return hmac::verify(&key, body, &given).is_ok();
    }
    // Comparing hashes takes constant time and does not reveal the length.
    value(TOKEN).is_some_and(|given| blake3::hash(given.as_bytes()) == blake3::hash(secret))
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let is_complete = text.len() == digest::SHA256_OUTPUT_LEN * 2 && text.is_ascii();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    text.as_bytes().chunks(2).map(pair).collect::<Option<_>>().filter(|_| is_complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    fn proves(name: &str, value: &str, body: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(name.parse::<HeaderName>().expect("a name"), value.parse().expect("a value"));
        is_proven(&headers, body.as_bytes(), b"It's a Secret to Everybody")
    }

    #[test]
    fn the_published_example_of_a_signature_is_accepted() {
        let right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert!(proves(SIGNATURE, right, "Hello, World!"));
        assert!(!proves(SIGNATURE, right, "Hello, World?"));
        for wrong in [&right[7..], "sha256=", "sha256=zz", "sha1=757107ea", &right.replace('7', "8"), ""] {
            assert!(!proves(SIGNATURE, wrong, "Hello, World!"), "{wrong}");
        }
    }

    #[test]
    fn the_secret_itself_is_accepted_as_a_token() {
        assert!(proves(TOKEN, "It's a Secret to Everybody", "{}"));
        assert!(!proves(TOKEN, "it's a secret to everybody", "{}"));
        assert!(!proves("authorization", "It's a Secret to Everybody", "{}"));
    }
}
