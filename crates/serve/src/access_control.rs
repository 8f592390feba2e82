//! Who may come in: requests are looked at before anything reads them. A web page that made a browser talk to us names
//! a foreign host or origin; whoever comes from another machine must know the token.

use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use std::net::IpAddr;

/// What is asked of a request.
pub(crate) struct AccessControl {
    hosts: Vec<String>,
    origins: Vec<String>,
    token: Option<blake3::Hash>,
}

/// Why a request is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) why: &'static str,
}

const fn refused(status: StatusCode, why: &'static str) -> Refused {
    Refused { status, why }
}

impl AccessControl {
    /// A gate for an address: its own names and those of this machine are known, and what is named besides.
    pub(crate) fn new(address: IpAddr, hosts: &[String], origins: &[String], token: Option<&str>) -> Self {
        let mut known: Vec<String> = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).to_vec();
        if !address.is_unspecified() {
            known.push(if address.is_ipv6() { format!("[{address}]") } else { address.to_string() });
        }
        known.extend(hosts.iter().map(|host| host.trim().to_ascii_lowercase()));
        let origins =
            origins.iter().map(|origin| origin.trim().trim_end_matches('/').to_ascii_lowercase()).collect();
        Self { hosts: known, origins, token: token.map(|token| blake3::hash(token.as_bytes())) }
    }

    /// Lets a request pass or says why not. `named` is the host in its address, if there is one there; `open` is for what
    /// anybody on this machine may know.
    pub(crate) fn check(&self, headers: &HeaderMap, named: Option<&str>, open: bool) -> Result<(), Refused> {
        let wrong = |Unclear| refused(StatusCode::BAD_REQUEST, "Host and Origin can be given once, as text");
        let Some(host) = only(headers, &header::HOST).map_err(wrong)? else {
            return Err(refused(StatusCode::BAD_REQUEST, "a Host header is needed"));
        };
        let host = host.to_ascii_lowercase();
        let ours = |host: &str| self.hosts.iter().any(|known| known == name(host));
        if !ours(&host) || named.is_some_and(|named| !ours(&named.to_ascii_lowercase())) {
            return Err(refused(StatusCode::FORBIDDEN, "this host name is not ours; see --allow-host"));
        }
        if let Some(origin) = only(headers, &header::ORIGIN).map_err(wrong)? {
            let origin = origin.to_ascii_lowercase();
            let own = [format!("http://{host}"), format!("https://{host}")];
            if !own.contains(&origin) && !self.origins.contains(&origin) {
                return Err(refused(StatusCode::FORBIDDEN, "this origin is not allowed; see --allow-origin"));
            }
        }
        match &self.token {
            Some(token) if !open => {
                let given = only(headers, &header::AUTHORIZATION).ok().flatten().and_then(bearer);
                // Hashes compare in constant time, and say nothing of the length.
                if given.is_some_and(|given| blake3::hash(given.as_bytes()) == *token) {
                    return Ok(());
                }
                Err(refused(StatusCode::UNAUTHORIZED, "a bearer token is needed"))
            }
            _ => Ok(()),
        }
    }
}

/// A header that was given twice, or is not text.
#[derive(Debug)]
struct Unclear;

/// The value of a header that may be given once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Unclear> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| Unclear),
        (Some(_), Some(_)) => Err(Unclear),
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The host without its port.
fn name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(gate: &AccessControl, headers: &[(&str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name.parse::<HeaderName>().expect("a name"), value.parse().expect("a value"));
        }
        gate.check(&map, None, false).err().map_or(200, |refused| refused.status.as_u16())
    }

    fn gate(token: Option<&str>) -> AccessControl {
        AccessControl::new(
            [127, 0, 0, 1].into(),
            &["Code.example".to_owned()],
            &["https://app.example".to_owned()],
            token,
        )
    }

    #[test]
    fn hosts_that_are_ours_pass() {
        let gate = gate(None);
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:7777", "[::1]:7777", "code.example:1"] {
            assert_eq!(check(&gate, &[("host", host)]), 200, "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
            "[::2]",
            "localhost:80:80",
        ] {
            assert_eq!(check(&gate, &[("host", host)]), 403, "{host}");
        }
        assert_eq!(check(&gate, &[]), 400);
        assert_eq!(check(&gate, &[("host", "localhost"), ("host", "evil.example")]), 400);
    }

    #[test]
    fn origins_are_our_own_or_named() {
        let gate = gate(None);
        let with = |origin: &str| check(&gate, &[("host", "localhost:7777"), ("origin", origin)]);
        assert_eq!((with("http://localhost:7777"), with("https://app.example")), (200, 200));
        for origin in
            ["http://evil.example", "null", "http://localhost:3000", "https://app.example.evil", "file://"]
        {
            assert_eq!(with(origin), 403, "{origin}");
        }
    }

    #[test]
    fn a_token_must_be_the_token() {
        let gate = gate(Some("s3cret"));
        let with = |value: &str| check(&gate, &[("host", "localhost"), ("authorization", value)]);
        assert_eq!((with("Bearer s3cret"), with("bearer s3cret")), (200, 200));
        for value in ["Bearer s3cre", "Bearer s3crett", "Bearer ", "Basic s3cret", "s3cret", "Bearer S3CRET"]
        {
            assert_eq!(with(value), 401, "{value}");
        }
        assert_eq!(check(&gate, &[("host", "localhost")]), 401);
        let twice =
            [("host", "localhost"), ("authorization", "Bearer x"), ("authorization", "Bearer s3cret")];
        assert_eq!(check(&gate, &twice), 401);
    }
}
