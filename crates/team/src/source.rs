//! Where a repository comes from: an address that git may fetch from.

use crate::error::TeamError;
use std::path::Path;

/// The schemes that git may use.
pub(crate) const SCHEMES: &[&str] = &["https", "ssh", "file"];

/// The address of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source(String);

impl Source {
    /// An address as an operator types it: a URL, or the path of a repository on this machine.
    pub fn parse(typed: &str) -> Result<Self, TeamError> {
        let wrong = |message: String| TeamError::usage(message, "use https://, ssh://, file:// or a path");
        if let Some((scheme, rest)) = typed.split_once("://") {
            let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
            if !SCHEMES.contains(&scheme)
                || rest.is_empty()
                || rest.starts_with('-')
                || !rest.chars().all(is_plain)
            {
                return Err(wrong(format!(
                    "`{}` is not an address of a repository",
                    Self::without_credentials(typed)
                )));
            }
            return Ok(Self(typed.to_owned()));
        }
        let path = Path::new(typed).canonicalize().map_err(|error| wrong(format!("{typed}: {error}")))?;
        match path.to_str() {
            Some(path) => Ok(Self(format!("file://{path}"))),
            None => Err(wrong("the path is not valid UTF-8".to_owned())),
        }
    }

    /// The address as git takes it.
    pub(crate) fn address(&self) -> &str {
        &self.0
    }

    /// The last part of an address, which names the repository unless the operator does.
    pub fn default_name(&self) -> String {
        let path = self.0.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
        path.rsplit(['/', ':']).next().unwrap_or(path).to_owned()
    }

    /// The address without the user and password that it may have.
    pub(crate) fn without_credentials(address: &str) -> String {
        match address.split_once("://") {
            Some((scheme, rest)) => {
                let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
                let slash = if rest.contains('/') { "/" } else { "" };
                format!("{scheme}://{host}{slash}{path}")
            }
            None => address.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_transports_are_accepted() {
        for address in ["https://example.com/a/b.git", "ssh://git@example.com/a", "file:///srv/a.git"] {
            assert!(Source::parse(address).is_ok(), "{address}");
        }
        for address in [
            "ext::sh -c touch% /tmp/x",
            "http://example.com/a",
            "git://example.com/a",
            "https://-x",
            "https://a b/c",
            "/no/such/path",
        ] {
            assert!(Source::parse(address).is_err(), "{address}");
        }
    }

    #[test]
    fn credentials_are_not_shown() {
        assert_eq!(
            Source::without_credentials("https://me:secret@example.com/a.git"),
            "https://example.com/a.git"
        );
        assert_eq!(Source::without_credentials("file:///srv/a"), "file:///srv/a");
        let source = Source::parse("https://example.com/acme/shop.git/").expect("an address");
        assert_eq!(source.default_name(), "shop");
    }
}
