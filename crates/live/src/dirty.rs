//! Where something changed since the index was right.

use orient_engine::Subtrees;
use orient_model::RepoPath;
use std::collections::BTreeMap;

/// With more paths than this, a look at all files is cheaper than a look at each.
const MANY: usize = 500;
/// More paths than this are not remembered.
const MOST: usize = 50_000;

/// What was noticed of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// What is there has other content.
    Content,
    /// Something came, went or may be read now: a folder there is not watched as it should be.
    Place,
}

/// Paths the index may be wrong about, each with all beneath it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dirty {
    paths: BTreeMap<RepoPath, Change>,
    everything: bool,
}

impl Dirty {
    /// Notes a path.
    pub(crate) fn note(&mut self, path: RepoPath, change: Change) {
        if self.everything {
            return;
        }
        let before = self.paths.entry(path).or_insert(change);
        *before = change.max(*before);
        if self.paths.len() > MOST {
            self.all();
        }
    }

    /// Notes that the index may be wrong about anything.
    pub(crate) fn all(&mut self) {
        self.everything = true;
        self.paths.clear();
    }

    /// Whether the index may be wrong about anything.
    pub(crate) fn is_all(&self) -> bool {
        self.everything
    }

    /// Whether so many paths changed that all files are looked at.
    pub(crate) fn is_many(&self) -> bool {
        self.everything || self.paths.len() > MANY
    }

    /// Whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        !self.everything && self.paths.is_empty()
    }

    /// Takes all in that another holds.
    pub(crate) fn restore(&mut self, other: Self) {
        if other.everything {
            self.all();
        }
        for (path, change) in other.paths {
            self.note(path, change);
        }
    }

    /// All paths, by path; `.` stands for the whole tree.
    pub(crate) fn paths(&self) -> Vec<RepoPath> {
        if self.everything { vec![RepoPath::from(".")] } else { self.paths.keys().cloned().collect() }
    }

    /// All paths.
    pub(crate) fn region(&self) -> Subtrees {
        Subtrees::new(self.paths.keys().cloned())
    }

    /// The paths at which folders may have come or gone.
    pub(crate) fn places(&self) -> Subtrees {
        let places = self.paths.iter().filter(|(_, change)| **change == Change::Place);
        Subtrees::new(places.map(|(path, _)| path.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_place_outweighs_one_of_content() {
        let mut dirty = Dirty::default();
        dirty.note("a/b".into(), Change::Place);
        dirty.note("a/b".into(), Change::Content);
        dirty.note("c".into(), Change::Content);
        assert_eq!(dirty.region().roots(), ["a/b".into(), "c".into()]);
        assert_eq!(dirty.places().roots(), ["a/b".into()]);
    }

    #[test]
    fn too_many_changes_are_a_change_of_everything() {
        let mut dirty = Dirty::default();
        for number in 0..=MOST {
            assert_eq!(dirty.is_many(), number > MANY, "at {number}");
            assert!(!dirty.is_all());
            dirty.note(RepoPath::from(format!("{number}").as_str()), Change::Content);
        }
        assert!(dirty.is_all() && dirty.is_many() && !dirty.is_empty());
        assert_eq!(dirty.paths(), [".".into()]);
    }

    #[test]
    fn what_could_not_be_done_comes_back() {
        let (mut dirty, mut taken) = (Dirty::default(), Dirty::default());
        dirty.note("new".into(), Change::Content);
        taken.note("old".into(), Change::Content);
        dirty.restore(taken);
        assert_eq!(dirty.paths(), ["new".into(), "old".into()]);
        let mut all = Dirty::default();
        all.all();
        dirty.restore(all);
        assert!(dirty.is_all());
    }
}
