//! The facts of one file: everything that follows from its bytes.

use crate::{Atom, Chunk, Export, Flow, Import, Span, Statement, Strings, Symbol};

/// The facts of a file: a pure function of its bytes, its language and the extractor's version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What is shown and searched.
    pub outline: Outline,
    /// The input of resolution.
    pub flow: Flow,
}

/// The outline of a file: definitions, imports, chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The strings of this part; its atoms are valid in this table only.
    pub strings: Strings,
    /// Definitions in the order of the source; a parent comes before its children.
    pub symbols: Vec<Symbol>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Export statements.
    pub exports: Vec<Export>,
    /// The units of retrieval, in the order of the source.
    pub chunks: Vec<Chunk>,
    /// Parts that could not be parsed.
    pub issues: Vec<Issue>,
    /// The package or namespace that the file declares.
    pub package: Option<Atom>,
    /// Statements about modules, if it is a project file.
    pub manifest: Vec<Statement>,
    /// Number of lines.
    pub lines: u32,
    /// Whether the text says that it is generated.
    pub generated: bool,
}

impl Outline {
    /// The qualified name of a symbol, outermost first: `["Server", "run"]`.
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

/// A part of a file that could not be parsed. Only its own facts are lost, never the file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The kind of issue.
    pub kind: IssueKind,
    /// Its span.
    pub span: Span,
}

/// The kinds of issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum IssueKind {
    /// A syntax error.
    Syntax = 0,
    /// The parser exceeded its work budget; the file was cut into windows instead.
    Budget = 1,
    /// The bytes are not UTF-8; names in it are shown with replacement characters.
    Encoding = 2,
    /// Nesting exceeds the limit.
    Depth = 3,
    /// The extractor failed, which is a bug; the file was cut into windows instead.
    Failed = 4,
    /// The parser exceeded its memory budget; the file was cut into windows instead.
    Memory = 5,
}

impl IssueKind {
    /// The text for users.
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

/// The role of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// Hand-written source.
    #[default]
    Source = 0,
    /// Tests, fixtures, benchmarks.
    Test = 1,
    /// Generated.
    Generated = 2,
    /// Vendored.
    Vendored = 3,
    /// Documentation.
    Doc = 4,
    /// Configuration and data.
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
