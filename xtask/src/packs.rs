//! `xtask packs check`: compiles every language pack against its grammar.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::report::Findings;
use crate::workspace;
use anyhow::Result;
use orient_lang::Registry;

/// Checks that every pack is valid, and that every deep pack and kind of project file has tests.
pub(crate) fn check() -> Result<()> {
    let registry = Registry::builtin();
    let mut findings = Findings::default();
    for fault in registry.faults() {
        findings.fail("crates/lang/packs", 0, fault);
    }
    let fixtures = fixtures()?;
    for files in registry.projects().iter().map(orient_lang::Pack::project_files) {
        let tested = |name: &String| fixtures.contains(&format!(" file={}\n", name.replace('*', "thing")));
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
