//! What identifies a repository to a team server: hashes of the addresses that it is fetched from, and the commits that it is at.
//! A server compares them with its own addresses and published commits. One that has neither learns nothing from them.

use orient_history::{History, remote_addresses};
use std::path::Path;

/// Separates the hash from every other use of an address.
const CONTEXT: &str = "orient 2026-11-18 address of a repository";
/// Maximum number of commits.
const MAX_COMMITS: usize = 16;

/// The keys of the repository that a directory is in: `address:` and a hash, `commit:` and an id.
pub(crate) fn identify(root: &Path) -> Vec<String> {
    let own = root.canonicalize().ok().and_then(|root| root.to_str().map(str::to_owned));
    let addresses = remote_addresses(root).into_iter().chain(own);
    let mut keys: Vec<String> =
        addresses.map(|address| format!("address:{}", address_key(&address))).collect();
    if let Ok(mut history) = History::open(root) {
        let mut commits: Vec<String> =
            history.revision("HEAD").map(|commit| commit.to_string()).into_iter().collect();
        let followed =
            history.named_refs().into_iter().filter(|named| named.name.starts_with("refs/remotes/"));
        commits.extend(followed.map(|named| named.commit.to_string()));
        commits.truncate(MAX_COMMITS);
        keys.extend(commits.into_iter().map(|commit| format!("commit:{commit}")));
    }
    keys.sort();
    keys.dedup();
    keys
}

/// The commit that a directory's repository is at; empty without one.
pub(crate) fn head(root: &Path) -> String {
    let head = History::open(root).and_then(|mut history| history.revision("HEAD"));
    head.map_or_else(|_| String::new(), |commit| commit.to_string())
}

/// The hash of an address that git fetches from. The same for all spellings of one place: `https://host/a/b.git`,
/// `ssh://git@host:22/a/b` and `git@host:a/b` are one, and so are a path and its `file://` address.
pub fn address_key(address: &str) -> String {
    let place = place(address);
    let hash = blake3::Hash::from(blake3::derive_key(CONTEXT, place.as_bytes()));
    hash.to_hex()[..32].to_owned()
}

/// Host and path of an address, without what differs between its spellings.
fn place(address: &str) -> String {
    let address = address.trim();
    let (host, path) = match address.split_once("://") {
        Some(("file", path)) => ("", path),
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        None if address.starts_with(['/', '.']) => ("", address),
        // A scp-like address; a path on a machine with drive letters has one letter before the colon.
        None => match address.split_once(':') {
            Some((host, path)) if host.len() > 1 && !host.contains('/') => (host, path),
            _ => ("", address),
        },
    };
    if host.is_empty() {
        let real = Path::new(path).canonicalize().ok();
        let real = real.as_deref().and_then(Path::to_str).unwrap_or(path);
        return format!("file:{}", trimmed(real));
    }
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    format!("{}/{}", host.to_ascii_lowercase(), trimmed(path.trim_start_matches('/')))
}

fn trimmed(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_address_have_one_key() {
        let key = address_key("https://example.com/acme/shop.git");
        for same in [
            "https://me:secret@Example.com:443/acme/shop/",
            "ssh://git@example.com:22/acme/shop.git",
            "git@example.com:acme/shop.git",
            "git@example.com:/acme/shop",
        ] {
            assert_eq!(address_key(same), key, "{same}");
        }
        for other in ["https://example.com/acme/shop2", "https://example.org/acme/shop", "/acme/shop", "shop"]
        {
            assert_ne!(address_key(other), key, "{other}");
        }
        assert_eq!(address_key("file:///no/such/place.git"), address_key("/no/such/place"));
        assert!(!key.contains("shop"));
    }
}
