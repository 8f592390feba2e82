//! The addresses that a clone fetches from.

use crate::git_files::small_text;
use orient_safefs::UntrustedDirectory;
use orient_walk::GitDirs;
use std::path::Path;

/// The addresses of the remotes of the repository that a directory is in, in the order of its configuration; empty if there is none.
///
/// Only `url` of the sections of remotes is read from the configuration; nothing is included or run.
pub fn remote_addresses(root: &Path) -> Vec<String> {
    let dirs = root.ancestors().find_map(|top| GitDirs::of(&top.join(".git")));
    let common = dirs.and_then(|dirs| UntrustedDirectory::open(&dirs.common_dir).ok());
    let config = common.and_then(|common| small_text(&common, "config").ok()).unwrap_or_default();
    let (mut inside, mut addresses) = (false, Vec::new());
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.starts_with("[remote \"") && line.ends_with("\"]");
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            addresses.push(value.trim().trim_matches('"').to_owned());
        }
    }
    addresses
}
