//! The rules, one file each. A rule adds to scores, or multiplies them, and leaves a line in the explanation.

mod centrality;
mod coherence;
mod definition;
mod folder;
mod fusion;
mod identifier;
mod neighbours;
mod role;
mod size;
mod stem;

use crate::analyse::Analysis;
use crate::candidate::Pool;
use crate::order::Board;
use crate::weights::Weights;

/// What makes the order. They are applied in this order: those that add before those that multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Rule {
    /// What the words say.
    Lexical = 0,
    /// What the vectors say.
    Semantic = 1,
    /// What all units of a file say together.
    Coherence = 2,
    /// A definition whose name stands in the question.
    Definition = 3,
    /// A file whose name stands in the question.
    Stem = 4,
    /// Folders that stand in the question.
    Folder = 5,
    /// How much of the repository leads to it.
    Centrality = 6,
    /// A neighbour in the graph of what is found.
    Neighbours = 7,
    /// Tests, prose, settings and what nobody here wrote count less, unless asked for.
    Role = 8,
    /// Further units of the same file count less.
    Decay = 9,
    /// Further files of the same folder count less, where a question is about several places.
    Spread = 10,
    /// A definition the question writes as code.
    Identifier = 11,
    /// A file with much in it.
    Size = 12,
}

impl Rule {
    /// Every rule, in the order in which they are applied.
    pub const ALL: &'static [Self] = &[
        Self::Lexical,
        Self::Semantic,
        Self::Coherence,
        Self::Definition,
        Self::Identifier,
        Self::Stem,
        Self::Folder,
        Self::Size,
        Self::Centrality,
        Self::Neighbours,
        Self::Role,
        Self::Decay,
        Self::Spread,
    ];

    /// The word users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "words",
            Self::Semantic => "meaning",
            Self::Coherence => "coherence",
            Self::Definition => "definition",
            Self::Identifier => "identifier",
            Self::Size => "size",
            Self::Stem => "file name",
            Self::Folder => "folder",
            Self::Centrality => "centrality",
            Self::Neighbours => "neighbours",
            Self::Role => "role",
            Self::Decay => "decay",
            Self::Spread => "spread",
        }
    }
}

/// What a rule looks at.
pub(crate) struct Context<'c> {
    pub(crate) asked: &'c Analysis,
    pub(crate) pool: &'c Pool,
    pub(crate) weights: &'c Weights,
}

/// Applies a rule; those about the order itself are applied while it is made.
pub(crate) fn apply(rule: Rule, context: &Context<'_>, board: &mut Board) {
    match rule {
        Rule::Lexical => fusion::words(context, board),
        Rule::Semantic => fusion::vectors(context, board),
        Rule::Coherence => coherence::apply(context, board),
        Rule::Definition => definition::apply(context, board),
        Rule::Identifier => identifier::apply(context, board),
        Rule::Size => size::apply(context, board),
        Rule::Stem => stem::apply(context, board),
        Rule::Folder => folder::apply(context, board),
        Rule::Centrality => centrality::apply(context, board),
        Rule::Neighbours => neighbours::apply(context, board),
        Rule::Role => role::apply(context, board),
        Rule::Decay | Rule::Spread => {}
    }
}
