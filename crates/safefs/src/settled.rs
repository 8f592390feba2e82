//! The real path of a folder that need not exist yet.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The path of a folder with the links on the way to it resolved, so that it can be opened without following any.
///
/// Links that the user made on the way to a folder are the user's affair. Links below `distrusted` may have come with a
/// repository: they are left in the path, and opening it will refuse them.
pub fn settled(path: &Path, distrusted: &Path) -> io::Result<PathBuf> {
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
        // A dangling link has no real path; opening it says so.
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
    fn links_of_the_user_are_resolved_and_those_of_a_repository_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("it is there");
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
            assert_eq!(settled(&top.join(given), &repository).expect("it can be told"), expected, "{given}");
        }
    }
}
