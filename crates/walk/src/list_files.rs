//! Lists the files of a tree that are not ignored: on several threads, in a deterministic order.

use crate::fingerprint::{Fingerprint, RuleFileState};
use crate::ignore_rules::{RuleOptions, RuleTree, own_git_rules};
use crate::lazy_patterns::{CutRules, LARGE_LIST, Most, PatternSet, Verdict};
use crate::nested_repositories::is_nested;
use crate::subtrees::Subtrees;
use crate::{Skip, SkipReason, WalkError, path_conversion, stamp};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use orient_model::{RepoPath, Stamp};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Default size limit: larger files are skipped.
pub const DEFAULT_MAX_FILE_SIZE: u64 = 2 * 1024 * 1024;

/// Version of the listing rules. Trees that were listed by another version are listed again.
pub const RULES_VERSION: u64 = 3;

/// Our own ignore file, in the syntax of `.gitignore`.
pub(crate) const OWN_IGNORE_FILE: &str = ".orientignore";

/// Ignore files.
pub(crate) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", OWN_IGNORE_FILE];

/// Directories of version control systems.
pub(crate) const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// A regular file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: RepoPath,
    /// Its stamp at the time of the listing.
    pub stamp: Stamp,
}

/// The files of a tree. Both lists are sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files to read. Whether one is text is only known once it is read.
    pub files: Vec<Entry>,
    /// Existing files that are not read, with the reason. Ignored files are in neither list.
    pub skipped: Vec<Skip>,
    /// What the listing depends on.
    pub fingerprint: Fingerprint,
    /// Ignore files whose patterns are not all applied.
    pub cut: Vec<CutRules>,
}

/// Options of a walk.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Size limit: larger files are skipped.
    pub max_file_size: u64,
    /// Additional exclude patterns in the syntax of `.gitignore`; they take precedence over ignore files.
    pub excludes: Vec<String>,
    /// Names of files that are listed even if an ignore file in their directory excludes them, because they describe
    /// the files around them.
    pub kept: Vec<String>,
    /// Whether clones and worktrees inside a repository are listed as part of it.
    pub nested_repositories: bool,
    /// Number of threads; zero lets the walker choose.
    pub threads: usize,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            max_file_size: DEFAULT_MAX_FILE_SIZE,
            excludes: Vec::new(),
            kept: Vec::new(),
            nested_repositories: false,
            threads: 0,
        }
    }
}

/// Lists the tree under `root`.
///
/// Applies `.gitignore`, `.ignore`, `.orientignore`, `.git/info/exclude` and the user's global excludes, inside and
/// outside git repositories. Ignore files above the root do not apply. Hidden files are listed. A directory that
/// cannot be read is skipped. Outside git, `.gitignore` files do not apply if the one at the root excludes everything
/// except what it names: such sources come from a package, and the rules were meant for the packager. A clone or
/// worktree inside a repository is skipped unless the options include it; a submodule is listed.
pub fn list(root: &Path, options: &WalkOptions) -> Result<Listing, WalkError> {
    walk(root, options, None)
}

/// Lists a part of the tree under `root`: the same as [`list`], restricted to these subtrees. Reads only the
/// directories on the way to them.
pub fn list_subtrees(root: &Path, options: &WalkOptions, subtrees: &Subtrees) -> Result<Listing, WalkError> {
    walk(root, options, Some(subtrees))
}

fn walk(root: &Path, options: &WalkOptions, subtrees: Option<&Subtrees>) -> Result<Listing, WalkError> {
    let failed = |source| WalkError::Root { path: root.to_owned(), source };
    if !root.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    }
    let excludes = Arc::new(excludes(root, &options.excludes)?);
    let now = stamp::now();
    let found = found(root, options, subtrees, &excludes, now);
    let Found { mut listing, root_error } = found;
    if let Some(error) = root_error {
        return Err(failed(error));
    }
    listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.files.dedup_by(|a, b| a.path == b.path);
    listing.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.skipped.dedup_by(|a, b| a.path == b.path);
    listing.fingerprint.add_global_rule_files(now);
    listing.fingerprint.sort();
    listing.cut.extend(excludes.cut());
    Ok(listing)
}

/// Walks by our own rules: the walker itself opens no ignore file.
fn found(
    root: &Path,
    options: &WalkOptions,
    subtrees: Option<&Subtrees>,
    excludes: &Arc<Excludes>,
    now: i64,
) -> Found {
    let found = Mutex::new(Found::default());
    let (limit, kept, nested) = (options.max_file_size, &options.kept, options.nested_repositories);
    let mut collector = Collector { root, limit, now, kept, nested, subtrees, found: &found };
    let rules = Arc::new(RuleTree::new(root, listing_rules(git_rules_count(root))));
    let (part, top, excludes, asked) = (subtrees.cloned(), root.to_owned(), excludes.clone(), rules.clone());
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(false)
        .require_git(false)
        .follow_links(false)
        .ignore(false)
        .git_global(false)
        .git_ignore(false)
        .git_exclude(false)
        .threads(if subtrees.is_some() { 1 } else { options.threads })
        .filter_entry(move |entry| {
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            part.as_ref().is_none_or(|subtrees| passes_through(subtrees, &top, entry))
                && is_wanted(entry, &excludes)
                && (entry.depth() == 0 || asked.matched(entry.path(), is_directory) != Verdict::Ignore)
        });
    builder.build_parallel().visit(&mut collector);
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.listing.cut = rules.cut();
    found
}

/// The rules that apply to a listing.
pub(crate) fn listing_rules(git: bool) -> RuleOptions {
    RuleOptions {
        own: &[OWN_IGNORE_FILE],
        ignore: true,
        git,
        git_elsewhere: true,
        require_git: false,
        parents: false,
    }
}

fn git_rules_count(root: &Path) -> bool {
    if root.join(".git").symlink_metadata().is_ok() {
        return true;
    }
    // No file has this name, so no rule applies to it alone.
    let Some(verdicts) = own_git_rules(root, &root.join("\u{1}")) else { return true };
    verdicts.into_iter().any(|verdict| verdict != Verdict::Ignore)
}

/// The exclude patterns of the settings.
pub(crate) enum Excludes {
    /// Few enough to be compiled together.
    Few(Gitignore),
    /// Too many: compiled one by one.
    Many(PatternSet),
}

impl Excludes {
    pub(crate) fn leave_out(&self, path: &Path, is_directory: bool) -> bool {
        match self {
            Self::Few(patterns) => patterns.matched(path, is_directory).is_ignore(),
            Self::Many(patterns) => patterns.matched(path, is_directory) == Verdict::Ignore,
        }
    }

    pub(crate) fn cut(&self) -> Option<CutRules> {
        match self {
            Self::Few(_) => None,
            Self::Many(patterns) => patterns.cut(Path::new("index.exclude")),
        }
    }
}

/// The exclude patterns of the settings, in which a later `!pattern` includes a path again.
pub(crate) fn excludes(root: &Path, patterns: &[String]) -> Result<Excludes, WalkError> {
    let bad = |pattern: &str, error: &ignore::Error| WalkError::Pattern {
        pattern: pattern.to_owned(),
        reason: error.to_string(),
    };
    let strict = || {
        let mut builder = GitignoreBuilder::new(root);
        builder.allow_unclosed_class(false);
        builder
    };
    if patterns.len() > LARGE_LIST {
        for pattern in patterns {
            strict().add_line(None, pattern).map_err(|error| bad(pattern, &error))?;
        }
        return Ok(Excludes::Many(PatternSet::new(
            root,
            patterns.iter().map(String::as_str),
            Most::AT_TOP,
            false,
        )));
    }
    let mut builder = strict();
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(|error| bad(pattern, &error))?;
    }
    builder.build().map(Excludes::Few).map_err(|error| bad(&patterns.join(" "), &error))
}

/// Checks that the exclude patterns are valid.
pub fn check_excludes(patterns: &[String]) -> Result<(), WalkError> {
    excludes(Path::new("/"), patterns).map(drop)
}

fn is_wanted(entry: &DirEntry, excludes: &Excludes) -> bool {
    let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
    let version_control = VERSION_CONTROL.iter().any(|name| entry.file_name() == *name);
    // The name of the root itself is never matched.
    entry.depth() == 0 || !(version_control || excludes.leave_out(entry.path(), is_directory))
}

/// Whether an entry must be visited: a directory only if it leads to one of the subtrees, everything else always,
/// because an ignore file may affect the files next to it.
fn passes_through(subtrees: &Subtrees, root: &Path, entry: &DirEntry) -> bool {
    !entry.file_type().is_some_and(|kind| kind.is_dir())
        || path_conversion::from_native(root, entry.path()).is_none_or(|path| subtrees.passes_through(&path))
}

/// The results of all threads.
#[derive(Default)]
struct Found {
    listing: Listing,
    root_error: Option<io::Error>,
}

/// Creates a visitor for each thread.
struct Collector<'w> {
    root: &'w Path,
    limit: u64,
    now: i64,
    kept: &'w [String],
    /// Whether nested repositories are entered.
    nested: bool,
    subtrees: Option<&'w Subtrees>,
    found: &'w Mutex<Found>,
}

impl<'w> ParallelVisitorBuilder<'w> for Collector<'w> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'w> {
        let Self { root, limit, now, kept, nested, subtrees, found } = *self;
        Box::new(Visitor { root, limit, now, kept, nested, subtrees, found, own: Found::default() })
    }
}

/// Collects the results of one thread, and hands them over when it ends.
struct Visitor<'w> {
    root: &'w Path,
    limit: u64,
    now: i64,
    kept: &'w [String],
    nested: bool,
    subtrees: Option<&'w Subtrees>,
    found: &'w Mutex<Found>,
    own: Found,
}

impl ParallelVisitor for Visitor<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => return self.enter(&entry),
            Ok(entry) => self.meet(&entry),
            Err(error) => self.fail(error),
        }
        WalkState::Continue
    }
}

impl Visitor<'_> {
    /// Records a directory. Returns whether to enter it.
    fn enter(&mut self, entry: &DirEntry) -> WalkState {
        let directory = entry.path();
        let dot_git = directory.join(".git");
        let has_git = dot_git.symlink_metadata().is_ok();
        if has_git && !self.nested && entry.depth() > 0 && is_nested(self.root, directory) {
            // Without its `.git`, it is an ordinary directory.
            self.own.listing.fingerprint.rule_files.push((dot_git, RuleFileState::Present));
            if let Some(path) = path_conversion::from_native(self.root, directory) {
                self.own.listing.skipped.push(Skip { path, reason: SkipReason::NestedRepository });
            }
            return WalkState::Skip;
        }
        self.own.listing.fingerprint.add_directory(self.root, directory, self.now);
        WalkState::Continue
    }

    fn meet(&mut self, entry: &DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        let Some(path) = path_conversion::from_native(self.root, entry.path()) else { return };
        if IGNORE_FILES.iter().any(|name| entry.file_name() == *name) {
            self.keep_beside(entry.path());
        }
        if !self.is_asked_for(&path) {
            return;
        }
        if !kind.is_file() {
            let reason = if kind.is_symlink() { SkipReason::Link } else { SkipReason::Special };
            self.own.listing.skipped.push(Skip { path, reason });
            return;
        }
        match entry.metadata() {
            Ok(metadata) if metadata.len() > self.limit => {
                let reason = SkipReason::TooLarge { size: metadata.len(), limit: self.limit };
                let stamp = stamp::trusted_at(stamp::of(&metadata), self.now);
                self.own.listing.fingerprint.oversized.push((path.clone(), stamp));
                self.own.listing.skipped.push(Skip { path, reason });
            }
            Ok(metadata) => self.own.listing.files.push(Entry { path, stamp: stamp::of(&metadata) }),
            Err(error) => self.fail_at(path, error.into_io_error()),
        }
    }

    fn is_asked_for(&self, path: &RepoPath) -> bool {
        self.subtrees.is_none_or(|subtrees| subtrees.contains(path))
    }

    /// Lists files that an ignore file must not exclude.
    fn keep_beside(&mut self, ignore_file: &Path) {
        let Some(directory) = ignore_file.parent() else { return };
        for name in self.kept {
            let native = directory.join(name);
            let Ok(metadata) = native.symlink_metadata() else { continue };
            // Shrinking it would list it, but no stamp of a directory would show that.
            self.own.listing.fingerprint.incomplete |= metadata.len() > self.limit;
            if metadata.is_file()
                && metadata.len() <= self.limit
                && let Some(path) = path_conversion::from_native(self.root, &native)
                && self.is_asked_for(&path)
            {
                self.own.listing.files.push(Entry { path, stamp: stamp::of(&metadata) });
            }
        }
    }

    /// A directory or entry that the walker could not read. An invalid pattern in an ignore file is not an error: git
    /// ignores it silently, too.
    fn fail(&mut self, error: ignore::Error) {
        let native = failed_path(&error).map(Path::to_owned);
        let Some(error) = error.into_io_error() else { return };
        match native.and_then(|native| path_conversion::from_native(self.root, &native)) {
            Some(path) if !path.as_bytes().is_empty() => self.fail_at(path, Some(error)),
            _ => self.own.root_error = Some(error),
        }
    }

    fn fail_at(&mut self, path: RepoPath, error: Option<io::Error>) {
        let error = error.unwrap_or_else(|| io::ErrorKind::Other.into());
        match SkipReason::from_io(&error) {
            SkipReason::Vanished => {}
            reason => {
                self.own.listing.fingerprint.incomplete = true;
                self.own.listing.skipped.push(Skip { path, reason });
            }
        }
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.listing.files.append(&mut self.own.listing.files);
        found.listing.skipped.append(&mut self.own.listing.skipped);
        found.listing.fingerprint.append(&mut self.own.listing.fingerprint);
        found.root_error = found.root_error.take().or(self.own.root_error.take());
    }
}

fn failed_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => failed_path(err),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(error: ignore::Error) -> Found {
        let found = Mutex::new(Found::default());
        let mut visitor = Visitor {
            root: Path::new("/r"),
            limit: 1,
            now: 0,
            kept: &[],
            nested: false,
            subtrees: None,
            found: &found,
            own: Found::default(),
        };
        visitor.visit(Err(error));
        drop(visitor);
        found.into_inner().expect("no thread panicked")
    }

    fn at(path: &str, kind: io::ErrorKind) -> ignore::Error {
        let err =
            ignore::Error::WithPath { path: path.into(), err: Box::new(ignore::Error::Io(kind.into())) };
        ignore::Error::WithDepth { depth: 1, err: Box::new(err) }
    }

    #[test]
    fn an_unreadable_directory_is_reported_and_the_walk_goes_on() {
        let found = fail(at("/r/secret", io::ErrorKind::PermissionDenied));
        let reason = SkipReason::Unreadable("permission denied".to_owned());
        assert_eq!(found.listing.skipped, [Skip { path: "secret".into(), reason }]);
        assert!(found.root_error.is_none());
    }

    #[test]
    fn what_vanishes_during_the_walk_is_simply_not_there() {
        assert_eq!(fail(at("/r/gone", io::ErrorKind::NotFound)).listing, Listing::default());
    }

    #[test]
    fn an_unreadable_root_ends_the_walk() {
        assert!(fail(at("/r", io::ErrorKind::PermissionDenied)).root_error.is_some());
    }
}
