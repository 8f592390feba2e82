//! `xtask packs check`: compiles every language pack against its grammar, from the current files.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::report::Findings;
use crate::workspace;
use anyhow::{Context, Result};
use orient_lang::Registry;
use std::path::{Path, PathBuf};

/// The directory of the packs.
pub(crate) fn directory() -> PathBuf {
    workspace::root().join("crates/lang/packs")
}

/// The packs of a directory, instead of the built-in ones.
pub(crate) fn registry(directory: &Path) -> Result<Registry> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    Registry::from_directory(directory, &read).with_context(|| format!("packs in {}", directory.display()))
}

/// Checks that every pack is valid, that every directory is a pack, and that every deep pack has tests.
pub(crate) fn check() -> Result<()> {
    let registry = registry(&directory())?;
    let mut findings = Findings::default();
    for fault in registry.faults() {
        findings.fail("crates/lang/packs", 0, fault.to_string());
    }
    for entry in std::fs::read_dir(directory())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && !registry.packs().iter().any(|pack| pack.name() == name) {
            findings.fail(
                &format!("crates/lang/packs/{name}"),
                0,
                "a directory without its line in registry.rs",
            );
        }
    }
    let fixtures = fixtures()?;
    for files in registry.projects().iter().map(orient_lang::Pack::project_files) {
        let tested = |name: &&str| fixtures.contains(&format!(" file={}\n", name.replace('*', "thing")));
        if !files.iter().any(tested) {
            findings.fail("crates/lang/packs", 0, format!("no test has a project file {}", files.join(", ")));
        }
    }
    for pack in registry.packs().iter().filter(|pack| pack.is_deep()) {
        let opens = |end: &str| fixtures.contains(&format!("```{}{end}", pack.name()));
        if !opens(" file=") && !opens("\n") {
            findings.fail(&format!("crates/lang/packs/{}", pack.name()), 0, "a deep pack without tests");
        }
    }
    let deep = registry.packs().iter().filter(|pack| pack.is_deep()).count();
    println!("{} packs, {deep} of them deep", registry.packs().len());
    findings.conclude("packs")
}

/// The fixtures of all packs, concatenated.
fn fixtures() -> Result<String> {
    let mut all = String::new();
    for path in workspace::files()?.iter().filter(|path| path.starts_with("crates/lang/packs")) {
        if path.extension().is_some_and(|extension| extension == "md") {
            all.push_str(&workspace::text(&path.to_string_lossy())?);
        }
    }
    Ok(all)
}
