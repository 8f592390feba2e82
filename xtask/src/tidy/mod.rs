//! `xtask tidy`: repository conventions that no compiler checks.
//!
//! The rules are data in `xtask/tidy.toml`; each check is a file here. [`metrics`] reports figures and at most warns.

mod cargo_manifests;
mod crate_dependencies;
mod file_conventions;
mod markdown_links;
mod metrics;
mod policy;
mod restricted_words;
mod retired_words;
mod rust_source;
mod size_budgets;

use crate::report::Findings;
use crate::workspace;
use anyhow::{Context, Result};
use policy::Policy;
use rust_source::Source;
use std::path::Path;

/// Everything that the checks read.
struct Repository {
    policy: Policy,
    /// Every Rust file.
    sources: Vec<Source>,
    /// Every other text file: path and text.
    texts: Vec<(String, String)>,
    /// The names of the language packs.
    packs: Vec<String>,
}

/// Runs every check, prints the findings, and fails if one of them is an error.
pub(crate) fn run() -> Result<()> {
    let repository = read()?;
    let mut findings = Findings::default();
    file_conventions::check(&repository, &mut findings);
    size_budgets::check(&repository, &mut findings);
    cargo_manifests::check(&repository, &mut findings);
    restricted_words::check(&repository, &mut findings)?;
    retired_words::check(&repository, &mut findings);
    markdown_links::check(&repository, &mut findings)?;
    let locked = crate_dependencies::check(&repository, &mut findings)?;
    metrics::print(&repository, &locked, &mut findings);
    findings.conclude("tidy")
}

fn read() -> Result<Repository> {
    let policy = policy::policy()?;
    let mut sources = Vec::new();
    let mut texts = Vec::new();
    for path in workspace::files()? {
        let shown = path.to_string_lossy().replace('\\', "/");
        let bytes =
            std::fs::read(workspace::root().join(&path)).with_context(|| format!("reading {shown}"))?;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(Source::read(&shown, text)?);
        } else {
            texts.push((shown, text));
        }
    }
    let mut packs = pack_names(&workspace::root().join(&policy.languages.packs))?;
    packs.retain(|name| !policy.languages.neutral.contains(name));
    Ok(Repository { policy, sources, texts, packs })
}

/// The names of the pack directories.
fn pack_names(directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let entries =
        std::fs::read_dir(directory).with_context(|| format!("no packs in {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
