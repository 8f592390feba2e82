//! The files that a text search reads: the same as ripgrep's, found by its own walker and its own rules.
//!
//! This is not the listing of the index: hidden files are excluded by default, ignore files above the tree apply, and
//! `.gitignore` applies only inside git repositories. Orient's own exclude patterns apply here, too.

use crate::ignore_rules::{RuleOptions, RuleTree};
use crate::list_files::{OWN_IGNORE_FILE, excludes};
use crate::{Fingerprint, WalkError, path_conversion, stamp};
use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};
use orient_model::RepoPath;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The scope of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct SearchScope {
    /// The directory of the search: paths are relative to it.
    pub base: PathBuf,
    /// Files and directories, as typed; empty for all of `base`.
    pub paths: Vec<PathBuf>,
    /// Whether hidden files are included.
    pub hidden: bool,
    /// Whether ignore files are disregarded.
    pub no_ignore: bool,
    /// Whether the ignore files of version control systems are disregarded.
    pub no_ignore_vcs: bool,
    /// Whether the ignore files of parent directories are disregarded.
    pub no_ignore_parent: bool,
    /// Only files that match a glob; globs with `!` exclude.
    pub globs: Vec<String>,
    /// The same, case-insensitive.
    pub iglobs: Vec<String>,
    /// Only files of these types, by ripgrep's names.
    pub types: Vec<String>,
    /// Not files of these types.
    pub types_not: Vec<String>,
    /// Additional types, as `name:glob`.
    pub types_add: Vec<String>,
    /// Maximum depth of directories.
    pub max_depth: Option<usize>,
    /// Size limit: larger files are excluded.
    pub max_file_size: Option<u64>,
    /// The exclude patterns of the settings, in the syntax of `.gitignore`.
    pub excludes: Vec<String>,
    /// Number of threads; zero lets the walker choose.
    pub threads: usize,
}

/// A file to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchFile {
    /// Its path.
    pub path: RepoPath,
    /// Its path in output.
    pub shown: PathBuf,
    /// Whether it was named explicitly rather than found in a directory.
    pub explicit: bool,
}

/// The files to search.
#[derive(Clone, Debug, Default)]
pub struct SearchFiles {
    /// The files, in the order of the starting points, then by path.
    pub files: Vec<SearchFile>,
    /// Messages about what could not be read.
    pub errors: Vec<String>,
    /// What the list depends on; only recorded for the default scope.
    pub fingerprint: Fingerprint,
}

impl SearchScope {
    /// Whether the whole tree is searched by its default rules, so that the list can be stored.
    pub fn is_plain(&self, root: &Path) -> bool {
        let Self { base, paths, hidden, no_ignore, no_ignore_vcs, no_ignore_parent, .. } = self;
        let narrowed = [&self.globs, &self.iglobs, &self.types, &self.types_not, &self.types_add];
        !(*hidden || *no_ignore || *no_ignore_vcs || *no_ignore_parent)
            && narrowed.iter().all(|list| list.is_empty())
            && self.max_depth.is_none()
            && self.max_file_size.is_none()
            && paths.is_empty()
            && base.canonicalize().is_ok_and(|base| base == root)
    }
}

/// A file or directory to start from.
pub(crate) struct Start {
    pub(crate) real: PathBuf,
    pub(crate) shown: PathBuf,
}

/// Lists the files of a search in the tree under `root`, a canonical path.
pub fn list_search_files(root: &Path, scope: &SearchScope) -> Result<SearchFiles, WalkError> {
    let (base, starts, errors) = starts(root, scope)?;
    let mut all = SearchFiles { errors, ..SearchFiles::default() };
    let (now, plain) = (stamp::now(), scope.is_plain(root));
    if plain {
        all.fingerprint.add_global_rule_files(now);
        all.fingerprint.add_parents(root, now);
    }
    for start in starts {
        // One walk per starting point: a file that is named twice is searched twice.
        let noted = plain.then_some(now);
        let walker = walker(root, &base, &start, scope)?;
        let mut found = walked(root, &start, &walker, noted);
        all.files.append(&mut found.files);
        all.errors.append(&mut found.errors);
        all.fingerprint.append(&mut found.fingerprint);
    }
    all.fingerprint.incomplete |= !all.errors.is_empty();
    all.fingerprint.sort();
    Ok(all)
}

/// The directory of a search, its starting points, and messages about those that do not exist.
pub(crate) fn starts(
    root: &Path,
    scope: &SearchScope,
) -> Result<(PathBuf, Vec<Start>, Vec<String>), WalkError> {
    let base =
        scope.base.canonicalize().map_err(|source| WalkError::Root { path: scope.base.clone(), source })?;
    let typed: &[PathBuf] = if scope.paths.is_empty() { &[PathBuf::new()] } else { &scope.paths };
    let (mut starts, mut errors) = (Vec::new(), Vec::new());
    for path in typed {
        match start(root, &base, path)? {
            Ok(start) => starts.push(start),
            Err(error) => errors.push(format!("{}: {error}", path.display())),
        }
    }
    Ok((base, starts, errors))
}

/// The files below one starting point, found on many threads, by path. If the start time of the walk is given, their
/// dependencies are recorded.
pub(crate) fn walked(root: &Path, start: &Start, builder: &WalkBuilder, noted: Option<i64>) -> SearchFiles {
    let found = Mutex::new(SearchFiles::default());
    builder.build_parallel().run(|| {
        let mut own = Own { found: &found, own: SearchFiles::default() };
        Box::new(move |entry| {
            match (entry, noted) {
                (Ok(entry), Some(now)) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                    own.own.fingerprint.add_directory(root, entry.path(), now);
                }
                (Ok(entry), _) => own.own.files.extend(search_file(root, start, &entry)),
                (Err(error), _) => own.own.errors.extend(failure(start, &error)),
            }
            WalkState::Continue
        })
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found
        .files
        .sort_unstable_by(|a, b| path_conversion::compare_by_component(a.path.as_bytes(), b.path.as_bytes()));
    found.errors.sort_unstable();
    found
}

/// The results of one thread, handed over when it ends.
struct Own<'f> {
    found: &'f Mutex<SearchFiles>,
    own: SearchFiles,
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.files.append(&mut self.own.files);
        found.errors.append(&mut self.own.errors);
        found.fingerprint.append(&mut self.own.fingerprint);
    }
}

/// The message about a directory that cannot be read. An invalid pattern in an ignore file is ignored, as in git.
pub(crate) fn failure(start: &Start, error: &ignore::Error) -> Option<String> {
    if error.is_partial() || error.io_error().is_none() {
        return None;
    }
    let real = start.real.display().to_string();
    Some(error.to_string().replace(&real, &start.shown.display().to_string()))
}

/// Resolves a typed path, which must be inside the tree.
fn start(root: &Path, base: &Path, typed: &Path) -> Result<Result<Start, std::io::Error>, WalkError> {
    let real = match base.join(typed).canonicalize() {
        Ok(real) => real,
        Err(error) => return Ok(Err(error)),
    };
    if real.starts_with(root) {
        Ok(Ok(Start { real, shown: typed.to_owned() }))
    } else {
        Err(WalkError::Outside { path: typed.to_owned(), root: root.to_owned() })
    }
}

/// A walker with ripgrep's rules, which are applied here: the walker itself opens no ignore file.
pub(crate) fn walker(
    root: &Path,
    base: &Path,
    start: &Start,
    scope: &SearchScope,
) -> Result<WalkBuilder, WalkError> {
    let SearchScope { hidden, no_ignore, .. } = *scope;
    let mut builder = WalkBuilder::new(&start.real);
    builder
        .max_depth(scope.max_depth)
        // With a filter of its own, the walker would let every file pass that is small enough.
        .max_filesize(scope.max_file_size.filter(|_| no_ignore))
        .threads(scope.threads)
        .overrides(overrides(base, scope)?)
        .types(types(scope)?)
        // A rule may include a hidden file, so that the filter decides on those.
        .hidden(!hidden && no_ignore)
        .parents(false)
        .ignore(false)
        .git_global(false)
        .git_ignore(false)
        .git_exclude(false)
        .current_dir(base);
    if !no_ignore {
        let rules = RuleTree::new(&start.real, search_rules(scope));
        let (chosen, types) = (overrides(base, scope)?, types(scope)?);
        let excludes = excludes(root, &scope.excludes)?;
        let max_file_size = scope.max_file_size;
        builder.filter_entry(move |entry| {
            let is_too_large = |most: u64| {
                let metadata = entry.metadata().ok();
                metadata.is_some_and(|metadata| !metadata.is_dir() && metadata.len() > most)
            };
            let (path, is_directory) = (entry.path(), entry.file_type().is_some_and(|kind| kind.is_dir()));
            // A glob includes files whatever the ignore rules say; a type includes hidden files.
            let hidden = hidden || types.matched(path, is_directory).is_whitelist();
            entry.depth() == 0
                || !max_file_size.is_some_and(is_too_large)
                    && !excludes.leave_out(path, is_directory)
                    && (!chosen.matched(path, is_directory).is_none()
                        || !rules.leaves_out(path, is_directory, hidden))
        });
    }
    Ok(builder)
}

/// The ignore rules of a search.
pub(crate) fn search_rules(scope: &SearchScope) -> RuleOptions {
    let git = !(scope.no_ignore || scope.no_ignore_vcs);
    RuleOptions {
        own: &[".rgignore", OWN_IGNORE_FILE],
        ignore: true,
        git,
        git_elsewhere: git,
        require_git: true,
        parents: !scope.no_ignore_parent,
    }
}

/// Whether a file or directory is hidden by its name.
pub(crate) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

pub(crate) fn overrides(base: &Path, scope: &SearchScope) -> Result<ignore::overrides::Override, WalkError> {
    let bad = |error: ignore::Error| WalkError::Filter { reason: error.to_string() };
    let mut builder = OverrideBuilder::new(base);
    for glob in &scope.globs {
        builder.add(glob).map_err(bad)?;
    }
    // The following globs are case-insensitive.
    builder.case_insensitive(true).map_err(bad)?;
    for glob in &scope.iglobs {
        builder.add(glob).map_err(bad)?;
    }
    builder.build().map_err(bad)
}

pub(crate) fn types(scope: &SearchScope) -> Result<ignore::types::Types, WalkError> {
    if scope.types.is_empty() && scope.types_not.is_empty() && scope.types_add.is_empty() {
        // Sorting the hundreds of built-in types takes longer than many walks.
        return Ok(ignore::types::Types::empty());
    }
    let bad = |error: ignore::Error| WalkError::Filter { reason: error.to_string() };
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for definition in &scope.types_add {
        builder.add_def(definition).map_err(bad)?;
    }
    for name in &scope.types {
        builder.select(name);
    }
    for name in &scope.types_not {
        builder.negate(name);
    }
    builder.build().map_err(bad)
}

/// The file of a directory entry, if it is searched.
pub(crate) fn search_file(root: &Path, start: &Start, entry: &DirEntry) -> Option<SearchFile> {
    let explicit = entry.depth() == 0;
    let kind = entry.file_type()?;
    if !(kind.is_file() || explicit && !kind.is_dir()) {
        return None;
    }
    let path = path_conversion::from_native(root, entry.path())?;
    let behind = entry.path().strip_prefix(&start.real).ok()?;
    let shown = if behind.as_os_str().is_empty() { start.shown.clone() } else { start.shown.join(behind) };
    Some(SearchFile { path, shown, explicit })
}
