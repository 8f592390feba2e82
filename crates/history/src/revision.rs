//! Parses revisions (`HEAD~3`, `v1.2`, `main...`) and resolves them to commits.

use crate::commit::{Commit, CommitHeader, raw_fields};
use crate::commit_queries::NamedRef;
use crate::error::HistoryError;
use crate::git_files::{GitFiles, optional, small_text};
use crate::object_store::{ObjectKind, ObjectStore};
use crate::oid::{self, Oid};
use crate::reflog;
use crate::refs::Refs;
use gix_hash::Kind as HashKind;
use orient_safefs::UntrustedDirectory;
use orient_walk::GitDirs;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::fmt;
use std::sync::Arc;

/// Maximum number of tags in a chain.
const MAX_TAGS: usize = 10;
/// Maximum number of steps of `~`: longer than any real history.
const MAX_STEPS: u32 = 1_000_000;
/// Maximum number of commit headers kept in memory, about 200 bytes each.
const MAX_HEADERS: usize = 200_000;
/// Maximum size of a list of commits: of a shallow clone, or of grafts.
const MAX_LIST: u64 = 16 << 20;
/// Maximum number of parents of these: a single commit may have a million.
const MAX_HEADER_PARENTS: usize = 1_000_000;
/// Maximum number of branches considered.
const MAX_BRANCHES: usize = 1000;
/// Minimum number of digits of an abbreviated object id.
const MIN_DIGITS: usize = 4;
/// Maximum number of suggestions for an unknown revision.
const MAX_SUGGESTIONS: usize = 3;

/// The commits and refs of a repository.
pub(crate) struct Commits {
    pub(crate) objects: ObjectStore,
    files: Arc<GitFiles>,
    refs: Refs,
    /// Commits of a shallow clone whose parents are missing.
    shallow: BTreeSet<Oid>,
    /// The parents that `info/grafts` gives to commits.
    grafts: BTreeMap<Oid, Vec<Oid>>,
    headers: HashMap<Oid, Arc<CommitHeader>>,
    /// Number of parents in these.
    header_parents: usize,
    /// Commits that were left out in part, because they have or change too much.
    left_out: BTreeSet<Oid>,
    /// Asked before each commit is read: whether to stop.
    pub(crate) stop: Option<Box<dyn Fn() -> bool + Send>>,
}

/// Maximum number of branches that a history index starts from.
const MAX_INDEX_TIPS: usize = 2000;

/// The tip of a branch: its commit and tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    pub(crate) commit: Oid,
    pub(crate) tree: Oid,
}

impl Tip {
    /// The id of the commit.
    pub fn id(&self) -> &[u8] {
        self.commit.as_slice()
    }
}

impl fmt::Display for Tip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.commit.fmt(f)
    }
}

impl Commits {
    pub(crate) fn open(dirs: &GitDirs) -> Result<Self, HistoryError> {
        let files = Arc::new(GitFiles::open(dirs)?);
        let list = |name| optional(files.common(), name, MAX_LIST).map(Option::unwrap_or_default);
        let (shallow, grafts) = (list("shallow")?, list("info/grafts")?);
        let refs = Refs::open(files.clone())?;
        Ok(Self {
            objects: ObjectStore::open(files.common(), hash_kind(&files), refs.replacements())?,
            refs,
            files,
            shallow: String::from_utf8_lossy(&shallow).lines().filter_map(oid::parse).collect(),
            grafts: String::from_utf8_lossy(&grafts).lines().filter_map(graft).collect(),
            headers: HashMap::new(),
            header_parents: 0,
            left_out: BTreeSet::new(),
            stop: None,
        })
    }

    /// The git directory of this working tree.
    pub(crate) fn git_directory(&self) -> &UntrustedDirectory {
        self.files.own()
    }

    /// A file of the git directory that all working trees share; `None` if it exists and cannot be read.
    pub(crate) fn common_file(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        optional(self.files.common(), name, most).ok().map(Option::unwrap_or_default)
    }

    /// The root tree of a revision.
    pub(crate) fn tree(&mut self, revision: &str) -> Result<Oid, HistoryError> {
        Ok(self.commit_and_tree(revision)?.1)
    }

    /// The commit that a revision names, and its root tree.
    pub(crate) fn commit_and_tree(&mut self, revision: &str) -> Result<(Oid, Oid), HistoryError> {
        let commit = self.base_commit(revision)?;
        Ok((commit, self.header(&commit)?.tree))
    }

    /// The tips of all branches but the current one, newest first.
    pub(crate) fn tips(&mut self) -> Result<Vec<Tip>, HistoryError> {
        let head = self.resolve_name("HEAD")?;
        let mut tips = BTreeMap::new();
        for name in self.refs.branches().into_iter().take(MAX_BRANCHES) {
            // An unreadable branch does not hide the others.
            let Some(oid) = self.refs.resolve(&name) else { continue };
            let Ok(commit) = self.header(&oid) else { continue };
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
    pub(crate) fn resolve(&mut self, text: &str) -> Result<Oid, HistoryError> {
        let unusable = |reason: String| HistoryError::Unusable { revision: text.to_owned(), reason };
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (name, mut steps) = text.split_at(end);
        if name.contains(':') {
            return Err(unusable("`:` is not supported; use a branch, a tag or a commit".to_owned()));
        }
        let mut at = match name.split_once("@{") {
            Some((branch, rest)) => self.resolve_reflog(text, branch, rest)?,
            None => self.resolve_name(name)?,
        };
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
                at = self.header(&at)?.parents.first().copied().ok_or(None)?;
            }
        } else if count > 0 {
            at = self.header(&at)?.parents.get(count as usize - 1).copied().ok_or(None)?;
        }
        Ok(at)
    }

    /// Resolves `branch@{2}`, `@{-1}` and `branch@{upstream}`; `rest` follows the `@{`.
    fn resolve_reflog(&mut self, text: &str, branch: &str, rest: &str) -> Result<Oid, HistoryError> {
        let unusable =
            |reason: &str| HistoryError::Unusable { revision: text.to_owned(), reason: reason.to_owned() };
        let inner = rest.strip_suffix('}').ok_or_else(|| unusable("`@{` has no `}`"))?;
        let head = small_text(self.files.own(), "HEAD").unwrap_or_default();
        let current = head.trim().strip_prefix("ref: ").map(str::to_owned);
        let full_name = match branch {
            "" | "HEAD" if inner.parse::<usize>().is_ok() => "HEAD".to_owned(),
            "" | "HEAD" | "@" => current.unwrap_or_else(|| "HEAD".to_owned()),
            name => self.refs.full_name(name).unwrap_or_else(|| name.to_owned()),
        };
        if matches!(inner, "upstream" | "u") {
            let short = full_name.strip_prefix("refs/heads/").unwrap_or(&full_name);
            let upstream =
                reflog::upstream(&self.files, short).ok_or_else(|| unusable("no upstream is configured"))?;
            return self.resolve_name(&upstream);
        }
        let Ok(count) = inner.parse::<i64>() else {
            return Err(unusable("only a number, `-` and a number, or `upstream` may stand in `@{…}`"));
        };
        let back = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        if count < 0 {
            let name = reflog::previous_branch(&self.files, back);
            let name = name.ok_or_else(|| unusable("the reflog does not go back that far"))?;
            return self.resolve_name(&name);
        }
        let oid = reflog::at(&self.files, &full_name, back);
        oid.ok_or_else(|| unusable("the reflog does not go back that far"))
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
        if name == "HEAD" {
            let reason = "the current branch has no commit yet".to_owned();
            return Err(HistoryError::Unusable { revision: name.to_owned(), reason });
        }
        Err(HistoryError::Unknown { revision: name.to_owned(), near: self.suggestions(name) })
    }

    /// The only commit whose id starts with these digits.
    fn abbreviated(&mut self, text: &str) -> Result<Option<Oid>, HistoryError> {
        let is_id = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id || !(MIN_DIGITS..=self.objects.hash().len_in_hex()).contains(&text.len()) {
            return Ok(None);
        }
        let mut commits = BTreeSet::new();
        for oid in self.objects.with_prefix(text, 1000)? {
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
                    let target = raw_fields(&object.data).find(|(key, _)| *key == b"object");
                    let target = target.and_then(|(_, value)| oid::parse(std::str::from_utf8(value).ok()?));
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
        // A reference that leads nowhere is listed, too.
        let mut remaining: Vec<&str> =
            names.iter().map(String::as_str).filter(|other| *other != name).collect();
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

    /// Tree, parents and time of a commit.
    pub(crate) fn header(&mut self, oid: &Oid) -> Result<Arc<CommitHeader>, HistoryError> {
        if let Some(header) = self.headers.get(oid) {
            return Ok(Arc::clone(header));
        }
        if self.stop.as_ref().is_some_and(|stop| stop()) {
            return Err(HistoryError::Stopped);
        }
        let object = self.objects.get(oid, ObjectKind::Commit)?;
        let mut header = CommitHeader::parse(oid, &object)?;
        self.correct_parents(oid, &mut header.parents);
        let header = Arc::new(header);
        self.header_parents += header.parents.len();
        if self.headers.len() >= MAX_HEADERS || self.header_parents > MAX_HEADER_PARENTS {
            self.headers.clear();
            self.header_parents = header.parents.len();
        }
        self.headers.insert(*oid, Arc::clone(&header));
        Ok(header)
    }

    /// What a commit says, without what is too large in it: then `None`, and the commit is remembered as left out. What was left out on the
    /// way to an answer is remembered, too.
    pub(crate) fn within_limits<T>(
        &mut self,
        commit: &Oid,
        act: impl FnOnce(&mut Self) -> Result<T, HistoryError>,
    ) -> Result<Option<T>, HistoryError> {
        let done = act(self);
        if std::mem::take(&mut self.objects.left_out) {
            self.leave_out(commit);
        }
        match done {
            Ok(done) => Ok(Some(done)),
            Err(error) if error.is_too_large() => {
                self.leave_out(commit);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Remembers that a commit was left out, at least in part.
    pub(crate) fn leave_out(&mut self, commit: &Oid) {
        self.left_out.insert(*commit);
    }

    /// The commits that were left out so far.
    pub(crate) fn left_out(&self) -> &BTreeSet<Oid> {
        &self.left_out
    }

    /// A whole commit, with names and addresses as they are recorded.
    pub(crate) fn commit(&mut self, oid: &Oid) -> Result<Commit, HistoryError> {
        let object = self.objects.get(oid, ObjectKind::Commit)?;
        let mut commit = Commit::parse(*oid, &object)?;
        self.correct_parents(oid, &mut commit.parents);
        Ok(commit)
    }

    /// Branches and tags with the commits they point to. What points to no commit is omitted.
    pub(crate) fn named_refs(&mut self) -> Vec<NamedRef> {
        let named = self.refs.named();
        // Many refs may point to one commit.
        let mut peeled: BTreeMap<Oid, Option<Oid>> = BTreeMap::new();
        let mut commit = |name: String, oid: Oid| {
            let commit = (*peeled.entry(oid).or_insert_with(|| self.peel(oid, &name).ok()))?;
            Some(NamedRef { name, commit })
        };
        named.into_iter().filter_map(|(name, oid)| commit(name, oid)).collect()
    }

    /// The commits that a history index starts from, and whether these are all: see [`History::index_tips`].
    ///
    /// [`History::index_tips`]: crate::History::index_tips
    pub(crate) fn index_tips(&mut self) -> (Vec<Oid>, bool) {
        let mut found: Vec<Oid> = self.resolve_name("HEAD").into_iter().collect();
        found.extend(self.refs.worktree_heads());
        let (branches, is_all) = self.refs.branch_tips(MAX_INDEX_TIPS);
        found.extend(branches);
        let mut seen = BTreeSet::new();
        // What points to no commit is omitted.
        found.retain(|oid| seen.insert(*oid) && self.header(oid).is_ok());
        (found, is_all)
    }

    /// Whether history ends early because the clone is shallow.
    pub(crate) fn is_shallow(&self) -> bool {
        !self.shallow.is_empty()
    }

    /// Whether grafts replace the parents of commits.
    pub(crate) fn is_grafted(&self) -> bool {
        !self.grafts.is_empty()
    }

    /// Grafts replace the parents of a commit, and a shallow clone does not have them.
    fn correct_parents(&self, oid: &Oid, parents: &mut Vec<Oid>) {
        if self.shallow.contains(oid) {
            parents.clear();
        }
        if let Some(grafted) = self.grafts.get(oid) {
            parents.clone_from(grafted);
        }
    }

    /// The merge base: the newest common ancestor that is not an ancestor of another common ancestor.
    ///
    /// Walks both histories from the newest commit to the oldest and marks each commit with the sides that reach it; the
    /// ancestors of a common ancestor are marked `PAST`.
    pub(crate) fn merge_base(&mut self, left: Oid, right: Oid) -> Result<Option<Oid>, HistoryError> {
        const LEFT: u8 = 1;
        const RIGHT: u8 = 2;
        const PAST: u8 = 4;
        let mut marks: BTreeMap<Oid, u8> = BTreeMap::new();
        let mut queue = BinaryHeap::new();
        let mut common = Vec::new();
        for (oid, mark) in [(left, LEFT), (right, RIGHT)] {
            *marks.entry(oid).or_default() |= mark;
            queue.push((self.header(&oid)?.time, oid));
        }
        while queue.iter().any(|(_, oid)| marks[oid] & PAST == 0) {
            let Some((_, oid)) = queue.pop() else { break };
            let mut mark = marks[&oid];
            if mark == LEFT | RIGHT {
                common.push(oid);
                mark |= PAST;
            }
            for parent in self.header(&oid)?.parents.iter().copied() {
                let known = marks.entry(parent).or_default();
                if *known & mark != mark {
                    *known |= mark;
                    queue.push((self.header(&parent)?.time, parent));
                }
            }
        }
        common.retain(|oid| marks[oid] & PAST == 0);
        Ok(common.first().copied())
    }
}

/// The hash function of a repository. `extensions.objectFormat` is the only thing read from the configuration here.
fn hash_kind(files: &GitFiles) -> HashKind {
    let config = small_text(files.common(), "config").unwrap_or_default();
    let is_sha256 = config.lines().filter_map(|line| line.split_once('=')).any(|(key, value)| {
        key.trim().eq_ignore_ascii_case("objectformat") && value.trim().eq_ignore_ascii_case("sha256")
    });
    if is_sha256 { HashKind::Sha256 } else { HashKind::Sha1 }
}

/// A line of `info/grafts`: a commit and its parents.
fn graft(line: &str) -> Option<(Oid, Vec<Oid>)> {
    let mut ids = line.split_ascii_whitespace().map(oid::parse);
    Some((ids.next()??, ids.collect::<Option<_>>()?))
}
