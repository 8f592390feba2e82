//! Names for commits: branches, tags and the like.

use crate::error::HistoryError;
use crate::oid::{LENGTH, Oid};
use orient_walk::GitDirs;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// How many names may stand for one another.
const STEPS: usize = 6;
/// No file that holds a name or a list of settings is larger.
const SMALL: u64 = 1 << 20;
/// Repositories with a great many branches list them in one file.
const PACKED: u64 = 256 << 20;
/// How deep folders of names go, and how many names are looked at.
const DEEP: usize = 16;
const MANY: usize = 100_000;

/// Where a short name is looked for, in git's order.
const PLACES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// The names of a repository.
pub(crate) struct Refs {
    dirs: GitDirs,
    packed: BTreeMap<String, Oid>,
}

impl Refs {
    /// Reads what names there are.
    pub(crate) fn open(dirs: GitDirs) -> Result<Self, HistoryError> {
        if dirs.common_dir.join("reftable").is_dir() {
            return Err(HistoryError::Unsupported("it keeps its branches in the form `reftable`"));
        }
        let mut packed = BTreeMap::new();
        let text = bounded(&dirs.common_dir.join("packed-refs"), PACKED).unwrap_or_default();
        for line in text.lines().filter(|line| !line.starts_with(['#', '^'])) {
            let Some((oid, name)) = line.split_once(' ') else { continue };
            if oid.len() > 2 * LENGTH {
                return Err(HistoryError::Unsupported("it names its objects by SHA-256"));
            }
            packed.extend(Oid::parse(oid).map(|oid| (name.to_owned(), oid)));
        }
        Ok(Self { dirs, packed })
    }

    /// What a name stands for, as a user writes it: `main`, `v1.2`, `origin/main`, `refs/heads/main`.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Oid>, HistoryError> {
        for (before, after) in PLACES {
            if let Some(oid) = self.full(&format!("{before}{name}{after}"))? {
                return Ok(Some(oid));
            }
        }
        Ok(None)
    }

    /// What a full name stands for.
    pub(crate) fn full(&self, name: &str) -> Result<Option<Oid>, HistoryError> {
        let mut name = name.to_owned();
        for _ in 0..STEPS {
            if !is_name(&name) {
                return Ok(None);
            }
            let own = [&self.dirs.git_dir, &self.dirs.common_dir];
            let Some(text) = own.iter().find_map(|folder| small_file(&folder.join(&name)).ok()) else {
                return Ok(self.packed.get(&name).copied());
            };
            let line = text.lines().next().unwrap_or_default().trim();
            if let Some(other) = line.strip_prefix("ref:") {
                other.trim().clone_into(&mut name);
                continue;
            }
            // A file such as FETCH_HEAD says more behind the name of the commit.
            let word = line.split_ascii_whitespace().next().unwrap_or_default();
            if word.len() > 2 * LENGTH && crate::oid::nibbles(word).is_some() {
                return Err(HistoryError::Unsupported("it names its objects by SHA-256"));
            }
            return Ok(Oid::parse(word));
        }
        Ok(None)
    }

    /// The full names of the branches that may be switched to: all of this repository, and of each other one that it
    /// fetches from the branch offered first and the one called like the branch that is checked out.
    pub(crate) fn branches(&self) -> Vec<String> {
        let mut names = self.below("refs/heads");
        let head = small_file(&self.dirs.git_dir.join("HEAD")).unwrap_or_default();
        let current = head.trim().strip_prefix("ref: refs/heads/");
        let remotes = fs::read_dir(self.dirs.common_dir.join("refs/remotes")).into_iter().flatten().flatten();
        let loose = remotes.filter_map(|entry| entry.file_name().into_string().ok());
        let packed = self.packed_below("refs/remotes").filter_map(|name| name.split('/').nth(2));
        let remotes: BTreeSet<String> = loose.chain(packed.map(str::to_owned)).collect();
        for remote in remotes {
            let branches = ["HEAD"].into_iter().chain(current);
            names.extend(branches.map(|branch| format!("refs/remotes/{remote}/{branch}")));
        }
        names
    }

    /// The full names below a folder of them, sorted.
    fn below(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = self.packed_below(folder).take(MANY).map(str::to_owned).collect();
        for top in [&self.dirs.git_dir, &self.dirs.common_dir] {
            gather(top, folder, DEEP, &mut names);
        }
        names.sort();
        names.dedup();
        names
    }

    fn packed_below<'n>(&'n self, folder: &'n str) -> impl Iterator<Item = &'n str> {
        let inside =
            move |name: &&String| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.packed.keys().filter(inside).map(String::as_str)
    }

    /// Every branch and tag, as a user would write it.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .below("refs")
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

fn gather(top: &Path, folder: &str, deep: usize, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(top.join(folder)) else { return };
    for entry in entries.flatten() {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        let path = format!("{folder}/{name}");
        if kind.is_dir() && deep > 0 {
            gather(top, &path, deep - 1, names);
        } else if kind.is_file() && names.len() < MANY {
            names.push(path);
        }
    }
}

/// Whether a text can be the name of a branch or the like, so that it leads nowhere but to one.
fn is_name(name: &str) -> bool {
    let parts_are_names = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    parts_are_names && !name.contains("..") && !name.contains(forbidden)
}

/// The text of a file that must be a file and small.
pub(crate) fn small_file(path: &Path) -> io::Result<String> {
    bounded(path, SMALL)
}

/// The bytes of a file, no more than `most`; whatever is not a file would perhaps never end.
fn bounded(path: &Path, most: u64) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_cannot_lead_out_of_the_repository() {
        for name in ["HEAD", "refs/heads/main", "v1.2", "feature/a-b_c@2"] {
            assert!(is_name(name), "{name}");
        }
        for name in
            ["", "/etc/passwd", "../x", "refs/../../x", "a//b", "a b", "a\\b", ".hidden", "a:b", "a\nb"]
        {
            assert!(!is_name(name), "{name}");
        }
    }
}
