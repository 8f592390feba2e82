//! The first load of a repository: a new database beside the old one, tables first, indexes after, then swapped in.
//!
//! Nobody sees the new file before it is whole; a process killed at any moment leaves the old one, or none.

use crate::codec::id_list;
use crate::connection::database::Db;
use crate::connection::database_path::Located;
use crate::connection::open;
use crate::connection::write_lock::{self, WriteLock};
use crate::error::{AtPath, StoreError};
use crate::format_version::Header;
use crate::graph::{Directory, DirectoryFile, GraphLoad, Noted, PreparedGraph};
use crate::integrity::damaged_files::damage;
use crate::integrity::seal;
use crate::names::interner::Interner;
use crate::postings::terms::TermLoad;
use crate::postings::trigrams::GramLoad;
use crate::reader::snapshot::Snapshot;
use crate::rows::{ChunkId, ChunkRow, FileId, FilePut, Listed, SymbolId};
use crate::sql::meta::{self, Meta};
use crate::sql::symbols::StoredSymbol;
use crate::sql::{chunks, files, names, symbols, tags, terms as term_tables};
use crate::writer::change_set::put_sheet;
use crate::writer::prepared_file::{Digest, NONE};
use orient_model::Modifiers;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Loads files into a new database. Dropped before [`BulkWriter::publish`], it leaves nothing.
pub struct BulkWriter<'lock> {
    // Closed before the file is removed: fields are dropped in this order.
    db: Db,
    growing: Option<Growing>,
    path: PathBuf,
    load: Load,
    lock: PhantomData<&'lock WriteLock>,
}

impl<'lock> BulkWriter<'lock> {
    /// Starts a new database that will take the place of `path`, which lies in the folder of the lock; not of one
    /// that a newer program wrote. The files to come have about so many bytes.
    pub fn create(
        path: &Path,
        _lock: &'lock WriteLock,
        extractor: u64,
        bytes: u64,
    ) -> Result<Self, StoreError> {
        let place = Located::at(path)?;
        sweep(&place);
        let generation = match Header::read(&place).and_then(|header| header.check(path)) {
            Err(newer @ StoreError::Newer { .. }) => return Err(newer),
            // What is damaged is not opened again: processes that have it open share memory with whoever does.
            _ if damage(path).is_some() => 0,
            _ => open::read(path).map_or(0, |opened| opened.meta.generation),
        };
        let growing = Growing::beside(&place);
        let db = open::load(&growing.0, bytes)?;
        Self::start(db, path, Some(growing), Meta::first(extractor, generation + 1))
    }

    /// Starts a database in memory; `name` stands for it in messages.
    pub fn in_memory(name: &Path, extractor: u64) -> Result<BulkWriter<'static>, StoreError> {
        BulkWriter::start(open::memory(name)?, name, None, Meta::first(extractor, 1))
    }

    fn start(db: Db, path: &Path, growing: Option<Growing>, meta: Meta) -> Result<Self, StoreError> {
        db.execute_batch("BEGIN").at(path)?;
        meta::create_tables(&db).at(path)?;
        let load = Load {
            meta,
            names: Interner::new(),
            langs: HashMap::new(),
            noted: Noted::default(),
            numbers: Vec::new(),
            symbols: Vec::new(),
            chunks: Vec::new(),
            grams: GramLoad::default(),
            terms: TermLoad::default(),
        };
        Ok(Self { db, growing, path: path.to_path_buf(), load, lock: PhantomData })
    }

    /// Adds a file. Each path may come once, in any order.
    pub fn put(&mut self, file: &FilePut) -> Result<(), StoreError> {
        self.load.put(&self.db, file).at(&self.path)
    }

    /// How many symbols were put so far.
    pub fn symbols(&self) -> u64 {
        (self.load.meta.next_symbol - 1).cast_unsigned()
    }

    /// Ends the list of files: what follows is their graph.
    pub fn graph(self) -> GraphWriter<'lock> {
        let Self { db, growing, path, load, lock } = self;
        let Load { meta, names, noted, mut grams, mut terms, .. } = load;
        // Their memory is needed now; what went wrong is told when the work is done.
        let flushed = grams.flush(&db).and_then(|()| terms.flush(&db));
        drop((grams, terms));
        let directory = Arc::new(Directory::new(noted, Arc::new(names)));
        let load = GraphLoad::new(&directory, meta.next_file, meta.next_symbol);
        GraphWriter { db, growing, path, meta, directory, load, flushed, lock }
    }

    /// Puts the new database, without a graph, in the place of the old one. Returns its generation.
    pub fn publish(self) -> Result<u64, StoreError> {
        self.graph().publish()
    }

    /// Reads from a database in memory, without a graph.
    pub fn into_snapshot(self) -> Result<Snapshot, StoreError> {
        self.graph().into_snapshot()
    }
}

/// Adds their graph to the files of a new database. Dropped before [`GraphWriter::publish`], it leaves nothing.
pub struct GraphWriter<'lock> {
    // Closed before the file is removed: fields are dropped in this order.
    db: Db,
    growing: Option<Growing>,
    path: PathBuf,
    meta: Meta,
    directory: Arc<Directory>,
    load: GraphLoad,
    flushed: rusqlite::Result<()>,
    lock: PhantomData<&'lock WriteLock>,
}

impl GraphWriter<'_> {
    /// All files and names that were put.
    pub fn directory(&self) -> Arc<Directory> {
        Arc::clone(&self.directory)
    }

    /// The version of what made the vectors.
    pub fn set_embedder(&mut self, embedder: u64) {
        self.meta.embedder = embedder;
    }

    /// The version of the resolution that the edges come from.
    pub fn set_resolver(&mut self, resolver: u64) {
        self.meta.resolver = resolver;
    }

    /// Adds what resolving a file gave. Each file may come once, in any order.
    pub fn put(&mut self, graph: &PreparedGraph) -> Result<(), StoreError> {
        self.load.put(&self.db, graph).at(&self.path)
    }

    /// Builds the indexes and puts the new database in the place of the old one. Returns its generation.
    pub fn publish(self) -> Result<u64, StoreError> {
        self.publish_with(|_| None)
    }

    /// The same, with a sheet of all files.
    pub fn publish_with(self, sheet: impl FnOnce(&[Listed]) -> Option<Vec<u8>>) -> Result<u64, StoreError> {
        let Self { db, growing, path, meta, directory, load, flushed, .. } = self;
        drop(directory);
        flushed.and_then(|()| complete(&db, meta, load)).at(&path)?;
        put_sheet(&db, sheet).at(&path)?;
        let Some(growing) = growing else { return Ok(meta.generation) };
        db.execute_batch("PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL;").at(&path)?;
        db.close().at(&path)?;
        growing.0.file()?.sync_all().at(&path)?;
        swap_in(&growing.0, &path)?;
        Ok(meta.generation)
    }

    /// Builds the indexes of a database in memory and reads from it.
    pub fn into_snapshot(self) -> Result<Snapshot, StoreError> {
        let Self { db, path, meta, load, flushed, .. } = self;
        let meta = flushed.and_then(|()| complete(&db, meta, load)).at(&path)?;
        Snapshot::in_memory(db, &path, meta)
    }
}

/// A database that is not whole yet; removed with what lies beside it unless it was moved away.
pub(crate) struct Growing(pub(crate) Located);

impl Growing {
    /// A new one, beside the database whose place it will take.
    pub(crate) fn beside(place: &Located) -> Self {
        let growing = place.named(format!("{}{GROWING}{}", place.name, std::process::id()));
        growing.remove();
        Self(growing)
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// What is kept in memory while files stream through.
struct Load {
    meta: Meta,
    names: Interner,
    langs: HashMap<Arc<str>, i64>,
    noted: Noted,
    /// The numbers of the names of the file at hand.
    numbers: Vec<i64>,
    /// The rows of the file at hand.
    symbols: Vec<StoredSymbol>,
    chunks: Vec<ChunkRow>,
    grams: GramLoad,
    terms: TermLoad,
}

impl Load {
    fn put(&mut self, db: &Connection, file: &FilePut) -> rusqlite::Result<()> {
        let id = self.meta.next_file;
        self.meta.next_file += 1;
        let lang = match &file.language {
            None => None,
            Some(language) => Some(self.lang(db, language)?),
        };
        files::insert(db, id, lang, file, file.facts.as_ref().map(|facts| &facts.digest))?;
        if let Some(grams) = &file.grams {
            self.grams.put(db, id, grams)?;
        }
        if let Some(terms) = &file.terms {
            self.terms.put(db, id, terms)?;
        }
        if !file.vectors.is_empty() {
            term_tables::put_vectors(db, id, &file.vectors)?;
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

    fn note(&mut self, id: i64, file: &FilePut, digest: &Digest) {
        let language = file.language.as_deref().and_then(|name| self.langs.get_key_value(name));
        let noted = DirectoryFile {
            id: FileId(id),
            path: file.path.clone(),
            language: language.map(|(name, _)| Arc::clone(name)),
            role: file.role,
            hash: file.hash,
            manifest: digest.manifest,
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

    fn number_names(&mut self, db: &Connection, digest: &Digest) -> rusqlite::Result<()> {
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

    fn put_symbols(&mut self, db: &Connection, file: i64, digest: &Digest) -> rusqlite::Result<i64> {
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
        digest: &Digest,
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

/// Removes what killed loads left. Nobody else can be loading: the caller holds the lock.
fn sweep(place: &Located) {
    let prefix = format!("{}{GROWING}", place.name);
    for name in place.folder.names().unwrap_or_default() {
        if let Some(name) = name.to_str().filter(|name| name.starts_with(&prefix)) {
            let _ = place.folder.remove(name);
        }
    }
}

/// Puts a whole new database in the place of another that may be in use.
///
/// Readers that have the old one open keep it, with its log, until they close it. The old log is emptied into the
/// old file first, so that dying between the two steps leaves an old file that is whole without it.
pub(crate) fn swap_in(new: &Located, path: &Path) -> Result<(), StoreError> {
    let old = Located::at(path)?;
    let _replacing = write_lock::replacing(&old.folder)?;
    seal::remove(&old);
    if damage(path).is_none() {
        open::empty_log(&old);
    }
    for name in old.everything_beside() {
        match old.folder.remove(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io(&old.folder.path().join(name), error));
            }
            _ => {}
        }
    }
    old.folder.rename(&new.name, &old.name).at(path)?;
    seal::first(&old);
    old.folder.sync().or_else(ignore_unsupported).at(path)
}

/// Some platforms cannot sync a folder; there the rename itself must do.
fn ignore_unsupported(error: std::io::Error) -> std::io::Result<()> {
    use std::io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) { Ok(()) } else { Err(error) }
}
