//! The user's consent to import the indexes that are found in a repository. Stored next to our index, outside the repository, so that no
//! repository can contain one.
//!
//! An index that lies in a repository may be part of it, and what it says replaces what our rules prove: so finding it is no reason to
//! believe it.

use crate::error::{Code, ToolError};
use orient_safefs::Directory;
use std::io;
use std::path::Path;

/// The file in the directory of an index. It contains the root that the consent is for.
const FILE: &str = "scip-allowed";
/// Maximum size of the file.
const MAX_SIZE: u64 = 64 << 10;

/// Whether the user allowed importing the indexes that are found in a tree.
pub(super) fn is_allowed(directory: &Path, root: &Path) -> bool {
    let read = || Directory::open(directory).ok()?.read(FILE, MAX_SIZE).ok()?;
    read().is_some_and(|text| text == content(root))
}

/// Allows it.
pub(super) fn allow(directory: &Path, root: &Path) -> Result<(), ToolError> {
    let place = Directory::create(directory);
    place.and_then(|place| place.replace(FILE, &content(root))).map_err(|error| failed(directory, &error))
}

/// Revokes the consent; returns whether there was one.
pub(super) fn deny(directory: &Path, root: &Path) -> Result<bool, ToolError> {
    let existed = is_allowed(directory, root);
    match Directory::open(directory).and_then(|place| place.remove(FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(directory, &error)),
        _ => Ok(existed),
    }
}

fn content(root: &Path) -> Vec<u8> {
    root.display().to_string().into_bytes()
}

fn failed(directory: &Path, error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("the consent in {} cannot be changed: {error}", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consent_is_for_one_root_until_it_is_revoked() {
        let place = tempfile::tempdir().expect("a directory");
        let (directory, root) = (place.path().join("tree"), Path::new("/repo"));
        assert!(!is_allowed(&directory, root));
        assert!(!deny(&directory, root).expect("nothing there is fine"));
        allow(&directory, root).expect("stored");
        assert!(is_allowed(&directory, root));
        assert!(!is_allowed(&directory, Path::new("/other")));
        assert!(deny(&directory, root).expect("revoked"));
        assert!(!is_allowed(&directory, root));
    }
}
