//! Refs: resolves the names of branches, tags and other refs to object ids.

use crate::error::HistoryError;
use crate::git_files::{GitFiles, is_absent, optional, small_text};
use crate::oid::{self, Oid};
use orient_safefs::{EntryKind, UnsafePath, UntrustedDirectory};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

/// Maximum number of symbolic refs in a chain.
const MAX_SYMBOLIC: usize = 6;
/// Maximum size of `packed-refs`.
const MAX_PACKED_REFS: u64 = 64 << 20;
/// Maximum depth of ref directories.
const MAX_DEPTH: usize = 16;
/// Maximum number of refs listed.
const MAX_REFS: usize = 1_000_000;

/// The prefix and suffix that git tries for a short name, in order.
const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// The refs of a repository.
pub(crate) struct Refs {
    files: Arc<GitFiles>,
    packed: BTreeMap<String, Oid>,
}

impl Refs {
    /// Reads `packed-refs`.
    pub(crate) fn open(files: Arc<GitFiles>) -> Result<Self, HistoryError> {
        if files.common().kind("reftable") == Some(EntryKind::Directory) {
            return Err(HistoryError::Unsupported("it stores refs in the `reftable` format"));
        }
        // Behind a link, they would be those of another repository.
        if files.common().kind("refs") == Some(EntryKind::Link) {
            let path = files.common().path().join("refs");
            return Err(HistoryError::Refused(format!("{} is a symbolic link", path.display())));
        }
        let mut packed = BTreeMap::new();
        let bytes = optional(files.common(), "packed-refs", MAX_PACKED_REFS)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines().filter(|line| !line.starts_with(['#', '^'])) {
            let Some((oid, name)) = line.split_once(' ') else { continue };
            packed.extend(oid::parse(oid).map(|oid| (name.to_owned(), oid)));
        }
        Ok(Self { files, packed })
    }

    /// Resolves a short or full name: `main`, `v1.2`, `origin/main`, `refs/heads/main`. An error if a ref is there and
    /// cannot be read.
    pub(crate) fn find(&self, name: &str) -> io::Result<Option<Oid>> {
        for (before, after) in RULES {
            if let Some(oid) = self.read(&format!("{before}{name}{after}"))? {
                return Ok(Some(oid));
            }
        }
        Ok(None)
    }

    /// The full name that a short name stands for.
    pub(crate) fn full_name(&self, name: &str) -> Option<String> {
        let mut names = RULES.iter().map(|(before, after)| format!("{before}{name}{after}"));
        names.find(|full| self.resolve(full).is_some())
    }

    /// The objects that `refs/replace` replaces, each with its replacement.
    pub(crate) fn replacements(&self) -> Vec<(Oid, Oid)> {
        let pair = |name: &String| oid::parse(name.rsplit('/').next()?).zip(self.resolve(name));
        self.list("refs/replace").iter().filter_map(pair).collect()
    }

    /// Local branches, remote branches and tags, by full name, with the objects that they point to.
    pub(crate) fn named(&self) -> Vec<(String, Oid)> {
        ["refs/heads", "refs/remotes", "refs/tags"].map(|prefix| self.resolved(prefix)).concat()
    }

    /// What at most `max` local and remote branches point to, and whether these are all.
    pub(crate) fn branch_tips(&self, max: usize) -> (Vec<Oid>, bool) {
        let found = ["refs/heads", "refs/remotes"].map(|prefix| self.resolved(prefix)).concat();
        let is_all = found.len() <= max;
        (found.into_iter().take(max).map(|(_, oid)| oid).collect(), is_all)
    }

    /// What the worktrees of the repository have checked out.
    pub(crate) fn worktree_heads(&self) -> Vec<Oid> {
        let heads = [String::new()].into_iter().chain(
            self.files
                .entries("worktrees")
                .into_iter()
                .filter_map(|(name, _)| Some(format!("worktrees/{}/", name.to_str()?))),
        );
        let mut found: Vec<Oid> = heads
            .filter_map(|place| small_text(self.files.common(), format!("{place}HEAD")).ok())
            .filter_map(|head| match head.trim().strip_prefix("ref:") {
                Some(name) => self.resolve(name.trim()),
                None => oid::parse(head.trim()),
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Resolves a full name; `None` also if its file cannot be read.
    pub(crate) fn resolve(&self, name: &str) -> Option<Oid> {
        self.read(name).ok().flatten()
    }

    fn read(&self, name: &str) -> io::Result<Option<Oid>> {
        let mut name = name.to_owned();
        for _ in 0..MAX_SYMBOLIC {
            if !is_valid_name(&name) {
                return Ok(None);
            }
            let text = match self.files.text(&name) {
                Ok(text) => text,
                // The packed ref is older than the file, so it is no answer for a file that only could not be read.
                Err(error) if is_absent(&error) || UnsafePath::of(&error).is_some() => {
                    return Ok(self.packed.get(&name).copied());
                }
                Err(error) => return Err(error),
            };
            let line = text.lines().next().unwrap_or_default().trim();
            if let Some(other) = line.strip_prefix("ref:") {
                other.trim().clone_into(&mut name);
                continue;
            }
            // Files such as FETCH_HEAD contain more than the object id.
            let word = line.split_ascii_whitespace().next().unwrap_or_default();
            return Ok(oid::parse(word));
        }
        Ok(None)
    }

    /// The full names of the branches that a user may switch to: all local branches, and of each remote its default branch
    /// and the one with the name of the current branch.
    pub(crate) fn branches(&self) -> Vec<String> {
        let mut names = self.list("refs/heads");
        let head = small_text(self.files.own(), "HEAD").unwrap_or_default();
        let current = head.trim().strip_prefix("ref: refs/heads/");
        let remotes = self.files.entries("refs/remotes").into_iter();
        let loose = remotes.filter_map(|(name, _)| name.into_string().ok());
        let packed = self.list_packed("refs/remotes").filter_map(|name| name.split('/').nth(2));
        let remotes: BTreeSet<String> = loose.chain(packed.map(str::to_owned)).collect();
        for remote in remotes {
            let branches = ["HEAD"].into_iter().chain(current);
            names.extend(branches.map(|branch| format!("refs/remotes/{remote}/{branch}")));
        }
        names
    }

    /// The full names of all refs below a prefix, sorted.
    fn list(&self, prefix: &str) -> Vec<String> {
        let mut names: Vec<String> = self.list_packed(prefix).take(MAX_REFS).map(str::to_owned).collect();
        for dir in [self.files.own(), self.files.common()] {
            collect_loose(dir, prefix, MAX_DEPTH, &mut names);
        }
        names.sort();
        names.dedup();
        names
    }

    /// The refs below a prefix with the objects that they point to, sorted. Files are read for loose refs only.
    fn resolved(&self, prefix: &str) -> Vec<(String, Oid)> {
        let mut loose = Vec::new();
        for dir in [self.files.own(), self.files.common()] {
            collect_loose(dir, prefix, MAX_DEPTH, &mut loose);
        }
        let mut found: BTreeMap<String, Oid> = self
            .list_packed(prefix)
            .take(MAX_REFS)
            .filter_map(|name| Some((name.to_owned(), *self.packed.get(name)?)))
            .collect();
        for name in loose {
            match self.resolve(&name) {
                Some(oid) => found.insert(name, oid),
                None => found.remove(&name),
            };
        }
        found.into_iter().collect()
    }

    fn list_packed<'n>(&'n self, prefix: &'n str) -> impl Iterator<Item = &'n str> {
        let inside =
            move |name: &&String| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
        self.packed.keys().filter(inside).map(String::as_str)
    }

    /// The short names of all branches and tags.
    pub(crate) fn short_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .list("refs")
            .iter()
            .filter_map(|name| {
                let short = name.strip_prefix("refs/")?;
                let short = short.strip_prefix("heads/").or_else(|| short.strip_prefix("tags/"));
                short.or_else(|| name.strip_prefix("refs/remotes/")).map(str::to_owned)
            })
            .collect();
        names.push("HEAD".to_owned());
        names.sort();
        names.dedup();
        names
    }
}

fn collect_loose(dir: &UntrustedDirectory, prefix: &str, depth: usize, names: &mut Vec<String>) {
    for (name, kind) in dir.entries(prefix, MAX_REFS).unwrap_or_default() {
        let Ok(name) = name.into_string() else { continue };
        let path = format!("{prefix}/{name}");
        if kind == EntryKind::Directory && depth > 0 {
            collect_loose(dir, &path, depth - 1, names);
        } else if kind == EntryKind::File && names.len() < MAX_REFS {
            names.push(path);
        }
    }
}

/// Whether a text is a valid ref name. A valid name cannot lead out of the git directory.
fn is_valid_name(name: &str) -> bool {
    let components_are_valid = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    components_are_valid && !name.contains("..") && !name.contains(forbidden)
}

#[cfg(test)]
mod tests {
    use super::is_valid_name;

    #[test]
    fn valid_names_stay_in_the_git_directory() {
        for name in ["HEAD", "refs/heads/main", "v1.2", "feature/a-b_c@2"] {
            assert!(is_valid_name(name), "{name}");
        }
        for name in
            ["", "/etc/passwd", "../x", "refs/../../x", "a//b", "a b", "a\\b", ".hidden", "a:b", "a\nb"]
        {
            assert!(!is_valid_name(name), "{name}");
        }
    }
}
