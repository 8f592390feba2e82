//! One entry of the table of settings.

use crate::table::Settings;
use crate::value::Raw;
use std::path::Path;

/// Reads a raw value into its place; relative paths hang from the given folder.
pub(crate) type Setter = fn(&mut Settings, &Raw, &Path) -> Result<(), String>;

/// Combines a value with that of a weaker source, in the first settings.
pub(crate) type Adder = fn(&mut Settings, &Settings);

/// What the file of a repository may do with a setting. Its author is a stranger to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nothing: it is for the user to say, in the user's file, the environment or the command line.
    User,
    /// Add to the user's own list, whose entries win.
    RepositoryMayAdd {
        /// Why that is harmless.
        why: &'static str,
    },
    /// Lower it below what is in force; never raise it.
    RepositoryMayLower {
        /// Why that is harmless.
        why: &'static str,
    },
}

/// A setting: what it is called everywhere, what it takes, and what it is for.
pub struct Key {
    /// The section it stands in: `index`.
    pub section: &'static str,
    /// Its name there: `threads`.
    pub name: &'static str,
    /// What it takes, in words.
    pub kind: &'static str,
    /// A value as one would write it in a file.
    pub example: &'static str,
    /// What the file of a repository may do with it.
    pub scope: Scope,
    pub(crate) add: Adder,
    pub(crate) is_at_most: fn(&Settings, &Settings) -> bool,
    pub(crate) section_doc: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) shown: fn(&Settings) -> String,
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

    /// What it is for.
    pub fn doc(&self) -> String {
        folded(self.doc)
    }

    /// What its section is for.
    pub fn section_doc(&self) -> String {
        folded(self.section_doc)
    }

    /// Its value in these settings, as one would write it in a file.
    pub fn shown(&self, settings: &Settings) -> String {
        (self.shown)(settings)
    }
}

/// Doc comments come with the line breaks and indents of the source.
fn folded(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
