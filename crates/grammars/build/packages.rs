//! Locates the sources of the packages that cargo has locked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of the workspace's lock file, and the workspace.
pub(crate) struct Packages {
    /// The directory of each package, by name.
    directories: HashMap<String, PathBuf>,
    /// The lock file, which changes with the version of a grammar.
    pub(crate) lock: PathBuf,
}

impl Packages {
    /// Queries cargo, which downloads missing packages unless it is offline.
    pub(crate) fn locked(manifest: &Path) -> Result<Self, String> {
        let said = metadata(manifest, true).or_else(|_| metadata(manifest, false))?;
        let said: serde_json::Value =
            serde_json::from_slice(&said).map_err(|error| format!("cargo metadata: {error}"))?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let mut directories = HashMap::new();
        for package in said["packages"].as_array().into_iter().flatten() {
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            if let Some(directory) = manifest.parent() {
                directories.insert(text(&package["name"]), directory.to_owned());
            }
        }
        let lock = Path::new(&text(&said["workspace_root"])).join("Cargo.lock");
        Ok(Self { directories, lock })
    }

    /// The directory of a package.
    pub(crate) fn directory(&self, package: &str) -> Result<&Path, String> {
        let directory =
            self.directories.get(package).ok_or_else(|| format!("{package} is not in the lock file"))?;
        Ok(directory)
    }
}

/// The output of `cargo metadata`. Tries offline first, which is fast but requires all packages to be present.
fn metadata(manifest: &Path, is_offline: bool) -> Result<Vec<u8>, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--manifest-path"]).arg(manifest);
    if is_offline {
        cargo.arg("--offline");
    }
    let done = cargo.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if done.status.success() {
        Ok(done.stdout)
    } else {
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        Err(format!("{cargo:?} failed; without a network, run `cargo fetch --locked` before\n{error}"))
    }
}
