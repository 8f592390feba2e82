//! The repository: its root, its files, and its cargo metadata.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// The root directory of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is one directory below the root")
}

/// The text of a file of the repository.
pub(crate) fn text(path: &str) -> Result<String> {
    std::fs::read_to_string(root().join(path)).with_context(|| format!("reading {path}"))
}

/// The cargo that runs this program, without the environment variables it sets: build scripts that read them would
/// run again and trigger a rebuild.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
}

/// The directory for what checks install: it outlives a checkout.
pub(crate) fn cache() -> Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    Ok(named.or_else(home).context("there is no home directory")?.join("orient-ci"))
}

/// Runs a command and returns its output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let shown = format!("{command:?}");
    let done = command.output().with_context(|| format!("cannot start {shown}"))?;
    if !done.status.success() {
        bail!("{shown} failed:\n{}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(done.stdout)
}

/// Runs a command that inherits the terminal. Fails if it fails.
pub(crate) fn passes(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    succeeded(command, status)
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(())
}

/// Like [`passes`], and kills a program that has not ended in time.
pub(crate) fn passes_within(limit: Duration, command: &mut Command) -> Result<()> {
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return succeeded(command, status);
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            bail!("{command:?} did not end within {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Builds the `orient` binary in the profile of this program. Returns its path.
pub(crate) fn product() -> Result<PathBuf> {
    passes(cargo().args(["build", "--locked", "--package", "orient"]))?;
    // Next to this program, whatever the target directory is called.
    let name = format!("orient{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe()?.parent().context("a program is in a directory")?.join(name);
    if !beside.is_file() {
        bail!("{} is missing: run without --release", beside.display());
    }
    Ok(beside)
}

/// Every tracked or unignored file, relative to the root, sorted.
pub(crate) fn files() -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = output(&mut git)?;
    let mut files: Vec<PathBuf> = listed
        .split(|&byte| byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| PathBuf::from(String::from_utf8_lossy(path).into_owned()))
        .filter(|path| root().join(path).is_file())
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The part of `cargo metadata` that subcommands need.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) resolve: Resolve,
}

/// A package of the lock file.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency as declared in a manifest.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal one, otherwise `dev` or `build`.
    pub(crate) kind: Option<String>,
}

/// The resolved graph.
#[derive(Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

/// A package of the graph with its dependencies.
#[derive(Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Edge>,
}

/// A dependency of a package.
#[derive(Deserialize)]
pub(crate) struct Edge {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<EdgeKind>,
}

/// The kind of a dependency.
#[derive(Deserialize)]
pub(crate) struct EdgeKind {
    pub(crate) kind: Option<String>,
}

/// Runs `cargo metadata` for the current platform with the lock file unchanged.
pub(crate) fn metadata() -> Result<Metadata> {
    let version = output(Command::new("rustc").current_dir(root()).arg("-vV"))?;
    let version = String::from_utf8(version).context("rustc speaks UTF-8")?;
    let host =
        version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names its host")?;
    let printed = output(cargo().args(["metadata", "--format-version", "1", "--filter-platform", host]))?;
    serde_json::from_slice(&printed).context("cargo metadata prints what we know of it")
}
