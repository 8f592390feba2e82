//! Atomic file replacement: after a crash, a file has its old content or its new one.

use orient_safefs::{Directory, UntrustedDirectory, open_regular, read_trusted};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum size of a configuration of another program.
const MAX_FILE: u64 = 64 << 20;

/// Follows symbolic links, so that their target is replaced. A path that does not exist resolves to itself.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            // A dangling link: its target is created.
            Ok(target) => follow_links(&path.parent().unwrap_or(Path::new("")).join(target)),
            Err(_) => Ok(path.to_owned()),
        },
        Err(error) => Err(error),
    }
}

/// Which symbolic links are followed.
#[derive(Clone, Copy)]
pub(crate) enum Links<'l> {
    /// All: users may keep their configuration anywhere.
    Follow,
    /// None below this directory: they came with a project, and may lead anywhere.
    RefuseBelow(&'l Path),
}

impl Links<'_> {
    /// Resolves a path to the file to replace.
    pub(crate) fn resolve(self, path: &Path) -> io::Result<PathBuf> {
        let Self::RefuseBelow(root) = self else { return follow_links(path) };
        let below = path.ancestors().take_while(|part| part.starts_with(root) && *part != root);
        match below.filter(|part| part.is_symlink()).last() {
            Some(link) => {
                let why = format!(
                    "{} is a symbolic link inside the project, which is not followed",
                    link.display()
                );
                Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
            }
            None => Ok(path.to_owned()),
        }
    }

    /// Creates a missing directory. If links are refused, returns it as a descriptor.
    fn directory(self, directory: &Path) -> io::Result<Option<Directory>> {
        match self {
            Self::Follow => fs::create_dir_all(directory).map(|()| None),
            Self::RefuseBelow(_) => Directory::public(directory).map(Some),
        }
    }
}

/// The content of a file; none if it does not exist. A file of a project is read as any other file of a repository.
pub(crate) fn read(path: &Path, links: Links<'_>) -> io::Result<Option<String>> {
    let read = match links {
        Links::Follow => read_trusted(path, MAX_FILE),
        Links::RefuseBelow(root) => {
            let inside = path.strip_prefix(root).map_err(|_| io::ErrorKind::InvalidInput)?;
            UntrustedDirectory::open(root).and_then(|root| root.read(inside, MAX_FILE))
        }
    };
    text(read)
}

/// The content of a file whose path is resolved.
fn resolved(real: &Path) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    text(open_regular(real).and_then(|file| file.take(MAX_FILE).read_to_end(&mut bytes)).map(|_| bytes))
}

fn text(read: io::Result<Vec<u8>>) -> io::Result<Option<String>> {
    match read {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| io::ErrorKind::InvalidData.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces the content `before` with `after`, if the file still has it. Keeps permissions. Creates missing directories and
/// returns them, outermost first.
pub(crate) fn replace(
    path: &Path,
    before: Option<&str>,
    after: &str,
    links: Links<'_>,
) -> io::Result<Vec<PathBuf>> {
    let real = links.resolve(path)?;
    let directory = real.parent().unwrap_or(Path::new(""));
    let made: Vec<PathBuf> = {
        let mut missing: Vec<&Path> =
            directory.ancestors().take_while(|directory| !directory.exists()).collect();
        missing.reverse();
        missing.into_iter().map(Path::to_owned).collect()
    };
    let held = links.directory(directory)?;
    let through = |name: &str| {
        let held = held.as_ref().and_then(|directory| directory.descriptor_path(name));
        held.unwrap_or_else(|| directory.join(name))
    };
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (real, draft) = (through(&name), through(&format!(".{name}.orient-{}", std::process::id())));
    if resolved(&real)?.as_deref() != before {
        return Err(io::Error::other("another process changed it in the meantime; try again"));
    }
    let done = write(&draft, &real, after);
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done.map(|()| made)
}

fn write(draft: &Path, real: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(draft)?;
    if let Ok(metadata) = real.metadata() {
        file.set_permissions(metadata.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    drop(file);
    fs::rename(draft, real)
}

/// Removes a file with this content, then those of the directories that are empty.
pub(crate) fn remove(path: &Path, before: &str, directories: &[PathBuf], links: Links<'_>) -> io::Result<()> {
    let real = links.resolve(path)?;
    if resolved(&real)?.as_deref() != Some(before) {
        return Err(io::Error::other("another process changed it in the meantime; try again"));
    }
    fs::remove_file(real)?;
    for directory in directories.iter().rev() {
        // A directory that is not empty stays.
        let _ = fs::remove_dir(directory);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_created_and_removed_again() {
        let top = tempfile::tempdir().expect("a directory");
        let file = top.path().join("a/b/c.json");
        let made = replace(&file, None, "new", Links::Follow).expect("written");
        assert_eq!(made, [top.path().join("a"), top.path().join("a/b")]);
        assert_eq!(resolved(&file).expect("readable").as_deref(), Some("new"));
        assert!(replace(&file, Some("other"), "x", Links::Follow).is_err(), "somebody else was there");
        remove(&file, "new", &made, Links::Follow).expect("removed");
        assert!(!top.path().join("a").exists());
        assert_eq!(resolved(&file).expect("nothing is no error"), None);
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_of_a_project_are_refused() {
        let top = tempfile::tempdir().expect("a directory");
        let (top, root) = (top.path(), top.path().join("project"));
        fs::create_dir_all(&root).expect("made");
        fs::write(top.join("victim.json"), "mine").expect("written");
        std::os::unix::fs::symlink("../victim.json", root.join("file.json")).expect("a link");
        std::os::unix::fs::symlink("../new.json", root.join("dangling.json")).expect("a link");
        std::os::unix::fs::symlink("..", root.join("directory")).expect("a link");
        for (path, before) in
            [("file.json", Some("mine")), ("dangling.json", None), ("directory/x.json", None)]
        {
            let refused = replace(&root.join(path), before, "x", Links::RefuseBelow(&root));
            let said = refused.expect_err("it leads out").to_string();
            assert!(said.contains("symbolic link"), "{path}: {said}");
        }
        assert_eq!(fs::read_to_string(top.join("victim.json")).expect("still there"), "mine");
        assert_eq!(fs::read_dir(top).expect("readable").count(), 2, "nothing was made outside");
        replace(&root.join("sub/plain.json"), None, "x", Links::RefuseBelow(&root)).expect("written");
        assert_eq!(fs::read_to_string(root.join("sub/plain.json")).expect("there"), "x");
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_of_the_user_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let top = tempfile::tempdir().expect("a directory");
        let (real, link) = (top.path().join("dotfiles.json"), top.path().join("link.json"));
        fs::write(&real, "old").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
        symlink("dotfiles.json", &link).expect("a link");
        replace(&link, Some("old"), "new", Links::Follow).expect("written");
        assert!(link.symlink_metadata().expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("readable"), "new");
        assert_eq!(real.metadata().expect("there").permissions().mode() & 0o777, 0o640);
        let dangling = top.path().join("dangling.json");
        symlink("later/there.json", &dangling).expect("a link");
        replace(&dangling, None, "made", Links::Follow).expect("written");
        assert_eq!(fs::read_to_string(top.path().join("later/there.json")).expect("made"), "made");
        assert_eq!(fs::read_dir(top.path()).expect("readable").count(), 4, "no draft is left");
    }
}
