//! Why an answer may lack something: the closed list of causes, and one doubt with its number and what the user can do about it.

use super::Note;
use serde::Serialize;

/// Why an answer may lack something, the strongest doubt about an empty answer first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    /// Names in the language of the symbol are not resolved.
    UnresolvedLanguage,
    /// A template, a page or a notebook mentions the name, and its code is not resolved there.
    EmbeddedCode,
    /// A file in a language without resolution mentions the name.
    OtherLanguage,
    /// A file that the parser understood only in part mentions the name.
    PartlyParsed,
    /// Code that is generated from a schema with the name is not there.
    GeneratedCode,
    /// A framework may register it, and there are no rules for the framework.
    UnknownFramework,
    /// A framework is there, and its rules found nothing.
    SilentFramework,
    /// A part of an address is computed, or nothing was found that mounts a router.
    UnknownAddress,
    /// Uses of the name could not be resolved.
    UnresolvedUses,
    /// The tree before a change is not known, or not in full.
    OldTree,
    /// A library, a framework or the runtime may call it: a base, an annotation or the name says so.
    CalledFromOutside,
    /// A string or a configuration file has the name.
    NamedAsText,
    /// Files were not read.
    Unread,
    /// Changed files are not in the index yet.
    Pending,
    /// A search stopped, or files were left out of it.
    Unsearched,
    /// Roots or parts of a workspace are not in the answer.
    LeftOut,
    /// History is not indexed as far as the answer goes.
    History,
    /// Another process is using what the answer is about.
    Busy,
    /// The answer was cut at a limit of the request.
    Limit,
}

/// A cause with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct CauseCount {
    /// The cause.
    pub(crate) cause: Cause,
    /// How many places, files, uses or rows.
    pub(crate) count: u64,
}

/// One reason why an answer may lack something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    pub(crate) count: CauseCount,
    pub(crate) note: Note,
}

impl Doubt {
    /// A doubt with its number.
    pub(crate) fn new(cause: Cause, count: u64, note: impl Into<Note>) -> Self {
        Self { count: CauseCount { cause, count }, note: note.into() }
    }

    /// Rows that a limit of the request cut.
    pub(crate) fn limit(count: u64, note: impl Into<Note>) -> Self {
        Self::new(Cause::Limit, count, note)
    }

    /// The same with what the user can do about it.
    #[must_use]
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.note.remedy = Some(remedy.into());
        self
    }
}
