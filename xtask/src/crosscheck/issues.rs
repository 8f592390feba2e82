//! Prints where the parser failed, with the source, the worst files first; for authors of packs.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::corpus::{Corpus, default_threads};
use anyhow::Result;
use std::cmp::Reverse;
use std::path::Path;

/// Maximum number of issues per file.
const SHOWN: usize = 3;
/// Maximum length of a printed line.
const WIDTH: usize = 120;

/// Prints the files of the language that have issues, each with its first few.
pub(super) fn print(directory: &Path, pack: &str) -> Result<()> {
    let threads = default_threads();
    let parts = Corpus::list(directory, threads)?.read(threads, Vec::new, |found: &mut Vec<_>, text| {
        let Some(language) = text.pack.filter(|language| language.name() == pack) else { return };
        let outline = orient_lang::extract(Some(language), &text.bytes).outline;
        if outline.issues.is_empty() {
            return;
        }
        let bytes: u32 = outline.issues.iter().map(|issue| issue.span.end - issue.span.start).sum();
        let lines: Vec<&[u8]> = text.bytes.split(|&byte| byte == b'\n').collect();
        let path = text.path.display().into_owned();
        let shown: Vec<String> = outline
            .issues
            .iter()
            .take(SHOWN)
            .map(|issue| {
                let number = issue.span.first_line;
                let line = lines.get(number.saturating_sub(1) as usize).copied().unwrap_or_default();
                let line: String = String::from_utf8_lossy(line).trim().chars().take(WIDTH).collect();
                format!("  {}-{} {} | {line}", number, issue.span.last_line, issue.kind.as_str())
            })
            .collect();
        found.push((Reverse(bytes), path, outline.issues.len(), shown));
    });
    let mut all: Vec<_> = parts.into_iter().flatten().collect();
    all.sort();
    println!("{} files with issues", all.len());
    for (Reverse(bytes), path, count, shown) in all {
        println!("{path}: {count} issues, {bytes} bytes\n{}", shown.join("\n"));
    }
    Ok(())
}
