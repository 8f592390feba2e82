//! The questions about commits that a repository answers: logs of paths and lines, blame, pickaxe, changes of a commit.

use crate::blame::blame;
use crate::commit::Commit;
use crate::commit_walk::CommitWalk;
use crate::error::HistoryError;
use crate::line_diff::{Hunk, hunks, lines};
use crate::line_log::{LineLog, range_before};
use crate::mailmap::Mailmap;
use crate::object_store::ObjectKind;
use crate::oid::Oid;
use crate::path_history::{GitPaths, changed_paths, content};
use crate::path_log::{ChangeKind, CommitNumbers, PathLog};
use crate::pickaxe::Pickaxe;
use crate::tree_diff::{Blob, BlobKind, blob_at};
use crate::work_limits::WorkLimits;
use crate::worktree_diff::History;
use orient_model::RepoPath;
use regex::bytes::Regex;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Called with each commit that answers a question, newest first. Breaks to end the search.
pub type Visit<'v, T> = dyn FnMut(&mut History, Oid, T) -> Result<ControlFlow<()>, HistoryError> + 'v;

/// A text, and for each of its lines the number of that line in a commit.
pub type LineNumbers = (Vec<u8>, Vec<Option<u32>>);

/// A file that a commit changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// Its path after the change; before it, if the file was deleted.
    pub path: RepoPath,
    /// The previous path of a renamed or copied file.
    pub old_path: Option<RepoPath>,
    /// How it changed.
    pub kind: ChangeKind,
    /// The content before.
    pub old: Option<Blob>,
    /// The content after.
    pub new: Option<Blob>,
    /// The changed hunks, where lines are followed.
    pub hunks: Vec<Hunk>,
}

/// Consecutive lines of a file that come from one commit. Lines are counted from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedLines {
    /// The first line.
    pub line: u32,
    /// Number of lines.
    pub count: u32,
    /// The commit that introduced them.
    pub commit: Oid,
    /// The path of the file in that commit.
    pub path: RepoPath,
    /// The first line in that commit.
    pub source_line: u32,
}

/// A file in which a commit changes how often a text occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccurrenceChange {
    /// Its path.
    pub path: RepoPath,
    /// The previous path of a renamed file.
    pub old_path: Option<RepoPath>,
    /// Number of occurrences before the commit.
    pub before: u32,
    /// Number of occurrences after it.
    pub after: u32,
}

/// A branch or tag and the commit it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRef {
    /// The full name: `refs/heads/main`.
    pub name: String,
    /// The commit.
    pub commit: Oid,
}

impl History {
    /// The commit that a revision names: `HEAD~3`, `v1.2`, `2414721`, `main@{1}`.
    pub fn revision(&mut self, text: &str) -> Result<Oid, HistoryError> {
        self.commits.resolve(text)
    }

    /// Ends every question with an error as soon as `stop` returns true; it is asked before each commit is read.
    pub fn stop_when(&mut self, stop: impl Fn() -> bool + Send + 'static) {
        self.commits.stop = Some(Box::new(stop));
    }

    /// Limits the memory of each question, approximately, in bytes.
    pub fn limit_memory(&mut self, bytes: u64) {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.commits.objects.limits = WorkLimits::of_memory(bytes);
    }

    /// The commits of which the questions so far left something out, because they have or change more than is compared.
    pub fn left_out(&self) -> &BTreeSet<Oid> {
        self.commits.left_out()
    }

    /// The merge base of two commits.
    pub fn merge_base(&mut self, a: Oid, b: Oid) -> Result<Option<Oid>, HistoryError> {
        self.commits.merge_base(a, b)
    }

    /// A commit, with names and addresses as `.mailmap` of the current commit gives them.
    pub fn commit(&mut self, id: &Oid) -> Result<Commit, HistoryError> {
        let mut commit = self.commits.commit(id)?;
        let mailmap = self.mailmap()?;
        for signature in [&mut commit.author, &mut commit.committer] {
            mailmap.rename(&mut signature.name, &mut signature.email);
        }
        Ok(commit)
    }

    /// A commit, with names and addresses as it records them.
    pub fn recorded_commit(&mut self, id: &Oid) -> Result<Commit, HistoryError> {
        self.commits.commit(id)
    }

    /// Whether the clone is shallow: history ends where it was cut.
    pub fn is_shallow(&self) -> bool {
        self.commits.is_shallow()
    }

    /// Whether the repository gives commits other parents than they have.
    pub fn is_grafted(&self) -> bool {
        self.commits.is_grafted()
    }

    /// Branches and tags with their commits.
    pub fn named_refs(&mut self) -> Vec<NamedRef> {
        self.commits.named_refs()
    }

    /// Visits the commits that are reachable from tips, newest first, without those in `known`.
    pub fn walk(
        &mut self,
        tips: &[Oid],
        known: &BTreeSet<Oid>,
        visit: &mut Visit<'_, ()>,
    ) -> Result<(), HistoryError> {
        let mut walk = CommitWalk::default();
        for oid in known {
            walk.exclude(*oid);
        }
        for tip in tips {
            walk.push(&mut self.commits, *tip)?;
        }
        while let Some(oid) = walk.next(&mut self.commits)? {
            if visit(self, oid, ())?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The parents of a commit.
    pub fn parents(&mut self, id: &Oid) -> Result<Vec<Oid>, HistoryError> {
        Ok(self.commits.header(id)?.parents.clone())
    }

    /// The files below the directory that differ between two commits, with renames, by path. Without an old commit, every
    /// file of the new one is an addition.
    pub fn compare(&mut self, old: Option<&Oid>, new: &Oid) -> Result<Vec<PathChange>, HistoryError> {
        let mut found = Vec::new();
        for change in changed_paths(&mut self.commits, old, new)? {
            let Some(path) = self.below(&change.path) else { continue };
            found.push(PathChange {
                path,
                old_path: change.old_path.map(|path| self.shown(&path)),
                kind: change.kind,
                old: change.old,
                new: change.new,
                hunks: Vec::new(),
            });
        }
        Ok(found)
    }

    /// What a commit changed, compared with its first parent.
    pub fn changes_of(&mut self, id: &Oid) -> Result<Vec<PathChange>, HistoryError> {
        let parent = self.commits.header(id)?.parents.first().copied();
        self.compare(parent.as_ref(), id)
    }

    /// Visits the commits that changed a file, newest first, through renames and copies.
    pub fn path_log(
        &mut self,
        start: Oid,
        path: &RepoPath,
        visit: &mut Visit<'_, PathChange>,
    ) -> Result<(), HistoryError> {
        let mut numbers = CommitNumbers::default();
        let (first, path) = (numbers.commit(&start), numbers.path(&self.path_from_top(path)));
        let mut log = PathLog::default();
        log.push(&mut GitPaths::new(self, &mut numbers), first, path)?;
        while let Some(entry) = log.next(&mut GitPaths::new(self, &mut numbers))? {
            let commit = numbers.commit_id(entry.commit);
            let path = numbers.path_bytes(entry.path);
            let old_path = entry.step.old_path.map(|path| numbers.path_bytes(path));
            let change = self.path_change(&commit, path, old_path, entry.step.kind)?;
            if visit(self, commit, change)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// A change of a path from the top of the repository, with the contents on both sides.
    pub fn path_change(
        &mut self,
        commit: &Oid,
        path: &[u8],
        old_path: Option<&[u8]>,
        kind: ChangeKind,
    ) -> Result<PathChange, HistoryError> {
        let header = self.commits.header(commit)?;
        let old = match header.parents.first() {
            Some(parent) => {
                let tree = self.commits.header(parent)?.tree;
                blob_at(&mut self.commits.objects, &tree, old_path.unwrap_or(path))?
            }
            None => None,
        };
        let new = blob_at(&mut self.commits.objects, &header.tree, path)?;
        Ok(PathChange {
            path: self.shown(path),
            old_path: old_path.map(|path| self.shown(path)),
            kind,
            old,
            new,
            hunks: Vec::new(),
        })
    }

    /// Visits the commits that changed lines of a file, newest first. Lines are counted from one.
    pub fn line_log(
        &mut self,
        start: Oid,
        path: &RepoPath,
        lines: Range<u32>,
        visit: &mut Visit<'_, PathChange>,
    ) -> Result<(), HistoryError> {
        let lines = lines.start.saturating_sub(1)..lines.end.saturating_sub(1);
        let path = self.path_from_top(path);
        let mut log = LineLog::new(&mut self.commits, start, path, lines)?;
        while let Some(entry) = log.next(&mut self.commits)? {
            let change = PathChange {
                path: self.shown(&entry.path),
                old_path: entry.old_path.map(|path| self.shown(&path)),
                kind: entry.kind,
                old: entry.old,
                new: entry.new,
                hunks: entry.hunks,
            };
            if visit(self, entry.commit, change)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The commit that each line of a file comes from, without ignored commits. `None` if the commit has no such file.
    pub fn blame(
        &mut self,
        start: Oid,
        path: &RepoPath,
        ignored: &BTreeSet<Oid>,
    ) -> Result<Option<Vec<BlamedLines>>, HistoryError> {
        let path = self.path_from_top(path);
        let Some(ranges) = blame(&mut self.commits, start, &path, ignored)? else { return Ok(None) };
        let ranges = ranges.into_iter().map(|range| BlamedLines {
            line: range.line + 1,
            count: range.count,
            commit: range.commit,
            path: self.shown(&range.path),
            source_line: range.source_line + 1,
        });
        Ok(Some(ranges.collect()))
    }

    /// The commits that `.git-blame-ignore-revs` of a commit lists: those that only reformat.
    pub fn ignored_revisions(&mut self, commit: Oid) -> Result<BTreeSet<Oid>, HistoryError> {
        let tree = self.commits.header(&commit)?.tree;
        let blob = blob_at(&mut self.commits.objects, &tree, b".git-blame-ignore-revs")?;
        let text = self.content(blob)?;
        let ids = text.split(|&byte| byte == b'\n').filter_map(|line| {
            let line = std::str::from_utf8(line).ok()?.split('#').next()?.trim();
            Oid::from_hex(line.as_bytes()).ok()
        });
        Ok(ids.collect())
    }

    /// Visits the commits that change how often a pattern occurs in the files below the directory, newest first.
    pub fn occurrences(
        &mut self,
        start: Oid,
        pattern: Regex,
        visit: &mut Visit<'_, Vec<OccurrenceChange>>,
    ) -> Result<(), HistoryError> {
        let mut pickaxe = Pickaxe::new(&mut self.commits, start, pattern)?;
        let mut prefix = self.prefix.as_bytes().to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        while let Some(entries) = pickaxe.next(&mut self.commits, &|path| path.starts_with(&prefix))? {
            let Some(commit) = entries.first().map(|entry| entry.commit) else { continue };
            let changes = entries.into_iter().map(|entry| OccurrenceChange {
                path: self.shown(&entry.path),
                old_path: entry.old_path.map(|path| self.shown(&path)),
                before: entry.before,
                after: entry.after,
            });
            let changes = changes.collect();
            if visit(self, commit, changes)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The bytes of a working file, if it is a readable regular file.
    pub fn working_file(&self, path: &RepoPath) -> Option<Vec<u8>> {
        self.working_content(path)
    }

    /// The lines of a commit that correspond to lines of the working file, and whether those differ. Lines are counted from
    /// one; the result is empty if none is committed.
    pub fn committed_lines(
        &mut self,
        commit: Oid,
        path: &RepoPath,
        lines: Range<u32>,
    ) -> Result<(Range<u32>, bool), HistoryError> {
        let blob = self.file_at(&commit, path)?;
        let (before, after) = (self.content(blob)?, self.working_content(path));
        let Some(after) = after.filter(|_| blob.is_some()) else {
            return Ok((lines.clone(), blob.is_none()));
        };
        let from_zero = lines.start.saturating_sub(1)..lines.end.saturating_sub(1);
        let (range, touched) = range_before(&hunks(&before, &after), &from_zero);
        Ok((range.start + 1..range.end + 1, !touched.is_empty()))
    }

    /// The text of a working file, and for each of its lines the number of the same line in a commit, counted from one.
    /// `None` if the commit has no such file. A file that is missing in the working tree is taken from the commit.
    pub fn committed_line_numbers(
        &mut self,
        commit: Oid,
        path: &RepoPath,
    ) -> Result<Option<LineNumbers>, HistoryError> {
        let Some(blob) = self.file_at(&commit, path)? else { return Ok(None) };
        let before = self.content(Some(blob))?;
        let after = self.working_content(path).unwrap_or_else(|| before.to_vec());
        let mut numbers = Vec::new();
        let mut next = 1;
        let count = u32::try_from(lines(&after).len()).unwrap_or(u32::MAX);
        for hunk in hunks(&before, &after).into_iter().chain([Hunk { before: 0..0, after: count..count }]) {
            while (numbers.len() as u32) < hunk.after.start {
                numbers.push(Some(next));
                next += 1;
            }
            numbers.resize(hunk.after.end as usize, None);
            next = hunk.before.end + 1;
        }
        Ok(Some((after, numbers)))
    }

    /// The content of a file in a commit.
    pub fn file_at(&mut self, commit: &Oid, path: &RepoPath) -> Result<Option<Blob>, HistoryError> {
        let tree = self.commits.header(commit)?.tree;
        let path = self.path_from_top(path);
        blob_at(&mut self.commits.objects, &tree, &path)
    }

    /// The bytes of a content; nothing for one that is too large or of a submodule.
    pub fn content(&mut self, blob: Option<Blob>) -> Result<Arc<Vec<u8>>, HistoryError> {
        content(&mut self.commits, blob)
    }

    /// The size of a content in bytes, without reading it; zero for a submodule's.
    pub fn size(&mut self, blob: Option<Blob>) -> Result<u64, HistoryError> {
        let Some(blob) = blob.filter(|blob| blob.kind != BlobKind::Submodule) else { return Ok(0) };
        self.commits.objects.size(&blob.id)?.ok_or_else(|| self.commits.objects.missing(&blob.id))
    }

    /// The bytes of a content of at most `most` bytes; nothing for a larger one.
    pub fn small_content(&mut self, blob: Option<Blob>, most: u64) -> Result<Arc<Vec<u8>>, HistoryError> {
        if self.size(blob)? > most { Ok(Arc::default()) } else { self.content(blob) }
    }

    /// A path of the directory, from the top of the repository.
    pub fn path_from_top(&self, path: &RepoPath) -> Vec<u8> {
        let mut from_top = self.prefix.as_bytes().to_vec();
        if !from_top.is_empty() {
            from_top.push(b'/');
        }
        from_top.extend_from_slice(path.as_bytes());
        from_top
    }

    /// A path from the top of the repository, relative to the directory. `None` outside the directory.
    pub fn below(&self, path: &[u8]) -> Option<RepoPath> {
        let prefix = self.prefix.as_bytes();
        if prefix.is_empty() {
            return Some(RepoPath::new(path.to_vec()));
        }
        path.strip_prefix(prefix)?.strip_prefix(b"/").map(|rest| RepoPath::new(rest.to_vec()))
    }

    /// A path to show: relative to the directory, or from the top if it is outside.
    pub fn shown(&self, path: &[u8]) -> RepoPath {
        self.below(path).unwrap_or_else(|| RepoPath::new(path.to_vec()))
    }

    /// The names of mailmap, as `.mailmap` of the current commit gives them.
    pub fn mailmap(&mut self) -> Result<Mailmap, HistoryError> {
        if let Some(mailmap) = &self.mailmap {
            return Ok(mailmap.clone());
        }
        let mut text = Arc::default();
        if let Ok(head) = self.commits.resolve("HEAD") {
            let tree = self.commits.header(&head)?.tree;
            if let Some(blob) = blob_at(&mut self.commits.objects, &tree, b".mailmap")? {
                text = self.commits.objects.get(&blob.id, ObjectKind::Blob)?.data;
            }
        }
        let mailmap = Mailmap::new(&text);
        self.mailmap = Some(mailmap.clone());
        Ok(mailmap)
    }
}
