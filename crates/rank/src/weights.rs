//! Every number that ranking rests on, in one table.

use crate::rules::Rule;

macro_rules! weights {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:literal;)*) => {
        /// The numbers that ranking rests on.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Weights { $($(#[doc = $doc])+ pub $name: f32,)* }

        impl Default for Weights {
            fn default() -> Self { Self { $($name: $value,)* } }
        }

        impl Weights {
            /// The names of all weights.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// The weight with a name, to be changed: for measuring.
            pub fn named(&mut self, name: &str) -> Option<&mut f32> {
                match name { $(stringify!($name) => Some(&mut self.$name),)* _ => None }
            }
        }
    };
}

weights! {
    /// BM25: how soon more of the same word says no more.
    saturation = 1.2;
    /// BM25: how much a long unit is held against.
    length = 0.5;
    /// What a word in a defined name counts, in occurrences in the text.
    name = 3.0;
    /// What a word in a header or in the names around counts.
    header = 1.0;
    /// What a word in the path counts.
    path = 2.0;
    /// What a word in the documentation counts.
    doc = 1.0;

    /// What the words say.
    lexical = 0.8;
    /// What the vectors say, from the rest to the nearest.
    semantic = 1.3;
    /// What the vectors say, from nought to the nearest.
    nearness = 0.6;
    /// A definition whose name stands in the question.
    definition = 0.5;
    /// What the words of a whole file say.
    coherence = 0.5;
    /// What the vectors of a whole file say.
    harmony = 0.8;
    /// By how much the words and the name of a file count more where there are no vectors, which know both.
    alone = 2.0;

    /// Tests, unless asked for: what is left of the score.
    test = 0.45;
    /// Prose, unless asked for.
    docs = 0.4;
    /// Examples, unless asked for.
    example = 0.6;
    /// Settings and data, unless asked for.
    config = 0.6;
    /// What a program wrote or was copied from elsewhere.
    foreign = 0.5;

    /// What has a newer version beside it, unless the question names a version.
    previous = 0.8;

    /// What the words say once more, among the places of a file.
    inside = 0.8;
    /// What only declares, among the places of a file: what is left of its score.
    declared = 0.6;
    /// How much the size of a place counts among the places of a file: the power of its share of many lines.
    size = 0.1;

    /// What is left of the score for each further unit of the same file.
    decay = 0.3;
    /// Which part of a hit's score another place of its file must have to be named beside it.
    also = 0.3;
}

/// Which rules are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    off: u32,
}

impl Switches {
    /// All of them.
    pub const ALL: Self = Self { off: 0 };

    /// The same without one.
    #[must_use]
    pub fn without(self, rule: Rule) -> Self {
        Self { off: self.off | 1 << rule as u32 }
    }

    /// Whether a rule is in force.
    pub fn has(self, rule: Rule) -> bool {
        self.off >> (rule as u32) & 1 == 0
    }
}

impl Default for Switches {
    fn default() -> Self {
        Self::ALL
    }
}
