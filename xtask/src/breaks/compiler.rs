//! The lines that a compiler objects to.

use super::Place;
use anyhow::{Context, Result};
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Runs a command in a directory, and finds `path:line` in what it prints. Paths are those of files below the directory.
pub(super) fn errors(root: &Path, command: &str) -> Result<BTreeSet<Place>> {
    let output = Command::new("sh").current_dir(root).args(["-c", command]).output()?;
    let printed = [output.stdout, output.stderr].concat();
    let pattern = Regex::new(r"([\w./@+-]+\.\w+)[:(](\d+)").context("the pattern is one")?;
    let mut places = BTreeSet::new();
    for found in pattern.captures_iter(&String::from_utf8_lossy(&printed)) {
        let path = found[1].trim_start_matches("./");
        let path = Path::new(path).strip_prefix(root).unwrap_or(Path::new(path));
        if root.join(path).is_file()
            && let Ok(line) = found[2].parse()
        {
            places.insert((path.display().to_string(), line));
        }
    }
    Ok(places)
}
