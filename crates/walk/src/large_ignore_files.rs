//! The ignore rules of a tree with very large ignore files, or of one that is not on disk. Equivalent to the matching of
//! the `ignore` crate, with the same precedence, but patterns are compiled one by one; tests compare the two.

use crate::WalkError;
use crate::lazy_patterns::{CutRules, LARGE, Most, PatternSet, Verdict, read_start};
use crate::list_files::OWN_IGNORE_FILE;
use crate::repository::GitDirs;
use crate::search_files::is_hidden;
use ignore::gitignore::{Gitignore, gitconfig_excludes_path};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Ignore files in any directory.
const IGNORE_FILES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", OWN_IGNORE_FILE, ".git/info/exclude"];

/// Whether a directory has an ignore file that is too large for the `ignore` crate.
pub(crate) fn has_large_rules(directory: &Path) -> bool {
    IGNORE_FILES.iter().any(|name| is_large(&directory.join(name)))
}

/// The same for the directory where a walk starts, and those above it.
pub(crate) fn starts_with_large_rules(start: &Path) -> bool {
    let exclude =
        |directory: &Path| Some(GitDirs::of(&directory.join(".git"))?.common_dir.join("info/exclude"));
    let above = |directory: &Path| {
        has_large_rules(directory) || exclude(directory).is_some_and(|file| is_large(&file))
    };
    start.ancestors().any(above) || large_global().is_some()
}

fn is_large(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.len() > LARGE)
}

/// The user's global ignore rules of git, if they are very large.
fn large_global() -> Option<PathBuf> {
    gitconfig_excludes_path().filter(|file| is_large(file))
}

/// The ignore files of a tree that have more patterns than are applied, and whether the settings do.
pub fn cut_rules(
    root: &Path,
    files: impl IntoIterator<Item = PathBuf>,
    excludes: &[String],
) -> Result<Vec<CutRules>, WalkError> {
    let large = files.into_iter().filter(|file| is_large(file));
    let cut = |file: PathBuf| {
        let directory = file.parent()?;
        // Rules in the git directory apply to the whole repository.
        let counts_for = if file.ends_with("info/exclude") { root } else { directory };
        PatternSet::load(directory, std::slice::from_ref(&file), most(root, counts_for))?.cut(&file)
    };
    let mut all: Vec<CutRules> = large.filter_map(cut).collect();
    all.extend(crate::list_files::excludes(root, excludes)?.cut());
    Ok(all)
}

/// Limits on the rules of a directory.
fn most(top: &Path, directory: &Path) -> Most {
    if directory.starts_with(top) && directory != top { Most::WITHIN } else { Most::AT_TOP }
}

/// Which rules apply.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub(crate) struct RuleOptions {
    /// Our own ignore files and those of ripgrep, by increasing precedence.
    pub(crate) own: &'static [&'static str],
    /// `.ignore`.
    pub(crate) ignore: bool,
    /// `.gitignore`.
    pub(crate) git: bool,
    /// The rules in the git directory, and the user's global rules.
    pub(crate) git_elsewhere: bool,
    /// Whether git's rules apply only inside git repositories.
    pub(crate) require_git: bool,
    /// Whether rules of parent directories apply.
    pub(crate) parents: bool,
}

/// Where ignore files are read from.
pub(crate) trait RuleSource: Send + Sync {
    /// The first bytes of an ignore file; `None` if it does not exist.
    fn read(&self, file: &Path, max: u64) -> Option<Vec<u8>>;
    /// Whether a directory on disk at this path may be the root of a git repository.
    fn may_have_git(&self, directory: &Path) -> bool;
}

/// Ignore files on disk.
struct Disk;

impl RuleSource for Disk {
    fn read(&self, file: &Path, max: u64) -> Option<Vec<u8>> {
        read_start(file, max)
    }

    fn may_have_git(&self, _directory: &Path) -> bool {
        true
    }
}

/// The ignore rules of a tree.
pub(crate) struct RuleTree<'s> {
    source: Box<dyn RuleSource + 's>,
    top: PathBuf,
    options: RuleOptions,
    directories: Mutex<HashMap<PathBuf, Arc<DirectoryRules>>>,
    global: Global,
}

/// The user's global ignore rules of git.
enum Global {
    Few(Gitignore),
    Many(Arc<PatternSet>),
}

impl Global {
    fn read() -> Self {
        let large = large_global().and_then(|file| {
            let here = std::env::current_dir().unwrap_or_default();
            PatternSet::load(&here, &[file], Most::AT_TOP)
        });
        large.map_or_else(|| Self::Few(Gitignore::global().0), Self::Many)
    }

    fn matched(&self, path: &Path, is_directory: bool) -> Verdict {
        match self {
            Self::Few(rules) => rules.matched(path, is_directory).into(),
            Self::Many(rules) => rules.matched(path, is_directory),
        }
    }
}

/// The ignore rules in one directory.
#[derive(Default)]
struct DirectoryRules {
    own: Option<Arc<PatternSet>>,
    ignore: Option<Arc<PatternSet>>,
    git: Option<Arc<PatternSet>>,
    exclude: Option<Arc<PatternSet>>,
    has_git: bool,
    cut: Vec<CutRules>,
}

impl RuleTree<'static> {
    /// The rules for a walk that starts at a directory.
    pub(crate) fn new(top: &Path, options: RuleOptions) -> Self {
        Self::with_source(top, options, Box::new(Disk))
    }
}

impl<'s> RuleTree<'s> {
    /// The same with ignore files from elsewhere. Rules above the top come from there, too.
    pub(crate) fn with_source(top: &Path, options: RuleOptions, source: Box<dyn RuleSource + 's>) -> Self {
        let global = if options.git_elsewhere { Global::read() } else { Global::Few(Gitignore::empty()) };
        Self { source, top: top.to_owned(), options, directories: Mutex::default(), global }
    }

    /// The decision of the rules on a path below the root.
    pub(crate) fn matched(&self, path: &Path, is_directory: bool) -> Verdict {
        let above = path.ancestors().skip(1).map(|directory| (directory, self.directory(directory)));
        let directories: Vec<(&Path, Arc<DirectoryRules>)> = above.collect();
        let any_git = !self.options.require_git || directories.iter().any(|(_, rules)| rules.has_git);
        let (mut own, mut ignore, mut git, mut exclude) = Default::default();
        let mut saw_git = false;
        for (directory, rules) in &directories {
            if !directory.starts_with(&self.top) && !self.options.parents {
                break;
            }
            let say = |set: &Option<Arc<PatternSet>>| {
                set.as_ref().map_or(Verdict::None, |set| set.matched(path, is_directory))
            };
            own = Verdict::or(own, || say(&rules.own));
            ignore = Verdict::or(ignore, || say(&rules.ignore));
            if any_git && !saw_git {
                git = Verdict::or(git, || say(&rules.git));
                exclude = Verdict::or(exclude, || say(&rules.exclude));
            }
            saw_git |= rules.has_git;
        }
        let global = || if any_git { self.global.matched(path, is_directory) } else { Verdict::None };
        own.or(|| ignore).or(|| git).or(|| exclude).or(global)
    }

    /// The ignore files so far whose patterns are not all applied.
    pub(crate) fn cut(&self) -> Vec<CutRules> {
        let directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cut: Vec<CutRules> = directories.values().flat_map(|rules| rules.cut.clone()).collect();
        cut.sort_by(|a, b| a.source.cmp(&b.source));
        cut
    }

    fn directory(&self, directory: &Path) -> Arc<DirectoryRules> {
        let lock = || self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(directory) {
            return known.clone();
        }
        let rules = Arc::new(self.read(directory));
        lock().insert(directory.to_owned(), rules.clone());
        rules
    }

    fn read(&self, directory: &Path) -> DirectoryRules {
        let RuleOptions { own, ignore, git, git_elsewhere, require_git, parents } = self.options;
        let dot_git = directory.join(".git");
        let may_have_git = self.source.may_have_git(directory);
        let has_git = may_have_git
            && require_git
            && (git || git_elsewhere)
            && (dot_git.metadata().is_ok() || directory.join(".jj").exists());
        let mut rules = DirectoryRules { has_git, ..DirectoryRules::default() };
        if !parents && !directory.starts_with(&self.top) {
            return rules;
        }
        let mut load = |files: &[PathBuf]| {
            let read = |file: &Path, max| self.source.read(file, max);
            let set = PatternSet::load_with(directory, files, most(&self.top, directory), &read)?;
            rules.cut.extend(files.first().and_then(|file| set.cut(file)));
            Some(set)
        };
        let in_directory = |names: &[&str]| names.iter().map(|name| directory.join(name)).collect::<Vec<_>>();
        let own = load(&in_directory(own));
        let ignore = if ignore { load(&in_directory(&[".ignore"])) } else { None };
        let git = if git { load(&in_directory(&[".gitignore"])) } else { None };
        let excluded = if may_have_git && git_elsewhere { GitDirs::of(&dot_git) } else { None };
        let exclude = excluded.and_then(|git| load(&[git.common_dir.join("info/exclude")]));
        DirectoryRules { own, ignore, git, exclude, ..rules }
    }

    /// Whether a path is excluded: by a rule, or because it is hidden and no rule includes it.
    pub(crate) fn leaves_out(&self, path: &Path, is_directory: bool, hidden: bool) -> bool {
        match self.matched(path, is_directory) {
            Verdict::Ignore => true,
            Verdict::Whitelist => false,
            Verdict::None => !hidden && is_hidden(path),
        }
    }
}
