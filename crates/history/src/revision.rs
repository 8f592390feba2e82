//! Parses revisions (`HEAD~3`, `v1.2`, `main...`) and resolves them to commits.

use crate::error::HistoryError;
use crate::object_store::{Object, ObjectKind, ObjectStore};
use crate::oid::{Oid, nibbles};
use crate::refs::{Refs, small_file};
use orient_walk::GitDirs;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fmt;

/// Maximum number of tags in a chain.
const MAX_TAGS: usize = 10;
/// Maximum number of steps of `~`: longer than any real history.
const MAX_STEPS: u32 = 1_000_000;
/// Maximum number of branches considered.
const MAX_BRANCHES: usize = 1000;
/// Minimum number of digits of an abbreviated object id.
const MIN_DIGITS: usize = 4;
/// Maximum number of suggestions for an unknown revision.
const MAX_SUGGESTIONS: usize = 3;

/// The commits and refs of a repository.
pub(crate) struct Commits {
    pub(crate) objects: ObjectStore,
    refs: Refs,
    /// Commits of a shallow clone whose parents are missing.
    shallow: BTreeSet<Oid>,
}

/// The tip of a branch: its commit and tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    commit: Oid,
    pub(crate) tree: Oid,
}

impl Tip {
    /// The id of the commit.
    pub fn id(&self) -> &[u8] {
        &self.commit.0
    }
}

impl fmt::Display for Tip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.commit.fmt(f)
    }
}

/// The parsed header of a commit.
struct Commit {
    tree: Oid,
    parents: Vec<Oid>,
    time: i64,
}

impl Commits {
    pub(crate) fn open(dirs: &GitDirs) -> Result<Self, HistoryError> {
        let shallow = small_file(&dirs.common_dir.join("shallow")).unwrap_or_default();
        Ok(Self {
            objects: ObjectStore::open(&dirs.common_dir),
            refs: Refs::open(dirs.clone())?,
            shallow: shallow.lines().filter_map(Oid::parse).collect(),
        })
    }

    /// The root tree of a revision.
    pub(crate) fn tree(&mut self, revision: &str) -> Result<Oid, HistoryError> {
        let commit = self.base_commit(revision)?;
        Ok(self.commit(&commit)?.tree)
    }

    /// The tips of all branches but the current one, newest first.
    pub(crate) fn tips(&mut self) -> Result<Vec<Tip>, HistoryError> {
        let head = self.resolve_name("HEAD")?;
        let mut tips = BTreeMap::new();
        for name in self.refs.branches().into_iter().take(MAX_BRANCHES) {
            // An unreadable branch does not hide the others.
            let Ok(Some(oid)) = self.refs.resolve(&name) else { continue };
            let Ok(commit) = self.commit(&oid) else { continue };
            if oid != head {
                tips.insert((Reverse(commit.time), oid), commit.tree);
            }
        }
        Ok(tips.into_iter().map(|((_, commit), tree)| Tip { commit, tree }).collect())
    }

    /// The commit to compare with: `A` and `A..` mean A, `A...` the merge base of A and HEAD.
    fn base_commit(&mut self, revision: &str) -> Result<Oid, HistoryError> {
        let unusable = |reason: &str| HistoryError::Unusable {
            revision: revision.to_owned(),
            reason: reason.to_owned(),
        };
        let (from, to, is_merge_base) = match (revision.split_once("..."), revision.split_once("..")) {
            (Some((from, to)), _) => (from, to, true),
            (None, Some((from, to))) => (from, to, false),
            (None, None) => (revision, "", false),
        };
        if !matches!(to, "" | "HEAD" | "@") {
            return Err(unusable("the comparison always ends at the working tree; name only its start"));
        }
        let from = if from.is_empty() && revision != from { "HEAD" } else { from };
        let start = self.resolve(from)?;
        if !is_merge_base {
            return Ok(start);
        }
        let head = self.resolve("HEAD")?;
        self.merge_base(start, head)?.ok_or_else(|| unusable("it has no common ancestor with HEAD"))
    }

    /// Resolves a name followed by `~` and `^` operators.
    fn resolve(&mut self, text: &str) -> Result<Oid, HistoryError> {
        let unusable = |reason: String| HistoryError::Unusable { revision: text.to_owned(), reason };
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (name, mut steps) = text.split_at(end);
        if name.contains("@{") || name.contains(':') {
            let reason = "`@{…}` and `:` are not supported; use a branch, a tag or a commit";
            return Err(unusable(reason.to_owned()));
        }
        let mut at = self.resolve_name(name)?;
        while let Some(sign) = steps.chars().next() {
            let rest = &steps[1..];
            if let Some(braced) = rest.strip_prefix('{') {
                let (kind, tail) = braced.split_once('}').unwrap_or((braced, ""));
                if sign != '^' || !matches!(kind, "" | "commit") {
                    return Err(unusable(format!("`{sign}{{{kind}}}` is not supported")));
                }
                steps = tail;
                continue;
            }
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let count = match &rest[..digits] {
                "" => 1,
                text => text.parse::<u32>().unwrap_or(MAX_STEPS).min(MAX_STEPS),
            };
            steps = &rest[digits..];
            at = self.step(at, sign, count).map_err(|error| match error {
                None => unusable("the history is shorter than that".to_owned()),
                Some(error) => error,
            })?;
        }
        Ok(at)
    }

    /// Applies an operator: `~3` is the first parent three times, `^2` the second parent.
    fn step(&mut self, mut at: Oid, sign: char, count: u32) -> Result<Oid, Option<HistoryError>> {
        if sign == '~' {
            for _ in 0..count {
                at = self.commit(&at)?.parents.first().copied().ok_or(None)?;
            }
        } else if count > 0 {
            at = self.commit(&at)?.parents.get(count as usize - 1).copied().ok_or(None)?;
        }
        Ok(at)
    }

    fn resolve_name(&mut self, name: &str) -> Result<Oid, HistoryError> {
        let name = if name == "@" { "HEAD" } else { name };
        if let Some(oid) = self.refs.find(name)? {
            return self.peel(oid, name);
        }
        // The output of `git describe` ends in the commit: v1.2-14-g2414721.
        let described = name.rsplit_once("-g").map_or(name, |(_, digits)| digits);
        for digits in [name, described] {
            if let Some(oid) = self.abbreviated(digits)? {
                return Ok(oid);
            }
        }
        Err(HistoryError::Unknown { revision: name.to_owned(), near: self.suggestions(name) })
    }

    /// The only commit whose id starts with these digits.
    fn abbreviated(&mut self, text: &str) -> Result<Option<Oid>, HistoryError> {
        let Some(digits) = nibbles(text).filter(|digits| (MIN_DIGITS..=40).contains(&digits.len())) else {
            return Ok(None);
        };
        let mut commits = BTreeSet::new();
        for oid in self.objects.with_prefix(&digits, 1000)? {
            if self
                .objects
                .find(&oid)?
                .is_some_and(|object| matches!(object.kind, ObjectKind::Commit | ObjectKind::Tag))
            {
                commits.insert(self.peel(oid, text)?);
            }
        }
        if commits.len() > 1 {
            let reason = format!("{} commits match; give more digits", commits.len());
            return Err(HistoryError::Unusable { revision: text.to_owned(), reason });
        }
        Ok(commits.pop_first())
    }

    /// The commit that a tag points to.
    fn peel(&mut self, mut oid: Oid, name: &str) -> Result<Oid, HistoryError> {
        for _ in 0..MAX_TAGS {
            let Some(object) = self.objects.find(&oid)? else {
                return Err(HistoryError::Damaged(format!("{oid}, the target of `{name}`, is missing")));
            };
            match object.kind {
                ObjectKind::Commit => return Ok(oid),
                ObjectKind::Tag => {
                    let target = header_fields(&object)
                        .find_map(|(key, value)| if key == "object" { Oid::parse(value) } else { None });
                    oid = target.ok_or_else(|| HistoryError::Damaged(format!("{oid} is not a valid tag")))?;
                }
                ObjectKind::Tree | ObjectKind::Blob => break,
            }
        }
        let reason = "it does not point to a commit".to_owned();
        Err(HistoryError::Unusable { revision: name.to_owned(), reason })
    }

    fn suggestions(&self, name: &str) -> Vec<String> {
        let names = self.refs.short_names();
        let mut remaining: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut near: Vec<String> = Vec::new();
        while near.len() < MAX_SUGGESTIONS
            && let Some(best) = orient_model::nearest(name, remaining.iter().copied())
        {
            near.push(best.to_owned());
            remaining.retain(|other| *other != best);
        }
        let part = |other: &&str| name.len() > 2 && (other.contains(name) || name.contains(*other));
        let missing = MAX_SUGGESTIONS - near.len();
        near.extend(remaining.into_iter().filter(part).take(missing).map(str::to_owned));
        near
    }

    fn commit(&mut self, oid: &Oid) -> Result<Commit, HistoryError> {
        let object = self.objects.get(oid, ObjectKind::Commit)?;
        let (mut tree, mut parents, mut time) = (None, Vec::new(), 0);
        for (key, value) in header_fields(&object) {
            match key {
                "tree" => tree = Oid::parse(value),
                "parent" if !self.shallow.contains(oid) => parents.extend(Oid::parse(value)),
                // `Name <address> seconds zone`
                "committer" => {
                    time = value.rsplit(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
                }
                _ => {}
            }
        }
        let tree = tree.ok_or_else(|| HistoryError::Damaged(format!("{oid} has no tree")))?;
        Ok(Commit { tree, parents, time })
    }

    /// The merge base: the newest common ancestor that is not an ancestor of another common ancestor.
    ///
    /// Walks both histories from the newest commit to the oldest and marks each commit with the sides that reach it; the
    /// ancestors of a common ancestor are marked `PAST`.
    fn merge_base(&mut self, left: Oid, right: Oid) -> Result<Option<Oid>, HistoryError> {
        const LEFT: u8 = 1;
        const RIGHT: u8 = 2;
        const PAST: u8 = 4;
        let mut marks: BTreeMap<Oid, u8> = BTreeMap::new();
        let mut queue = BinaryHeap::new();
        let mut common = Vec::new();
        for (oid, mark) in [(left, LEFT), (right, RIGHT)] {
            *marks.entry(oid).or_default() |= mark;
            queue.push((self.commit(&oid)?.time, oid));
        }
        while queue.iter().any(|(_, oid)| marks[oid] & PAST == 0) {
            let Some((_, oid)) = queue.pop() else { break };
            let mut mark = marks[&oid];
            if mark == LEFT | RIGHT {
                common.push(oid);
                mark |= PAST;
            }
            for parent in self.commit(&oid)?.parents {
                let known = marks.entry(parent).or_default();
                if *known & mark != mark {
                    *known |= mark;
                    queue.push((self.commit(&parent)?.time, parent));
                }
            }
        }
        common.retain(|oid| marks[oid] & PAST == 0);
        Ok(common.first().copied())
    }
}

/// The header fields of a commit or tag: a key and a value each.
fn header_fields(object: &Object) -> impl Iterator<Item = (&str, &str)> {
    let lines = object.data.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty());
    lines.filter_map(|line| std::str::from_utf8(line).ok()?.split_once(' '))
}
