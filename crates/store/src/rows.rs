//! Inputs and results of the store as plain values.

use crate::PreparedFile;
use orient_model::{ChunkKind, ContentHash, Modifiers, RepoPath, Role, Stamp, SymbolKind, Visibility};
use orient_text::{ChunkTerms, Trigrams};

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)*) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);
    )* };
}

ids! {
    /// A file. Keeps its id when it is edited or renamed; ids are never reused.
    FileId;
    /// A symbol. Keeps its id while its qualified name, kind and ordinal stay; ids are never reused.
    SymbolId;
    /// A chunk. Keeps its id while it is the same part of the same symbol; ids are never reused.
    ChunkId;
}

/// The status of a file that was read and indexed. Any other status is the reason why it was not.
pub const INDEXED: u8 = 0;

/// A file to be written to the index.
#[derive(Clone, Debug)]
pub struct FilePut {
    /// The path.
    pub path: RepoPath,
    /// Its language, if it has one.
    pub language: Option<Box<str>>,
    /// Its role.
    pub role: Role,
    /// [`INDEXED`], or the reason why it was not indexed.
    pub status: u8,
    /// Details of the reason.
    pub detail: Option<String>,
    /// Its stamp, which shows whether it has changed.
    pub stamp: Stamp,
    /// The hash of its content, if it was read.
    pub hash: Option<ContentHash>,
    /// The size of its content.
    pub bytes: u64,
    /// Its facts.
    pub facts: Option<PreparedFile>,
    /// The trigrams of its text; a file without them is never excluded from a text search.
    pub trigrams: Option<Trigrams>,
    /// The terms of its chunks.
    pub terms: Option<ChunkTerms>,
    /// The vectors of its chunks, concatenated; empty if there are none.
    pub vectors: Vec<u8>,
}

/// One change of a change set.
#[derive(Clone, Debug)]
pub enum Change {
    /// The file is new or its content has changed. Boxed because it is much larger than the others.
    Put(Box<FilePut>),
    /// The file was removed. Send these first: a removed file whose content appears under a new path was renamed.
    Remove(RepoPath),
    /// The content is the same, but the stamp differs.
    Restamp(RepoPath, Stamp),
}

/// What a change set has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeSummary {
    /// The new generation.
    pub generation: u64,
    /// New files.
    pub added: usize,
    /// Files with new content.
    pub changed: usize,
    /// Removed files.
    pub removed: usize,
    /// Files that kept their ids under a new path.
    pub renamed: usize,
    /// Files with a new stamp only.
    pub restamped: usize,
}

/// A file of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Its id.
    pub id: FileId,
    /// The path.
    pub path: RepoPath,
    /// Its language, if it has one.
    pub language: Option<String>,
    /// Its role.
    pub role: Role,
    /// [`INDEXED`], or the reason why it was not indexed.
    pub status: u8,
    /// Details of the reason.
    pub detail: Option<String>,
    /// Its stamp, which shows whether it has changed.
    pub stamp: Stamp,
    /// The hash of its content, if it was read.
    pub hash: Option<ContentHash>,
    /// The size of its content.
    pub bytes: u64,
    /// Number of lines.
    pub lines: u32,
    /// Number of symbols.
    pub symbols: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Number of issues.
    pub issues: u32,
    /// Whether its text says that it is generated.
    pub generated: bool,
    /// Whether the parser gave up, so that no symbols are known.
    pub unparsed: bool,
}

/// A file and its stamp, for the comparison with the working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StampedFile {
    /// The path.
    pub path: RepoPath,
    /// Its stamp when it was last compared.
    pub stamp: Stamp,
}

/// An entry of a tree manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestEntry {
    /// Its id.
    pub id: FileId,
    /// The path.
    pub path: RepoPath,
    /// [`INDEXED`], or the reason why it was not indexed.
    pub status: u8,
    /// Its stamp when it was last compared.
    pub stamp: Stamp,
}

/// A kind of tree manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ManifestKind {
    /// All directories and files.
    Tree = 0,
    /// The files that a text search reads.
    Search = 1,
}

/// A symbol of the index. The rest is in the outline of its file, at index `at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    /// Its id.
    pub id: SymbolId,
    /// Its own name.
    pub name: String,
    /// Its file.
    pub file: FileId,
    /// The path of its file.
    pub path: RepoPath,
    /// Its index in the outline.
    pub at: u32,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its modifiers.
    pub modifiers: Modifiers,
    /// Its container.
    pub parent: Option<SymbolId>,
    /// Its first line, from 1.
    pub first_line: u32,
    /// Its last line, from 1.
    pub last_line: u32,
}

/// A chunk of the index. Its bytes are in the outline of its file, at index `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    /// Its id.
    pub id: ChunkId,
    /// Its file.
    pub file: FileId,
    /// Its index in the outline.
    pub at: u32,
    /// Its kind.
    pub kind: ChunkKind,
    /// The innermost symbol that contains it.
    pub symbol: Option<SymbolId>,
    /// Its first line, from 1.
    pub first_line: u32,
    /// Its last line, from 1.
    pub last_line: u32,
}

/// A chunk with its symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkDetails {
    /// The chunk.
    pub chunk: ChunkRow,
    /// The innermost symbol that contains it.
    pub symbol: Option<ChunkSymbol>,
}

/// What ranking needs of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSymbol {
    /// Its id.
    pub id: SymbolId,
    /// Its own name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its modifiers.
    pub modifiers: Modifiers,
    /// Its container.
    pub parent: Option<SymbolId>,
    /// Its first line, from 1.
    pub first_line: u32,
    /// The kind, modifiers and name of its container.
    pub around: Option<(SymbolKind, Modifiers, String)>,
}

/// A page of results and their total number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows of the page.
    pub rows: Vec<T>,
    /// The total number.
    pub total: usize,
}

/// Totals for one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageCount {
    /// Its name; `None` for files without a language.
    pub language: Option<String>,
    /// Indexed files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their lines.
    pub lines: u64,
    /// Their symbols.
    pub symbols: u64,
    /// Files with issues.
    pub with_issues: u64,
}

/// The number of files with a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusCount {
    /// [`INDEXED`], or the reason why they were not indexed.
    pub status: u8,
    /// Their number.
    pub files: u64,
}

/// The size of the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The size of the database, as this snapshot sees it.
    pub bytes: u64,
    /// Free bytes in the database.
    pub free: u64,
    /// Files, of any status.
    pub files: u64,
    /// Symbols.
    pub symbols: u64,
    /// Distinct names.
    pub names: u64,
    /// Chunks.
    pub chunks: u64,
}
