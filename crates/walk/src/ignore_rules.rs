//! The ignore rules of a tree, in a working tree or in a commit. Equivalent to the matching of the `ignore` crate, with the same
//! precedence; tests compare the two. That crate opens whatever has the name of an ignore file, so it never reads one here: rule files
//! are read as any other file of a repository is, and those that are no regular files are not applied.

use crate::WalkError;
use crate::lazy_patterns::{CutRules, LARGE, Most, PatternSet, Verdict, readable};
use crate::repository::GitDirs;
use crate::search_files::is_hidden;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use orient_safefs::{UnsafePath, UntrustedDirectory};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The rules of the whole repository, in the git directory.
pub(crate) const EXCLUDE: &str = "info/exclude";

/// The ignore files of a tree that are not applied, or not with all of their patterns, and whether the settings have more patterns than
/// are applied.
pub fn cut_rules(
    root: &Path,
    files: impl IntoIterator<Item = PathBuf>,
    excludes: &[String],
) -> Result<Vec<CutRules>, WalkError> {
    let cut = |file: PathBuf| {
        let directory = file.parent()?;
        // Rules in the git directory apply to the whole repository.
        let counts_for = if file.ends_with(EXCLUDE) { root } else { directory };
        let most = most(root, counts_for);
        let (above, name) = if file.ends_with(EXCLUDE) {
            (directory.parent()?, Path::new(EXCLUDE))
        } else {
            (directory, Path::new(file.file_name()?))
        };
        let bytes = UntrustedDirectory::open(above).and_then(|above| above.read_start(name, read_most(most)));
        RuleText::read([(file.as_path(), bytes)], most).set(directory, most)?.1
    };
    let mut all: Vec<CutRules> = files.into_iter().filter_map(cut).collect();
    all.extend(crate::list_files::excludes(root, excludes)?.cut());
    Ok(all)
}

/// Limits on the rules of a directory.
fn most(top: &Path, directory: &Path) -> Most {
    if directory.starts_with(top) && directory != top { Most::WITHIN } else { Most::AT_TOP }
}

/// One byte more shows that there is more.
fn read_most(most: Most) -> u64 {
    most.bytes as u64 + 1
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
    /// The first bytes of an ignore file of a directory.
    fn read(&self, directory: &Path, name: &str, max: u64) -> io::Result<Vec<u8>>;
    /// Whether a directory on disk at this path may be the root of a git repository.
    fn may_have_git(&self, directory: &Path) -> bool;
}

/// Ignore files on disk. Those of a tree are reached from its top without following a link.
pub(crate) struct RulesOnDisk {
    top: PathBuf,
    directory: Option<UntrustedDirectory>,
}

impl RulesOnDisk {
    pub(crate) fn new(top: &Path) -> Self {
        Self { top: top.to_owned(), directory: UntrustedDirectory::open(top).ok() }
    }
}

impl RuleSource for RulesOnDisk {
    fn read(&self, directory: &Path, name: &str, max: u64) -> io::Result<Vec<u8>> {
        match (directory.strip_prefix(&self.top), &self.directory) {
            (Ok(inside), Some(top)) => top.read_start(inside.join(name), max),
            _ => UntrustedDirectory::open(directory)?.read_start(name, max),
        }
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
    directories: RwLock<HashMap<OsString, Arc<DirectoryRules>>>,
    /// Tells the rules of different trees apart.
    id: u64,
    /// The user's global ignore rules of git.
    global: RuleSet,
}

/// The patterns of an ignore file.
enum RuleSet {
    /// Few enough to be compiled together.
    Few(Gitignore),
    /// Too many: compiled one by one.
    Many(Arc<PatternSet>),
}

impl RuleSet {
    /// The user's own file: its links are followed, and it may be of any kind that the user chose.
    fn global() -> Self {
        let large = gitconfig_excludes_path()
            .filter(|file| file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > LARGE))
            .and_then(|file| {
                let here = std::env::current_dir().unwrap_or_default();
                let bytes = orient_safefs::read_trusted(&file, read_most(Most::AT_TOP));
                RuleText::read([(file.as_path(), bytes)], Most::AT_TOP).set(&here, Most::AT_TOP)?.0
            });
        large.unwrap_or_else(|| Self::Few(Gitignore::global().0))
    }

    fn matched(&self, path: &Path, is_directory: bool) -> Verdict {
        match self {
            Self::Few(rules) => rules.matched(path, is_directory).into(),
            Self::Many(rules) => rules.matched(path, is_directory),
        }
    }
}

/// The text of the ignore files of one kind in a directory, by increasing precedence.
struct RuleText {
    text: String,
    /// Whether a file was larger than what is read of it.
    is_cut: bool,
    source: Option<PathBuf>,
    /// A file that is not read.
    refused: Option<PathBuf>,
}

impl RuleText {
    fn read<'f>(files: impl IntoIterator<Item = (&'f Path, io::Result<Vec<u8>>)>, most: Most) -> Self {
        let mut all = Self { text: String::new(), is_cut: false, source: None, refused: None };
        for (file, bytes) in files {
            let mut bytes = match bytes {
                Ok(bytes) => bytes,
                Err(error) => {
                    all.refused = all.refused.or(UnsafePath::of(&error).map(|_| file.to_owned()));
                    continue;
                }
            };
            all.source.get_or_insert_with(|| file.to_owned());
            let is_cut = bytes.len() > most.bytes;
            bytes.truncate(most.bytes);
            all.is_cut |= is_cut;
            all.text.push_str(readable(&bytes, is_cut));
            all.text.push('\n');
        }
        all
    }

    /// The patterns, if there are any files, and the remark that some are not applied.
    fn set(self, root: &Path, most: Most) -> Option<(Option<RuleSet>, Option<CutRules>)> {
        let refused = self.refused.map(|file| CutRules { source: file.display().to_string(), applied: None });
        let Some(source) = self.source else { return refused.map(|refused| (None, Some(refused))) };
        if self.text.len() as u64 <= LARGE && !self.is_cut {
            let mut builder = GitignoreBuilder::new(root);
            for line in self.text.lines() {
                // An invalid pattern matches nothing, as in git.
                let _ = builder.add_line(None, line);
            }
            let set = builder.build().unwrap_or_else(|_| Gitignore::empty());
            return Some(((!set.is_empty()).then_some(RuleSet::Few(set)), refused));
        }
        let set = PatternSet::of_text(root, &self.text, most, self.is_cut);
        let cut = set.cut(&source);
        Some((Some(RuleSet::Many(set)), cut.or(refused)))
    }
}

/// Numbers the rules of trees.
static TREES: AtomicU64 = AtomicU64::new(0);

/// The rules of a tree in the directory that a thread has asked about last: a walk asks about one entry of a directory after another.
type LastDirectory = Option<(u64, OsString, Arc<DirectoryRules>)>;

thread_local! {
    static LAST_DIRECTORY: RefCell<LastDirectory> = const { RefCell::new(None) };
}

/// The ignore rules in one directory, and where to look for those above it.
#[derive(Default)]
struct DirectoryRules {
    /// Whether the directory is the top of the tree or below it.
    is_inside: bool,
    own: Option<RuleSet>,
    ignore: Option<RuleSet>,
    git: Option<RuleSet>,
    exclude: Option<RuleSet>,
    has_git: bool,
    /// Whether this directory or one above it is a repository.
    is_in_git: bool,
    cut: Vec<CutRules>,
    /// The nearest directory above that has rules or is a repository.
    above: Option<Arc<DirectoryRules>>,
}

impl DirectoryRules {
    fn is_empty(&self) -> bool {
        let sets = [&self.own, &self.ignore, &self.git, &self.exclude];
        !self.has_git && self.cut.is_empty() && sets.iter().all(|set| set.is_none())
    }
}

impl RuleTree<'static> {
    /// The rules for a walk that starts at a directory.
    pub(crate) fn new(top: &Path, options: RuleOptions) -> Self {
        Self::with_source(top, options, Box::new(RulesOnDisk::new(top)))
    }
}

impl<'s> RuleTree<'s> {
    /// The same with ignore files from elsewhere. Rules above the top come from there, too.
    pub(crate) fn with_source(top: &Path, options: RuleOptions, source: Box<dyn RuleSource + 's>) -> Self {
        let global = if options.git_elsewhere { RuleSet::global() } else { RuleSet::Few(Gitignore::empty()) };
        let id = TREES.fetch_add(1, Ordering::Relaxed);
        Self { source, top: top.to_owned(), options, directories: RwLock::default(), id, global }
    }

    /// The decision of the rules on a path below the root.
    pub(crate) fn matched(&self, path: &Path, is_directory: bool) -> Verdict {
        let Some(around) = path.parent().map(|directory| self.last_directory(directory)) else {
            return Verdict::None;
        };
        let any_git = !self.options.require_git || around.is_in_git;
        let (mut own, mut ignore, mut git, mut exclude) = Default::default();
        let mut saw_git = false;
        let mut next = Some(&around);
        while let Some(rules) = next {
            if !self.options.parents && !rules.is_inside {
                break;
            }
            let say = |set: &Option<RuleSet>| {
                set.as_ref().map_or(Verdict::None, |set| set.matched(path, is_directory))
            };
            own = Verdict::or(own, || say(&rules.own));
            ignore = Verdict::or(ignore, || say(&rules.ignore));
            if any_git && !saw_git {
                git = Verdict::or(git, || say(&rules.git));
                exclude = Verdict::or(exclude, || say(&rules.exclude));
            }
            saw_git |= rules.has_git;
            next = rules.above.as_ref();
        }
        let global = || if any_git { self.global.matched(path, is_directory) } else { Verdict::None };
        own.or(|| ignore).or(|| git).or(|| exclude).or(global)
    }

    /// The ignore files so far that are not applied, or not with all their patterns.
    pub(crate) fn cut(&self) -> Vec<CutRules> {
        let directories = self.directories.read().unwrap_or_else(PoisonError::into_inner);
        let mut cut: Vec<CutRules> = directories.values().flat_map(|rules| rules.cut.clone()).collect();
        cut.sort_by(|a, b| a.source.cmp(&b.source));
        // Directories without rules share those of the one above.
        cut.dedup();
        cut
    }

    /// The same as [`Self::directory`], without a look at what other threads share if this one has just asked.
    fn last_directory(&self, directory: &Path) -> Arc<DirectoryRules> {
        let known = LAST_DIRECTORY.with_borrow(|last| match last {
            Some((id, path, rules)) if *id == self.id && path == directory.as_os_str() => Some(rules.clone()),
            _ => None,
        });
        known.unwrap_or_else(|| {
            let rules = self.directory(directory);
            LAST_DIRECTORY.set(Some((self.id, directory.as_os_str().to_owned(), rules.clone())));
            rules
        })
    }

    /// The rules that apply in a directory: its own, or those of the nearest directory above that has some.
    fn directory(&self, directory: &Path) -> Arc<DirectoryRules> {
        let known = self.directories.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(directory.as_os_str()) {
            return known.clone();
        }
        drop(known);
        let above = directory.parent().map(|above| self.directory(above));
        let mut own = self.read(directory);
        own.is_in_git = own.has_git || above.as_ref().is_some_and(|above| above.is_in_git);
        let rules = match above {
            Some(above) if own.is_empty() => above,
            above => Arc::new(DirectoryRules { above, ..own }),
        };
        let mut directories = self.directories.write().unwrap_or_else(PoisonError::into_inner);
        directories.entry(directory.as_os_str().to_owned()).or_insert(rules).clone()
    }

    fn read(&self, directory: &Path) -> DirectoryRules {
        let RuleOptions { own, ignore, git, git_elsewhere, require_git, parents } = self.options;
        let may_have_git = self.source.may_have_git(directory);
        let dot_git = directory.join(".git");
        let has_git = may_have_git
            && require_git
            && (git || git_elsewhere)
            && (dot_git.symlink_metadata().is_ok() || directory.join(".jj").exists());
        let is_inside = directory.starts_with(&self.top);
        let mut rules = DirectoryRules { is_inside, has_git, ..DirectoryRules::default() };
        if !parents && !is_inside {
            return rules;
        }
        let most = most(&self.top, directory);
        let mut cut = Vec::new();
        let mut of_text = |text: RuleText| {
            let (set, remark) = text.set(directory, most)?;
            cut.extend(remark);
            set
        };
        let mut load = |names: &[&str]| {
            let files: Vec<PathBuf> = names.iter().map(|name| directory.join(name)).collect();
            let read = |name: &&str| self.source.read(directory, name, read_most(most));
            of_text(RuleText::read(files.iter().map(PathBuf::as_path).zip(names.iter().map(read)), most))
        };
        rules.own = load(own);
        rules.ignore = if ignore { load(&[".ignore"]) } else { None };
        rules.git = if git { load(&[".gitignore"]) } else { None };
        if let Some(git) = (may_have_git && git_elsewhere).then(|| GitDirs::of(&dot_git)).flatten() {
            let file = git.common_dir.join(EXCLUDE);
            let bytes = UntrustedDirectory::open(&git.common_dir)
                .and_then(|directory| directory.read_start(EXCLUDE, read_most(most)));
            rules.exclude = of_text(RuleText::read([(file.as_path(), bytes)], most));
        }
        DirectoryRules { cut, ..rules }
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

/// The decisions of the `.gitignore` of a directory alone, on a file and on a directory at a path; `None` if it has none.
pub(crate) fn own_git_rules(directory: &Path, path: &Path) -> Option<[Verdict; 2]> {
    let (file, most) = (directory.join(".gitignore"), Most::AT_TOP);
    let opened = UntrustedDirectory::open(directory);
    let bytes = opened.and_then(|directory| directory.read_start(".gitignore", read_most(most)));
    let set = RuleText::read([(file.as_path(), bytes)], most).set(directory, most)?.0?;
    Some([false, true].map(|is_directory| set.matched(path, is_directory)))
}
