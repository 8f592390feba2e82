//! All that is known of one file by looking at its bytes alone.

use crate::{Atom, Chunk, Export, Flow, Import, Span, Statement, Strings, Symbol};

/// The facts of a file: a pure function of its bytes, its language and the extractor's version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What can be shown and searched.
    pub outline: Outline,
    /// What resolution needs.
    pub flow: Flow,
}

/// The outside of a file: definitions, imports, chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The strings of this part; its atoms belong to this table alone.
    pub strings: Strings,
    /// Definitions in the order of the source; a parent comes before its children.
    pub symbols: Vec<Symbol>,
    /// What is brought in.
    pub imports: Vec<Import>,
    /// What is given out by statements of their own.
    pub exports: Vec<Export>,
    /// The units of retrieval, in the order of the source.
    pub chunks: Vec<Chunk>,
    /// What could not be read as it should.
    pub issues: Vec<Issue>,
    /// The package or namespace the file says it belongs to.
    pub package: Option<Atom>,
    /// What it says about where modules are, if it is a project file.
    pub manifest: Vec<Statement>,
    /// Number of lines.
    pub lines: u32,
    /// Whether the text says that a program wrote it.
    pub generated: bool,
}

impl Outline {
    /// The names around and of a symbol, outermost first: `["Server", "run"]`.
    pub fn qualified(&self, symbol: u32) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut next = self.symbols.get(symbol as usize);
        while let Some(symbol) = next {
            parts.push(self.strings.get(symbol.name));
            if let Some(qualifier) = symbol.qualifier {
                parts.push(self.strings.get(qualifier));
            }
            next = symbol.parent.and_then(|parent| self.symbols.get(parent as usize));
        }
        parts.reverse();
        parts
    }
}

/// Something in a file that could not be read as it should. It costs its own facts, never the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// What is wrong.
    pub kind: IssueKind,
    /// Where.
    pub span: Span,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum IssueKind {
    /// The grammar does not know this text.
    Syntax = 0,
    /// The parser would have had to do more than is allowed; the file was cut into windows instead.
    Budget = 1,
    /// The bytes are not UTF-8; names in it are shown with replacement characters.
    Encoding = 2,
    /// Nested deeper than we follow.
    Depth = 3,
    /// The extractor itself failed; the file was cut into windows instead. A fault of ours.
    Failed = 4,
    /// The parser would have held more memory than is allowed; the file was cut into windows instead.
    Memory = 5,
}

impl IssueKind {
    /// What users read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax not understood",
            Self::Budget => "parse limit reached: too many steps",
            Self::Encoding => "not valid UTF-8",
            Self::Depth => "nested too deeply",
            Self::Failed => "the extractor failed, a fault of ours",
            Self::Memory => "parse limit reached: too much memory",
        }
    }
}

/// What a file is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// Written by people, shipped.
    #[default]
    Source = 0,
    /// Tests, fixtures, benchmarks.
    Test = 1,
    /// Written by a program.
    Generated = 2,
    /// Copied from elsewhere.
    Vendored = 3,
    /// Prose.
    Doc = 4,
    /// Settings and data.
    Config = 5,
}

impl Role {
    /// Every role, in the order of their numbers.
    pub const ALL: &'static [Self] =
        &[Self::Source, Self::Test, Self::Generated, Self::Vendored, Self::Doc, Self::Config];

    /// The word users and packs write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Test => "test",
            Self::Generated => "generated",
            Self::Vendored => "vendored",
            Self::Doc => "doc",
            Self::Config => "config",
        }
    }

    /// The role with this stored number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

impl std::str::FromStr for Role {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|role| role.as_str() == word).ok_or(())
    }
}
