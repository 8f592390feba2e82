//! Finds the root of a repository and its git directories. Reads git's files; never runs git.

use crate::{WalkError, check_root};
use std::path::{Path, PathBuf};
use std::{fs, io};

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
    /// of the directories in it.
    pub fn find(start: &Path) -> Result<Self, WalkError> {
        let failed = |source| WalkError::Root { path: start.to_owned(), source };
        let real = start.canonicalize().map_err(failed)?;
        let directory = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
        for top in directory.ancestors() {
            let Some(git) = GitDirs::of(&top.join(".git")) else { continue };
            if top == directory || check_root(top).is_ok() {
                return Ok(Self { root: top.to_owned(), git: Some(git) });
            }
            break;
        }
        Ok(Self { root: directory.to_owned(), git: None })
    }

    /// The roots of the other working trees of the repository, sorted; removed ones are left out.
    pub fn siblings(&self) -> Vec<PathBuf> {
        let Some(git) = &self.git else { return Vec::new() };
        let mut tops: Vec<PathBuf> = git.common_dir.parent().into_iter().map(Path::to_owned).collect();
        if let Ok(entries) = fs::read_dir(git.common_dir.join("worktrees")) {
            let pointers =
                entries.flatten().filter_map(|entry| first_line(&entry.path().join("gitdir")).ok());
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

impl GitDirs {
    /// The git directories that a `.git` refers to: it is a directory or, in worktrees and submodules, a file with a
    /// path.
    pub fn of(dot_git: &Path) -> Option<Self> {
        let git_dir = if dot_git.is_dir() {
            dot_git.to_owned()
        } else {
            let line = first_line(dot_git).ok()?;
            dot_git.parent()?.join(line.strip_prefix("gitdir:")?.trim_start())
        };
        let git_dir = git_dir.canonicalize().ok()?;
        if !git_dir.join("HEAD").exists() {
            return None;
        }
        let common_dir = match first_line(&git_dir.join("commondir")) {
            Ok(line) => git_dir.join(line).canonicalize().ok()?,
            Err(_) => git_dir.clone(),
        };
        Some(Self { git_dir, common_dir })
    }
}

fn first_line(path: &Path) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    Ok(text.lines().next().unwrap_or_default().trim_end().to_owned())
}
