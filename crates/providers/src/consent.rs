//! The user's yes: to which provider, at which address, with which model. Kept beside the index, outside of the
//! repository, so that no repository can bring one along.

use crate::ProviderError;
use orient_safefs::Folder;
use std::fmt;
use std::io;
use std::path::Path;

/// The file in the folder of a tree.
const FILE: &str = "embed-allowed.toml";
/// Three short lines; whatever is larger is something else.
const LARGEST: u64 = 16 << 10;

/// What a yes is bound to. Any change asks again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The provider's name in the settings.
    pub provider: String,
    /// The whole address.
    pub url: String,
    /// The model.
    pub model: String,
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} with {}", self.provider, self.url, self.model)
    }
}

/// What was allowed for the tree whose folder this is. What cannot be read is no yes.
pub fn allowed(folder: &Path) -> Option<Terms> {
    let text = Folder::open(folder).ok()?.read(FILE, LARGEST).ok()??;
    let table: toml::Table = str::from_utf8(&text).ok()?.parse().ok()?;
    let field = |name: &str| table.get(name)?.as_str().map(ToOwned::to_owned);
    Some(Terms { provider: field("provider")?, url: field("url")?, model: field("model")? })
}

/// Keeps a yes, in place of an earlier one.
pub fn allow(folder: &Path, terms: &Terms) -> Result<(), ProviderError> {
    let path = folder.join(FILE);
    let mut table = toml::Table::new();
    for (name, value) in [("provider", &terms.provider), ("url", &terms.url), ("model", &terms.model)] {
        table.insert(name.to_owned(), value.clone().into());
    }
    let text = format!("# Written by `orient embed allow`; `orient embed forget` takes it back.\n{table}");
    Folder::create(folder)
        .and_then(|folder| folder.replace(FILE, text.as_bytes()))
        .map_err(|source| ProviderError::Consent { path, source })
}

/// Takes a yes back; says whether there was one.
pub fn forget(folder: &Path) -> Result<bool, ProviderError> {
    let path = folder.join(FILE);
    match Folder::open(folder).and_then(|folder| folder.remove(FILE)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(ProviderError::Consent { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_is_kept_replaced_and_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("tree");
        let terms = |model: &str| Terms {
            provider: "voyage".into(),
            url: "https://a.example/\"quoted\"".into(),
            model: model.into(),
        };
        assert_eq!(allowed(&folder), None);
        assert!(!forget(&folder).expect("nothing there is fine"));
        allow(&folder, &terms("one")).expect("kept");
        assert_eq!(allowed(&folder), Some(terms("one")));
        allow(&folder, &terms("two")).expect("kept");
        assert_eq!(allowed(&folder), Some(terms("two")));
        assert!(forget(&folder).expect("it was there"));
        assert_eq!(allowed(&folder), None);
    }

    #[test]
    fn what_cannot_be_read_is_no_yes() {
        let folder = tempfile::tempdir().expect("a folder");
        for text in ["", "provider = 'x'", "provider = 1\nurl = 2\nmodel = 3", "not toml ["] {
            std::fs::write(folder.path().join(FILE), text).expect("written");
            assert_eq!(allowed(folder.path()), None, "{text}");
        }
    }
}
