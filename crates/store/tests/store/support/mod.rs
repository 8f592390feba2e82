//! Made-up files for the tests of the store, written as a few indented lines.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test program uses its own part, and fails where it must not"
)]

use orient_model::{
    Base, Chunk, ChunkKind, ContentHash, Modifiers, Outline, Relation, RepoPath, Role, Span, Stamp, Symbol,
    SymbolKind, Visibility,
};
use orient_store::{
    BulkWriter, Change, FileFilter, FilePut, INDEXED, PreparedFile, Snapshot, SymbolId, SymbolQuery,
    WriteLock, Writer,
};
use orient_text::{ChunkTerms, ChunkTermsBuilder, TrigramExtractor};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The outline of a text with one symbol a line: `kind name @attribute :Base`; deeper lines are inside.
pub(crate) fn outline(text: &str) -> Outline {
    let mut outline = Outline { lines: text.lines().count() as u32, ..Outline::default() };
    let mut around: Vec<(usize, u32)> = Vec::new();
    let mut ordinals: HashMap<(Option<u32>, String), u32> = HashMap::new();
    let mut start = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let depth = content.len() - content.trim_start().len();
        let mut words = content.split_whitespace();
        let end = start + content.len() as u32;
        let span = Span { start, end, first_line: line, last_line: line };
        start = end + 1;
        let Some(kind) = words.next() else { continue };
        let Ok(kind) = kind.parse::<SymbolKind>() else {
            outline.chunks.push(Chunk { kind: ChunkKind::Gap, symbol: None, span });
            continue;
        };
        let name = words.next().unwrap_or_default().to_owned();
        around.retain(|&(outer, _)| outer < depth);
        let parent = around.last().map(|&(_, at)| at);
        let at = outline.symbols.len() as u32;
        around.push((depth, at));
        let ordinal = ordinals.entry((parent, name.clone())).or_default();
        let mut symbol = Symbol {
            kind,
            name: outline.strings.push(&name),
            parent,
            qualifier: None,
            ordinal: *ordinal,
            visibility: Visibility::Public,
            modifiers: Modifiers::default(),
            span,
            name_span: span,
            header: span,
            body: None,
            signature: outline.strings.push(content.trim()),
            params: Vec::new(),
            returns: None,
            doc: None,
            attributes: Vec::new(),
            bases: Vec::new(),
            body_hash: 0,
            complexity: None,
        };
        *ordinal += 1;
        for word in words {
            if let Some(attribute) = word.strip_prefix('@') {
                symbol.attributes.push(outline.strings.push(attribute));
            } else if let Some(base) = word.strip_prefix(':') {
                let text = outline.strings.push(base);
                symbol.bases.push(Base { text, name: text, relation: Relation::Extends });
            }
        }
        outline.symbols.push(symbol);
        outline.chunks.push(Chunk { kind: ChunkKind::Symbol, symbol: Some(at), span });
    }
    outline
}

pub(crate) fn hash(text: &str) -> ContentHash {
    let mut bytes = [0; 16];
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    bytes[..8].copy_from_slice(&hasher.finish().to_le_bytes());
    ContentHash(bytes)
}

/// The terms of a text: each line is a chunk.
fn terms(text: &str) -> ChunkTerms {
    let mut terms = ChunkTermsBuilder::default();
    for line in text.lines() {
        let length = terms.text(line.as_bytes());
        terms.end(length);
    }
    terms.finish()
}

/// Something in the place of vectors, to be recognised: the path, and the first letter of each line.
fn vectors(path: &str, text: &str) -> Vec<u8> {
    text.lines().flat_map(|line| [path.as_bytes(), &line.as_bytes()[..line.len().min(1)]].concat()).collect()
}

/// A file with such an outline.
pub(crate) fn file(path: &str, text: &str) -> FilePut {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    FilePut {
        path: RepoPath::from(path),
        language: extension.map(Into::into),
        role: if path.contains("test") { Role::Test } else { Role::Source },
        status: INDEXED,
        detail: None,
        stamp: Stamp { size: text.len() as u64, mtime_ns: 7, ctime_ns: 8, inode: 9 },
        hash: Some(hash(text)),
        bytes: text.len() as u64,
        facts: Some(PreparedFile::new(&outline(text))),
        trigrams: Some(TrigramExtractor::default().trigrams(text.as_bytes())),
        terms: Some(terms(text)),
        vectors: vectors(path, text),
    }
}

/// A file that was not read.
pub(crate) fn skipped(path: &str, status: u8, detail: &str) -> FilePut {
    FilePut {
        status,
        detail: Some(detail.to_owned()),
        hash: None,
        facts: None,
        trigrams: None,
        terms: None,
        vectors: Vec::new(),
        ..file(path, "")
    }
}

pub(crate) fn put(path: &str, text: &str) -> Change {
    Change::Put(Box::new(file(path, text)))
}

pub(crate) fn remove(path: &str) -> Change {
    Change::Remove(RepoPath::from(path))
}

/// A store in a directory of its own.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// With an index of these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        place.load(files.iter().map(|(path, text)| file(path, text)));
        place
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("index.db")
    }

    /// Waits a moment: a process that another test starts holds every open file, locks included, until it calls `exec`.
    pub(crate) fn lock(&self) -> WriteLock {
        let wait = |waited| waited < Duration::from_secs(10);
        WriteLock::acquire(self.directory.path(), wait).unwrap().expect("nobody else writes")
    }

    pub(crate) fn load(&self, files: impl IntoIterator<Item = FilePut>) -> u64 {
        let lock = self.lock();
        let mut bulk = BulkWriter::create(&self.path(), &lock, 1, u64::MAX).unwrap();
        for file in files {
            bulk.put(&file).unwrap();
        }
        bulk.publish().unwrap()
    }

    pub(crate) fn apply(&self, changes: impl IntoIterator<Item = Change>) -> orient_store::ChangeSummary {
        let lock = self.lock();
        Writer::open(&self.path(), &lock).unwrap().apply(changes).unwrap()
    }

    pub(crate) fn open(&self) -> Snapshot {
        Snapshot::open(&self.path()).unwrap()
    }

    /// The id of the only symbol of that name.
    pub(crate) fn id(&self, name: &str) -> SymbolId {
        id(&self.open(), name)
    }
}

pub(crate) fn id(snapshot: &Snapshot, name: &str) -> SymbolId {
    let query =
        SymbolQuery { name: orient_store::NameMatch::Exact(name.to_owned()), ..SymbolQuery::default() };
    let page = snapshot.symbols(&query, 0, 2).unwrap();
    assert_eq!(page.total, 1, "{name}");
    page.rows[0].symbol.id
}

/// Everything an index answers with, without ids: two indexes of the same files give the same lines.
pub(crate) fn listing(snapshot: &Snapshot) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let sizes = snapshot.sizes().unwrap();
    writeln!(
        text,
        "{} files {} symbols {} names {} chunks",
        sizes.files, sizes.symbols, sizes.names, sizes.chunks
    )
    .unwrap();
    for file in snapshot.files(&FileFilter::default(), 0, usize::MAX).unwrap().rows {
        let outline = snapshot.outline(file.id).unwrap();
        let (ids, chunks) = (snapshot.symbol_ids(file.id).unwrap(), snapshot.chunk_ids(file.id).unwrap());
        let file_id = file.id;
        writeln!(
            text,
            "{:?}",
            (&file.path, &file.language, file.role, file.status, &file.detail, file.stamp)
        )
        .unwrap();
        writeln!(text, "  {:?}", (file.hash, file.bytes, file.lines, file.symbols, file.chunks, file.issues))
            .unwrap();
        writeln!(text, "  {outline:?}").unwrap();
        for (at, id) in ids.iter().enumerate() {
            let row = snapshot.symbol(*id).unwrap().unwrap();
            assert_eq!((row.file, row.at as usize), (file_id, at));
            let parent = row.parent.map(|parent| ids.iter().position(|&id| id == parent).unwrap());
            let said =
                (&row.name, row.kind, row.visibility, row.modifiers.0, parent, row.first_line, row.last_line);
            writeln!(text, "  symbol {said:?}").unwrap();
        }
        for (at, id) in chunks.iter().enumerate() {
            let row = snapshot.chunk(*id).unwrap().unwrap();
            assert_eq!((row.file, row.at as usize), (file_id, at));
            let symbol = row.symbol.map(|symbol| ids.iter().position(|&id| id == symbol).unwrap());
            writeln!(text, "  chunk {:?}", (row.kind, symbol, row.first_line, row.last_line)).unwrap();
        }
    }
    for word in ["route", "app.route", "test", "Base", "Other"] {
        for (what, attribute, base) in [("attribute", Some(word), None), ("base", None, Some(word))] {
            let query = SymbolQuery { attribute, base, ..SymbolQuery::default() };
            for found in snapshot.symbols(&query, 0, usize::MAX).unwrap().rows {
                writeln!(text, "{what} {word}: {:?} {}", found.symbol.path, found.symbol.at).unwrap();
            }
        }
    }
    text
}

/// Copies a store to another directory.
pub(crate) fn copy_store(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
