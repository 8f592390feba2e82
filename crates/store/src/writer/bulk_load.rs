//! Bulk load of a new index: a new database beside the old one, first the tables, then the indexes, then an atomic swap.
//!
//! No process sees the new file before it is complete. A process that is killed leaves the old file, or none.

use crate::codec::id_list;
use crate::connection::database::Db;
use crate::connection::database_path::DatabasePath;
use crate::connection::open;
use crate::connection::write_lock::{self, WriteLock};
use crate::error::{AtPath, StoreError};
use crate::format_version::Header;
use crate::graph::{GraphLoad, InMemorySymbolTable, IndexedFile, PreparedGraph, SymbolTableBuilder};
use crate::integrity::damaged_files::damage;
use crate::integrity::seal;
use crate::names::interner::Interner;
use crate::postings::segments::SegmentLoad;
use crate::postings::terms::StoredTerms;
use crate::postings::trigrams::StoredTrigrams;
use crate::reader::snapshot::Snapshot;
use crate::rows::{ChunkId, ChunkRow, FileId, FilePut, ManifestEntry, SymbolId};
use crate::sql::meta::{self, Meta};
use crate::sql::symbols::StoredSymbol;
use crate::sql::{chunks, files, names, symbols, tags, vectors};
use crate::writer::change_set::write_manifest;
use crate::writer::prepared_file::{NONE, OutlineSummary};
use orient_model::Modifiers;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Loads files into a new database. Dropping it before [`BulkWriter::publish`] removes the database.
pub struct BulkWriter<'lock> {
    // Closed before the file is removed: fields are dropped in this order.
    db: Db,
    growing: Option<NewDatabase>,
    path: PathBuf,
    load: BulkLoad,
    lock: PhantomData<&'lock WriteLock>,
}

impl<'lock> BulkWriter<'lock> {
    /// Creates a database that will replace the one at `path`, in the directory of the lock. Does not replace a database of
    /// a newer version. `bytes` is the approximate size of all files.
    pub fn create(
        path: &Path,
        _lock: &'lock WriteLock,
        extractor: u64,
        bytes: u64,
    ) -> Result<Self, StoreError> {
        let place = DatabasePath::at(path)?;
        sweep(&place);
        let generation = match Header::read(&place).and_then(|header| header.check(path)) {
            Err(newer @ StoreError::Newer { .. }) => return Err(newer),
            // Do not open a damaged database: other processes may share its memory.
            _ if damage(path).is_some() => 0,
            _ => open::read(path).map_or(0, |opened| opened.meta.generation),
        };
        let growing = NewDatabase::beside(&place);
        let db = open::load(&growing.0, bytes)?;
        Self::start(db, path, Some(growing), Meta::first(extractor, generation + 1))
    }

    /// Creates a database in memory; `name` is used in messages.
    pub fn in_memory(name: &Path, extractor: u64) -> Result<BulkWriter<'static>, StoreError> {
        BulkWriter::start(open::memory(name)?, name, None, Meta::first(extractor, 1))
    }

    fn start(db: Db, path: &Path, growing: Option<NewDatabase>, meta: Meta) -> Result<Self, StoreError> {
        db.execute_batch("BEGIN").at(path)?;
        meta::create_tables(&db).at(path)?;
        let load = BulkLoad {
            meta,
            names: Interner::new(),
            langs: HashMap::new(),
            noted: SymbolTableBuilder::default(),
            numbers: Vec::new(),
            symbols: Vec::new(),
            chunks: Vec::new(),
            trigrams: SegmentLoad::default(),
            terms: SegmentLoad::default(),
        };
        Ok(Self { db, growing, path: path.to_path_buf(), load, lock: PhantomData })
    }

    /// Adds a file. Each path comes once, in any order.
    pub fn put(&mut self, file: &FilePut) -> Result<(), StoreError> {
        self.load.put(&self.db, file).at(&self.path)
    }

    /// The number of symbols so far.
    pub fn symbols(&self) -> u64 {
        (self.load.meta.next_symbol - 1).cast_unsigned()
    }

    /// Ends the list of files; their graph follows.
    pub fn graph(self) -> GraphWriter<'lock> {
        let Self { db, growing, path, load, lock } = self;
        let BulkLoad { meta, names, noted, mut trigrams, mut terms, .. } = load;
        // Free their memory now; a failure is reported when the load finishes.
        let flushed = trigrams.flush(&db).and_then(|()| terms.flush(&db));
        drop((trigrams, terms));
        let directory = Arc::new(InMemorySymbolTable::new(noted, Arc::new(names)));
        let load = GraphLoad::new(&directory, meta.next_file, meta.next_symbol);
        GraphWriter { db, growing, path, meta, directory, load, flushed, lock }
    }

    /// Replaces the old database by the new one, without a graph. Returns its generation.
    pub fn publish(self) -> Result<u64, StoreError> {
        self.graph().publish()
    }

    /// A snapshot of a database in memory, without a graph.
    pub fn into_snapshot(self) -> Result<Snapshot, StoreError> {
        self.graph().into_snapshot()
    }
}

/// Adds the graph to a new database. Dropping it before [`GraphWriter::publish`] removes the database.
pub struct GraphWriter<'lock> {
    // Closed before the file is removed: fields are dropped in this order.
    db: Db,
    growing: Option<NewDatabase>,
    path: PathBuf,
    meta: Meta,
    directory: Arc<InMemorySymbolTable>,
    load: GraphLoad,
    flushed: rusqlite::Result<()>,
    lock: PhantomData<&'lock WriteLock>,
}

impl GraphWriter<'_> {
    /// The symbol table of all files.
    pub fn symbol_table(&self) -> Arc<InMemorySymbolTable> {
        Arc::clone(&self.directory)
    }

    /// Sets the version of the embedder.
    pub fn set_embedder(&mut self, embedder: u64) {
        self.meta.embedder = embedder;
    }

    /// Sets the version of the resolver.
    pub fn set_resolver(&mut self, resolver: u64) {
        self.meta.resolver = resolver;
    }

    /// The number of files that remain owed.
    pub fn owed(&self) -> u64 {
        self.load.owed
    }

    /// Adds the graph of a file. Each file comes once, in any order.
    pub fn put(&mut self, graph: &PreparedGraph) -> Result<(), StoreError> {
        self.load.put(&self.db, graph).at(&self.path)
    }

    /// Builds the indexes and replaces the old database. Returns its generation.
    pub fn publish(self) -> Result<u64, StoreError> {
        self.publish_with(|_| None)
    }

    /// The same with a tree manifest.
    pub fn publish_with(
        self,
        manifest: impl FnOnce(&[ManifestEntry]) -> Option<Vec<u8>>,
    ) -> Result<u64, StoreError> {
        let Self { db, growing, path, meta, directory, load, flushed, .. } = self;
        drop(directory);
        flushed.and_then(|()| complete(&db, meta, load)).at(&path)?;
        write_manifest(&db, manifest).at(&path)?;
        let Some(growing) = growing else { return Ok(meta.generation) };
        db.execute_batch("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;").at(&path)?;
        db.close().at(&path)?;
        growing.0.file()?.sync_all().at(&path)?;
        swap_in(&growing.0, &path)?;
        Ok(meta.generation)
    }

    /// Builds the indexes of a database in memory and returns a snapshot of it.
    pub fn into_snapshot(self) -> Result<Snapshot, StoreError> {
        let Self { db, path, meta, load, flushed, .. } = self;
        let meta = flushed.and_then(|()| complete(&db, meta, load)).at(&path)?;
        Snapshot::in_memory(db, &path, meta)
    }
}

/// An incomplete database. Dropping it removes the file and those beside it, unless it was renamed.
pub(crate) struct NewDatabase(pub(crate) DatabasePath);

impl NewDatabase {
    /// A new database beside the one that it will replace.
    pub(crate) fn beside(place: &DatabasePath) -> Self {
        let growing = place.named(format!("{}{GROWING}{}", place.name, std::process::id()));
        growing.remove();
        Self(growing)
    }
}

impl Drop for NewDatabase {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// What a bulk load keeps in memory.
struct BulkLoad {
    meta: Meta,
    names: Interner,
    langs: HashMap<Arc<str>, i64>,
    noted: SymbolTableBuilder,
    /// The numbers of the names of the current file.
    numbers: Vec<i64>,
    /// The rows of the current file.
    symbols: Vec<StoredSymbol>,
    chunks: Vec<ChunkRow>,
    trigrams: SegmentLoad<StoredTrigrams>,
    terms: SegmentLoad<StoredTerms>,
}

impl BulkLoad {
    fn put(&mut self, db: &Connection, file: &FilePut) -> rusqlite::Result<()> {
        let id = self.meta.next_file;
        self.meta.next_file += 1;
        let lang = match &file.language {
            None => None,
            Some(language) => Some(self.lang(db, language)?),
        };
        files::insert(db, id, lang, file, file.facts.as_ref().map(|facts| &facts.digest))?;
        if let Some(trigrams) = &file.trigrams {
            self.trigrams.put(db, id, trigrams)?;
        }
        if let Some(terms) = &file.terms {
            self.terms.put(db, id, terms)?;
        }
        if !file.vectors.is_empty() {
            vectors::put(db, id, &file.vectors)?;
        }
        let Some(facts) = &file.facts else { return Ok(()) };
        let digest = &facts.digest;
        self.note(id, file, digest);
        self.number_names(db, digest)?;
        let first_symbol = self.put_symbols(db, id, digest)?;
        let first_chunk = self.put_chunks(db, id, digest, first_symbol)?;
        let symbol_ids = id_list::encode_run(first_symbol, digest.symbols.len());
        let chunk_ids = id_list::encode_run(first_chunk, digest.chunks.len());
        files::insert_outline(db, id, &symbol_ids, &chunk_ids, facts.outline.as_bytes())
    }

    fn note(&mut self, id: i64, file: &FilePut, digest: &OutlineSummary) {
        let language = file.language.as_deref().and_then(|name| self.langs.get_key_value(name));
        let noted = IndexedFile {
            id: FileId(id),
            path: file.path.clone(),
            language: language.map(|(name, _)| Arc::clone(name)),
            role: file.role,
            hash: file.hash,
            is_project_file: digest.is_project_file,
        };
        self.noted.file(noted, self.meta.next_symbol);
    }

    fn lang(&mut self, db: &Connection, language: &str) -> rusqlite::Result<i64> {
        if let Some(&id) = self.langs.get(language) {
            return Ok(id);
        }
        let id = meta::lang_id(db, language)?;
        self.langs.insert(language.into(), id);
        Ok(id)
    }

    fn number_names(&mut self, db: &Connection, digest: &OutlineSummary) -> rusqlite::Result<()> {
        self.numbers.clear();
        let mut append = names::Appending::to(db)?;
        for (_, text) in digest.names.iter() {
            let (number, new) = self.names.intern(text);
            if new {
                append.put(text)?;
            }
            self.numbers.push(number);
        }
        Ok(())
    }

    fn put_symbols(&mut self, db: &Connection, file: i64, digest: &OutlineSummary) -> rusqlite::Result<i64> {
        let first = self.meta.next_symbol;
        self.symbols.clear();
        for (at, symbol) in (0..).zip(&digest.symbols) {
            self.noted.symbol(self.numbers[symbol.name as usize], symbol.kind, Modifiers(symbol.modifiers));
            self.symbols.push(StoredSymbol {
                id: first + i64::from(at),
                name: self.numbers[symbol.name as usize],
                file,
                at,
                kind: symbol.kind,
                visibility: symbol.visibility,
                modifiers: Modifiers(symbol.modifiers),
                parent: id_at(first, symbol.parent),
                first_line: symbol.first_line,
                last_line: symbol.last_line,
            });
        }
        let (many, rest) = self.symbols.as_chunks::<{ symbols::AT_ONCE }>();
        let mut append = db.prepare_cached(symbols::APPEND_MANY)?;
        many.iter().try_for_each(|rows| symbols::append_with(&mut append, rows))?;
        let mut append = db.prepare_cached(symbols::APPEND)?;
        rest.chunks(1).try_for_each(|row| symbols::append_with(&mut append, row))?;
        self.meta.next_symbol += i64::from(digest.symbols.len() as u32);
        let mut insert = db.prepare_cached(tags::INSERT)?;
        for tag in &digest.tags {
            insert.execute(params![
                self.numbers[tag.name as usize],
                tag.what as u8,
                first + i64::from(tag.symbol)
            ])?;
        }
        Ok(first)
    }

    fn put_chunks(
        &mut self,
        db: &Connection,
        file: i64,
        digest: &OutlineSummary,
        symbols: i64,
    ) -> rusqlite::Result<i64> {
        let first = self.meta.next_chunk;
        self.chunks.clear();
        for (at, chunk) in (0..).zip(&digest.chunks) {
            self.chunks.push(ChunkRow {
                id: ChunkId(first + i64::from(at)),
                file: FileId(file),
                at,
                kind: chunk.kind,
                symbol: id_at(symbols, chunk.symbol).map(SymbolId),
                first_line: chunk.first_line,
                last_line: chunk.last_line,
            });
        }
        let (many, rest) = self.chunks.as_chunks::<{ chunks::AT_ONCE }>();
        let mut append = db.prepare_cached(chunks::APPEND_MANY)?;
        many.iter().try_for_each(|rows| chunks::append_with(&mut append, rows))?;
        let mut append = db.prepare_cached(chunks::APPEND)?;
        rest.chunks(1).try_for_each(|row| chunks::append_with(&mut append, row))?;
        self.meta.next_chunk += i64::from(digest.chunks.len() as u32);
        Ok(first)
    }
}

fn complete(db: &Connection, mut meta: Meta, load: GraphLoad) -> rusqlite::Result<Meta> {
    meta.next_name = load.next_name();
    meta.owed = load.owed;
    load.finish(db)?;
    meta::insert(db, &meta)?;
    meta::create_indexes(db)?;
    db.execute_batch("COMMIT")?;
    Ok(meta)
}

fn id_at(first: i64, at: u32) -> Option<i64> {
    (at != NONE).then(|| first + i64::from(at))
}

const GROWING: &str = ".new-";

/// Removes the files of loads that were killed. No other load can be running: the caller holds the write lock.
fn sweep(place: &DatabasePath) {
    let prefix = format!("{}{GROWING}", place.name);
    for name in place.directory.names().unwrap_or_default() {
        if let Some(name) = name.to_str().filter(|name| name.starts_with(&prefix)) {
            let _ = place.directory.remove(name);
        }
    }
}

/// Replaces a database that may be in use by a complete new one.
///
/// Connections to the old database keep it, with its log, until they close. The old log is checkpointed first, so that a
/// crash between the two steps leaves an old file that is complete without its log.
pub(crate) fn swap_in(new: &DatabasePath, path: &Path) -> Result<(), StoreError> {
    swap_in_sealed(new, path, seal::first)
}

/// The same; `seal` creates the seal.
pub(crate) fn swap_in_sealed(
    new: &DatabasePath,
    path: &Path,
    seal: impl FnOnce(&DatabasePath),
) -> Result<(), StoreError> {
    let old = DatabasePath::at(path)?;
    let _replacing = write_lock::replacing(&old.directory)?;
    seal::remove(&old);
    if damage(path).is_none() {
        open::checkpoint_and_truncate(&old);
    }
    for name in old.everything_beside() {
        match old.directory.remove(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io(&old.directory.path().join(name), error));
            }
            _ => {}
        }
    }
    old.directory.rename(&new.name, &old.name).at(path)?;
    seal(&old);
    old.directory.sync().or_else(ignore_unsupported).at(path)
}

/// Some platforms cannot sync a directory; the rename has to suffice there.
fn ignore_unsupported(error: std::io::Error) -> std::io::Result<()> {
    use std::io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) { Ok(()) } else { Err(error) }
}
