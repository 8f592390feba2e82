//! From what a user writes (`HEAD~3`, `v1.2`, `main...`) to a commit.

use crate::error::HistoryError;
use crate::objects::{Kind, Object, Objects};
use crate::oid::{Oid, nibbles};
use crate::refs::{Refs, small_file};
use orient_walk::GitDirs;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fmt;

/// How many tags may point at one another.
const TAGS: usize = 10;
/// How far back `~` leads: further than any history is long, and soon enough at an end in one that is not.
const FAR: u32 = 1_000_000;
/// Of how many branches the newest are found.
const BRANCHES: usize = 1000;
/// Fewer digits name no commit.
const DIGITS: usize = 4;
/// How many names are offered for one that is not known.
const OFFERED: usize = 3;

/// The commits of a repository and their names.
pub(crate) struct Commits {
    pub(crate) objects: Objects,
    refs: Refs,
    /// Commits whose parents are not here, in a clone that was cut short.
    shallow: BTreeSet<Oid>,
}

/// What a branch stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    commit: Oid,
    pub(crate) tree: Oid,
}

impl Tip {
    /// What tells its commit from all others.
    pub fn id(&self) -> &[u8] {
        &self.commit.0
    }
}

impl fmt::Display for Tip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.commit.fmt(f)
    }
}

/// What is needed of a commit.
struct Commit {
    tree: Oid,
    parents: Vec<Oid>,
    time: i64,
}

impl Commits {
    pub(crate) fn open(dirs: &GitDirs) -> Result<Self, HistoryError> {
        let shallow = small_file(&dirs.common_dir.join("shallow")).unwrap_or_default();
        Ok(Self {
            objects: Objects::open(&dirs.common_dir),
            refs: Refs::open(dirs.clone())?,
            shallow: shallow.lines().filter_map(Oid::parse).collect(),
        })
    }

    /// The top folder of the commit that working files are compared with.
    pub(crate) fn tree(&mut self, revision: &str) -> Result<Oid, HistoryError> {
        let commit = self.since(revision)?;
        Ok(self.commit(&commit)?.tree)
    }

    /// The commits that branches stand for, the newest first, but for the one that is checked out.
    pub(crate) fn tips(&mut self) -> Result<Vec<Tip>, HistoryError> {
        let head = self.named("HEAD")?;
        let mut tips = BTreeMap::new();
        for name in self.refs.branches().into_iter().take(BRANCHES) {
            // One that cannot be read is no reason to leave out the others.
            let Ok(Some(oid)) = self.refs.full(&name) else { continue };
            let Ok(commit) = self.commit(&oid) else { continue };
            if oid != head {
                tips.insert((Reverse(commit.time), oid), commit.tree);
            }
        }
        Ok(tips.into_iter().map(|((_, commit), tree)| Tip { commit, tree }).collect())
    }

    /// `A` and `A..` stand for A, `A...` for where A and the checked-out commit parted.
    fn since(&mut self, revision: &str) -> Result<Oid, HistoryError> {
        let unusable = |reason: &str| HistoryError::Unusable {
            revision: revision.to_owned(),
            reason: reason.to_owned(),
        };
        let (from, to, parted) = match (revision.split_once("..."), revision.split_once("..")) {
            (Some((from, to)), _) => (from, to, true),
            (None, Some((from, to))) => (from, to, false),
            (None, None) => (revision, "", false),
        };
        if !matches!(to, "" | "HEAD" | "@") {
            return Err(unusable("the files are compared as they are now; name only where to begin"));
        }
        let from = if from.is_empty() && revision != from { "HEAD" } else { from };
        let start = self.one(from)?;
        if !parted {
            return Ok(start);
        }
        let head = self.one("HEAD")?;
        self.parting(start, head)?.ok_or_else(|| unusable("the two have no commit in common"))
    }

    /// A commit by a name and steps behind it.
    fn one(&mut self, written: &str) -> Result<Oid, HistoryError> {
        let unusable = |reason: String| HistoryError::Unusable { revision: written.to_owned(), reason };
        let end = written.find(['~', '^']).unwrap_or(written.len());
        let (name, mut steps) = written.split_at(end);
        if name.contains("@{") || name.contains(':') {
            let reason = "names with `@{…}` and `:` are not read; give a branch, a tag or a commit";
            return Err(unusable(reason.to_owned()));
        }
        let mut at = self.named(name)?;
        while let Some(sign) = steps.chars().next() {
            let rest = &steps[1..];
            if let Some(braced) = rest.strip_prefix('{') {
                let (kind, tail) = braced.split_once('}').unwrap_or((braced, ""));
                if sign != '^' || !matches!(kind, "" | "commit") {
                    return Err(unusable(format!("`{sign}{{{kind}}}` is not read")));
                }
                steps = tail;
                continue;
            }
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let count = match &rest[..digits] {
                "" => 1,
                text => text.parse::<u32>().unwrap_or(FAR).min(FAR),
            };
            steps = &rest[digits..];
            at = self.step(at, sign, count).map_err(|error| match error {
                None => unusable("the history does not go back so far".to_owned()),
                Some(error) => error,
            })?;
        }
        Ok(at)
    }

    /// `~3`: the first parent, three times. `^2`: the second parent.
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

    fn named(&mut self, name: &str) -> Result<Oid, HistoryError> {
        let name = if name == "@" { "HEAD" } else { name };
        if let Some(oid) = self.refs.find(name)? {
            return self.peeled(oid, name);
        }
        // What `git describe` prints ends in the commit: v1.2-14-g2414721.
        let described = name.rsplit_once("-g").map_or(name, |(_, digits)| digits);
        for digits in [name, described] {
            if let Some(oid) = self.abbreviated(digits)? {
                return Ok(oid);
            }
        }
        Err(HistoryError::Unknown { revision: name.to_owned(), near: self.near(name) })
    }

    /// The one commit whose name begins so.
    fn abbreviated(&mut self, text: &str) -> Result<Option<Oid>, HistoryError> {
        let Some(digits) = nibbles(text).filter(|digits| (DIGITS..=40).contains(&digits.len())) else {
            return Ok(None);
        };
        let mut commits = BTreeSet::new();
        for oid in self.objects.beginning(&digits, 1000)? {
            if self.objects.find(&oid)?.is_some_and(|object| matches!(object.kind, Kind::Commit | Kind::Tag))
            {
                commits.insert(self.peeled(oid, text)?);
            }
        }
        if commits.len() > 1 {
            let reason = format!("{} commits begin so; give more digits", commits.len());
            return Err(HistoryError::Unusable { revision: text.to_owned(), reason });
        }
        Ok(commits.pop_first())
    }

    /// The commit behind a tag.
    fn peeled(&mut self, mut oid: Oid, name: &str) -> Result<Oid, HistoryError> {
        for _ in 0..TAGS {
            let Some(object) = self.objects.find(&oid)? else {
                return Err(HistoryError::Damaged(format!("{oid} is missing, which `{name}` stands for")));
            };
            match object.kind {
                Kind::Commit => return Ok(oid),
                Kind::Tag => {
                    let target = heads(&object)
                        .find_map(|(key, value)| if key == "object" { Oid::parse(value) } else { None });
                    oid = target.ok_or_else(|| HistoryError::Damaged(format!("{oid} is no tag")))?;
                }
                Kind::Tree | Kind::Blob => break,
            }
        }
        let reason = "it stands for something that is no commit".to_owned();
        Err(HistoryError::Unusable { revision: name.to_owned(), reason })
    }

    fn near(&self, name: &str) -> Vec<String> {
        let names = self.refs.names();
        let mut left: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut near: Vec<String> = Vec::new();
        while near.len() < OFFERED
            && let Some(best) = orient_model::nearest(name, left.iter().copied())
        {
            near.push(best.to_owned());
            left.retain(|other| *other != best);
        }
        let part = |other: &&str| name.len() > 2 && (other.contains(name) || name.contains(*other));
        let missing = OFFERED - near.len();
        near.extend(left.into_iter().filter(part).take(missing).map(str::to_owned));
        near
    }

    fn commit(&mut self, oid: &Oid) -> Result<Commit, HistoryError> {
        let object = self.objects.get(oid, Kind::Commit)?;
        let (mut tree, mut parents, mut time) = (None, Vec::new(), 0);
        for (key, value) in heads(&object) {
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
        let tree = tree.ok_or_else(|| HistoryError::Damaged(format!("{oid} has no files")))?;
        Ok(Commit { tree, parents, time })
    }

    /// The newest commit that two histories share, and that leads to no newer one they share.
    fn parting(&mut self, left: Oid, right: Oid) -> Result<Option<Oid>, HistoryError> {
        const LEFT: u8 = 1;
        const RIGHT: u8 = 2;
        const PAST: u8 = 4;
        let mut marks: BTreeMap<Oid, u8> = BTreeMap::new();
        let mut waiting = BinaryHeap::new();
        let mut shared = Vec::new();
        for (oid, mark) in [(left, LEFT), (right, RIGHT)] {
            *marks.entry(oid).or_default() |= mark;
            waiting.push((self.commit(&oid)?.time, oid));
        }
        while waiting.iter().any(|(_, oid)| marks[oid] & PAST == 0) {
            let Some((_, oid)) = waiting.pop() else { break };
            let mut mark = marks[&oid];
            if mark == LEFT | RIGHT {
                shared.push(oid);
                mark |= PAST;
            }
            for parent in self.commit(&oid)?.parents {
                let known = marks.entry(parent).or_default();
                if *known & mark != mark {
                    *known |= mark;
                    waiting.push((self.commit(&parent)?.time, parent));
                }
            }
        }
        shared.retain(|oid| marks[oid] & PAST == 0);
        Ok(shared.first().copied())
    }
}

/// The lines of a commit or tag before its message: a key and a value each.
fn heads(object: &Object) -> impl Iterator<Item = (&str, &str)> {
    let lines = object.data.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty());
    lines.filter_map(|line| std::str::from_utf8(line).ok()?.split_once(' '))
}
