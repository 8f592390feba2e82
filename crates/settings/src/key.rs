//! An entry of the table of settings.

use crate::table::Settings;
use crate::value::RawValue;
use std::path::Path;

/// Parses a raw value and stores it; relative paths are resolved against the given directory.
pub(crate) type Setter = fn(&mut Settings, &RawValue, &Path) -> Result<(), String>;

/// Merges a list of the second settings into the first; entries of the second take precedence.
pub(crate) type Merger = fn(&mut Settings, &Settings);

/// What `.orient.toml` may do with a setting. The user does not necessarily trust its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepositoryPermission {
    /// Nothing: only the user's file, the environment and the command line may set it.
    Deny,
    /// Add entries to the user's list, whose own entries take precedence.
    Add {
        /// Why that is safe.
        reason: &'static str,
    },
    /// Lower the current value, never raise it.
    Lower {
        /// Why that is safe.
        reason: &'static str,
    },
}

/// A setting: its names, type, documentation and accessors.
pub struct Key {
    /// Its section: `index`.
    pub section: &'static str,
    /// Its name in the section: `threads`.
    pub name: &'static str,
    /// Its type, in words.
    pub kind: &'static str,
    /// An example value, in TOML syntax.
    pub example: &'static str,
    /// What `.orient.toml` may do with it.
    pub repository: RepositoryPermission,
    pub(crate) merge: Merger,
    pub(crate) is_at_most: fn(&Settings, &Settings) -> bool,
    pub(crate) section_doc: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) format: fn(&Settings) -> String,
    pub(crate) setter: Setter,
}

impl Key {
    /// The full name: `index.threads`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The name of its environment variable: `ORIENT_INDEX_THREADS`.
    pub fn env(&self) -> String {
        format!("ORIENT_{}_{}", self.section, self.name).to_uppercase()
    }

    /// Its documentation.
    pub fn doc(&self) -> String {
        collapse_whitespace(self.doc)
    }

    /// The documentation of its section.
    pub fn section_doc(&self) -> String {
        collapse_whitespace(self.section_doc)
    }

    /// Its value in these settings, in TOML syntax.
    pub fn format(&self, settings: &Settings) -> String {
        (self.format)(settings)
    }
}

/// Doc comments contain the line breaks and indentation of the source.
fn collapse_whitespace(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
