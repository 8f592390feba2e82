//! Chunks: the units of retrieval.

use crate::Span;

/// A piece of a file that is found on its own. The chunks of a file do not overlap and omit only white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The kind of chunk.
    pub kind: ChunkKind,
    /// The innermost symbol that contains all of it, as an index into the file's symbols.
    pub symbol: Option<u32>,
    /// Its span.
    pub span: Span,
}

/// The kinds of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ChunkKind {
    /// A whole symbol with its documentation.
    Symbol = 0,
    /// The first part of a symbol that is too large for one chunk: documentation, header and the text before the
    /// first cut.
    Head = 1,
    /// A further part of such a symbol.
    Part = 2,
    /// Text between symbols: module documentation, constants, top-level code.
    Gap = 3,
    /// A window of a file without symbols.
    Window = 4,
}

impl ChunkKind {
    /// The word users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Head => "head",
            Self::Part => "part",
            Self::Gap => "gap",
            Self::Window => "window",
        }
    }
}
