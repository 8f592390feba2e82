//! Where a provider is: an address without secrets in it, and whether it is on this machine.

use std::net::{IpAddr, Ipv6Addr, ToSocketAddrs};

/// An address that requests go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    url: String,
    host: String,
    port: u16,
    encrypted: bool,
}

impl Endpoint {
    /// The address a user wrote, with what the provider has behind it: `http://host:8000/v1` and `/v1/embeddings` make
    /// `http://host:8000/v1/embeddings`. The error says what is wrong, and quotes nothing that may be a secret.
    pub fn parse(base: &str, path: &str) -> Result<Self, String> {
        let (scheme, rest) = base.split_once("://").ok_or("it does not begin with http:// or https://")?;
        let encrypted = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err("it does not begin with http:// or https://".to_owned()),
        };
        if rest.contains('@') {
            return Err("it has a name or a password in it; keys come from the environment alone".to_owned());
        }
        if rest.contains(['?', '#']) {
            return Err("it has a `?` or `#` in it; keys come from the environment alone".to_owned());
        }
        let (authority, own_path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = split_authority(authority)?;
        let port = port.unwrap_or(if encrypted { 443 } else { 80 });
        let sound = |c: char| c.is_ascii_alphanumeric() || "/-._~%+:=,".contains(c);
        if !own_path.chars().all(sound) || own_path.split('/').any(|part| part == "." || part == "..") {
            return Err("what stands behind the host is no plain path".to_owned());
        }
        let usual = port == if encrypted { 443 } else { 80 };
        let place = if usual { host.clone() } else { format!("{host}:{port}") };
        let scheme = if encrypted { "https" } else { "http" };
        let url = format!("{scheme}://{place}{}", joined(own_path.trim_end_matches('/'), path));
        Ok(Self { url, host, port, encrypted })
    }

    /// The whole address, in one form for all ways to write it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The machine it is on, as it was written.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether nobody on the way can read what is sent.
    pub fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// Whether what is sent stays on this machine. A name counts only if it leads nowhere else at this moment.
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
    let no_host = || "it names no host".to_owned();
    let (host, port) = if let Some(inner) = authority.strip_prefix('[') {
        let (host, rest) = inner.split_once(']').ok_or_else(no_host)?;
        let address: Ipv6Addr = host.parse().map_err(|_| no_host())?;
        (format!("[{address}]"), rest)
    } else {
        let (host, rest) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
        let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if host.is_empty() || !host.chars().all(sound) {
            return Err(no_host());
        }
        (host.to_ascii_lowercase(), rest)
    };
    match port.strip_prefix(':') {
        None if port.is_empty() => Ok((host, None)),
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let port = digits.parse().ok().filter(|port| *port > 0);
            port.map(|port| (host, Some(port))).ok_or_else(|| "its port is no port".to_owned())
        }
        _ => Err("its port is no port".to_owned()),
    }
}

/// Puts a path behind another; what one ends and the other begins with is written once.
fn joined(own: &str, path: &str) -> String {
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
    fn all_ways_to_write_an_address_lead_to_one() {
        for base in
            ["http://Host:8000", "HTTP://host:8000/", "http://host:8000/v1", "http://host:8000/v1/embeddings"]
        {
            assert_eq!(url(base).as_deref(), Ok("http://host:8000/v1/embeddings"), "{base}");
        }
        assert_eq!(url("https://host:443/gate").as_deref(), Ok("https://host/gate/v1/embeddings"));
        assert_eq!(url("http://[::1]:80").as_deref(), Ok("http://[::1]/v1/embeddings"));
    }

    #[test]
    fn what_is_no_plain_address_is_refused_without_quoting_it() {
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
    fn only_loopback_is_this_machine() {
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
