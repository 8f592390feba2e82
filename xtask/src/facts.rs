//! `xtask facts FILE`: prints the facts of a file, for authors of packs.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use anyhow::{Context, Result};
use orient_lang::Registry;
use std::path::Path;

/// Prints the facts of a file in the form that the tests compare; with `tree`, its syntax tree instead.
pub(crate) fn run(file: &Path, tree: bool) -> Result<()> {
    let bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let path = file.to_string_lossy().replace('\\', "/");
    let pack = Registry::builtin()
        .detect(path.as_bytes(), &bytes)
        .with_context(|| format!("no pack is for {path}"))?;
    println!("# {path}: {}", pack.title());
    if tree {
        print!("{}", orient_lang::syntax(pack, &bytes).unwrap_or_default());
        return Ok(());
    }
    let facts = orient_lang::extract(Some(pack), &bytes);
    for part in orient_lang::PARTS {
        let text = orient_lang::render(&facts, part).unwrap_or_default();
        if !text.is_empty() {
            println!("\n## {part}\n{}", text.trim_end());
        }
    }
    Ok(())
}
