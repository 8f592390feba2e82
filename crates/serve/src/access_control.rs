//! Access control: checks the `Host`, `Origin`, `Authorization` and `Cookie` headers before anything else reads a request. A web page
//! that reaches a local server through a browser (DNS rebinding) has a foreign host or origin; a client on another machine needs the
//! token. A browser sends the token once, and then a cookie that is derived from it.

use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use std::net::IpAddr;

/// The name of the cookie that stands for the token.
pub(crate) const SESSION_COOKIE: &str = "orient_session";
/// Separates the cookie from every other use of the token.
const COOKIE_CONTEXT: &str = "orient 2026-11-17 cookie of a browser session";

/// The hosts, origins and the token that are accepted.
pub(crate) struct AccessControl {
    hosts: Vec<String>,
    origins: Vec<String>,
    token: Option<blake3::Hash>,
    /// The cookie of a browser that has sent the token.
    cookie: Option<blake3::Hash>,
}

/// What a request must prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequiredProof {
    /// Nothing: a health check, the form for the token and what it is drawn with.
    Nothing,
    /// The token, as programs send it.
    Token,
    /// The token or the cookie, as browsers send it.
    TokenOrCookie,
}

/// The response to a rejected request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) status: StatusCode,
    pub(crate) reason: &'static str,
}

const fn reject(status: StatusCode, reason: &'static str) -> Rejection {
    Rejection { status, reason }
}

impl AccessControl {
    /// Accepts the names of the address, of the local machine, and the given hosts and origins.
    pub(crate) fn new(address: IpAddr, hosts: &[String], origins: &[String], token: Option<&str>) -> Self {
        let mut known: Vec<String> = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).to_vec();
        if !address.is_unspecified() {
            known.push(if address.is_ipv6() { format!("[{address}]") } else { address.to_string() });
        }
        known.extend(hosts.iter().map(|host| host.trim().to_ascii_lowercase()));
        let origins =
            origins.iter().map(|origin| origin.trim().trim_end_matches('/').to_ascii_lowercase()).collect();
        let cookie = |token: &str| blake3::Hash::from(blake3::derive_key(COOKIE_CONTEXT, token.as_bytes()));
        Self {
            hosts: known,
            origins,
            token: token.map(|token| blake3::hash(token.as_bytes())),
            cookie: token.map(cookie),
        }
    }

    /// Whether a token is required.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The cookie for a browser that sends the right token; `None` for a wrong one.
    pub(crate) fn cookie_for(&self, token: &str) -> Option<String> {
        let is_right = self.token.is_some_and(|known| blake3::hash(token.trim().as_bytes()) == known);
        self.cookie.filter(|_| is_right).map(|cookie| cookie.to_hex().to_string())
    }

    /// Checks the headers of a request. `authority` is the host of an absolute request target.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        authority: Option<&str>,
        required: RequiredProof,
    ) -> Result<(), Rejection> {
        let wrong = |InvalidHeader| {
            reject(StatusCode::BAD_REQUEST, "the Host and Origin headers must be given at most once, as text")
        };
        let Some(host) = single_value(headers, &header::HOST).map_err(wrong)? else {
            return Err(reject(StatusCode::BAD_REQUEST, "a Host header is required"));
        };
        let host = host.to_ascii_lowercase();
        let ours = |host: &str| self.hosts.iter().any(|known| known == without_port(host));
        if !ours(&host) || authority.is_some_and(|authority| !ours(&authority.to_ascii_lowercase())) {
            return Err(reject(StatusCode::FORBIDDEN, "this host name is not allowed; see --allow-host"));
        }
        if let Some(origin) = single_value(headers, &header::ORIGIN).map_err(wrong)? {
            let origin = origin.to_ascii_lowercase();
            let own = [format!("http://{host}"), format!("https://{host}")];
            if !own.contains(&origin) && !self.origins.contains(&origin) {
                return Err(reject(StatusCode::FORBIDDEN, "this origin is not allowed; see --allow-origin"));
            }
        }
        match &self.token {
            Some(token) if required != RequiredProof::Nothing => {
                let has_cookie = required == RequiredProof::TokenOrCookie && self.has_cookie(headers);
                let given = Self::bearer_token(headers);
                // Comparing hashes takes constant time and does not reveal the length.
                if has_cookie || given.is_some_and(|given| blake3::hash(given.as_bytes()) == *token) {
                    return Ok(());
                }
                Err(reject(StatusCode::UNAUTHORIZED, "a bearer token is required"))
            }
            _ => Ok(()),
        }
    }

    /// The bearer token of a request.
    pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
        single_value(headers, &header::AUTHORIZATION).ok().flatten().and_then(bearer)
    }

    /// Whether a request has the cookie. Hashes are compared in constant time.
    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| {
            let given = blake3::Hash::from_hex(value).ok();
            name == SESSION_COOKIE && given.is_some() && given == self.cookie
        })
    }
}

/// A header that occurs twice or is not text.
#[derive(Debug)]
struct InvalidHeader;

/// The value of a header that must occur at most once.
fn single_value<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, InvalidHeader> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| InvalidHeader),
        (Some(_), Some(_)) => Err(InvalidHeader),
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(access: &AccessControl, headers: &[(&str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name.parse::<HeaderName>().expect("a name"), value.parse().expect("a value"));
        }
        access
            .check(&map, None, RequiredProof::Token)
            .err()
            .map_or(200, |rejection| rejection.status.as_u16())
    }

    fn access(token: Option<&str>) -> AccessControl {
        AccessControl::new(
            [127, 0, 0, 1].into(),
            &["Code.example".to_owned()],
            &["https://app.example".to_owned()],
            token,
        )
    }

    #[test]
    fn only_known_hosts_are_accepted() {
        let access = access(None);
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:7777", "[::1]:7777", "code.example:1"] {
            assert_eq!(check(&access, &[("host", host)]), 200, "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
            "[::2]",
            "localhost:80:80",
        ] {
            assert_eq!(check(&access, &[("host", host)]), 403, "{host}");
        }
        assert_eq!(check(&access, &[]), 400);
        assert_eq!(check(&access, &[("host", "localhost"), ("host", "evil.example")]), 400);
    }

    #[test]
    fn only_own_and_allowed_origins_are_accepted() {
        let access = access(None);
        let with = |origin: &str| check(&access, &[("host", "localhost:7777"), ("origin", origin)]);
        assert_eq!((with("http://localhost:7777"), with("https://app.example")), (200, 200));
        for origin in
            ["http://evil.example", "null", "http://localhost:3000", "https://app.example.evil", "file://"]
        {
            assert_eq!(with(origin), 403, "{origin}");
        }
    }

    #[test]
    fn only_the_exact_token_is_accepted() {
        let access = access(Some("s3cret"));
        let with = |value: &str| check(&access, &[("host", "localhost"), ("authorization", value)]);
        assert_eq!((with("Bearer s3cret"), with("bearer s3cret")), (200, 200));
        for value in ["Bearer s3cre", "Bearer s3crett", "Bearer ", "Basic s3cret", "s3cret", "Bearer S3CRET"]
        {
            assert_eq!(with(value), 401, "{value}");
        }
        assert_eq!(check(&access, &[("host", "localhost")]), 401);
        let twice =
            [("host", "localhost"), ("authorization", "Bearer x"), ("authorization", "Bearer s3cret")];
        assert_eq!(check(&access, &twice), 401);
    }

    #[test]
    fn a_browser_sends_the_token_once_and_then_a_cookie() {
        let access = access(Some("s3cret"));
        let cookie = access.cookie_for(" s3cret\n").expect("the right token");
        assert!(access.cookie_for("s3cre").is_none() && access.cookie_for("").is_none());
        assert!(!cookie.contains("s3cret"));
        let with = |value: &str, required| {
            let mut map = HeaderMap::new();
            map.insert("host", "localhost".parse().expect("a value"));
            map.insert("cookie", value.parse().expect("a value"));
            access.check(&map, None, required).is_ok()
        };
        let right = format!("theme=dark; {SESSION_COOKIE}={cookie}");
        assert!(with(&right, RequiredProof::TokenOrCookie));
        assert!(!with(&right, RequiredProof::Token), "programs send the token itself");
        for wrong in ["", "orient_session=", "orient_session=s3cret", &format!("other={cookie}")] {
            assert!(!with(wrong, RequiredProof::TokenOrCookie), "{wrong}");
        }
    }
}
