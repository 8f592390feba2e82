//! The packages of the grammars: where cargo keeps them, and the files of their scanners.

use super::Files;
use crate::workspace;
use anyhow::{Context, Result};
use orient_grammars::Grammar;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The manifest that locks the packages.
const MANIFEST: &str = "crates/grammars/upstream/Cargo.toml";
const LOCK: &str = "crates/grammars/upstream/Cargo.lock";

/// The packages, by name.
pub(super) struct Sources(BTreeMap<String, About>);

/// What cargo says about a package.
#[derive(Deserialize)]
pub(super) struct About {
    name: String,
    pub(super) version: String,
    #[serde(default)]
    pub(super) license: String,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<About>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    source: Option<String>,
}

/// The locked packages of grammars and their versions, without a query of cargo.
pub(super) fn locked_versions() -> Result<Vec<(String, String)>> {
    let lock: Lock = toml::from_str(&workspace::text(LOCK)?)?;
    let is_grammar = |package: &Locked| {
        package.source.is_some()
            && orient_grammars::GRAMMARS.iter().any(|grammar| grammar.package == package.name)
    };
    Ok(lock.package.into_iter().filter(is_grammar).map(|package| (package.name, package.version)).collect())
}

impl Sources {
    /// The packages that are locked; downloads those that are missing.
    pub(super) fn locked() -> Result<Self> {
        let mut metadata = workspace::cargo();
        metadata.args(["metadata", "--format-version", "1", "--locked", "--manifest-path", MANIFEST]);
        let said: Metadata = serde_json::from_slice(&workspace::output(&mut metadata)?)
            .context("cargo metadata prints what we know of it")?;
        Ok(Self(said.packages.into_iter().map(|about| (about.name.clone(), about)).collect()))
    }

    pub(super) fn about(&self, package: &str) -> Result<&About> {
        self.0.get(package).with_context(|| format!("{MANIFEST} does not name {package}"))
    }

    pub(super) fn directory(&self, package: &str) -> Result<&Path> {
        self.about(package)?.manifest_path.parent().context("a manifest is in a directory")
    }

    /// The text of the licence that a package has, if it has one.
    pub(super) fn licence_text(&self, package: &str) -> Result<Option<String>> {
        let mut texts = Vec::new();
        for entry in fs::read_dir(self.directory(package)?)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("LICENSE")) {
                texts.push(fs::read_to_string(&path)?);
            }
        }
        texts.sort();
        Ok((!texts.is_empty()).then(|| texts.join("\n")))
    }

    /// The files of a scanner as the package has them: those beside it, and what they include from elsewhere in the package.
    pub(super) fn scanner(&self, grammar: &Grammar) -> Result<Files> {
        let package = self.directory(grammar.package)?;
        let directory = package.join(grammar.directory);
        let mut pending = Vec::new();
        for directory in [directory.clone(), directory.join("tree_sitter")] {
            for entry in fs::read_dir(directory)? {
                let path = entry?.path();
                let is_c = path.extension().is_some_and(|extension| extension == "c" || extension == "h");
                if is_c && !path.ends_with("parser.c") {
                    pending.push(path);
                }
            }
        }
        let mut files = Files::new();
        while let Some(path) = pending.pop() {
            let place = Path::new("scanners").join(grammar.package).join(path.strip_prefix(package)?);
            if files.contains_key(&place) {
                continue;
            }
            let text = fs::read(&path)?;
            let lines = String::from_utf8_lossy(&text).into_owned();
            let names = lines
                .lines()
                .filter_map(|line| line.trim_start().strip_prefix("#include \"")?.split('"').next());
            let beside = path.parent().context("a file is in a directory")?;
            let around = [beside, directory.as_path()];
            let included = names.filter_map(|name| {
                let found = around.iter().map(|directory| without_parents(&directory.join(name)));
                found.into_iter().find(|path| path.exists())
            });
            pending.extend(included);
            files.insert(place, text);
        }
        Ok(files)
    }
}

/// A path without `..`.
fn without_parents(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
