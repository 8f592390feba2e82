//! Finds the root of a repository and its git directories. Reads git's files; never runs git.

use crate::{WalkError, check_root};
use orient_safefs::{EntryKind, UnsafePath, UntrustedDirectory};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum size of a file that names a directory.
const MAX_POINTER: u64 = 16 << 10;
/// What is read of a configuration.
const MAX_CONFIG: u64 = 1 << 20;
/// Maximum number of working trees considered.
const MAX_WORKTREES: usize = 10_000;

/// A directory to index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// The root of the working tree, or the directory itself outside git; canonical.
    pub root: PathBuf,
    /// The git directories, if it is a repository.
    pub git: Option<GitDirs>,
}

/// The directories of a git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitDirs {
    /// The one of this working tree; canonical.
    pub git_dir: PathBuf,
    /// The one that all working trees of the repository share; canonical.
    pub common_dir: PathBuf,
}

impl Repo {
    /// Finds the repository that contains `start`, a directory or a file.
    ///
    /// A working tree that must not be indexed as a whole, such as a home directory under git, is not the repository
    /// of the directories in it. One whose git directory is refused is a directory outside git.
    pub fn find(start: &Path) -> Result<Self, WalkError> {
        let failed = |source| WalkError::Root { path: start.to_owned(), source };
        let real = start.canonicalize().map_err(failed)?;
        let directory = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
        for top in directory.ancestors() {
            let git = match GitDirs::find(&top.join(".git")) {
                Ok(None) => continue,
                Ok(Some(git)) => Some(git),
                // A shortage of this moment must not make another repository of it.
                Err(RefusedGitDirectory { reason: RefusedReason::Unreadable { kind }, .. }) => {
                    return Err(failed(kind.into()));
                }
                Err(_) => None,
            };
            if top == directory || check_root(top).is_ok() {
                return Ok(Self { root: top.to_owned(), git });
            }
            break;
        }
        Ok(Self { root: directory.to_owned(), git: None })
    }

    /// The roots of the other working trees of the repository, sorted; removed ones are left out.
    pub fn siblings(&self) -> Vec<PathBuf> {
        let Some(git) = &self.git else { return Vec::new() };
        let mut tops: Vec<PathBuf> = git.common_dir.parent().into_iter().map(Path::to_owned).collect();
        if let Ok(common) = UntrustedDirectory::open(&git.common_dir)
            && let Ok(entries) = common.entries("worktrees", MAX_WORKTREES)
        {
            let pointer = |name| first_line(&common, &Path::new("worktrees").join(name).join("gitdir")).ok();
            let pointers = entries.into_iter().filter_map(|(name, _)| pointer(name));
            tops.extend(pointers.filter_map(|pointer| Some(Path::new(&pointer).parent()?.to_owned())));
        }
        let mut tops: Vec<PathBuf> = tops.iter().filter_map(|top| top.canonicalize().ok()).collect();
        tops.retain(|top| {
            *top != self.root
                && GitDirs::of(&top.join(".git")).is_some_and(|g| g.common_dir == git.common_dir)
        });
        tops.sort();
        tops.dedup();
        tops
    }
}

/// A git directory that is not read: it is not that of the directory that names it, or it is no git directory of git's making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedGitDirectory {
    /// The path in question.
    pub path: PathBuf,
    reason: RefusedReason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RefusedReason {
    /// It refers to a git directory that does not refer back.
    NoWayBack { git_dir: PathBuf },
    /// It claims to share a repository that does not count it among its working trees.
    NotAWorktree { common_dir: PathBuf },
    /// It is a link, a pipe, a device, or too large.
    NotAFile,
    /// The system could not open it, although it may be there.
    Unreadable { kind: io::ErrorKind },
}

impl fmt::Display for RefusedGitDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.reason {
            RefusedReason::NoWayBack { git_dir } => {
                let git_dir = git_dir.display();
                write!(
                    f,
                    "{path} refers to {git_dir}, which does not refer back to it and may be another repository (`git worktree repair`, or \
                     `core.worktree` in {git_dir}/config, makes it refer back)"
                )
            }
            RefusedReason::NotAWorktree { common_dir } => {
                write!(f, "{path} refers to {}, of which it is no working tree", common_dir.display())
            }
            RefusedReason::Unreadable { kind } => write!(f, "{path} cannot be read: {kind}"),
            RefusedReason::NotAFile => {
                write!(f, "{path} is a link, no regular file, or too large")
            }
        }
    }
}

impl std::error::Error for RefusedGitDirectory {}

impl GitDirs {
    /// The git directories that a `.git` refers to; `None` if there are none, or if they are refused.
    pub fn of(dot_git: &Path) -> Option<Self> {
        Self::find(dot_git).ok().flatten()
    }

    /// The git directories that a `.git` refers to: it is a directory or, in worktrees and submodules, a file with a path.
    ///
    /// A program that can write a `.git` may name any directory, and would be answered with the history of a repository that is not theirs. Git writes a
    /// way back wherever it writes such a path; a directory elsewhere without one is refused.
    pub fn find(dot_git: &Path) -> Result<Option<Self>, RefusedGitDirectory> {
        let refused = |path: &Path, reason| RefusedGitDirectory { path: path.to_owned(), reason };
        let (Some(top), Ok(metadata)) = (dot_git.parent(), dot_git.symlink_metadata()) else {
            return Ok(None);
        };
        let Ok(top) = top.canonicalize() else { return Ok(None) };
        let git_dir = if metadata.is_file() {
            let line = UntrustedDirectory::open(&top).and_then(|top| first_line(&top, Path::new(".git")));
            if let Err(error) = &line
                && !is_absent(error)
            {
                return Err(unreadable(dot_git, error));
            }
            let Some(target) =
                line.ok().and_then(|line| Some(line.strip_prefix("gitdir:")?.trim_start().to_owned()))
            else {
                return Ok(None);
            };
            top.join(target)
        } else {
            dot_git.to_owned()
        };
        let Some(git_dir) = git_dir.canonicalize().ok().filter(|path| path.is_dir()) else { return Ok(None) };
        let git = match UntrustedDirectory::open(&git_dir) {
            Ok(git) => git,
            Err(error) => {
                return if is_absent(&error) { Ok(None) } else { Err(unreadable(&git_dir, &error)) };
            }
        };
        match git.kind("HEAD") {
            Some(EntryKind::File) => {}
            Some(_) => return Err(refused(&git_dir.join("HEAD"), RefusedReason::NotAFile)),
            None => return Ok(None),
        }
        if !git_dir.starts_with(&top) && !refers_back(&git, &git_dir, &top) {
            return Err(refused(dot_git, RefusedReason::NoWayBack { git_dir }));
        }
        let common_dir = match first_line(&git, Path::new("commondir")) {
            Ok(line) => match git_dir.join(line).canonicalize() {
                Ok(common_dir) => common_dir,
                Err(_) => return Ok(None),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => git_dir.clone(),
            Err(error) if is_unsafe(&error) => {
                return Err(refused(&git_dir.join("commondir"), RefusedReason::NotAFile));
            }
            Err(error) => return Err(unreadable(&git_dir.join("commondir"), &error)),
        };
        if common_dir != git_dir && git_dir.parent() != Some(&common_dir.join("worktrees")) {
            return Err(refused(&git_dir, RefusedReason::NotAWorktree { common_dir }));
        }
        Ok(Some(Self { git_dir, common_dir }))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> RefusedGitDirectory {
    RefusedGitDirectory { path: path.to_owned(), reason: RefusedReason::Unreadable { kind: error.kind() } }
}

/// Whether something is not there for this user, or is no file at all.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    is_unsafe(error) || matches!(error.kind(), IsADirectory | NotADirectory | NotFound | PermissionDenied)
}

fn is_unsafe(error: &io::Error) -> bool {
    UnsafePath::of(error).is_some()
        || matches!(error.kind(), io::ErrorKind::FileTooLarge | io::ErrorKind::IsADirectory)
}

/// Whether a git directory names a working tree as its own: as `git worktree` (`gitdir`) or as `git submodule` and `git init
/// --separate-git-dir` do (`core.worktree`).
fn refers_back(git: &UntrustedDirectory, git_dir: &Path, top: &Path) -> bool {
    let is_top = |path: &Path| git_dir.join(path).canonicalize().is_ok_and(|path| path == top);
    let by_worktree =
        first_line(git, Path::new("gitdir")).is_ok_and(|line| Path::new(&line).parent().is_some_and(is_top));
    by_worktree || {
        let config = git.read_start("config", MAX_CONFIG).unwrap_or_default();
        own_worktree(&String::from_utf8_lossy(&config)).is_some_and(|path| is_top(Path::new(&path)))
    }
}

/// `core.worktree` in a configuration.
fn own_worktree(config: &str) -> Option<String> {
    let (mut is_core, mut found) = (false, None);
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
        } else if is_core
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            let value = value.trim();
            let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
            found = Some(quoted.unwrap_or(value).replace("\\\"", "\"").replace("\\\\", "\\"));
        }
    }
    found
}

/// The first line of a file that names a directory.
fn first_line(directory: &UntrustedDirectory, inside: &Path) -> io::Result<String> {
    let text = String::from_utf8_lossy(&directory.read(inside, MAX_POINTER)?).into_owned();
    Ok(text.lines().next().unwrap_or_default().trim_end().to_owned())
}
