//! The user's consent to start servers for a repository.
//!
//! A consent names what may run: the program with the hash of its file, the arguments, the version, and what the server is known to run. If
//! any of it differs, the server is not started until it is allowed again.

use crate::EnrichError;
use crate::program::Program;
use crate::server_table::Server;
use orient_consent::ConsentKind;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

const CONSENT: ConsentKind = ConsentKind {
    file: "enrich-allowed.toml",
    given_by: "orient enrich allow",
    revoked_by: "orient enrich deny",
};

/// A server that the user allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedServer {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// The hash of its file.
    pub hash: String,
    /// The arguments.
    pub arguments: Vec<String>,
    /// The version it printed; empty if it prints none.
    pub version: String,
    /// What it is known to run.
    pub runs: Vec<String>,
}

/// The servers that may be started for a root.
#[derive(Serialize, Deserialize)]
struct AllowedServers {
    /// The root that the consent is for.
    root: PathBuf,
    #[serde(default)]
    server: Vec<AllowedServer>,
}

/// The right to start a server for a repository. Only a consent gives it.
#[derive(Clone, Debug)]
pub struct Permission {
    pub(crate) server: Server,
    pub(crate) program: Program,
    pub(crate) version: String,
    pub(crate) root: PathBuf,
}

impl Permission {
    /// The name of the server.
    pub fn name(&self) -> &str {
        &self.server.name
    }

    /// The server and its version, as the user allowed it.
    pub fn shown(&self) -> String {
        format!("{} {}", self.server.name, short_version(&self.version)).trim().to_owned()
    }
}

/// The first word of a version text that contains digits and dots, else nothing.
pub(crate) fn short_version(text: &str) -> &str {
    let is_version = |word: &&str| word.contains('.') && word.chars().any(|c| c.is_ascii_digit());
    let word = text.split_whitespace().find(is_version).unwrap_or_default();
    word.trim_start_matches('v')
}

/// The servers that the user allowed for a root; none if the consent cannot be read.
pub fn allowed(directory: &Path, root: &Path) -> Vec<AllowedServer> {
    servers_of(CONSENT.read(directory), root)
}

/// The servers of a consent, if it is for this root.
fn servers_of(consent: Option<AllowedServers>, root: &Path) -> Vec<AllowedServer> {
    consent.filter(|consent| consent.root == root).map(|consent| consent.server).unwrap_or_default()
}

/// Allows a server for a root; replaces an earlier consent to the same server.
pub fn allow(
    directory: &Path,
    root: &Path,
    server: &Server,
    program: &Program,
    version: &str,
) -> Result<AllowedServer, EnrichError> {
    let added = AllowedServer {
        name: server.name.clone(),
        program: program.path.clone(),
        hash: program.hash.clone(),
        arguments: server.args.clone(),
        version: version.to_owned(),
        runs: server.runs.clone(),
    };
    let add = |known: &mut Option<AllowedServers>| {
        let mut server = servers_of(known.take(), root);
        server.retain(|known| known.name != added.name);
        server.push(added.clone());
        server.sort_by(|a, b| a.name.cmp(&b.name));
        *known = Some(AllowedServers { root: root.to_owned(), server });
    };
    CONSENT.change(directory, add).map_err(|source| failed(directory, source))?;
    Ok(added)
}

/// Revokes the consent to some servers, or to all if none is named; returns the names of those that were allowed.
pub fn deny(directory: &Path, root: &Path, names: &[String]) -> Result<Vec<String>, EnrichError> {
    if allowed(directory, root).is_empty() {
        return Ok(Vec::new());
    }
    let revoke = |known: &mut Option<AllowedServers>| {
        let is_denied = |server: &AllowedServer| names.is_empty() || names.contains(&server.name);
        let (denied, server): (Vec<_>, Vec<_>) =
            servers_of(known.take(), root).into_iter().partition(is_denied);
        *known = (!server.is_empty()).then(|| AllowedServers { root: root.to_owned(), server });
        denied.into_iter().map(|server| server.name).collect()
    };
    CONSENT.change(directory, revoke).map_err(|source| failed(directory, source))
}

fn failed(directory: &Path, source: io::Error) -> EnrichError {
    EnrichError::Consent { path: directory.join(CONSENT.file), source }
}

/// The permission to start a server, if the user allowed exactly this program with these arguments.
pub fn permission(
    directory: &Path,
    root: &Path,
    server: &Server,
    program: Program,
) -> Result<Permission, EnrichError> {
    let Some(allowed) = allowed(directory, root).into_iter().find(|known| known.name == server.name) else {
        return Err(EnrichError::NotAllowed { server: server.name.clone() });
    };
    let change = if allowed.program != program.path {
        Some(format!("allowed was {}, found is {}", allowed.program.display(), program.path.display()))
    } else if allowed.hash != program.hash {
        Some("the program has changed".to_owned())
    } else if allowed.arguments != server.args {
        Some("it is started with other arguments".to_owned())
    } else if allowed.runs != server.runs {
        Some("what it runs has changed".to_owned())
    } else {
        None
    };
    if let Some(change) = change {
        return Err(EnrichError::Changed { server: server.name.clone(), change });
    }
    Ok(Permission { server: server.clone(), program, version: allowed.version, root: root.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn known() -> Server {
        let mut servers = crate::servers(&BTreeMap::new()).expect("the table is well formed");
        servers.remove(0)
    }

    fn program(hash: &str) -> Program {
        let path = PathBuf::from("/usr/bin/x");
        Program { real: path.clone(), path, hash: hash.to_owned(), files: BTreeMap::new() }
    }

    #[test]
    fn only_exactly_what_was_allowed_may_run() {
        let place = tempfile::tempdir().expect("a directory");
        let (directory, root, server) = (place.path().join("tree"), Path::new("/repo"), known());
        let ask =
            |root: &Path, server: &Server, program: Program| permission(&directory, root, server, program);
        assert!(matches!(ask(root, &server, program("1")), Err(EnrichError::NotAllowed { .. })));
        allow(&directory, root, &server, &program("1"), "x 1.2").expect("stored");
        assert_eq!(ask(root, &server, program("1")).expect("allowed").version, "x 1.2");
        assert!(matches!(ask(root, &server, program("2")), Err(EnrichError::Changed { .. })));
        let other = Program { path: "/tmp/x".into(), ..program("1") };
        assert!(matches!(ask(root, &server, other), Err(EnrichError::Changed { .. })));
        let louder = Server { args: vec!["--more".to_owned()], ..server.clone() };
        assert!(matches!(ask(root, &louder, program("1")), Err(EnrichError::Changed { .. })));
        let riskier = Server { runs: vec!["build scripts".to_owned()], ..server.clone() };
        assert!(matches!(ask(root, &riskier, program("1")), Err(EnrichError::Changed { .. })));
        assert!(matches!(
            ask(Path::new("/other"), &server, program("1")),
            Err(EnrichError::NotAllowed { .. })
        ));
        assert_eq!(deny(&directory, root, &[]).expect("revoked"), std::slice::from_ref(&server.name));
        assert!(matches!(ask(root, &server, program("1")), Err(EnrichError::NotAllowed { .. })));
        assert!(deny(&directory, root, &[]).expect("nothing there is fine").is_empty());
    }

    #[test]
    fn the_version_is_the_first_word_with_digits_and_dots() {
        assert_eq!(short_version("rust-analyzer 1.95.0 (abc 2026-01-01)"), "1.95.0");
        assert_eq!(short_version("golang.org/x/tools/gopls v0.16.1"), "0.16.1");
        assert_eq!(short_version("nothing"), "");
    }
}
