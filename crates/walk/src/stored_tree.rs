//! Lists a tree that is stored as objects, not as files: the same files that a walk of its checkout would list.
//!
//! Ignore files are read from the tree itself; the rules outside it (`info/exclude`, the user's global ones, and for a
//! search those above the root) are read from disk, as they would apply to a checkout in the same place. A submodule is an
//! empty directory, as in a new checkout, and a link is listed as a link.

use crate::fingerprint::RuleFileState;
use crate::ignore_rules::{EXCLUDE, RuleSource, RuleTree, RulesOnDisk};
use crate::lazy_patterns::Verdict;
use crate::list_files::{Excludes, IGNORE_FILES, VERSION_CONTROL, excludes, listing_rules};
use crate::repository::GitDirs;
use crate::search_files::{SearchFile, SearchFiles, SearchScope, is_hidden, overrides, search_rules, types};
use crate::{Entry, Listing, PathKind, Skip, SkipReason, WalkError, WalkOptions, path_conversion, stamp};
use orient_model::{RepoPath, Stamp};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// The type of a stored entry that is not a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A submodule, whose files are stored elsewhere.
    Submodule,
}

/// A stored file, link or submodule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its path.
    pub path: RepoPath,
    /// Its type.
    pub kind: StoredKind,
}

/// The entries of a stored tree, and access to their contents.
pub trait StoredEntries: Send + Sync {
    /// All entries, by path.
    fn entries(&self) -> &[StoredEntry];
    /// The stamps of files, given by their positions: equal for equal contents, with the size of the content.
    fn stamps(&self, files: &[usize], threads: usize) -> Result<Vec<Stamp>, WalkError>;
    /// The first bytes of a regular file, given by its position; `None` if it cannot be read.
    fn start(&self, file: usize, max: u64) -> Option<Vec<u8>>;
}

/// The ignore files of a stored tree; those outside the tree are on disk.
struct StoredRules<'t> {
    root: &'t Path,
    tree: &'t dyn StoredEntries,
    outside: RulesOnDisk,
}

impl<'t> StoredRules<'t> {
    fn new(root: &'t Path, tree: &'t dyn StoredEntries) -> Self {
        Self { root, tree, outside: RulesOnDisk::new(root) }
    }
}

impl RuleSource for StoredRules<'_> {
    fn read(&self, directory: &Path, name: &str, max: u64) -> io::Result<Vec<u8>> {
        let Some(path) = path_conversion::from_native(self.root, &directory.join(name)) else {
            return self.outside.read(directory, name, max);
        };
        let entries = self.tree.entries();
        let at = position(entries, &path).filter(|at| entries[*at].kind == StoredKind::File);
        at.and_then(|at| self.tree.start(at, max)).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn may_have_git(&self, directory: &Path) -> bool {
        directory == self.root || !directory.starts_with(self.root)
    }
}

/// The position of the entry at a path.
fn position(entries: &[StoredEntry], path: &RepoPath) -> Option<usize> {
    entries.binary_search_by(|entry| entry.path.cmp(path)).ok()
}

/// What is at a path of a stored tree.
pub fn stored_kind(entries: &[StoredEntry], path: &RepoPath) -> Option<PathKind> {
    if let Some(at) = position(entries, path) {
        return Some(if entries[at].kind == StoredKind::File { PathKind::File } else { PathKind::Other });
    }
    let is_directory = path.as_bytes().is_empty() || !below(entries, path).is_empty();
    is_directory.then_some(PathKind::Directory)
}

/// The positions of the entries below a directory.
fn below(entries: &[StoredEntry], directory: &RepoPath) -> std::ops::Range<usize> {
    if directory.as_bytes().is_empty() {
        return 0..entries.len();
    }
    let prefix = [directory.as_bytes(), b"/"].concat();
    let first = entries.partition_point(|entry| entry.path.as_bytes() < prefix.as_slice());
    let count = entries[first..].partition_point(|entry| entry.path.as_bytes().starts_with(&prefix));
    first..first + count
}

/// Lists a stored tree as [`crate::list`] would list its checkout at `root`.
pub fn list_stored(
    root: &Path,
    tree: &dyn StoredEntries,
    options: &WalkOptions,
) -> Result<Listing, WalkError> {
    let excludes = excludes(root, &options.excludes)?;
    let rules = RuleTree::with_source(root, listing_rules(true), Box::new(StoredRules::new(root, tree)));
    let visit = |path: &Path, is_directory| {
        let version_control = VERSION_CONTROL.iter().any(|name| path.file_name() == Some(name.as_ref()));
        !version_control
            && !excludes.leave_out(path, is_directory)
            && rules.matched(path, is_directory) != Verdict::Ignore
    };
    let entries = tree.entries();
    let mut directories = VisitedDirectories::new(root);
    let mut listing = Listing::default();
    let mut files = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let Some(native) = path_conversion::to_native(&entry.path).map(|native| root.join(native)) else {
            continue;
        };
        if entry.kind == StoredKind::Submodule
            || !directories.is_visited(&native, &visit)
            || !visit(&native, false)
        {
            continue;
        }
        if entry.kind == StoredKind::Link {
            listing.skipped.push(Skip { path: entry.path.clone(), reason: SkipReason::Link });
        } else {
            files.push(at);
        }
        if IGNORE_FILES.iter().any(|name| name.as_bytes() == entry.path.file_name()) {
            files.extend(kept_beside(entries, &entry.path, &options.kept));
        }
    }
    files.sort_unstable();
    files.dedup();
    let stamps = tree.stamps(&files, options.threads.max(1))?;
    for (at, stamp) in files.into_iter().zip(stamps) {
        let path = entries[at].path.clone();
        if stamp.size > options.max_file_size {
            let is_kept = || is_kept(&path, &options.kept);
            // A file that is listed only because it is kept has no entry if it is too large.
            let native = path_conversion::to_native(&path).map(|native| root.join(native));
            if is_kept() && native.is_some_and(|native| !visit(&native, false)) {
                continue;
            }
            let reason = SkipReason::TooLarge { size: stamp.size, limit: options.max_file_size };
            listing.fingerprint.oversized.push((path.clone(), stamp));
            listing.skipped.push(Skip { path, reason });
        } else {
            listing.files.push(Entry { path, stamp });
        }
    }
    listing.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.cut = rules.cut();
    listing.cut.extend(excludes.cut());
    add_outside_rules(root, &mut listing);
    Ok(listing)
}

/// Records the ignore rules outside the tree that the listing depends on.
fn add_outside_rules(root: &Path, listing: &mut Listing) {
    let now = stamp::now();
    if let Some(git) = GitDirs::of(&root.join(".git")) {
        let exclude = git.common_dir.join(EXCLUDE);
        let state = match exclude.metadata() {
            Ok(metadata) => RuleFileState::Stamp(stamp::trusted_at(stamp::of(&metadata), now)),
            Err(_) => RuleFileState::Absent,
        };
        listing.fingerprint.rule_files.push((exclude, state));
    }
    listing.fingerprint.add_global_rule_files(now);
    listing.fingerprint.sort();
}

/// The positions of files that the ignore file beside them must not exclude.
fn kept_beside(entries: &[StoredEntry], ignore_file: &RepoPath, kept: &[String]) -> Vec<usize> {
    let directory = ignore_file.directory();
    let in_directory = |name: &String| {
        let path = if directory.is_empty() {
            RepoPath::from(name.as_str())
        } else {
            RepoPath::new([directory, b"/", name.as_bytes()].concat())
        };
        position(entries, &path).filter(|at| entries[*at].kind == StoredKind::File)
    };
    kept.iter().filter_map(in_directory).collect()
}

fn is_kept(path: &RepoPath, kept: &[String]) -> bool {
    kept.iter().any(|name| name.as_bytes() == path.file_name())
}

/// Which directories a walk enters, each decided once.
struct VisitedDirectories<'r> {
    start: &'r Path,
    known: HashMap<PathBuf, bool>,
}

impl<'r> VisitedDirectories<'r> {
    fn new(start: &'r Path) -> Self {
        Self { start, known: HashMap::new() }
    }

    /// Whether the walk enters every directory between its start and a path.
    fn is_visited(&mut self, path: &Path, visit: &dyn Fn(&Path, bool) -> bool) -> bool {
        let Some(directory) = path.parent() else { return true };
        if directory == self.start || !directory.starts_with(self.start) {
            return true;
        }
        if let Some(known) = self.known.get(directory) {
            return *known;
        }
        let entered = self.is_visited(directory, visit) && visit(directory, true);
        self.known.insert(directory.to_owned(), entered);
        entered
    }
}

/// Lists the files of a text search in a stored tree, as [`crate::list_search_files`] would in its checkout at `root`.
pub fn search_stored(
    root: &Path,
    tree: &dyn StoredEntries,
    scope: &SearchScope,
) -> Result<SearchFiles, WalkError> {
    let base =
        scope.base.canonicalize().map_err(|source| WalkError::Root { path: scope.base.clone(), source })?;
    let typed: &[PathBuf] = if scope.paths.is_empty() { &[PathBuf::new()] } else { &scope.paths };
    let entries = tree.entries();
    let mut all = SearchFiles::default();
    for shown in typed {
        let start = path_conversion::normalised(&base.join(shown));
        let Some(path) = path_conversion::from_native(root, &start) else {
            return Err(WalkError::Outside { path: shown.clone(), root: root.to_owned() });
        };
        match stored_kind(entries, &path) {
            Some(PathKind::File) => {
                all.files.push(SearchFile { path, shown: shown.clone(), explicit: true });
            }
            Some(PathKind::Directory) => {
                let filter = SearchFilter::new(root, &base, &start, tree, scope)?;
                let mut found = filter.files(below(entries, &path), shown)?;
                found.sort_unstable_by(|a, b| {
                    path_conversion::compare_by_component(a.path.as_bytes(), b.path.as_bytes())
                });
                all.files.append(&mut found);
            }
            Some(PathKind::Other) => {
                all.errors.push(format!("{}: it is a link or a submodule", shown.display()));
            }
            None => {
                let missing = io::Error::from(io::ErrorKind::NotFound);
                all.errors.push(format!("{}: {missing}", shown.display()));
            }
        }
    }
    Ok(all)
}

/// Decides which files below a starting point are searched.
struct SearchFilter<'s> {
    root: &'s Path,
    start: &'s Path,
    tree: &'s dyn StoredEntries,
    scope: &'s SearchScope,
    overrides: ignore::overrides::Override,
    types: ignore::types::Types,
    /// Ignore rules and exclude patterns, unless they are disregarded.
    rules: Option<(RuleTree<'s>, Excludes)>,
}

impl<'s> SearchFilter<'s> {
    fn new(
        root: &'s Path,
        base: &Path,
        start: &'s Path,
        tree: &'s dyn StoredEntries,
        scope: &'s SearchScope,
    ) -> Result<Self, WalkError> {
        let rules = if scope.no_ignore {
            None
        } else {
            let source = Box::new(StoredRules::new(root, tree));
            let rules = RuleTree::with_source(start, search_rules(scope), source);
            Some((rules, excludes(root, &scope.excludes)?))
        };
        let (overrides, types) = (overrides(base, scope)?, types(scope)?);
        Ok(Self { root, start, tree, scope, overrides, types, rules })
    }

    /// Whether ripgrep's rules include a file or directory, by their precedence: globs, ignore files, types, hidden names.
    fn includes(&self, path: &Path, is_directory: bool) -> bool {
        let mut verdict = Verdict::None;
        if self.rules.as_ref().is_some_and(|(_, excludes)| excludes.leave_out(path, is_directory)) {
            return false;
        }
        match self.overrides.matched(path, is_directory).into() {
            Verdict::None => {}
            chosen => return chosen == Verdict::Whitelist,
        }
        if let Some((rules, _)) = &self.rules {
            verdict = rules.matched(path, is_directory);
        }
        let by_type: Verdict = self.types.matched(path, is_directory).into();
        if verdict == Verdict::Ignore || by_type == Verdict::Ignore {
            return false;
        }
        let is_named = [verdict, by_type].contains(&Verdict::Whitelist);
        is_named || self.scope.hidden || !is_hidden(path)
    }

    fn files(&self, entries: std::ops::Range<usize>, shown: &Path) -> Result<Vec<SearchFile>, WalkError> {
        let visit = |path: &Path, is_directory| self.includes(path, is_directory);
        let mut directories = VisitedDirectories::new(self.start);
        let mut found = Vec::new();
        for at in entries {
            let entry = &self.tree.entries()[at];
            let Some(inside) = path_conversion::to_native(&entry.path) else { continue };
            let native = self.root.join(inside);
            let Ok(behind) = native.strip_prefix(self.start) else { continue };
            let depth = behind.components().count();
            if entry.kind == StoredKind::File
                && self.scope.max_depth.is_none_or(|most| depth <= most)
                && directories.is_visited(&native, &visit)
                && self.includes(&native, false)
            {
                let file =
                    SearchFile { path: entry.path.clone(), shown: shown.join(behind), explicit: false };
                found.push((at, file));
            }
        }
        if let Some(max) = self.scope.max_file_size {
            let positions: Vec<usize> = found.iter().map(|(at, _)| *at).collect();
            let mut stamps = self.tree.stamps(&positions, self.scope.threads.max(1))?.into_iter();
            found.retain(|_| stamps.next().is_some_and(|stamp| stamp.size <= max));
        }
        Ok(found.into_iter().map(|(_, file)| file).collect())
    }
}
