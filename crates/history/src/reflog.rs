//! Reflogs and the configured upstream: what `main@{2}`, `@{-1}` and `@{upstream}` stand for.

use crate::git_files::{GitFiles, small_text};
use crate::oid::{self, Oid};

/// The object that a ref pointed to `back` changes ago.
pub(crate) fn at(files: &GitFiles, name: &str, back: usize) -> Option<Oid> {
    let text = lines(files, name)?;
    let mut entries = text.lines().rev();
    if back == 0 {
        return entries.next().and_then(|line| oid::parse(line.split(' ').nth(1)?));
    }
    // An entry names the old object, then the new one; the old one remains known after older entries expired.
    entries.nth(back - 1).and_then(|line| oid::parse(line.split(' ').next()?)).filter(|oid| !oid.is_null())
}

/// The branch or commit that was checked out `back` switches ago.
pub(crate) fn previous_branch(files: &GitFiles, back: usize) -> Option<String> {
    let text = lines(files, "HEAD")?;
    let switches = text.lines().rev().filter_map(|line| {
        line.split_once("\tcheckout: moving from ")?.1.split_once(" to ").map(|(from, _)| from.to_owned())
    });
    switches.into_iter().nth(back.checked_sub(1)?)
}

/// The full name of the branch that a branch is configured to follow.
///
/// Only `remote` and `merge` of the section of that branch are read from the configuration; nothing is included or run.
pub(crate) fn upstream(files: &GitFiles, branch: &str) -> Option<String> {
    let config = small_text(files.common(), "config").ok()?;
    let (mut inside, mut remote, mut merge) = (false, None, None);
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside =
                line.strip_prefix("[branch \"").and_then(|rest| rest.strip_suffix("\"]")) == Some(branch);
        } else if inside && let Some((key, value)) = line.split_once('=') {
            match key.trim() {
                "remote" => remote = Some(value.trim().to_owned()),
                "merge" => merge = Some(value.trim().to_owned()),
                _ => {}
            }
        }
    }
    let (remote, merge) = (remote?, merge?);
    match merge.strip_prefix("refs/heads/") {
        _ if remote == "." => Some(merge),
        Some(name) => Some(format!("refs/remotes/{remote}/{name}")),
        None => None,
    }
}

fn lines(files: &GitFiles, name: &str) -> Option<String> {
    files.text(&format!("logs/{name}")).ok()
}
