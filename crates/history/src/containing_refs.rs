//! The branches and tags that contain a commit, as `git branch --contains` and `git tag --contains` list them.

use crate::commit_walk::CommitWalk;
use crate::error::HistoryError;
use crate::oid::Oid;
use crate::worktree_diff::History;
use std::collections::{BTreeSet, HashMap, HashSet};

/// In a repository with more commits, nothing is said. All are walked: the dates of commits prove nothing.
const MAX_WALKED: usize = 200_000;

/// The branches and tags that contain a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainingRefs {
    /// Short names of the local branches, by name.
    pub branches: Vec<String>,
    /// Short names of the tags, the earliest commit first.
    pub tags: Vec<String>,
}

impl History {
    /// The branches and tags that contain a commit; `None` if there are too many commits to find out.
    pub fn containing_refs(&mut self, commit: &Oid) -> Result<Option<ContainingRefs>, HistoryError> {
        let refs = self.named_refs();
        let mut walk = CommitWalk::default();
        for one in &refs {
            walk.push(&mut self.commits, one.commit)?;
        }
        let mut children: HashMap<Oid, Vec<Oid>> = HashMap::new();
        let mut walked = 0;
        while let Some(oid) = walk.next(&mut self.commits)? {
            for parent in &self.commits.header(&oid)?.parents {
                children.entry(*parent).or_default().push(oid);
            }
            walked += 1;
            if walked > MAX_WALKED {
                return Ok(None);
            }
        }
        let (mut descendants, mut next) = (HashSet::from([*commit]), vec![*commit]);
        while let Some(oid) = next.pop() {
            for child in children.get(&oid).into_iter().flatten() {
                if descendants.insert(*child) {
                    next.push(*child);
                }
            }
        }
        let mut found = ContainingRefs::default();
        let mut tags = BTreeSet::new();
        for one in refs.iter().filter(|one| descendants.contains(&one.commit)) {
            if let Some(tag) = one.name.strip_prefix("refs/tags/") {
                tags.insert((self.commits.header(&one.commit)?.time, tag.to_owned()));
            } else if let Some(branch) = one.name.strip_prefix("refs/heads/") {
                found.branches.push(branch.to_owned());
            }
        }
        found.branches.sort();
        found.tags = tags.into_iter().map(|(_, tag)| tag).collect();
        Ok(Some(found))
    }
}
