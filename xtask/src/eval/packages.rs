//! The packages of our own questions: pinned by version and checksum, downloaded into the user's cache.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::workspace;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The list of packages.
pub(super) const LIST: &str = "evals/packages.toml";

/// A package: its source, and the part of it that is indexed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) language: String,
    pub(super) registry: String,
    pub(super) version: String,
    pub(super) sha256: String,
    urls: Vec<String>,
    /// The directory of the package in the archive.
    #[serde(default)]
    root: String,
    /// The part of it to index; empty for all.
    #[serde(default)]
    pub(super) directory: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    package: Vec<Package>,
}

/// Reads the list.
pub(super) fn list() -> Result<Vec<Package>> {
    let list: List = toml::from_str(&workspace::text(LIST)?).with_context(|| format!("reading {LIST}"))?;
    Ok(list.package)
}

/// The directory in the user's cache that holds the packages, each under its name.
pub(super) fn directory() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let cache = cache.or_else(|| home().map(|home| home.join(".cache")));
    Ok(cache
        .context("neither XDG_CACHE_HOME nor HOME is set: name a directory with --directory")?
        .join("orient-evals"))
}

/// Downloads the packages that are missing in `directory` in the pinned version.
pub(super) fn fetch(packages: &[Package], directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("making {}", directory.display()))?;
    for package in packages {
        if present(package, directory) {
            continue;
        }
        println!("fetching {} {} from {}", package.name, package.version, package.registry);
        lay_out(package, directory).with_context(|| format!("fetching {}", package.name))?;
    }
    Ok(())
}

/// Fails with the command to run if a package is missing.
pub(super) fn demand(packages: &[Package], directory: &Path) -> Result<()> {
    let missing: Vec<&str> =
        packages.iter().filter(|it| !present(it, directory)).map(|it| it.name.as_str()).collect();
    if !missing.is_empty() {
        bail!("not downloaded yet: {}; `cargo xtask eval --fetch` does it", missing.join(", "));
    }
    Ok(())
}

/// Whether the pinned version is present.
fn present(package: &Package, directory: &Path) -> bool {
    let stamp = std::fs::read_to_string(stamp(package, directory)).unwrap_or_default();
    stamp.trim() == package.sha256 && directory.join(&package.name).is_dir()
}

/// The file beside a package that records its archive.
fn stamp(package: &Package, directory: &Path) -> PathBuf {
    directory.join(format!("{}.sha256", package.name))
}

fn lay_out(package: &Package, directory: &Path) -> Result<()> {
    let [archive, partial, target] =
        [".archive", ".partial", ""].map(|end| directory.join(format!("{}{end}", package.name)));
    let clear = |path: &Path| {
        let _ = std::fs::remove_dir_all(path);
    };
    download(package, &archive)?;
    clear(&partial);
    clear(&target);
    std::fs::create_dir_all(&partial)?;
    let is_zip = package.urls.iter().any(|url| has_ending(url, "zip") || has_ending(url, "jar"));
    let mut unpack = Command::new(if is_zip { "unzip" } else { "tar" });
    if is_zip {
        unpack.arg("-q").arg(&archive).arg("-d").arg(&partial);
    } else {
        unpack.arg("-xf").arg(&archive).arg("-C").arg(&partial);
    }
    workspace::output(&mut unpack)?;
    let root = partial.join(&package.root);
    std::fs::rename(&root, &target)
        .with_context(|| format!("the archive has no directory `{}`", package.root))?;
    clear(&partial);
    let _ = std::fs::remove_file(&archive);
    std::fs::write(stamp(package, directory), format!("{}\n", package.sha256))?;
    Ok(())
}

/// Downloads the archive from the first URL that has it, and verifies its checksum.
fn download(package: &Package, archive: &Path) -> Result<()> {
    let mut faults = Vec::new();
    for url in &package.urls {
        let mut curl = Command::new("curl");
        curl.args(["--proto", "=https", "--fail", "--silent", "--show-error", "--location", "--retry", "2"]);
        curl.arg("--output").arg(archive).arg(url);
        if let Err(error) = workspace::output(&mut curl) {
            faults.push(format!("{error:#}"));
            continue;
        }
        let sum = checksum(archive)?;
        if sum == package.sha256 {
            return Ok(());
        }
        faults.push(format!("{url}: the checksum is {sum}, {LIST} says {}", package.sha256));
    }
    bail!("{}", faults.join("\n"))
}

/// The SHA-256 of a file, computed by a system tool.
fn checksum(file: &Path) -> Result<String> {
    let printed = workspace::output(Command::new("sha256sum").arg(file))
        .or_else(|_| workspace::output(Command::new("shasum").args(["-a", "256"]).arg(file)))
        .context("neither sha256sum nor shasum works")?;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    Ok(printed.split_whitespace().next().unwrap_or_default().trim_start_matches('\\').to_owned())
}

fn has_ending(url: &str, ending: &str) -> bool {
    Path::new(url).extension().is_some_and(|it| it.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_and_comes_over_a_safe_line() {
        for package in list().expect("the list") {
            let is_sum =
                package.sha256.len() == 64 && package.sha256.bytes().all(|it| it.is_ascii_hexdigit());
            assert!(is_sum, "{}", package.name);
            assert!(!package.urls.is_empty(), "{}", package.name);
            assert!(package.urls.iter().all(|url| url.starts_with("https://")), "{}", package.name);
        }
    }

    #[test]
    fn what_is_missing_is_named_with_what_to_type() {
        let packages = list().expect("the list");
        let nowhere = Path::new("/nowhere");
        let error = demand(&packages[..2], nowhere).expect_err("nothing is there");
        let names = format!("{}, {}", packages[0].name, packages[1].name);
        assert_eq!(
            error.to_string(),
            format!("not downloaded yet: {names}; `cargo xtask eval --fetch` does it")
        );
    }

    #[test]
    fn names_are_names_of_directories() {
        let packages = list().expect("the list");
        let mut names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
        assert!(names.iter().all(|name| !name.contains(['/', '\\', '.'])), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), packages.len(), "a name stands twice");
    }
}
