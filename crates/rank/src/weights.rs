//! The weights of the ranking, in one table, and the set of enabled rules.

use crate::rules::Rule;

macro_rules! weights {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:literal;)*) => {
        /// The weights of the ranking.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Weights { $($(#[doc = $doc])+ pub $name: f32,)* }

        impl Default for Weights {
            fn default() -> Self { Self { $($name: $value,)* } }
        }

        impl Weights {
            /// The names of all weights.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// A weight by name, to change it in measurements.
            pub fn named(&mut self, name: &str) -> Option<&mut f32> {
                match name { $(stringify!($name) => Some(&mut self.$name),)* _ => None }
            }
        }
    };
}

weights! {
    /// BM25 `k1`: saturation of term frequency.
    saturation = 1.2;
    /// BM25 `b`: length normalisation.
    length = 0.5;
    /// Occurrences that a term in a defined name counts for.
    name = 3.0;
    /// The same for a term in a signature or in an enclosing name.
    header = 1.0;
    /// The same for a term in the path.
    path = 2.0;
    /// The same for a term in the documentation.
    doc = 1.0;

    /// BM25 score.
    lexical = 0.8;
    /// Similarity of vectors, scaled from the hundredth best to the best.
    semantic = 1.3;
    /// Similarity of vectors, scaled from 0 to the best.
    nearness = 0.6;
    /// A definition whose name is in the query.
    definition = 0.5;
    /// A line that the query mentions.
    mentioned_line = 1.5;
    /// A path that the query mentions.
    mentioned_path = 1.0;
    /// A definition whose name the query writes as code.
    mentioned_name = 0.6;
    /// A message that the query quotes.
    quoted_message = 1.0;
    /// Weight of the body of a report in its vector, relative to the title.
    body = 1.0;
    /// BM25 score of the file.
    coherence = 0.5;
    /// Similarity of the vectors of the file.
    harmony = 0.8;
    /// Factor of the file's BM25 score if there are no vectors.
    alone = 2.0;

    /// Factor for tests, unless requested.
    test = 0.45;
    /// Factor for documentation, unless requested.
    docs = 0.4;
    /// Factor for examples, unless requested.
    example = 0.6;
    /// Factor for configuration and data, unless requested.
    config = 0.6;
    /// Factor for generated and vendored code, unless requested.
    foreign = 0.5;

    /// Factor for a directory with a newer version beside it, unless the query names a version.
    previous = 0.8;

    /// Additional weight of the BM25 score among the chunks of a file.
    words_in_file = 0.8;
    /// Factor for declarations among the chunks of a file.
    declaration = 0.6;
    /// Exponent of the relative size among the chunks of a file.
    size = 0.1;

    /// Factor for each further chunk of the same file.
    decay = 0.3;
    /// Minimum share of the best score for a chunk listed beside a hit.
    also = 0.3;
    /// Maximum share of the score of a file's first hit that the next chunk of the file has as a hit of its own.
    further = 0.5;
    /// Factor of that share for each further chunk.
    each_further = 0.9;

    /// Factor for each further chunk of the same part, if the question is about every part of the repository.
    part = 0.2;
    /// Factor for project files, configuration and data in such a question.
    build_file = 0.1;
}

/// The set of enabled rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnabledRules {
    disabled: u32,
}

impl EnabledRules {
    /// All rules.
    pub const ALL: Self = Self { disabled: 0 };

    /// The same set without a rule.
    #[must_use]
    pub fn without(self, rule: Rule) -> Self {
        Self { disabled: self.disabled | 1 << rule as u32 }
    }

    /// Whether a rule is enabled.
    pub fn contains(self, rule: Rule) -> bool {
        self.disabled >> (rule as u32) & 1 == 0
    }
}

impl Default for EnabledRules {
    fn default() -> Self {
        Self::ALL
    }
}
