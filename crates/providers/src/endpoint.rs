//! The URL of a provider: validated, without credentials, and whether it is on this machine.

use std::net::{IpAddr, Ipv6Addr, ToSocketAddrs};

/// The URL that requests are sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    url: String,
    host: String,
    port: u16,
    encrypted: bool,
}

impl Endpoint {
    /// Joins the URL from the settings and the path of the API: `http://host:8000/v1` and `/v1/embeddings` become
    /// `http://host:8000/v1/embeddings`. Errors quote nothing that may be a secret.
    pub fn parse(base: &str, path: &str) -> Result<Self, String> {
        let (scheme, rest) = base.split_once("://").ok_or("it does not begin with http:// or https://")?;
        let encrypted = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err("it does not begin with http:// or https://".to_owned()),
        };
        if rest.contains('@') {
            return Err(
                "it contains a user name or a password; keys come only from the environment".to_owned()
            );
        }
        if rest.contains(['?', '#']) {
            return Err("it contains `?` or `#`; keys come only from the environment".to_owned());
        }
        let (authority, own_path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = split_authority(authority)?;
        let port = port.unwrap_or(if encrypted { 443 } else { 80 });
        let is_valid = |c: char| c.is_ascii_alphanumeric() || "/-._~%+:=,".contains(c);
        if !own_path.chars().all(is_valid) || own_path.split('/').any(|part| part == "." || part == "..") {
            return Err("the part after the host is not a plain path".to_owned());
        }
        let usual = port == if encrypted { 443 } else { 80 };
        let authority = if usual { host.clone() } else { format!("{host}:{port}") };
        let scheme = if encrypted { "https" } else { "http" };
        let url = format!("{scheme}://{authority}{}", join_paths(own_path.trim_end_matches('/'), path));
        Ok(Self { url, host, port, encrypted })
    }

    /// The normalised URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether the connection uses TLS.
    pub fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// Whether requests stay on this machine: a loopback address, or `localhost` if it resolves only to those.
    pub fn is_local(&self) -> bool {
        if let Ok(address) = self.host.trim_matches(['[', ']']).parse::<IpAddr>() {
            return is_loopback(address);
        }
        if self.host != "localhost" {
            return false;
        }
        let Ok(addresses) = (self.host.as_str(), self.port).to_socket_addrs() else { return false };
        let addresses: Vec<_> = addresses.collect();
        !addresses.is_empty() && addresses.iter().all(|address| is_loopback(address.ip()))
    }
}

fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|inner| inner.is_loopback())
        }
    }
}

fn split_authority(authority: &str) -> Result<(String, Option<u16>), String> {
    let no_host = || "it has no valid host".to_owned();
    let (host, port) = if let Some(inner) = authority.strip_prefix('[') {
        let (host, rest) = inner.split_once(']').ok_or_else(no_host)?;
        let address: Ipv6Addr = host.parse().map_err(|_| no_host())?;
        (format!("[{address}]"), rest)
    } else {
        let (host, rest) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
        let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if host.is_empty() || !host.chars().all(is_valid) {
            return Err(no_host());
        }
        (host.to_ascii_lowercase(), rest)
    };
    match port.strip_prefix(':') {
        None if port.is_empty() => Ok((host, None)),
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let port = digits.parse().ok().filter(|port| *port > 0);
            port.map(|port| (host, Some(port))).ok_or_else(|| "its port is not valid".to_owned())
        }
        _ => Err("its port is not valid".to_owned()),
    }
}

/// Appends a path to another; an overlap of both is written once.
fn join_paths(own: &str, path: &str) -> String {
    let begins = (0..=path.len()).rev().find(|&end| {
        path.is_char_boundary(end)
            && (end == path.len() || path[end..].starts_with('/'))
            && own.ends_with(&path[..end])
    });
    format!("{own}{}", &path[begins.unwrap_or(0)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base: &str) -> Result<String, String> {
        Endpoint::parse(base, "/v1/embeddings").map(|endpoint| endpoint.url)
    }

    #[test]
    fn equivalent_urls_are_normalised() {
        for base in
            ["http://Host:8000", "HTTP://host:8000/", "http://host:8000/v1", "http://host:8000/v1/embeddings"]
        {
            assert_eq!(url(base).as_deref(), Ok("http://host:8000/v1/embeddings"), "{base}");
        }
        assert_eq!(url("https://host:443/gate").as_deref(), Ok("https://host/gate/v1/embeddings"));
        assert_eq!(url("http://[::1]:80").as_deref(), Ok("http://[::1]/v1/embeddings"));
    }

    #[test]
    fn invalid_urls_are_rejected_without_quoting_them() {
        let wrong = [
            "host:8000",
            "ftp://host",
            "https://me:secret@host",
            "https://host/v1?key=secret",
            "https://host/#secret",
            "https://",
            "https://:80",
            "https://host:http",
            "https://host:0",
            "https://host:99999",
            "https://ho st",
            "https://host/a/../b",
            "https://host/a b",
            "http://[::1",
        ];
        for base in wrong {
            let error = url(base).expect_err(base);
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn only_loopback_is_local() {
        let local = |base: &str| Endpoint::parse(base, "").expect("sound").is_local();
        for base in ["http://127.0.0.1:1", "http://127.9.8.7", "http://[::1]:2", "http://[::ffff:127.0.0.1]"]
        {
            assert!(local(base), "{base}");
        }
        let elsewhere = [
            "http://0.0.0.0",
            "http://10.0.0.1",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://127.1",
            "http://2130706433",
            "http://[::2]",
            "http://[fe80::1]",
        ];
        for base in elsewhere {
            assert!(!local(base), "{base}");
        }
    }
}
