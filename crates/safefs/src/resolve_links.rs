//! Resolves the symbolic links of a path that need not exist yet, except untrusted ones.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Resolves the symbolic links of a path, so that it can be opened without following any.
///
/// Links that the user created are resolved. Links below `distrusted` may come from a repository: they stay in the path, and
/// opening it fails.
pub fn resolve_trusted_links(path: &Path, distrusted: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                real.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => real.push(part),
            Component::Normal(name) => step(&mut real, name, distrusted)?,
        }
    }
    Ok(real)
}

fn step(real: &mut PathBuf, name: &OsStr, distrusted: &Path) -> io::Result<()> {
    let trusted = !real.starts_with(distrusted);
    real.push(name);
    if trusted && real.is_symlink() {
        // A dangling link has no target; opening it fails later.
        match real.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            resolved => *real = resolved?,
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn trusted_links_are_resolved_and_untrusted_ones_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        let top = directory.path().canonicalize().expect("it is there");
        let repository = top.join("repository");
        for name in ["repository/inside", "disk"] {
            fs::create_dir_all(top.join(name)).expect("made");
        }
        symlink(top.join("disk"), top.join("cache")).expect("a link");
        symlink(top.join("disk"), repository.join("planted")).expect("a link");
        let cases = [
            ("cache/orient", top.join("disk/orient")),
            ("cache", top.join("disk")),
            ("missing/deep", top.join("missing/deep")),
            ("repository/planted/x", repository.join("planted/x")),
            ("repository/inside/x", repository.join("inside/x")),
            ("repository/inside/../../cache/x", top.join("disk/x")),
        ];
        for (given, expected) in cases {
            assert_eq!(
                resolve_trusted_links(&top.join(given), &repository).expect("it can be told"),
                expected,
                "{given}"
            );
        }
    }
}
