//! Redaction of credentials in lines of source: private keys, known key formats, passwords in addresses, high-entropy values.
//!
//! Each line is split into tokens, runs of the characters that keys consist of. A token is a credential if it has the form of a
//! known kind of key, if it is a random-looking value that is assigned to a name such as `api_key`, or if it is a long
//! random-looking string in quotes. In `token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"` the token after the quote is replaced:
//! `token = "[redacted GitHub token]"`. Between the lines of a private key, everything is replaced.

use serde_json::Value;
use std::borrow::Cow;

/// Known formats: prefix, minimum length of the rest, kind.
const FORMATS: &[(&str, usize, &str)] = &[
    ("AKIA", 16, "AWS access key"),
    ("ASIA", 16, "AWS access key"),
    ("ghp_", 30, "GitHub token"),
    ("gho_", 30, "GitHub token"),
    ("ghu_", 30, "GitHub token"),
    ("ghs_", 30, "GitHub token"),
    ("ghr_", 30, "GitHub token"),
    ("github_pat_", 40, "GitHub token"),
    ("glpat-", 20, "GitLab token"),
    ("xoxb-", 20, "Slack token"),
    ("xoxp-", 20, "Slack token"),
    ("xoxa-", 20, "Slack token"),
    ("xoxs-", 20, "Slack token"),
    ("sk_live_", 16, "Stripe key"),
    ("rk_live_", 16, "Stripe key"),
    ("sk-", 32, "API key"),
    ("AIza", 35, "Google API key"),
    ("ya29.", 30, "Google token"),
    ("npm_", 36, "npm token"),
    ("pypi-", 50, "PyPI token"),
    ("hf_", 30, "Hugging Face token"),
    ("dop_v1_", 40, "DigitalOcean token"),
    ("SG.", 40, "SendGrid key"),
];
/// Parts of names whose value is a credential.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "accesskey",
    "access_key",
    "privatekey",
    "private_key",
    "credential",
];
/// Minimum length of a random-looking value that is assigned to such a name.
const MIN_ASSIGNED: usize = 12;
/// Minimum length of a random-looking string elsewhere.
const MIN_ALONE: usize = 32;
/// Bits per character from which on a value counts as random.
const RANDOM_BITS: f64 = 3.3;
/// The same for strings that no name marks as secret.
const VERY_RANDOM_BITS: f64 = 4.2;

/// Redacts the lines of one answer, in their order.
#[derive(Debug, Default)]
pub struct Redactor {
    in_key: bool,
    count: u64,
}

impl Redactor {
    /// Number of credentials replaced so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A line without credentials.
    pub fn line<'l>(&mut self, line: &'l str) -> Cow<'l, str> {
        if line.contains("-----BEGIN ") && line.contains("PRIVATE KEY") {
            self.in_key = !line.contains("-----END ");
            self.count += 1;
            return Cow::Borrowed("[redacted private key]");
        }
        if self.in_key {
            self.in_key = !line.contains("-----END ");
            return Cow::Borrowed("[redacted]");
        }
        let mut found: Vec<(usize, usize, &str)> = Vec::new();
        for (start, token) in tokens_of(line) {
            if let Some(kind) = kind_of(line, start, token) {
                found.push((start, start + token.len(), kind));
            }
        }
        found.extend(address_password(line).map(|(start, end)| (start, end, "password")));
        if found.is_empty() {
            return Cow::Borrowed(line);
        }
        found.sort_unstable();
        let (mut text, mut at) = (String::with_capacity(line.len()), 0);
        for (start, end, kind) in found {
            if start < at {
                continue;
            }
            text.push_str(&line[at..start]);
            text.extend(["[redacted ", kind, "]"]);
            self.count += 1;
            at = end;
        }
        text.push_str(&line[at..]);
        Cow::Owned(text)
    }

    /// A text of several lines without credentials.
    pub fn text(&mut self, text: &str) -> String {
        let lines: Vec<Cow<'_, str>> = text.split('\n').map(|line| self.line(line)).collect();
        lines.join("\n")
    }
}

/// Runs of the characters that keys consist of, each with its offset.
fn tokens_of(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '=');
    let pieces = line.split(move |c: char| !is_part(c));
    pieces.map(|piece| (piece.as_ptr() as usize - line.as_ptr() as usize, piece)).filter_map(|(at, piece)| {
        // `KEY=value` is one run: the value is what may be secret.
        let value = piece.trim_end_matches('=').rfind('=').map_or(0, |equals| equals + 1);
        let token = &piece[value..];
        (token.len() >= MIN_ASSIGNED).then_some((at + value, token))
    })
}

/// What kind of credential a token of a line is.
fn kind_of(line: &str, start: usize, token: &str) -> Option<&'static str> {
    let known = FORMATS.iter().find(|(prefix, length, _)| {
        token.strip_prefix(prefix).is_some_and(|rest| rest.len() >= *length && is_mixed(rest))
    });
    if let Some((.., kind)) = known {
        return Some(kind);
    }
    let mut parts = token.split('.');
    if token.starts_with("eyJ") && parts.clone().count() == 3 && parts.all(|part| part.len() >= 10) {
        return Some("web token");
    }
    // Checksums of lock files are as random and no secret.
    let before = &line[..start];
    if before.ends_with("sha256-") || token.starts_with("sha") || token.contains('/') && token.contains('.') {
        return None;
    }
    let is_value = before.trim_end_matches(['"', '\'', '`', ' ']).ends_with([':', '=', '>', '(']);
    if is_value && names_secret(before) && is_mixed(token) && bits(token) >= RANDOM_BITS {
        return Some("secret");
    }
    let quoted =
        before.ends_with(['"', '\'', '`']) && line[start + token.len()..].starts_with(['"', '\'', '`']);
    let cased =
        token.contains(|c: char| c.is_ascii_uppercase()) && token.contains(|c: char| c.is_ascii_lowercase());
    let random = token.len() >= MIN_ALONE && cased && is_mixed(token) && bits(token) >= VERY_RANDOM_BITS;
    (quoted && random && !token.starts_with("sha")).then_some("random string")
}

/// Whether the name before a value says that the value is secret: `api_key = `, `"password": `.
fn names_secret(before: &str) -> bool {
    let name = before.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let name = name.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).next();
    let name = name.unwrap_or_default().to_ascii_lowercase().replace('-', "_");
    SECRET_NAMES.iter().any(|secret| name.contains(secret))
}

/// Whether a text has letters and digits; words and numbers have not.
fn is_mixed(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// The Shannon entropy of a text in bits per character.
fn bits(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    #[expect(clippy::cast_precision_loss, reason = "a line is short")]
    let length = text.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    shares.map(|share| -share * share.log2()).sum()
}

/// The password in an address: `https://user:password@host`.
fn address_password(line: &str) -> Option<(usize, usize)> {
    let scheme = line.find("://")? + 3;
    let rest = &line[scheme..];
    let end =
        rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`')).unwrap_or(rest.len());
    let (account, _) = rest[..end].rsplit_once('@')?;
    let (user, password) = account.split_once(':')?;
    let is_placeholder = password.is_empty() || password.starts_with(['$', '{', '<', '%']);
    let start = scheme + user.len() + 1;
    (!is_placeholder).then_some((start, start + password.len()))
}

/// Redacts every text in a JSON value.
pub fn redact_json(value: &mut Value, redactor: &mut Redactor) {
    match value {
        Value::String(text) => *text = redactor.text(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_json(item, redactor)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact_json(field, redactor)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(line: &str) -> String {
        Redactor::default().line(line).into_owned()
    }

    #[test]
    fn known_formats_are_replaced_by_their_kind() {
        // Put together here, so that no scanner takes this file for a leak.
        let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        assert_eq!(redacted(&format!("token = \"{token}\"")), "token = \"[redacted GitHub token]\"");
        let key = ["AKIA", "IOSFODNN7EXAMPL3"].concat();
        assert_eq!(
            redacted(&format!("AWS_ACCESS_KEY_ID={key}")),
            "AWS_ACCESS_KEY_ID=[redacted AWS access key]"
        );
        let web = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
        assert_eq!(redacted(&format!("bearer {web}")), "bearer [redacted web token]");
    }

    #[test]
    fn random_values_of_secret_names_are_replaced() {
        assert_eq!(redacted("api_key: 'q8Zr2LwX0vT5'"), "api_key: '[redacted secret]'");
        assert_eq!(
            redacted("\"db-password\" = \"hT7-kk29-Qx1z\""),
            "\"db-password\" = \"[redacted secret]\""
        );
        assert_eq!(redacted("url = https://me:s3cret@host/x"), "url = https://me:[redacted password]@host/x");
    }

    #[test]
    fn a_private_key_is_replaced_from_begin_to_end() {
        let mut redactor = Redactor::default();
        let key = "a = 1\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nb = 2";
        assert_eq!(redactor.text(key), "a = 1\n[redacted private key]\n[redacted]\n[redacted]\nb = 2");
        assert_eq!(redactor.count(), 1);
    }

    #[test]
    fn any_letters_may_surround_a_value() {
        let pieces = [
            "é",
            "größe",
            "\u{275}",
            "日本",
            "e\u{301}",
            "🦀",
            "a",
            "key",
            " ",
            "=",
            ": ",
            "\"",
            "://",
            "@",
            "q8Zr2LwX0vT5aa",
        ];
        let mut random = 1_u64;
        for _ in 0..20_000 {
            let line: String = (0..8)
                .map(|_| {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    pieces[(random >> 33) as usize % pieces.len()]
                })
                .collect();
            redacted(&line);
        }
        assert_eq!(redacted("größe_password = \"q8Zr2LwX0vT5\""), "größe_password = \"[redacted secret]\"");
        assert_eq!(redacted("Größe: q8Zr2LwX0vT5"), "Größe: q8Zr2LwX0vT5");
    }

    #[test]
    fn code_is_left_as_it_is() {
        for line in [
            "let token = self.next_token_of(line)?;",
            "password = os.environ[\"DATABASE_PASSWORD\"]",
            "\"integrity\": \"sha512-9kWVPNjjWMuBA8KGPGWVoxz6YiSd1WvNnFLbIqAQdjyRjRsV2HqTZxsPUTmkDwu8bOVm0Aqqo+AsDTPU7hxB0A==\",",
            "checksum = \"59807616e1fa2540724bfbac14d7976d7e4a3860aa1f2d6a7c1d0b1e2f3a4b5c\"",
            "const MAX_TOKENS_OF_ALL: usize = 12_000;",
            "https://github.com/rust-lang/rust/blob/master/library/std/src/panicking.rs",
            "postgres://user:$PASSWORD@host/db",
            "secret_name = \"the_name_of_a_secret\"",
        ] {
            assert_eq!(redacted(line), line);
        }
    }
}
