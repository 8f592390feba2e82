//! The dirty set: paths that changed since the last refresh.

use orient_engine::Subtrees;
use orient_model::RepoPath;
use std::collections::BTreeMap;

/// With more paths than this, a full scan is cheaper than a partial refresh.
const PARTIAL_REFRESH_MAX: usize = 500;
/// With more paths than this, everything counts as dirty.
const MAX_PATHS: usize = 50_000;

/// How a path changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ChangeKind {
    /// The content of a file.
    Content,
    /// An entry was created, moved, removed or made readable: directories there need new watches.
    Structure,
}

/// Paths the index may be wrong about, each with everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DirtyPaths {
    paths: BTreeMap<RepoPath, ChangeKind>,
    everything: bool,
}

impl DirtyPaths {
    /// Adds a path.
    pub(crate) fn add(&mut self, path: RepoPath, change: ChangeKind) {
        if self.everything {
            return;
        }
        let before = self.paths.entry(path).or_insert(change);
        *before = change.max(*before);
        if self.paths.len() > MAX_PATHS {
            self.add_all();
        }
    }

    /// Adds every path of the tree.
    pub(crate) fn add_all(&mut self) {
        self.everything = true;
        self.paths.clear();
    }

    /// Whether every path is dirty.
    pub(crate) fn is_all(&self) -> bool {
        self.everything
    }

    /// Whether so many paths changed that a full scan is cheaper.
    pub(crate) fn is_many(&self) -> bool {
        self.everything || self.paths.len() > PARTIAL_REFRESH_MAX
    }

    /// Whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        !self.everything && self.paths.is_empty()
    }

    /// Adds the paths of another set.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.everything {
            self.add_all();
        }
        for (path, change) in other.paths {
            self.add(path, change);
        }
    }

    /// All paths in order; `.` is the whole tree.
    pub(crate) fn paths(&self) -> Vec<RepoPath> {
        if self.everything { vec![RepoPath::from(".")] } else { self.paths.keys().cloned().collect() }
    }

    /// The region that a partial refresh has to compare.
    pub(crate) fn region(&self) -> Subtrees {
        Subtrees::new(self.paths.keys().cloned())
    }

    /// The paths at which directories may have been created, moved or removed.
    pub(crate) fn structure(&self) -> Subtrees {
        let changed = self.paths.iter().filter(|(_, change)| **change == ChangeKind::Structure);
        Subtrees::new(changed.map(|(path, _)| path.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_change_outweighs_a_content_change() {
        let mut dirty = DirtyPaths::default();
        dirty.add("a/b".into(), ChangeKind::Structure);
        dirty.add("a/b".into(), ChangeKind::Content);
        dirty.add("c".into(), ChangeKind::Content);
        assert_eq!(dirty.region().roots(), ["a/b".into(), "c".into()]);
        assert_eq!(dirty.structure().roots(), ["a/b".into()]);
    }

    #[test]
    fn too_many_paths_make_everything_dirty() {
        let mut dirty = DirtyPaths::default();
        for number in 0..=MAX_PATHS {
            assert_eq!(dirty.is_many(), number > PARTIAL_REFRESH_MAX, "at {number}");
            assert!(!dirty.is_all());
            dirty.add(RepoPath::from(format!("{number}").as_str()), ChangeKind::Content);
        }
        assert!(dirty.is_all() && dirty.is_many() && !dirty.is_empty());
        assert_eq!(dirty.paths(), [".".into()]);
    }

    #[test]
    fn paths_of_a_failed_refresh_stay_dirty() {
        let (mut dirty, mut taken) = (DirtyPaths::default(), DirtyPaths::default());
        dirty.add("new".into(), ChangeKind::Content);
        taken.add("old".into(), ChangeKind::Content);
        dirty.merge(taken);
        assert_eq!(dirty.paths(), ["new".into(), "old".into()]);
        let mut all = DirtyPaths::default();
        all.add_all();
        dirty.merge(all);
        assert!(dirty.is_all());
    }
}
