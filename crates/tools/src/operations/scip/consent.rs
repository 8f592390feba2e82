//! The user's consent to import the indexes that are found in a repository.
//!
//! An index that lies in a repository may be part of it, and what it says replaces what our rules prove: so finding it is no reason to
//! believe it.

use crate::error::{Code, ToolError};
use orient_consent::ConsentKind;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const CONSENT: ConsentKind =
    ConsentKind { file: "scip-allowed.toml", given_by: "orient scip allow", revoked_by: "orient scip deny" };

/// Indexes may be imported.
#[derive(Serialize, Deserialize)]
struct AllowedImports {
    /// The root that the consent is for.
    root: PathBuf,
}

/// Whether the user allowed importing the indexes that are found in a tree.
pub(super) fn is_allowed(directory: &Path, root: &Path) -> bool {
    CONSENT.read::<AllowedImports>(directory).is_some_and(|allowed| allowed.root == root)
}

/// Allows it.
pub(super) fn allow(directory: &Path, root: &Path) -> Result<(), ToolError> {
    change(directory, |known| *known = Some(AllowedImports { root: root.to_owned() }))
}

/// Revokes the consent; returns whether there was one.
pub(super) fn deny(directory: &Path, root: &Path) -> Result<bool, ToolError> {
    if !is_allowed(directory, root) {
        return Ok(false);
    }
    change(directory, |known| known.take().is_some())
}

fn change<R>(
    directory: &Path,
    change: impl FnOnce(&mut Option<AllowedImports>) -> R,
) -> Result<R, ToolError> {
    CONSENT.change(directory, change).map_err(|error| {
        ToolError::new(Code::Io, format!("the consent in {} cannot be changed: {error}", directory.display()))
    })
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
