//! The ranking rules. A rule adds to scores or multiplies them, and records its contribution.

mod channel_fusion;
mod definition;
mod file_coherence;
mod file_role;
mod mention;
mod within_file;

use crate::candidate::{Candidate, Pool};
use crate::query_analysis::Analysis;
use crate::ranking::ScoreBoard;
use crate::weights::{EnabledRules, Weights};

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident, $word:literal;)*) => {
        /// The ranking rules, in the order in which they are applied.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Rule { $($(#[doc = $doc])+ $name,)* }

        impl Rule {
            /// All rules, in the order in which they are applied.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name that users see.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

rules! {
    /// BM25 score.
    Lexical, "words";
    /// Similarity of vectors.
    Semantic, "meaning";
    /// A definition whose name is in the query.
    Definition, "definition";
    /// A path, a line or a name that the query mentions.
    Mention, "mention";
    /// Among the chunks of a file, those with the words of the query come first.
    WordsInFile, "words in file";
    /// Among the chunks of a file, callables come before declarations.
    Implementation, "implementation";
    /// Among the chunks of a file, larger ones come first.
    Size, "size";
    /// A file gets the maximum of each rule above over its chunks; within a file the best chunk comes first.
    Best, "best of file";
    /// The scores of all chunks of a file together.
    Coherence, "coherence";
    /// Tests, documentation, configuration, generated and vendored code rank lower, unless requested.
    Role, "role";
    /// Further chunks of the same file rank lower.
    Decay, "decay";
    /// Other good chunks of a hit's file are listed beside it.
    Also, "also";
    /// If the question is about every part of the repository, further chunks of the same part rank lower.
    Part, "part";
}

/// The input of a rule.
pub(crate) struct Context<'c> {
    pub(crate) query: &'c Analysis,
    pub(crate) pool: &'c Pool,
    pub(crate) weights: &'c Weights,
    pub(crate) enabled: EnabledRules,
    /// The role factor of each file; 1 if the rule is disabled.
    pub(crate) role_factors: Vec<f32>,
}

impl<'c> Context<'c> {
    pub(crate) fn new(
        query: &'c Analysis,
        pool: &'c Pool,
        weights: &'c Weights,
        enabled: EnabledRules,
    ) -> Self {
        let role_factors = if enabled.contains(Rule::Role) {
            file_role::factors(query, pool, weights)
        } else {
            vec![1.0; pool.files.len()]
        };
        Self { query, pool, weights, enabled, role_factors }
    }

    /// The greatest value of a candidate after its role factor: a lock file or a changelog does not set the scale for code.
    pub(crate) fn best(&self, value: impl Fn(&Candidate) -> f32) -> f32 {
        let penalised = |one: &Candidate| value(one) * self.role_factors[one.file as usize];
        self.pool.candidates.iter().map(penalised).fold(0.0, f32::max)
    }
}

/// The factor of a chunk's own role, apart from that of its file.
pub(crate) fn role_penalty(context: &Context<'_>, candidate: &Candidate) -> f32 {
    if context.enabled.contains(Rule::Role) { file_role::of_chunk(context, candidate) } else { 1.0 }
}

/// Applies a rule. `Decay`, `Also` and `Part` are applied during the selection of hits.
pub(crate) fn apply(rule: Rule, context: &Context<'_>, scores: &mut ScoreBoard) {
    match rule {
        Rule::Lexical => channel_fusion::words(context, scores),
        Rule::Semantic => channel_fusion::vectors(context, scores),
        Rule::Definition => definition::apply(context, scores),
        Rule::Mention => mention::apply(context, scores),
        Rule::WordsInFile => within_file::words(context, scores),
        Rule::Implementation => within_file::implementation(context, scores),
        Rule::Size => within_file::size(context, scores),
        Rule::Best => scores.best_of_files(context),
        Rule::Coherence => file_coherence::apply(context, scores),
        Rule::Role => file_role::apply(context, scores),
        Rule::Decay | Rule::Also | Rule::Part => {}
    }
}
