//! The row of `meta`, the languages, and the schema.

use rusqlite::{Connection, OptionalExtension, Result, params};

const TABLES: &str = include_str!("../schema/tables.sql");
const TRIGRAMS: &str = include_str!("../schema/trigrams.sql");
const TERMS: &str = include_str!("../schema/terms.sql");
const MANIFESTS: &str = include_str!("../schema/tree_manifests.sql");
const INDEXES: &str = include_str!("../schema/indexes.sql");

const INSERT: &str = "INSERT INTO meta VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const SELECT: &str = "SELECT extractor, resolver, embedder, generation, next_file, next_symbol, next_chunk, next_name, owed \
     FROM meta WHERE one = 1";
const UPDATE: &str = "UPDATE meta SET extractor = ?1, resolver = ?2, embedder = ?3, generation = ?4, next_file = ?5, \
     next_symbol = ?6, next_chunk = ?7, next_name = ?8, owed = ?9 WHERE one = 1";

const LANG_BY_NAME: &str = "SELECT id FROM lang WHERE name = ?1";
const LANG_INSERT: &str = "INSERT INTO lang (name) VALUES (?1)";
const LANGS: &str = "SELECT id, name FROM lang ORDER BY name";

const PAGES: &str = "SELECT page_count, freelist_count, page_size \
     FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
const CHECK: &str = "PRAGMA integrity_check(20)";

/// The row of `meta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) extractor: u64,
    pub(crate) resolver: u64,
    pub(crate) embedder: u64,
    pub(crate) generation: u64,
    pub(crate) next_file: i64,
    pub(crate) next_symbol: i64,
    pub(crate) next_chunk: i64,
    pub(crate) next_name: i64,
    pub(crate) owed: u64,
}

impl Meta {
    pub(crate) fn first(extractor: u64, generation: u64) -> Self {
        let (next_file, next_symbol, next_chunk, next_name) = (1, 1, 1, 1);
        Self {
            extractor,
            resolver: 0,
            embedder: 0,
            generation,
            next_file,
            next_symbol,
            next_chunk,
            next_name,
            owed: 0,
        }
    }
}

pub(crate) fn create_tables(db: &Connection) -> Result<()> {
    db.execute_batch(TABLES)?;
    db.execute_batch(TRIGRAMS)?;
    db.execute_batch(TERMS)?;
    db.execute_batch(MANIFESTS)
}

pub(crate) fn create_indexes(db: &Connection) -> Result<()> {
    db.execute_batch(INDEXES)
}

pub(crate) fn insert(db: &Connection, meta: &Meta) -> Result<()> {
    write(db, INSERT, meta)
}

pub(crate) fn update(db: &Connection, meta: &Meta) -> Result<()> {
    write(db, UPDATE, meta)
}

fn write(db: &Connection, sql: &str, meta: &Meta) -> Result<()> {
    db.prepare_cached(sql)?
        .execute(params![
            meta.extractor.cast_signed(),
            meta.resolver.cast_signed(),
            meta.embedder.cast_signed(),
            meta.generation.cast_signed(),
            meta.next_file,
            meta.next_symbol,
            meta.next_chunk,
            meta.next_name,
            meta.owed.cast_signed(),
        ])
        .map(drop)
}

/// The row; `None` if it is missing: the database is damaged then.
pub(crate) fn select(db: &Connection) -> Result<Option<Meta>> {
    db.prepare_cached(SELECT)?
        .query_row([], |row| {
            Ok(Meta {
                extractor: row.get::<_, i64>(0)?.cast_unsigned(),
                resolver: row.get::<_, i64>(1)?.cast_unsigned(),
                embedder: row.get::<_, i64>(2)?.cast_unsigned(),
                generation: row.get::<_, i64>(3)?.cast_unsigned(),
                next_file: row.get(4)?,
                next_symbol: row.get(5)?,
                next_chunk: row.get(6)?,
                next_name: row.get(7)?,
                owed: row.get::<_, i64>(8)?.cast_unsigned(),
            })
        })
        .optional()
}

/// The id of a language; creates one if necessary.
pub(crate) fn lang_id(db: &Connection, name: &str) -> Result<i64> {
    if let Some(id) = db.prepare_cached(LANG_BY_NAME)?.query_row([name], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    db.prepare_cached(LANG_INSERT)?.insert([name])
}

/// All languages, by name.
pub(crate) fn langs(db: &Connection) -> Result<Vec<(i64, String)>> {
    db.prepare_cached(LANGS)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The size of the database and its free bytes.
pub(crate) fn bytes(db: &Connection) -> Result<(u64, u64)> {
    db.query_row(PAGES, [], |row| {
        let page: u64 = row.get(2)?;
        Ok((row.get::<_, u64>(0)? * page, row.get::<_, u64>(1)? * page))
    })
}

/// What SQLite's own integrity check finds.
pub(crate) fn check(db: &Connection) -> Result<Vec<String>> {
    let found: Vec<String> = db.prepare(CHECK)?.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}
