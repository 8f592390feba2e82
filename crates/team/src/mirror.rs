//! Bare mirrors of repositories. The only place that runs git, and the only one that talks to the hosts of repositories.
//!
//! A bare mirror has no checkout, so no filter and no hook runs. Git sees no configuration but ours and the operator's, uses https,
//! ssh and files only, never asks for a password and is killed when it takes too long. What it fetches is read as objects.

use crate::error::TeamError;
use crate::source::SCHEMES;
use orient_walk::StoredKind;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum time of a command that talks to a host.
const FETCH_TIMEOUT: Duration = Duration::from_mins(20);
/// Maximum time of a command that reads the mirror.
const READ_TIMEOUT: Duration = Duration::from_mins(10);
/// Maximum length of an error in characters.
const MAX_REASON: usize = 300;
/// Maximum number of bytes of a listing.
const MAX_LISTING: u64 = 4 << 30;

/// A blob, link or submodule of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitEntry {
    pub(crate) path: Vec<u8>,
    pub(crate) kind: StoredKind,
    pub(crate) id: String,
    pub(crate) size: u64,
}

/// The mirror of a repository.
pub(crate) struct Mirror {
    path: PathBuf,
    /// The operator's configuration, for credentials.
    config: Option<PathBuf>,
}

impl Mirror {
    /// The mirror in a directory, created if missing.
    pub(crate) fn open(path: PathBuf, config: Option<PathBuf>) -> Result<Self, TeamError> {
        let mirror = Self { path, config };
        if !mirror.path.join("HEAD").exists() {
            orient_safefs::Directory::create(&mirror.path)
                .map_err(TeamError::io(format!("cannot use {}", mirror.path.display())))?;
            mirror.run("init", &["--quiet", "--bare", "--template=", "."], READ_TIMEOUT)?;
        }
        Ok(mirror)
    }

    /// The name of the source's default branch.
    pub(crate) fn default_branch(&self, source: &str) -> Result<String, TeamError> {
        let answer = self.run("ls-remote", &["--symref", "--", source, "HEAD"], FETCH_TIMEOUT)?;
        let text = String::from_utf8_lossy(&answer);
        let name = text.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.split('\t').next());
        name.map(str::to_owned).ok_or_else(|| TeamError::Git {
            action: "ls-remote",
            reason: "the repository has no default branch; name one with --branch".to_owned(),
        })
    }

    /// Fetches a branch and returns its commit.
    pub(crate) fn fetch(&self, source: &str, branch: &str) -> Result<String, TeamError> {
        let refspec = format!("+refs/heads/{branch}:refs/heads/{branch}");
        let options =
            ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
        let arguments: Vec<&str> = options.into_iter().chain(["--", source, &refspec]).collect();
        self.run("fetch", &arguments, FETCH_TIMEOUT)?;
        let name = format!("refs/heads/{branch}^{{commit}}");
        let id = self.run("rev-parse", &["--verify", "--quiet", &name], READ_TIMEOUT)?;
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }

    /// Everything in the tree of a commit, sorted by path.
    pub(crate) fn entries(&self, commit: &str) -> Result<Vec<GitEntry>, TeamError> {
        let listing = self.run("ls-tree", &["-r", "-z", "--long", "--full-tree", commit], READ_TIMEOUT)?;
        let lines = listing.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        let mut entries: Vec<GitEntry> = lines.filter_map(parse_entry).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(entries)
    }

    /// Reads blobs in the order of their ids; `take` gets the position and the content of each.
    pub(crate) fn read_blobs(
        &self,
        ids: &[&str],
        mut take: impl FnMut(usize, Vec<u8>) -> Result<(), TeamError>,
    ) -> Result<(), TeamError> {
        let failed = |reason: String| TeamError::Git { action: "cat-file", reason };
        if ids.is_empty() {
            return Ok(());
        }
        let mut command = self.command("cat-file", &["--batch", "--buffer"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = RunningGit(child.map_err(|error| failed(error.to_string()))?);
        let (Some(mut input), Some(output)) = (child.0.stdin.take(), child.0.stdout.take()) else {
            return Err(failed("it has no input or output".to_owned()));
        };
        let lines: String = ids.iter().flat_map(|id| [*id, "\n"]).collect();
        std::thread::scope(|scope| {
            // Git answers while it reads, so both must go on at once.
            scope.spawn(move || input.write_all(lines.as_bytes()));
            let mut output = BufReader::new(output);
            for (at, id) in ids.iter().enumerate() {
                let mut head = String::new();
                output.read_line(&mut head).map_err(|error| failed(error.to_string()))?;
                let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
                let Some(size) = size.filter(|_| head.starts_with(id)) else {
                    return Err(failed(format!("the object {id} is missing")));
                };
                let mut bytes = Vec::new();
                output
                    .by_ref()
                    .take(size + 1)
                    .read_to_end(&mut bytes)
                    .map_err(|error| failed(error.to_string()))?;
                if bytes.len() as u64 != size + 1 {
                    return Err(failed("its output is incomplete".to_owned()));
                }
                bytes.pop();
                take(at, bytes)?;
            }
            Ok(())
        })
    }

    /// Runs a subcommand and returns what it prints.
    fn run(&self, action: &'static str, arguments: &[&str], timeout: Duration) -> Result<Vec<u8>, TeamError> {
        let failed = |reason: String| TeamError::Git { action, reason };
        let mut command = self.command(action, arguments);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = RunningGit(child.map_err(|error| failed(error.to_string()))?);
        let (output, errors) = (child.0.stdout.take(), child.0.stderr.take());
        let (output, errors, status) = std::thread::scope(|scope| {
            let read = |from: Option<Box<dyn Read + Send>>, most: u64| {
                let mut bytes = Vec::new();
                if let Some(from) = from {
                    // An error ends the output, and the exit status says the rest.
                    let _ = from.take(most).read_to_end(&mut bytes);
                }
                bytes
            };
            let output = scope.spawn(move || read(output.map(|it| Box::new(it) as _), MAX_LISTING));
            let errors = scope.spawn(move || read(errors.map(|it| Box::new(it) as _), 1 << 16));
            let status = child.wait(timeout);
            (output.join().unwrap_or_default(), errors.join().unwrap_or_default(), status)
        });
        match status {
            Some(true) => Ok(output),
            Some(false) => Err(failed(reason(&errors))),
            None => Err(failed(format!("it did not end within {} s", timeout.as_secs()))),
        }
    }

    fn command(&self, action: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.env_clear().current_dir(&self.path);
        for name in
            ["PATH", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]
        {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let config = self.config.as_deref().unwrap_or(Path::new("/dev/null"));
        command
            .env("HOME", &self.path)
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", config)
            .env("GIT_ALLOW_PROTOCOL", SCHEMES.join(":"))
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"])
            .args([
                "-c",
                "maintenance.auto=false",
                "-c",
                "transfer.fsckObjects=true",
                "-c",
                "submodule.recurse=false",
            ])
            .args([
                "-c",
                "transfer.bundleURI=false",
                "-c",
                "core.askPass=",
                "-c",
                "http.followRedirects=initial",
            ])
            .arg(action)
            .args(arguments);
        command
    }
}

/// A process that is killed when it is dropped.
struct RunningGit(Child);

impl RunningGit {
    /// Waits for its end; whether it succeeded, or `None` if it took too long.
    fn wait(&mut self, timeout: Duration) -> Option<bool> {
        const POLL: Duration = Duration::from_millis(5);
        let until = Instant::now() + timeout;
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status.success()),
                Err(_) => return Some(false),
                Ok(None) if Instant::now() >= until => {
                    self.end();
                    return None;
                }
                Ok(None) => std::thread::sleep(POLL),
            }
        }
    }

    fn end(&mut self) {
        // If it has ended already, there is nothing to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for RunningGit {
    fn drop(&mut self) {
        self.end();
    }
}

/// Why git failed: what it says on standard error, from the beginning, as one line. The last line is often only advice.
fn reason(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return "no message".to_owned();
    }
    words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_REASON).collect()
}

/// Parses a line of a listing: `100644 blob <id> <size>\t<path>`.
fn parse_entry(line: &[u8]) -> Option<GitEntry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut parts = std::str::from_utf8(&line[..tab]).ok()?.split_ascii_whitespace();
    let (mode, _, id, size) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let kind = match mode {
        "120000" => StoredKind::Link,
        "160000" => StoredKind::Submodule,
        _ => StoredKind::File,
    };
    let path = line[tab + 1..].to_vec();
    Some(GitEntry { path, kind, id: id.to_owned(), size: size.parse().unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_failure_is_its_first_words() {
        let errors = b"Host key verification failed.\r\nfatal: Could not read from remote repository.\n\nPlease make sure \
            you have the correct access rights\nand the repository exists.\n";
        let said = reason(errors);
        assert!(said.starts_with("Host key verification failed. fatal: Could not read"), "{said}");
        assert!(reason(&[b'x'; 1000]).len() <= MAX_REASON);
        assert_eq!(reason(b" \n"), "no message");
    }

    #[test]
    fn a_listing_is_parsed_by_type() {
        let entry = |line: &str| parse_entry(line.as_bytes()).expect("an entry");
        let file = entry("100755 blob 0123abcd    42\tsrc/a b.rs");
        assert_eq!(
            (file.path.as_slice(), file.kind, file.size),
            (b"src/a b.rs".as_slice(), StoredKind::File, 42)
        );
        assert_eq!(entry("120000 blob 01 3\tlink").kind, StoredKind::Link);
        let submodule = entry("160000 commit 01 -\tlib");
        assert_eq!((submodule.kind, submodule.size), (StoredKind::Submodule, 0));
        assert!(parse_entry(b"nonsense").is_none());
    }
}
