//! What a task is for, and how far it has come.

use std::fmt;
use std::str::FromStr;

/// Declares an enum whose variants have one word each.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its word.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().find(|one| one.as_str().eq_ignore_ascii_case(text.trim()));
                found.copied().ok_or_else(|| {
                    let all: Vec<&str> = Self::ALL.iter().map(|one| one.as_str()).collect();
                    format!("`{text}` is none of {}", all.join(", "))
                })
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What the user wants.
    Intent {
        /// Something new.
        Implement = "implement",
        /// A change of what exists.
        Modify = "modify",
        /// To find out why.
        Investigate = "investigate",
        /// An answer.
        Question = "question",
    }
}

impl Intent {
    /// Whether the task is expected to write files.
    pub fn writes(self) -> bool {
        matches!(self, Self::Implement | Self::Modify)
    }
}

words! {
    /// How far a task has come.
    Phase {
        /// The code is being read.
        Exploration = "exploration",
        /// Reading was not enough: hypotheses are formed from a search by meaning.
        Semantic = "semantic",
        /// The hypotheses are being checked.
        Verification = "verification",
        /// Files may be written.
        Ready = "ready",
    }
}
