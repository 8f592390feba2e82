//! The user's consent to send code to a provider, bound to its purpose, URL and model. Stored next to the index, outside the
//! repository, so that no repository can contain one.

use crate::ProviderError;
use orient_safefs::Directory;
use std::fmt;
use std::io;
use std::path::Path;

/// What code is sent for. A consent to one purpose is none to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Chunks of the index, to be embedded.
    Embedding,
    /// What `explain` found, to be put into words.
    Narrative,
}

impl Purpose {
    /// The file in the directory of an index.
    fn file(self) -> &'static str {
        match self {
            Self::Embedding => "embed-allowed.toml",
            Self::Narrative => "explain-allowed.toml",
        }
    }

    /// Who writes the file, and what revokes it.
    fn comment(self) -> &'static str {
        match self {
            Self::Embedding => "# Written by `orient embed allow`; `orient embed forget` revokes it.",
            Self::Narrative => "# Written by `orient explain --allow`; `orient explain --forget` revokes it.",
        }
    }
}

/// Maximum size of the file.
const MAX_SIZE: u64 = 16 << 10;

/// What a consent applies to. Any change requires a new consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The name of the provider in the settings.
    pub provider: String,
    /// The full URL.
    pub url: String,
    /// The model.
    pub model: String,
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} with {}", self.provider, self.url, self.model)
    }
}

/// The stored consent; `None` if there is none or it cannot be read.
pub fn allowed(dir: &Path, purpose: Purpose) -> Option<Terms> {
    let text = Directory::open(dir).ok()?.read(purpose.file(), MAX_SIZE).ok()??;
    let table: toml::Table = str::from_utf8(&text).ok()?.parse().ok()?;
    let field = |name: &str| table.get(name)?.as_str().map(ToOwned::to_owned);
    Some(Terms { provider: field("provider")?, url: field("url")?, model: field("model")? })
}

/// Stores a consent and replaces an earlier one.
pub fn allow(dir: &Path, purpose: Purpose, terms: &Terms) -> Result<(), ProviderError> {
    let path = dir.join(purpose.file());
    let mut table = toml::Table::new();
    for (name, value) in [("provider", &terms.provider), ("url", &terms.url), ("model", &terms.model)] {
        table.insert(name.to_owned(), value.clone().into());
    }
    let text = format!("{}\n{table}", purpose.comment());
    Directory::create(dir)
        .and_then(|directory| directory.replace(purpose.file(), text.as_bytes()))
        .map_err(|source| ProviderError::Consent { path, source })
}

/// Revokes the consent; returns whether there was one.
pub fn forget(dir: &Path, purpose: Purpose) -> Result<bool, ProviderError> {
    let path = dir.join(purpose.file());
    match Directory::open(dir).and_then(|directory| directory.remove(purpose.file())) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(ProviderError::Consent { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consent_is_stored_replaced_and_revoked() {
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("tree");
        let terms = |model: &str| Terms {
            provider: "voyage".into(),
            url: "https://a.example/\"quoted\"".into(),
            model: model.into(),
        };
        assert_eq!(allowed(&directory, Purpose::Embedding), None);
        assert!(!forget(&directory, Purpose::Embedding).expect("nothing there is fine"));
        allow(&directory, Purpose::Embedding, &terms("one")).expect("kept");
        assert_eq!(allowed(&directory, Purpose::Embedding), Some(terms("one")));
        allow(&directory, Purpose::Embedding, &terms("two")).expect("kept");
        assert_eq!(
            allowed(&directory, Purpose::Narrative),
            None,
            "a consent to one purpose is none to another"
        );
        assert_eq!(allowed(&directory, Purpose::Embedding), Some(terms("two")));
        assert!(forget(&directory, Purpose::Embedding).expect("it was there"));
        assert_eq!(allowed(&directory, Purpose::Embedding), None);
    }

    #[test]
    fn unreadable_file_is_no_consent() {
        let directory = tempfile::tempdir().expect("a directory");
        for text in ["", "provider = 'x'", "provider = 1\nurl = 2\nmodel = 3", "not toml ["] {
            std::fs::write(directory.path().join(Purpose::Embedding.file()), text).expect("written");
            assert_eq!(allowed(directory.path(), Purpose::Embedding), None, "{text}");
        }
    }
}
