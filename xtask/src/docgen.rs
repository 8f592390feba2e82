//! `xtask docgen`: writes the reference pages in `docs/` from the tables they describe, or checks that they are so.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]

use crate::workspace;
use anyhow::{Context, Result, bail};
use orient_lang::Registry;

/// What writes a page.
type Writer = fn() -> String;

/// The pages: file name and what writes it.
const PAGES: &[(&str, Writer)] = &[
    ("tools.md", orient_tools::reference),
    ("config.md", orient_settings::reference),
    ("languages.md", || orient_lang::languages_reference(Registry::builtin())),
];

/// Writes the pages; with `check`, only compares.
pub(crate) fn run(check: bool) -> Result<()> {
    let folder = workspace::root().join("docs");
    let mut stale = Vec::new();
    for (name, write) in PAGES {
        let path = folder.join(name);
        let mut page = write().trim_end().to_owned();
        page.push('\n');
        if std::fs::read_to_string(&path).is_ok_and(|old| old.replace("\r\n", "\n") == page) {
            continue;
        }
        if check {
            stale.push(format!("docs/{name}"));
            continue;
        }
        std::fs::create_dir_all(&folder).context("making docs/")?;
        std::fs::write(&path, page).with_context(|| format!("writing docs/{name}"))?;
        println!("wrote docs/{name}");
    }
    if !stale.is_empty() {
        bail!("{} differ from their tables: run `cargo xtask docgen`", stale.join(", "));
    }
    println!("docgen: {} pages up to date", PAGES.len());
    Ok(())
}
