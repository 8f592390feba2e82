//! What the user allowed for a tree: one TOML file for each kind of consent, next to the index and outside the repository, so that no
//! repository can contain one.
//!
//! A file that cannot be read is no consent. A change is made under a lock: of two processes that allow something at once, the second sees
//! what the first allowed. What a consent says is the matter of the crate that asks for it.

use orient_safefs::{Access, Directory};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::Path;

/// The file whose lock a process holds while it changes a consent.
const LOCK: &str = "consent.lock";
/// Maximum size of a consent.
const MAX_SIZE: u64 = 256 << 10;

/// A kind of consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsentKind {
    /// The file in the directory of an index.
    pub file: &'static str,
    /// The command that gives it.
    pub given_by: &'static str,
    /// The command that revokes it.
    pub revoked_by: &'static str,
}

impl ConsentKind {
    /// The consent in the directory of an index; `None` if there is none, or if it cannot be read.
    pub fn read<T: DeserializeOwned>(&self, directory: &Path) -> Option<T> {
        self.read_from(&Directory::open(directory).ok()?)
    }

    fn read_from<T: DeserializeOwned>(&self, directory: &Directory) -> Option<T> {
        let text = directory.read(self.file, MAX_SIZE).ok()??;
        toml::from_str(str::from_utf8(&text).ok()?).ok()
    }

    /// Changes the consent in the directory of an index, which is created if it is missing. `change` sees what is allowed now, and leaves
    /// what is allowed from now on; `None` removes the file.
    pub fn change<T: Serialize + DeserializeOwned, R>(
        &self,
        directory: &Path,
        change: impl FnOnce(&mut Option<T>) -> R,
    ) -> io::Result<R> {
        let directory = Directory::create(directory)?;
        let lock = directory.file(LOCK, Access::Write)?;
        lock.lock()?;
        let mut consent = self.read_from(&directory);
        let result = change(&mut consent);
        match consent {
            Some(consent) => {
                let text = toml::to_string(&consent).map_err(io::Error::other)?;
                let head = format!("# Written by `{}`; `{}` revokes it.\n", self.given_by, self.revoked_by);
                directory.replace(self.file, format!("{head}{text}").as_bytes())?;
            }
            None => match directory.remove(self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            },
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const KIND: ConsentKind =
        ConsentKind { file: "x-allowed.toml", given_by: "orient x allow", revoked_by: "orient x deny" };

    #[derive(Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
    struct Allowed {
        names: BTreeSet<String>,
    }

    fn allow(directory: &Path, name: &str) {
        let add = |known: &mut Option<Allowed>| {
            known.get_or_insert_default().names.insert(name.to_owned());
        };
        KIND.change(directory, add).expect("stored");
    }

    #[test]
    fn a_consent_is_kept_until_it_is_revoked() {
        let place = tempfile::tempdir().expect("a directory");
        let directory = place.path().join("tree");
        assert_eq!(KIND.read::<Allowed>(&directory), None);
        allow(&directory, "one");
        let text = std::fs::read_to_string(directory.join(KIND.file)).expect("written");
        assert_eq!(text, "# Written by `orient x allow`; `orient x deny` revokes it.\nnames = [\"one\"]\n");
        for _ in 0..2 {
            KIND.change(&directory, |known: &mut Option<Allowed>| *known = None).expect("revoked");
            assert_eq!(KIND.read::<Allowed>(&directory), None);
        }
    }

    #[test]
    fn an_unreadable_file_is_no_consent() {
        let place = tempfile::tempdir().expect("a directory");
        for text in ["", "names = 3", "not toml ["] {
            std::fs::write(place.path().join(KIND.file), text).expect("written");
            assert_eq!(KIND.read::<Allowed>(place.path()), None, "{text}");
        }
    }

    #[test]
    fn consents_that_are_given_at_once_are_all_kept() {
        let place = tempfile::tempdir().expect("a directory");
        let names: BTreeSet<String> = (0..16).map(|number| format!("n{number}")).collect();
        std::thread::scope(|scope| {
            for name in &names {
                scope.spawn(|| allow(place.path(), name));
            }
        });
        assert_eq!(KIND.read::<Allowed>(place.path()), Some(Allowed { names }));
    }
}
