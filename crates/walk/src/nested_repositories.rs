//! Repositories inside a repository: clones and worktrees are separate projects, submodules are part of the outer
//! one.

use orient_model::RepoPath;
use orient_safefs::UntrustedDirectory;
use std::path::Path;

/// The file that registers the submodules of a repository.
pub(crate) const SUBMODULES: &str = ".gitmodules";
/// What is read of it: ten thousand submodules have less.
const MAX_SUBMODULES: u64 = 1 << 20;

/// Whether a directory with a `.git` below the root is a separate project: it is inside another working tree that
/// does not register it as a submodule. In a root outside git, the clones in it are indexed.
pub(crate) fn is_nested(root: &Path, directory: &Path) -> bool {
    let around = directory.ancestors().skip(1).take_while(|around| around.starts_with(root));
    let mut is_in_repository = false;
    for around in around {
        is_in_repository |= around.join(".git").symlink_metadata().is_ok();
        if registers(around, directory) {
            return false;
        }
    }
    is_in_repository
}

/// Whether the `.gitmodules` of a directory registers another directory as a submodule.
fn registers(around: &Path, directory: &Path) -> bool {
    let Some(path) = crate::path_conversion::from_native(around, directory) else { return false };
    let read = || UntrustedDirectory::open(around)?.read_start(SUBMODULES, MAX_SUBMODULES);
    let Ok(text) = read() else { return false };
    submodules(&String::from_utf8_lossy(&text)).any(|submodule| RepoPath::from(submodule.as_str()) == path)
}

/// The paths of submodules, in the syntax of git's configuration files.
fn submodules(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        if !key.trim().eq_ignore_ascii_case("path") {
            return None;
        }
        let value = value.trim();
        let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let value = quoted
            .map_or_else(|| value.to_owned(), |value| value.replace("\\\"", "\"").replace("\\\\", "\\"));
        Some(value.trim_end_matches('/').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_submodules_are_read() {
        let text =
            "[submodule \"a\"]\n\tpath = libs/a\n\turl = ../a\n[submodule \"b\"]\n  Path=\"with space/b\"\n";
        assert_eq!(submodules(text).collect::<Vec<_>>(), ["libs/a", "with space/b"]);
    }
}
