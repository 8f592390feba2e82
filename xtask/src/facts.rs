//! `xtask facts FILE`: prints the facts of a file, for authors of packs.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::packs;
use anyhow::{Context, Result};
use orient_lang::Registry;
use std::path::Path;

/// Prints the facts of a file in the form that the tests compare. With `pack_dir`, packs are read from there, so that
/// a change takes effect without a build; with `tree`, the syntax tree is printed instead.
pub(crate) fn run(file: &Path, pack_dir: Option<&Path>, tree: bool) -> Result<()> {
    let bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    let loaded = pack_dir.map(packs::registry).transpose()?;
    let registry = loaded.as_ref().unwrap_or_else(|| Registry::builtin());
    let path = file.to_string_lossy().replace('\\', "/");
    let pack = registry.detect(path.as_bytes(), &bytes).with_context(|| format!("no pack is for {path}"))?;
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
