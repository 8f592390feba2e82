//! The topics of the help: every command belongs to one.

/// What people want to know when they look for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Where something is.
    Find,
    /// What it says.
    Read,
    /// What uses what.
    Connect,
    /// What a change means.
    Change,
    /// What happened before.
    Time,
    /// The state of the index.
    Index,
    /// Other programs and people that ask.
    Serve,
    /// What scripts and maintainers need.
    More,
}

impl Topic {
    /// All topics, in the order of the help.
    pub const ALL: &'static [Self] = &[
        Self::Find,
        Self::Read,
        Self::Connect,
        Self::Change,
        Self::Time,
        Self::Index,
        Self::Serve,
        Self::More,
    ];

    /// The word that people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::Read => "read",
            Self::Connect => "connect",
            Self::Change => "change",
            Self::Time => "time",
            Self::Index => "index",
            Self::Serve => "serve",
            Self::More => "more",
        }
    }

    /// What its commands answer or do.
    pub fn about(self) -> &'static str {
        match self {
            Self::Find => {
                "where is it: a question, a name, text, a pattern; routes, tables, environment variables"
            }
            Self::Read => "what does it say: source, outlines, an overview of a new repository",
            Self::Connect => "what uses what: calls, subtypes, dependency cycles, dead code",
            Self::Change => "what does a change break, which tests see it, what to read before it",
            Self::Time => "who changed it, when and why; what changes together",
            Self::Index => "the index: its state, skipped files, settings, helpers",
            Self::Serve => "agents, editors, browsers and teams",
            Self::More => "SQL, exports, comparisons, shells",
        }
    }
}
