//! A snapshot: one read transaction, so that all answers come from the same generation.

use crate::codec::{self, id_list};
use crate::connection::open::{self, Opened};
use crate::connection::pool::PooledConnection;
use crate::error::{AtPath, StoreError};
use crate::graph::GraphReader;
use crate::rows::{
    ChunkDetails, ChunkId, ChunkRow, FileId, FileRow, LanguageCount, ManifestEntry, ManifestKind, Page,
    Sizes, StampedFile, StatusCount, SymbolId, SymbolRow,
};
use crate::sql::meta::{self, Meta};
use crate::sql::symbols::StoredSymbol;
use crate::sql::{chunk_details, chunks, files, names, symbols, tags, tree_manifests, vectors};
use crate::writer::change_set::Writer;
use orient_model::{Outline, RepoPath, Role};
use std::path::{Path, PathBuf};

/// One generation of an index. It never changes; open another snapshot to see later writes.
///
/// Keep it only as long as one answer takes: while it is open, the write-ahead log cannot be reset.
pub struct Snapshot {
    pub(crate) db: PooledConnection,
    pub(crate) path: PathBuf,
    meta: Meta,
    in_memory: bool,
}

/// A filter of files. All conditions that are set must hold.
#[derive(Clone, Copy, Default)]
pub struct FileFilter<'q> {
    /// Of one of these languages; empty for any.
    pub languages: &'q [&'q str],
    /// With one of these roles; empty for any.
    pub roles: &'q [Role],
    /// With this status.
    pub status: Option<u8>,
    /// With at least one issue.
    pub with_issues: bool,
    /// With a path for which this returns true.
    pub path: Option<&'q dyn Fn(&RepoPath) -> bool>,
}

impl FileFilter<'_> {
    fn allows(&self, file: &FileRow) -> bool {
        let language = file.language.as_deref();
        (self.languages.is_empty() || self.languages.iter().any(|&one| Some(one) == language))
            && (self.roles.is_empty() || self.roles.contains(&file.role))
            && self.status.is_none_or(|status| status == file.status)
            && (!self.with_issues || file.issues > 0)
            && self.path.is_none_or(|allows| allows(&file.path))
    }
}

impl Snapshot {
    /// Opens the index at a path. Does not wait for a writer, and works on a read-only file system.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let Opened { db, meta } = open::read(path)?;
        Ok(Self::over(db.into(), path, meta))
    }

    pub(crate) fn over(db: PooledConnection, path: &Path, meta: Meta) -> Self {
        Self { db, path: path.to_path_buf(), meta, in_memory: false }
    }

    pub(crate) fn in_memory(
        db: crate::connection::database::Db,
        path: &Path,
        meta: Meta,
    ) -> Result<Self, StoreError> {
        db.execute_batch("BEGIN").at(path)?;
        Ok(Self { db: db.into(), path: path.to_path_buf(), meta, in_memory: true })
    }

    /// A writer of an index in memory; for an index in a file, of an in-memory copy.
    pub fn into_writer(self) -> Result<Writer<'static>, StoreError> {
        if !self.in_memory {
            return Writer::in_memory_copy(&self.path);
        }
        self.db.execute_batch("COMMIT").at(&self.path)?;
        Ok(Writer::over(Opened { db: self.db.into_inner(), meta: self.meta }, &self.path))
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// The generation: the number of the change set that produced it.
    pub fn generation(&self) -> u64 {
        self.meta.generation
    }

    /// The version of the extractor that produced the outlines.
    pub fn extractor(&self) -> u64 {
        self.meta.extractor
    }

    /// The version of the resolver that produced the edges.
    pub fn resolver(&self) -> u64 {
        self.meta.resolver
    }

    /// The number of files that are owed resolution. Their graphs are out of date.
    pub fn owed(&self) -> u64 {
        self.meta.owed
    }

    /// The version of the embedder that produced the vectors.
    pub fn embedder(&self) -> u64 {
        self.meta.embedder
    }

    /// Indexed files that have chunks but no vectors, by id: at most `most` with an id greater than `after`.
    pub fn without_vectors(&self, after: FileId, most: usize) -> Result<Vec<FileRow>, StoreError> {
        let ids = vectors::missing(&self.db, after.0, most).at(&self.path)?;
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            rows.extend(files::by_id(&self.db, FileId(id)).at(&self.path)?);
        }
        Ok(rows)
    }

    /// A reader of the graph and of what resolution needs.
    pub fn reader(&self) -> GraphReader<'_> {
        GraphReader { db: &self.db, path: &self.path }
    }

    /// The path of the index; for an index in memory, its name in messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All files with their stamps, by path, for the comparison with the working tree.
    pub fn known(&self) -> Result<Vec<StampedFile>, StoreError> {
        let mut all = Vec::new();
        self.each_known(|known| all.push(known))?;
        Ok(all)
    }

    /// Passes all files with their stamps to `see`, by path.
    pub fn each_known(&self, see: impl FnMut(StampedFile)) -> Result<(), StoreError> {
        files::stamps(&self.db, see).at(&self.path)
    }

    /// The files at these paths and below them with their stamps, by path.
    pub fn known_in(&self, tops: &[RepoPath]) -> Result<Vec<StampedFile>, StoreError> {
        let mut some = Vec::new();
        for top in tops {
            files::stamps_in(&self.db, top, |known| some.push(known)).at(&self.path)?;
        }
        some.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(some)
    }

    /// Files by path: `limit` of them after the first `offset`, and their total number.
    pub fn files(
        &self,
        filter: &FileFilter<'_>,
        offset: usize,
        limit: usize,
    ) -> Result<Page<FileRow>, StoreError> {
        let mut page = Page { rows: Vec::new(), total: 0 };
        self.each_file(|file| {
            if filter.allows(&file) {
                if page.total >= offset && page.rows.len() < limit {
                    page.rows.push(file);
                }
                page.total += 1;
            }
        })?;
        Ok(page)
    }

    /// Passes all files to `see`, by path.
    pub fn each_file(&self, see: impl FnMut(FileRow)) -> Result<(), StoreError> {
        files::all(&self.db, see).at(&self.path)
    }

    /// A tree manifest, if there is one.
    pub fn manifest(&self, manifest: ManifestKind) -> Result<Option<Vec<u8>>, StoreError> {
        tree_manifests::get(&self.db, manifest as u8).at(&self.path)
    }

    /// The first 64 bytes of a tree manifest.
    pub fn manifest_head(&self, manifest: ManifestKind) -> Result<Option<Vec<u8>>, StoreError> {
        tree_manifests::head(&self.db, manifest as u8).at(&self.path)
    }

    /// The path of a file.
    pub fn path_of(&self, file: FileId) -> Result<Option<RepoPath>, StoreError> {
        files::path_of(&self.db, file.0).at(&self.path)
    }

    /// All files as entries of a tree manifest, by path.
    pub fn listed(&self) -> Result<Vec<ManifestEntry>, StoreError> {
        files::listed(&self.db).at(&self.path)
    }

    /// The file at a path as an entry of a tree manifest.
    pub fn listed_at(&self, path: &RepoPath) -> Result<Option<ManifestEntry>, StoreError> {
        files::listed_at(&self.db, path).at(&self.path)
    }

    /// Passes the attributes and bases of all symbols to `see`, by symbol: whether it is a base, and its text.
    pub fn each_tag(&self, mut see: impl FnMut(SymbolId, bool, &str)) -> Result<(), StoreError> {
        tags::all(&self.db, |symbol, base, words| see(SymbolId(symbol), base, words)).at(&self.path)
    }

    /// The file at a path.
    pub fn file(&self, path: &RepoPath) -> Result<Option<FileRow>, StoreError> {
        files::by_path(&self.db, path).at(&self.path)
    }

    /// The file with an id.
    pub fn file_by_id(&self, id: FileId) -> Result<Option<FileRow>, StoreError> {
        files::by_id(&self.db, id).at(&self.path)
    }

    /// The outline of a file; `None` if it was not indexed.
    pub fn outline(&self, file: FileId) -> Result<Option<Outline>, StoreError> {
        match files::outline_data(&self.db, file.0, codec::decode_outline).at(&self.path)? {
            None => Ok(None),
            Some(Ok(outline)) => Ok(Some(outline)),
            Some(Err(error)) => Err(self.damaged(error.to_string())),
        }
    }

    /// The ids of the symbols of a file, in the order of its outline.
    pub fn symbol_ids(&self, file: FileId) -> Result<Vec<SymbolId>, StoreError> {
        let Some(ids) = files::outline_ids(&self.db, file.0).at(&self.path)? else { return Ok(Vec::new()) };
        let (bytes, count) = ids.symbols;
        Ok(id_list::decode(&bytes, count)
            .map_err(|e| self.damaged(e.to_string()))?
            .into_iter()
            .map(SymbolId)
            .collect())
    }

    /// The ids of the chunks of a file, in the order of its outline.
    pub fn chunk_ids(&self, file: FileId) -> Result<Vec<ChunkId>, StoreError> {
        let Some(ids) = files::outline_ids(&self.db, file.0).at(&self.path)? else { return Ok(Vec::new()) };
        let (bytes, count) = ids.chunks;
        Ok(id_list::decode(&bytes, count)
            .map_err(|e| self.damaged(e.to_string()))?
            .into_iter()
            .map(ChunkId)
            .collect())
    }

    /// The symbol with an id.
    pub fn symbol(&self, id: SymbolId) -> Result<Option<SymbolRow>, StoreError> {
        let Some(stored) = symbols::by_id(&self.db, id).at(&self.path)? else { return Ok(None) };
        let file = files::brief(&self.db, stored.file).at(&self.path)?;
        let file = file.ok_or_else(|| self.damaged("a symbol without its file"))?;
        self.symbol_row(&stored, file.path).map(Some)
    }

    /// The symbols directly inside a symbol, in the order of the source.
    pub fn children(&self, id: SymbolId) -> Result<Vec<SymbolRow>, StoreError> {
        let Some(symbol) = self.symbol(id)? else { return Ok(Vec::new()) };
        let ids = self.symbol_ids(symbol.file)?;
        let mut rows = Vec::new();
        for &child in ids.iter().skip(symbol.at as usize + 1) {
            let stored = symbols::by_id(&self.db, child).at(&self.path)?;
            if let Some(stored) = stored.filter(|stored| stored.parent == Some(id.0)) {
                rows.push(self.symbol_row(&stored, symbol.path.clone())?);
            }
        }
        Ok(rows)
    }

    /// The chunk with an id.
    pub fn chunk(&self, id: ChunkId) -> Result<Option<ChunkRow>, StoreError> {
        chunks::by_id(&self.db, id).at(&self.path)
    }

    /// The chunk with an id and its symbol.
    pub fn place(&self, id: ChunkId) -> Result<Option<ChunkDetails>, StoreError> {
        chunk_details::by_chunk(&self.db, id).at(&self.path)
    }

    pub(crate) fn symbol_row(&self, stored: &StoredSymbol, path: RepoPath) -> Result<SymbolRow, StoreError> {
        let name = names::by_id(&self.db, stored.name).at(&self.path)?;
        Ok(SymbolRow {
            id: SymbolId(stored.id),
            name: name.ok_or_else(|| self.damaged("a symbol without its name"))?,
            file: FileId(stored.file),
            path,
            at: stored.at,
            kind: stored.kind,
            visibility: stored.visibility,
            modifiers: stored.modifiers,
            parent: stored.parent.map(SymbolId),
            first_line: stored.first_line,
            last_line: stored.last_line,
        })
    }

    /// Totals for each language, by name. Only indexed files count.
    pub fn languages(&self) -> Result<Vec<LanguageCount>, StoreError> {
        files::languages(&self.db).at(&self.path)
    }

    /// Files and directories that were too large, unreadable or not parsed, by path.
    pub fn unread(&self) -> Result<Vec<FileRow>, StoreError> {
        files::unread(&self.db).at(&self.path)
    }

    /// The number of files with each status.
    pub fn statuses(&self) -> Result<Vec<StatusCount>, StoreError> {
        files::statuses(&self.db).at(&self.path)
    }

    /// The size of the index.
    pub fn sizes(&self) -> Result<Sizes, StoreError> {
        let read = || {
            let (bytes, free) = meta::bytes(&self.db)?;
            Ok::<_, rusqlite::Error>(Sizes {
                bytes,
                free,
                files: files::count(&self.db)?,
                symbols: symbols::count(&self.db)?,
                names: names::count(&self.db)?,
                chunks: chunks::count(&self.db)?,
            })
        };
        read().at(&self.path)
    }

    /// Whether it contains no file, indexed or skipped.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        files::any(&self.db).map(|any| !any).at(&self.path)
    }

    /// An upper bound of the number of files.
    pub(crate) fn most_files(&self) -> usize {
        usize::try_from(self.meta.next_file).unwrap_or_default()
    }

    pub(crate) fn damaged(&self, detail: impl Into<String>) -> StoreError {
        StoreError::damaged(&self.path, detail)
    }
}
