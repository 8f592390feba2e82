//! The rules, one file each. A rule adds to scores, or multiplies them, and leaves a line in the explanation.

mod coherence;
mod definition;
mod fusion;
mod place;
mod role;

use crate::analyse::Analysis;
use crate::candidate::{Candidate, Pool};
use crate::order::Board;
use crate::weights::{Switches, Weights};

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident, $word:literal;)*) => {
        /// What makes the order. They are applied in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Rule { $($(#[doc = $doc])+ $name,)* }

        impl Rule {
            /// Every rule, in the order in which they are applied.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word users see.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

rules! {
    /// What the words say.
    Lexical, "words";
    /// What the vectors say.
    Semantic, "meaning";
    /// A definition whose name stands in the question.
    Definition, "definition";
    /// Of the places of a file, those that hold the words come first.
    Inside, "inside";
    /// Of the places of a file, those that do something come before those that declare.
    Deeds, "deeds";
    /// Of the places of a file, those that do much come before those that do little.
    Size, "size";
    /// A file is as good as the best it has of each of the above; within a file the best comes first.
    Best, "best of file";
    /// What all units of a file say together.
    Coherence, "coherence";
    /// Tests, prose, settings and what nobody here wrote count less, unless asked for.
    Role, "role";
    /// Further units of the same file count less.
    Decay, "decay";
    /// Other good places of a hit's file are named beside it.
    Also, "also";
}

/// What a rule looks at.
pub(crate) struct Context<'c> {
    pub(crate) asked: &'c Analysis,
    pub(crate) pool: &'c Pool,
    pub(crate) weights: &'c Weights,
    pub(crate) switches: Switches,
}

/// What is left of the score of a place that is held back for what it is, whatever its file is.
pub(crate) fn held_back(context: &Context<'_>, candidate: &Candidate) -> f32 {
    if context.switches.has(Rule::Role) { role::of_place(context, candidate) } else { 1.0 }
}

/// Applies a rule; those about the order itself are applied while it is made.
pub(crate) fn apply(rule: Rule, context: &Context<'_>, board: &mut Board) {
    match rule {
        Rule::Lexical => fusion::words(context, board),
        Rule::Semantic => fusion::vectors(context, board),
        Rule::Definition => definition::apply(context, board),
        Rule::Inside => place::inside(context, board),
        Rule::Deeds => place::deeds(context, board),
        Rule::Size => place::size(context, board),
        Rule::Best => board.best_of_files(context),
        Rule::Coherence => coherence::apply(context, board),
        Rule::Role => role::apply(context, board),
        Rule::Decay | Rule::Also => {}
    }
}
