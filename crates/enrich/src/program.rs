//! Finds the program of a server, outside the repository.

use crate::EnrichError;
use crate::environment::{is_inside, search_path};
use crate::server_table::Server;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Maximum size of a program whose content is hashed.
const MAX_PROGRAM: u64 = 1 << 30;

/// The program of a server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its path.
    pub path: PathBuf,
    /// The file behind all links.
    pub real: PathBuf,
    /// The hash of that file.
    pub hash: String,
    /// The paths of files that it needs, by what the table calls them.
    pub(crate) files: BTreeMap<String, String>,
}

/// Finds the program of a server in the directories of PATH, or at the absolute path that the settings name.
pub fn find(server: &Server, root: &Path, path: Option<OsString>) -> Result<Program, EnrichError> {
    let missing =
        || EnrichError::NotInstalled { program: server.program.clone(), install: server.install.clone() };
    let named = Path::new(&server.program);
    let path = if named.components().count() > 1 {
        Some(named.to_owned()).filter(|path| path.is_absolute() && is_program(path))
    } else {
        search_path(path, root).iter().find_map(|directory| in_directory(directory, &server.program))
    };
    let path = path.ok_or_else(missing)?;
    let real = path.canonicalize().map_err(|_| missing())?;
    if is_inside(&path, root) || real.starts_with(root) {
        return Err(EnrichError::InsideRepository(path));
    }
    let hash = hash_of(&real).ok_or_else(missing)?;
    let mut files = BTreeMap::new();
    for file in server.needed_files() {
        let found = beside(&real, &file).filter(|found| !is_inside(found, root));
        let found = found.and_then(|found| found.to_str().map(str::to_owned));
        let incomplete = || EnrichError::Incomplete {
            server: server.name.clone(),
            file: file.clone(),
            install: server.install.clone(),
        };
        files.insert(file.clone(), found.ok_or_else(incomplete)?);
    }
    Ok(Program { path, real, hash, files })
}

fn in_directory(directory: &Path, program: &str) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    endings.iter().map(|ending| directory.join(format!("{program}{ending}"))).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// A file of a package that is installed in the same place as the program.
fn beside(program: &Path, file: &str) -> Option<PathBuf> {
    let places = program.ancestors().skip(1).map(|place| place.join("node_modules").join(file));
    places.into_iter().find(|path| path.is_file())
}

fn hash_of(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    if file.metadata().ok()?.len() > MAX_PROGRAM {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut std::io::BufReader::with_capacity(1 << 16, file), &mut hasher).ok()?;
    Some(hasher.finalize().to_hex()[..32].to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn server(program: &str) -> Server {
        let commands = BTreeMap::from([("x".to_owned(), program.to_owned())]);
        let servers = crate::servers(&commands).expect("one command");
        servers.into_iter().find(|server| server.languages.contains_key("x")).expect("it is there")
    }

    fn put(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        std::fs::write(path, "#!/bin/sh\n").expect("written");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    }

    #[test]
    fn programs_of_the_repository_are_never_found() {
        let place = tempfile::tempdir().expect("a directory");
        let place = place.path().canonicalize().expect("real");
        let (root, bin) = (place.join("repo"), place.join("bin"));
        put(&root.join("node_modules/.bin/ls-x"));
        std::fs::create_dir_all(&bin).expect("created");
        let path = |parts: &[&Path]| Some(std::env::join_paths(parts).expect("joined"));
        let inside = root.join("node_modules/.bin");
        assert!(matches!(
            find(&server("ls-x"), &root, path(&[&inside])),
            Err(EnrichError::NotInstalled { .. })
        ));
        std::os::unix::fs::symlink(inside.join("ls-x"), bin.join("ls-x")).expect("a link");
        assert!(matches!(find(&server("ls-x"), &root, path(&[&bin])), Err(EnrichError::InsideRepository(_))));
        std::fs::remove_file(bin.join("ls-x")).expect("removed");
        put(&bin.join("ls-x"));
        let found = find(&server("ls-x"), &root, path(&[&inside, &bin])).expect("outside");
        assert_eq!(found.path, bin.join("ls-x"));
        let absolute = inside.join("ls-x").display().to_string();
        assert!(matches!(find(&server(&absolute), &root, None), Err(EnrichError::InsideRepository(_))));
    }
}
