//! The history of a path, through renames, copies and merges.
//!
//! A path is followed along each branch separately: where one branch renamed a file and the other did not, both names are
//! followed, each on its own side. (`git log --follow` follows one name at a time over all branches.) A merge says which file of each
//! parent is the same by similarity. Where a branch is so old that nothing is similar any more, the commit that renamed the file on
//! the other side says under which name to look for it.
//!
//! The log does not know where commits and changes come from: git's objects ([`GitPaths`](crate::GitPaths)), or an index of
//! them. Commits and paths are numbers, so that following one path through thousands of commits compares numbers only.

use crate::commit_queue::CommitQueue;
use crate::error::HistoryError;
use crate::oid::Oid;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How a commit changed a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file is new.
    Added,
    /// The content changed.
    Modified,
    /// The file was deleted.
    Deleted,
    /// The file was renamed, and perhaps changed.
    Renamed,
    /// The file is a copy of another, perhaps changed.
    Copied,
    /// Only the mode changed: the file may be executed now, or no longer.
    Mode,
}

impl ChangeKind {
    /// Every kind; its place is its stored number.
    pub const ALL: [Self; 6] =
        [Self::Added, Self::Modified, Self::Deleted, Self::Renamed, Self::Copied, Self::Mode];

    /// The stored number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The kind with a stored number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::Mode => "mode",
        }
    }
}

/// The number of a commit in [`CommitNumbers`].
pub type CommitNumber = u32;
/// The number of a path in [`CommitNumbers`].
pub type PathNumber = u32;

/// Numbers for commits and for paths from the top of the repository.
#[derive(Debug, Default)]
pub struct CommitNumbers {
    commits: Vec<Oid>,
    of_commit: HashMap<Oid, CommitNumber>,
    paths: Vec<Vec<u8>>,
    of_path: HashMap<Vec<u8>, PathNumber>,
}

impl CommitNumbers {
    /// The number of a commit.
    pub fn commit(&mut self, id: &Oid) -> CommitNumber {
        if let Some(number) = self.of_commit.get(id) {
            return *number;
        }
        let number = self.commits.len() as CommitNumber;
        self.commits.push(*id);
        self.of_commit.insert(*id, number);
        number
    }

    /// The number of a path.
    pub fn path(&mut self, path: &[u8]) -> PathNumber {
        if let Some(number) = self.of_path.get(path) {
            return *number;
        }
        let number = self.paths.len() as PathNumber;
        self.paths.push(path.to_vec());
        self.of_path.insert(path.to_vec(), number);
        number
    }

    /// A step with the number of its source.
    pub fn step(&mut self, (kind, source): ChangeAndSource) -> PathStep {
        PathStep { kind, old_path: source.map(|source| self.path(&source)) }
    }

    /// The commit with a number.
    pub fn commit_id(&self, number: CommitNumber) -> Oid {
        self.commits[number as usize]
    }

    /// The path with a number.
    pub fn path_bytes(&self, number: PathNumber) -> &[u8] {
        &self.paths[number as usize]
    }
}

/// How a commit changed a path, and the previous path of a renamed or copied file.
pub type ChangeAndSource = (ChangeKind, Option<Vec<u8>>);

/// How a commit changed a path, compared with its only parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// How.
    pub kind: ChangeKind,
    /// The previous path of a renamed or copied file.
    pub old_path: Option<PathNumber>,
}

/// Where a path log reads commits and changes.
pub trait PathSource {
    /// Adds the parents of a commit to `parents` and returns its time.
    fn parents(&mut self, commit: CommitNumber, parents: &mut Vec<CommitNumber>)
    -> Result<i64, HistoryError>;

    /// How a commit with at most one parent changed a path. `None` if it did not.
    fn step(&mut self, commit: CommitNumber, path: PathNumber) -> Result<Option<PathStep>, HistoryError>;

    /// The name in a parent of a file that a merge has under this path and the parent does not.
    fn name_in_parent(
        &mut self,
        merge: CommitNumber,
        parent: CommitNumber,
        path: PathNumber,
    ) -> Result<Option<PathNumber>, HistoryError>;

    /// Whether a commit has a file at a path.
    fn has_file(&mut self, commit: CommitNumber, path: PathNumber) -> Result<bool, HistoryError>;
}

/// A commit that changed a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathLogEntry {
    /// The commit.
    pub commit: CommitNumber,
    /// The path after it; before it, if the file was deleted.
    pub path: PathNumber,
    /// How it changed.
    pub step: PathStep,
}

/// Follows a path backwards from a commit, newest commit first.
#[derive(Default)]
pub struct PathLog {
    queue: CommitQueue<CommitNumber>,
    /// The paths to look at in each commit of the queue.
    paths: BTreeMap<CommitNumber, BTreeSet<PathNumber>>,
    done: HashSet<(CommitNumber, PathNumber)>,
    /// The parents of merges in which a path was not found under another name.
    merged: HashMap<PathNumber, BTreeSet<CommitNumber>>,
    /// The names that a file got after a name, as far as the log has seen.
    later_names: HashMap<PathNumber, BTreeSet<PathNumber>>,
    ready: Vec<PathLogEntry>,
    parents: Vec<CommitNumber>,
}

impl PathLog {
    /// Starts at a commit.
    pub fn push(
        &mut self,
        source: &mut dyn PathSource,
        commit: CommitNumber,
        path: PathNumber,
    ) -> Result<(), HistoryError> {
        if !self.done.insert((commit, path)) {
            return Ok(());
        }
        let paths = self.paths.entry(commit).or_default();
        if paths.is_empty() {
            let mut parents = Vec::new();
            self.queue.push(source.parents(commit, &mut parents)?, commit);
        }
        paths.insert(path);
        Ok(())
    }

    /// The next commit that changed the path, or `None` at the end of the history.
    pub fn next(&mut self, source: &mut dyn PathSource) -> Result<Option<PathLogEntry>, HistoryError> {
        loop {
            if let Some(entry) = self.ready.pop() {
                return Ok(Some(entry));
            }
            let Some(commit) = self.queue.pop() else { return Ok(None) };
            for path in self.paths.remove(&commit).unwrap_or_default() {
                self.visit(source, commit, path)?;
            }
        }
    }

    fn visit(
        &mut self,
        source: &mut dyn PathSource,
        commit: CommitNumber,
        path: PathNumber,
    ) -> Result<(), HistoryError> {
        let mut parents = std::mem::take(&mut self.parents);
        parents.clear();
        source.parents(commit, &mut parents)?;
        if parents.len() > 1 {
            for parent in &parents {
                match source.name_in_parent(commit, *parent, path)? {
                    Some(name) => self.push(source, *parent, name)?,
                    None => {
                        self.merged.entry(path).or_default().insert(*parent);
                    }
                }
                self.push(source, *parent, path)?;
            }
        } else {
            let step = source.step(commit, path)?;
            if let Some(PathStep { kind: ChangeKind::Renamed, old_path: Some(old) }) = step {
                self.follow_on_older_branches(source, path, old)?;
            }
            self.ready.extend(step.map(|step| PathLogEntry { commit, path, step }));
            for parent in &parents {
                self.push(source, *parent, step.and_then(|step| step.old_path).unwrap_or(path))?;
            }
        }
        self.parents = parents;
        Ok(())
    }

    /// Once a commit turns out to have renamed a file, looks for its old name on the branches that left before that commit.
    fn follow_on_older_branches(
        &mut self,
        source: &mut dyn PathSource,
        path: PathNumber,
        old: PathNumber,
    ) -> Result<(), HistoryError> {
        let mut later = self.later_names.get(&path).cloned().unwrap_or_default();
        later.insert(path);
        self.later_names.entry(old).or_default().extend(&later);
        // Of each such branch, or of where it left, a commit is in the queue. Usually there is none, and no merge is looked at.
        let is_waiting = |paths: &BTreeSet<PathNumber>| !paths.contains(&old) && !paths.is_disjoint(&later);
        let waiting: Vec<CommitNumber> =
            self.paths.iter().filter(|(_, paths)| is_waiting(paths)).map(|(commit, _)| *commit).collect();
        let mut has_branch = false;
        for commit in waiting {
            has_branch |= is_before_rename(source, commit, &later, old)?;
        }
        if !has_branch {
            return Ok(());
        }
        let merged: BTreeSet<CommitNumber> =
            later.iter().filter_map(|name| self.merged.get(name)).flatten().copied().collect();
        for commit in merged {
            if is_before_rename(source, commit, &later, old)? {
                self.push(source, commit, old)?;
            }
        }
        Ok(())
    }
}

/// Whether a commit has a file under its old name and under none of the later ones.
fn is_before_rename(
    source: &mut dyn PathSource,
    commit: CommitNumber,
    later: &BTreeSet<PathNumber>,
    old: PathNumber,
) -> Result<bool, HistoryError> {
    for name in later {
        if source.has_file(commit, *name)? {
            return Ok(false);
        }
    }
    source.has_file(commit, old)
}
