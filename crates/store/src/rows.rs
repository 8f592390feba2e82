//! What goes into the index and what comes out of it, as plain values.

use crate::Prepared;
use orient_model::{ChunkKind, ContentHash, Modifiers, RepoPath, Role, Stamp, SymbolKind, Visibility};
use orient_text::{Grams, Terms};

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)*) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);
    )* };
}

ids! {
    /// A file of the index. Kept when it is edited or renamed, never given twice.
    FileId;
    /// A symbol of the index. Kept as long as its key in its file stands, never given twice.
    SymbolId;
    /// A chunk of the index. Kept as long as it is the same part of the same symbol, never given twice.
    ChunkId;
}

/// The status of a file that was read and indexed; any other number says why it was not.
pub const INDEXED: u8 = 0;

/// The state of one file, to be put into the index.
#[derive(Clone, Debug)]
pub struct FilePut {
    /// Where it is.
    pub path: RepoPath,
    /// Its language, where it has one.
    pub language: Option<Box<str>>,
    /// What it is for.
    pub role: Role,
    /// [`INDEXED`], or the number of the reason why not.
    pub status: u8,
    /// What belongs to that reason.
    pub detail: Option<String>,
    /// How to see that it has not changed.
    pub stamp: Stamp,
    /// The hash of its content, where that was read.
    pub hash: Option<ContentHash>,
    /// The size of its content.
    pub bytes: u64,
    /// What was found in it.
    pub facts: Option<Prepared>,
    /// The trigrams of its text; a file without them is never left out of a text search.
    pub grams: Option<Grams>,
    /// The terms of its chunks.
    pub terms: Option<Terms>,
    /// The vectors of its chunks, one after the other; empty where there are none.
    pub vectors: Vec<u8>,
}

/// One step of a change set.
#[derive(Clone, Debug)]
pub enum Change {
    /// The file is new or its content has changed. Boxed since it is large beside the others.
    Put(Box<FilePut>),
    /// The file is gone. Send these first: a removed file whose content comes back under a new path was renamed.
    Remove(RepoPath),
    /// The content is the same, the stamp is not.
    Restamp(RepoPath, Stamp),
}

/// What a change set did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The generation readers see from now on.
    pub generation: u64,
    /// New files.
    pub added: usize,
    /// Files with new content.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files that kept their ids under a new path.
    pub renamed: usize,
    /// Files of which only the stamp was written.
    pub restamped: usize,
}

/// A file as the index knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Its id.
    pub id: FileId,
    /// Where it is.
    pub path: RepoPath,
    /// Its language, where it has one.
    pub language: Option<String>,
    /// What it is for.
    pub role: Role,
    /// [`INDEXED`], or the number of the reason why not.
    pub status: u8,
    /// What belongs to that reason.
    pub detail: Option<String>,
    /// How to see that it has not changed.
    pub stamp: Stamp,
    /// The hash of its content, where that was read.
    pub hash: Option<ContentHash>,
    /// The size of its content.
    pub bytes: u64,
    /// Number of lines.
    pub lines: u32,
    /// Number of symbols.
    pub symbols: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Number of places that could not be read as they should.
    pub issues: u32,
    /// Whether its text says that a program wrote it.
    pub generated: bool,
    /// Whether the parser gave up, so that no symbols are known.
    pub unparsed: bool,
}

/// What is compared with the working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Where the file is.
    pub path: RepoPath,
    /// Its stamp when it was last looked at.
    pub stamp: Stamp,
}

/// A file as a sheet remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: FileId,
    /// Where it is.
    pub path: RepoPath,
    /// [`INDEXED`], or the number of the reason why not.
    pub status: u8,
    /// Its stamp when it was last looked at.
    pub stamp: Stamp,
}

/// What is remembered of the tree as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Sheet {
    /// Which folders and files there are.
    Tree = 0,
    /// Which of them a text search looks at.
    Search = 1,
}

/// A symbol as the index knows it; the rest is in the outline of its file, at place `at`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRow {
    /// Its id.
    pub id: SymbolId,
    /// Its own name.
    pub name: String,
    /// Its file.
    pub file: FileId,
    /// Where that is.
    pub path: RepoPath,
    /// Its place among the symbols of the outline.
    pub at: u32,
    /// What it is.
    pub kind: SymbolKind,
    /// Who may use it.
    pub visibility: Visibility,
    /// What else its header says.
    pub modifiers: Modifiers,
    /// The symbol around it.
    pub parent: Option<SymbolId>,
    /// Its first line, from 1.
    pub first_line: u32,
    /// Its last line, from 1.
    pub last_line: u32,
}

/// A chunk as the index knows it; its bytes are in the outline of its file, at place `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    /// Its id.
    pub id: ChunkId,
    /// Its file.
    pub file: FileId,
    /// Its place among the chunks of the outline.
    pub at: u32,
    /// What it is.
    pub kind: ChunkKind,
    /// The innermost symbol around it.
    pub symbol: Option<SymbolId>,
    /// Its first line, from 1.
    pub first_line: u32,
    /// Its last line, from 1.
    pub last_line: u32,
}

/// A chunk with the symbol it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRow {
    /// The chunk.
    pub chunk: ChunkRow,
    /// The innermost symbol around it.
    pub symbol: Option<PlaceSymbol>,
}

/// What ranking asks of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceSymbol {
    /// Its id.
    pub id: SymbolId,
    /// Its own name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// What else its header says.
    pub modifiers: Modifiers,
    /// The symbol around it.
    pub parent: Option<SymbolId>,
    /// Its first line, from 1.
    pub first_line: u32,
    /// What the symbol around it is, and is called.
    pub around: Option<(SymbolKind, Modifiers, String)>,
}

/// A part of an answer, and how large the whole is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows asked for.
    pub rows: Vec<T>,
    /// How many there are in all.
    pub total: usize,
}

/// What the index holds of one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageCount {
    /// Its name; none for files without a language.
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

/// How many files were not indexed for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusCount {
    /// The number of the reason; [`INDEXED`] for those that were.
    pub status: u8,
    /// How many.
    pub files: u64,
}

/// How large the index is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the database, as this snapshot sees it.
    pub bytes: u64,
    /// Bytes of it that wait to be used again.
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
