//! Change sets: one transaction each, which keeps the ids of unchanged symbols and chunks.

use crate::codec::{self, id_list};
use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use crate::connection::open::{self, Opened};
use crate::connection::write_lock::WriteLock;
use crate::error::{AtPath, StoreError};
use crate::format_version::Header;
use crate::graph::NodeId;
use crate::integrity::seal::Unsealed;
use crate::postings::segments::PostingChanges;
use crate::postings::terms::StoredTerms;
use crate::postings::trigrams::StoredTrigrams;
use crate::reader::snapshot::Snapshot;
use crate::rows::{
    Change, ChangeSummary, ChunkId, ChunkRow, FileId, FilePut, ManifestEntry, ManifestKind, SymbolId,
};
use crate::sql::files::FileKey;
use crate::sql::meta::{self, Meta};
use crate::sql::symbols::StoredSymbol;
use crate::sql::tags::TagRow;
use crate::sql::{chunks, files, names, symbols, tags, tree_manifests, vectors};
use crate::writer::prepared_file::{NONE, OutlineSummary, PreparedFile, TagKind};
use crate::writer::stable_ids;
use orient_model::{ContentHash, Modifiers, RepoPath};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The size of a write-ahead log that a writer does not leave behind. Smaller ones cost a reader less than writing their pages
/// in place costs the writer.
const LARGE_LOG: u64 = 4 << 20;

/// Writes change sets to an existing index.
pub struct Writer<'lock> {
    pub(crate) db: Db,
    pub(crate) path: PathBuf,
    pub(crate) meta: Meta,
    lock: PhantomData<&'lock WriteLock>,
    /// Dropped after the connection, which may checkpoint when it closes. `None` in memory.
    _broken: Option<Unsealed>,
}

impl<'lock> Writer<'lock> {
    /// Opens an index for writing; migrates an older format first.
    pub fn open(path: &Path, _lock: &'lock WriteLock) -> Result<Self, StoreError> {
        let place = DatabasePath::at(path)?;
        let broken = match Header::read(&place)?.check(path) {
            Ok(()) => Some(Unsealed::open(&place)?),
            // The next writer seals a migrated index.
            Err(_) => None,
        };
        Ok(Self { _broken: broken, ..Self::over(open::write(path)?, path) })
    }

    /// An index in memory that starts as a copy of the one at `path`, for a store that is not writable.
    pub fn in_memory_copy(path: &Path) -> Result<Writer<'static>, StoreError> {
        Ok(Writer::over(open::memory_copy(path)?, path))
    }

    /// An empty index in memory; `name` is used in messages.
    pub fn in_memory(name: &Path, extractor: u64) -> Result<Writer<'static>, StoreError> {
        crate::BulkWriter::in_memory(name, extractor)?.into_snapshot()?.into_writer()
    }

    pub(crate) fn over(opened: Opened, path: &Path) -> Self {
        Self { db: opened.db, path: path.to_path_buf(), meta: opened.meta, lock: PhantomData, _broken: None }
    }

    /// The generation of the last change set.
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

    /// The number of files that are owed resolution.
    pub fn owed(&self) -> u64 {
        self.meta.owed
    }

    /// Begins a change set. Dropping it without a commit rolls it back.
    pub fn begin(&mut self) -> Result<ChangeSet<'_>, StoreError> {
        self.db.execute_batch("BEGIN IMMEDIATE").at(&self.path)?;
        Ok(ChangeSet {
            db: &mut self.db,
            path: &self.path,
            next: self.meta,
            meta: &mut self.meta,
            applied: ChangeSummary::default(),
            leaving: BTreeMap::new(),
            leaving_by_hash: HashMap::new(),
            released: BTreeSet::new(),
            names: HashMap::new(),
            trigrams: PostingChanges::default(),
            terms: PostingChanges::default(),
            severed: BTreeSet::new(),
            open: true,
        })
    }

    /// Applies all changes in one transaction.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) -> Result<ChangeSummary, StoreError> {
        let mut set = self.begin()?;
        for change in changes {
            set.push(&change)?;
        }
        set.commit()
    }

    /// Stores a tree manifest. That changes no answer and does not increment the generation.
    pub fn put_manifest(&mut self, manifest: ManifestKind, data: &[u8]) -> Result<(), StoreError> {
        tree_manifests::put(&self.db, manifest as u8, Some(data)).at(&self.path)
    }

    /// The same for the manifest of all files.
    pub fn put_tree_manifest(
        &mut self,
        manifest: impl FnOnce(&[ManifestEntry]) -> Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        write_manifest(&self.db, manifest).at(&self.path)
    }

    /// Returns the space of deleted rows to the file system.
    pub fn vacuum(&mut self) -> Result<(), StoreError> {
        self.db.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);").at(&self.path)
    }

    /// Ends a large change: moves its pages from the write-ahead log into the database and truncates the log. Every process
    /// that opens the database later would read the whole log. Does not wait for readers; while there are any, the log stays.
    pub fn truncate_large_log(&mut self) {
        let log_bytes = DatabasePath::at(&self.path).ok().and_then(|at| at.log_bytes()).unwrap_or_default();
        if log_bytes >= LARGE_LOG {
            let _ = self.db.busy_timeout(Duration::ZERO);
            let _ = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            let _ = self.db.busy_timeout(open::PATIENCE);
        }
    }

    /// A snapshot of an index in memory; for a file, open a [`Snapshot`] of its path.
    pub fn into_snapshot(self) -> Result<Snapshot, StoreError> {
        Snapshot::in_memory(self.db, &self.path, self.meta)
    }
}

/// A change set in progress.
pub struct ChangeSet<'w> {
    // A mutable reference, so that a change set can move between threads.
    pub(crate) db: &'w mut Connection,
    pub(crate) path: &'w Path,
    meta: &'w mut Meta,
    pub(crate) next: Meta,
    applied: ChangeSummary,
    /// Files to remove at the end, unless their content appears under another path.
    leaving: BTreeMap<RepoPath, FileKey>,
    leaving_by_hash: HashMap<ContentHash, BTreeSet<RepoPath>>,
    /// Names that lost a symbol and may be unused now.
    pub(crate) released: BTreeSet<i64>,
    /// The ids of names that were looked up. Names are deleted at the end only.
    pub(crate) names: HashMap<Box<str>, i64>,
    /// Files with edges to removed nodes.
    pub(crate) severed: BTreeSet<i64>,
    trigrams: PostingChanges<StoredTrigrams>,
    terms: PostingChanges<StoredTerms>,
    open: bool,
}

impl ChangeSet<'_> {
    /// Applies one change. Removals are deferred to the end, so that a renamed file keeps its ids; send them first.
    pub fn push(&mut self, change: &Change) -> Result<(), StoreError> {
        match change {
            Change::Put(file) => self.put(file),
            Change::Remove(path) => self.remove_later(path),
            Change::Restamp(path, stamp) => {
                self.applied.restamped += usize::from(files::restamp(self.db, path, *stamp).at(self.path)?);
                Ok(())
            }
        }
    }

    /// Carries out the deferred removals. Later files cannot be renames of removed ones.
    pub fn settle(&mut self) -> Result<(), StoreError> {
        self.leaving_by_hash.clear();
        for key in std::mem::take(&mut self.leaving).into_values() {
            self.remove(key)?;
            self.applied.removed += 1;
        }
        Ok(())
    }

    /// Commits: makes the change set visible to readers.
    pub fn commit(mut self) -> Result<ChangeSummary, StoreError> {
        self.commit_with_manifest(delete_manifests)
    }

    /// The same with a new tree manifest; without one, the old manifest is deleted.
    pub fn commit_with(
        mut self,
        manifest: impl FnOnce(&[ManifestEntry]) -> Option<Vec<u8>>,
    ) -> Result<ChangeSummary, StoreError> {
        self.commit_with_manifest(|db| write_manifest(db, manifest))
    }

    /// Begins a new transaction after a commit.
    pub(crate) fn begin_again(&mut self) -> Result<(), StoreError> {
        self.db.execute_batch("BEGIN IMMEDIATE").at(self.path)?;
        self.open = true;
        self.applied = ChangeSummary::default();
        self.released.clear();
        self.names.clear();
        self.severed.clear();
        Ok(())
    }

    pub(crate) fn commit_with_manifest(
        &mut self,
        manifest: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<ChangeSummary, StoreError> {
        self.settle()?;
        let trigrams = std::mem::take(&mut self.trigrams);
        trigrams.finish(self.db).map_err(|error| error.at(self.path))?;
        let terms = std::mem::take(&mut self.terms);
        terms.finish(self.db).map_err(|error| error.at(self.path))?;
        manifest(self.db).at(self.path)?;
        // A new stamp saves work next time but changes nothing for readers.
        let seen = ChangeSummary { restamped: 0, ..self.applied } != ChangeSummary::default()
            || self.next != *self.meta;
        self.next.generation += u64::from(seen);
        self.finish().at(self.path)?;
        *self.meta = self.next;
        self.open = false;
        Ok(ChangeSummary { generation: self.next.generation, ..self.applied })
    }

    fn finish(&self) -> rusqlite::Result<()> {
        for &name in &self.released {
            names::delete_unused(self.db, name)?;
        }
        meta::update(self.db, &self.next)?;
        self.db.execute_batch("COMMIT")
    }

    fn remove_later(&mut self, path: &RepoPath) -> Result<(), StoreError> {
        if let Some(key) = files::key_by_path(self.db, path).at(self.path)? {
            if let Some(hash) = key.hash {
                self.leaving_by_hash.entry(hash).or_default().insert(path.clone());
            }
            self.leaving.insert(path.clone(), key);
        }
        Ok(())
    }

    fn put(&mut self, file: &FilePut) -> Result<(), StoreError> {
        let lang = match &file.language {
            None => None,
            Some(language) => Some(meta::lang_id(self.db, language).at(self.path)?),
        };
        let known = files::key_by_path(self.db, &file.path).at(self.path)?;
        if let Some(key) = known {
            self.stays(&file.path, key);
            self.applied.changed += 1;
            return self.replace(key, lang, file);
        }
        if let Some(key) = self.renamed_from(file) {
            self.applied.renamed += 1;
            return self.replace(key, lang, file);
        }
        self.applied.added += 1;
        let id = take_next(&mut self.next.next_file);
        files::insert(self.db, id, lang, file, digest(file)).at(self.path)?;
        self.put_text(id, Some(file)).at(self.path)?;
        match &file.facts {
            None => Ok(()),
            Some(facts) => self.put_facts(id, &StoredFile::default(), facts),
        }
    }

    /// Cancels the removal of a file.
    fn stays(&mut self, path: &RepoPath, key: FileKey) {
        if self.leaving.remove(path).is_some()
            && let Some(paths) = key.hash.and_then(|hash| self.leaving_by_hash.get_mut(&hash))
        {
            paths.remove(path);
        }
    }

    /// The removed file with the same content: preferably one with the same file name, otherwise the first by path.
    fn renamed_from(&mut self, file: &FilePut) -> Option<FileKey> {
        let paths = self.leaving_by_hash.get(&file.hash?)?;
        let same_name = paths.iter().find(|path| path.file_name() == file.path.file_name());
        let from = same_name.or_else(|| paths.first())?.clone();
        let key = *self.leaving.get(&from)?;
        self.stays(&from, key);
        Some(key)
    }

    fn replace(&mut self, key: FileKey, lang: Option<i64>, file: &FilePut) -> Result<(), StoreError> {
        files::update(self.db, key.id, lang, file, digest(file)).at(self.path)?;
        self.put_text(key.id, Some(file)).at(self.path)?;
        let held = self.held(key)?;
        match &file.facts {
            Some(facts) if held.data == facts.outline.as_bytes() => Ok(()),
            Some(facts) => self.put_facts(key.id, &held, facts),
            None => self.drop_facts(key.id, &held),
        }
    }

    fn remove(&mut self, key: FileKey) -> Result<(), StoreError> {
        let held = self.held(key)?;
        self.sever(NodeId::from(FileId(key.id))).at(self.path)?;
        self.drop_facts(key.id, &held)?;
        self.put_text(key.id, None).at(self.path)?;
        self.severed.remove(&key.id);
        files::delete(self.db, key.id).at(self.path)
    }

    /// Writes the posting lists and vectors of a file; deletes them if it was removed.
    fn put_text(&mut self, id: i64, file: Option<&FilePut>) -> rusqlite::Result<()> {
        self.trigrams.put(self.db, id, file.and_then(|file| file.trigrams.as_ref()))?;
        self.terms.put(self.db, id, file.and_then(|file| file.terms.as_ref()))?;
        vectors::delete(self.db, id)?;
        vectors::put(self.db, id, file.map_or(&[], |file| &file.vectors))
    }

    /// The stored rows of a file.
    fn held(&self, key: FileKey) -> Result<StoredFile, StoreError> {
        let Some(stored) = files::outline(self.db, key.id).at(self.path)? else {
            return Ok(StoredFile::default());
        };
        let read = || {
            Ok::<_, codec::CodecError>(StoredFile {
                symbols: id_list::decode(&stored.symbols, key.symbols)?,
                chunks: id_list::decode(&stored.chunks, key.chunks)?,
                digest: OutlineSummary::of(&codec::decode_outline(&stored.data)?),
                data: Vec::new(),
            })
        };
        let held = read().map_err(|error| StoreError::damaged(self.path, error.to_string()))?;
        if held.digest.symbols.len() != held.symbols.len() || held.digest.chunks.len() != held.chunks.len() {
            return Err(StoreError::damaged(self.path, "an outline does not fit its ids"));
        }
        Ok(StoredFile { data: stored.data, ..held })
    }

    fn drop_facts(&mut self, file: i64, held: &StoredFile) -> Result<(), StoreError> {
        self.clear_graph(FileId(file))?;
        self.put_rows(file, held, &OutlineSummary::default()).at(self.path)?;
        files::delete_outline(self.db, file).at(self.path)
    }

    fn put_facts(&mut self, file: i64, held: &StoredFile, facts: &PreparedFile) -> Result<(), StoreError> {
        let (symbols, chunks) = self.put_rows(file, held, &facts.digest).at(self.path)?;
        let (symbols, chunks) = (id_list::encode(&symbols), id_list::encode(&chunks));
        files::replace_outline(self.db, file, &symbols, &chunks, facts.outline.as_bytes()).at(self.path)
    }

    /// Replaces the rows of one outline by those of another. Returns the ids of symbols and chunks.
    fn put_rows(
        &mut self,
        file: i64,
        held: &StoredFile,
        new: &OutlineSummary,
    ) -> rusqlite::Result<(Vec<i64>, Vec<i64>)> {
        let ids = self.put_symbols(file, held, new)?;
        self.put_tags(held, new, &ids)?;
        let chunks = self.put_chunks(file, held, new, &ids)?;
        Ok((ids, chunks))
    }

    fn put_symbols(
        &mut self,
        file: i64,
        held: &StoredFile,
        new: &OutlineSummary,
    ) -> rusqlite::Result<Vec<i64>> {
        let matched = stable_ids::symbols(&held.digest, new);
        let mut ids = Vec::with_capacity(new.symbols.len());
        for old in &matched {
            ids.push(match old {
                Some(old) => held.symbols[*old as usize],
                None => take_next(&mut self.next.next_symbol),
            });
        }
        for (at, (symbol, old)) in new.symbols.iter().zip(&matched).enumerate() {
            let unnamed = StoredSymbol {
                id: ids[at],
                name: 0,
                file,
                at: at as u32,
                kind: symbol.kind,
                visibility: symbol.visibility,
                modifiers: Modifiers(symbol.modifiers),
                parent: id_of(&ids, symbol.parent),
                first_line: symbol.first_line,
                last_line: symbol.last_line,
            };
            if old.is_some_and(|old| held.is_symbol(old, &unnamed)) {
                continue;
            }
            let row = StoredSymbol { name: self.name_id(new.name(symbol.name))?, ..unnamed };
            match old {
                Some(_) => symbols::update(self.db, &row)?,
                None => symbols::insert_with(&mut *self.db.prepare_cached(symbols::INSERT)?, &row)?,
            }
        }
        for old in stable_ids::left_over(&matched, held.symbols.len()) {
            self.sever(NodeId::from(SymbolId(held.symbols[old])))?;
            symbols::delete(self.db, held.symbols[old])?;
            self.release(held.digest.name(held.digest.symbols[old].name))?;
        }
        Ok(ids)
    }

    fn put_tags(&mut self, held: &StoredFile, new: &OutlineSummary, ids: &[i64]) -> rusqlite::Result<()> {
        let mut before: BTreeSet<_> = said(&held.digest, &held.symbols).collect();
        for tag in said(new, ids) {
            if !before.remove(&tag) {
                let (text, what, symbol) = tag;
                let name = self.name_id(text)?;
                tags::insert(self.db, TagRow { name, what, symbol })?;
            }
        }
        for (text, what, symbol) in before {
            if let Some(name) = self.known_name(text)? {
                tags::delete(self.db, TagRow { name, what, symbol })?;
                self.released.insert(name);
            }
        }
        Ok(())
    }

    fn put_chunks(
        &mut self,
        file: i64,
        held: &StoredFile,
        new: &OutlineSummary,
        ids: &[i64],
    ) -> rusqlite::Result<Vec<i64>> {
        let matched = stable_ids::chunks((&held.digest.chunks, &held.symbols), (&new.chunks, ids));
        let mut chunk_ids = Vec::with_capacity(new.chunks.len());
        for (at, (chunk, old)) in new.chunks.iter().zip(&matched).enumerate() {
            let id = match old {
                Some(old) => held.chunks[*old as usize],
                None => take_next(&mut self.next.next_chunk),
            };
            chunk_ids.push(id);
            let row = ChunkRow {
                id: ChunkId(id),
                file: FileId(file),
                at: at as u32,
                kind: chunk.kind,
                symbol: id_of(ids, chunk.symbol).map(SymbolId),
                first_line: chunk.first_line,
                last_line: chunk.last_line,
            };
            match old {
                Some(old) if *old == row.at && held.digest.chunks[at].same_lines(chunk) => {}
                Some(_) => chunks::update(self.db, &row)?,
                None => chunks::insert_with(&mut *self.db.prepare_cached(chunks::INSERT)?, &row)?,
            }
        }
        for old in stable_ids::left_over(&matched, held.chunks.len()) {
            chunks::delete(self.db, held.chunks[old])?;
        }
        Ok(chunk_ids)
    }

    fn release(&mut self, name: &str) -> rusqlite::Result<()> {
        if let Some(id) = self.known_name(name)? {
            self.released.insert(id);
        }
        Ok(())
    }
}

impl Drop for ChangeSet<'_> {
    fn drop(&mut self) {
        if self.open {
            let _ = self.db.execute_batch("ROLLBACK");
        }
    }
}

/// The stored rows of a file before a change.
#[derive(Default)]
struct StoredFile {
    symbols: Vec<i64>,
    chunks: Vec<i64>,
    digest: OutlineSummary,
    data: Vec<u8>,
}

impl StoredFile {
    /// Whether the stored row of a symbol equals `row`.
    fn is_symbol(&self, old: u32, row: &StoredSymbol) -> bool {
        let symbol = &self.digest.symbols[old as usize];
        old == row.at
            && symbol.visibility == row.visibility
            && symbol.modifiers == row.modifiers.0
            && (symbol.first_line, symbol.last_line) == (row.first_line, row.last_line)
            && id_of(&self.symbols, symbol.parent) == row.parent
    }
}

/// The tags of an outline as names, kinds and symbol ids.
fn said<'d>(digest: &'d OutlineSummary, ids: &'d [i64]) -> impl Iterator<Item = (&'d str, TagKind, i64)> {
    digest.tags.iter().map(|tag| (digest.name(tag.name), tag.what, ids[tag.symbol as usize]))
}

/// Deletes the manifest of all files, which is out of date.
pub(crate) fn delete_manifests(db: &Connection) -> rusqlite::Result<()> {
    tree_manifests::put(db, ManifestKind::Tree as u8, None)
}

/// Writes the manifest of all files as they are now, or deletes it.
pub(crate) fn write_manifest(
    db: &Connection,
    manifest: impl FnOnce(&[ManifestEntry]) -> Option<Vec<u8>>,
) -> rusqlite::Result<()> {
    let data = manifest(&files::listed(db)?);
    tree_manifests::put(db, ManifestKind::Tree as u8, data.as_deref())
}

pub(crate) fn take_next(counter: &mut i64) -> i64 {
    *counter += 1;
    *counter - 1
}

fn id_of(ids: &[i64], at: u32) -> Option<i64> {
    if at == NONE { None } else { ids.get(at as usize).copied() }
}

fn digest(file: &FilePut) -> Option<&OutlineSummary> {
    file.facts.as_ref().map(|facts| &facts.digest)
}
