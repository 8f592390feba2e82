//! `xtask tidy`: the house rules that no compiler checks.
//!
//! The rules are data in `xtask/tidy.toml`; each check is a file here. What is only reported, never failed, is in
//! [`figures`].

mod arrows;
mod figures;
mod form;
mod links;
mod manifests;
mod policy;
mod retired;
mod sizes;
mod source;
mod words;

use crate::report::Findings;
use crate::workspace;
use anyhow::{Context, Result};
use policy::Policy;
use source::Source;
use std::path::Path;

/// All that the checks look at.
struct House {
    policy: Policy,
    /// Every Rust file we keep.
    sources: Vec<Source>,
    /// Every other text file we keep: path and text.
    texts: Vec<(String, String)>,
    /// The names of the language packs.
    packs: Vec<String>,
}

/// Runs every check, prints what it found, and fails if something has to be put right.
pub(crate) fn run() -> Result<()> {
    let house = read()?;
    let mut findings = Findings::default();
    form::check(&house, &mut findings);
    sizes::check(&house, &mut findings);
    manifests::check(&house, &mut findings);
    words::check(&house, &mut findings)?;
    retired::check(&house, &mut findings);
    links::check(&house, &mut findings)?;
    let locked = arrows::check(&house, &mut findings)?;
    figures::print(&house, &locked, &mut findings);
    findings.conclude("tidy")
}

fn read() -> Result<House> {
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
    Ok(House { policy, sources, texts, packs })
}

/// A pack is a folder, and its folder bears its name.
fn pack_names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("no packs in {}", folder.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
