//! `cache.db`: facts by content hash, provider vectors by text and the history index, shared by all working trees of a repository.
//!
//! The cache only saves work. Whatever goes wrong with it, it is recreated or disabled, and no caller has to handle that.

mod adopt;
pub(crate) mod history;
pub(crate) mod provider_vectors;
mod salvage;

use crate::cache::salvage::MovedCache;
use crate::codec::Encoded;
use crate::connection::database::{Db, cannot_open};
use crate::connection::database_path::DatabasePath;
use crate::connection::open::{needs_room, open_alone, prepared};
use crate::connection::vfs;
use crate::connection::write_lock;
use crate::error::{StoreError, is_damage, mismatched};
use crate::integrity::damaged_files::FileKey;
use crate::integrity::page_checksum;
use crate::integrity::seal;
use orient_model::ContentHash;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Result, Row, params};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The format of the cache. A cache of another format is emptied, except for provider vectors.
/// 3: checksums of pages, and of the facts of a content including its key.
const FORMAT: u32 = 3;
const APPLICATION: u32 = 0x4f72_6e63;
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to wait for another writer before giving up on data that is cheap to recompute.
const FACTS_PATIENCE: Duration = Duration::from_millis(150);
/// How long no facts are written after such a wait failed: the other process may be stuck.
const FACTS_PAUSE: Duration = Duration::from_secs(10);
/// An upper bound of the time to write a page.
const SETTLING: Duration = Duration::from_millis(100);

/// A crash may lose the last entries; the write-ahead log may grow to 32 MiB. Entries are blobs of a few kilobytes: with
/// small pages a seventh of the file is unused, with these a thirtieth. A server keeps the cache open, and its page cache
/// fills as files change.
const PAGE: &str = "PRAGMA page_size = 32768";
const WRITING: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096; \
     PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -2048;";
/// Checksums cover key and bytes, so the facts of one content are never taken for those of another, whatever happened to the
/// file. The small table is searched and updated; the large one is only read on a hit.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS entry (
        key   BLOB PRIMARY KEY,
        facts INTEGER NOT NULL,
        used  INTEGER NOT NULL -- day of the last use
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS facts (
        id      INTEGER PRIMARY KEY,
        outline_sum INTEGER NOT NULL,
        flow_sum    INTEGER NOT NULL,
        outline BLOB NOT NULL,
        flow    BLOB NOT NULL
    ) STRICT;";
/// Created whenever a cache is opened for writing, since older caches lack it.
const COMMITS: &str = "CREATE TABLE IF NOT EXISTS whole (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;";

const GET: &str = "SELECT outline, flow, outline_sum, flow_sum FROM entry JOIN facts ON facts.id = entry.facts WHERE key = ?1";
/// The facts of one content by all versions of the extractor, which are neighbours.
const GET_CONTENT: &str = "SELECT outline, flow, outline_sum, flow_sum, key FROM entry JOIN facts ON facts.id = entry.facts \
     WHERE key BETWEEN ?1 AND ?2 ORDER BY key";
const GET_OUTLINE: &str =
    "SELECT outline, outline_sum FROM entry JOIN facts ON facts.id = entry.facts WHERE key = ?1";
const HAS: &str = "SELECT 1 FROM entry WHERE key = ?1";
const PUT_FACTS: &str = "INSERT INTO facts (outline, flow, outline_sum, flow_sum) VALUES (?1, ?2, ?3, ?4)";
const PUT_ENTRY: &str = "INSERT INTO entry VALUES (?1, ?2, ?3)";
const TOUCH: &str = "UPDATE entry SET used = ?2 WHERE key = ?1 AND used < ?2";
const ENTRIES: &str = "SELECT key, facts, used FROM entry ORDER BY key";
const DELETE_ENTRY: &str = "DELETE FROM entry WHERE key = ?1";
const DELETE_FACTS: &str = "DELETE FROM facts WHERE id = ?1";
const HAS_COMMIT: &str = "SELECT 1 FROM whole WHERE id = ?1";
const INSERT_COMMIT: &str = "INSERT OR IGNORE INTO whole VALUES (?1)";
const DELETE_COMMITS: &str = "DELETE FROM whole";
const COUNT: &str = "SELECT count(*) FROM entry";
const PAGES: &str = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";

/// What facts depend on: the content and the version of the extractor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CacheKey([u8; 24]);

impl CacheKey {
    /// A key of a content and an extractor version. The version must also differ between languages.
    pub fn new(content: ContentHash, extractor: u64) -> Self {
        let mut key = [0; 24];
        key[..16].copy_from_slice(&content.0);
        key[16..].copy_from_slice(&extractor.to_be_bytes());
        Self(key)
    }

    /// The checksum of what is stored under this key.
    fn sum(&self, bytes: &[u8]) -> i64 {
        page_checksum::checksum(bytes, page_checksum::checksum(&self.0, bytes.len() as u64)).cast_signed()
    }

    /// The key with these bytes; `None` if they are not one.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The facts of a content that versions of the extractor made for which `is_current` holds.
    pub(crate) fn facts_of(
        db: &Connection,
        content: [u8; 16],
        is_current: &dyn Fn(u64) -> bool,
    ) -> Result<Vec<(Self, CachedFacts)>> {
        let (mut first, mut last) = ([0; 24], [0xff; 24]);
        first[..16].copy_from_slice(&content);
        last[..16].copy_from_slice(&content);
        let mut statement = db.prepare_cached(GET_CONTENT)?;
        let mut rows = statement.query([&first[..], &last[..]])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let key = Self(row.get(4)?);
            let mut version = [0; 8];
            version.copy_from_slice(&key.0[16..]);
            if is_current(u64::from_be_bytes(version)) {
                found.push((
                    key,
                    CachedFacts { outline: part(&key, row, 0, 2)?, flow: part(&key, row, 1, 3)? },
                ));
            }
        }
        Ok(found)
    }

    /// Inserts facts; returns whether they were new.
    pub(crate) fn insert(&self, db: &Connection, facts: &CachedFacts, day: u32) -> Result<bool> {
        if db.prepare_cached(HAS)?.exists([&self.0[..]])? {
            return Ok(false);
        }
        let (outline, flow) = (facts.outline.as_bytes(), facts.flow.as_bytes());
        let parts = params![outline, flow, self.sum(outline), self.sum(flow)];
        let id = db.prepare_cached(PUT_FACTS)?.insert(parts)?;
        db.prepare_cached(PUT_ENTRY)?.execute(params![&self.0[..], id, day])?;
        Ok(true)
    }

    /// The hash of the content.
    pub fn content(&self) -> ContentHash {
        let mut hash = [0; 16];
        hash.copy_from_slice(&self.0[..16]);
        ContentHash(hash)
    }
}

/// The facts of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedFacts {
    /// The outline.
    pub outline: Encoded,
    /// The flow.
    pub flow: Encoded,
}

/// The state of a cache after it was opened or used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheState {
    /// It works.
    Ready,
    /// It can be read but not written.
    ReadOnly,
    /// It was damaged or had another format, and starts empty.
    Recreated,
    /// It cannot be used, for this reason. Every lookup misses.
    Off(String),
}

/// The result of a clean-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Entries removed.
    pub entries: u64,
    /// Entries kept.
    pub kept: u64,
    /// Bytes freed.
    pub bytes: u64,
}

/// The facts of known contents.
pub struct Cache {
    path: PathBuf,
    /// The file that is open.
    file: Option<FileKey>,
    db: Option<Db>,
    state: CacheState,
    /// When writing facts was last abandoned because another process was writing.
    blocked: Option<Instant>,
}

impl Cache {
    /// Opens the cache at a path; creates or recreates it if necessary.
    pub fn open(path: &Path) -> Self {
        let mut cache =
            Self { path: path.to_path_buf(), file: None, db: None, state: CacheState::Ready, blocked: None };
        let place = match DatabasePath::make(path).or_else(|error| DatabasePath::at(path).map_err(|_| error))
        {
            Ok(place) => place,
            Err(error) => {
                cache.off_because(&error.to_string());
                return cache;
            }
        };
        let opened = {
            // Two processes must not create it at once.
            let _alone = write_lock::replacing_soon(&place.directory);
            open_writable(&place)
        };
        match opened {
            Ok(db) => (cache.db, cache.file) = (Some(db), FileKey::at(path)),
            Err(error) if is_damage(&error) || is_foreign(&error) => cache.recreate(),
            Err(error) => cache.read_only(&place, &error),
        }
        cache
    }

    /// Verifies all pages of the cache at a path and empties it if one is damaged. Returns what was wrong.
    pub fn check(path: &Path) -> Option<String> {
        let place = DatabasePath::at(path).ok()?;
        seal::scan(&place).ok()?.err()?;
        // A page that was being written is complete now.
        std::thread::sleep(SETTLING);
        let wrong = seal::scan(&place).ok()?.err()?;
        let mut cache = Self::open(path);
        cache.recreate();
        Some(wrong)
    }

    /// A cache that stores nothing, for runs without a store.
    pub fn off() -> Self {
        let state = CacheState::Off("not asked for".to_owned());
        Self { path: PathBuf::new(), file: None, db: None, state, blocked: None }
    }

    /// Its state.
    pub fn state(&self) -> &CacheState {
        &self.state
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The connection, for reading; `None` if the cache cannot be used.
    pub(crate) fn reading(&self) -> Option<&Connection> {
        self.db.as_deref()
    }

    /// The connection, if the cache can be written.
    pub(crate) fn writing(&self) -> Option<&Connection> {
        self.db.as_deref().filter(|_| self.state != CacheState::ReadOnly)
    }

    /// The facts of a content.
    pub fn get(&mut self, key: &CacheKey) -> Option<CachedFacts> {
        self.attempt(|db| {
            db.prepare_cached(GET)?
                .query_row([&key.0[..]], |row| {
                    Ok(CachedFacts { outline: part(key, row, 0, 2)?, flow: part(key, row, 1, 3)? })
                })
                .optional()
        })
        .flatten()
    }

    /// The outline of a content, without reading its flow.
    pub fn get_outline(&mut self, key: &CacheKey) -> Option<Encoded> {
        self.attempt(|db| {
            db.prepare_cached(GET_OUTLINE)?.query_row([&key.0[..]], |row| part(key, row, 0, 1)).optional()
        })
        .flatten()
    }

    /// Whether the facts of a content are stored.
    pub fn has(&mut self, key: &CacheKey) -> bool {
        self.attempt(|db| db.prepare_cached(HAS)?.exists([&key.0[..]])).unwrap_or_default()
    }

    /// Adds facts in one transaction; existing entries stay. `day` is the day of use.
    pub fn put_many<'f>(&mut self, facts: impl IntoIterator<Item = (CacheKey, &'f CachedFacts)>, day: u32) {
        self.write_facts(|db| {
            facts.into_iter().try_for_each(|(key, facts)| key.insert(db, facts, day).map(drop))
        });
    }

    /// Writes data that can be recomputed in one transaction; gives up if another process holds the lock too long.
    fn write_facts(&mut self, act: impl FnOnce(&Connection) -> Result<()>) {
        let paused = self.blocked.is_some_and(|at| at.elapsed() < FACTS_PAUSE);
        if self.state == CacheState::ReadOnly || paused {
            return;
        }
        let mut blocked = false;
        self.attempt(|db| {
            db.busy_timeout(FACTS_PATIENCE)?;
            let done = in_transaction(db, act);
            db.busy_timeout(PATIENCE)?;
            blocked =
                done.as_ref().is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy));
            done
        });
        self.blocked = blocked.then(Instant::now);
    }

    /// Whether a set of contents was recorded as completely known.
    pub fn has_commit(&mut self, id: &[u8]) -> bool {
        self.attempt(|db| db.prepare_cached(HAS_COMMIT)?.exists([id])).unwrap_or_default()
    }

    /// Records that a set of contents is completely known, until an entry is removed.
    pub fn record_commit(&mut self, id: &[u8]) {
        if self.state != CacheState::ReadOnly {
            self.attempt(|db| db.prepare_cached(INSERT_COMMIT)?.execute([id]));
        }
    }

    /// Records that facts were used on a day.
    pub fn touch(&mut self, keys: impl IntoIterator<Item = CacheKey>, day: u32) {
        self.write_facts(|db| {
            let mut touch = db.prepare_cached(TOUCH)?;
            keys.into_iter().try_for_each(|key| touch.execute(params![&key.0[..], day]).map(drop))
        });
    }

    /// Removes the entries for which `keep` returns false, given the day of their last use, and frees their space.
    pub fn prune(&mut self, keep: impl FnMut(&CacheKey, u32) -> bool) -> Pruned {
        if self.state == CacheState::ReadOnly {
            return Pruned::default();
        }
        let before = self.bytes();
        let mut pruned =
            self.attempt(|db| in_transaction(db, |db| delete_unless(db, keep))).unwrap_or_default();
        if pruned.entries > 0 {
            self.attempt(|db| db.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);"));
            pruned.bytes = before.saturating_sub(self.bytes());
        }
        pruned
    }

    /// The number of contents.
    pub fn entries(&mut self) -> u64 {
        self.attempt(|db| db.query_row(COUNT, [], |row| row.get(0))).unwrap_or_default()
    }

    /// The size of the file.
    pub fn bytes(&mut self) -> u64 {
        self.attempt(|db| db.query_row(PAGES, [], |row| row.get(0))).unwrap_or_default()
    }

    /// Runs a query. Damage recreates the cache; any other failure is a miss.
    pub(crate) fn attempt<T>(&mut self, act: impl FnOnce(&Connection) -> Result<T>) -> Option<T> {
        match act(self.db.as_deref()?) {
            Ok(value) => Some(value),
            Err(error) => {
                if is_damage(&error) {
                    self.recreate();
                }
                None
            }
        }
    }

    fn recreate(&mut self) {
        self.db = None;
        let Ok(place) = DatabasePath::at(&self.path) else {
            return self.off_because("its directory is missing");
        };
        let Ok(_alone) = write_lock::replacing(&place.directory) else {
            return self.off_because("it is damaged and cannot be replaced");
        };
        // Another process may have replaced it already.
        let there = FileKey::at(&self.path);
        if there != self.file
            && let Ok(db) = open_writable(&place)
        {
            (self.db, self.file) = (Some(db), there);
            return;
        }
        let old = MovedCache::move_from(&place);
        match open_writable(&place) {
            Ok(db) => {
                old.copy_into(&db);
                (self.db, self.state) = (Some(db), CacheState::Recreated);
                self.file = FileKey::at(&self.path);
            }
            Err(error) => self.off_because(&error.to_string()),
        }
    }

    fn read_only(&mut self, place: &DatabasePath, reason: &rusqlite::Error) {
        match open_readable(place) {
            Ok(db) => (self.db, self.state) = (Some(db), CacheState::ReadOnly),
            Err(_) => self.off_because(&reason.to_string()),
        }
    }

    fn off_because(&mut self, reason: &str) {
        (self.db, self.state) = (None, CacheState::Off(reason.to_owned()));
    }
}

/// Part of the facts of a content, if its checksum matches.
fn part(key: &CacheKey, row: &Row<'_>, column: usize, sum: usize) -> Result<Encoded> {
    let bytes = row.get_ref(column)?.as_blob()?;
    if key.sum(bytes) == row.get::<_, i64>(sum)? {
        Ok(Encoded::from_bytes(bytes))
    } else {
        Err(mismatched(column))
    }
}

fn open_writable(place: &DatabasePath) -> Result<Db> {
    match place.check() {
        // Something else has this name: remove it and recreate the cache.
        Err(StoreError::Damaged { .. }) => return Err(rusqlite::Error::InvalidQuery),
        checked => checked.map_err(|error| cannot_open(&error.to_string()))?,
    }
    place.make_file().map_err(|error| cannot_open(&error.to_string()))?;
    let db = prepared(vfs::creating(|| place.open(OpenFlags::SQLITE_OPEN_READ_WRITE))?);
    db.busy_timeout(PATIENCE)?;
    db.execute_batch(PAGE)?;
    vfs::reserve(&db);
    db.execute_batch(WRITING)?;
    let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let (application, format) = (number("application_id")?, number("user_version")?);
    if (application, format) == (0, 0) {
        in_transaction(&db, |db| {
            db.execute_batch(TABLES)?;
            db.pragma_update(None, "application_id", APPLICATION)?;
            db.pragma_update(None, "user_version", FORMAT)
        })?;
    } else if (application, format) != (APPLICATION, FORMAT) {
        return Err(rusqlite::Error::InvalidQuery);
    }
    db.execute_batch(COMMITS)?;
    db.execute_batch(provider_vectors::TABLES)?;
    db.execute_batch(history::TABLES)?;
    db.prepare_cached(HAS)?.exists([&[0; 24][..]])?;
    Ok(db)
}

/// Whether [`open_writable`] found a database of another program or format, or one without our tables.
fn is_foreign(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::InvalidQuery) || error.sqlite_error_code() == Some(ErrorCode::Unknown)
}

fn open_readable(place: &DatabasePath) -> Result<Db> {
    place.check().map_err(|error| cannot_open(&error.to_string()))?;
    let tried = |db: Db| {
        let db = prepared(db);
        db.prepare_cached(HAS)?.exists([&[0; 24][..]])?;
        Ok(db)
    };
    match place.open(OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(tried) {
        Err(error) if needs_room(&error) => open_alone(place).and_then(tried),
        opened => opened,
    }
}

pub(crate) fn in_transaction<T>(db: &Connection, act: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    db.execute_batch("BEGIN IMMEDIATE")?;
    let done = act(db).and_then(|value| db.execute_batch("COMMIT").map(|()| value));
    if done.is_err() {
        let _ = db.execute_batch("ROLLBACK");
    }
    done
}

fn delete_unless(db: &Connection, mut keep: impl FnMut(&CacheKey, u32) -> bool) -> Result<Pruned> {
    let mut pruned = Pruned::default();
    let mut leaving = Vec::new();
    let mut statement = db.prepare_cached(ENTRIES)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let key: [u8; 24] = row.get(0)?;
        if keep(&CacheKey(key), row.get(2)?) {
            pruned.kept += 1;
        } else {
            leaving.push((key, row.get::<_, i64>(1)?));
        }
    }
    if !leaving.is_empty() {
        db.prepare_cached(DELETE_COMMITS)?.execute([])?;
    }
    for (key, facts) in leaving {
        db.prepare_cached(DELETE_ENTRY)?.execute([&key[..]])?;
        db.prepare_cached(DELETE_FACTS)?.execute([facts])?;
        pruned.entries += 1;
    }
    Ok(pruned)
}
