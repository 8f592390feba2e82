//! What must have been explored before files may be written.

use crate::intent::Intent;

/// The requirements of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// Symbols that were identified.
    pub symbols: usize,
    /// Places where execution enters.
    pub entry_points: usize,
    /// Files whose source was read.
    pub files: usize,
    /// Existing code that shows how it is done here.
    pub patterns: usize,
    /// Definitions were requested.
    pub definitions: bool,
    /// References were requested.
    pub references: bool,
    /// A text search was requested.
    pub text_search: bool,
}

impl Requirements {
    /// The requirements of an intent, relaxed if everything explored is pure markup.
    pub fn of(intent: Intent, markup: bool) -> Self {
        match intent {
            Intent::Question => Self::default(),
            Intent::Investigate if markup => Self { files: 1, ..Self::default() },
            Intent::Investigate => Self { symbols: 1, files: 1, ..Self::default() },
            Intent::Implement | Intent::Modify if markup => {
                Self { files: 1, text_search: true, ..Self::default() }
            }
            Intent::Implement | Intent::Modify => Self {
                symbols: 3,
                entry_points: 1,
                files: 2,
                patterns: 1,
                definitions: true,
                references: true,
                text_search: false,
            },
        }
    }
}

/// What an exploration has found, each verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Symbols.
    pub symbols: usize,
    /// Entry points.
    pub entry_points: usize,
    /// Files.
    pub files: usize,
    /// Patterns.
    pub patterns: usize,
    /// Whether definitions were requested.
    pub definitions: bool,
    /// Whether references were requested.
    pub references: bool,
    /// Whether a text search was requested.
    pub text_search: bool,
}

/// A requirement that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Too few symbols.
    Symbols {
        /// Number found.
        have: usize,
        /// Number required.
        need: usize,
    },
    /// Too few entry points.
    EntryPoints {
        /// Number found.
        have: usize,
        /// Number required.
        need: usize,
    },
    /// Too few files.
    Files {
        /// Number found.
        have: usize,
        /// Number required.
        need: usize,
    },
    /// Too few patterns.
    Patterns {
        /// Number found.
        have: usize,
        /// Number required.
        need: usize,
    },
    /// No definition was requested.
    Definitions,
    /// No reference was requested.
    References,
    /// No text search was requested.
    TextSearch,
}

impl Gap {
    /// Its name in the state and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symbols { .. } => "symbols",
            Self::EntryPoints { .. } => "entry_points",
            Self::Files { .. } => "files",
            Self::Patterns { .. } => "patterns",
            Self::Definitions => "definitions",
            Self::References => "references",
            Self::TextSearch => "text_search",
        }
    }
}

/// The requirements that are not met, in order; none means that the exploration is complete.
pub fn gaps(required: Requirements, counts: Counts) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut count = |have: usize, need: usize, gap: fn(usize, usize) -> Gap| {
        if have < need {
            gaps.push(gap(have, need));
        }
    };
    count(counts.symbols, required.symbols, |have, need| Gap::Symbols { have, need });
    count(counts.entry_points, required.entry_points, |have, need| Gap::EntryPoints { have, need });
    count(counts.files, required.files, |have, need| Gap::Files { have, need });
    count(counts.patterns, required.patterns, |have, need| Gap::Patterns { have, need });
    let asked = [
        (required.definitions && !counts.definitions, Gap::Definitions),
        (required.references && !counts.references, Gap::References),
        (required.text_search && !counts.text_search, Gap::TextSearch),
    ];
    gaps.extend(asked.into_iter().filter(|(missing, _)| *missing).map(|(_, gap)| gap));
    gaps
}
